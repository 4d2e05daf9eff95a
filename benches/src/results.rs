//! What is kept of a run: one JSON file, from which every table and figure is made.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::configs::{Config, Family};
use crate::kernels::Sizes;
use crate::machine::Machine;
use crate::process;
use crate::programs::Program;

pub mod lines;

/// The version of the file's form.
pub const SCHEMA: u32 = 2;

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The version of the form, [`SCHEMA`].
    pub schema: u32,
    /// The day it began.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// How.
    pub method: Method,
    /// The columns, the baseline first.
    pub columns: Vec<Column>,
    /// The kernels that are done.
    pub kernels: Vec<KernelRow>,
    /// The programs that are done.
    pub programs: Vec<Program>,
    /// Why there are no programs but PolyBench, if so.
    pub programs_left_out: Option<String>,
}

/// How a run measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Whether it is a quick one.
    pub quick: bool,
    /// Whose sources the kernels are.
    pub sources: String,
    /// The seconds that the baseline should take.
    pub target: f64,
    /// The data set at which all kernels are timed, whatever they take.
    pub dataset: Option<String>,
    /// The fewest and the most rounds.
    pub rounds: (usize, usize),
    /// At which sizes the arrays that programs print are compared.
    pub check: String,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// `baseline`, `llvm`, `ours` or `other`.
    pub family: String,
    /// The front end's flags beside the common ones, the optimizer's command, the code generator's flags.
    pub commands: [String; 3],
    /// Why it was left out, if it was.
    pub left_out: Option<String>,
}

impl Column {
    /// What is kept of a configuration.
    pub fn of(config: &Config) -> Self {
        let family = match config.family {
            Family::Baseline => "baseline",
            Family::Llvm => "llvm",
            Family::Ours => "ours",
            Family::Other => "other",
        };
        Column {
            name: config.name.clone(),
            family: family.into(),
            commands: [config.front_end.join(" "), config.optimizer.join(" "), config.code_generator.join(" ")],
            left_out: None,
        }
    }
}

/// A kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelRow {
    /// Its name.
    pub name: String,
    /// The data set, or between which the sizes are.
    pub dataset: String,
    /// The macros.
    pub sizes: Sizes,
    /// Processes that wanted a processor when its timing began, per core.
    pub load: f64,
    /// For each column that was not left out, by name.
    pub cells: BTreeMap<String, Cell>,
}

/// A kernel under a configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Cell {
    /// It computes what the baseline computes, and was timed.
    Measured(Measurement),
    /// There is no program, or it does not compute what the baseline computes, or it takes too long.
    Failed {
        /// Why.
        why: String,
    },
}

/// What was measured of a kernel under a configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// An earlier column whose machine code is the same, byte for byte; times are those of it.
    pub same_code_as: Option<String>,
    /// Seconds of each run.
    pub seconds: Vec<f64>,
    /// Their median.
    pub median: f64,
    /// The distance between their quartiles over the median.
    pub spread: f64,
    /// The median of how many times as fast as the baseline it was in the same round.
    pub speedup: f64,
    /// The size of the text sections of the kernel's object file.
    pub text_bytes: u64,
    /// Processor time of the optimizer in seconds.
    pub optimizer_seconds: f64,
}

impl KernelRow {
    /// What was measured under a configuration.
    pub fn measurement(&self, column: &str) -> Option<&Measurement> {
        self.cells.get(column)?.measurement()
    }
}

impl Cell {
    /// What was measured, if it was.
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Cell::Measured(measurement) => Some(measurement),
            Cell::Failed { .. } => None,
        }
    }
}

impl Run {
    /// Reads a run.
    ///
    /// # Errors
    /// The file cannot be read, or is no run of this form.
    pub fn read(path: &Path) -> Result<Run> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let run: Run = serde_json::from_slice(&bytes).with_context(|| format!("{}", path.display()))?;
        if run.schema != SCHEMA {
            bail!("{} has form {}, not {SCHEMA}", path.display(), run.schema);
        }
        Ok(run)
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        process::write(path, &lines::json(self)?)
    }

    /// The names of the columns that were not left out.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.left_out.is_none()).map(|column| column.name.as_str())
    }

    /// How many times as fast as the baseline a column is, for each kernel for which that is known.
    pub fn speedups<'a>(&'a self, column: &'a str) -> impl Iterator<Item = f64> + 'a {
        self.kernels.iter().filter_map(move |kernel| Some(kernel.measurement(column)?.speedup))
    }
}
