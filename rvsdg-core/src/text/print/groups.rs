//! Attribute lists and named types, numbered and collected before anything that refers to them is printed.

use std::fmt::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Writer;
use crate::attribute::{Attribute, AttributeList, Attributes};
use crate::graph::{Graph, NodeKind, WalkItem};
use crate::module::{Module, SymbolKind};
use crate::op::Op;
use crate::tbaa::{AccessTag, TagDescriptor, TypeNode};
use crate::text::spell::{RAW_ATTRIBUTE, is_plain_attribute};
use crate::{Const, Constant, Pool, Type, TypeKind};

/// The definitions of a text other than symbols and code, in order of first use.
#[derive(Default)]
pub(in crate::text) struct Groups {
    attributes: Vec<Attributes>,
    numbers: FxHashMap<Attributes, u32>,
    /// Named types, those they consist of before them.
    types: Vec<Type>,
    seen_types: FxHashSet<Type>,
    /// Types of the source language, those they consist of before them.
    type_nodes: Vec<TypeNode>,
    node_numbers: FxHashMap<TypeNode, u32>,
    seen_constants: FxHashSet<Const>,
}

impl Groups {
    /// Everything a module refers to.
    pub(in crate::text) fn of_module(module: &Module) -> Groups {
        let mut groups = Groups::default();
        let pool = &module.pool;
        for &symbol in &module.order {
            let Some(data) = module.symbols.get(symbol) else { continue };
            groups.add_type(pool, data.value_type);
            let constants = match &data.kind {
                SymbolKind::Function { attributes, personality, prefix, prologue, .. } => {
                    groups.add_attributes(pool, *attributes);
                    let constant =
                        |symbolic: &Option<crate::module::SymbolicConst>| symbolic.as_ref().map(|s| s.constant);
                    [constant(personality), constant(prefix), constant(prologue)]
                }
                SymbolKind::Variable { attributes, initializer, .. } => {
                    groups.add_attributes(pool, *attributes);
                    [*initializer, None, None]
                }
                SymbolKind::Alias { aliasee: constant } | SymbolKind::IFunc { resolver: constant } => {
                    [Some(*constant), None, None]
                }
            };
            for constant in constants.into_iter().flatten() {
                groups.add_const(pool, constant);
            }
        }
        groups.add_graph(&module.omega);
        for node in module.omega.all_nodes() {
            if let NodeKind::Lambda(body) = module.omega.kind(node)
                && let Some(graph) = module.bodies.get(body).and_then(|data| data.graph())
            {
                groups.add_graph(graph);
            }
        }
        groups
    }

    /// Everything a graph refers to.
    pub(super) fn of_graph(graph: &Graph) -> Groups {
        let mut groups = Groups::default();
        groups.add_graph(graph);
        groups
    }

    /// The named types, those they consist of before them.
    pub(in crate::text) fn into_types(self) -> Vec<Type> {
        self.types
    }

    fn add_graph(&mut self, graph: &Graph) {
        let pool = graph.pool();
        for item in graph.walk() {
            let origins = match item {
                WalkItem::Enter(region) => graph.arguments(region),
                WalkItem::Node(node) => graph.outputs(node),
                WalkItem::Leave(_) => continue,
            };
            for &origin in origins {
                self.add_type(pool, graph.ty(origin));
            }
            let WalkItem::Node(node) = item else { continue };
            match graph.op(node) {
                Some(Op::Const(constant)) => self.add_const(pool, constant),
                Some(Op::Gep { source: ty, .. } | Op::Alloca { ty, .. }) => self.add_type(pool, ty),
                Some(Op::Match(table)) => {
                    pool.table(table).cases.iter().for_each(|&(value, _)| self.add_const(pool, value));
                }
                Some(Op::Call(call) | Op::Invoke(call) | Op::CallBr(call)) => {
                    let info = pool.call(call);
                    self.add_type(pool, info.function_type);
                    self.add_attributes(pool, info.attributes);
                }
                Some(Op::Ext(ext)) => {
                    let ext = pool.ext(ext);
                    ext.inputs.iter().chain(&ext.outputs).for_each(|&ty| self.add_type(pool, ty));
                }
                Some(Op::Load(access) | Op::Store(access)) => {
                    if let Some(tag) = access.tag.map(|tag| pool.tag(tag)) {
                        self.add_type_node(pool, tag.base);
                        self.add_type_node(pool, tag.access);
                    }
                }
                // The types of their outputs, and of what they take, are all they mention.
                None
                | Some(
                    Op::CtlConst { .. }
                    | Op::IntBinary { .. }
                    | Op::FloatBinary { .. }
                    | Op::FNeg(_)
                    | Op::ICmp { .. }
                    | Op::FCmp { .. }
                    | Op::Cast { .. }
                    | Op::Select(_)
                    | Op::Freeze
                    | Op::ExtractElement
                    | Op::InsertElement
                    | Op::ShuffleVector(_)
                    | Op::ExtractValue(_)
                    | Op::InsertValue(_)
                    | Op::CmpXchg { .. }
                    | Op::AtomicRmw { .. }
                    | Op::Fence { .. }
                    | Op::IndirectBr(_)
                    | Op::Resume
                    | Op::Funclet(_)
                    | Op::VaArg
                    | Op::Unreachable,
                ) => {}
            }
        }
    }

    fn add_attributes(&mut self, pool: &Pool, attributes: Attributes) {
        let list = pool.attributes(attributes);
        if list.is_none() || self.numbers.contains_key(&attributes) {
            return;
        }
        self.numbers.insert(attributes, self.attributes.len() as u32);
        self.attributes.push(attributes);
        let all = list.function.iter().chain(&list.result).chain(list.params.iter().flatten());
        for ty in all.filter_map(Attribute::ty) {
            self.add_type(pool, ty);
        }
    }

    fn add_type(&mut self, pool: &Pool, ty: Type) {
        if self.seen_types.contains(&ty) {
            return;
        }
        let mut pending = vec![(ty, false)];
        while let Some((ty, entered)) = pending.pop() {
            let kind = pool.type_kind(ty);
            if entered {
                self.types.push(ty);
                continue;
            }
            if !self.seen_types.insert(ty) {
                continue;
            }
            if matches!(kind, TypeKind::Named { .. }) {
                pending.push((ty, true));
            }
            let mut push = |ty: Type| pending.push((ty, false));
            match kind {
                TypeKind::Vector { element, .. } | TypeKind::Array { element, .. } => push(*element),
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    elements.iter().rev().copied().for_each(push)
                }
                TypeKind::Function { result, params, .. } => {
                    params.iter().rev().copied().for_each(&mut push);
                    push(*result);
                }
                TypeKind::Target { types, .. } => types.iter().rev().copied().for_each(push),
                TypeKind::Int(_)
                | TypeKind::Half
                | TypeKind::BFloat
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::X86Fp80
                | TypeKind::Fp128
                | TypeKind::PpcFp128
                | TypeKind::X86Amx
                | TypeKind::Ptr(_)
                | TypeKind::Named { elements: None, .. }
                | TypeKind::Void
                | TypeKind::Token
                | TypeKind::Metadata
                | TypeKind::Ctl(_)
                | TypeKind::Mem
                | TypeKind::Io => {}
            }
        }
    }

    fn add_type_node(&mut self, pool: &Pool, node: TypeNode) {
        let mut pending = vec![(node, false)];
        while let Some((node, entered)) = pending.pop() {
            if self.node_numbers.contains_key(&node) {
                continue;
            }
            if entered {
                self.node_numbers.insert(node, self.type_nodes.len() as u32);
                self.type_nodes.push(node);
                continue;
            }
            pending.push((node, true));
            pending.extend(pool.type_node(node).members.iter().rev().map(|&(member, _)| (member, false)));
        }
    }

    fn add_const(&mut self, pool: &Pool, constant: Const) {
        let mut pending = vec![constant];
        while let Some(constant) = pending.pop() {
            if !self.seen_constants.insert(constant) {
                continue;
            }
            let data = pool.constant(constant);
            self.add_type(pool, data.ty());
            if let Constant::Expr { op: Op::Gep { source: ty, .. } | Op::Alloca { ty, .. }, .. } = data {
                self.add_type(pool, *ty);
            }
            pending.extend(data.operands().iter().rev());
        }
    }
}

impl AttributeList {
    /// Whether there is no attribute, and no parameter with an empty list.
    pub(in crate::text) fn is_none(&self) -> bool {
        self.function.is_empty() && self.result.is_empty() && self.params.is_empty()
    }
}

impl Writer<'_> {
    /// A reference to an attribute list.
    pub(super) fn attributes(&mut self, attributes: Attributes) -> fmt::Result {
        match self.groups {
            Some(groups) => match groups.numbers.get(&attributes) {
                Some(&number) => self.numbered("#", number.into()),
                None => write!(self, "#?{attributes}"),
            },
            None => write!(self, "#{attributes}"),
        }
    }

    /// Definitions of named types, one to a line.
    pub(super) fn type_definitions(&mut self, groups: &Groups) -> fmt::Result {
        for &ty in &groups.types {
            if let TypeKind::Named { name, elements, packed } = self.pool.type_kind(ty) {
                self.sigil('%', name)?;
                self.str(" = type ")?;
                self.named_type(elements.as_deref(), *packed)?;
                self.str("\n")?;
            }
        }
        if !groups.types.is_empty() { self.str("\n") } else { Ok(()) }
    }

    fn type_node(&mut self, node: TypeNode) -> fmt::Result {
        match self.groups.and_then(|groups| groups.node_numbers.get(&node)) {
            Some(&number) => self.numbered("#", number.into()),
            None => self.quoted(self.pool.type_node(node).name.as_bytes()),
        }
    }

    /// What an access says of types.
    pub(super) fn tag(&mut self, tag: AccessTag) -> fmt::Result {
        let tag = self.pool.tag(tag);
        self.str(", tbaa ")?;
        self.type_node(tag.access)?;
        if tag == TagDescriptor::scalar(tag.access) {
            return Ok(());
        }
        self.str(" in ")?;
        self.type_node(tag.base)?;
        self.numbered(" at ", tag.offset)
    }

    /// Definitions of the source language's types, one to a line.
    pub(super) fn type_node_definitions(&mut self, groups: &Groups) -> fmt::Result {
        if !groups.type_nodes.is_empty() {
            self.str("\n")?;
        }
        for &node in &groups.type_nodes {
            let descriptor = self.pool.type_node(node);
            self.str("tbaa ")?;
            self.type_node(node)?;
            self.str(" = ")?;
            self.quoted(descriptor.name.as_bytes())?;
            self.str(" (")?;
            self.list(&descriptor.members, |w, &(member, offset)| {
                w.type_node(member)?;
                w.numbered(" at ", offset)
            })?;
            self.str(")\n")?;
        }
        Ok(())
    }

    /// Definitions of attribute lists, one to a line.
    pub(super) fn attribute_definitions(&mut self, groups: &Groups) -> fmt::Result {
        if !groups.attributes.is_empty() {
            self.str("\n")?;
        }
        for (number, &attributes) in groups.attributes.iter().enumerate() {
            let list = self.pool.attributes(attributes);
            self.numbered("attributes #", number as u64)?;
            self.str(" =")?;
            if !list.function.is_empty() {
                self.str(" function ")?;
                self.attribute_set(&list.function)?;
            }
            if !list.result.is_empty() {
                self.str(" result ")?;
                self.attribute_set(&list.result)?;
            }
            if !list.params.is_empty() {
                self.str(" params (")?;
                self.list(&list.params, |w, set| w.attribute_set(set))?;
                self.str(")")?;
            }
            self.str("\n")?;
        }
        Ok(())
    }

    fn attribute_set(&mut self, set: &[Attribute]) -> fmt::Result {
        if set.is_empty() {
            return self.str("{}");
        }
        self.str("{ ")?;
        self.list(set, |w, attribute| {
            let text = attribute.to_string();
            if is_plain_attribute(&text) {
                w.str(&text)?;
            } else {
                w.str(RAW_ATTRIBUTE)?;
                w.str(" ")?;
                w.quoted(text.as_bytes())?;
            }
            match attribute.ty() {
                Some(ty) => {
                    w.str(": ")?;
                    w.ty(ty)
                }
                None => Ok(()),
            }
        })?;
        self.str(" }")
    }
}
