//! Small loops, each in a function of its own: each must compute what it computes without optimization, and is timed beside the others.
//!
//! The loops are in `benches/loops`, a file for each kind. All are one program, which prints how long each of them takes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;

use crate::build::{self, Files};
use crate::configs::{self, CODE_GENERATOR, FRONT_END};
use crate::machine::Machine;
use crate::process::{self, words};
use crate::statistics::{median, spread};

pub mod tables;

/// The columns; what others are compared with is the first.
pub const COLUMNS: [&str; 3] = ["opt -O3", "opt -O3 no vec", "ours -O3"];

/// The column of ours.
pub const OURS: usize = 2;

/// The compiler of the program whose results are right.
const UNOPTIMIZED: [&str; 4] = ["clang-22", "-O0", "-ffp-contract=off", "-w"];

/// Where reasons are recorded.
const REASONS: &str = "benches/loops/reasons.json";

/// What a compiler or the program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Times small loops as `opt -O3` makes them and as we do, and says which become vectors.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --bench loops --")]
pub struct Options {
    /// Fewer repetitions: whether everything runs, rather than how long it takes
    #[arg(long)]
    pub quick: bool,

    /// Our optimizer (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// Where IR and programs go (target/loops)
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Run {
    /// All loops, in the order of the sources.
    pub loops: Vec<Loop>,
    /// How they were made and timed: what, and how or how often.
    pub setup: Vec<(&'static str, String)>,
}

/// A loop under each of [`COLUMNS`].
#[derive(Clone, Debug)]
pub struct Loop {
    /// What it is an example of.
    pub category: String,
    /// Its name.
    pub name: String,
    /// Nanoseconds of one run of the first column.
    pub nanoseconds: f64,
    /// How many times as fast as the first column each is: the median of the ratios within rounds.
    pub speedups: [f64; COLUMNS.len()],
    /// The distance between the quartiles of the times, as a share of the median.
    pub spreads: [f64; COLUMNS.len()],
    /// Whether its function computes with vectors.
    pub vectors: [bool; COLUMNS.len()],
    /// Names and reasons of the remarks in which our vectorizer says that it does nothing.
    pub remark: Option<String>,
    /// Why ours is slower than the first column, where known.
    pub reason: Option<String>,
}

/// Builds, checks and times all loops.
///
/// # Errors
/// A tool fails, a loop does not compute what it computes without optimization, or a reason is one of no loop.
pub fn measure(options: &Options) -> Result<Run> {
    let jlm_opt = process::jlm_opt(options.jlm_opt.as_deref())?;
    let folder = match &options.output {
        Some(folder) => std::path::absolute(folder)?,
        None => process::target_folder().join("loops"),
    };
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let source = process::root().join("benches/loops/main.c");

    let unoptimized = folder.join("unoptimized");
    let mut compiler = words(UNOPTIMIZED);
    compiler.extend([source.clone().into(), "-o".into(), unoptimized.clone().into(), "-lm".into()]);
    process::must(&compiler, LIMIT)?;
    let expected = lines(&run(&unoptimized, 0)?)?;
    let reasons = reasons()?;
    if let Some(name) = reasons.keys().find(|&name| expected.iter().all(|line| line.name != *name)) {
        bail!("{REASONS} has a reason for '{name}', which is no loop");
    }

    let input = folder.join("loops.bc");
    let mut front_end = words(FRONT_END.iter());
    front_end.extend(["-emit-llvm".into(), "-c".into(), source.into(), "-o".into(), input.clone().into()]);
    process::must(&front_end, LIMIT)?;
    let (mut programs, mut vectors) = (Vec::new(), Vec::new());
    let mut setup = vec![("processor", Machine::this().processor), ("LLVM", Machine::this().llvm)];
    setup.push(("front end", FRONT_END.join(" ")));
    for (number, name) in COLUMNS.iter().enumerate() {
        let config = configs::all().into_iter().find(|config| config.name == *name);
        let config = config.context("every column is a configuration")?;
        setup.push((name, config.optimizer.join(" ")));
        let files = Files { input: &input, folder: &folder, name: &format!("column{number}") };
        let program = build::program(&config, &jlm_opt, &files, |object, executable| {
            let mut linker = words(["clang-22".as_ref(), object]);
            linker.extend(["-lm".into(), "-o".into(), executable.into()]);
            linker
        })
        .with_context(|| config.name.clone())?;
        for (line, expected) in lines(&run(&program.executable, 0)?)?.iter().zip(&expected) {
            ensure!(line == expected, "{name}: {} computes something else than without optimization", expected.name);
        }
        programs.push(program.executable);
        vectors.push(functions_with_vectors(&folder.join(format!("column{number}.bc")))?);
    }

    let (repetitions, rounds) = if options.quick { (20, 1) } else { (4_000, 21) };
    setup.push(("code generator", CODE_GENERATOR.join(" ")));
    setup.push(("what results are compared with", UNOPTIMIZED.join(" ")));
    setup.push(("rounds", rounds.to_string()));
    setup.push(("runs of a loop in a round", repetitions.to_string()));
    // For each program and loop, the time in each round.
    let mut times = vec![vec![Vec::new(); expected.len()]; programs.len()];
    for _ in 0..rounds {
        for (program, times) in programs.iter().zip(&mut times) {
            for (line, times) in lines(&run(program, repetitions)?)?.iter().zip(times) {
                times.push(line.nanoseconds.context("a time is printed")?);
            }
        }
    }
    let remarks = remarks(&jlm_opt, &input, &folder.join("remarks.yaml"))?;
    let row = |(number, line): (usize, Line)| {
        let body = format!("{}_body", line.name);
        let functions = [line.name.as_str(), &body];
        let ratios = |column: usize| -> Vec<f64> {
            times[0][number].iter().zip(&times[column][number]).map(|(first, this)| first / this).collect()
        };
        Loop {
            nanoseconds: median(&times[0][number]),
            speedups: std::array::from_fn(|column| median(&ratios(column))),
            spreads: std::array::from_fn(|column| spread(&times[column][number])),
            vectors: std::array::from_fn(|column| functions.iter().any(|&name| vectors[column].contains(name))),
            remark: functions.iter().find_map(|&name| remarks.get(name).cloned()),
            reason: reasons.get(&line.name).cloned(),
            category: line.category,
            name: line.name,
        }
    };
    Ok(Run { loops: expected.into_iter().enumerate().map(row).collect(), setup })
}

/// Known reasons why loops are slower than the first column's, by name.
fn reasons() -> Result<BTreeMap<String, String>> {
    let bytes = std::fs::read(process::root().join(REASONS)).with_context(|| format!("cannot read {REASONS}"))?;
    serde_json::from_slice(&bytes).context(REASONS)
}

fn run(program: &Path, repetitions: u32) -> Result<String> {
    let output = process::must(&words([program.as_os_str(), repetitions.to_string().as_ref()]), LIMIT)?.output;
    Ok(String::from_utf8(output)?)
}

/// What the program says of a loop.
#[derive(Clone, PartialEq, Debug)]
struct Line {
    category: String,
    name: String,
    /// A hash of all memory after one run.
    memory: String,
    nanoseconds: Option<f64>,
}

fn lines(output: &str) -> Result<Vec<Line>> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let &[category, name, memory, ref time @ ..] = &words[..] else { bail!("'{line}' says nothing of a loop") };
        let nanoseconds = time.first().map(|time| time.parse()).transpose().with_context(|| line.to_owned())?;
        Ok(Line { category: category.into(), name: name.into(), memory: memory.into(), nanoseconds })
    };
    output.lines().map(line).collect()
}

/// The functions of a module that compute with vectors: some instruction's type is one.
fn functions_with_vectors(module: &Path) -> Result<BTreeSet<String>> {
    let dis: Vec<OsString> = words(["llvm-dis-22".as_ref(), module.as_os_str(), "-o".as_ref(), "-".as_ref()]);
    let text = String::from_utf8(process::must(&dis, LIMIT)?.output)?;
    let (mut found, mut function) = (BTreeSet::new(), "");
    for line in text.lines() {
        if line.starts_with("define ") {
            function = line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).map_or("", |(name, _)| name);
        } else if has_vector_type(line) {
            found.insert(function.to_owned());
        }
    }
    Ok(found)
}

/// Whether an instruction names a type such as `<4 x i32>`.
fn has_vector_type(instruction: &str) -> bool {
    let is_count = |text: &str| text.chars().next().is_some_and(|c| c.is_ascii_digit());
    instruction.starts_with(' ')
        && instruction.split('<').skip(1).any(|inner| is_count(inner) && inner.contains(" x ") && inner.contains('>'))
}

/// What our vectorizer says of functions in which it does nothing: the names of its remarks and their reasons, each once.
fn remarks(jlm_opt: &Path, input: &Path, file: &Path) -> Result<BTreeMap<String, String>> {
    let mut command =
        words([jlm_opt.as_os_str(), "-O3".as_ref(), input.as_os_str(), "-o".as_ref(), "/dev/null".as_ref()]);
    command.push(format!("-pass-remarks-output={}", file.display()).into());
    process::must(&command, LIMIT)?;
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for remark in text.split("\n...").filter(|remark| remark.contains("--- !Missed")) {
        let field = |key: &str| {
            let line = remark.lines().find_map(|line| line.trim_start().strip_prefix(key));
            line.map(|value| value.trim().trim_matches('\'').to_owned())
        };
        if field("Pass:").is_none_or(|pass| pass != "vectorize") {
            continue;
        }
        let Some(((function, name), reason)) = field("Function:").zip(field("Name:")).zip(field("- Reason:")) else {
            continue;
        };
        let (said, new) = (found.entry(function).or_default(), format!("`{name}`: {reason}"));
        if said.is_empty() {
            *said = new;
        } else if !said.contains(&new) {
            *said = format!("{said}; {new}");
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_with_vectors() {
        for line in ["  %2 = load <4 x i32>, ptr %1, align 4", "  %5 = extractelement <2 x double> %4, i64 1"] {
            assert!(has_vector_type(line), "{line}");
        }
        for line in [
            "  %2 = getelementptr inbounds [1600 x i32], ptr @ia, i64 0, i64 %1",
            "  %3 = extractvalue <{ i32, [4 x i8] }> %2, 0",
            "define <4 x i32> @f(<4 x i32> %0) {",
        ] {
            assert!(!has_vector_type(line), "{line}");
        }
    }

    #[test]
    fn lines_of_the_program() {
        let line =
            |nanoseconds| Line { category: "memory".into(), name: "grey".into(), memory: "00ff".into(), nanoseconds };
        assert_eq!(lines("memory grey 00ff\nmemory grey 00ff 12.5\n").unwrap(), [line(None), line(Some(12.5))]);
        assert!(lines("memory grey\n").is_err() && lines("memory grey 00ff soon\n").is_err());
    }
}
