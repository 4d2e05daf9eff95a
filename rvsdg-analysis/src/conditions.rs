//! What decisions around a comparison say of it: in the alternative of a conditional to which `x < 3` does not lead, `x > 2` holds. As
//! LLVM's `isImpliedCondition` for the conditions of dominating branches.
//!
//! In a loop a comparison of loop variables holds in every iteration if it holds before the loop, and after an iteration whenever
//! the loop is repeated.
//!
//! A comparison is decided by one decision alone: where a value is undef, several of them need not be of the same one.

use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::{IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type};
use smallvec::SmallVec;

use crate::arc::Arc;
use crate::seeded::{self, Bug};

/// So many regions around a comparison are looked at.
const MAX_LEVELS: u32 = 32;

/// So many parts of one decision are looked at.
const MAX_PARTS: u32 = 16;

/// The alternative of a loop's predicate that repeats it.
const REPEAT: u32 = 1;

/// What a comparison gives wherever it is executed, if decisions around it say that. Cost: linear in the regions around it, of which
/// a bounded number is looked at.
pub fn decided(graph: &Graph, node: Node) -> Option<bool> {
    let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
    let asked = Question::of(graph, predicate, graph.input(node, 0), graph.input(node, 1))?;
    around(graph, graph.region_of(node), asked)
}

/// Whether a condition that enters a region, an i1, is always true there, or always false, because decisions around the region say that.
pub fn truth(graph: &Graph, argument: Origin) -> Option<bool> {
    let OriginDef::Argument(region, _) = graph.def(argument) else { return None };
    around(graph, region, Question::whether(argument))
}

/// Whether a condition, an i1, is true, where a predicate of the same region leads to an alternative.
pub fn leads(graph: &Graph, predicate: Origin, alternative: u32, condition: Origin) -> Option<bool> {
    given(graph, predicate, alternative, Question::whether(condition))
}

/// The answer that decisions around a region give.
fn around(graph: &Graph, mut region: Region, mut asked: Question) -> Option<bool> {
    // What loops between ask of the answer.
    let mut in_loops = None;
    for _ in 0..MAX_LEVELS {
        let parent = graph.parent(region)?;
        let found = if let Some(gamma) = Gamma::new(graph, parent) {
            let alternative = gamma.regions(graph).iter().position(|&other| other == region)?;
            asked = asked.moved(|origin| match graph.def(origin) {
                OriginDef::Argument(_, index) => Some(graph.input(parent, index as usize + 1)),
                OriginDef::Output(..) => None,
            })?;
            given(graph, graph.origin(gamma.predicate(graph)), alternative as u32, asked)
        } else {
            let theta = Theta::new(graph, parent)?;
            let variable = |origin| match graph.def(origin) {
                OriginDef::Argument(_, index) => Some(theta.loop_var(graph, index as usize)),
                OriginDef::Output(..) => None,
            };
            let after = asked.moved(|origin| Some(graph.origin(variable(origin)?.post)))?;
            if after != asked && !seeded::is_active(Bug::RedDecidedOnce) {
                let again = given(graph, graph.origin(theta.predicate(graph)), REPEAT, after)?;
                if in_loops.is_some_and(|other| other != again) {
                    return None;
                }
                in_loops = Some(again);
            }
            asked = asked.moved(|origin| Some(graph.origin(variable(origin)?.input)))?;
            None
        };
        let found = match found {
            None => {
                asked = asked.with_constants_last(graph);
                asked.by_constants(graph)
            }
            found => found,
        };
        if let Some(found) = found {
            return in_loops.is_none_or(|other| other == found).then_some(found);
        }
        region = graph.region_of(parent);
    }
    None
}

/// A comparison whose answer is looked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Question {
    value: Origin,
    relation: Relation,
}

/// What is asked of a value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Relation {
    /// Whether it is one of some integers.
    Among(Arc),
    /// A relation with a constant that is no integer.
    Constant(IntPredicate, Const),
    /// A relation with another value.
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

    /// The same of other values.
    fn moved(self, mut to: impl FnMut(Origin) -> Option<Origin>) -> Option<Question> {
        let relation = match self.relation {
            Relation::Value(predicate, other) => Relation::Value(predicate, to(other)?),
            relation => relation,
        };
        Some(Question { value: to(self.value)?, relation })
    }

    /// The same, with a constant on the right, and without one that is added.
    fn with_constants_last(self, graph: &Graph) -> Question {
        match self.relation {
            Relation::Value(predicate, other) if fold::constant(graph, other).is_some() => {
                Question::of(graph, predicate, self.value, other).unwrap_or(self)
            }
            Relation::Value(predicate, other) if fold::constant(graph, self.value).is_some() => {
                Question::of(graph, arith::swapped(predicate), other, self.value).unwrap_or(self)
            }
            Relation::Among(arc) => match sum(graph, self.value) {
                Some((value, by)) => Question { value, relation: Relation::Among(arc.before_adding(by)) },
                None => self,
            },
            Relation::Constant(..) | Relation::Value(..) => self,
        }
    }

    /// The answer for a constant.
    fn by_constants(self, graph: &Graph) -> Option<bool> {
        let Relation::Among(arc) = self.relation else { return None };
        arc.has_values_of(Arc::one(fold::int(graph, self.value)?)?)
    }

    /// The answer, once a relation holds.
    fn after(self, graph: &Graph, predicate: IntPredicate, left: Origin, right: Origin) -> Option<bool> {
        match self.relation {
            Relation::Among(asked) => self.among(graph, left, Arc::of(predicate, fold::int(graph, right)?)?, asked),
            Relation::Constant(asked, constant) => {
                (left == self.value && fold::constant(graph, right)? == constant).then(|| implied(predicate, asked))?
            }
            Relation::Value(asked, other) if (left, right) == (self.value, other) => implied(predicate, asked),
            Relation::Value(asked, other) if (right, left) == (self.value, other) => {
                implied(arith::swapped(predicate), asked)
            }
            Relation::Value(..) => None,
        }
    }

    /// The answer, once a value is one of some integers.
    fn among(self, graph: &Graph, known: Origin, values: Arc, asked: Arc) -> Option<bool> {
        if known == self.value {
            return asked.has_values_of(values);
        }
        let (value, by) = sum(graph, known)?;
        (value == self.value).then(|| asked.has_values_of(values.before_adding(by)))?
    }

    /// The same inside of an alternative of a conditional, of what enters and leaves it.
    fn inside(self, graph: &Graph, gamma: Node, region: Region) -> Option<Question> {
        self.moved(|origin| match graph.def(origin) {
            OriginDef::Output(node, index) if node == gamma => Some(graph.result(region, index as usize)),
            _ => {
                let index = graph.input_origins(gamma).skip(1).position(|input| input == origin)?;
                Some(graph.arguments(region)[index])
            }
        })
    }
}

/// A sum of a value and a constant.
fn sum(graph: &Graph, origin: Origin) -> Option<(Origin, Int)> {
    let node = graph.producer(origin)?;
    let Some(Op::IntBinary { op: IntBinary::Add, .. }) = graph.op(node) else { return None };
    Some((graph.input(node, 0), fold::int(graph, graph.input(node, 1))?))
}

/// Ways in which two values can relate: equal, or one less than the other, with and without sign.
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

/// What a relation of two values says of another one of them.
fn implied(known: IntPredicate, asked: IntPredicate) -> Option<bool> {
    let (known, asked) = (outcomes(known), outcomes(asked));
    if known & !asked == 0 {
        return Some(true);
    }
    (known & asked == 0).then_some(false)
}

/// A part of a decision.
#[derive(Copy, Clone)]
enum Part {
    /// A predicate leads to this alternative.
    Leads(Origin, u32),
    /// A condition is true, or false.
    Is(Origin, bool),
}

/// The answer, where a predicate of the same region leads to an alternative.
fn given(graph: &Graph, predicate: Origin, alternative: u32, asked: Question) -> Option<bool> {
    let mut pending: SmallVec<[(Part, Question); 4]> = SmallVec::new();
    pending.push((Part::Leads(predicate, alternative), asked));
    for _ in 0..MAX_PARTS {
        let (part, asked) = pending.pop()?;
        if let Part::Is(condition, truth) = part
            && let Relation::Among(wanted) = asked.relation
            && condition == asked.value
        {
            return wanted.has_values_of(Arc::truth(truth));
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
                } else if let Some(answer) = by_cases(graph, table, on, to, asked) {
                    return Some(answer);
                }
            }
            (Part::Leads(_, to), NodeKind::Gamma) => {
                let Some(gamma) = Gamma::new(graph, node) else { continue };
                let mut possible = gamma.regions(graph).iter().enumerate().filter(|&(_, &region)| {
                    let result = graph.result(region, index as usize);
                    let known = graph.producer(result).and_then(|producer| graph.op(producer));
                    !matches!(known, Some(Op::CtlConst { value, .. }) if value != to)
                });
                let (Some((number, &region)), None) = (possible.next(), possible.next()) else { continue };
                if let Some(inside) = asked.inside(graph, node, region) {
                    pending.push((Part::Leads(graph.result(region, index as usize), to), inside));
                }
                pending.push((Part::Leads(graph.origin(gamma.predicate(graph)), number as u32), asked));
            }
            (Part::Is(_, truth), NodeKind::Simple(Op::ICmp { predicate, .. })) => {
                let holds = if truth { predicate } else { arith::inverse(predicate) };
                let answer = asked.after(graph, holds, graph.input(node, 0), graph.input(node, 1));
                if answer.is_some() {
                    return answer;
                }
            }
            (Part::Is(_, truth), NodeKind::Simple(op)) => {
                pending.extend(parts(graph, node, op, truth).into_iter().flatten().map(|part| (part, asked)));
            }
            (Part::Leads(..) | Part::Is(..), _) => {}
        }
    }
    None
}

/// The conditions of which one is made that is known.
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

/// The answer, where a value is one of those that lead to an alternative.
fn by_cases(graph: &Graph, table: &MatchTable, on: Origin, to: u32, asked: Question) -> Option<bool> {
    let Relation::Among(wanted) = asked.relation else { return None };
    let here = |&&(_, alternative): &&(Const, u32)| alternative == to;
    let point = |&(value, _): &(Const, u32)| Arc::one(Int::of_const(graph.pool(), value)?);
    if !matches!(graph.pool().constant(table.cases.first()?.0), Constant::Int { .. }) {
        return None;
    }
    if to == table.default {
        // No other value leads there than those of no case that leads elsewhere.
        let others = table.cases.iter().filter(|case| !here(case)).filter_map(point);
        return others.take(MAX_PARTS as usize).find_map(|other| asked.among(graph, on, other.complement(), wanted));
    }
    let mut answers = table.cases.iter().filter(here).map(|case| asked.among(graph, on, point(case)?, wanted));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}
