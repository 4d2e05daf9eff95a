//! `cargo xtask branches`: conditional branches in the code of the corpora, ours against `opt`'s, function by function and by
//! program, and sizes of machine code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::evidence::{self, Evidence};
use crate::{corpus, tools};

/// What `opt` does in comparison: loops are neither unrolled nor vectorized.
const PLAIN: &[&str] = &["-vectorize-loops=false", "-vectorize-slp=false", "-disable-loop-unrolling"];

/// A column of the table.
struct Config {
    name: &'static str,
    /// Arguments of the optimizer.
    arguments: &'static [&'static str],
    /// Passes that are taken out of the level's pipeline.
    without: &'static [&'static str],
}

const CONFIGS: &[Config] = &[
    Config { name: "O1", arguments: &["-O1"], without: &[] },
    Config { name: "O2", arguments: &["-O2"], without: &[] },
    Config { name: "O3", arguments: &["-O3"], without: &[] },
    Config { name: "O3, no copies of loops", arguments: &["-O3"], without: &["url", "lvr"] },
    Config { name: "O3, SCFR", arguments: &["-O3", "--control-flow=scfr"], without: &[] },
    Config { name: "Os", arguments: &["-Os"], without: &[] },
];

/// The place of `-O3` among them.
const O3: usize = 2;

/// Programs whose code is compared if none is named.
const PROGRAMS: &[&str] =
    &["c", "lua", "zlib", "zstd", "sqlite", "cxx", "snappy", "clipper", "harfbuzz", "rust", "rust-std"];

/// What `cargo xtask branches` takes.
#[derive(Args)]
pub struct Branches {
    /// A program of the corpora (may be repeated)
    #[arg(long = "program", value_name = "NAME")]
    programs: Vec<String>,
    /// The variant of the programs
    #[arg(long, default_value = "O0")]
    variant: String,
    /// How many functions with the largest surplus of `-O3` are printed
    #[arg(long, default_value_t = 0)]
    worst: usize,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "PATH")]
    jlm_opt: Option<PathBuf>,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Keep the outcome in docs/evidence, and in docs/branches.md
    #[arg(long)]
    write_docs: bool,
}

/// Conditional branches and switches by function.
type Counts = BTreeMap<String, u64>;

/// What was measured of a file or program.
#[derive(Clone, Default)]
struct Measured {
    /// Ours and theirs by configuration, of functions that both have.
    common: Vec<(u64, u64)>,
    /// The same of all functions, so that what one side inlines or removes counts where it went.
    total: Vec<(u64, u64)>,
    /// Bytes of machine code: ours and theirs at `-O3`, and at `-Os`.
    text: [(u64, u64); 2],
    /// Surplus, ours, theirs, function.
    functions: Vec<(i64, u64, u64, String)>,
}

impl Measured {
    fn add(&mut self, other: &Measured) {
        self.common.resize(CONFIGS.len(), (0, 0));
        self.total.resize(CONFIGS.len(), (0, 0));
        let ours = self.common.iter_mut().chain(&mut self.total).chain(&mut self.text);
        for (sum, part) in ours.zip(other.common.iter().chain(&other.total).chain(&other.text)) {
            *sum = (sum.0 + part.0, sum.1 + part.1);
        }
        self.functions.extend(other.functions.iter().cloned());
    }
}

/// Runs the task.
///
/// # Errors
/// A tool is missing or fails, or the corpora are not built.
pub fn main(arguments: &Branches) -> Result<()> {
    let depends_on = [evidence::OPTIMIZER, &["tests/corpus"]].concat();
    let evidence = Evidence::begin("branches", &depends_on)?;
    let optimizer = tools::optimizer(arguments.jlm_opt.as_deref())?;
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let named: Vec<&str> = arguments.programs.iter().map(String::as_str).collect();
    let programs = if named.is_empty() { PROGRAMS } else { &named };
    let scratch = tools::target_folder().join("branches");
    std::fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let mut pipelines = Vec::new();
    for config in CONFIGS {
        pipelines.push(config_arguments(config)?);
    }
    let mut rows: Vec<(String, Measured)> = Vec::new();
    let mut all = Measured::default();
    for &program in programs {
        let folder = corpus::folder().join("ir").join(program).join(&arguments.variant);
        let files = tools::files_with_extension(&folder, "bc").context("`cargo xtask corpus build` makes the files")?;
        let measured = tools::parallel(jobs, &files, |file| measure(&optimizer, &pipelines, file, &scratch, program));
        let mut sum = Measured::default();
        for file in measured {
            sum.add(&file?);
        }
        all.add(&sum);
        rows.push((program.to_owned(), sum));
    }
    std::fs::remove_dir_all(&scratch)?;
    rows.push(("all".to_owned(), all.clone()));
    let result = json!({
        "variant": arguments.variant,
        "common": table(&rows, |measured| &measured.common),
        "total": table(&rows, |measured| &measured.total),
        "text": text_table(&rows),
        "common_o3": ratio(all.common[O3]),
        "total_o3": ratio(all.total[O3]),
        "text_o3": ratio(all.text[0]),
        "text_os": ratio(all.text[1]),
    });
    println!("{}", serde_json::to_string_pretty(&result)?);
    all.functions.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.3.cmp(&b.3)));
    for (surplus, ours, theirs, name) in all.functions.iter().take(arguments.worst) {
        println!("{surplus:+} {ours} {theirs} {name}");
    }
    if arguments.write_docs {
        evidence.record(&result)?;
    }
    Ok(())
}

/// The arguments of a configuration.
fn config_arguments(config: &Config) -> Result<Vec<String>> {
    let given = config.arguments.iter().map(|&argument| argument.to_owned());
    if config.without.is_empty() {
        return Ok(given.collect());
    }
    let level = config.arguments[0].trim_start_matches('-');
    let passes = tools::level_without(level, config.without)?;
    Ok([format!("-passes={passes}")].into_iter().chain(given.skip(1)).collect())
}

fn measure(
    optimizer: &Path,
    pipelines: &[Vec<String>],
    file: &Path,
    scratch: &Path,
    program: &str,
) -> Result<Measured> {
    let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
    let at = |end: &str| scratch.join(format!("{program}-{name}.{end}"));
    let theirs = at("opt.bc");
    let opt = |level: &str| {
        let mut command = Command::new("opt-22");
        tools::output(command.arg(level).args(PLAIN).arg(file).arg("-o").arg(&theirs)).map(drop)
    };
    let mut measured = Measured::default();
    opt("-O3")?;
    let known = count(&theirs)?;
    let their_text = text(&theirs, &at("o"))?;
    let mut our_text = [0; 2];
    for (config, arguments) in CONFIGS.iter().zip(pipelines) {
        let ours = at("ours.bc");
        tools::output(Command::new(optimizer).arg(file).args(arguments).arg("-o").arg(&ours))?;
        let counts = count(&ours)?;
        let both = || counts.iter().filter_map(|(name, &ours)| Some((name, ours, *known.get(name)?)));
        measured.common.push(both().fold((0, 0), |sum, (_, ours, theirs)| (sum.0 + ours, sum.1 + theirs)));
        measured.total.push((counts.values().sum(), known.values().sum()));
        match config.name {
            "O3" => {
                our_text[0] = text(&ours, &at("o"))?;
                let surplus = |(function, ours, theirs): (&String, u64, u64)| {
                    (ours as i64 - theirs as i64, ours, theirs, format!("{program} {name} {function}"))
                };
                measured.functions = both().map(surplus).collect();
            }
            "Os" => our_text[1] = text(&ours, &at("o"))?,
            _ => {}
        }
    }
    opt("-Os")?;
    measured.text = [(our_text[0], their_text), (our_text[1], text(&theirs, &at("o"))?)];
    for end in ["opt.bc", "ours.bc", "o"] {
        std::fs::remove_file(at(end))?;
    }
    Ok(measured)
}

/// Counts conditional branches and switches in LLVM's text of a module.
fn count(file: &Path) -> Result<Counts> {
    let text = tools::output(Command::new("llvm-dis-22").arg(file).args(["-o", "-"]))?;
    let text = String::from_utf8_lossy(&text);
    let mut counts = Counts::new();
    let mut current: Option<(String, u64)> = None;
    for line in text.lines() {
        if line.starts_with("define ") {
            let name = line.split_once('@').map_or("", |(_, rest)| match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or(""),
                None => rest.split('(').next().unwrap_or(""),
            });
            current = Some((name.to_owned(), 0));
        } else if line.starts_with('}') {
            counts.extend(current.take());
        } else if let Some((_, branches)) = &mut current {
            *branches += u64::from(line.starts_with("  br i1 ") || line.starts_with("  switch "));
        }
    }
    Ok(counts)
}

/// The bytes of a module's machine code.
fn text(module: &Path, object: &Path) -> Result<u64> {
    let mut command = Command::new("llc-22");
    command.args(["-O2", "-filetype=obj", "-relocation-model=pic", "-function-sections"]);
    tools::output(command.arg(module).arg("-o").arg(object))?;
    tools::text_size(object)
}

/// Ours in relation to theirs.
fn ratio((ours, theirs): (u64, u64)) -> f64 {
    (1000.0 * ours as f64 / theirs as f64).round() / 1000.0
}

/// The same within a table.
fn shown_ratio(pair: (u64, u64)) -> Value {
    if pair.1 == 0 { json!("–") } else { json!(format!("{:.3}", ratio(pair))) }
}

/// Branches of each program, and the ratio to `opt`'s beside them.
fn table(rows: &[(String, Measured)], pairs: impl Fn(&Measured) -> &Vec<(u64, u64)>) -> Value {
    let mut columns = vec!["program", "`opt -O3`"];
    columns.extend(CONFIGS.iter().flat_map(|config| [config.name, "ratio"]));
    let row = |(name, measured): &(String, Measured)| {
        let pairs = pairs(measured);
        let mut cells = vec![json!(name), json!(pairs.first().map_or(0, |pair| pair.1))];
        cells.extend(pairs.iter().flat_map(|&pair| [json!(pair.0), shown_ratio(pair)]));
        cells
    };
    json!({"columns": columns, "rows": rows.iter().map(row).collect::<Vec<_>>()})
}

/// Bytes of each program's machine code.
fn text_table(rows: &[(String, Measured)]) -> Value {
    let row = |(name, Measured { text: [o3, os], .. }): &(String, Measured)| {
        json!([name, o3.0, o3.1, shown_ratio(*o3), os.0, os.1, shown_ratio(*os)])
    };
    json!({
        "columns": ["program", "`-O3`", "`opt -O3`", "ratio", "`-Os`", "`opt -Os`", "ratio"],
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
