//! What a kernel in PTX shows to the outside: entries and their parameters, variables, address spaces that are accessed, barriers.
//!
//! Two programs for a device that this machine lacks cannot be run and compared. Instead, the comparison covers what an incorrect
//! transformation of such code is most likely to change: a barrier that is copied, merged or dropped, an access that loses its address
//! space, a kernel that becomes an ordinary function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// The summary of a PTX file, to be compared with another one's.
#[derive(Default, PartialEq, Eq)]
pub struct Summary {
    /// Declarations of variables with address space, type, name and value.
    variables: BTreeSet<String>,
    /// Entries and functions that have a body, by their heads: linkage, kind, results, name and parameters.
    functions: BTreeMap<String, Body>,
}

/// What a body does that must not change.
#[derive(Default, PartialEq, Eq)]
struct Body {
    /// Variables that are declared in it, but for its stack, which may shrink.
    variables: BTreeSet<String>,
    /// Kinds of memory access with their address spaces, as `st.shared`; without a space, as `st`, the address is generic.
    accesses: BTreeSet<String>,
    /// Barriers, fences and operations of several threads together, each with the number of its occurrences.
    barriers: BTreeMap<String, usize>,
}

/// Instructions that access memory. Their first modifier out of [`SPACES`] is the address space.
const ACCESSES: [&str; 7] = ["ld", "ldu", "st", "atom", "red", "cp", "prefetch"];
const SPACES: [&str; 4] = ["global", "shared", "const", "local"];
/// Instructions for several threads together, or for the order of memory accesses.
const TOGETHER: [&str; 14] = [
    "bar",
    "barrier",
    "membar",
    "fence",
    "vote",
    "shfl",
    "match",
    "redux",
    "activemask",
    "wmma",
    "mma",
    "mbarrier",
    "griddepcontrol",
    "elect",
];
/// How the declaration of a variable begins, after its linkage.
const VARIABLES: [&str; 4] = [".global", ".shared", ".const", ".local"];
/// How the head of a function begins.
const LINKAGES: [&str; 4] = [".visible", ".weak", ".extern", ".common"];

impl Summary {
    /// Reads what `llc` writes.
    pub fn of(text: &str) -> Self {
        let mut summary = Self::default();
        // The head of a function, while its lines are read and after its body has begun.
        let mut head: Option<String> = None;
        let mut body: Option<Body> = None;
        for raw in text.lines() {
            let line = raw.split("//").next().unwrap_or_default().trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            let start = words.iter().find(|word| !LINKAGES.contains(word)).copied().unwrap_or_default();
            if let Some(inside) = &mut body {
                // The braces of calls are indented.
                if raw.starts_with('}') {
                    if let (Some(head), Some(body)) = (head.take(), body.take()) {
                        summary.functions.insert(head, body);
                    }
                } else {
                    inside.line(&words);
                }
            } else if let Some(text) = &mut head {
                match line {
                    "{" => body = Some(Body::default()),
                    // A declaration without a body.
                    ";" => head = None,
                    _ => text.extend(words.iter().flat_map(|word| [" ", word])),
                }
            } else if start == ".entry" || start == ".func" {
                head = Some(words.join(" "));
            } else if VARIABLES.contains(&start) {
                summary.variables.insert(words.join(" "));
            }
        }
        summary
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.functions.keys().filter(|head| is_entry(head)).count()
    }

    /// What must stay the same when passes run, and what they may lose: entries, variables and kinds of barriers must be there,
    /// accesses may go, and generic ones may become accesses of one address space.
    pub fn interface(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut same, mut fewer) = (self.variables.clone(), BTreeSet::new());
        for (head, body) in &self.functions {
            if is_entry(head) {
                same.insert(head.clone());
            }
            same.extend(body.variables.iter().chain(body.barriers.keys()).cloned());
            fewer.extend(body.accesses.iter().cloned());
            let generic = body.accesses.iter().filter(|access| !access.contains('.'));
            fewer.extend(generic.flat_map(|access| SPACES.map(|space| format!("{access}.{space}"))));
        }
        (same, fewer)
    }
}

/// Whether the head of a function is that of an entry.
fn is_entry(head: &str) -> bool {
    head.split(' ').any(|word| word == ".entry")
}

impl Body {
    /// Takes note of a line.
    fn line(&mut self, words: &[&str]) {
        let first = words.first().copied().unwrap_or_default();
        if first == ".local" {
            return;
        }
        if VARIABLES.contains(&first) {
            self.variables.insert(words.join(" "));
            return;
        }
        // A guarded instruction begins with its predicate.
        let Some(instruction) = words.iter().find(|word| !word.starts_with('@')) else { return };
        let instruction = instruction.trim_end_matches(';');
        let mut modifiers = instruction.split('.');
        let name = modifiers.next().unwrap_or_default();
        if TOGETHER.contains(&name) {
            *self.barriers.entry(instruction.to_owned()).or_default() += 1;
        } else if ACCESSES.contains(&name) {
            let rest: Vec<&str> = modifiers.collect();
            // Parameters are how arguments travel, and how many accesses that takes is up to `llc`.
            if !rest.contains(&"param") {
                let space = rest.iter().find(|modifier| SPACES.iter().any(|space| modifier.starts_with(space)));
                self.accesses.insert(space.map_or(name.to_owned(), |space| format!("{name}.{space}")));
            }
        }
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for variable in &self.variables {
            writeln!(f, "{variable}")?;
        }
        for (head, body) in &self.functions {
            writeln!(f, "{head}")?;
            for text in body.variables.iter().chain(&body.accesses) {
                writeln!(f, "{head}: {text}")?;
            }
            for (text, count) in &body.barriers {
                writeln!(f, "{head}: {count} times {text}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    const KERNEL: &str = "\
.visible .shared .align 4 .b8 pool[16]; // shared
.func  (.param .b32 func_retval0) later
(
	.param .b32 later_param_0
)
;
.visible .entry kernel(
	.param .u64 .ptr .global .align 1 kernel_param_0
)                                       // @kernel
{
	.reg .b32 	%r<2>;
	ld.param.b64 	%rd1, [kernel_param_0];
	@%p1 bra 	$L__BB0_2;
	st.shared.b32 	[pool], 1;
	bar.sync 	0;
	@%p1 atom.relaxed.gpu.global.add.u32 	%r1, [%rd1], 1;
	{ // callseq 0, 0
	} // callseq 0
	bar.sync 	0;
	ret;
}
";

    #[test]
    fn entries_spaces_and_barriers_are_found() {
        let summary = Summary::of(KERNEL);
        let head = ".visible .entry kernel( .param .u64 .ptr .global .align 1 kernel_param_0 )";
        let expected = format!(
            ".visible .shared .align 4 .b8 pool[16];\n{head}\n{head}: atom.global\n{head}: st.shared\n{head}: 2 times bar.sync\n"
        );
        assert_eq!(summary.to_string(), expected);
        assert_eq!(summary.entries(), 1);
    }

    #[test]
    fn differences_are_seen() {
        let same = Summary::of(KERNEL);
        for (old, new) in [
            ("st.shared", "st"),
            ("\tbar.sync \t0;\n\tret", "\tret"),
            (".visible .entry", ".visible .func"),
            (".global .align 1", ".align 1"),
            ("pool[16]", "pool[8]"),
        ] {
            assert!(Summary::of(&KERNEL.replace(old, new)) != same, "{old}");
        }
    }
}
