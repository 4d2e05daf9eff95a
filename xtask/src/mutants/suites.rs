//! The tests that mutants meet: built once, with what each reaches and how long it takes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use wait4::Wait4;

use crate::tools;

/// Packages whose tests are run; of one whose other tests need LLVM or are about other things, the one that is.
const PACKAGES: &[(&str, Option<&str>)] = &[
    ("rvsdg-analysis", None),
    ("rvsdg-cfg", None),
    ("rvsdg-core", Some("lib")),
    ("rvsdg-gen", None),
    ("rvsdg-passes", None),
    ("rvsdg-tests", Some("filetests")),
];

/// Test programs that are run as a whole, because all of one takes less than a second.
const WHOLE: &[&str] = &["lib", "filetests", "bodies", "manager", "docs"];

/// Tests that compare passes with themselves, and test programs about what has no mutants: they notice no wrong condition, and take
/// long.
const BLIND: &[&str] = &["passes_are_deterministic"];
/// See [`BLIND`].
const BLIND_PROGRAMS: &[&str] = &["classify", "compare", "construct", "partition", "restructure", "validity"];

/// Memory that a test may take, in KiB: with a mutant it may ask for any amount.
const MEMORY: u64 = 6 << 20;

/// A test, or all of one program.
pub struct Suite {
    pub name: String,
    program: PathBuf,
    folder: PathBuf,
    test: Option<String>,
    /// Processor time without a mutant.
    pub time: Duration,
    /// Mutants whose condition it looks at.
    pub reached: BTreeSet<u32>,
}

/// What became of a test.
pub enum Outcome {
    Passed,
    Failed,
    /// It took several times as long as without a mutant.
    Endless,
}

/// Builds the tests of the copy.
///
/// # Errors
/// The copy cannot be built: a mutant may be no valid program.
pub fn build(copy: &Path, target: &Path) -> Result<Vec<Suite>> {
    let mut cargo = Command::new(tools::cargo());
    cargo.args([
        "test",
        "--no-run",
        "--lib",
        "--tests",
        "--locked",
        "--quiet",
        "--message-format=json-render-diagnostics",
    ]);
    cargo.args(PACKAGES.iter().flat_map(|(package, _)| ["--package", package]));
    cargo.arg("--target-dir").arg(target).current_dir(copy).env("RUSTFLAGS", "--cap-lints=allow");
    cargo.env_remove("CARGO_TARGET_DIR");
    let line = tools::shown(&cargo);
    let output = cargo.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run: {line}"))?;
    if !output.status.success() {
        bail!("{}: {line}", output.status);
    }
    let mut suites = Vec::new();
    for message in String::from_utf8(output.stdout)?.lines() {
        let message: Value = serde_json::from_str(message).context("cargo writes JSON")?;
        let Some(program) = message["executable"].as_str() else { continue };
        let manifest = Path::new(message["manifest_path"].as_str().context("a program has a package")?);
        let folder = manifest.parent().context("a manifest is in a folder")?;
        let package = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let is_lib = message["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"));
        let target = if is_lib { "lib" } else { target };
        let of_package = |&(name, _): &&(&str, Option<&str>)| {
            name.trim_start_matches("rvsdg-") == package.trim_start_matches("rvsdg-")
        };
        let only = PACKAGES.iter().find(of_package).and_then(|(_, only)| *only);
        if only.is_some_and(|only| only != target) || BLIND_PROGRAMS.contains(&target) {
            continue;
        }
        let suite = |test: Option<&str>| Suite {
            name: [Some(package.as_str()), Some(target), test].into_iter().flatten().collect::<Vec<_>>().join("::"),
            program: program.into(),
            folder: folder.to_owned(),
            test: test.map(str::to_owned),
            time: Duration::ZERO,
            reached: BTreeSet::new(),
        };
        if WHOLE.contains(&target) {
            suites.push(suite(None));
            continue;
        }
        let list = tools::output(Command::new(program).args(["--list", "--format", "terse"]).current_dir(folder))?;
        let list = String::from_utf8(list)?;
        let tests = list.lines().filter_map(|line| line.strip_suffix(": test")).filter(|test| !BLIND.contains(test));
        suites.extend(tests.map(|test| suite(Some(test))));
    }
    suites.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(suites)
}

/// Runs every suite once without a mutant, and notes what it reaches and how long it takes; of one that takes longer than `within`,
/// that it does. What is known of the same tree is not measured again.
///
/// # Errors
/// A test fails without a mutant, or a file cannot be written.
pub fn measure(suites: &mut [Suite], tree: &str, folder: &Path, jobs: usize, within: Option<Duration>) -> Result<()> {
    let cache = folder.join("reached.json");
    let key = format!("{tree} {within:?}");
    if let Ok(bytes) = std::fs::read(&cache)
        && let Ok(known) = serde_json::from_slice::<Value>(&bytes)
        && known["key"] == key
        && suites.iter_mut().all(|suite| suite.recall(&known["suites"][&suite.name]).is_some())
    {
        return Ok(());
    }
    let numbers: Vec<usize> = (0..suites.len()).collect();
    let found = tools::parallel(jobs, &numbers, |&number| {
        suites[number].look(&folder.join(format!("reached.{number}")), within)
    });
    let mut known = serde_json::Map::new();
    for (suite, found) in suites.iter_mut().zip(found) {
        (suite.time, suite.reached) = found?;
        known.insert(suite.name.clone(), json!({ "ms": suite.time.as_millis() as u64, "reached": suite.reached }));
    }
    tools::write(&cache, json!({ "key": key, "suites": known }).to_string().as_bytes())
}

impl Suite {
    fn recall(&mut self, known: &Value) -> Option<()> {
        self.time = Duration::from_millis(known["ms"].as_u64()?);
        self.reached =
            known["reached"].as_array()?.iter().map(|number| Some(number.as_u64()? as u32)).collect::<Option<_>>()?;
        Some(())
    }

    fn look(&self, log: &Path, within: Option<Duration>) -> Result<(Duration, BTreeSet<u32>)> {
        if log.exists() {
            std::fs::remove_file(log)?;
        }
        let seconds = within.map(|within| within.as_secs() + 1);
        let child = self.command(seconds).env("RVSDG_MUTANTS_REACHED", log).spawn()?;
        let ended = child.wait4()?;
        let time = ended.rusage.utime + ended.rusage.stime;
        // Without a code, the limit ended it.
        if seconds.is_some() && ended.status.code().is_none() {
            return Ok((Duration::MAX, BTreeSet::new()));
        }
        if !ended.status.success() {
            bail!("{} fails without a mutant", self.name);
        }
        let text = if log.exists() { String::from_utf8(tools::read(log)?)? } else { String::new() };
        let reached = text.lines().map(str::parse).collect::<Result<_, _>>()?;
        Ok((time, reached))
    }

    /// The command, with so many seconds of processor time.
    fn command(&self, seconds: Option<u64>) -> Command {
        let limit = seconds.map_or_else(|| "unlimited".to_owned(), |seconds| seconds.to_string());
        let mut command = Command::new("sh");
        command.args(["-c", &format!(r#"ulimit -t {limit}; ulimit -v {MEMORY}; ulimit -c 0; exec "$0" "$@""#)]);
        command.arg(&self.program).args(self.test.iter().flat_map(|test| ["--exact", test.as_str()]));
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("CARGO_MANIFEST_DIR", &self.folder).env("RUST_BACKTRACE", "0").env_remove("PROPTEST_CASES");
        command
    }

    /// Runs it with a mutant.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn run(&self, mutant: u32) -> Result<Outcome> {
        let seconds = 5 + 4 * self.time.as_secs();
        let mut command = self.command(Some(seconds));
        command.env("RVSDG_MUTANT", mutant.to_string()).env("RVSDG_UNSHRUNK", "1");
        // What waits for ever takes no processor time.
        let status = wait(&mut command.spawn()?, Duration::from_secs(60 + 20 * seconds))?;
        Ok(match status {
            Some(status) if status.success() => Outcome::Passed,
            // Without a code, a signal ended it: it ran out of its time, or broke.
            Some(status) if status.code().is_some() => Outcome::Failed,
            _ => Outcome::Endless,
        })
    }
}

fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
