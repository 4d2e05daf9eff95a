//! Prints the time of destruction for sizes n and 2n of each family of control flow graphs, their ratio, that of the sizes of
//! the graphs, and what it comes to per instruction and per origin of the graph.
//!
//! `cargo run --release -p rvsdg-gen --example destruct_scaling [factor]` multiplies the sizes by `factor`.

use std::hint::black_box;
use std::time::Instant;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::Graph;
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::Family;

/// The least time of a few destructions in milliseconds.
fn time(graph: &Graph, recovery: Recovery) -> f64 {
    (0..5).fold(f64::INFINITY, |best, _| {
        let start = Instant::now();
        black_box(destruct(graph, 0, recovery));
        best.min(start.elapsed().as_secs_f64() * 1e3)
    })
}

fn row(name: &str, size: usize, make: impl Fn(usize) -> Cfg) {
    let sizes = [size, 2 * size].map(make);
    let graphs = [0, 1].map(|index| build(&sizes[index], &Options::default()));
    for recovery in [Recovery::Predicative, Recovery::Structured] {
        let [once, twice] = [0, 1].map(|index| time(&graphs[index], recovery));
        let growth = graphs[1].origin_bound() as f64 / graphs[0].origin_bound() as f64;
        let (ratio, per_inst) = (twice / once, twice * 1e6 / sizes[1].inst_count() as f64);
        let per_origin = twice * 1e6 / graphs[1].origin_bound() as f64;
        let recovery = format!("{recovery:?}");
        println!(
            "{name:20} {recovery:12} {size:8} {once:10.3} {twice:10.3} {ratio:6.2} {growth:6.2} {per_inst:10.1} {per_origin:10.1}"
        );
    }
}

fn main() {
    let factor: usize = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1);
    println!(
        "{:20} {:12} {:>8} {:>10} {:>10} {:>6} {:>6} {:>10} {:>10}",
        "family", "recovery", "n", "n: ms", "2n: ms", "ratio", "growth", "ns/inst", "ns/origin"
    );
    row("instructions", factor * 200_000, straight_line);
    for family in Family::ALL {
        let size = factor
            * match family {
                Family::StraightLine => 200_000,
                Family::ElseIfCascade | Family::Switch => 20_000,
                Family::FallThrough | Family::NestedIrreducible => 200,
                _ => 2_000,
            };
        row(family.name(), size, |size| fill(&family.shape(size), Fill::LINEAR, &mut Rng::new(1)));
    }
}
