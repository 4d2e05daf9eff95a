//! Passes over functions and the calls between them.

/// Why a pass leaves calls alone, each reason with the counter of such calls and with words for remarks.
macro_rules! declines {
    ($(#[$doc:meta])* $($reason:ident $counter:literal $text:literal;)*) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Decline { $(#[doc = $text] $reason),* }

        impl Decline {
            /// All reasons.
            pub const ALL: &'static [Decline] = &[$(Decline::$reason),*];

            /// The counter of calls that stay for this reason.
            pub fn counter(self) -> &'static str {
                match self { $(Decline::$reason => concat!("declined_", $counter)),* }
            }

            /// The reason in words, to stand after "because".
            pub fn text(self) -> &'static str {
                match self { $(Decline::$reason => $text),* }
            }
        }

        #[cfg(test)]
        #[test]
        fn counters_are_distinct() {
            let mut counters: Vec<_> = Decline::ALL.iter().map(|reason| reason.counter()).collect();
            counters.sort_unstable();
            counters.dedup();
            assert_eq!(counters.len(), Decline::ALL.len());
        }
    };
}

pub mod attributes;
pub mod constant_loads;
pub mod global_variables;
pub mod inline;
pub mod interprocedural_constants;
pub mod library_calls;
pub mod lookup_tables;
pub mod tail_recursion;

pub(crate) mod calls;
pub(crate) mod declarations;
pub(crate) mod memory_calls;
pub(crate) mod places;
pub(crate) mod private_constants;
