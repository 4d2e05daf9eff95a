//! The entry variables of the conditionals of one region while nodes are pulled into them.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::build::Router;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node};

/// The router, and the variables to remove.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) router: Router,
    /// The γ with variables to remove.
    leaving: Vec<Gamma>,
    leaves: FxHashMap<Node, FxHashSet<usize>>,
}

impl Entries {
    /// Marks a variable for removal, because its value is now computed inside.
    pub(super) fn leave(&mut self, gamma: Gamma, index: usize) {
        let leaves = self.leaves.entry(gamma.node()).or_insert_with(|| {
            self.leaving.push(gamma);
            FxHashSet::default()
        });
        leaves.insert(index);
    }

    /// Removes the marked variables.
    pub(super) fn clean(self, graph: &mut Graph) {
        for gamma in self.leaving {
            let leaves = &self.leaves[&gamma.node()];
            gamma.retain_entry_vars(graph, |index| !leaves.contains(&index));
        }
    }
}
