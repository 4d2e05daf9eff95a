//! Programs that csmith makes up: free of undefined behaviour if they end, with a checksum of their variables as output.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::program::{ENDLESS, Verdict, Way as How, ends, one_run};
use super::{Settings, folder, page};
use crate::evidence::Evidence;
use crate::tools;

/// What the programs may look like: small enough for an interpreter, and without packed structures, through which csmith
/// makes pointers that are not as aligned as their type says.
const SHAPE: &[&str] = &["--max-funcs", "6", "--max-block-depth", "4", "--no-argc", "--no-packed-struct"];
const INCLUDE: &str = "-I/usr/include/csmith";

/// A way to compile a program: its name, clang's flags, and whether `mem2reg` follows.
type Way = (&'static str, &'static [&'static str], bool);

/// The ways, which programs take in turns.
const WAYS: &[Way] = &[("O0 with mem2reg", &["-O0", "-Xclang", "-disable-O0-optnone"], true), ("O1", &["-O1"], false)];

fn way(seed: u64) -> usize {
    (seed % WAYS.len() as u64) as usize
}

/// Seconds after which a program counts as endless, as every tenth is. Compiled without optimization it has to end: a loop
/// that goes on forever and does nothing else is undefined in C, and clang makes it unreachable.
const NATIVE: u64 = 4;

/// Programs between two looks at what is known, so that little is lost when a run is interrupted.
const BATCH: usize = 40;

/// Makes and compares programs until so many were run; those that cannot be are replaced by the ones of further seeds. What
/// an earlier run of the same binary and passes found out is not done again.
///
/// # Errors
/// A program behaves differently under the interpreter, or a tool fails.
pub fn run(count: u64, seed: u64, settings: &Settings) -> Result<()> {
    let evidence = Evidence::begin("interp-csmith", super::DEPENDS_ON)?;
    let optimizer = settings.optimizer()?;
    let key = tools::hash(&[&tools::read(&optimizer)?, settings.passes.as_bytes(), SHAPE.join(" ").as_bytes()]);
    let results = folder().join("csmith").join(format!("{key}.txt"));
    let mut known = remembered(&results)?;
    let end = loop {
        let end = match enough(&known, seed, count) {
            Ok(end) => break end,
            Err(end) => end,
        };
        let batch: Vec<u64> = (end..).filter(|seed| !known.contains_key(seed)).take(BATCH).collect();
        let verdicts = tools::parallel(settings.jobs(), &batch, |&seed| {
            one(seed, &How { native: NATIVE, ..settings.way(&optimizer) })
        });
        for (&seed, verdict) in batch.iter().zip(verdicts) {
            let verdict = verdict.with_context(|| format!("seed {seed}"))?;
            if !verdict.agrees() {
                println!("seed {seed}, {}: {verdict}", WAYS[way(seed)].0);
            }
            known.insert(seed, verdict);
        }
        let lines: Vec<String> = known.iter().map(|(seed, verdict)| format!("{seed} {verdict}\n")).collect();
        tools::write(&results, lines.concat().as_bytes())?;
    };
    let programs: Vec<(u64, usize, Verdict)> =
        known.range(seed..end).map(|(&seed, verdict)| (seed, way(seed), verdict.clone())).collect();
    let names: Vec<&str> = WAYS.iter().map(|way| way.0).collect();
    let result = page::csmith(&programs, &names, &format!("csmith {}", SHAPE.join(" ")));
    println!("{}", serde_json::to_string_pretty(&result)?);
    if settings.write_docs {
        evidence.record(&result)?;
    }
    let different = programs.iter().filter(|(_, _, verdict)| verdict.differs()).count();
    if different > 0 {
        bail!("{different} programs behave differently under the interpreter");
    }
    Ok(())
}

/// The seed behind the first `count` programs that were run from `seed` on, or the first one that nothing is known of.
fn enough(known: &BTreeMap<u64, Verdict>, seed: u64, count: u64) -> Result<u64, u64> {
    let (mut end, mut compared) = (seed, 0);
    while compared < count {
        let verdict = known.get(&end).ok_or(end)?;
        compared += u64::from(verdict.was_run());
        end += 1;
    }
    Ok(end)
}

/// What a file of results says; what differed is done again.
fn remembered(results: &Path) -> Result<BTreeMap<u64, Verdict>> {
    if !results.exists() {
        return Ok(BTreeMap::new());
    }
    let text = String::from_utf8(tools::read(results)?)?;
    let lines = text.lines().filter_map(|line| {
        let (seed, verdict) = line.split_once(' ')?;
        let verdict = match verdict {
            "agrees" => Verdict::Agrees(1),
            other => Verdict::NotRun(other.strip_prefix("not run: ")?.to_owned()),
        };
        Some((seed.parse().ok()?, verdict))
    });
    Ok(lines.collect())
}

/// One program, as the machine code and under the interpreter from the same IR. Its files stay where it differs.
fn one(seed: u64, how: &How<'_>) -> Result<Verdict> {
    let base = folder().join("csmith").join(seed.to_string());
    std::fs::create_dir_all(&base).with_context(|| format!("cannot create {}", base.display()))?;
    let [source, bitcode, executable, plain] =
        ["program.c", "program.bc", "program", "plain"].map(|name| base.join(name));
    let mut make = Command::new("csmith");
    make.args(["--seed", &seed.to_string()]).args(SHAPE).arg("-o").arg(&source);
    tools::output(make.current_dir(&base))?;
    let mut link = clang(&["-O0"]);
    link.arg(&source).arg("-o").arg(&plain);
    tools::output(&mut link)?;
    if !ends(&plain, &base.join("run"), how)? {
        std::fs::remove_dir_all(&base).with_context(|| format!("cannot remove {}", base.display()))?;
        return Ok(Verdict::NotRun(ENDLESS.into()));
    }
    let (_, flags, mem2reg) = WAYS[way(seed)];
    let mut compile = clang(flags);
    compile.args(["-emit-llvm", "-c"]).arg(&source).arg("-o").arg(&bitcode);
    tools::output(&mut compile)?;
    if mem2reg {
        let mut promote = Command::new("opt-22");
        promote.arg("-passes=mem2reg").arg(&bitcode).arg("-o").arg(&bitcode);
        tools::output(&mut promote)?;
    }
    let mut link = clang(&["-O0"]);
    link.arg(&bitcode).arg("-o").arg(&executable);
    tools::output(&mut link)?;
    let verdict = one_run(&executable, &bitcode, &[], &base.join("run"), how)?;
    if !verdict.differs() {
        std::fs::remove_dir_all(&base).with_context(|| format!("cannot remove {}", base.display()))?;
    }
    Ok(verdict)
}

fn clang(flags: &[&str]) -> Command {
    let mut clang = Command::new("clang-22");
    clang.args(["-w", INCLUDE]).args(flags);
    clang
}
