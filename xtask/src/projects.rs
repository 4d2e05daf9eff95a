//! `cargo xtask projects`: public C and C++ projects, built by their own build systems with `jlc` in place of clang; their own tests must
//! then pass as they do with clang.

mod build;
mod compare;
mod log;
mod results;
mod sources;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::evidence::{self, Evidence};
use crate::{progress, tools};
use build::{Build, WAYS, Way};
use compare::Comparison;
use sources::Source;
use table::Project;

/// What `cargo xtask projects` takes.
#[derive(Args)]
pub struct Projects {
    /// Source packages of Debian that the table knows (all if absent)
    names: Vec<String>,
    /// List the projects
    #[arg(long)]
    list: bool,
    /// The compiler, with `librvsdg.so` beside it (built with the release profile if absent)
    #[arg(long, value_name = "PATH")]
    jlc: Option<PathBuf>,
    /// The level of optimization of both builds
    #[arg(long, value_name = "FLAG", default_value = "-O2", allow_hyphen_values = true)]
    level: String,
    /// Fail when a ratio of variables of a project is below this
    #[arg(long, value_name = "RATIO", default_value_t = 0.95)]
    floor: f64,
    /// Builds at the same time (as many as the machine has processors if absent)
    #[arg(short, value_name = "N")]
    jobs: Option<usize>,
    /// Keep the outcome, which docs/projects.md shows
    #[arg(long)]
    write_docs: bool,
}

/// Where sources and builds are kept.
fn folder() -> PathBuf {
    tools::target_folder().join("projects")
}

/// Builds and tests the projects with both compilers.
///
/// # Errors
/// Something is missing, or `jlc` fails where clang does not; each failure is named.
pub fn main(arguments: &Projects) -> Result<()> {
    let projects =
        table::named(&arguments.names).map_err(|name| anyhow!("there is no project {name}; --list names them"))?;
    if arguments.list {
        for project in projects {
            println!("{:12} {:3} {}", project.name, project.language, project.needs.join(" "));
        }
        return Ok(());
    }
    let evidence =
        Evidence::begin("projects", &[evidence::OPTIMIZER, &["rvsdg-plugin", "xtask/src/projects"]].concat())?;
    let jlc = compiler(arguments.jlc.as_deref())?;
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let sources = sources::locate(&projects)?;
    let mut compilers = Vec::new();
    for way in WAYS {
        way.install(&jlc)?;
        compilers.push((way, way.identity(&jlc)?));
    }
    let of_project = |(project, source)| compilers.iter().map(move |compiler| (project, source, compiler));
    let tasks: Vec<(&&Project, &Source, &(Way, String))> = projects.iter().zip(&sources).flat_map(of_project).collect();
    let builds = tools::parallel(jobs, &tasks, |(project, source, (way, compiler))| {
        let built = build::build(project, source, *way, &arguments.level, compiler);
        let outcome = built.as_ref().map_or("an error", Build::outcome);
        progress::say(&format!("{} with {}: {outcome}", project.name, way.name()));
        built.with_context(|| format!("{} with {}", project.name, way.name()))
    });
    let mut builds = builds.into_iter();
    let mut compared = Vec::new();
    for project in &projects {
        let (Some(clang), Some(ours)) = (builds.next(), builds.next()) else { break };
        compared.push((*project, Comparison::of(&clang?, &ours?, jobs).with_context(|| project.name.to_owned())?));
    }
    report(arguments, evidence, &compared, &sources)
}

/// The project that CI builds.
///
/// # Errors
/// As [`main`].
pub fn sample(jlc: &Path) -> Result<()> {
    main(&Projects {
        names: vec![table::SAMPLE.to_owned()],
        list: false,
        jlc: Some(jlc.to_owned()),
        level: "-O2".to_owned(),
        floor: 0.95,
        jobs: None,
        write_docs: false,
    })
}

/// The given compiler, or one that is built now.
fn compiler(given: Option<&Path>) -> Result<PathBuf> {
    let jlc = match given {
        Some(path) => path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?,
        None => {
            let mut build = Command::new(tools::cargo());
            build.args(["build", "--quiet", "--release", "--package", "jlm", "--package", "rvsdg-plugin"]);
            tools::output(build.current_dir(tools::root()))?;
            tools::target_folder().join("release/jlc")
        }
    };
    tools::output(Command::new(&jlc).arg("--version"))?;
    Ok(jlc)
}

/// A list as a page shows it.
fn or_none(list: Vec<String>) -> Vec<String> {
    if list.is_empty() { vec!["none".to_owned()] } else { list }
}

fn report(
    arguments: &Projects,
    evidence: Evidence,
    compared: &[(&Project, Comparison)],
    sources: &[Source],
) -> Result<()> {
    let all = Comparison::sum(compared.iter().map(|(_, comparison)| comparison));
    let [located, covered] = all.variable_ratios();
    let rounded = |ratio: f64| json!((1000.0 * ratio).round() / 1000.0);
    let row = |names: [&str; 3], comparison: &Comparison| {
        let names = names.into_iter().map(|name| json!(name));
        Value::Array(names.chain(comparison.cells()).collect())
    };
    let named = compared.iter().zip(sources);
    let mut rows: Vec<Value> = named
        .map(|((project, comparison), source)| row([project.name, &source.version, project.language], comparison))
        .collect();
    rows.push(row(["all", "", ""], &all));
    let untouched: Vec<String> = all.untouched.iter().map(|(reason, count)| format!("{count} × {reason}")).collect();
    let columns: Vec<&str> = ["project", "version", "language"].iter().chain(compare::COLUMNS).copied().collect();
    let result = json!({
        "level": arguments.level,
        "floor": arguments.floor,
        "measurable": compare::MEASURABLE,
        "release": sources::RELEASE,
        "projects": compared.len(),
        "files": all.files,
        "tests": all.tests,
        "failures": all.failures.len(),
        "fail_with_both": or_none(all.fail_with_both.clone()),
        "untouched": or_none(untouched),
        "untouched_bodies": all.untouched.values().sum::<usize>(),
        "seconds": rounded(all.seconds_ratio()),
        "text": rounded(all.text_ratio()),
        "located": rounded(located),
        "covered": rounded(covered),
        "table": {"columns": columns, "rows": rows},
    });
    println!("{}", serde_json::to_string_pretty(&result)?);
    let mut failures: Vec<String> = compared
        .iter()
        .flat_map(|(project, comparison)| {
            comparison.failures.iter().map(|failure| format!("{}: {failure}", project.name))
        })
        .collect();
    for (project, comparison) in compared {
        let [located, covered] = comparison.variable_ratios();
        if located < arguments.floor || covered < arguments.floor {
            let ratios = format!("{located:.3} with a location, {covered:.3} of bytes covered");
            failures.push(format!("{}: variables: {ratios}, of clang's", project.name));
        }
    }
    if !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    if arguments.write_docs {
        evidence.record(&result)?;
    }
    Ok(())
}
