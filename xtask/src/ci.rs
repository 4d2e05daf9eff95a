//! `cargo xtask ci`: everything that must pass, in the order in which failures are cheapest to find.
//!
//! All steps use the `dev` profile, which optimizes a little: the tests, the corpora and the binaries share one build.
//! That the default members need no LLVM is a rule of `tidy`, so that one build of the whole workspace is enough.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{corpus, csmith, debug_info, polybench, projects, tidy, tools};

/// Runs every step, and stops at the first that fails.
///
/// # Errors
/// A step failed; it has printed why.
pub fn main() -> Result<()> {
    let all = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut step = |name: &'static str, work: &dyn Fn() -> Result<()>| -> Result<()> {
        eprintln!("=== {name}");
        let start = Instant::now();
        work().with_context(|| format!("CI stopped at: {name}"))?;
        times.push((name, start.elapsed()));
        eprintln!("=== {name}: {:.1} s\n", start.elapsed().as_secs_f64());
        Ok(())
    };

    let seed = tools::seed();
    eprintln!("what CI makes up is that of {}={seed}, which repeats it\n", tools::SEED);

    step("format", &|| cargo(&["fmt", "--all", "--check"]))?;
    step("tidy", &|| tidy::main())?;
    step("lints", &|| {
        let lints = ["--all-targets", "--all-features", "--locked", "--quiet", "--", "--deny", "warnings"];
        cargo(&[&["clippy", "--workspace"], &lints[..]].concat())?;
        // A workspace of its own, whose artifacts lie beside the others so that dependencies are checked once.
        let target = tools::target_folder().display().to_string();
        cargo(&[&["clippy", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", &target], &lints[..]].concat())
    })?;
    // Asked for together, binaries and tests get the same features of their dependencies, and nothing is compiled twice.
    step("build", &|| {
        cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--examples", "--locked", "--quiet"])
    })?;
    step("without threads and serialization", &|| {
        cargo(&["check", "-p", "rvsdg-passes", "-p", "rvsdg-llvm", "--no-default-features", "--locked", "--quiet"])
    })?;
    step("tests", &|| {
        let mut test = Command::new(tools::cargo());
        visible(test.args(["test", "--workspace", "--locked", "--quiet"]).env(tools::SEED, seed.to_string()))
    })?;
    step("seeded bugs", &|| {
        let found = ["--test", "seeded_bugs", "--", "every_seeded_bug_is_found", "no_bug_is_found_where_none_is"];
        let arguments = ["test", "--workspace", "--features", "rvsdg-passes/seeded-bugs", "--locked", "--quiet"];
        cargo(&[&arguments[..], &found].concat())
    })?;
    step("docs", &|| {
        let mut doc = Command::new(tools::cargo());
        doc.args(["doc", "--workspace", "--no-deps", "--locked", "--quiet"]).env("RUSTDOCFLAGS", "--deny warnings");
        visible(&mut doc)
    })?;
    step("packages", &|| {
        // What a registry would be sent; it is asked which versions it has.
        cargo(&["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--locked", "--quiet"])
    })?;
    let optimizer = tools::target_folder().join("debug/jlm-opt");
    step("real programs", &|| corpus::sample(&optimizer))?;
    step("variables", &|| debug_info::sample(&optimizer))?;
    step("project", &|| projects::sample(&tools::target_folder().join("debug/jlc")))?;
    step("kernels", &|| polybench::sample(&optimizer))?;
    step("made-up programs", &|| csmith::sample(&optimizer))?;

    for (name, time) in times {
        eprintln!("{:>8.1} s  {name}", time.as_secs_f64());
    }
    eprintln!("{:>8.1} s  everything passed", all.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<()> {
    visible(Command::new(tools::cargo()).args(arguments))
}

/// Runs a command whose output the user sees.
fn visible(command: &mut Command) -> Result<()> {
    command.current_dir(tools::root());
    let line = tools::shown(command);
    let status = command.status().with_context(|| format!("cannot run: {line}"))?;
    if !status.success() {
        bail!("{status}: {line}");
    }
    Ok(())
}
