//! Exit conditions that hold until a counter equals its bound.
//!
//! If a loop continues only while x < n, each iteration adds 1 to x, and x ≤ n in the first one, then x ≤ n wherever the two are
//! compared, and x < n says no more than x ≠ n: x does not wrap on its way, and never passes n. Both must be numbers that are the same
//! at each use, so neither may be undef. As LLVM's linear function test replacement.

use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{CastOp, IntBinary, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin};
use smallvec::SmallVec;

use super::repetitions::at_start;
use super::{Chain, Evolution, Linear, MAX_BITS, in_body, step_if_repeated};
use crate::arc::Arc;
use crate::conditions::{self, REPEAT};
use crate::invariant::{follow_out, known_constant};
use crate::surroundings::Surroundings;
use crate::undef::is_not_undef;

/// A comparison in a loop that has the same result as one for (in)equality of its operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Approach {
    /// The comparison: which of two numbers is less.
    pub comparison: Node,
    /// `ne` if the loop continues only if the comparison holds, `eq` if it continues only if it does not.
    pub predicate: IntPredicate,
}

/// How a counter moves towards a bound: by one.
#[derive(Copy, Clone)]
struct Course {
    /// Its relation to the bound as long as it has not reached it.
    before: IntPredicate,
    /// Its relation to the bound until it passes it.
    until: IntPredicate,
    step: i128,
    signed: bool,
}

impl Course {
    fn of(before: IntPredicate) -> Option<Course> {
        let (until, step, signed) = match before {
            IntPredicate::Slt => (IntPredicate::Sle, 1, true),
            IntPredicate::Ult => (IntPredicate::Ule, 1, false),
            IntPredicate::Sgt => (IntPredicate::Sge, -1, true),
            IntPredicate::Ugt => (IntPredicate::Uge, -1, false),
            IntPredicate::Sle | IntPredicate::Ule | IntPredicate::Sge | IntPredicate::Uge => return None,
            IntPredicate::Eq | IntPredicate::Ne => return None,
        };
        Some(Course { before, until, step, signed })
    }
}

impl Evolution {
    /// The comparisons that hold until a counter equals its bound, and that the loop continues only as long as they do.
    pub fn approaches(&self, graph: &Graph, surroundings: Option<&Surroundings>) -> SmallVec<[Approach; 2]> {
        let approach = |(condition, truth): (Origin, bool)| {
            let comparison = graph.producer(condition)?;
            let Some(Op::ICmp { predicate, .. }) = graph.op(comparison) else { return None };
            let holds = if truth { predicate } else { arith::inverse(predicate) };
            let (a, b) = (graph.input(comparison, 0), graph.input(comparison, 1));
            let is_defined = || [a, b].iter().all(|&operand| is_not_undef(graph, surroundings, operand));
            let found = [(holds, a, b), (arith::swapped(holds), b, a)]
                .into_iter()
                .any(|relation| self.reaches(graph, surroundings, relation));
            let predicate = if truth { IntPredicate::Ne } else { IntPredicate::Eq };
            (found && is_defined()).then_some(Approach { comparison, predicate })
        };
        let continues = conditions::truths(graph, graph.origin(self.theta.predicate(graph)), REPEAT);
        let mut found: SmallVec<[Approach; 2]> = SmallVec::new();
        for approach in continues.into_iter().filter_map(approach) {
            if !found.contains(&approach) {
                found.push(approach);
            }
        }
        found
    }

    /// Whether a counter that moves by one is not beyond a bound in the first iteration; it is in the relation to the bound in every
    /// iteration that another one follows.
    fn reaches(
        &self,
        graph: &Graph,
        surroundings: Option<&Surroundings>,
        (relation, counter, bound): (IntPredicate, Origin, Origin),
    ) -> bool {
        let fact = || {
            let course = Course::of(relation)?;
            let bits = arith::width(graph.pool(), graph.ty(bound))?;
            let (bound, is_outside) = follow_out(graph, bound);
            let known = fold::int(graph, bound);
            if known.is_none() && !is_outside {
                return None;
            }
            // The low bits of a sum are the low bits of the sum of low bits.
            let counter = self.wide(graph, counter);
            let line = |chain: Chain| Some((chain.step()?.known()?.signed(), chain.start().clone()));
            let line = self
                .chain(graph, counter)
                .and_then(line)
                .or_else(|| self.line_if_repeated(graph, surroundings?, counter));
            let (_, first) = line.filter(|&(step, _)| step == course.step)?;
            match at_start(graph, self.theta, &first) {
                Some(first) => Some(self.begins_at(graph, first.zext_or_trunc(bits), course, (bound, known))),
                None => self.begins_with(graph, &first, bits, course, (bound, known)),
            }
        };
        fact().unwrap_or(false)
    }

    /// The value of the body that another one is, or of which it is the low bits.
    fn wide(&self, graph: &Graph, value: Origin) -> Origin {
        let body = self.theta.body(graph);
        let value = in_body(graph, body, value);
        match graph.producer(value).map(|node| (node, graph.op(node))) {
            Some((node, Some(Op::Cast { op: CastOp::Trunc, .. }))) => in_body(graph, body, graph.input(node, 0)),
            Some(_) | None => value,
        }
    }

    /// The step and the first value of a variable that is not a chain only because it changes in another way where the loop ends, or of the
    /// sum of it and a number.
    fn line_if_repeated(&self, graph: &Graph, around: &Surroundings, value: Origin) -> Option<(i128, Linear)> {
        let bits = arith::width(graph.pool(), graph.ty(value)).filter(|&bits| bits <= MAX_BITS)?;
        let (argument, added) = match graph.producer(value).map(|node| (node, graph.op(node))) {
            Some((node, Some(Op::IntBinary { op: IntBinary::Add, .. }))) => {
                let added = Int::of_const(graph.pool(), known_constant(graph, graph.input(node, 1))?)?;
                (in_body(graph, self.theta.body(graph), graph.input(node, 0)), added)
            }
            Some(_) => return None,
            None => (value, Int::new(bits, 0)),
        };
        let (_, variable) = Theta::loop_var_of_argument(graph, argument)?;
        let mut layouts = Layouts::new(around.data_layout()?.clone());
        let step = step_if_repeated(graph, &mut layouts, self.theta, variable)?;
        Some((i128::from(step.by), Linear::of(argument, bits).plus(&Linear::constant(added))))
    }

    /// Whether a number is not beyond a bound that is outside the loop.
    fn begins_at(&self, graph: &Graph, first: Int, course: Course, (bound, known): (Origin, Option<Int>)) -> bool {
        if let Some(bound) = known {
            return first.compare(course.until, bound);
        }
        let here = graph.region_of(self.theta.node());
        let is_within = |value, first| {
            let wanted = Arc::of(arith::swapped(course.until), first);
            wanted.and_then(|wanted| conditions::is_among(graph, here, value, wanted)) == Some(true)
        };
        let of_narrow = || {
            let (narrow, bits) = extended(graph, bound, course.signed)?;
            let low = first.zext_or_trunc(bits);
            let is_same =
                if course.signed { low.sext(first.bits()) == first } else { low.zext_or_trunc(first.bits()) == first };
            Some(is_same && is_within(narrow, low))
        };
        is_within(bound, first) || of_narrow() == Some(true)
    }

    /// Whether the low bits of a value outside the loop, or of the sum of it and one step, are not beyond a bound there.
    fn begins_with(
        &self,
        graph: &Graph,
        first: &Linear,
        bits: u32,
        course: Course,
        (bound, known): (Origin, Option<Int>),
    ) -> Option<bool> {
        let &[(argument, factor)] = first.terms() else { return None };
        let (_, variable) = Theta::loop_var_of_argument(graph, argument).filter(|_| factor.is_one())?;
        let relation = match first.offset().signed() {
            0 => course.until,
            offset if offset == course.step => course.before,
            _ => return None,
        };
        let start = low_bits(graph, follow_out(graph, graph.origin(variable.input)).0, bits)?;
        let here = graph.region_of(self.theta.node());
        if let Some(bound) = known {
            return Some(conditions::is_among(graph, here, start, Arc::of(relation, bound)?) == Some(true));
        }
        let holds = |start, bound| conditions::compared(graph, here, (relation, start, bound)) == Some(true);
        let of_narrow = || {
            let ((start, bits), (bound, same)) =
                (extended(graph, start, course.signed)?, extended(graph, bound, course.signed)?);
            Some(bits == same && holds(start, bound))
        };
        Some(holds(start, bound) || of_narrow() == Some(true))
    }
}

/// The value of which another one is the sign or zero extension, and its width.
fn extended(graph: &Graph, origin: Origin, signed: bool) -> Option<(Origin, u32)> {
    let node = graph.producer(origin)?;
    match (graph.op(node)?, signed) {
        (Op::Cast { op: CastOp::SExt, .. }, true) | (Op::Cast { op: CastOp::ZExt, .. }, false) => {}
        _ => return None,
    }
    let narrow = follow_out(graph, graph.input(node, 0)).0;
    Some((narrow, arith::width(graph.pool(), graph.ty(narrow))?))
}

/// The value of a width that is the low bits of another one.
fn low_bits(graph: &Graph, origin: Origin, bits: u32) -> Option<Origin> {
    let has_width = |origin| arith::width(graph.pool(), graph.ty(origin)) == Some(bits);
    if has_width(origin) {
        return Some(origin);
    }
    [true, false]
        .into_iter()
        .find_map(|signed| Some(extended(graph, origin, signed)?.0))
        .filter(|&narrow| has_width(narrow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::loops_bottom_up;
    use crate::tests::Example;

    /// A loop in an alternative of a conditional. The two integers that are never undef are `v0` and `v1`, `v2` may be.
    struct Case<'a> {
        /// What is computed before.
        before: &'a str,
        /// The condition of the conditional.
        guard: &'a str,
        /// The type of the counter, its start, and what is added to it.
        counter: (&'a str, &'a str, i64),
        /// The type of the bound, and the bound.
        bound: (&'a str, &'a str),
        /// What decides whether the loop continues (`v40`): `v20` is the counter, `v24` its next value, `v21` the bound, `v22` any condition.
        decision: &'a str,
        /// The next values of the counter and of the bound.
        after: &'a str,
        next: &'a str,
    }

    const LESS: &str = "v30: i1 = icmp slt v24, v21\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]";

    const CASE: Case<'static> = Case {
        before: "",
        guard: "icmp slt v0, v1",
        counter: ("i32", "v0", 1),
        bound: ("i32", "v1"),
        decision: LESS,
        after: "v24",
        next: "v21",
    };

    impl Case<'_> {
        /// The predicates of the comparisons that are found.
        fn found(&self) -> Vec<&'static str> {
            let Case { before, guard, counter: (counter, start, step), bound: (bound, limit), decision, after, next } =
                self;
            let example = Example::of(&format!(
                "module \"test\"
                 @f = function void (i32, i32, i32, i1), #0
                 export @f
                 attributes #0 = function {{}} result {{}} params ({{ noundef }}, {{ noundef }}, {{}}, {{ noundef }})
                 lambda @f [] (v0: i32, v1: i32, v2: i32, v3: i1, mem0, io0) {{
                   {before}
                   v7: i1 = {guard}
                   v8: ctl(2) = match i1 v7 [true -> 1, _ -> 0]
                   gamma v8 ({start}, {limit}, v3)
                   case 0 (v9: {counter}, v10: {bound}, v11: i1) {{
                     yield
                   }}
                   case 1 (v12: {counter}, v13: {bound}, v14: i1) {{
                     v15: {counter}, v16: {bound}, v17: i1 = theta (v20: {counter} = v12, v21: {bound} = v13, v22: i1 = v14) {{
                       v23 = const {counter} {step}
                       v24: {counter} = add v20, v23
                       {decision}
                       next {after}, {next}, v22 while v40
                     }}
                     yield
                   }}
                   yield mem0, io0
                 }}"
            ));
            let graph = example.graph();
            let theta = loops_bottom_up(graph)[0];
            let found = Evolution::of(graph, theta).approaches(graph, example.surroundings());
            found.into_iter().map(|approach| approach.predicate.name()).collect()
        }
    }

    /// What decides by a comparison.
    fn comparing(case: Case<'_>, comparison: &str, expected: &[&str]) {
        let decision = format!("v30: i1 = icmp {comparison}\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]");
        let found = Case { decision: &decision, ..case }.found();
        assert_eq!(found, expected, "{comparison} after {}", case.guard);
    }

    #[test]
    fn counters_that_begin_before_their_bound() {
        for (guard, comparison, step, expected) in [
            ("icmp slt v0, v1", "slt v24, v21", 1, &["ne"][..]),
            ("icmp slt v0, v1", "sgt v21, v24", 1, &["ne"]),
            ("icmp slt v0, v1", "slt v20, v21", 1, &["ne"]),
            ("icmp sle v0, v1", "slt v20, v21", 1, &["ne"]),
            ("icmp ult v0, v1", "ult v24, v21", 1, &["ne"]),
            ("icmp ule v0, v1", "ult v20, v21", 1, &["ne"]),
            ("icmp sgt v0, v1", "sgt v24, v21", -1, &["ne"]),
            ("icmp sge v0, v1", "sgt v20, v21", -1, &["ne"]),
            ("icmp ugt v0, v1", "ugt v24, v21", -1, &["ne"]),
            ("icmp uge v0, v1", "ugt v20, v21", -1, &["ne"]),
            // The first value that is compared may be beyond the bound.
            ("icmp sle v0, v1", "slt v24, v21", 1, &[]),
            ("icmp ule v0, v1", "ult v24, v21", 1, &[]),
            ("icmp sge v0, v1", "sgt v24, v21", -1, &[]),
            ("icmp uge v0, v1", "ugt v24, v21", -1, &[]),
            ("icmp ult v0, v1", "slt v24, v21", 1, &[]),
            ("icmp slt v0, v1", "ult v24, v21", 1, &[]),
            ("icmp ne v0, v1", "slt v24, v21", 1, &[]),
            ("icmp eq v2, v2", "slt v20, v21", 1, &[]),
            // It is passed by, or not approached.
            ("icmp slt v0, v1", "slt v24, v21", 2, &[]),
            ("icmp slt v0, v1", "slt v24, v21", -1, &[]),
            ("icmp sgt v0, v1", "sgt v24, v21", 1, &[]),
            // The loop continues when both are equal, or is about equality already.
            ("icmp slt v0, v1", "sle v24, v21", 1, &[]),
            ("icmp slt v0, v1", "ule v24, v21", 1, &[]),
            ("icmp sgt v0, v1", "sge v24, v21", -1, &[]),
            ("icmp ugt v0, v1", "uge v24, v21", -1, &[]),
            ("icmp slt v0, v1", "ne v24, v21", 1, &[]),
        ] {
            comparing(Case { guard, counter: ("i32", "v0", step), ..CASE }, comparison, expected);
        }
    }

    #[test]
    fn numbers() {
        let zero = "v4 = const i32 0\nv5 = const i32 9";
        for (guard, (start, bound), comparison, expected) in [
            ("icmp sgt v1, v4", ("v4", "v1"), "slt v24, v21", &["ne"][..]),
            ("icmp sge v1, v4", ("v4", "v1"), "slt v20, v21", &["ne"]),
            ("icmp sge v1, v4", ("v4", "v1"), "slt v24, v21", &[]),
            ("icmp slt v0, v5", ("v0", "v5"), "slt v24, v21", &["ne"]),
            ("icmp sle v0, v5", ("v0", "v5"), "slt v20, v21", &["ne"]),
            ("icmp sle v0, v5", ("v0", "v5"), "slt v24, v21", &[]),
            ("icmp sgt v1, v4", ("v4", "v5"), "slt v24, v21", &["ne"]),
            ("icmp sgt v1, v4", ("v5", "v4"), "slt v24, v21", &[]),
        ] {
            let case = Case { before: zero, guard, counter: ("i32", start, 1), bound: ("i32", bound), ..CASE };
            comparing(case, comparison, expected);
        }
    }

    #[test]
    fn other_sums() {
        for (guard, step, sum, relation) in [
            ("icmp slt v0, v1", 1, "v25 = const i32 4\nv26: i32 = add v24, v25", "slt"),
            ("icmp sgt v0, v1", 1, "v25 = const i32 0\nv26: i32 = sub v25, v20", "sgt"),
            ("icmp slt v0, v1", 1, "v26: i32 = add v20, v21", "slt"),
        ] {
            let decision =
                format!("{sum}\nv30: i1 = icmp {relation} v26, v21\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]");
            let found = Case { guard, counter: ("i32", "v0", step), decision: &decision, ..CASE }.found();
            assert!(found.is_empty(), "{sum}");
        }
    }

    #[test]
    fn what_may_be_undef_or_changes_is_no_bound() {
        let of =
            |guard, start, bound| Case { guard, counter: ("i32", start, 1), bound: ("i32", bound), ..CASE }.found();
        assert!(of("icmp slt v2, v1", "v2", "v1").is_empty());
        assert!(of("icmp slt v0, v2", "v0", "v2").is_empty());
        assert!(Case { next: "v24", ..CASE }.found().is_empty());
    }

    #[test]
    fn decisions() {
        let exits = "v28: ctl(2) = match i1 v22 [true -> 1, _ -> 0]
                     v40: ctl(2) = gamma v28 (v24, v21)
                     case 0 (v31: i32, v32: i32) {
                       v33: ctl(2) = ctl 0 of 2
                       yield v33
                     }
                     case 1 (v34: i32, v35: i32) {
                       v36: i1 = icmp slt v34, v35
                       v37: ctl(2) = match i1 v36 [true -> 1, _ -> 0]
                       yield v37
                     }";
        let skips = exits.replace("ctl 0 of 2", "ctl 1 of 2");
        let ends = "v30: i1 = icmp sge v24, v21\nv40: ctl(2) = match i1 v30 [true -> 0, _ -> 1]";
        let either = "v28: i1 = icmp slt v24, v21\nv29: i1 = icmp slt v21, v24\nv30: i1 = or v28, v29
                       v40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]";
        let both = "v29: i1 = icmp slt v20, v21\nv30: i1 = icmp slt v24, v21\nv31: i1 = and v29, v30
                    v40: ctl(2) = match i1 v31 [true -> 1, _ -> 0]";
        for (decision, expected) in
            [(exits, &["ne"][..]), (&skips, &[]), (ends, &["eq"]), (either, &[]), (both, &["ne", "ne"])]
        {
            assert_eq!(Case { decision, ..CASE }.found(), expected, "{decision}");
        }
    }

    #[test]
    fn counters_that_the_end_of_the_loop_leaves_alone() {
        let decision = |sum: &str, compared: &str| {
            format!(
                "v28: ctl(2) = match i1 v22 [true -> 1, _ -> 0]
                 v40: ctl(2), v41: i32 = gamma v28 (v20, v21, v24)
                 case 0 (v31: i32, v32: i32, v33: i32) {{
                   v34: ctl(2) = ctl 0 of 2
                   yield v34, v31
                 }}
                 case 1 (v35: i32, v36: i32, v37: i32) {{
                   v42 = const i32 1
                   v43 = const i32 2
                   v44: i32 = add v35, v42
                   v45: i32 = {sum}
                   v38: i1 = icmp slt {compared}, v36
                   v39: ctl(2) = match i1 v38 [true -> 1, _ -> 0]
                   yield v39, v45
                 }}"
            )
        };
        for (sum, compared, expected) in [
            ("add v35, v42", "v35", &["ne"][..]),
            ("add v35, v42", "v37", &["ne"]),
            ("add v35, v42", "v44", &["ne"]),
            ("add v35, v43", "v35", &[]),
            ("add v37, v42", "v35", &[]),
            ("mul v35, v42", "v35", &[]),
        ] {
            let found =
                Case { decision: &decision(sum, compared), counter: ("i32", "v0", 1), after: "v41", ..CASE }.found();
            assert_eq!(found, expected, "{sum} {compared}");
        }
    }

    #[test]
    fn widths() {
        let low = "v29: i32 = trunc v24\nv30: i1 = icmp slt v29, v21\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]";
        let part = "v29: i8 = trunc v24\nv30: i1 = icmp slt v29, v21\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]";
        let unsigned = "v30: i1 = icmp ult v24, v21\nv40: ctl(2) = match i1 v30 [true -> 1, _ -> 0]";
        let (signed, zero) =
            ("v4: i64 = sext v0\nv5: i64 = sext v1", "v4 = const i64 0\nv5: i64 = sext v1\nv6 = const i32 0");
        for (before, guard, (counter, start), (bound, limit), decision, expected) in [
            (signed, "icmp slt v0, v1", ("i64", "v4"), ("i32", "v1"), low, &["ne"][..]),
            ("v4: i64 = zext v0", "icmp slt v0, v1", ("i64", "v4"), ("i32", "v1"), low, &["ne"]),
            ("v4: i8 = trunc v1", "icmp slt v0, v1", ("i32", "v0"), ("i8", "v4"), part, &[]),
            (signed, "icmp slt v0, v1", ("i64", "v4"), ("i64", "v5"), LESS, &["ne"]),
            (signed, "icmp sle v0, v1", ("i64", "v4"), ("i64", "v5"), LESS, &[]),
            (signed, "icmp ult v0, v1", ("i64", "v4"), ("i64", "v5"), unsigned, &[]),
            (
                "v4: i64 = zext v0\nv5: i64 = zext v1",
                "icmp ult v0, v1",
                ("i64", "v4"),
                ("i64", "v5"),
                unsigned,
                &["ne"],
            ),
            ("v4: i64 = zext v0\nv5: i64 = zext v1", "icmp slt v0, v1", ("i64", "v4"), ("i64", "v5"), LESS, &[]),
            (
                "v4: i64 = sext v0\nv6: i16 = trunc v1\nv5: i64 = sext v6",
                "icmp slt v0, v1",
                ("i64", "v4"),
                ("i64", "v5"),
                LESS,
                &[],
            ),
            (zero, "icmp sgt v1, v6", ("i64", "v4"), ("i64", "v5"), LESS, &["ne"]),
            (zero, "icmp sge v1, v6", ("i64", "v4"), ("i64", "v5"), LESS, &[]),
            (
                "v4 = const i64 4294967296\nv5: i64 = sext v1\nv6 = const i32 0",
                "icmp sgt v1, v6",
                ("i64", "v4"),
                ("i64", "v5"),
                LESS,
                &[],
            ),
            (
                "v4 = const i64 4294967296\nv5: i64 = zext v1\nv6 = const i32 0",
                "icmp ugt v1, v6",
                ("i64", "v4"),
                ("i64", "v5"),
                unsigned,
                &[],
            ),
            (
                "v4 = const i64 0\nv5: i64 = zext v1\nv6 = const i32 0",
                "icmp ugt v1, v6",
                ("i64", "v4"),
                ("i64", "v5"),
                unsigned,
                &["ne"],
            ),
        ] {
            let found =
                Case { before, guard, counter: (counter, start, 1), bound: (bound, limit), decision, ..CASE }.found();
            assert_eq!(found, expected, "{before} {guard} {decision}");
        }
    }
}
