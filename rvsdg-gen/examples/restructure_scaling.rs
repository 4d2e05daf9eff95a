//! Prints the time of restructuring, classification and comparison for sizes n and 2n of each family of shapes, and their ratio.
//!
//! `cargo run --release -p rvsdg-gen --example restructure_scaling [factor]` multiplies the sizes by `factor`.

use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::compare::compare_shapes;
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_cfg::shape::Shape;
use rvsdg_gen::shapes::Family;
use std::hint::black_box;
use std::time::Instant;

/// The least time of a few runs, in milliseconds.
fn time(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}

fn main() {
    let factor: usize = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(1);
    println!("{:24} {:>8} {:24} {:>10} {:>10} {:>6}", "family", "n", "", "n: ms", "2n: ms", "ratio");
    for family in Family::ALL {
        let size = factor
            * match family {
                Family::StraightLine => 200_000,
                Family::ElseIfCascade | Family::Switch => 20_000,
                Family::FallThrough | Family::NestedIrreducible => 500,
                _ => 2_000,
            };
        let (once, twice) = (family.shape(size), family.shape(2 * size));
        let row = |what: &str, run: &dyn Fn(&Shape)| {
            let (a, b) = (time(|| run(&once)), time(|| run(&twice)));
            println!("{:24} {size:8} {what:24} {a:10.3} {b:10.3} {:6.2}", family.name(), b / a);
        };
        row("restructure", &|shape| drop(black_box(restructure(shape, &Options::default()))));
        let copying = Options { invert_head_controlled: true };
        row("restructure with copying", &|shape| drop(black_box(restructure(shape, &copying))));
        row("classify", &|shape| assert!(black_box(classify(shape)) <= Class::Irreducible));
        row("compare", &|shape| assert!(compare_shapes(shape, shape).is_ok()));
    }
}
