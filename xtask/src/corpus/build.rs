//! Compiles the C files of the corpora to LLVM bitcode under `target/corpus/ir/<program>/<variant>/<file>.bc`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::Result;

use super::programs::{Program, Variant};
use super::sources::{self, Located, Unit};
use crate::tools;

/// A program in one variant, with its bitcode on disk.
pub struct Built {
    /// The program.
    pub program: &'static Program,
    /// The variant.
    pub variant: &'static Variant,
    /// Its C files.
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
/// A package cannot be fetched or a C file cannot be compiled.
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

/// Compiles one C file, unless the key beside the bitcode says that it came from the same commands and source.
fn compile(built: &Built, unit: &Unit, bitcode: &Path) -> Result<()> {
    let mut clang = Command::new("clang-22");
    clang.args(built.variant.flags).args(built.program.flags).args(["-w", "-emit-llvm", "-c"]);
    for include in &built.located.includes {
        clang.arg("-I").arg(include);
    }
    clang.arg(&unit.source).arg("-o");
    let commands = format!("{}{} mem2reg={}\n", version()?, tools::shown(&clang), built.variant.mem2reg);
    let key = tools::hash(&[commands.as_bytes(), &tools::read(&unit.source)?]);
    tools::cached(bitcode, &key, || {
        let beside = bitcode.with_extension("new");
        tools::output(clang.arg(&beside))?;
        if built.variant.mem2reg {
            tools::output(Command::new("opt-22").arg("-passes=mem2reg").arg(&beside).arg("-o").arg(&beside))?;
        }
        Ok(std::fs::rename(&beside, bitcode)?)
    })
}

/// What clang says about itself: other versions make other bitcode.
fn version() -> Result<&'static str> {
    static VERSION: OnceLock<String> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(version);
    }
    let said = String::from_utf8_lossy(&tools::output(Command::new("clang-22").arg("--version"))?).into_owned();
    Ok(VERSION.get_or_init(|| said))
}
