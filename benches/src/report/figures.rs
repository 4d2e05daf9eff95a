//! The report's figures, in the manner of the thesis.

use anyhow::Result;

use super::charts::{Bars, Points};
use crate::configs::{BASELINE, CONTROL};
use crate::programs::{FileRow, FunctionRow, LEVEL, Program};
use crate::results::{KernelRow, Measurement, Run};
use crate::statistics::{geometric_mean, mean};

/// A figure: the file's name, and the picture.
pub struct Figure {
    /// The file, relative to the page.
    pub file: String,
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
            file: "speedup.svg".into(),
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
            file: "text-size.svg".into(),
            shows: "Text size per kernel",
            svg: Bars { title: "Text size (as figure B1.10)".into(), y: "KiB".into(), ..sizes }.svg()?,
        },
    ])
}

/// The figures about whole programs; none when no program was measured.
///
/// # Errors
/// One cannot be drawn.
pub fn programs(run: &Run) -> Result<Vec<Figure>> {
    if run.programs.is_empty() {
        return Ok(Vec::new());
    }
    let sum = |program: &Program, field: fn(&FunctionRow) -> u64| program.functions.iter().map(field).sum::<u64>();
    let branches = run.programs.iter().map(|program| {
        let scfr = sum(program, |body| body.scfr);
        (scfr > 0).then(|| sum(program, |body| body.pcfr) as f64 / scfr as f64)
    });
    let instructions = "LLVM instructions";
    let bodies = |title: &str, y: &str, value: fn(&FunctionRow) -> f64| {
        let point = |body: &FunctionRow| (body.instructions as f64, value(body));
        let series = series(run, |program| program.functions.iter().map(point).collect());
        Points { title: title.into(), x: instructions.into(), y: y.into(), series }.svg()
    };
    let file = |file: &FileRow| (file.instructions as f64, file.seconds.iter().sum::<f64>() * 1e3);
    Ok(vec![
        Figure {
            file: "ir-size.svg".into(),
            shows: "RVSDG nodes against LLVM instructions per function",
            svg: bodies("Nodes of a function (as figures B1.11a and B2.8)", "RVSDG nodes", |body| body.nodes as f64)?,
        },
        Figure {
            file: "compile-time.svg".into(),
            shows: "Time of construction, passes and destruction against LLVM instructions per file",
            svg: Points {
                title: format!("Construction, {LEVEL} and destruction of a file (as figure B1.11b)"),
                x: instructions.into(),
                y: "milliseconds".into(),
                series: series(run, |program| program.files.iter().map(file).collect()),
            }
            .svg()?,
        },
        Figure {
            file: "branches.svg".into(),
            shows: "Static branches of PCFR relative to SCFR per program",
            svg: Bars {
                title: "Static branches of PCFR relative to SCFR (as figure B2.7)".into(),
                y: "PCFR / SCFR".into(),
                groups: run.programs.iter().map(|program| program.name.clone()).collect(),
                series: vec![("PCFR / SCFR".into(), branches.collect())],
                line: Some(1.0),
                most: 1.2,
            }
            .svg()?,
        },
        Figure {
            file: "construction-time.svg".into(),
            shows: "Time of construction against LLVM instructions per function",
            svg: bodies("Construction of a function (as figure B2.9)", "microseconds", |body| body.construction * 1e6)?,
        },
        Figure {
            file: "destruction-time.svg".into(),
            shows: "Time of destruction against LLVM instructions per function",
            svg: bodies("Destruction of a function by PCFR (as figure B2.10)", "microseconds", |body| {
                body.destruction * 1e6
            })?,
        },
    ])
}

/// Points of each program, all of its variants together.
fn series(run: &Run, points: impl Fn(&Program) -> Vec<(f64, f64)>) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for program in &run.programs {
        let name = program.name.split(' ').next().unwrap_or_default();
        match series.iter_mut().find(|(other, _)| other == name) {
            Some((_, all)) => all.extend(points(program)),
            None => series.push((name.to_owned(), points(program))),
        }
    }
    series
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
