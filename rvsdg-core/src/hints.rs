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
}

impl LoopHints {
    /// Whether anything is said.
    pub fn is_said(&self) -> bool {
        (self.unroll, self.vectorize) != (Hint::Unsaid, Hint::Unsaid)
    }
}
