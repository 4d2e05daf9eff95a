//! Dependences against loops whose iterations are enumerated, and the accesses of written loops.

use rvsdg_core::text::parse_module;

use super::*;
use crate::evolution::Evolution;
use crate::loop_nest::LoopNests;
use crate::memory::Objects;
use crate::numbering::Numbering;
use crate::surroundings::Surroundings;

/// How many iterations are looked at.
const ITERATIONS: i64 = 12;

/// The distances at which accesses overlap in a loop of some iterations.
fn enumerated(gap: i64, strides: [i64; 2], sizes: [i64; 2]) -> Vec<i64> {
    let mut found = Vec::new();
    for i in 0..ITERATIONS {
        for j in 0..ITERATIONS {
            let (a, b) = (strides[0] * i, gap + strides[1] * j);
            if a < b + sizes[1] && b < a + sizes[0] && !found.contains(&(j - i)) {
                found.push(j - i);
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn distances_are_those_of_loops_that_are_enumerated() {
    let (mut exact, mut independent) = (0, 0);
    for gap in -21..=21 {
        for stride_a in -9..=9 {
            for stride_b in [stride_a, -stride_a, 0, 2, 3, 4, -6, 8] {
                for sizes in [[1, 1], [2, 2], [1, 4], [4, 1], [4, 4], [8, 3], [3, 8]] {
                    let seen = enumerated(gap, [stride_a, stride_b], sizes);
                    let case = format!("gap {gap}, strides {stride_a} {stride_b}, sizes {sizes:?}");
                    match distances(gap, [stride_a, stride_b], sizes) {
                        Dependence::Independent => {
                            assert_eq!(seen, [] as [i64; 0], "{case}");
                            independent += 1;
                        }
                        Dependence::Distances(low, high) => {
                            assert!(low <= high, "{case}");
                            let all: Vec<i64> = (low.max(1 - ITERATIONS)..=high.min(ITERATIONS - 1)).collect();
                            assert_eq!(seen, all, "{case}");
                            exact += 1;
                        }
                        Dependence::Unknown => assert_ne!(stride_a, stride_b, "{case}"),
                    }
                }
            }
        }
    }
    assert!(exact > 5_000 && independent > 5_000, "{exact} exact, {independent} independent");
}

/// In as many iterations at once as [`Dependence::width`] says, each pair of overlapping accesses keeps its order; in more, not.
#[test]
fn the_width_is_the_greatest_that_keeps_the_order() {
    for gap in -21..=21i64 {
        for stride in -9..=9 {
            for sizes in [[1, 1], [2, 2], [1, 4], [4, 4], [8, 3]] {
                let found = distances(gap, [stride, stride], sizes);
                let keeps = |width: i64| {
                    enumerated(gap, [stride, stride], sizes).into_iter().all(|distance| {
                        // The first access of iteration i comes after the second of iteration i + distance.
                        distance >= 0 || -distance >= width
                    })
                };
                let width = found.width();
                let greatest = (1..=ITERATIONS).rfind(|&width| keeps(width)).unwrap_or(1);
                assert_eq!(width.min(ITERATIONS as u64), greatest as u64, "gap {gap}, stride {stride}, {sizes:?}");
            }
        }
    }
}

#[test]
fn gaps_that_hinder_are_those_of_accesses_that_would_change_places() {
    for width in 2..=8i64 {
        for (stride, sizes) in [(4, [4, 4]), (-4, [4, 4]), (1, [1, 1]), (8, [4, 8]), (-9, [3, 2]), (2, [4, 1])] {
            let (low, high) = hindering_gaps(stride, sizes, width);
            let keeps = |gap| distances(gap, [stride, stride], sizes).width() >= width as u64;
            for gap in -100..=100 {
                assert!(keeps(gap) || low < gap && gap < high, "gap {gap}, stride {stride}, {sizes:?}, width {width}");
            }
            assert!(!keeps(low + 1) && !keeps(high - 1), "stride {stride}, {sizes:?}, width {width}");
        }
    }
}

/// What a test is asked about.
struct Shown {
    accesses: Vec<String>,
    dependences: Vec<String>,
    carried: Vec<String>,
    first_order: bool,
}

/// The accesses of the innermost loop of a function, the dependences of pairs one of which writes, and what variables are.
fn shown(parameters: &str, body: &str) -> Result<Shown, Obstacle> {
    let types: Vec<&str> = parameters.split(", ").filter_map(|one| one.split(": ").nth(1)).collect();
    let text = format!(
        "module \"test\"\n@f = function void ({})\nlambda @f [] ({parameters}, mem0, io0) {{\n{body}\n}}\nexport @f\n",
        types.join(", ")
    );
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let all = Surroundings::of_all(&module);
    let (name, body) = module.bodies.iter().find(|(_, body)| body.graph().is_some()).expect("there is a function");
    let graph = body.graph().expect("it has a body");
    let surroundings = &all[&name];
    let nests = LoopNests::of(graph);
    let theta = nests.loops().find(|&theta| nests.is_innermost(theta)).expect("there is a loop");
    let evolution = Evolution::of(graph, theta);
    let layouts = surroundings.layouts().expect("the data layout is well-formed");
    let mut addresses = Addresses::of(graph, &evolution, layouts).expect("addresses have 64 bits");
    let accesses = Accesses::of(graph, theta, &mut addresses)?;
    let mut numbers = Numbering::new(graph, |_, _| ());
    let objects = Objects::new(graph, &numbers, Some(surroundings));
    let kind = |access: &Access| if access.writes { "store" } else { "load" };
    let pattern = |access: &Access| {
        access.address.as_ref().map_or("?".to_owned(), |address| format!("{:?}", address.pattern(access.size)))
    };
    let list = accesses.list();
    let mut dependences = Vec::new();
    for (index, a) in list.iter().enumerate() {
        for b in &list[index + 1..] {
            if a.writes || b.writes {
                dependences.push(format!("{:?}", Accesses::dependence(graph, &mut numbers, &objects, a, b)));
            }
        }
    }
    let variables: Vec<Carried> =
        theta.loop_vars(graph).map(|variable| carried(graph, &evolution, &addresses, variable)).collect();
    let others = theta.loop_vars(graph).zip(&variables).filter(|(_, carried)| matches!(carried, Carried::Other));
    let others = others.map(|(variable, _)| variable.pre).collect();
    let name = |carried: &Carried| match carried {
        Carried::Reduction(reduction) => format!("{:?}", reduction.kind),
        Carried::Induction(step) => format!("Induction({})", step.signed()),
        other => format!("{other:?}"),
    };
    Ok(Shown {
        accesses: list.iter().map(|access| format!("{} {}", kind(access), pattern(access))).collect(),
        dependences,
        carried: variables.iter().map(name).collect(),
        first_order: first_order(graph, theta, &others),
    })
}

const COUNT: &str = "v90 = const i64 1
    v91: i64 = add nsw v12, v90
    v92: i1 = icmp slt v91, v13
    v93: ctl(2) = match i1 v92 [true -> 1, _ -> 0]";

#[test]
fn neighbours_are_at_known_distances() {
    let shown = shown(
        "v0: ptr, v1: i64",
        &format!(
            "v2 = const i64 0
            v3: ptr, v4: i64, v5: i64, mem1 = theta (v10: ptr = v0, v12: i64 = v2, v13: i64 = v1, mem2 = mem0) {{
              {COUNT}
              v14: ptr = getelementptr [4 x float], v10, v12, v90
              v15: float, mem3 = load v14, mem2, align 4
              v16: i64 = sub v12, v90
              v17: ptr = getelementptr [4 x float], v10, v16, v90
              mem4 = store v15, v17, mem3, align 4
              v18: ptr = getelementptr {{ float, [3 x float] }}, v10, v91, v95, v90
              v95 = const i32 1
              mem5 = store v15, v18, mem4, align 4
              next v10, v91, v13, mem5 while v93
            }}
            yield mem1, io0"
        ),
    )
    .expect("the accesses are known");
    assert_eq!(shown.accesses, ["load Strided(16)", "store Strided(16)", "store Strided(16)"]);
    // What is stored one element before, what is stored one element and four bytes after.
    assert_eq!(shown.dependences, ["Distances(1, 1)", "Independent", "Independent"]);
    assert_eq!(shown.carried, ["Unchanged", "Induction(1)", "Unchanged", "State"]);
}

#[test]
fn pointers_that_move_are_followed() {
    let shown = shown(
        "v0: ptr, v1: i64",
        &format!(
            "v2 = const i64 0
            v6 = const i64 8
            v7: ptr = getelementptr i8, v0, v6
            v3: ptr, v4: i64, v5: i64, mem1, v8: ptr = theta (v10: ptr = v7, v12: i64 = v2, v13: i64 = v1, mem2 = mem0, v19: ptr = v0) {{
              {COUNT}
              v14: i32, mem3 = load v10, mem2, align 4
              v15: ptr = getelementptr i32, v19, v12
              mem4 = store v14, v15, mem3, align 4
              v16: ptr = getelementptr i32, v10, v90
              next v16, v91, v13, mem4, v19 while v93
            }}
            yield mem1, io0"
        ),
    )
    .expect("the accesses are known");
    assert_eq!(shown.accesses, ["load Consecutive", "store Consecutive"]);
    // It is loaded from two elements ahead.
    assert_eq!(shown.dependences, ["Distances(2, 2)"]);
    assert_eq!(shown.carried, ["Pointer(4)", "Induction(1)", "Unchanged", "State", "Unchanged"]);
}

#[test]
fn parameters_may_overlap_and_objects_of_the_function_do_not() {
    let shown = shown(
        "v0: ptr, v1: i64, v2: ptr",
        &format!(
            "v3 = const i32 100
            v4: ptr, mem9 = alloca double, v3, mem0, align 8
            v5 = const i64 0
            mem1, v6: ptr, v7: ptr, v8: ptr, v20: i64, v21: i64 = theta (mem2 = mem9, v9: ptr = v0, v10: ptr = v2, v11: ptr = v4, v12: i64 = v5, v13: i64 = v1) {{
              {COUNT}
              v14: ptr = getelementptr double, v9, v12
              v15: double, mem3 = load v14, mem2, align 8
              v16: ptr = getelementptr double, v10, v12
              mem4 = store v15, v16, mem3, align 8
              v17: ptr = getelementptr double, v11, v12
              mem5 = store v15, v17, mem4, align 8
              next mem5, v9, v10, v11, v91, v13 while v93
            }}
            yield mem1, io0"
        ),
    )
    .expect("the accesses are known");
    assert_eq!(shown.dependences, ["Unknown", "Independent", "Independent"]);
}

#[test]
fn variables_are_named_for_what_they_carry() {
    let shown = shown(
        "v0: ptr, v1: i64, v2: i32, v3: float",
        &format!(
            "v5 = const i64 0
            mem1, v6: ptr, v20: i64, v21: i64, v22: i32, v23: i32, v24: float, v25: float, v26: i32, v27: i32 = theta (mem2 = mem0, v9: ptr = v0, v12: i64 = v5, v13: i64 = v1, v30: i32 = v2, v31: i32 = v2, v32: float = v3, v33: float = v3, v34: i32 = v2, v35: i32 = v2) {{
              {COUNT}
              v14: ptr = getelementptr i32, v9, v12
              v15: i32, mem3 = load v14, mem2, align 4
              v40: i32 = add nsw v30, v15
              v41: i32 = sub v40, v34
              v42: i1 = icmp sgt v15, v31
              v43: i32 = select v42, v15, v31
              v44: float = sitofp v15
              v45: float = fadd reassoc v32, v44
              v46: float = fadd v33, v44
              next mem3, v9, v91, v13, v41, v43, v45, v46, v15, v34 while v93
            }}
            yield mem1, io0"
        ),
    )
    .expect("the accesses are known");
    let names = ["Int(Add)", "Choice(Sgt)", "Float(FAdd, FastMath(1))", "Other", "Other", "Other"];
    assert_eq!(shown.carried[4..], names);
    // The sum that may not be reassociated.
    assert!(!shown.first_order);
}

/// What a variable carries that is `v30`, where an element is `v15` or `v44` and `v50` asks about that.
#[test]
fn reductions_are_told_from_what_looks_like_one() {
    let carried = |ty: &str, lines: &str, post: &str| {
        let body = format!(
            "v5 = const i64 0
            mem1, v6: ptr, v20: i64, v21: i64, v22: {ty} = theta (mem2 = mem0, v9: ptr = v0, v12: i64 = v5, v13: i64 = v1, v30: {ty} = {}) {{
              {COUNT}
              v14: ptr = getelementptr i32, v9, v12
              v15: i32, mem3 = load v14, mem2, align 4
              v44: float = sitofp v15
              v49 = const i32 7
              v50: i1 = icmp sgt v15, v49
              {lines}
              next mem3, v9, v91, v13, {post} while v93
            }}
            yield mem1, io0",
            match ty {
                "i32" => "v2",
                "float" => "v3",
                _ => "v4",
            }
        );
        let shown = shown("v0: ptr, v1: i64, v2: i32, v3: float, v4: i1", &body).expect("the accesses are known");
        shown.carried[4].clone()
    };
    for (lines, expected) in [
        ("v40: i32 = mul v30, v15", "Int(Mul)"),
        ("v40: i32 = and v15, v30", "Int(And)"),
        ("v40: i32 = or v30, v15", "Int(Or)"),
        ("v40: i32 = xor v30, v15", "Int(Xor)"),
        ("v40: i32 = sub v30, v15", "Int(Add)"),
        ("v40: i32 = sub v15, v30", "Other"),
        ("v40: i32 = shl v30, v15", "Other"),
        ("v40: i32 = add v30, v30", "Other"),
        ("v41: i32 = add v30, v15\nv40: i32 = add v15, v41", "Int(Add)"),
        ("v41: i32 = add v30, v15\nv40: i32 = mul v41, v15", "Other"),
        ("v41: i32 = add v30, v15\nv40: i32 = add v41, v30", "Other"),
        ("v41: i32 = add v30, v15\nv40: i32 = select v50, v41, v30", "Int(Add)"),
        ("v41: i32 = add v30, v15\nv40: i32 = select v50, v30, v41", "Int(Add)"),
        ("v41: i32 = add v30, v15\nv40: i32 = select v50, v41, v15", "Other"),
        ("v41: i32 = add v30, v15\nv40: i32 = select v50, v15, v41", "Other"),
        ("v41: i1 = trunc v30\nv42: i32 = add v30, v15\nv40: i32 = select v41, v42, v30", "Other"),
        ("v41: i1 = icmp slt v15, v30\nv40: i32 = select v41, v15, v30", "Choice(Slt)"),
        ("v41: i1 = icmp slt v15, v30\nv40: i32 = select v41, v30, v15", "Choice(Sgt)"),
        ("v41: i1 = icmp sge v30, v15\nv40: i32 = select v41, v30, v15", "Choice(Sgt)"),
        ("v41: i1 = icmp ule v30, v15\nv40: i32 = select v41, v30, v15", "Choice(Ult)"),
        ("v41: i1 = icmp ugt v30, v15\nv40: i32 = select v41, v30, v15", "Choice(Ugt)"),
        ("v41: i1 = icmp eq v30, v15\nv40: i32 = select v41, v30, v15", "Other"),
        ("v41: i1 = icmp slt v30, v49\nv40: i32 = select v41, v30, v15", "Other"),
        ("v41: i1 = icmp slt v30, v15\nv40: i32 = select v41, v30, v15\nv42: i32 = zext v41", "Other"),
        ("v41: i32 = add v30, v15\nv42: i1 = icmp slt v41, v15\nv40: i32 = select v42, v41, v15", "Other"),
        (
            "v41: i1 = icmp slt v30, v15\nv42: i32 = select v41, v30, v15\n\
             v43: i1 = icmp slt v42, v49\nv40: i32 = select v43, v42, v49",
            "Choice(Slt)",
        ),
        (
            "v41: i1 = icmp slt v30, v15\nv42: i32 = select v41, v30, v15\n\
             v43: i1 = icmp sgt v42, v49\nv40: i32 = select v43, v42, v49",
            "Other",
        ),
        ("v40: i32 = select v50, v49, v30", "Replacement"),
        ("v40: i32 = select v50, v15, v30", "Last"),
        ("v40: i32 = select v50, v30, v15", "Last"),
        ("v41: i32 = select v50, v15, v30\nv42: i1 = icmp eq v15, v49\nv40: i32 = select v42, v30, v41", "Last"),
        ("v41: i1 = trunc v30\nv40: i32 = select v41, v15, v30", "Other"),
    ] {
        assert_eq!(carried("i32", lines, "v40"), expected, "{lines}");
    }
    for (lines, expected) in [
        ("v40: float = fmul reassoc v30, v44", "Float(FMul, FastMath(1))"),
        ("v40: float = fmul v30, v44", "Other"),
        ("v40: float = fsub reassoc v30, v44", "Float(FAdd, FastMath(1))"),
        ("v40: float = fsub reassoc v44, v30", "Other"),
        ("v40: float = fdiv reassoc v30, v44", "Other"),
        ("v41: float = fadd reassoc nnan v30, v44\nv40: float = fsub reassoc v41, v44", "Float(FAdd, FastMath(1))"),
        ("v41: float = fadd reassoc v30, v44\nv40: float = fmul reassoc v41, v44", "Other"),
        ("v41: float = fadd reassoc v30, v44\nv40: float = select v50, v41, v30", "Float(FAdd, FastMath(1))"),
        ("v40: float = select v50, v44, v30", "Last"),
        ("v41: i1 = fcmp ogt v44, v30\nv40: float = select v41, v44, v30", "FloatChoice(Ogt)"),
        ("v41: i1 = fcmp oge v44, v30\nv40: float = select v41, v44, v30", "FloatChoice(Ogt)"),
        ("v41: i1 = fcmp olt v44, v30\nv40: float = select v41, v44, v30", "FloatChoice(Olt)"),
        ("v41: i1 = fcmp ole v30, v44\nv40: float = select v41, v44, v30", "FloatChoice(Ogt)"),
        ("v41: i1 = fcmp ogt v30, v44\nv40: float = select v41, v44, v30", "FloatChoice(Olt)"),
        ("v41: i1 = fcmp ult v44, v30\nv40: float = select v41, v30, v44", "FloatChoice(Ogt)"),
        ("v41: i1 = fcmp ule v30, v44\nv40: float = select v41, v30, v44", "FloatChoice(Olt)"),
        ("v41: i1 = fcmp uge v30, v44\nv40: float = select v41, v30, v44", "FloatChoice(Ogt)"),
        ("v41: i1 = fcmp ugt v44, v30\nv40: float = select v41, v44, v30", "Other"),
        ("v41: i1 = fcmp ogt v44, v30\nv40: float = select v41, v30, v44", "Other"),
        ("v41: i1 = fcmp ogt v30, v44\nv40: float = select v41, v30, v44", "Other"),
        ("v41: i1 = fcmp one v44, v30\nv40: float = select v41, v44, v30", "Other"),
        ("v42: float = fneg v44\nv41: i1 = fcmp ogt v42, v30\nv40: float = select v41, v44, v30", "Other"),
    ] {
        assert_eq!(carried("float", lines, "v40"), expected, "{lines}");
    }
    for (lines, expected) in [
        ("v41: i1 = xor v30, v50\nv40: i1 = select v50, v41, v30", "Int(Xor)"),
        ("v41: i1 = xor v30, v50\nv40: i1 = select v30, v41, v30", "Other"),
        ("v41: i1 = xor v30, v50\nv40: i1 = select v41, v41, v30", "Other"),
        ("v41: i1 = xor v30, v50\nv40: i1 = select v41, v30, v41", "Other"),
    ] {
        assert_eq!(carried("i1", lines, "v40"), expected, "{lines}");
    }
}

#[test]
fn what_stands_against_it_is_named() {
    let with = |line: &str| {
        let body = format!(
            "v5 = const i64 0
            mem1, v6: ptr, v20: i64, v21: i64, io1 = theta (mem2 = mem0, v9: ptr = v0, v12: i64 = v5, v13: i64 = v1, io2 = io0) {{
              {COUNT}
              {line}
              next mem3, v9, v91, v13, io3 while v93
            }}
            yield mem1, io1"
        );
        shown("v0: ptr, v1: i64", &body).map(|_| ()).expect_err("something stands against it")
    };
    assert_eq!(with("v14: i32, mem3, io3 = load volatile v9, mem2, io2, align 4"), Obstacle::Ordered);
    assert_eq!(with("mem3 = store v12, v9, mem2, align 8\nv14: i64, io3 = udiv v12, v13, io2"), Obstacle::Effects);
    let empty = format!(
        "v5 = const i64 0
        mem1, v6: ptr, v20: i64, v21: i64 = theta (mem2 = mem0, v9: ptr = v0, v12: i64 = v5, v13: i64 = v1) {{
          {COUNT}
          v14: {{}}, mem3 = load v9, mem2, align 1
          next mem3, v9, v91, v13 while v93
        }}
        yield mem1, io0"
    );
    assert_eq!(shown("v0: ptr, v1: i64", &empty).map(|_| ()).expect_err("it has no size"), Obstacle::Size);
}

/// Whether two accesses share a byte in loops that are enumerated.
fn enumerated_meeting(gap: i64, strides: [i64; 2], times: [i64; 2], sizes: [i64; 2]) -> bool {
    (0..=times[0]).any(|i| {
        (0..=times[1]).any(|j| {
            let at = gap + strides[0] * i + strides[1] * j;
            at < sizes[0] && 0 < at + sizes[1]
        })
    })
}

#[test]
fn accesses_meet_only_where_loops_that_are_enumerated_do() {
    let (mut apart, mut bounded) = (0, 0);
    for gap in -40..=40 {
        for strides in [[0, 0], [1, 0], [0, -3], [4, 4], [-8, 8], [8, -8], [16, -2], [6, 9], [-12, -8], [24, 4]] {
            for times in [[0, 0], [1, 3], [3, 1], [4, 5]] {
                for sizes in [[1, 1], [4, 4], [8, 3], [2, 8]] {
                    let seen = enumerated_meeting(gap, strides, times, sizes);
                    let moves = |known: bool| {
                        [0, 1].map(|index| Move { stride: strides[index], times: known.then_some(times[index]) })
                    };
                    let case = format!("gap {gap}, strides {strides:?}, times {times:?}, sizes {sizes:?}");
                    let (exactly, anyhow) = (meets(gap, &moves(true), sizes), meets(gap, &moves(false), sizes));
                    assert!(exactly || !seen, "{case}");
                    assert!(anyhow || !exactly, "{case}");
                    apart += u32::from(!anyhow);
                    bounded += u32::from(anyhow && !exactly);
                }
            }
        }
    }
    assert!(apart > 2_000 && bounded > 1_000, "{apart} by the divisor, {bounded} by the bounds");
}

#[test]
fn iterations_one_after_another_keep_the_order_of_accesses_that_meet() {
    const MOST: i64 = 4;
    let (mut all, mut some, mut exact) = (0, 0, 0);
    for gap in [-16, -9, -8, -4, -1, 0, 1, 4, 7, 8, 16] {
        for steps in [[0, 0], [8, 8], [-8, -8], [4, 8], [0, 4], [16, 16], [-4, 4]] {
            for inner in [[0, 0], [8, 8], [-8, -8], [4, 8], [8, 0], [4, 4], [24, 24]] {
                for (times, sizes) in [(0, [4, 4]), (1, [8, 8]), (3, [8, 4]), (5, [1, 8])] {
                    // Places in iterations x of the outer loop and t of the inner one.
                    let at = |which: usize, x: i64, t: i64| which as i64 * gap + steps[which] * x + inner[which] * t;
                    let overlap = |first: usize, x: [i64; 2], t: [i64; 2]| {
                        let second = 1 - first;
                        let apart = at(second, x[1], t[1]) - at(first, x[0], t[0]);
                        -sizes[second] < apart && apart < sizes[first]
                    };
                    let turns = |apart: i64| {
                        (0..2).any(|first| {
                            (0..6).any(|x| (1..=times).any(|t| (0..t).any(|s| overlap(first, [x, x + apart], [t, s]))))
                        })
                    };
                    let seen = (1..MOST).take_while(|&apart| !turns(apart)).count() as u64 + 1;
                    let case = format!("gap {gap}, steps {steps:?}, inner {inner:?}, times {times}, sizes {sizes:?}");
                    for known in [Some(times), None] {
                        let found = in_sequence(gap, steps, inner, known, sizes, MOST as u64);
                        assert!((1..=seen).contains(&found), "{case}: {found} of {seen}");
                        all += u32::from(found == MOST as u64);
                        some += u32::from(found > 1 && found < MOST as u64);
                        exact += u32::from(found == seen);
                    }
                }
            }
        }
    }
    assert!(all > 800 && some > 200 && exact > 3_000, "{all} in any number, {some} in a few, {exact} as enumerated");
}
