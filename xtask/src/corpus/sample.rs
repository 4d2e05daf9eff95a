//! The part of the corpora that CI runs: every language, kind of variant and configuration occurs; what takes long does not.

use super::configs::Config;
use super::programs::{Program, Variant};

/// Variants and configurations of a program that are part of the sample.
const SAMPLE: &[(&str, &[&str], &[&str])] = &[
    (
        "c",
        &["O0", "O1", "O2-g"],
        &["none-pcfr", "none-scfr", "O3-pcfr", "O3-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("cxx", &["O1"], &["none-pcfr", "paper-scfr", "text"]),
    ("rust", &["O3"], &["none-pcfr", "paper-scfr", "text"]),
    ("ptx", &["O0", "O2-g"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "then-O2", "text", "strip"]),
    ("windows", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("windows-seh", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("wasm", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("snappy", &["O1"], &["none-pcfr", "O3-pcfr"]),
    ("clipper", &["O1"], &["paper-scfr"]),
    (
        "zlib",
        &["O0", "O2-g"],
        &["none-pcfr", "none-scfr", "O3-pcfr", "O3-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("lua", &["O1"], &["none-pcfr", "text"]),
    ("lua-switch", &["O0-g"], &["none-pcfr", "O3-scfr", "text", "strip"]),
    ("zstd", &["O1"], &["O3-pcfr"]),
    ("sqlite", &["O0"], &["none-pcfr", "O3-scfr", "text", "threads"]),
];

/// Whether a combination is part of the sample.
pub fn contains(program: &Program, variant: &Variant, config: Option<&Config>) -> bool {
    SAMPLE.iter().any(|(name, variants, configs)| {
        *name == program.name && variants.contains(&variant.name) && config.is_none_or(|c| configs.contains(&c.name))
    })
}
