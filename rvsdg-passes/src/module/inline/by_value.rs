//! Parameters that are passed by value in memory (`byval`): the callee gets its own object, a copy of the argument.

use rvsdg_analysis::function::attributes;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{Attribute, AttributeKind};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::{Graph, Module, Node, Op, Origin, Symbol, Type, TypeKind};

use super::decline::Decline;
use super::splice::allocate;
use crate::module::memory_calls::MemoryCall;

/// A parameter that the callee gets a copy of.
pub(super) struct Copied {
    /// Its index.
    pub index: usize,
    ty: Type,
    size: u64,
    align_log2: u8,
}

/// The type of the object of a parameter that is passed by value.
pub(super) fn passed(parameter: &[Attribute]) -> Option<Type> {
    parameter.iter().find(|attribute| attribute.is(AttributeKind::ByVal)).and_then(Attribute::ty)
}

/// The parameters of a function that are passed by value.
pub(super) fn parameters(module: &Module, callee: Symbol) -> Result<Vec<Copied>, Decline> {
    let Some(list) = attributes(module, callee) else { return Ok(Vec::new()) };
    if list.params.iter().all(|parameter| passed(parameter).is_none()) {
        return Ok(Vec::new());
    }
    let layout = DataLayout::parse(&module.header.data_layout).map_err(|_| Decline::Parameter)?;
    if layout.alloca_space() != 0 {
        return Err(Decline::Parameter);
    }
    let TypeKind::Function { params, .. } = module.pool.type_kind(module.symbols[callee].value_type) else {
        return Err(Decline::Parameter);
    };
    let mut layouts = Layouts::new(layout);
    let mut copied = Vec::new();
    for (index, parameter) in list.params.iter().enumerate() {
        let Some(ty) = passed(parameter) else { continue };
        if params.get(index) != Some(&Type::PTR) {
            return Err(Decline::Parameter);
        }
        let layout = layouts.of(&module.pool, ty).map_err(|_| Decline::Parameter)?;
        let align_log2 = parameter.iter().find_map(Attribute::align_log2).ok_or(Decline::Parameter)?;
        copied.push(Copied { index, ty, size: layout.size, align_log2 });
    }
    Ok(copied)
}

/// Copies an argument to an object of the caller, which is allocated at its start; returns its address. `copy` is the caller's context
/// variable of the copy intrinsic.
pub(super) fn copy(graph: &mut Graph, routes: &mut Router, call: Node, parameter: &Copied, copy: u32) -> Origin {
    let &Copied { index, ty, size, align_log2 } = parameter;
    let region = graph.region_of(call);
    let passed = graph.input(call, 1 + index);
    if seeded::is_active(Bug::IlnByValue) {
        return passed;
    }
    let root = graph.root();
    let one = graph.pool().int_const(Type::I32, 1);
    let count = graph.add_simple(root, Op::Const(one), &[], &[Type::I32]);
    let op = Op::Alloca { ty, align_log2, in_alloca: false, swift_error: false };
    let (object, _) = allocate(graph, op, count, Type::PTR);
    let object = routes.route(graph, object, region);
    let callee = graph.arguments(root)[copy as usize];
    let callee = routes.route(graph, callee, region);
    let state = graph.input_origins(call).position(|origin| graph.ty(origin) == Type::MEM);
    let state = state.expect("a call that passes memory takes its state");
    let memory = graph.input(call, state);
    let mut at = Insert::before(graph, call);
    let length = at.int(Type::I64, size);
    // The argument may be less aligned than the copy.
    let node = MemoryCall::Copy.node(&mut at, callee, [object, passed, length], memory, &[1 << align_log2]);
    let user = graph.inputs(call)[state];
    graph.divert(user, graph.output(node, 0));
    object
}
