//! Whether the cost of construction, recovery and every pass grows in proportion to the program: for each family of control flow
//! graphs, the time for size 2n against the time for size n, measured in turn. A linear algorithm gives 2.
//!
//! glibc's allocator returns blocks above a threshold to the system, so that the larger input pays for fresh pages that
//! the smaller one does not; the benchmark runs itself with that switched off. With the argument `passes` only passes are
//! measured.

use std::process::Command;
use std::time::Duration;

use rvsdg_benches::{median, time};
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::construct;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_gen::cfgs::{Fill, cleanups, fill, lasting_objects, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;

#[path = "scaling/modules.rs"]
mod modules;
#[path = "scaling/passes.rs"]
mod passes;

const RUNS: usize = 11;

/// Settings of glibc's allocator: keep all memory.
const KEEP_MEMORY: [(&str, &str); 3] = [
    ("MALLOC_MMAP_THRESHOLD_", "4294967296"),
    ("MALLOC_TRIM_THRESHOLD_", "8589934592"),
    ("MALLOC_TOP_PAD_", "268435456"),
];

fn main() -> anyhow::Result<()> {
    if KEEP_MEMORY.iter().any(|(name, _)| std::env::var_os(name).is_none()) {
        let status =
            Command::new(std::env::current_exe()?).args(std::env::args_os().skip(1)).envs(KEEP_MEMORY).status()?;
        anyhow::ensure!(status.success(), "the benchmark failed");
        return Ok(());
    }
    if std::env::args().any(|argument| argument == "passes") {
        passes::report();
        return Ok(());
    }
    println!(
        "| input | n | construction + PCFR at n | ratio at 2n | restructuring | construction | PCFR | SCFR | graph |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    report("straight-line instructions", 200_000, straight_line);
    report("cleanups", 2_000, cleanups);
    report("objects that live to the end", 1_000, lasting_objects);
    for family in Family::ALL.into_iter().filter(|family| family.is_linear()) {
        let size = match family {
            Family::ElseIfCascade | Family::Switch => 20_000,
            Family::StraightLine => 200_000,
            _ => 2_000,
        };
        report(family.name(), size, |n| fill(&family.shape(n), Fill::LINEAR, &mut Rng::new(1)));
    }
    passes::report();
    Ok(())
}

/// Seconds of restructuring, construction, predicative and structured recovery, and the origins of the graph.
type Stages = [f64; 5];

fn report(name: &str, size: usize, make: impl Fn(usize) -> Cfg) {
    let inputs = [make(size), make(2 * size)];
    let mut runs: [Vec<Stages>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        for (input, runs) in inputs.iter().zip(&mut runs) {
            runs.push(stages(input));
        }
    }
    let [small, large] = runs.map(|runs| {
        let of = |value: fn(&Stages) -> f64| median(&runs.iter().map(value).collect::<Vec<_>>());
        [
            of(|run| run[0] + run[1] + run[2]),
            of(|run| run[0]),
            of(|run| run[1]),
            of(|run| run[2]),
            of(|run| run[3]),
            of(|run| run[4]),
        ]
    });
    let ratios: Vec<String> = small.iter().zip(&large).map(|(small, large)| format!("{:.2}", large / small)).collect();
    println!("| {name} | {size} | {:.2} ms | {} |", small[0] * 1e3, ratios.join(" | "));
}

fn stages(cfg: &Cfg) -> Stages {
    let cfg = cfg.verify().expect("generated control flow is valid");
    let (restructuring, tree) = time(|| restructure(cfg.shape(), &Options::default()));
    let (construction, graph) = time(|| construct(&cfg, &tree));
    let recovery = |recovery| time(|| destruct(&graph, cfg.cfg().contexts().len(), recovery)).0;
    let (predicative, structured) = (recovery(Recovery::Predicative), recovery(Recovery::Structured));
    let [a, b, c, d] = [restructuring, construction, predicative, structured].map(|time: Duration| time.as_secs_f64());
    [a, b, c, d, graph.origin_bound() as f64]
}
