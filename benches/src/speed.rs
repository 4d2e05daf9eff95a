//! Small programs in three languages: each is made by `opt -O3` and by us, must print what the compiler's own unoptimized program prints,
//! and is timed beside the others.
//!
//! In reading order: which programs there are ([`catalogue`]), how they become IR and programs ([`build`]), and what is shown of a run
//! ([`tables`]).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use serde::{Deserialize, Serialize};

use crate::build::Program;
use crate::compare::Candidates;
use crate::configs::{self, Config};
use crate::process::{self, words};
use crate::results::{Cell, lines};
use crate::timing::{self, Plan};
use build::Builder;
use catalogue::{Language, Source};

pub mod build;
pub mod catalogue;
pub mod tables;

/// The columns; what others are compared with is the first.
pub const COLUMNS: [&str; 5] = ["opt -O3 no vec", "opt -O3", "ours -O2", "ours -O3", "ours -Os"];

/// The column of ours that is compared with the first.
pub const OURS: &str = "ours -O3";

/// How many times shorter a quick run's work is.
const QUICK: u64 = 20;

/// What programs may take before they are given up, the unoptimized ones included.
const LIMIT: Duration = Duration::from_secs(60);

/// When programs whose times vary are no longer run again.
const BUDGET: Duration = Duration::from_secs(25 * 60);

/// The shortest that the first column may take in a full run.
const SHORTEST: f64 = 0.1;

/// Times programs in C, C++ and Rust as `opt -O3` makes them and as we do.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --bench speed --")]
pub struct Options {
    /// Programs of benches/speed/programs.json (all if absent)
    #[arg(value_name = "PROGRAM")]
    pub programs: Vec<String>,

    /// Less work and fewer rounds: whether everything runs, rather than how long it takes
    #[arg(long)]
    pub quick: bool,

    /// Keep the times of programs whose code is that of the last run
    #[arg(long)]
    pub resume: bool,

    /// Our optimizer (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// Where IR, programs and results go (target/speed)
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// What came out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// The programs that are done, in the order of the catalogue.
    pub programs: Vec<Row>,
}

/// A program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The language of its source.
    pub language: Language,
    /// Why our program is slower than the first column's, where known.
    pub reason: Option<String>,
    /// A hash of all programs and of how often they do their work.
    pub code: String,
    /// For each column.
    pub cells: BTreeMap<String, Cell>,
}

impl Row {
    /// How many times as long as the first column's the program of a column takes.
    pub fn ratio(&self, column: &str) -> Option<f64> {
        Some(1.0 / self.cells.get(column)?.measurement()?.speedup)
    }
}

/// Builds, checks and times the programs that are asked for. Results are written after every program; one that cannot be measured has
/// no numbers.
///
/// # Errors
/// A program is not known, or the optimizer or the results of the last run are absent or not valid.
pub fn measure(options: &Options) -> Result<Run> {
    let sources = catalogue::select(catalogue::read(&catalogue::folder())?, &options.programs)?;
    let jlm_opt = process::jlm_opt(options.jlm_opt.as_deref())?;
    let folder = match &options.output {
        Some(folder) => std::path::absolute(folder)?,
        None => process::target_folder().join(if options.quick { "speed/quick" } else { "speed/full" }),
    };
    let configs = columns()?;
    let results = folder.join("results.json");
    let known = if options.resume { read(&results)? } else { Run::default() };
    let session = Session { jlm_opt, folder, quick: options.quick, end: Instant::now() + BUDGET, known };
    let mut run = Run::default();
    for (number, source) in sources.iter().enumerate() {
        let row = session.row(source, &configs).unwrap_or_else(|error| failed(source, &configs, &format!("{error:#}")));
        let ratio = row.ratio(OURS).map_or("failed".into(), |ratio| format!("{ratio:.2}"));
        eprintln!("{:>3}/{} {}: {ratio}", number + 1, sources.len(), row.name);
        run.programs.push(row);
        process::write(&results, &lines::json(&run)?)?;
    }
    Ok(run)
}

/// The configurations of [`COLUMNS`], in their order.
fn columns() -> Result<Vec<Config>> {
    let mut all = configs::all();
    let mut take = |name: &&str| {
        let place = all.iter().position(|config| config.name == *name).context("every column is a configuration")?;
        Ok(all.swap_remove(place))
    };
    COLUMNS.iter().map(&mut take).collect()
}

/// What an earlier run left, if it left anything.
fn read(results: &Path) -> Result<Run> {
    if !results.exists() {
        return Ok(Run::default());
    }
    let bytes = std::fs::read(results).with_context(|| results.display().to_string())?;
    serde_json::from_slice(&bytes).with_context(|| results.display().to_string())
}

struct Session {
    jlm_opt: PathBuf,
    folder: PathBuf,
    quick: bool,
    end: Instant,
    known: Run,
}

impl Session {
    fn row(&self, source: &Source, configs: &[Config]) -> Result<Row> {
        let argument = if self.quick { source.repeat.div_ceil(QUICK) } else { source.repeat }.to_string();
        let builder = Builder { source, folder: self.folder.join(&source.name), jlm_opt: &self.jlm_opt };
        let expected = builder.expected(&argument, LIMIT)?;
        let candidates = Candidates::new(configs.iter().collect(), builder.programs(configs)?);
        let code = code(&candidates, &argument);
        let row = |cells| Row {
            name: source.name.clone(),
            language: source.language,
            reason: source.reason.clone(),
            code: code.clone(),
            cells,
        };
        let known = self.known.programs.iter().find(|known| known.name == source.name && known.code == code);
        if let Some(known) = known {
            return Ok(row(known.cells.clone()));
        }
        let wrong: Vec<Option<String>> = candidates
            .each_distinct(|program| match process::run(&command(&program.executable, &argument), LIMIT)? {
                Ok(done) if done.output == expected => Ok(None),
                Ok(_) => Ok(Some("prints something else than the unoptimized program".to_owned())),
                Err(failure) => Ok(Some(failure.to_string())),
            })
            .into_iter()
            .map(|said: Option<Result<_>>| said.unwrap_or(Ok(None)))
            .collect::<Result<_>>()?;
        if let Some(Some(why)) = wrong.first() {
            bail!("{}: {why}", COLUMNS[0]);
        }
        let plan = if self.quick {
            Plan { rounds: 3, most_rounds: 3, spread: 1.0, limit: LIMIT }
        } else {
            Plan { rounds: 5, most_rounds: 11, spread: 0.1, limit: LIMIT }
        };
        let once = |program: &PathBuf, limit| Ok(process::must(&command(program, &argument), limit)?.cpu);
        let cells = candidates.cells(&wrong, |files| timing::measure(files, &plan, self.end, once))?;
        let first = cells.get(COLUMNS[0]).and_then(Cell::measurement).context("the first column was timed")?.median;
        if !self.quick && first < SHORTEST {
            bail!("{} takes {first:.3} s, less than {SHORTEST} s", COLUMNS[0]);
        }
        Ok(row(cells))
    }
}

/// The row of a program that could not be measured at all.
fn failed(source: &Source, configs: &[Config], why: &str) -> Row {
    let cell = |config: &Config| (config.name.clone(), Cell::Failed { why: why.to_owned() });
    Row {
        name: source.name.clone(),
        language: source.language,
        reason: source.reason.clone(),
        code: String::new(),
        cells: configs.iter().map(cell).collect(),
    }
}

/// A program with how often it does its work.
fn command(program: &Path, argument: &str) -> Vec<std::ffi::OsString> {
    words([program.as_os_str(), argument.as_ref()])
}

/// A hash of all programs and of how often they do their work.
fn code(candidates: &Candidates<'_>, argument: &str) -> String {
    let mut hasher = DefaultHasher::new();
    argument.hash(&mut hasher);
    let object = |program: &Program| program.object.clone();
    candidates.each_distinct(object).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
