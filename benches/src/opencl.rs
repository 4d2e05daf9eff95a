//! Public OpenCL kernels as machine code of NVIDIA's GPUs: what becomes of them under our `-O3` and under `opt`'s.
//!
//! Both optimizers start from the same IR, in which libclc and libdevice are linked as clang links them, and both results go through the
//! same `llc` and `ptxas`.

pub(crate) mod arguments;
mod classes;
pub(crate) mod code;
mod page;
mod simulate;
pub(crate) mod sources;
pub(crate) mod suites;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use rayon::prelude::*;

use crate::process;
use code::{Code, Compiler};
use sources::Tools;
use suites::Source;

/// Compares code of OpenCL kernels.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --bench opencl --")]
pub struct Options {
    /// Only kernels of files whose path contains one of these words
    pub only: Vec<String>,

    /// Our optimizer, instead of one that is built now
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// What cargo passes to benchmarks
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// What came of a file of kernels.
struct Measured {
    source: Source,
    /// The kernels of the file, in order.
    kernels: Vec<String>,
    /// Their code, or why there is none.
    code: Result<Pair, String>,
    /// Their control flow, near the source and structured.
    flow: Vec<classes::Flow>,
    /// What they do on a simulated machine, before and after our optimizer.
    simulated: Vec<simulate::Simulated>,
}

/// The code of all kernels of a file, in the order of the kernels.
struct Pair {
    opt: Vec<Code>,
    ours: Vec<Code>,
}

/// Makes code of the kernels: tables.
///
/// # Errors
/// Something that is needed is missing and cannot be fetched, a file has no IR, or a kernel is no kernel any more.
pub fn measure(options: &Options) -> Result<String> {
    let folder = process::target_folder().join("opencl");
    let tools = Tools::locate(&folder)?;
    let mut sources = suites::sources(&folder)?;
    if !options.only.is_empty() {
        sources.retain(|source| options.only.iter().any(|word| source.path.contains(word)));
    }
    let jlm_opt = process::jlm_opt(options.jlm_opt.as_deref())?;
    let build = folder.join("build");
    std::fs::create_dir_all(&build).with_context(|| format!("cannot create {}", build.display()))?;
    let compiler = Compiler { tools, jlm_opt };
    let measured: Result<Vec<Measured>> = sources
        .into_par_iter()
        .map(|source| {
            let path = source.path.clone();
            let (taken, measured) = crate::time(|| measured(&compiler, source, &build));
            eprintln!("{path}: {:.1} s", taken.as_secs_f64());
            measured.with_context(|| path)
        })
        .collect();
    page::page(&measured?)
}

fn measured(compiler: &Compiler, source: Source, build: &Path) -> Result<Measured> {
    let at = |kind: &str| build.join(format!("{}.{kind}", source.name()));
    let input = at("in.ll");
    compiler.front_end(&source, &input)?;
    let (opt, ours) = (at("opt.ll"), at("jlm.ll"));
    compiler.opt(&["-O3"], &input, &opt)?;
    compiler.ours(&["-O3"], &input, &ours)?;
    let [before, after, theirs] = [&input, &ours, &opt].map(|file| compiler.ptx(file));
    let [before, after, theirs] = [before?, after?, theirs?];
    let kernels = code::entries(&before);
    ensure!(kernels == code::entries(&after), "other entries after `jlm-opt -O3`");
    ensure!(kernels == code::entries(&theirs), "other entries after `opt -O3`");
    let flow = classes::flow(compiler, &input, &at("plain.ll"), &at("structured.ll"), &kernels)?;
    let simulated = simulate::simulated(compiler, &input, &ours, &kernels)?;
    let code = match [compiler.code(&opt, &kernels)?, compiler.code(&ours, &kernels)?] {
        [Ok(opt), Ok(ours)] => Ok(Pair { opt, ours }),
        [Err(why), _] => Err(why),
        [Ok(_), Err(why)] => anyhow::bail!("only ours has no machine code: {why}"),
    };
    Ok(Measured { source, kernels, code, flow, simulated })
}
