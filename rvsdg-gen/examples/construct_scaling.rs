//! Prints the time of construction for sizes n and 2n of each family of control flow graphs, their ratio, and what it comes to
//! per instruction and per entity of the graph made.
//!
//! `cargo run --release -p rvsdg-gen --example construct_scaling [factor]` multiplies the sizes by `factor`.

use std::hint::black_box;
use std::time::Instant;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::construct;
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;

/// The least time of a few constructions in milliseconds, and the number of origins made.
fn time(cfg: &Cfg, options: &Options) -> (f64, usize) {
    let tree = restructure(&cfg.shape(), options);
    let mut best = f64::INFINITY;
    let mut origins = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let graph = black_box(construct(cfg, &tree));
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        origins = graph.origin_bound();
    }
    (best, origins)
}

fn row(name: &str, size: usize, make: impl Fn(usize) -> Cfg, options: &Options) {
    let (once, twice) = (make(size), make(2 * size));
    let ((a, _), (b, origins)) = (time(&once, options), time(&twice, options));
    let per_inst = b * 1e6 / twice.inst_count() as f64;
    let per_origin = b * 1e6 / origins as f64;
    println!("{name:32} {size:8} {a:10.3} {b:10.3} {:6.2} {per_inst:10.1} {per_origin:10.1}", b / a);
}

fn main() {
    let factor: usize = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1);
    println!(
        "{:32} {:>8} {:>10} {:>10} {:>6} {:>10} {:>10}",
        "family", "n", "n: ms", "2n: ms", "ratio", "ns/inst", "ns/origin"
    );
    let plain = Options::default();
    row("instructions", factor * 200_000, straight_line, &plain);
    for family in Family::ALL {
        let size = factor
            * match family {
                Family::StraightLine => 200_000,
                Family::ElseIfCascade | Family::Switch => 20_000,
                Family::FallThrough | Family::NestedIrreducible => 200,
                _ => 2_000,
            };
        let make = |size| fill(&family.shape(size), Fill::LINEAR, &mut Rng::new(1));
        row(family.name(), size, make, &plain);
        if matches!(family, Family::NestedLoops) {
            row("nested-loops, inverted", size, make, &Options { invert_head_controlled: true });
        }
    }
}
