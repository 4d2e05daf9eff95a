//! Generated code that cannot be run here, summarized as text: everything that an incorrect transformation would change, without the
//! details that `llc` may choose freely.

use std::collections::BTreeSet;

use super::assembly;
use super::languages::Language;
use super::ptx;

/// What the generated code of a file shows.
pub struct Listing {
    /// Lines that must be the same with and without the optimizer.
    same: BTreeSet<String>,
    /// Lines that passes may lose, but not add.
    fewer: BTreeSet<String>,
    /// How many functions, or entries of kernels, were compared.
    pub functions: usize,
}

/// How much of the code must be as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// No pass ran: each function still does the same things as often.
    Exact,
    /// Passes ran, which inline, copy and remove: entries, variables, and what the file as a whole does with other files are the same.
    Interface,
}

impl Listing {
    /// The listing of generated code; nothing if programs in the language are run instead.
    pub fn of(language: Language, code: &[u8], strictness: Strictness) -> Option<Self> {
        let code = String::from_utf8_lossy(code);
        let (exact, interface, functions) = match language {
            Language::C | Language::Cxx | Language::Rust => return None,
            Language::Kernels => {
                let summary = ptx::Summary::of(&code);
                (summary.to_string(), summary.interface(), summary.entries())
            }
            Language::Windows | Language::Wasm => {
                let summary = assembly::Summary::of(&code);
                (summary.to_string(), summary.interface(), summary.functions())
            }
        };
        let (same, fewer) = match strictness {
            Strictness::Exact => (exact.lines().map(str::to_owned).collect(), BTreeSet::new()),
            Strictness::Interface => interface,
        };
        Some(Self { same, fewer, functions })
    }

    /// What is wrong with another listing of the same file, if anything.
    pub fn difference(&self, seen: &Self) -> Option<String> {
        let lost = self.same.difference(&seen.same).map(|line| format!("  lost  {line}"));
        let new = seen.same.difference(&self.same).chain(seen.fewer.difference(&self.fewer));
        let lines: Vec<String> = lost.chain(new.map(|line| format!("  new   {line}"))).take(10).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Listing, Strictness};
    use crate::corpus::languages::Language;

    const KERNEL: &str = "\
.visible .entry k(
)
{
	ld.shared.b32 	%r1, [a];
	bar.sync 	0;
	bar.sync 	0;
}
";

    fn difference(new: &str, strictness: Strictness) -> Option<String> {
        let of = |code: &str| Listing::of(Language::Kernels, code.as_bytes(), strictness).expect("kernels are not run");
        of(KERNEL).difference(&of(new))
    }

    #[test]
    fn passes_may_copy_and_remove_but_not_invent() {
        let fewer_barriers = KERNEL.replacen("\tbar.sync \t0;\n", "", 1);
        assert!(difference(&fewer_barriers, Strictness::Exact).is_some());
        assert!(difference(&fewer_barriers, Strictness::Interface).is_none());
        assert!(difference(&KERNEL.replace("\tbar.sync \t0;\n", ""), Strictness::Interface).is_some());
        assert!(difference(&KERNEL.replace("\tld.shared.b32 \t%r1, [a];\n", ""), Strictness::Interface).is_none());
        assert!(difference(&KERNEL.replace("ld.shared", "ld"), Strictness::Interface).is_some());
    }
    #[test]
    fn a_generic_access_may_get_an_address_space() {
        let of = |code: &str| {
            Listing::of(Language::Kernels, code.as_bytes(), Strictness::Interface).expect("kernels are not run")
        };
        let generic = of(&KERNEL.replace("ld.shared", "ld"));
        assert!(generic.difference(&of(KERNEL)).is_none());
        assert!(of(KERNEL).difference(&of(&KERNEL.replace("ld.shared", "ld.global"))).is_some());
    }
}
