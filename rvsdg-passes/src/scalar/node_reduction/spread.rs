//! Operations on results of a conditional that are constant in all alternatives but one move into the alternatives. LLVM's
//! `foldOpIntoPhi`. A comparison with a constant also moves to three-way comparisons in the alternatives, with which it folds to one
//! comparison. Operations on a select move to the selected values in the same way. LLVM's `FoldOpIntoSelect`. Logical operations move into
//! conditionals that decide one operand. LLVM's jump threading.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::order::is_before;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// The maximum number of three-way comparisons, and of conditionals that return them, visited for one comparison with a constant.
const MAX_ORDERS: usize = 16;

/// The maximum number of values that an operand is selected from for which an operation is folded.
const MAX_SELECTED: usize = 8;

/// The operands of an operation, in a region of a conditional or after it.
type Operands = SmallVec<[Origin; 3]>;

/// Replaces an operation by an exit variable with its result in each alternative of the conditional before it. Returns whether it did.
pub(super) fn into_gamma(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    if !is_followed(graph, node, op) {
        return false;
    }
    let Some(gamma) = before(graph, node) else { return false };
    let value = graph.output(node, 0);
    let ty = graph.ty(value);
    let folded = |&region: &Region| fold::fold(graph, op, &operands(graph, node, gamma, region), ty);
    let known: SmallVec<[Option<Const>; 4]> = gamma.regions(graph).iter().map(folded).collect();
    let open = known.iter().filter(|known| known.is_none()).count();
    let variable = only_variable(graph, node);
    let stays = |(&region, known): (&Region, &Option<Const>)| {
        let inside = |variable| inside(graph, gamma, region, variable);
        known.is_none()
            && !variable.is_some_and(|variable| folds(graph, node, op, variable, inside(variable)))
            && !compares_again(graph, cx.surroundings(), op, &operands(graph, node, gamma, region))
    };
    // A copy in one alternative replaces the operation only if its operands have no other use.
    if open > 0 {
        let copies = gamma.regions(graph).iter().zip(&known).filter(|&it| stays(it)).count();
        if copies > 1 || copies == known.len() || !uses_alone(graph, node) {
            return false;
        }
    }
    if !driver.applies(cx, "gamma-operation", graph, node) {
        return false;
    }
    let mut results: SmallVec<[Origin; 4]> = SmallVec::new();
    for (position, known) in known.into_iter().enumerate() {
        let region = gamma.regions(graph)[position];
        results.push(match known {
            Some(constant) => Insert::end(graph, region).constant(constant),
            None => copy(driver, graph, node, op, gamma, region),
        });
    }
    let replacement = gamma.add_exit_var(graph, &results).output;
    driver.push(gamma.node());
    driver.push_users(graph, value);
    graph.divert_users(value, replacement);
    let was_used: SmallVec<[Origin; 3]> = graph.input_origins(node).collect();
    driver.remove(graph, node);
    // An exit variable without a user would keep conditionals in the alternatives from giving theirs to one operation alone.
    let outputs: SmallVec<[Origin; 8]> = SmallVec::from_slice(graph.outputs(gamma.node()));
    let kept: SmallVec<[bool; 8]> =
        outputs.iter().map(|output| graph.has_users(*output) || !was_used.contains(output)).collect();
    gamma.retain_exit_vars(graph, |index| kept[index]);
    true
}

/// Replaces an operation on a select and constants by a select of the results, where both are constants; a comparison also where
/// one is. Returns whether it did.
pub(super) fn into_select(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    if !is_followed(graph, node, op) {
        return false;
    }
    let Some(selected) = only_variable(graph, node) else { return false };
    let Some([condition, then, otherwise]) = select(graph, selected) else { return false };
    let compares = matches!(op, Op::ICmp { .. });
    // Users of the select besides the operation would keep it, which costs nothing only if the new one is a condition.
    let pays = match [then, otherwise].map(|value| folds(graph, node, op, selected, value)) {
        [true, true] => compares || uses_alone(graph, node),
        [true, false] | [false, true] => compares && uses_alone(graph, node),
        [false, false] => false,
    };
    if !pays || !driver.applies(cx, "select-operation", graph, node) {
        return false;
    }
    let (ty, source) = (graph.ty(graph.output(node, 0)), graph.source(node));
    let [then, otherwise] = [then, otherwise].map(|value| {
        let inputs = with(graph, node, selected, value);
        let result = Insert::before(graph, node).source(source).add(op, &inputs, ty);
        graph.producer(result).into_iter().for_each(|copy| driver.push(copy));
        result
    });
    let replacement = Insert::before(graph, node).source(source).select(condition, then, otherwise);
    graph.producer(replacement).into_iter().for_each(|select| driver.push(select));
    driver.replace(graph, node, replacement);
    true
}

/// Replaces a select whose condition is known in each alternative of the conditional before it by an exit variable with the value that is
/// selected there. Returns whether it did. LLVM's `foldSelectIntoPhi`.
pub(super) fn select_into_gamma(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    if !matches!(op, Op::Select(_)) || graph.ty(graph.input(node, 0)) != Type::I1 {
        return false;
    }
    let gammas: SmallVec<[Gamma; 3]> =
        graph.input_origins(node).filter_map(|input| Gamma::new(graph, graph.producer(input)?)).collect();
    let Some((gamma, truths)) = gammas.into_iter().find_map(|gamma| Some((gamma, truths(graph, node, gamma)?))) else {
        return false;
    };
    if !driver.applies(cx, "gamma-select", graph, node) {
        return false;
    }
    let mut results: SmallVec<[Origin; 4]> = SmallVec::new();
    for (position, truth) in truths.into_iter().enumerate() {
        let region = gamma.regions(graph)[position];
        let Some(truth) = truth else {
            let ty = graph.ty(graph.output(node, 0));
            results.push(Insert::end(graph, region).poison(ty));
            continue;
        };
        let value = graph.input(node, if truth { 1 } else { 2 });
        results.push(bring(graph, gamma, region, value));
    }
    let replacement = gamma.add_exit_var(graph, &results).output;
    driver.push(gamma.node());
    driver.replace(graph, node, replacement);
    true
}

/// Replaces a logical and, or a logical or, of a condition that each alternative of the conditional before it decides and a comparison by
/// an exit variable: only the alternative in which the condition does not tell computes the comparison. Control takes paths of their own
/// from the others then. Returns whether it did.
///
/// Refinement: where the condition tells, the comparison may be poison, and the logical operation with it if that comes first.
pub(super) fn logical_into_gamma(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    let Some(Logical { gamma, told, comparison }) = Logical::of(graph, node, op) else { return false };
    let Some(compares) = graph.op(comparison) else { return false };
    if !driver.applies(cx, "gamma-logical", graph, node) {
        return false;
    }
    let mut results: SmallVec<[Origin; 4]> = SmallVec::new();
    for (position, told) in told.into_iter().enumerate() {
        let region = gamma.regions(graph)[position];
        results.push(match told {
            Some(truth) => Insert::end(graph, region).int(Type::I1, truth.into()),
            None => copy(driver, graph, comparison, compares, gamma, region),
        });
    }
    let replacement = gamma.add_exit_var(graph, &results).output;
    driver.push(gamma.node());
    driver.replace(graph, node, replacement);
    true
}

/// A logical and, or a logical or, of a condition that a conditional before it decides and a comparison.
struct Logical {
    gamma: Gamma,
    /// What it is in each alternative; `None` in the only one in which it is what the comparison is.
    told: SmallVec<[Option<bool>; 4]>,
    /// It has no other use. Its operands are available at the end of each alternative.
    comparison: Node,
}

impl Logical {
    fn of(graph: &Graph, node: Node, op: Op) -> Option<Logical> {
        if !matches!(op, Op::Select(_)) {
            return None;
        }
        let [condition, then, otherwise] = [0, 1, 2].map(|index| graph.input(node, index));
        let truth = |origin| fold::int(graph, origin).map(Int::is_one);
        // `condition && then` is false, `condition || otherwise` true, if one of both is.
        let (second, decisive) = match (truth(then), truth(otherwise)) {
            (None, Some(false)) => (then, false),
            (Some(true), None) => (otherwise, true),
            _ => return None,
        };
        let decided_by = |decided, comparison| {
            let OriginDef::Output(from, index) = graph.def(decided) else { return None };
            let gamma = Gamma::new(graph, from)?;
            let told = |&region: &Region| {
                let truth = truth(graph.result(region, index as usize))?;
                Some((truth == decisive).then_some(decisive))
            };
            let told: SmallVec<[Option<bool>; 4]> = gamma.regions(graph).iter().map(told).collect::<Option<_>>()?;
            let is_alone = graph.users_of(comparison).count() == 1;
            let comparison = graph.producer(comparison)?;
            let is_there = |input| {
                fold::constant(graph, input).is_some()
                    || graph.producer(input) == Some(from)
                    || is_before(graph, input, from)
            };
            let fits = is_alone
                && told.iter().filter(|told| told.is_none()).count() == 1
                && matches!(graph.op(comparison)?, Op::ICmp { .. } | Op::FCmp { .. })
                && graph.input_origins(comparison).all(is_there);
            fits.then_some(Logical { gamma, told, comparison })
        };
        decided_by(condition, second).or_else(|| decided_by(second, condition))
    }
}

/// Computes an operation after a conditional in an alternative.
fn copy(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, gamma: Gamma, region: Region) -> Origin {
    let inputs: Operands = SmallVec::from_iter(graph.input_origins(node));
    let inputs: Operands = inputs.into_iter().map(|input| bring(graph, gamma, region, input)).collect();
    let (ty, source) = (graph.ty(graph.output(node, 0)), graph.source(node));
    let copy = Insert::end(graph, region).source(source).add(op, &inputs, ty);
    graph.producer(copy).into_iter().for_each(|copy| driver.push(copy));
    copy
}

/// A value after a conditional, at the end of an alternative.
fn bring(graph: &mut Graph, gamma: Gamma, region: Region, value: Origin) -> Origin {
    let value = inside(graph, gamma, region, value);
    match fold::constant(graph, value) {
        Some(constant) => Insert::end(graph, region).constant(constant),
        None => Router::default().route(graph, value, region),
    }
}

/// The condition of a select in each alternative of a γ, which returns it or is decided by it, where it is not poison. `None` if it is not
/// known in one, or if the value selected there may depend on the γ without being its result.
fn truths(graph: &Graph, node: Node, gamma: Gamma) -> Option<SmallVec<[Option<bool>; 4]>> {
    let condition = graph.input(node, 0);
    let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let table = match graph.op(predicate) {
        Some(Op::Match(table)) if graph.input(predicate, 0) == condition => Some(graph.pool().table(table)),
        _ => None,
    };
    let truth = |(position, &region): (usize, &Region)| {
        let truth = match table {
            Some(table) => {
                let chosen = |truth| table.alternative(graph.pool(), Int::bool(truth)) as usize == position;
                (chosen(false) != chosen(true)).then_some(chosen(true))?
            }
            None => match inside(graph, gamma, region, condition) {
                poison if fold::is_poison(graph, poison) => return Some(None),
                known => fold::int(graph, known)?.is_one(),
            },
        };
        let value = graph.input(node, if truth { 1 } else { 2 });
        let is_there = fold::constant(graph, value).is_some()
            || inside(graph, gamma, region, value) != value
            || is_before(graph, value, gamma.node());
        is_there.then_some(Some(truth))
    };
    gamma.regions(graph).iter().enumerate().map(truth).collect()
}

/// The operand of an operation all others of which are constants.
fn only_variable(graph: &Graph, node: Node) -> Option<Origin> {
    let mut variables = graph.input_origins(node).filter(|&input| fold::constant(graph, input).is_none());
    let first = variables.next()?;
    variables.all(|other| other == first).then_some(first)
}

/// The condition and both values of a select with one condition for all lanes.
fn select(graph: &Graph, value: Origin) -> Option<[Origin; 3]> {
    let node = graph.producer(value)?;
    let is_select = matches!(graph.op(node), Some(Op::Select(_))) && graph.ty(graph.input(node, 0)) == Type::I1;
    is_select.then(|| [0, 1, 2].map(|index| graph.input(node, index)))
}

/// Whether an operation is constant for a value in place of its operand; a comparison also for all values that it is selected from, or
/// that conditionals return for it alone.
fn folds(graph: &Graph, node: Node, op: Op, operand: Origin, value: Origin) -> bool {
    let ty = graph.ty(graph.output(node, 0));
    let mut pending: SmallVec<[Origin; 4]> = SmallVec::from_slice(&[value]);
    let limit = if matches!(op, Op::ICmp { .. }) { MAX_SELECTED } else { 1 };
    for _ in 0..limit {
        let Some(value) = pending.pop() else { break };
        if fold::fold(graph, op, &with(graph, node, operand, value), ty).is_none() {
            match (select(graph, value), graph.def(value)) {
                (Some([_, then, otherwise]), _) => pending.extend([then, otherwise]),
                (None, OriginDef::Output(gamma, index)) if graph.users_of(value).count() == 1 => {
                    let Some(gamma) = Gamma::new(graph, gamma) else { return false };
                    pending.extend(gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize)));
                }
                (None, OriginDef::Output(..) | OriginDef::Argument(..)) => return false,
            }
        }
    }
    pending.is_empty()
}

/// The operands of an operation with another value in place of one.
fn with(graph: &Graph, node: Node, operand: Origin, value: Origin) -> Operands {
    graph.input_origins(node).map(|input| if input == operand { value } else { input }).collect()
}

/// Whether operations like this one are moved to where their operand is chosen.
fn is_followed(graph: &Graph, node: Node, op: Op) -> bool {
    // A division may be ordered with effects.
    matches!(op, Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_))
        && graph.outputs(node).len() == 1
}

/// The γ whose outputs, together with constants, are all operands of an operation.
fn before(graph: &Graph, node: Node) -> Option<Gamma> {
    let mut gamma = None;
    for input in graph.input_origins(node) {
        if fold::constant(graph, input).is_some() {
            continue;
        }
        let found = Gamma::new(graph, graph.producer(input)?)?;
        if *gamma.get_or_insert(found) != found {
            return None;
        }
    }
    gamma
}

/// The operands of an operation if an alternative is chosen.
fn operands(graph: &Graph, node: Node, gamma: Gamma, region: Region) -> Operands {
    graph.input_origins(node).map(|input| inside(graph, gamma, region, input)).collect()
}

/// A value after a conditional if an alternative is chosen.
fn inside(graph: &Graph, gamma: Gamma, region: Region, value: Origin) -> Origin {
    match graph.def(value) {
        OriginDef::Output(from, index) if from == gamma.node() => graph.result(region, index as usize),
        OriginDef::Output(..) | OriginDef::Argument(..) => value,
    }
}

/// Whether an operation compares the result of three-way comparisons, possibly through conditionals, with a constant, and is the
/// only use of that result.
fn compares_again(graph: &Graph, surroundings: Option<&Surroundings>, op: Op, operands: &[Origin]) -> bool {
    let (Op::ICmp { .. }, &[order, constant]) = (op, operands) else { return false };
    if fold::constant(graph, constant).is_none() {
        return false;
    }
    let mut pending: SmallVec<[Origin; 4]> = SmallVec::from_slice(&[order]);
    for _ in 0..MAX_ORDERS {
        let Some(value) = pending.pop() else { return true };
        if fold::constant(graph, value).is_some() {
            continue;
        }
        if graph.users_of(value).count() != 1 {
            return false;
        }
        match graph.def(value) {
            OriginDef::Output(node, index) => match Gamma::new(graph, node) {
                Some(gamma) => {
                    pending.extend(gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize)));
                }
                None if intrinsic(graph, surroundings, node).is_some_and(|known| known.orders().is_some()) => {}
                None => return false,
            },
            OriginDef::Argument(..) => match Gamma::entry_var_of_argument(graph, value) {
                Some((_, entry)) => pending.push(graph.origin(entry.input)),
                None => return false,
            },
        }
    }
    false
}

/// Whether the operands of an operation, except constants, have no other use.
fn uses_alone(graph: &Graph, node: Node) -> bool {
    let is_own = |user| matches!(graph.site(user), Use::Input(other, _) if other == node);
    graph.input_origins(node).all(|input| fold::constant(graph, input).is_some() || graph.users_of(input).all(is_own))
}
