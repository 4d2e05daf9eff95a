//! Copying nodes to other regions of the same graph.

use rustc_hash::FxHashMap;

use super::{Graph, Node, NodeKind, Origin, Region, SourceId, WalkItem};

/// Copies nodes of a graph into regions of the same graph, in time linear in the size of the copies.
///
/// A copy has the operands of its original, except for origins that have a copy or a substitute. Each use of a duplicator begins with
/// [`Duplicator::begin`]; what it has learned of the graph's merges is kept.
#[derive(Default)]
pub struct Duplicator {
    origins: FxHashMap<Origin, Origin>,
    /// By node, the merges that concern it, computed on first use.
    merges: Option<FxHashMap<Node, Vec<SourceId>>>,
}

impl Duplicator {
    /// A duplicator without substitutes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets copies and substitutes.
    pub fn begin(&mut self) {
        self.origins.clear();
    }

    /// Uses of `from` become uses of `to` in copies.
    pub fn substitute(&mut self, from: Origin, to: Origin) {
        self.origins.insert(from, to);
    }

    /// The copy or substitute of an origin; itself when it has none.
    pub fn get(&self, from: Origin) -> Origin {
        self.origins.get(&from).copied().unwrap_or(from)
    }

    /// Copies nodes with everything in them to the end of `into`, in the given order, and returns the copies.
    pub fn copy_nodes(&mut self, graph: &mut Graph, nodes: &[Node], into: Region) -> Vec<Node> {
        let mut pairs = Vec::with_capacity(nodes.len());
        let copies = nodes.iter().map(|&node| self.copy_shells(graph, node, into, &mut pairs)).collect();
        for &(node, copy) in &pairs {
            for index in 0..graph.inputs(node).len() {
                let origin = self.get(graph.input(node, index));
                graph.add_input(copy, origin);
            }
            for alternative in 0..graph.subregions(node).len() {
                let (from, to) = (graph.subregions(node)[alternative], graph.subregions(copy)[alternative]);
                for index in 0..graph.results(from).len() {
                    let origin = self.get(graph.result(from, index));
                    graph.add_result(to, origin);
                }
            }
        }
        copies
    }

    /// Copies a node and everything in it, but no edges.
    fn copy_shells(&mut self, graph: &mut Graph, node: Node, into: Region, pairs: &mut Vec<(Node, Node)>) -> Node {
        let top = self.copy_shell(graph, node, into, pairs);
        let mut last = top;
        let mut open: Vec<Region> = Vec::new();
        for outer in 0..graph.subregions(node).len() {
            let items: Vec<WalkItem> = graph.walk_region(graph.subregions(node)[outer]).collect();
            for item in items {
                match item {
                    WalkItem::Enter(region) => {
                        let parent = if open.is_empty() { top } else { last };
                        let copy = graph.add_region(parent);
                        graph.set_end_source(copy, graph.end_source(region));
                        for index in 0..graph.arguments(region).len() {
                            let argument = graph.arguments(region)[index];
                            let new = graph.add_argument(copy, graph.ty(argument));
                            graph.set_origin_source(new, graph.origin_source(argument));
                            graph.copy_contents(argument, new);
                            self.substitute(argument, new);
                        }
                        open.push(copy);
                    }
                    WalkItem::Node(inner) => {
                        let into = *open.last().expect("a node is visited inside a region");
                        last = self.copy_shell(graph, inner, into, pairs);
                    }
                    WalkItem::Leave(_) => {
                        let copy = open.pop().expect("a region is left after it was entered");
                        last = graph.parent(copy).expect("an inner region is of a node");
                    }
                }
            }
        }
        top
    }

    fn copy_shell(&mut self, graph: &mut Graph, node: Node, into: Region, pairs: &mut Vec<(Node, Node)>) -> Node {
        let copy = graph.add_node(into, graph.kind(node), &[], &[]);
        for index in 0..graph.outputs(node).len() {
            let output = graph.output(node, index);
            let new = graph.add_output(copy, graph.ty(output));
            graph.set_origin_source(new, graph.origin_source(output));
            self.substitute(output, new);
        }
        graph.set_source(copy, graph.source(node));
        if graph.kind(node) == NodeKind::Theta {
            graph.set_loop_hints(copy, graph.loop_hints(node));
        }
        graph.note_copy(node, copy);
        if let Some(motion) = graph.motion(node) {
            graph.set_moved(copy, motion);
        }
        let merges = self.merges.get_or_insert_with(|| {
            let mut merges: FxHashMap<Node, Vec<SourceId>> = FxHashMap::default();
            for (node, merged) in graph.merges() {
                merges.entry(node).or_default().push(merged);
            }
            merges
        });
        if let Some(merged) = merges.get(&node).cloned() {
            for &source in &merged {
                graph.add_merge(copy, source);
            }
            merges.insert(copy, merged);
        }
        pairs.push((node, copy));
        copy
    }
}
