//! Whether the cost of construction and recovery grows in proportion to the program: for each family of control flow
//! graphs, the time for size 2n against the time for size n, measured in turn. A linear algorithm gives 2.
//!
//! glibc's allocator returns blocks above a threshold to the system, so that the larger input pays for fresh pages that
//! the smaller one does not; the benchmark runs itself with that switched off.

use std::process::Command;
use std::time::Duration;

use rvsdg_benches::{median, time};
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;

const RUNS: usize = 11;

/// Settings of glibc's allocator: keep all memory.
const KEEP_MEMORY: [(&str, &str); 3] = [
    ("MALLOC_MMAP_THRESHOLD_", "4294967296"),
    ("MALLOC_TRIM_THRESHOLD_", "8589934592"),
    ("MALLOC_TOP_PAD_", "268435456"),
];

fn main() -> anyhow::Result<()> {
    if KEEP_MEMORY.iter().any(|(name, _)| std::env::var_os(name).is_none()) {
        let status = Command::new(std::env::current_exe()?).envs(KEEP_MEMORY).status()?;
        anyhow::ensure!(status.success(), "the benchmark failed");
        return Ok(());
    }
    println!("| input | n | construct + PCFR at n | at 2n | ratio | construct + SCFR, ratio |");
    println!("|---|--:|--:|--:|--:|--:|");
    report("straight-line instructions", 200_000, straight_line);
    for family in Family::ALL.into_iter().filter(|family| family.is_linear()) {
        let size = match family {
            Family::ElseIfCascade | Family::Switch => 20_000,
            Family::StraightLine => 200_000,
            _ => 2_000,
        };
        report(family.name(), size, |n| fill(&family.shape(n), Fill::LINEAR, &mut Rng::new(1)));
    }
    Ok(())
}

fn report(name: &str, size: usize, make: impl Fn(usize) -> Cfg) {
    let (small, large) = (make(size), make(2 * size));
    let measure = |recovery| {
        let mut small_times = Vec::new();
        let mut large_times = Vec::new();
        for _ in 0..RUNS {
            small_times.push(round_trip(&small, recovery));
            large_times.push(round_trip(&large, recovery));
        }
        (median(&small_times), median(&large_times))
    };
    let (small_time, large_time) = measure(Recovery::Predicative);
    let (small_structured, large_structured) = measure(Recovery::Structured);
    println!(
        "| {name} | {size} | {:.2} ms | {:.2} ms | {:.2} | {:.2} |",
        milliseconds(small_time),
        milliseconds(large_time),
        large_time.as_secs_f64() / small_time.as_secs_f64(),
        large_structured.as_secs_f64() / small_structured.as_secs_f64(),
    );
}

fn round_trip(cfg: &Cfg, recovery: Recovery) -> Duration {
    time(|| destruct(&build(cfg, &Options::default()), cfg.contexts().len(), recovery))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
