//! Makes one loop of two.
//!
//! The new body is a conditional that begins an iteration of the outer loop or goes on inside the inner one (`entry`); the body of the
//! inner loop, in a conditional if it may not be entered (`test`); and a conditional that ends the iteration of the outer loop or stays
//! inside (`exit`).

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::hints::{Hint, LoopHints};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type, User};

use super::is_constant;
use super::nest::{Guard, Nest, State};

/// The alternative of `entry` in which an iteration of the outer loop begins, and the one that goes on inside.
const BEGIN: usize = 0;
const GO_ON: usize = 1;
/// The alternative of `test` without an iteration of the inner loop, and the one with it.
const SKIP: usize = 0;
const ENTER: usize = 1;
/// The alternative of `exit` in which an iteration of the outer loop ends, and the one that stays inside.
const LEAVE: usize = 0;
const STAY: usize = 1;

/// Replaces a nest by one loop.
pub(super) fn merge(graph: &mut Graph, nest: Nest) {
    let Nest { outer, inner, guard, before, after, states } = nest;
    let mut merger = Merger::begin(graph, outer, inner, guard);
    let anchor = guard.map(|guard| guard.gamma.node());
    merger.move_before(before.into_iter().chain(anchor));
    let dependent = merger.take_out_inner(&states);
    for state in &states {
        merger.enter_state(state);
    }
    merger.test();
    let mut variables = merger.fill_inner(&states);
    let finals = merger.finals(&dependent, &mut variables);
    merger.end(&after, &finals, &variables, &states);
    merger.finish();
}

/// A variable of the inner loop that changes.
struct Inside {
    /// Its position.
    index: usize,
    /// The variable of the merged loop.
    variable: LoopVar,
    /// Its value in the iteration, after `entry`.
    now: Origin,
    /// Its next value, where the inner loop's body is.
    next: Origin,
    /// The same after `test`.
    lifted: Option<Origin>,
}

struct Merger<'g> {
    graph: &'g mut Graph,
    router: Router,
    outer: Theta,
    inner: Theta,
    guard: Option<Guard>,
    /// What enters the conditional around the inner loop, as it was.
    entries: Vec<Origin>,
    merged: Theta,
    entry: Gamma,
    /// The conditional around the inner loop's body, if it may not be entered.
    test: Option<Gamma>,
    /// Whether it is in the inner loop.
    inside: LoopVar,
    /// The variables of the outer loop in the merged one.
    variables: Vec<LoopVar>,
    /// Those of them that are needed after `entry`.
    kept: FxHashSet<usize>,
    /// Values of the alternative around the inner loop that the conditional returns.
    exposed: FxHashMap<Origin, Origin>,
    /// Variables that keep what an iteration of the outer loop began with, and their values after `entry`.
    carried: Vec<(LoopVar, Origin)>,
    /// The position of the variable that keeps a value of the place where iterations begin.
    carried_at: FxHashMap<Origin, usize>,
    /// The states at the point that has been reached.
    current: FxHashMap<Type, Origin>,
}

impl<'g> Merger<'g> {
    /// Makes the merged loop with the variables of the outer one, and `entry`.
    fn begin(graph: &'g mut Graph, outer: Theta, inner: Theta, guard: Option<Guard>) -> Merger<'g> {
        let mut router = Router::new();
        let entries = guard.map_or_else(Vec::new, |guard| graph.input_origins(guard.gamma.node()).skip(1).collect());
        let mut at = Insert::before(graph, outer.node());
        let outside = at.int(Type::I1, 0);
        let merged = at.theta();
        let hints = LoopHints { unroll: Hint::Never, ..LoopHints::default() };
        graph.set_loop_hints(merged.node(), hints);
        let mut variables = Vec::new();
        for index in 0..graph.inputs(outer.node()).len() {
            let old = outer.loop_var(graph, index);
            let start = graph.origin(old.input);
            let new = if old.is_invariant(graph) {
                merged.add_loop_var(graph, start)
            } else {
                router.carry(graph, merged, start)
            };
            graph.set_origin_source(new.pre, graph.origin_source(old.pre));
            variables.push(new);
        }
        let inside = router.carry(graph, merged, outside);
        let body = merged.body(graph);
        let mut at = Insert::end(graph, body);
        let goes_on = at.decide(inside.pre, GO_ON as u32);
        let entry = at.gamma(goes_on, 2);
        Merger {
            graph,
            router,
            outer,
            inner,
            guard,
            entries,
            merged,
            entry,
            test: None,
            inside,
            variables,
            kept: FxHashSet::default(),
            exposed: FxHashMap::default(),
            carried: Vec::new(),
            carried_at: FxHashMap::default(),
            current: FxHashMap::default(),
        }
    }

    fn body(&self) -> Region {
        self.merged.body(self.graph)
    }

    fn region(&self, gamma: Gamma, alternative: usize) -> Region {
        gamma.regions(self.graph)[alternative]
    }

    /// Where the inner loop's body is in the merged loop.
    fn home(&self) -> Region {
        self.test.map_or_else(|| self.body(), |test| self.region(test, ENTER))
    }

    /// What stands for a value that is not needed.
    fn nothing(&mut self, region: Region, ty: Type) -> Origin {
        nothing(&mut Insert::end(self.graph, region), ty)
    }

    /// Moves what is executed before the inner loop to where an iteration begins.
    fn move_before(&mut self, nodes: impl Iterator<Item = Node>) {
        let (begin, body) = (self.region(self.entry, BEGIN), self.outer.body(self.graph));
        for node in nodes {
            self.graph.move_to(node, begin);
            for index in 0..self.graph.inputs(node).len() {
                let user = self.graph.inputs(node)[index];
                if let OriginDef::Argument(region, argument) = self.graph.def(self.graph.origin(user))
                    && region == body
                {
                    let value = self.router.route(self.graph, self.variables[argument as usize].pre, begin);
                    self.graph.divert(user, value);
                }
            }
        }
    }

    /// Lets the conditional around the inner loop return nothing that the loop computes; which of its exit variables this concerns, with
    /// the variable of the loop that each is.
    fn take_out_inner(&mut self, states: &[State]) -> Vec<(usize, usize)> {
        let Some(guard) = self.guard else { return Vec::new() };
        let region = guard.region(self.graph);
        let mut dependent = Vec::new();
        for exit in 0..self.graph.outputs(guard.gamma.node()).len() {
            let result = self.graph.results(region)[exit];
            let OriginDef::Output(node, index) = self.graph.def(self.graph.origin(result)) else { continue };
            if node != self.inner.node() {
                continue;
            }
            let ty = self.graph.ty(self.graph.origin(result));
            let instead = if states.iter().any(|state| state.ty == ty) {
                self.graph.input(node, index as usize)
            } else {
                dependent.push((exit, index as usize));
                self.nothing(region, ty)
            };
            self.graph.divert(result, instead);
        }
        dependent
    }

    /// Brings a state to after `entry`.
    fn enter_state(&mut self, state: &State) {
        let start = match self.guard.zip(state.exit) {
            Some((guard, exit)) => self.graph.output(guard.gamma.node(), exit),
            None => self.early(state.crossing),
        };
        let on = self.region(self.entry, GO_ON);
        let on = self.router.route(self.graph, self.variables[state.outer].pre, on);
        let output = self.entry.add_exit_var(self.graph, &[start, on]).output;
        self.current.insert(state.ty, output);
    }

    /// Makes the conditional around the inner loop's body, if there was one around the inner loop.
    fn test(&mut self) {
        let Some(guard) = self.guard else { return };
        let regions = guard.gamma.regions(self.graph).to_vec();
        let mut enters = Vec::new();
        for (alternative, region) in regions.into_iter().enumerate() {
            let enters_here = alternative == guard.alternative || seeded::is_active(Bug::LmgGuard);
            enters.push(Insert::end(self.graph, region).int(Type::I1, enters_here.into()));
        }
        let begins = guard.gamma.add_exit_var(self.graph, &enters).output;
        let on = self.region(self.entry, GO_ON);
        let on = Insert::end(self.graph, on).int(Type::I1, 1);
        let enters = self.entry.add_exit_var(self.graph, &[begins, on]).output;
        let body = self.body();
        let mut at = Insert::end(self.graph, body);
        let predicate = at.decide(enters, ENTER as u32);
        self.test = Some(at.gamma(predicate, 2));
    }

    /// Moves the inner loop's body to its place; the variables that change there.
    fn fill_inner(&mut self, states: &[State]) -> Vec<Inside> {
        let (inner, old, home) = (self.inner, self.inner.body(self.graph), self.home());
        let mut variables = Vec::new();
        for index in 0..self.graph.inputs(inner.node()).len() {
            let variable = inner.loop_var(self.graph, index);
            let (start, ty) = (self.graph.origin(variable.input), self.graph.ty(variable.pre));
            let value = if let Some(&state) = self.current.get(&ty) {
                self.router.route(self.graph, state, home)
            } else if variable.is_invariant(self.graph) {
                self.later(start, home)
            } else {
                let start = self.early(start);
                let (carried, now) = self.carry(start);
                self.graph.set_origin_source(carried.pre, self.graph.origin_source(variable.pre));
                variables.push(Inside { index, variable: carried, now, next: now, lifted: None });
                self.router.route(self.graph, now, home)
            };
            self.graph.divert_users(variable.pre, value);
        }
        let nodes: Vec<Node> = self.graph.nodes(old).collect();
        for node in nodes {
            self.graph.move_to(node, home);
        }
        for inside in &mut variables {
            inside.next = self.graph.origin(inner.loop_var(self.graph, inside.index).post);
        }
        for state in states {
            if let Some(inner) = state.inner {
                let next = self.graph.origin(self.inner.loop_var(self.graph, inner).post);
                let next = self.skip_or(next, |merger, skip| {
                    let state = merger.current[&state.ty];
                    merger.router.route(merger.graph, state, skip)
                });
                self.current.insert(state.ty, next);
            }
        }
        variables
    }

    /// A value of the inner loop's body after it, or what `skipped` gives where it is not executed.
    fn skip_or(&mut self, value: Origin, skipped: impl FnOnce(&mut Self, Region) -> Origin) -> Origin {
        let Some(test) = self.test else { return value };
        let skip = self.region(test, SKIP);
        let skipped = skipped(self, skip);
        test.add_exit_var(self.graph, &[skipped, value]).output
    }

    /// What the nodes after the inner loop get of it, by the values that they use now.
    fn finals(&mut self, dependent: &[(usize, usize)], variables: &mut [Inside]) -> FxHashMap<Origin, Origin> {
        let home = self.home();
        let mut finals = FxHashMap::default();
        let last = |merger: &mut Self, inside: &Inside| {
            if seeded::is_active(Bug::LmgBeforeLast) {
                merger.router.route(merger.graph, inside.now, home)
            } else {
                inside.next
            }
        };
        let Some(guard) = self.guard else {
            for inside in variables {
                let last = last(self, inside);
                finals.insert(self.graph.output(self.inner.node(), inside.index), last);
            }
            return finals;
        };
        for &(exit, index) in dependent {
            let output = self.graph.output(guard.gamma.node(), exit);
            if !self.graph.has_users(output) {
                continue;
            }
            let inside = variables.iter_mut().find(|inside| inside.index == index);
            let value = match &inside {
                Some(inside) => last(self, inside),
                None => {
                    let start = self.graph.input(self.inner.node(), index);
                    self.later(start, home)
                }
            };
            let (ty, on) = (self.graph.ty(output), self.region(self.entry, GO_ON));
            let on = self.nothing(on, ty);
            let skipped = self.entry.add_exit_var(self.graph, &[output, on]).output;
            let value = self.skip_or(value, |merger, skip| merger.router.route(merger.graph, skipped, skip));
            finals.insert(output, value);
            if let Some(inside) = inside.filter(|_| !seeded::is_active(Bug::LmgBeforeLast)) {
                inside.lifted = Some(value);
            }
        }
        finals
    }

    /// Makes `exit`: what is executed after the inner loop, and the next values of all variables.
    fn end(&mut self, after: &[Node], finals: &FxHashMap<Origin, Origin>, variables: &[Inside], states: &[State]) {
        let body = self.body();
        let repeats = self.graph.origin(self.inner.predicate(self.graph));
        let repeats = self.skip_or(repeats, |merger, skip| Insert::end(merger.graph, skip).predicate(LEAVE as u32, 2));
        let exit = Insert::end(self.graph, body).gamma(repeats, 2);
        let [leave, stay] = [LEAVE, STAY].map(|alternative| self.region(exit, alternative));
        let is_after: FxHashSet<Node> = after.iter().copied().collect();
        for &node in after {
            self.graph.move_to(node, leave);
        }
        let inputs = after.iter().flat_map(|&node| self.graph.inputs(node).to_vec());
        let changing: Vec<usize> = (0..self.variables.len())
            .filter(|&index| !self.outer.loop_var(self.graph, index).is_invariant(self.graph))
            .collect();
        let results = changing.iter().map(|&index| self.outer.loop_var(self.graph, index).post);
        let users: Vec<User> = inputs.chain([self.outer.predicate(self.graph)]).chain(results).collect();
        for user in users {
            let value = self.graph.origin(user);
            if !self.graph.producer(value).is_some_and(|node| is_after.contains(&node)) {
                let value = self.settle(value, finals, leave);
                self.graph.divert(user, value);
            }
        }
        for index in changing {
            let new = self.variables[index];
            let stays = match states.iter().find(|state| state.outer == index) {
                Some(state) => self.router.route(self.graph, self.current[&state.ty], stay),
                None if self.kept.contains(&index) => self.router.route(self.graph, new.pre, stay),
                None => self.nothing(stay, self.graph.ty(new.pre)),
            };
            let next = self.graph.origin(self.outer.loop_var(self.graph, index).post);
            let post = exit.add_exit_var(self.graph, &[next, stays]).output;
            self.graph.divert(new.post, post);
        }
        for inside in variables {
            let ty = self.graph.ty(inside.now);
            let next =
                inside.lifted.unwrap_or_else(|| self.skip_or(inside.next, |merger, skip| merger.nothing(skip, ty)));
            self.keep(exit, inside.variable, next);
        }
        for (variable, now) in std::mem::take(&mut self.carried) {
            self.keep(exit, variable, now);
        }
        let flags = [leave, stay].map(|region| Insert::end(self.graph, region).int(Type::I1, (region == stay).into()));
        let inside = exit.add_exit_var(self.graph, &flags).output;
        self.graph.divert(self.inside.post, inside);
        let again = Insert::end(self.graph, stay).predicate(REPEAT, 2);
        let ends = self.graph.origin(self.outer.predicate(self.graph));
        let repeats = exit.add_exit_var(self.graph, &[ends, again]).output;
        self.graph.divert(self.merged.predicate(self.graph), repeats);
    }

    /// Gives a variable that is only live inside its next value.
    fn keep(&mut self, exit: Gamma, variable: LoopVar, next: Origin) {
        let [leave, stay] = [LEAVE, STAY].map(|alternative| self.region(exit, alternative));
        let ty = self.graph.ty(next);
        let left = self.nothing(leave, ty);
        let stays = self.router.route(self.graph, next, stay);
        let post = exit.add_exit_var(self.graph, &[left, stays]).output;
        self.graph.divert(variable.post, post);
    }

    /// Replaces what the outer loop returned, and removes both loops, which are empty.
    fn finish(self) {
        let Merger { graph, outer, inner, variables, kept, .. } = self;
        for theta in [inner, outer] {
            let body = theta.body(graph);
            graph.retain_results(body, |_| false);
        }
        for (index, new) in variables.iter().enumerate() {
            if kept.contains(&index) || new.is_invariant(graph) {
                graph.note_same(graph.arguments(outer.body(graph))[index], new.pre);
            }
            graph.divert_users(graph.output(outer.node(), index), new.output);
        }
        graph.remove(inner.node());
        graph.remove(outer.node());
    }

    /// A value from before or out of the inner loop, for what is executed after it.
    fn settle(&mut self, origin: Origin, finals: &FxHashMap<Origin, Origin>, leave: Region) -> Origin {
        if let Some(&state) = self.current.get(&self.graph.ty(origin)) {
            return self.router.route(self.graph, state, leave);
        }
        if let Some(&last) = finals.get(&origin) {
            return self.router.route(self.graph, last, leave);
        }
        match self.graph.def(origin) {
            // A variable of the inner loop that does not change.
            OriginDef::Output(node, index) if node == self.inner.node() => {
                let start = self.graph.input(node, index as usize);
                self.later(start, leave)
            }
            OriginDef::Output(..) | OriginDef::Argument(..) => self.later(origin, leave),
        }
    }

    /// A value of the outer loop's body, or of the alternative around the inner loop, that was known before the inner loop: where an
    /// iteration of the outer loop begins.
    fn early(&mut self, origin: Origin) -> Origin {
        let origin = self.unguarded(origin);
        let begin = self.region(self.entry, BEGIN);
        match self.graph.def(origin) {
            OriginDef::Argument(_, index) => self.router.route(self.graph, self.variables[index as usize].pre, begin),
            OriginDef::Output(node, _) if self.graph.region_of(node) == begin => origin,
            OriginDef::Output(node, _) if is_constant(self.graph, node) => self.constant(node, begin),
            OriginDef::Output(..) => self.expose(origin),
        }
    }

    /// The same where and after the inner loop's body is executed.
    fn later(&mut self, origin: Origin, region: Region) -> Origin {
        let origin = self.unguarded(origin);
        if let OriginDef::Argument(_, index) = self.graph.def(origin) {
            self.kept.insert(index as usize);
            return self.router.route(self.graph, self.variables[index as usize].pre, region);
        }
        if let Some(node) = self.graph.producer(origin).filter(|&node| is_constant(self.graph, node)) {
            return self.constant(node, region);
        }
        let start = self.early(origin);
        let index = match self.carried_at.get(&start) {
            Some(&index) => index,
            None => {
                let carried = self.carry(start);
                self.carried_at.insert(start, self.carried.len());
                self.carried.push(carried);
                self.carried.len() - 1
            }
        };
        self.router.route(self.graph, self.carried[index].1, region)
    }

    /// An argument of the alternative around the inner loop as the value of the outer loop's body that it is.
    fn unguarded(&self, origin: Origin) -> Origin {
        match self.graph.def(origin) {
            OriginDef::Argument(region, index) if region != self.outer.body(self.graph) => self.entries[index as usize],
            OriginDef::Argument(..) | OriginDef::Output(..) => origin,
        }
    }

    /// Lets the conditional around the inner loop return a value of the alternative with it.
    fn expose(&mut self, origin: Origin) -> Origin {
        if let Some(&known) = self.exposed.get(&origin) {
            return known;
        }
        let guard = self.guard.expect("the value is of an alternative");
        let ty = self.graph.ty(origin);
        let regions = guard.gamma.regions(self.graph).to_vec();
        let values: Vec<Origin> = regions
            .into_iter()
            .enumerate()
            .map(|(index, region)| if index == guard.alternative { origin } else { self.nothing(region, ty) })
            .collect();
        let output = guard.gamma.add_exit_var(self.graph, &values).output;
        self.exposed.insert(origin, output);
        output
    }

    /// Adds a variable that starts with a value where an iteration begins; it, and its value after `entry`.
    fn carry(&mut self, start: Origin) -> (LoopVar, Origin) {
        let ty = self.graph.ty(start);
        let nothing = nothing(&mut Insert::before(self.graph, self.merged.node()), ty);
        let variable = self.router.carry(self.graph, self.merged, nothing);
        let on = self.region(self.entry, GO_ON);
        let on = self.router.route(self.graph, variable.pre, on);
        (variable, self.entry.add_exit_var(self.graph, &[start, on]).output)
    }

    /// A constant once more, with those that it is made of.
    fn constant(&mut self, node: Node, region: Region) -> Origin {
        let begin = self.region(self.entry, BEGIN);
        let mut made: FxHashMap<Node, Origin> = FxHashMap::default();
        let mut pending = vec![node];
        while let Some(&next) = pending.last() {
            let inputs: Vec<Origin> = self.graph.input_origins(next).collect();
            let before = pending.len();
            let parts = inputs.iter().filter_map(|&input| self.graph.producer(input));
            pending.extend(parts.filter(|part| !made.contains_key(part)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let mut values = Vec::new();
            for input in inputs {
                values.push(match self.graph.def(input) {
                    OriginDef::Output(part, _) => made[&part],
                    // It moved there already.
                    OriginDef::Argument(at, index) if at == begin => {
                        let outer = self.graph.input(self.entry.node(), index as usize + 1);
                        self.router.route(self.graph, outer, region)
                    }
                    OriginDef::Argument(..) => self.later(input, region),
                });
            }
            let op = self.graph.op(next).expect("a constant is an operation");
            let ty = self.graph.ty(self.graph.output(next, 0));
            let value = if let Op::Const(constant) = op
                && values.is_empty()
            {
                Insert::front(self.graph, region).constant(constant)
            } else {
                let copy = Insert::front(self.graph, region).node(op, &values, &[ty]);
                self.graph.output(copy, 0)
            };
            made.insert(next, value);
        }
        made[&node]
    }
}

/// What stands for a value that is not needed.
fn nothing(at: &mut Insert, ty: Type) -> Origin {
    match at.graph().pool().ctl_alternatives(ty) {
        Some(alternatives) => at.predicate(0, alternatives),
        None => at.poison(ty),
    }
}
