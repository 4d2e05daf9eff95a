//! Regions whose end is unreachable: every path through them reaches an `unreachable`, as in code that throws or aborts.
//!
//! Effects of such a region on memory are not visible after it.

use rustc_hash::FxHashSet;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::op::OpCode;
use rvsdg_core::{Graph, NodeKind, Op, Origin, Region, Type};

use crate::seeded::{self, Bug};

/// The regions of a body that are dead ends.
#[derive(Default)]
pub struct DeadEnds(FxHashSet<Region>);

impl DeadEnds {
    /// Finds the dead ends of a body. Linear in the graph.
    pub fn of(graph: &Graph) -> DeadEnds {
        let mut found = DeadEnds::default();
        if !graph.may_have(OpCode::Unreachable) {
            return found;
        }
        for item in graph.walk() {
            if let WalkItem::Leave(region) = item
                && found.ends(graph, region)
            {
                found.0.insert(region);
            }
        }
        found
    }

    /// Whether a region is one, if those in it are known: an `unreachable` is on its io chain, or an inner γ or θ always reaches one.
    fn ends(&self, graph: &Graph, region: Region) -> bool {
        let mut state = graph.result_origins(region).find(|&origin| graph.ty(origin) == Type::IO);
        while let Some(node) = state.and_then(|state| graph.producer(state)) {
            let ends = match graph.kind(node) {
                NodeKind::Simple(op) => op == Op::Unreachable,
                NodeKind::Gamma if seeded::is_active(Bug::MvfDeadEnd) => {
                    graph.subregions(node).iter().any(|&inner| self.has(inner))
                }
                NodeKind::Gamma | NodeKind::Theta => graph.subregions(node).iter().all(|&inner| self.has(inner)),
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
            };
            if ends {
                return true;
            }
            state = graph.input_origins(node).find(|&origin| graph.ty(origin) == Type::IO);
        }
        false
    }

    /// Whether the end of a region is unreachable.
    pub fn has(&self, region: Region) -> bool {
        self.0.contains(&region)
    }

    /// Whether from a region, the end of the innermost loop around it, or of the body, is unreachable.
    pub fn has_around(&self, graph: &Graph, mut region: Region) -> bool {
        if self.0.is_empty() {
            return false;
        }
        loop {
            if self.has(region) {
                return true;
            }
            match graph.parent(region) {
                Some(node) if graph.kind(node) == NodeKind::Gamma => region = graph.region_of(node),
                _ => return false,
            }
        }
    }
}

/// How many nodes after an `unreachable` are visited.
const MAX_AFTER: usize = 4;

/// Whether a region is one because an `unreachable` is among the last nodes on its io chain. Cheaper than [`DeadEnds::of`], which finds
/// more.
pub(crate) fn is_dead_end(graph: &Graph, region: Region) -> bool {
    let is_io = |&origin: &Origin| graph.ty(origin) == Type::IO;
    let mut state = graph.result_origins(region).find(is_io);
    for _ in 0..=MAX_AFTER {
        let Some(node) = state.and_then(|state| graph.producer(state)) else { return false };
        match graph.op(node) {
            Some(Op::Unreachable) => return true,
            Some(_) => state = graph.input_origins(node).find(is_io),
            None => return false,
        }
    }
    false
}
