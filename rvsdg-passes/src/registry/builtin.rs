//! The passes of this crate and the pipelines made of them.

use std::sync::Arc;

use super::{Entry, NamedPipeline};
use crate::control::{if_conversion, invariant_value_redirection, pull, push, structurize};
use crate::loops::{
    index_set_splitting, induction_variables, loop_idioms, loop_versioning, peel, step_versioning,
    theta_gamma_inversion, unroll, unroll_and_jam, vectorize,
};
use crate::memory::{allocation_removal, memory_forwarding, scalar_replacement};
use crate::module::{attributes, constant_loads, inline, interprocedural_constants, tail_recursion};
use crate::scalar::node_reduction::rule::Rules;
use crate::scalar::{common_node_elimination, dead_node_elimination, node_reduction};

/// Every pass, by name.
pub(super) fn passes() -> Vec<Entry> {
    vec![
        Entry::new("allocation-removal", "Allocation removal: memory that is allocated and freed, and at most written to, is not allocated at all.", allocation_removal::stages)
            .short("alr")
            .described_in("LLVM's isAllocSiteRemovable")
            .after("memory-forwarding", "an object whose values are forwarded is not read any more"),
        Entry::new("attributes", "Function attributes: calls of functions that surely do not unwind, loop for ever or touch memory take fewer states.", attributes::stages)
            .short("attrs")
            .described_in("LLVM's function-attrs")
            .after("node-reduction", "conditionals and loops that decide nothing hide what a function surely does not do"),
        Entry::new("common-node-elimination", "Common node elimination: what always computes the same value is computed once; conditionals that decide the same are one.", common_node_elimination::stages)
            .short("cne")
            .described_in("thesis B1.6.2, algorithm VI"),
        Entry::new("constant-loads", "Constant loads: what is loaded from a variable that never changes is known, functions in tables among it.", constant_loads::stages)
            .short("cld")
            .described_in("LLVM's ConstantFoldLoadFromConst"),
        Entry::new("dead-node-elimination", "Dead node elimination: nodes, variables of γ and θ, functions and data that nothing needs are removed.", dead_node_elimination::stages)
            .short("dne")
            .described_in("thesis B1.6.1, algorithm V")
            .with_options(
                "`dne<available_externally>`: also the definitions of this linkage go; those that are used become declarations. `dne<assumptions>`: also calls of `llvm.assume` in loops go.",
                dead_node_elimination::stages_with,
            ),
        Entry::new("if-conversion", "If-conversion: conditionals that choose between values that are cheap to compute become selects.", if_conversion::stages)
            .short("ifc")
            .described_in("Allen, Kennedy, Porterfield, Warren, POPL 1983")
            .after("memory-forwarding", "a load or store that forwarding removes no longer keeps an alternative from becoming a select"),
        Entry::new("index-set-splitting", "Index-set splitting: a loop that decides in its first iterations otherwise than in the others becomes two.", index_set_splitting::stages)
            .short("iss")
            .described_in("Wolfe, High Performance Compilers for Parallel Computing (1996), 9.2")
            .after("induction-variables", "counters that are wide do not wrap"),
        Entry::new("induction-variables", "Induction variables: as wide as they are used, sums instead of products, simple comparisons at the end.", induction_variables::stages)
            .short("ivs")
            .described_in("Bachmann, Wang and Zima, chains of recurrences (ISSAC 1994); LLVM's indvars")
            .after("theta-gamma-inversion", "only in a loop that tests last is an induction variable the same on both sides of the test"),
        Entry::new("inline", "Inlining: bodies of functions in the place of calls to them, callees first.", inline::stages)
            .short("iln")
            .described_in("thesis B1.6, function inlining")
            .with_options(
                "`iln<once>`: only what is called once or marked `alwaysinline`. `iln<threshold=225>`: also what costs no more \
                 than this, in LLVM's unit.",
                inline::stages_with,
            ),
        Entry::new("interprocedural-constants", "Interprocedural constants: parameters that are the same constant in all calls are known.", interprocedural_constants::stages)
            .short("ipc")
            .described_in("Callahan, Cooper, Kennedy, Torczon, POPL 1986")
            .after("inline", "a call that is inlined has its constants, and no longer stands against those of the other calls"),
        Entry::new("invariant-value-redirection", "Invariant value redirection: what a γ, a θ or a call gives back unchanged is taken from before it.", invariant_value_redirection::stages)
            .short("inv")
            .described_in("thesis B1.7, invariant value redirection"),
        Entry::new("loop-idioms", "Loop idioms: loops that only fill memory with a byte or copy it become calls of intrinsics.", loop_idioms::stages)
            .short("idm")
            .described_in("LLVM's loop-idiom")
            .after("induction-variables", "addresses move by known distances once indices are as wide as they"),
        Entry::new("loop-peeling", "Loop peeling: the first iterations are done before a loop that decides by what is a constant after them.", peel::stages)
            .short("lpe")
            .described_in("LLVM's loop-peel"),
        Entry::new("loop-versioning", "Loop versioning: where addresses compared before a loop show that its accesses are apart, a copy of it keeps in registers what is in memory otherwise.", loop_versioning::stages)
            .short("lvr")
            .described_in("Callahan, Carr and Kennedy, scalar replacement (PLDI 1990); LLVM's loop-versioning-licm and loop-load-elim")
            .after("memory-forwarding", "what is forwarded without comparing addresses needs no version")
            .after("push", "addresses can be compared before a loop once they are computed there")
            .after("unroll-and-jam", "the versions of an inner loop are conditionals in the outer one"),
        Entry::new("memory-forwarding", "Memory value forwarding: loads get the values that stores and loads before them left, also around loops; stores that nothing reads go.", memory_forwarding::stages)
            .short("mvf")
            .described_in("thesis B1.7, memory along state edges; Callahan, Carr and Kennedy, scalar replacement (PLDI 1990)")
            .after("scalar-replacement", "the parts of an aggregate are places of their own then"),
        reduction(Rules::builtin().clone()),
        Entry::new("pull", "Node pull-in: what only one alternative of a conditional uses is computed there.", pull::stages)
            .short("pll")
            .described_in("thesis B1.7, node pull in")
            .after("push", "what leaves a loop must not be pulled into a conditional inside of it first")
            .after("unroll", "the copies of an iteration share what is still computed before them"),
        Entry::new("push", "Node push-out: what does not change in a loop, or is in all alternatives, is computed before it.", push::stages)
            .short("psh")
            .described_in("thesis B1.7, node push out")
            .after("theta-gamma-inversion", "what the body of a loop that tests first computes may be executed in no iteration, so that loads and divisions stay"),
        Entry::new("scalar-replacement", "Scalar replacement of aggregates: objects on the stack become one for each part that is accessed as a whole.", scalar_replacement::stages)
            .short("sra")
            .described_in("LLVM's sroa"),
        Entry::new("step-versioning", "Step versioning: a copy of a loop for the case that a step that is not known before it is executed is one.", step_versioning::stages)
            .short("svr")
            .described_in("LLVM's loop-vectorize, symbolic strides")
            .after("push", "a step that is loaded is known before a loop once it is loaded there"),
        Entry::new("structurize", "Structurization: on machines that execute threads in groups, threads that parted meet before code that several of them come to.", structurize::stages)
            .short("stz")
            .described_in("thesis C1")
            .after("pull", "what it makes of predicates, other passes lead back to where these are defined"),
        Entry::new("tail-recursion", "Tail recursion: a function that ends with a call of itself is a loop; what it computes of the result is accumulated.", tail_recursion::stages)
            .short("tre")
            .described_in("LLVM's tailcallelim")
            .after("scalar-replacement", "an object whose address is kept stands in the way"),
        Entry::new("theta-gamma-inversion", "θ–γ inversion: loops that decide first decide last behind a γ; what always decides the same leaves loops.", theta_gamma_inversion::stages)
            .short("ivt")
            .described_in("thesis B1.7, θ–γ inversion")
            .after("loop-peeling", "what decides otherwise in the first iteration stands in the way of inversion"),
        Entry::new("unroll", "Loop unrolling: all iterations of short loops, several at once of innermost loops that are counted.", unroll::stages)
            .short("url")
            .described_in("thesis B1.7, loop unrolling")
            .after("induction-variables", "the strides of an induction variable are no longer seen across copies of an iteration")
            .after("vectorize", "copies of an iteration are no lanes")
            .after("memory-forwarding", "what memory carries from one iteration to the next is found in loops, not between their copies"),
        Entry::new("unroll-and-jam", "Unroll-and-jam: a loop does several iterations at once around one copy of the loops in it, in vectors or one by one.", unroll_and_jam::stages)
            .short("jam")
            .described_in("Callahan, Cocke and Kennedy, JPDC 1988; Nuzman and Zaks, outer-loop vectorization (PACT 2008)")
            .after("induction-variables", "an index that is as wide as addresses is affine without more conditions")
            .after("memory-forwarding", "what an inner loop accumulates is a variable of it then"),
        Entry::new("vectorize", "Loop vectorization: innermost counted loops do as many iterations at once as vector registers have lanes.", vectorize::stages)
            .short("vec")
            .described_in("Allen and Kennedy, TOPLAS 1987; Goff, Kennedy and Tseng, PLDI 1991; LLVM's loop-vectorize")
            .after("if-conversion", "where conditionals became selects, no copy of the loop is made without them")
            .after("induction-variables", "an index that is as wide as addresses is affine without more conditions"),
    ]
}

/// Node reduction with a table of rules.
pub(super) fn reduction(rules: Arc<Rules>) -> Entry {
    let summary = "Node reduction: constant folding and algebraic rules; conditionals and loops that decide nothing.";
    Entry::new("node-reduction", summary, move || node_reduction::stages(rules.clone()))
        .short("red")
        .described_in("thesis B1.6, node reductions")
}

/// Every named pipeline, those that levels are made of first.
pub(super) const PIPELINES: &[NamedPipeline] = &[
    NamedPipeline {
        name: "interprocedural",
        summary: "What functions know of each other, and what follows from it in each.",
        text: "ipc,cld,inv,red,cne,attrs,dne",
    },
    NamedPipeline {
        name: "memory",
        summary: "Objects on the stack become values, and loads get what is known to be in memory.",
        text: "sra,mvf,alr,red,cne,dne",
    },
    NamedPipeline {
        name: "simplify",
        summary: "What makes code smaller and faster after inlining, and needs no copies.",
        text: "interprocedural,memory",
    },
    NamedPipeline {
        name: "function-simplification",
        summary: "Makes functions small: before inlining asks what they cost, and after calls in them were inlined.",
        text: "inv,red,cne,dne,memory,ifc,red,dne",
    },
    NamedPipeline {
        name: "early",
        summary: "What comes before inlining: small functions, loops instead of tail recursion, and what calls surely do not do.",
        text: "inv,red,cne,dne,memory,cld,ifc,red,dne,tre,inv,red,dne,attrs",
    },
    NamedPipeline {
        name: "loop-invariants",
        summary: "Loops test last, and what does not change in them is computed before.",
        text: "ivt,inv,dne,psh,inv,cne,dne",
    },
    NamedPipeline {
        name: "finish",
        summary: "Values are computed where they are used, and what only inlining needed goes.",
        text: "pll,inv,stz,dne<available_externally>",
    },
    NamedPipeline { name: "default<O0>", summary: "No pass.", text: "" },
    NamedPipeline {
        name: "default<O1>",
        summary: "What is cheap and makes no copies of code but of loops' conditions.",
        text: "iln<once>,interprocedural,ivt,inv,dne,psh,cne,dne,memory,ifc,red,stz,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<O2>",
        summary: "Fast code: all passes; memory values before inlining, after it, and after loops are inverted and unrolled.",
        text: "early,iln,simplify,ifc,red,dne,lpe,red,dne,loop-invariants,mvf,dne<assumptions>,ivs,red,idm,url,inv,red,cld,cne,dne,memory,cld,ifc,red,dne,finish",
    },
    NamedPipeline {
        name: "default<O3>",
        summary: "As O2, with functions simplified from the leaves of the call graph up, and versions of loops.",
        text: "early,iln<threshold=250>(function-simplification),dne,simplify,ifc,red,dne,lpe,red,dne,loop-invariants,mvf,dne<assumptions>,ivt,red,svr,ivs,red,iss,red,jam,dne,mvf,lvr,psh,dne,idm,vec,red,dne,url,inv,red,cld,cne,dne,memory,cld,ifc,red,cne,dne,finish",
    },
    NamedPipeline {
        name: "default<Os>",
        summary: "Fast code that does not grow: loops are not unrolled, little is inlined.",
        text: "early,iln<threshold=50>,simplify,iln<once>,simplify,ifc,red,dne,loop-invariants,mvf,red,dne,ifc,red,cne,dne,finish",
    },
    NamedPipeline {
        name: "default<Oz>",
        summary: "Small code: as Os, and inlined is what makes code smaller.",
        text: "early,iln<threshold=5>,simplify,iln<once>,simplify,ifc,red,dne,inv,cne,dne,mvf,red,dne,ifc,red,cne,dne,finish",
    },
    NamedPipeline {
        name: "paper",
        summary: "The order of the thesis's evaluation (B1.9).",
        text: "iln,inv,red,dne,ivt,inv,dne,psh,inv,dne,url,inv,red,cne,dne,pll,inv,dne",
    },
];
