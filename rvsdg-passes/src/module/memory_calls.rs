//! Calls of the intrinsics that fill and copy memory.

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::build::Insert;
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Node, Op, Origin, Pool, Type, TypeKind};

use super::declarations::Declaration;

/// An intrinsic on address space 0 with an `i64` length.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MemoryCall {
    /// `llvm.memset`
    Set,
    /// `llvm.memcpy`
    Copy,
    /// `llvm.memmove`
    Move,
}

impl MemoryCall {
    fn name(self) -> &'static str {
        match self {
            MemoryCall::Set => "llvm.memset.p0.i64",
            MemoryCall::Copy => "llvm.memcpy.p0.p0.i64",
            MemoryCall::Move => "llvm.memmove.p0.p0.i64",
        }
    }

    fn ty(self, pool: &Pool) -> Type {
        let second = if self == MemoryCall::Set { pool.int(8) } else { Type::PTR };
        let params = [Type::PTR, second, Type::I64, Type::I1].into();
        pool.intern_type(TypeKind::Function { result: Type::VOID, params, variadic: false })
    }

    /// LLVM's attributes of the intrinsic.
    fn attributes(self) -> AttributeList {
        let list = |texts: &[&str]| texts.iter().map(|&text| Attribute::parse(text)).collect();
        let effects = if self == MemoryCall::Set { "memory(argmem: write)" } else { "memory(argmem: readwrite)" };
        let alone: &[&str] = if self == MemoryCall::Copy { &["noalias"] } else { &[] };
        let to = [alone, &["writeonly", "captures(none)"]].concat();
        let from = [alone, &["readonly", "captures(none)"]].concat();
        let second = if self == MemoryCall::Set { Box::default() } else { list(&from) };
        AttributeList {
            function: list(&["nocallback", "nofree", "nounwind", "willreturn", effects]),
            result: Box::default(),
            params: [list(&to), second, Box::default(), list(&["immarg"])].into(),
        }
    }

    /// The intrinsic's declaration.
    pub fn declaration(self, pool: &Pool) -> Declaration {
        Declaration { name: self.name().into(), ty: self.ty(pool), attributes: self.attributes() }
    }

    /// A non-volatile call of the address `callee` with destination, byte or source, number of bytes, and memory state. `aligns` are in
    /// bytes, of the destination and possibly the source.
    pub fn node(
        self,
        at: &mut Insert<'_>,
        callee: Origin,
        operands: [Origin; 3],
        memory: Origin,
        aligns: &[u64],
    ) -> Node {
        let pool = at.graph().pool().clone();
        let aligned = |align: &u64| -> Box<[Attribute]> {
            match *align {
                0 => Box::default(),
                align => [Attribute::Bytes(AttributeKind::Align, align)].into(),
            }
        };
        let attributes = AttributeList { params: aligns.iter().map(aligned).collect(), ..AttributeList::default() };
        let attributes = pool.intern_attributes(attributes);
        let info = CallInfo { attributes, effects: Effects::MEM, ..CallInfo::new(self.ty(&pool)) };
        let volatile = at.int(Type::I1, 0);
        let [to, second, length] = operands;
        at.node(Op::Call(pool.intern_call(info)), &[callee, to, second, length, volatile, memory], &[Type::MEM])
    }
}
