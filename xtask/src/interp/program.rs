//! One program, as machine code and under the interpreter.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::folder;
use crate::corpus::WholeProgram;
use crate::tools;

/// What came of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Output and status are the same in so many runs.
    Agrees(usize),
    /// They are the same under a condition; as it stands the program is undefined, for this reason.
    AgreesIf(&'static str, String),
    /// The interpreter does not know something, or the program takes longer than it may.
    NotRun(String),
    /// Output or status differ, or the interpreter says that the program is undefined.
    Differs(String),
}

impl Verdict {
    /// Whether output and status are the same, and nothing is undefined.
    pub fn agrees(&self) -> bool {
        matches!(self, Verdict::Agrees(_))
    }

    /// Whether they are the same although the interpreter says that the program is undefined.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Verdict::AgreesIf(..))
    }

    /// Whether there was something to compare.
    pub fn was_run(&self) -> bool {
        !matches!(self, Verdict::NotRun(_))
    }

    /// Whether somebody has to look.
    pub fn differs(&self) -> bool {
        matches!(self, Verdict::Differs(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Agrees(1) => f.write_str("agrees"),
            Verdict::Agrees(runs) => write!(f, "agrees in {runs} runs"),
            Verdict::AgreesIf(condition, reason) => write!(f, "agrees where {condition}; otherwise {reason}"),
            Verdict::NotRun(reason) => write!(f, "not run: {reason}"),
            Verdict::Differs(reason) => write!(f, "**differs**: {reason}"),
        }
    }
}

/// How the interpreter is run.
pub struct Way<'a> {
    /// The optimizer's binary.
    pub optimizer: &'a Path,
    /// Passes to run before the program.
    pub passes: &'a str,
    /// Seconds that a run may take.
    pub limit: u64,
    /// Seconds that the program may take as machine code.
    pub native: u64,
}

/// What undefined programs count on that do what they do on most machines, and how the interpreter is told.
const LOOSER: &[(&str, &[&str])] = &[
    ("new memory is zero", &["--run-zeroed"]),
    ("addresses may leave their objects", &["--run-loose-addresses"]),
    ("new memory is zero and addresses may leave their objects", &["--run-zeroed", "--run-loose-addresses"]),
];

/// The status of `jlm-opt --run` where it cannot say what the program does.
const NOT_RUN: i32 = 125;
/// The status of `timeout` where it had to end a command.
const TIMED_OUT: i32 = 124;

/// Runs a whole program both ways with all its arguments.
///
/// # Errors
/// A command cannot be run.
pub fn compare(program: &WholeProgram, way: &Way<'_>) -> Result<Verdict> {
    let base = folder().join("corpus").join(&program.name).join(program.variant);
    std::fs::create_dir_all(&base).with_context(|| format!("cannot create {}", base.display()))?;
    let linked = base.join("program.bc");
    let mut link = Command::new("llvm-link-22");
    link.args(&program.bitcode).arg("-o").arg(&linked);
    tools::output(&mut link)?;
    let (mut agreeing, mut loosened, mut other) = (0, None, None);
    for (index, arguments) in program.runs.iter().enumerate() {
        let cwd = base.join(format!("run{index}"));
        match one_run(&program.executable, &linked, arguments, &cwd, way)? {
            Verdict::Agrees(runs) => agreeing += runs,
            Verdict::AgreesIf(condition, reason) => {
                agreeing += 1;
                loosened = loosened.or(Some((condition, reason)));
            }
            Verdict::NotRun(reason) => other = other.or(Some(reason)),
            differs @ Verdict::Differs(_) => return Ok(differs),
        }
    }
    Ok(match (other, loosened) {
        (Some(reason), _) if agreeing > 0 => {
            Verdict::NotRun(format!("{agreeing} of {} runs agree; {reason}", program.runs.len()))
        }
        (Some(reason), _) => Verdict::NotRun(reason),
        (None, Some((condition, reason))) => Verdict::AgreesIf(condition, reason),
        (None, None) => Verdict::Agrees(agreeing),
    })
}

/// Why a program is not run that takes longer than it may as machine code.
pub const ENDLESS: &str = "it does not end by itself";

/// Whether a program ends in an empty folder in the time that machine code may take.
///
/// # Errors
/// The command cannot be run.
pub fn ends(executable: &Path, cwd: &Path, way: &Way<'_>) -> Result<bool> {
    Ok(run(&Command::new(executable), cwd, way.native)?.status != Some(TIMED_OUT))
}

/// Runs a program both ways in an empty folder.
///
/// # Errors
/// A command cannot be run.
pub fn one_run(executable: &Path, bitcode: &Path, arguments: &[String], cwd: &Path, way: &Way<'_>) -> Result<Verdict> {
    let native = run(Command::new(executable).args(arguments), cwd, way.native)?;
    if native.status == Some(TIMED_OUT) {
        return Ok(Verdict::NotRun(ENDLESS.into()));
    }
    let strict = interpreted(&native, &[], bitcode, arguments, cwd, way)?;
    match strict {
        Verdict::Differs(reason) if reason.starts_with("undefined") => {
            for &(condition, options) in LOOSER {
                let seen = interpreted(&native, options, bitcode, arguments, cwd, way)?;
                if seen.agrees() {
                    return Ok(Verdict::AgreesIf(condition, reason));
                }
                if let Verdict::NotRun(limit) = seen {
                    return Ok(Verdict::NotRun(format!("{reason}; where {condition}, {limit}")));
                }
            }
            Ok(Verdict::Differs(reason))
        }
        verdict => Ok(verdict),
    }
}

/// Compares a run under the interpreter with the native one.
fn interpreted(
    native: &Seen,
    options: &[&str],
    bitcode: &Path,
    arguments: &[String],
    cwd: &Path,
    way: &Way<'_>,
) -> Result<Verdict> {
    let mut command = Command::new(way.optimizer);
    command.arg(format!("-passes={}", way.passes)).args(options).arg("--run").arg(bitcode).args(arguments);
    let seen = run(&command, cwd, way.limit)?;
    Ok(match seen.status {
        Some(TIMED_OUT) => Verdict::NotRun(format!("it takes more than {} s", way.limit)),
        Some(NOT_RUN) if native.status != Some(NOT_RUN) => {
            let reason = seen.errors.lines().last().unwrap_or_default();
            let reason = reason.rsplit_once(".bc: ").map_or(reason, |(_, reason)| reason).to_owned();
            if reason.starts_with("undefined") { Verdict::Differs(reason) } else { Verdict::NotRun(reason) }
        }
        _ if seen.status != native.status => {
            let (status, other) = (native.status, seen.status);
            Verdict::Differs(format!("status {other:?} instead of {status:?}: {}", tools::shown(&command)))
        }
        _ if seen.output != native.output => Verdict::Differs(format!("the output: {}", tools::shown(&command))),
        _ => Verdict::Agrees(1),
    })
}

struct Seen {
    /// As a shell has it: 134 for a program that called `abort`.
    status: Option<i32>,
    output: Vec<u8>,
    errors: String,
}

fn run(command: &Command, cwd: &Path, limit: u64) -> Result<Seen> {
    if cwd.exists() {
        std::fs::remove_dir_all(cwd).with_context(|| format!("cannot empty {}", cwd.display()))?;
    }
    std::fs::create_dir_all(cwd).with_context(|| format!("cannot create {}", cwd.display()))?;
    // A shell between them turns the signal that ended the program into a status, as `timeout` would die of it.
    let mut limited = Command::new("timeout");
    limited
        .arg(limit.to_string())
        .args(["sh", "-c", "\"$@\"; exit $?", "run"])
        .arg(command.get_program())
        .args(command.get_args());
    limited.current_dir(cwd).env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    let result = limited.output().with_context(|| format!("cannot run: {}", tools::shown(&limited)))?;
    let errors = String::from_utf8_lossy(&result.stderr).into_owned();
    Ok(Seen { status: result.status.code(), output: result.stdout, errors })
}
