//! Counters of loops that a conditional advances. A loop that searches leaves in one alternative, where the next value of its counter is
//! poison, and advances the counter in the other:
//!
//! ```text
//! v1: i64 = theta (v2: i64 = v0) {
//!   …
//!   v3: i64, v4: ctl(2) = gamma v5 (v2) {
//!     case 0 (v6: i64): yield poison, ctl 0   case 1 (v7: i64): v8 = const i64 1; v9: i64 = add v7, v8; …; yield v9, v10
//!   }
//!   next v3 while v4
//! }
//! ```
//!
//! The sum moves before the conditional, `v3 = add v2, 1`, so that the counter is an induction variable. It is computed once more than
//! before, in the iteration that leaves the loop.
//!
//! Loops that are decided before the counter is advanced, `while`, are left to inversion: a conditional whose alternative with the sum always
//! repeats the loop.
//!
//! Refinement: the alternatives that do not compute it give poison, which may become anything, also the poison of a sum that wraps though it
//! promises not to. So promises stay.

use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Graph, Motion, Node, Op, Origin, OriginDef, Region, Use};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// How many nested conditionals are visited for one value.
const MAX_NESTED: usize = 8;

/// An operand, in terms that all alternatives share.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Operand {
    /// An entry variable, by its outer origin.
    Outside(Origin),
    Constant(Const),
}

/// An operation that all alternatives that give a value have.
struct Step {
    op: Op,
    operands: SmallVec<[Operand; 2]>,
    nodes: SmallVec<[Node; 2]>,
}

/// Moves operations that advance loop variables before a γ.
pub(super) fn before_gamma(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let mut index = 0;
    while let Some(&output) = graph.outputs(gamma.node()).get(index) {
        let step = Counter::of(graph, output).and_then(|counter| Step::of(graph, gamma, index, &counter));
        match step {
            Some(step) if driver.applies_to_variable(cx, "gamma-advance", graph, gamma.node()) => {
                move_out(driver, graph, gamma, index, &step);
            }
            Some(_) | None => index += 1,
        }
    }
}

/// A loop variable of which a result of a γ is the next value.
struct Counter {
    theta: Theta,
    /// The argument of the loop's body.
    pre: Origin,
    /// The alternatives of enclosing conditionals through which the next value goes, inner ones first.
    through: SmallVec<[Region; 2]>,
}

impl Counter {
    fn of(graph: &Graph, mut value: Origin) -> Option<Counter> {
        let mut through = SmallVec::new();
        for _ in 0..MAX_NESTED {
            let (region, index) = graph.users_of(value).find_map(|user| match graph.site(user) {
                Use::Result(region, index) => Some((region, index as usize)),
                Use::Input(..) => None,
            })?;
            let parent = graph.parent(region)?;
            if let Some(theta) = Theta::new(graph, parent) {
                // Result 0 decides whether the loop repeats.
                let pre = theta.loop_var(graph, index.checked_sub(1)?).pre;
                return Some(Counter { theta, pre, through });
            }
            through.push(region);
            value = graph.output(Gamma::new(graph, parent)?.node(), index);
        }
        None
    }

    /// Whether an alternative of the γ that gives the next value always repeats the loop: the loop is decided at its head then, and
    /// inversion moves the decision behind the sum.
    fn is_repeated_by(&self, graph: &Graph, alternative: Region) -> bool {
        let mut decision = graph.origin(self.theta.predicate(graph));
        for &region in self.through.iter().rev().chain([&alternative]) {
            match graph.def(decision) {
                OriginDef::Output(node, index) if graph.parent(region) == Some(node) => {
                    decision = graph.result(region, index as usize);
                }
                OriginDef::Output(..) | OriginDef::Argument(..) => return false,
            }
        }
        graph.producer(decision).is_some_and(|node| matches!(graph.op(node), Some(Op::CtlConst { .. })))
    }
}

/// A value before the conditionals into which it only enters.
fn outermost(graph: &Graph, mut value: Origin) -> Origin {
    while let Some((_, entry)) = Gamma::entry_var_of_argument(graph, value) {
        value = graph.origin(entry.input);
    }
    value
}

impl Step {
    /// The operation that advances a loop variable in each alternative of a γ where the next value is not poison. In one of them, it may be
    /// the last time.
    fn of(graph: &Graph, gamma: Gamma, index: usize, counter: &Counter) -> Option<Step> {
        let mut step: Option<Step> = None;
        let mut tests = false;
        for &region in gamma.regions(graph) {
            let next = graph.result(region, index);
            if fold::is_poison(graph, next) {
                continue;
            }
            let advances = advances(graph, gamma, next, counter.pre);
            if seeded::is_active(Bug::RedAdvancesAnyway) && advances.is_none() {
                continue;
            }
            let (node, op, operands) = advances?;
            tests |= !counter.is_repeated_by(graph, region);
            match &mut step {
                Some(step) if step.op == op && step.operands == operands => step.nodes.push(node),
                Some(_) => return None,
                None => step = Some(Step { op, operands, nodes: SmallVec::from_slice(&[node]) }),
            }
        }
        step.filter(|_| tests)
    }
}

/// The operation, which may be speculated, with which a value in an alternative of a γ is a loop variable at a constant distance.
fn advances(graph: &Graph, gamma: Gamma, next: Origin, counter: Origin) -> Option<(Node, Op, SmallVec<[Operand; 2]>)> {
    let node = graph.producer(next)?;
    let op = graph.op(node)?;
    let is_step = matches!(op, Op::IntBinary { op: IntBinary::Add | IntBinary::Sub, .. } | Op::Gep { .. });
    if !is_step || !is_speculatable(graph, node) || outermost(graph, graph.input(node, 0)) != counter {
        return None;
    }
    let operand = |origin| match graph.def(origin) {
        OriginDef::Argument(_, index) => Some(Operand::Outside(graph.input(gamma.node(), index as usize + 1))),
        OriginDef::Output(..) => Some(Operand::Constant(fold::constant(graph, origin)?)),
    };
    let operands: SmallVec<[Operand; 2]> = graph.input_origins(node).map(operand).collect::<Option<_>>()?;
    let is_constant = |operand: &Operand| matches!(operand, Operand::Constant(_));
    operands[1..].iter().all(is_constant).then_some((node, op, operands))
}

/// Moves the operation before the γ, and removes the exit variable that gave its value.
fn move_out(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, index: usize, step: &Step) {
    let node = step.nodes[0];
    for (position, &operand) in step.operands.iter().enumerate() {
        let origin = match operand {
            Operand::Outside(origin) => origin,
            Operand::Constant(constant) => Insert::before(graph, gamma.node()).constant(constant),
        };
        graph.divert(graph.inputs(node)[position], origin);
    }
    graph.move_before(node, gamma.node());
    graph.set_moved(node, Motion::Speculated);
    let value = graph.output(node, 0);
    let output = graph.output(gamma.node(), index);
    driver.push_users(graph, output);
    graph.divert_users(output, value);
    gamma.retain_exit_vars(graph, |exit| exit != index);
    bring_back(driver, graph, gamma, value, &step.nodes);
    driver.push(node);
    driver.push(gamma.node());
}

/// Routes the value of a moved node into the alternatives that use it, and removes the other nodes for it.
fn bring_back(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, value: Origin, nodes: &[Node]) {
    let outside = graph.region_of(gamma.node());
    let inside: Vec<_> = graph.users_of(value).filter(|&user| graph.user_scope(user) != outside).collect();
    let is_used = |&node: &Node| graph.has_users(graph.output(node, 0));
    if !inside.is_empty() || nodes[1..].iter().any(is_used) {
        let variable = gamma.add_entry_var(graph, value);
        for user in inside {
            let region: Region = graph.user_scope(user);
            let position =
                gamma.regions(graph).iter().position(|&other| other == region).expect("an alternative of the γ");
            graph.divert(user, variable.argument(graph, gamma, position));
        }
        for &node in &nodes[1..] {
            let region = graph.region_of(node);
            let position =
                gamma.regions(graph).iter().position(|&other| other == region).expect("an alternative of the γ");
            let given = graph.output(node, 0);
            driver.push_users(graph, given);
            graph.divert_users(given, variable.argument(graph, gamma, position));
        }
    }
    for &node in &nodes[1..] {
        graph.note_merge(node, nodes[0]);
        driver.remove(graph, node);
    }
}
