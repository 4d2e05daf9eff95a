//! Which conditions count: those on which it rests that programs keep what they do.

/// Files whose conditions are made wrong, by the pass that rests on them: files, and folders with all that is in them.
pub const PASSES: &[(&str, &[&str])] = &[
    ("ads", &["rvsdg-analysis/src/address_space.rs", "rvsdg-passes/src/memory/address_spaces.rs"]),
    ("alr", &["rvsdg-analysis/src/allocation.rs", "rvsdg-passes/src/memory/allocation_removal.rs"]),
    ("attrs", &["rvsdg-analysis/src/function/", "rvsdg-passes/src/module/attributes.rs"]),
    ("cld", &["rvsdg-analysis/src/constant_memory.rs", "rvsdg-passes/src/module/constant_loads.rs"]),
    ("destruct", &["rvsdg-cfg/src/destruct/"]),
    (
        "glv",
        &[
            "rvsdg-analysis/src/owners.rs",
            "rvsdg-analysis/src/variable_uses.rs",
            "rvsdg-passes/src/module/global_variables.rs",
        ],
    ),
    ("idm", &["rvsdg-passes/src/loops/loop_idioms.rs", "rvsdg-passes/src/loops/loop_idioms/"]),
    ("ifc", &["rvsdg-passes/src/control/if_conversion.rs", "rvsdg-passes/src/control/if_conversion/"]),
    ("iln", &["rvsdg-passes/src/module/inline.rs", "rvsdg-passes/src/module/inline/"]),
    (
        "ipc",
        &["rvsdg-passes/src/module/interprocedural_constants.rs", "rvsdg-passes/src/module/interprocedural_constants/"],
    ),
    (
        "ivs",
        &[
            "rvsdg-passes/src/loops/induction_variables.rs",
            "rvsdg-passes/src/loops/induction_variables/",
            "rvsdg-passes/src/loops/finals.rs",
            "rvsdg-passes/src/loops/trips.rs",
        ],
    ),
    ("ivt", &["rvsdg-passes/src/loops/theta_gamma_inversion.rs", "rvsdg-passes/src/loops/theta_gamma_inversion/"]),
    ("jam", &["rvsdg-passes/src/loops/unroll_and_jam.rs", "rvsdg-passes/src/loops/unroll_and_jam/"]),
    (
        "lib",
        &[
            "rvsdg-analysis/src/library.rs",
            "rvsdg-passes/src/module/attributes/",
            "rvsdg-passes/src/module/library_calls.rs",
            "rvsdg-passes/src/module/library_calls/",
        ],
    ),
    ("lmg", &["rvsdg-passes/src/loops/loop_merging.rs", "rvsdg-passes/src/loops/loop_merging/"]),
    ("lpe", &["rvsdg-passes/src/loops/peel.rs", "rvsdg-passes/src/loops/copies.rs"]),
    ("lut", &["rvsdg-passes/src/module/lookup_tables.rs", "rvsdg-passes/src/module/lookup_tables/"]),
    // What versions rest on is beside what forwarding rests on.
    (
        "lvr",
        &[
            "rvsdg-passes/src/loops/loop_versioning.rs",
            "rvsdg-passes/src/memory/memory_forwarding/versions.rs",
            "rvsdg-passes/src/memory/memory_forwarding/versions/",
        ],
    ),
    (
        "mvf",
        &[
            "rvsdg-analysis/src/memory.rs",
            "rvsdg-analysis/src/memory/",
            "rvsdg-analysis/src/numbering.rs",
            "rvsdg-passes/src/memory/memory_forwarding.rs",
            "rvsdg-passes/src/memory/memory_forwarding/",
        ],
    ),
    ("pll", &["rvsdg-passes/src/control/pull.rs", "rvsdg-passes/src/control/pull/"]),
    ("psh", &["rvsdg-passes/src/control/push.rs", "rvsdg-passes/src/control/push/"]),
    // Folding is the core's; there is nothing of it that reduction does not do.
    (
        "red",
        &[
            "rvsdg-analysis/src/integers/",
            "rvsdg-passes/src/scalar/node_reduction.rs",
            "rvsdg-passes/src/scalar/node_reduction/",
            "rvsdg-core/src/fold.rs",
            "rvsdg-core/src/fold/",
        ],
    ),
    ("slp", &["rvsdg-passes/src/memory/superword.rs", "rvsdg-passes/src/memory/superword/"]),
    ("sra", &["rvsdg-passes/src/memory/scalar_replacement.rs", "rvsdg-passes/src/memory/scalar_replacement/"]),
    ("tre", &["rvsdg-passes/src/module/tail_recursion.rs", "rvsdg-passes/src/module/tail_recursion/"]),
    ("url", &["rvsdg-passes/src/loops/unroll.rs", "rvsdg-passes/src/loops/unroll/"]),
    (
        "vec",
        &[
            "rvsdg-analysis/src/dependence.rs",
            "rvsdg-analysis/src/dependence/",
            "rvsdg-passes/src/loops/vectorize.rs",
            "rvsdg-passes/src/loops/vectorize/",
        ],
    ),
    ("shared", &["rvsdg-analysis/src/"]),
];

/// Files and functions that are left out, each with the reason. `function` is the beginning of a function's name, or empty.
pub struct Excluded {
    pub file: &'static str,
    pub function: &'static str,
    pub reason: &'static str,
}

/// What is left out.
pub const EXCLUDED: &[Excluded] = &[
    Excluded { file: "rvsdg-analysis/src/target.rs", function: "Target::parts", reason: "what an operation costs" },
    Excluded { file: "rvsdg-analysis/src/target.rs", function: "Target::cost", reason: "what an operation costs" },
    Excluded {
        file: "rvsdg-analysis/src/target.rs",
        function: "Target::conversion",
        reason: "what an operation costs",
    },
    Excluded {
        file: "rvsdg-analysis/src/target.rs",
        function: "Target::access_cost",
        reason: "what an operation costs",
    },
    Excluded {
        file: "rvsdg-analysis/src/target.rs",
        function: "Target::intrinsic_cost",
        reason: "what an operation costs",
    },
    Excluded {
        file: "rvsdg-passes/src/control/if_conversion/cost.rs",
        function: "",
        reason: "what a speculated operation costs",
    },
    Excluded {
        file: "rvsdg-passes/src/control/if_conversion/convert.rs",
        function: "is_division",
        reason: "part of a deliberate fault, which is never there without its feature",
    },
    Excluded {
        file: "rvsdg-passes/src/loops/unroll/worth.rs",
        function: "",
        reason: "whether unrolling is likely to pay",
    },
    Excluded {
        file: "rvsdg-passes/src/loops/unroll_and_jam/cost.rs",
        function: "Costs",
        reason: "what an iteration costs",
    },
    Excluded { file: "rvsdg-passes/src/memory/superword/cost.rs", function: "", reason: "what a tree costs" },
    Excluded { file: "rvsdg-passes/src/loops/vectorize/cost.rs", function: "Costs", reason: "what an iteration costs" },
    Excluded {
        file: "rvsdg-passes/src/loops/vectorize/cost.rs",
        function: "Limits::forwards",
        reason: "whether loads would have to wait for stores",
    },
    Excluded { file: "rvsdg-passes/src/module/inline/decline.rs", function: "", reason: "names of reasons" },
    Excluded {
        file: "rvsdg-passes/src/module/inline/plan.rs",
        function: "pays",
        reason: "whether inlining is likely to pay",
    },
    Excluded { file: "rvsdg-passes/src/module/inline/summary.rs", function: "cost", reason: "what a body costs" },
    Excluded {
        file: "rvsdg-passes/src/module/inline/specialize.rs",
        function: "specialized",
        reason: "what a body costs",
    },
    Excluded { file: "rvsdg-passes/src/module/inline/specialize.rs", function: "Known", reason: "what a body costs" },
    Excluded {
        file: "rvsdg-passes/src/module/inline/pass.rs",
        function: "Run::remark",
        reason: "what is said of a call",
    },
    Excluded {
        file: "rvsdg-passes/src/scalar/node_reduction/rule.rs",
        function: "",
        reason: "texts that prove rules, which no pass reads",
    },
];

/// Constants that bound what is tried, and nothing else. A condition that names one is left out: with another bound programs
/// do the same, and less or more is optimized.
pub const LIMITS: &[&str] = &[
    "ATTEMPTS",
    "FEW",
    "FREE_GROWTH",
    "MAX_ACCESSES",
    "MAX_ADDRESS",
    "MAX_ALTERNATIVES",
    "MAX_AT_FIRST",
    "MAX_BEFORE",
    "MAX_BYTES",
    "MAX_CALLER_NODES",
    "MAX_CALLS",
    "MAX_CASES",
    "MAX_CHAIN",
    "MAX_CHECKS",
    "MAX_CHOICES",
    "MAX_CONDITIONAL",
    "MAX_COPIED",
    "MAX_COPIES",
    "MAX_DEPTH",
    "MAX_EXTENDED",
    "MAX_FACTOR",
    "MAX_FACTS",
    "MAX_FRAME",
    "MAX_FULL",
    "MAX_GROWTH",
    "MAX_ITERATIONS",
    "MAX_LANES",
    "MAX_LARGE",
    "MAX_LEAVES",
    "MAX_LEVELS",
    "MAX_LOOKED_AT",
    "MAX_LOOKS",
    "MAX_NESTED",
    "MAX_NESTING",
    "MAX_OPERATIONS",
    "MAX_OTHERS",
    "MAX_PAIRS",
    "MAX_PARTIAL",
    "MAX_PARTS",
    "MAX_PIECES",
    "MAX_PLACES",
    "MAX_RECURSIVE_FRAME",
    "MAX_REDUCED",
    "MAX_REDUCING",
    "MAX_REUSED",
    "MAX_ROUNDS",
    "MAX_SIZE",
    "MAX_SPECULATED",
    "MAX_STEPS",
    "MAX_SWEEPS",
    "MAX_USES",
    "MAX_VALUES",
    "MIN_SIZE",
];

/// Calls that ask the manager whether this rewrite may still be done: bisection, which tests of the manager are about.
const BISECTION: &[&str] = &[".rewrite(", ".allows_rewrite(", ".applies(", ".applies_to_variable("];

/// The function that asks for a deliberate fault, which is never there without its feature.
pub const SEEDED: &str = "is_active";

/// Functions whose first argument must hold, and the file they are in.
pub const CHECKS: &[(&str, &str)] = &[("rvsdg-passes/src/module/inline/plan.rs", "check")];

/// Methods that count what was done, or tell it.
pub const SAYING: &[&str] = &["count", "remark"];

/// Methods that note something.
pub const NOTING: &[&str] = &["add", "clear", "extend", "insert", "push"];

/// What they note it in, where to forget it is the mistake.
pub const FACTS: &[&str] = &["apart", "around", "escaped", "others", "read", "reads", "writes", "written"];

/// Whether a condition does not count.
pub fn is_excluded(file: &str, function: &str, condition: &str) -> bool {
    let listed = |entry: &Excluded| entry.file == file && is_within(function, entry.function);
    EXCLUDED.iter().any(listed) || names_limit(condition) || BISECTION.iter().any(|call| condition.contains(call))
}

/// Whether a condition names a constant that bounds what is tried.
pub fn names_limit(condition: &str) -> bool {
    condition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| LIMITS.contains(&word))
}

/// Whether a function is the named one or in it.
fn is_within(function: &str, name: &str) -> bool {
    name.is_empty() || function.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The pass whose condition it is, by its file: of several the one that names it most exactly.
pub fn pass_of(file: &str) -> Option<&'static str> {
    let named = PASSES.iter().flat_map(|&(pass, places)| places.iter().map(move |&place| (pass, place)));
    let fitting = named.filter(|(_, place)| file == *place || place.ends_with('/') && file.starts_with(place));
    fitting.max_by_key(|(_, place)| place.len()).map(|(pass, _)| pass)
}

/// Whether a file only holds tests.
pub fn is_test(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}
