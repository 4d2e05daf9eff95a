//! What the variables of a loop carry from each iteration to the next.

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

/// So many operations of one iteration may add to a reduction.
const MAX_REDUCING: usize = 16;

/// What a variable of a loop is.
#[derive(Clone, Debug)]
pub enum Carried {
    /// A state.
    State,
    /// It does not change.
    Unchanged,
    /// An integer to which the same known number is added in each iteration.
    Induction(Int),
    /// A pointer that moves by the same known number of bytes in each iteration.
    Pointer(i64),
    /// Something is accumulated in it, in an order that does not matter.
    Reduction(Reduction),
    /// It becomes another value of the iteration; whether that depends on the variable itself says [`first_order`].
    Other,
}

/// By what a reduction combines.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ReductionKind {
    /// Sums, products and the like of integers, in any order the same where no promises are kept. Differences are sums.
    Int(IntBinary),
    /// Sums and products of floats that may be reassociated. Differences are sums.
    Float(FloatBinary, FastMath),
    /// The integer that is in a relation to all others: the least or greatest.
    Choice(IntPredicate),
    /// The float that is greater, or less, than all others: what is neither that nor less, or greater, as a number that is none, never takes
    /// the place of another. Zeros of both signs are equal, of which the order of iterations chooses one.
    FloatChoice(FloatPredicate),
    /// One constant integer replaces what the variable started with, in any iteration.
    Replacement,
    /// What replaced it in the last iteration that did.
    Last,
}

/// A variable in which something is accumulated.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// By what.
    pub kind: ReductionKind,
    /// The operations of an iteration that change it. Nothing else uses it, or what they give.
    pub nodes: SmallVec<[Node; 4]>,
}

/// What a variable of a loop is.
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
/// Each gives `variable ⊕ something`, where what is added does not depend on the variable. So the operations can be applied to
/// several variables, each in some of the iterations, which are combined in the end.
fn reduction(graph: &Graph, theta: Theta, variable: LoopVar) -> Option<Reduction> {
    let body = theta.body(graph);
    let post = graph.origin(variable.post);
    let mut kind: Option<ReductionKind> = None;
    let mut nodes: SmallVec<[Node; 4]> = SmallVec::new();
    // Values of the form, whose users are to be looked at.
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
    // What is combined with the variable must not be of that form itself, and what is chosen between must be.
    let fits = |&node: &Node| {
        let is_formed = |index: usize| formed.contains(&graph.input(node, index));
        match graph.op(node) {
            Some(Op::Select(_)) => match kind {
                ReductionKind::Choice(_) | ReductionKind::FloatChoice(_) if is_choice(graph, node) => {
                    is_formed(1) != is_formed(2)
                }
                _ => !is_formed(0) && is_formed(1) && is_formed(2),
            },
            // The comparison of a choice: the select that it is for was looked at.
            Some(Op::ICmp { .. } | Op::FCmp { .. }) => true,
            Some(_) => is_formed(0) != is_formed(1),
            None => false,
        }
    };
    nodes.iter().all(fits).then_some(Reduction { kind, nodes })
}

/// Whether selects keep a value or put a constant in its place, the same in all of them.
fn is_replacement(graph: &Graph, selects: &[Node], formed: &FxHashSet<Origin>) -> bool {
    let arms = selects.iter().flat_map(|&node| [1, 2].map(|index| graph.input(node, index)));
    let mut others = arms.filter(|arm| !formed.contains(arm)).map(|arm| known_constant(graph, arm));
    let Some(Some(first)) = others.next() else { return false };
    Int::of_const(graph.pool(), first).is_some() && others.all(|other| other == Some(first))
}

/// What a user does with a value of a reduction.
enum Step {
    /// It combines it with another value.
    By(ReductionKind),
    /// It may keep it instead of another value of the reduction.
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
            // Only where what it decides is the choice of one of what it compares.
            let mut users = graph.users_of(graph.output(node, 0));
            let (Some(user), None) = (users.next(), users.next()) else { return None };
            let Use::Input(select, 0) = graph.site(user) else { return None };
            Step::By(choice(graph, select, value)?)
        }
        Op::Select(_) if index > 0 => choice(graph, node, value).map_or(Step::Alternative, Step::By),
        _ => return None,
    })
}

/// Whether a `select` gives one of the two values that are compared for it.
fn is_choice(graph: &Graph, select: Node) -> bool {
    let Some(compare) = graph.producer(graph.input(select, 0)) else { return false };
    if !matches!(graph.op(compare), Some(Op::ICmp { .. } | Op::FCmp { .. })) {
        return false;
    }
    let [a, b] = [1, 2].map(|index| graph.input(select, index));
    let compared = [0, 1].map(|index| graph.input(compare, index));
    compared == [a, b] || compared == [b, a]
}

/// By what a `select` combines a value with another that is compared with it: the least or the greatest of two.
fn choice(graph: &Graph, select: Node, value: Origin) -> Option<ReductionKind> {
    let Some(Op::Select(_)) = graph.op(select) else { return None };
    let compare = graph.producer(graph.input(select, 0)).filter(|_| is_choice(graph, select))?;
    match graph.op(compare)? {
        Op::ICmp { .. } => int_choice(graph, select, compare).map(ReductionKind::Choice),
        Op::FCmp { predicate, .. } => {
            // Whether the other one takes the value's place where the relation holds, or where it does not.
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

/// The relation in which what a `select` gives is to what it does not: the least or the greatest of two integers.
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
    // Of equal ones, either is the same.
    Some(match predicate {
        IntPredicate::Ugt | IntPredicate::Uge => IntPredicate::Ugt,
        IntPredicate::Ult | IntPredicate::Ule => IntPredicate::Ult,
        IntPredicate::Sgt | IntPredicate::Sge => IntPredicate::Sgt,
        IntPredicate::Slt | IntPredicate::Sle => IntPredicate::Slt,
        IntPredicate::Eq | IntPredicate::Ne => return None,
    })
}

/// Whether variables that become other values of an iteration do not depend on themselves by values: each is what was computed an
/// iteration before, or several where one becomes another. `others` says which arguments are such variables.
pub fn first_order(graph: &Graph, theta: Theta, others: &FxHashSet<Origin>) -> bool {
    // Depth-first over the body: a variable that is open when it is come to again depends on itself.
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
