//! The command line of `jlm-opt`.
//!
//! As LLVM's tools do, it takes long options with one dash or two: `-passes=dne` is `--passes=dne`.

mod words;

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use regex_lite::Regex;
use rvsdg_llvm::inkwell::OptimizationLevel;
use rvsdg_llvm::{CodegenOptions, LlvmRefusal};
use rvsdg_passes::{BisectLimit, Registry};

use crate::plan::Plan;
pub use words::refusal;
use words::{Words, expanded, explained, normalize};

/// How control flow is recovered from the graph.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ControlFlow {
    /// Structured: exactly the graph's conditionals and loops.
    Scfr,
    /// Predicative: as few branches as possible.
    #[default]
    Pcfr,
}

/// What is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Emit {
    /// LLVM IR: bitcode, or text with -S.
    #[default]
    Llvm,
    /// Assembly for the module's target; PTX for NVPTX.
    Asm,
    /// PTX, for modules whose target is NVPTX.
    Ptx,
    /// An object file for the module's target.
    Obj,
    /// The text form of the RVSDG.
    Rvsdg,
    /// The RVSDG as a picture, for Graphviz.
    Dot,
    /// A page for a browser that shows functions after each pass that changed them.
    Html,
    /// The same as JSON data.
    Json,
}

/// Optimization levels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Level {
    /// No pass.
    #[value(name = "0")]
    O0,
    /// Cheap optimizations.
    #[value(name = "1")]
    O1,
    /// Optimizations that usually pay.
    #[value(name = "2")]
    O2,
    /// Optimizations that may pay.
    #[value(name = "3")]
    O3,
    /// Optimize for size.
    #[value(name = "s")]
    Os,
    /// Optimize for minimum size.
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
#[command(name = "jlm-opt", version = version())]
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

    /// Run these passes, ours such as dne,cne,dne or LLVM's such as function(mem2reg)
    #[arg(long, short = 'p', value_name = "PIPELINE")]
    pub passes: Option<String>,

    /// Print the names of all passes and exit
    #[arg(long)]
    pub print_passes: bool,

    /// Print the pipeline in canonical form and exit
    #[arg(long)]
    pub print_pipeline_passes: bool,

    /// Load an LLVM pass plugin
    #[arg(long, value_name = "FILE")]
    pub load_pass_plugin: Vec<String>,

    /// Use this target triple instead of the module's
    #[arg(long, value_name = "TRIPLE")]
    pub mtriple: Option<String>,

    /// Use this data layout instead of the module's
    #[arg(long, value_name = "LAYOUT")]
    pub data_layout: Option<String>,

    /// Remove debug information before the passes
    #[arg(long)]
    pub strip_debug: bool,

    /// Drop the names of values before the passes
    #[arg(long)]
    pub discard_value_names: bool,

    /// What to write
    #[arg(long, value_name = "FORM", default_value = "llvm")]
    pub emit: Emit,

    /// Write a summary for link-time optimization into bitcode
    #[arg(long, conflicts_with = "text")]
    pub module_summary: bool,

    /// Write a hash into bitcode
    #[arg(long)]
    pub module_hash: bool,

    /// Write bitcode for ThinLTO
    #[arg(long, conflicts_with = "text")]
    pub thinlto_bc: bool,

    /// Keep the order of use lists in bitcode
    #[arg(long)]
    pub preserve_bc_uselistorder: bool,

    /// Keep the order of use lists in text
    #[arg(long)]
    pub preserve_ll_uselistorder: bool,

    /// Do not verify the output
    #[arg(long)]
    pub disable_verify: bool,

    /// Show only this function with --emit=html, json or dot
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Write nothing
    #[arg(long)]
    pub disable_output: bool,

    /// How to recover control flow
    #[arg(long, value_name = "HOW", default_value = "pcfr")]
    pub control_flow: ControlFlow,

    /// Rotate loops: make head-controlled loops tail-controlled by copying the test
    #[arg(long)]
    pub invert_loops: bool,

    /// Write LLVM IR from the graph alone instead of updating the module that was read
    #[arg(long)]
    pub from_scratch: bool,

    /// Fail unless predicative recovery directly after construction reproduces the control flow of every body
    #[arg(long)]
    pub check_recovery: bool,

    /// Do not rewrite bodies that no pass changed
    #[arg(long)]
    pub skip_unchanged: bool,

    /// Number of threads between reading and writing; 0 is one per processor
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,

    /// Verify the graph after every pass
    #[arg(long)]
    pub verify_each: bool,

    /// Print the time and memory of every stage and pass
    #[arg(long)]
    pub time_passes: bool,

    /// Write a timeline of stages, passes and functions, for Chrome's about:tracing
    #[arg(long)]
    pub time_trace: bool,

    /// File of the timeline; FILE.time-trace for output FILE if absent
    #[arg(long, value_name = "FILE")]
    pub time_trace_file: Option<OsString>,

    /// Shortest duration in the timeline, in microseconds
    #[arg(long, value_name = "N", default_value_t = 500, hide_default_value = true)]
    pub time_trace_granularity: u64,

    /// Print statistics of functions, graphs and passes
    #[arg(long)]
    pub stats: bool,

    /// Write statistics and times as JSON to a file, or to standard error
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub stats_json: Option<OsString>,

    /// Print the RVSDG after every pass, and LLVM IR after every LLVM pass
    #[arg(long)]
    pub print_after_all: bool,

    /// Print before every pass
    #[arg(long)]
    pub print_before_all: bool,

    /// Print after these passes
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub print_after: Vec<String>,

    /// Print before these passes
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub print_before: Vec<String>,

    /// Print only these functions; * is all
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',')]
    pub filter_print_funcs: Vec<String>,

    /// Print the whole module instead of a function
    #[arg(long)]
    pub print_module_scope: bool,

    /// Print functions after passes that changed them; quiet does not mention others, diff shows the changed lines, dot-cfg writes a
    /// page of them, passes.html
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "verbose")]
    pub print_changed: Option<PrintChanged>,

    /// Folder for the page of -print-changed=dot-cfg
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub dot_cfg_dir: OsString,

    /// Write a picture of each function's control flow after the passes, .NAME.dot, as -passes=dot-cfg does
    #[arg(long)]
    pub dot_cfg: bool,

    /// Add synthetic debug information before the passes
    #[arg(long)]
    pub debugify: bool,

    /// Check after the passes how much of the synthetic debug information is left
    #[arg(long)]
    pub check_debugify: bool,

    /// Add synthetic debug information before the passes, and check afterwards how much is left
    #[arg(long)]
    pub enable_debugify: bool,

    /// Add and check synthetic debug information around every pass
    #[arg(long)]
    pub debugify_each: bool,

    /// Print passes as they run
    #[arg(long)]
    pub debug_pass_manager: bool,

    /// Run a function under the interpreter, after the passes, instead of writing anything; the words after the input are the
    /// program's arguments
    #[arg(long, value_name = "FUNCTION", num_args = 0..=1, require_equals = true, default_missing_value = "main")]
    pub run: Option<String>,

    /// Limit of instructions for --run; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "run")]
    pub run_fuel: u64,

    /// With --run, new memory is zero instead of undef, for programs that read it before writing it
    #[arg(long, requires = "run")]
    pub run_zeroed: bool,

    /// With --run, addresses may leave their objects, as long as nothing is accessed there
    #[arg(long, requires = "run")]
    pub run_loose_addresses: bool,

    /// Arguments of the program for --run: all words after the input
    #[arg(skip)]
    pub program_arguments: Vec<String>,

    /// Write optimization remarks to a file, as YAML that LLVM's tools read
    #[arg(long, value_name = "FILE")]
    pub pass_remarks_output: Option<OsString>,

    /// Format of that file; only yaml
    #[arg(long, value_name = "FORM", default_value = "yaml", hide_default_value = true, value_parser = ["yaml"])]
    pub pass_remarks_format: String,

    /// Write only the remarks of passes whose long or short names match
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_filter: Option<Regex>,

    /// Print what passes with matching names did
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks: Option<Regex>,

    /// Print what passes with matching names did not do
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_missed: Option<Regex>,

    /// Print what passes with matching names found out
    #[arg(long, value_name = "REGEX", value_parser = Regex::new)]
    pub pass_remarks_analysis: Option<Regex>,

    /// Run only the first N executions of passes, with N.M only M rewrites of the last one, and list all; -1 is no limit
    #[arg(long, value_name = "N[.M]", allow_negative_numbers = true, value_parser = bisect_limit)]
    pub opt_bisect_limit: Option<BisectLimit>,

    /// Print help including the options of LLVM's passes
    #[arg(long)]
    pub help_hidden: bool,

    /// Options of LLVM's libraries, with dashes
    #[arg(skip)]
    pub llvm_options: Vec<String>,
}

/// What `-print-changed` prints.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum PrintChanged {
    /// The changed functions, and the names of others.
    #[value(hide = true)]
    Verbose,
    /// Only what changed.
    Quiet,
    /// The changed lines, and the names of unchanged functions.
    Diff,
    /// Only the lines that changed.
    DiffQuiet,
    /// A page that shows functions after each pass that changed them.
    DotCfg,
}

impl PrintChanged {
    /// Whether unchanged functions are not mentioned.
    pub fn is_quiet(self) -> bool {
        matches!(self, PrintChanged::Quiet | PrintChanged::DiffQuiet)
    }

    /// Whether only lines that changed are printed.
    pub fn is_diff(self) -> bool {
        matches!(self, PrintChanged::Diff | PrintChanged::DiffQuiet)
    }
}

/// This program's version, and LLVM's.
fn version() -> &'static str {
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{}\nLLVM version {}", env!("CARGO_PKG_VERSION"), rvsdg_llvm::llvm_version()));
    &VERSION
}

/// `N`, `N.M`, or `-1` for all.
fn bisect_limit(text: &str) -> Result<BisectLimit, String> {
    if text == "-1" { Ok(BisectLimit { executions: u64::MAX, rewrites: None }) } else { text.parse() }
}

impl Arguments {
    /// Reads a command line, the program's name included. The help names the passes of the registry.
    ///
    /// # Errors
    /// If it is wrong, and if it requests help or the version: the error is the text to print.
    pub fn from_command_line(
        arguments: impl IntoIterator<Item = OsString>,
        registry: &Registry,
    ) -> Result<Arguments, clap::Error> {
        rvsdg_llvm::register_target_options();
        let Words { own, llvm, program } = normalize(expanded(arguments)?);
        let program_arguments = program.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let help = format!(
            "Long options may also be written with one dash, as LLVM's opt takes them, and @FILE inserts the options in a \
             file. Options of LLVM's passes (--help-hidden) are passed to LLVM.\n\nPasses (--print-passes lists LLVM's, too):\n{}",
            registry.help()
        );
        let command = || Arguments::command().after_help(&help);
        let matches = command().try_get_matches_from(own).map_err(|error| explained(error, registry))?;
        let arguments = Arguments::from_arg_matches(&matches)?;
        if arguments.help_hidden {
            let options = rvsdg_llvm::llvm_option_names().into_iter().filter_map(|name| {
                let help = rvsdg_llvm::llvm_option(&name)?.help;
                Some(format!("  -{name:<40} {help}\n"))
            });
            let text = format!("{help}\nOptions of LLVM's passes:\n{}", options.collect::<String>());
            return Err(Arguments::command().after_help(text).try_get_matches_from(["jlm-opt", "--help"]).unwrap_err());
        }
        Ok(Arguments { program_arguments, llvm_options: llvm, ..arguments })
    }

    /// Hands LLVM the options that are its own, and those that it needs to do with its passes what is done with ours.
    ///
    /// # Errors
    /// When LLVM does not take one.
    pub fn set_llvm_options(&self, plan: &Plan) -> Result<(), LlvmRefusal> {
        let mut options = self.llvm_options.clone();
        if plan.has_llvm() {
            options.extend(self.shared_options(!plan.has_ours()));
        } else {
            for plugin in &self.load_pass_plugin {
                eprintln!("warning: {plugin} is for pipelines with passes of LLVM's, and there are none in this one");
            }
            for option in &self.llvm_options {
                let name = option.trim_start_matches('-').split('=').next().unwrap_or_default();
                if rvsdg_llvm::llvm_option(name).is_some_and(|known| !known.is_of_target) {
                    let instead = if name == "inline-threshold" { "; ours takes inline<threshold=N>" } else { "" };
                    eprintln!("warning: -{name} is for passes of LLVM's, and there are none in the pipeline{instead}");
                }
            }
        }
        if options.is_empty() { Ok(()) } else { rvsdg_llvm::set_llvm_options(&options) }
    }

    /// What LLVM's passes are to do as well as ours.
    fn shared_options(&self, is_llvm_alone: bool) -> Vec<String> {
        let flags = [
            ("print-after-all", self.print_after_all),
            ("print-before-all", self.print_before_all),
            ("print-module-scope", self.print_module_scope),
            ("time-passes", self.time_passes),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("-{name}"));
        let lists = [
            ("print-after", &self.print_after),
            ("print-before", &self.print_before),
            ("filter-print-funcs", &self.filter_print_funcs),
        ];
        let lists = lists
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(name, list)| format!("-{name}={}", list.join(",")));
        let remarks = [
            ("pass-remarks", &self.pass_remarks),
            ("pass-remarks-missed", &self.pass_remarks_missed),
            ("pass-remarks-analysis", &self.pass_remarks_analysis),
        ];
        let remarks = remarks.into_iter().filter_map(|(name, of)| Some(format!("-{name}={}", of.as_ref()?.as_str())));
        // There is one page, of passes of both families.
        let changed = self.print_changed.filter(|how| is_llvm_alone || *how != PrintChanged::DotCfg);
        let changed = changed.and_then(|how| how.to_possible_value());
        let changed = changed.map(|how| match how.get_name() {
            "verbose" => "-print-changed".to_owned(),
            how => format!("-print-changed={how}"),
        });
        let folder = (self.dot_cfg_dir != ".").then(|| format!("-dot-cfg-dir={}", self.dot_cfg_dir.to_string_lossy()));
        flags.chain(lists).chain(remarks).chain(changed).chain(folder).collect()
    }

    /// The regular expression for remarks of LLVM passes, if a file is written.
    pub fn llvm_remarks(&self) -> Option<String> {
        self.pass_remarks_output.as_ref()?;
        Some(self.pass_remarks_filter.as_ref().map(|filter| filter.as_str().to_owned()).unwrap_or_default())
    }

    /// How machine code is generated: as much is done for speed as passes do.
    pub fn codegen(&self) -> CodegenOptions {
        let value = |name: &str| {
            let options = self.llvm_options.iter().rev();
            options.filter_map(|option| option.strip_prefix(name)).map(str::to_owned).next()
        };
        let level = match self.level {
            Some(Level::O0) => OptimizationLevel::None,
            Some(Level::O1) => OptimizationLevel::Less,
            Some(Level::O3) => OptimizationLevel::Aggressive,
            Some(Level::O2 | Level::Os | Level::Oz) | None => OptimizationLevel::Default,
        };
        CodegenOptions { cpu: value("-mcpu="), features: value("-mattr="), level, ..CodegenOptions::default() }
    }

    /// The file for -time-trace.
    pub fn time_trace_path(&self) -> OsString {
        self.time_trace_file.clone().unwrap_or_else(|| {
            let mut path = if self.output == "-" { OsString::from("out") } else { self.output.clone() };
            path.push(".time-trace");
            path
        })
    }

    /// Whether nothing is printed while passes run.
    pub fn is_quiet(&self) -> bool {
        let lists = [&self.print_after, &self.print_before];
        let prints = self.print_after_all || self.print_before_all || lists.iter().any(|list| !list.is_empty());
        let says = self.debug_pass_manager || self.opt_bisect_limit.is_some() || self.print_changed.is_some();
        !prints && !says
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
        assert!(!message("jlm-opt -unlike-anything").contains("tip:"), "{}", message("jlm-opt -unlike-anything"));
        for (line, tip) in [
            ("jlm-opt -load foo.so", "tip: only LLVM's pass plugins"),
            ("jlm-opt -loop-vectorize", "tip: 'loop-vectorize' is a pass: -passes=loop-vectorize"),
            ("jlm-opt -cne", "tip: 'cne' is a pass: -passes=cne"),
            ("jlm-opt -debug-only=x", "builds with assertions"),
            ("jlm-opt -inline-treshold=3", "'-inline-threshold'"),
        ] {
            assert!(message(line).contains(tip), "{}", message(line));
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
    fn options_of_llvm_are_put_apart() {
        let arguments =
            parse("jlm-opt -mcpu native -unroll-count=4 in.ll --print-after=dne,cne -aarch64-use-aa -p dne").unwrap();
        assert_eq!(arguments.llvm_options, ["-mcpu=native", "-unroll-count=4", "-aarch64-use-aa"]);
        assert_eq!((arguments.input, arguments.print_after.len()), ("in.ll".into(), 2));
        assert_eq!(arguments.passes.as_deref(), Some("dne"));
        assert_eq!(parse("jlm-opt -- -mcpu=native").unwrap().input, "-mcpu=native");
    }

    #[test]
    fn files_hold_options() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().join("outer"), folder.path().join("inner"));
        std::fs::write(&inner, "'a b.ll'\n-S").unwrap();
        std::fs::write(&outer, format!("-passes=\"dne,cne\"\t@{}", inner.display())).unwrap();
        let arguments = parse(&format!("jlm-opt @{} -o x\\ y", outer.display()).replace("x\\ y", "out")).unwrap();
        assert_eq!((arguments.pipeline(), arguments.text), ("dne,cne", true));
        assert_eq!(arguments.input, "a b.ll");
        std::fs::write(&inner, format!("@{}", inner.display())).unwrap();
        assert!(parse(&format!("jlm-opt @{}", inner.display())).unwrap_err().to_string().contains("name each other"));
        assert_eq!(parse("jlm-opt @missing").unwrap().input, "@missing");
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
