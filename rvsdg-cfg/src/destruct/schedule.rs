//! EVALORDER (thesis B2.3): an order of the nodes of each region.
//!
//! The order is topological and otherwise that of the region's nodes: the order of the source, in which passes insert nodes where they are
//! used. A node with a predicate among its outputs is followed directly by the node that uses the predicate, or by the end of the region,
//! where dependences allow that (predicate continuation form). Constants and `match` nodes are not in the order: constants have no
//! position, and a `match` is a branch at the position of its user.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cranelift_entity::SecondaryMap;
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type, Use};

/// The order of the nodes of all regions.
pub(super) struct Schedule {
    order: Vec<Node>,
    ranges: SecondaryMap<Region, (u32, u32)>,
    regions: Vec<Region>,
    /// The γ and θ nodes of each region, in its order.
    structural: Vec<Node>,
    /// Where the nodes of each region begin, by position in `regions`.
    starts: Vec<u32>,
    /// The nodes that are constants.
    pub(super) constants: Vec<Node>,
}

impl Schedule {
    pub(super) fn new(graph: &Graph) -> Schedule {
        let mut schedule = Schedule {
            order: Vec::with_capacity(graph.node_count()),
            ranges: SecondaryMap::with_capacity(graph.region_bound()),
            regions: vec![graph.root()],
            structural: vec![],
            starts: vec![],
            constants: vec![],
        };
        let mut sorter = Sorter { graph, position: SecondaryMap::with_capacity(graph.node_bound()) };
        let mut done = 0;
        while let Some(&region) = schedule.regions.get(done) {
            done += 1;
            schedule.add_region(graph, region, &mut sorter);
        }
        schedule.starts.push(schedule.structural.len() as u32);
        schedule
    }

    fn add_region(&mut self, graph: &Graph, region: Region, sorter: &mut Sorter<'_>) {
        let (start, inner) = (self.order.len(), self.structural.len());
        self.starts.push(inner as u32);
        for node in graph.nodes(region) {
            match graph.op(node) {
                Some(Op::Const(_) | Op::CtlConst { .. }) => self.constants.push(node),
                Some(Op::Match(_)) => {}
                Some(_) => self.order.push(node),
                None => {
                    self.order.push(node);
                    self.structural.push(node);
                    self.regions.extend_from_slice(graph.subregions(node));
                }
            }
        }
        let nodes = &mut self.order[start..];
        sorter.number(nodes);
        if !sorter.is_ordered(region, nodes) {
            sorter.sort(region, nodes);
            self.structural.truncate(inner);
            self.structural.extend(nodes.iter().filter(|&&node| graph.op(node).is_none()));
        }
        self.ranges[region] = (start as u32, self.order.len() as u32);
    }

    /// The γ and θ nodes of each region in its order, inner regions before those around them.
    pub(super) fn structural(&self) -> impl Iterator<Item = Node> + '_ {
        self.starts.windows(2).rev().flat_map(|ends| &self.structural[ends[0] as usize..ends[1] as usize]).copied()
    }

    /// The regions, each after the one around it.
    pub(super) fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Where the nodes of a region are in the order of all.
    pub(super) fn range(&self, region: Region) -> (u32, u32) {
        self.ranges[region]
    }

    /// The node at a place in the order of all.
    pub(super) fn node(&self, place: u32) -> Node {
        self.order[place as usize]
    }
}

/// Whether a node has a place in the order.
fn is_vertex(graph: &Graph, node: Node) -> bool {
    !matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)))
}

/// Whether a node in the order may have a predicate among its outputs.
fn defines_predicate(graph: &Graph, node: Node) -> bool {
    graph.op(node).is_none_or(Op::is_branch)
}

fn is_predicate(graph: &Graph, origin: Origin) -> bool {
    let ty = graph.ty(origin);
    ty == Type::CTL2 || !ty.is_state() && graph.pool().ctl_alternatives(ty).is_some()
}

struct Sorter<'g> {
    graph: &'g Graph,
    /// Positions of the nodes being sorted, by node.
    position: SecondaryMap<Node, u32>,
}

/// What must follow a node.
#[derive(PartialEq, Eq)]
enum Follower {
    Anything,
    End,
    User(Node),
}

impl Sorter<'_> {
    /// The node in the order that must come before one that has `origin` as an input.
    fn dependence(&self, origin: Origin) -> Option<Node> {
        let producer = self.graph.producer(origin)?;
        match self.graph.op(producer) {
            Some(Op::Const(_) | Op::CtlConst { .. }) => None,
            Some(Op::Match(_)) => {
                self.graph.producer(self.graph.input(producer, 0)).filter(|&p| is_vertex(self.graph, p))
            }
            _ => Some(producer),
        }
    }

    /// Sets the positions of nodes.
    fn number(&mut self, nodes: &[Node]) {
        for (place, &node) in nodes.iter().enumerate() {
            self.position[node] = place as u32;
        }
    }

    /// Whether their order will do.
    fn is_ordered(&self, region: Region, nodes: &[Node]) -> bool {
        let graph = self.graph;
        nodes.iter().enumerate().all(|(place, &node)| {
            let is_before = |before: Node| (self.position[before] as usize) < place;
            graph.input_origins(node).all(|origin| self.dependence(origin).is_none_or(is_before))
                && match self.follower(region, node) {
                    Follower::Anything => true,
                    Follower::End => place + 1 == nodes.len(),
                    Follower::User(user) => nodes.get(place + 1) == Some(&user),
                }
        })
    }

    /// What the predicates among the outputs of a node ask for.
    fn follower(&self, region: Region, node: Node) -> Follower {
        let graph = self.graph;
        let mut follower = Follower::Anything;
        for &output in graph.outputs(node) {
            if !is_predicate(graph, output) {
                continue;
            }
            for user in graph.users_of(output) {
                match graph.site(user) {
                    Use::Input(user, _) if graph.op(user).is_none() => match follower {
                        Follower::User(earlier) if self.position[earlier] <= self.position[user] => {}
                        _ => follower = Follower::User(user),
                    },
                    Use::Result(of, _) if of == region && follower == Follower::Anything => follower = Follower::End,
                    Use::Input(..) | Use::Result(..) => {}
                }
            }
        }
        follower
    }

    /// Sorts nodes, which are numbered.
    fn sort(&self, region: Region, nodes: &mut [Node]) {
        let mut chains = Chains::new(nodes.len());
        for (place, &node) in nodes.iter().enumerate() {
            if !defines_predicate(self.graph, node) {
                continue;
            }
            match self.follower(region, node) {
                Follower::Anything => {}
                Follower::End => chains.last[place] = true,
                Follower::User(user) => chains.link(place, self.position[user] as usize),
            }
        }
        let mut sorted = Vec::with_capacity(nodes.len());
        if !self.try_sort(nodes, &chains, &mut sorted) {
            // Something between a predicate and its user depends on the one and is needed by the other.
            let mut done = vec![false; nodes.len()];
            for &node in &sorted {
                done[self.position[node] as usize] = true;
            }
            chains.dissolve(&done);
            sorted.clear();
            let complete = self.try_sort(nodes, &chains, &mut sorted);
            assert!(complete, "a region has no cycle");
        }
        nodes.copy_from_slice(&sorted);
    }

    /// Sorts chains as units; stops early when chains depend on each other in a cycle.
    fn try_sort(&self, nodes: &[Node], chains: &Chains, sorted: &mut Vec<Node>) -> bool {
        let graph = self.graph;
        let head: Vec<u32> = chains.heads();
        let mut last = vec![false; nodes.len()];
        let mut pending = vec![0u32; nodes.len()];
        for (place, &node) in nodes.iter().enumerate() {
            let unit = head[place];
            last[unit as usize] |= chains.last[place];
            for before in graph.input_origins(node).filter_map(|origin| self.dependence(origin)) {
                pending[unit as usize] += u32::from(head[self.position[before] as usize] != unit);
            }
        }
        let key = |unit: u32| Reverse((last[unit as usize], unit));
        let is_head = |place: u32| head[place as usize] == place;
        let mut ready: BinaryHeap<_> =
            (0..nodes.len() as u32).filter(|&place| is_head(place) && pending[place as usize] == 0).map(key).collect();
        while let Some(Reverse((_, unit))) = ready.pop() {
            let mut place = unit as usize;
            loop {
                sorted.push(nodes[place]);
                let mut release = |after: Node| {
                    let other = head[self.position[after] as usize];
                    if other != unit {
                        pending[other as usize] -= 1;
                        if pending[other as usize] == 0 {
                            ready.push(key(other));
                        }
                    }
                };
                for user in graph.outputs(nodes[place]).iter().flat_map(|&output| graph.users_of(output)) {
                    let Use::Input(after, _) = graph.site(user) else { continue };
                    match graph.op(after) {
                        Some(Op::Match(_)) => {
                            for user in graph.users_of(graph.output(after, 0)) {
                                if let Use::Input(after, _) = graph.site(user) {
                                    release(after);
                                }
                            }
                        }
                        Some(Op::Const(_) | Op::CtlConst { .. }) => {}
                        _ => release(after),
                    }
                }
                match chains.next[place] {
                    Some(next) => place = next as usize,
                    None => break,
                }
            }
        }
        sorted.len() == nodes.len()
    }
}

/// Nodes that should follow each other, by their positions.
struct Chains {
    next: Vec<Option<u32>>,
    previous: Vec<Option<u32>>,
    /// Whether the node should come as late as possible.
    last: Vec<bool>,
}

impl Chains {
    fn new(len: usize) -> Chains {
        Chains { next: vec![None; len], previous: vec![None; len], last: vec![false; len] }
    }

    fn link(&mut self, from: usize, to: usize) {
        if self.next[from].is_none() && self.previous[to].is_none() {
            self.next[from] = Some(to as u32);
            self.previous[to] = Some(from as u32);
        }
    }

    /// The first member of each member's chain.
    fn heads(&self) -> Vec<u32> {
        let mut head = vec![u32::MAX; self.next.len()];
        for first in 0..self.next.len() {
            if self.previous[first].is_none() {
                let mut place = Some(first as u32);
                while let Some(member) = place {
                    head[member as usize] = first as u32;
                    place = self.next[member as usize];
                }
            }
        }
        head
    }

    /// Breaks up the chains with a member that is not `done`.
    fn dissolve(&mut self, done: &[bool]) {
        for (place, _) in done.iter().enumerate().filter(|&(_, &done)| !done) {
            self.next[place] = None;
            self.previous[place] = None;
        }
    }
}
