//! `cargo xtask csmith`: programs that csmith makes up, through the optimizer, against what clang makes of them without
//! optimization. They print a checksum of their variables, and are free of undefined behaviour but for conversions of floating-point
//! numbers that do not fit: a program that clang's own optimization changes, too, is counted apart.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;

use crate::evidence::{self, Evidence};
use crate::tools;

/// Small enough that most end within the time, large enough to have loops, calls and structures.
const SHAPE: [&str; 4] = ["--max-funcs", "6", "--max-block-depth", "4"];
const INCLUDE: &str = "-I/usr/include/csmith";
/// With floating-point numbers, csmith lets pointers to them lead to integers of the same size.
const FLOAT: [&str; 2] = ["-Wno-incompatible-pointer-types", "-fno-strict-aliasing"];
/// How the front end compiles; one per program, in turn.
const FRONT: [&str; 3] = ["O0", "O1", "O2"];
/// How the optimizer is called after `-O3`, which is for every program; one per program, in turn.
const OTHERS: [&str; 5] = ["-Os", "-passes=paper", "-O2", "-O1", "-Oz"];
/// Seconds after which a compiler, or csmith itself, counts as hanging. Most take less than one.
const TOOL_LIMIT: u32 = 120;

/// Which programs are made, and what runs them.
#[derive(Args)]
pub struct Task {
    /// Seeds; some programs do not end and are left out
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs that compute with floating-point numbers, too
    #[arg(long)]
    float: bool,
    /// Seconds that a program may run; those that run longer without optimization are left out
    #[arg(long, default_value_t = 5)]
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

/// The levels of clang at which a program is tried that does something else.
const CLANGS: &[&str] = &["-O1", "-O2"];

/// What became of one program.
enum Outcome {
    /// Every way prints the same.
    Equal,
    /// There is nothing to compare with, for a reason.
    LeftOut(Reason),
    /// The optimizer fails or hangs, LLVM does not take its output, or the program does something else.
    Wrong(String),
}

/// Why there is nothing to compare with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// csmith fails or hangs.
    NotMade,
    /// clang fails or hangs on the source.
    NotCompiled,
    /// Without optimization the program does not end in time.
    Endless,
    /// Without optimization the program ends with another status than 0.
    Fails,
    /// It does something else than without optimization, and what clang optimizes does, too: its behaviour is undefined.
    Undefined,
}

/// How a program ended.
#[derive(PartialEq, Eq)]
enum Run {
    /// With status 0, after it printed this.
    Printed(Vec<u8>),
    /// Not within the time.
    TimedOut,
    /// With another status, or by a signal.
    Failed,
}

/// Runs the programs, and says how many behave the same.
///
/// # Errors
/// csmith is not installed, or a program behaves otherwise; its seed and the way it was compiled are named.
pub fn main(task: &Task) -> Result<()> {
    if Command::new("csmith").arg("--version").current_dir(std::env::temp_dir()).output().is_err() {
        bail!("csmith is not installed; Debian's packages are csmith and libcsmith-dev");
    }
    let evidence = Evidence::begin(if task.float { "csmith-float" } else { "csmith" }, evidence::OPTIMIZER)?;
    let optimizer = tools::optimizer(task.jlm_opt.as_deref())?;
    let folder = tools::target_folder().join(if task.float { "csmith-float" } else { "csmith" });
    let jobs = task.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let seeds: Vec<u64> = (task.seed..task.seed + task.count).collect();
    let outcomes = tools::parallel(jobs, &seeds, |&seed| program(seed, task, &folder, &optimizer));
    let (mut equal, mut left_out, mut wrong) = (0, Vec::new(), Vec::new());
    for (seed, outcome) in seeds.iter().zip(outcomes) {
        match outcome.with_context(|| format!("seed {seed}"))? {
            Outcome::Equal => equal += 1,
            Outcome::LeftOut(reason) => left_out.push(reason),
            Outcome::Wrong(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    let count = |reason| left_out.iter().filter(|&&other| other == reason).count();
    let [not_made, not_compiled] = [Reason::NotMade, Reason::NotCompiled].map(count);
    let [endless, fails, undefined] = [Reason::Endless, Reason::Fails, Reason::Undefined].map(count);
    println!(
        "seeds {} to {}: {equal} programs behave the same, {} do not; {undefined} do something else under clang's optimization, too; \
         without optimization {endless} do not end in {} s and {fails} fail; csmith makes no program for {not_made}, clang does not compile {not_compiled}",
        task.seed,
        task.seed + task.count - 1,
        wrong.len(),
        task.seconds,
    );
    if task.write_docs {
        evidence.record(&json!({
            "seeds": task.count, "first_seed": task.seed, "same": equal, "wrong": wrong.len(), "seconds": task.seconds,
            "undefined": undefined, "endless": endless, "fails": fails, "not_made": not_made, "not_compiled": not_compiled,
        }))?;
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// The part that CI runs: other programs with every revision, half of them with floating-point numbers.
///
/// # Errors
/// As [`main`].
pub fn sample(optimizer: &Path) -> Result<()> {
    let seed = tools::seed();
    let task = |float| Task {
        count: 12,
        seed,
        float,
        seconds: 5,
        jobs: None,
        jlm_opt: Some(optimizer.to_owned()),
        write_docs: false,
    };
    main(&task(false))?;
    main(&task(true))
}

fn program(seed: u64, task: &Task, folder: &Path, optimizer: &Path) -> Result<Outcome> {
    let folder = folder.join(seed.to_string());
    std::fs::create_dir_all(&folder)?;
    let outcome = program_in(seed, task, &folder, optimizer)?;
    if !matches!(outcome, Outcome::Wrong(_)) {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(outcome)
}

fn program_in(seed: u64, task: &Task, folder: &Path, optimizer: &Path) -> Result<Outcome> {
    let path = |name: &str| folder.join(name);
    let (source, plain, input) = (path("program.c"), path("plain"), path("input.bc"));
    let mut csmith = limited("csmith");
    csmith.args(["--seed", &seed.to_string()]).args(SHAPE).args(task.float.then_some("--float"));
    if tools::output(csmith.current_dir(folder).arg("-o").arg(&source)).is_err() {
        return Ok(Outcome::LeftOut(Reason::NotMade));
    }
    let clang = || {
        let mut clang = limited("clang-22");
        clang.args(["-w", INCLUDE]).arg(&source);
        if task.float {
            clang.args(FLOAT);
        }
        clang
    };
    if tools::output(clang().arg("-O0").arg("-o").arg(&plain)).is_err() {
        return Ok(Outcome::LeftOut(Reason::NotCompiled));
    }
    let expected = run(&plain, task.seconds)?;
    match &expected {
        Run::Printed(_) => {}
        Run::TimedOut => return Ok(Outcome::LeftOut(Reason::Endless)),
        Run::Failed => return Ok(Outcome::LeftOut(Reason::Fails)),
    }

    let turn = usize::try_from(seed)?;
    let front = FRONT[turn % FRONT.len()];
    let control_flow = ["scfr", "pcfr"][turn % 2];
    let mut compile = clang();
    compile.args([&format!("-{front}"), "-emit-llvm", "-c"]).arg("-o").arg(&input);
    if front == "O0" {
        compile.args(["-Xclang", "-disable-O0-optnone"]);
    }
    if tools::output(&mut compile).is_err() {
        return Ok(Outcome::LeftOut(Reason::NotCompiled));
    }
    if front == "O0" {
        // Without registers there would be little to optimize, and clang forbids to inline.
        let mut opt = limited("opt-22");
        opt.args(["-passes=function(mem2reg),forceattrs", "-force-remove-attribute=noinline"]);
        tools::output(opt.arg(&input).arg("-o").arg(&input))?;
    }
    let (output, executable) = (path("output.bc"), path("optimized"));
    // Each of the others comes with either way of recovering control flow.
    for way in ["-O3", OTHERS[turn / 2 % OTHERS.len()]] {
        let said = format!("clang -{front}, jlm-opt {way} --control-flow={control_flow}");
        let mut optimize = limited(optimizer);
        optimize.args([way, "-verify-each", &format!("--control-flow={control_flow}")]);
        let mut finish = limited("clang-22");
        finish.args(["-w", "-O1"]).arg(&output).arg("-o").arg(&executable);
        let made = tools::output(optimize.arg(&input).arg("-o").arg(&output)).and_then(|_| tools::output(&mut finish));
        if let Err(error) = made {
            return Ok(Outcome::Wrong(format!("{said}: {error}")));
        }
        let actual = run(&executable, 4 * task.seconds)?;
        if actual != expected {
            for level in CLANGS {
                let made = tools::output(clang().arg(level).arg("-o").arg(&executable));
                // One that takes longer may have been disturbed.
                let theirs = made.ok().map(|_| run(&executable, 4 * task.seconds)).transpose()?;
                if theirs.is_some_and(|theirs| theirs != Run::TimedOut && theirs != expected) {
                    return Ok(Outcome::LeftOut(Reason::Undefined));
                }
            }
            let what = match actual {
                Run::Printed(_) => "prints something else",
                Run::TimedOut => "does not end",
                Run::Failed => "fails",
            };
            return Ok(Outcome::Wrong(format!("{said}: {what}, see {}", folder.display())));
        }
    }
    Ok(Outcome::Equal)
}

/// A tool, which fails when it takes too long.
fn limited(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(TOOL_LIMIT.to_string()).arg(program);
    command
}

fn run(program: &Path, seconds: u32) -> Result<Run> {
    /// The status of `timeout` for a program that it ended.
    const TIMED_OUT: i32 = 124;
    let mut command = Command::new("timeout");
    let result = command.arg(seconds.to_string()).arg(program).stdin(Stdio::null()).output();
    let result = result.with_context(|| format!("cannot run {}", program.display()))?;
    Ok(match result.status.code() {
        Some(0) => Run::Printed(result.stdout),
        Some(TIMED_OUT) => Run::TimedOut,
        _ => Run::Failed,
    })
}
