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
//! r.value < least` for an `r` that a function returned. The decision may also be whether a loop continues, or the first in an
//! alternative of a second conditional that the first one leads to.
//!
//! At most one alternative still has to make the decision, counted through nested conditionals; in addition there may be alternatives
//! that choose one of two constants, which branch where they chose. Nothing with an effect is between the conditional and the decision,
//! so no path through it gets an additional branch. Conditionals that become selects are not threaded.

use rvsdg_analysis::conditions::{self, EXIT};
use rvsdg_analysis::leads;
use rvsdg_analysis::nonnull::is_nonnull;
use rvsdg_analysis::order::is_before;
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{MatchTable, MatchTableId};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Region, Use, User};
use smallvec::SmallVec;

use super::known::{Known, by_numbers, differs, equals, evaluate, known};
use crate::pass::{Change, PassCx};

/// How many operations may be between the conditional and the decision.
const MAX_OPERATIONS: usize = 8;

/// How many of them may be copied into one alternative.
const MAX_COPIED: usize = 3;

/// How many values from before the conditional may take part.
const MAX_OTHERS: usize = 2;

/// How many values from nested alternatives are considered.
const MAX_LEAVES: usize = 32;

/// The computation of a decision: operations on constants, on results of one γ and on values from before it, in an order of execution.
struct Computation<'s> {
    surroundings: Option<&'s Surroundings>,
    nodes: SmallVec<[Node; MAX_OPERATIONS]>,
    /// The value that is decided on.
    result: Origin,
    gamma: Gamma,
    /// The outputs of the γ that are its starting points, with those of `led`.
    outputs: SmallVec<[Origin; 2]>,
    place: Place,
    led: Led,
}

/// Where a decision is, as seen from the γ that it depends on.
#[derive(Copy, Clone)]
struct Place {
    inside: Option<Inside>,
    /// The loop whose iterations the γ is in.
    after: Option<Theta>,
}

/// Predicates, each with the alternative that it must choose for the decision to matter.
type Led = SmallVec<[(Origin, u32); 2]>;

/// An alternative in which a decision is.
#[derive(Copy, Clone)]
struct Inside {
    gamma: Gamma,
    region: Region,
    alternative: u32,
}

/// The values of a computation's starting points if an alternative is chosen: values of regions.
type Start = SmallVec<[(Region, Origin); 2]>;

/// Moves decisions on the results of a γ into it, if that is profitable.
pub(super) fn thread(graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut pending: Vec<Node> = Vec::new();
    for &output in graph.outputs(gamma.node()) {
        led_to(graph, output, &mut pending);
        decisions(graph, output, &mut pending);
        for behind in behind_loop(graph, gamma, output) {
            decisions(graph, behind, &mut pending);
        }
    }
    while let Some(node) = pending.pop() {
        let Some(Op::Match(table)) = graph.op(node) else { continue };
        let Some(computation) = Computation::find(graph, cx.surroundings(), node) else { continue };
        let data = graph.pool().table(table);
        if !computation.decides_behind(graph, graph.output(node, 0)) || !computation.is_known(graph, data) {
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

/// Whether the decision of a conditional can move into the one before it.
pub(super) fn is_threaded(graph: &Graph, gamma: Gamma, cx: &PassCx) -> bool {
    let decision = || {
        let node = graph.producer(graph.origin(gamma.predicate(graph)))?;
        let Some(Op::Match(table)) = graph.op(node) else { return None };
        let computation = Computation::find(graph, cx.surroundings(), node)?;
        let decides = computation.decides_behind(graph, graph.output(node, 0));
        Some(decides && computation.is_known(graph, graph.pool().table(table)))
    };
    decision().unwrap_or(false)
}

/// Finds each `match` whose operand is a value.
fn decisions(graph: &Graph, value: Origin, found: &mut Vec<Node>) {
    let mut pending: SmallVec<[(Origin, usize); 4]> = SmallVec::from_slice(&[(value, 0)]);
    while let Some((origin, length)) = pending.pop() {
        for user in graph.users_of(origin) {
            let Use::Input(node, _) = graph.site(user) else { continue };
            match graph.op(node) {
                Some(Op::Match(_)) if !found.contains(&node) => found.push(node),
                Some(_) if is_followed(graph, node) && length < MAX_OPERATIONS => {
                    pending.push((graph.output(node, 0), length + 1));
                }
                Some(_) => {}
                None => pending.extend(entered(graph, value, user).map(|argument| (argument, length + 1))),
            }
        }
    }
}

/// Finds each `match` at the start of an alternative that a predicate leads to.
fn led_to(graph: &Graph, predicate: Origin, found: &mut Vec<Node>) {
    for user in graph.users_of(predicate) {
        let Use::Input(node, 0) = graph.site(user) else { continue };
        let Some(next) = Gamma::new(graph, node) else { continue };
        for &region in next.regions(graph) {
            for node in graph.nodes(region).take(MAX_OPERATIONS) {
                if matches!(graph.op(node), Some(Op::Match(_))) && !found.contains(&node) {
                    found.push(node);
                }
            }
        }
    }
}

/// The arguments that a use as entry variable of a γ gives a value to, in the region of another value.
fn entered(graph: &Graph, value: Origin, user: User) -> impl Iterator<Item = Origin> {
    let gamma = match graph.site(user) {
        Use::Input(node, index) if index > 0 => Gamma::new(graph, node).zip(Some(index as usize - 1)),
        Use::Input(..) | Use::Result(..) => None,
    };
    let here = graph.scope(value);
    let gamma = gamma.filter(|(gamma, _)| graph.region_of(gamma.node()) == here);
    gamma
        .into_iter()
        .flat_map(move |(gamma, index)| gamma.regions(graph).iter().map(move |&region| graph.arguments(region)[index]))
}

/// Whether decisions are followed through an operation, which may then be executed where the decision does not matter.
fn is_followed(graph: &Graph, node: Node) -> bool {
    let kind = matches!(
        graph.op(node),
        Some(Op::ICmp { .. } | Op::FCmp { .. } | Op::IntBinary { .. } | Op::Cast { .. } | Op::Select(_))
    );
    kind && is_speculatable(graph, node)
}

/// The outputs of a loop that an output of a γ at the end of its body leaves as.
fn behind_loop(graph: &Graph, gamma: Gamma, output: Origin) -> impl Iterator<Item = Origin> {
    let body = graph.region_of(gamma.node());
    let theta = graph.parent(body).and_then(|node| Theta::new(graph, node));
    let uses = theta.into_iter().flat_map(move |_| graph.users_of(output));
    uses.filter_map(move |user| Some(Theta::loop_var_of_result(graph, user)?.1.output))
}

impl Place {
    /// The value that a value is for the γ: before the conditional that the decision is in, and in the loop that it is after.
    fn seen(self, graph: &Graph, origin: Origin) -> Origin {
        let origin = self.inside.and_then(|inside| inside.outside(graph, origin)).unwrap_or(origin);
        let Some(theta) = self.after else { return origin };
        match Theta::loop_var_of_output(graph, origin) {
            Some((of, variable)) if of == theta => graph.origin(variable.post),
            _ => {
                let mut same = theta.loop_vars(graph).filter(|variable| graph.origin(variable.input) == origin);
                same.find(|variable| variable.is_invariant(graph)).map_or(origin, |variable| variable.pre)
            }
        }
    }
}

impl Inside {
    /// The alternative of a conditional that a node is in.
    fn of(graph: &Graph, node: Node) -> Option<Inside> {
        let region = graph.region_of(node);
        let gamma = Gamma::new(graph, graph.parent(region)?)?;
        let alternative = gamma.regions(graph).iter().position(|&other| other == region)?;
        Some(Inside { gamma, region, alternative: alternative as u32 })
    }

    /// The value before the conditional that a value in the alternative is.
    fn outside(self, graph: &Graph, origin: Origin) -> Option<Origin> {
        match graph.def(origin) {
            OriginDef::Argument(region, index) if region == self.region => {
                Some(graph.input(self.gamma.node(), index as usize + 1))
            }
            OriginDef::Argument(..) | OriginDef::Output(..) => None,
        }
    }
}

impl<'s> Computation<'s> {
    /// The computation that a `match` decides on: on results of a γ of its region, or of one before the conditional that it is in, or in
    /// the loop before either.
    fn find(graph: &Graph, surroundings: Option<&'s Surroundings>, decision: Node) -> Option<Computation<'s>> {
        let here = Self::find_from(graph, surroundings, decision, None);
        here.or_else(|| Self::find_from(graph, surroundings, decision, Some(Inside::of(graph, decision)?)))
    }

    fn find_from(
        graph: &Graph,
        surroundings: Option<&'s Surroundings>,
        decision: Node,
        inside: Option<Inside>,
    ) -> Option<Computation<'s>> {
        let result = graph.input(decision, 0);
        let mut place = Place { inside, after: None };
        let mut nodes: SmallVec<[Node; MAX_OPERATIONS]> = SmallVec::new();
        let mut given: SmallVec<[(Gamma, Origin); 2]> = SmallVec::new();
        let mut others: SmallVec<[Origin; MAX_OTHERS]> = SmallVec::new();
        // An operation is popped a second time after its operands.
        let mut pending: SmallVec<[(Origin, bool); 8]> = SmallVec::from_slice(&[(result, false)]);
        let mut looked_at = 0;
        while let Some((origin, is_ready)) = pending.pop() {
            let mut origin = place.seen(graph, origin);
            if fold::constant(graph, origin).is_some() {
                continue;
            }
            if place.after.is_none()
                && let Some((theta, variable)) = Theta::loop_var_of_output(graph, origin)
            {
                place.after = Some(theta);
                origin = graph.origin(variable.post);
            }
            let followed = |node: &Node| Gamma::new(graph, *node).is_some() || is_followed(graph, *node);
            let Some(producer) = graph.producer(origin).filter(followed) else {
                if !others.contains(&origin) {
                    others.push(origin);
                }
                continue;
            };
            if nodes.contains(&producer) || given.iter().any(|&(_, output)| output == origin) {
                continue;
            }
            if is_ready {
                nodes.push(producer);
                continue;
            }
            if let Some(gamma) = Gamma::new(graph, producer) {
                given.push((gamma, origin));
                continue;
            }
            looked_at += 1;
            if looked_at > MAX_OPERATIONS {
                return None;
            }
            pending.push((origin, true));
            pending.extend(graph.input_origins(producer).map(|input| (input, false)));
        }
        // Where the last γ is; what others return before the loop is like any other value from before it.
        if let Some(theta) = place.after {
            let body = theta.body(graph);
            given.retain(|&mut (gamma, output)| {
                let is_there = graph.region_of(gamma.node()) == body;
                others.extend((!is_there).then_some(output));
                is_there
            });
            others.iter_mut().for_each(|other| *other = place.seen(graph, *other));
        }
        // The last γ, which may use what the others return.
        let is_last =
            |gamma: Gamma| given.iter().all(|&(of, output)| of == gamma || is_before(graph, output, gamma.node()));
        let leading = || {
            let predicate = graph.origin(inside?.gamma.predicate(graph));
            Gamma::new(graph, graph.producer(place.seen(graph, predicate))?)
        };
        let gamma = match &given[..] {
            // What is before it does not depend on the γ, but the γ may depend on that.
            [] => leading()?,
            _ => given.iter().map(|&(gamma, _)| gamma).find(|&gamma| is_last(gamma))?,
        };
        let mut outputs: SmallVec<[Origin; 2]> = SmallVec::new();
        for (of, output) in given {
            if of == gamma { outputs.push(output) } else { others.push(output) }
        }
        let home = graph.region_of(gamma.node());
        let is_there = |&other: &Origin| graph.scope(other) == home && is_before(graph, other, gamma.node());
        if others.len() > MAX_OTHERS || !others.iter().all(is_there) {
            return None;
        }
        let mut led = Led::new();
        let entered = inside.map(|inside| (graph.origin(inside.gamma.predicate(graph)), inside.alternative));
        let left = place.after.map(|theta| (graph.origin(theta.predicate(graph)), EXIT));
        for (predicate, alternative) in entered.into_iter().chain(left) {
            let predicate = place.seen(graph, predicate);
            if graph.producer(predicate) != Some(gamma.node()) {
                return None;
            }
            led.push((predicate, alternative));
            if !outputs.contains(&predicate) {
                outputs.push(predicate);
            }
        }
        Some(Computation { surroundings, nodes, result: place.seen(graph, result), gamma, outputs, place, led })
    }

    /// An operand of one of its operations.
    fn operand(&self, graph: &Graph, node: Node, index: usize) -> Origin {
        self.place.seen(graph, graph.input(node, index))
    }

    /// Whether a predicate decides once and directly after the γ: a γ with its states or one around it, or a loop's next iteration.
    fn decides_behind(&self, graph: &Graph, predicate: Origin) -> bool {
        let mut users = graph.users_of(predicate);
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        let decided = match graph.site(user) {
            Use::Input(node, 0) if Gamma::new(graph, node).is_some() => Some(node),
            Use::Result(..) => None,
            Use::Input(..) => return false,
        };
        let is_direct = |state: Origin, behind: Option<Node>| {
            !graph.ty(state).is_state()
                || graph.users_of(state).all(|user| match graph.site(user) {
                    Use::Input(node, _) => Some(node) == behind,
                    Use::Result(..) => true,
                })
        };
        let next = self.place.inside.map_or(decided, |inside| Some(inside.gamma.node()));
        let arguments = self.place.inside.map_or(&[][..], |inside| graph.arguments(inside.region));
        let (ends, left) = match self.place.after {
            // The decision is not at the end of the loop's body, but after the loop.
            Some(theta) => (None, graph.outputs(theta.node())),
            None => (next, &[][..]),
        };
        (self.place.after.is_none() || self.place.inside.is_some() || decided.is_some())
            && graph.outputs(self.gamma.node()).iter().all(|&output| is_direct(output, ends))
            && left.iter().all(|&output| is_direct(output, next))
            && arguments.iter().all(|&argument| is_direct(argument, decided))
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
        let mut left = MAX_LEAVES;
        let (sure, open) = self.known_in(graph, table, self.gamma, |region| self.start(graph, region), &mut left);
        sure && open == 0 || sure && open == 1 && self.nodes.len() <= MAX_COPIED
    }

    /// Whether an alternative of a γ knows the decision, and how many neither know it nor choose one of two known values. Where several
    /// alternatives of a nested γ do not, the decision is made after that. At most `left` calls deep.
    fn known_in(
        &self,
        graph: &Graph,
        table: &MatchTable,
        gamma: Gamma,
        start: impl Fn(Region) -> Start,
        left: &mut usize,
    ) -> (bool, usize) {
        let (mut sure, mut open) = (false, 0);
        for &region in gamma.regions(graph) {
            let start = start(region);
            if self.is_elsewhere(graph, &start) {
                // In an alternative, or after a loop, the decision would still be made where it is.
                sure |= self.led.is_empty();
                continue;
            }
            *left = left.saturating_sub(1);
            if self.decided(graph, region, &start, table).is_some() {
                sure = true;
            } else if let Some(inner) = inner(graph, &start).filter(|_| *left > 0) {
                match self.known_inside(graph, table, inner, &start, left) {
                    (_, 2..) if !decides_alone(graph, region) => return (false, 2),
                    (_, 2..) => open += 1,
                    (knows, opens) => {
                        sure |= knows;
                        open += opens;
                    }
                }
            } else if !decides_alone(graph, region) {
                return (false, 2);
            } else if !self.is_choice(graph, &start) {
                open += 1;
            }
        }
        (sure, open)
    }

    /// The same of a γ at the end of an alternative.
    fn known_inside(
        &self,
        graph: &Graph,
        table: &MatchTable,
        inner: Gamma,
        start: &Start,
        left: &mut usize,
    ) -> (bool, usize) {
        let within = &|region| within(graph, start, inner, region);
        self.known_in(graph, table, inner, within as &dyn Fn(Region) -> Start, left)
    }

    /// Whether the decision does not matter: what is decided on is poison, or another alternative is chosen than the one that it is in.
    fn is_elsewhere(&self, graph: &Graph, start: &Start) -> bool {
        let given = self.outputs.iter().position(|&output| output == self.result);
        if given.is_some_and(|index| fold::is_poison(graph, start[index].1)) {
            return true;
        }
        self.led(start).any(|(_, predicate, alternative)| {
            leads::constant(graph, predicate).is_some_and(|chosen| chosen != alternative)
        })
    }

    /// What the predicates of `led` are in an alternative, each with the alternative that it must choose.
    fn led(&self, start: &Start) -> impl Iterator<Item = (Region, Origin, u32)> {
        self.led.iter().filter_map(|&(predicate, alternative)| {
            let index = self.outputs.iter().position(|&output| output == predicate)?;
            let (region, predicate) = start[index];
            Some((region, predicate, alternative))
        })
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

    /// Whether a value of a region is known to differ from a constant.
    fn differs(&self, graph: &Graph, region: Region, origin: Origin, constant: Const) -> bool {
        let is_null = matches!(graph.pool().constant(constant), Constant::Zero(_));
        is_null && is_nonnull(graph, self.surroundings, origin) || differs(graph, region, origin, constant)
    }

    /// The alternative that is chosen at the end of a region, if it is known.
    fn decided(&self, graph: &Graph, region: Region, start: &Start, table: &MatchTable) -> Option<u32> {
        let started = |origin| Some(start[self.outputs.iter().position(|&output| output == origin)?]);
        let mut values: SmallVec<[(Origin, Known); MAX_OPERATIONS]> = SmallVec::new();
        for &node in &self.nodes {
            let value = |index: usize| {
                let origin = self.operand(graph, node, index);
                let computed = values.iter().find(|&&(known, _)| known == origin).map(|&(_, value)| value);
                computed.or_else(|| known(graph, origin)).or_else(|| {
                    let (region, origin) = started(origin)?;
                    known(graph, origin).or_else(|| equals(graph, region, origin))
                })
            };
            let other = |index: usize, constant| {
                let (region, origin) = started(self.operand(graph, node, index))?;
                self.differs(graph, region, origin, constant).then_some(())
            };
            // By the branches that lead to the end of the region.
            let implied = || {
                let Some(Op::ICmp { predicate, .. }) = graph.op(node) else { return None };
                let [left, right] = [0, 1].map(|index| {
                    let origin = self.operand(graph, node, index);
                    started(origin).map_or(origin, |(_, origin)| origin)
                });
                let by_choice =
                    |(_, led, alternative)| conditions::decided_by(graph, (led, alternative), (predicate, left, right));
                let around = || conditions::compared(graph, region, (predicate, left, right));
                let holds = self.led(start).find_map(by_choice).or_else(around)?;
                Some(Known::Int(Int::bool(holds)))
            };
            if let Some(value) = evaluate(graph, node, value, other).or_else(implied) {
                values.push((graph.output(node, 0), value));
            }
        }
        if let Some((region, origin)) = started(self.result) {
            if let Some(Known::Int(value)) = known(graph, origin).or_else(|| equals(graph, region, origin)) {
                return Some(table.alternative(graph.pool(), value));
            }
            let other =
                |&(value, chosen): &(Const, u32)| chosen == table.default || self.differs(graph, region, origin, value);
            return table.cases.iter().all(other).then_some(table.default);
        }
        match values.iter().find(|&&(origin, _)| origin == self.result) {
            Some(&(_, Known::Int(value))) => Some(table.alternative(graph.pool(), value)),
            Some((_, Known::Null)) => None,
            None if self.nodes.is_empty() => by_numbers(graph, region, self.result, table),
            None => None,
        }
    }

    /// Replaces a `match` by an exit variable of the γ. The decision that one alternative may still have to make becomes pending.
    fn move_in(&self, graph: &mut Graph, node: Node, table: MatchTableId, pending: &mut Vec<Node>) {
        let output = graph.output(node, 0);
        let mut results: Vec<Origin> = Vec::new();
        for position in 0..self.gamma.regions(graph).len() {
            let region = self.gamma.regions(graph)[position];
            let start = self.start(graph, region);
            results.push(self.decide(graph, node, table, region, &start, pending));
        }
        let mut replacement = self.gamma.add_exit_var(graph, &results).output;
        if let Some(theta) = self.place.after {
            let data = graph.pool().table(table);
            let (default, alternatives) = (data.default, data.alternatives);
            let before = Insert::before(graph, theta.node()).predicate(default, alternatives);
            let variable = theta.add_loop_var(graph, before);
            graph.divert(variable.post, replacement);
            replacement = variable.output;
        }
        if let Some(inside) = self.place.inside {
            replacement = Router::default().route(graph, replacement, inside.region);
        }
        graph.divert_users(output, replacement);
        graph.remove(node);
    }

    /// The decision at the end of a region: where the decision does not matter in all cases, it is made in the γ that tells in which. At
    /// most as deep as [`Computation::known_in`].
    fn decide(
        &self,
        graph: &mut Graph,
        node: Node,
        table: MatchTableId,
        region: Region,
        start: &Start,
        pending: &mut Vec<Node>,
    ) -> Origin {
        let pool = graph.pool().clone();
        let data = pool.table(table);
        // What is decided elsewhere does not matter.
        let elsewhere = self.is_elsewhere(graph, start).then_some(data.default);
        if let Some(value) = elsewhere.or_else(|| self.decided(graph, region, start, data)) {
            return Insert::end(graph, region).predicate(value, data.alternatives);
        }
        let mut left = MAX_LEAVES;
        let divided = |inner: &Gamma| match self.known_inside(graph, data, *inner, start, &mut left) {
            (_, 2..) => false,
            (knows, _) => knows || !self.led.is_empty(),
        };
        if let Some(inner) = inner(graph, start).filter(divided) {
            let mut results: Vec<Origin> = Vec::new();
            for position in 0..inner.regions(graph).len() {
                let region = inner.regions(graph)[position];
                let start = within(graph, start, inner, region);
                results.push(self.decide(graph, node, table, region, &start, pending));
            }
            return inner.add_exit_var(graph, &results).output;
        }
        debug_assert!(self.led.is_empty() || decides_alone(graph, region), "it matters");
        let operand = self.copy(graph, region, start);
        let (source, ty) = (graph.source(node), graph.ty(graph.output(node, 0)));
        let new = Insert::end(graph, region).source(source).node(Op::Match(table), &[operand], &[ty]);
        pending.push(new);
        graph.output(new, 0)
    }

    /// Copies the operations into an alternative.
    fn copy(&self, graph: &mut Graph, region: Region, start: &Start) -> Origin {
        let mut copies: SmallVec<[(Origin, Origin); MAX_OPERATIONS]> = SmallVec::new();
        let copied = |graph: &mut Graph, copies: &[(Origin, Origin)], origin: Origin| {
            if let Some(&(_, copy)) = copies.iter().find(|&&(of, _)| of == origin) {
                return copy;
            }
            let started = self.outputs.iter().position(|&output| output == origin);
            available(graph, started.map_or(origin, |index| start[index].1), region)
        };
        for &node in &self.nodes {
            let Some(op) = graph.op(node) else { continue };
            let mut inputs: SmallVec<[Origin; 3]> = SmallVec::new();
            for index in 0..graph.inputs(node).len() {
                let operand = self.operand(graph, node, index);
                inputs.push(copied(graph, &copies, operand));
            }
            let (output, source) = (graph.output(node, 0), graph.source(node));
            let ty = graph.ty(output);
            let copy = Insert::end(graph, region).source(source).add(op, &inputs, ty);
            copies.push((output, copy));
        }
        copied(graph, &copies, self.result)
    }
}

/// A value of a region around this one, or a constant of another one, as a value of this one.
fn available(graph: &mut Graph, origin: Origin, region: Region) -> Origin {
    match fold::constant(graph, origin) {
        Some(constant) if graph.scope(origin) != region => Insert::end(graph, region).constant(constant),
        _ => Router::default().route(graph, origin, region),
    }
}

/// Whether all predicates that a region returns are constant: control flow recovery ends a block with one decision alone.
fn decides_alone(graph: &Graph, region: Region) -> bool {
    graph.result_origins(region).all(|result| {
        graph.pool().ctl_alternatives(graph.ty(result)).is_none() || leads::constant(graph, result).is_some()
    })
}

/// The γ at the end of a region that produces all starting points of a computation that are not constant: nothing with an effect is behind
/// it.
fn inner(graph: &Graph, start: &Start) -> Option<Gamma> {
    let mut inner = None;
    for &(_, origin) in start {
        if fold::constant(graph, origin).is_some() || leads::constant(graph, origin).is_some() {
            continue;
        }
        let found = Gamma::new(graph, graph.producer(origin)?)?;
        if *inner.get_or_insert(found) != found {
            return None;
        }
    }
    let is_last = |&state: &Origin| {
        !graph.ty(state).is_state() || graph.users_of(state).all(|user| matches!(graph.site(user), Use::Result(..)))
    };
    inner.filter(|inner| graph.outputs(inner.node()).iter().all(is_last))
}

/// The starting points of a computation if an alternative of the γ that produces them is chosen.
fn within(graph: &Graph, start: &Start, inner: Gamma, region: Region) -> Start {
    let within = |&(outer, origin): &(Region, Origin)| match graph.def(origin) {
        OriginDef::Output(node, index) if node == inner.node() => (region, graph.result(region, index as usize)),
        _ => (outer, origin),
    };
    start.iter().map(within).collect()
}
