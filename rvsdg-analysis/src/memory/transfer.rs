//! Calls of intrinsics that copy or fill a known number of bytes.

use rvsdg_core::attribute::Attribute;
use rvsdg_core::fold::Int;
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Graph, Node, Op, Origin, Pool, TypeKind};

use super::calls::CallEffect;
use super::effects::Location;
use crate::callee::argument_of_root;
use crate::invariant::known_constant;
use crate::numbering::Numbering;
use crate::surroundings::{Context, MemoryIntrinsic, Surroundings};

/// A call of `llvm.memcpy`, `llvm.memmove` or `llvm.memset` that is not volatile.
#[derive(Copy, Clone)]
pub struct Transfer {
    /// The destination.
    pub to: Origin,
    /// The source, if it copies.
    pub from: Option<Origin>,
    /// The number of bytes; not zero.
    pub len: u64,
    /// Log2 of the alignments in bytes that the call claims for destination and source.
    pub align_log2: [u8; 2],
}

impl Transfer {
    /// The transfer of a node.
    pub fn of(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Transfer> {
        let Some(Op::Call(call)) = graph.op(node) else { return None };
        let pool = graph.pool();
        let info = pool.call(call);
        let is_plain = info.assembly.is_none() && info.bundles.is_empty() && info.effects == Effects::MEM;
        if !is_plain || graph.inputs(node).len() != 6 {
            return None;
        }
        let context = surroundings?.context(argument_of_root(graph, graph.input(node, 0))?)?;
        let Context::Function { memory: Some(memory), .. } = context else { return None };
        let from = match memory {
            MemoryIntrinsic::Mark => return None,
            MemoryIntrinsic::Copy => Some(graph.input(node, 2)),
            MemoryIntrinsic::Set => None,
        };
        let int = |index| Int::of_const(pool, known_constant(graph, graph.input(node, index))?);
        let is_volatile = !int(4)?.is_zero();
        let len = int(3).filter(|len| len.bits() <= 64)?.unsigned() as u64;
        let align_log2 = [0, 1].map(|param| align_log2(pool, info, param));
        let is_known = !is_volatile && len > 0 && i64::try_from(len).is_ok();
        is_known.then_some(Transfer { to: graph.input(node, 1), from, len, align_log2 })
    }

    /// The bytes that it writes.
    pub fn writes(&self, graph: &Graph, numbers: &mut Numbering) -> Location {
        bytes(graph, numbers, self.to, self.len)
    }

    /// The bytes that it reads.
    pub fn reads(&self, graph: &Graph, numbers: &mut Numbering) -> Option<Location> {
        self.from.map(|from| bytes(graph, numbers, from, self.len))
    }

    /// The same as the effects of a call.
    pub fn effect(&self, graph: &Graph, numbers: &mut Numbering) -> CallEffect {
        CallEffect {
            reads: self.reads(graph, numbers).into_iter().collect(),
            writes: [self.writes(graph, numbers)].into_iter().collect(),
            ..CallEffect::default()
        }
    }
}

/// A number of bytes starting at an address.
pub fn bytes(graph: &Graph, numbers: &mut Numbering, address: Origin, len: u64) -> Location {
    let pool = graph.pool();
    let ty = pool.intern_type(TypeKind::Array { element: pool.int(8), len });
    Location { addr: numbers.get(graph, address), ty }
}

/// The alignment that a call claims for a parameter's target.
fn align_log2(pool: &Pool, info: &CallInfo, param: usize) -> u8 {
    let mut said = pool.attributes(info.attributes).params.get(param).into_iter().flatten();
    said.find_map(Attribute::align_log2).unwrap_or(0)
}
