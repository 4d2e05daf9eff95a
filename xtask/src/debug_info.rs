//! `cargo xtask debug-info`: how many variables of the source a debugger finds in the code of the corpora, ours against `opt`'s.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::evidence::{self, Evidence};
use crate::{corpus, tools};

/// The levels that are compared with `opt -O2`.
const LEVELS: &[&str] = &["-O1", "-O2", "-O3"];

/// Programs whose code is compared if none is named.
const PROGRAMS: &[&str] = &["c", "cxx", "lua", "lua-switch", "zlib", "zstd", "snappy", "clipper", "harfbuzz", "sqlite"];

/// The variant whose variables are still in memory, so that it is the optimizer that makes values of them.
const VARIANT: &str = "raw-g";

/// What `cargo xtask debug-info` takes.
#[derive(Args)]
pub struct DebugInfo {
    /// A program of the corpora (may be repeated)
    #[arg(long = "program", value_name = "NAME")]
    programs: Vec<String>,
    /// Fail when a ratio of the sum over all programs is below this
    #[arg(long, value_name = "RATIO", default_value_t = 0.0)]
    floor: f64,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "PATH")]
    jlm_opt: Option<PathBuf>,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Keep the outcome, which docs/debug-info.md shows
    #[arg(long)]
    write_docs: bool,
}

/// What CI compares, and the least that a ratio over it is.
const SAMPLE: &[&str] = &["c", "zlib"];
const SAMPLE_FLOOR: f64 = 0.95;

/// A file that no back end takes without LLVM's passes, which split coroutines.
const COROUTINES: &str = "coroutines";

/// What `llvm-dwarfdump --statistics` says of some code.
#[derive(Copy, Clone, Default)]
pub struct Counts {
    /// Variables and parameters, once for each function they are inlined into.
    variables: u64,
    /// Those that have a location somewhere.
    located: u64,
    /// Bytes of code in the scopes of all variables.
    scope: u64,
    /// Those in which the variable has a location.
    covered: u64,
}

impl Counts {
    /// Of an object with machine code.
    ///
    /// # Errors
    /// `llvm-dwarfdump` is missing or cannot read it.
    pub fn of(object: &Path) -> Result<Counts> {
        let said = tools::json(Command::new("llvm-dwarfdump-22").arg("--statistics").arg(object))?;
        let number = |key: &str| said[key].as_u64().with_context(|| format!("llvm-dwarfdump says no number of {key}"));
        Ok(Counts {
            variables: number("#source variables")?,
            located: number("#source variables with location")?,
            scope: number("sum_all_variables(#bytes in parent scope)")?,
            covered: number("sum_all_variables(#bytes in parent scope covered by DW_AT_location)")?,
        })
    }

    /// Adds those of other code.
    pub fn add(&mut self, other: Counts) {
        self.variables += other.variables;
        self.located += other.located;
        self.scope += other.scope;
        self.covered += other.covered;
    }

    /// The share of variables that have a location.
    pub fn located_share(self) -> f64 {
        self.located as f64 / self.variables.max(1) as f64
    }

    /// The share of bytes in scopes in which the variable has a location.
    pub fn covered_share(self) -> f64 {
        self.covered as f64 / self.scope.max(1) as f64
    }

    /// Both shares in relation to those of other code.
    pub fn shares_of(self, theirs: Counts) -> [f64; 2] {
        [self.located_share() / theirs.located_share(), self.covered_share() / theirs.covered_share()]
    }
}

/// `opt -O2`'s, then ours by level.
type Row = [Counts; LEVELS.len() + 1];

/// Runs the task.
///
/// # Errors
/// A tool is missing or fails, the corpora are not built, or a ratio is below the floor.
pub fn main(arguments: &DebugInfo) -> Result<()> {
    let evidence = Evidence::begin("debug-info", &[evidence::OPTIMIZER, &["tests/corpus"]].concat())?;
    let optimizer = tools::optimizer(arguments.jlm_opt.as_deref())?;
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let named: Vec<&str> = arguments.programs.iter().map(String::as_str).collect();
    let programs = if named.is_empty() { PROGRAMS } else { &named };
    let scratch = tools::target_folder().join("debug-info");
    std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let mut rows: Vec<(String, Row)> = Vec::new();
    let mut all = Row::default();
    for &program in programs {
        let folder = corpus::folder().join("ir").join(program).join(VARIANT);
        let mut files = tools::files_with_extension(&folder, "bc")
            .with_context(|| format!("`cargo xtask corpus build --variant {VARIANT}` makes the files"))?;
        files.retain(|file| file.file_stem().is_none_or(|name| name != COROUTINES));
        let measured = tools::parallel(jobs, &files, |file| measure(&optimizer, file, &scratch, program));
        let mut sum = Row::default();
        for row in measured {
            let row = row?;
            sum.iter_mut().zip(row).for_each(|(sum, counts)| sum.add(counts));
        }
        all.iter_mut().zip(sum).for_each(|(all, counts)| all.add(counts));
        rows.push((program.to_owned(), sum));
    }
    std::fs::remove_dir_all(&scratch)?;
    rows.push(("all".to_owned(), all));
    let lowest = |index: usize| {
        LEVELS.iter().zip(&all[1..]).map(|(_, &ours)| ratios(&all, ours)[index]).fold(f64::MAX, f64::min)
    };
    let result = json!({
        "located": rounded(lowest(0)),
        "covered": rounded(lowest(1)),
        "table": table(&rows),
    });
    println!("{}", serde_json::to_string_pretty(&result)?);
    if arguments.write_docs {
        evidence.record(&result)?;
    }
    for (level, ours) in LEVELS.iter().zip(&all[1..]) {
        let ratios = ratios(&all, *ours);
        if ratios.iter().any(|&ratio| ratio < arguments.floor) {
            bail!(
                "variables at {level}: {:.3} with a location, {:.3} of bytes covered, of opt -O2's",
                ratios[0],
                ratios[1]
            );
        }
    }
    Ok(())
}

/// Compares some programs, for CI.
///
/// # Errors
/// As [`main`].
pub fn sample(optimizer: &Path) -> Result<()> {
    corpus::make(SAMPLE, VARIANT)?;
    main(&DebugInfo {
        programs: SAMPLE.iter().map(|&name| name.to_owned()).collect(),
        floor: SAMPLE_FLOOR,
        jlm_opt: Some(optimizer.to_owned()),
        jobs: None,
        write_docs: false,
    })
}

fn ratios(row: &Row, ours: Counts) -> [f64; 2] {
    ours.shares_of(row[0])
}

fn measure(optimizer: &Path, file: &Path, scratch: &Path, program: &str) -> Result<Row> {
    let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
    let at = |end: &str| scratch.join(format!("{program}-{name}.{end}"));
    let (module, object) = (at("bc"), at("o"));
    let mut row = Row::default();
    let opt = Path::new("opt-22");
    for (counts, (tool, level)) in
        row.iter_mut().zip([(opt, "-O2")].into_iter().chain(LEVELS.iter().map(|&level| (optimizer, level))))
    {
        tools::output(Command::new(tool).arg(level).arg(file).arg("-o").arg(&module))?;
        *counts = statistics(&module, &object)?;
    }
    std::fs::remove_file(module)?;
    std::fs::remove_file(object)?;
    Ok(row)
}

/// What the debug information of a module's machine code says.
fn statistics(module: &Path, object: &Path) -> Result<Counts> {
    let mut command = Command::new("llc-22");
    command.args(["-O2", "-filetype=obj", "-relocation-model=pic"]);
    tools::output(command.arg(module).arg("-o").arg(object))?;
    Counts::of(object)
}

fn rounded(ratio: f64) -> Value {
    json!((1000.0 * ratio).round() / 1000.0)
}

fn table(rows: &[(String, Row)]) -> Value {
    let mut columns: Vec<String> = ["program", "variables", "`opt -O2`: located", "covered"].map(str::to_owned).into();
    for level in LEVELS {
        columns.extend([format!("`{level}`: located"), "ratio".to_owned(), "covered".to_owned(), "ratio".to_owned()]);
    }
    let percent = |share: f64| json!(format!("{:.1} %", 100.0 * share));
    let row = |(name, row): &(String, Row)| {
        let theirs = row[0];
        let mut cells = vec![
            json!(name),
            json!(theirs.variables),
            percent(theirs.located_share()),
            percent(theirs.covered_share()),
        ];
        for &ours in &row[1..] {
            let [located, covered] = ratios(row, ours);
            cells.extend([
                percent(ours.located_share()),
                rounded(located),
                percent(ours.covered_share()),
                rounded(covered),
            ]);
        }
        cells
    };
    json!({"columns": columns, "rows": rows.iter().map(row).collect::<Vec<_>>()})
}
