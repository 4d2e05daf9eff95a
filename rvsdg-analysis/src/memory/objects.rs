//! Objects in memory, escape analysis of those on the stack, and alias analysis of locations.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::op::CastOp;
use rvsdg_core::tbaa::{AccessTag, may_see};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Pool, Symbol, TypeKind};
use smallvec::SmallVec;

use super::calls::{self, CallEffect};
use super::effects::{Effect, Location, effect};
use super::offsets::{Sizes, are_apart, distance};
use super::transfer::Transfer;
use crate::callee::argument_of_root;
use crate::numbering::{Def, Numbering, Vn};
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, Surroundings};
use crate::trace::passed_on;

/// How many values that conditionals and loops pass on are visited for one pointer.
const MAX_PASSED_ON: usize = 16;

/// Objects, and the objects that pointers lead into.
#[derive(Default)]
pub struct Objects<'s> {
    surroundings: Option<&'s Surroundings>,
    sizes: Sizes,
    /// Addresses of stack memory.
    stack: FxHashSet<Vn>,
    /// Addresses of objects that calls allocated.
    fresh: FxHashSet<Vn>,
    /// What `noalias` parameters hold.
    lent: FxHashSet<Vn>,
    /// Those of all of these that escape.
    escaped: FxHashSet<Vn>,
    /// The stack objects that are read.
    read: FxHashSet<Vn>,
    /// Pairs assumed disjoint in a loop beyond what addresses tell, in both orders.
    apart: FxHashMap<Node, FxHashSet<(Location, Location)>>,
    /// The loop that queries are about.
    inside: Cell<Option<Node>>,
    /// The objects of pointers that conditionals and loops pass on, where that was asked.
    passed_on: RefCell<FxHashMap<Vn, SmallVec<[Object; 2]>>>,
}

/// The object of a pointer that is not computed from another one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Object {
    /// An object of the function itself.
    Own(Vn),
    /// A global variable.
    Variable {
        symbol: Symbol,
        /// Whether it never changes.
        constant: bool,
        /// Whether no pointer that comes from elsewhere leads to it.
        unescaped: bool,
    },
    /// An object that only this parameter leads to.
    Param(Origin),
    /// An object that existed before the function was called.
    Older,
    /// An object whose address was loaded.
    Loaded,
    /// An object whose address a call returned.
    Returned,
    /// An allocation to which only pointers loaded from this variable lead.
    Owned(Symbol),
    /// Any object.
    Unknown,
}

/// The base of an address, also where the pointer was converted to other address spaces.
fn root(numbers: &Numbering, addr: Vn) -> Vn {
    let mut base = numbers.base(addr);
    while let Def::Node(Op::Cast { op: CastOp::AddrSpaceCast, .. }, inputs) = numbers.def(base) {
        base = numbers.base(inputs[0]);
    }
    base
}

/// Whether two pointers lead into different objects, of which at most one never changes.
fn are_different(a: Object, b: Object) -> bool {
    match (a, b) {
        // A constant variable is never written.
        (Object::Variable { constant: true, .. }, _) | (_, Object::Variable { constant: true, .. }) => true,
        (Object::Older | Object::Loaded | Object::Returned, Object::Variable { unescaped, .. })
        | (Object::Variable { unescaped, .. }, Object::Older | Object::Loaded | Object::Returned) => unescaped,
        (Object::Owned(a), Object::Owned(b)) => a != b,
        // The function itself may have allocated what a variable owns.
        (Object::Owned(_), Object::Own(_) | Object::Returned)
        | (Object::Own(_) | Object::Returned, Object::Owned(_)) => false,
        (Object::Owned(_), Object::Older | Object::Loaded | Object::Param(_) | Object::Variable { .. })
        | (Object::Older | Object::Loaded | Object::Param(_) | Object::Variable { .. }, Object::Owned(_)) => true,
        (Object::Unknown | Object::Loaded | Object::Returned, _)
        | (_, Object::Unknown | Object::Loaded | Object::Returned) => seeded::is_active(Bug::MvfUnknownObject),
        (Object::Older, Object::Older) => false,
        (Object::Own(_) | Object::Param(_), Object::Older) | (Object::Older, Object::Own(_) | Object::Param(_)) => true,
        (a, b) => a != b,
    }
}

impl<'s> Objects<'s> {
    /// Finds the objects of a body. Cost: linear in the number of edges.
    pub fn new(graph: &Graph, numbers: &Numbering, surroundings: Option<&'s Surroundings>) -> Objects<'s> {
        let sizes = Sizes::new(surroundings.and_then(Surroundings::layouts));
        let mut objects = Objects { surroundings, sizes, ..Objects::default() };
        for node in graph.all_nodes() {
            if let Some(Op::Alloca { in_alloca, swift_error, .. }) = graph.op(node) {
                let address = numbers.known(graph.output(node, 0));
                objects.stack.extend(address);
                // The first is an argument under construction, the second a register of the calling convention.
                if in_alloca || swift_error {
                    objects.escaped.extend(address);
                }
            } else if let Some(Op::Call(_) | Op::Invoke(_)) = graph.op(node)
                && calls::is_allocation(graph, numbers, surroundings, node)
            {
                objects.fresh.extend(numbers.known(graph.output(node, 0)));
            }
        }
        for (index, &argument) in graph.arguments(graph.root()).iter().enumerate() {
            if surroundings.is_some_and(|surroundings| is_noalias(graph.pool(), surroundings, index)) {
                objects.lent.extend(numbers.known(argument));
            }
        }
        if !(objects.stack.is_empty() && objects.fresh.is_empty() && objects.lent.is_empty()) {
            for node in graph.all_nodes() {
                objects.uses(graph, numbers, node);
            }
        }
        objects
    }

    /// Adds the assumption that pairs of loads and stores of a loop are disjoint, in all its iterations.
    pub fn assume(&mut self, graph: &Graph, numbers: &mut Numbering, theta: Node, pairs: &[(Node, Node)]) {
        let mut access = |node: Node| match effect(graph, numbers, None, node) {
            Effect::Read(access, true) | Effect::Write(access, true) => Some(access),
            Effect::None | Effect::Read(..) | Effect::Write(..) | Effect::Call(_) => None,
        };
        let apart = self.apart.entry(theta).or_default();
        for &(a, b) in pairs {
            if graph.is_live(a)
                && graph.is_live(b)
                && let (Some(a), Some(b)) = (access(a), access(b))
            {
                apart.extend([(a, b), (b, a)]);
            }
        }
    }

    /// Restricts later queries to accesses in this loop, or lifts the restriction.
    pub fn look_inside(&self, theta: Option<Node>) {
        self.inside.set(theta);
    }

    /// The objects after loads were forwarded: fewer may be read. Escaped ones stay escaped.
    pub fn refreshed(&self, graph: &Graph, numbers: &Numbering) -> Objects<'s> {
        let mut objects = Objects::new(graph, numbers, self.surroundings);
        objects.escaped.extend(&self.escaped);
        objects
    }

    fn uses(&mut self, graph: &Graph, numbers: &Numbering, node: Node) {
        for (index, origin) in graph.input_origins(node).enumerate() {
            let Some(base) = numbers.known(origin).map(|vn| root(numbers, vn)) else { continue };
            if !self.is_followed(base) {
                continue;
            }
            let follows = |output| numbers.known(output).is_some_and(|vn| root(numbers, vn) == base);
            let kept = match graph.op(node) {
                Some(Op::Load(access)) => {
                    self.read.insert(base);
                    access.is_plain()
                }
                Some(Op::Store(access)) => {
                    (index == 1 || seeded::is_active(Bug::MvfStoredAddress)) && access.is_plain()
                }
                Some(Op::Gep { .. }) => follows(graph.output(node, 0)),
                Some(Op::Cast { op: CastOp::AddrSpaceCast, .. }) => {
                    self.lent.contains(&base) && follows(graph.output(node, 0))
                }
                Some(Op::Call(_) | Op::Invoke(_)) => {
                    let is_written = index == 1 && Transfer::of(graph, self.surroundings, node).is_some();
                    if !is_written && !calls::is_lifetime(graph, numbers, self.surroundings, node) {
                        self.read.insert(base);
                    }
                    calls::keeps_private(graph, self.surroundings, node, index)
                }
                Some(_) => false,
                // An input of a γ has the same number inside, and so has an invariant loop variable.
                None => graph.subregions(node).iter().all(|&region| {
                    let arguments = graph.arguments(region);
                    let before = graph.inputs(node).len() - arguments.len();
                    index >= before && follows(arguments[index - before])
                }),
            };
            if !(kept || self.lent.contains(&base) && seeded::is_active(Bug::MvfLent)) {
                self.escaped.insert(base);
            }
        }
        for &region in graph.subregions(node) {
            let before = graph.results(region).len() - graph.outputs(node).len();
            for (index, origin) in graph.result_origins(region).enumerate() {
                let Some(base) = numbers.known(origin).map(|vn| root(numbers, vn)) else { continue };
                let follows = |output| numbers.known(output).is_some_and(|vn| root(numbers, vn) == base);
                if self.is_followed(base) && (index < before || !follows(graph.output(node, index - before))) {
                    self.escaped.insert(base);
                }
            }
        }
    }

    /// Whether the uses of a base are examined.
    fn is_followed(&self, base: Vn) -> bool {
        self.stack.contains(&base) || self.fresh.contains(&base) || self.lent.contains(&base)
    }

    /// The surroundings of the body.
    pub fn surroundings(&self) -> Option<&'s Surroundings> {
        self.surroundings
    }

    /// The sizes of types.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Whether an address is in a stack object that does not escape.
    pub fn is_private(&self, numbers: &Numbering, addr: Vn) -> bool {
        let base = numbers.base(addr);
        self.stack.contains(&base) && !self.escaped.contains(&base)
    }

    /// Whether memory is accessed through pointers that are computed from this one's base only, while the function runs: it is in a
    /// private object, or what a `noalias` parameter holds or a `noalias` call returns does not escape.
    fn is_unshared(&self, numbers: &Numbering, addr: Vn) -> bool {
        let base = root(numbers, addr);
        self.is_followed(base) && !self.escaped.contains(&base)
    }

    /// Whether an address is in an object that is never read.
    pub fn is_write_only(&self, numbers: &Numbering, addr: Vn) -> bool {
        self.is_private(numbers, addr) && !self.read.contains(&numbers.base(addr))
    }

    /// Whether a call leaves a location unchanged.
    pub fn survives(&self, graph: &Graph, numbers: &Numbering, place: Location, call: &CallEffect) -> bool {
        let any = call.writes_any && !self.is_unshared(numbers, place.addr) && !self.is_constant(graph, numbers, place);
        !any && call.writes.iter().all(|&write| self.are_disjoint(graph, numbers, write, place))
    }

    /// Whether a call does not read a location.
    pub fn is_unread(&self, graph: &Graph, numbers: &Numbering, place: Location, call: &CallEffect) -> bool {
        let any = call.reads_any && !self.is_unshared(numbers, place.addr);
        let after = !call.returns && !self.is_private(numbers, place.addr);
        !any && !after && call.reads.iter().all(|&read| self.are_disjoint(graph, numbers, read, place))
    }

    fn is_constant(&self, graph: &Graph, numbers: &Numbering, place: Location) -> bool {
        let objects = self.objects(graph, numbers, root(numbers, place.addr));
        objects.iter().all(|object| matches!(object, Object::Variable { constant: true, .. }))
    }

    /// Whether two accesses, of which at least one writes, have no byte in common.
    pub fn are_disjoint(&self, graph: &Graph, numbers: &Numbering, a: Location, b: Location) -> bool {
        if let Some(theta) = self.inside.get()
            && self.apart.get(&theta).is_some_and(|apart| apart.contains(&(a, b)))
        {
            return true;
        }
        let (base_a, base_b) = (numbers.base(a.addr), numbers.base(b.addr));
        if base_a == base_b {
            return are_apart(graph.pool(), &self.sizes, numbers, a, b);
        }
        if self.are_in_different_memory(graph.pool(), numbers, a, b) {
            return true;
        }
        let roots = [base_a, base_b].map(|base| root(numbers, base));
        if roots[0] == roots[1] {
            return false;
        }
        if roots.iter().any(|&root| self.is_unshared(numbers, root)) {
            return true;
        }
        let objects = roots.map(|root| self.objects(graph, numbers, root));
        objects[0].iter().all(|&a| objects[1].iter().all(|&b| are_different(a, b)))
    }

    /// Whether the machine has different memory for the address spaces of two locations.
    fn are_in_different_memory(&self, pool: &Pool, numbers: &Numbering, a: Location, b: Location) -> bool {
        let Some(machine) = self.surroundings.and_then(Surroundings::machine) else { return false };
        let space = |place: Location| match *pool.type_kind(numbers.ty(place.addr)) {
            TypeKind::Ptr(space) => Some(space),
            _ => None,
        };
        space(a)
            .zip(space(b))
            .is_some_and(|(a, b)| machine.are_disjoint(a, b) || seeded::is_active(Bug::MvfSpaces) && a != b)
    }

    /// Whether a read cannot see an earlier write, each with its type-based tag.
    pub fn is_unseen(
        &self,
        graph: &Graph,
        numbers: &Numbering,
        written: (Location, Option<AccessTag>),
        read: (Location, Option<AccessTag>),
    ) -> bool {
        let differ = |(written, read)| !may_see(graph.pool(), read, written);
        // Addresses take precedence over types.
        let (a, b) = (written.0.addr, read.0.addr);
        written.1.zip(read.1).is_some_and(differ) && distance(graph.pool(), &self.sizes, numbers, a, b).is_none()
    }

    /// The objects that a pointer may lead into.
    fn objects(&self, graph: &Graph, numbers: &Numbering, base: Vn) -> SmallVec<[Object; 2]> {
        let object = self.object(graph, numbers, base);
        if object != Object::Unknown {
            return SmallVec::from_slice(&[object]);
        }
        if let Some(known) = self.passed_on.borrow().get(&base) {
            return known.clone();
        }
        let found = self.passed_on(graph, numbers, base);
        self.passed_on.borrow_mut().insert(base, found.clone());
        found
    }

    /// The objects of a pointer that conditionals and loops pass on, also with steps from one iteration to the next.
    fn passed_on(&self, graph: &Graph, numbers: &Numbering, base: Vn) -> SmallVec<[Object; 2]> {
        let (mut found, mut seen) = (SmallVec::new(), SmallVec::<[Vn; MAX_PASSED_ON]>::new());
        let mut pending: SmallVec<[Vn; 8]> = SmallVec::from_slice(&[base]);
        while let Some(vn) = pending.pop() {
            let base = root(numbers, vn);
            if seen.contains(&base) {
                continue;
            }
            let object = self.object(graph, numbers, base);
            if object != Object::Unknown {
                seen.push(base);
                found.push(object);
                continue;
            }
            let sources = match numbers.def(base) {
                &Def::Leaf(origin) => passed_on(graph, origin),
                Def::Node(..) => None,
            };
            let sources = sources.and_then(|sources| sources.iter().map(|&source| numbers.known(source)).collect());
            let sources: Option<SmallVec<[Vn; 4]>> = sources.filter(|_| seen.len() < MAX_PASSED_ON);
            let Some(sources) = sources else { return SmallVec::from_slice(&[Object::Unknown]) };
            seen.push(base);
            pending.extend(sources);
        }
        found
    }

    /// The object of a base.
    fn object(&self, graph: &Graph, numbers: &Numbering, base: Vn) -> Object {
        if self.stack.contains(&base) || self.fresh.contains(&base) {
            return Object::Own(base);
        }
        let origin = match numbers.def(base) {
            Def::Leaf(origin) => *origin,
            Def::Node(Op::Const(_), symbols) if symbols.is_empty() => return Object::Older,
            Def::Node(..) => return Object::Unknown,
        };
        let (region, index) = match graph.def(origin) {
            OriginDef::Argument(region, index) => (region, index),
            OriginDef::Output(node, _) => {
                // It may have been removed since it got its number.
                return match graph.op(node).filter(|_| graph.is_live(node)) {
                    Some(Op::Load(_)) => self.owner(graph, node).map_or(Object::Loaded, Object::Owned),
                    Some(Op::Call(_) | Op::Invoke(_)) => Object::Returned,
                    _ => Object::Unknown,
                };
            }
        };
        if region != graph.root() {
            return Object::Unknown;
        }
        let Some(surroundings) = self.surroundings else { return Object::Older };
        if let Some(Context::Variable { symbol, constant, unescaped, .. }) = surroundings.context(index as usize) {
            return Object::Variable { symbol, constant, unescaped };
        }
        if is_noalias(graph.pool(), surroundings, index as usize) { Object::Param(origin) } else { Object::Older }
    }

    /// The variable from which a pointer is loaded, if it owns what it points to.
    fn owner(&self, graph: &Graph, load: Node) -> Option<Symbol> {
        match self.surroundings?.context(argument_of_root(graph, graph.input(load, 0))?)? {
            Context::Variable { symbol, owner: true, .. } => Some(symbol),
            _ => None,
        }
    }
}

/// Whether an argument of the root is a `noalias` parameter.
fn is_noalias(pool: &Pool, surroundings: &Surroundings, argument: usize) -> bool {
    let param = surroundings.parameter(argument);
    surroundings.attributes().zip(param).is_some_and(|(list, param)| calls::is_noalias(pool, list, param))
}
