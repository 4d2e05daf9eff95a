//! `cargo xtask corpus`: real programs as LLVM IR, run through the optimizer and compared with the compiler's result.

mod assembly;
mod build;
mod configs;
mod languages;
mod listing;
mod programs;
mod ptx;
mod reference;
mod run;
mod sample;
mod sources;
pub mod stats;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::evidence::{self, Evidence};
use crate::tools;
pub use build::folder;

use build::Built;
use configs::{CONFIGS, Check, Config, HARNESS};
use languages::Language;
use programs::{PROGRAMS, Program, VARIANTS, Variant};
use run::{Cell, Outcome};

/// The tasks on the corpora.
#[derive(Subcommand)]
pub enum Task {
    /// Only makes the IR files, as `target/corpus/ir/PROGRAM/VARIANT/FILE.bc`
    Build(Selection),
    /// Sends the IR files through jlm-opt, builds and runs the programs, and prints a table
    Run(Run),
}

/// Which part of the corpora a task works on.
#[derive(Args)]
pub struct Selection {
    /// A program of xtask/src/corpus/programs.rs (may be repeated; all if absent)
    #[arg(long = "program", value_name = "NAME")]
    programs: Vec<String>,
    /// A variant: O0, O1, O2, O3, O0-g, O1-g, raw-g, O2-g or O3-g, as far as the language has it (may be repeated; all if absent)
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Only the part that CI runs
    #[arg(long)]
    sample: bool,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
}

/// What `cargo xtask corpus run` takes.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    selection: Selection,
    /// A configuration, see xtask/src/corpus/configs.rs (may be repeated; all but `harness` if absent)
    #[arg(long = "config", value_name = "NAME")]
    configs: Vec<String>,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    jlm_opt: Option<PathBuf>,
    /// Keep the outcome in docs/evidence, and in docs/corpus.md
    #[arg(long)]
    write_docs: bool,
}

impl Selection {
    /// The programs in their variants that are asked for.
    fn pairs(&self) -> Result<Vec<(&'static Program, &'static Variant)>> {
        let programs: Vec<&'static Program> = select(PROGRAMS, |p| p.name, &self.programs, "program")?;
        let variants: Vec<&'static Variant> = select(VARIANTS, |v| v.name, &self.variants, "variant")?;
        let mut pairs = Vec::new();
        for &program in &programs {
            if let Some(why) = program.language.unavailable()? {
                eprintln!("{} is left out: {why}", program.name);
                continue;
            }
            let in_sample = |v: &&Variant| !self.sample || sample::contains(program, v, None);
            pairs.extend(
                variants
                    .iter()
                    .copied()
                    .filter(|v| v.flags(program.language).is_some() && in_sample(v))
                    .map(|variant| (program, variant)),
            );
        }
        Ok(pairs)
    }

    fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// The rows of a table that are asked for by name; all of them if none is.
fn select<T>(table: &'static [T], name: impl Fn(&T) -> &str, wanted: &[String], what: &str) -> Result<Vec<&'static T>> {
    for wanted in wanted {
        if !table.iter().any(|row| name(row) == wanted) {
            let names: Vec<&str> = table.iter().map(&name).collect();
            bail!("there is no {what} {wanted}; there are {}", names.join(", "));
        }
    }
    Ok(table.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|w| w == name(row))).collect())
}

/// Runs a task.
///
/// # Errors
/// A part of it failed; what failed has been printed.
pub fn main(task: Task) -> Result<()> {
    match task {
        Task::Build(selection) => {
            let start = Instant::now();
            let files: usize =
                build::build(&selection.pairs()?, selection.jobs())?.iter().map(|built| built.bitcode.len()).sum();
            let folder = folder().join("ir");
            println!("{files} IR files in {} ({:.1} s)", folder.display(), start.elapsed().as_secs_f64());
            Ok(())
        }
        Task::Run(run) => run.main(),
    }
}

/// Makes the IR files of some programs in one variant.
///
/// # Errors
/// As [`main`].
pub fn make(programs: &[&str], variant: &str) -> Result<()> {
    let programs = programs.iter().map(|&name| name.to_owned()).collect();
    let selection = Selection { programs, variants: vec![variant.to_owned()], sample: false, jobs: None };
    main(Task::Build(selection))
}

/// Runs the part of the corpora that CI runs.
///
/// # Errors
/// As [`main`].
pub fn sample(jlm_opt: &Path) -> Result<()> {
    let selection = Selection { programs: Vec::new(), variants: Vec::new(), sample: true, jobs: None };
    Run { selection, configs: Vec::new(), jlm_opt: Some(jlm_opt.to_owned()), write_docs: false }.main()
}

impl Run {
    fn main(&self) -> Result<()> {
        let evidence = Evidence::begin("corpus", &[evidence::OPTIMIZER, &["tests/corpus"]].concat())?;
        let jobs = self.selection.jobs();
        let mut configs: Vec<&'static Config> = select(CONFIGS, |c| c.name, &self.configs, "configuration")?;
        if self.configs.is_empty() {
            configs.retain(|config| config.name != HARNESS);
        }
        let pairs = self.selection.pairs()?;
        let optimizer = if configs.iter().any(|c| c.needs_optimizer()) {
            tools::optimizer(self.jlm_opt.as_deref())?
        } else {
            PathBuf::new()
        };

        let built = step("IR", || build::build(&pairs, jobs))?;
        let compared = configs.iter().any(|config| config.check == Check::Behaviour);
        step("reference", || if compared { references(&built, jobs) } else { Ok(()) })?;

        let mut cells = Vec::new();
        for built in &built {
            let in_sample =
                |c: &Config| !self.selection.sample || sample::contains(built.program, built.variant, Some(c));
            let of_built = configs.iter().filter(|c| in_sample(c)).map(|&config| Cell { built, config });
            cells.extend(of_built.filter(Cell::applies));
        }
        let outcomes = step("optimizer and comparison", || run::run(&cells, &optimizer, jobs))?;

        let (summary, detailed) = (table::summary(&cells, &outcomes), table::detailed(&cells, &outcomes));
        let untouched = table::untouched(&cells, &outcomes);
        println!("{}\n{}", detailed.text(), untouched.text());
        if self.write_docs {
            evidence.record(&json!({
                "clang": clang_version()?, "summary": summary.value(), "detailed": detailed.value(),
                "legend": table::legend(&cells),
                "untouched": if untouched.is_empty() { json!(["None."]) } else { untouched.value() },
                "failures": outcomes.iter().map(|outcome| outcome.failures.len()).sum::<usize>(),
            }))?;
        }
        report_failures(&outcomes)?;
        check_share(&cells, &outcomes)
    }
}

/// What clang says of its version.
fn clang_version() -> Result<String> {
    let said = tools::output(Command::new("clang-22").arg("--version"))?;
    Ok(String::from_utf8_lossy(&said).lines().next().unwrap_or_default().to_owned())
}

/// An executable of the corpora in a variant, with the files that are linked.
pub struct WholeProgram {
    /// `program/executable`.
    pub name: String,
    /// The variant.
    pub variant: &'static str,
    /// The bitcode of its files.
    pub bitcode: Vec<PathBuf>,
    /// The executable as clang makes it.
    pub executable: PathBuf,
    /// The arguments of each run.
    pub runs: Vec<Vec<String>>,
}

/// Every executable of the corpora in C and C++ in these variants, built without the optimizer.
///
/// # Errors
/// One of them cannot be built or run.
pub fn whole_programs(variants: &[&str], jobs: usize) -> Result<Vec<WholeProgram>> {
    let wanted: Vec<String> = variants.iter().map(|&name| name.to_owned()).collect();
    let variants = select(VARIANTS, |variant| variant.name, &wanted, "variant")?;
    let pairs = PROGRAMS.iter().filter(|program| matches!(program.language, Language::C | Language::Cxx));
    let pairs: Vec<_> = pairs.flat_map(|p| variants.iter().map(move |&variant| (p, variant))).collect();
    let built = step("IR", || build::build(&pairs, jobs))?;
    step("reference", || references(&built, jobs))?;
    let mut programs = Vec::new();
    for built in &built {
        let runs: Vec<Vec<String>> = reference::tests(built.program)?.into_iter().map(|test| test.arguments).collect();
        for (index, executable) in built.located.executables.iter().enumerate() {
            programs.push(WholeProgram {
                name: format!("{}/{}", built.program.name, executable.name),
                variant: built.variant.name,
                bitcode: executable.units.iter().map(|&unit| built.bitcode[unit].clone()).collect(),
                executable: reference::executable_path(built, index),
                runs: runs.clone(),
            });
        }
    }
    Ok(programs)
}

/// Builds and runs the programs without the optimizer.
fn references(built: &[Built], jobs: usize) -> Result<()> {
    let each = |count: fn(&Built) -> usize| -> Vec<(&Built, usize)> {
        built.iter().flat_map(|b| (0..count(b)).map(move |index| (b, index))).collect()
    };
    let units = each(|b| b.bitcode.len());
    tools::parallel(jobs, &units, |(b, unit)| reference::make_object(b, *unit))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let executables = each(|b| b.located.executables.len());
    let runs = tools::parallel(jobs, &executables, |(b, index)| reference::run(b, *index));
    runs.into_iter().collect::<Result<Vec<_>>>()?;
    reference::compare_variants(built)
}

/// Does a part of the work and says how long it took.
fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = work().with_context(|| format!("{name} failed"))?;
    eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(result)
}

/// Prints what went wrong, and fails if anything did.
fn report_failures(outcomes: &[Outcome]) -> Result<()> {
    const SHOWN: usize = 20;
    let failures: Vec<&String> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    for failure in failures.iter().take(SHOWN) {
        eprintln!("FAILED {failure}\n");
    }
    match failures.len() {
        0 => Ok(()),
        n if n > SHOWN => bail!("{n} failures, of which {SHOWN} are shown"),
        n => bail!("{n} failures"),
    }
}

/// Fails for a configuration in which a body stays outside the graph.
fn check_share(cells: &[Cell], outcomes: &[Outcome]) -> Result<()> {
    for config in CONFIGS {
        let mut all = stats::Statistics::default();
        let of_config = cells.iter().zip(outcomes).filter(|(cell, _)| cell.config.name == config.name);
        of_config.for_each(|(_, outcome)| all.add(&outcome.statistics));
        if let Some([file, function, construct]) = all.untouched.first() {
            let count = all.untouched.len();
            bail!(
                "with {} {count} bodies stay outside the graph, such as {function} of {file}: {construct}",
                config.name
            );
        }
    }
    Ok(())
}
