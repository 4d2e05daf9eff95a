//! LLVM IR through the graph and back: nothing may be lost.
//!
//! The modules in `roundtrip/` hold one of each flag, attribute, kind of metadata, debug record, linkage and so on. What
//! `jlm-opt` makes of them without a pass may differ from what LLVM prints only in what
//! [`normalize`](rvsdg_tests::normalize) makes canonical.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::normalize::{normalize, without_metadata};
use rvsdg_tests::tools::{jlm_opt, output};

/// The functions whose bodies do not go through the graph: module, function, and the construct that keeps them out.
const UNTOUCHED: &[(&str, &str, &str)] = &[];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("roundtrip")
}

/// The modules, in order.
fn modules() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of modules is readable");
    let paths = entries.map(|entry| entry.expect("the folder of modules is readable").path());
    let mut modules: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "ll")).collect();
    modules.sort();
    assert!(!modules.is_empty());
    modules
}

fn name(module: &Path) -> &str {
    module.file_stem().and_then(|name| name.to_str()).expect("modules have plain names")
}

/// The module as LLVM prints it.
fn as_llvm_prints(module: &Path) -> String {
    output(Command::new("opt-22").args(["-S", "-passes=verify"]).arg(module))
        .unwrap_or_else(|error| panic!("{error}"))
        .0
}

/// What `jlm-opt` prints for the module, and its remarks.
fn through_graph(module: &Path, options: &[&str]) -> Result<(String, String), String> {
    output(jlm_opt().arg("-S").args(options).arg(module))
}

/// How the module `actual` differs from what was expected.
fn difference(expected: &str, actual: &str) -> Result<(), String> {
    match normalize(expected).differences(&normalize(actual)) {
        None => Ok(()),
        Some(differences) => Err(format!("what was expected (-) and what came out (+):\n{differences}")),
    }
}

/// Writes text to a file of its own.
fn temporary(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".ll").tempfile().expect("a temporary file can be made");
    std::fs::write(file.path(), text).expect("it is writable");
    file
}

/// Runs LLVM's verifier on a module.
fn accepted_by_llvm(module: &Path) -> Result<(), String> {
    let (_, said) = output(Command::new("opt-22").args(["-passes=verify", "-disable-output"]).arg(module))?;
    // Debug information that is wrong is dropped with a warning.
    if said.is_empty() { Ok(()) } else { Err(said) }
}

/// The module without debug information.
fn stripped(module: &Path) -> Result<String, String> {
    Ok(output(Command::new("opt-22").args(["-S", "-passes=verify", "-strip-debug"]).arg(module))?.0)
}

/// Checks every module, and names all that fail.
fn check(check: impl Fn(&Path) -> Result<(), String>) {
    let failures: Vec<String> = modules()
        .iter()
        .filter_map(|module| check(module).err().map(|error| format!("{}:\n{error}", module.display())))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether what `jlm-opt` makes of every module with these options is valid.
fn is_valid(options: &[&str]) {
    check(|module| accepted_by_llvm(temporary(&through_graph(module, options)?.0).path()));
}

#[test]
fn modules_are_valid() {
    check(accepted_by_llvm);
}

#[test]
fn every_module_comes_back() {
    check(|module| difference(&as_llvm_prints(module), &through_graph(module, &[])?.0));
}

/// The names of a module's values, each behind its function's header, and those of its labels; numbers are no names.
fn names(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut values, mut labels) = (BTreeSet::new(), BTreeSet::new());
    let mut function = "";
    for line in text.lines() {
        let is_name = |name: &&str| !name.starts_with(|first: char| first.is_ascii_digit());
        if line.starts_with("define ") {
            function = line.split_once('(').map_or(line, |(start, _)| start);
        } else if let Some((name, _)) = line.strip_prefix("  %").and_then(|line| line.split_once(" = ")) {
            values.extend(Some(name).filter(is_name).map(|name| format!("{function}: %{name}")));
        } else if let Some((name, _)) = line.split_once(':').filter(|_| !line.starts_with([' ', '!', ';'])) {
            labels.extend(Some(name).filter(is_name).map(|name| format!("{function}: {name}")));
        }
    }
    (values, labels)
}

#[test]
fn names_stay() {
    check(|module| {
        let (values, labels) = names(&as_llvm_prints(module));
        let (values_after, labels_after) = names(&through_graph(module, &[])?.0);
        let changed: Vec<&String> =
            values.symmetric_difference(&values_after).chain(labels_after.difference(&labels)).collect();
        if changed.is_empty() { Ok(()) } else { Err(format!("{changed:#?}")) }
    });
}

#[test]
fn bitcode_comes_back_as_text_does() {
    let assemble = |from: &Path, to: &Path, program: &str| output(Command::new(program).arg(from).arg("-o").arg(to));
    check(|module| {
        // LLVM 22 does not read the bitcode that it writes for this attribute.
        let text = as_llvm_prints(module).replace(" hybrid_patchable ", " cold ");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.ll"), text).expect("it is writable");
        assemble(&path("in.ll"), &path("in.bc"), "llvm-as-22")?;
        output(jlm_opt().arg(path("in.bc")).arg("-o").arg(path("out.bc")))?;
        assemble(&path("out.bc"), &path("out.ll"), "llvm-dis-22")?;
        difference(&through_graph(&path("in.ll"), &[])?.0, &as_llvm_prints(&path("out.ll")))
    });
}

/// What the graph does not hold: blocks without instructions, phis of one value, branches with one target.
#[test]
fn needless_things_do_not_come_back() {
    let simplified = folder().join("simplified");
    let (actual, _) = through_graph(&simplified.join("before.ll"), &[]).unwrap_or_else(|error| panic!("{error}"));
    let expected = as_llvm_prints(&simplified.join("after.ll"));
    difference(&expected, &actual).unwrap_or_else(|error| panic!("{error}"));
}

/// Functions that do not come back from the graph alone, beside the untouched ones, and why.
const CARRIED: &[(&str, &str, &str)] = &[
    ("calls", "scopes", "declarations of alias scopes are metadata"),
    ("constants", "takes_labels", "blockaddress"),
    ("control", "switch_of_bits", "a switch of one bit is a branch"),
    ("debug", "records_in_empty_blocks", "blocks without instructions"),
    ("flags", "fast_math_phi", "flags of phis"),
    ("metadata", "alias_scopes", "declarations of alias scopes are metadata"),
    ("metadata", "metadata_arguments", "distinct metadata as an argument"),
];

/// Written from the graph alone, a module lacks its metadata and nothing else, and is valid when the graph went through
/// text.
#[test]
fn from_scratch_only_metadata_is_missing() {
    check(|module| {
        let name = name(module);
        let others = UNTOUCHED.iter().chain(CARRIED).filter(|&&(module, _, _)| module == name);
        let functions: Vec<String> = others.map(|(_, function, _)| format!("-func={function}")).collect();
        let mut extract = Command::new(if functions.is_empty() { "opt-22" } else { "llvm-extract-22" });
        extract.arg("-S").arg(if functions.is_empty() { "-passes=verify" } else { "-delete" });
        extract.args(functions).arg(module);
        let plain = temporary(&output(&mut extract)?.0);
        let expected = without_metadata(&as_llvm_prints(plain.path()));
        let (direct, _) = through_graph(plain.path(), &["-from-scratch"])?;
        difference(&expected, &without_metadata(&direct)).map_err(|error| format!("from scratch: {error}"))?;
        let (text, _) = through_graph(plain.path(), &["-emit=rvsdg"])?;
        // What tells LLVM's instructions apart where the graph does not is not in the text.
        let (through_text, _) = through_graph(temporary(&text).path(), &[])?;
        accepted_by_llvm(temporary(&through_text).path()).map_err(|error| format!("through text: {error}"))
    });
}

/// Debug information is never a reason for other code: stripping it before gives what stripping it after gives.
#[test]
fn debug_information_changes_no_code() {
    for options in [&[][..], &["-control-flow=scfr"], &["-passes=dne,cne,dne"]] {
        check(|module| {
            let before = through_graph(temporary(&stripped(module)?).path(), options)?.0;
            let after = stripped(temporary(&through_graph(module, options)?.0).path())?;
            difference(&before, &after).map_err(|error| format!("with {options:?}, stripped before and after: {error}"))
        });
    }
}

/// The same bytes, also where the order does not matter to LLVM.
#[test]
fn output_does_not_depend_on_threads() {
    check(|module| {
        let one = through_graph(module, &["-threads=1"])?.0;
        let equal = one == through_graph(module, &["-threads=2"])?.0;
        if equal { Ok(()) } else { Err("the output differs".to_owned()) }
    });
}

#[test]
fn structured_control_flow_is_valid() {
    is_valid(&["-control-flow=scfr", "-verify-each"]);
}

#[test]
fn passes_leave_every_module_valid() {
    is_valid(&["-passes=dne,cne,dne", "-verify-each"]);
}

#[test]
fn passes_leave_every_module_valid_with_structured_control_flow() {
    is_valid(&["-passes=dne,cne,dne", "-control-flow=scfr"]);
}

#[test]
fn inverted_loops_are_valid() {
    is_valid(&["-invert-loops", "-verify-each"]);
}

#[test]
fn untouched_bodies_are_known() {
    let mut untouched = Vec::new();
    for module in modules() {
        let (_, remarks) = through_graph(&module, &["-disable-output"]).unwrap_or_else(|error| panic!("{error}"));
        for remark in remarks.lines() {
            let rest = remark.split_once("function '").map(|(_, rest)| rest);
            let parts = rest.and_then(|rest| rest.split_once("' passes through untouched: "));
            let (function, construct) = parts.unwrap_or_else(|| panic!("unexpected: {remark}"));
            untouched.push((name(&module).to_owned(), function.to_owned(), construct.to_owned()));
        }
    }
    untouched.sort();
    let untouched: Vec<(&str, &str, &str)> = untouched.iter().map(|(m, f, c)| (&**m, &**f, &**c)).collect();
    let lines = |list: &[(&str, &str, &str)]| list.iter().map(|entry| format!("    {entry:?},\n")).collect::<String>();
    let (expected, actual) = (lines(UNTOUCHED), lines(&untouched));
    assert!(expected == actual, "expected (-) and actual (+):\n{}", rvsdg_tests::difference(&expected, &actual));
}
