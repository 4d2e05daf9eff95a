//! Pictures: graphs in the DOT language of Graphviz.
//!
//! Regions are boxes; state edges are dashed and red, predicate edges green. Broken graphs can be drawn.

use std::fmt::Write;

use crate::graph::{Graph, Node, Origin, OriginDef, Use, User, WalkItem};
use crate::{Module, NodeKind, Op, TypeKind};

/// The ω graph and all bodies of a module, one cluster each.
pub fn print_module(module: &Module) -> String {
    let mut picture = Picture::new();
    picture.graph(&module.omega, "omega", |node| match node {
        NodeKind::Lambda(body) => module.bodies.get(body).map(|body| symbol_name(module, body.symbol)),
        NodeKind::Delta(symbol) => Some(symbol_name(module, symbol)),
        NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => None,
    });
    for lambda in module.lambdas() {
        let body = &module.bodies[lambda.body()];
        if let Some(graph) = body.graph() {
            picture.graph(graph, &symbol_name(module, body.symbol), |_| None);
        }
    }
    picture.finish()
}

/// The body of a function; `None` if it has no graph.
pub fn print_function(module: &Module, name: &str) -> Option<String> {
    let body = module.bodies.values().find(|body| *module.symbols[body.symbol].name == *name)?;
    let mut picture = Picture::new();
    picture.graph(body.graph()?, &symbol_name(module, body.symbol), |_| None);
    Some(picture.finish())
}

/// One graph.
pub fn print_graph(graph: &Graph) -> String {
    let mut picture = Picture::new();
    picture.graph(graph, "root", |_| None);
    picture.finish()
}

fn symbol_name(module: &Module, symbol: crate::Symbol) -> String {
    module.symbols.get(symbol).map_or_else(|| "?".into(), |data| format!("@{}", data.name))
}

struct Picture {
    text: String,
    /// Sets the vertices of one graph apart from those of others.
    graphs: u32,
}

impl Picture {
    fn new() -> Self {
        Picture {
            text: "digraph rvsdg {\n  node [shape=box fontname=monospace];\n  compound=true;\n".into(),
            graphs: 0,
        }
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

    fn graph(&mut self, graph: &Graph, title: &str, name: impl Fn(NodeKind) -> Option<String>) {
        let prefix = format!("g{}_", self.graphs);
        self.graphs += 1;
        for item in graph.walk() {
            match item {
                WalkItem::Enter(region) => {
                    let label = match graph.parent(region) {
                        None => title.to_owned(),
                        Some(node) => format!("{node} {} {}", what(graph, node), graph.region_index(region)),
                    };
                    self.line(format_args!("subgraph \"cluster_{prefix}{region}\" {{ label={}", quoted(&label)));
                    self.line(format_args!("\"{prefix}{region}_in\" [shape=ellipse label=arguments]"));
                    self.line(format_args!("\"{prefix}{region}_out\" [shape=ellipse label=results]"));
                }
                WalkItem::Node(node) => {
                    let what = what(graph, node);
                    let name = name(graph.kind(node));
                    let label = name.map_or_else(|| format!("{node} {what}"), |name| format!("{what} {name}"));
                    self.line(format_args!("\"{prefix}{node}\" [label={}]", quoted(&label)));
                    for (index, &input) in graph.inputs(node).iter().enumerate() {
                        self.edge(graph, &prefix, input, index);
                    }
                }
                WalkItem::Leave(region) => {
                    self.text.push_str("  }\n");
                    for (index, &result) in graph.results(region).iter().enumerate() {
                        self.edge(graph, &prefix, result, index);
                    }
                }
            }
        }
    }

    fn edge(&mut self, graph: &Graph, prefix: &str, user: User, head: usize) {
        let Some(origin) = graph.try_origin(user) else { return };
        let to = match graph.site(user) {
            Use::Input(node, _) => node.to_string(),
            Use::Result(region, _) => format!("{region}_out"),
        };
        let (from, tail) = match graph.def(origin) {
            OriginDef::Output(node, index) => (node.to_string(), index),
            OriginDef::Argument(region, index) => (format!("{region}_in"), index),
        };
        let style = style(graph, origin);
        self.line(format_args!(
            "\"{prefix}{from}\" -> \"{prefix}{to}\" [taillabel={tail} headlabel={head} labelfontsize=8{style}]"
        ));
    }
}

/// A node's operation with its payload, shortened, or its kind.
fn what(graph: &Graph, node: Node) -> String {
    const SHOWN: usize = 48;
    let text = match graph.kind(node) {
        NodeKind::Simple(Op::Const(constant)) => graph.pool().display_const(constant).to_string(),
        NodeKind::Simple(op) => graph.pool().display_op(op).to_string(),
        NodeKind::Gamma => "gamma".into(),
        NodeKind::Theta => "theta".into(),
        NodeKind::Lambda(_) => "lambda".into(),
        NodeKind::Phi => "phi".into(),
        NodeKind::Delta(_) => "delta".into(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn style(graph: &Graph, origin: Origin) -> &'static str {
    match graph.pool().type_kind(graph.ty(origin)) {
        TypeKind::Mem | TypeKind::Io => " style=dashed color=red",
        TypeKind::Ctl(_) => " color=darkgreen",
        _ => "",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pool, Type};
    use std::sync::Arc;

    #[test]
    fn states_and_predicates_have_their_own_edges() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let io = graph.add_argument(root, Type::IO);
        let node = graph.add_simple(root, Op::Unreachable, &[io], &[Type::IO]);
        graph.add_result(root, graph.output(node, 0));
        let picture = print_graph(&graph);
        assert_eq!(picture.matches("color=red").count(), 2, "{picture}");
        assert!(picture.contains("n0 unreachable"), "{picture}");
    }
}
