//! Dispatch: loops as those of interpreters, in which each iteration branches to an address that the one before has loaded from a table.
//!
//! ```text
//! v1: ptr, mem1 = theta (v2: ptr = v0, mem2 = mem0) {
//!   v3: ctl(2) = indirectbr v2, 1, 2
//!   v4: ptr, mem3 = gamma v3 (mem2, …) {
//!     case 0 (…) { …   v5: ptr = getelementptr ptr, @table, v6   v7: ptr, mem4 = load v5, mem5   yield v7, mem4 }
//!     case 1 (…) { …   v8: ptr = getelementptr ptr, @table, v9   v10: ptr, mem6 = load v8, mem7   yield v10, mem6 }
//!   }
//!   next v4, mem3 while …
//! }
//! ```
//!
//! The loop then carries the index, and each iteration loads the address itself, just before it branches: one load and one address instead
//! of one at the end of each path, next to the branch, into which code generation can fold it.
//!
//! Nothing accesses memory between a load and the branch, so it reads the same there. A path that leaves the loop, or goes on to another
//! load, may give poison: it does not come to the branch.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::conditions::REPEAT;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use crate::pass::{Change, PassCx};

/// How many ways to a branch are followed.
const MAX_WAYS: usize = 1 << 12;

/// The addresses to which the iterations of a loop branch.
struct Dispatch {
    theta: Theta,
    branch: Node,
    /// The variable that holds the address, and the memory state.
    address: LoopVar,
    memory: LoopVar,
    paths: Paths,
    /// By load: the node that computes where to load.
    places: Vec<Node>,
    operands: SmallVec<[Operand; 3]>,
}

/// The ways on which an address comes to the branch.
#[derive(Default)]
struct Paths {
    loads: Vec<Node>,
    passed: FxHashSet<Passed>,
    /// Addresses on the way.
    addresses: FxHashSet<Origin>,
    /// Addresses on ways that do not lead to the branch.
    ignored: FxHashSet<Origin>,
}

/// An address on its way to the branch.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Passed {
    address: Origin,
    /// The memory state that comes along.
    memory: Origin,
    /// Predicates, of the loop and of later conditionals, each with what it chooses on this way.
    choices: Vec<(Origin, u32)>,
    /// Predicates of later conditionals, each with the alternatives in which nothing accesses memory, or that are not on this way.
    decisions: Vec<(Origin, Vec<u32>)>,
}

impl Passed {
    fn new(address: Origin, memory: Origin, choices: Vec<(Origin, u32)>) -> Passed {
        Passed { address, memory, choices, decisions: vec![] }
    }

    /// Whether a predicate chooses another way.
    fn is_elsewhere(&self, graph: &Graph) -> bool {
        let is_other = |&(predicate, chosen)| predicate_const(graph, predicate).is_some_and(|value| value != chosen);
        self.choices.iter().any(is_other)
    }

    /// The same before the γ that gives the memory state, if the address does not come from it.
    fn before(mut self, graph: &Graph, gamma: Gamma, state: usize) -> Option<Passed> {
        let input = graph.input_origins(gamma.node()).position(|origin| graph.ty(origin) == Type::MEM)?;
        let passes = |region: Region| {
            graph.result(region, state) == graph.arguments(region)[input - 1]
                || self.within(graph, gamma, region).is_elsewhere(graph)
        };
        let alternatives = gamma.regions(graph).iter().enumerate().filter(|&(_, &region)| passes(region));
        let alternatives = alternatives.map(|(index, _)| index as u32).collect();
        self.decisions.push((graph.origin(gamma.predicate(graph)), alternatives));
        self.memory = graph.input(gamma.node(), input);
        Some(self)
    }

    /// What is passed in an alternative if the γ gives the address and the memory state.
    fn within(&self, graph: &Graph, gamma: Gamma, region: Region) -> Passed {
        let result = |origin: Origin| match graph.def(origin) {
            OriginDef::Output(node, index) if node == gamma.node() => graph.result(region, index as usize),
            _ => origin,
        };
        let decisions =
            self.decisions.iter().map(|(predicate, alternatives)| (result(*predicate), alternatives.clone()));
        Passed {
            address: result(self.address),
            memory: result(self.memory),
            choices: self.choices.iter().map(|&(predicate, chosen)| (result(predicate), chosen)).collect(),
            decisions: decisions.collect(),
        }
    }

    /// Whether it is known that later conditionals do not access memory.
    fn is_passed_on(&self, graph: &Graph) -> bool {
        self.decisions.iter().all(|(predicate, alternatives)| {
            predicate_const(graph, *predicate).is_some_and(|value| alternatives.contains(&value))
        })
    }
}

fn predicate_const(graph: &Graph, predicate: Origin) -> Option<u32> {
    match graph.op(graph.producer(predicate)?)? {
        Op::CtlConst { value, .. } => Some(value),
        _ => None,
    }
}

/// An operand of the computation of a place in the table.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Operand {
    /// The same constant everywhere.
    Constant(Const),
    /// The same argument of the root everywhere.
    Root(Origin),
    /// What differs: where in the table.
    Index,
}

impl Operand {
    fn of(graph: &Graph, origin: Origin) -> Operand {
        match (fold::constant(graph, origin), argument_of_root(graph, origin)) {
            (Some(constant), _) => Operand::Constant(constant),
            (None, Some(index)) => Operand::Root(graph.arguments(graph.root())[index]),
            (None, None) => Operand::Index,
        }
    }
}

/// Joins the loads of the addresses to which a loop branches.
pub(super) fn join(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    let Some(dispatch) = Dispatch::find(graph, theta) else { return Change::Unchanged };
    if !cx.rewrite("dispatch", graph, dispatch.branch) {
        return Change::Unchanged;
    }
    cx.count("dispatches", 1);
    dispatch.join(graph);
    Change::Changed
}

impl Dispatch {
    fn find(graph: &Graph, theta: Theta) -> Option<Dispatch> {
        let branch_on = |variable: LoopVar| {
            let mut users = graph.users_of(variable.pre);
            let (Some(user), None) = (users.next(), users.next()) else { return None };
            let Use::Input(node, _) = graph.site(user) else { return None };
            let is_branch = matches!(graph.op(node), Some(Op::IndirectBr(_))) && !graph.has_users(variable.output);
            is_branch.then_some((variable, node))
        };
        let (address, branch) = theta.loop_vars(graph).find_map(branch_on)?;
        let memory = theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == Type::MEM)?;
        let mut paths = Paths::default();
        paths.add(graph, Passed::new(graph.origin(address.input), graph.origin(memory.input), vec![]))?;
        let repeats = (graph.origin(theta.predicate(graph)), REPEAT);
        paths.add(graph, Passed::new(graph.origin(address.post), graph.origin(memory.post), vec![repeats]))?;
        if !paths.are_all(graph) {
            return None;
        }
        let place = |&load: &Node| {
            let place = graph.input(load, 0);
            graph.producer(place).filter(|_| graph.has_one_user(place))
        };
        let places: Vec<Node> = paths.loads.iter().map(place).collect::<Option<_>>()?;
        let is_alike = |nodes: &[Node]| {
            let op = |&node: &Node| graph.op(node).map(Op::untagged);
            let ty = |node: Node| graph.ty(graph.output(node, 0));
            nodes.iter().all(|node| op(node) == op(&nodes[0]) && ty(*node) == ty(nodes[0]))
        };
        let &first = places.first()?;
        if !matches!(graph.op(first), Some(Op::Gep { .. })) || !is_alike(&places) || !is_alike(&paths.loads) {
            return None;
        }
        let operands = operands(graph, &places)?;
        Some(Dispatch { theta, branch, address, memory, paths, places, operands })
    }

    fn join(self, graph: &mut Graph) {
        let body = self.theta.body(graph);
        let index = self.operands.iter().position(|&operand| operand == Operand::Index).expect("there is one");
        let mut indices: FxHashMap<Origin, Origin> = FxHashMap::default();
        for (&load, &place) in self.paths.loads.iter().zip(&self.places) {
            indices.insert(graph.output(load, 0), graph.input(place, index));
            let (before, after) = (graph.input(load, 1), graph.output(load, 1));
            graph.divert_users(after, before);
        }
        let ty = graph.ty(graph.input(self.places[0], index));
        let mut carry = Carry { ty, addresses: self.paths.addresses, indices };
        let first = carry.index_of(graph, graph.origin(self.address.input));
        let next = carry.index_of(graph, graph.origin(self.address.post));
        let carried = self.theta.add_loop_var(graph, first);
        graph.divert(carried.post, next);
        // What passed the addresses on is dead.
        for &load in &self.paths.loads {
            let (region, address) = (graph.region_of(load), graph.output(load, 0));
            let ty = graph.ty(address);
            let poison = Insert::front(graph, region).poison(ty);
            graph.divert_users(address, poison);
        }

        let (load, place) = (self.paths.loads[0], self.places[0]);
        for (position, operand) in self.operands.iter().enumerate() {
            let origin = match *operand {
                Operand::Index => carried.pre,
                Operand::Constant(constant) => Insert::front(graph, body).constant(constant),
                Operand::Root(origin) => Router::new().route(graph, origin, body),
            };
            let input = graph.inputs(place)[position];
            graph.divert(input, origin);
        }
        let (before, after) = (self.memory.pre, graph.output(load, 1));
        graph.divert_users(before, after);
        let input = graph.inputs(load)[1];
        graph.divert(input, before);
        let input = graph.inputs(self.branch)[0];
        graph.divert(input, graph.output(load, 0));
        for nodes in [&self.paths.loads, &self.places] {
            graph.set_moved_with(nodes[0], &nodes[1..]);
            for &other in &nodes[1..] {
                graph.note_merge(other, nodes[0]);
                graph.remove(other);
            }
        }
        graph.move_before(place, self.branch);
        graph.move_before(load, self.branch);
    }
}

impl Paths {
    /// Adds those on which an address is passed on together with a memory state. `None` unless each begins with a load, or with poison.
    fn add(&mut self, graph: &Graph, passed: Passed) -> Option<()> {
        let mut pending = vec![passed];
        while let Some(passed) = pending.pop() {
            if fold::is_poison(graph, passed.address) || !self.passed.insert(passed.clone()) {
                continue;
            }
            if !graph.has_one_user(passed.address) {
                return None;
            }
            if self.passed.len() > MAX_WAYS {
                return None;
            }
            if passed.is_elsewhere(graph) {
                self.ignored.insert(passed.address);
                continue;
            }
            let is_new = self.addresses.insert(passed.address);
            match (graph.def(passed.address), graph.def(passed.memory)) {
                (OriginDef::Output(node, _), OriginDef::Output(passing, _)) if node == passing => {
                    if let Some(gamma) = Gamma::new(graph, node) {
                        let regions = gamma.regions(graph).iter();
                        pending.extend(regions.map(|&region| passed.within(graph, gamma, region)));
                        continue;
                    }
                    let is_load = matches!(graph.op(node), Some(Op::Load(access)) if access.is_plain());
                    if !is_load || !passed.is_passed_on(graph) {
                        return None;
                    }
                    if is_new {
                        self.loads.push(node);
                    }
                }
                (OriginDef::Argument(region, entry), OriginDef::Argument(_, state)) => {
                    let gamma = Gamma::new(graph, graph.parent(region)?)?;
                    if !passed.is_passed_on(graph) {
                        return None;
                    }
                    let input = |index| graph.input(gamma.node(), index as usize + 1);
                    let mut choices = passed.choices;
                    choices.push((graph.origin(gamma.predicate(graph)), graph.region_index(region)));
                    pending.push(Passed::new(input(entry), input(state), choices));
                }
                (_, OriginDef::Output(node, state)) => {
                    pending.push(passed.before(graph, Gamma::new(graph, node)?, state as usize)?);
                }
                (OriginDef::Output(..), OriginDef::Argument(..)) => return None,
            }
        }
        Some(())
    }

    /// Whether nothing else uses an address on the way.
    fn are_all(&self, graph: &Graph) -> bool {
        let known = |argument: Origin| self.addresses.contains(&argument) || self.ignored.contains(&argument);
        self.addresses.iter().all(|&address| match graph.def(address) {
            OriginDef::Output(..) => true,
            OriginDef::Argument(region, entry) => {
                let siblings = graph.parent(region).map_or(&[][..], |node| graph.subregions(node)).iter();
                let mut arguments = siblings.map(|&region| graph.arguments(region)[entry as usize]);
                arguments.all(|argument| known(argument) || !graph.has_users(argument))
            }
        })
    }
}

/// Passes indices on where addresses are.
struct Carry {
    ty: Type,
    /// Those on the way.
    addresses: FxHashSet<Origin>,
    /// By address.
    indices: FxHashMap<Origin, Origin>,
}

impl Carry {
    /// The index of an address.
    fn index_of(&mut self, graph: &mut Graph, address: Origin) -> Origin {
        let is_missing = |carry: &Carry, address: Origin| {
            !carry.indices.contains_key(&address) && carry.addresses.contains(&address)
        };
        let mut pending = vec![address];
        while let Some(&address) = pending.last() {
            if is_missing(self, address) {
                let sources = sources(graph, address);
                let before = pending.len();
                pending.extend(sources.iter().filter(|&&source| is_missing(self, source)));
                if pending.len() > before {
                    continue;
                }
                self.pass(graph, address, &sources);
            }
            pending.pop();
        }
        self.known(graph, address)
    }

    /// The index of an address that has one; of any other, which does not come to the branch, poison.
    fn known(&self, graph: &mut Graph, address: Origin) -> Origin {
        let region = graph.scope(address);
        let known = self.indices.get(&address).copied();
        known.unwrap_or_else(|| Insert::front(graph, region).poison(self.ty))
    }

    /// Passes an index on as an address is, whose sources have indices.
    fn pass(&mut self, graph: &mut Graph, address: Origin, sources: &[Origin]) {
        match graph.def(address) {
            OriginDef::Output(node, _) => {
                let gamma = Gamma::new(graph, node).expect("all else is a load");
                let origins: Vec<Origin> = sources.iter().map(|&source| self.known(graph, source)).collect();
                self.indices.insert(address, gamma.add_exit_var(graph, &origins).output);
            }
            OriginDef::Argument(region, entry) => {
                let gamma = graph.parent(region).and_then(|node| Gamma::new(graph, node)).expect("it enters a γ");
                let outside = self.known(graph, sources[0]);
                let carried = gamma.add_entry_var(graph, outside);
                for position in 0..gamma.regions(graph).len() {
                    let region = gamma.regions(graph)[position];
                    let argument = carried.argument(graph, gamma, position);
                    self.indices.insert(graph.arguments(region)[entry as usize], argument);
                }
            }
        }
    }
}

/// Where an address comes from: the result of each alternative, or the input of a γ.
fn sources(graph: &Graph, address: Origin) -> SmallVec<[Origin; 4]> {
    match graph.def(address) {
        OriginDef::Output(node, output) => {
            graph.subregions(node).iter().map(|&region| graph.result(region, output as usize)).collect()
        }
        OriginDef::Argument(region, entry) => {
            let gamma = graph.parent(region).expect("it enters a γ");
            SmallVec::from_slice(&[graph.input(gamma, entry as usize + 1)])
        }
    }
}

/// The operands of the nodes that compute places, if all but one are the same.
fn operands(graph: &Graph, places: &[Node]) -> Option<SmallVec<[Operand; 3]>> {
    let operand = |index: usize| {
        let of = |&place: &Node| Operand::of(graph, graph.input(place, index));
        let first = of(&places[0]);
        if places.iter().all(|place| of(place) == first) { first } else { Operand::Index }
    };
    let operands: SmallVec<[Operand; 3]> = (0..graph.inputs(places[0]).len()).map(operand).collect();
    let mut indices = (0..operands.len()).filter(|&index| operands[index] == Operand::Index);
    let (Some(index), None) = (indices.next(), indices.next()) else { return None };
    let ty = |&place: &Node| graph.ty(graph.input(place, index));
    places.iter().all(|place| ty(place) == ty(&places[0])).then_some(operands)
}
