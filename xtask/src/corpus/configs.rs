//! What is done with each IR file, as data: the one place that knows the optimizer's command line.

/// A way of sending IR files through the optimizer, and what is checked about the result.
pub struct Config {
    /// Its name on the command line and in the tables.
    pub name: &'static str,
    /// What the tables' legend says.
    pub meaning: &'static str,
    /// The commands for one file, run in this order.
    ///
    /// Words are separated by blanks. `{jlm-opt}`, `{opt}` and `{llvm-dis}` stand for the tools, `{in}` for the IR file, `{out}` for
    /// the result, `{tmp}` for a path without extension that is free for files in between, `{stats}` for the statistics.
    pub steps: &'static [&'static str],
    /// What is compared.
    pub check: Check,
    /// Whether a file with a body that stays outside the graph is left out, since nothing else holds that body.
    pub needs_every_body: bool,
}

/// What is checked about the optimizer's output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// LLVM's verifier accepts it, and the program built from it behaves as the one built from the input; where it cannot be run, the
    /// generated code must have the same entries, variables, address spaces and barriers.
    Behaviour,
    /// The bytes are the same with `--threads=1` and `--threads=2`, and without either.
    Threads,
    /// Output of a file with debug information, then stripped, equals the output of the stripped file.
    Strip,
}

impl Config {
    /// Whether the commands write statistics.
    pub fn has_statistics(&self) -> bool {
        self.steps.iter().any(|step| step.contains("{stats}"))
    }

    /// If LLVM's own passes run after the optimizer: the command that runs only them on the IR file.
    pub fn llvm_alone(&self) -> Option<String> {
        let [.., _, last] = self.steps else { return None };
        last.starts_with("{opt}").then(|| last.replace("{tmp}.bc", "{in}"))
    }

    /// Whether passes run, be they ours or LLVM's.
    pub fn has_passes(&self) -> bool {
        let words = || self.steps.iter().flat_map(|step| step.split_whitespace());
        words().any(|word| word.starts_with("-O") || word.starts_with("-passes="))
    }

    /// Whether the optimizer's binary is needed.
    pub fn needs_optimizer(&self) -> bool {
        self.steps.iter().any(|step| step.contains("{jlm-opt}"))
    }
}

/// Every configuration; `harness` is left out unless it is asked for by name.
pub const CONFIGS: &[Config] = &[
    Config {
        name: "none-pcfr",
        meaning: "no pass, predicative control flow, which is checked to be the original control flow in every function",
        steps: &["{jlm-opt} {in} -o {out} --control-flow=pcfr --check-recovery -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "none-scfr",
        meaning: "no pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "paper-pcfr",
        meaning: "`-passes=paper`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -passes=paper -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "paper-scfr",
        meaning: "`-passes=paper`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -passes=paper -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O1-pcfr",
        meaning: "`-O1`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -O1 -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O1-scfr",
        meaning: "`-O1`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -O1 -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O2-pcfr",
        meaning: "`-O2`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -O2 -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O2-scfr",
        meaning: "`-O2`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -O2 -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O3-pcfr",
        meaning: "`-O3`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -O3 -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "O3-scfr",
        meaning: "`-O3`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -O3 -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "Os-pcfr",
        meaning: "`-Os`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -Os -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "Os-scfr",
        meaning: "`-Os`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -Os -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "Oz-pcfr",
        meaning: "`-Oz`, verified after each pass, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} -Oz -verify-each --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "Oz-scfr",
        meaning: "`-Oz`, verified after each pass, structured control flow",
        steps: &["{jlm-opt} {in} -o {out} -Oz -verify-each --control-flow=scfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "inlined",
        meaning: "`-O3`, structured control flow, then `opt -O2`; no function is `noinline`",
        steps: &[
            "{opt} -passes=forceattrs -force-remove-attribute=noinline {in} -o {tmp}.in.bc",
            "{jlm-opt} {tmp}.in.bc -o {tmp}.bc -O3 -verify-each --control-flow=scfr -stats-json={stats}",
            "{opt} -O2 {tmp}.bc -o {out}",
        ],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "inverted",
        meaning: "no pass, loops that test first turned into loops that test last, predicative control flow",
        steps: &["{jlm-opt} {in} -o {out} --invert-loops --control-flow=pcfr -stats-json={stats}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "then-O2",
        meaning: "`-O3`, predicative control flow, then `opt -O2`, which would exploit a wrong flag or attribute",
        steps: &[
            "{jlm-opt} {in} -o {tmp}.bc -O3 --control-flow=pcfr -stats-json={stats}",
            "{opt} -O2 {tmp}.bc -o {out}",
        ],
        check: Check::Behaviour,
        needs_every_body: false,
    },
    Config {
        name: "text",
        meaning: "`.ll`, to RVSDG text, parsed again, to LLVM IR from scratch",
        steps: &[
            "{llvm-dis} {in} -o {tmp}.ll",
            "{jlm-opt} --emit=rvsdg {tmp}.ll -o {tmp}.rvsdg -stats-json={stats}",
            "{jlm-opt} {tmp}.rvsdg -S -o {out}",
        ],
        check: Check::Behaviour,
        needs_every_body: true,
    },
    Config {
        name: "threads",
        meaning: "`-O3` gives the same bytes with 1 and with 2 threads",
        steps: &["{jlm-opt} {in} -o {out} -O3"],
        check: Check::Threads,
        needs_every_body: false,
    },
    Config {
        name: "strip",
        meaning: "`-O3`: output with `-g`, stripped, equals the output of the stripped input",
        steps: &["{jlm-opt} {in} -o {out} -O3"],
        check: Check::Strip,
        needs_every_body: false,
    },
    Config {
        name: HARNESS,
        meaning: "LLVM's `opt` in the optimizer's place: a test of these runs themselves",
        steps: &["{opt} -passes=verify {in} -o {out}"],
        check: Check::Behaviour,
        needs_every_body: false,
    },
];

/// The configuration without the optimizer.
pub const HARNESS: &str = "harness";
