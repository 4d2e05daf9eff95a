//! Signatures of operations on memory.

use super::op::Signature;
use super::types::{is_first_class, lanes};
use crate::op::{AtomicOrdering, MemAccess, RmwOp, SyncScope};
use crate::{Constant, Pool, Type, TypeKind};

/// The greatest alignment LLVM knows, 2³².
const MAX_ALIGN_LOG2: u8 = 32;

impl Signature<'_, '_> {
    fn align(&mut self, align_log2: u8) {
        self.payload(align_log2 <= MAX_ALIGN_LOG2, "an alignment is at most 2^32");
    }

    fn sized(&mut self, ty: Type, what: &str) {
        if !self.types.fact(ty).sized {
            let message = format!("{what} has no size");
            self.types_flaw(message);
        }
    }

    fn access(&mut self, access: MemAccess) {
        self.align(access.align_log2);
        let plain = access.ordering != AtomicOrdering::NotAtomic || access.scope == SyncScope::SYSTEM;
        self.payload(plain, "only an atomic access has a scope");
    }

    pub(super) fn gep(&mut self, source: Type) {
        let pool = self.pool;
        if self.inputs.is_empty() || self.outputs.len() != 1 {
            self.arity(self.inputs.len().max(1), 1);
            return;
        }
        if let Some(flaw) = self.types.fact(source).flaw {
            self.types_flaw(flaw);
        }
        self.sized(source, "the source element type");
        let (base, shape) = lanes(pool, self.inputs[0]);
        self.demand(matches!(base, TypeKind::Ptr(_)), "input 0 is a pointer or a vector of pointers");
        let mut shape = shape;
        for index in 1..self.inputs.len() {
            let (lane, lanes) = lanes(pool, self.inputs[index]);
            self.demand(matches!(lane, TypeKind::Int(_)), "indices are integers or vectors of integers");
            self.demand(lanes.is_none() || shape.is_none() || lanes == shape, "vectors have equally many lanes");
            shape = shape.or(lanes);
        }
        let (to, to_shape) = lanes(pool, self.outputs[0]);
        self.demand(to == base && to_shape == shape, "the output is as many pointers into input 0's address space");
        let mut ty = source;
        for index in 2..self.inputs.len() {
            let next = match pool.type_kind(ty) {
                TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => Some(*element),
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    let field = (self.constant)(index).and_then(|constant| small_int(pool, constant));
                    field.and_then(|field| elements.get(usize::try_from(field).ok()?).copied())
                }
                _ => None,
            };
            let Some(next) = next else {
                let text = self.text(ty);
                return self.types_flaw(format!("input {index} does not lead to an element of {text}"));
            };
            ty = next;
        }
    }

    pub(super) fn alloca(&mut self, ty: Type, align_log2: u8) {
        self.align(align_log2);
        if let Some(flaw) = self.types.fact(ty).flaw {
            self.types_flaw(flaw);
        }
        self.sized(ty, "the element type");
        if self.arity(1, 1) {
            self.integer(0);
            let pointer = matches!(self.kind(self.outputs[0]), TypeKind::Ptr(_));
            self.demand(pointer, "the output is a pointer");
        }
    }

    pub(super) fn load(&mut self, access: MemAccess) {
        self.access(access);
        let good = !matches!(access.ordering, AtomicOrdering::Release | AtomicOrdering::AcquireRelease);
        self.payload(good, "a load does not release");
        if self.arity(1, 1) {
            self.pointer(0);
            self.loaded(self.outputs[0], access);
        }
    }

    pub(super) fn store(&mut self, access: MemAccess) {
        self.access(access);
        let good = !matches!(access.ordering, AtomicOrdering::Acquire | AtomicOrdering::AcquireRelease);
        self.payload(good, "a store does not acquire");
        if self.arity(2, 0) {
            self.pointer(1);
            self.loaded(self.inputs[0], access);
        }
    }

    /// The type of a value in memory.
    fn loaded(&mut self, ty: Type, access: MemAccess) {
        self.demand(is_first_class(self.kind(ty)), "memory holds values");
        self.sized(ty, "the value");
        if access.ordering != AtomicOrdering::NotAtomic {
            let lane = lanes(self.pool, ty).0;
            let good = matches!(lane, TypeKind::Int(_) | TypeKind::Ptr(_)) || lane.is_float();
            self.demand(good, "an atomic access is of integers, pointers or floats");
        }
    }

    pub(super) fn cmpxchg(&mut self, access: MemAccess, failure: AtomicOrdering) {
        self.access(access);
        let weak = |ordering| matches!(ordering, AtomicOrdering::NotAtomic | AtomicOrdering::Unordered);
        let releases = matches!(failure, AtomicOrdering::Release | AtomicOrdering::AcquireRelease);
        self.payload(!weak(access.ordering) && !weak(failure), "both orderings are at least monotonic");
        self.payload(!releases, "a failed exchange does not release");
        if self.arity(3, 1) {
            self.pointer(0);
            let ty = self.inputs[1];
            self.demand(ty == self.inputs[2], "inputs 1 and 2 have one type");
            let good = matches!(self.kind(ty), TypeKind::Int(_) | TypeKind::Ptr(_));
            self.demand(good, "integers and pointers are exchanged");
            let pair = matches!(self.kind(self.outputs[0]),
                TypeKind::Struct { elements, packed: false } if **elements == [ty, Type::I1]);
            self.demand(pair, "the output is a structure of the value and an i1");
        }
    }

    pub(super) fn rmw(&mut self, op: RmwOp, access: MemAccess) {
        self.access(access);
        let weak = matches!(access.ordering, AtomicOrdering::NotAtomic | AtomicOrdering::Unordered);
        self.payload(!weak, "the ordering is at least monotonic");
        if !self.arity(2, 1) {
            return;
        }
        self.pointer(0);
        self.demand(self.inputs[1] == self.outputs[0], "input 1 and the output have one type");
        let kind = self.kind(self.inputs[1]);
        let good = match op {
            RmwOp::Xchg => matches!(kind, TypeKind::Int(_) | TypeKind::Ptr(_)) || kind.is_float(),
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin | RmwOp::FMaximum | RmwOp::FMinimum => {
                lanes(self.pool, self.inputs[1]).0.is_float()
            }
            RmwOp::Add
            | RmwOp::Sub
            | RmwOp::And
            | RmwOp::Nand
            | RmwOp::Or
            | RmwOp::Xor
            | RmwOp::Max
            | RmwOp::Min
            | RmwOp::UMax
            | RmwOp::UMin
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap
            | RmwOp::USubCond
            | RmwOp::USubSat => matches!(kind, TypeKind::Int(_)),
        };
        self.demand(good, "the operand is not of a type that this update can have");
    }

    pub(super) fn fence(&mut self, ordering: AtomicOrdering) {
        let weak =
            matches!(ordering, AtomicOrdering::NotAtomic | AtomicOrdering::Unordered | AtomicOrdering::Monotonic);
        self.payload(!weak, "a fence acquires or releases");
        self.arity(0, 0);
    }
}

/// The value of an integer constant, or of all lanes of a vector of one.
fn small_int(pool: &Pool, constant: crate::Const) -> Option<u64> {
    match pool.constant(constant) {
        Constant::Int { words, .. } => {
            let (first, rest) = words.as_slice().split_first()?;
            rest.iter().all(|&word| word == 0).then_some(*first)
        }
        Constant::Splat { element, .. } => match pool.constant(*element) {
            Constant::Int { words, .. } => words.as_slice().first().copied(),
            _ => None,
        },
        Constant::Aggregate { elements, .. } => {
            let (first, rest) = elements.split_first()?;
            match pool.constant(*first) {
                Constant::Int { words, .. } if rest.iter().all(|other| other == first) => {
                    words.as_slice().first().copied()
                }
                _ => None,
            }
        }
        Constant::Zero(_) => Some(0),
        Constant::Data { ty, bytes } => {
            let TypeKind::Vector { len, .. } = *pool.type_kind(*ty) else { return None };
            let size = bytes.len().checked_div(len as usize)?;
            let first = bytes.get(..size)?;
            let same = size <= 8 && bytes.chunks(size.max(1)).all(|lane| lane == first);
            same.then(|| first.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
        }
        _ => None,
    }
}
