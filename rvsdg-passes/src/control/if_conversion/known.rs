//! What is known of values where a decision would be made: constants, and what the branches that lead there tell.

use rvsdg_analysis::conditions;
use rvsdg_analysis::integers::{Bounds, bounds};
use rvsdg_core::fold::{self, Int, Outcome, arith};
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Region, TypeKind};

/// How many enclosing conditionals are searched for values that something is known to differ from.
const MAX_LEVELS: usize = 16;

/// A known value.
#[derive(Copy, Clone)]
pub(super) enum Known {
    Int(Int),
    Null,
}

/// The value of an operation, given the known values of its operands, by index; `differs` says that an operand is not a certain constant.
pub(super) fn evaluate(
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

/// What a table says of a value in a region, if the branches that lead there tell it.
pub(super) fn by_numbers(graph: &Graph, region: Region, value: Origin, table: &MatchTable) -> Option<u32> {
    for &(number, chosen) in &table.cases {
        if conditions::is_number(graph, region, value, Int::of_const(graph.pool(), number)?)? {
            return Some(chosen);
        }
    }
    Some(table.default)
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
pub(super) fn differs(graph: &Graph, region: Region, origin: Origin, constant: Const) -> bool {
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
pub(super) fn equals(graph: &Graph, region: Region, origin: Origin) -> Option<Known> {
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
pub(super) fn known(graph: &Graph, origin: Origin) -> Option<Known> {
    let constant = fold::constant(graph, origin)?;
    if let Some(value) = Int::of_const(graph.pool(), constant) {
        return Some(Known::Int(value));
    }
    let is_null = matches!(graph.pool().constant(constant), Constant::Zero(_))
        && matches!(graph.pool().type_kind(graph.ty(origin)), TypeKind::Ptr(_));
    is_null.then_some(Known::Null)
}
