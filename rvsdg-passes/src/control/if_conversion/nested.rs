//! Merges nested conditionals, if one alternative of the inner returns the same as the other alternative of the outer.
//!
//! ```text
//! gamma (match v0) { case 0: gamma (match v1) { case 0: A; case 1: B } case 1: B }
//! ```
//!
//! becomes `gamma (match (select v0, v1, …)) { case 0: A; case 1: B }`, if `B` computes nothing and `v1` is cheap. A result that is
//! poison in the outer `B` may be anything.

use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::leads::{self, Lead};
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Graph, Motion, Node, Op, Origin, OriginDef, Type, Use};

use super::cost::weight;
use super::loads::{self, Loads};
use super::truth::Truth;
use crate::pass::{Change, PassCx};

/// How much may be speculated before the merged branch, as the sum of weights: about a comparison and its operand.
const MAX_BEFORE: u32 = 2;

/// The same if that branch leaves a loop: the additional operations then save a branch in every iteration.
const MAX_BEFORE_LEAVING: u32 = 8;

/// The outer value that a value is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Outer {
    Origin(Origin),
    Constant(Const),
    Predicate(u32),
}

/// A merge of two conditionals.
struct Join {
    inner: Gamma,
    /// The alternative of the outer γ that contains the inner one.
    around: usize,
    /// The alternative of the inner γ that differs from the outer's other alternative.
    kept: usize,
    /// The condition for entering the inner γ; `chooses` is the condition for that alternative there.
    enters: Truth,
    /// See `enters`.
    chooses: Truth,
}

/// Merges a γ with one inside it, if that is correct and profitable.
pub(super) fn join(graph: &mut Graph, outer: Gamma, loads: &Loads, cx: &PassCx) -> Change {
    if outer.regions(graph).len() != 2 {
        return Change::Unchanged;
    }
    let Some(join) = (0..2).find_map(|around| plan(graph, outer, loads, around)) else { return Change::Unchanged };
    if !cx.rewrite("nested-condition", graph, outer.node()) {
        return Change::Unchanged;
    }
    cx.count("nested", 1);
    apply(graph, outer, &join);
    Change::Changed
}

fn plan(graph: &Graph, outer: Gamma, loads: &Loads, around: usize) -> Option<Join> {
    let region = outer.regions(graph)[around];
    let most = if leaves(graph, outer, 1 - around) { MAX_BEFORE_LEAVING } else { MAX_BEFORE };
    let mut inner: Option<Gamma> = None;
    let mut cost = 0;
    for node in graph.nodes(region) {
        match Gamma::new(graph, node) {
            Some(gamma) if inner.is_none() => inner = Some(gamma),
            Some(_) => return None,
            None if matches!(graph.op(node), Some(Op::Match(_))) => {}
            None if loads.is_free(graph, node) => cost += loads::WEIGHT,
            None if is_speculatable(graph, node) => cost += weight(graph, node),
            None => return None,
        }
        if cost > most {
            return None;
        }
    }
    let inner = inner.filter(|inner| inner.regions(graph).len() == 2)?;
    // Predicates that enter a γ must stay where they are defined.
    let mut entries = graph.input_origins(inner.node()).skip(1).chain(graph.input_origins(outer.node()).skip(1));
    if entries.any(|origin| graph.pool().ctl_alternatives(graph.ty(origin)).is_some()) {
        return None;
    }
    let kept = (0..2).find(|&kept| {
        // The other alternative is now also executed where the outer γ did not choose the inner; so is its dead code.
        let is_harmless = |node: Node| {
            matches!(graph.op(node), Some(Op::Match(_) | Op::CtlConst { .. })) || is_speculatable(graph, node)
        };
        graph.nodes(inner.regions(graph)[1 - kept]).all(is_harmless)
            && (0..graph.outputs(outer.node()).len()).all(|index| {
                let given = graph.result(outer.regions(graph)[1 - around], index);
                let other = value(graph, outer, 1 - around, given);
                fold::is_poison(graph, given)
                    || other.is_some() && other == through(graph, outer, loads, around, inner, 1 - kept, index)
            })
    })?;
    let enters = chosen(graph, outer, around)?;
    let chooses = chosen(graph, inner, kept)?;
    // It decides the inner γ only: any other use would be a result that is none of those above.
    let matches = graph.nodes(region).filter(|&node| matches!(graph.op(node), Some(Op::Match(_)))).count();
    let cost = cost + enters.question() + chooses.question();
    (matches == 1 && cost <= most + 1).then_some(Join { inner, around, kept, enters, chooses })
}

/// Whether an alternative of a γ leaves the enclosing loop.
fn leaves(graph: &Graph, gamma: Gamma, alternative: usize) -> bool {
    let leaves = |user| match graph.site(user) {
        Use::Result(region, 0) => graph.parent(region).is_some_and(|parent| Theta::new(graph, parent).is_some()),
        Use::Result(..) | Use::Input(..) => false,
    };
    (0..graph.outputs(gamma.node()).len()).any(|index| {
        graph.users_of(graph.output(gamma.node(), index)).any(leaves)
            && leads::alternative(graph, gamma, Lead::Exit(index), alternative).is_some_and(|to| to != REPEAT)
    })
}

/// The condition under which a γ chooses an alternative.
fn chosen(graph: &Graph, gamma: Gamma, alternative: usize) -> Option<Truth> {
    let producer = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Op::Match(table) = graph.op(producer)? else { return None };
    match Truth::of_table(graph, producer, graph.pool().table(table), alternative as u32)? {
        Truth::Known(_) => None,
        truth => Some(truth),
    }
}

/// The outer value that a value of an alternative is, if it is not computed there.
fn value(graph: &Graph, gamma: Gamma, alternative: usize, origin: Origin) -> Option<Outer> {
    match graph.def(origin) {
        OriginDef::Argument(region, index) if region == gamma.regions(graph)[alternative] => {
            Some(Outer::Origin(graph.input(gamma.node(), index as usize + 1)))
        }
        OriginDef::Argument(..) => None,
        OriginDef::Output(node, _) => match graph.op(node) {
            Some(Op::Const(constant)) if graph.inputs(node).is_empty() => Some(Outer::Constant(constant)),
            Some(Op::CtlConst { value, .. }) => Some(Outer::Predicate(value)),
            _ => None,
        },
    }
}

/// The outer value of the outer γ's exit variable if the inner γ takes an alternative.
fn through(
    graph: &Graph,
    outer: Gamma,
    loads: &Loads,
    around: usize,
    inner: Gamma,
    alternative: usize,
    index: usize,
) -> Option<Outer> {
    let result = loads.before(graph, graph.result(outer.regions(graph)[around], index));
    match graph.def(result) {
        OriginDef::Output(node, position) if node == inner.node() => {
            let result = graph.result(inner.regions(graph)[alternative], position as usize);
            match value(graph, inner, alternative, result)? {
                Outer::Origin(origin) => value(graph, outer, around, loads.before(graph, origin)),
                known @ (Outer::Constant(_) | Outer::Predicate(_)) => Some(known),
            }
        }
        _ => value(graph, outer, around, result),
    }
}

fn apply(graph: &mut Graph, outer: Gamma, join: &Join) {
    let place = outer.node();
    let region = outer.regions(graph)[join.around];
    let order = graph.topological(region);
    for index in 0..graph.arguments(region).len() {
        graph.divert_users(graph.arguments(region)[index], graph.input(place, index + 1));
    }
    let results: Vec<Origin> = graph.result_origins(region).collect();
    graph.retain_results(region, |_| false);
    for &node in &order {
        graph.move_before(node, place);
        if graph.op(node).is_some_and(|op| !matches!(op, Op::Const(_) | Op::Match(_))) {
            graph.set_moved(node, Motion::Speculated);
        }
    }
    // Computed anew, because operands that were arguments are now the inputs.
    let inner = join.inner;
    let chooses = chosen(graph, inner, join.kept).unwrap_or(join.chooses);
    let old = graph.producer(graph.origin(inner.predicate(graph)));
    // The negation of a value is not computed: the test is inverted instead.
    let mut at = Insert::before(graph, inner.node());
    let value = |at: &mut Insert<'_>, truth: Truth| {
        let inverted = matches!(truth, Truth::Value { inverted: true, .. });
        (if inverted { truth.not() } else { truth }.make(at), inverted)
    };
    let (enters, not_enters) = value(&mut at, join.enters);
    let (chooses, not_chooses) = value(&mut at, chooses);
    let other = at.int(Type::I1, u64::from(not_chooses));
    let (then, otherwise) = if not_enters { (other, chooses) } else { (chooses, other) };
    let both = at.select(enters, then, otherwise);
    let (kept, left) = (join.kept as u32, 1 - join.kept as u32);
    let predicate = at.decide(both, if not_chooses { left } else { kept });
    let user = inner.predicate(graph);
    graph.divert(user, predicate);
    if let Some(old) = old {
        graph.remove(old);
    }
    for (index, &result) in results.iter().enumerate() {
        graph.divert_users(graph.output(place, index), result);
    }
    remove(graph, outer);
}

/// Removes a γ and its predicate.
fn remove(graph: &mut Graph, gamma: Gamma) {
    let predicate: Option<Node> = graph.producer(graph.origin(gamma.predicate(graph)));
    graph.remove(gamma.node());
    if let Some(producer) = predicate
        && !graph.has_users(graph.output(producer, 0))
    {
        graph.remove(producer);
    }
}
