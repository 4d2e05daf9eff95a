//! Jump threading: a decision that depends on the result of a conditional moves into the conditional, if most alternatives know its
//! outcome.
//!
//! ```text
//! v1: i32 = gamma v0 (…) { case 0: … yield 0   case 1: … yield v }
//! v2: ctl(2) = match i32 v1 [0 -> 0, _ -> 1]
//! ```
//!
//! becomes
//!
//! ```text
//! v2: ctl(2) = gamma v0 (…) { case 0: … yield ctl 0   case 1: … yield match i32 v [0 -> 0, _ -> 1] }
//! ```
//!
//! so that control flow recovery lets each alternative jump directly to its target. The decision may depend on several results of the
//! conditional, as when the value after a loop depends on the exit that was taken, and on values from before it, as in `r.valid &&
//! r.value < least` for an `r` that a function returned. The decision may also be whether a loop continues.
//!
//! At most one alternative still has to make the decision, counted through nested conditionals; in addition there may be alternatives
//! that choose one of two constants, which branch where they chose. Nothing with an effect is between the conditional and the decision,
//! so no path through it gets an additional branch. Conditionals that become selects are not threaded.

use rvsdg_analysis::integers::{Bounds, bounds};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int, Outcome, arith};
use rvsdg_core::op::{IntPredicate, MatchTable, MatchTableId};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Region, TypeKind, Use};
use smallvec::SmallVec;

use crate::pass::{Change, PassCx};

/// How many operations may be between the conditional and the decision.
const MAX_OPERATIONS: usize = 8;

/// How many of them may be copied into one alternative.
const MAX_COPIED: usize = 3;

/// How many values from before the conditional may take part.
const MAX_OTHERS: usize = 2;

/// How many values from nested alternatives are considered.
const MAX_LEAVES: usize = 32;

/// How many enclosing conditionals are searched for values that something is known to differ from.
const MAX_LEVELS: usize = 16;

/// A known value.
#[derive(Copy, Clone)]
enum Known {
    Int(Int),
    Null,
}

/// The computation of a decision: operations on constants, on results of one γ and on values from before it, in an order of execution.
struct Computation {
    nodes: SmallVec<[Node; MAX_OPERATIONS]>,
    /// The value that is decided on.
    result: Origin,
    gamma: Gamma,
    /// The outputs of the γ that are its starting points.
    outputs: SmallVec<[Origin; 2]>,
}

/// The values of a computation's starting points if an alternative is chosen: values of regions.
type Start = SmallVec<[(Region, Origin); 2]>;

/// Moves decisions on the results of a γ into it, if that is profitable.
pub(super) fn thread(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut pending: Vec<Node> = Vec::new();
    for &output in graph.outputs(gamma.node()) {
        decisions(graph, output, &mut pending);
    }
    while let Some(node) = pending.pop() {
        let Some(Op::Match(table)) = graph.op(node) else { continue };
        let Some(computation) = Computation::find(graph, graph.input(node, 0)) else { continue };
        let data = graph.pool().table(table);
        if !decides_behind(graph, graph.output(node, 0), computation.gamma) || !computation.is_known(graph, data) {
            continue;
        }
        if !cx.rewrite("threaded", graph, node) {
            continue;
        }
        cx.count("threaded", 1);
        computation.move_in(graph, node, table, &mut pending);
        change = Change::Changed;
    }
    change
}

/// Finds each `match` whose operand is a value.
fn decisions(graph: &Graph, value: Origin, found: &mut Vec<Node>) {
    let mut pending: SmallVec<[(Origin, usize); 4]> = SmallVec::from_slice(&[(value, 0)]);
    while let Some((origin, length)) = pending.pop() {
        for user in graph.users_of(origin) {
            let Use::Input(node, _) = graph.site(user) else { continue };
            match graph.op(node) {
                Some(Op::Match(_)) if !found.contains(&node) => found.push(node),
                Some(op) if is_followed(op) && length < MAX_OPERATIONS => {
                    pending.push((graph.output(node, 0), length + 1));
                }
                _ => {}
            }
        }
    }
}

/// Whether decisions are followed through an operation.
fn is_followed(op: Op) -> bool {
    matches!(op, Op::ICmp { .. } | Op::FCmp { .. } | Op::IntBinary { .. } | Op::Cast { .. } | Op::Select(_))
}

/// Whether a value is available before a γ: it enters the γ, is computed from such values, or comes from outside the region.
fn is_before(graph: &Graph, origin: Origin, gamma: Gamma) -> bool {
    let enters = |origin: Origin| {
        matches!(graph.def(origin), OriginDef::Argument(..))
            || graph.input_origins(gamma.node()).any(|input| input == origin)
    };
    let is_simple = |node: Node| graph.op(node).is_some() && graph.input_origins(node).all(enters);
    !graph.ty(origin).is_state() && (enters(origin) || graph.producer(origin).is_some_and(is_simple))
}

/// Whether a predicate decides once and directly after a γ: a γ with its states or one around it, or a loop's next iteration.
fn decides_behind(graph: &Graph, predicate: Origin, gamma: Gamma) -> bool {
    let mut users = graph.users_of(predicate);
    let (Some(user), None) = (users.next(), users.next()) else { return false };
    let decided = match graph.site(user) {
        Use::Input(node, 0) if Gamma::new(graph, node).is_some() => Some(node),
        Use::Result(..) => None,
        Use::Input(..) => return false,
    };
    let follows = |user| match graph.site(user) {
        Use::Input(node, _) => Some(node) == decided,
        Use::Result(..) => true,
    };
    graph
        .outputs(gamma.node())
        .iter()
        .all(|&output| !graph.ty(output).is_state() || graph.users_of(output).all(follows))
}

impl Computation {
    fn find(graph: &Graph, result: Origin) -> Option<Computation> {
        let mut nodes: SmallVec<[Node; MAX_OPERATIONS]> = SmallVec::new();
        let mut outputs: SmallVec<[Origin; 2]> = SmallVec::new();
        let mut others: SmallVec<[Origin; MAX_OTHERS]> = SmallVec::new();
        let mut gamma = None;
        // An operation is popped a second time after its operands.
        let mut pending: SmallVec<[(Origin, bool); 8]> = SmallVec::from_slice(&[(result, false)]);
        let mut looked_at = 0;
        while let Some((origin, is_ready)) = pending.pop() {
            if fold::constant(graph, origin).is_some() {
                continue;
            }
            let followed = |node: &Node| Gamma::new(graph, *node).is_some() || graph.op(*node).is_some_and(is_followed);
            let Some(producer) = graph.producer(origin).filter(followed) else {
                if !others.contains(&origin) {
                    others.push(origin);
                }
                continue;
            };
            if nodes.contains(&producer) || outputs.contains(&origin) {
                continue;
            }
            if is_ready {
                nodes.push(producer);
                continue;
            }
            if let Some(found) = Gamma::new(graph, producer) {
                if *gamma.get_or_insert(found) != found {
                    return None;
                }
                outputs.push(origin);
                continue;
            }
            looked_at += 1;
            if looked_at > MAX_OPERATIONS {
                return None;
            }
            pending.push((origin, true));
            pending.extend(graph.input_origins(producer).map(|input| (input, false)));
        }
        let gamma = gamma?;
        let are_there = others.len() <= MAX_OTHERS && others.iter().all(|&other| is_before(graph, other, gamma));
        are_there.then_some(Computation { nodes, result, gamma, outputs })
    }

    /// Its starting points if an alternative of its γ is chosen.
    fn start(&self, graph: &Graph, region: Region) -> Start {
        let start = |&output: &Origin| match graph.def(output) {
            OriginDef::Output(_, index) => (region, graph.result(region, index as usize)),
            OriginDef::Argument(..) => (region, output),
        };
        self.outputs.iter().map(start).collect()
    }

    /// Whether at least one alternative knows the decision, and at most one neither knows it nor chooses one of two known values.
    fn is_known(&self, graph: &Graph, table: &MatchTable) -> bool {
        let regions = self.gamma.regions(graph).iter();
        let mut pending: SmallVec<[Start; 4]> = regions.map(|&region| self.start(graph, region)).collect();
        let (mut sure, mut open, mut leaves) = (0, 0, 0);
        while let Some(start) = pending.pop() {
            if self.decided(graph, &start, table).is_some() {
                sure += 1;
            } else if let Some(inner) = inner(graph, &start) {
                pending.extend(inner.regions(graph).iter().map(|&region| within(graph, &start, inner, region)));
                continue;
            } else if !self.is_choice(graph, &start) {
                open += 1;
            }
            leaves += 1;
            if open > 1 || open > 0 && self.nodes.len() > MAX_COPIED || leaves > MAX_LEAVES {
                return false;
            }
        }
        sure > 0
    }

    /// Whether the operand is one of two constants: the condition of that choice decides as well.
    fn is_choice(&self, graph: &Graph, start: &Start) -> bool {
        let given = self.outputs.iter().position(|&output| output == self.result).map(|index| start[index].1);
        let select = given.and_then(|given| graph.producer(given));
        select.is_some_and(|node| {
            matches!(graph.op(node), Some(Op::Select(_)))
                && [1, 2].iter().all(|&index| fold::int(graph, graph.input(node, index)).is_some())
        })
    }

    /// The alternative that is chosen, if it is known.
    fn decided(&self, graph: &Graph, start: &Start, table: &MatchTable) -> Option<u32> {
        let started = |origin| Some(start[self.outputs.iter().position(|&output| output == origin)?]);
        let mut values: SmallVec<[(Origin, Known); MAX_OPERATIONS]> = SmallVec::new();
        for &node in &self.nodes {
            let value = |index: usize| {
                let origin = graph.input(node, index);
                let computed = values.iter().find(|&&(known, _)| known == origin).map(|&(_, value)| value);
                computed.or_else(|| known(graph, origin)).or_else(|| {
                    let (region, origin) = started(origin)?;
                    known(graph, origin).or_else(|| equals(graph, region, origin))
                })
            };
            let other = |index: usize, constant| {
                let (region, origin) = started(graph.input(node, index))?;
                differs(graph, region, origin, constant).then_some(())
            };
            if let Some(value) = evaluate(graph, node, value, other) {
                values.push((graph.output(node, 0), value));
            }
        }
        if let Some((region, origin)) = started(self.result) {
            if let Some(Known::Int(value)) = known(graph, origin).or_else(|| equals(graph, region, origin)) {
                return Some(table.alternative(graph.pool(), value));
            }
            let other =
                |&(value, chosen): &(Const, u32)| chosen == table.default || differs(graph, region, origin, value);
            return table.cases.iter().all(other).then_some(table.default);
        }
        match values.iter().find(|&&(origin, _)| origin == self.result)?.1 {
            Known::Int(value) => Some(table.alternative(graph.pool(), value)),
            Known::Null => None,
        }
    }

    /// Replaces a `match` by an exit variable of the γ. The decision that one alternative may still have to make becomes pending.
    fn move_in(&self, graph: &mut Graph, node: Node, table: MatchTableId, pending: &mut Vec<Node>) {
        let pool = graph.pool().clone();
        let data = pool.table(table);
        let output = graph.output(node, 0);
        let ty = graph.ty(output);
        let mut results: Vec<Origin> = Vec::new();
        for position in 0..self.gamma.regions(graph).len() {
            let region = self.gamma.regions(graph)[position];
            let start = self.start(graph, region);
            results.push(match self.decided(graph, &start, data) {
                Some(value) => Insert::end(graph, region).predicate(value, data.alternatives),
                None => {
                    let operand = self.copy(graph, region, &start);
                    let source = graph.source(node);
                    let mut at = Insert::end(graph, region).source(source);
                    let new = at.node(Op::Match(table), &[operand], &[ty]);
                    pending.push(new);
                    graph.output(new, 0)
                }
            });
        }
        let replacement = self.gamma.add_exit_var(graph, &results).output;
        graph.divert_users(output, replacement);
        graph.remove(node);
    }

    /// Copies the operations into an alternative.
    fn copy(&self, graph: &mut Graph, region: Region, start: &Start) -> Origin {
        let mut copies: SmallVec<[(Origin, Origin); MAX_OPERATIONS]> =
            self.outputs.iter().copied().zip(start.iter().map(|&(_, origin)| origin)).collect();
        for &node in &self.nodes {
            let Some(op) = graph.op(node) else { continue };
            let mut inputs: SmallVec<[Origin; 3]> = SmallVec::new();
            for index in 0..graph.inputs(node).len() {
                let origin = graph.input(node, index);
                let copied = copies.iter().find(|&&(of, _)| of == origin).map(|&(_, copy)| copy);
                inputs.push(match (copied, fold::constant(graph, origin)) {
                    (Some(copy), _) => copy,
                    (None, Some(constant)) => Insert::end(graph, region).constant(constant),
                    (None, None) => Router::default().route(graph, origin, region),
                });
            }
            let (output, source) = (graph.output(node, 0), graph.source(node));
            let ty = graph.ty(output);
            let copy = Insert::end(graph, region).source(source).add(op, &inputs, ty);
            copies.push((output, copy));
        }
        copies.iter().find(|&&(of, _)| of == self.result).map_or(self.result, |&(_, copy)| copy)
    }
}

/// The γ that produces all starting points of a computation that are not constant.
fn inner(graph: &Graph, start: &Start) -> Option<Gamma> {
    let mut inner = None;
    for &(_, origin) in start {
        if fold::constant(graph, origin).is_some() {
            continue;
        }
        let found = Gamma::new(graph, graph.producer(origin)?)?;
        if *inner.get_or_insert(found) != found {
            return None;
        }
    }
    inner
}

/// The starting points of a computation if an alternative of the γ that produces them is chosen.
fn within(graph: &Graph, start: &Start, inner: Gamma, region: Region) -> Start {
    let within = |&(outer, origin): &(Region, Origin)| match graph.def(origin) {
        OriginDef::Output(node, index) if node == inner.node() => (region, graph.result(region, index as usize)),
        _ => (outer, origin),
    };
    start.iter().map(within).collect()
}

/// The value of an operation, given the known values of its operands, by index; `differs` says that an operand is not a certain constant.
fn evaluate(
    graph: &Graph,
    node: Node,
    value: impl Fn(usize) -> Option<Known>,
    differs: impl Fn(usize, Const) -> Option<()>,
) -> Option<Known> {
    let int = |index| match value(index)? {
        Known::Int(value) => Some(value),
        Known::Null => None,
    };
    let found = match graph.op(node)? {
        Op::Select(_) => return value(if int(0)?.is_zero() { 2 } else { 1 }),
        Op::ICmp { predicate, same_sign } => match (value(0), value(1)) {
            (Some(Known::Null), Some(Known::Null)) => match predicate {
                IntPredicate::Eq => Int::bool(true),
                IntPredicate::Ne => Int::bool(false),
                _ => return None,
            },
            (Some(Known::Int(a)), Some(Known::Int(b))) if !same_sign => Int::bool(a.compare(predicate, b)),
            (None, Some(_)) if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) => {
                differs(0, fold::constant(graph, graph.input(node, 1))?)?;
                Int::bool(predicate == IntPredicate::Ne)
            }
            _ => return None,
        },
        Op::IntBinary { op, flags } => match arith::binary(op, flags, int(0)?, int(1)?) {
            Outcome::Value(value) => value,
            Outcome::Poison | Outcome::Undefined => return None,
        },
        Op::Cast { op, flags } => {
            let bits = arith::width(graph.pool(), graph.ty(graph.output(node, 0)))?;
            match arith::cast(op, flags, int(0)?, bits)? {
                Outcome::Value(value) => value,
                Outcome::Poison | Outcome::Undefined => return None,
            }
        }
        _ => return None,
    };
    Some(Known::Int(found))
}

/// What the γ around a region tell about a value in it: something without which they would not have chosen this region.
fn around<T>(
    graph: &Graph,
    region: Region,
    origin: Origin,
    find: impl Fn(Question<'_>, u32) -> Option<T>,
) -> Option<T> {
    let (mut region, mut origin) = (region, origin);
    for _ in 0..MAX_LEVELS {
        let OriginDef::Argument(owner, index) = graph.def(origin) else { return None };
        let gamma = graph.parent(region).filter(|_| owner == region).and_then(|node| Gamma::new(graph, node))?;
        let position = gamma.regions(graph).iter().position(|&other| other == region)?;
        origin = graph.input(gamma.node(), index as usize + 1);
        let question = Question::of(graph, graph.origin(gamma.predicate(graph)), origin);
        if let Some(found) = question.and_then(|question| find(question, position as u32)) {
            return Some(found);
        }
        region = graph.region_of(gamma.node());
    }
    None
}

/// What a predicate tests about a value.
enum Question<'g> {
    /// Which of some integers it is.
    Which(&'g MatchTable),
    /// Whether it is this constant: the alternative if it is, and if it is not.
    Is(Const, u32, u32),
}

impl<'g> Question<'g> {
    fn of(graph: &'g Graph, predicate: Origin, value: Origin) -> Option<Question<'g>> {
        let node = graph.producer(predicate)?;
        let Some(Op::Match(table)) = graph.op(node) else { return None };
        let table = graph.pool().table(table);
        let on = graph.input(node, 0);
        if on == value {
            return Some(Question::Which(table));
        }
        let compare = graph.producer(on)?;
        let Some(Op::ICmp { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), .. }) = graph.op(compare)
        else {
            return None;
        };
        if graph.input(compare, 0) != value {
            return None;
        }
        let constant = fold::constant(graph, graph.input(compare, 1))?;
        let [yes, no] = [true, false]
            .map(|same| table.alternative(graph.pool(), Int::bool(same == (predicate == IntPredicate::Eq))));
        Some(Question::Is(constant, yes, no))
    }
}

/// Whether a value of a region is known to differ from a constant.
fn differs(graph: &Graph, region: Region, origin: Origin, constant: Const) -> bool {
    let differs = |question: Question<'_>, position: u32| {
        let chosen = match question {
            Question::Which(table) => table.alternative(graph.pool(), Int::of_const(graph.pool(), constant)?),
            Question::Is(other, yes, _) if other == constant => yes,
            Question::Is(..) => return None,
        };
        (chosen != position).then_some(())
    };
    let is_beyond = |value: Int, bounds: Bounds| !(bounds.least..=bounds.greatest).contains(&value.unsigned());
    let value = Int::of_const(graph.pool(), constant);
    value.zip(bounds::of(graph, origin)).is_some_and(|(value, bounds)| is_beyond(value, bounds))
        || around(graph, region, origin, differs).is_some()
}

/// The constant that a value of a region is known to equal.
fn equals(graph: &Graph, region: Region, origin: Origin) -> Option<Known> {
    let equals = |question: Question<'_>, position: u32| match question {
        Question::Which(table) if table.default != position => {
            let mut cases = table.cases.iter().filter(|&&(_, chosen)| chosen == position);
            let (Some(&(value, _)), None) = (cases.next(), cases.next()) else { return None };
            Int::of_const(graph.pool(), value).map(Known::Int)
        }
        Question::Which(_) => None,
        Question::Is(constant, yes, no) if yes == position && no != position => {
            Int::of_const(graph.pool(), constant).map(Known::Int)
        }
        Question::Is(..) => None,
    };
    around(graph, region, origin, equals)
}

/// The integer or null pointer that a value is known to be.
fn known(graph: &Graph, origin: Origin) -> Option<Known> {
    let constant = fold::constant(graph, origin)?;
    if let Some(value) = Int::of_const(graph.pool(), constant) {
        return Some(Known::Int(value));
    }
    let is_null = matches!(graph.pool().constant(constant), Constant::Zero(_))
        && matches!(graph.pool().type_kind(graph.ty(origin)), TypeKind::Ptr(_));
    is_null.then_some(Known::Null)
}
