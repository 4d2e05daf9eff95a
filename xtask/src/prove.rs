//! `cargo xtask prove`: asks Alive2's `alive-tv`, a translation validator for LLVM IR, whether the optimizer's output refines its input:
//! for an instance of every rule of node reduction, for the file tests, and for functions of the corpora. Nothing may be refuted; a
//! question that is too hard for the time limit is counted as unknown.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::evidence::{self, Evidence};
use crate::{corpus, tools};

/// Passes that look at several functions.
const INTERPROCEDURAL: &[&str] = &["attrs", "iln", "ipc"];

/// What is to be proved.
#[derive(Subcommand)]
pub enum Task {
    /// Instances of every rule of node reduction, as the rules' table has them and as the pass rewrites them
    Rules(Options),
    /// Every file test: its module before and after its passes
    Filetests(Options),
    /// Functions of the corpora, before and after a pipeline
    Corpus {
        #[command(flatten)]
        options: Options,
        /// The pipeline (that of -O3 less the passes that look at several functions, as the validator does not, if absent)
        #[arg(long)]
        passes: Option<String>,
        /// A program of the corpora
        #[arg(long, default_value = "c")]
        program: String,
        /// A variant of it
        #[arg(long, default_value = "O1")]
        variant: String,
    },
}

/// How to prove.
#[derive(Args)]
pub struct Options {
    /// Seconds for one query of the solver
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "PATH")]
    jlm_opt: Option<PathBuf>,
    /// Keep the outcome in docs/evidence, and in the pages that name it
    #[arg(long)]
    write_docs: bool,
}

/// A module, and what became of it in one way or several.
struct Case {
    name: String,
    before: PathBuf,
    after: Vec<PathBuf>,
}

/// What is to be proved, and what is not, since there is nothing to ask.
#[derive(Default)]
struct Cases {
    cases: Vec<Case>,
    /// Names of cases that passes leave as they are.
    unchanged: Vec<String>,
    /// Names of file tests that have no form in LLVM IR.
    not_llvm: Vec<String>,
}

/// What the validator said about the functions of one case.
#[derive(Clone, Default)]
struct Verdict {
    /// Proved for all inputs.
    proved: u32,
    /// Proved where no input is undef, and too hard otherwise.
    proved_defined: u32,
    refuted: u32,
    unknown: u32,
    /// What the validator wrote about the first that was refuted.
    counterexample: String,
}

impl Verdict {
    fn add(&mut self, other: &Verdict) {
        self.proved += other.proved;
        self.proved_defined += other.proved_defined;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
    }

    /// How little is known.
    fn rank(&self) -> (bool, bool, bool) {
        (self.refuted > 0, self.unknown > 0, self.proved_defined > 0)
    }
}

/// Proves, and prints a table.
///
/// # Errors
/// The validator is not on the `PATH`, something cannot be run, or something was refuted.
pub fn main(task: Task) -> Result<()> {
    if Command::new("alive-tv").arg("--version").output().is_err() {
        bail!("alive-tv is not on the PATH; https://github.com/AliveToolkit/alive2 says how to build it");
    }
    let folder = tools::target_folder().join("prove");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let (evidence, cases, options) = match task {
        Task::Rules(options) => {
            let optimizer = tools::optimizer(options.jlm_opt.as_deref())?;
            let depends_on = [evidence::OPTIMIZER, &["rvsdg-passes/examples"]].concat();
            (Evidence::begin("prove-rules", &depends_on)?, rules(&folder, &optimizer)?, options)
        }
        Task::Filetests(options) => {
            let optimizer = tools::optimizer(options.jlm_opt.as_deref())?;
            let depends_on = [evidence::OPTIMIZER, &["tests/filetests"]].concat();
            (Evidence::begin("prove-filetests", &depends_on)?, file_tests(&folder, &optimizer)?, options)
        }
        Task::Corpus { options, passes, program, variant } => {
            let optimizer = tools::optimizer(options.jlm_opt.as_deref())?;
            let passes = passes.map_or_else(|| tools::level_without("O3", INTERPROCEDURAL), Ok)?;
            let depends_on = [evidence::OPTIMIZER, &["tests/corpus"]].concat();
            let evidence = Evidence::begin("prove-corpus", &depends_on)?;
            (evidence, corpus_cases(&folder, &optimizer, &passes, &program, &variant)?, options)
        }
    };
    let Cases { cases, unchanged, not_llvm } = cases;
    let jobs = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let verdicts = tools::parallel(jobs, &cases, |case| validate(case, options.seconds));
    let mut groups: Vec<(&str, Verdict)> = Vec::new();
    let mut sum = Verdict::default();
    let mut refuted = String::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        let verdict = verdict.with_context(|| case.name.clone())?;
        sum.add(&verdict);
        if verdict.refuted > 0 {
            let _ = writeln!(refuted, "{}:\n{}", case.name, verdict.counterexample);
        }
        let name = case.name.split('/').next().unwrap_or(&case.name);
        match groups.last_mut() {
            Some((last, all)) if *last == name => all.add(&verdict),
            _ => groups.push((name, verdict)),
        }
    }
    groups.push(("all", sum.clone()));
    let row = |(name, v): &(&str, Verdict)| json!([name, v.proved, v.proved_defined, v.refuted, v.unknown]);
    let result = json!({
        "proved": sum.proved, "proved_defined": sum.proved_defined, "refuted": sum.refuted, "unknown": sum.unknown,
        "functions": sum.proved + sum.proved_defined + sum.refuted + sum.unknown,
        "unchanged": unchanged, "not_llvm": not_llvm, "seconds": options.seconds,
        "table": {
            "columns": ["", "proved", "proved without undef", "refuted", "unknown"],
            "rows": groups.iter().map(row).collect::<Vec<_>>(),
        },
    });
    println!("{}", serde_json::to_string_pretty(&result)?);
    if options.write_docs {
        evidence.record(&result)?;
    }
    if sum.refuted > 0 {
        bail!("{} functions are refuted\n\n{refuted}", sum.refuted);
    }
    Ok(())
}

/// The rules' instances, by the operation they are about: each with what the table says comes of it, and what the pass makes of it.
fn rules(folder: &Path, optimizer: &Path) -> Result<Cases> {
    let mut command = Command::new(tools::cargo());
    command
        .args(["run", "--quiet", "--package", "rvsdg-passes", "--example", "rule_proofs"])
        .current_dir(tools::root());
    let text = String::from_utf8(tools::output(&mut command)?)?;
    let mut cases = Cases::default();
    for instance in text.split("\n; ").map(|instance| instance.trim_start_matches("; ")) {
        let (name, functions) = instance.split_once('\n').context("an instance has a name")?;
        let (source, target) =
            functions.split_once("define ").and_then(|_| split_pair(functions)).context("two functions")?;
        let operation = name.split('-').next().unwrap_or(name);
        let name = format!("{operation}/{name}");
        let said = case(folder, &name, source.as_bytes(), target.as_bytes())?;
        let done = |passes: &str| {
            let mut command = Command::new(optimizer);
            command.arg(&said.before).args(["-S", passes, "-o", "-"]);
            tools::output(&mut command)
        };
        let (plain, done) = (done("-passes=dne")?, done("-passes=red,dne")?);
        if instructions(&done) > instructions(target.as_bytes()) {
            eprintln!("{name}: the pass leaves more instructions than the rule says");
        }
        if plain == done {
            cases.unchanged.push(name.clone());
        }
        let done = case(folder, &format!("{name}.done"), source.as_bytes(), &done)?;
        cases.cases.push(Case { after: [said.after, done.after].concat(), ..said });
    }
    cases.cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// How many instructions a module of textual LLVM IR has.
fn instructions(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).lines().filter(|line| line.starts_with("  ")).count()
}

/// `@src` and `@tgt` as two modules with a function `@f` each.
fn split_pair(text: &str) -> Option<(String, String)> {
    let second = text.rfind("define ")?;
    Some((text[..second].replace("@src", "@f"), text[second..].replace("@tgt", "@f")))
}

/// The file tests whose modules are LLVM IR before and after their passes, less those that say `; PROVE: no` and why: the
/// validator looks at one function at a time.
fn file_tests(folder: &Path, optimizer: &Path) -> Result<Cases> {
    let tests = tools::root().join("tests/filetests");
    let mut cases = Cases::default();
    let mut groups: Vec<PathBuf> = std::fs::read_dir(&tests)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    groups.sort();
    for group in groups.iter().filter(|group| group.is_dir()) {
        for file in tools::files_with_extension(group, "rvsdg")? {
            let text = String::from_utf8(tools::read(&file)?)?;
            let input = text.split("; EXPECT:").next().unwrap_or(&text);
            if input.lines().any(|line| line.starts_with("; PROVE: no")) {
                continue;
            }
            let Some(passes) = input.lines().find_map(|line| line.strip_prefix("; RUN: ")) else { continue };
            let name = file.strip_prefix(&tests)?.with_extension("").display().to_string();
            let path = folder.join(&name).with_extension("rvsdg");
            tools::write(&path, input.as_bytes())?;
            let llvm = |passes: &str| {
                let mut command = Command::new(optimizer);
                command.arg(&path).args(["-S", "--emit=llvm", &format!("-passes={passes}"), "-o", "-"]);
                tools::output(&mut command)
            };
            // Operations of tests have no form in LLVM IR; what has one must keep it.
            let Ok(before) = llvm("") else {
                cases.not_llvm.push(name);
                continue;
            };
            let after = llvm(passes.trim()).with_context(|| name.clone())?;
            if before == after {
                cases.unchanged.push(name);
            } else {
                cases.cases.push(case(folder, &name, &before, &after)?);
            }
        }
    }
    Ok(cases)
}

/// The files of a program before and after a pipeline, without what the validator gives up on.
fn corpus_cases(folder: &Path, optimizer: &Path, passes: &str, program: &str, variant: &str) -> Result<Cases> {
    let files = tools::files_with_extension(&corpus::folder().join("ir").join(program).join(variant), "bc")
        .context("`cargo xtask corpus build` makes the files")?;
    let mut cases = Cases::default();
    for file in files {
        let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
        let llvm = |file: &Path, passes: &str| {
            let mut command = Command::new(optimizer);
            command.arg(file).args(["-S", &format!("-passes={passes}"), "-o", "-"]);
            tools::output(&mut command)
        };
        let input = folder.join(&name).with_extension("ll");
        let before = without_unknown(&String::from_utf8(llvm(&file, "")?)?);
        tools::write(&input, before.as_bytes())?;
        cases.cases.push(case(folder, &name, before.as_bytes(), &llvm(&input, passes)?)?);
    }
    Ok(cases)
}

/// A module in text without the hints that the validator does not know: types of accesses and how pointers are captured.
fn without_unknown(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    let hints = [(", !tbaa", [',', '\n']), ("captures(", [')', '\n'])];
    while let Some((start, prefix, ends)) =
        hints.iter().filter_map(|(prefix, ends)| Some((rest.find(prefix)?, prefix, ends))).min()
    {
        kept.push_str(&rest[..start]);
        rest = &rest[start + prefix.len()..];
        rest = rest.find(ends).map_or("", |end| rest[end..].strip_prefix(')').unwrap_or(&rest[end..]));
    }
    kept + rest
}

fn case(folder: &Path, name: &str, before: &[u8], after: &[u8]) -> Result<Case> {
    let path = folder.join(name);
    let with = |end: &str| PathBuf::from(format!("{}.{end}", path.display()));
    let (source, target) = (with("before.ll"), with("after.ll"));
    tools::write(&source, before)?;
    tools::write(&target, after)?;
    Ok(Case { name: name.into(), before: source, after: vec![target] })
}

/// Asks about one case. What became of it in several ways is proved where all of them are.
fn validate(case: &Case, seconds: u32) -> Result<Verdict> {
    let verdicts: Vec<Verdict> =
        case.after.iter().map(|after| validate_one(&case.before, after, seconds)).collect::<Result<_>>()?;
    verdicts.into_iter().max_by_key(Verdict::rank).context("nothing became of it")
}

/// Asks about one pair of modules, and about what is too hard once more without undef.
fn validate_one(before: &Path, after: &Path, seconds: u32) -> Result<Verdict> {
    let first = ask(before, after, seconds, &[])?;
    if first.unknown == 0 || first.refuted > 0 {
        return Ok(first);
    }
    let second = ask(before, after, seconds, &["--disable-undef-input"])?;
    Ok(Verdict {
        proved_defined: first.unknown.saturating_sub(second.unknown + second.refuted),
        refuted: second.refuted,
        unknown: second.unknown,
        counterexample: second.counterexample,
        ..first
    })
}

fn ask(before: &Path, after: &Path, seconds: u32, options: &[&str]) -> Result<Verdict> {
    let mut command = Command::new("alive-tv");
    command.arg(format!("--smt-to={}", seconds * 1000)).args(options).arg(before).arg(after);
    let line = tools::shown(&command);
    let result = command.output().with_context(|| format!("cannot run: {line}"))?;
    let said = String::from_utf8_lossy(&result.stdout);
    let count = |what: &str| -> u32 {
        said.lines().rev().find_map(|line| line.trim().strip_suffix(what)?.trim().parse().ok()).unwrap_or(0)
    };
    let mut verdict = Verdict {
        proved: count("correct transformations"),
        refuted: count("incorrect transformations"),
        unknown: count("failed-to-prove transformations") + count("Alive2 errors"),
        ..Verdict::default()
    };
    if verdict.refuted > 0 {
        let start = said.find("Transformation doesn't verify!").unwrap_or(0);
        let start = said[..start].rfind("-----").unwrap_or(0);
        verdict.counterexample = said[start..].lines().take(80).collect::<Vec<_>>().join("\n");
    }
    if verdict.proved + verdict.refuted + verdict.unknown == 0 {
        verdict.unknown = 1;
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_left_out() {
        let text = "define void @f(ptr captures(address, provenance) %0) {\n  store i8 0, ptr %0, !tbaa.struct !1, !range !2\n  \
                    store i8 0, ptr %0, !tbaa !3\n}\n";
        let kept = "define void @f(ptr  %0) {\n  store i8 0, ptr %0, !range !2\n  store i8 0, ptr %0\n}\n";
        assert_eq!(without_unknown(text), kept);
    }
}
