//! Calls of the intrinsics that fill and copy memory.

use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::build::Insert;
use rvsdg_core::module::{SymbolData, SymbolKind};
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Module, Node, Op, Origin, Pool, Symbol, Type, TypeKind};

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
        let list = |texts: &[&str]| texts.iter().map(|&text| Attribute { text: text.into(), ty: None }).collect();
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

    /// The symbol of the intrinsic, imported into the module; and its address, if it was not imported before. `None` if something else
    /// has its name.
    pub fn symbol(self, module: &mut Module) -> Option<(Symbol, Option<Origin>)> {
        let ty = self.ty(&module.pool);
        let known = module.order.iter().copied().find(|&symbol| &*module.symbols[symbol].name == self.name());
        if known.is_some_and(|symbol| module.symbols[symbol].value_type != ty) {
            return None;
        }
        let symbol = known.unwrap_or_else(|| {
            let data = self.declaration(&module.pool, ty);
            module.add_symbol(data)
        });
        let is_new = !module.imports.contains(&symbol);
        Some((symbol, is_new.then(|| module.add_import(symbol))))
    }

    fn declaration(self, pool: &Pool, ty: Type) -> SymbolData {
        let attributes = pool.intern_attributes(self.attributes());
        let kind = SymbolKind::Function {
            convention: 0,
            attributes,
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        };
        SymbolData::new(self.name(), ty, kind)
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
            match align {
                0 => Box::default(),
                align => [Attribute { text: format!("align {align}").into(), ty: None }].into(),
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
