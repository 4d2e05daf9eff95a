//! The part of the corpora that CI runs: it contains every language, kind of variant and configuration, but nothing that takes long.

use super::configs::Config;
use super::programs::{Program, Variant};

/// Variants and configurations of a program that are part of the sample.
const SAMPLE: &[(&str, &[&str], &[&str])] = &[
    (
        "c",
        &["O0", "O1", "O2-g"],
        &["none-pcfr", "none-scfr", "O3-pcfr", "O3-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("c", &["O0"], &["O1-pcfr", "O2-scfr", "Os-scfr", "Oz-pcfr", "paper-pcfr", "inlined"]),
    ("cxx", &["O1"], &["none-pcfr", "paper-scfr", "Os-pcfr", "text"]),
    ("rust", &["O3"], &["none-pcfr", "paper-scfr", "O2-pcfr", "text"]),
    ("ptx", &["O0", "O2-g"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "then-O2", "text", "strip"]),
    ("windows", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("windows-seh", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("wasm", &["O0", "O1"], &["none-pcfr", "none-scfr", "O3-pcfr", "paper-scfr", "text"]),
    ("snappy", &["O1"], &["none-pcfr", "O1-scfr", "O3-pcfr", "Oz-pcfr"]),
    ("clipper", &["O1"], &["paper-scfr", "Os-pcfr"]),
    (
        "zlib",
        &["O0", "O2-g"],
        &["none-pcfr", "none-scfr", "O3-pcfr", "O3-scfr", "inverted", "then-O2", "text", "threads", "strip"],
    ),
    ("zlib", &["O0"], &["O1-scfr", "Os-pcfr", "Oz-scfr"]),
    ("lua", &["O1"], &["none-pcfr", "O2-pcfr", "text"]),
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

#[cfg(test)]
mod tests {
    use super::super::configs::{CONFIGS, HARNESS};
    use super::SAMPLE;

    #[test]
    fn every_configuration_occurs() {
        let occurs = |name: &str| SAMPLE.iter().any(|(_, _, configs)| configs.contains(&name));
        let names = CONFIGS.iter().map(|config| config.name).filter(|name| *name != HARNESS);
        let missing: Vec<&str> = names.filter(|name| !occurs(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let known = |name: &&str| CONFIGS.iter().any(|config| config.name == *name);
        assert!(SAMPLE.iter().all(|(_, _, configs)| configs.iter().all(known)));
    }
}
