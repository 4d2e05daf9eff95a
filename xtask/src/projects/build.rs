//! Builds a project with one compiler and runs its tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::log::{self, Log};
use super::results;
use super::sources::Source;
use super::table::Project;
use crate::tools;

/// The compiler as a build calls it.
const SCRIPT: &str = include_str!("compiler.sh");

/// The variable by which the script learns where the log is.
const LOG: &str = "PROJECTS_LOG";

/// The seconds that a step may take.
const LIMIT: &str = "1800";

/// With what a project is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// clang 22, to compare with.
    Clang,
    /// Ours.
    Jlc,
}

/// Both, in the order in which results are kept.
pub const WAYS: [Way; 2] = [Way::Clang, Way::Jlc];

impl Way {
    /// The C compiler's name, and with `++` the C++ compiler's.
    pub fn name(self) -> &'static str {
        match self {
            Way::Clang => "clang",
            Way::Jlc => "jlc",
        }
    }

    fn tools(self) -> PathBuf {
        super::folder().join("tools").join(self.name())
    }

    /// What tells one compiler from another.
    ///
    /// # Errors
    /// The compiler is missing, or the optimizer that belongs to it.
    pub fn identity(self, jlc: &Path) -> Result<String> {
        let version = tools::output(Command::new("clang-22").arg("--version"))?;
        if self == Way::Clang {
            return Ok(tools::hash(&[&version]));
        }
        let beside = jlc.with_file_name("librvsdg.so");
        let installed = jlc.parent().map(|folder| folder.join("../lib/librvsdg.so"));
        let plugin = installed.filter(|_| !beside.exists()).unwrap_or(beside);
        Ok(tools::hash(&[&version, &tools::read(jlc)?, &tools::read(&plugin)?]))
    }

    /// Makes the scripts that replace the compilers in a build. `jlc++` is `jlc` under another name, which need not be installed.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn install(self, jlc: &Path) -> Result<()> {
        use std::os::unix::fs::{PermissionsExt, symlink};
        for end in ["", "++"] {
            let (compiler, measured) = match self {
                Way::Clang => (format!("clang{end}-22"), ""),
                Way::Jlc => {
                    let link = self.tools().join("real").join(format!("jlc{end}"));
                    std::fs::create_dir_all(self.tools().join("real"))?;
                    let _ = std::fs::remove_file(&link);
                    symlink(jlc, &link).with_context(|| format!("cannot make {}", link.display()))?;
                    let link = tools::quoted(&link.to_string_lossy());
                    // The remarks about bodies that the optimizer leaves alone lie beside the objects.
                    const REMARKS: &str = "--start-no-unused-arguments -fsave-optimization-record \
                        -foptimization-record-passes=rvsdg --end-no-unused-arguments";
                    (link, REMARKS)
                }
            };
            let script = SCRIPT.replace("@COMPILER@", &compiler).replace("@MEASURED@", measured);
            let path = self.tools().join(format!("{}{end}", self.name()));
            tools::write(&path, script.as_bytes())?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }
}

/// What came of one build.
pub struct Build {
    /// Where it lies.
    pub folder: PathBuf,
    /// What was compiled.
    pub log: Log,
    /// Tests by name, and whether they pass.
    pub tests: BTreeMap<String, bool>,
    /// The step that failed and stopped the build, with the last lines that it printed.
    pub stopped: Option<String>,
}

/// Builds a project from scratch and tests it, unless that was done with the same compiler, source and commands before.
///
/// # Errors
/// Files cannot be copied or read. A build that fails is none.
pub fn build(project: &Project, source: &Source, way: Way, level: &str, compiler: &str) -> Result<Build> {
    let place = super::folder().join("work").join(project.name);
    let at = |name: &str| place.join(format!("{}.{name}", way.name()));
    let (folder, key_path, log) = (place.join(way.name()), at("key"), at("compiled"));
    let tests = project.tests.iter().flat_map(|(name, script)| [*name, *script]);
    let commands = [project.configure, project.build].into_iter().chain(tests);
    let parts: Vec<&[u8]> =
        [compiler, level, &source.version, SCRIPT].into_iter().chain(commands).map(str::as_bytes).collect();
    let key = tools::hash(&parts);
    let is_done = std::fs::read(&key_path).is_ok_and(|old| old == key.as_bytes());
    if !is_done {
        for old in [&key_path, &log].into_iter().filter(|old| old.exists()) {
            std::fs::remove_file(old)?;
        }
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&place)?;
        tools::output(Command::new("cp").arg("-a").arg(&source.folder).arg(&folder))?;
    }
    let run = |name: &str, script: &str, log: Option<&Path>| -> Result<Step> {
        let (path, status) = (at(&format!("{name}.log")), at(&format!("{name}.status")));
        if !is_done {
            let ended = execute(script, &folder, way, level, log, &path)?;
            tools::write(&status, ended.as_bytes())?;
        }
        let printed = String::from_utf8_lossy(&tools::read(&path)?).into_owned();
        let ended = String::from_utf8_lossy(&tools::read(&status)?).into_owned();
        let failure = (ended != SUCCESS)
            .then(|| format!("{name}: {ended}; {}\n{}", path.display(), tools::last_lines(&printed, 15)));
        Ok(Step { printed, failure })
    };
    let mut built = Build { folder: folder.clone(), log: Log::default(), tests: BTreeMap::new(), stopped: None };
    for (name, script, measured) in [("configure", project.configure, None), ("build", project.build, Some(&*log))] {
        built.stopped = run(name, script, measured)?.failure;
        if built.stopped.is_some() {
            return Ok(built);
        }
    }
    for (name, script) in project.tests {
        let step = run(name, script, Some(&log))?;
        results::read(name, &step.printed, &mut built.tests);
        built.tests.insert((*name).to_owned(), step.failure.is_none());
    }
    if log.exists() {
        built.log = log::read(&String::from_utf8_lossy(&tools::read(&log)?), &folder);
    }
    tools::write(&key_path, key.as_bytes())?;
    Ok(built)
}

/// How a command ends that succeeds.
const SUCCESS: &str = "exit status: 0";

/// Runs a shell command of a project, whose output goes to a file; how it ended.
fn execute(script: &str, folder: &Path, way: Way, level: &str, log: Option<&Path>, output: &Path) -> Result<String> {
    let file = std::fs::File::create(output).with_context(|| format!("cannot write {}", output.display()))?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", LIMIT, "bash", "-euc", script]).current_dir(folder);
    environment(&mut command, way, level)?;
    if let Some(log) = log {
        command.env(LOG, log);
    }
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    Ok(command.status().context("cannot run timeout")?.to_string())
}

struct Step {
    printed: String,
    failure: Option<String>,
}

/// The same for every machine, as far as builds look at it.
fn environment(command: &mut Command, way: Way, level: &str) -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([way.tools()].into_iter().chain(std::env::split_paths(&path)))?;
    let flags = format!("{level} -g");
    command.env_clear().env("PATH", path).env("LC_ALL", "C").env("TZ", "UTC").env("HOME", super::folder());
    if let Some(folder) = std::env::var_os("TMPDIR") {
        command.env("TMPDIR", folder);
    }
    let compilers: [(&str, OsString); 2] = [("CC", way.name().into()), ("CXX", format!("{}++", way.name()).into())];
    command.envs(compilers).env("CFLAGS", &flags).env("CXXFLAGS", &flags);
    Ok(())
}
