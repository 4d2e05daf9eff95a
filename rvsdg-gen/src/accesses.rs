//! Functions that access a few places: parts of arrays and structures, at computed indices, one after the other or in a loop. Alias
//! analysis alone decides what passes make of them.

use std::fmt::Write;

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;

/// Bytes that must be accessible from the pointer parameter on.
pub const BYTES: u64 = 512;

/// A place is this many bytes after the pointer, so that indices can be negative.
const AHEAD: u32 = 128;

const TYPES: &[&str] = &["i32", "i32", "i32", "i64", "i16", "i8", "float", "<2 x i32>"];

/// A module of one function. `None` where what was chosen is not valid.
pub fn any_accesses(entropy: &mut Entropy<'_>) -> Option<Module> {
    let mut writer = Writer { text: String::new(), values: 40, states: 1, entropy };
    writer.function();
    let text = format!(
        "module \"accesses\"\ntarget triple \"x86_64-unknown-linux-gnu\"\n@f = function i32 (ptr, ptr, i32, i64)\n\
         lambda @f [] (v0: ptr, v1: ptr, v2: i32, v3: i64, mem0, io0) {{\n{}}}\nexport @f\n",
        writer.text
    );
    parse_module(&text).ok().filter(|module| module.verify().is_ok())
}

struct Writer<'e, 'b> {
    text: String,
    values: u32,
    states: u32,
    entropy: &'e mut Entropy<'b>,
}

/// What a body computes with.
#[derive(Clone)]
struct Known {
    pointers: Vec<String>,
    /// Of 32 bits.
    narrow: Vec<String>,
    /// Of 64 bits.
    wide: Vec<String>,
    addresses: Vec<(String, &'static str)>,
    memory: String,
    sum: String,
}

impl Writer<'_, '_> {
    fn line(&mut self, ty: &str, operation: &str) -> String {
        let name = format!("v{}", self.values);
        self.values += 1;
        let ty = if ty.is_empty() { String::new() } else { format!(": {ty}") };
        let _ = writeln!(self.text, "  {name}{ty} = {operation}");
        name
    }

    fn constant(&mut self, ty: &str, number: i64) -> String {
        self.line("", &format!("const {ty} {number}"))
    }

    fn memory(&mut self) -> String {
        let name = format!("mem{}", self.states);
        self.states += 1;
        name
    }

    fn function(&mut self) {
        let ahead = self.constant("i64", AHEAD.into());
        let mask = self.constant("i32", 3);
        let greatest = self.entropy.pick(&[7, 15]);
        let wide_mask = self.constant("i64", greatest);
        let first = self.line("ptr", &format!("getelementptr inbounds i8, v0, {ahead}"));
        let mut second = self.line("ptr", &format!("getelementptr inbounds i8, v1, {ahead}"));
        let mut memory = "mem0".to_owned();
        if self.entropy.chance(1, 4) {
            let count = self.constant("i32", 1);
            let after = self.memory();
            let object = format!("v{}", self.values);
            self.values += 1;
            let _ = writeln!(self.text, "  {object}: ptr, {after} = alloca [128 x i32], {count}, {memory}, align 16");
            memory = after;
            second = self.line("ptr", &format!("getelementptr inbounds i8, {object}, {ahead}"));
        }
        let narrow = self.line("i32", &format!("and v2, {mask}"));
        let wide = self.line("i64", &format!("and v3, {wide_mask}"));
        let sum = self.constant("i32", 0);
        let known = Known {
            pointers: vec![first, second],
            narrow: vec![narrow],
            wide: vec![wide],
            addresses: Vec::new(),
            memory,
            sum,
        };
        let known = match self.entropy.below(4) {
            0 => self.body(known),
            1 => {
                let after = self.body(known);
                self.counted(after)
            }
            2 => {
                let after = self.counted(known);
                self.body(after)
            }
            _ => self.counted(known),
        };
        let _ = writeln!(self.text, "  yield {}, {}, io0", known.sum, known.memory);
    }

    /// A loop around accesses, with a counter.
    fn counted(&mut self, known: Known) -> Known {
        let start = self.entropy.pick(&[0, 0, 0, 1, 2]);
        let start = self.constant("i64", start);
        let initial: Vec<(&str, String)> = vec![
            ("ptr", known.pointers[0].clone()),
            ("ptr", known.pointers[1].clone()),
            ("i32", known.narrow[0].clone()),
            ("i64", known.wide[0].clone()),
            ("i64", start),
            ("i32", known.sum.clone()),
        ];
        let mut outputs = Vec::new();
        let mut inside = Vec::new();
        for list in [&mut outputs, &mut inside] {
            for _ in &initial {
                list.push(format!("v{}", self.values));
                self.values += 1;
            }
        }
        let (after, before) = (self.memory(), self.memory());
        let typed = |list: &[String]| {
            list.iter().zip(&initial).map(|(name, (ty, _))| format!(", {name}: {ty}")).collect::<String>()
        };
        let entering: String =
            inside.iter().zip(&initial).map(|(name, (ty, from))| format!(", {name}: {ty} = {from}")).collect();
        let _ = writeln!(self.text, "  {after}{} = theta ({before} = {}{entering}) {{", typed(&outputs), known.memory);
        let body = Known {
            pointers: inside[..2].to_vec(),
            narrow: vec![inside[2].clone()],
            wide: vec![inside[4].clone(), inside[4].clone(), inside[3].clone()],
            addresses: Vec::new(),
            memory: before,
            sum: inside[5].clone(),
        };
        let done = self.body(body);
        let mut next = [inside[0].clone(), inside[1].clone()];
        if self.entropy.chance(1, 3) {
            let which = self.entropy.below(2);
            let step = self.entropy.pick(&[4, 4, 8, -4, 1]);
            let step = self.constant("i64", step);
            next[which] = self.line("ptr", &format!("getelementptr inbounds i8, {}, {step}", inside[which]));
        }
        let step = self.entropy.pick(&[1, 1, 1, 2]);
        let step = self.constant("i64", step);
        let flags = self.entropy.pick(&["nuw nsw ", "nsw ", ""]);
        let counter = self.line("i64", &format!("add {flags}{}, {step}", inside[4]));
        let relation = self.entropy.pick(&["slt", "ult", "slt", "sle"]);
        let again = self.line("i1", &format!("icmp {relation} {counter}, {}", inside[3]));
        let again = self.line("ctl(2)", &format!("match i1 {again} [true -> 1, _ -> 0]"));
        let _ = writeln!(
            self.text,
            "  next {}, {}, {}, {}, {}, {counter}, {} while {again}\n  }}",
            done.memory, next[0], next[1], inside[2], inside[3], done.sum
        );
        Known { memory: after, sum: outputs[5].clone(), ..known }
    }

    /// A few accesses.
    fn body(&mut self, mut known: Known) -> Known {
        for _ in 0..1 + self.entropy.below(2) {
            let pointer = self.entropy.below(2);
            let address = self.address(&known, pointer);
            known.addresses.push(address);
        }
        if self.entropy.chance(2, 3) {
            let address = self.address(&known, 0);
            known.addresses.push(address);
        }
        for _ in 0..2 + self.entropy.below(4) {
            self.access(&mut known);
        }
        known
    }

    fn access(&mut self, known: &mut Known) {
        let (address, mut ty) = self.entropy.pick(&known.addresses.iter().collect::<Vec<_>>()).clone();
        if self.entropy.chance(1, 5) {
            ty = self.entropy.pick(TYPES);
        }
        let (before, after) = (known.memory.clone(), self.memory());
        let align = self.entropy.pick(&[1, 1, 1, 4]);
        let volatile = self.entropy.chance(1, 40);
        if self.entropy.chance(1, 2) && !volatile {
            let value = match ty {
                "i32" if self.entropy.chance(2, 3) => known.sum.clone(),
                "i64" if self.entropy.chance(1, 2) => known.wide[0].clone(),
                "float" => self.constant("i32", 7),
                "<2 x i32>" => self.line("", "const <2 x i32> data [2, 3]"),
                _ => {
                    let number = 1 + self.entropy.below(100) as i64;
                    self.constant(ty, number)
                }
            };
            let _ = writeln!(self.text, "  {after} = store {value}, {address}, {before}, align {align}");
        } else {
            let name = format!("v{}", self.values);
            self.values += 1;
            let _ = writeln!(self.text, "  {name}: {ty}, {after} = load {address}, {before}, align {align}");
            let number = match ty {
                "i32" => name,
                "i64" => self.line("i32", &format!("trunc {name}")),
                "float" => self.line("i32", &format!("bitcast {name}")),
                "<2 x i32>" => {
                    let lane = self.constant("i32", 1);
                    self.line("i32", &format!("extractelement {name}, {lane}"))
                }
                _ => self.line("i32", &format!("zext {name}")),
            };
            let op = self.entropy.pick(&["add", "add", "xor", "mul"]);
            known.sum = self.line("i32", &format!("{op} {}, {number}", known.sum));
        }
        known.memory = after;
    }

    /// An index of 32 or 64 bits.
    fn index(&mut self, known: &Known) -> String {
        let flags = self.entropy.pick(&["", "nsw ", "nuw ", "nuw nsw "]);
        let near = self.entropy.pick(&[-1, 1, 1, 2, 3, 4]);
        match self.entropy.below(9) {
            0 => {
                let number = self.entropy.below(4) as i64;
                self.constant("i64", number)
            }
            1 | 2 => self.entropy.pick(&known.wide.iter().collect::<Vec<_>>()).clone(),
            3 | 4 => {
                let (of, by) = (known.wide[0].clone(), self.constant("i64", near));
                let op = self.entropy.pick(&["add", "add", "add", "sub"]);
                self.line("i64", &format!("{op} {flags}{of}, {by}"))
            }
            5 => {
                let (of, by) = (known.wide[0].clone(), self.constant("i64", near.max(1)));
                let op = self.entropy.pick(&["mul", "shl"]);
                self.line("i64", &format!("{op} {flags}{of}, {by}"))
            }
            6 => {
                let (of, by) = (known.narrow[0].clone(), self.constant("i32", near));
                let sum = self.line("i32", &format!("add {flags}{of}, {by}"));
                let op = self.entropy.pick(&["sext", "zext", "zext nneg"]);
                self.line("i64", &format!("{op} {sum}"))
            }
            7 => {
                let op = self.entropy.pick(&["sext", "zext"]);
                self.line("i64", &format!("{op} {}", known.narrow[0]))
            }
            _ => known.narrow[0].clone(),
        }
    }

    /// A place, and the type of what is there.
    fn address(&mut self, known: &Known, pointer: usize) -> (String, &'static str) {
        if !known.addresses.is_empty() && self.entropy.chance(1, 3) {
            // Next to another.
            let (of, ty) = self.entropy.pick(&known.addresses.iter().collect::<Vec<_>>()).clone();
            let by = self.entropy.pick(&[1, 2, 3, 4, -4, 8]);
            let by = self.constant("i64", by);
            let flags = self.flags();
            return (self.line("ptr", &format!("getelementptr {flags}i8, {of}, {by}")), ty);
        }
        let base = known.pointers[pointer].clone();
        let index = self.index(known);
        let flags = self.flags();
        match self.entropy.below(6) {
            0 => {
                let ty = self.entropy.pick(&TYPES[..6]);
                (self.line("ptr", &format!("getelementptr {flags}{ty}, {base}, {index}")), ty)
            }
            1 => {
                let zero = self.constant("i64", 0);
                (self.line("ptr", &format!("getelementptr {flags}[4 x i32], {base}, {zero}, {index}")), "i32")
            }
            2 => {
                let row = self.entropy.below(2) as i64;
                let row = self.constant("i64", row);
                (
                    self.line("ptr", &format!("getelementptr {flags}[2 x [4 x i32]], {base}, {row}, {row}, {index}")),
                    "i32",
                )
            }
            3 => {
                let field = self.entropy.below(3);
                let number = self.constant("i32", field as i64);
                let zero = self.constant("i64", 0);
                let rest = if field == 1 { format!(", {index}") } else { String::new() };
                let shape = "{ i32, [3 x i32], i64 }";
                let path = format!("getelementptr {flags}{shape}, {base}, {zero}, {number}{rest}");
                (self.line("ptr", &path), if field == 2 { "i64" } else { "i32" })
            }
            4 => {
                let field = self.entropy.below(2) as i64;
                let number = self.constant("i32", field);
                let inner =
                    self.line("ptr", &format!("getelementptr {flags}{{ i32, i32 }}, {base}, {index}, {number}"));
                (inner, "i32")
            }
            _ => (self.line("ptr", &format!("getelementptr {flags}i32, {base}, {index}")), "i32"),
        }
    }

    fn flags(&mut self) -> &'static str {
        self.entropy.pick(&["inbounds ", "inbounds ", "inbounds nuw ", "nusw ", ""])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::{Effort, Tally, runs_with};

    #[test]
    fn most_are_valid_and_defined() {
        let modules: Vec<Module> = (0..200).filter_map(|seed| any_accesses(&mut Entropy::seeded(seed))).collect();
        assert!(modules.len() > 150, "{} of 200 are valid", modules.len());
        let mut tally = Tally::default();
        for module in &modules {
            let runs = runs_with(module, Effort { runs: 4, fuel: 5_000, bytes: BYTES });
            tally.add(runs.keep(module).expect("it does what it does"));
        }
        assert!(tally.vacuous < tally.same, "{tally:?}");
    }
}
