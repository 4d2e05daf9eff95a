//! Implied conditions: what dominating branches say of a comparison. In the alternative of a conditional that `x < 3` does not choose, `x
//! > 2` holds. As LLVM's `isImpliedCondition` for the conditions of dominating branches.
//!
//! In a loop a comparison of loop variables holds in every iteration if it holds before the loop, and after every iteration that
//! continues the loop. After a loop holds what holds where its last iteration ended: an exit variable tells where that was.
//!
//! Conditions of calls of `llvm.assume` hold too, if control is certain to reach them.
//!
//! Each comparison is decided by a single condition, because with undef several of them might refer to different values; [orders]
//! combines several, of numbers that are not undef.
//!
//! Where a conditional has only one alternative that ends, its condition has held for all that comes after it.

use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use crate::arc::Arc;
use crate::callee::is_assume;
use crate::dead_ends::is_dead_end;
use crate::invariant::follow_out;
use crate::reached::is_reached;
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;

pub mod orders;

/// How many regions around a comparison are visited.
const MAX_LEVELS: u32 = 32;

/// How many parts of one condition are visited.
const MAX_PARTS: u32 = 16;

/// How many nested selects are looked into.
const MAX_CHOICES: u32 = 2;

/// How many nodes before one are visited.
const MAX_BEFORE: u32 = 16;

/// How many users of a value are visited.
const MAX_USERS: usize = 8;

/// The alternative of a loop's predicate that continues the loop.
pub const REPEAT: u32 = 1;

/// The alternative of a loop's predicate that ends the loop.
pub const EXIT: u32 = 0;

/// The result of a comparison of two scalar values wherever it is executed, if dominating branches, or assumptions, imply it. Cost:
/// linear in the regions around it, of which a bounded number is visited.
pub fn decided(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<bool> {
    let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
    if graph.ty(graph.output(node, 0)) != Type::I1 {
        return None;
    }
    let asked = Question::of(graph, predicate, graph.input(node, 0), graph.input(node, 1))?;
    around(Cx { surroundings, asking: Some(node), ..Cx::of(graph) }, graph.region_of(node), asked, MAX_CHOICES)
}

/// Whether an integer of a region is always equal to a number there, or always different, because of branches around the region.
pub fn is_number(graph: &Graph, region: Region, value: Origin, number: Int) -> Option<bool> {
    is_among(graph, region, value, Arc::one(number)?)
}

/// Whether an integer of a region is always in a range there, or never, because of branches around the region.
pub fn is_among(graph: &Graph, region: Region, value: Origin, arc: Arc) -> Option<bool> {
    let asked = Question { value, relation: Relation::Among(arc) };
    around(Cx::of(graph), region, asked.with_constants_last(graph), MAX_CHOICES)
}

/// The result that a comparison of two scalar values would have in a region, if branches imply it. The values are of that region or of
/// regions around it.
pub fn compared(
    graph: &Graph,
    region: Region,
    (predicate, left, right): (IntPredicate, Origin, Origin),
) -> Option<bool> {
    let asked = Question::of(graph, predicate, left, right)?;
    around(Cx::of(graph), region, asked, MAX_CHOICES)
}

/// Whether an i1 that enters a region is always true there, or always false, because of branches around the region.
pub fn truth(graph: &Graph, argument: Origin) -> Option<bool> {
    let OriginDef::Argument(region, _) = graph.def(argument) else { return None };
    around(Cx::of(graph), region, Question::whether(argument), MAX_CHOICES)
}

/// Whether a condition, an i1, is true if a predicate of the same region chooses an alternative.
pub fn leads(graph: &Graph, predicate: Origin, alternative: u32, condition: Origin) -> Option<bool> {
    given(Cx::of(graph), Part::Leads(predicate, alternative), Question::whether(condition))
}

/// Whether a relation of two values is implied by a predicate of the same region choosing an alternative.
pub fn decided_by(
    graph: &Graph,
    (predicate, alternative): (Origin, u32),
    (relation, left, right): (IntPredicate, Origin, Origin),
) -> Option<bool> {
    given(Cx::of(graph), Part::Leads(predicate, alternative), Question::of(graph, relation, left, right)?)
}

/// Whether a relation of two values is implied by a condition, an i1, being true, or being false.
pub fn follows(
    graph: &Graph,
    (condition, truth): (Origin, bool),
    (predicate, left, right): (IntPredicate, Origin, Origin),
) -> Option<bool> {
    Question::of(graph, predicate, left, right)?.follows(Cx::of(graph), condition, truth)
}

/// The decisions that have been made wherever a node is executed: of conditionals before it, in the order of effects, of which only one
/// alternative ends.
pub fn decisions_before(graph: &Graph, node: Node) -> SmallVec<[(Origin, u32); 4]> {
    let mut found = SmallVec::new();
    let io_of = |node| graph.input_origins(node).find(|&origin| graph.ty(origin) == Type::IO);
    let mut state = io_of(node);
    for _ in 0..MAX_BEFORE {
        let Some(before) = state.and_then(|state| graph.producer(state)) else { break };
        if let Some(gamma) = Gamma::new(graph, before) {
            let is_open = |&(number, &region): &(u32, &Region)| {
                if seeded::is_active(Bug::RedDecidedBefore) { number == 0 } else { !is_dead_end(graph, region) }
            };
            let mut open = (0..).zip(gamma.regions(graph)).filter(is_open);
            if let (Some((number, _)), None) = (open.next(), open.next()) {
                found.push((graph.origin(gamma.predicate(graph)), number));
            }
        }
        state = io_of(before);
    }
    found
}

/// The context of a question.
#[derive(Copy, Clone)]
struct Cx<'g> {
    graph: &'g Graph,
    /// Without them, assumptions are not used.
    surroundings: Option<&'g Surroundings>,
    /// The comparison that is asked about, which must not answer for itself.
    asking: Option<Node>,
    /// Whether the last iteration of a loop may answer for what is after it.
    enters_loops: bool,
}

impl<'g> Cx<'g> {
    fn of(graph: &'g Graph) -> Cx<'g> {
        Cx { graph, surroundings: None, asking: None, enters_loops: true }
    }
}

/// The answer implied by the branches around a region. At most `MAX_CHOICES` calls deep.
fn around(cx: Cx<'_>, mut region: Region, mut asked: Question, choices: u32) -> Option<bool> {
    let graph = cx.graph;
    // The answer that the loops visited so far require.
    let mut in_loops = None;
    for _ in 0..MAX_LEVELS {
        let by_choice = asked.by_choice(cx, choices, &|asked| around(cx, region, asked, choices - 1));
        let found = by_choice.or_else(|| asked.by_constants(graph)).or_else(|| asked.by_assumptions(cx));
        if let Some(found) = found {
            return in_loops.is_none_or(|other| other == found).then_some(found);
        }
        let parent = graph.parent(region)?;
        if let Some(gamma) = Gamma::new(graph, parent) {
            let alternative = gamma.regions(graph).iter().position(|&other| other == region)?;
            asked = asked.moved(|origin| match graph.def(origin) {
                OriginDef::Argument(of, index) if of == region => Some(graph.input(parent, index as usize + 1)),
                _ => (graph.scope(origin) != region).then_some(origin),
            })?;
            let decision = Part::Leads(graph.origin(gamma.predicate(graph)), alternative as u32);
            if let Some(found) = given(cx, decision, asked) {
                return in_loops.is_none_or(|other| other == found).then_some(found);
            }
        } else {
            let theta = Theta::new(graph, parent)?;
            // A value from outside the loop is the same in every iteration.
            let of_variable = |origin, value: &dyn Fn(LoopVar) -> Origin| match graph.def(origin) {
                OriginDef::Argument(of, index) if of == region => Some(value(theta.loop_var(graph, index as usize))),
                _ => (graph.scope(origin) != region).then_some(origin),
            };
            let after = asked.moved(|origin| of_variable(origin, &|variable| graph.origin(variable.post)))?;
            if after != asked && !seeded::is_active(Bug::RedDecidedOnce) {
                let again = Part::Leads(graph.origin(theta.predicate(graph)), REPEAT);
                let again = |asked: Question| given(cx, again, asked);
                let after = after.with_constants_last(graph);
                let answer = again(after).or_else(|| after.by_choice(cx, choices, &again))?;
                if in_loops.is_some_and(|other| other != answer) {
                    return None;
                }
                in_loops = Some(answer);
            }
            asked = asked.moved(|origin| of_variable(origin, &|variable| graph.origin(variable.input)))?;
        }
        asked = asked.with_constants_last(graph);
        let mut before = decisions_before(graph, parent).into_iter();
        if let Some(found) = before.find_map(|(predicate, to)| given(cx, Part::Leads(predicate, to), asked)) {
            return in_loops.is_none_or(|other| other == found).then_some(found);
        }
        region = graph.region_of(parent);
    }
    None
}

/// A comparison to be decided.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Question {
    value: Origin,
    relation: Relation,
}

/// The question about a value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Relation {
    /// Whether it is in a range of integers.
    Among(Arc),
    /// Its relation to a constant that is not an integer.
    Constant(IntPredicate, Const),
    /// Its relation to another value.
    Value(IntPredicate, Origin),
}

impl Question {
    /// Whether a condition is true.
    fn whether(condition: Origin) -> Question {
        Question { value: condition, relation: Relation::Among(Arc::truth(true)) }
    }

    fn of(graph: &Graph, predicate: IntPredicate, left: Origin, right: Origin) -> Option<Question> {
        let relation = match fold::constant(graph, right) {
            None => Relation::Value(predicate, right),
            Some(constant) if graph.ty(right) == Type::PTR => Relation::Constant(predicate, constant),
            Some(_) => Relation::Among(Arc::of(predicate, fold::int(graph, right)?)?),
        };
        Some(Question { value: left, relation }.with_constants_last(graph))
    }

    /// The same question about other values.
    fn moved(self, mut to: impl FnMut(Origin) -> Option<Origin>) -> Option<Question> {
        let relation = match self.relation {
            Relation::Value(predicate, other) => Relation::Value(predicate, to(other)?),
            relation => relation,
        };
        Some(Question { value: to(self.value)?, relation })
    }

    /// The same question with a constant on the right, and without one that is added.
    fn with_constants_last(self, graph: &Graph) -> Question {
        match self.relation {
            Relation::Value(predicate, other) if fold::constant(graph, other).is_some() => {
                Question::of(graph, predicate, self.value, other).unwrap_or(self)
            }
            Relation::Value(predicate, other) if fold::constant(graph, self.value).is_some() => {
                Question::of(graph, arith::swapped(predicate), other, self.value).unwrap_or(self)
            }
            Relation::Among(arc) => match (sum(graph, self.value), difference(graph, self.value), arc.equality()) {
                (Some((value, by)), ..) => Question { value, relation: Relation::Among(arc.before_adding(by)) },
                (None, Some((value, other)), Some((predicate, zero))) if zero.is_zero() => {
                    Question { value, relation: Relation::Value(predicate, other) }
                }
                (None, ..) => self,
            },
            Relation::Value(predicate, other) => self.before_next(graph, predicate, other).unwrap_or(self),
            Relation::Constant(..) => self,
        }
    }

    /// The same question about the predecessor: `x + 1 ≤ y` is `x < y`, if the sum does not wrap.
    fn before_next(self, graph: &Graph, predicate: IntPredicate, other: Origin) -> Option<Question> {
        let before = |value: Origin, strict: bool| match predicate {
            IntPredicate::Ule | IntPredicate::Ugt if !strict => predecessor(graph, value, BinaryFlags::NUW),
            IntPredicate::Sle | IntPredicate::Sgt if !strict => predecessor(graph, value, BinaryFlags::NSW),
            IntPredicate::Ult | IntPredicate::Uge if strict => predecessor(graph, value, BinaryFlags::NUW),
            IntPredicate::Slt | IntPredicate::Sge if strict => predecessor(graph, value, BinaryFlags::NSW),
            _ => None,
        };
        let relation = match predicate {
            IntPredicate::Ule => IntPredicate::Ult,
            IntPredicate::Ugt => IntPredicate::Uge,
            IntPredicate::Sle => IntPredicate::Slt,
            IntPredicate::Sgt => IntPredicate::Sge,
            IntPredicate::Ult => IntPredicate::Ule,
            IntPredicate::Uge => IntPredicate::Ugt,
            IntPredicate::Slt => IntPredicate::Sle,
            IntPredicate::Sge => IntPredicate::Sgt,
            IntPredicate::Eq | IntPredicate::Ne => return None,
        };
        let (value, other) = match before(self.value, false) {
            Some(value) => (value, other),
            None => (self.value, before(other, true)?),
        };
        Some(Question { value, relation: Relation::Value(relation, other) })
    }

    /// The answer for two equal values.
    fn by_identity(self, graph: &Graph) -> Option<bool> {
        let Relation::Value(predicate, other) = self.relation else { return None };
        same(graph, self.value, other).then(|| implied(IntPredicate::Eq, predicate))?
    }

    /// The answer for a constant.
    fn by_constants(self, graph: &Graph) -> Option<bool> {
        let Relation::Among(arc) = self.relation else { return None };
        arc.has_values_of(Arc::one(fold::int(graph, self.value)?)?)
    }

    /// The answer implied by a comparison of the value that an assumption states, if the assumption applies wherever the value is used:
    /// it is executed whenever the value's region is entered, or whenever control has reached the value's definition.
    fn by_assumptions(self, cx: Cx<'_>) -> Option<bool> {
        let Cx { graph, surroundings, asking, .. } = cx;
        surroundings?;
        let users = |value| graph.users_of(value).take(MAX_USERS).map(|user| graph.site(user));
        users(self.value).find_map(|user| {
            let Use::Input(compare, _) = user else { return None };
            if !matches!(graph.op(compare), Some(Op::ICmp { .. })) || asking == Some(compare) {
                return None;
            }
            let condition = graph.output(compare, 0);
            let is_assumed = |user| {
                let Use::Input(node, _) = user else { return false };
                is_assume(graph, surroundings, node)
                    && is_reached(graph, surroundings, node, graph.producer(self.value))
            };
            users(condition).any(is_assumed).then(|| given(cx, Part::Is(condition, true), self))?
        })
    }

    /// The answer if a condition is true, or false.
    fn follows(self, cx: Cx<'_>, condition: Origin, truth: bool) -> Option<bool> {
        let alone = self.by_constants(cx.graph).or_else(|| self.by_identity(cx.graph));
        alone.or_else(|| given(cx, Part::Is(condition, truth), self))
    }

    /// The answer for a select, if it is the same for both values: because the value is a constant, because the condition implies it, or
    /// because `otherwise` does.
    fn by_choice(self, cx: Cx<'_>, choices: u32, otherwise: &dyn Fn(Question) -> Option<bool>) -> Option<bool> {
        let graph = cx.graph;
        let node = graph.producer(self.value).filter(|_| choices > 0)?;
        let Some(Op::Select(_)) = graph.op(node) else { return None };
        let condition = graph.input(node, 0);
        let answer = |truth, index| {
            let chosen = Question { value: graph.input(node, index), ..self }.with_constants_last(graph);
            chosen.follows(cx, condition, truth).or_else(|| otherwise(chosen))
        };
        let first = answer(true, 1)?;
        (answer(false, 2)? == first).then_some(first)
    }

    /// The answer if a relation holds.
    fn after(self, graph: &Graph, predicate: IntPredicate, left: Origin, right: Origin) -> Option<bool> {
        match self.relation {
            Relation::Among(asked) => self.among(graph, left, Arc::of(predicate, fold::int(graph, right)?)?, asked),
            Relation::Constant(asked, constant) => (same(graph, left, self.value)
                && fold::constant(graph, right)? == constant)
                .then(|| implied(predicate, asked))?,
            Relation::Value(asked, other) if same(graph, left, self.value) && same(graph, right, other) => {
                implied(predicate, asked)
            }
            Relation::Value(asked, other) if same(graph, right, self.value) && same(graph, left, other) => {
                implied(arith::swapped(predicate), asked)
            }
            Relation::Value(..) => None,
        }
    }

    /// The answer if a value is in a range.
    fn among(self, graph: &Graph, known: Origin, values: Arc, asked: Arc) -> Option<bool> {
        if same(graph, known, self.value) {
            return asked.has_values_of(values);
        }
        let (value, by) = sum(graph, known)?;
        same(graph, value, self.value).then(|| asked.has_values_of(values.before_adding(by)))?
    }

    /// The same question inside an alternative of a conditional, or inside a loop at its end: about results instead of outputs.
    fn inside(self, graph: &Graph, structural: Node, region: Region) -> Option<Question> {
        let first = graph.results(region).len() - graph.outputs(structural).len();
        let inside = self.moved(|origin| match graph.def(origin) {
            OriginDef::Output(node, index) if node == structural => Some(graph.result(region, first + index as usize)),
            _ => Some(origin),
        });
        inside.map(|inside| inside.with_constants_last(graph))
    }
}

/// Whether two values are the same, in any regions.
fn same(graph: &Graph, a: Origin, b: Origin) -> bool {
    a == b || follow_out(graph, a).0 == follow_out(graph, b).0
}

/// A sum of a value and a constant.
fn sum(graph: &Graph, origin: Origin) -> Option<(Origin, Int)> {
    let node = graph.producer(origin)?;
    let Some(Op::IntBinary { op: IntBinary::Add, .. }) = graph.op(node) else { return None };
    Some((graph.input(node, 0), fold::int(graph, graph.input(node, 1))?))
}

/// The value to which one is added without wrapping, as these flags promise.
fn predecessor(graph: &Graph, origin: Origin, promise: BinaryFlags) -> Option<Origin> {
    let node = graph.producer(origin)?;
    let Some(Op::IntBinary { op: IntBinary::Add, flags }) = graph.op(node) else { return None };
    let (value, by) = sum(graph, origin)?;
    (flags.contains(promise) && by.is_one()).then_some(value)
}

/// A difference of two values.
fn difference(graph: &Graph, origin: Origin) -> Option<(Origin, Origin)> {
    let node = graph.producer(origin)?;
    let Some(Op::IntBinary { op: IntBinary::Sub, .. }) = graph.op(node) else { return None };
    Some((graph.input(node, 0), graph.input(node, 1)))
}

/// The possible outcomes of a comparison: equal, less or greater, signed and unsigned.
fn outcomes(predicate: IntPredicate) -> u8 {
    const EQUAL: u8 = 1;
    const BELOW: u8 = 0b00110;
    const ABOVE: u8 = 0b11000;
    const LESS: u8 = 0b01010;
    const GREATER: u8 = 0b10100;
    match predicate {
        IntPredicate::Eq => EQUAL,
        IntPredicate::Ne => BELOW | ABOVE,
        IntPredicate::Ult => BELOW,
        IntPredicate::Ule => BELOW | EQUAL,
        IntPredicate::Ugt => ABOVE,
        IntPredicate::Uge => ABOVE | EQUAL,
        IntPredicate::Slt => LESS,
        IntPredicate::Sle => LESS | EQUAL,
        IntPredicate::Sgt => GREATER,
        IntPredicate::Sge => GREATER | EQUAL,
    }
}

/// Whether a relation of two values implies another relation of them, or its opposite.
fn implied(known: IntPredicate, asked: IntPredicate) -> Option<bool> {
    let (known, asked) = (outcomes(known), outcomes(asked));
    if known & !asked == 0 {
        return Some(true);
    }
    (known & asked == 0).then_some(false)
}

/// A part of a known decision.
#[derive(Copy, Clone)]
enum Part {
    /// A predicate chooses this alternative.
    Leads(Origin, u32),
    /// A condition is true, or false.
    Is(Origin, bool),
}

/// The answer if a decision of the same region is known.
fn given(cx: Cx<'_>, decision: Part, asked: Question) -> Option<bool> {
    let graph = cx.graph;
    let inside = |asked: Question, node, region| asked.inside(graph, node, region);
    walk(graph, decision, asked, inside, |part, asked| match part {
        Known::Is(condition, truth) => match asked.relation {
            Relation::Among(wanted) if same(graph, condition, asked.value) => wanted.has_values_of(Arc::truth(truth)),
            Relation::Among(_) | Relation::Constant(..) | Relation::Value(..) => None,
        },
        Known::Relation(predicate, left, right) => asked.after(graph, predicate, left, right),
        Known::Case(table, on, to) => by_cases(graph, table, on, to, asked),
        Known::Exit(theta, variable, to) => at_exit(cx, theta, variable, to, asked),
    })
}

/// The answer after a loop, if one of its variables leads to this alternative then: what the last iteration implies where the variable
/// was decided.
fn at_exit(cx: Cx<'_>, theta: Theta, variable: LoopVar, to: u32, asked: Question) -> Option<bool> {
    let graph = cx.graph;
    if !cx.enters_loops {
        return None;
    }
    let cx = Cx { enters_loops: false, ..cx };
    let mut region = theta.body(graph);
    let mut asked = asked.inside(graph, theta.node(), region)?;
    let mut exit = Some(graph.origin(theta.predicate(graph)));
    let mut choice = graph.origin(variable.post);
    for _ in 0..MAX_PARTS {
        let by_exit = exit.and_then(|exit| given(cx, Part::Leads(exit, EXIT), asked));
        if let Some(found) = by_exit.or_else(|| given(cx, Part::Leads(choice, to), asked)) {
            return Some(found);
        }
        let OriginDef::Output(node, index) = graph.def(choice) else { break };
        let Some((_, inner)) = Gamma::new(graph, node).and_then(|gamma| only_leading(graph, gamma, index, to)) else {
            break;
        };
        let result = |origin| match graph.def(origin) {
            OriginDef::Output(of, index) if of == node => Some(graph.result(inner, index as usize)),
            _ => None,
        };
        asked = asked.inside(graph, node, inner)?;
        exit = exit.and_then(result);
        choice = graph.result(inner, index as usize);
        region = inner;
    }
    around(cx, region, asked, MAX_CHOICES)
}

/// The alternative of a conditional with which an exit variable of it may lead to an alternative, if there is only one.
fn only_leading(graph: &Graph, gamma: Gamma, exit: u32, to: u32) -> Option<(u32, Region)> {
    let mut possible = (0..).zip(gamma.regions(graph)).filter(|&(_, &region)| {
        let result = graph.result(region, exit as usize);
        let known = graph.producer(result).and_then(|producer| graph.op(producer));
        !matches!(known, Some(Op::CtlConst { value, .. }) if value != to)
    });
    let (Some((number, &region)), None) = (possible.next(), possible.next()) else { return None };
    Some((number, region))
}

/// The conditions, each an i1, that are true, or false, if a predicate chooses an alternative: of the region of the predicate or inner ones.
/// They have been evaluated then.
pub fn truths(graph: &Graph, predicate: Origin, alternative: u32) -> SmallVec<[(Origin, bool); 4]> {
    let mut found = SmallVec::new();
    let decision = Part::Leads(predicate, alternative);
    walk(
        graph,
        decision,
        (),
        |(), _, _| Some(()),
        |part, ()| {
            if let Known::Is(condition, truth) = part {
                found.push((condition, truth));
            }
            None::<()>
        },
    );
    found
}

/// The relations of two values that hold if a predicate chooses an alternative, each in the region where the two are compared: that of
/// the predicate or an inner one.
pub fn relations(graph: &Graph, predicate: Origin, alternative: u32) -> SmallVec<[(IntPredicate, Origin, Origin); 4]> {
    let relation = |(condition, truth)| {
        let node = graph.producer(condition)?;
        let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
        let holds = if truth { predicate } else { arith::inverse(predicate) };
        Some((holds, graph.input(node, 0), graph.input(node, 1)))
    };
    truths(graph, predicate, alternative).into_iter().filter_map(relation).collect()
}

/// The facts that follow from a decision.
enum Known<'t> {
    /// A condition is true, or false.
    Is(Origin, bool),
    /// A relation of two values holds.
    Relation(IntPredicate, Origin, Origin),
    /// A table yields this alternative.
    Case(&'t MatchTable, Origin, u32),
    /// After a loop a variable of it leads to this alternative.
    Exit(Theta, LoopVar, u32),
}

/// Visits the facts that follow from a decision, until `find` succeeds. The question is translated for decisions inside conditionals.
fn walk<A: Copy, F>(
    graph: &Graph,
    decision: Part,
    asked: A,
    inside: impl Fn(A, Node, Region) -> Option<A>,
    mut find: impl FnMut(Known<'_>, A) -> Option<F>,
) -> Option<F> {
    let mut pending: SmallVec<[(Part, A); 4]> = SmallVec::new();
    pending.push((decision, asked));
    for _ in 0..MAX_PARTS {
        let (part, asked) = pending.pop()?;
        if let Part::Is(condition, truth) = part
            && let Some(found) = find(Known::Is(condition, truth), asked)
        {
            return Some(found);
        }
        let (Part::Leads(origin, _) | Part::Is(origin, _)) = part;
        let OriginDef::Output(node, index) = graph.def(origin) else { continue };
        match (part, graph.kind(node)) {
            (Part::Leads(_, to), NodeKind::Simple(Op::Match(table))) => {
                let (table, on) = (graph.pool().table(table), graph.input(node, 0));
                if graph.ty(on) == Type::I1 {
                    let leads = |truth| table.alternative(graph.pool(), Int::bool(truth)) == to;
                    if leads(true) != leads(false) {
                        pending.push((Part::Is(on, leads(true)), asked));
                    }
                } else if let Some(found) = find(Known::Case(table, on, to), asked) {
                    return Some(found);
                }
            }
            (Part::Leads(_, to), NodeKind::Gamma) => {
                let Some(gamma) = Gamma::new(graph, node) else { continue };
                let Some((number, region)) = only_leading(graph, gamma, index, to) else { continue };
                if let Some(inside) = inside(asked, node, region) {
                    pending.push((Part::Leads(graph.result(region, index as usize), to), inside));
                }
                pending.push((Part::Leads(graph.origin(gamma.predicate(graph)), number), asked));
            }
            (Part::Leads(_, to), NodeKind::Theta) => {
                let Some(theta) = Theta::new(graph, node) else { continue };
                if let Some(found) = find(Known::Exit(theta, theta.loop_var(graph, index as usize), to), asked) {
                    return Some(found);
                }
            }
            (Part::Is(_, truth), NodeKind::Simple(Op::ICmp { predicate, .. })) => {
                let holds = if truth { predicate } else { arith::inverse(predicate) };
                let relation = Known::Relation(holds, graph.input(node, 0), graph.input(node, 1));
                if let Some(found) = find(relation, asked) {
                    return Some(found);
                }
                pending.extend(choice(graph, node, holds).map(|part| (part, asked)));
            }
            (Part::Is(_, truth), NodeKind::Simple(op)) => {
                pending.extend(parts(graph, node, op, truth).into_iter().flatten().map(|part| (part, asked)));
            }
            (Part::Leads(..) | Part::Is(..), _) => {}
        }
    }
    None
}

/// The operands of a condition that must be true, or false, because the condition is.
fn parts(graph: &Graph, node: Node, op: Op, truth: bool) -> [Option<Part>; 2] {
    let input = |index| graph.input(node, index);
    let is = |index, value| fold::int(graph, input(index)).is_some_and(|int| int.bits() == 1 && int.is_one() == value);
    let all = |op| match op {
        IntBinary::And => truth,
        IntBinary::Or => !truth || seeded::is_active(Bug::RedDecidedByEither),
        _ => false,
    };
    match op {
        Op::IntBinary { op, .. } if all(op) => [0, 1].map(|index| Some(Part::Is(input(index), truth))),
        Op::IntBinary { op: IntBinary::Xor, .. } if is(1, true) => [Some(Part::Is(input(0), !truth)), None],
        Op::Select(_) if truth && is(2, false) => [Some(Part::Is(input(0), true)), Some(Part::Is(input(1), true))],
        Op::Select(_) if !truth && is(1, true) => [Some(Part::Is(input(0), false)), Some(Part::Is(input(2), false))],
        _ => [None, None],
    }
}

/// The condition of a select that a comparison compares with a constant, if the comparison does not hold for one of the two values: the
/// other one was chosen.
fn choice(graph: &Graph, compare: Node, holds: IntPredicate) -> Option<Part> {
    let select = graph.producer(graph.input(compare, 0))?;
    let Some(Op::Select(_)) = graph.op(select) else { return None };
    let limit = fold::constant(graph, graph.input(compare, 1))?;
    let fails = |index| {
        let value = graph.input(select, index);
        if fold::constant(graph, value) == Some(limit) {
            return implied(IntPredicate::Eq, holds) == Some(false);
        }
        let numbers = fold::int(graph, value).zip(Int::of_const(graph.pool(), limit));
        numbers.is_some_and(|(value, limit)| !value.compare(holds, limit))
    };
    let condition = graph.input(select, 0);
    match [fails(1), fails(2)] {
        [true, false] => Some(Part::Is(condition, false)),
        [false, true] => Some(Part::Is(condition, true)),
        _ => None,
    }
}

/// The answer if a value is one of those for which a table yields an alternative.
fn by_cases(graph: &Graph, table: &MatchTable, on: Origin, to: u32, asked: Question) -> Option<bool> {
    let Relation::Among(wanted) = asked.relation else { return None };
    let here = |&&(_, alternative): &&(Const, u32)| alternative == to;
    let point = |&(value, _): &(Const, u32)| Arc::one(Int::of_const(graph.pool(), value)?);
    if !matches!(graph.pool().constant(table.cases.first()?.0), Constant::Int { .. }) {
        return None;
    }
    if to == table.default {
        // Only values without a case for another alternative lead there.
        let others = table.cases.iter().filter(|case| !here(case)).filter_map(point);
        return others.take(MAX_PARTS as usize).find_map(|other| asked.among(graph, on, other.complement(), wanted));
    }
    let mut answers = table.cases.iter().filter(here).map(|case| asked.among(graph, on, point(case)?, wanted));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests;
