//! What assembler text for Windows or WebAssembly shows of calls and exceptions, function by function.
//!
//! Handlers, cleanups and filters are code of their own there, with a parent each. Code that ends up in the wrong one, a handler that
//! is lost, or a call that no longer leads to its handler changes the summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// The summary of a file, to be compared with another one's.
#[derive(Default)]
pub struct Summary {
    /// For each function, what it holds of calls and exceptions, each with the number of its occurrences.
    functions: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Instructions and directives that are counted, with their operands if those are names.
const COUNTED: [(&str, bool); 11] = [
    ("callq", true),
    ("rex64", true),
    ("call", true),
    ("call_indirect", false),
    ("jmp", false),
    (".seh_handler", true),
    (".seh_proc", false),
    ("try_table", true),
    ("throw", true),
    ("throw_ref", false),
    ("rethrow", false),
];

impl Summary {
    /// Reads what `llc` writes.
    pub fn of(text: &str) -> Self {
        let mut summary = Self::default();
        let mut function = String::new();
        for line in text.lines() {
            if let Some(begun) = line.split("-- Begin function ").nth(1) {
                // Parts of functions have the numbers of their blocks in their names, which say nothing.
                function = begun.chars().filter(|c| !c.is_ascii_digit()).collect();
            }
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let Some(&(name, named)) = words.next().and_then(|first| COUNTED.iter().find(|(name, _)| *name == first))
            else {
                continue;
            };
            // A jump leads to another part of the function, or is a call in the last place.
            let operands: Vec<&str> = words.collect();
            let tail = name == "jmp" && !operands.iter().any(|operand| operand.starts_with('.'));
            if name == "jmp" && !tail {
                continue;
            }
            let name = if tail { "callq" } else { name };
            let text = if named || tail { shown(name, &operands) } else { name.to_owned() };
            *summary.functions.entry(function.clone()).or_default().entry(text).or_default() += 1;
        }
        summary
    }

    /// How many functions there are, parts of functions included.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// What must stay the same when passes run, and what they may lose: handlers must be there, calls may be inlined.
    pub fn interface(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let all = self.functions.values().flat_map(BTreeMap::keys).cloned();
        let is_call = |text: &String| ["call", "rex64"].iter().any(|prefix| text.starts_with(prefix));
        all.filter(|text| text != ".seh_proc").partition(|text| !is_call(text))
    }
}

/// An instruction with the names among its operands; registers, and labels of the function, are up to `llc`.
fn shown(name: &str, operands: &[&str]) -> String {
    let mut text = name.to_owned();
    for operand in operands {
        if !operand.contains('%') && !operand.trim_matches(['(', ')', ',']).chars().all(|c| c.is_ascii_digit()) {
            text.push(' ');
            text.extend(operand.chars().filter(|c| !c.is_ascii_digit()));
        }
    }
    text
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (function, counts) in &self.functions {
            for (text, count) in counts {
                writeln!(f, "{function}: {count} times {text}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    const HANDLER: &str = "\
\t.def\t\"?f@@YAHH@Z\"; # -- Begin function ?f@@YAHH@Z
.seh_proc \"?f@@YAHH@Z\"
\tjmp\t.LBB0_1
\tcallq\t\"?outside@@YAHH@Z\"
\tcallq\t*%rax
\tretq
\t.def\t\"?catch$3@?0??f@@YAHH@Z@4HA\"; # -- Begin function ?catch$3@?0??f@@YAHH@Z@4HA
\t.seh_handler __CxxFrameHandler3, @unwind, @except
\tcallq\t\"?outside@@YAHH@Z\"
";

    #[test]
    fn calls_and_handlers_are_found() {
        let expected = "\
?catch$@???f@@YAHH@Z@HA: 1 times .seh_handler __CxxFrameHandler, @unwind, @except
?catch$@???f@@YAHH@Z@HA: 1 times callq \"?outside@@YAHH@Z\"
?f@@YAHH@Z: 1 times .seh_proc
?f@@YAHH@Z: 1 times callq
?f@@YAHH@Z: 1 times callq \"?outside@@YAHH@Z\"
";
        assert_eq!(Summary::of(HANDLER).to_string(), expected);
    }

    #[test]
    fn numbers_of_blocks_do_not_matter() {
        let same = Summary::of(HANDLER).to_string();
        assert_eq!(Summary::of(&HANDLER.replace("catch$3", "catch$17")).to_string(), same);
        assert_ne!(Summary::of(&HANDLER.replacen("\tcallq\t*%rax\n", "", 1)).to_string(), same);
        assert_ne!(Summary::of(&HANDLER.replace("__CxxFrameHandler3, ", "")).to_string(), same);
    }
}
