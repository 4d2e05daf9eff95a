//! The passes of this crate and the pipelines made of them.

use std::sync::Arc;

use super::{Entry, NamedPipeline};
use crate::control::{if_conversion, invariant_value_redirection, pull, push, structurize};
use crate::loops::{
    index_set_splitting, induction_variables, loop_idioms, loop_merging, loop_versioning, peel, step_versioning,
    theta_gamma_inversion, unroll, unroll_and_jam, vectorize,
};
use crate::memory::{address_spaces, allocation_removal, memory_forwarding, scalar_replacement, superword};
use crate::module::{
    attributes, constant_loads, global_variables, inline, interprocedural_constants, lookup_tables, tail_recursion,
};
use crate::scalar::node_reduction::rule::Rules;
use crate::scalar::{common_node_elimination, dead_node_elimination, node_reduction};

/// Every pass, by name.
pub(super) fn passes() -> Vec<Entry> {
    vec![
        Entry::new("address-spaces", "Address-space inference: on GPUs, accesses through generic pointers that lead into one address space become accesses through pointers of that address space.", address_spaces::stages)
            .short("ads")
            .described_in("LLVM's InferAddressSpaces")
            .after("memory-forwarding", "a pointer that is loaded from the stack may lead anywhere"),
        Entry::new("allocation-removal", "Allocation removal: pairs of allocation and deallocation whose memory is never read are removed.", allocation_removal::stages)
            .short("alr")
            .described_in("LLVM's isAllocSiteRemovable")
            .after("memory-forwarding", "forwarding removes the loads of an object"),
        Entry::new("attributes", "Function attribute inference: effects, unwinding and termination of functions, so that calls of them take fewer states.", attributes::stages)
            .short("attrs")
            .described_in("LLVM's function-attrs")
            .after("node-reduction", "conditionals and loops that decide nothing hide which effects a function cannot have"),
        Entry::new("common-node-elimination", "Common node elimination (global value numbering): equal values are computed once; conditionals with equal predicates are merged.", common_node_elimination::stages)
            .short("cne")
            .described_in("thesis B1.6.2, algorithm VI"),
        Entry::new("constant-loads", "Constant loads: loads from constant memory are folded, including function pointers in tables (devirtualization).", constant_loads::stages)
            .short("cld")
            .described_in("LLVM's ConstantFoldLoadFromConst"),
        Entry::new("dead-node-elimination", "Dead node elimination: removes nodes, variables of γ and θ, functions and data that nothing uses.", dead_node_elimination::stages)
            .short("dne")
            .described_in("thesis B1.6.1, algorithm V")
            .with_options(
                "`dne<available_externally>`: also removes definitions with this linkage; those that are used become declarations. `dne<assumptions>`: also removes calls of `llvm.assume` in loops.",
                dead_node_elimination::stages_with,
            ),
        Entry::new("global-variables", "Global variable optimization: variables that only this module can reach are constant if nothing writes them; stores to those that nothing reads are removed.", global_variables::stages)
            .short("glv")
            .described_in("LLVM's globalopt"),
        Entry::new("if-conversion", "If-conversion: conditionals that choose between cheap values become selects; includes jump threading and tail merging.", if_conversion::stages)
            .short("ifc")
            .described_in("Allen, Kennedy, Porterfield, Warren, POPL 1983")
            .after("memory-forwarding", "a load or store in an alternative prevents if-conversion until forwarding removes it"),
        Entry::new("index-set-splitting", "Index-set splitting: a loop in which a condition on the counter changes its value once becomes two loops.", index_set_splitting::stages)
            .short("iss")
            .described_in("Wolfe, High Performance Compilers for Parallel Computing (1996), 9.2")
            .after("induction-variables", "widened counters do not wrap"),
        Entry::new("induction-variables", "Induction variable simplification: widening, strength reduction, linear exit tests, final values.", induction_variables::stages)
            .short("ivs")
            .with_options(
                "`ivs<exits>`: only linear exit tests, also of trip counts that are not known. Last, as passes for loops ask which of two numbers is less.",
                induction_variables::stages_with,
            )
            .described_in("Bachmann, Wang and Zima, chains of recurrences (ISSAC 1994); LLVM's indvars")
            .after("theta-gamma-inversion", "only in a tail-controlled loop has an induction variable the same value on both sides of the test"),
        Entry::new("inline", "Inlining: replaces calls by the bodies of their callees, bottom-up on the call graph.", inline::stages)
            .short("iln")
            .described_in("thesis B1.6, function inlining")
            .with_options(
                "`iln<once>`: only functions that are called once or are `alwaysinline`. `iln<threshold=225>`: also functions \
                 that cost at most this, in LLVM's unit. `iln<threshold=250;hot=525>`: more if the call is in nested loops.",
                inline::stages_with,
            ),
        Entry::new("interprocedural-constants", "Interprocedural constant propagation: a parameter that is the same constant in all calls becomes that constant.", interprocedural_constants::stages)
            .short("ipc")
            .described_in("Callahan, Cooper, Kennedy, Torczon, POPL 1986"),
        Entry::new("invariant-value-redirection", "Invariant value redirection: users of a value that a γ, a θ or a call returns unchanged take it from before that node.", invariant_value_redirection::stages)
            .short("inv")
            .described_in("thesis B1.7, invariant value redirection"),
        Entry::new("library-functions", "Library functions: what functions of the C library promise, by their names, so that calls of them take fewer states; calls that something cheaper computes, such as powers, copies of constant strings and output without formatting, are replaced.", attributes::library::stages)
            .short("lib")
            .described_in("LLVM's inferattrs and SimplifyLibCalls"),
        Entry::new("lookup-tables", "Lookup tables: conditionals that only choose among constants, by an integer, become arithmetic on it or loads from a constant array.", lookup_tables::stages)
            .short("lut")
            .described_in("LLVM's simplifySwitchLookup")
            .after("if-conversion", "what a conditional computes after it is one value, and alternatives are merged"),
        Entry::new("loop-idioms", "Loop idioms: loops that only fill or copy memory become `llvm.memset`, `llvm.memcpy` or `llvm.memmove`.", loop_idioms::stages)
            .short("idm")
            .described_in("LLVM's loop-idiom")
            .after("induction-variables", "addresses advance by known distances once indices are as wide as addresses"),
        Entry::new("loop-merging", "Loop merging: on machines that execute threads in groups, a loop whose inner loop the threads repeat differently often becomes one loop with it; in no level.", loop_merging::stages)
            .short("lmg")
            .described_in("Han and Abdelrahman, GPGPU 2013; thesis C1.7")
            .after("theta-gamma-inversion", "nests of tail-controlled loops are merged"),
        Entry::new("loop-peeling", "Loop peeling: executes the first iterations before a loop if its decisions depend on variables that are constant after them.", peel::stages)
            .short("lpe")
            .described_in("LLVM's loop-peel"),
        Entry::new("loop-versioning", "Loop versioning: a copy of a loop, chosen by address comparisons before it, whose accesses do not overlap, so that memory becomes registers there.", loop_versioning::stages)
            .short("lvr")
            .described_in("Callahan, Carr and Kennedy, scalar replacement (PLDI 1990); LLVM's loop-versioning-licm and loop-load-elim")
            .after("memory-forwarding", "accesses that are forwarded without address comparisons need no version")
            .after("push", "addresses can be compared before a loop once their computation is hoisted")
            .after("unroll-and-jam", "the versions of an inner loop are a conditional in the outer loop, which hides the nest"),
        Entry::new("memory-forwarding", "Memory forwarding: store-to-load and load-to-load forwarding, also around loops; dead-store elimination.", memory_forwarding::stages)
            .short("mvf")
            .described_in("thesis B1.7, memory along state edges; Callahan, Carr and Kennedy, scalar replacement (PLDI 1990)")
            .after("scalar-replacement", "the parts of an aggregate are separate objects then"),
        reduction(Rules::builtin().clone()),
        Entry::new("pull", "Node pull-in (sinking): moves nodes that only one alternative of a conditional uses into that alternative.", pull::stages)
            .short("pll")
            .described_in("thesis B1.7, node pull in")
            .after("push", "a node that can leave a loop must not be sunk into a conditional inside it first")
            .after("unroll", "unrolled iterations share values that are computed before the loop"),
        Entry::new("push", "Node push-out: loop-invariant code motion, and hoisting of nodes that all alternatives of a conditional have.", push::stages)
            .short("psh")
            .described_in("thesis B1.7, node push out")
            .after("theta-gamma-inversion", "the body of a head-controlled loop may execute zero times, so loads and divisions cannot leave it"),
        Entry::new("scalar-replacement", "Scalar replacement of aggregates: splits stack objects into the parts that are accessed as a whole.", scalar_replacement::stages)
            .short("sra")
            .described_in("LLVM's sroa"),
        Entry::new("step-versioning", "Step versioning: a copy of a loop for the case that a step unknown at compile time is one.", step_versioning::stages)
            .short("svr")
            .described_in("LLVM's loop-vectorize, symbolic strides")
            .after("push", "a loaded step can be tested before the loop once the load is hoisted"),
        Entry::new("structurize", "Structurization: on machines that execute threads in groups, divergent threads reconverge before code that several paths reach.", structurize::stages)
            .short("stz")
            .described_in("thesis C1")
            .after("pull", "other passes would undo it by threading predicates back to their definitions"),
        Entry::new("superword-parallelism", "Superword-level parallelism: equal operations on neighbouring elements in straight-line code become operations on vectors.", superword::stages)
            .short("slp")
            .described_in("Larsen and Amarasinghe, PLDI 2000; LLVM's slp-vectorizer")
            .after("unroll", "unrolled iterations are straight-line code")
            .after("vectorize", "loops are not vectorized once their bodies contain vectors"),
        Entry::new("tail-recursion", "Tail recursion elimination: a function that ends with a call of itself becomes a loop, with accumulators for operations on the result.", tail_recursion::stages)
            .short("tre")
            .described_in("LLVM's tailcallelim")
            .after("scalar-replacement", "stack objects whose address escapes prevent it"),
        Entry::new("theta-gamma-inversion", "θ–γ inversion (loop rotation): head-controlled loops become tail-controlled loops inside a γ; loop unswitching.", theta_gamma_inversion::stages)
            .short("ivt")
            .described_in("thesis B1.7, θ–γ inversion")
            .after("loop-peeling", "decisions that differ only in the first iteration prevent inversion"),
        Entry::new("unroll", "Loop unrolling: full for short loops, partial for counted innermost loops.", unroll::stages)
            .short("url")
            .described_in("thesis B1.7, loop unrolling")
            .with_options(
                "`url<again>`: only innermost loops, fully, and fewer iterations: those whose number is known since loops around them were unrolled.",
                unroll::stages_with,
            )
            .after("induction-variables", "induction variables are not recognized across copies of an iteration")
            .after("vectorize", "unrolled iterations are not vectorized")
            .after("memory-forwarding", "loop-carried values in memory are found in loops, not between unrolled iterations"),
        Entry::new("unroll-and-jam", "Unroll-and-jam: an outer loop executes several iterations around one copy of its inner loops, as vectors (outer-loop vectorization) or one by one.", unroll_and_jam::stages)
            .short("jam")
            .described_in("Callahan, Cocke and Kennedy, JPDC 1988; Nuzman and Zaks, outer-loop vectorization (PACT 2008)")
            .after("induction-variables", "an index as wide as addresses is affine without further conditions")
            .after("memory-forwarding", "accumulators of an inner loop are loop variables then"),
        Entry::new("vectorize", "Loop vectorization: innermost counted loops execute as many iterations at once as vector registers have lanes.", vectorize::stages)
            .short("vec")
            .described_in("Allen and Kennedy, TOPLAS 1987; Goff, Kennedy and Tseng, PLDI 1991; LLVM's loop-vectorize")
            .after("if-conversion", "a loop whose conditionals became selects need not be copied to flatten them")
            .after("induction-variables", "an index as wide as addresses is affine without further conditions"),
    ]
}

/// Node reduction with a table of rules.
pub(super) fn reduction(rules: Arc<Rules>) -> Entry {
    let summary = "Node reduction: constant folding and algebraic simplification; removes conditionals and loops whose predicate is known.";
    Entry::new("node-reduction", summary, move || node_reduction::stages(rules.clone()))
        .short("red")
        .described_in("thesis B1.6, node reductions")
}

/// Every named pipeline, those that levels are made of first.
pub(super) const PIPELINES: &[NamedPipeline] = &[
    NamedPipeline {
        name: "interprocedural",
        summary: "Interprocedural facts, and their consequences in each function.",
        text: "ipc,glv,cld,inv,red,cne,lib,attrs,dne",
    },
    NamedPipeline {
        name: "memory",
        summary: "Stack objects become values, and loads are forwarded.",
        text: "sra,mvf,alr,inv,red,cne,dne",
    },
    NamedPipeline {
        name: "simplify",
        summary: "Makes code smaller and faster after inlining, without copying code.",
        text: "interprocedural,memory",
    },
    NamedPipeline {
        name: "function-simplification",
        summary: "Simplifies functions before inlining estimates their cost, and after calls in them were inlined.",
        text: "inv,red,cne,dne,memory,mvf,ifc,red,dne",
    },
    NamedPipeline {
        name: "early",
        summary: "Runs before inlining: simplification, tail recursion elimination, attribute inference.",
        text: "lib,inv,red,cne,dne,memory,ipc,glv,cld,ifc,red,dne,tre,inv,red,dne,attrs",
    },
    NamedPipeline {
        name: "loop-invariants",
        summary: "Loop rotation and loop-invariant code motion.",
        text: "ivt,inv,dne,psh,inv,cne,dne",
    },
    NamedPipeline {
        name: "finish",
        summary: "Sinks values to their uses, structurizes, and removes definitions that were kept only for inlining.",
        text: "pll,inv,stz,dne<available_externally>",
    },
    NamedPipeline { name: "default<O0>", summary: "No pass.", text: "" },
    NamedPipeline {
        name: "default<O1>",
        summary: "Cheap passes that copy no code except loop conditions.",
        text: "lib,iln<once>,interprocedural,ivt,inv,dne,psh,cne,dne,memory,ifc,lut,red,stz,dne<available_externally>",
    },
    NamedPipeline {
        name: "default<O2>",
        summary: "Fast code. Memory is forwarded before inlining, after it, and after loop rotation and unrolling.",
        text: "early,iln,simplify,ads,ifc,red,dne,lpe,red,dne,loop-invariants,mvf,dne<assumptions>,ivs,red,idm,url,inv,red,url<again>,inv,red,cld,cne,dne,memory,cld,ifc,lut,red,dne,ivs<exits>,finish",
    },
    NamedPipeline {
        name: "default<O3>",
        summary: "O2, with bottom-up simplification during inlining, loop versioning, index-set splitting, unroll-and-jam and vectorization of loops and straight-line code.",
        text: "early,iln<threshold=250;hot=525>(function-simplification),dne,simplify,ads,ifc,red,dne,lpe,red,dne,loop-invariants,mvf,dne<assumptions>,ivt,red,svr,ivs,red,iss,red,idm,jam,dne,mvf,lvr,psh,dne,idm,vec,red,dne,url,inv,red,url<again>,inv,red,cld,cne,dne,memory,cld,ifc,lut,red,cne,dne,slp,dne,ivs<exits>,finish",
    },
    NamedPipeline {
        name: "default<Os>",
        summary: "Fast code that does not grow: no unrolling, little inlining.",
        text: "early,iln<threshold=50>,simplify,iln<once>,simplify,ifc,red,dne,loop-invariants,mvf,red,dne,ifc,lut,red,cne,dne,finish",
    },
    NamedPipeline {
        name: "default<Oz>",
        summary: "Small code: Os without loop rotation and loop-invariant code motion, inlining only tiny callees.",
        text: "early,iln<threshold=5>,simplify,iln<once>,simplify,ifc,red,dne,inv,cne,dne,mvf,red,dne,ifc,lut,red,cne,dne,finish",
    },
    NamedPipeline {
        name: "paper",
        summary: "The order of the thesis's evaluation (B1.9).",
        text: "iln,inv,red,dne,ivt,inv,dne,psh,inv,dne,url,inv,red,cne,dne,pll,inv,dne",
    },
];
