//! Addresses in a loop as affine functions of the iteration.

use rustc_hash::FxHashMap;
use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};
use smallvec::SmallVec;

use crate::evolution::{Chain, Evolution, Linear};
use crate::invariant::{follow_out, known_constant};

/// How many successive `getelementptr` are looked through.
const MAX_CHAIN: usize = 8;

/// How many successive additions are looked through.
const MAX_SUMS: u32 = 3;

/// The width of an address.
pub(super) const BITS: u32 = 64;

/// An address that is `base + offset + stride · k` bytes in iteration k, modulo 2^64.
///
/// The linear combinations are in terms of invariants of the body, and of its arguments at their value in the first iteration.
#[derive(Clone, Debug)]
pub struct Affine {
    /// A pointer in the body: an invariant, or a variable at its value in the first iteration.
    pub base: Origin,
    /// The distance in bytes from the base in the first iteration.
    pub offset: Linear,
    /// The distance in bytes from each iteration to the next.
    pub stride: Linear,
    /// The pointer from which the base is computed, traced outwards as far as possible.
    root: Origin,
    /// The distance in bytes from the root in the first iteration, in values traced outwards.
    position: Linear,
}

/// How an access moves through memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// It does not move.
    Uniform,
    /// To the next element, without a gap.
    Consecutive,
    /// To the previous element, without a gap.
    Reverse,
    /// By another known number of bytes.
    Strided(i64),
    /// By an unknown number of bytes.
    Unknown,
}

impl Affine {
    /// By how many bytes the address moves in each iteration, if known.
    pub fn step(&self) -> Option<i64> {
        let step = self.stride.known()?.signed();
        i32::try_from(step).ok().map(i64::from)
    }

    /// The pattern of an access of `size` bytes.
    pub fn pattern(&self, size: i64) -> Pattern {
        match self.step() {
            Some(0) => Pattern::Uniform,
            Some(step) if step == size => Pattern::Consecutive,
            Some(step) if step == -size => Pattern::Reverse,
            Some(step) => Pattern::Strided(step),
            None => Pattern::Unknown,
        }
    }

    /// The pointer from which the address is computed, traced outwards as far as possible.
    pub fn root(&self) -> Origin {
        self.root
    }

    /// The distance in bytes of the address from the [root](Affine::root) in the first iteration, if known.
    pub fn position(&self) -> Option<i128> {
        Some(self.position.known()?.signed())
    }

    /// The distance in bytes from this address to another one in the first iteration, if both are computed from one pointer and it is
    /// known.
    pub fn distance_to(&self, other: &Affine) -> Option<i64> {
        let distance = self.apart(other)?.known()?.signed();
        i32::try_from(distance).ok().map(i64::from)
    }

    /// Whether another address is computed from the same pointer, and in the first iteration is away by a number of elements of this size
    /// that is a variable, or a sum or difference of variables: as two positions in a row of an array are.
    pub fn is_in_row_of(&self, other: &Affine, size: i64) -> bool {
        self.apart(other).is_some_and(|apart| {
            let is_one = |factor: Int| factor.signed().abs() == i128::from(size);
            !apart.terms().is_empty() && apart.terms().iter().all(|&(_, factor)| is_one(factor))
        })
    }

    /// Whether a distance from the [root](Affine::root), in values traced outwards, is that of a place `behind` bytes before the address in
    /// the first iteration.
    pub(super) fn is_at(&self, position: &Linear, behind: i64) -> bool {
        self.position.minus(position).known().is_some_and(|distance| distance.signed() == i128::from(behind))
    }

    /// The address a number of bytes before this one.
    pub fn before(&self, behind: i64) -> Affine {
        let by = Linear::constant(Int::new(BITS, behind as u64 as u128));
        let moved = |value: &Linear| value.minus(&by);
        Affine { offset: moved(&self.offset), position: moved(&self.position), ..self.clone() }
    }

    /// The distance in bytes from this address to another one in the first iteration, if both are computed from one pointer.
    fn apart(&self, other: &Affine) -> Option<Linear> {
        (self.root == other.root).then(|| other.position.minus(&self.position))
    }
}

/// Facts about the pointers of a loop.
pub struct Addresses<'e> {
    evolution: &'e Evolution,
    layouts: Layouts,
    /// By how many bytes pointers that are loop variables move in each iteration.
    pointers: FxHashMap<Origin, Linear>,
}

impl<'e> Addresses<'e> {
    /// Analyzes the variables of a loop. `None` if addresses do not have 64 bits.
    pub fn of(graph: &Graph, evolution: &'e Evolution, layouts: Layouts) -> Option<Addresses<'e>> {
        let pointer = layouts.data().pointer(0);
        if pointer.bits != BITS || pointer.index_bits != BITS || pointer.is_unstable {
            return None;
        }
        let mut addresses = Addresses { evolution, layouts, pointers: FxHashMap::default() };
        for variable in evolution.theta().loop_vars(graph) {
            let post = graph.origin(variable.post);
            if graph.ty(variable.pre) == Type::PTR
                && let Some((root, by)) = addresses.walk(graph, post)
                && root == variable.pre
                && by.is_invariant()
            {
                addresses.pointers.insert(variable.pre, by.start().clone());
            }
        }
        Some(addresses)
    }

    /// The loop.
    pub fn theta(&self) -> Theta {
        self.evolution.theta()
    }

    /// By how many bytes a pointer that is a loop variable moves in each iteration, if that is invariant.
    pub fn pointer_step(&self, argument: Origin) -> Option<&Linear> {
        self.pointers.get(&argument)
    }

    /// Sizes and offsets of types.
    pub fn layouts(&mut self) -> &mut Layouts {
        &mut self.layouts
    }

    /// An address of the body as an affine function of the iteration.
    pub fn affine(&mut self, graph: &Graph, address: Origin) -> Option<Affine> {
        if graph.ty(address) != Type::PTR {
            return None;
        }
        let (base, by) = self.walk(graph, address)?;
        let (offset, mut stride) = (by.start().clone(), by.step()?);
        match self.pointers.get(&base) {
            Some(step) => stride = stride.plus(step),
            None if self.evolution.invariants().outside(base).is_some() => {}
            None => return None,
        }
        let position = followed(graph, self.evolution, &offset);
        let (root, position) = rooted(graph, &mut self.layouts, start(graph, self.evolution, base)?, position);
        Some(Affine { base, offset, stride, root, position })
    }

    /// The first pointer on the chain of `getelementptr` that none of them computes, and the distance in bytes.
    fn walk(&mut self, graph: &Graph, pointer: Origin) -> Option<(Origin, Chain)> {
        let (mut at, mut sum) = (pointer, Chain::of(Linear::constant(Int::new(BITS, 0))));
        for _ in 0..MAX_CHAIN {
            let Some(node) = graph.producer(at) else { return Some((at, sum)) };
            for term in terms(graph, &mut self.layouts, node)? {
                let part = match term {
                    Term::Bytes(bytes) => Chain::of(Linear::constant(bytes)),
                    Term::Index(index, size) => self.evolution.chain(graph, index)?.scaled(size),
                };
                sum = sum.plus(&part);
            }
            at = graph.input(node, 0);
        }
        None
    }
}

/// Traces a pointer from outside a loop outwards as far as possible; returns the root, and `position`, in values traced outwards, plus
/// the distance in bytes.
pub(super) fn rooted(graph: &Graph, layouts: &mut Layouts, pointer: Origin, mut position: Linear) -> (Origin, Linear) {
    let mut root = follow_out(graph, pointer).0;
    for _ in 0..MAX_CHAIN {
        let Some((pointer, by)) = outer_gep(graph, layouts, root) else { break };
        position = position.plus(&by);
        root = follow_out(graph, pointer).0;
    }
    (root, position)
}

/// The pointer from which a pointer outside the loop is computed, and the distance in bytes.
fn outer_gep(graph: &Graph, layouts: &mut Layouts, pointer: Origin) -> Option<(Origin, Linear)> {
    let node = graph.producer(pointer)?;
    let mut sum = Linear::constant(Int::new(BITS, 0));
    for term in terms(graph, layouts, node)? {
        sum = sum.plus(&match term {
            Term::Bytes(bytes) => Linear::constant(bytes),
            Term::Index(index, size) => traced(graph, index, BITS, MAX_SUMS).scaled(size),
        });
    }
    Some((graph.input(node, 0), sum))
}

/// The terms, in bytes, that a `getelementptr` adds.
pub(crate) fn terms(graph: &Graph, layouts: &mut Layouts, node: Node) -> Option<SmallVec<[Term; 4]>> {
    let Some(Op::Gep { source, .. }) = graph.op(node) else { return None };
    if graph.ty(graph.output(node, 0)) != Type::PTR {
        return None;
    }
    let pool = graph.pool();
    let (mut ty, mut terms) = (source, SmallVec::new());
    for (position, index) in graph.input_origins(node).skip(1).enumerate() {
        let known = known_constant(graph, index).and_then(|known| Int::of_const(pool, known));
        if position > 0 {
            match pool.type_kind(ty) {
                &TypeKind::Array { element, .. } => ty = element,
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    let field = usize::try_from(known?.unsigned()).ok()?;
                    let layout = layouts.of(pool, ty).ok()?;
                    let &(offset, _) = layout.fields()?.get(field)?;
                    terms.push(Term::Bytes(Int::new(BITS, offset.into())));
                    ty = *elements.get(field)?;
                    continue;
                }
                _ => return None,
            }
        }
        let size = Int::new(BITS, layouts.of(pool, ty).ok()?.size.into());
        match known {
            Some(known) if known.bits() <= BITS => terms.push(Term::Bytes(known.sext(BITS).mul(size))),
            None if graph.ty(index) == Type::I64 => terms.push(Term::Index(index, size)),
            _ => return None,
        }
    }
    Some(terms)
}

/// A term that a `getelementptr` adds to a pointer.
pub(crate) enum Term {
    /// A number of bytes.
    Bytes(Int),
    /// A 64-bit index, times a number of bytes.
    Index(Origin, Int),
}

/// The initial value of a variable, outside the loop.
fn start(graph: &Graph, evolution: &Evolution, argument: Origin) -> Option<Origin> {
    let (theta, variable) = Theta::loop_var_of_argument(graph, argument)?;
    (theta == evolution.theta()).then(|| graph.origin(variable.input))
}

/// A value as a linear combination of values traced outwards. At most `depth` operations are looked through.
fn traced(graph: &Graph, value: Origin, bits: u32, depth: u32) -> Linear {
    let outer = follow_out(graph, value).0;
    if let Some(known) = known_constant(graph, outer).and_then(|known| Int::of_const(graph.pool(), known)) {
        return Linear::constant(known);
    }
    let node =
        graph.producer(outer).filter(|_| depth > 0 && *graph.pool().type_kind(graph.ty(outer)) == TypeKind::Int(bits));
    let operand = |node, index| traced(graph, graph.input(node, index), bits, depth - 1);
    match node.and_then(|node| Some((node, graph.op(node)?))) {
        Some((node, Op::IntBinary { op: IntBinary::Add, .. })) => operand(node, 0).plus(&operand(node, 1)),
        Some((node, Op::IntBinary { op: IntBinary::Sub, .. })) => operand(node, 0).minus(&operand(node, 1)),
        _ => Linear::of(outer, bits),
    }
}

/// A linear combination with values traced out of the loop, and variables replaced by their initial values.
fn followed(graph: &Graph, evolution: &Evolution, value: &Linear) -> Linear {
    let constant = Linear::constant(value.offset());
    value.terms().iter().fold(constant, |sum, &(origin, factor)| {
        let first = start(graph, evolution, origin).unwrap_or(origin);
        sum.plus(&traced(graph, first, factor.bits(), MAX_SUMS).scaled(factor))
    })
}
