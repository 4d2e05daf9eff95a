//! What export builds when there is no original, and what it clones when there is one but not for everything.

mod common;

use std::path::{Path, PathBuf};

use common::{exported, lines, through_graphs};
use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::graph::Copier;
use rvsdg_core::op::{BinaryFlags, IntBinary};
use rvsdg_core::{Op, Type};
use rvsdg_llvm::{Format, LlvmModule};

/// Every module that tests have, by path.
fn modules() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/modules", "../tests/roundtrip", "../tests/tests/constructs"];
    let mut modules: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .collect();
    modules.sort();
    modules
}

/// A module's lines without what only original instructions have: metadata, and flags of phis.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("#dbg_") && !line.contains(" = phi ")) {
        // Attachments stand behind everything else; metadata that is an argument stands inside parentheses.
        let mut line = line;
        while let Some((rest, last)) = line.rsplit_once(", !")
            && !last.contains(')')
            && last.contains(" !")
        {
            line = rest;
        }
        plain.push_str(line);
        plain.push('\n');
    }
    plain
}

/// What is not built anew as it was: a switch of one bit is a branch, and declarations of alias scopes are nothing without
/// the metadata that uses them.
fn is_expected(line: &str) -> bool {
    let branches = ["]", "i1 true, label", "switch i1 , label  [", "br i1 , label , label"];
    line.contains("noalias.scope.decl") || branches.iter().any(|&start| line.starts_with(start))
}

/// The one call of the modules that cannot be built: its argument is metadata that stands for itself only.
const DISTINCT: &str = "metadata: function 'metadata_arguments': cannot be written as LLVM IR: a call with metadata that has no text, \
     without an original instruction";

#[test]
fn every_operation_and_constant_is_built_anew() {
    let mut failures = Vec::new();
    for path in modules() {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = std::fs::read(&path).unwrap();
        let Ok((mut original, _)) = LlvmModule::parse(&source, &name) else { continue };
        let print = |module: &mut LlvmModule| lines(&plain(&String::from_utf8(module.write(Format::Text)).unwrap()));
        let before = print(&mut original);
        let mut rebuilt = match exported(&source, Recovery::Predicative, false, |_| ()) {
            Ok(rebuilt) => rebuilt,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        if let Err(error) = rebuilt.verify() {
            failures.push(format!("{name}: {error}"));
            continue;
        }
        let after = print(&mut rebuilt);
        for (line, count) in before.iter().filter(|(line, _)| !is_expected(line)) {
            if after.get(line) != Some(count) {
                failures.push(format!("{name}: {line}: {count} before, {:?} after", after.get(line)));
            }
        }
        for line in after.keys().filter(|line| !before.contains_key(*line) && !is_expected(line)) {
            failures.push(format!("{name}: {line}: new"));
        }
    }
    assert_eq!(failures, [DISTINCT]);
}

const COPIED: &[u8] = b"
    define i32 @f(ptr %p, i32 %x) !dbg !4 {
      %a = load i32, ptr %p, align 2, !dbg !6, !range !7, !noalias !8, !alias.scope !8
      %b = call i32 @pure(i32 signext %x) #0, !dbg !6, !range !7
      %c = add nsw i32 %a, %b, !dbg !6
      ret i32 %c, !dbg !6
    }
    declare i32 @pure(i32) speculatable nounwind willreturn memory(none)
    attributes #0 = { cold }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2}
    !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: \"f.c\", directory: \"/\")
    !2 = !{i32 2, !\"Debug Info Version\", i32 3}
    !3 = !DISubroutineType(types: !{null})
    !4 = distinct !DISubprogram(name: \"f\", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
    !6 = !DILocation(line: 2, column: 3, scope: !4)
    !7 = !{i32 0, i32 10}
    !8 = !{!9}
    !9 = distinct !{!9, !10}
    !10 = distinct !{!10}
";

/// Nodes that are copied are copies of their instruction, with all that is attached to it but what is about one execution.
#[test]
fn copies_are_clones() {
    let text = through_graphs(COPIED, Recovery::Predicative, |graph| {
        let root = graph.root();
        let snapshot = graph.clone();
        let mut copier = Copier::new();
        for &argument in snapshot.arguments(root) {
            copier.substitute(argument, argument);
        }
        copier.copy_nodes(&snapshot, root, graph, root);
        // The sum of the copy is returned times the sum of the original.
        let sum = snapshot.result(root, 0);
        let copy = copier.get(sum).unwrap();
        let mul = Op::IntBinary { op: IntBinary::Mul, flags: BinaryFlags::NONE };
        let product = graph.add_simple(root, mul, &[sum, copy], &[Type::I32]);
        let result = graph.results(root)[0];
        graph.divert(result, graph.output(product, 0));
    });
    assert_eq!(text.matches("load i32, ptr %p, align 2, !dbg !6, !range !7").count(), 2, "{text}");
    assert_eq!(text.matches("!alias.scope").count(), 1, "{text}");
    assert_eq!(text.matches("call i32 @pure(i32 signext %x) #1, !dbg !6, !range !7").count(), 2, "{text}");
    assert_eq!(text.matches("add nsw i32").count(), 2, "{text}");
    assert_eq!(text.matches("mul i32").count(), 1, "{text}");
}
