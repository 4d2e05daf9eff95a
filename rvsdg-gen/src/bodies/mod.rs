//! Verified graphs: bodies over all operations of the table, with γ and θ to a given depth.
//!
//! A body grows operation by operation. The operands of an operation are taken from the values in scope, or made as constants, so every
//! choice leads to a valid graph and nothing is thrown away. With [`Weights::defined`], its runs also end and have no undefined
//! behaviour, provided that its callees have none.

mod blocks;
mod calls;
mod casts;
mod cells;
mod choices;
mod constants;
mod counted;
mod decisions;
mod funclets;
mod guards;
mod heap;
mod idioms;
pub(crate) mod kernels;
mod lanes;
mod memory;
mod nests;
mod objects;
mod ops;
mod recursion;
mod streams;
mod structure;
mod sums;
mod tables;
mod typed;
pub(crate) mod unwinding;
mod walks;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::op::{BinaryFlags, IntBinary, MemAccess, OpCode};
use rvsdg_core::{Graph, Op, Origin, Pool, Region, Type, TypeKind};

pub(crate) use typed::Kind;

use crate::entropy::Entropy;
use crate::universe::{Class, Universe, constant};
use crate::weights::{Size, Weights};

/// What is known of an address.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Initialized memory.
    Memory(Room),
    /// A word of memory that holds the address of [lasting](Room::lasting) memory of [`Room::PASSED`].
    Cell,
    /// A function that may be called, by position in [`Plan::callees`].
    Function(usize),
    /// So many words that never change.
    Table(u64),
    /// A word and the address of the function at this position in [`Plan::callees`], which never change.
    Record(usize),
    /// A part of what throws and catches.
    Unwinding(unwinding::Part),
}

/// Memory that an address leads to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Room {
    /// Bytes from the address on.
    pub(crate) bytes: u64,
    /// Whether the address is a multiple of 8.
    pub(crate) aligned: bool,
    /// Whether it stays after the function has returned, and all that call it.
    pub(crate) lasting: bool,
    /// Which types accesses are said to be of: what kind of object it most likely is.
    pub(crate) kind: Kind,
}

impl Room {
    /// What is passed to functions at least, at any address.
    pub(crate) const PASSED: Room = Room { bytes: 32, aligned: false, lasting: false, kind: Kind::Untyped };

    /// What is sure of either of two.
    fn common(self, other: Room) -> Room {
        Room {
            bytes: self.bytes.min(other.bytes),
            aligned: self.aligned && other.aligned,
            lasting: self.lasting && other.lasting,
            kind: if self.kind == other.kind { self.kind } else { Kind::Untyped },
        }
    }

    /// Whether it has all that another has, of whatever kind.
    pub(crate) fn has(self, other: Room) -> bool {
        let kind = Kind::Untyped;
        Room { kind, ..self.common(other) } == Room { kind, ..other }
    }
}

/// A function that bodies may call.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub(crate) function_type: Type,
    /// Values that must be passed for some parameters, by position.
    pub(crate) fixed: Vec<(usize, u64)>,
    /// What is known of the addresses that are passed for some parameters, by position.
    pub(crate) addresses: Vec<(usize, Known)>,
}

/// What a body is to be.
pub(crate) struct Plan<'p> {
    /// Parameters: types, and what is known of them.
    pub(crate) params: Vec<(Type, Option<Known>)>,
    /// The type returned.
    pub(crate) result: Type,
    /// Context variables: pointers, and what is known of them.
    pub(crate) context: Vec<(Type, Option<Known>)>,
    /// The functions that context variables may be.
    pub(crate) callees: &'p [Callee],
    /// What calls the function itself, as often as its first parameter, an `i32`, says at most: the context variable, and its
    /// position in `callees`.
    pub(crate) recursion: Option<(usize, usize)>,
    /// The parameter that is returned, if that is sure.
    pub(crate) returned: Option<usize>,
    /// Whether it is a kernel's.
    pub(crate) kernel: Option<kernels::Kernel>,
}

/// What is in scope in a region.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) region: Region,
    pub(crate) values: Vec<Origin>,
    pub(crate) predicates: Vec<Origin>,
    pub(crate) tokens: Vec<Origin>,
    pub(crate) mem: Origin,
    pub(crate) io: Origin,
    /// How many loops are around.
    pub(crate) loops: usize,
}

/// A body in the making.
pub(crate) struct Maker<'a, 'e> {
    pub(crate) graph: Graph,
    pub(crate) pool: Arc<Pool>,
    pub(crate) entropy: &'a mut Entropy<'e>,
    pub(crate) weights: &'a Weights,
    pub(crate) universe: Universe,
    pub(crate) callees: &'a [Callee],
    known: FxHashMap<Origin, Known>,
    /// Addresses of symbols, wherever they are routed.
    pub(crate) symbols: FxHashSet<Origin>,
    table: Vec<u32>,
    budget: usize,
    /// The pads of funclets so far.
    pub(crate) pads: u32,
}

/// A body of a few parameters by itself; [`rvsdg_core::verify::verify_graph`] finds nothing wrong with it.
pub fn body(entropy: &mut Entropy<'_>, weights: &Weights, size: Size) -> Graph {
    let pool = Arc::new(Pool::new());
    let universe = Universe::new(&pool, weights);
    let params = (0..1 + entropy.below(4)).map(|_| (universe.pick(&pool, Class::Any, entropy), None)).collect();
    let result = if entropy.chance(3, 4) { universe.pick(&pool, Class::Any, entropy) } else { Type::VOID };
    let plan = Plan {
        params,
        result,
        context: vec![(Type::PTR, None)],
        callees: &[],
        recursion: None,
        returned: None,
        kernel: None,
    };
    planned_body(&pool, entropy, weights, size, &plan)
}

/// A body as planned.
pub(crate) fn planned_body(
    pool: &Arc<Pool>,
    entropy: &mut Entropy<'_>,
    weights: &Weights,
    size: Size,
    plan: &Plan<'_>,
) -> Graph {
    let mut graph = Graph::new(pool.clone());
    let root = graph.root();
    let mut known = FxHashMap::default();
    let mut values = Vec::new();
    for &(ty, what) in plan.context.iter().chain(&plan.params) {
        let argument = graph.add_argument(root, ty);
        known.extend(what.map(|what| (argument, what)));
        values.push(argument);
    }
    let symbols = values[..plan.context.len()].iter().copied().collect();
    let returned = plan.returned.map(|param| values[plan.context.len() + param]);
    if plan.kernel.is_some() {
        // What is of another address space is for what kernels do alone.
        values.retain(|&value| !matches!(*pool.type_kind(graph.ty(value)), TypeKind::Ptr(1..)));
    }
    let tokens = values.extract_if(.., |value| *pool.type_kind(graph.ty(*value)) == TypeKind::Token).collect();
    let [mem, io] = [Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
    let mut scope = Scope { region: root, values, predicates: vec![], tokens, mem, io, loops: 0 };
    let mut maker = Maker {
        graph,
        pool: pool.clone(),
        entropy,
        weights,
        universe: Universe::new(pool, weights),
        callees: plan.callees,
        known,
        symbols,
        table: weights.table(),
        budget: size.nodes,
        pads: 0,
    };
    let ends_with_call = plan.recursion.is_some() && returned.is_none() && maker.entropy.chance(2, 3);
    if ends_with_call && maker.entropy.chance(3, 4) {
        // Mostly nothing is on the stack then: idioms put something there.
        maker.table[OpCode::Alloca as usize] = 0;
        maker.table[OpCode::ALL.len() + 4] = 0;
    }
    if let Some(kernel) = plan.kernel {
        maker.begin_kernel(&mut scope, kernel);
    }
    while maker.budget > 0 && !maker.entropy.is_exhausted() {
        maker.fill(&mut scope, size.depth);
        if plan.kernel.is_some() && maker.entropy.chance(1, 4) {
            maker.exchange(&mut scope);
        }
    }
    if let Some(kernel) = plan.kernel {
        maker.end_kernel(&mut scope, kernel);
    }
    let result = match (plan.recursion, returned) {
        (Some((variable, callee)), None) if ends_with_call => maker.tail_recursion(&mut scope, variable, callee, plan),
        (recursion, returned) => {
            if let Some((variable, callee)) = recursion {
                maker.recursion(&mut scope, variable, callee, plan);
            }
            match returned {
                Some(returned) => Some(returned),
                None => (plan.result != Type::VOID).then(|| maker.returned(&mut scope, plan.result)),
            }
        }
    };
    for origin in result.into_iter().chain([scope.mem, scope.io]) {
        maker.graph.add_result(root, origin);
    }
    maker.graph
}

impl Maker<'_, '_> {
    /// Adds up to a few operations and structural nodes.
    pub(crate) fn fill(&mut self, scope: &mut Scope, depth: usize) {
        for _ in 0..1 + self.entropy.below(8) {
            if self.budget == 0 || self.entropy.is_exhausted() {
                return;
            }
            self.budget -= 1;
            let choice = self.entropy.weighted(&self.table).unwrap_or(0);
            match OpCode::ALL.get(choice) {
                Some(&code) => self.operation(scope, code),
                None if depth == 0 => {}
                None if choice == OpCode::ALL.len() => self.gamma(scope, depth - 1),
                None if choice == OpCode::ALL.len() + 1 => self.theta(scope, depth - 1),
                None if choice == OpCode::ALL.len() + 2 => self.guarded(scope),
                None if choice == OpCode::ALL.len() + 3 => self.unwinding(scope),
                None => self.idiom(scope),
            }
        }
    }

    /// What the body returns. In a defined body, a number that depends on all that it computed.
    fn returned(&mut self, scope: &mut Scope, ty: Type) -> Origin {
        if !self.weights.defined || ty != Type::I64 {
            return self.value(scope, ty);
        }
        for value in scope.values.clone() {
            if let Some(Known::Memory(Room { bytes: 8.., aligned, .. })) = self.what(value) {
                let access = MemAccess::plain(if aligned { 3 } else { 0 });
                self.effect(scope, Op::Load(access), &[value], &[Type::I64]);
            }
        }
        let mut sum = self.int(scope, Type::I64, 0x9e37_79b9);
        for value in scope.values.clone() {
            let number = match self.ty(value) {
                Type::I64 => value,
                ty if Universe::is(&self.pool, ty, Class::Int) => self.resize(scope, value, Type::I64),
                _ => continue,
            };
            let factor = self.int(scope, Type::I64, 0x0100_0000_01b3);
            let mixed = self.int_binary(scope, IntBinary::Xor, sum, number);
            // Where values may be poison, all of them together mostly are.
            let mixed = self.int_binary(scope, IntBinary::Mul, mixed, factor);
            if self.weights.flags == 0 || self.entropy.chance(1, 3) {
                sum = mixed;
            }
        }
        sum
    }

    /// Adds a node without states and takes its outputs into scope; its first output.
    pub(crate) fn pure(&mut self, scope: &mut Scope, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        let node = self.graph.add_simple(scope.region, op, inputs, &[ty]);
        let output = self.graph.output(node, 0);
        match self.pool.type_kind(ty) {
            TypeKind::Ctl(_) => scope.predicates.push(output),
            TypeKind::Token => scope.tokens.push(output),
            _ => scope.values.push(output),
        }
        output
    }

    /// Adds a node with the states its operation takes; its value outputs go into scope.
    pub(crate) fn effect(&mut self, scope: &mut Scope, op: Op, inputs: &[Origin], outputs: &[Type]) -> Vec<Origin> {
        let effects = op.effects(&self.pool);
        let states = effects.types().map(|ty| if ty == Type::MEM { scope.mem } else { scope.io });
        let inputs: Vec<Origin> = inputs.iter().copied().chain(states).collect();
        let types: Vec<Type> = outputs.iter().copied().chain(effects.types()).collect();
        let node = self.graph.add_simple(scope.region, op, &inputs, &types);
        let outputs = self.graph.outputs(node).to_vec();
        for &output in &outputs {
            match self.pool.type_kind(self.graph.ty(output)) {
                TypeKind::Mem => scope.mem = output,
                TypeKind::Io => scope.io = output,
                TypeKind::Ctl(_) => scope.predicates.push(output),
                TypeKind::Token => scope.tokens.push(output),
                _ => scope.values.push(output),
            }
        }
        outputs
    }

    pub(crate) fn ty(&self, origin: Origin) -> Type {
        self.graph.ty(origin)
    }

    pub(crate) fn what(&self, origin: Origin) -> Option<Known> {
        self.known.get(&origin).copied()
    }

    pub(crate) fn know(&mut self, origin: Origin, what: Option<Known>) {
        if let Some(what) = what {
            self.known.insert(origin, what);
        }
    }

    /// Notes that one origin is always another, of an outer region.
    pub(crate) fn enter(&mut self, inside: Origin, outside: Origin) {
        self.know(inside, self.what(outside));
        if self.symbols.contains(&outside) {
            self.symbols.insert(inside);
        }
    }

    pub(crate) fn is(&self, ty: Type, class: Class) -> bool {
        Universe::is(&self.pool, ty, class)
    }

    /// A type of a class.
    pub(crate) fn any_type(&mut self, class: Class) -> Type {
        self.universe.pick(&self.pool, class, self.entropy)
    }

    /// A constant of a type.
    pub(crate) fn constant(&mut self, scope: &mut Scope, ty: Type) -> Origin {
        let constant = constant(&self.pool, ty, self.weights, self.entropy);
        self.pure(scope, Op::Const(constant), &[], ty)
    }

    /// The constant `value` of an integer type of up to 64 bits.
    pub(crate) fn int(&mut self, scope: &mut Scope, ty: Type, value: u64) -> Origin {
        let op = Op::Const(self.pool.int_const(ty, value));
        let node = self.graph.add_simple(scope.region, op, &[], &[ty]);
        self.graph.output(node, 0)
    }

    /// An integer operation without flags, out of scope.
    pub(crate) fn int_binary(&mut self, scope: &mut Scope, op: IntBinary, lhs: Origin, rhs: Origin) -> Origin {
        let ty = self.ty(lhs);
        let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
        let node = self.graph.add_simple(scope.region, op, &[lhs, rhs], &[ty]);
        self.graph.output(node, 0)
    }

    /// A value in scope of a type, recent ones more often, or a constant.
    pub(crate) fn value(&mut self, scope: &mut Scope, ty: Type) -> Origin {
        let fitting: Vec<Origin> = scope.values.iter().copied().filter(|&value| self.ty(value) == ty).collect();
        self.some_of(&fitting).unwrap_or_else(|| self.constant(scope, ty))
    }

    /// A value of a class.
    pub(crate) fn any_value(&mut self, scope: &mut Scope, class: Class) -> Origin {
        let fitting: Vec<Origin> =
            scope.values.iter().copied().filter(|&value| self.is(self.ty(value), class)).collect();
        self.some_of(&fitting).unwrap_or_else(|| {
            let ty = self.any_type(class);
            self.constant(scope, ty)
        })
    }

    /// One of a list, the last ones more often; now and then none, and none of an empty list.
    fn some_of(&mut self, list: &[Origin]) -> Option<Origin> {
        if list.is_empty() || self.entropy.chance(1, 8) {
            return None;
        }
        let recent = list.len().saturating_sub(6);
        let from = if self.entropy.chance(1, 3) { 0 } else { recent };
        Some(list[list.len() - 1 - self.entropy.below(list.len() - from)])
    }

    /// Whether this operation has flags.
    pub(crate) fn has_flags(&mut self) -> bool {
        self.entropy.chance(self.weights.flags, 100)
    }
}
