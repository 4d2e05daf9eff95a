//! Copying regions and nodes, within a graph or from one graph to another.

use rustc_hash::FxHashMap;

use super::{Graph, Node, NodeKind, Origin, Region, SourceId};
use crate::hints::LoopHints;
use crate::sources::SourceMap;

/// Copies nodes of one graph into another graph of the same module, or into itself from a snapshot.
///
/// The map from origins of the source to origins of the target starts with what the caller substitutes, and grows with
/// every node copied. One copier copies from one graph only.
#[derive(Default)]
pub struct Copier {
    origins: FxHashMap<Origin, Origin>,
    /// What becomes of sources; they stay when this is `None`.
    sources: Option<SourceMap>,
    /// By node of the source, the merges that concern it, computed on first use.
    merges: Option<FxHashMap<Node, Vec<SourceId>>>,
}

/// What is copied next; the step pushed last comes first.
enum Step {
    /// A region, into a node's copy.
    Open(Region, Node),
    Node(Node, Region),
    /// The results of a region, into its copy.
    Close(Region, Region),
}

impl Copier {
    /// A copier without substitutions.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copier that gives copies of instructions their own numbers.
    pub fn with_sources(sources: SourceMap) -> Self {
        Copier { sources: Some(sources), ..Self::default() }
    }

    /// Uses of `from` become uses of `to` in copies.
    pub fn substitute(&mut self, from: Origin, to: Origin) {
        self.origins.insert(from, to);
    }

    /// What an origin of the source has become, when it was copied or substituted.
    pub fn get(&self, from: Origin) -> Option<Origin> {
        self.origins.get(&from).copied()
    }

    /// What the source of something copied has become.
    pub fn source(&self, from: Option<SourceId>) -> Option<SourceId> {
        match &self.sources {
            Some(sources) => sources.get(from?),
            None => from,
        }
    }

    /// Takes over to `target` what is known of described values of `source`, once its nodes were copied.
    pub fn copy_descriptions(&self, source: &Graph, target: &mut Graph) {
        target.copy_descriptions(source, |origin| self.get(origin), |instruction| self.source(Some(instruction)));
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
        let open = |node: Node, copy: Node| source.subregions(node).iter().rev().map(move |&r| Step::Open(r, copy));
        let mut steps: Vec<Step> = open(node, copy).collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Open(region, parent) => {
                    let copied = target.add_region(parent);
                    target.set_end_source(copied, self.source(source.end_source(region)));
                    for &argument in source.arguments(region) {
                        let new = target.add_argument(copied, source.ty(argument));
                        target.set_origin_source(new, self.source(source.origin_source(argument)));
                        self.substitute(argument, new);
                    }
                    steps.push(Step::Close(region, copied));
                    steps.extend(source.topological(region).into_iter().rev().map(|node| Step::Node(node, copied)));
                }
                Step::Node(inner, into) => {
                    let copy = self.copy_shell(source, inner, target, into);
                    steps.extend(open(inner, copy));
                }
                Step::Close(region, copied) => {
                    for origin in source.result_origins(region) {
                        let origin = self.get(origin).expect("origins in a copied region are copied");
                        target.add_result(copied, origin);
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
            target.set_origin_source(new, self.source(source.origin_source(output)));
            self.substitute(output, new);
        }
        target.set_source(copy, self.source(source.source(node)));
        if source.kind(node) == NodeKind::Theta {
            let hints = source.loop_hints(node);
            target.set_loop_hints(copy, LoopHints { source: self.source(hints.source), ..hints });
        }
        let merges = self.merges.get_or_insert_with(|| {
            let mut merges: FxHashMap<Node, Vec<SourceId>> = FxHashMap::default();
            for (node, merged) in source.merges() {
                merges.entry(node).or_default().push(merged);
            }
            merges
        });
        for &merged in merges.get(&node).into_iter().flatten() {
            let merged = match &self.sources {
                Some(sources) => sources.get(merged),
                None => Some(merged),
            };
            if let Some(merged) = merged {
                target.add_merge(copy, merged);
            }
        }
        if let Some(motion) = source.motion(node) {
            target.set_moved(copy, motion);
        }
        target.inherit_copy(source, node, copy);
        copy
    }
}

impl Graph {
    /// The same graph with ids renumbered in the order of nodes in their regions, as far as edges allow, without ids of removed entities.
    pub fn renumbered(&self) -> Graph {
        let mut target = Graph::new(self.pool().clone());
        if self.describes_values() {
            target.describe_values();
        }
        let (root, into) = (self.root(), target.root());
        let mut copier = Copier::new();
        target.set_end_source(into, self.end_source(root));
        for &argument in self.arguments(root) {
            let new = target.add_argument(into, self.ty(argument));
            target.set_origin_source(new, self.origin_source(argument));
            copier.substitute(argument, new);
        }
        copier.copy_nodes(self, root, &mut target, into);
        for origin in self.result_origins(root) {
            target.add_result(into, copier.get(origin).expect("every origin is copied"));
        }
        for &(extent, call) in self.inlined() {
            target.add_inlined(extent, call);
        }
        copier.copy_descriptions(self, &mut target);
        target
    }
}
