//! Implied values: what branches tell about values that enter conditionals and loops: conditions that are always true or always false
//! there, and selects with such conditions.

use rvsdg_analysis::conditions::{self, REPEAT};
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::{BinaryFlags, CastOp, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Region, Type, Use};
use smallvec::{SmallVec, smallvec};

use super::driver::Driver;
use crate::pass::PassCx;

/// How many users of a value are visited.
const MAX_USERS: usize = 16;

/// How many operations are visited that compute a value.
const MAX_OPERATIONS: usize = 16;

/// Replaces implied conditions that enter an alternative, and the selects that they decide.
pub(super) fn enter_gamma(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let predicate = graph.origin(gamma.predicate(graph));
    for index in 1..graph.inputs(gamma.node()).len() {
        let origin = graph.input(gamma.node(), index);
        if graph.ty(origin).is_state() {
            continue;
        }
        for alternative in 0..gamma.regions(graph).len() {
            let region = gamma.regions(graph)[alternative];
            let argument = graph.arguments(region)[index - 1];
            truth(driver, graph, region, argument, cx);
            if !graph.has_users(argument) {
                continue;
            }
            if let Some(constant) = equal(graph, (predicate, alternative as u32), origin)
                && driver.applies_to_variable(cx, "gamma-known-equal", graph, gamma.node())
            {
                let constant = Insert::front(graph, region).constant(constant);
                driver.push_users(graph, argument);
                graph.divert_users(argument, constant);
                continue;
            }
            if let Some(other) = one_with(graph, gamma, alternative, index, cx)
                && driver.applies_to_variable(cx, "gamma-known-one", graph, gamma.node())
            {
                driver.push_users(graph, argument);
                graph.divert_users(argument, graph.arguments(region)[other - 1]);
                continue;
            }
            let Some((condition, arms)) = choice(graph, origin) else { continue };
            let Some(truth) = conditions::leads(graph, predicate, alternative as u32, condition) else { continue };
            if driver.applies_to_variable(cx, "gamma-known-choice", graph, gamma.node()) {
                let chosen = Router::default().route(graph, arms[usize::from(!truth)], region);
                driver.push_users(graph, argument);
                graph.divert_users(argument, chosen);
            }
        }
    }
}

/// The integer or null pointer that a value equals if a predicate chooses an alternative, if one of its first users tells so: a
/// comparison with it, or, for a value that is 0 or 1, the bit that decides. Another pointer with an equal address may belong to another
/// object.
fn equal(graph: &Graph, (predicate, alternative): (Origin, u32), origin: Origin) -> Option<Const> {
    graph.users_of(origin).take(MAX_USERS).find_map(|user| {
        let Use::Input(node, 0) = graph.site(user) else { return None };
        let truth = || {
            let condition = graph.output(node, 0);
            let is_bit = graph.ty(condition) == Type::I1;
            is_bit.then(|| conditions::leads(graph, predicate, alternative, condition))?
        };
        match graph.op(node)? {
            Op::ICmp { predicate: relation @ (IntPredicate::Eq | IntPredicate::Ne), .. } => {
                let other = graph.input(node, 1);
                let constant = fold::constant(graph, other)?;
                let is_null = *graph.pool().constant(constant) == Constant::Zero(graph.ty(other));
                let fits = is_null || fold::int(graph, other).is_some();
                (fits && truth()? == (relation == IntPredicate::Eq)).then_some(constant)
            }
            Op::Cast { op: CastOp::Trunc, flags } if flags.wrap.contains(BinaryFlags::NUW) => {
                fold::splat_const(graph.pool(), graph.ty(origin), truth()?.into())
            }
            _ => None,
        }
    })
}

/// The input with another integer that is used in an alternative and equals input `index` there, if one of the first comparisons of that
/// tells so: the left side of a comparison is replaced by the right one. The replacement must not be undef, which only a branch on the
/// comparison itself excludes, nor be computed from what it replaces: from `x == 2 * x` would follow `x == 4 * x`, and so on.
fn one_with(graph: &Graph, gamma: Gamma, alternative: usize, index: usize, cx: &PassCx) -> Option<usize> {
    let predicate = graph.origin(gamma.predicate(graph));
    let origin = graph.input(gamma.node(), index);
    let arguments = graph.arguments(gamma.regions(graph)[alternative]);
    arith::width(graph.pool(), graph.ty(origin))?;
    graph.users_of(origin).take(MAX_USERS).find_map(|user| {
        let Use::Input(node, 0) = graph.site(user) else { return None };
        let Op::ICmp { predicate: relation @ (IntPredicate::Eq | IntPredicate::Ne), .. } = graph.op(node)? else {
            return None;
        };
        let (condition, other) = (graph.output(node, 0), graph.input(node, 1));
        let is_there = |&index: &usize| {
            graph.input(gamma.node(), index) == other && graph.has_users(arguments[index - 1]) && other != origin
        };
        let position = (1..graph.inputs(gamma.node()).len()).find(is_there)?;
        let truth = conditions::leads(graph, predicate, alternative as u32, condition)?;
        if may_be_computed_from(graph, other, origin) {
            return None;
        }
        let decides = graph.producer(predicate).is_some_and(|decision| {
            matches!(graph.op(decision), Some(Op::Match(_))) && graph.input(decision, 0) == condition
        });
        let is_one = truth == (relation == IntPredicate::Eq);
        (is_one && (decides || is_not_undef(graph, cx.surroundings(), other))).then_some(position)
    })
}

/// Whether operations compute a value from another one of the region, or so many that not all were looked at.
fn may_be_computed_from(graph: &Graph, value: Origin, from: Origin) -> bool {
    let mut left = MAX_OPERATIONS;
    let mut pending: SmallVec<[Origin; 16]> = smallvec![value];
    while let Some(value) = pending.pop() {
        if value == from {
            return true;
        }
        let Some(node) = graph.producer(value).filter(|&node| graph.op(node).is_some()) else { continue };
        let Some(rest) = left.checked_sub(1) else { return true };
        left = rest;
        pending.extend(graph.input_origins(node).filter(|&origin| !graph.ty(origin).is_state()));
    }
    false
}

/// Replaces implied conditions that are variables of a loop. A select whose result is unused after the loop is decided by the condition
/// for another iteration.
pub(super) fn enter_theta(driver: &mut Driver, graph: &mut Graph, theta: Theta, cx: &PassCx) {
    let predicate = graph.origin(theta.predicate(graph));
    let body = theta.body(graph);
    for index in 0..graph.inputs(theta.node()).len() {
        let variable = theta.loop_var(graph, index);
        truth(driver, graph, body, variable.pre, cx);
        if graph.has_users(variable.output) {
            continue;
        }
        if let Some((condition, arms)) = choice(graph, graph.origin(variable.post))
            && let Some(truth) = conditions::leads(graph, predicate, REPEAT, condition)
            && driver.applies_to_variable(cx, "theta-known-choice", graph, theta.node())
        {
            graph.divert(variable.post, arms[usize::from(!truth)]);
        }
    }
}

/// Replaces an argument that is always true, or always false, by a constant.
fn truth(driver: &mut Driver, graph: &mut Graph, region: Region, argument: Origin, cx: &PassCx) {
    if graph.ty(argument) != Type::I1 || !has_other_users(graph, region, argument) {
        return;
    }
    let Some(truth) = conditions::truth(graph, argument) else { return };
    let Some(node) = graph.parent(region) else { return };
    if driver.applies_to_variable(cx, "known-truth", graph, node) {
        let truth = Int::bool(truth).to_const(graph.pool());
        let constant = Insert::front(graph, region).constant(truth);
        driver.push_users(graph, argument);
        graph.divert_users(argument, constant);
    }
}

/// Whether anything but the loop itself uses its variable.
fn has_other_users(graph: &Graph, region: Region, argument: Origin) -> bool {
    let own = graph
        .parent(region)
        .and_then(|node| Theta::new(graph, node))
        .and_then(|_| Theta::loop_var_of_argument(graph, argument))
        .map(|(_, variable)| variable.post);
    graph.users_of(argument).any(|user| Some(user) != own)
}

/// The condition and both values of a select.
fn choice(graph: &Graph, origin: Origin) -> Option<(Origin, [Origin; 2])> {
    let node: Node = graph.producer(origin)?;
    let Some(Op::Select(_)) = graph.op(node) else { return None };
    let [condition, then, otherwise] = [0, 1, 2].map(|index| graph.input(node, index));
    (graph.ty(condition) == Type::I1).then_some((condition, [then, otherwise]))
}
