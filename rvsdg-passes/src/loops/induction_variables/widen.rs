//! Widening of induction variables to 64 bits.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use rvsdg_analysis::conditions::{self, REPEAT};
use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, IntBinary, IntPredicate, MatchTable, Resize};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Const, Graph, Node, Op, Origin, OriginDef, Region, Type, Use};

use super::webs;
use crate::control::hoisting::Hoisting;
use crate::pass::{Change, PassCx};

/// The wide type: the width of addresses on targets where programs convert to it.
const WIDE: u32 = 64;
/// Through how many operations a conversion is moved.
const DEPTH: u32 = 4;
/// How many nested loops may start with each other's variables.
const MAX_NESTING: u32 = 16;

/// Whether 64-bit arithmetic is as fast as narrower arithmetic on the target: not if addresses are narrower, and not if registers have 32
/// bits, as on GPUs.
fn is_as_fast(cx: &PassCx) -> bool {
    cx.surroundings().is_none_or(|surroundings| {
        let has_narrow = surroundings.data_layout().is_some_and(|data| data.pointer(0).index_bits < WIDE);
        !has_narrow && Machine::of_triple(surroundings.triple()).is_none()
    })
}

/// Widens induction variables that are converted.
pub(super) fn widen(graph: &mut Graph, cx: &PassCx) -> Change {
    if !is_as_fast(cx) {
        return Change::Unchanged;
    }
    let mut widening = Widening {
        evolutions: FxHashMap::default(),
        hoisting: Hoisting::default(),
        wide: FxHashMap::default(),
        made: Vec::new(),
        narrowed: FxHashMap::default(),
        nesting: 0,
        router: Router::default(),
    };
    let conversions: Vec<Node> = graph.all_nodes().filter(|&node| extension(graph, node).is_some()).collect();
    let mut widened = 0;
    for node in conversions {
        let Some(signed) = extension(graph, node) else { continue };
        let Some(plan) = widening.plan(graph, graph.input(node, 0), signed, DEPTH) else { continue };
        if !plan.has_variable() || !cx.rewrite("widened", graph, node) {
            continue;
        }
        let value = widening.build(graph, &plan, signed, node);
        let output = graph.output(node, 0);
        graph.divert_users(output, value);
        remove_unused(graph, node);
        widened += 1;
    }
    cx.count("widened", widened);
    let mut index = 0;
    while index < widening.made.len() {
        widening.replace_narrow(graph, index);
        index += 1;
    }
    let (in_webs, variables) = webs::widen(graph, &mut widening.narrowed, cx);
    cx.count("widened", in_webs);
    cx.count("variables", widening.made.len() as u64 + variables);
    if widened + in_webs == 0 {
        return Change::Unchanged;
    }
    for theta in loops_bottom_up(graph) {
        truncate_after(graph, theta);
    }
    Change::Changed
}

/// Truncates the final value of a loop variable after the loop, if another variable is its truncation in each iteration.
fn truncate_after(graph: &mut Graph, theta: Theta) {
    for index in 0..graph.inputs(theta.node()).len() {
        let variable = theta.loop_var(graph, index);
        let low = graph.producer(graph.origin(variable.post)).filter(|_| graph.has_users(variable.output));
        let Some((low, op @ Op::Cast { op: CastOp::Trunc, .. })) = low.and_then(|low| Some((low, graph.op(low)?)))
        else {
            continue;
        };
        let wide = graph.input(low, 0);
        let Some(of) = theta.loop_vars(graph).find(|of| graph.origin(of.post) == wide) else { continue };
        let users: Vec<_> = graph.users_of(variable.output).collect();
        let ty = graph.ty(variable.output);
        let low = Insert::after(graph, theta.node()).add(op, &[of.output], ty);
        users.into_iter().for_each(|user| graph.divert(user, low));
    }
}

/// Removes a node, and the sums and products that only it used.
fn remove_unused(graph: &mut Graph, node: Node) {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if !graph.is_live(node) || graph.has_users(graph.output(node, 0)) {
            continue;
        }
        let producers = graph.input_origins(node).filter_map(|origin| graph.producer(origin));
        pending.extend(producers.filter(|&producer| {
            matches!(
                graph.op(producer),
                Some(Op::IntBinary { op: IntBinary::Add | IntBinary::Sub | IntBinary::Mul | IntBinary::Shl, .. })
            )
        }));
        graph.remove(node);
    }
}

/// Whether a node is a used conversion of an integer to the wide type: true if signed, false if unsigned.
pub(super) fn extension(graph: &Graph, node: Node) -> Option<bool> {
    let Some(Op::Cast { op, flags }) = graph.op(node) else { return None };
    let signed = match op.resize()? {
        Resize::SExt => true,
        // For a non-negative value both are the same.
        Resize::ZExt => flags.nneg || seeded::is_active(Bug::IvsUnsigned),
        Resize::Trunc => return None,
    };
    let output = graph.output(node, 0);
    let is_narrow = arith::width(graph.pool(), graph.ty(graph.input(node, 0))).is_some_and(|bits| bits <= WIDE / 2);
    (is_narrow && graph.ty(output) == Type::I64 && graph.has_users(output)).then_some(signed)
}

/// How a value is computed in the wide type.
enum Plan {
    Constant(Int),
    /// An argument of a loop's body.
    Variable(Origin),
    /// The next value of that argument.
    Increment(Origin),
    /// A wide value whose low bits are the narrow one.
    Wide(Origin),
    /// An invariant of the innermost loop, converted where it is used.
    Converted(Origin),
    Sum(IntBinary, Box<[Plan; 2]>),
}

impl Plan {
    /// At most `DEPTH` calls deep.
    fn has_variable(&self) -> bool {
        match self {
            Plan::Variable(_) | Plan::Increment(_) | Plan::Wide(_) => true,
            Plan::Constant(_) | Plan::Converted(_) => false,
            Plan::Sum(_, operands) => operands.iter().any(Plan::has_variable),
        }
    }
}

/// A narrow variable and its wide twin.
#[derive(Copy, Clone)]
struct Twin {
    theta: Theta,
    signed: bool,
    narrow: LoopVar,
    /// The node that computes the narrow variable's next value.
    increment: Node,
    wide: LoopVar,
    /// The wide variable's next value.
    next: Origin,
}

struct Widening {
    evolutions: FxHashMap<Node, Rc<Evolution>>,
    hoisting: Hoisting,
    /// Twins by the narrow variable's argument and the signedness of the conversion.
    wide: FxHashMap<(Origin, bool), Twin>,
    made: Vec<Twin>,
    /// The wide values whose low bits have replaced narrow ones, and the signedness of their conversion.
    narrowed: webs::Known,
    /// The current nesting of loops that start with each other's variables.
    nesting: u32,
    router: Router,
}

impl Widening {
    fn evolution(&mut self, graph: &Graph, theta: Theta) -> Rc<Evolution> {
        self.evolutions.entry(theta.node()).or_insert_with(|| Rc::new(Evolution::of(graph, theta))).clone()
    }

    /// Plans the wide computation of a value; at most `DEPTH` calls deep.
    fn plan(&mut self, graph: &Graph, origin: Origin, signed: bool, depth: u32) -> Option<Plan> {
        if let Some(value) = known_constant(graph, origin).and_then(|value| Int::of_const(graph.pool(), value)) {
            return Some(Plan::Constant(if signed { value.sext(WIDE) } else { value.zext_or_trunc(WIDE) }));
        }
        let (home, passed_loop) = follow_out(graph, origin);
        if let Some(&(wide, _)) = self.narrowed.get(&home).filter(|of| of.1 == signed) {
            return Some(Plan::Wide(wide));
        }
        if let OriginDef::Argument(region, _) = graph.def(home)
            && let Some(theta) = graph.parent(region).and_then(|node| Theta::new(graph, node))
            && self.may_widen(graph, theta, home, signed)
        {
            return Some(Plan::Variable(home));
        }
        if let Some(producer) = graph.producer(home)
            && let Some(theta) = graph.parent(graph.region_of(producer)).and_then(|node| Theta::new(graph, node))
            && let Some(argument) = self.incremented(graph, theta, home, signed)
        {
            return Some(Plan::Increment(argument));
        }
        if passed_loop {
            return Some(Plan::Converted(origin));
        }
        let is_wanted = || graph.has_one_user(origin) || is_converted(graph, origin, signed);
        let producer = graph.producer(origin).filter(|_| depth > 0 && is_wanted())?;
        let op = moved_through(graph, producer, signed)?;
        let mut operand = |index| self.plan(graph, graph.input(producer, index), signed, depth - 1);
        Some(Plan::Sum(op, Box::new([operand(0)?, operand(1)?])))
    }

    /// The argument of a loop's body of which a value is the next value, if it may have a twin.
    fn incremented(&mut self, graph: &Graph, theta: Theta, origin: Origin, signed: bool) -> Option<Origin> {
        let argument = graph.users_of(origin).find_map(|user| match graph.site(user) {
            Use::Result(region, index @ 1..) if region == theta.body(graph) => {
                Some(theta.loop_var(graph, index as usize - 1).pre)
            }
            _ => None,
        })?;
        self.may_widen(graph, theta, argument, signed).then_some(argument)
    }

    /// Whether an argument of a loop's body is an induction variable that does not wrap unless it is poison.
    fn may_widen(&mut self, graph: &Graph, theta: Theta, argument: Origin, signed: bool) -> bool {
        if self.wide.contains_key(&(argument, signed)) {
            return true;
        }
        let evolution = self.evolution(graph, theta);
        let Some(variable) = evolution.variable(graph, argument) else { return false };
        let Some(increment) = graph.producer(graph.origin(variable.post)) else { return false };
        (evolution.promises(graph, argument).contains(promise(signed)) || seeded::is_active(Bug::IvsWraps))
            && step_operand(graph, &evolution, increment, argument).is_some()
            || stays_in_range(graph, &evolution, variable, signed)
    }

    /// The twin of a variable that may have one; makes it if needed.
    fn twin(&mut self, graph: &mut Graph, argument: Origin, signed: bool) -> Twin {
        if let Some(&twin) = self.wide.get(&(argument, signed)) {
            return twin;
        }
        let OriginDef::Argument(region, index) = graph.def(argument) else { unreachable!("a variable is an argument") };
        let theta = graph.parent(region).and_then(|node| Theta::new(graph, node)).expect("a variable is a loop's");
        let narrow = theta.loop_var(graph, index as usize);
        let start = graph.origin(narrow.input);
        let start = self.converted(graph, start, signed, theta.node());
        let wide = self.router.carry(graph, theta, start);
        let increment = graph.producer(graph.origin(narrow.post)).expect("a variable is incremented");
        let evolution = self.evolution(graph, theta);
        let by_promise = evolution.promises(graph, argument).contains(promise(signed));
        let operand = step_operand(graph, &evolution, increment, argument).filter(|_| by_promise);
        let (op, step) = match operand {
            Some((op, Step::Known(step))) => {
                let step = if signed { step.sext(WIDE) } else { step.zext_or_trunc(WIDE) };
                (op, constant(graph, step, increment))
            }
            Some((op, Step::Unchanged(step))) => {
                let step = self.hoisting.hoist(graph, evolution.invariants(), step);
                let step = self.converted(graph, step, signed, theta.node());
                (op, theta.add_loop_var(graph, step).pre)
            }
            None => {
                let chain = evolution.chain(graph, argument).expect("a variable is a chain");
                let step = chain.step().and_then(|step| step.known()).expect("a count needs a known step");
                (IntBinary::Add, constant(graph, step.sext(WIDE), increment))
            }
        };
        // The wide sum wraps long after the narrow one does. It is a node of its own even if nothing is added, because the truncation is
        // inserted after it.
        let op = Op::IntBinary { op, flags: BinaryFlags::NSW };
        let next = Insert::before(graph, increment).node(op, &[wide.pre, step], &[Type::I64]);
        let next = graph.output(next, 0);
        graph.divert(wide.post, next);
        let twin = Twin { theta, signed, narrow, increment, wide, next };
        self.wide.insert((argument, signed), twin);
        self.made.push(twin);
        twin
    }

    /// Computes a plan before a node; at most `DEPTH` calls deep, for each of at most `MAX_NESTING` loops.
    fn build(&mut self, graph: &mut Graph, plan: &Plan, signed: bool, before: Node) -> Origin {
        let region = graph.region_of(before);
        match *plan {
            Plan::Constant(value) => constant(graph, value, before),
            Plan::Variable(argument) => {
                let wide = self.twin(graph, argument, signed).wide.pre;
                self.router.route(graph, wide, region)
            }
            Plan::Increment(argument) => {
                let next = self.twin(graph, argument, signed).next;
                self.router.route(graph, next, region)
            }
            Plan::Wide(wide) => self.router.route(graph, wide, region),
            Plan::Converted(origin) => convert(graph, origin, signed, before),
            Plan::Sum(op, ref operands) => {
                let inputs = [&operands[0], &operands[1]].map(|operand| self.build(graph, operand, signed, before));
                Insert::before(graph, before).binary_with(op, promise(signed), inputs[0], inputs[1])
            }
        }
    }

    /// A value in the wide type before a node: from a twin, or converted.
    fn converted(&mut self, graph: &mut Graph, origin: Origin, signed: bool, before: Node) -> Origin {
        let plan = if self.nesting < MAX_NESTING { self.plan(graph, origin, signed, 0) } else { None };
        self.nesting += 1;
        let value = match plan {
            Some(plan) => self.build(graph, &plan, signed, before),
            None => convert(graph, origin, signed, before),
        };
        self.nesting -= 1;
        value
    }

    /// Redirects users of a narrow variable to its twin.
    fn replace_narrow(&mut self, graph: &mut Graph, index: usize) {
        let twin = self.made[index];
        let (body, increment) = (twin.theta.body(graph), twin.increment);
        if !graph.is_live(increment) {
            return;
        }
        let narrow_next = graph.output(increment, 0);
        let behind = graph.producer(twin.next).expect("the next value is a sum");
        // A debugger reads only the bits that the variable has.
        for (narrow, wide) in
            [(twin.narrow.pre, twin.wide.pre), (narrow_next, twin.next), (twin.narrow.output, twin.wide.output)]
        {
            graph.note_same(narrow, wide);
        }
        for (narrow, wide, behind) in [(twin.narrow.pre, twin.wide.pre, None), (narrow_next, twin.next, Some(behind))] {
            let users: Vec<_> = graph.users_of(narrow).collect();
            for user in users {
                if let Use::Input(node, index) = graph.site(user)
                    && graph.is_live(node)
                {
                    self.compare_wide(graph, twin, node, index as usize, wide);
                }
            }
            let rest: Vec<_> = graph
                .users_of(narrow)
                .filter(|&user| match graph.site(user) {
                    Use::Input(node, _) => node != increment,
                    Use::Result(_, index) => index as usize != twin.narrow.index + 1,
                })
                .collect();
            if !rest.is_empty() {
                let low = truncate(graph, wide, twin.signed, graph.ty(narrow), body, behind);
                self.narrowed.insert(low, (wide, twin.signed));
                rest.into_iter().for_each(|user| graph.divert(user, low));
            }
        }
        let output = twin.narrow.output;
        if graph.has_users(output) {
            let users: Vec<_> = graph.users_of(output).collect();
            let outside = graph.region_of(twin.theta.node());
            let after = Some(twin.theta.node());
            let low = truncate(graph, twin.wide.output, twin.signed, graph.ty(output), outside, after);
            self.narrowed.insert(low, (twin.wide.output, twin.signed));
            users.into_iter().for_each(|user| graph.divert(user, low));
        }
    }

    /// Replaces a comparison, or a `match`, of a narrow value by one of the wide value.
    fn compare_wide(&mut self, graph: &mut Graph, twin: Twin, node: Node, index: usize, wide: Origin) -> Option<()> {
        let (op, ty) = match graph.op(node)? {
            Op::ICmp { predicate, .. } => {
                let agrees = match predicate {
                    IntPredicate::Eq | IntPredicate::Ne => true,
                    IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => twin.signed,
                    IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => !twin.signed,
                };
                if !agrees && !seeded::is_active(Bug::IvsComparison) {
                    return None;
                }
                (Op::ICmp { predicate, same_sign: false }, graph.ty(graph.output(node, 0)))
            }
            Op::Match(table) => {
                let pool = graph.pool().clone();
                let table = pool.table(table);
                let cases = table.cases.iter().map(|&(value, chosen)| {
                    let value = Int::of_const(&pool, value)?;
                    let value = if twin.signed { value.sext(WIDE) } else { value.zext_or_trunc(WIDE) };
                    Some((value.to_const(&pool), chosen))
                });
                let cases = cases.collect::<Option<Box<[(Const, u32)]>>>()?;
                let table = MatchTable { cases, default: table.default, alternatives: table.alternatives };
                (Op::Match(pool.intern_table(table)), graph.ty(graph.output(node, 0)))
            }
            _ => return None,
        };
        let mut inputs = vec![wide];
        if graph.inputs(node).len() == 2 {
            let other = graph.input(node, 1 - index);
            let known = known_constant(graph, other).and_then(|value| Int::of_const(graph.pool(), value));
            let other = if let Some(value) = known {
                let value = if twin.signed { value.sext(WIDE) } else { value.zext_or_trunc(WIDE) };
                constant(graph, value, node)
            } else {
                let evolution = self.evolution(graph, twin.theta);
                if !evolution.invariants().is_available(graph, other) {
                    return None;
                }
                let outer = self.hoisting.hoist(graph, evolution.invariants(), other);
                let outer = self.converted(graph, outer, twin.signed, twin.theta.node());
                twin.theta.add_loop_var(graph, outer).pre
            };
            inputs.insert(1 - index, other);
        }
        // It does not keep the source of the original, which compares another type.
        let new = Insert::before(graph, node).node(op, &inputs, &[ty]);
        let (from, to) = (graph.output(node, 0), graph.output(new, 0));
        graph.divert_users(from, to);
        graph.remove(node);
        Some(())
    }
}

/// Whether a value is used only by conversions, directly or through operations on it.
fn is_converted(graph: &Graph, origin: Origin, signed: bool) -> bool {
    graph.users_of(origin).all(|user| match graph.site(user) {
        Use::Input(node, _) => extension(graph, node) == Some(signed) || moved_through(graph, node, signed).is_some(),
        Use::Result(..) => false,
    })
}

/// The operation of a non-wrapping sum, product or shift, for which converting the result equals converting the operands.
fn moved_through(graph: &Graph, node: Node, signed: bool) -> Option<IntBinary> {
    let Some(Op::IntBinary { op, flags }) = graph.op(node) else { return None };
    let fits = match op {
        IntBinary::Add | IntBinary::Sub | IntBinary::Mul => true,
        // The shift amount is less than the width, and is the same in the wide type.
        IntBinary::Shl => {
            let by = known_constant(graph, graph.input(node, 1)).and_then(|by| Int::of_const(graph.pool(), by));
            by.is_some_and(|by| by.unsigned() < u128::from(by.bits()))
        }
        _ => false,
    };
    (fits && flags.contains(promise(signed))).then_some(op)
}

/// The flag of an operation that does not wrap.
fn promise(signed: bool) -> BinaryFlags {
    if signed { BinaryFlags::NSW } else { BinaryFlags::NUW }
}

/// The step of a variable.
enum Step {
    Known(Int),
    Unchanged(Origin),
}

/// The operand that is added to a variable, or subtracted from it.
fn step_operand(graph: &Graph, evolution: &Evolution, increment: Node, argument: Origin) -> Option<(IntBinary, Step)> {
    let Some(Op::IntBinary { op, .. }) = graph.op(increment) else { return None };
    let (a, b) = (graph.input(increment, 0), graph.input(increment, 1));
    let step = match op {
        IntBinary::Add | IntBinary::Sub if a == argument => b,
        IntBinary::Add if b == argument => a,
        _ => return None,
    };
    if let Some(value) = known_constant(graph, step) {
        return Some((op, Step::Known(Int::of_const(graph.pool(), value)?)));
    }
    evolution.invariants().is_available(graph, step).then_some((op, Step::Unchanged(step)))
}

/// Whether a loop ends before its variable wraps.
fn stays_in_range(graph: &Graph, evolution: &Evolution, variable: LoopVar, signed: bool) -> bool {
    let fact = || {
        let start = known_constant(graph, graph.origin(variable.input))?;
        let start = Int::of_const(graph.pool(), start)?;
        let step = evolution.chain(graph, variable.pre)?.step()?.known()?.signed();
        let bits = start.bits();
        let (first, least, greatest) = if signed {
            (start.signed(), -(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (start.unsigned() as i128, 0, arith::mask(bits) as i128)
        };
        let repetitions = evolution.repetitions(graph, None);
        let known = repetitions.and_then(|repetitions| repetitions.known_iterations(graph, evolution.theta()));
        if let Some(iterations) = known {
            let iterations = i128::try_from(iterations).ok()?;
            // The value after the last iteration matters if something uses it.
            let next = graph.origin(variable.post);
            let is_used = graph.has_users(variable.output) || !graph.has_one_user(next);
            let count = iterations - i128::from(!is_used || seeded::is_active(Bug::IvsLastStep));
            let end = step.checked_mul(count)?.checked_add(first)?;
            return Some((least..=greatest).contains(&end));
        }
        // A value that is less than another is not the maximum, so incrementing it by one does not wrap.
        Some(step == 1 && first < greatest && continues_below(graph, evolution.theta(), variable, signed))
    };
    fact().unwrap_or(false)
}

/// Whether a loop continues only if the next value of a variable is less than another value, which need not be the same each time.
fn continues_below(graph: &Graph, theta: Theta, variable: LoopVar, signed: bool) -> bool {
    let (next, predicate) = (graph.origin(variable.post), graph.origin(theta.predicate(graph)));
    let [less, greater] = match signed {
        true => [IntPredicate::Slt, IntPredicate::Sgt],
        false => [IntPredicate::Ult, IntPredicate::Ugt],
    };
    let is_next = |value| follow_out(graph, value).0 == next;
    let holds = |(relation, left, right)| relation == less && is_next(left) || relation == greater && is_next(right);
    conditions::relations(graph, predicate, REPEAT).into_iter().any(holds)
}

/// A wide integer constant before a node.
fn constant(graph: &mut Graph, value: Int, before: Node) -> Origin {
    let constant = value.to_const(graph.pool());
    Insert::before(graph, before).constant(constant)
}

/// A value converted before a node.
pub(super) fn convert(graph: &mut Graph, origin: Origin, signed: bool, before: Node) -> Origin {
    if let Some(value) = known_constant(graph, origin).and_then(|value| Int::of_const(graph.pool(), value)) {
        let value = if signed { value.sext(WIDE) } else { value.zext_or_trunc(WIDE) };
        return constant(graph, value, before);
    }
    let op = if signed { CastOp::SExt } else { CastOp::ZExt };
    Insert::before(graph, before).cast(op, origin, Type::I64)
}

/// The low bits of a wide value, or poison, inserted in its region after a node or at the start.
pub(super) fn truncate(
    graph: &mut Graph,
    wide: Origin,
    signed: bool,
    ty: Type,
    region: Region,
    after: Option<Node>,
) -> Origin {
    let mut at = match after {
        Some(node) => Insert::after(graph, node),
        None => Insert::front(graph, region),
    };
    let flags = CastFlags { wrap: promise(signed), ..CastFlags::default() };
    at.add(Op::Cast { op: CastOp::Trunc, flags }, &[wide], ty)
}
