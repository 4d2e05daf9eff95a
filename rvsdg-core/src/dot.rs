//! Pictures: graphs in the DOT language of Graphviz.
//!
//! A node is a table: a port for each input, showing the incoming value, the operation, a port for each output. A node with regions is a
//! box around them, between its inputs and its outputs. Names, types and operations are those of the [text]. State edges are dashed and
//! red, predicate edges green; dotted grey edges connect an input or output of a node with the corresponding variable of its regions.
//!
//! ```
//! use rvsdg_core::{dot, text};
//!
//! let module = text::parse_module("module \"example\"
//!
//! @double = function i32 (i32)
//!
//! lambda @double [] (v0: i32, mem0, io0) {
//!   v1: i32 = add nsw v0, v0
//!   yield v1, mem0, io0
//! }
//! export @double
//! ")?;
//! let picture = dot::print_function(&module, "double").expect("there is such a function");
//! assert!(picture.contains("add nsw v0, v0"));
//! # Ok::<(), text::ParseError>(())
//! ```

use std::fmt::Write;

use crate::graph::{Graph, Node, Origin, OriginDef, Region, Use, User, WalkItem};
use crate::structural::{EntryVar, ExitVar, Gamma, Theta};
use crate::text::{self, Labels};
use crate::{Module, NodeKind, Op, TypeKind};

/// How a dotted edge is drawn.
const VARIABLE: &str = " [style=dotted color=grey dir=none]";
/// An edge that only says what is above what.
const ORDER: &str = " [style=invis]";

/// The ω graph and all bodies of a valid module, one box each.
pub fn print_module(module: &Module) -> String {
    let mut picture = Picture::new();
    text::for_each_graph(module, &mut |function, labels| picture.graph(labels, function.unwrap_or("omega")));
    picture.finish()
}

/// The body of a function of a valid module; `None` if it has no graph.
pub fn print_function(module: &Module, name: &str) -> Option<String> {
    let body = module.bodies.values().find(|body| *module.symbols[body.symbol].name == *name)?;
    let wanted = body.graph()?;
    let mut picture = Picture::new();
    text::for_each_graph(module, &mut |function, labels| {
        if std::ptr::eq(labels.graph(), wanted) {
            picture.graph(labels, function.unwrap_or_default());
        }
    });
    Some(picture.finish())
}

/// One valid graph.
pub fn print_graph(graph: &Graph) -> String {
    let mut picture = Picture::new();
    text::with_labels(graph, |labels| picture.graph(labels, "graph"));
    picture.finish()
}

struct Picture {
    text: String,
    /// A prefix that distinguishes the vertices of graphs.
    graphs: u32,
}

impl Picture {
    fn new() -> Self {
        let text = "digraph rvsdg {\n  node [shape=plain fontname=monospace];\n  graph [fontname=monospace];\n".into();
        Picture { text, graphs: 0 }
    }

    fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.push_str("  ");
        self.text.write_fmt(line).expect("writing to a string does not fail");
        self.text.push('\n');
    }

    fn graph(&mut self, labels: &Labels<'_>, title: &str) {
        let graph = labels.graph();
        let at = Ends { graph, prefix: format!("g{}_", self.graphs) };
        self.graphs += 1;
        for item in graph.walk() {
            match item {
                WalkItem::Enter(region) => self.enter(labels, &at, region, title),
                WalkItem::Node(node) if graph.subregions(node).is_empty() => {
                    let rows = [inputs(labels, node), whole(labels, node), outputs(labels, node)];
                    self.table(&at.node(node), &rows);
                    self.uses(&at, graph.inputs(node));
                }
                // Its box is drawn when its regions are.
                WalkItem::Node(_) => {}
                WalkItem::Leave(region) => self.leave(labels, &at, region),
            }
        }
    }

    /// Opens the box of a region; before a node's first region, also that of the node.
    fn enter(&mut self, labels: &Labels<'_>, at: &Ends<'_>, region: Region, title: &str) {
        let (graph, prefix) = (labels.graph(), &at.prefix);
        let mut label = quoted(title);
        if let Some(node) = graph.parent(region) {
            let index = graph.region_index(region);
            if index == 0 {
                let what = quoted(&labels.node(node));
                self.line(format_args!("subgraph \"cluster_{prefix}{node}\" {{ label={what} style=rounded"));
                self.table(&format!("{prefix}{node}_in"), &[inputs(labels, node)]);
            }
            label = match graph.kind(node) {
                NodeKind::Gamma => format!("\"case {index}\""),
                _ => "\"\"".to_owned(),
            };
            self.line(format_args!("\"{prefix}{node}_in\" -> \"{prefix}{region}_in\"{ORDER}"));
        }
        self.line(format_args!("subgraph \"cluster_{prefix}{region}\" {{ label={label} style=solid"));
        let arguments = graph.arguments(region).iter();
        let row = cells('o', arguments.map(|&argument| labels.definition(argument)));
        self.table(&format!("{prefix}{region}_in"), &[row]);
        self.line(format_args!("\"{prefix}{region}_in\" -> \"{prefix}{region}_out\"{ORDER}"));
    }

    /// Closes the box of a region; after a node's last region, also that of the node.
    fn leave(&mut self, labels: &Labels<'_>, at: &Ends<'_>, region: Region) {
        let (graph, prefix) = (labels.graph(), &at.prefix);
        let results = graph.results(region);
        let row = cells('i', results.iter().map(|&result| labels.user(result)));
        self.table(&format!("{prefix}{region}_out"), &[row]);
        self.uses(at, results);
        self.text.push_str("  }\n");
        let Some(node) = graph.parent(region) else { return };
        if graph.subregions(node).last() != Some(&region) {
            return;
        }
        self.table(&format!("{prefix}{node}_out"), &[outputs(labels, node)]);
        self.text.push_str("  }\n");
        self.uses(at, graph.inputs(node));
        for (input, argument) in entries(graph, node) {
            self.line(format_args!("{} -> {}{VARIABLE}", at.user_below(input), at.origin_above(argument)));
        }
        for (result, output) in exits(graph, node) {
            self.line(format_args!("{} -> {}{VARIABLE}", at.user_below(result), at.origin_above(output)));
        }
        for &region in graph.subregions(node) {
            self.line(format_args!("\"{prefix}{region}_out\" -> \"{prefix}{node}_out\"{ORDER}"));
        }
    }

    /// A vertex that is a table, without the rows that are empty.
    fn table(&mut self, name: &str, rows: &[String]) {
        let rows: String = rows.iter().filter(|row| !row.is_empty()).map(|row| format!("<TR>{row}</TR>")).collect();
        let rows = if rows.is_empty() { "<TR><TD> </TD></TR>".to_owned() } else { rows };
        self.line(format_args!(
            "\"{name}\" [label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\">{rows}</TABLE>>]"
        ));
    }

    fn uses(&mut self, at: &Ends<'_>, users: &[User]) {
        for &user in users {
            let Some(origin) = at.graph.try_origin(user) else { continue };
            let style = match at.graph.pool().type_kind(at.graph.ty(origin)) {
                TypeKind::Mem | TypeKind::Io => " [style=dashed color=red]",
                TypeKind::Ctl(_) => " [color=darkgreen]",
                _ => "",
            };
            self.line(format_args!("{} -> {}{style}", at.origin(origin), at.user(user)));
        }
    }
}

/// Where edges begin and end.
struct Ends<'g> {
    graph: &'g Graph,
    prefix: String,
}

impl Ends<'_> {
    /// The vertex of a node without regions.
    fn node(&self, node: Node) -> String {
        format!("{}{node}", self.prefix)
    }

    /// The port of an origin, which edges leave below.
    fn origin(&self, origin: Origin) -> String {
        format!("{}:s", self.origin_port(origin))
    }

    /// The port of an origin, which the edge from another variable enters above.
    fn origin_above(&self, origin: Origin) -> String {
        format!("{}:n", self.origin_port(origin))
    }

    /// The port of a user, which its edge enters above.
    fn user(&self, user: User) -> String {
        format!("{}:n", self.user_port(user))
    }

    /// The port of a user, which the edge to another variable leaves below.
    fn user_below(&self, user: User) -> String {
        format!("{}:s", self.user_port(user))
    }

    fn origin_port(&self, origin: Origin) -> String {
        let prefix = &self.prefix;
        match self.graph.def(origin) {
            OriginDef::Output(node, index) => format!("\"{prefix}{node}{}\":o{index}", self.side(node, "_out")),
            OriginDef::Argument(region, index) => format!("\"{prefix}{region}_in\":o{index}"),
        }
    }

    fn user_port(&self, user: User) -> String {
        let prefix = &self.prefix;
        match self.graph.site(user) {
            Use::Input(node, index) => format!("\"{prefix}{node}{}\":i{index}", self.side(node, "_in")),
            Use::Result(region, index) => format!("\"{prefix}{region}_out\":i{index}"),
        }
    }

    /// What a node with regions has a vertex for on each side.
    fn side(&self, node: Node, side: &'static str) -> &'static str {
        if self.graph.subregions(node).is_empty() { "" } else { side }
    }
}

/// The inputs of a γ or θ, each with an argument that it becomes.
fn entries(graph: &Graph, node: Node) -> Vec<(User, Origin)> {
    if let Some(gamma) = Gamma::new(graph, node) {
        let alternatives = 0..gamma.regions(graph).len();
        let arguments = |var: EntryVar| {
            alternatives.clone().map(move |alternative| (var.input, var.argument(graph, gamma, alternative)))
        };
        return gamma.entry_vars(graph).flat_map(arguments).collect();
    }
    let theta = Theta::new(graph, node);
    theta.map_or_else(Vec::new, |theta| theta.loop_vars(graph).map(|var| (var.input, var.pre)).collect())
}

/// The results in a γ or θ that are its outputs.
fn exits(graph: &Graph, node: Node) -> Vec<(User, Origin)> {
    if let Some(gamma) = Gamma::new(graph, node) {
        let alternatives = 0..gamma.regions(graph).len();
        let results = |var: ExitVar| {
            alternatives.clone().map(move |alternative| (var.result(graph, gamma, alternative), var.output))
        };
        return gamma.exit_vars(graph).flat_map(results).collect();
    }
    let theta = Theta::new(graph, node);
    theta.map_or_else(Vec::new, |theta| theta.loop_vars(graph).map(|var| (var.post, var.output)).collect())
}

/// Cells with ports, in a row of their own.
fn cells(side: char, texts: impl Iterator<Item = String>) -> String {
    let cell = |(index, text): (usize, String)| format!("<TD PORT=\"{side}{index}\">{}</TD>", escaped(&text));
    let cells: String = texts.enumerate().map(cell).collect();
    if cells.is_empty() {
        return cells;
    }
    format!("<TD><TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\"><TR>{cells}</TR></TABLE></TD>")
}

fn inputs(labels: &Labels<'_>, node: Node) -> String {
    cells('i', labels.graph().inputs(node).iter().map(|&input| labels.user(input)))
}

fn outputs(labels: &Labels<'_>, node: Node) -> String {
    cells('o', labels.graph().outputs(node).iter().map(|&output| labels.definition(output)))
}

/// A row that says what a node is; of a call of a function whose address came through regions, also its name.
fn whole(labels: &Labels<'_>, node: Node) -> String {
    let graph = labels.graph();
    let text = escaped(&labels.node(node));
    let callee = match graph.kind(node) {
        NodeKind::Simple(Op::Call(_) | Op::Invoke(_) | Op::CallBr(_)) => graph.inputs(node).first(),
        _ => None,
    };
    let name = callee.and_then(|&user| graph.try_origin(user)).and_then(|origin| routed(labels, origin));
    let name = name.map(|name| format!("<BR/>{}", escaped(&name)));
    format!("<TD><B>{text}{}</B></TD>", name.unwrap_or_default())
}

/// The symbol that an origin is inside of γ and θ nodes.
fn routed(labels: &Labels<'_>, mut origin: Origin) -> Option<String> {
    let graph = labels.graph();
    loop {
        let outer = if let Some((_, var)) = Gamma::entry_var_of_argument(graph, origin) {
            var.input
        } else {
            let (_, var) = Theta::loop_var_of_argument(graph, origin)?;
            (graph.try_origin(var.post) == Some(var.pre)).then_some(var.input)?
        };
        origin = graph.try_origin(outer)?;
        if labels.is_symbol(origin) {
            return Some(labels.user(outer));
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}

/// Text in a label that is HTML.
fn escaped(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;
    use crate::text::parse_module;

    const MODULE: &str = include_str!("../tests/dot.rvsdg");

    #[test]
    fn a_picture_has_the_names_of_the_text() {
        let module = parse_module(MODULE).unwrap();
        assert_eq!(text::print_module(&module), MODULE);
        expect_file!["../tests/dot.dot"].assert_eq(&print_function(&module, "f").unwrap());
        assert!(print_function(&module, "g").is_none(), "it is imported");
    }

    #[test]
    fn what_labels_may_not_hold_is_escaped() {
        assert_eq!(escaped("<a & \"b\"\n>"), "&lt;a &amp; &quot;b&quot; &gt;");
    }
}
