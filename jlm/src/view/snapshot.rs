//! A graph and the control flow recovered from it, as data. Regions are in a list, not nested in one another, so that nests of any depth
//! can be written.

use rvsdg_cfg::cfg::{Cfg, Value, ValueDef};
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_core::graph::{Graph, Node, Origin, WalkItem};
use rvsdg_core::{NodeKind, Op, TypeKind};
use schemars::JsonSchema;
use serde::Serialize;

/// A function at one time.
#[derive(Serialize, JsonSchema)]
pub struct Snapshot {
    /// The body first; each other region belongs to a node of one before.
    regions: Vec<RegionData>,
    /// The blocks of the recovered control flow, in order.
    flow: Vec<BlockData>,
}

/// A region.
#[derive(Serialize, JsonSchema)]
struct RegionData {
    /// Its name, the same in every step as long as no pass made it anew.
    id: String,
    /// The arguments: of a body its context variables, parameters and states.
    arguments: Vec<ValueData>,
    /// Each after those that it uses.
    nodes: Vec<NodeData>,
    /// The origin of each result.
    results: Vec<Option<String>>,
}

/// An output of a node or an argument of a region.
#[derive(Serialize, JsonSchema)]
struct ValueData {
    /// Its name, the same in every step as long as no pass made it anew.
    id: String,
    /// Its type as the text format writes it.
    #[serde(rename = "type")]
    ty: String,
    /// `value`, `state` or `predicate`.
    kind: &'static str,
    /// The symbol whose address it is, if it is a context variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// A node: an operation, or a γ or θ with its regions.
#[derive(Serialize, JsonSchema)]
struct NodeData {
    /// Its name, the same in every step as long as no pass made it anew.
    id: String,
    /// `operation`, `constant`, `gamma` or `theta`.
    kind: &'static str,
    /// The operation as the text format writes it.
    text: String,
    /// The origin of each input.
    inputs: Vec<Option<String>>,
    /// What it computes.
    outputs: Vec<ValueData>,
    /// The regions of a γ or θ. Input i + 1 of a γ is argument i of each region, and result i of each is output i; input i of a θ
    /// is argument i and output i, its value at the end of an iteration is result i + 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<String>,
    /// File and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<(String, u32)>,
    #[serde(skip)]
    source: Option<u32>,
}

/// A basic block.
#[derive(Serialize, JsonSchema)]
struct BlockData {
    /// Its name.
    id: String,
    /// Its parameters, if it has any, then its instructions.
    lines: Vec<String>,
    /// The successors, by alternative.
    to: Vec<String>,
}

impl Snapshot {
    /// What a body is now; `contexts` are the names of its context variables.
    pub fn of(graph: &Graph, contexts: &[String]) -> Snapshot {
        let mut regions = Vec::new();
        for item in graph.walk() {
            let WalkItem::Enter(region) = item else { continue };
            let is_root = region == graph.root();
            let argument = |(index, &origin): (usize, &Origin)| {
                let name = contexts.get(index).filter(|_| is_root).cloned();
                ValueData { name, ..value(graph, origin) }
            };
            regions.push(RegionData {
                id: region.to_string(),
                arguments: graph.arguments(region).iter().enumerate().map(argument).collect(),
                nodes: graph.topological(region).into_iter().map(|node| self::node(graph, node)).collect(),
                results: graph.results(region).iter().map(|&result| origin(graph.try_origin(result))).collect(),
            });
        }
        let flow = flow(&destruct(graph, contexts.len(), Recovery::Predicative), contexts);
        Snapshot { regions, flow }
    }

    /// How many nodes there are, in all regions.
    pub fn nodes(&self) -> usize {
        self.regions.iter().map(|region| region.nodes.len()).sum()
    }

    /// Asks for the place of each node that stands for an instruction.
    pub fn place(&mut self, mut at: impl FnMut(u32) -> Option<(String, u32)>) {
        for node in self.regions.iter_mut().flat_map(|region| &mut region.nodes) {
            node.place = node.source.and_then(&mut at);
        }
    }
}

fn origin(origin: Option<Origin>) -> Option<String> {
    origin.map(|origin| origin.to_string())
}

fn value(graph: &Graph, origin: Origin) -> ValueData {
    let ty = graph.ty(origin);
    let kind = match graph.pool().type_kind(ty) {
        TypeKind::Mem | TypeKind::Io => "state",
        TypeKind::Ctl(_) => "predicate",
        _ => "value",
    };
    ValueData { id: origin.to_string(), ty: graph.pool().display_type(ty).to_string(), kind, name: None }
}

fn node(graph: &Graph, node: Node) -> NodeData {
    let (kind, text) = match graph.kind(node) {
        NodeKind::Simple(Op::Const(constant)) => ("constant", graph.pool().display_const(constant).to_string()),
        NodeKind::Simple(op) => ("operation", graph.pool().display_op(op).to_string()),
        NodeKind::Gamma => ("gamma", "gamma".to_owned()),
        NodeKind::Theta => ("theta", "theta".to_owned()),
        NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => ("operation", "definition".to_owned()),
    };
    NodeData {
        id: node.to_string(),
        kind,
        text,
        inputs: graph.inputs(node).iter().map(|&input| origin(graph.try_origin(input))).collect(),
        outputs: graph.outputs(node).iter().map(|&output| value(graph, output)).collect(),
        regions: graph.subregions(node).iter().map(ToString::to_string).collect(),
        place: None,
        source: graph.source(node).map(|source| source.as_u32()),
    }
}

fn flow(cfg: &Cfg, contexts: &[String]) -> Vec<BlockData> {
    let name = |value: Value| match cfg.def(value) {
        ValueDef::Context(index) => contexts.get(index as usize).cloned().unwrap_or_else(|| value.to_string()),
        _ => match cfg.as_const(value) {
            Some((constant, _)) => cfg.pool().display_const(constant).to_string(),
            None => value.to_string(),
        },
    };
    let names = |values: &[Value]| values.iter().map(|&value| name(value)).collect::<Vec<_>>().join(", ");
    let line = |inst| {
        let results = names(cfg.results(inst));
        let defines = if results.is_empty() { String::new() } else { format!("{results} = ") };
        format!("{defines}{} {}", cfg.pool().display_op(cfg.op(inst)), names(cfg.operands(inst)))
    };
    let block = |block| {
        let mut lines: Vec<String> = cfg.insts(block).iter().map(|&inst| line(inst)).collect();
        let terminator = cfg.terminator(block);
        lines.extend(terminator.predicate.expand().map(line));
        let target = |index: usize| {
            let arc = rvsdg_cfg::shape::ArcRef { from: block, index: index as u32 };
            let arguments = cfg.arc_args(arc);
            if arguments.is_empty() {
                cfg.arc(arc).target.to_string()
            } else {
                format!("{}({})", cfg.arc(arc).target, names(arguments))
            }
        };
        let parameters = cfg.block_params(block);
        let id = block.to_string();
        if !parameters.is_empty() {
            lines.insert(0, format!("({})", names(parameters)));
        }
        BlockData { id, lines, to: (0..terminator.arcs.len()).map(target).collect() }
    };
    cfg.blocks().map(block).collect()
}
