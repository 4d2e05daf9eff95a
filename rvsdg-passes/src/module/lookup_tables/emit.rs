//! Replaces a conditional by what computes its values.

use rvsdg_analysis::memory::states;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::Int;
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type, TypeKind, User};

use super::Array;
use super::plan::{Choice, Form, Given};
use crate::pass::PassCx;

/// Where arrays are read.
pub(super) struct Place {
    /// The memory state before that, in the innermost region around that has one.
    state: Origin,
    /// Who takes the state after it instead.
    user: User,
    /// The conditionals and loops between that region and the conditional, from the outside in.
    around: Vec<Node>,
}

/// The last memory state before a conditional, in an order of the nodes.
pub(super) fn place(graph: &Graph, choice: &Choice) -> Option<Place> {
    let mut node = choice.gamma.node();
    let mut around = Vec::new();
    let start = loop {
        let arguments = graph.arguments(graph.region_of(node));
        if arguments.iter().any(|&argument| graph.ty(argument) == Type::MEM) {
            break states::start(graph, graph.region_of(node))?;
        }
        node = graph.parent(graph.region_of(node))?;
        around.insert(0, node);
    };
    let mut state = start;
    for before in graph.topological(graph.region_of(node)).into_iter().take_while(|&before| before != node) {
        if states::before(graph, before) == Some(state) {
            state = states::after(graph, before)?;
        }
    }
    let mut users = graph.users_of(state);
    let user = users.next()?;
    users.next().is_none().then_some(Place { state, user, around })
}

/// Passes the memory state through what is around the conditional.
fn enter(graph: &mut Graph, place: Place, inner: Region) -> (Origin, User) {
    let Place { mut state, mut user, around } = place;
    for (index, &node) in around.iter().enumerate() {
        let region = around.get(index + 1).map_or(inner, |&next| graph.region_of(next));
        if let Some(theta) = Theta::new(graph, node) {
            let variable = theta.add_loop_var(graph, state);
            graph.divert(user, variable.output);
            (state, user) = (variable.pre, variable.post);
        } else if let Some(gamma) = Gamma::new(graph, node) {
            let entry = gamma.add_entry_var(graph, state);
            let alternatives = 0..gamma.regions(graph).len();
            let arguments: Vec<Origin> = alternatives.map(|index| entry.argument(graph, gamma, index)).collect();
            let exit = gamma.add_exit_var(graph, &arguments);
            graph.divert(user, exit.output);
            let alternative = gamma.regions(graph).iter().position(|&other| other == region);
            let alternative = alternative.expect("the next one is in an alternative of this one");
            (state, user) = (arguments[alternative], exit.result(graph, gamma, alternative));
        }
    }
    (state, user)
}

/// Replaces the conditional.
pub(super) fn replace(graph: &mut Graph, choice: &Choice, arrays: &[Array], place: Option<Place>, cx: &PassCx) {
    let node = choice.gamma.node();
    let region = graph.region_of(node);
    let operand = graph.input(choice.decides, 0);
    let mut at = Insert::before(graph, node);
    let low = if seeded::is_active(Bug::LutStart) { 0 } else { choice.low };
    let offset = at.binary_int(IntBinary::Sub, operand, low);
    let ty = at.ty(operand);
    let inside = (choice.has_others && !seeded::is_active(Bug::LutInside)).then(|| {
        let count = at.int(ty, choice.count);
        at.compare(IntPredicate::Ult, offset, count)
    });
    let place = place.filter(|_| choice.needs_array()).map(|place| enter(graph, place, region));
    let mut state = place.map(|(state, _)| state);
    let mut arrays = arrays.iter();
    let mut router = Router::new();
    for value in &choice.values {
        let output = graph.output(node, value.index);
        let ty = graph.ty(output);
        let (looked_up, others) = match &value.form {
            Form::Linear { first, step } => {
                cx.count("linear", 1);
                (linear(&mut Insert::before(graph, node), offset, *first, *step), value.others)
            }
            Form::Packed { all, width } => {
                cx.count("packed", 1);
                let mut at = Insert::before(graph, node);
                let all = at.constant(*all);
                (packed(&mut at, offset, all, *width, ty), value.others)
            }
            Form::Array { elements } => {
                let (Some(array), Some(before)) = (arrays.next(), state) else {
                    unreachable!("what needs an array has one, and a place to read it at")
                };
                cx.count("tables", 1);
                let address = graph.arguments(graph.root())[array.context];
                let address = router.route(graph, address, region);
                let mut at = Insert::before(graph, node);
                let element = at.graph().pool().constant(elements[0]).ty();
                let is_element = elements.len() as u64 > choice.count;
                let other = if is_element && !seeded::is_active(Bug::LutOthers) { choice.count } else { 0 };
                let index = inside.map_or(offset, |inside| {
                    let ty = at.ty(offset);
                    let other = at.int(ty, other);
                    at.select(inside, offset, other)
                });
                let register = at.graph().pool().int(choice.register);
                let index = resized(&mut at, index, register);
                let op = Op::Gep { source: element, flags: GepFlags::INBOUNDS };
                let address = at.add(op, &[address, index], Type::PTR);
                let access = MemAccess::plain(array.align_log2);
                let load = at.node(Op::Load(access), &[address, before], &[element, Type::MEM]);
                let loaded = at.graph().output(load, 0);
                state = Some(at.graph().output(load, 1));
                let loaded = resized(&mut at, loaded, ty);
                (loaded, if is_element { Given::Any } else { value.others })
            }
        };
        let others = match others {
            Given::Any => None,
            Given::Constant(constant) => Some(Insert::before(graph, node).constant(constant)),
            Given::Input(input) => Some(graph.input(node, input)),
        };
        let result = match (inside, others) {
            (Some(inside), Some(others)) => Insert::before(graph, node).select(inside, looked_up, others),
            (_, _) => looked_up,
        };
        graph.divert_users(output, result);
    }
    if let (Some((_, user)), Some(after)) = (place, state) {
        graph.divert(user, after);
    }
    for &(index, input) in &choice.passed {
        graph.divert_users(graph.output(node, index), graph.input(node, input));
    }
    graph.remove(node);
    if !graph.has_users(graph.output(choice.decides, 0)) {
        graph.remove(choice.decides);
    }
}

/// A value that grows by the same amount from each offset to the next.
fn linear(at: &mut Insert<'_>, offset: Origin, first: Int, step: Int) -> Origin {
    let ty = at.graph().pool().int(first.bits());
    let offset = resized(at, offset, ty);
    let product = at.binary_int(IntBinary::Mul, offset, step.unsigned() as u64);
    at.binary_int(IntBinary::Add, product, first.unsigned() as u64)
}

/// The part of an integer at an offset.
fn packed(at: &mut Insert<'_>, offset: Origin, all: Origin, width: u32, ty: Type) -> Origin {
    let register = at.ty(all);
    let offset = resized(at, offset, register);
    let amount = at.binary_int(IntBinary::Mul, offset, width.into());
    let shifted = at.binary(IntBinary::LShr, all, amount);
    resized(at, shifted, ty)
}

/// An integer, cut or with zeros in front; other values stay.
fn resized(at: &mut Insert<'_>, value: Origin, ty: Type) -> Origin {
    let bits = |at: &mut Insert<'_>, ty: Type| match *at.graph().pool().type_kind(ty) {
        TypeKind::Int(bits) => bits,
        _ => 0,
    };
    let from = at.ty(value);
    let op = if bits(at, from) < bits(at, ty) { CastOp::ZExt } else { CastOp::Trunc };
    at.cast(op, value, ty)
}
