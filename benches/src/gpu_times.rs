//! Kernels on a GPU: how long they take, ours against those of `opt -O3` and against what nothing structures.
//!
//! `prepare` makes PTX of every kernel by every tool, and says how each is to be launched; `run` gives it to the driver, launches the
//! kernels and takes times. The second part needs nothing of the first but its folder, so that a machine with a GPU needs no compiler.

mod cascades;
#[allow(unsafe_code)] // CUDA's driver is called
mod device;
mod page;
mod prepare;
mod run;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use serde::{Deserialize, Serialize};

use crate::opencl::arguments::Parameter;
use crate::process;

/// Times kernels on a GPU.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --bench gpu-times --")]
pub struct Options {
    /// Only make the code, and what is to be done with it, into a folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["run", "show"])]
    pub prepare: Option<PathBuf>,

    /// Only run what another machine has prepared, and leave the tables in the folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "show")]
    pub run: Option<PathBuf>,

    /// Only print the tables that a run has left
    #[arg(long, value_name = "FOLDER")]
    pub show: Option<PathBuf>,

    /// Our optimizer, instead of one that is built now
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// Run kernels from this one on, and print what came of each
    #[arg(long, hide = true, requires = "run")]
    pub from: Option<usize>,

    /// What cargo passes to benchmarks
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// What is to be run: a file of the folder, and files that it names.
#[derive(Serialize, Deserialize)]
struct Plan {
    smallest: Smallest,
    kernels: Vec<Kernel>,
}

/// Kernels of the smallest unstructured control flow.
#[derive(Serialize, Deserialize)]
struct Smallest {
    /// How often a warp executes a block once more than it must, for each kernel as it is.
    redundant: Vec<u64>,
    kernels: Vec<String>,
    /// Their code by each tool, first that which nothing has structured.
    tools: Vec<Code>,
}

/// A file of PTX.
#[derive(Serialize, Deserialize)]
struct Code {
    /// Who made it.
    name: String,
    file: String,
}

/// A kernel of a suite.
#[derive(Serialize, Deserialize)]
struct Kernel {
    suite: String,
    /// The file of its source, below the suite's folder.
    path: String,
    name: String,
    parameters: Vec<Parameter>,
    /// Threads of a block.
    threads: [u32; 3],
    /// PTX: of `opt -O3`, ours, and ours that is not structured.
    code: [String; 3],
}

/// The file of a plan.
const PLAN: &str = "plan.json";
/// The file of tables.
const TABLES: &str = "times.md";

/// Makes code, runs it, or both: tables.
///
/// # Errors
/// A tool that must be there is not or fails, or the GPU computes something else than it must for a kernel that has no race.
pub fn main(options: &Options) -> Result<String> {
    if let Some(folder) = &options.show {
        let file = folder.join(TABLES);
        return std::fs::read_to_string(&file).with_context(|| format!("no run has left {}", file.display()));
    }
    if let Some(folder) = &options.prepare {
        prepare::prepare(&process::jlm_opt(options.jlm_opt.as_deref())?, &std::path::absolute(folder)?)?;
        return Ok(String::new());
    }
    if let Some(folder) = &options.run {
        return run::run(folder, options.from);
    }
    let folder = process::target_folder().join("gpu-times");
    prepare::prepare(&process::jlm_opt(options.jlm_opt.as_deref())?, &folder)?;
    run::run(&folder, None)
}
