//! Regions and nodes, without recursion.

use std::fmt::{self, Write};

use super::{Groups, Writer};
use crate::graph::{Graph, Node, NodeKind, Region, WalkItem};
use crate::op::Op;
use crate::text::names::Names;

/// Indentation stops growing at this depth, so that deep nesting does not take quadratic space.
const MAX_INDENT: usize = 32;

const BLANKS: &str = "                                                                ";

/// A graph by itself.
pub(in crate::text) fn graph(out: &mut dyn Write, graph: &Graph) -> fmt::Result {
    let groups = Groups::of_graph(graph);
    let mut w = Writer::with_groups(out, graph.pool(), &groups);
    w.type_definitions(&groups)?;
    let mut names = Names::new(graph, &[]);
    names.number_all(graph);
    w.str("graph (")?;
    w.list(graph.arguments(graph.root()), |w, &argument| w.definition(graph, &names, argument, None))?;
    w.str(") {\n")?;
    w.regions(graph, &names, 0)?;
    w.str("}\n")?;
    w.attribute_definitions(&groups)
}

/// A graph by itself, with ids.
pub(in crate::text) fn dump(out: &mut dyn Write, graph: &Graph) -> fmt::Result {
    let mut w = Writer::new(out, graph.pool());
    let names = Names::ids();
    w.str("graph (")?;
    w.list(graph.arguments(graph.root()), |w, &argument| w.definition(graph, &names, argument, None))?;
    writeln!(w, ") {{ ; {}", graph.root())?;
    w.regions(graph, &names, 0)?;
    w.str("}\n")
}

/// A node by itself, with ids.
pub(in crate::text) fn node_line(out: &mut dyn Write, graph: &Graph, node: Node) -> fmt::Result {
    let mut w = Writer::new(out, graph.pool());
    let names = Names::ids();
    w.node(graph, &names, node)
}

impl Writer<'_> {
    /// Begins a line in a region so many regions below the root.
    pub(super) fn indent(&mut self, depth: usize) -> fmt::Result {
        self.str(&BLANKS[..2 * depth.min(MAX_INDENT)])
    }

    /// A comment with the id of what the line begins, in dumps.
    fn id_comment(&mut self, names: &Names<'_>, id: impl fmt::Display) -> fmt::Result {
        if names.are_ids() { write!(self, " ; {id}") } else { Ok(()) }
    }

    /// The nodes and results of the root region and all regions in it, the root region's line being at `depth`.
    pub(super) fn regions(&mut self, graph: &Graph, names: &Names<'_>, mut depth: usize) -> fmt::Result {
        for item in graph.walk() {
            match item {
                WalkItem::Enter(region) => {
                    if let Some(parent) = graph.parent(region) {
                        self.region_start(graph, names, parent, region, depth)?;
                    }
                    depth += 1;
                }
                WalkItem::Node(node) => {
                    self.indent(depth)?;
                    self.node(graph, names, node)?;
                    if graph.kind(node) == NodeKind::Theta && !graph.subregions(node).is_empty() {
                        self.str(" {")?;
                    }
                    self.id_comment(names, node)?;
                    self.str("\n")?;
                }
                WalkItem::Leave(region) => {
                    self.region_end(graph, names, region, depth)?;
                    depth -= 1;
                    if graph.parent(region).is_some() {
                        self.indent(depth)?;
                        self.str("}\n")?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The line before a subregion's nodes; a θ's own line is that for its region.
    fn region_start(
        &mut self,
        graph: &Graph,
        names: &Names<'_>,
        parent: Node,
        region: Region,
        depth: usize,
    ) -> fmt::Result {
        if graph.kind(parent) == NodeKind::Theta && graph.region_index(region) == 0 {
            return Ok(());
        }
        self.indent(depth)?;
        self.numbered("case ", graph.region_index(region).into())?;
        self.str(" (")?;
        self.list(graph.arguments(region), |w, &argument| w.definition(graph, names, argument, None))?;
        self.str(") {")?;
        self.id_comment(names, region)?;
        self.str("\n")
    }

    /// The line with a region's results.
    fn region_end(&mut self, graph: &Graph, names: &Names<'_>, region: Region, depth: usize) -> fmt::Result {
        self.indent(depth)?;
        let results = graph.results(region);
        let in_theta = graph.parent(region).is_some_and(|parent| graph.kind(parent) == NodeKind::Theta);
        match results {
            [predicate, rest @ ..] if in_theta => {
                self.str(if rest.is_empty() { "next" } else { "next " })?;
                self.list(rest, |w, &result| w.user(graph, names, result))?;
                self.str(" while ")?;
                self.user(graph, names, *predicate)?;
            }
            _ => {
                self.str(if results.is_empty() { "yield" } else { "yield " })?;
                self.list(results, |w, &result| w.user(graph, names, result))?;
            }
        }
        self.str("\n")
    }

    /// A node without what is in it.
    pub(super) fn node(&mut self, graph: &Graph, names: &Names<'_>, node: Node) -> fmt::Result {
        let kind = graph.kind(node);
        let outputs = graph.outputs(node);
        let implied = match kind {
            NodeKind::Simple(Op::Const(constant)) => Some(self.pool.constant(constant).ty()),
            _ => None,
        };
        self.list(outputs, |w, &output| w.definition(graph, names, output, implied))?;
        self.str(if outputs.is_empty() { "" } else { " = " })?;
        let inputs = graph.inputs(node);
        match kind {
            NodeKind::Simple(op) => return self.simple(graph, names, op, inputs),
            NodeKind::Gamma => {
                let (predicate, entry) = inputs.split_at(inputs.len().min(1));
                self.str("gamma ")?;
                match predicate {
                    [predicate] => self.user(graph, names, *predicate)?,
                    _ => self.str("_")?,
                }
                self.str(" (")?;
                self.list(entry, |w, &input| w.user(graph, names, input))?;
            }
            NodeKind::Theta => {
                self.str("theta (")?;
                let arguments = graph.subregions(node).first().map_or(&[][..], |&body| graph.arguments(body));
                let count = inputs.len().max(arguments.len());
                self.list(0..count, |w, index| {
                    match arguments.get(index) {
                        Some(&argument) => w.definition(graph, names, argument, None)?,
                        None => w.str("_")?,
                    }
                    w.str(" = ")?;
                    match inputs.get(index) {
                        Some(&input) => w.user(graph, names, input),
                        None => w.str("_"),
                    }
                })?;
            }
            NodeKind::Lambda(body) => {
                write!(self, "lambda {body:?} (")?;
                self.list(inputs, |w, &input| w.user(graph, names, input))?;
            }
            NodeKind::Phi => {
                self.str("phi (")?;
                self.list(inputs, |w, &input| w.user(graph, names, input))?;
            }
            NodeKind::Delta(symbol) => {
                write!(self, "delta {symbol:?} (")?;
                self.list(inputs, |w, &input| w.user(graph, names, input))?;
            }
        }
        self.str(")")
    }
}
