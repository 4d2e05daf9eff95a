//! Whole programs through our optimizer, PolyBench among them: how large the graph of a function is, how many branches recovery
//! leaves, and how long construction, passes and recovery take.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::process::{self, words};

/// The longest that one file may take.
const LIMIT: Duration = Duration::from_secs(120);

/// How often a file is sent through for its times. What disturbs a measurement only adds to it, so the least is taken.
const RUNS: usize = 3;

/// The optimization level whose time is compared with the size of files.
pub const LEVEL: &str = "-O3";

/// The two ways of recovering control flow.
const RECOVERIES: [&str; 2] = ["pcfr", "scfr"];

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Its name, with the variant.
    pub name: String,
    /// Its files, in the order of their names.
    pub files: Vec<FileRow>,
    /// The function bodies of all files that went through the graph.
    pub functions: Vec<FunctionRow>,
    /// Files that failed, and why.
    pub failures: Vec<(String, String)>,
}

/// A file under [`LEVEL`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileRow {
    /// Its name.
    pub name: String,
    /// Instructions of the bodies that went through the graph.
    pub instructions: u64,
    /// Nodes after construction.
    pub nodes: u64,
    /// Nodes after the passes.
    pub nodes_after: u64,
    /// Conditional branches and switches after the passes and predicative recovery.
    pub pcfr: u64,
    /// Conditional branches and switches after the passes and structured recovery.
    pub scfr: u64,
    /// Seconds of construction, passes and recovery on one thread.
    pub seconds: [f64; 3],
}

/// A function body straight after construction.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct FunctionRow {
    /// Instructions.
    pub instructions: u64,
    /// Nodes of its graph.
    pub nodes: u64,
    /// Conditional branches and switches as they were read.
    pub branches: u64,
    /// Those that predicative recovery makes.
    pub pcfr: u64,
    /// Those that structured recovery makes.
    pub scfr: u64,
    /// Seconds of restructuring and construction.
    pub construction: f64,
    /// Seconds of predicative recovery.
    pub destruction: f64,
}

/// A function body as it stands in the file: its numbers, times in microseconds.
type Packed = (u64, u64, u64, u64, u64, f64, f64);

impl From<Packed> for FunctionRow {
    fn from((instructions, nodes, branches, pcfr, scfr, construction, destruction): Packed) -> Self {
        let (construction, destruction) = (construction / 1e6, destruction / 1e6);
        FunctionRow { instructions, nodes, branches, pcfr, scfr, construction, destruction }
    }
}

impl From<FunctionRow> for Packed {
    fn from(row: FunctionRow) -> Self {
        let micros = |seconds: f64| (seconds * 1e8).round() / 1e2;
        let FunctionRow { instructions, nodes, branches, pcfr, scfr, construction, destruction } = row;
        (instructions, nodes, branches, pcfr, scfr, micros(construction), micros(destruction))
    }
}

/// What is read of the optimizer's statistics.
#[derive(Debug, Deserialize)]
struct Statistics {
    instructions: u64,
    nodes: u64,
    nodes_after: u64,
    graphs: Vec<GraphSize>,
    time: Times,
}

#[derive(Debug, Deserialize)]
struct GraphSize {
    instructions: u64,
    nodes: u64,
    branches: u64,
    branches_after: u64,
    construct_seconds: f64,
    destruct_seconds: f64,
}

#[derive(Debug, Deserialize)]
struct Times {
    construct: f64,
    passes: f64,
    destruct: f64,
}

/// The programs whose bitcode lies in a folder as `PROGRAM/VARIANT/FILE.bc`, in these variants: names, and their files.
///
/// # Errors
/// A folder cannot be read.
pub fn find(folder: &Path, variants: &[&str]) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let mut found = Vec::new();
    for program in entries(folder)? {
        for variant in variants {
            let place = program.join(variant);
            if !place.is_dir() {
                continue;
            }
            let mut files = entries(&place)?;
            files.retain(|file| file.extension().is_some_and(|extension| extension == "bc"));
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            if !files.is_empty() {
                found.push((format!("{name} {variant}"), files));
            }
        }
    }
    Ok(found)
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = read.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// Sends a program through our optimizer. A file that fails is named, and the others are measured.
///
/// # Errors
/// The optimizer cannot be started.
pub fn measure(jlm_opt: &Path, name: String, files: &[PathBuf], scratch: &Path) -> Result<Program> {
    let mut program = Program { name, files: Vec::new(), functions: Vec::new(), failures: Vec::new() };
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let optimizer = Optimizer { jlm_opt, file, json: &scratch.join("statistics.json") };
        match optimizer.functions().and_then(|functions| Ok((functions, optimizer.optimized(&name)?))) {
            Ok((functions, row)) => {
                program.functions.extend(functions);
                program.files.push(row);
            }
            Err(error) => program.failures.push((name, format!("{error:#}"))),
        }
    }
    Ok(program)
}

/// Our optimizer on a file.
struct Optimizer<'a> {
    jlm_opt: &'a Path,
    file: &'a Path,
    json: &'a Path,
}

impl Optimizer<'_> {
    /// The bodies of the file without passes.
    fn functions(&self) -> Result<Vec<FunctionRow>> {
        let predicative = self.statistics(RECOVERIES[0], None)?;
        let structured = self.statistics(RECOVERIES[1], None)?;
        let mut rows: Vec<FunctionRow> = predicative
            .graphs
            .iter()
            .zip(&structured.graphs)
            .map(|(body, structured)| FunctionRow {
                instructions: body.instructions,
                nodes: body.nodes,
                branches: body.branches,
                pcfr: body.branches_after,
                scfr: structured.branches_after,
                construction: body.construct_seconds,
                destruction: body.destruct_seconds,
            })
            .collect();
        for _ in 1..RUNS {
            for (row, again) in rows.iter_mut().zip(self.statistics(RECOVERIES[0], None)?.graphs) {
                row.construction = row.construction.min(again.construct_seconds);
                row.destruction = row.destruction.min(again.destruct_seconds);
            }
        }
        Ok(rows)
    }

    /// The file under [`LEVEL`].
    fn optimized(&self, name: &str) -> Result<FileRow> {
        let branches = |statistics: &Statistics| statistics.graphs.iter().map(|body| body.branches_after).sum();
        let structured = self.statistics(RECOVERIES[1], Some(LEVEL))?;
        let first = self.statistics(RECOVERIES[0], Some(LEVEL))?;
        let mut row = FileRow {
            name: name.to_owned(),
            instructions: first.instructions,
            nodes: first.nodes,
            nodes_after: first.nodes_after,
            pcfr: branches(&first),
            scfr: branches(&structured),
            seconds: first.time.stages(),
        };
        for _ in 1..RUNS {
            let again = self.statistics(RECOVERIES[0], Some(LEVEL))?.time.stages();
            for (seconds, again) in row.seconds.iter_mut().zip(again) {
                *seconds = seconds.min(again);
            }
        }
        Ok(row)
    }

    fn statistics(&self, recovery: &str, level: Option<&str>) -> Result<Statistics> {
        let mut command = words([self.jlm_opt]);
        command.extend(words(level));
        command.extend([self.file.into(), "-disable-output".into(), "--threads=1".into()]);
        command.push(format!("--control-flow={recovery}").into());
        command.push(format!("-stats-json={}", self.json.display()).into());
        process::must(&command, LIMIT)?;
        let json = std::fs::read(self.json).with_context(|| self.json.display().to_string())?;
        serde_json::from_slice(&json).context("the optimizer's statistics")
    }
}

impl Times {
    fn stages(&self) -> [f64; 3] {
        [self.construct, self.passes, self.destruct]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_rows_of_numbers() {
        let text = "[10,14,2,2,3,1.25,0.5]";
        let row: FunctionRow = serde_json::from_str(text).unwrap();
        assert_eq!((row.nodes, row.scfr), (14, 3));
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
    }
}
