//! A listing of a graph for the tests of construction: one line per node, origins numbered in the order of the listing.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use rvsdg_core::constant::Words;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::op::{MatchTable, Op};
use rvsdg_core::{Const, Constant, Graph, NodeKind, Origin, Pool, SourceId, Type};

/// The listing. `; src` is where something came from.
pub fn listing(graph: &Graph) -> String {
    let mut text = String::new();
    let mut names = Names { graph, names: FxHashMap::default() };
    let mut indent = 0;
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                let arguments = names.list(graph.arguments(region).iter().copied());
                writeln!(text, "{:indent$}({arguments}) {{", "").unwrap();
                indent += 2;
            }
            WalkItem::Node(node) => {
                let outputs = names.list(graph.outputs(node).iter().copied());
                let inputs = names.list(graph.input_origins(node));
                let kind = match graph.kind(node) {
                    NodeKind::Simple(op) => operation(graph.pool(), op),
                    kind => format!("{kind:?}").to_lowercase(),
                };
                let source = source(graph.source(node));
                let equals = if outputs.is_empty() { "" } else { " = " };
                writeln!(text, "{:indent$}{outputs}{equals}{kind}({inputs}){source}", "").unwrap();
            }
            WalkItem::Leave(region) => {
                indent -= 2;
                let results = names.list(graph.result_origins(region));
                writeln!(text, "{:indent$}}} ({results}){}", "", source(graph.end_source(region))).unwrap();
            }
        }
    }
    text
}

struct Names<'g> {
    graph: &'g Graph,
    names: FxHashMap<Origin, String>,
}

impl Names<'_> {
    fn list(&mut self, origins: impl Iterator<Item = Origin>) -> String {
        let names: Vec<String> = origins.map(|origin| self.name(origin).to_owned()).collect();
        names.join(", ")
    }

    fn name(&mut self, origin: Origin) -> &str {
        let number = self.names.len();
        self.names.entry(origin).or_insert_with(|| {
            let prefix = match self.graph.ty(origin) {
                Type::MEM => "mem",
                Type::IO => "io",
                ty if self.graph.pool().ctl_alternatives(ty).is_some() => "p",
                _ => "v",
            };
            match self.graph.origin_source(origin) {
                Some(source) => format!("{prefix}{number}:{source}"),
                None => format!("{prefix}{number}"),
            }
        })
    }
}

fn source(source: Option<SourceId>) -> String {
    source.map_or(String::new(), |source| format!(" ; {source}"))
}

fn operation(pool: &Pool, op: Op) -> String {
    match op {
        Op::Ext(ext) => pool.ext(ext).name.to_string(),
        Op::Const(value) => constant(pool, value),
        Op::CtlConst { value, of } => format!("ctl {value} of {of}"),
        Op::Match(table) => {
            let MatchTable { cases, default, .. } = pool.table(table);
            let cases = cases.iter().map(|&(case, alternative)| format!("{} -> {alternative}, ", constant(pool, case)));
            format!("match [{}else {default}]", cases.collect::<String>())
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn constant(pool: &Pool, constant: Const) -> String {
    match pool.constant(constant) {
        Constant::Int { words: Words::Small(word), .. } => format!("{word}"),
        Constant::Poison(_) => "poison".into(),
        Constant::Hole { .. } => "hole".into(),
        _ => "constant".into(),
    }
}
