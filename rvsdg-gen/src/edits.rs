//! Scripts of the primitive edits of a graph, and a naive model that says what each does.

mod model;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::graph::{OriginDef, Use, WalkItem};
use rvsdg_core::{Graph, Node, Origin, Pool, Region, Type, User};

use crate::entropy::Entropy;
pub use model::{Model, apply};

/// An edit. Its numbers name nodes, regions, origins and users by position among those there are, modulo how many there are; a
/// byte says by its bits which positions are kept. An edit whose preconditions do not hold does nothing.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A region, inputs, the number of outputs.
    AddSimple(u16, Vec<u16>, u8),
    /// The region that gets a node with a region.
    AddRegion(u16),
    /// A region.
    AddArgument(u16),
    /// A region and an origin.
    AddResult(u16, u16),
    /// A region.
    AddOpenResult(u16),
    /// A node and an origin.
    AddInput(u16, u16),
    /// A node.
    AddOutput(u16),
    /// A user and an origin.
    Divert(u16, u16),
    /// Two origins.
    DivertUsers(u16, u16),
    /// A node.
    SetOp(u16),
    /// A node.
    Remove(u16),
    /// A node and a region.
    MoveTo(u16, u16),
    /// A node.
    MoveToFront(u16),
    /// Two nodes.
    MoveBefore(u16, u16),
    /// A node and what is kept.
    RetainInputs(u16, u8),
    /// A node and what is kept, besides outputs that have users.
    RetainOutputs(u16, u8),
    /// A region and what is kept, besides arguments that have users.
    RetainArguments(u16, u8),
    /// A region and what is kept.
    RetainResults(u16, u8),
    /// Two nodes.
    Merge(u16, u16),
}

/// A script of up to `length` edits.
pub fn script(entropy: &mut Entropy<'_>, length: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    while edits.len() < length && !entropy.is_exhausted() {
        edits.push(edit(entropy));
    }
    edits
}

fn edit(entropy: &mut Entropy<'_>) -> Edit {
    let kind = entropy.below(24);
    let mut index = || entropy.bits(16) as u16;
    match kind {
        0..=3 => {
            let (region, count, outputs) = (index(), index() % 4, index() % 3);
            Edit::AddSimple(region, (0..count).map(|_| index()).collect(), outputs as u8)
        }
        4 => Edit::AddRegion(index()),
        5 => Edit::AddArgument(index()),
        6 => Edit::AddResult(index(), index()),
        7 => Edit::AddInput(index(), index()),
        8 => Edit::AddOutput(index()),
        9 | 10 => Edit::Divert(index(), index()),
        11 => Edit::DivertUsers(index(), index()),
        12 | 13 => Edit::Remove(index()),
        14 => Edit::MoveTo(index(), index()),
        15 => Edit::RetainInputs(index(), index() as u8),
        16 => Edit::RetainOutputs(index(), index() as u8),
        17 => Edit::RetainArguments(index(), index() as u8),
        18 => Edit::RetainResults(index(), index() as u8),
        19 => Edit::Merge(index(), index()),
        20 => Edit::MoveToFront(index()),
        21 => Edit::MoveBefore(index(), index()),
        22 => Edit::SetOp(index()),
        _ => Edit::AddOpenResult(index()),
    }
}

/// Carries out a script on an empty graph and on its model, and compares them after each edit.
///
/// # Panics
/// Where they differ.
pub fn check(script: &[Edit]) {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    graph.add_argument(graph.root(), Type::I32);
    let mut model = Model::new(&graph);
    for edit in script {
        apply(&mut graph, &mut model, edit);
        model.compare(&graph);
    }
    for renumber in [Graph::compact, Graph::arrange] {
        let mut renumbered = graph.clone();
        renumber(&mut renumbered);
        assert_eq!(renumbered.node_bound(), renumbered.node_count());
        assert_eq!(described(&renumbered), described(&graph), "what is left is the same");
    }
}

/// Everything about a graph but its ids: regions and nodes in order, each origin with the positions of its users, each user with the
/// position of its origin.
fn described(graph: &Graph) -> Vec<String> {
    let mut places: FxHashMap<Node, usize> = FxHashMap::default();
    let mut regions: FxHashMap<Region, usize> = FxHashMap::default();
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => drop(regions.insert(region, regions.len())),
            WalkItem::Node(node) => drop(places.insert(node, places.len())),
            WalkItem::Leave(_) => {}
        }
    }
    let site = |user: User| match graph.site(user) {
        Use::Input(node, index) => (0, places[&node], index),
        Use::Result(region, index) => (1, regions[&region], index),
    };
    let def = |origin: Origin| match graph.def(origin) {
        OriginDef::Output(node, index) => (0, places[&node], index),
        OriginDef::Argument(region, index) => (1, regions[&region], index),
    };
    let origin = |origin: &Origin| {
        let users: Vec<_> = graph.users_of(*origin).map(site).collect();
        (def(*origin), graph.ty(*origin), graph.origin_source(*origin), users)
    };
    let user = |user: &User| (site(*user), graph.try_origin(*user).map(def));
    let mut lines: Vec<String> = Vec::new();
    for item in graph.walk() {
        lines.push(match item {
            WalkItem::Enter(region) => {
                let arguments: Vec<_> = graph.arguments(region).iter().map(origin).collect();
                let results: Vec<_> = graph.results(region).iter().map(user).collect();
                format!("{:?} {arguments:?} {results:?}", graph.end_source(region))
            }
            WalkItem::Node(node) => {
                let inputs: Vec<_> = graph.inputs(node).iter().map(user).collect();
                let outputs: Vec<_> = graph.outputs(node).iter().map(origin).collect();
                let (kind, source, motion) = (graph.kind(node), graph.source(node), graph.motion(node));
                format!("{kind:?} {source:?} {motion:?} {inputs:?} {outputs:?}")
            }
            WalkItem::Leave(_) => "end".into(),
        });
    }
    lines.extend(graph.merges().into_iter().map(|(node, source)| format!("{} {source}", places[&node])));
    lines
}
