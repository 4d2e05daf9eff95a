//! `docs/polybench.md`: the report as a page of the documentation, with the reasons for what is slower than elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::figures::{self, Figure};
use super::tables;
use crate::configs::BASELINE;
use crate::process;
use crate::results::{KernelRow, Run};
use crate::statistics::geometric_mean;

/// The column of ours that is compared with the best of the others.
pub const OURS: &str = "ours -O3";

/// LLVM's column without vectorizers.
pub const SCALAR: &str = "opt -O3 no vec";

/// How much slower than another column ours may be without a reason being asked for.
const FREE: f64 = 1.05;

/// Why ours is slower than other columns on a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// What is missing against [`SCALAR`].
    #[serde(default)]
    pub scalar: Option<String>,
    /// What is missing beyond that against the best column.
    #[serde(default)]
    pub best: Option<String>,
}

/// Reasons by kernel.
pub type Reasons = BTreeMap<String, Reason>;

/// Reads the reasons, which lie beside the kernels.
///
/// # Errors
/// The file cannot be read, or is not of the right form.
pub fn reasons(folder: &Path) -> Result<Reasons> {
    let path = folder.join("reasons.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| path.display().to_string())
}

/// What the times on the page depend on, besides the machine: our optimizer, the kernels, and what measures them.
const DEPENDS_ON: [&str; 10] = [
    "rvsdg-core",
    "rvsdg-analysis",
    "rvsdg-cfg",
    "rvsdg-passes",
    "rvsdg-emit",
    "rvsdg-llvm",
    "rvsdg-llvm/shim",
    "jlm",
    "benches/polybench",
    "benches",
];

/// Writes the page, its figures and its data below the folder of the documentation.
///
/// # Errors
/// A file cannot be written.
pub fn write(run: &Run, reasons: &Reasons, docs: &Path) -> Result<PathBuf> {
    let results = docs.join("polybench/results.json");
    run.write(&results)?;
    // Numbers are rounded where they are written: what follows is of what the file says.
    let run = &Run::read(&results)?;
    for figure in figures(run)? {
        process::write(&docs.join(&figure.file), figure.svg.as_bytes())?;
    }
    let evidence = serde_json::to_string_pretty(&evidence(run))? + "\n";
    process::write(&docs.join("evidence/polybench.json"), evidence.as_bytes())?;
    let path = docs.join("polybench.md");
    process::write(&path, page(run, reasons)?.as_bytes())?;
    Ok(path)
}

fn figures(run: &Run) -> Result<Vec<Figure>> {
    let mut figures = figures::polybench(run)?;
    figures.extend(figures::programs(run)?);
    figures.iter_mut().for_each(|figure| figure.file.insert_str(0, "polybench/"));
    Ok(figures)
}

/// The page of the documentation.
///
/// # Errors
/// A figure cannot be drawn.
pub fn page(run: &Run, reasons: &Reasons) -> Result<String> {
    let mut text = format!(
        "# PolyBench\n\n\
         Written by `cargo bench -- --write-docs` from `polybench/results.json`, of revision <!-- evidence: polybench.revision -->{};\n\
         `cargo bench -- --write-docs --from docs/polybench/results.json` writes it anew. The kernels are our own, after PolyBench 4.2.1.\n\n",
        run.machine.revision
    );
    text.push_str(&tables::body(run, &figures(run)?));
    text.push_str(&differences(run, reasons));
    Ok(text)
}

/// What other pages may name, in the form of the files of `docs/evidence`.
pub fn evidence(run: &Run) -> Value {
    let mean = |name: &str| geometric_mean(run.speedups(name)).map(|mean| (100.0 * mean).round() / 100.0);
    let speedups: BTreeMap<&str, Option<f64>> = run.names().map(|name| (name, mean(name))).collect();
    let baselines = run.kernels.iter().filter_map(|kernel| Some(kernel.measurement(BASELINE)?.median));
    json!({
        "command": "cargo bench -- --write-docs", "date": run.date, "revision": run.machine.revision,
        "depends_on": DEPENDS_ON,
        "result": {
            "kernels": run.kernels.len(), "geometric_mean": speedups, "shortest_baseline": baselines.reduce(f64::min),
        },
    })
}

/// Where ours is slower than another column, and why.
pub fn differences(run: &Run, reasons: &Reasons) -> String {
    let mut text = format!(
        "\n## What is missing\n\n\
         Kernels on which `{OURS}` is more than {:.0} % slower than `{SCALAR}`, or than the fastest column that does not know the\n\
         processor (`{}`), and which transformation is missing for it. What Polly does is concluded from the loop nests; its schedules\n\
         were not read.\n\n\
         | kernel | {OURS} | {SCALAR} | missing against it | fastest | missing beyond that |\n|---|--:|--:|---|---|---|\n",
        (FREE - 1.0) * 100.0,
        NATIVE,
    );
    for kernel in &run.kernels {
        let Some(ours) = kernel.measurement(OURS).map(|m| m.speedup) else {
            let _ = writeln!(text, "| {} | – | | | | |", kernel.name);
            continue;
        };
        let scalar = kernel.measurement(SCALAR).map_or(0.0, |m| m.speedup);
        let (fastest, best) = fastest(run, kernel);
        if scalar.max(best) <= ours * FREE {
            continue;
        }
        let reason = reasons.get(&kernel.name).cloned().unwrap_or_default();
        let told = |slower: bool, reason: Option<String>| match (slower, reason) {
            (false, _) => String::new(),
            (true, Some(reason)) => reason,
            (true, None) => "not known yet".into(),
        };
        let beyond = best > scalar.max(ours) * FREE;
        let _ = writeln!(
            text,
            "| {} | {ours:.2} | {scalar:.2} | {} | {fastest} {best:.2} | {} |",
            kernel.name,
            told(scalar > ours * FREE, reason.scalar),
            told(beyond, reason.best),
        );
    }
    text
}

/// The column that knows the processor.
const NATIVE: &str = "opt -O3 native";

/// The fastest column, and its speed-up.
fn fastest<'a>(run: &'a Run, kernel: &KernelRow) -> (&'a str, f64) {
    run.names()
        .filter(|name| *name != NATIVE)
        .filter_map(|name| Some((name, kernel.measurement(name)?.speedup)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or(("", 0.0))
}
