//! The columns of the report, as data: how a kernel's IR is optimized before `llc` makes code of it.

use anyhow::{Context, Result, bail};

/// A way of optimizing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Its name on the command line and in the tables.
    pub name: String,
    /// Flags for the front end beside those of [`FRONT_END`].
    pub front_end: Vec<String>,
    /// The optimizer's command, or none: `{in}` stands for the IR file, `{out}` for the result, `{jlm-opt}` for our binary.
    pub optimizer: Vec<String>,
    /// Flags for the code generator beside those of [`CODE_GENERATOR`].
    pub code_generator: Vec<String>,
    /// Whether a quick run has it.
    pub quick: bool,
    /// What it belongs to.
    pub family: Family,
}

/// Whose optimizer a column is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// What all are compared with.
    Baseline,
    /// LLVM's.
    Llvm,
    /// Ours.
    Ours,
    /// One from the command line.
    Other,
}

/// From C to unoptimized IR, the same for all: the front end leaves optimization to others but says all that it knows, and
/// products are not fused with sums, so that every configuration computes the same numbers.
pub const FRONT_END: &[&str] = &["clang-22", "-O2", "-Xclang", "-disable-llvm-passes", "-ffp-contract=off", "-w"];

/// What turns the front end's IR into the baseline, from which every configuration starts.
pub const BASELINE_PASSES: &str = "-passes=mem2reg";

/// From IR to an object file, the same for all.
pub const CODE_GENERATOR: &[&str] = &["llc-22", "-O3", "-filetype=obj", "-relocation-model=pic"];

/// The name of the baseline's column.
pub const BASELINE: &str = "mem2reg";

/// The name of the second column of the baseline, whose distance from 1 is the error of measurement.
pub const CONTROL: &str = "mem2reg again";

/// A row of the tables below: name, front end, optimizer, quick. The front end's `-Os` and `-Oz` only mark functions as small.
type Row = (&'static str, &'static str, &'static str, bool);

const LLVM: &[Row] = &[
    ("opt -O1", "", "opt-22 -O1 {in} -o {out}", true),
    ("opt -O2", "", "opt-22 -O2 {in} -o {out}", false),
    ("opt -O3 no vec", "", "opt-22 -O3 -vectorize-loops=false -vectorize-slp=false {in} -o {out}", true),
    ("opt -O3", "", "opt-22 -O3 {in} -o {out}", true),
    ("opt -Os", "-Os", "opt-22 -Os {in} -o {out}", false),
    ("opt -O3 native", "-march=native", "opt-22 -O3 {in} -o {out}", false),
    ("Polly", "", "opt-22 -O3 -polly -polly-position=early -polly-vectorizer=stripmine {in} -o {out}", false),
    (
        "Polly late",
        "",
        "opt-22 -O3 -polly -polly-position=before-vectorizer -polly-vectorizer=stripmine {in} -o {out}",
        false,
    ),
];

/// Ours, each with both ways of recovering control flow: name, front end, passes, whether a quick run has it with PCFR.
const OURS: &[Row] = &[
    ("paper", "", "-passes=paper", true),
    ("-O1", "", "-O1", true),
    ("-O2", "", "-O2", false),
    ("-O3", "", "-O3", true),
    ("-Os", "-Os", "-Os", false),
    ("-Oz", "-Oz", "-Oz", false),
];

/// Every configuration in the order of the columns; the first is the baseline.
pub fn all() -> Vec<Config> {
    let split = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let config = |name: String, front_end: &str, optimizer: &str, quick, family| Config {
        name,
        front_end: split(front_end),
        optimizer: split(optimizer),
        code_generator: Vec::new(),
        quick,
        family,
    };
    let mut all = vec![
        config(BASELINE.into(), "", "", true, Family::Baseline),
        config(CONTROL.into(), "", "", true, Family::Baseline),
    ];
    all.extend(
        LLVM.iter()
            .map(|&(name, front_end, optimizer, quick)| config(name.into(), front_end, optimizer, quick, Family::Llvm)),
    );
    for (recovery, label) in [("pcfr", ""), ("scfr", " SCFR")] {
        for &(name, front_end, passes, quick) in OURS {
            let optimizer = format!("{{jlm-opt}} {passes} --control-flow={recovery} {{in}} -o {{out}}");
            all.push(config(
                format!("ours {name}{label}"),
                front_end,
                &optimizer,
                quick && label.is_empty(),
                Family::Ours,
            ));
        }
    }
    all
}

/// A configuration from the command line, `name=command`, in which `{in}` and `{out}` stand for files.
///
/// # Errors
/// It has no name, or its command does not say where files come in and go out.
pub fn parse(text: &str) -> Result<Config> {
    let (name, command) = text.split_once('=').context("a configuration is written name=command")?;
    let optimizer: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if name.is_empty() {
        bail!("a configuration needs a name: {text}");
    }
    for place in ["{in}", "{out}"] {
        if !optimizer.iter().any(|word| word.contains(place)) {
            bail!("the command of '{name}' does not say where {place} is: {command}");
        }
    }
    let (front_end, code_generator) = (Vec::new(), Vec::new());
    Ok(Config { name: name.into(), front_end, optimizer, code_generator, quick: true, family: Family::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_the_baseline_is_first() {
        let all = all();
        assert_eq!((all[0].name.as_str(), all[1].name.as_str()), (BASELINE, CONTROL));
        for (index, config) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.name != config.name), "{}", config.name);
        }
    }

    #[test]
    fn commands_say_where_files_are() {
        for config in all().iter().filter(|config| config.family != Family::Baseline) {
            assert!(config.optimizer.iter().any(|word| word == "{in}"), "{}", config.name);
            assert!(config.optimizer.iter().any(|word| word == "{out}"), "{}", config.name);
        }
    }

    #[test]
    fn command_line() {
        let config = parse("mine=my-opt -x=y {in} {out}").unwrap();
        assert_eq!((config.name.as_str(), config.optimizer.len()), ("mine", 4));
        assert!(parse("mine").is_err() && parse("=a {in} {out}").is_err() && parse("mine=cp {in}").is_err());
    }
}
