//! Operations on results of a conditional that are constant in all alternatives but one move into the alternatives. LLVM's
//! `foldOpIntoPhi`. A comparison with a constant also moves to three-way comparisons in the alternatives, with which it folds to one
//! comparison.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Use};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// The maximum number of three-way comparisons, and of conditionals that return them, visited for one comparison with a constant.
const MAX_ORDERS: usize = 16;

/// The operands of an operation, in a region of a conditional or after it.
type Operands = SmallVec<[Origin; 3]>;

/// Replaces an operation by an exit variable with its result in each alternative of the conditional before it. Returns whether it did.
pub(super) fn into_gamma(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    let is_followed = matches!(op, Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_));
    // A division may be ordered with effects.
    if !is_followed || graph.outputs(node).len() > 1 {
        return false;
    }
    let Some(gamma) = before(graph, node) else { return false };
    let value = graph.output(node, 0);
    let ty = graph.ty(value);
    let folded = |&region: &Region| fold::fold(graph, op, &operands(graph, node, gamma, region), ty);
    let known: SmallVec<[Option<Const>; 4]> = gamma.regions(graph).iter().map(folded).collect();
    let open = known.iter().filter(|known| known.is_none()).count();
    let stays = |(&region, known): (&Region, &Option<Const>)| {
        known.is_none() && !compares_again(graph, cx.surroundings(), op, &operands(graph, node, gamma, region))
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
    let source = graph.source(node);
    let mut results: SmallVec<[Origin; 4]> = SmallVec::new();
    for (position, known) in known.into_iter().enumerate() {
        let region = gamma.regions(graph)[position];
        results.push(match known {
            Some(constant) => Insert::end(graph, region).constant(constant),
            None => {
                let mut inputs = operands(graph, node, gamma, region);
                for input in &mut inputs {
                    if let Some(constant) = fold::constant(graph, *input) {
                        *input = Insert::end(graph, region).constant(constant);
                    }
                }
                let copy = Insert::end(graph, region).source(source).add(op, &inputs, ty);
                graph.producer(copy).into_iter().for_each(|copy| driver.push(copy));
                copy
            }
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
    let operand = |input| match graph.def(input) {
        OriginDef::Output(from, index) if from == gamma.node() => graph.result(region, index as usize),
        OriginDef::Output(..) | OriginDef::Argument(..) => input,
    };
    graph.input_origins(node).map(operand).collect()
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
