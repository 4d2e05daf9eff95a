//! What users run leaves every module valid, whatever is in it: all levels and the papers' pipeline, over the modules of round trip and
//! constructs and those of export's tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::tools::{jlm_opt, output};

const FOLDERS: &[&str] = &["roundtrip", "tests/constructs", "../rvsdg-llvm/tests/modules"];

/// The modules, in order.
fn modules() -> Vec<PathBuf> {
    let mut modules = Vec::new();
    for folder in FOLDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let paths = entries.map(|entry| entry.expect("the folder is readable").path());
        modules.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "ll")));
    }
    modules.sort();
    assert!(modules.len() >= 80, "{}", modules.len());
    modules
}

/// Whether LLVM takes what comes out.
fn check(module: &Path, options: &[&str]) -> Result<(), String> {
    let file = tempfile::Builder::new().suffix(".ll").tempfile().map_err(|error| error.to_string())?;
    output(jlm_opt().arg("-S").args(options).arg(module).arg("-o").arg(file.path()))?;
    let (_, said) = output(Command::new("opt-22").args(["-passes=verify", "-disable-output"]).arg(file.path()))?;
    // Debug information that is wrong is dropped with a warning.
    if said.is_empty() { Ok(()) } else { Err(said) }
}

#[track_caller]
fn leaves_every_module_valid(options: &[&str]) {
    let modules = modules();
    let failures: Vec<String> = modules
        .iter()
        .filter_map(|module| check(module, options).err().map(|error| format!("{}:\n{error}", module.display())))
        .collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), modules.len(), failures.join("\n"));
}

#[test]
fn o1() {
    leaves_every_module_valid(&["-O1"]);
}

#[test]
fn o2() {
    leaves_every_module_valid(&["-O2"]);
}

#[test]
fn o3() {
    leaves_every_module_valid(&["-O3"]);
}

#[test]
fn os() {
    leaves_every_module_valid(&["-Os"]);
}

#[test]
fn oz() {
    leaves_every_module_valid(&["-Oz"]);
}

#[test]
fn paper() {
    leaves_every_module_valid(&["-passes=paper"]);
}

#[test]
fn o3_with_structured_control_flow() {
    leaves_every_module_valid(&["-O3", "-control-flow=scfr"]);
}
