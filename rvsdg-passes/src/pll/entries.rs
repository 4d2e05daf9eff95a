//! The entry variables of the conditionals of one region while nodes move into them.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Origin};

/// Entry variables by γ and origin, and those that are to go.
#[derive(Default)]
pub(super) struct Entries {
    known: FxHashMap<(Node, Origin), usize>,
    /// The γ whose variables are in `known`.
    listed: FxHashSet<Node>,
    /// The γ with variables that go.
    leaving: Vec<Gamma>,
    leaves: FxHashMap<Node, FxHashSet<usize>>,
}

impl Entries {
    /// What an alternative has for a value of the region around its γ; a variable brings it in if none does yet.
    pub(super) fn argument(&mut self, graph: &mut Graph, origin: Origin, gamma: Gamma, alternative: usize) -> Origin {
        if self.listed.insert(gamma.node()) {
            for variable in gamma.entry_vars(graph) {
                self.known.entry((gamma.node(), graph.origin(variable.input))).or_insert(variable.index);
            }
        }
        let new = || gamma.add_entry_var(graph, origin).index;
        let index = *self.known.entry((gamma.node(), origin)).or_insert_with(new);
        graph.arguments(gamma.regions(graph)[alternative])[index]
    }

    /// Says that a variable goes: what it brought in is in there now.
    pub(super) fn leave(&mut self, gamma: Gamma, index: usize) {
        let leaves = self.leaves.entry(gamma.node()).or_insert_with(|| {
            self.leaving.push(gamma);
            FxHashSet::default()
        });
        leaves.insert(index);
    }

    /// Removes the variables that go.
    pub(super) fn clean(self, graph: &mut Graph) {
        for gamma in self.leaving {
            let leaves = &self.leaves[&gamma.node()];
            gamma.retain_entry_vars(graph, |index| !leaves.contains(&index));
        }
    }
}
