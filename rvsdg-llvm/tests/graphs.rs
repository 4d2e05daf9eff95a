//! Bodies that go through graphs: every module of `tests/modules` is valid afterwards, and what is attached to
//! instructions follows them.

mod common;

use std::path::Path;

use common::{lines, through_graphs};
use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::{NodeKind, Op};
use rvsdg_llvm::{Format, LlvmModule};

#[test]
fn every_module_stays_valid() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    for entry in std::fs::read_dir(dir).unwrap() {
        let source = std::fs::read(entry.unwrap().path()).unwrap();
        through_graphs(&source, Recovery::Structured, |_| ());
        through_graphs(&source, Recovery::Predicative, |_| ());
    }
}

#[test]
fn instructions_keep_flags_and_attachments() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    for name in ["attributes.ll", "symbols.ll", "metadata.ll", "instructions.ll"] {
        let source = std::fs::read(dir.join(name)).unwrap();
        let (mut module, _) = LlvmModule::parse(&source, "module").unwrap();
        let before = lines(&String::from_utf8(module.write(Format::Text)).unwrap());
        let after = lines(&through_graphs(&source, Recovery::Predicative, |_| ()));
        for (line, count) in before {
            // The entries of a phi depend on the blocks without instructions that a recovered graph does not have.
            if !line.contains("= phi ") {
                assert_eq!(after.get(&line), Some(&count), "{name}: {line}");
            }
        }
    }
}

#[test]
fn loads_promise_what_their_metadata_does() {
    let source = b"
        define i1 @f(ptr %p) {
          %a = load volatile ptr, ptr %p, !nonnull !0
          %b = load ptr, ptr %a, !noundef !0
          %c = icmp eq ptr %a, %b
          ret i1 %c
        }
        !0 = !{}
    ";
    let text = through_graphs(source, Recovery::Predicative, |graph| {
        let accesses = graph.all_nodes().filter_map(|node| match graph.op(node) {
            Some(Op::Load(access)) => Some((access.volatile, access.nonnull)),
            _ => None,
        });
        assert_eq!(accesses.collect::<Vec<_>>(), [(true, true), (false, false)]);
    });
    assert!(text.contains("load volatile ptr, ptr %p, align 8, !nonnull"), "{text}");
}

#[test]
fn a_merged_operation_keeps_what_both_promise() {
    let source = b"
        define i32 @f(i32 %x) {
          %a = call i32 @pure(i32 %x), !range !0
          %b = call i32 @pure(i32 %x), !range !1
          %c = add i32 %a, %b
          ret i32 %c
        }
        declare i32 @pure(i32) speculatable nounwind willreturn memory(none)
        !0 = !{i32 0, i32 10}
        !1 = !{i32 5, i32 20}
    ";
    let text = through_graphs(source, Recovery::Predicative, |graph| {
        let calls: Vec<_> =
            graph.all_nodes().filter(|&node| matches!(graph.kind(node), NodeKind::Simple(Op::Call(_)))).collect();
        graph.merge_into(calls[1], calls[0]);
        graph.remove(calls[1]);
    });
    assert_eq!(text.matches("call i32 @pure").count(), 1, "{text}");
    assert!(text.contains("!{i32 0, i32 20}"), "{text}");
}

#[test]
fn removing_an_operation_keeps_debug_records() {
    let source = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules/debug.ll")).unwrap();
    let text = through_graphs(&source, Recovery::Structured, |_| ());
    for record in ["#dbg_assign(", "#dbg_label(", "#dbg_declare(", "#dbg_declare_value(", "!DIArgList("] {
        assert!(text.contains(record), "{record} is lost:\n{text}");
    }
}
