//! Running other programs with a limit on their time, and where things are.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository")
}

/// Where cargo puts what it builds.
pub fn target_folder() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// What a program did that ended well.
pub struct Done {
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its standard error.
    pub errors: Vec<u8>,
    /// Its processor time in seconds.
    pub cpu: f64,
}

/// Why a program did not end well.
#[derive(Debug)]
pub enum Failure {
    /// It ran longer than it may.
    TooLong(Duration),
    /// It ended with this status, and said this.
    Status(String, String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::TooLong(limit) => write!(f, "takes more than {} s", limit.as_secs_f64()),
            Failure::Status(status, said) if said.is_empty() => f.write_str(status),
            Failure::Status(_, said) => f.write_str(said),
        }
    }
}

impl std::error::Error for Failure {}

/// The exit statuses with which `timeout` says that the time was over and the program was killed.
const TIMED_OUT: [i32; 2] = [124, 137];

/// Runs a program to its end, or until the limit. The inner result says what the program did.
///
/// # Errors
/// It cannot be started.
pub fn run(program: &[OsString], limit: Duration) -> Result<Result<Done, Failure>> {
    let mut command = Command::new("timeout");
    command.arg("--signal=KILL").arg("--foreground").arg(limit.as_secs_f64().to_string()).args(program);
    let shown = || program.join(" ".as_ref()).to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run: {}", shown()))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (output, errors) = std::thread::scope(|scope| {
        let errors = scope.spawn(|| all(stderr));
        (all(stdout), errors.join().unwrap_or_default())
    });
    let used = child.wait4().with_context(|| format!("cannot wait for: {}", shown()))?;
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    if used.status.success() {
        return Ok(Ok(Done { output, errors, cpu }));
    }
    let over = used.status.code().is_some_and(|code| TIMED_OUT.contains(&code));
    Ok(Err(if over { Failure::TooLong(limit) } else { Failure::Status(used.status.to_string(), first_words(&errors)) }))
}

/// As [`run`], for a program that must end well; its failure names the program.
///
/// # Errors
/// It cannot be started, or does not end well.
pub fn must(program: &[OsString], limit: Duration) -> Result<Done> {
    run(program, limit)?
        .map_err(|failure| anyhow::anyhow!("{}: {failure}", program.join(" ".as_ref()).to_string_lossy()))
}

/// The words of a program and its arguments.
pub fn words<I: IntoIterator>(program: I) -> Vec<OsString>
where
    I::Item: Into<OsString>,
{
    program.into_iter().map(Into::into).collect()
}

/// Runs cargo on this repository; what it says, the user sees.
///
/// # Errors
/// It fails.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(root())
        .stdout(std::io::stderr())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    Ok(())
}

/// Our optimizer: a given one, or one that is built now.
///
/// # Errors
/// The given one is not there, or it cannot be built.
pub fn jlm_opt(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return path.canonicalize().with_context(|| format!("there is no {}", path.display()));
    }
    cargo(&["build", "--release", "--locked", "--package", "jlm"])?;
    Ok(target_folder().join("release/jlm-opt"))
}

/// Writes a file whole: beside its place, then renamed, so that an interrupted run leaves none that is half-written.
///
/// # Errors
/// The file or its folder cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file needs a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let beside = path.with_extension("tmp");
    std::fs::write(&beside, content).with_context(|| format!("cannot write {}", beside.display()))?;
    std::fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

fn all(from: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // A program that closes its output early is judged by its status.
        let _ = from.read_to_end(&mut bytes);
    }
    bytes
}

/// The first line that says something, without the program's path before it.
fn first_words(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_well_or_badly_or_not_at_all() {
        let limit = Duration::from_secs(60);
        assert_eq!(run(&words(["echo", "a"]), limit).unwrap().unwrap().output, b"a\n");
        assert!(matches!(run(&words(["false"]), limit).unwrap(), Err(Failure::Status(..))));
        let short = run(&words(["sleep", "60"]), Duration::from_millis(50)).unwrap();
        assert!(matches!(short, Err(Failure::TooLong(_))));
    }
}
