//! The programs that tests run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A command that runs `jlm-opt`: the program that the environment variable `JLM_OPT` names, or the one of this
/// workspace, built on first use with the profile of the running test.
///
/// # Panics
/// When it cannot be built.
pub fn jlm_opt() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || built(&["--package=jlm", "--bin=jlm-opt"]).join("jlm-opt");
    Command::new(PROGRAM.get_or_init(|| std::env::var_os("JLM_OPT").map_or_else(build, PathBuf::from)))
}

/// The folder in which `jlc` and the pass plugin lie, built on first use with the profile of the running test.
///
/// # Panics
/// When they cannot be built.
pub fn compiler_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| built(&["--package=jlm", "--package=rvsdg-plugin", "--bin=jlc", "--lib"]))
}

/// The folder in which `jlm-opt`, `jlc` with its plugin, and the examples lie, built on first use with the profile of the running test.
///
/// # Panics
/// When they cannot be built.
pub fn examples_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let examples =
        ["module", "toy", "pass", "rule", "dialect", "miscompile"].map(|name| format!("--package=example-{name}"));
    let what = ["--package=jlm", "--package=rvsdg-plugin"].into_iter();
    FOLDER.get_or_init(|| built(&what.chain(examples.iter().map(String::as_str)).collect::<Vec<_>>()))
}

/// Builds a part of the workspace; the folder that it lies in.
fn built(what: &[&str]) -> PathBuf {
    // A test runs as target/<profile folder>/deps/<test>.
    let test = std::env::current_exe().expect("a running program has a path");
    let folder = test.ancestors().nth(2).expect("tests lie in the target folder").to_owned();
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(profile) => profile,
    };
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--profile", profile]).args(what);
    build.arg("--target-dir").arg(folder.parent().expect("profiles lie in the target folder"));
    build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the workspace"));
    let status = build.status().expect("cargo runs");
    assert!(status.success(), "{what:?} cannot be built");
    folder
}

/// Runs a command, and returns its standard output and error as text.
///
/// # Errors
/// When it ends with another status than success: the command and what it said.
///
/// # Panics
/// When the command cannot be started.
pub fn output(command: &mut Command) -> Result<(String, String), String> {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    if status.success() {
        Ok((String::from_utf8_lossy(&stdout).into_owned(), stderr))
    } else {
        Err(format!("{command:?}: {status}\n{stderr}"))
    }
}
