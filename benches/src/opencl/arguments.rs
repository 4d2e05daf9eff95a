//! Made-up arguments of kernels.
//!
//! Nobody says which arguments a kernel is for; clang says of which types they are.

use serde::{Deserialize, Serialize};

/// A parameter, by what clang says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The type in OpenCL, without names of other types.
    pub ty: String,
    /// Whether it leads to memory that a block shares.
    pub is_shared: bool,
}

impl Parameter {
    /// Whether it is an integer.
    pub fn is_size(&self) -> bool {
        !["float", "double"].contains(&&*self.ty) && self.bits().is_some()
    }

    /// Whether it leads to memory.
    pub fn is_pointer(&self) -> bool {
        self.ty.ends_with('*')
    }

    /// The width of a scalar.
    fn bits(&self) -> Option<u32> {
        Some(match self.ty.trim_start_matches("unsigned ").trim_start_matches('u') {
            "char" => 8,
            "short" => 16,
            "int" | "float" => 32,
            "long" | "double" => 64,
            _ => return None,
        })
    }

    /// The width and the bits of a scalar: an integer is a size.
    pub fn scalar(&self, size: u64) -> Option<(u32, u64)> {
        let bits = self.bits()?;
        let value = match &*self.ty {
            "float" => 0.5_f32.to_bits().into(),
            "double" => 0.5_f64.to_bits(),
            _ => size,
        };
        Some((bits, value))
    }

    /// So many bytes of numbers of the type that a pointer leads to: other ones for each parameter, and none that computing with is a
    /// choice; integers are below a bound. Numbers of a kernel's own structures are taken to be integers of 32 bits, or bits of very
    /// small floats.
    pub fn contents(&self, position: usize, below: u32, bytes: usize) -> Vec<u8> {
        let ty = self.ty.strip_suffix('*').unwrap_or("int");
        let real = |index: usize| 0.25 + ((index + position) * 7 % 13) as f32 / 4.0;
        let number = |index: usize| ((index + position) * 5) as u32 % below;
        let is_real = |name: &str| ty.starts_with(name);
        let words = 0..bytes;
        match () {
            () if is_real("float") => words.step_by(4).flat_map(|at| real(at / 4).to_le_bytes()).collect(),
            () if is_real("double") => words.step_by(8).flat_map(|at| f64::from(real(at / 8)).to_le_bytes()).collect(),
            () if ty.ends_with("char") => words.map(|at| number(at) as u8).collect(),
            () if ty.ends_with("long") => {
                words.step_by(8).flat_map(|at| u64::from(number(at / 8)).to_le_bytes()).collect()
            }
            () => words.step_by(4).flat_map(|at| number(at / 4).to_le_bytes()).collect(),
        }
    }
}

/// The parameters of a kernel, by the metadata that clang attaches to it.
pub fn parameters(ir: &str, kernel: &str) -> Option<Vec<Parameter>> {
    let head = ir.lines().find(|line| line.starts_with("define ") && line.contains(&format!("@{kernel}(")))?;
    let list = |name: &str| -> Option<&str> {
        let number = head.split_once(&format!("!{name} !"))?.1.split(' ').next()?;
        let start = format!("!{number} = !{{");
        ir.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix('}'))
    };
    let types = list("kernel_arg_base_type")?.split(", ").map(|ty| ty.trim_matches(['!', '"']).to_owned());
    let spaces = list("kernel_arg_addr_space")?.split(", ").map(|space| space == "i32 3");
    Some(types.zip(spaces).map(|(ty, is_shared)| Parameter { ty, is_shared }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_of_the_metadata() {
        let ir = "define ptx_kernel void @k(ptr addrspace(1) %0, i32 %1, ptr addrspace(3) %2) #0 !kernel_arg_addr_space !3 \
             !kernel_arg_base_type !4 {\n}\n!3 = !{i32 1, i32 0, i32 3}\n!4 = !{!\"float*\", !\"uint\", !\"int*\"}\n";
        let of = |ty: &str, is_shared| Parameter { ty: ty.to_owned(), is_shared };
        let found = parameters(ir, "k").expect("they are there");
        assert_eq!(found, [of("float*", false), of("uint", false), of("int*", true)]);
        assert_eq!(found.iter().map(Parameter::is_size).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(parameters(ir, "other"), None);
    }

    #[test]
    fn arguments_have_their_types() {
        let of = |ty: &str| Parameter { ty: ty.to_owned(), is_shared: false };
        assert_eq!(of("uint").scalar(7), Some((32, 7)));
        assert_eq!(of("double").scalar(7), Some((64, 0.5_f64.to_bits())));
        assert_eq!(of("float4").scalar(7), None);
        assert_eq!(of("double*").contents(0, 1, 16)[..8], 0.25_f64.to_le_bytes());
        assert_eq!(of("uchar*").contents(1, 16, 4), [5, 10, 15, 4]);
    }
}
