//! The one table of all passes: names on the command line, help, documentation and labels in reports come from it.

use std::fmt::Write;

use crate::pass::Stage;
use crate::{attrs, cne, dne, ifc, iln, inv, ipc, ivs, ivt, lvr, mvf, pll, psh, red, sra, url};

/// A row of the table.
pub struct Entry {
    /// The name in pipelines, and of the pass's file and tests.
    pub name: &'static str,
    /// What the pass does, in one line.
    pub summary: &'static str,
    /// Where the algorithm is described.
    pub source: &'static str,
    /// Its stages in the order in which they run.
    pub stages: fn() -> Vec<Stage>,
}

/// A pass that takes options, written behind its name as in `iln<once>`.
pub struct Options {
    /// The pass.
    pub name: &'static str,
    /// What options there are, for messages and documentation.
    pub summary: &'static str,
    /// The pass's stages, or what is wrong with the options.
    pub stages: fn(&str) -> Result<Vec<Stage>, String>,
}

/// A pipeline that has a name.
pub struct NamedPipeline {
    /// The name, which may stand in a pipeline where a pass may.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The passes it stands for.
    pub text: &'static str,
}

/// Every pass, by name.
pub const PASSES: &[Entry] = &[
    Entry {
        name: "attrs",
        summary: "Function attributes: calls of functions that surely do not unwind, loop for ever or touch memory take fewer states.",
        source: "LLVM's function-attrs",
        stages: attrs::stages,
    },
    Entry {
        name: "cne",
        summary: "Common node elimination: what always computes the same value is computed once; conditionals that decide the same are one.",
        source: "thesis B1.6.2, algorithm VI",
        stages: cne::stages,
    },
    Entry {
        name: "dne",
        summary: "Dead node elimination: nodes, variables of γ and θ, functions and data that nothing needs are removed.",
        source: "thesis B1.6.1, algorithm V",
        stages: dne::stages,
    },
    Entry {
        name: "ifc",
        summary: "If-conversion: conditionals that choose between values that are cheap to compute become selects.",
        source: "Allen, Kennedy, Porterfield, Warren, POPL 1983",
        stages: ifc::stages,
    },
    Entry {
        name: "iln",
        summary: "Inlining: bodies of functions in the place of calls to them, callees first.",
        source: "thesis B1.6, function inlining",
        stages: iln::stages,
    },
    Entry {
        name: "inv",
        summary: "Invariant value redirection: what a γ, a θ or a call gives back unchanged is taken from before it.",
        source: "thesis B1.7, invariant value redirection",
        stages: inv::stages,
    },
    Entry {
        name: "ipc",
        summary: "Interprocedural constants: parameters that are the same constant in all calls are known.",
        source: "Callahan, Cooper, Kennedy, Torczon, POPL 1986",
        stages: ipc::stages,
    },
    Entry {
        name: "ivs",
        summary: "Induction variables: as wide as they are used, sums instead of products, simple comparisons at the end.",
        source: "Bachmann, Wang and Zima, chains of recurrences (ISSAC 1994); LLVM's indvars",
        stages: ivs::stages,
    },
    Entry {
        name: "ivt",
        summary: "θ–γ inversion: loops that decide first decide last behind a γ; what always decides the same leaves loops.",
        source: "thesis B1.7, θ–γ inversion",
        stages: ivt::stages,
    },
    Entry {
        name: "lvr",
        summary: "Loop versioning: where addresses compared before a loop show that its accesses are apart, a copy of it keeps in registers what is in memory otherwise.",
        source: "Callahan, Carr and Kennedy, scalar replacement (PLDI 1990); LLVM's loop-versioning-licm and loop-load-elim",
        stages: lvr::stages,
    },
    Entry {
        name: "mvf",
        summary: "Memory value forwarding: loads get the values that stores and loads before them left, also around loops; stores that nothing reads go.",
        source: "thesis B1.7, memory along state edges; Callahan, Carr and Kennedy, scalar replacement (PLDI 1990)",
        stages: mvf::stages,
    },
    Entry {
        name: "pll",
        summary: "Node pull-in: what only one alternative of a conditional uses is computed there.",
        source: "thesis B1.7, node pull in",
        stages: pll::stages,
    },
    Entry {
        name: "psh",
        summary: "Node push-out: what does not change in a loop, or is in all alternatives, is computed before it.",
        source: "thesis B1.7, node push out",
        stages: psh::stages,
    },
    Entry {
        name: "red",
        summary: "Node reduction: constant folding and algebraic rules; conditionals and loops that decide nothing.",
        source: "thesis B1.6, node reductions",
        stages: red::stages,
    },
    Entry {
        name: "sra",
        summary: "Scalar replacement of aggregates: objects on the stack become one for each part that is accessed as a whole.",
        source: "LLVM's sroa",
        stages: sra::stages,
    },
    Entry {
        name: "url",
        summary: "Loop unrolling: all iterations of short loops, several at once of innermost loops that are counted.",
        source: "thesis B1.7, loop unrolling",
        stages: url::stages,
    },
];

/// The passes that take options, by name.
pub const OPTIONS: &[Options] = &[
    Options {
        name: "dne",
        summary: "`dne<available_externally>`: also the definitions of this linkage go; those that are used become declarations.",
        stages: dne::stages_with,
    },
    Options {
        name: "iln",
        summary: "`iln<once>`: only what is called once or marked `alwaysinline`. `iln<threshold=225>`: also what costs no more \
                  than this, in LLVM's unit.",
        stages: iln::stages_with,
    },
];

/// Every named pipeline, by name.
pub const PIPELINES: &[NamedPipeline] = &[
    NamedPipeline { name: "default<O0>", summary: "No pass.", text: "" },
    NamedPipeline {
        name: "default<O1>",
        summary: "What is cheap and makes no copies of code but of loops' conditions.",
        text: "iln<once>,ipc,inv,red,cne,attrs,dne,ivt,inv,dne,psh,cne,dne,sra,mvf,red,cne,dne,ifc,red,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<O2>",
        summary: "Fast code: all passes, memory values before and after loops are inverted.",
        text: "iln,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,ifc,red,dne,ivt,inv,dne,psh,inv,cne,dne,mvf,dne,ivs,red,url,inv,red,cne,dne,\
               ifc,red,dne,pll,inv,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<O3>",
        summary: "As O2, with versions of loops, and memory values once more after unrolling.",
        text: "iln,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,ifc,red,dne,ivt,inv,dne,psh,inv,cne,dne,mvf,dne,lvr,dne,ivs,red,url,\
               inv,red,cne,mvf,dne,ifc,red,cne,dne,pll,inv,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<Os>",
        summary: "Fast code that does not grow: loops are not unrolled, little is inlined.",
        text: "iln<threshold=50>,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,iln<once>,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,\
               ifc,red,dne,ivt,inv,dne,psh,inv,cne,dne,mvf,red,dne,ifc,red,cne,dne,pll,inv,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<Oz>",
        summary: "Small code: as Os, and inlined is what makes code smaller.",
        text: "iln<threshold=5>,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,iln<once>,ipc,inv,red,cne,attrs,dne,sra,mvf,red,cne,dne,\
               ifc,red,dne,inv,cne,dne,mvf,red,dne,ifc,red,cne,dne,pll,inv,dne<available_externally>",
    },
    NamedPipeline {
        name: "paper",
        summary: "The order of the thesis's evaluation (B1.9).",
        text: "iln,inv,red,dne,ivt,inv,dne,psh,inv,dne,url,inv,red,cne,dne,pll,inv,dne",
    },
];

/// The pass called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    PASSES.iter().find(|entry| entry.name == name)
}

/// The options of the pass called `name`.
pub fn find_options(name: &str) -> Option<&'static Options> {
    OPTIONS.iter().find(|options| options.name == name)
}

/// The named pipeline called `name`.
pub fn find_pipeline(name: &str) -> Option<&'static NamedPipeline> {
    PIPELINES.iter().find(|pipeline| pipeline.name == name)
}

/// The list of passes for `--help`: one line per pass.
pub fn help() -> String {
    let mut text = String::new();
    for entry in PASSES {
        let _ = writeln!(text, "  {:<6} {}", entry.name, entry.summary);
    }
    text
}

/// The documentation page of the passes, as it stands in `docs/passes.md`.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Passes\n\n\
         <!-- Made from the table in rvsdg-passes/src/registry.rs; RVSDG_BLESS=1 cargo test -p rvsdg-passes writes it. -->\n\n\
         A pipeline is a list of passes, `dne,cne,dne`. `repeat<3>(cne,dne)` runs a list three times, and `rvsdg(…)` groups\n\
         one. The named pipelines of the second table may stand where a pass may.\n\n\
         | pass | what it does | runs on | described in |\n|---|---|---|---|\n",
    );
    for entry in PASSES {
        let mut kinds: Vec<&str> = (entry.stages)()
            .iter()
            .map(|stage| match stage {
                Stage::Bodies(_) => "every function",
                Stage::Module(_) => "the module",
            })
            .collect();
        kinds.dedup();
        let _ =
            writeln!(text, "| `{}` | {} | {} | {} |", entry.name, entry.summary, kinds.join(", then "), entry.source);
    }
    text.push_str("\nPasses with options:\n\n");
    for options in OPTIONS {
        let _ = writeln!(text, "- `{}`: {}", options.name, options.summary);
    }
    text.push_str("\n| pipeline | stands for | use |\n|---|---|---|\n");
    for pipeline in PIPELINES {
        let stands_for = if pipeline.text.is_empty() { "nothing".into() } else { format!("`{}`", pipeline.text) };
        let _ = writeln!(text, "| `{}` | {} | {} |", pipeline.name, stands_for, pipeline.summary);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pipeline;

    #[test]
    fn tables_are_sorted_by_name_and_names_are_distinct() {
        assert!(PASSES.is_sorted_by(|a, b| a.name < b.name));
        assert!(PIPELINES.is_sorted_by(|a, b| a.name < b.name));
        assert!(PIPELINES.iter().all(|pipeline| find(pipeline.name).is_none()));
    }

    #[test]
    fn named_pipelines_parse() {
        for pipeline in PIPELINES {
            assert!(Pipeline::parse(pipeline.text).is_ok(), "{}", pipeline.name);
        }
    }

    #[test]
    fn help_names_every_pass() {
        assert_eq!(help().lines().count(), PASSES.len());
    }
}
