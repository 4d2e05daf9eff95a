//! `cargo xtask evidence`, and what the commands that measure something keep their results with: every number in README and
//! docs comes from a file under `docs/evidence`, which names the command, the date and the revision of the run.
//!
//! A page shows a value after a marker, which a reader does not see:
//!
//! ```text
//! Of <!-- evidence: csmith.programs -->1,150 programs <!-- evidence: csmith.same -->1,014 print the same
//! ```
//!
//! `csmith` is the file `docs/evidence/csmith.json`; what follows is a key of the file, or of its result. A marker on a line of its
//! own stands before a table or a list, which is written whole. [`Evidence::record`] writes the new values into all pages;
//! `tidy` fails where a page shows another value, or where the revision is too far back.

mod page;
mod unmarked;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::tools;
use page::pages;

/// The crates that `jlm-opt` consists of, and LLVM's side of them.
pub const OPTIMIZER: &[&str] = &[
    "rvsdg-core",
    "rvsdg-cfg",
    "rvsdg-analysis",
    "rvsdg-passes",
    "rvsdg-emit",
    "rvsdg-llvm",
    "rvsdg-llvm/shim",
    "jlm",
];

/// How many commits that change something a result depends on may have followed it.
const OLDEST: u64 = 50;

/// Results that are older, each with the reason why its page may still name them. The page states their date.
const OUTDATED: &[(&str, &str)] = &[
    ("corpus", "a run over all programs, variants and configurations takes hours"),
    ("interp-corpus", "programs under the interpreter need a machine with nothing else to do"),
    ("programs", "times need a machine with nothing else to do"),
    ("scaling", "times need a machine with nothing else to do"),
];

/// What `cargo xtask evidence` takes.
#[derive(Args)]
pub struct Arguments {
    /// What the result is called; without a name the values of all results are written into the pages
    name: Option<String>,
    /// A crate or path on which the result depends (may be repeated; those of the last run if absent)
    #[arg(long = "depends-on", value_name = "PATH", requires = "name")]
    depends_on: Vec<String>,
    /// A command that measures something; the Markdown tables that it prints are the result: `table1`, `table2`, …
    #[arg(last = true, requires = "name")]
    command: Vec<String>,
}

/// Runs a command and keeps the tables that it prints, or only writes all pages.
///
/// # Errors
/// The command fails or prints no table, or a page cannot be written.
pub fn main(arguments: &Arguments) -> Result<()> {
    let (Some(name), [program, rest @ ..]) = (&arguments.name, arguments.command.as_slice()) else {
        return update_pages();
    };
    let depends_on =
        if arguments.depends_on.is_empty() { depends_on(&read(name)?)? } else { arguments.depends_on.clone() };
    let evidence = Evidence::begin(name, &depends_on.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut command = Command::new(program);
    let output = tools::output(command.args(rest).current_dir(tools::root()))?;
    let text = String::from_utf8_lossy(&output);
    print!("{text}");
    let tables = page::tables(&text);
    ensure!(!tables.is_empty(), "no table was printed by: {}", tools::shown(&command));
    let numbered = tables.into_iter().enumerate().map(|(index, table)| (format!("table{}", index + 1), table));
    evidence.record(&Value::Object(numbered.collect()))
}

/// A run whose result is going to be kept: what is run is fixed before it starts.
pub struct Evidence {
    name: String,
    command: String,
    date: String,
    revision: String,
    depends_on: Vec<String>,
}

impl Evidence {
    /// To be called before the run, since date and revision are those of its start. A result depends on crates, that is, on their
    /// folders `src`, and on other paths of the repository.
    ///
    /// # Errors
    /// A path does not exist, or git fails.
    pub fn begin(name: &str, depends_on: &[&str]) -> Result<Self> {
        let depends_on: Vec<String> = depends_on.iter().map(|&path| path.to_owned()).collect();
        let paths = sources(&depends_on)?;
        let date = tools::output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
        let date = String::from_utf8_lossy(&date).trim().to_owned();
        Ok(Self { name: name.to_owned(), command: own_command(), date, revision: revision(&paths)?, depends_on })
    }

    /// Keeps the result, a JSON object, as `docs/evidence/NAME.json`, and writes its values into the pages that name them. An object
    /// `{"columns": [text, …], "rows": [[text or number, …], …]}` in it can be shown as a table, a list of texts as a list.
    ///
    /// # Errors
    /// A page names a value that the result does not have, or a file cannot be written.
    pub fn record(self, result: &Value) -> Result<()> {
        let Self { name, command, date, revision, depends_on } = self;
        let file = json!({
            "command": command, "date": date, "revision": revision, "depends_on": depends_on, "result": result,
        });
        let mut text = serde_json::to_string_pretty(&file)?;
        text.push('\n');
        tools::write(&folder().join(format!("{name}.json")), text.as_bytes())?;
        update_pages()
    }
}

/// Writes all values into all pages.
///
/// # Errors
/// A page names a value that no file has, or cannot be written.
pub fn update_pages() -> Result<()> {
    let mut wrong = Vec::new();
    for page in pages()? {
        let filled = page.filled()?;
        if filled.text != page.text {
            tools::write(&page.path, filled.text.as_bytes())?;
        }
        wrong.extend(filled.problems);
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}

/// What is wrong with the numbers of pages and with the files that they come from.
///
/// # Errors
/// A page or a file cannot be read.
pub fn violations() -> Result<Vec<String>> {
    let pages = pages()?;
    let mut found = Vec::new();
    for page in &pages {
        found.extend(page.violations()?);
    }
    for name in names()? {
        let file = read(&name)?;
        if !pages.iter().any(|page| page.mentions(&name)) {
            found.push(format!("docs/evidence/{name}.json: no page names it"));
        }
        let listed = OUTDATED.iter().any(|(outdated, _)| *outdated == name);
        match age(&file).with_context(|| format!("docs/evidence/{name}.json"))? {
            Some(age) if age > OLDEST && !listed => {
                let command = file["command"].as_str().unwrap_or_default();
                found.push(format!(
                    "docs/evidence/{name}.json is {age} commits behind what it depends on, more than {OLDEST}: `{command}`"
                ));
            }
            Some(age) if age <= OLDEST && listed => {
                found.push(format!("docs/evidence/{name}.json is listed as outdated and is not"));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Where results are kept.
fn folder() -> PathBuf {
    tools::root().join("docs/evidence")
}

/// The names of all results.
fn names() -> Result<Vec<String>> {
    if !folder().exists() {
        return Ok(Vec::new());
    }
    let files = tools::files_with_extension(&folder(), "json")?;
    Ok(files.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect())
}

/// A result with what is known of its run.
fn read(name: &str) -> Result<Value> {
    let path = folder().join(format!("{name}.json"));
    let file: Value = serde_json::from_slice(&tools::read(&path)?).with_context(|| format!("{}", path.display()))?;
    for key in ["command", "date", "revision"] {
        file[key].as_str().with_context(|| format!("{}: no `{key}`", path.display()))?;
    }
    file["result"].as_object().with_context(|| format!("{}: no `result`", path.display()))?;
    Ok(file)
}

/// The command of this process as a user gives it; where the optimizer lies and how many threads run changes no result.
fn own_command() -> String {
    let mut shown = String::from("cargo xtask");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--jlm-opt" | "--jlc" | "-j" => _ = arguments.next(),
            "--write-docs" => {}
            _ if argument.starts_with("--jlm-opt=") || argument.starts_with("--jlc=") || argument.starts_with("-j") => {
            }
            _ => {
                shown.push(' ');
                shown.push_str(&tools::quoted(&argument));
            }
        }
    }
    shown
}

/// The crates and paths on which a result depends.
fn depends_on(file: &Value) -> Result<Vec<String>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list: Option<Vec<String>> = file["depends_on"].as_array().and_then(|list| list.iter().map(text).collect());
    list.filter(|list| !list.is_empty()).context("`depends_on` names nothing")
}

/// The folders and files in which a change may change a result.
fn sources(depends_on: &[String]) -> Result<Vec<String>> {
    let source = |path: &String| {
        let [path, source] = [path.clone(), format!("{path}/src")];
        let exists = |path: &String| tools::root().join(path).exists();
        [source, path.clone()].into_iter().find(exists).with_context(|| format!("there is no {path}"))
    };
    depends_on.iter().map(source).collect()
}

fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(tools::root());
    git
}

/// Whether the tree is a git repository of its own with all its history: an archive of the sources has none.
fn has_history() -> bool {
    let says = |arguments: &[&str], expected: &str| {
        tools::output(&mut git(arguments)).is_ok_and(|said| String::from_utf8_lossy(&said).trim() == expected)
    };
    tools::root().join(".git").exists() && says(&["rev-parse", "--is-shallow-repository"], "false")
}

/// The newest commit that is in another repository, too, as those of this clone alone may be rebased; with `-dirty`, as in `git describe`,
/// where the sources are not the same.
fn revision(paths: &[String]) -> Result<String> {
    if !has_history() {
        return Ok("unknown".to_owned());
    }
    let lines = |mut git: Command| -> Result<Vec<String>> {
        Ok(String::from_utf8_lossy(&tools::output(&mut git)?).lines().map(str::to_owned).collect())
    };
    let remotes = lines(git(&["for-each-ref", "--format=%(objectname)", "refs/remotes"]))?;
    let mut base = git(&["merge-base", "HEAD"]);
    base.args(if remotes.is_empty() { vec!["HEAD".to_owned()] } else { remotes });
    let commit = lines(base)?.into_iter().next().context("git names no commit")?;
    let commit: String = commit.chars().take(12).collect();
    let mut diff = git(&["diff", "--quiet", &commit, "--"]);
    let same = diff.args(paths).status().context("cannot run git")?.success();
    Ok(if same { commit } else { format!("{commit}-dirty") })
}

/// How many commits have changed what a result depends on since its run; nothing without a history to count in.
fn age(file: &Value) -> Result<Option<u64>> {
    if !has_history() {
        return Ok(None);
    }
    let depends_on = depends_on(file)?;
    let revision = file["revision"].as_str().unwrap_or_default().trim_end_matches("-dirty");
    let mut count = git(&["rev-list", "--count", &format!("{revision}..HEAD"), "--"]);
    let count = tools::output(count.args(sources(&depends_on)?))
        .with_context(|| format!("revision {revision} is not in the history"))?;
    Ok(Some(String::from_utf8_lossy(&count).trim().parse()?))
}
