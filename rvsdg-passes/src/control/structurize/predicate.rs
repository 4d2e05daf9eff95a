//! The sources of predicates: on how many paths they choose which alternative, and the values equivalent to them.

use rustc_hash::FxHashMap;
use rvsdg_analysis::divergence::Divergence;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::trace::outward;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold;
use rvsdg_core::op::{IntPredicate, MatchTable, MatchTableId};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type};
use smallvec::SmallVec;

use super::{number, value_type};

/// How many cases of a table may become selects; more become a γ.
pub(super) const MAX_SELECTS: usize = 4;

/// For each alternative, the number of paths that choose it and that threads of one group may take separately; 255 for more.
pub(super) type Ways = SmallVec<[u8; 4]>;

/// The definition of a predicate.
#[derive(Copy, Clone)]
enum Source {
    Constant(u32),
    Match(Node, MatchTableId),
    /// An exit variable of a γ, by position.
    Joined(Gamma, usize),
    /// A loop variable of a θ after it, by position.
    Left(Theta, usize),
    /// The same value in an enclosing region.
    Outer(Origin),
}

impl Source {
    fn of(graph: &Graph, origin: Origin) -> Option<Source> {
        match graph.def(origin) {
            OriginDef::Argument(region, index) => Some(Source::Outer(outward(graph, region, index)?.0)),
            OriginDef::Output(node, index) => match graph.op(node) {
                Some(Op::CtlConst { value, .. }) => Some(Source::Constant(value)),
                Some(Op::Match(table)) => Some(Source::Match(node, table)),
                Some(_) => None,
                None => match (Gamma::new(graph, node), Theta::new(graph, node)) {
                    (Some(gamma), _) => Some(Source::Joined(gamma, index as usize)),
                    (None, Some(theta)) => Some(Source::Left(theta, index as usize)),
                    (None, None) => None,
                },
            },
        }
    }

    /// The predicates from which it is computed.
    fn parts(self, graph: &Graph) -> SmallVec<[Origin; 4]> {
        match self {
            Source::Constant(_) | Source::Match(..) => SmallVec::new(),
            Source::Joined(gamma, index) => {
                gamma.regions(graph).iter().map(|&region| graph.result(region, index)).collect()
            }
            Source::Left(theta, index) => SmallVec::from_slice(&[graph.origin(theta.loop_var(graph, index).post)]),
            Source::Outer(outer) => SmallVec::from_slice(&[outer]),
        }
    }
}

/// Facts about predicates. The graph must not change while it is used.
pub(super) struct Predicates<'d> {
    divergence: &'d Divergence,
    known: FxHashMap<Origin, Option<Ways>>,
}

impl<'d> Predicates<'d> {
    pub(super) fn new(divergence: &'d Divergence) -> Self {
        Predicates { divergence, known: FxHashMap::default() }
    }

    /// The number of paths on which a predicate chooses each alternative; `None` if not all of its definitions are known.
    pub(super) fn ways(&mut self, graph: &Graph, origin: Origin) -> Option<&Ways> {
        let mut pending = vec![origin];
        while let Some(&next) = pending.last() {
            if self.known.contains_key(&next) {
                pending.pop();
                continue;
            }
            let source = Source::of(graph, next);
            let parts = source.map_or_else(SmallVec::new, |source| source.parts(graph));
            let before = pending.len();
            pending.extend(parts.iter().filter(|part| !self.known.contains_key(part)));
            if pending.len() == before {
                let ways = source.and_then(|source| self.combine(graph, next, source, &parts));
                self.known.insert(next, ways);
                pending.pop();
            }
        }
        self.known[&origin].as_ref()
    }

    fn combine(&self, graph: &Graph, origin: Origin, source: Source, parts: &[Origin]) -> Option<Ways> {
        let alternatives = graph.pool().ctl_alternatives(graph.ty(origin))? as usize;
        let mut ways = Ways::from_elem(0, alternatives);
        match source {
            Source::Constant(value) => ways[value as usize] = 1,
            Source::Match(_, table) => {
                let table = graph.pool().table(table);
                table.cases.iter().for_each(|&(_, alternative)| ways[alternative as usize] = 1);
                ways[table.default as usize] = 1;
            }
            Source::Joined(gamma, _) => {
                let parts_threads = self.divergence.parts_threads(graph, gamma.node());
                for part in parts {
                    for (sum, &more) in ways.iter_mut().zip(self.known[part].as_ref()?) {
                        *sum = if parts_threads { sum.saturating_add(more) } else { more.max(*sum) };
                    }
                }
            }
            Source::Left(theta, _) => {
                ways.clone_from(self.known[&parts[0]].as_ref()?);
                if self.divergence.parts_threads(graph, theta.node()) {
                    // Each iteration is a separate path.
                    ways.iter_mut().filter(|ways| **ways > 0).for_each(|ways| *ways = (*ways).max(2));
                }
            }
            Source::Outer(_) => ways.clone_from(self.known[&parts[0]].as_ref()?),
        }
        if ways.iter().filter(|&&ways| ways > 0).count() == 1 {
            // Threads reconverge at what all paths lead to.
            ways.iter_mut().for_each(|ways| *ways = (*ways).min(1));
        }
        Some(ways)
    }
}

/// The values equivalent to predicates: the number of the alternative, or a truth value if there are two.
#[derive(Default)]
pub(super) struct Values {
    made: FxHashMap<Origin, Origin>,
    router: Router,
}

impl Values {
    /// The value equivalent to a predicate, in its region.
    ///
    /// # Panics
    /// If [`Predicates::ways`] does not know the predicate.
    pub(super) fn of(&mut self, graph: &mut Graph, origin: Origin) -> Origin {
        let mut pending = vec![origin];
        while let Some(&next) = pending.last() {
            if self.made.contains_key(&next) {
                pending.pop();
                continue;
            }
            let source = Source::of(graph, next).expect("what defines the predicate is known");
            let parts = source.parts(graph);
            let before = pending.len();
            pending.extend(parts.iter().filter(|part| !self.made.contains_key(part)));
            if pending.len() == before {
                let value = self.make(graph, next, source, &parts);
                self.made.insert(next, value);
                pending.pop();
            }
        }
        self.made[&origin]
    }

    /// The value for what a γ joins. One that does nothing else needs no branch for it.
    fn joined(
        &mut self,
        graph: &mut Graph,
        (gamma, index): (Gamma, usize),
        alternatives: u32,
        parts: &[Origin],
    ) -> Origin {
        if let Some((operand, table)) = decided_nearby(graph, gamma)
            && needs_no_branch(graph, gamma, index, None)
        {
            let values: Vec<Origin> = parts.iter().map(|&part| self.before(graph, gamma, alternatives, part)).collect();
            return selected(&mut Insert::before(graph, gamma.node()), &table, operand, &values);
        }
        let values: SmallVec<[Origin; 4]> = parts.iter().map(|part| self.made[part]).collect();
        let variable = gamma.add_exit_var(graph, &values);
        if seeded::is_active(Bug::StzFirstAlternative)
            && let Some(node) = graph.producer(values[0])
            && let Some(Op::Const(constant)) = graph.op(node)
        {
            return Insert::after(graph, gamma.node()).constant(constant);
        }
        variable.output
    }

    /// The value equivalent to a predicate of an alternative that [can be before](can_be_before) the γ.
    fn before(&mut self, graph: &mut Graph, gamma: Gamma, alternatives: u32, part: Origin) -> Origin {
        match Source::of(graph, part) {
            Some(Source::Constant(value)) => number(&mut Insert::before(graph, gamma.node()), alternatives, value),
            Some(Source::Outer(outer)) => self.made[&outer],
            Some(Source::Match(node, table)) => {
                let operand = outer(graph, graph.input(node, 0)).expect("it can be before");
                let table = graph.pool().table(table).clone();
                let mut at = Insert::before(graph, gamma.node());
                let numbers: Vec<Origin> =
                    (0..alternatives).map(|alternative| number(&mut at, alternatives, alternative)).collect();
                selected(&mut at, &table, operand, &numbers)
            }
            Some(Source::Joined(..) | Source::Left(..)) | None => unreachable!("it can be before"),
        }
    }

    fn make(&mut self, graph: &mut Graph, origin: Origin, source: Source, parts: &[Origin]) -> Origin {
        let alternatives = graph.pool().ctl_alternatives(graph.ty(origin)).expect("it is a predicate");
        match source {
            Source::Constant(value) => {
                let node = graph.producer(origin).expect("a constant is an operation's output");
                number(&mut Insert::after(graph, node), alternatives, value)
            }
            Source::Match(node, table) => chosen(graph, node, table, alternatives),
            Source::Joined(gamma, index) => self.joined(graph, (gamma, index), alternatives, parts),
            Source::Left(theta, _) => {
                let start = Insert::before(graph, theta.node()).poison(value_type(alternatives));
                let variable = self.router.carry(graph, theta, start);
                graph.divert(variable.post, self.made[&parts[0]]);
                if seeded::is_active(Bug::StzLoop) {
                    let late = self.router.carry(graph, theta, start);
                    graph.divert(late.post, variable.pre);
                    return late.output;
                }
                variable.output
            }
            Source::Outer(_) => {
                let region = graph.scope(origin);
                self.router.route(graph, self.made[&parts[0]], region)
            }
        }
    }
}

/// The operand and table of the `match` in the same region that decides a γ.
fn decided_nearby(graph: &Graph, gamma: Gamma) -> Option<(Origin, MatchTable)> {
    let node = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Op::Match(table) = graph.op(node)? else { return None };
    let table = graph.pool().table(table);
    (table.cases.len() <= MAX_SELECTS).then(|| (graph.input(node, 0), table.clone()))
}

/// Whether the value for a predicate that a γ joins can be computed before the γ, if alternative `but` computes nothing.
pub(super) fn needs_no_branch(graph: &Graph, gamma: Gamma, index: usize, but: Option<usize>) -> bool {
    decided_nearby(graph, gamma).is_some()
        && gamma.regions(graph).iter().enumerate().all(|(number, &region)| {
            Some(number) == but || only_decides(graph, region) && can_be_before(graph, graph.result(region, index))
        })
}

/// Whether a region computes nothing but predicates.
pub(super) fn only_decides(graph: &Graph, region: Region) -> bool {
    graph.nodes(region).all(|node| matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_))))
}

/// Whether the value for a predicate of a γ's alternative can be computed before the γ.
fn can_be_before(graph: &Graph, part: Origin) -> bool {
    match Source::of(graph, part) {
        Some(Source::Constant(_) | Source::Outer(_)) => true,
        Some(Source::Match(node, table)) => {
            outer(graph, graph.input(node, 0)).is_some() && graph.pool().table(table).cases.len() <= MAX_SELECTS
        }
        Some(Source::Joined(..) | Source::Left(..)) | None => false,
    }
}

/// The outer value of a region's argument.
fn outer(graph: &Graph, origin: Origin) -> Option<Origin> {
    let OriginDef::Argument(region, index) = graph.def(origin) else { return None };
    Some(outward(graph, region, index)?.0)
}

/// The value that a `match` chooses.
fn chosen(graph: &mut Graph, node: Node, table: MatchTableId, alternatives: u32) -> Origin {
    let (operand, predicate) = (graph.input(node, 0), graph.output(node, 0));
    let table = graph.pool().table(table).clone();
    let mut at = Insert::after(graph, node);
    if table.cases.len() <= MAX_SELECTS {
        let numbers: Vec<Origin> =
            (0..alternatives).map(|alternative| number(&mut at, alternatives, alternative)).collect();
        return selected(&mut at, &table, operand, &numbers);
    }
    let gamma = at.gamma(predicate, alternatives as usize);
    let regions = gamma.regions(at.graph()).to_vec();
    let value = |(alternative, region)| number(&mut Insert::end(at.graph(), region), alternatives, alternative);
    let values: Vec<Origin> = (0..).zip(regions).map(value).collect();
    gamma.add_exit_var(at.graph(), &values).output
}

/// Selects among values, by alternative, the one whose alternative a table yields for an operand.
pub(super) fn selected(at: &mut Insert, table: &MatchTable, operand: Origin, values: &[Origin]) -> Origin {
    let default = if seeded::is_active(Bug::StzDefault) { 0 } else { table.default };
    let mut value = values[default as usize];
    for &(case, alternative) in table.cases.iter().rev() {
        let (own, case) = (values[alternative as usize], at.constant(case));
        let is_truth = at.ty(own) == Type::I1;
        let mut truth = |origin| fold::int(at.graph(), origin).filter(|_| is_truth).map(|int| int.is_one());
        value = match [truth(own), truth(value)] {
            [Some(true), Some(false)] => at.compare(IntPredicate::Eq, operand, case),
            [Some(false), Some(true)] => at.compare(IntPredicate::Ne, operand, case),
            _ => {
                let is_case = at.compare(IntPredicate::Eq, operand, case);
                at.select(is_case, own, value)
            }
        };
    }
    value
}
