//! The divert phase: redirects users of a value to its leader.

use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region};
use smallvec::SmallVec;

use super::nodes::{Leaders, Step};
use crate::pass::{Change, PassCx};

/// Through how many regions a value is routed to a congruent node: more nodes in a deeper nest would cost the square of its depth.
const MAX_LEVELS: usize = 32;

/// Makes users of each origin users of its leader.
pub(super) fn divert(graph: &mut Graph, steps: &[Step], leaders: &Leaders, cx: &PassCx) -> Change {
    let mut diverter = Diverter::new(steps, leaders, cx);
    for &step in steps {
        match step {
            Step::Simple(node) => diverter.simple(graph, node),
            Step::EnterGamma(gamma) => {
                for index in 0..gamma.regions(graph).len() {
                    let arguments: SmallVec<[Origin; 16]> = graph.arguments(gamma.regions(graph)[index]).into();
                    diverter.variables(graph, gamma.node(), "entry_variables", &arguments);
                }
            }
            Step::LeaveGamma(gamma) => {
                let outputs: SmallVec<[Origin; 16]> = graph.outputs(gamma.node()).into();
                diverter.variables(graph, gamma.node(), "exit_variables", &outputs);
            }
            Step::EnterTheta(theta) => {
                let arguments: SmallVec<[Origin; 16]> = graph.arguments(theta.body(graph)).into();
                diverter.variables(graph, theta.node(), "loop_variables", &arguments);
            }
            Step::LeaveTheta(theta) => {
                let outputs: SmallVec<[Origin; 16]> = graph.outputs(theta.node()).into();
                diverter.variables(graph, theta.node(), "loop_variables", &outputs);
            }
        }
    }
    Change::when(diverter.diverted > 0)
}

struct Diverter<'c> {
    leaders: &'c Leaders,
    cx: &'c PassCx,
    /// The value in a region for a leader outside it.
    local: FxHashMap<(Region, Origin), Origin>,
    /// The same for constants, which are copied to where they are used.
    constants: FxHashMap<(Region, Origin), Origin>,
    /// The order in which nodes are visited.
    steps: &'c [Step],
    /// The positions of nodes; computed when something may have to be moved for the first time.
    places: Option<Places>,
    diverted: u64,
}

struct Places {
    /// Positions of nodes in their regions, with gaps between them.
    positions: SecondaryMap<Node, u64>,
    /// The order in which nodes are visited.
    ranks: SecondaryMap<Node, u32>,
}

impl Places {
    fn of(graph: &Graph, steps: &[Step]) -> Places {
        let mut positions = SecondaryMap::with_capacity(graph.node_bound());
        for (index, node) in graph.all_nodes().enumerate() {
            positions[node] = (index as u64 + 1) << 16;
        }
        let mut ranks = SecondaryMap::with_capacity(graph.node_bound());
        for (index, step) in steps.iter().enumerate() {
            let node = match *step {
                Step::Simple(node) => node,
                Step::EnterGamma(gamma) => gamma.node(),
                Step::EnterTheta(theta) => theta.node(),
                Step::LeaveGamma(_) | Step::LeaveTheta(_) => continue,
            };
            ranks[node] = index as u32;
        }
        Places { positions, ranks }
    }
}

impl<'c> Diverter<'c> {
    fn new(steps: &'c [Step], leaders: &'c Leaders, cx: &'c PassCx) -> Diverter<'c> {
        let (local, constants) = (FxHashMap::default(), FxHashMap::default());
        Diverter { leaders, cx, local, constants, steps, places: None, diverted: 0 }
    }

    /// Diverts users of variables.
    fn variables(&mut self, graph: &mut Graph, node: Node, counter: &'static str, origins: &[Origin]) {
        let before = self.diverted;
        for &origin in origins {
            let mut leader = self.leaders.get(origin);
            let region = graph.scope(origin);
            if graph.scope(leader) != region {
                leader = *self.local.entry((region, leader)).or_insert(origin);
            }
            if leader != origin && graph.has_users(origin) && self.cx.allows_rewrite(counter, graph, node) {
                if region == graph.region_of(node) {
                    self.put_before(graph, leader, node);
                }
                graph.divert_users(origin, leader);
                self.diverted += 1;
            }
        }
        self.cx.count(counter, self.diverted - before);
    }

    /// Diverts users of a node.
    fn simple(&mut self, graph: &mut Graph, node: Node) {
        let Some(&output) = graph.outputs(node).first() else { return };
        let leader = self.leaders.get(output);
        if leader == output || !graph.outputs(node).iter().any(|&output| graph.has_users(output)) {
            return;
        }
        let leading = graph.producer(leader).expect("the leader of an output is an output");
        let region = graph.region_of(node);
        if graph.region_of(leading) == region {
            if self.cx.allows_rewrite("nodes", graph, node) {
                self.put_before(graph, leader, node);
                graph.merge_into(node, leading);
                self.diverted += 1;
                self.cx.count("nodes", 1);
            }
            return;
        }
        if matches!(graph.op(node), Some(Op::Const(_))) {
            let first = *self.constants.entry((region, leader)).or_insert(output);
            if first != output && self.cx.allows_rewrite("nodes", graph, node) {
                graph.divert_users(output, first);
                self.diverted += 1;
                self.cx.count("nodes", 1);
            }
            return;
        }
        let Some(path) = self.path(graph, leader, region) else {
            self.cx.count("too_deep", 1);
            return;
        };
        if !self.cx.allows_rewrite("outer_nodes", graph, node) {
            return;
        }
        for index in 0..graph.outputs(node).len() {
            let (from, to) = (graph.output(node, index), graph.output(leading, index));
            if graph.has_users(from) {
                let inside = self.bring(graph, to, &path);
                graph.divert_users(from, inside);
            }
        }
        graph.note_merge(node, leading);
        self.diverted += 1;
        self.cx.count("outer_nodes", 1);
    }

    /// The regions from one up to that of a leader, without the leader's; `None` if there are too many.
    fn path(&self, graph: &Graph, leader: Origin, region: Region) -> Option<SmallVec<[Region; 8]>> {
        let home = graph.scope(leader);
        let mut path = SmallVec::new();
        let mut at = region;
        while at != home {
            if path.len() == MAX_LEVELS {
                return None;
            }
            path.push(at);
            at = graph.parent_region(at)?;
        }
        Some(path)
    }

    /// The value in the innermost region of a path for a leader outside; adds variables where there are none.
    fn bring(&mut self, graph: &mut Graph, leader: Origin, path: &[Region]) -> Origin {
        let known = path.iter().position(|&region| self.local.contains_key(&(region, leader)));
        let mut value = known.map_or(leader, |known| self.local[&(path[known], leader)]);
        let inner = &path[..known.unwrap_or(path.len())];
        if let Some(&outermost) = inner.last() {
            let node = graph.parent(outermost).expect("an inner region is of a node");
            self.put_before(graph, value, node);
        }
        for &region in inner.iter().rev() {
            let node = graph.parent(region).expect("an inner region is of a node");
            match Gamma::new(graph, node) {
                Some(gamma) => {
                    let variable = gamma.add_entry_var(graph, value);
                    for alternative in 0..gamma.regions(graph).len() {
                        let argument = variable.argument(graph, gamma, alternative);
                        self.local.insert((gamma.regions(graph)[alternative], leader), argument);
                    }
                }
                None => {
                    let theta = Theta::new(graph, node).expect("a region is of a γ or a θ");
                    let variable = theta.add_loop_var(graph, value);
                    self.local.insert((region, leader), variable.pre);
                }
            }
            value = self.local[&(region, leader)];
        }
        value
    }

    /// Moves the nodes that compute a value before a node of its region that was visited earlier and is to use it: the order of nodes
    /// stays topological.
    fn put_before(&mut self, graph: &mut Graph, value: Origin, place: Node) {
        let Some(producer) = graph.producer(value) else { return };
        let Places { positions, ranks } = self.places.get_or_insert_with(|| Places::of(graph, self.steps));
        let end = positions[place];
        let late = |node: &Node| positions[*node] > end;
        if !late(&producer) {
            return;
        }
        let mut seen = FxHashSet::from_iter([producer]);
        let mut found = vec![producer];
        let mut next = 0;
        while next < found.len() {
            for producer in graph.input_origins(found[next]).filter_map(|origin| graph.producer(origin)) {
                if late(&producer) && seen.insert(producer) {
                    found.push(producer);
                }
            }
            next += 1;
        }
        found.sort_unstable_by_key(|&node| ranks[node]);
        for node in found {
            graph.move_before(node, place);
            positions[node] = end - 1;
        }
    }
}
