//! `cargo xtask polybench`: the kernels' results, compared with their definitions, through the optimizer, and with the originals.

mod dump;
mod kernels;
mod ways;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};

use crate::corpus::stats::Statistics;
use crate::tools;
use dump::{Dump, Tolerance};
use kernels::{DATASETS, Kernel};
use ways::{CLANG, LIMIT, PRINTED, Place, WAYS, Way};

/// The tasks on the kernels.
#[derive(Subcommand)]
pub enum Task {
    /// Runs every kernel, compiled in several ways and through jlm-opt, and compares what it dumps with the definition's results
    Check(Check),
}

/// What `cargo xtask polybench check` takes.
#[derive(Args, Default)]
pub struct Check {
    /// A kernel (may be repeated; all if absent)
    #[arg(long = "kernel", value_name = "NAME")]
    kernels: Vec<String>,
    /// A data set: MINI, SMALL, MEDIUM, LARGE or EXTRALARGE (may be repeated; MINI and SMALL if absent)
    #[arg(long = "dataset", value_name = "NAME")]
    datasets: Vec<String>,
    /// The root of a PolyBench checkout, whose kernels must give the same
    #[arg(long, value_name = "FOLDER")]
    original: Option<PathBuf>,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    jlm_opt: Option<PathBuf>,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
}

/// Runs a task.
///
/// # Errors
/// A part of it failed; what failed has been printed.
pub fn main(task: Task) -> Result<()> {
    match task {
        Task::Check(check) => check.main(),
    }
}

/// Checks every kernel on the two small data sets, as CI does.
///
/// # Errors
/// As [`main`].
pub fn sample(jlm_opt: &Path) -> Result<()> {
    Check { jlm_opt: Some(jlm_opt.to_owned()), ..Check::default() }.main()
}

/// What was compared.
#[derive(Default)]
struct Compared {
    dumps: usize,
    numbers: usize,
    statistics: Statistics,
}

impl Check {
    fn main(&self) -> Result<()> {
        let start = Instant::now();
        let kernels = self.chosen_kernels()?;
        let datasets = self.chosen_datasets()?;
        let optimizer = tools::optimizer(self.jlm_opt.as_deref())?;
        let original = match &self.original {
            Some(folder) => Some(folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))?),
            None => None,
        };
        let jobs = self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        std::fs::create_dir_all(folder())?;
        utilities()?;

        let cells: Vec<(&Kernel, &str)> =
            datasets.iter().flat_map(|&dataset| kernels.iter().map(move |kernel| (kernel, dataset))).collect();
        let results = tools::parallel(jobs, &cells, |&(kernel, dataset)| {
            Cell { kernel, dataset, optimizer: &optimizer, original: original.as_deref() }.check()
        });
        let (mut all, mut failed) = (Compared::default(), 0);
        for (&(kernel, dataset), result) in cells.iter().zip(results) {
            match result {
                Ok(compared) => {
                    all.dumps += compared.dumps;
                    all.numbers += compared.numbers;
                    all.statistics.add(&compared.statistics);
                }
                Err(error) => {
                    failed += 1;
                    eprintln!("FAILED {} {dataset}: {error:#}\n", kernel.name);
                }
            }
        }
        println!(
            "{} kernels, {}: {} dumps agree with the definitions (with {} numbers); {} of {} bodies went through the graph ({:.1} s)",
            kernels.len(),
            datasets.join(" and "),
            all.dumps,
            all.numbers,
            all.statistics.through,
            all.statistics.bodies,
            start.elapsed().as_secs_f64()
        );
        ensure!(failed == 0, "{failed} of {} runs failed", cells.len());
        Ok(())
    }

    fn chosen_kernels(&self) -> Result<Vec<Kernel>> {
        let mut kernels = kernels::read()?;
        for wanted in &self.kernels {
            ensure!(kernels.iter().any(|kernel| kernel.name == *wanted), "there is no kernel {wanted}");
        }
        kernels.retain(|kernel| self.kernels.is_empty() || self.kernels.contains(&kernel.name));
        Ok(kernels)
    }

    fn chosen_datasets(&self) -> Result<Vec<&'static str>> {
        if self.datasets.is_empty() {
            return Ok(vec!["MINI", "SMALL"]);
        }
        let find = |wanted: &String| DATASETS.into_iter().find(|name| name == wanted);
        let known = |wanted| find(wanted).with_context(|| format!("there is no data set {wanted}"));
        self.datasets.iter().map(known).collect()
    }
}

/// Where the work is done.
fn folder() -> PathBuf {
    tools::target_folder().join("polybench")
}

/// The object file with memory and time.
fn utilities_object() -> PathBuf {
    folder().join("polybench.o")
}

fn utilities() -> Result<()> {
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-fPIC", "-c"]).arg(kernels::utilities(&kernels::folder())).arg("-o").arg(utilities_object());
    tools::output(&mut clang).map(drop)
}

/// A kernel on a data set.
struct Cell<'a> {
    kernel: &'a Kernel,
    dataset: &'a str,
    optimizer: &'a Path,
    original: Option<&'a Path>,
}

impl Cell<'_> {
    fn check(&self) -> Result<Compared> {
        let exact = self.definition()?;
        let tolerance = Tolerance::of(&self.kernel.element)?;
        let mut compared = Compared { dumps: WAYS.len() + 1, numbers: exact.len(), ..Compared::default() };
        let mut first: Option<Dump> = None;
        let shared = self.base("input");
        let place = Place { source: &self.kernel.file, dataset: self.dataset, shared: &shared };
        place.prepare()?;
        for way in WAYS {
            let dump = self.dump(way, &place, &mut compared.statistics);
            let dump = dump.with_context(|| format!("{} failed", way.name()))?;
            match &first {
                None => {
                    dump.close(&exact, tolerance).context("it is not what the definition says")?;
                    first = Some(dump);
                }
                Some(first) => {
                    dump.same(first).with_context(|| format!("{} and {} differ", way.name(), WAYS[0].name()))?
                }
            }
        }
        let printed = self.dump(&PRINTED, &place, &mut compared.statistics)?;
        printed.close(&exact, tolerance.printed()).context("what is printed is not what the definition says")?;
        if let Some(original) = self.original {
            printed.same(&self.original_dump(original)?).context("it is not what the original gives")?;
            compared.dumps += 1;
        }
        if let Some([_, function, construct]) = compared.statistics.untouched.first() {
            bail!("the body of {function} did not go through the graph: {construct}");
        }
        Ok(compared)
    }

    /// The beginning of all files that a part of the work writes.
    fn base(&self, part: &str) -> String {
        let part = part.replace([' ', ','], "-");
        folder().join(format!("{}-{}-{part}", self.kernel.name, self.dataset)).display().to_string()
    }

    /// What the definition gives.
    fn definition(&self) -> Result<Dump> {
        let mut python = Command::new("python3");
        python.arg(kernels::folder().join("reference.py")).args([&self.kernel.name, self.dataset]);
        let text = String::from_utf8(tools::output(&mut python)?)?;
        Dump::parse(&text, &self.kernel.live_out).with_context(|| format!("wrong output of {}", tools::shown(&python)))
    }

    /// What our kernel gives, compiled in a way.
    fn dump(&self, way: &Way, place: &Place, statistics: &mut Statistics) -> Result<Dump> {
        let base = self.base(&way.name());
        way.run(place, &base, self.optimizer)?;
        if way.optimizes() {
            statistics.add(&Statistics::read(Path::new(&format!("{base}.json")), &self.kernel.name)?);
        }
        let mut link = Command::new("clang-22");
        link.arg(format!("{base}.o")).arg(utilities_object()).args(["-lm", "-o", &base]);
        tools::output(&mut link)?;
        self.run(&base)
    }

    /// What the original kernel gives.
    fn original_dump(&self, root: &Path) -> Result<Dump> {
        let base = self.base("original");
        let source = root.join(&self.kernel.path);
        let of_kernel = source.parent().context("a kernel has a folder")?;
        let utilities = root.join("utilities");
        let mut clang = Command::new(CLANG[0]);
        clang.args(&CLANG[1..]).args(["-O0", "-w"]).arg(format!("-D{}_DATASET", self.dataset));
        clang.arg("-I").arg(&utilities).arg("-I").arg(of_kernel);
        clang.arg(&source).arg(kernels::utilities(&utilities)).args(["-lm", "-o", &base]);
        tools::output(&mut clang)?;
        self.run(&base)
    }

    fn run(&self, executable: &str) -> Result<Dump> {
        let mut command = Command::new("timeout");
        command.args([LIMIT, executable]);
        let (_, dumped) = tools::both_outputs(&mut command)?;
        Dump::parse(&dumped, &self.kernel.live_out).with_context(|| format!("wrong dump of {executable}"))
    }
}
