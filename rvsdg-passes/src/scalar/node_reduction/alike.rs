//! Alternatives of a conditional that do the same.
//!
//! ```text
//! gamma (match x [1 -> 0, 2 -> 1, _ -> 2]) { case 0: A   case 1: A   case 2: B }
//! ```
//!
//! becomes a choice by `match x [1 -> 0, 2 -> 0, _ -> 2]`; the alternative that nothing chooses any more is then removed. If all do the
//! same, one of them is always chosen.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use rvsdg_analysis::callee::call_has;
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::build::Insert;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// With how many others of the same size an alternative is compared.
const MAX_COMPARED: usize = 8;

/// Chooses the first of several alternatives that do the same. Returns whether it did.
pub(super) fn join(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> bool {
    let Some(decision) = graph.producer(graph.origin(gamma.predicate(graph))) else { return false };
    let Some(Op::Match(table)) = graph.op(decision) else { return false };
    let found = find(graph, gamma, cx.surroundings());
    if found.is_empty() || !driver.applies(cx, "gamma-alike", graph, gamma.node()) {
        return false;
    }
    let mut becomes: FxHashMap<u32, u32> = FxHashMap::default();
    for (alike, alternative) in found {
        becomes.insert(alternative, alike.to);
        for (from, to) in alike.nodes {
            graph.note_merge(from, to);
        }
    }
    let table = graph.pool().table(table);
    let chosen = |alternative| becomes.get(&alternative).copied().unwrap_or(alternative);
    let default = chosen(table.default);
    let cases = table.cases.iter().map(|&(value, alternative)| (value, chosen(alternative)));
    let cases: Box<_> = cases.filter(|&(_, alternative)| alternative != default).collect();
    let table = MatchTable { cases, default, alternatives: table.alternatives };
    let on = graph.input(decision, 0);
    let mut at = Insert::before(graph, gamma.node());
    let predicate =
        if table.cases.is_empty() { at.predicate(default, table.alternatives) } else { at.choose(table, on) };
    super::control::choose_by(driver, graph, gamma, predicate);
    true
}

/// The alternatives that do the same as an earlier one.
fn find(graph: &Graph, gamma: Gamma, surroundings: Option<&Surroundings>) -> Vec<(Alike, u32)> {
    let regions = gamma.regions(graph);
    let mut earlier: FxHashMap<u64, SmallVec<[u32; 2]>> = FxHashMap::default();
    let mut found = Vec::new();
    for (alternative, &region) in regions.iter().enumerate() {
        let candidates = earlier.entry(outline(graph, gamma, region)).or_default();
        let alike = candidates.iter().find_map(|&to| Alike::of(graph, gamma, [to, alternative as u32], surroundings));
        match alike {
            Some(alike) => found.push((alike, alternative as u32)),
            None if candidates.len() < MAX_COMPARED => candidates.push(alternative as u32),
            None => {}
        }
    }
    found
}

/// What regions that do the same have in common, as far as it is easy to see.
fn outline(graph: &Graph, gamma: Gamma, region: Region) -> u64 {
    let mut hasher = FxHasher::default();
    for origin in graph.result_origins(region) {
        match graph.def(origin) {
            OriginDef::Argument(_, index) => graph.input(gamma.node(), index as usize + 1).hash(&mut hasher),
            OriginDef::Output(node, index) => (graph.kind(node), index).hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// A region that does the same as another one, node by node.
struct Alike {
    /// The alternative of the other one.
    to: u32,
    /// Nodes of the region, and the same ones of the other.
    nodes: Vec<(Node, Node)>,
}

impl Alike {
    /// Compares the second alternative with the first.
    fn of(graph: &Graph, gamma: Gamma, of: [u32; 2], surroundings: Option<&Surroundings>) -> Option<Alike> {
        let [to, from] = of.map(|alternative| gamma.regions(graph)[alternative as usize]);
        let mut regions: FxHashMap<Region, Region> = [(from, to)].into_iter().collect();
        // One to one: two `freeze` or allocations are not one.
        let mut same: FxHashMap<Node, Node> = FxHashMap::default();
        let mut back: FxHashMap<Node, Node> = FxHashMap::default();
        let mut nodes = Vec::new();
        let mut pending: Vec<(Origin, Origin)> = graph.result_origins(from).zip(graph.result_origins(to)).collect();
        while let Some((from, to)) = pending.pop() {
            match (graph.def(from), graph.def(to)) {
                (OriginDef::Argument(region, index), OriginDef::Argument(other, place)) => {
                    (regions.get(&region) == Some(&other)).then_some(())?;
                    let enters = |index: u32| graph.input(gamma.node(), index as usize + 1);
                    let is_outer = graph.parent(region) == Some(gamma.node());
                    (index == place || is_outer && enters(index) == enters(place)).then_some(())?;
                }
                (OriginDef::Output(node, index), OriginDef::Output(other, place)) => {
                    (index == place).then_some(())?;
                    let known = same.get(&node).copied();
                    if known.is_some() || back.contains_key(&other) {
                        (known == Some(other)).then_some(())?;
                        continue;
                    }
                    (is_same(graph, node, other) && may_be_merged(graph, surroundings, node)).then_some(())?;
                    same.insert(node, other);
                    back.insert(other, node);
                    nodes.push((node, other));
                    pending.extend(graph.input_origins(node).zip(graph.input_origins(other)));
                    for (&region, &other) in graph.subregions(node).iter().zip(graph.subregions(other)) {
                        regions.insert(region, other);
                        pending.extend(graph.result_origins(region).zip(graph.result_origins(other)));
                    }
                }
                _ => return None,
            }
        }
        // The alternative that stays must not do more.
        let is_same = |item| match item {
            WalkItem::Node(node) => {
                back.contains_key(&node) || is_constant(graph, node) || is_speculatable(graph, node)
            }
            WalkItem::Enter(_) | WalkItem::Leave(_) => true,
        };
        graph.walk_region(to).all(is_same).then_some(Alike { to: of[0], nodes })
    }
}

fn is_constant(graph: &Graph, node: Node) -> bool {
    matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. }))
}

/// Whether two nodes do the same with their operands, apart from what is in their regions.
fn is_same(graph: &Graph, node: Node, other: Node) -> bool {
    let types = |node| graph.outputs(node).iter().map(|&output| graph.ty(output));
    graph.kind(node) == graph.kind(other)
        && graph.inputs(node).len() == graph.inputs(other).len()
        && types(node).eq(types(other))
        && graph.subregions(node).len() == graph.subregions(other).len()
}

/// Whether a node and an equal one may become one: not calls that all threads of a group must reach together, or that must not be merged.
fn may_be_merged(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    !matches!(graph.op(node), Some(Op::CallBr(_)))
        && !call_has(graph, surroundings, node, &[AttributeKind::Convergent, AttributeKind::NoMerge])
}
