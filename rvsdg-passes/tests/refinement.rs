//! Passes keep what programs do, and pipelines do: generated modules run on the interpreter before and after. What a program
//! does is refined: where it is undefined or poison, anything may come instead.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::Path;

use rvsdg_core::Module;
use rvsdg_core::hash::hash_graph;
use rvsdg_core::text::parse_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::pipeline;
use rvsdg_gen::property::{for_all, for_all_modules_shrunk, for_all_regressions, has_usual_cases};
use rvsdg_gen::runs::Tally;
use rvsdg_gen::steer::steer;
use rvsdg_passes::BisectLimit;

mod common;

use common::{BYTES, FOLDER, TIMES, any_program, keeps_meaning, names, pipelines, shrink, transform};

/// Kinds of rewrites of each pass, by its counters. Each kind must be made [`FLOOR`] times by the cases of its pass.
const KINDS: &[(&str, &[&str])] = &[
    ("ads", &["accesses", "addresses", "exit_variables", "loop_variables", "parameters"]),
    ("alr", &["allocations", "uses"]),
    (
        "attrs",
        &[
            "calls_with_fewer_states",
            "invokes_to_calls",
            "memory_none",
            "memory_read",
            "nounwind",
            "parameter_attributes",
            "willreturn",
        ],
    ),
    ("cld", &["constant_loads"]),
    (
        "cne",
        &[
            "conditionals",
            "context_variables",
            "entry_variables",
            "exit_variables",
            "loop_variables",
            "nodes",
            "outer_nodes",
        ],
    ),
    (
        "dne",
        &[
            "assumptions",
            "available_externally",
            "bypassed_nodes",
            "context_variables",
            "data",
            "entry_variables",
            "exit_variables",
            "functions",
            "imports",
            "loop_variables",
            "nodes",
            "recursion_variables",
        ],
    ),
    ("glv", &["constants", "owners", "stores", "unescaped"]),
    ("idm", &["copies", "fills", "final_values", "loops"]),
    (
        "ifc",
        &[
            "converted",
            "empty",
            "fused",
            "nested",
            "predicates",
            "selects",
            "speculated",
            "stores",
            "tails",
            "threaded",
        ],
    ),
    ("iln", &["inlined_always", "inlined_by_cost", "inlined_in_cycle", "inlined_once", "inlined_unwinding"]),
    ("inv", &["call_results", "call_states", "dead_ends", "exit_variables", "loop_variables", "refined", "states"]),
    ("ipc", &["arguments", "parameters"]),
    ("iss", &["single", "split"]),
    (
        "ivs",
        &[
            "approached",
            "combined",
            "comparisons",
            "final_values",
            "loops",
            "merged",
            "reduced",
            "variables",
            "widened",
        ],
    ),
    ("ivt", &["inverted", "inverted_with_breaks", "unswitched"]),
    ("jam", &["checked", "moved", "nests", "sequences", "vectors"]),
    (
        "lib",
        &[
            "allocations",
            "calls_with_fewer_states",
            "functions",
            "invokes_to_calls",
            "numbers",
            "roundings",
            "streams",
            "strings",
        ],
    ),
    ("lmg", &["loops_merged"]),
    ("lpe", &["peeled"]),
    ("lut", &["linear", "packed", "tables"]),
    (
        "lvr",
        &["around_loops", "loads", "loads_before_loops", "loops", "stores", "stores_after_loops", "unchanging_stores"],
    ),
    (
        "mvf",
        &[
            "around_loops",
            "copied_loads",
            "copies",
            "loads",
            "loads_before_loops",
            "stores",
            "stores_after_loops",
            "unchanging_stores",
            "zeros",
        ],
    ),
    ("pll", &["loads", "pulled", "structural"]),
    ("psh", &["common", "hoisted", "loads", "speculated", "trapping"]),
    ("red", &["fold", "known bits", "control", "chains", "steady", "ways out", "logical", "algebra"]),
    ("slp", &["extracted", "gathered", "loads", "mixed", "operations", "picked", "trees"]),
    ("sra", &["accesses", "chosen_loads", "chosen_stores", "objects", "promoted"]),
    ("stz", &["alternatives_sunk", "cascades", "predicates_kept"]),
    ("svr", &["versioned"]),
    ("tre", &["accumulated", "tail_calls"]),
    ("url", &["full", "conditional", "partial", "remainders"]),
    (
        "vec",
        &[
            "checked",
            "early_exits",
            "extremes",
            "falling",
            "flattened",
            "interleaved",
            "lasts",
            "loops",
            "masked",
            "recurrences",
            "reductions",
            "reloaded",
            "strided",
        ],
    ),
];

/// How often each kind of rewrite must be made where nobody says how many cases there are; half as often in cases that
/// somebody chose.
const FLOOR: u64 = 50;

/// Passes that rewrite more with an option, and how that is written.
const OPTIONS: &[(&str, &str)] = &[("dne", "dne<available_externally;assumptions>"), ("ivs", "ivs<exits>")];

/// Counters of what is not a rewrite of its own: work, which loads are known for a reason, and why something was left alone; and
/// `dispatches`, which need tables of addresses of blocks: `dispatch.rs` generates them.
fn is_no_kind(counter: &str) -> bool {
    let others = [
        "bodies_with_funclets",
        "copied",
        "dispatches",
        "gave_up",
        "rounds",
        "rules",
        "sweeps",
        "too_deep",
        "too_large",
        "zeros",
    ];
    counter.starts_with("declined_") || others.contains(&counter)
}

/// The kind that a counter belongs to: `red` counts every rule.
fn kind_of(pass: &str, counter: &'static str) -> &'static str {
    if pass != "red" || counter == "fold" || is_no_kind(counter) {
        return counter;
    }
    match counter {
        "gamma-chain" | "gamma-chain-predicates" | "gamma-constant-predicates" => "chains",
        "theta-steady" => "steady",
        "theta-unreachable-exit" => "ways out",
        "gamma-logical" => "logical",
        _ if ["gamma-", "theta-", "match-"].iter().any(|start| counter.starts_with(start)) => "control",
        _ if counter.contains("-known") => "known bits",
        _ => "algebra",
    }
}

/// The pass keeps what modules do, nearly all runs say something about it, and it makes every kind of its rewrites.
fn pass_keeps_meaning(name: &str) {
    let tally = Cell::new(Tally::default());
    let counters: RefCell<BTreeMap<&str, u64>> = RefCell::default();
    let make = |entropy: &mut Entropy<'_>| {
        let mut module = any_program(entropy);
        steer(name, &mut module);
        module
    };
    for_all_modules_shrunk(FOLDER, name, BYTES, TIMES, shrink, make, |module| {
        for text in [Some(name), OPTIONS.iter().find(|(pass, _)| *pass == name).map(|(_, text)| *text)] {
            let Some(text) = text else { continue };
            let (runs, report) = keeps_meaning(module, text, None);
            let mut sum = tally.get();
            sum.add(runs);
            tally.set(sum);
            let mut counters = counters.borrow_mut();
            for (&counter, count) in report.passes().iter().flat_map(|pass| &pass.counters) {
                *counters.entry(kind_of(name, counter)).or_default() += count;
            }
        }
    });
    let Tally { same, vacuous, unknown } = tally.get();
    let counters = counters.into_inner();
    println!("{name}: {same} runs are refined, {vacuous} were undefined, {unknown} unknown; {counters:?}");
    let kinds = KINDS.iter().find(|(pass, _)| *pass == name).map_or(&[][..], |(_, kinds)| kinds);
    let missing = counters.keys().filter(|counter| !is_no_kind(counter) && !kinds.contains(counter));
    assert_eq!(missing.count(), 0, "every counter is a kind of rewrite or not");
    if has_usual_cases() {
        let floor = if std::env::var_os("PROPTEST_RNG_SEED").is_some() { FLOOR / 2 } else { FLOOR };
        let is_rare = |kind: &&&str| counters.get(**kind).is_none_or(|&count| count < floor);
        let rare: Vec<_> = kinds.iter().filter(is_rare).collect();
        assert!(rare.is_empty(), "made less than {floor} times: {rare:?}");
        assert!(same > vacuous + unknown, "most runs are defined");
        assert!(50 * unknown < same + vacuous + unknown, "{unknown} runs say nothing");
    }
}

/// No counter escapes [`KINDS`]: those that passes make by name in their sources are there, or are no kinds.
#[test]
fn every_counter_is_known() {
    let mut folders = vec![Path::new(FOLDER).join("src")];
    let mut unknown = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("there are sources") {
            let path = entry.expect("a file can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source is text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let names = code.split(".count(\"").skip(1).filter_map(|rest| rest.split('"').next());
            let is_known = |name: &str| is_no_kind(name) || KINDS.iter().any(|(_, kinds)| kinds.contains(&name));
            unknown.extend(names.filter(|name| !is_known(name)).map(|name| format!("{name} in {}", path.display())));
        }
    }
    assert_eq!(unknown, [] as [&str; 0]);
}

/// One test for each pass of the registry, so that they run in parallel.
macro_rules! passes {
    ($($name:ident)*) => {
        $(#[test] fn $name() { pass_keeps_meaning(stringify!($name)); })*

        #[test]
        fn every_pass_has_a_test() {
            assert_eq!(names(), [$(stringify!($name)),*]);
        }
    };
}

passes! { ads alr attrs cld cne dne glv idm ifc iln inv ipc iss ivs ivt jam lib lmg lpe lut lvr mvf pll psh red slp sra stz svr tre url vec }

#[test]
fn named_pipelines() {
    for text in pipelines() {
        for_all_modules_shrunk(FOLDER, "pipeline", BYTES, 1, shrink, any_program, |module| {
            keeps_meaning(module, text, None);
        });
    }
}

/// A pipeline, and where it stops.
fn any_pipeline(entropy: &mut Entropy<'_>) -> (String, Option<BisectLimit>) {
    let text = pipeline(entropy, &names());
    let limit = BisectLimit { executions: entropy.bits(5), rewrites: Some(entropy.bits(4)) };
    (text, entropy.chance(1, 3).then_some(limit))
}

/// Passes in any order, stopped after any rewrite.
#[test]
fn any_passes_up_to_any_rewrite() {
    let make = |entropy: &mut Entropy<'_>| {
        let (text, limit) = any_pipeline(entropy);
        (text, limit, any_program(entropy))
    };
    let show = |(text, limit, module): &(String, Option<BisectLimit>, Module)| format!("{text} {limit:?}\n{module}");
    for_all(BYTES, make, show, |(text, limit, module)| {
        let _ = keeps_meaning(module, text, *limit);
    });
}

fn hashes(module: &Module) -> Vec<u64> {
    let graphs = module.bodies.values().filter_map(|body| body.graph());
    graphs.chain([&module.omega]).map(hash_graph).collect()
}

/// Pipelines whose second run changes nothing. Common node elimination is not among them: that loop variables turn out to be
/// congruent can make what is behind the loop congruent, too.
const IDEMPOTENT: &[&str] = &["dne", "inv", "red"];

#[test]
fn idempotent_pipelines_find_nothing_twice() {
    for_all_modules_shrunk(FOLDER, "idempotent", BYTES, 1, shrink, any_program, |module| {
        for text in IDEMPOTENT {
            let mut transformed = module.clone();
            let _ = transform(&mut transformed, text, None);
            let once = hashes(&transformed);
            let _ = transform(&mut transformed, text, None);
            assert!(hashes(&transformed) == once, "{text}");
        }
    });
}

/// What a pass makes of a module does not depend on the number of threads, nor on the run.
#[test]
fn passes_are_deterministic() {
    for_all_modules_shrunk(FOLDER, "deterministic", BYTES, 1, shrink, any_program, |module| {
        for name in names() {
            let [one, other] = [(), ()].map(|()| {
                let mut transformed = module.clone();
                let _ = transform(&mut transformed, name, None);
                transformed.to_string()
            });
            assert!(one == other, "{name}");
        }
    });
}

/// With `RVSDG_SHRINK` set, files that still are counterexamples are made smaller first; a fuzzer's are large.
#[test]
fn counterexamples_of_the_past_hold() {
    let shrinks = std::env::var_os("RVSDG_SHRINK").is_some();
    for_all_regressions(FOLDER, |name, module| {
        for text in names().into_iter().chain(pipelines()) {
            let fails = |module: &Module| {
                let parsed = parse_module(&module.to_string());
                parsed.is_ok_and(|parsed| catch_unwind(|| keeps_meaning(&parsed, text, None)).is_err())
            };
            if shrinks && fails(module) {
                let smallest = shrink(module.clone(), &mut |module| fails(module));
                let path = format!("{FOLDER}/tests/regressions/{name}.rvsdg");
                std::fs::write(path, smallest.to_string()).expect("the folder is writable");
            }
            keeps_meaning(module, text, None);
            for rewrites in 0..8 {
                keeps_meaning(module, text, Some(BisectLimit { executions: 1, rewrites: Some(rewrites) }));
            }
        }
    });
}
