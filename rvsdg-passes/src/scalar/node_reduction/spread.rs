//! Operations on what a conditional gives, where all alternatives but one make constants of them: each alternative gives what comes
//! out, so that what one of them knows is not asked behind it. LLVM's `foldOpIntoPhi`.

use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Use};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// What an operation is computed of, in a region of a conditional or behind it.
type Operands = SmallVec<[Origin; 3]>;

/// Gives the users of an operation what the alternatives of the conditional before it make of it. Returns whether it did.
pub(super) fn into_gamma(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) -> bool {
    let is_followed = matches!(op, Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_));
    // A division may have a place in the order of effects.
    if !is_followed || graph.outputs(node).len() > 1 {
        return false;
    }
    let Some(gamma) = before(graph, node) else { return false };
    let value = graph.output(node, 0);
    let ty = graph.ty(value);
    let folded = |&region: &Region| fold::fold(graph, op, &operands(graph, node, gamma, region), ty);
    let known: SmallVec<[Option<Const>; 4]> = gamma.regions(graph).iter().map(folded).collect();
    let open = known.iter().filter(|known| known.is_none()).count();
    // A copy in one alternative takes the place of the operation only if what that is computed of is of no other use.
    if open > 0 && (open > 1 || open == known.len() || !uses_alone(graph, node)) {
        return false;
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
    driver.remove(graph, node);
    true
}

/// The γ whose outputs, with constants, are all that an operation is computed of.
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

/// What an operation is computed of where an alternative is chosen.
fn operands(graph: &Graph, node: Node, gamma: Gamma, region: Region) -> Operands {
    let operand = |input| match graph.def(input) {
        OriginDef::Output(from, index) if from == gamma.node() => graph.result(region, index as usize),
        OriginDef::Output(..) | OriginDef::Argument(..) => input,
    };
    graph.input_origins(node).map(operand).collect()
}

/// Whether nothing else uses what an operation is computed of, but for constants.
fn uses_alone(graph: &Graph, node: Node) -> bool {
    let is_own = |user| matches!(graph.site(user), Use::Input(other, _) if other == node);
    graph.input_origins(node).all(|input| fold::constant(graph, input).is_some() || graph.users_of(input).all(is_own))
}
