//! `cargo xtask interp`: programs under the interpreter, compared with the same programs as machine code.

mod csmith;
mod page;
mod program;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::evidence::Evidence;
use crate::{corpus, tools};
use program::{Verdict, Way, compare};

/// The tasks on the interpreter.
#[derive(Subcommand)]
pub enum Task {
    /// The programs of the corpora in C and C++, each linked into one module
    Corpus(Settings),
    /// Programs that csmith makes up
    Csmith {
        /// How many are to be run; those that cannot be do not count
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first program's seed; the others follow
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        settings: Settings,
    },
}

/// How programs are run.
#[derive(Args)]
pub struct Settings {
    /// Passes to run before the program, such as `default<O2>`
    #[arg(long, default_value = "", hide_default_value = true)]
    passes: String,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    jlm_opt: Option<PathBuf>,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Seconds that the interpreter may take for a run
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    limit: u64,
    /// Keep the outcome in docs/evidence, and in docs/interpreter.md
    #[arg(long)]
    write_docs: bool,
}

impl Settings {
    fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn way<'a>(&'a self, optimizer: &'a Path) -> Way<'a> {
        Way { optimizer, passes: &self.passes, limit: self.limit, native: self.limit }
    }

    fn optimizer(&self) -> Result<PathBuf> {
        tools::optimizer(self.jlm_opt.as_deref())
    }
}

/// Where everything that is run under the interpreter is kept.
fn folder() -> PathBuf {
    tools::root().join("target/interp")
}

/// Runs a task.
///
/// # Errors
/// A program behaves differently under the interpreter; which one has been printed.
pub fn main(task: Task) -> Result<()> {
    match task {
        Task::Corpus(settings) => corpora(&settings),
        Task::Csmith { count, seed, settings } => csmith::run(count, seed, &settings),
    }
}

/// What a result depends on: what comes from LLVM, and what executes it.
const DEPENDS_ON: &[&str] = &["rvsdg-core", "rvsdg-cfg", "rvsdg-llvm", "rvsdg-llvm/shim", "rvsdg-interp", "jlm"];

const VARIANTS: &[&str] = &["O0", "O1", "O2"];

fn corpora(settings: &Settings) -> Result<()> {
    let evidence = Evidence::begin("interp-corpus", &[DEPENDS_ON, &["tests/corpus"]].concat())?;
    let optimizer = settings.optimizer()?;
    let programs = corpus::whole_programs(VARIANTS, settings.jobs())?;
    let verdicts = tools::parallel(settings.jobs(), &programs, |program| compare(program, &settings.way(&optimizer)));
    let mut rows: Vec<(String, Vec<Verdict>)> = Vec::new();
    for (program, verdict) in programs.iter().zip(verdicts) {
        let verdict = verdict?;
        match rows.iter_mut().find(|(name, _)| *name == program.name) {
            Some((_, verdicts)) => verdicts.push(verdict),
            None => rows.push((program.name.clone(), vec![verdict])),
        }
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let result = page::corpus(&rows, VARIANTS);
    println!("{}", serde_json::to_string_pretty(&result)?);
    if settings.write_docs {
        evidence.record(&result)?;
    }
    let different = rows.iter().flat_map(|(_, verdicts)| verdicts).filter(|verdict| verdict.differs()).count();
    if different > 0 {
        bail!("{different} programs behave differently under the interpreter");
    }
    Ok(())
}
