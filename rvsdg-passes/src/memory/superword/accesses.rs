//! Loads and stores among which order may change.

use rustc_hash::FxHashMap;
use rvsdg_analysis::memory::{Effect, Location, Objects, Position, effect, states, tag};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Graph, Node, Op, Region, Use};

use super::MAX_WINDOW;

/// A plain load or store.
struct Access {
    node: Node,
    location: Location,
    tag: Option<AccessTag>,
    writes: bool,
    position: Option<Position>,
    /// The number of its window: other effects are between windows.
    window: u32,
    /// Whether it is part of another one now.
    is_gone: bool,
}

/// The plain loads and stores of a region, in the order of the memory state.
pub(super) struct Accesses {
    list: Vec<Access>,
    places: FxHashMap<Node, usize>,
}

impl Accesses {
    /// The accesses of a region.
    pub(super) fn of(graph: &Graph, numbers: &mut Numbering, objects: &Objects<'_>, region: Region) -> Accesses {
        let mut list: Vec<Access> = Vec::new();
        let (mut window, mut in_window) = (0, 0);
        let mut state = states::start(graph, region);
        while let Some(before) = state {
            let Some(Use::Input(node, _)) = states::user(graph, before) else { break };
            state = states::after(graph, node);
            let access = match effect(graph, numbers, objects.surroundings(), node) {
                Effect::None => continue,
                Effect::Read(location, true) => Some((location, false)),
                Effect::Write(location, true) => Some((location, true)),
                Effect::Read(_, false) | Effect::Write(_, false) | Effect::Call(_) => None,
            };
            if access.is_none() || in_window == MAX_WINDOW {
                (window, in_window) = (window + 1, 0);
            }
            if let Some((location, writes)) = access {
                in_window += 1;
                let position = scalar_bits(graph.pool(), location.ty)
                    .filter(|bits| bits.is_multiple_of(8))
                    .and_then(|_| Position::of(graph.pool(), objects.sizes(), numbers, location.addr));
                let tag = tag(graph, node);
                list.push(Access { node, location, tag, writes, position, window, is_gone: false });
            }
        }
        let places = list.iter().enumerate().map(|(place, access)| (access.node, place)).collect();
        Accesses { list, places }
    }

    /// Stores to consecutive elements of one type, two at least, in the order of addresses.
    pub(super) fn runs(&self, graph: &Graph) -> Vec<Vec<Node>> {
        let windows = self.list.chunk_by(|a, b| a.window == b.window);
        windows.flat_map(|window| self.runs_of(graph, window)).collect()
    }

    fn runs_of(&self, graph: &Graph, window: &[Access]) -> Vec<Vec<Node>> {
        let mut groups: Vec<Vec<(i64, Node)>> = Vec::new();
        for access in window.iter().filter(|access| access.writes && access.position.is_some()) {
            let found = groups.iter_mut().find_map(|members| {
                let distance = self.elements_between(graph, members[0].1, access.node)?;
                Some((members, distance))
            });
            match found {
                Some((members, distance)) => members.push((distance, access.node)),
                None => groups.push(vec![(0, access.node)]),
            }
        }
        let mut runs: Vec<Vec<Node>> = Vec::new();
        for mut members in groups {
            members.sort_by_key(|&(distance, _)| distance);
            // Of two stores to one element, the later one is in the way of the other.
            members.dedup_by_key(|&mut (distance, _)| distance);
            let consecutive = members.chunk_by(|a, b| b.0 - a.0 == 1);
            runs.extend(consecutive.filter(|run| run.len() > 1).map(|run| run.iter().map(|&(_, node)| node).collect()));
        }
        runs
    }

    /// How many elements the second of two accesses of one type is after the first.
    pub(super) fn elements_between(&self, graph: &Graph, first: Node, second: Node) -> Option<i64> {
        let [a, b] = [first, second].map(|node| self.places.get(&node).map(|&place| &self.list[place]));
        let (a, b) = (a?, b?);
        let size = i64::from(scalar_bits(graph.pool(), a.location.ty)? / 8);
        let distance = a.position.as_ref()?.distance_to(b.position.as_ref()?)?;
        (a.location.ty == b.location.ty && distance % size == 0).then_some(distance / size)
    }

    /// Whether only plain loads and stores are between some accesses.
    fn are_together(&self, nodes: &[Node]) -> bool {
        let window = |node| self.list[self.places[node]].window;
        nodes.iter().all(|node| window(node) == window(&nodes[0]))
    }

    /// Whether stores of one window may be executed at the place of the last of them.
    pub(super) fn may_sink(&self, graph: &Graph, numbers: &Numbering, objects: &Objects<'_>, stores: &[Node]) -> bool {
        let last = self.last(stores);
        stores.iter().map(|node| self.places[node]).all(|place| {
            let others = self.list[place + 1..=last].iter();
            let others = others.filter(|other| !other.is_gone && !stores.contains(&other.node));
            let store = &self.list[place];
            let mut crossed = others.filter(|other| other.writes || !seeded::is_active(Bug::SlpSunk));
            crossed.all(|other| may_cross(graph, numbers, objects, store, other))
        })
    }

    /// Whether loads may be executed at the place of the first of them.
    pub(super) fn may_rise(&self, graph: &Graph, numbers: &Numbering, objects: &Objects<'_>, loads: &[Node]) -> bool {
        let first = self.first(loads);
        self.are_together(loads)
            && loads.iter().map(|node| self.places[node]).all(|place| {
                let load = &self.list[place];
                let mut stores = self.list[first..place].iter().filter(|other| other.writes && !other.is_gone);
                stores.all(|store| seeded::is_active(Bug::SlpRisen) || may_cross(graph, numbers, objects, store, load))
            })
    }

    /// The place of the last of some accesses.
    fn last(&self, nodes: &[Node]) -> usize {
        nodes.iter().map(|node| self.places[node]).max().unwrap_or_default()
    }

    /// The place of the first of some accesses.
    fn first(&self, nodes: &[Node]) -> usize {
        nodes.iter().map(|node| self.places[node]).min().unwrap_or_default()
    }

    /// The last of some accesses.
    pub(super) fn last_of(&self, nodes: &[Node]) -> Node {
        self.list[self.last(nodes)].node
    }

    /// The first of some accesses.
    pub(super) fn first_of(&self, nodes: &[Node]) -> Node {
        self.list[self.first(nodes)].node
    }

    /// Replaces accesses to consecutive elements, in their order, by one of a vector, at the place of one of them.
    pub(super) fn replace(&mut self, graph: &Graph, nodes: &[Node], vector: Node, place: Node) {
        let is_store = matches!(graph.op(vector), Some(Op::Store(_)));
        let value = if is_store { graph.input(vector, 0) } else { graph.output(vector, 0) };
        let addr = self.list[self.places[&nodes[0]]].location.addr;
        let place = self.places[&place];
        for node in nodes {
            if let Some(place) = self.places.remove(node) {
                self.list[place].is_gone = true;
            }
        }
        let access = &mut self.list[place];
        let location = Location { addr, ty: graph.ty(value) };
        *access = Access { node: vector, location, tag: tag(graph, vector), position: None, is_gone: false, ..*access };
        self.places.insert(vector, place);
    }
}

/// Whether a store and a later load or store may change places.
fn may_cross(graph: &Graph, numbers: &Numbering, objects: &Objects<'_>, store: &Access, later: &Access) -> bool {
    let unseen = || objects.is_unseen(graph, numbers, (store.location, store.tag), (later.location, later.tag));
    objects.are_disjoint(graph, numbers, store.location, later.location) || !later.writes && unseen()
}
