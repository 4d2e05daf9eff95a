//! Fuses a conditional with the one directly before it, if the alternatives of the first decide the second.
//!
//! ```text
//! v1: i32, v2: ctl(2) = gamma v0 (…) { case 0: A; yield x, ctl 1   case 1: B; yield 0, ctl 0 }
//! v3: i32 = gamma v2 (v1, …) { case 0: C   case 1: D }
//! ```
//!
//! becomes
//!
//! ```text
//! v3: i32 = gamma v0 (…) { case 0: A; D   case 1: B; C }
//! ```
//!
//! The results of each alternative are then known where they are used, and a loop that is left in the first conditional is left before
//! the second. Nothing is copied but constants: an alternative of the second that computes something must be reached from one alternative
//! of the first only. If one alternative of the first does not decide, the second moves into it unchanged.
//!
//! A long chain of conditionals, as exceptions with cleanups make it, would become a nest as deep: what is used in it would be passed
//! through each of them, at a cost of the square of its length. So no nest gets deeper than [`MAX_NESTING`].

use cranelift_entity::{EntitySet, SecondaryMap};
use rvsdg_analysis::leads::{self, Lead, leads};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Router;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Use, User};

use crate::pass::{Change, PassCx};

/// A conditional that moves into the one before it.
struct Fusion {
    first: Gamma,
    second: Gamma,
    lead: Lead,
    /// For each alternative of the first, the alternative of the second that it decides on; `None` if it does not.
    to: Vec<Option<u32>>,
}

/// How many structural nodes may be nested after a fusion.
const MAX_NESTING: u32 = 64;

/// Moves the conditional directly after a γ into it, for as long as there is one.
pub(super) fn fuse(graph: &mut Graph, gamma: Gamma, nests: &mut Nests, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    while let Some(fusion) = Fusion::find(graph, gamma) {
        if !nests.fuse(graph, &fusion) {
            break;
        }
        if !cx.rewrite("fused", graph, fusion.second.node()) {
            break;
        }
        cx.count("fused", 1);
        fusion.apply(graph);
        change = Change::Changed;
    }
    change
}

/// How deep the nests of structural nodes are.
pub(super) struct Nests {
    /// Of each structural node, how many are nested in it at most, with itself.
    heights: SecondaryMap<Node, u32>,
}

impl Nests {
    /// Measures them, given all structural nodes, each after those in its regions.
    pub fn of(graph: &Graph, bottom_up: &[Node]) -> Nests {
        let mut nests = Nests { heights: SecondaryMap::with_capacity(graph.node_bound()) };
        for &node in bottom_up.iter().filter(|&&node| graph.is_live(node)) {
            nests.raise(graph, node, 1);
        }
        nests
    }

    /// Makes a node, and those around it, at least this high.
    fn raise(&mut self, graph: &Graph, node: Node, mut height: u32) {
        let mut around = Some(node);
        while let Some(node) = around
            && self.heights[node] < height
        {
            self.heights[node] = height;
            height += 1;
            around = graph.parent(graph.region_of(node));
        }
    }

    /// Whether a fusion does not make a nest too deep. If so, the nests are as after it.
    fn fuse(&mut self, graph: &Graph, fusion: &Fusion) -> bool {
        let (first, second) = (fusion.first.node(), fusion.second.node());
        let moves_whole = fusion.to.contains(&None);
        let height = self.heights[second] + u32::from(moves_whole);
        let around =
            std::iter::successors(graph.parent(graph.region_of(first)), |&node| graph.parent(graph.region_of(node)));
        let fits = around.count() as u32 + height <= MAX_NESTING;
        if fits {
            self.raise(graph, first, height);
        }
        fits
    }
}

impl Fusion {
    fn find(graph: &Graph, first: Gamma) -> Option<Fusion> {
        let behind = leads(graph, first).flat_map(|(lead, predicate)| {
            let next = move |user| match graph.site(user) {
                Use::Input(node, 0) if node != first.node() => Gamma::new(graph, node),
                Use::Input(..) | Use::Result(..) => None,
            };
            graph.users_of(predicate).filter_map(next).map(move |second| (lead, second))
        });
        behind.map(|(lead, second)| Fusion::of(graph, first, second, lead)).find(|fusion| fusion.is_right(graph))
    }

    fn of(graph: &Graph, first: Gamma, second: Gamma, lead: Lead) -> Fusion {
        let guess = seeded::is_active(Bug::IfcFusedUnknown).then_some(0);
        let positions = 0..first.regions(graph).len();
        let to = positions.map(|position| leads::alternative(graph, first, lead, position).or(guess)).collect();
        Fusion { first, second, lead, to }
    }

    fn is_right(&self, graph: &Graph) -> bool {
        let unknown = self.to.iter().filter(|to| to.is_none()).count();
        let is_once = |(alternative, &region): (usize, &Region)| {
            let ways = self.to.iter().filter(|&&to| to.is_none_or(|to| to as usize == alternative)).count();
            ways <= 1 || is_trivial(graph, region)
        };
        unknown <= 1 && self.second.regions(graph).iter().enumerate().all(is_once) && self.is_next(graph)
    }

    /// Whether the second comes after the first, and everything else that it depends on comes before the first.
    fn is_next(&self, graph: &Graph) -> bool {
        let (first, second) = (self.first.node(), self.second.node());
        let mut behind: EntitySet<Node> = EntitySet::new();
        let producers = |node| graph.input_origins(node).filter_map(|origin| graph.producer(origin));
        for node in graph.topological(graph.region_of(first)).into_iter().take_while(|&node| node != second) {
            if node == first || producers(node).any(|producer| behind.contains(producer)) {
                behind.insert(node);
            }
        }
        behind.contains(first) && producers(second).all(|producer| producer == first || !behind.contains(producer))
    }

    fn apply(&self, graph: &mut Graph) {
        let outputs = graph.outputs(self.second.node()).len();
        let users: Vec<Vec<User>> =
            graph.outputs(self.second.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
        let mut results: Vec<Vec<Origin>> = vec![Vec::new(); outputs];
        let mut remains = true;
        // Copies are made before the original moves.
        let mut given: Vec<Option<Vec<Origin>>> = vec![None; self.to.len()];
        for copies in [true, false] {
            for (position, &to) in self.to.iter().enumerate() {
                let region = self.first.regions(graph)[position];
                match to.map(|to| self.second.regions(graph)[to as usize]) {
                    Some(from) if is_trivial(graph, from) == copies => {
                        let entries = self.entries(graph, position);
                        given[position] = Some(if copies {
                            copied(graph, from, region, &entries)
                        } else {
                            moved(graph, from, region, &entries)
                        });
                    }
                    None if !copies => {
                        self.move_whole(graph, position);
                        remains = false;
                        given[position] = Some(graph.outputs(self.second.node()).to_vec());
                    }
                    Some(_) | None => {}
                }
            }
        }
        for given in given.into_iter().flatten() {
            results.iter_mut().zip(given).for_each(|(results, given)| results.push(given));
        }
        for (results, users) in results.into_iter().zip(users) {
            let output = self.first.add_exit_var(graph, &results).output;
            users.into_iter().for_each(|user| graph.divert(user, output));
        }
        if remains {
            for &region in &self.second.regions(graph).to_vec() {
                graph.retain_results(region, |_| false);
            }
            graph.remove(self.second.node());
        }
        let is_used: Vec<bool> =
            graph.outputs(self.first.node()).iter().map(|&output| graph.has_users(output)).collect();
        self.first.retain_exit_vars(graph, |index| is_used[index]);
    }

    /// The inputs of the second, in an alternative of the first.
    fn entries(&self, graph: &mut Graph, position: usize) -> Vec<Origin> {
        let region = self.first.regions(graph)[position];
        let inputs: Vec<Origin> = graph.input_origins(self.second.node()).skip(1).collect();
        let mut router = Router::default();
        let inside = |origin| match graph.def(origin) {
            OriginDef::Output(node, index) if node == self.first.node() => graph.result(region, index as usize),
            OriginDef::Output(..) | OriginDef::Argument(..) => router.route(graph, origin, region),
        };
        inputs.into_iter().map(inside).collect()
    }

    /// Moves the second unchanged into an alternative of the first.
    fn move_whole(&self, graph: &mut Graph, position: usize) {
        let region = self.first.regions(graph)[position];
        let entries = self.entries(graph, position);
        if let Lead::Exit(exit) = self.lead {
            let predicate = graph.result(region, exit);
            graph.divert(graph.inputs(self.second.node())[0], predicate);
        }
        for (index, entry) in entries.into_iter().enumerate() {
            graph.divert(graph.inputs(self.second.node())[index + 1], entry);
        }
        graph.move_to(self.second.node(), region);
    }
}

/// Whether a region has only constants.
fn is_trivial(graph: &Graph, region: Region) -> bool {
    graph.nodes(region).all(|node| {
        matches!(graph.kind(node), NodeKind::Simple(Op::Const(_) | Op::CtlConst { .. }))
            && graph.inputs(node).is_empty()
    })
}

/// Copies a region's nodes to another region, and returns the results there.
fn copied(graph: &mut Graph, from: Region, to: Region, entries: &[Origin]) -> Vec<Origin> {
    let mut duplicator = Duplicator::new();
    for (&argument, &entry) in graph.arguments(from).iter().zip(entries) {
        duplicator.substitute(argument, entry);
    }
    let nodes: Vec<Node> = graph.nodes(from).collect();
    duplicator.copy_nodes(graph, &nodes, to);
    graph.result_origins(from).map(|origin| duplicator.get(origin)).collect()
}

/// Moves a region's nodes to another region, and returns the results there.
fn moved(graph: &mut Graph, from: Region, to: Region, entries: &[Origin]) -> Vec<Origin> {
    for (index, &entry) in entries.iter().enumerate() {
        let argument = graph.arguments(from)[index];
        graph.divert_users(argument, entry);
    }
    let nodes: Vec<Node> = graph.nodes(from).collect();
    nodes.into_iter().for_each(|node| graph.move_to(node, to));
    graph.result_origins(from).collect()
}
