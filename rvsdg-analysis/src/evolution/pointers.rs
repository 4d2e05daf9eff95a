//! Loops that count with addresses, as those over iterators do.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{GepFlags, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, TypeKind};

use super::{DEPTH, Evolution};
use crate::memory::{base_and_distance, gep_distance};
use crate::seeded::{self, Bug};

/// The minimum number of bits of an address.
const MIN_BITS: u32 = 16;

/// Whether a compared address is poison if it is not in bounds of its object, so that it cannot wrap: all steps by which it is computed,
/// in the body and in the variable, are `inbounds`.
pub(super) fn stays_in_bounds(graph: &Graph, evolution: &Evolution, compared: Origin) -> bool {
    let leads_in_bounds = |from: Origin| {
        let mut at = from;
        for _ in 0..DEPTH {
            if Theta::loop_var_of_argument(graph, at).is_some() || evolution.invariants().is_available(graph, at) {
                return Some(at);
            }
            let node = graph.producer(at)?;
            let Some(Op::Gep { flags, .. }) = graph.op(node) else { return None };
            if !flags.contains(GepFlags::INBOUNDS) && !seeded::is_active(Bug::UrlBounds) {
                return None;
            }
            at = graph.input(node, 0);
        }
        None
    };
    let Some(base) = leads_in_bounds(compared) else { return false };
    match Theta::loop_var_of_argument(graph, base) {
        Some((of, variable)) if of == evolution.theta() && !variable.is_invariant(graph) => {
            leads_in_bounds(graph.origin(variable.post)) == Some(base)
        }
        _ => base != compared,
    }
}

/// The trip count of a loop that ends when an address equals another: a variable to which the same number of bytes is added in each
/// iteration, and a bound at a known distance from its initial value.
pub fn pointer_iterations(graph: &Graph, theta: Theta, layouts: &mut Layouts) -> Option<u64> {
    let comparison = ends_where_equal(graph, theta)?;
    let sides = [graph.input(comparison, 0), graph.input(comparison, 1)];
    let TypeKind::Ptr(space) = *graph.pool().type_kind(graph.ty(sides[0])) else { return None };
    let pointer = layouts.data().pointer(space);
    if pointer.index_bits < MIN_BITS || pointer.is_unstable || pointer.has_external_state {
        return None;
    }
    // Below this no two multiples of a step are equal modulo 2^bits.
    let most = 1i64 << (pointer.index_bits - 2).min(62);
    let (step, (start, before), end) = match walk(graph, theta, layouts, sides[0]) {
        Some((step, start)) => (step, start, sides[1]),
        None => {
            let (step, start) = walk(graph, theta, layouts, sides[1])?;
            (step, start, sides[0])
        }
    };
    let (end, after) = base_and_distance(graph, layouts, end)?;
    if start != end {
        return None;
    }
    let way = after.checked_sub(before)?;
    let is_near = way.abs() < most && step != 0 && step.abs() < most;
    if !is_near || way % step != 0 || way / step < 0 {
        return None;
    }
    u64::try_from(way / step).ok()?.checked_add(1)
}

/// The comparison for equality that ends the loop if it holds.
fn ends_where_equal(graph: &Graph, theta: Theta) -> Option<Node> {
    let pool = graph.pool();
    let decision = graph.producer(graph.origin(theta.predicate(graph)))?;
    let Op::Match(table) = graph.op(decision)? else { return None };
    let comparison = graph.producer(graph.input(decision, 0))?;
    let Op::ICmp { predicate, .. } = graph.op(comparison)? else { return None };
    let truth = match predicate {
        IntPredicate::Eq => 1,
        IntPredicate::Ne => 0,
        _ => return None,
    };
    let table = pool.table(table);
    let [equal, different] = [truth, 1 - truth].map(|truth| table.alternative(pool, Int::new(1, truth)));
    ((equal, different) == (0, 1)).then_some(comparison)
}

/// By how many bytes an address of the body moves in each iteration, and its value in the first: a base and a distance from it.
fn walk(graph: &Graph, theta: Theta, layouts: &mut Layouts, compared: Origin) -> Option<(i64, (Origin, i64))> {
    let variable =
        theta.loop_vars(graph).find(|variable| [variable.pre, graph.origin(variable.post)].contains(&compared))?;
    let advance = graph.producer(graph.origin(variable.post))?;
    let step = gep_distance(graph, layouts, advance).filter(|_| graph.input(advance, 0) == variable.pre)?;
    let (base, distance) = base_and_distance(graph, layouts, graph.origin(variable.input))?;
    let first = if compared == variable.pre { distance } else { distance.checked_add(step)? };
    Some((step, (base, first)))
}

#[cfg(test)]
mod tests {
    use rvsdg_core::layout::DataLayout;

    use super::*;
    use crate::evolution::Relation;
    use crate::tests::Example;

    /// A loop over bytes: where it starts and ends, its step, and how it decides.
    struct Walk<'t> {
        start: i64,
        end: i64,
        step: i64,
        base: &'t str,
        comparison: &'t str,
        cases: &'t str,
        next: &'t str,
        advanced: &'t str,
        space: &'t str,
        flags: &'t str,
    }

    const UP: Walk<'_> = Walk {
        start: 0,
        end: 8,
        step: 1,
        base: "v0",
        comparison: "eq v11, v9",
        cases: "true -> 0, _ -> 1",
        next: "v11",
        advanced: "v8",
        space: "",
        flags: "",
    };

    impl Walk<'_> {
        fn iterations(&self, layout: &str) -> Option<u64> {
            self.look(layout, pointer_iterations)
        }

        /// The relation and the step by which it is repeated, and whether it surely meets what it is compared with.
        fn repetitions(&self) -> Option<(Relation, i128, bool)> {
            self.look("", |graph, theta, layouts| {
                let found = Evolution::of(graph, theta).repetitions(graph, Some(layouts.data()))?;
                Some((found.relation, found.step, found.meets))
            })
        }

        fn look<T>(&self, layout: &str, ask: impl Fn(&Graph, Theta, &mut Layouts) -> T) -> T {
            let Walk { start, end, step, base, comparison, cases, next, advanced, space, flags } = self;
            let example = Example::of(&format!(
                "module \"test\"
                 @f = function ptr{space} (ptr{space}, ptr{space})
                 export @f
                 lambda @f [] (v0: ptr{space}, v1: ptr{space}, mem0, io0) {{
                   v2 = const i64 {start}
                   v3: ptr{space} = getelementptr i8, v0, v2
                   v4 = const i64 {end}
                   v5: ptr{space} = getelementptr i8, {base}, v4
                   v6: ptr{space}, v7: ptr{space} = theta (v8: ptr{space} = v3, v9: ptr{space} = v5) {{
                     v10 = const i64 {step}
                     v11: ptr{space} = getelementptr {flags} i8, {advanced}, v10
                     v12: i1 = icmp {comparison}
                     v13: ctl(2) = match i1 v12 [{cases}] of 2
                     next {next}, v9 while v13
                   }}
                   yield v6, mem0, io0
                 }}"
            ));
            let graph = example.graph();
            let theta = example.nodes().into_iter().find_map(|node| Theta::new(graph, node)).expect("a loop");
            ask(graph, theta, &mut Layouts::new(DataLayout::parse(layout).expect("a layout")))
        }

        /// The iteration in which the address is the bound, that before the step or that after it.
        fn run(&self, before_the_step: bool) -> Option<u64> {
            let first = if before_the_step { self.start } else { self.start + self.step };
            (0..100).find(|&at| first + at * self.step == self.end).map(|at| at as u64 + 1)
        }
    }

    #[test]
    fn iterations_are_those_of_loops_that_run() {
        for (before_the_step, left) in [(true, "v8"), (false, "v11")] {
            for comparison in [format!("eq {left}, v9"), format!("eq v9, {left}")] {
                for (start, end) in (-3..=3).flat_map(|start| (-3..=6).map(move |end| (start, end))) {
                    for step in [-3, -2, -1, 1, 2, 3] {
                        let walk = Walk { start, end, step, comparison: &comparison, ..UP };
                        let known = walk.iterations("");
                        assert_eq!(known, walk.run(before_the_step), "{start} {end} {step} {comparison}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_loop_ends_where_the_addresses_are_equal() {
        let of = |predicate, cases| {
            let comparison = format!("{predicate} v11, v9");
            Walk { comparison: &comparison, cases, ..UP }.iterations("")
        };
        assert_eq!(of("eq", "true -> 0, _ -> 1"), Some(8));
        assert_eq!(of("ne", "true -> 1, _ -> 0"), Some(8));
        assert_eq!(of("ne", "false -> 0, _ -> 1"), Some(8));
        for (predicate, cases) in [
            ("eq", "true -> 1, _ -> 0"),
            ("ne", "true -> 0, _ -> 1"),
            ("eq", "true -> 0, _ -> 0"),
            ("eq", "true -> 1, _ -> 1"),
            ("ult", "true -> 1, _ -> 0"),
            ("ult", "true -> 0, _ -> 1"),
        ] {
            assert_eq!(of(predicate, cases), None, "{predicate} {cases}");
        }
    }

    #[test]
    fn addresses_in_bounds_meet_what_they_are_compared_with() {
        let until =
            |flags, comparison, cases, step| Walk { flags, comparison, cases, step, base: "v1", ..UP }.repetitions();
        let (bounds, until_equal) = ("inbounds nusw", "true -> 0, _ -> 1");
        let differs = |step: i64, meets| Some((Relation::Differs, i128::from(step), meets));
        for step in [3i64, -2] {
            assert_eq!(until(bounds, "eq v11, v9", until_equal, step), differs(step, true));
            assert_eq!(until(bounds, "eq v9, v8", until_equal, step), differs(step, true));
            assert_eq!(until("", "eq v11, v9", until_equal, step), differs(step, false));
            assert_eq!(until("nusw", "eq v11, v9", until_equal, step), differs(step, false));
        }
        let while_before = "true -> 1, _ -> 0";
        let before = Relation::Before { signed: false, or_equal: false };
        assert_eq!(until(bounds, "ult v11, v9", while_before, 3), Some((before, 3, true)));
        assert_eq!(until(bounds, "ult v9, v11", while_before, -3), Some((before, -3, true)));
        // What may wrap may be before the bound for ever, unless it goes by bytes.
        assert_eq!(until("", "ult v11, v9", while_before, 3), None);
        assert_eq!(until("", "ult v11, v9", while_before, 1), Some((before, 1, false)));
        assert_eq!(until(bounds, "slt v11, v9", while_before, 3), None);
        assert_eq!(until(bounds, "ult v11, v9", while_before, -3), None);
        // Two addresses that move.
        let both = Walk { flags: bounds, comparison: "eq v11, v8", ..UP };
        assert_eq!(both.repetitions(), None);
    }

    #[test]
    fn bases_and_steps_that_are_not_known() {
        assert_eq!(UP.iterations(""), Some(8));
        assert_eq!(Walk { base: "v1", ..UP }.iterations(""), None);
        assert_eq!(Walk { step: 0, ..UP }.iterations(""), None);
        // Another address than that of the iteration before goes on, or is compared.
        assert_eq!(Walk { advanced: "v9", ..UP }.iterations(""), None);
        assert_eq!(Walk { next: "v9", ..UP }.iterations(""), None);
        assert_eq!(Walk { next: "v9", comparison: "eq v8, v9", ..UP }.iterations(""), None);
    }

    #[test]
    fn distances_are_no_farther_than_addresses_tell_apart() {
        for (layout, beyond) in [("p:16:16", 1 << 14), ("p:32:32", 1 << 30), ("", 1 << 62)] {
            let most = beyond - 1;
            assert_eq!(Walk { end: most, ..UP }.iterations(layout), Some(most as u64));
            assert_eq!(Walk { start: most, end: 0, step: -1, ..UP }.iterations(layout), Some(most as u64));
            assert_eq!(Walk { end: most, step: most, ..UP }.iterations(layout), Some(1));
            assert_eq!(Walk { start: 1, end: beyond + 2, ..UP }.iterations(layout), None);
            assert_eq!(Walk { start: beyond, end: -1, step: -1, ..UP }.iterations(layout), None);
            let far = Walk { end: beyond, step: beyond, comparison: "eq v8, v9", ..UP };
            assert_eq!(far.iterations(layout), None);
            let far = Walk { end: 0, ..far };
            assert_eq!(far.iterations(layout), None);
            assert_eq!(Walk { step: most, ..far }.iterations(layout), Some(1));
        }
    }

    #[test]
    fn addresses_that_are_more_than_numbers_are_not_counted() {
        for (layout, expected) in [("p:16:16", Some(8)), ("p:8:8", None), ("p1:64:64", Some(8))] {
            assert_eq!(UP.iterations(layout), expected, "{layout}");
        }
        let in_space = |layout| Walk { space: " addrspace(1)", ..UP }.iterations(layout);
        for (layout, expected) in [("", Some(8)), ("p1:8:8", None), ("pu1:64:64", None), ("pe1:64:64", None)] {
            assert_eq!(in_space(layout), expected, "{layout}");
        }
    }
}
