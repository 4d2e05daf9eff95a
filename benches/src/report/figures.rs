//! The report's figures, in the manner of the thesis.

use anyhow::Result;

use super::charts::Bars;
use crate::configs::{BASELINE, CONTROL};
use crate::results::{KernelRow, Measurement, Run};
use crate::statistics::{geometric_mean, mean};

/// A figure: the file's name, and the picture.
pub struct Figure {
    /// The file's name, without folder.
    pub file: &'static str,
    /// What it shows, for those who do not see it.
    pub shows: &'static str,
    /// The SVG.
    pub svg: String,
}

/// Columns that a figure of bars leaves out where there are many: those between others.
const LEFT_OUT: &[&str] = &["opt -O2", "ours -O2", "ours -Oz", CONTROL];

/// The figures about PolyBench.
///
/// # Errors
/// One cannot be drawn.
pub fn polybench(run: &Run) -> Result<Vec<Figure>> {
    let shown = |name: &&str| !LEFT_OUT.contains(name) && !name.ends_with("SCFR");
    let columns: Vec<&str> = run.names().filter(shown).collect();
    let without_baseline: Vec<&str> = columns.iter().copied().filter(|name| *name != BASELINE).collect();
    let speedups = bars(run, &without_baseline, "geometric mean", |m| m.speedup, geometric_mean);
    let sizes = bars(run, &columns, "mean", |m| m.text_bytes as f64 / 1024.0, mean);
    Ok(vec![
        Figure {
            file: "speedup.svg",
            shows: "Speed-up over the baseline per kernel",
            svg: Bars {
                title: "Speed-up over mem2reg (as figure B1.9)".into(),
                y: "times as fast".into(),
                line: Some(1.0),
                most: 6.0,
                ..speedups
            }
            .svg()?,
        },
        Figure {
            file: "text-size.svg",
            shows: "Text size per kernel",
            svg: Bars { title: "Text size (as figure B1.10)".into(), y: "KiB".into(), ..sizes }.svg()?,
        },
    ])
}

/// Bars of one value per kernel and column, and of its mean.
fn bars(
    run: &Run,
    columns: &[&str],
    mean_name: &str,
    value: impl Fn(&Measurement) -> f64,
    mean: impl Fn(Vec<f64>) -> Option<f64>,
) -> Bars {
    let of = |kernel: &KernelRow, column: &str| kernel.measurement(column).map(&value);
    let mut groups: Vec<String> = run.kernels.iter().map(|kernel| kernel.name.clone()).collect();
    groups.push(mean_name.into());
    let series: Vec<(String, Vec<Option<f64>>)> = columns
        .iter()
        .map(|column| {
            let mut values: Vec<Option<f64>> = run.kernels.iter().map(|kernel| of(kernel, column)).collect();
            values.push(mean(values.iter().flatten().copied().collect()));
            ((*column).to_owned(), values)
        })
        .collect();
    let most = series.iter().flat_map(|(_, values)| values.iter().flatten()).copied().fold(0.0, f64::max);
    Bars { title: String::new(), y: String::new(), groups, series, line: None, most: 1.1 * most.max(0.1) }
}
