//! The command line of `jlm-opt`.
//!
//! As LLVM's tools do, it takes long options with one dash or two: `-passes=dne` is `--passes=dne`.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use regex_lite::Regex;
use rvsdg_passes::{BisectLimit, Registry};

/// How control flow is recovered from the graph.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ControlFlow {
    /// Structured: exactly the graph's conditionals and loops.
    Scfr,
    /// Predicative: the least control flow that computes the same.
    #[default]
    Pcfr,
}

/// What is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Emit {
    /// LLVM IR: bitcode, or text with -S.
    #[default]
    Llvm,
    /// The text form of the RVSDG.
    Rvsdg,
    /// The RVSDG as a picture, for Graphviz.
    Dot,
    /// Functions after each pass that changed them, as a page for a browser.
    Html,
    /// The same as data.
    Json,
}

/// Optimization levels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Level {
    /// No pass.
    #[value(name = "0")]
    O0,
    /// What is cheap.
    #[value(name = "1")]
    O1,
    /// What pays.
    #[value(name = "2")]
    O2,
    /// What may pay.
    #[value(name = "3")]
    O3,
    /// For size.
    #[value(name = "s")]
    Os,
    /// For least size.
    #[value(name = "z")]
    Oz,
}

impl Level {
    /// The name of the level's pipeline.
    pub fn pipeline(self) -> &'static str {
        match self {
            Level::O0 => "default<O0>",
            Level::O1 => "default<O1>",
            Level::O2 => "default<O2>",
            Level::O3 => "default<O3>",
            Level::Os => "default<Os>",
            Level::Oz => "default<Oz>",
        }
    }
}

/// Sends LLVM IR through the RVSDG and back.
#[derive(Clone, Debug, Parser)]
#[command(name = "jlm-opt", version)]
pub struct Arguments {
    /// LLVM IR as text or bitcode, or RVSDG text; - is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub input: OsString,

    /// Output file; - is standard output
    #[arg(short = 'o', value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub output: OsString,

    /// Write text instead of bitcode
    #[arg(short = 'S')]
    pub text: bool,

    /// Write bitcode even to a terminal
    #[arg(short = 'f')]
    pub force: bool,

    /// Run the passes of a level
    #[arg(short = 'O', value_name = "LEVEL", conflicts_with = "passes")]
    pub level: Option<Level>,

    /// Run these passes, such as dne,cne,dne
    #[arg(long, value_name = "PIPELINE")]
    pub passes: Option<String>,

    /// Print the names of all passes and exit
    #[arg(long)]
    pub print_passes: bool,

    /// What to write
    #[arg(long, value_name = "FORM", default_value = "llvm")]
    pub emit: Emit,

    /// The function that --emit=html or json shows, instead of all
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Write nothing
    #[arg(long)]
    pub disable_output: bool,

    /// How to recover control flow
    #[arg(long, value_name = "HOW", default_value = "pcfr")]
    pub control_flow: ControlFlow,

    /// Turn loops that test first into loops that test last by copying the test
    #[arg(long)]
    pub invert_loops: bool,

    /// Write LLVM IR from the graph alone instead of into the module that was read
    #[arg(long)]
    pub from_scratch: bool,

    /// Fail unless predicative recovery straight after construction gives back the control flow of every body
    #[arg(long)]
    pub check_recovery: bool,

    /// Leave bodies alone that no pass changed
    #[arg(long)]
    pub skip_unchanged: bool,

    /// Threads for everything between reading and writing; 0 is one per processor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,

    /// Verify the graph after every pass
    #[arg(long)]
    pub verify_each: bool,

    /// Print the time of every stage and pass
    #[arg(long)]
    pub time_passes: bool,

    /// Print counts of functions, graphs and what passes did
    #[arg(long)]
    pub stats: bool,

    /// Write the same, and times, as JSON to a file
    #[arg(long, value_name = "FILE")]
    pub stats_json: Option<OsString>,

    /// Print the RVSDG after every pass
    #[arg(long)]
    pub print_after_all: bool,

    /// Print passes as they run
    #[arg(long)]
    pub debug_pass_manager: bool,

    /// Run a function under the interpreter, after the passes, instead of writing anything; what follows the input is the
    /// program's arguments
    #[arg(long, value_name = "FUNCTION", num_args = 0..=1, require_equals = true, default_missing_value = "main")]
    pub run: Option<String>,

    /// Instructions that --run may execute; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "run")]
    pub run_fuel: u64,

    /// New memory is zero for --run instead of undef, for programs that read it before they write it
    #[arg(long, requires = "run")]
    pub run_zeroed: bool,

    /// Addresses may leave their objects for --run, as long as nothing is accessed there
    #[arg(long, requires = "run")]
    pub run_loose_addresses: bool,

    /// Arguments of the program for --run: all that follows the input
    #[arg(skip)]
    pub program_arguments: Vec<String>,

    /// Write remarks about what passes did and did not do to a file, as YAML that LLVM's tools read
    #[arg(long, value_name = "FILE")]
    pub pass_remarks_output: Option<OsString>,

    /// Write only the remarks of passes whose names match; a name or short name is that pass
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_filter: Option<Regex>,

    /// Print what passes did whose names match
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks: Option<Regex>,

    /// Print what passes did not do whose names match
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_missed: Option<Regex>,

    /// Print what passes found out whose names match
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_analysis: Option<Regex>,

    /// Run only the first N executions of passes, with N.M only M rewrites of the last, and print all; -1 is no limit
    #[arg(long, value_name = "N[.M]", allow_negative_numbers = true, value_parser = bisect_limit)]
    pub opt_bisect_limit: Option<BisectLimit>,
}

/// `N`, `N.M`, or `-1` for all.
fn bisect_limit(text: &str) -> Result<BisectLimit, String> {
    if text == "-1" { Ok(BisectLimit { executions: u64::MAX, rewrites: None }) } else { text.parse() }
}

impl Arguments {
    /// Reads a command line, the program's name included. The help names the passes of the registry.
    ///
    /// # Errors
    /// When it is wrong, and when it asks for help or the version: the error is what to print.
    pub fn from_command_line(
        arguments: impl IntoIterator<Item = OsString>,
        registry: &Registry,
    ) -> Result<Arguments, clap::Error> {
        let (normalized, program) = normalize(arguments);
        let program_arguments = program.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let help = format!(
            "Long options may also be written with one dash, as LLVM's opt takes them.\n\nPasses:\n{}",
            registry.help()
        );
        let matches =
            Arguments::command().after_help(help).try_get_matches_from(normalized).map_err(without_guesses)?;
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok(Arguments { program_arguments, ..arguments })
    }

    /// Whether nothing is to be written.
    pub fn is_silent(&self) -> bool {
        self.disable_output || self.run.is_some()
    }

    /// The text of the pipeline to run.
    pub fn pipeline(&self) -> &str {
        self.passes.as_deref().or(self.level.map(Level::pipeline)).unwrap_or("")
    }
}

/// Leaves out what the parser guesses of an unknown option, unless the name it finds similar is near: a flag of `opt` that there is
/// none of here was hardly meant to be another one, or a file.
fn without_guesses(mut error: clap::Error) -> clap::Error {
    let name = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.split(['=', ' ']).next().map(str::to_owned),
        _ => None,
    };
    if error.kind() == ErrorKind::UnknownArgument {
        let names = name(ContextKind::InvalidArg).zip(name(ContextKind::SuggestedArg));
        let is_near = names.is_some_and(|(given, known)| {
            strsim::damerau_levenshtein(&given, &known) <= 1 + known.trim_start_matches('-').len() / 5
        });
        if !is_near {
            error.remove(ContextKind::SuggestedArg);
        }
        error.remove(ContextKind::Suggested);
    }
    error
}

/// Gives long options that have one dash a second one; what follows the input of a program that is run is the program's.
fn normalize(arguments: impl IntoIterator<Item = OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let mut normalized = Vec::new();
    let mut arguments = arguments.into_iter();
    normalized.extend(arguments.next());
    let (mut runs, mut only_inputs) = (false, false);
    while let Some(argument) = arguments.next() {
        let argument = if !only_inputs && is_long(&argument) { long(&argument) } else { argument };
        let is_option = !only_inputs && argument != "-" && argument.as_encoded_bytes().starts_with(b"-");
        let takes_value = is_option && takes_value(&argument);
        runs |= is_option && (argument == "--run" || argument.as_encoded_bytes().starts_with(b"--run="));
        only_inputs |= argument == "--";
        normalized.push(argument);
        if takes_value {
            normalized.extend(arguments.next());
        } else if runs && !is_option {
            break;
        }
    }
    (normalized, arguments.collect())
}

/// Whether an argument with one dash is a long option: its name has several characters, and is not an optimization level.
fn is_long(argument: &OsStr) -> bool {
    let Some(option) = argument.to_str().and_then(|text| text.strip_prefix('-')) else { return false };
    let name = option.split('=').next().unwrap_or_default();
    let level = name.len() == 2 && name.starts_with('O');
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.len() > 1 && !level
}

/// Whether an option's value is the next argument.
fn takes_value(argument: &OsStr) -> bool {
    let Some(text) = argument.to_str() else { return false };
    let command = Arguments::command();
    let option = command.get_opts().find(|option| match (option.get_long(), option.get_short()) {
        (Some(name), _) => text.strip_prefix("--") == Some(name),
        (None, Some(letter)) => text.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter])),
        (None, None) => false,
    });
    option.is_some_and(|option| option.get_action().takes_values() && !option.is_require_equals_set())
}

fn long(argument: &OsStr) -> OsString {
    let mut long = OsString::from("-");
    long.push(argument);
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::from_command_line(line.split_whitespace().map(OsString::from), Registry::builtin())
    }

    #[test]
    fn command_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn unknown_options_are_not_taken_for_others() {
        let message = |line| parse(line).unwrap_err().to_string();
        for line in ["jlm-opt -load foo.so", "jlm-opt -mcpu=native x.ll", "jlm-opt -loop-vectorize"] {
            assert!(!message(line).contains("tip:"), "{}", message(line));
        }
        assert!(message("jlm-opt -verify-eech").contains("'--verify-each'"), "{}", message("jlm-opt -verify-eech"));
    }

    #[test]
    fn defaults() {
        let arguments = parse("jlm-opt").unwrap();
        assert_eq!((arguments.input, arguments.output), ("-".into(), "-".into()));
        assert_eq!((arguments.control_flow, arguments.emit), (ControlFlow::Pcfr, Emit::Llvm));
        assert_eq!(parse("jlm-opt").unwrap().pipeline(), "");
    }

    #[test]
    fn takes_what_opt_takes() {
        let arguments =
            parse("jlm-opt -passes=dne,cne -S in.ll -o out.ll -verify-each -opt-bisect-limit=-1 -stats").unwrap();
        assert_eq!(arguments.pipeline(), "dne,cne");
        assert!(arguments.text && arguments.verify_each && arguments.stats);
        assert_eq!((arguments.input, arguments.output), ("in.ll".into(), "out.ll".into()));
        assert!(arguments.opt_bisect_limit.is_some_and(|limit| limit.executions == u64::MAX));
        assert_eq!(parse("jlm-opt -passes dne").unwrap().pipeline(), "dne");
        assert_eq!(parse("jlm-opt --passes=dne").unwrap().pipeline(), "dne");
        let limit = parse("jlm-opt -opt-bisect-limit 7.3").unwrap().opt_bisect_limit;
        assert_eq!(limit, Some(BisectLimit { executions: 7, rewrites: Some(3) }));
        assert!(parse("jlm-opt -opt-bisect-limit -1").is_ok());
        assert!(parse("jlm-opt -opt-bisect-limit 7.x").is_err());
    }

    #[test]
    fn levels() {
        assert_eq!(parse("jlm-opt -O2").unwrap().pipeline(), "default<O2>");
        assert_eq!(parse("jlm-opt -Oz -S").unwrap().pipeline(), "default<Oz>");
        assert!(parse("jlm-opt -O7").is_err());
        assert!(parse("jlm-opt -O1 -passes=dne").is_err());
    }

    #[test]
    fn a_program_has_arguments() {
        let arguments = parse("jlm-opt --run in.ll -x 7").unwrap();
        assert_eq!((arguments.run.as_deref(), arguments.program_arguments.len()), (Some("main"), 2));
        let arguments = parse("jlm-opt -run=f -O1 in.ll").unwrap();
        assert_eq!((arguments.run.as_deref(), arguments.input), (Some("f"), "in.ll".into()));
        assert!(parse("jlm-opt in.ll 7").is_err());
    }

    #[test]
    fn output_may_look_like_an_option() {
        assert_eq!(parse("jlm-opt -o -").unwrap().output, "-");
        assert!(parse("jlm-opt -oout.bc").is_err(), "opt does not take it either");
        assert_eq!(parse("jlm-opt -o=out.bc").unwrap().output, "out.bc");
        assert_eq!(parse("jlm-opt -- -passes").unwrap().input, "-passes");
    }
}
