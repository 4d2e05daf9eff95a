//! The sources of the projects: Debian's source packages, fetched by `apt-get` with its own lists, so that the machine's configuration is
//! unchanged and no root access is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::table::Project;
use crate::tools;

/// The release whose packages are built.
pub const RELEASE: &str = "bookworm";

/// Whose signature the lists carry.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A source package on this machine.
pub struct Source {
    /// The unpacked source.
    pub folder: PathBuf,
    /// Debian's version of it.
    pub version: String,
}

/// Where the packages are kept.
fn folder() -> PathBuf {
    super::folder().join("sources")
}

/// The unpacked sources of all projects, fetched where they are missing.
///
/// # Errors
/// A package that building needs is not installed, or a source cannot be fetched.
pub fn locate(projects: &[&Project]) -> Result<Vec<Source>> {
    check_needs(projects)?;
    let missing: Vec<&&Project> = projects.iter().filter(|project| !stamp(project).exists()).collect();
    if !missing.is_empty() {
        let reason = "cannot fetch Debian's source packages, which needs a network";
        update().context(reason)?;
        for project in missing {
            fetch(project).context(reason)?;
        }
    }
    projects.iter().map(|project| read(project)).collect()
}

/// Written after a package was unpacked: its folder's name and its version.
fn stamp(project: &Project) -> PathBuf {
    folder().join(project.name).join("unpacked")
}

fn read(project: &Project) -> Result<Source> {
    let path = stamp(project);
    let text = String::from_utf8(tools::read(&path)?)?;
    let (name, version) = text.trim_end().split_once(' ').with_context(|| format!("{}: no version", path.display()))?;
    Ok(Source { folder: folder().join(project.name).join(name), version: version.to_owned() })
}

/// Fails with what to install where a tool or library is missing.
fn check_needs(projects: &[&Project]) -> Result<()> {
    let is_there = |program: &str| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    ensure!(
        is_there("apt-get") && is_there("dpkg-query"),
        "apt-get is missing: the projects are Debian's source packages, for which this has to be a Debian"
    );
    let mut needs: Vec<&str> = projects.iter().flat_map(|project| project.needs).copied().collect();
    needs.extend(["dpkg-dev", "make"]);
    needs.sort_unstable();
    needs.dedup();
    let is_missing = |package: &&str| {
        let mut query = Command::new("dpkg-query");
        let said = tools::output(query.args(["--show", "--showformat=${db:Status-Status}", package]));
        said.is_ok_and(|said| said == b"installed").then_some(()).is_none()
    };
    let missing: Vec<&str> = needs.into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        bail!("packages are missing that the projects are built with: apt-get install {}", missing.join(" "));
    }
    Ok(())
}

/// `apt-get` on lists and a cache under `target/projects`.
fn apt() -> Command {
    let apt = folder().join("apt");
    let mut command = Command::new("apt-get");
    command.args(["--quiet=2", "-o", "APT::Sandbox::User=root", "-o", "Dir::Etc::sourceparts=/dev/null"]);
    for (key, place) in
        [("Dir::Etc::sourcelist", "sources.list"), ("Dir::State::lists", "lists"), ("Dir::Cache", "cache")]
    {
        command.arg("-o").arg(format!("{key}={}", apt.join(place).display()));
    }
    command
}

fn update() -> Result<()> {
    let apt_folder = folder().join("apt");
    for place in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(apt_folder.join(place))?;
    }
    let list = format!("deb-src [signed-by={KEYS}] http://deb.debian.org/debian {RELEASE} main\n");
    tools::write(&apt_folder.join("sources.list"), list.as_bytes())?;
    // Without `--error-on` what is not there is a warning, and the lists stay empty.
    tools::output(apt().args(["--error-on=any", "update"])).map(drop)
}

fn fetch(project: &Project) -> Result<()> {
    let place = folder().join(project.name);
    if place.exists() {
        std::fs::remove_dir_all(&place)?;
    }
    std::fs::create_dir_all(&place)?;
    tools::output(apt().args(["source", "--only-source", project.name]).current_dir(&place))?;
    let description = tools::files_with_extension(&place, "dsc")?;
    let description = String::from_utf8_lossy(&tools::read(&description[0])?).into_owned();
    let version = description.lines().find_map(|line| line.strip_prefix("Version: "));
    let version = version.with_context(|| format!("the source package {} names no version", project.name))?;
    let unpacked = unpacked(&place)?;
    tools::write(&stamp(project), format!("{unpacked} {version}\n").as_bytes())
}

/// The name of the only folder in a folder.
fn unpacked(place: &Path) -> Result<String> {
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            return Ok(entry.file_name().to_string_lossy().into_owned());
        }
    }
    bail!("apt-get unpacked nothing in {}", place.display())
}
