//! Debug information and other metadata of modules that are built, as LLVM's tools see it.

use std::process::Command;

use rvsdg_build::ModuleBuilder;
use rvsdg_core::annotations::Metadata;
use rvsdg_core::{Module, Type};
use rvsdg_passes::{Manager, Pipeline};
use rvsdg_tests::tools::{jlm_opt, output};

/// ```text
/// 1 fn square(x) {
/// 2     return x * x; }
/// 3 fn sum(n) {
/// 4     let total = 0;
/// 5     for i in 0..n {
/// 6         total = total + square(i); }
/// 7     let cell = total;
/// 8     return cell; }
/// ```
fn built() -> Module {
    let mut module = ModuleBuilder::new("sum.toy");
    let file = module.debug_file("sum.toy", "/src");
    module.debug_unit("DW_LANG_C99", file, "a test");
    let long = module.debug_basic_type("long", 64, "DW_ATE_signed");
    let counter = module.global("calls", module.int(Type::I64, 0));
    module.debug_global(counter, "calls", file, 1, long);
    let (root, weights) = (module.tbaa_root("toy"), module.branch_weights(&[90, 10]));
    let scalar = module.tbaa_type("long", root);
    let access = module.tbaa_access(scalar);
    let local = |module: &mut ModuleBuilder, scope: Metadata, name: &str, line: u32, parameter: Option<u32>| {
        module.debug_variable(scope, name, file, line, long, parameter)
    };

    let square = module.function("square", &[Type::I64], Type::I64);
    let scope = module.debug_function(square, "square", file, 1, &[Some(long), Some(long)]);
    let x = local(&mut module, scope, "x", 1, Some(0));
    let mut f = module.body(square);
    let variable = f.declare("x", Type::I64);
    f.describe(variable, x);
    f.def(variable, f.param(0));
    f.at(2, 14);
    let address = f.address(counter);
    let calls = f.load(Type::I64, address);
    f.annotate("tbaa", access);
    let one = f.int(Type::I64, 1);
    let calls = f.add(calls, one);
    f.store(calls, address);
    f.annotate("tbaa", access);
    let product = f.mul(f.param(0), f.param(0));
    f.return_(product);
    module.define(f).unwrap();

    let sum = module.function("sum", &[Type::I64], Type::I64);
    let scope = module.debug_function(sum, "sum", file, 3, &[Some(long), Some(long)]);
    let names = [("n", 3, Some(0)), ("total", 4, None), ("cell", 7, None)];
    let [n, total, cell] = names.map(|(name, line, parameter)| local(&mut module, scope, name, line, parameter));
    let inner = module.debug_scope(scope, file, 5, 5);
    let i = local(&mut module, inner, "i", 5, None);
    let mut f = module.body(sum);
    let variables = ["n", "total", "i"].map(|name| f.declare(name, Type::I64));
    for (variable, described) in variables.into_iter().zip([n, total, i]) {
        f.describe(variable, described);
    }
    let [n, total, i] = variables;
    f.at(3, 1);
    f.def(n, f.param(0));
    let slot = f.slot(Type::I64);
    f.describe_slot(slot, cell);
    f.at(4, 9);
    let zero = f.int(Type::I64, 0);
    f.def(total, zero);
    f.at(5, 5);
    f.annotate_branch("prof", weights);
    let counter = f.for_(zero, f.param(0));
    f.set_scope(inner);
    f.def(i, counter);
    f.at(6, 25);
    let squared = f.call(square, &[counter]);
    f.at(6, 23);
    let before = f.use_(total);
    let after = f.add(before, squared);
    f.def(total, after);
    f.end();
    f.set_scope(scope);
    f.at(7, 9);
    let total = f.use_(total);
    f.store(total, slot);
    f.at(8, 5);
    let result = f.load(Type::I64, slot);
    f.return_(result);
    module.define(f).unwrap();
    module.finish().unwrap()
}

/// The text of a module, and what DWARF its object file has.
fn dwarf(module: &Module) -> (String, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let [text, object] = ["sum.ll", "sum.o"].map(|name| folder.path().join(name));
    let written = rvsdg_emit::emit(module).unwrap();
    std::fs::write(&text, &written).unwrap();
    // Debug information that is malformed is dropped with a warning.
    let (_, said) =
        output(jlm_opt().arg(&text).args(["--emit=obj", "-mtriple=x86_64-unknown-linux-gnu", "-o"]).arg(&object))
            .unwrap();
    assert_eq!(said, "", "{written}");
    let dump = |what: &str| output(Command::new("llvm-dwarfdump-22").arg(what).arg(&object)).unwrap().0;
    (written, dump("--debug-line"), dump("--debug-info"))
}

/// The variables that have a location.
fn located(info: &str) -> Vec<&str> {
    let entries =
        info.split("\n\n").filter(|entry| entry.contains("DW_TAG_variable") || entry.contains("DW_TAG_formal"));
    let mut names: Vec<&str> = entries
        .filter(|entry| entry.contains("DW_AT_location"))
        .filter_map(|entry| entry.split("DW_AT_name\t(\"").nth(1)?.split('"').next())
        .collect();
    names.sort_unstable();
    names
}

fn has_line(lines: &str, line: u32) -> bool {
    let rows = lines.lines().filter(|row| row.starts_with("0x"));
    rows.filter_map(|row| row.split_whitespace().nth(1)).any(|number| number == line.to_string())
}

#[test]
fn functions_have_line_tables_and_variables() {
    let (text, lines, info) = dwarf(&built());
    for line in [2, 5, 6, 7, 8] {
        assert!(has_line(&lines, line), "line {line}\n{text}\n{lines}");
    }
    assert_eq!(located(&info), ["calls", "cell", "i", "n", "total", "x"], "{text}\n{info}");
    assert_eq!(text.matches("!tbaa").count(), 2, "{text}");
    assert_eq!(text.matches("!prof").count(), 1, "{text}");
}

#[test]
fn optimized_functions_have_line_tables() {
    let mut module = built();
    Manager { verify_each: true, ..Manager::default() }
        .run(&mut module, &Pipeline::parse("default<O2>").unwrap())
        .unwrap();
    let (text, lines, info) = dwarf(&module);
    assert!(has_line(&lines, 2) && has_line(&lines, 6), "{text}\n{lines}");
    assert!(info.contains("DW_TAG_inlined_subroutine"), "{text}\n{info}");
    assert!(text.contains("inlinedAt: "), "{text}");
}
