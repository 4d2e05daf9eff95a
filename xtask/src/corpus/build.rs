//! Compiles the sources of the corpora to LLVM bitcode under `target/corpus/ir/<program>/<variant>/<file>.bc`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::programs::{Program, Variant};
use super::sources::{self, Located, Unit};
use crate::tools;

/// A program in one variant, with its bitcode on disk.
pub struct Built {
    /// The program.
    pub program: &'static Program,
    /// The variant.
    pub variant: &'static Variant,
    /// Its sources.
    pub located: Located,
    /// The bitcode of each unit, in the units' order.
    pub bitcode: Vec<PathBuf>,
}

/// Where everything of the corpora is kept.
pub fn folder() -> PathBuf {
    tools::root().join("target/corpus")
}

/// Makes the bitcode of every given program in its variant, and leaves alone what is up to date.
///
/// # Errors
/// A package cannot be fetched or a source cannot be compiled.
pub fn build(pairs: &[(&'static Program, &'static Variant)], jobs: usize) -> Result<Vec<Built>> {
    let mut all = Vec::new();
    for &(program, variant) in pairs {
        let located = sources::locate(program)?;
        let base = folder().join("ir").join(program.name).join(variant.name);
        let bitcode = located.units.iter().map(|unit| base.join(format!("{}.bc", unit.name))).collect();
        all.push(Built { program, variant, located, bitcode });
    }
    let mut tasks: Vec<(&Built, usize)> =
        all.iter().flat_map(|built| (0..built.bitcode.len()).map(move |unit| (built, unit))).collect();
    // The longest first, so that no thread is left alone with it at the end.
    let size =
        |(built, unit): &(&Built, usize)| std::fs::metadata(&built.located.units[*unit].source).map_or(0, |m| m.len());
    tasks.sort_by_key(|task| std::cmp::Reverse(size(task)));
    let results = tools::parallel(jobs, &tasks, |(built, unit)| {
        compile(built, &built.located.units[*unit], &built.bitcode[*unit])
    });
    results.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(all)
}

/// Compiles one source, unless the key beside the bitcode says that it came from the same commands and source.
fn compile(built: &Built, unit: &Unit, bitcode: &Path) -> Result<()> {
    let (program, language) = (built.program, built.program.language);
    let beside = bitcode.with_extension("new");
    let mut compiler = language
        .compile(built.variant, program.flags, &built.located.includes, &unit.source, &beside)
        .with_context(|| format!("cannot compile {}", program.name))?;
    let commands = format!("{}{} mem2reg={}\n", language.version()?, tools::shown(&compiler), built.variant.mem2reg);
    let key = tools::hash(&[commands.as_bytes(), &tools::read(&unit.source)?]);
    tools::cached(bitcode, &key, || {
        tools::output(&mut compiler)?;
        if built.variant.mem2reg {
            tools::output(Command::new("opt-22").arg("-passes=mem2reg").arg(&beside).arg("-o").arg(&beside))?;
        }
        Ok(std::fs::rename(&beside, bitcode)?)
    })
}
