//! Copying regions and nodes, within a graph or from one graph to another.

use rustc_hash::FxHashMap;

use super::{Graph, Node, Origin, Region, SourceId, WalkItem};

/// Copies nodes of one graph into another graph of the same module, or into itself from a snapshot.
///
/// The map from origins of the source to origins of the target starts with what the caller substitutes, and grows with
/// every node copied. One copier copies from one graph only.
#[derive(Default)]
pub struct Copier {
    origins: FxHashMap<Origin, Origin>,
    inlined_at: Option<SourceId>,
    /// By node of the source: the merges that concern it, once they were asked for.
    merges: Option<FxHashMap<Node, Vec<SourceId>>>,
}

impl Copier {
    /// A copier without substitutions.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copier of another body that is inlined at the call that has source `call` in the target.
    pub fn inlining_at(call: Option<SourceId>) -> Self {
        Copier { inlined_at: call, ..Self::default() }
    }

    /// Uses of `from` in what is copied become uses of `to`.
    pub fn substitute(&mut self, from: Origin, to: Origin) {
        self.origins.insert(from, to);
    }

    /// What an origin of the source has become, when it was copied or substituted.
    pub fn get(&self, from: Origin) -> Option<Origin> {
        self.origins.get(&from).copied()
    }

    /// Copies all nodes of `region` of `source`, with everything in them, to the end of `target`'s region `into`, in an
    /// order in which producers come first. Arguments of `region` must have substitutes; its results are left to the
    /// caller, who finds their origins with [`Copier::get`].
    ///
    /// # Panics
    /// When a node uses an origin that was neither copied nor substituted.
    pub fn copy_nodes(&mut self, source: &Graph, region: Region, target: &mut Graph, into: Region) {
        for node in source.topological(region) {
            self.copy_node(source, node, target, into);
        }
    }

    /// Copies one node with everything in it to the end of `target`'s region `into`.
    ///
    /// # Panics
    /// When it uses an origin that was neither copied nor substituted.
    pub fn copy_node(&mut self, source: &Graph, node: Node, target: &mut Graph, into: Region) -> Node {
        let copy = self.copy_shell(source, node, target, into);
        let mut open = vec![];
        for &region in source.subregions(node) {
            for item in source.walk_region(region) {
                match item {
                    WalkItem::Enter(region) => {
                        let parent = open.last().map_or(copy, |&(_, last)| last);
                        let copied = target.add_region(parent);
                        let end = self.source(source, target, source.end_source(region));
                        target.set_end_source(copied, end);
                        for &argument in source.arguments(region) {
                            let new = target.add_argument(copied, source.ty(argument));
                            let phi = self.source(source, target, source.origin_source(argument));
                            target.set_origin_source(new, phi);
                            self.substitute(argument, new);
                        }
                        open.push((copied, copy));
                    }
                    WalkItem::Node(inner) => {
                        let current = open.last_mut().expect("a node is visited inside a region");
                        current.1 = self.copy_shell(source, inner, target, current.0);
                    }
                    WalkItem::Leave(region) => {
                        let (copied, _) = open.pop().expect("a region is left after it was entered");
                        for origin in source.result_origins(region) {
                            let origin = self.get(origin).expect("origins in a copied region are copied");
                            target.add_result(copied, origin);
                        }
                    }
                }
            }
        }
        copy
    }

    /// The node with its inputs and outputs, without subregions.
    fn copy_shell(&mut self, source: &Graph, node: Node, target: &mut Graph, into: Region) -> Node {
        let copy = target.add_node(into, source.kind(node), &[], &[]);
        for origin in source.input_origins(node) {
            let origin = self.get(origin).expect("origins used by a copied node are copied or substituted");
            target.add_input(copy, origin);
        }
        for &output in source.outputs(node) {
            let new = target.add_output(copy, source.ty(output));
            let phi = self.source(source, target, source.origin_source(output));
            target.set_origin_source(new, phi);
            self.substitute(output, new);
        }
        let original = self.source(source, target, source.source(node));
        target.set_source(copy, original);
        let merges = self.merges.get_or_insert_with(|| {
            let mut merges: FxHashMap<Node, Vec<SourceId>> = FxHashMap::default();
            for (node, merged) in source.merges() {
                merges.entry(node).or_default().push(merged);
            }
            merges
        });
        for merged in merges.get(&node).cloned().unwrap_or_default() {
            if let Some(merged) = self.source(source, target, Some(merged)) {
                target.add_merge(copy, merged);
            }
        }
        if let Some(motion) = source.motion(node) {
            target.set_moved(copy, motion);
        }
        copy
    }

    /// What stands in the target for a source: several nodes may have one, each for a copy of the instruction.
    fn source(&self, from: &Graph, target: &mut Graph, source: Option<SourceId>) -> Option<SourceId> {
        let original = source?;
        if self.inlined_at.is_none() && from.sources().parts(original).is_none() {
            return Some(original);
        }
        let (root, calls) = from.sources().resolve(original);
        // From the innermost call outwards.
        Some(calls.into_iter().chain(self.inlined_at).fold(root, |source, call| target.inlined_source(source, call)))
    }
}
