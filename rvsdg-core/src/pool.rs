//! What all graphs of a module share: interned types, constants and payloads of operations.

use std::num::NonZeroU16;
use std::sync::{Arc, OnceLock};

use crate::attribute::{AttributeList, Attributes};
use crate::constant::Words;
use crate::interner::Interner;
use crate::op::{Call, CallInfo, Ext, ExtHooks, ExtOp, Indices, MatchTable, MatchTableId, SyncScope};
use crate::tbaa::{AccessTag, TagDescriptor, TypeDescriptor, TypeNode};
use crate::{Const, Constant, Type, TypeKind};
use cranelift_entity::EntityRef;
use cranelift_entity::entity_impl;

#[derive(Copy, Clone, PartialEq, Eq)]
struct Scope(u32);
entity_impl!(Scope, "scope");

#[derive(Copy, Clone, PartialEq, Eq)]
struct Tag(u32);
entity_impl!(Tag, "tag");

/// Interned types, constants and payloads, shared by all graphs of a [`Module`](crate::Module). Append-only.
///
/// ```
/// use rvsdg_core::{Constant, Pool, Type};
///
/// let pool = Pool::new();
/// let seven = pool.int_const(Type::I32, 7);
/// assert_eq!(pool.int_const(Type::I32, 7), seven);
/// assert_eq!(pool.constant(seven).ty(), Type::I32);
/// let zeros = pool.intern_const(Constant::Zero(Type::PTR));
/// assert_ne!(zeros, pool.poison(Type::PTR));
/// ```
pub struct Pool {
    types: Interner<Type, TypeKind>,
    constants: Interner<Const, Constant>,
    attributes: Interner<Attributes, AttributeList>,
    calls: Interner<Call, CallInfo>,
    tables: Interner<MatchTableId, MatchTable>,
    indices: Interner<Indices, Box<[u32]>>,
    exts: Interner<Ext, ExtOp>,
    hooks: OnceLock<Arc<[ExtHooks]>>,
    scopes: Interner<Scope, Box<str>>,
    type_nodes: Interner<TypeNode, TypeDescriptor>,
    tags: Interner<Tag, TagDescriptor>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// A pool with nothing but the predefined types and scopes.
    pub fn new() -> Self {
        let pool = Pool {
            types: Interner::new(),
            constants: Interner::new(),
            attributes: Interner::new(),
            calls: Interner::new(),
            tables: Interner::new(),
            indices: Interner::new(),
            exts: Interner::new(),
            hooks: OnceLock::new(),
            scopes: Interner::new(),
            type_nodes: Interner::new(),
            tags: Interner::new(),
        };
        for (expected, kind) in [
            (Type::MEM, TypeKind::Mem),
            (Type::IO, TypeKind::Io),
            (Type::I1, TypeKind::Int(1)),
            (Type::I32, TypeKind::Int(32)),
            (Type::I64, TypeKind::Int(64)),
            (Type::PTR, TypeKind::Ptr(0)),
            (Type::VOID, TypeKind::Void),
            (Type::CTL2, TypeKind::Ctl(2)),
        ] {
            let ty = pool.intern_type(kind);
            assert!(ty == expected, "predefined types are interned in the order of their constants");
        }
        let none = pool.attributes.intern(AttributeList::default());
        assert!(none == Attributes::NONE, "the empty list is the first");
        pool.scopes.intern("".into());
        pool.scopes.intern("singlethread".into());
        pool
    }

    /// The id of a type.
    pub fn intern_type(&self, kind: TypeKind) -> Type {
        self.types.intern(kind)
    }

    /// What a type is.
    pub fn type_kind(&self, ty: Type) -> &TypeKind {
        self.types.get(ty)
    }

    /// Whether values of a type can be poison: all but states, predicates and tokens.
    pub fn has_poison(&self, ty: Type) -> bool {
        !ty.is_state() && !matches!(self.type_kind(ty), TypeKind::Ctl(_) | TypeKind::Token)
    }

    /// The integer type of `bits` bits.
    pub fn int(&self, bits: u32) -> Type {
        match bits {
            1 => Type::I1,
            32 => Type::I32,
            64 => Type::I64,
            _ => self.intern_type(TypeKind::Int(bits)),
        }
    }

    /// The predicate type of `n` alternatives.
    pub fn ctl(&self, n: u32) -> Type {
        if n == 2 { Type::CTL2 } else { self.intern_type(TypeKind::Ctl(n)) }
    }

    /// The number of alternatives of a predicate type; `None` for another type.
    pub fn ctl_alternatives(&self, ty: Type) -> Option<u32> {
        match *self.type_kind(ty) {
            TypeKind::Ctl(n) => Some(n),
            _ => None,
        }
    }

    /// The id of a constant.
    pub fn intern_const(&self, constant: Constant) -> Const {
        self.constants.intern(constant)
    }

    /// What a constant is.
    pub fn constant(&self, constant: Const) -> &Constant {
        self.constants.get(constant)
    }

    /// The integer constant `value` of a type of at most 64 bits; bits beyond the width are dropped.
    ///
    /// # Panics
    /// When `ty` is not an integer type of at most 64 bits.
    pub fn int_const(&self, ty: Type, value: u64) -> Const {
        let TypeKind::Int(bits @ ..=64) = *self.type_kind(ty) else { panic!("an integer type of at most 64 bits") };
        let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
        self.intern_const(Constant::Int { ty, words: Words::Small(value) })
    }

    /// The poison constant of a type.
    pub fn poison(&self, ty: Type) -> Const {
        self.intern_const(Constant::Poison(ty))
    }

    /// How many holes a constant has: one more than the greatest index of a hole in it.
    pub fn holes(&self, constant: Const) -> u32 {
        let mut holes = 0;
        let mut pending = vec![constant];
        while let Some(constant) = pending.pop() {
            let constant = self.constant(constant);
            pending.extend(constant.operands());
            if let Constant::Hole { index, .. }
            | Constant::DsoLocalEquivalent { index, .. }
            | Constant::NoCfi { index, .. }
            | Constant::BlockAddress { index, .. } = *constant
            {
                holes = holes.max(index + 1);
            }
        }
        holes
    }

    /// The id of an attribute list.
    pub fn intern_attributes(&self, list: AttributeList) -> Attributes {
        self.attributes.intern(list)
    }

    /// An attribute list.
    pub fn attributes(&self, attributes: Attributes) -> &AttributeList {
        self.attributes.get(attributes)
    }

    /// The id of a call's description.
    pub fn intern_call(&self, info: CallInfo) -> Call {
        self.calls.intern(info)
    }

    /// A call's description.
    pub fn call(&self, call: Call) -> &CallInfo {
        self.calls.get(call)
    }

    /// The id of a match table.
    pub fn intern_table(&self, table: MatchTable) -> MatchTableId {
        self.tables.intern(table)
    }

    /// A match table.
    pub fn table(&self, table: MatchTableId) -> &MatchTable {
        self.tables.get(table)
    }

    /// The id of a list of indices or lanes.
    pub fn intern_indices(&self, indices: &[u32]) -> Indices {
        self.indices.intern(indices.into())
    }

    /// A list of indices or lanes.
    pub fn indices(&self, indices: Indices) -> &[u32] {
        self.indices.get(indices)
    }

    /// The id of a dialect's operation.
    pub fn intern_ext(&self, ext: ExtOp) -> Ext {
        self.exts.intern(ext)
    }

    /// A dialect's operation.
    pub fn ext(&self, ext: Ext) -> &ExtOp {
        self.exts.get(ext)
    }

    /// Registers hooks of dialects for their operations: requirements for verification, and costs. Only the first call has an effect; it
    /// must precede verification and optimization.
    pub fn set_ext_hooks(&self, hooks: Arc<[ExtHooks]>) {
        // Later calls are ignored.
        let _ = self.hooks.set(hooks);
    }

    /// What a dialect says of an operation, if it does.
    pub fn ext_hooks(&self, ext: Ext) -> Option<&ExtHooks> {
        let hooks = self.hooks.get()?;
        let name = &*self.ext(ext).name;
        hooks.iter().rev().find(|hooks| hooks.name == name)
    }

    /// The scope called `name`, or `None` when there are more scopes than a `SyncScope` can number.
    pub fn intern_scope(&self, name: &str) -> Option<SyncScope> {
        let scope = self.scopes.intern(name.into());
        u16::try_from(scope.index()).ok().map(SyncScope)
    }

    /// The name of a scope; empty for [`SyncScope::SYSTEM`].
    pub fn scope_name(&self, scope: SyncScope) -> &str {
        self.scopes.get(Scope(scope.0.into()))
    }
    /// The id of a type of the source language.
    pub fn intern_type_node(&self, descriptor: TypeDescriptor) -> TypeNode {
        self.type_nodes.intern(descriptor)
    }

    /// What a type of the source language is.
    pub fn type_node(&self, node: TypeNode) -> &TypeDescriptor {
        self.type_nodes.get(node)
    }

    /// The id of a tag of accesses, or `None` when there are more than an `AccessTag` can number: accesses need none.
    pub fn intern_tag(&self, descriptor: TagDescriptor) -> Option<AccessTag> {
        let tag = self.tags.intern(descriptor);
        u16::try_from(tag.index() + 1).ok().and_then(NonZeroU16::new).map(AccessTag)
    }

    /// Whether any access has a tag.
    pub fn has_tags(&self) -> bool {
        !self.tags.is_empty()
    }

    /// What a tag of accesses says.
    pub fn tag(&self, tag: AccessTag) -> TagDescriptor {
        *self.tags.get(Tag(u32::from(tag.0.get()) - 1))
    }
}
