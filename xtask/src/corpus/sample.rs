//! The part of the corpora that CI runs: every program, variant kind and configuration occurs, the long combinations do not.

use super::configs::Config;
use super::programs::{Program, Variant};

/// Variants and configurations of a program that are part of the sample.
const SAMPLE: &[(&str, &[&str], &[&str])] = &[
    (
        "c",
        &["O0", "O1", "O2-g"],
        &["none-pcfr", "none-scfr", "dne-pcfr", "dne-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("cxx", &["O1"], &["none-pcfr", "scalar-scfr", "text"]),
    ("rust", &["O3"], &["none-pcfr", "scalar-scfr", "text"]),
    ("ptx", &["O0", "O2-g"], &["none-pcfr", "none-scfr", "scalar-pcfr", "scalar-scfr", "then-O2", "text", "strip"]),
    ("snappy", &["O1"], &["none-pcfr", "scalar-pcfr"]),
    ("clipper", &["O1"], &["scalar-scfr"]),
    (
        "zlib",
        &["O0", "O2-g"],
        &["none-pcfr", "none-scfr", "dne-pcfr", "dne-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("lua", &["O1"], &["none-pcfr", "text"]),
    ("lua-switch", &["O0-g"], &["none-pcfr", "dne-scfr", "text", "strip"]),
    ("zstd", &["O1"], &["dne-pcfr"]),
    ("sqlite", &["O0"], &["none-pcfr", "dne-scfr", "text", "threads"]),
];

/// Whether a combination is part of the sample.
pub fn contains(program: &Program, variant: &Variant, config: Option<&Config>) -> bool {
    SAMPLE.iter().any(|(name, variants, configs)| {
        *name == program.name && variants.contains(&variant.name) && config.is_none_or(|c| configs.contains(&c.name))
    })
}
