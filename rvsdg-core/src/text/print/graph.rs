//! Regions and nodes, without recursion.

use std::fmt::{self, Write};

use super::{Groups, Writer};
use crate::Type;
use crate::graph::{Graph, Node, NodeKind, Region, WalkItem};
use crate::hints::{Hint, LoopHints};
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
    w.attribute_definitions(&groups)?;
    w.type_node_definitions(&groups)
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

/// The type of a node's output where the node itself says it.
fn implied(graph: &Graph, node: Node) -> Option<Type> {
    match graph.kind(node) {
        NodeKind::Simple(Op::Const(constant)) => Some(graph.pool().constant(constant).ty()),
        _ => None,
    }
}

/// How many outputs a summary of a node names, and how many characters it has for the rest.
const SUMMARY: (usize, usize) = (3, 150);

/// A node by itself, with ids, in a line of bounded length.
pub(in crate::text) fn node_summary(graph: &Graph, node: Node) -> String {
    let names = Names::ids();
    let (outputs, length) = SUMMARY;
    let (first, others) = graph.outputs(node).split_at(graph.outputs(node).len().min(outputs));
    let mut text = Cut::default();
    // The length of a type is not bounded.
    for (index, &output) in first.iter().enumerate() {
        text.begin(length / outputs / 2);
        text.push(if index == 0 { "" } else { ", " });
        text.print(|out| Writer::new(out, graph.pool()).definition(graph, &names, output, implied(graph, node)));
    }
    text.begin(length);
    if !others.is_empty() {
        text.push(&format!(" and {} more", others.len()));
    }
    text.push(if first.is_empty() { "" } else { " = " });
    text.print(|out| Writer::new(out, graph.pool()).what(graph, &names, node));
    if text.is_cut {
        text.text.push_str(&format!(" ({} inputs)", graph.inputs(node).len()));
    }
    text.text
}

/// How many bytes of the right-hand side of a node's definition are shown.
const SHOWN: usize = 96;

/// The right-hand side of a node's definition, in a line of bounded length.
pub(in crate::text) fn node_text(graph: &Graph, names: &Names<'_>, node: Node) -> String {
    let mut text = Cut::default();
    text.begin(SHOWN);
    text.print(|out| Writer::new(out, graph.pool()).what(graph, names, node));
    text.text
}

/// Text that stops growing.
#[derive(Default)]
struct Cut {
    text: String,
    /// How many more bytes it takes.
    left: usize,
    /// Whether something of the part begun last is missing.
    is_cut: bool,
}

impl Cut {
    /// Begins a part with a maximum length in bytes.
    fn begin(&mut self, length: usize) {
        (self.left, self.is_cut) = (length, false);
    }

    fn push(&mut self, text: &str) {
        self.print(|out| out.write_str(text));
    }

    /// Adds as much of the printed text as fits.
    fn print(&mut self, print: impl FnOnce(&mut dyn Write) -> fmt::Result) {
        if print(self).is_err() && !self.is_cut {
            self.is_cut = true;
            self.text.push('…');
        }
    }
}

impl Write for Cut {
    /// Fails once no more fits, so that nothing is printed in vain.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = text.floor_char_boundary(self.left);
        self.text.push_str(&text[..end]);
        self.left -= end;
        if end == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Writer<'_> {
    /// Begins a line in a region at a nesting depth.
    pub(super) fn indent(&mut self, depth: usize) -> fmt::Result {
        self.str(&BLANKS[..2 * depth.min(MAX_INDENT)])
    }

    /// A comment with the id of the entity defined on the line, in dumps.
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
        let outputs = graph.outputs(node);
        let implied = implied(graph, node);
        self.list(outputs, |w, &output| w.definition(graph, names, output, implied))?;
        self.str(if outputs.is_empty() { "" } else { " = " })?;
        self.what(graph, names, node)
    }

    /// The right-hand side of a node's definition.
    fn what(&mut self, graph: &Graph, names: &Names<'_>, node: Node) -> fmt::Result {
        let inputs = graph.inputs(node);
        match graph.kind(node) {
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
                self.str("theta ")?;
                let LoopHints { source: _, unroll, vectorize, role } = graph.loop_hints(node);
                if let Some(name) = role.name() {
                    write!(self, "{name} ")?;
                }
                for (name, hint) in [("unroll", unroll), ("vectorize", vectorize)] {
                    match hint {
                        Hint::Unsaid => {}
                        Hint::Never => write!(self, "{name} never ")?,
                        Hint::Wanted => write!(self, "{name} wanted ")?,
                        Hint::Wholly => write!(self, "{name} wholly ")?,
                        Hint::Times(factor) => write!(self, "{name} {factor} ")?,
                    }
                }
                self.str("(")?;
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
