//! `cargo xtask csmith`: programs that csmith makes up, through the optimizer, against what clang makes of them without
//! optimization. They are free of undefined behaviour and print a checksum of their variables.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::tools;

/// Small enough that most end within the time, large enough to have loops, calls and structures.
const SHAPE: [&str; 4] = ["--max-funcs", "6", "--max-block-depth", "4"];
const INCLUDE: &str = "-I/usr/include/csmith";
/// How the front end compiles; one per program, in turn.
const FRONT: [&str; 3] = ["O0", "O1", "O2"];
/// How the optimizer is called after `-O3`, which is for every program; one per program, in turn.
const OTHERS: [&str; 4] = ["-Os", "-passes=paper", "-O2", "-O1"];

/// Which programs are made, and what runs them.
#[derive(Args)]
pub struct Task {
    /// Seeds; some programs do not end and are left out
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds that a program may run; those that run longer without optimization are left out
    #[arg(long, default_value_t = 5)]
    seconds: u32,
    /// Threads (as many as the machine has if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// The optimizer's binary (built with the release profile if absent)
    #[arg(long, value_name = "PATH")]
    jlm_opt: Option<PathBuf>,
}

/// What became of one program.
enum Outcome {
    Equal,
    /// It does not end in time, or csmith made none.
    LeftOut,
    Wrong(String),
}

/// Runs the programs, and says how many behave the same.
///
/// # Errors
/// csmith is not installed, or a program behaves otherwise; its seed and the way it was compiled are named.
pub fn main(task: &Task) -> Result<()> {
    if Command::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output().is_err() {
        bail!("csmith is not installed; Debian's packages are csmith and libcsmith-dev");
    }
    let optimizer = tools::optimizer(task.jlm_opt.as_deref())?;
    let folder = tools::target_folder().join("csmith");
    let jobs = task.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let seeds: Vec<u64> = (task.seed..task.seed + task.count).collect();
    let outcomes = tools::parallel(jobs, &seeds, |&seed| program(seed, task.seconds, &folder, &optimizer));
    let (mut equal, mut left_out, mut wrong) = (0, 0, Vec::new());
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        match outcome.with_context(|| format!("seed {seed}"))? {
            Outcome::Equal => equal += 1,
            Outcome::LeftOut => left_out += 1,
            Outcome::Wrong(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{equal} programs behave the same, {left_out} are left out, {} do not", wrong.len());
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// The part that CI runs.
///
/// # Errors
/// As [`main`].
pub fn sample(optimizer: &Path) -> Result<()> {
    main(&Task { count: 24, seed: 1, seconds: 5, jobs: None, jlm_opt: Some(optimizer.to_owned()) })
}

fn program(seed: u64, seconds: u32, folder: &Path, optimizer: &Path) -> Result<Outcome> {
    let folder = folder.join(seed.to_string());
    std::fs::create_dir_all(&folder)?;
    let path = |name: &str| folder.join(name);
    let source = path("program.c");
    let made = Command::new("csmith")
        .args(["--seed", &seed.to_string()])
        .args(SHAPE)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .context("cannot run csmith")?;
    if !made.status.success() {
        return Ok(Outcome::LeftOut);
    }
    std::fs::write(&source, made.stdout)?;
    let plain = path("plain");
    tools::output(Command::new("clang-22").args(["-w", "-O0", INCLUDE]).arg(&source).arg("-o").arg(&plain))?;
    let Some(expected) = run(&plain, seconds)? else { return Ok(Outcome::LeftOut) };

    let turn = seed as usize;
    let front = FRONT[turn % FRONT.len()];
    let control_flow = ["scfr", "pcfr"][turn % 2];
    let input = path("input.bc");
    let mut clang = Command::new("clang-22");
    clang.args(["-w", &format!("-{front}"), INCLUDE, "-emit-llvm", "-c"]).arg(&source).arg("-o").arg(&input);
    if front == "O0" {
        clang.args(["-Xclang", "-disable-O0-optnone"]);
    }
    tools::output(&mut clang)?;
    if front == "O0" {
        // Without registers there would be little to optimize, and clang forbids to inline.
        let passes = "-passes=function(mem2reg),forceattrs";
        let mut opt = Command::new("opt-22");
        opt.args([passes, "-force-remove-attribute=noinline"]).arg(&input).arg("-o").arg(&input);
        tools::output(&mut opt)?;
    }
    let (output, executable) = (path("output.bc"), path("optimized"));
    // Each of the others comes with either way of recovering control flow.
    for way in ["-O3", OTHERS[turn / 2 % OTHERS.len()]] {
        let said = format!("clang -{front}, jlm-opt {way} --control-flow={control_flow}");
        let mut command = Command::new(optimizer);
        command
            .args([way, "-verify-each", &format!("--control-flow={control_flow}")])
            .arg(&input)
            .arg("-o")
            .arg(&output);
        if let Err(error) = tools::output(&mut command) {
            return Ok(Outcome::Wrong(format!("{said}: {error}")));
        }
        tools::output(Command::new("clang-22").args(["-w", "-O1"]).arg(&output).arg("-o").arg(&executable))?;
        let actual = run(&executable, 4 * seconds)?;
        if actual.as_ref() != Some(&expected) {
            return Ok(Outcome::Wrong(format!("{said}: prints something else, see {}", folder.display())));
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(Outcome::Equal)
}

/// What a program prints; `None` when it does not end in time or fails.
fn run(program: &Path, seconds: u32) -> Result<Option<Vec<u8>>> {
    let mut command = Command::new("timeout");
    let result = command.arg(seconds.to_string()).arg(program).stdin(Stdio::null()).output();
    let result = result.with_context(|| format!("cannot run {}", program.display()))?;
    Ok(result.status.success().then_some(result.stdout))
}
