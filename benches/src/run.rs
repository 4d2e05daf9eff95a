//! A run over PolyBench: every kernel under every configuration, checked, then timed in turn.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::build::{Builder, Program, optimize};
use crate::cli::Options;
use crate::compare::Candidates;
use crate::configs::{self, Config, Family};
use crate::kernels::{self, DATASETS, Kernel, Place, Sizes};
use crate::machine::{self, Machine};
use crate::process::{self, words};
use crate::programs;
use crate::results::{Cell, Column, KernelRow, Method, Run, SCHEMA};
use crate::sizes::{self, Choice};
use crate::timing::{self, Plan};

/// The environment variable that names an original checkout.
const ORIGINAL: &str = "POLYBENCH_DIR";

/// The data set at which graphs are measured.
const SHAPES: &str = "SMALL";

/// The longest that a program may take to print its arrays.
const DUMP_LIMIT: Duration = Duration::from_secs(120);

/// The shortest that the baseline may take on a kernel in a full run: what a shorter time is a ratio of is the machine's mood.
const SHORTEST: f64 = 0.2;

/// A program prints its arrays if it has more arguments than that and no name; no optimizer can tell that it never has.
const ARGUMENTS: usize = 1_001;

/// A kernel may take this many times as long as the baseline's should, and its program some seconds more, for the arrays.
const SLOWEST: f64 = 20.0;
const SETTING_UP: f64 = 5.0;

/// When repetitions end: a run must stay below 30 minutes, a quick one below 5.
const BUDGETS: [Duration; 2] = [Duration::from_secs(20 * 60), Duration::from_secs(3 * 60)];

/// Everything that a run needs to know.
pub struct Session {
    configs: Vec<Config>,
    place: Place,
    kernels: Vec<Kernel>,
    jlm_opt: PathBuf,
    scratch: PathBuf,
    plan: Plan,
    programs: bool,
    end: Instant,
    run: Run,
    results: PathBuf,
}

impl Session {
    /// Prepares a run: builds our optimizer, leaves out configurations that this machine lacks, reads what an interrupted run left.
    ///
    /// # Errors
    /// The kernels or tools are absent, the command line names what does not exist, or what was left is of another run.
    pub fn new(options: &Options, output: &Path) -> Result<Session> {
        let start = Instant::now();
        let ours = options.sources.clone().unwrap_or_else(|| process::root().join("benches/polybench"));
        let kernels = select(kernels::read(&ours)?, &options.kernels, |kernel| &kernel.name, "kernel")?;
        let place = std::env::var_os(ORIGINAL).map_or(Place::Ours(ours), |folder| Place::Original(folder.into()));
        let jlm_opt = process::jlm_opt(options.jlm_opt.as_deref())?;
        let configs = columns(options)?;
        if let Some(name) = &options.dataset
            && !DATASETS.contains(&name.as_str())
        {
            bail!("there is no data set '{name}'; there are {}", DATASETS.join(", "));
        }
        let scratch = std::path::absolute(output)?.join("work");
        std::fs::create_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
        let target = options.target.unwrap_or(if options.quick { 0.06 } else { 0.35 });
        let plan = Plan {
            rounds: 5,
            most_rounds: if options.quick { 9 } else { 15 },
            spread: 0.1,
            limit: Duration::from_secs_f64(target * SLOWEST + SETTING_UP),
        };
        let mut columns: Vec<Column> = configs.iter().map(Column::of).collect();
        let probes: Vec<Option<String>> = configs
            .par_iter()
            .enumerate()
            .map(|(n, config)| probe(config, &jlm_opt, &scratch, n))
            .collect::<Result<_>>()?;
        for (column, why) in columns.iter_mut().zip(probes) {
            column.left_out = why;
        }
        let configs = configs
            .into_iter()
            .zip(&columns)
            .filter_map(|(config, column)| column.left_out.is_none().then_some(config))
            .collect();
        let method = Method {
            quick: options.quick,
            sources: place.describe().into(),
            target,
            dataset: options.dataset.clone(),
            rounds: (plan.rounds, plan.most_rounds),
            check: "the timed sizes".into(),
        };
        let machine = Machine::this();
        let results = output.join("results.json");
        let mut run = Run {
            schema: SCHEMA,
            date: machine::today(),
            machine,
            method,
            columns,
            kernels: Vec::new(),
            programs: Vec::new(),
            programs_left_out: None,
        };
        if options.resume && results.exists() {
            let old = Run::read(&results)?;
            let differs = [
                ("machine or revision", old.machine != run.machine),
                ("way of measuring", old.method != run.method),
                ("list of columns", old.columns != run.columns),
            ];
            if let Some((what, _)) = differs.iter().find(|(_, differs)| *differs) {
                bail!("{} cannot be resumed: its {what} is another", results.display());
            }
            run = old;
        }
        let end = start + BUDGETS[usize::from(options.quick)];
        Ok(Session {
            configs,
            place,
            kernels,
            jlm_opt,
            scratch,
            plan,
            programs: !options.no_programs,
            end,
            run,
            results,
        })
    }

    /// Measures the kernels that are not done yet. The results are written after each of them.
    ///
    /// # Errors
    /// A tool cannot be started, or the results cannot be written.
    pub fn measure(mut self) -> Result<Run> {
        let all = std::mem::take(&mut self.kernels);
        let left: Vec<&Kernel> =
            all.iter().filter(|kernel| self.run.kernels.iter().all(|row| row.name != kernel.name)).collect();
        let bar = ProgressBar::new(2 * all.len() as u64).with_style(style());
        bar.set_position((all.len() - left.len()) as u64 * 2);
        bar.set_message("sizes");
        let choices: Vec<Result<Choice>> = left
            .par_iter()
            .map(|kernel| {
                let choice = self.sizes(kernel);
                bar.inc(1);
                choice
            })
            .collect();
        for (number, (kernel, choice)) in left.iter().zip(choices).enumerate() {
            bar.set_message(kernel.name.clone());
            let now = Instant::now();
            let share = self.end.saturating_duration_since(now) / (left.len() - number) as u32;
            let row = choice
                .and_then(|choice| self.kernel(kernel, choice, now + share))
                .unwrap_or_else(|error| self.failed(kernel, &format!("{error:#}")));
            if !std::io::stderr().is_terminal() {
                eprintln!("{:>3}/{} {}", number + 1 + all.len() - left.len(), all.len(), summary(&row));
            }
            self.run.kernels.push(row);
            self.run.kernels.sort_by(|a, b| a.name.cmp(&b.name));
            self.run.write(&self.results)?;
            bar.inc(1);
        }
        if self.programs {
            bar.set_message("programs");
            self.measure_programs(&all)?;
        }
        bar.finish_and_clear();
        Ok(self.run)
    }

    /// Sends PolyBench and the corpora through our optimizer, those that are not done yet.
    fn measure_programs(&mut self, kernels: &[Kernel]) -> Result<()> {
        let baselines = kernels
            .par_iter()
            .map(|kernel| {
                let sizes = &kernel.datasets[SHAPES];
                self.builder(kernel, "program").baseline(&[], sizes, &kernel.name)
            })
            .collect::<Result<Vec<PathBuf>>>()?;
        let mut found = vec![("PolyBench".to_owned(), baselines)];
        match corpora(self.run.method.quick) {
            Ok(corpora) => found.extend(corpora),
            Err(error) => self.run.programs_left_out = Some(format!("{error:#}")),
        }
        for (name, files) in found {
            if self.run.programs.iter().all(|program| program.name != name) {
                self.run.programs.push(programs::measure(&self.jlm_opt, name, &files, &self.scratch)?);
                self.run.write(&self.results)?;
            }
        }
        Ok(())
    }

    fn builder<'a>(&'a self, kernel: &'a Kernel, folder: &str) -> Builder<'a> {
        let folder = self.scratch.join(&kernel.name).join(folder);
        Builder { place: &self.place, kernel, folder, jlm_opt: &self.jlm_opt }
    }

    /// The sizes at which a kernel is timed.
    fn sizes(&self, kernel: &Kernel) -> Result<Choice> {
        if let Some(name) = &self.run.method.dataset {
            let sizes = kernel.datasets[name.as_str()].clone();
            return Ok(Choice { label: name.clone(), sizes, seconds: 0.0 });
        }
        let builder = self.builder(kernel, "sizes");
        sizes::choose(kernel, self.run.method.target, |sizes| {
            let mut programs = builder.programs(&[&self.configs[0]], sizes)?;
            let program = programs.pop().context("one program was asked for")??;
            match process::run(&words([program.executable]), self.plan.limit)? {
                Ok(done) => timing::seconds(&done.output),
                // Longer than the limit is all that is known.
                Err(process::Failure::TooLong(limit)) => Ok(limit.as_secs_f64()),
                Err(failure) => Err(failure.into()),
            }
        })
        .with_context(|| kernel.name.clone())
    }

    /// One kernel under all configurations.
    fn kernel(&self, kernel: &Kernel, choice: Choice, until: Instant) -> Result<KernelRow> {
        let all: Vec<&Config> = self.configs.iter().collect();
        let programs = self.builder(kernel, "time").programs(&all, &choice.sizes)?;
        let candidates = Candidates::new(all, programs);
        let wrong = wrong_dumps(&candidates)?;
        let load = machine::load() / self.run.machine.cores as f64;
        let cells = candidates.cells(&wrong, |files| timing::measure(files, &self.plan, until, timing::once))?;
        let baseline = cells.get(&self.configs[0].name).and_then(Cell::measurement).map_or(0.0, |cell| cell.median);
        if !self.run.method.quick && self.run.method.dataset.is_none() && baseline < SHORTEST {
            bail!("the baseline takes {baseline:.3} s, less than {SHORTEST} s");
        }
        Ok(KernelRow { name: kernel.name.clone(), dataset: choice.label, sizes: choice.sizes, load, cells })
    }

    /// The row of a kernel that could not be measured at all.
    fn failed(&self, kernel: &Kernel, why: &str) -> KernelRow {
        let cell = |config: &Config| (config.name.clone(), Cell::Failed { why: why.to_owned() });
        KernelRow {
            name: kernel.name.clone(),
            dataset: String::new(),
            sizes: Sizes::new(),
            load: 0.0,
            cells: self.configs.iter().map(cell).collect(),
        }
    }
}

/// For each of the programs that are going to be timed why the arrays that it prints are wrong, if they are: they must be the first one's,
/// digit for digit.
fn wrong_dumps(candidates: &Candidates<'_>) -> Result<Vec<Option<String>>> {
    let dump = |program: &Program| -> Result<(usize, u64)> {
        let mut command = words(["bash", "-c", "exec -a '' \"$0\" \"$@\""]);
        command.push(program.executable.clone().into());
        command.extend(std::iter::repeat_n("x".into(), ARGUMENTS));
        let printed = process::run(&command, DUMP_LIMIT)??.errors;
        let mut hasher = DefaultHasher::new();
        printed.hash(&mut hasher);
        Ok((printed.len(), hasher.finish()))
    };
    let mut dumps = candidates.each_distinct(dump).into_iter();
    let baseline = dumps.next().flatten().context("the baseline is the first configuration")??;
    if baseline.0 == 0 {
        bail!("the baseline prints no arrays");
    }
    let compare = |dump: Option<Result<(usize, u64)>>| match dump {
        Some(Ok(dump)) if dump != baseline => Some("computes other numbers than the baseline".to_owned()),
        Some(Err(error)) => Some(format!("{error:#}")),
        Some(Ok(_)) | None => None,
    };
    Ok([None].into_iter().chain(dumps.map(compare)).collect())
}

/// The configurations that a command line asks for.
fn columns(options: &Options) -> Result<Vec<Config>> {
    let all = configs::all();
    let names: Vec<String> = if options.columns.is_empty() {
        let asked = |config: &&Config| config.quick || !options.quick;
        all.iter().filter(asked).map(|config| config.name.clone()).collect()
    } else {
        let baselines = all.iter().filter(|config| config.family == Family::Baseline);
        baselines.map(|config| config.name.clone()).chain(options.columns.iter().cloned()).collect()
    };
    let mut columns = select(all, &names, |config| &config.name, "column")?;
    for text in &options.configs {
        let config = configs::parse(text)?;
        if columns.iter().any(|other| other.name == config.name) {
            bail!("there is a column '{}' already", config.name);
        }
        columns.push(config);
    }
    Ok(columns)
}

/// The programs of the corpora that a quick run has.
const QUICK_PROGRAMS: [&str; 5] = ["c", "cxx", "lua", "rust", "zlib"];

/// The programs of the corpora, which are made when they are absent, in the variants with optimized and unoptimized code; C and
/// C++ have no O3, Rust no O2.
fn corpora(quick: bool) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let variants: &[&str] = if quick { &["O2", "O3"] } else { &["O0", "O2", "O3"] };
    let programs = if quick { &QUICK_PROGRAMS[..] } else { &[] };
    let mut command = vec!["run", "--quiet", "--locked", "--package", "xtask", "--", "corpus", "build"];
    command.extend(variants.iter().flat_map(|variant| ["--variant", variant]));
    command.extend(programs.iter().flat_map(|program| ["--program", program]));
    process::cargo(&command)?;
    let mut found = programs::find(&process::root().join("target/corpus/ir"), variants)?;
    found.retain(|(name, _)| !quick || programs.iter().any(|program| name.split(' ').next() == Some(program)));
    Ok(found)
}

/// The items with these names, in their own order; all of them when no name is given.
fn select<T>(all: Vec<T>, names: &[String], name: impl Fn(&T) -> &String, what: &str) -> Result<Vec<T>> {
    if let Some(unknown) = names.iter().find(|wanted| all.iter().all(|item| name(item) != *wanted)) {
        let known: Vec<&str> = all.iter().map(|item| name(item).as_str()).collect();
        bail!("there is no {what} '{unknown}'; there are {}", known.join(", "));
    }
    Ok(all.into_iter().filter(|item| names.is_empty() || names.contains(name(item))).collect())
}

/// Why a configuration cannot be used here, if so: its optimizer is tried on an empty function.
fn probe(config: &Config, jlm_opt: &Path, scratch: &Path, number: usize) -> Result<Option<String>> {
    if config.optimizer.is_empty() {
        return Ok(None);
    }
    let input = scratch.join(format!("probe{number}.ll"));
    process::write(&input, b"define void @f() {\n  ret void\n}\n")?;
    let result = optimize(config, jlm_opt, &input, &scratch.join(format!("probe{number}.bc")));
    Ok(result.err().map(|error| format!("{error:#}")))
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{elapsed_precise} [{bar:40}] {pos}/{len} {msg}").expect("the template is right")
}

/// One line about a kernel for a log.
fn summary(row: &KernelRow) -> String {
    let cell = |(name, cell): (&String, &Cell)| match cell {
        Cell::Measured(measurement) => format!("{name} {:.2}", measurement.speedup),
        Cell::Failed { why } => format!("{name} failed: {why}"),
    };
    format!("{} ({}): {}", row.name, row.dataset, row.cells.iter().map(cell).collect::<Vec<_>>().join(", "))
}
