//! A decision on what a conditional gives moves into the conditional where most alternatives know it.
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
//! so that recovery of control flow leads each alternative to where it goes without asking. LLVM calls it jump threading. At
//! most one alternative decides then, counted through conditionals in conditionals, and nothing with an effect stands between
//! the conditional and where it is decided; so no branch is added. Conditionals that become selects are left to that.

use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int, Outcome, arith};
use rvsdg_core::op::{IntPredicate, MatchTable, MatchTableId};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Region, TypeKind, Use};
use smallvec::SmallVec;

use crate::pass::{Change, PassCx};

/// How many operations may stand between the conditional and the decision; one alternative may get a copy.
const MAX_CHAIN: usize = 3;

/// How many values are looked at, which alternatives in alternatives give.
const MAX_LEAVES: usize = 32;

/// How many conditionals around are looked at for what a value is not.
const MAX_LEVELS: usize = 16;

/// A value that is known.
#[derive(Copy, Clone)]
enum Known {
    Int(Int),
    Null,
}

/// What a decision is computed from: operations with one operand that is not constant, the last first, and the γ's output
/// that they start with.
struct Chain {
    nodes: SmallVec<[Node; MAX_CHAIN]>,
    gamma: Gamma,
    index: usize,
}

/// Moves decisions on what a γ gives into it, if that is worth it.
pub(super) fn thread(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut pending: Vec<Node> = Vec::new();
    for &output in graph.outputs(gamma.node()) {
        decisions(graph, output, &mut pending);
    }
    while let Some(node) = pending.pop() {
        let Some(Op::Match(table)) = graph.op(node) else { continue };
        let Some(chain) = Chain::find(graph, node) else { continue };
        let data = graph.pool().table(table);
        if !decides_behind(graph, graph.output(node, 0), chain.gamma) || !chain.is_known(graph, data) {
            continue;
        }
        if !cx.rewrite("threaded", graph, node) {
            continue;
        }
        cx.count("threaded", 1);
        chain.move_in(graph, node, table, &mut pending);
        change = Change::Changed;
    }
    change
}

/// Finds each `match` that decides by a value.
fn decisions(graph: &Graph, value: Origin, found: &mut Vec<Node>) {
    let mut pending: SmallVec<[(Origin, usize); 4]> = SmallVec::from_slice(&[(value, 0)]);
    while let Some((origin, length)) = pending.pop() {
        for user in graph.users_of(origin) {
            let Use::Input(node, 0) = graph.site(user) else { continue };
            match graph.op(node) {
                Some(Op::Match(_)) => found.push(node),
                Some(Op::ICmp { .. } | Op::IntBinary { .. } | Op::Cast { .. }) if length < MAX_CHAIN => {
                    pending.push((graph.output(node, 0), length + 1));
                }
                _ => {}
            }
        }
    }
}

/// Whether a predicate decides once and right behind a γ: a γ with its states, or what is around it.
fn decides_behind(graph: &Graph, predicate: Origin, gamma: Gamma) -> bool {
    let mut users = graph.users_of(predicate);
    let (Some(user), None) = (users.next(), users.next()) else { return false };
    let decided = match graph.site(user) {
        Use::Input(node, 0) if Gamma::new(graph, node).is_some() => Some(node),
        Use::Result(region, _) if graph.parent(region).is_some_and(|node| Gamma::new(graph, node).is_some()) => None,
        Use::Input(..) | Use::Result(..) => return false,
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

impl Chain {
    fn find(graph: &Graph, node: Node) -> Option<Chain> {
        let mut nodes = SmallVec::new();
        let mut origin = graph.input(node, 0);
        loop {
            let OriginDef::Output(producer, index) = graph.def(origin) else { return None };
            if let Some(gamma) = Gamma::new(graph, producer) {
                return Some(Chain { nodes, gamma, index: index as usize });
            }
            let suits = match graph.op(producer)? {
                Op::ICmp { .. } => known(graph, graph.input(producer, 1)).is_some(),
                Op::IntBinary { .. } => fold::int(graph, graph.input(producer, 1)).is_some(),
                Op::Cast { .. } => true,
                _ => false,
            };
            if !suits || nodes.len() == MAX_CHAIN {
                return None;
            }
            nodes.push(producer);
            origin = graph.input(producer, 0);
        }
    }

    /// Whether at least one alternative knows the decision, and at most one does not.
    fn is_known(&self, graph: &Graph, table: &MatchTable) -> bool {
        let mut pending: SmallVec<[(Gamma, usize); 4]> = SmallVec::from_slice(&[(self.gamma, self.index)]);
        let (mut sure, mut open, mut leaves) = (0, 0, 0);
        while let Some((gamma, index)) = pending.pop() {
            for &region in gamma.regions(graph) {
                let origin = graph.result(region, index);
                if let OriginDef::Output(node, index) = graph.def(origin)
                    && let Some(inner) = Gamma::new(graph, node)
                {
                    pending.push((inner, index as usize));
                    continue;
                }
                match self.decided(graph, region, origin, table) {
                    Some(_) => sure += 1,
                    None => open += 1,
                }
                leaves += 1;
                if open > 1 || leaves > MAX_LEAVES {
                    return false;
                }
            }
        }
        sure > 0
    }

    /// The alternative that is chosen where the γ gives `start`, which a region's result is, if that is known.
    fn decided(&self, graph: &Graph, region: Region, start: Origin, table: &MatchTable) -> Option<u32> {
        if let Some(known) = known(graph, start).or_else(|| equals(graph, region, start)) {
            return self.value(graph, known, &self.nodes).map(|value| table.alternative(graph.pool(), value));
        }
        let Some((&first, rest)) = self.nodes.split_last() else {
            let other =
                |&(value, chosen): &(Const, u32)| chosen == table.default || differs(graph, region, start, value);
            return table.cases.iter().all(other).then_some(table.default);
        };
        let Some(Op::ICmp { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), .. }) = graph.op(first)
        else {
            return None;
        };
        let compared = fold::constant(graph, graph.input(first, 1))?;
        let differs = differs(graph, region, start, compared);
        let value = differs.then(|| Int::bool(predicate == IntPredicate::Ne))?;
        self.value(graph, Known::Int(value), rest).map(|value| table.alternative(graph.pool(), value))
    }

    /// What is decided about where some of the operations start with a known value.
    fn value(&self, graph: &Graph, start: Known, nodes: &[Node]) -> Option<Int> {
        let mut value = start;
        for &node in nodes.iter().rev() {
            let next = match (graph.op(node)?, value) {
                (Op::ICmp { predicate, .. }, Known::Null) => {
                    let Known::Null = known(graph, graph.input(node, 1))? else { return None };
                    match predicate {
                        IntPredicate::Eq => Int::bool(true),
                        IntPredicate::Ne => Int::bool(false),
                        _ => return None,
                    }
                }
                (Op::ICmp { predicate, same_sign: false }, Known::Int(value)) => {
                    Int::bool(value.compare(predicate, fold::int(graph, graph.input(node, 1))?))
                }
                (Op::IntBinary { op, flags }, Known::Int(value)) => {
                    match arith::binary(op, flags, value, fold::int(graph, graph.input(node, 1))?) {
                        Outcome::Value(value) => value,
                        Outcome::Poison | Outcome::Undefined => return None,
                    }
                }
                (Op::Cast { op, flags }, Known::Int(value)) => {
                    let bits = arith::width(graph.pool(), graph.ty(graph.output(node, 0)))?;
                    match arith::cast(op, flags, value, bits)? {
                        Outcome::Value(value) => value,
                        Outcome::Poison | Outcome::Undefined => return None,
                    }
                }
                _ => return None,
            };
            value = Known::Int(next);
        }
        match value {
            Known::Int(value) => Some(value),
            Known::Null => None,
        }
    }

    /// Replaces a `match` by an exit variable of the γ. What one alternative is left to decide is to be looked at.
    fn move_in(&self, graph: &mut Graph, node: Node, table: MatchTableId, pending: &mut Vec<Node>) {
        let pool = graph.pool().clone();
        let data = pool.table(table);
        let output = graph.output(node, 0);
        let ty = graph.ty(output);
        let mut results: Vec<Origin> = Vec::new();
        for position in 0..self.gamma.regions(graph).len() {
            let region = self.gamma.regions(graph)[position];
            let start = graph.result(region, self.index);
            results.push(match self.decided(graph, region, start, data) {
                Some(value) => Insert::end(graph, region).predicate(value, data.alternatives),
                None => {
                    let operand = self.copy(graph, region, start);
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

    /// Copies the operations into a region, where they start with `value`.
    fn copy(&self, graph: &mut Graph, region: Region, value: Origin) -> Origin {
        let mut value = value;
        for &node in self.nodes.iter().rev() {
            let Some(op) = graph.op(node) else { continue };
            let mut inputs: SmallVec<[Origin; 2]> = SmallVec::from_slice(&[value]);
            if let Some(&second) = graph.inputs(node).get(1)
                && let Some(constant) = fold::constant(graph, graph.origin(second))
            {
                inputs.push(Insert::end(graph, region).constant(constant));
            }
            let (ty, source) = (graph.ty(graph.output(node, 0)), graph.source(node));
            value = Insert::end(graph, region).source(source).add(op, &inputs, ty);
        }
        value
    }
}

/// What the γ around a region say of a value in it: something that they would not have chosen this region otherwise for.
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

/// What a predicate asks about a value.
enum Question<'g> {
    /// Which of some integers it is.
    Which(&'g MatchTable),
    /// Whether it is this constant: the alternative if so, and if not.
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

/// Whether a value of a region is not a constant.
fn differs(graph: &Graph, region: Region, origin: Origin, constant: Const) -> bool {
    let differs = |question: Question<'_>, position: u32| {
        let chosen = match question {
            Question::Which(table) => table.alternative(graph.pool(), Int::of_const(graph.pool(), constant)?),
            Question::Is(other, yes, _) if other == constant => yes,
            Question::Is(..) => return None,
        };
        (chosen != position).then_some(())
    };
    around(graph, region, origin, differs).is_some()
}

/// The constant that a value of a region is.
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
