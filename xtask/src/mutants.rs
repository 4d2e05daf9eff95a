//! `cargo xtask mutants`: conditions on which passes rest are made wrong, one at a time, and tests have to notice.
//!
//! `cargo-mutants` builds the crate and its tests anew for every mutant, about 1.5 minutes of processor time each here, which is
//! five hours for a sample of 200. So all mutants are in one program, where each sleeps behind a switch (mutant schemata,
//! Untch et al. 1993), and one of them is woken when the program starts. The switches are only in a copy of the tree below
//! `target/mutants`; the crates that users get have none. A test is run with the mutants whose condition it looks at, which
//! one run without any tells.

mod equivalents;
mod results;
mod schema;
mod scope;
mod sites;
mod suites;
#[cfg(test)]
mod tests;
mod tree;

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use self::equivalents::Equivalents;
use self::results::Results;
use self::suites::{Outcome, Suite};
use self::tree::{Mutant, Tree};
use crate::evidence::Evidence;
use crate::{progress, tools};

/// Which mutants are run.
#[derive(Args)]
pub struct Mutants {
    /// Those of this pass only; `destruct` is the recovery of control flow, `shared` what several passes rest on
    #[arg(long, value_name = "PASS")]
    pass: Option<String>,
    /// So many, chosen by chance (all if absent)
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// What chance goes by; the choice changes only where conditions change
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Those only whose line in `--list` contains this text, or one of these
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Prints the mutants instead of running them
    #[arg(long)]
    list: bool,
    /// Runs those, too, that are listed as equivalent
    #[arg(long)]
    listed: bool,
    /// With those tests only that take no more than so many milliseconds without a mutant: what they leave alive others may kill
    #[arg(long, value_name = "MS", conflicts_with = "write_docs")]
    within: Option<u64>,
    /// Keep the outcome in docs/evidence, and in docs/mutants.md
    #[arg(long)]
    write_docs: bool,
    /// Tests that run at a time
    #[arg(short, value_name = "N", default_value_t = 2)]
    jobs: usize,
}

/// What became of a mutant.
#[derive(Clone)]
enum Fate {
    /// This test failed.
    Killed(String),
    /// This test took several times as long, or more memory than it may.
    Endless(String),
    /// It is known that nothing can tell it from what it was made from, or nothing but how much is optimized.
    Listed,
    /// No test failed.
    Survived,
    /// No test looks at the condition.
    Unreached,
}

/// Runs mutants.
///
/// # Errors
/// A pass is not known, the copy cannot be built, tests fail without a mutant, an entry of the list of equivalents is stale, or a
/// mutant survives.
pub fn main(arguments: &Mutants) -> Result<()> {
    let root = tools::root();
    let evidence = Evidence::begin(
        "mutants",
        &["rvsdg-core", "rvsdg-cfg", "rvsdg-gen", "rvsdg-analysis", "rvsdg-passes", "tests/filetests"],
    )?;
    let tree = Tree::read(&root)?;
    let equivalents = Equivalents::read()?;
    equivalents.check(&tree)?;
    let chosen = choose(&tree, arguments)?;
    if arguments.list {
        chosen.iter().for_each(|mutant| println!("{:<9}{}:{}", mutant.pass, mutant.key, mutant.line));
        return Ok(());
    }
    let folder = tools::target_folder().join("mutants");
    let copy = folder.join("tree");
    let hash = tree.copy(&root, &copy)?;
    eprintln!("{} mutants, {} of them are run; building", tree.mutants.len(), chosen.len());
    let mut suites = suites::build(&copy, &folder.join("build"))?;
    eprintln!("{} tests", suites.len());
    let within = arguments.within.map(Duration::from_millis);
    suites::measure(&mut suites, &hash, &folder, arguments.jobs, within)?;
    suites.retain(|suite| within.is_none_or(|within| suite.time <= within));
    suites.sort_by_key(|suite| suite.time);

    let fates = tools::parallel(arguments.jobs, &chosen, |mutant| {
        let fate = match equivalents.get(&mutant.key) {
            Some(_) if !arguments.listed => Ok(Fate::Listed),
            _ => fate(&suites, mutant),
        };
        if let Ok(fate) = &fate {
            progress::say(&format!("{} {}:{}", fate.text(), mutant.key, mutant.line));
        }
        fate
    });
    let fates: Vec<Fate> = fates.into_iter().collect::<Result<_>>()?;
    let fates: Vec<(&Mutant, Fate)> = chosen.into_iter().zip(fates).collect();
    let results = Results { tree: &tree, equivalents: &equivalents, fates: &fates };
    for (name, counts) in results.rows() {
        let [all, run, files, units, runs, endless, equivalent, worth, left] = counts[..] else { continue };
        println!(
            "{name:<9}{all:>5}, run {run:>4}: killed by file tests {files:>3}, units {units:>3}, runs {runs:>3}, limits {endless:>3}; \
             equivalent {equivalent:>3}, worth only {worth:>3}; survive {left:>3}"
        );
    }
    if arguments.write_docs {
        evidence.record(&results.data(arguments.sample, arguments.seed))?;
    }
    let left: Vec<String> =
        fates.iter().filter(|(_, fate)| fate.is_left()).map(|(mutant, _)| mutant.key.to_string()).collect();
    let wrong: Vec<String> = fates
        .iter()
        .filter(|(mutant, fate)| fate.is_killed() && equivalents.get(&mutant.key).is_some_and(|entry| entry.equivalent))
        .map(|(mutant, _)| mutant.key.to_string())
        .collect();
    if !wrong.is_empty() {
        bail!("listed as equivalent, and a test tells them apart:\n{}", wrong.join("\n"));
    }
    if !left.is_empty() {
        bail!("{} mutants survive:\n{}", left.len(), left.join("\n"));
    }
    Ok(())
}

impl Fate {
    fn text(&self) -> String {
        match self {
            Fate::Killed(test) => format!("killed by {test}:"),
            Fate::Endless(test) => format!("killed by time or memory of {test}:"),
            Fate::Listed | Fate::Survived | Fate::Unreached => format!("{}:", self.word().to_uppercase()),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Fate::Killed(_) | Fate::Endless(_) => "killed",
            Fate::Listed => "listed",
            Fate::Survived => "survives",
            Fate::Unreached => "not reached",
        }
    }

    fn is_killed(&self) -> bool {
        matches!(self, Fate::Killed(_) | Fate::Endless(_))
    }

    fn is_left(&self) -> bool {
        matches!(self, Fate::Survived | Fate::Unreached)
    }
}

/// The mutants that are asked for, in the order of the tree.
fn choose<'t>(tree: &'t Tree, arguments: &Mutants) -> Result<Vec<&'t Mutant>> {
    if let Some(pass) = &arguments.pass
        && !scope::PASSES.iter().any(|(name, _)| name == pass)
    {
        let names: Vec<&str> = scope::PASSES.iter().map(|&(name, _)| name).collect();
        bail!("no conditions are known of {pass}; there are: {}", names.join(", "));
    }
    let asked_for = |mutant: &&Mutant| {
        arguments.pass.as_ref().is_none_or(|pass| mutant.pass == pass)
            && (arguments.only.is_empty() || {
                let line = format!("{}:{}", mutant.key, mutant.line);
                arguments.only.iter().any(|text| line.contains(text))
            })
    };
    let mut chosen: Vec<&Mutant> = tree.mutants.iter().filter(asked_for).collect();
    if let Some(sample) = arguments.sample {
        let seed = arguments.seed.to_le_bytes();
        chosen.sort_by_cached_key(|mutant| tools::hash(&[&seed, mutant.key.to_string().as_bytes()]));
        chosen.truncate(sample);
        chosen.sort_by_key(|mutant| mutant.number);
    }
    if chosen.is_empty() {
        bail!("no mutant is asked for");
    }
    Ok(chosen)
}

/// Runs the tests that reach a mutant, until one notices it.
fn fate(suites: &[Suite], mutant: &Mutant) -> Result<Fate> {
    let mut fate = Fate::Unreached;
    for suite in suites.iter().filter(|suite| suite.reached.contains(&mutant.number)) {
        match suite.run(mutant.number)? {
            Outcome::Passed => fate = Fate::Survived,
            Outcome::Failed => return Ok(Fate::Killed(suite.name.clone())),
            Outcome::Endless => return Ok(Fate::Endless(suite.name.clone())),
        }
    }
    Ok(fate)
}
