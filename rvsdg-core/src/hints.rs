//! What is said about loops: LangRef, "`llvm.loop`".

use crate::SourceId;

/// Whether a pass may transform a loop in one way, and how far.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Hint {
    /// Nothing is said: the pass decides.
    #[default]
    Unsaid,
    /// Not at all.
    Never,
    /// By a factor that the pass chooses, even where it thinks that it does not pay.
    Wanted,
    /// All iterations.
    Wholly,
    /// By this factor, at least two.
    Times(u32),
}

impl Hint {
    /// The hint for a factor; one is not at all.
    pub fn times(factor: u32) -> Hint {
        if factor > 1 { Hint::Times(factor) } else { Hint::Never }
    }
}

/// How a loop came about. Passes that made it do not do so again.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum LoopRole {
    /// In a way that no pass asks about.
    #[default]
    Plain,
    /// Each of its iterations executes several of a loop that it replaced.
    Main,
    /// It executes the iterations that a main loop leaves.
    Remainder,
    /// It executes the iterations that a main loop leaves, or all of them where accesses overlap.
    Overlapping,
    /// It is executed where a comparison at run time found that accesses do not overlap.
    Version,
    /// It is executed where that comparison found that they may.
    Fallback,
}

impl LoopRole {
    /// The roles that say something, with their names in the text format.
    pub const NAMED: [(&'static str, LoopRole); 5] = [
        ("main", LoopRole::Main),
        ("remainder", LoopRole::Remainder),
        ("overlapping", LoopRole::Overlapping),
        ("version", LoopRole::Version),
        ("fallback", LoopRole::Fallback),
    ];

    /// The name in the text format.
    pub fn name(self) -> Option<&'static str> {
        LoopRole::NAMED.iter().find(|(_, role)| *role == self).map(|(name, _)| *name)
    }
}

/// What is said about a loop. It holds for its copies; a pass that has transformed a loop says of the result that it is not to be
/// transformed again.
///
/// ```
/// use std::sync::Arc;
///
/// use rvsdg_core::hints::{Hint, LoopHints};
/// use rvsdg_core::structural::Theta;
/// use rvsdg_core::{Graph, Pool};
///
/// let mut graph = Graph::new(Arc::new(Pool::new()));
/// let root = graph.root();
/// let theta = Theta::add(&mut graph, root).node();
/// assert!(!graph.loop_hints(theta).is_said());
/// graph.set_loop_hints(theta, LoopHints { unroll: Hint::times(4), ..LoopHints::default() });
/// assert_eq!(graph.loop_hints(theta).unroll, Hint::Times(4));
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoopHints {
    /// The terminator whose metadata says so, with more that no pass asks about.
    pub source: Option<SourceId>,
    /// `llvm.loop.unroll`
    pub unroll: Hint,
    /// `llvm.loop.vectorize`
    pub vectorize: Hint,
    /// How it came about.
    pub role: LoopRole,
}

impl LoopHints {
    /// Whether anything is said of what passes may do.
    pub fn is_said(&self) -> bool {
        (self.unroll, self.vectorize) != (Hint::Unsaid, Hint::Unsaid)
    }

    /// Whether nothing is said of what passes may do, nor of how the loop came about.
    pub fn is_empty(&self) -> bool {
        self.is_same(LoopHints::default())
    }

    /// Whether others are the same, but for the [source](Self::source).
    pub fn is_same(&self, other: LoopHints) -> bool {
        *self == LoopHints { source: self.source, ..other }
    }
}
