//! `cargo xtask nightly` and `cargo xtask fuzz`: what takes hours.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::tools;

/// The fuzz targets, and the longest inputs that they are given.
const TARGETS: &[(&str, u32)] =
    &[("text", 4_000), ("edits", 600), ("recovery", 600), ("import", 8_000), ("passes", 1_500), ("native", 1_500)];

/// The property tests, by package. Those whose cases take long have one for so many of the others'.
const PROPERTIES: &[(&str, &[&str], u64)] = &[
    ("rvsdg-core", &["text_errors"], 1),
    ("rvsdg-gen", &["properties", "construct", "restructure", "destruct"], 1),
    ("rvsdg-passes", &["refinement"], 20),
    ("rvsdg-llvm", &["generated"], 100),
];

/// The target that gives LLVM texts which nobody made for it.
const IMPORT: &str = "import";

/// Properties with many cases.
#[derive(Args)]
pub struct Nightly {
    /// Cases of each property; a twentieth of them for the passes, a hundredth for native code
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// Which cases (others in every run if absent)
    #[arg(long)]
    seed: Option<u64>,
    /// Minutes of each fuzz target afterwards; 0 for no fuzzing
    #[arg(long, default_value_t = 30)]
    minutes: u64,
}

/// Fuzz targets, one after the other. They need cargo-fuzz, but no nightly toolchain.
#[derive(Args)]
pub struct Fuzz {
    /// The target; all when none is named
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// What watches memory, such as `address`; all but rvsdg-llvm is safe Rust
    #[arg(long, default_value = "none")]
    sanitizer: String,
}

/// Builds every package from what a registry would be sent, runs every property with many cases, looks for the seeded bugs, then runs
/// every fuzz target.
///
/// # Errors
/// A property does not hold, a seeded bug stays hidden, or a target crashed; the counterexample was printed and is in
/// `tests/regressions` of the crate or in `fuzz/artifacts`. Or a package lacks a file, or fewer cases ran in all than one property was
/// to get.
pub fn nightly(arguments: &Nightly) -> Result<()> {
    let (mut failed, mut ran) = (Vec::new(), Vec::new());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.seed.unwrap_or_else(now);
    eprintln!("again with --seed {seed}");
    let mut publish = Command::new(tools::cargo());
    if run(publish.args(["publish", "--workspace", "--dry-run", "--locked"])).is_err() {
        failed.push("packages".to_owned());
    }
    for &(package, tests, share) in PROPERTIES {
        let mut command = Command::new(tools::cargo());
        command.args(["test", "--release", "--locked", "--no-fail-fast", "--package", package]);
        tests.iter().for_each(|test| _ = command.args(["--test", test]));
        command.args(["--", "--nocapture"]).env("PROPTEST_CASES", (arguments.cases / share).max(1).to_string());
        command.env(tools::SEED, seed.to_string());
        if run_counting(&mut command, package, &mut ran).is_err() {
            failed.push(package.to_owned());
        }
    }
    let mut seeded = Command::new(tools::cargo());
    seeded.args(["test", "--release", "--locked", "--package", "rvsdg-passes", "--features", "seeded-bugs"]);
    if run(seeded.args(["--test", "seeded_bugs"])).is_err() {
        failed.push("seeded bugs".to_owned());
    }
    for &(target, _) in TARGETS.iter().filter(|_| arguments.minutes > 0) {
        if fuzz_target(target, arguments.minutes, "none").is_err() {
            failed.push(format!("fuzz target {target}"));
        }
    }
    for (property, cases) in &ran {
        println!("{cases:>10} cases  {property}");
    }
    let total: u64 = ran.iter().map(|(_, cases)| cases).sum();
    println!("{total:>10} cases  of {} properties", ran.len());
    if total < arguments.cases {
        failed.push(format!("{total} cases are too few"));
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Runs tests, and notes the properties that held, which print `name: number cases`.
fn run_counting(command: &mut Command, package: &str, ran: &mut Vec<(String, u64)>) -> Result<()> {
    let line = tools::shown(command.current_dir(tools::root()).stdout(Stdio::piped()));
    eprintln!("{line}");
    let mut child = command.spawn().with_context(|| format!("cannot run: {line}"))?;
    for said in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let said = said?;
        println!("{said}");
        let property = said.strip_suffix(" cases").and_then(|said| said.rsplit_once(": "));
        if let Some((name, cases)) = property.and_then(|(name, cases)| Some((name, cases.parse().ok()?))) {
            ran.push((format!("{package} {name}"), cases));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{status}: {line}");
    }
    Ok(())
}

/// Runs fuzz targets.
///
/// # Errors
/// There is no such target, or it crashed.
pub fn fuzz(arguments: &Fuzz) -> Result<()> {
    let all = arguments.target.is_none();
    let chosen = TARGETS.iter().filter(|(name, _)| all || arguments.target.as_deref() == Some(*name));
    let chosen: Vec<&str> = chosen.map(|&(name, _)| name).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|&(name, _)| name).collect();
        bail!("there is no such target; there are {}", names.join(", "));
    }
    chosen.into_iter().try_for_each(|target| fuzz_target(target, arguments.minutes, &arguments.sanitizer))
}

fn fuzz_target(target: &str, minutes: u64, sanitizer: &str) -> Result<()> {
    let corpus = tools::root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    seed(target, &corpus)?;
    let length = TARGETS.iter().find(|(name, _)| *name == target).map_or(4_000, |&(_, length)| length);
    let mut command = Command::new(tools::cargo());
    // Coverage is an option that only nightly toolchains have of themselves.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.args(["fuzz", "run", "--sanitizer", sanitizer, target, "--"]);
    command.arg(format!("-max_total_time={}", minutes * 60)).arg(format!("-max_len={length}"));
    command.args(["-timeout=60", "-rss_limit_mb=4000", "-print_final_stats=1"]);
    if target == IMPORT {
        // LLVM's own reader and verifier crash on some texts; what they do in a process of their own ends no run.
        command.args(["-fork=1", "-ignore_crashes=1"]);
    }
    let result = run(&mut command);
    if target == IMPORT { result.and_then(|()| only_llvm_crashes()) } else { result }
}

/// Looks at what the target `import` crashed on, and removes what LLVM's own `opt` crashes on, too.
fn only_llvm_crashes() -> Result<()> {
    let folder = tools::root().join("fuzz/artifacts").join(IMPORT);
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(()) };
    let mut ours = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let mut opt = Command::new("opt-22");
        opt.args(["-passes=verify", "-disable-output"]).arg(&path);
        let output = opt.output().with_context(|| format!("cannot run: {}", tools::shown(&opt)))?;
        if output.status.code().is_some() {
            ours.push(path.display().to_string());
        } else {
            eprintln!("LLVM itself crashes on {}", path.display());
            fs::remove_file(&path)?;
        }
    }
    if !ours.is_empty() {
        bail!("crashes: {}", ours.join(", "));
    }
    Ok(())
}

/// Puts inputs from tests into a target's corpus: the modules of file tests and former counterexamples.
fn seed(target: &str, corpus: &Path) -> Result<()> {
    let (folders, extension): (&[&str], &str) = match target {
        "text" => (&["tests/filetests", "rvsdg-gen/tests", "rvsdg-passes/tests", "rvsdg-emit/tests"], "rvsdg"),
        "import" => (&["tests/roundtrip", "tests/tests/constructs", "rvsdg-llvm/tests/modules"], "ll"),
        _ => {
            // The others decode their input; what they are given first only has to be of all lengths.
            for index in 0..16u32 {
                let mut state = index;
                let bytes: Vec<u8> = (0..index * 64)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (state >> 24) as u8
                    })
                    .collect();
                fs::write(corpus.join(format!("seed-{index}")), bytes)?;
            }
            return Ok(());
        }
    };
    let mut pending: Vec<PathBuf> = folders.iter().map(|folder| tools::root().join(folder)).collect();
    let mut count = 0;
    while let Some(folder) = pending.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                // A file test holds what goes in and what comes out.
                for part in text.split("; EXPECT:\n") {
                    fs::write(corpus.join(format!("seed-{count}")), part)?;
                    count += 1;
                }
            }
        }
    }
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    command.current_dir(tools::root());
    let line = tools::shown(command);
    eprintln!("{line}");
    let status = command.status().with_context(|| format!("cannot run: {line}"))?;
    if !status.success() {
        bail!("{status}: {line}");
    }
    Ok(())
}
