//! Launch bounds: how many threads the blocks of a kernel have, as its attributes say.

use rvsdg_core::attribute::{AttributeList, IntRange};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Module, Symbol};

use super::Machine;
use crate::seeded::{self, Bug};

/// The extents of the blocks that a kernel for NVPTX may be launched with; launching others fails.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LaunchBounds {
    /// In x, y and z.
    extents: [u64; 3],
    /// Whether they are exact (`nvvm.reqntid`). Otherwise their product bounds the number of threads of a block, and an extent
    /// may be greater than the one here (`nvvm.maxntid`).
    exact: bool,
}

impl LaunchBounds {
    /// The bounds of a kernel; `None` if a function is no kernel or has none.
    pub fn of(module: &Module, function: Symbol) -> Option<LaunchBounds> {
        let SymbolKind::Function { attributes, convention, .. } = module.symbols[function].kind else { return None };
        let machine = Machine::of_triple(&module.header.triple)?;
        if machine != Machine::Nvptx || !machine.is_kernel(convention) {
            return None;
        }
        LaunchBounds::of_attributes(module.pool.attributes(attributes))
    }

    fn of_attributes(list: &AttributeList) -> Option<LaunchBounds> {
        let extents = |name: &str| {
            let value = list.value(name)?;
            let mut extents = [1; 3];
            for (index, number) in value.split(',').enumerate() {
                *extents.get_mut(index)? =
                    number.trim().parse().ok().filter(|&extent: &u64| (1..=1024).contains(&extent))?;
            }
            Some(extents)
        };
        let exact = |extents| LaunchBounds { extents, exact: true };
        let most = || Some(LaunchBounds { extents: extents("nvvm.maxntid")?, exact: false });
        extents("nvvm.reqntid").map(exact).or_else(most)
    }

    /// The results of a function with this name, if it tells a thread its number or the extent of its block.
    pub fn results(&self, name: &str) -> Option<IntRange> {
        let (register, axis) = name.strip_prefix("llvm.nvvm.read.ptx.sreg.")?.split_once('.')?;
        let axis = ["x", "y", "z"].iter().position(|&known| known == axis)?;
        let is_extent = self.exact || seeded::is_active(Bug::AttrsExtent);
        let most = if is_extent { self.extents[axis] } else { self.extents.iter().product() };
        let (first, count) = match register {
            "tid" => (0, most),
            "ntid" if self.exact => (most, 1),
            "ntid" => (1, most),
            _ => return None,
        };
        Some(IntRange { bits: 32, first, count })
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::attribute::Attribute;

    use super::*;

    /// Of `tid.x`, `ntid.x`, `tid.z` and `ntid.z`: the first and the number of results.
    fn results(attributes: &[&str]) -> Option<[(u64, u64); 4]> {
        let function = attributes.iter().map(|&text| Attribute::parse(text)).collect();
        let bounds = LaunchBounds::of_attributes(&AttributeList { function, ..AttributeList::default() })?;
        Some(["tid.x", "ntid.x", "tid.z", "ntid.z"].map(|register| {
            let range = bounds.results(&format!("llvm.nvvm.read.ptx.sreg.{register}")).expect("it is one");
            assert_eq!(range.bits, 32);
            (range.first, range.count)
        }))
    }

    #[test]
    fn a_required_extent_is_exact() {
        let expected = Some([(0, 16), (16, 1), (0, 1), (1, 1)]);
        assert_eq!(results(&["nounwind", "\"nvvm.reqntid\"=\"16,8\""]), expected);
        assert_eq!(results(&["\"nvvm.maxntid\"=\"4\"", "\"nvvm.reqntid\"=\"16, 8, 1\""]), expected);
    }

    #[test]
    fn a_greatest_extent_bounds_the_threads_of_a_block_only() {
        assert_eq!(results(&["\"nvvm.maxntid\"=\"16,8\""]), Some([(0, 128), (1, 128), (0, 128), (1, 128)]));
    }

    #[test]
    fn bounds_that_are_none() {
        assert_eq!(results(&["\"nvvm.minctasm\"=\"2\""]), None);
        for extents in ["", "0", "16,0", "2000", "1,1,1,1", "-1", "16,"] {
            assert_eq!(results(&[&format!("\"nvvm.maxntid\"=\"{extents}\"")]), None, "{extents}");
        }
    }

    #[test]
    fn other_functions_are_not_bounded() {
        let bounds = LaunchBounds { extents: [16, 8, 1], exact: true };
        for name in ["ctaid.x", "nctaid.x", "tid.w", "laneid", "ntid", "tid"] {
            assert_eq!(bounds.results(&format!("llvm.nvvm.read.ptx.sreg.{name}")), None, "{name}");
        }
        assert_eq!(bounds.results("tid.x"), None);
    }
}
