//! Every construct of LLVM IR: what becomes of it, as a table.
//!
//! `constructs/<construct>.ll` holds a small valid module for each; its first line, a comment, says what the construct is.
//! None may be changed without a pass, each stays valid with passes, and `docs/constructs.md` says which bodies go through
//! the graph. `RVSDG_BLESS=1 cargo test -p rvsdg-tests --test constructs` writes that table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::normalize::normalize;
use rvsdg_tests::tools::{jlm_opt, output};

const LEAST: usize = 70;

const HEAD: &str = "# Constructs of LLVM IR

Written by `cargo test -p rvsdg-tests --test constructs` with `RVSDG_BLESS=1`; the test fails if this is not what `jlm-opt` does.

A body with the construct either *goes through* the graph or *passes through* unchanged, with a remark that names the reason. Nothing
is lost in either case; the modules are in `tests/tests/constructs`.

";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The modules, in order of their names.
fn modules() -> Vec<PathBuf> {
    let folder = root().join("tests/constructs");
    let entries = std::fs::read_dir(folder).expect("the folder of modules is readable");
    let mut modules: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder of modules is readable").path()).collect();
    modules.retain(|path| path.extension().is_some_and(|end| end == "ll"));
    modules.sort();
    modules
}

fn through_graph(module: &Path, options: &[&str]) -> Result<(String, String), String> {
    output(jlm_opt().arg("-S").args(options).arg(module))
}

/// Checks every module, and names all that fail.
fn check(check: impl Fn(&Path) -> Result<(), String>) {
    let failures: Vec<String> = modules()
        .iter()
        .filter_map(|module| check(module).err().map(|error| format!("{}:\n{error}", module.display())))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether LLVM's verifier takes what `jlm-opt` makes of every module with these options.
fn is_valid(options: &[&str]) {
    check(|module| {
        let file = tempfile::Builder::new().suffix(".ll").tempfile().map_err(|error| error.to_string())?;
        std::fs::write(file.path(), through_graph(module, options)?.0).map_err(|error| error.to_string())?;
        let (_, said) = output(Command::new("opt-22").args(["-passes=verify", "-disable-output"]).arg(file.path()))?;
        // Debug information that is wrong is dropped with a warning.
        if said.is_empty() { Ok(()) } else { Err(said) }
    });
}

#[test]
fn nothing_is_lost() {
    check(|module| {
        let (expected, _) = output(Command::new("opt-22").args(["-S", "-passes=verify"]).arg(module))?;
        let (actual, _) = through_graph(module, &["-verify-each"])?;
        match normalize(&expected).differences(&normalize(&actual)) {
            None => Ok(()),
            Some(differences) => Err(format!("what was expected (-) and what came out (+):\n{differences}")),
        }
    });
}

#[test]
fn passes_leave_every_construct_valid() {
    is_valid(&["-passes=dne,cne,dne", "-verify-each"]);
}

#[test]
fn structured_control_flow_leaves_every_construct_valid() {
    is_valid(&["-passes=dne,cne,dne", "-control-flow=scfr", "-verify-each"]);
}

/// The row of a module: what it shows, whether its bodies go through, and what keeps the others out.
fn row(module: &Path) -> Result<String, String> {
    let name = module.file_stem().and_then(|name| name.to_str()).ok_or("the name is not text")?;
    let text = std::fs::read_to_string(module).map_err(|error| error.to_string())?;
    let title = text.lines().next().and_then(|line| line.strip_prefix("; ")).ok_or("the first line is no comment")?;
    let bodies = text.lines().filter(|line| line.starts_with("define ")).count();
    let (_, remarks) = through_graph(module, &["-disable-output"])?;
    let (mut untouched, mut reasons) = (0, BTreeSet::new());
    for remark in remarks.lines() {
        let reason = remark.split_once("passes through untouched: ").ok_or_else(|| format!("unexpected: {remark}"))?.1;
        untouched += 1;
        reasons.insert(reason);
    }
    let path = match untouched {
        0 if bodies == 0 => "no body",
        0 => "goes through",
        _ if untouched == bodies => "**passes through**",
        _ => "**in part**",
    };
    let reasons: Vec<&str> = reasons.into_iter().collect();
    let link = format!("[{name}](../tests/tests/constructs/{name}.ll)");
    Ok(format!("| {link} | {title} | {path} | {} |\n", reasons.join(", ")))
}

#[test]
fn the_table_is_current() {
    let modules = modules();
    assert!(modules.len() >= LEAST, "{} constructs are too few", modules.len());
    let rows: Vec<String> = modules
        .iter()
        .map(|module| row(module).unwrap_or_else(|error| panic!("{}: {error}", module.display())))
        .collect();
    let through = rows.iter().filter(|row| !row.contains("**")).count();
    let table = format!(
        "{HEAD}{through} of {} go through entirely.\n\n| module | construct | body | reason |\n|---|---|---|---|\n{}",
        rows.len(),
        rows.concat()
    );
    let path = root().parent().expect("the tests lie in the workspace").join("docs/constructs.md");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &table).expect("the table is writable");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == table, "docs/constructs.md is stale (-):\n{}", rvsdg_tests::difference(&written, &table));
}

/// Calls, by the start of the callee's name: without states, with `mem`, with `mem` and `io`.
const EFFECTS: &str = "
declare i32 @none(i32) memory(none) nounwind willreturn
declare i32 @none_progress(i32) memory(none) nounwind mustprogress
declare i32 @mem_reads(i32) memory(read) nounwind willreturn
declare i32 @mem_argument(i32) memory(argmem: readwrite) nounwind willreturn
declare i32 @mem_writes(i32) memory(write, inaccessiblemem: none) nounwind willreturn
declare i32 @io_throws(i32) memory(none) willreturn
declare i32 @io_endless(i32) memory(none) nounwind
declare i32 @io_inaccessible(i32) memory(inaccessiblemem: readwrite) nounwind willreturn
declare i32 @io_writes_progress(i32) memory(write) nounwind mustprogress
declare i32 @io_converges(i32) memory(none) nounwind willreturn convergent
declare i32 @none_by_call(i32)
declare i32 @none_with_nounwind(i32) memory(none) willreturn
define void @f(i32 %a) {
  call i32 @none(i32 %a)
  call i32 @none_progress(i32 %a)
  call i32 @mem_reads(i32 %a)
  call i32 @mem_argument(i32 %a)
  call i32 @mem_writes(i32 %a)
  call i32 @io_throws(i32 %a)
  call i32 @io_endless(i32 %a)
  call i32 @io_inaccessible(i32 %a)
  call i32 @io_writes_progress(i32 %a)
  call i32 @io_converges(i32 %a)
  call i32 @none_by_call(i32 %a) memory(none) nounwind willreturn
  call i32 @none_with_nounwind(i32 %a) nounwind
  ret void
}
";

#[test]
fn effects_of_calls_follow_from_attributes() {
    let file = tempfile::Builder::new().suffix(".ll").tempfile().expect("a temporary file can be made");
    std::fs::write(file.path(), EFFECTS).expect("it is writable");
    let (text, _) = through_graph(file.path(), &["-emit=rvsdg"]).unwrap_or_else(|error| panic!("{error}"));
    let mut calls = 0;
    for line in text.lines().filter(|line| line.contains("= call ")) {
        calls += 1;
        let name = line.split_once('@').expect("callees have names").1;
        let (mem, io) = (name.starts_with("mem"), name.starts_with("io"));
        assert_eq!((line.contains(", mem"), line.contains(", io")), (mem || io, io), "{line}");
    }
    assert_eq!(calls, 12, "{text}");
}
