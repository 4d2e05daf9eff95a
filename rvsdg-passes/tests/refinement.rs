//! Passes keep what programs do, and pipelines do: generated modules run on the interpreter before and after. What a program
//! does is refined: where it is undefined or poison, anything may come instead.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::catch_unwind;

use rvsdg_core::Module;
use rvsdg_core::hash::hash_graph;
use rvsdg_core::text::parse_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::pipeline;
use rvsdg_gen::property::{for_all, for_all_modules_shrunk, for_all_regressions};
use rvsdg_gen::runs::Tally;
use rvsdg_passes::BisectLimit;
use rvsdg_passes::registry::{PASSES, PIPELINES};

mod common;

use common::{BYTES, FOLDER, TIMES, any_program, keeps_meaning, shrink, transform};

/// Passes that look for what generated modules seldom have: functions that nothing but calls use, of which all pass the same.
const RARE: &[&str] = &["ipc"];

/// The pass keeps what modules do, and most runs say something about it.
fn pass_keeps_meaning(name: &str) {
    let tally = Cell::new(Tally::default());
    let counters: RefCell<BTreeMap<&str, u64>> = RefCell::default();
    for_all_modules_shrunk(FOLDER, name, BYTES, TIMES, shrink, any_program, |module| {
        let (runs, report) = keeps_meaning(module, name, None);
        let mut sum = tally.get();
        sum.add(runs);
        tally.set(sum);
        let mut counters = counters.borrow_mut();
        for pass in report.passes() {
            *counters.entry("changed").or_default() += pass.changed;
            pass.counters.iter().for_each(|(name, count)| *counters.entry(name).or_default() += count);
        }
    });
    let Tally { same, vacuous, unknown } = tally.get();
    let counters = counters.into_inner();
    println!("{name}: {same} runs are refined, {vacuous} were undefined, {unknown} unknown; {counters:?}");
    assert!(RARE.contains(&name) || counters["changed"] > 100, "the generator makes what the pass looks for");
    assert!(same > vacuous + unknown, "most runs are defined");
}

/// One test for each pass of the registry, so that they run in parallel.
macro_rules! passes {
    ($($name:ident)*) => {
        $(#[test] fn $name() { pass_keeps_meaning(stringify!($name)); })*

        #[test]
        fn every_pass_has_a_test() {
            let names: Vec<&str> = PASSES.iter().map(|entry| entry.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

passes! { attrs cne dne ifc iln inv ipc ivs ivt lvr mvf pll psh red sra url }

#[test]
fn named_pipelines() {
    let mut texts: Vec<&str> = PIPELINES.iter().map(|pipeline| pipeline.text).filter(|text| !text.is_empty()).collect();
    texts.sort_unstable();
    texts.dedup();
    for text in texts {
        for_all_modules_shrunk(FOLDER, "pipeline", BYTES, 1, shrink, any_program, |module| {
            keeps_meaning(module, text, None);
        });
    }
}

/// A pipeline, and where it stops.
fn any_pipeline(entropy: &mut Entropy<'_>) -> (String, Option<BisectLimit>) {
    let names: Vec<&str> = PASSES.iter().map(|entry| entry.name).collect();
    let text = pipeline(entropy, &names);
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
        for entry in PASSES {
            let [one, other] = [(), ()].map(|()| {
                let mut transformed = module.clone();
                let _ = transform(&mut transformed, entry.name, None);
                transformed.to_string()
            });
            assert!(one == other, "{}", entry.name);
        }
    });
}

/// With `RVSDG_SHRINK` set, files that still are counterexamples are made smaller first; a fuzzer's are large.
#[test]
fn counterexamples_of_the_past_hold() {
    let shrinks = std::env::var_os("RVSDG_SHRINK").is_some();
    for_all_regressions(FOLDER, |name, module| {
        let pipelines = PASSES.iter().map(|entry| entry.name).chain(PIPELINES.iter().map(|pipeline| pipeline.text));
        for text in pipelines {
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
