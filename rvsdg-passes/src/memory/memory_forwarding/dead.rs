//! Dead-store elimination: backwards along the memory state.

use std::ops::Range;

use rvsdg_analysis::memory::{
    Effect, Location, LoopSummaries, Objects, Sizes, Transfer, bits_in_memory, distance, effect, is_lifetime, states,
};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Pool, Region, Type, TypeKind};

/// How many locations are remembered at a time, which bounds the work per node. The oldest are forgotten first.
const MAX_PLACES: usize = 48;

/// Locations that are written before anything reads them.
#[derive(Clone, Default)]
struct Overwritten(Vec<Location>);

impl Overwritten {
    fn add(&mut self, place: Location) {
        if self.0.contains(&place) {
            return;
        }
        if self.0.len() == MAX_PLACES {
            self.0.remove(0);
        }
        self.0.push(place);
    }
}

enum Frame {
    Gamma { gamma: Gamma, after: Overwritten, before: Vec<Overwritten> },
    Theta(Theta),
}

/// Stores and lifetime markers that can be removed: of objects that are never read, and stores to locations that are overwritten before
/// anything can read them.
pub(super) fn stores(
    graph: &Graph,
    numbers: &mut Numbering,
    objects: &Objects,
    summaries: &LoopSummaries,
) -> Vec<Node> {
    let mut walk = Backward { graph, numbers, objects, summaries, places: Overwritten::default(), found: Vec::new() };
    walk.run();
    // An object whose markers are removed has no accesses left.
    let surroundings = objects.surroundings();
    walk.found.sort_by_key(|&node| {
        matches!(graph.op(node), Some(Op::Call(_))) && Transfer::of(graph, surroundings, node).is_none()
    });
    walk.found
}

struct Backward<'a> {
    graph: &'a Graph,
    numbers: &'a mut Numbering,
    objects: &'a Objects<'a>,
    summaries: &'a LoopSummaries<'a>,
    places: Overwritten,
    found: Vec<Node>,
}

impl Backward<'_> {
    fn run(&mut self) {
        let graph = self.graph;
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = states::end(graph, graph.root());
        loop {
            let node = state.and_then(|state| graph.producer(state));
            if let Some(node) = node {
                if let Some(gamma) = Gamma::new(graph, node) {
                    state = states::end(graph, gamma.regions(graph)[0]);
                    frames.push(Frame::Gamma { gamma, after: self.places.clone(), before: Vec::new() });
                } else if let Some(theta) = Theta::new(graph, node) {
                    self.enter_loop(theta);
                    state = states::end(graph, theta.body(graph));
                    frames.push(Frame::Theta(theta));
                } else {
                    self.simple(node);
                    state = states::before(graph, node);
                }
                continue;
            }
            if state.is_none() {
                self.places.0.clear();
            }
            match frames.pop() {
                None => return,
                Some(Frame::Gamma { gamma, after, mut before }) => {
                    before.push(std::mem::take(&mut self.places));
                    if let Some(&next) = gamma.regions(graph).get(before.len()) {
                        self.places = after.clone();
                        state = states::end(graph, next);
                        frames.push(Frame::Gamma { gamma, after, before });
                        continue;
                    }
                    let mut before = before.into_iter();
                    self.places = before.next().unwrap_or_default();
                    for other in before {
                        self.places.0.retain(|place| other.0.contains(place));
                    }
                    state = self.leave(gamma.node());
                }
                Some(Frame::Theta(theta)) => state = self.leave(theta.node()),
            }
        }
    }

    /// Forgets locations that are meaningless before a structural node; returns the state that the node takes.
    fn leave(&mut self, node: Node) -> Option<Origin> {
        let outer: Region = self.graph.region_of(node);
        let numbers = &*self.numbers;
        self.places.0.retain(|place| numbers.is_visible(place.addr, outer));
        states::before(self.graph, node)
    }

    /// At the end of an iteration, a location that is overwritten after the loop still is dead if no iteration reads it.
    fn enter_loop(&mut self, theta: Theta) {
        let (graph, numbers, objects) = (self.graph, &*self.numbers, self.objects);
        match self.summaries.of(theta.node()) {
            Some(_) if seeded::is_active(Bug::MvfLoopReads) => {}
            Some(summary) => self.places.0.retain(|&place| !summary.reads(graph, numbers, objects, place)),
            None => self.places.0.clear(),
        }
    }

    fn simple(&mut self, node: Node) {
        let (graph, objects) = (self.graph, self.objects);
        let effect = effect(graph, self.numbers, objects.surroundings(), node);
        let numbers = &*self.numbers;
        match effect {
            Effect::None | Effect::Write(_, false) => {}
            Effect::Read(place, _) => {
                self.places.0.retain(|&known| objects.are_disjoint(graph, numbers, known, place));
            }
            Effect::Write(place, true) => {
                let size = bytes(graph.pool(), objects.sizes(), place.ty);
                let covers = |known: &Location| {
                    let written = || all_written(graph.pool(), objects.sizes(), known.ty);
                    known.addr == place.addr
                        && (known.ty == place.ty
                            || seeded::is_active(Bug::MvfNarrowStore)
                            || size.is_some_and(|size| written().is_some_and(|written| size <= written)))
                };
                if objects.is_write_only(numbers, place.addr) || self.places.0.iter().any(covers) {
                    self.found.push(node);
                } else {
                    self.places.add(place);
                }
            }
            Effect::Call(call) => {
                if let Some(transfer) = Transfer::of(graph, objects.surroundings(), node) {
                    self.transfer(node, &transfer);
                    return;
                }
                let object = call.writes.first().filter(|write| objects.is_write_only(numbers, write.addr));
                if object.is_some() && is_lifetime(graph, numbers, objects.surroundings(), node) {
                    self.found.push(node);
                }
                self.places.0.retain(|&place| objects.is_unread(graph, numbers, place, &call));
            }
        }
    }

    /// A copy or fill writes all its bytes.
    fn transfer(&mut self, node: Node, transfer: &Transfer) {
        let (graph, objects) = (self.graph, self.objects);
        let (to, from) = (transfer.writes(graph, self.numbers), transfer.reads(graph, self.numbers));
        let numbers = &*self.numbers;
        if objects.is_write_only(numbers, to.addr) || self.is_overwritten(to) {
            self.found.push(node);
            return;
        }
        self.places.add(to);
        if let Some(from) = from {
            self.places.0.retain(|&known| objects.are_disjoint(graph, numbers, known, from));
        }
    }

    /// Whether all bytes of a location are overwritten, by one write or by several.
    fn is_overwritten(&self, place: Location) -> bool {
        let (pool, sizes) = (self.graph.pool(), self.objects.sizes());
        let Some(size) = bytes(pool, sizes, place.ty) else { return false };
        let range = |known: &Location| {
            let start = distance(pool, sizes, self.numbers, place.addr, known.addr)?;
            Some(start..start.checked_add(all_written(pool, sizes, known.ty)?)?)
        };
        let mut written: Vec<Range<i64>> = self.places.0.iter().filter_map(range).collect();
        written.sort_unstable_by_key(|bytes| bytes.start);
        let until = |until: i64, bytes: &Range<i64>| {
            if bytes.start <= until || seeded::is_active(Bug::MvfGap) { until.max(bytes.end) } else { until }
        };
        written.iter().fold(0, until) >= size
    }
}

/// The maximum number of bytes that an access of a type touches.
fn bytes(pool: &Pool, sizes: &Sizes, ty: Type) -> Option<i64> {
    match *pool.type_kind(ty) {
        // The type that represents copies and fills.
        TypeKind::Array { element, len } if element == pool.int(8) => i64::try_from(len).ok(),
        _ => sizes.access(pool, ty),
    }
}

/// The number of bytes that a write of a type writes, if it leaves no gaps.
fn all_written(pool: &Pool, sizes: &Sizes, ty: Type) -> Option<i64> {
    let whole = match *pool.type_kind(ty) {
        TypeKind::Array { element, .. } => element == pool.int(8),
        TypeKind::Ptr(_) => true,
        _ => bits_in_memory(pool, ty).is_some(),
    };
    bytes(pool, sizes, ty).filter(|_| whole)
}
