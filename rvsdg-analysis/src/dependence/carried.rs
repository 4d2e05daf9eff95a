//! Loop-carried values.

use rustc_hash::FxHashSet;
use rvsdg_core::fold::Int;
use rvsdg_core::op::{FastMath, FloatBinary, FloatPredicate, IntBinary, IntPredicate};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, TypeKind, Use};
use smallvec::SmallVec;

use super::affine::Addresses;
use crate::evolution::Evolution;
use crate::invariant::known_constant;
use crate::safety::has_states;
use crate::seeded::{self, Bug};

/// How many operations of one iteration may belong to a reduction.
const MAX_REDUCING: usize = 16;

/// The kind of a loop variable.
#[derive(Clone, Debug)]
pub enum Carried {
    /// A state.
    State,
    /// It is invariant.
    Unchanged,
    /// An integer to which the same known number is added in each iteration.
    Induction(Int),
    /// A pointer that moves by the same known number of bytes in each iteration.
    Pointer(i64),
    /// An accumulator whose order of operations does not matter.
    Reduction(Reduction),
    /// It becomes another value of the iteration; [`first_order`] tells whether that depends on the variable itself.
    Other,
}

/// The operation of a reduction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ReductionKind {
    /// Sums, products and the like of integers, which without flags have the same result in any order. Differences are sums.
    Int(IntBinary),
    /// Sums and products of floats that may be reassociated. Differences are sums.
    Float(FloatBinary, FastMath),
    /// The minimum or maximum of integers, by the relation that it has to all others.
    Choice(IntPredicate),
    /// The minimum or maximum of floats by an ordered comparison; NaN never replaces another value. Zeros of both signs are equal, and
    /// the order of iterations determines which one is chosen.
    FloatChoice(FloatPredicate),
    /// One constant integer may replace the initial value, in any iteration.
    Replacement,
    /// The value of the last iteration that replaced it.
    Last,
}

/// A reduction variable.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The operation.
    pub kind: ReductionKind,
    /// The operations of an iteration that change it. Nothing else uses it, or their results.
    pub nodes: SmallVec<[Node; 4]>,
}

/// The kind of a loop variable.
pub fn carried(graph: &Graph, evolution: &Evolution, addresses: &Addresses<'_>, variable: LoopVar) -> Carried {
    if graph.ty(variable.pre).is_state() {
        return Carried::State;
    }
    if variable.is_invariant(graph) {
        return Carried::Unchanged;
    }
    if let Some(step) = addresses.pointer_step(variable.pre) {
        let step = step.known().and_then(|step| i32::try_from(step.signed()).ok());
        return step.map_or(Carried::Other, |step| Carried::Pointer(step.into()));
    }
    let step = evolution.chain(graph, variable.pre).and_then(|chain| chain.step()).and_then(|step| step.known());
    if let Some(step) = step {
        return Carried::Induction(step);
    }
    reduction(graph, evolution.theta(), variable).map_or(Carried::Other, Carried::Reduction)
}

/// Finds the operations between a variable's values at the start and at the end of an iteration.
///
/// Each computes `variable ⊕ something`, where the other operand does not depend on the variable. So the operations can be applied to
/// several variables, each for a part of the iterations, which are combined in the end.
fn reduction(graph: &Graph, theta: Theta, variable: LoopVar) -> Option<Reduction> {
    let body = theta.body(graph);
    let post = graph.origin(variable.post);
    let mut kind: Option<ReductionKind> = None;
    let mut nodes: SmallVec<[Node; 4]> = SmallVec::new();
    // Values of that form, whose users must be visited.
    let mut pending: Vec<Origin> = vec![variable.pre];
    let mut formed: FxHashSet<Origin> = FxHashSet::from_iter([variable.pre]);
    while let Some(value) = pending.pop() {
        for user in graph.users_of(value) {
            let (node, index) = match graph.site(user) {
                Use::Input(node, index) => (node, index as usize),
                Use::Result(of, _) if of == body && user == variable.post => continue,
                Use::Result(..) => return None,
            };
            if nodes.contains(&node) {
                continue;
            }
            let step = step(graph, node, index, value)?;
            match (step, kind) {
                (Step::By(by), None) => kind = Some(by),
                (Step::By(ReductionKind::Float(op, flags)), Some(ReductionKind::Float(other, others)))
                    if op == other =>
                {
                    kind = Some(ReductionKind::Float(op, flags & others));
                }
                (Step::By(by), Some(other)) if by != other => return None,
                (Step::By(_) | Step::Alternative, _) => {}
            }
            if nodes.len() == MAX_REDUCING {
                return None;
            }
            nodes.push(node);
            let output = graph.output(node, 0);
            formed.insert(output);
            pending.push(output);
        }
    }
    if !formed.contains(&post) {
        return None;
    }
    let Some(kind) = kind else {
        let ty = graph.pool().type_kind(graph.ty(variable.pre));
        let is_constant = matches!(ty, TypeKind::Int(_)) && is_replacement(graph, &nodes, &formed);
        let kind = if is_constant { ReductionKind::Replacement } else { ReductionKind::Last };
        return Some(Reduction { kind, nodes });
    };
    // The other operand must not be of that form itself, while both values of a select must be.
    let fits = |&node: &Node| {
        let is_formed = |index: usize| formed.contains(&graph.input(node, index));
        match graph.op(node) {
            Some(Op::Select(_)) => match kind {
                ReductionKind::Choice(_) | ReductionKind::FloatChoice(_) if is_choice(graph, node) => {
                    is_formed(1) != is_formed(2)
                }
                _ => !is_formed(0) && is_formed(1) && is_formed(2),
            },
            // The comparison of a minimum or maximum: its select was visited.
            Some(Op::ICmp { .. } | Op::FCmp { .. }) => true,
            Some(_) => is_formed(0) != is_formed(1),
            None => false,
        }
    };
    nodes.iter().all(fits).then_some(Reduction { kind, nodes })
}

/// Whether selects keep a value or replace it by a constant, the same in all of them.
fn is_replacement(graph: &Graph, selects: &[Node], formed: &FxHashSet<Origin>) -> bool {
    let arms = selects.iter().flat_map(|&node| [1, 2].map(|index| graph.input(node, index)));
    let mut others = arms.filter(|arm| !formed.contains(arm)).map(|arm| known_constant(graph, arm));
    let Some(Some(first)) = others.next() else { return false };
    Int::of_const(graph.pool(), first).is_some() && others.all(|other| other == Some(first))
}

/// The role of a user of a value of a reduction.
enum Step {
    /// It combines the value with another one.
    By(ReductionKind),
    /// It may select the value instead of another one of the reduction.
    Alternative,
}

fn step(graph: &Graph, node: Node, index: usize, value: Origin) -> Option<Step> {
    if has_states(graph, node) {
        return None;
    }
    Some(match graph.op(node)? {
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add | IntBinary::Mul | IntBinary::And | IntBinary::Or | IntBinary::Xor => {
                Step::By(ReductionKind::Int(op))
            }
            IntBinary::Sub if index == 0 => Step::By(ReductionKind::Int(IntBinary::Add)),
            _ => return None,
        },
        Op::FloatBinary { op, flags } if flags.contains(FastMath::REASSOC) => match op {
            FloatBinary::FAdd | FloatBinary::FMul => Step::By(ReductionKind::Float(op, flags)),
            FloatBinary::FSub if index == 0 => Step::By(ReductionKind::Float(FloatBinary::FAdd, flags)),
            _ => return None,
        },
        Op::ICmp { .. } | Op::FCmp { .. } => {
            // Only if it decides a select of one of the values that it compares.
            let mut users = graph.users_of(graph.output(node, 0));
            let (Some(user), None) = (users.next(), users.next()) else { return None };
            let Use::Input(select, 0) = graph.site(user) else { return None };
            Step::By(choice(graph, select, value)?)
        }
        Op::Select(_) if index > 0 => choice(graph, node, value).map_or(Step::Alternative, Step::By),
        _ => return None,
    })
}

/// Whether a `select` yields one of the two values that its condition compares.
fn is_choice(graph: &Graph, select: Node) -> bool {
    let Some(compare) = graph.producer(graph.input(select, 0)) else { return false };
    if !matches!(graph.op(compare), Some(Op::ICmp { .. } | Op::FCmp { .. })) {
        return false;
    }
    let [a, b] = [1, 2].map(|index| graph.input(select, index));
    let compared = [0, 1].map(|index| graph.input(compare, index));
    compared == [a, b] || compared == [b, a]
}

/// The operation by which a `select` combines a value with another that is compared with it: minimum or maximum.
fn choice(graph: &Graph, select: Node, value: Origin) -> Option<ReductionKind> {
    let Some(Op::Select(_)) = graph.op(select) else { return None };
    let compare = graph.producer(graph.input(select, 0)).filter(|_| is_choice(graph, select))?;
    match graph.op(compare)? {
        Op::ICmp { .. } => int_choice(graph, select, compare).map(ReductionKind::Choice),
        Op::FCmp { predicate, .. } => {
            // Whether the other value replaces this one if the comparison holds, or if it does not.
            let takes = graph.input(select, 2) == value;
            let (ordered, greater) = match predicate {
                FloatPredicate::Ogt | FloatPredicate::Oge => (true, true),
                FloatPredicate::Olt | FloatPredicate::Ole => (true, false),
                FloatPredicate::Ugt | FloatPredicate::Uge => (false, true),
                FloatPredicate::Ult | FloatPredicate::Ule => (false, false),
                _ => return None,
            };
            if ordered != takes && !seeded::is_active(Bug::VecUnordered) {
                return None;
            }
            let rises = greater == (graph.input(compare, 1) == value);
            let is_greatest = rises == takes;
            let relation = if is_greatest { FloatPredicate::Ogt } else { FloatPredicate::Olt };
            Some(ReductionKind::FloatChoice(relation))
        }
        _ => None,
    }
}

/// The relation of the selected integer to the other one: minimum or maximum.
fn int_choice(graph: &Graph, select: Node, compare: Node) -> Option<IntPredicate> {
    let Some(Op::ICmp { predicate, .. }) = graph.op(compare) else { return None };
    let operands = [graph.input(compare, 0), graph.input(compare, 1)];
    let arms = [graph.input(select, 1), graph.input(select, 2)];
    let predicate = if arms == operands {
        predicate
    } else if arms == [operands[1], operands[0]] {
        rvsdg_core::fold::arith::swapped(predicate)
    } else {
        return None;
    };
    // For equal values, either result is right.
    Some(match predicate {
        IntPredicate::Ugt | IntPredicate::Uge => IntPredicate::Ugt,
        IntPredicate::Ult | IntPredicate::Ule => IntPredicate::Ult,
        IntPredicate::Sgt | IntPredicate::Sge => IntPredicate::Sgt,
        IntPredicate::Slt | IntPredicate::Sle => IntPredicate::Slt,
        IntPredicate::Eq | IntPredicate::Ne => return None,
    })
}

/// Whether variables that become other values of an iteration do not depend on themselves: each has the value of the previous iteration,
/// or of one several iterations before if variables become each other. `others` says which arguments are such variables.
pub fn first_order(graph: &Graph, theta: Theta, others: &FxHashSet<Origin>) -> bool {
    // Depth-first over the body: a variable that is reached again while it is open depends on itself.
    enum Visit {
        Enter(Origin),
        Leave(Origin),
    }
    let mut open: FxHashSet<Origin> = FxHashSet::default();
    let mut done: FxHashSet<Origin> = FxHashSet::default();
    let mut pending: Vec<Visit> = theta
        .loop_vars(graph)
        .filter(|variable| others.contains(&variable.pre))
        .map(|variable| Visit::Enter(variable.pre))
        .collect();
    while let Some(visit) = pending.pop() {
        match visit {
            Visit::Leave(value) => {
                open.remove(&value);
                done.insert(value);
            }
            Visit::Enter(value) => {
                if graph.ty(value).is_state() || done.contains(&value) {
                    continue;
                }
                if !open.insert(value) {
                    return false;
                }
                pending.push(Visit::Leave(value));
                if others.contains(&value) {
                    let variable = Theta::loop_var_of_argument(graph, value).map(|(_, variable)| variable);
                    pending.extend(variable.map(|variable| Visit::Enter(graph.origin(variable.post))));
                } else if let Some(node) = graph.producer(value) {
                    pending.extend(graph.input_origins(node).map(Visit::Enter));
                }
            }
        }
    }
    true
}
