//! Debug records and metadata of instructions that passes move or make others of stay where they are.

use std::process::Command;

use rvsdg_tests::tools::{jlm_opt, output};

const BRANCH: &str = r#"
define i32 @f(i32 %x, i1 %c) !dbg !3 {
  %y = add i32 %x, 7, !dbg !6
    #dbg_value(i32 %x, !7, !DIExpression(), !6)
  %z = mul i32 %y, %y, !dbg !6
  br i1 %c, label %then, label %end, !dbg !6
then:
  br label %end, !dbg !6
end:
  %r = phi i32 [ %z, %then ], [ 0, %0 ]
  ret i32 %r, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !8)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocation(line: 2, scope: !3)
!7 = !DILocalVariable(name: "x", scope: !3, file: !1, line: 1, type: !9)
!8 = !{!7}
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"#;

/// What the optimizer makes of a module.
fn optimized(module: &str, passes: &str) -> String {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("input.ll");
    std::fs::write(&input, module).expect("the file can be written");
    output(jlm_opt().arg(format!("-passes={passes}")).arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0
}

/// The record before an instruction that moves into an alternative stays before the branch.
#[test]
fn a_record_before_what_is_pulled_in() {
    let text = optimized(BRANCH, "pll,dne");
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing in {text}"));
    assert!(at("#dbg_value(i32 %x") < at("br i1") && at("br i1") < at("mul i32"), "{text}");
}

const INVOKE: &str = r#"
declare i32 @g(i32)
declare i32 @personality(...)
define internal i32 @callee(i32 %n) !dbg !3 {
  %a = tail call i32 @g(i32 %n), !dbg !6, !range !10
    #dbg_value(i32 %n, !7, !DIExpression(), !6)
  %b = call i32 @g(i32 %a), !dbg !6
    #dbg_value(i32 %b, !7, !DIExpression(), !6)
  %r = add i32 %a, %b, !dbg !6
  ret i32 %r, !dbg !6
}
define i32 @caller(i32 %n) personality ptr @personality !dbg !11 {
  %r = invoke i32 @callee(i32 %n) to label %ok unwind label %pad, !dbg !12
ok:
  ret i32 %r, !dbg !12
pad:
  %l = landingpad { ptr, i32 } cleanup, !dbg !12
  resume { ptr, i32 } %l, !dbg !12
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "callee", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !8)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocation(line: 2, scope: !3)
!7 = !DILocalVariable(name: "x", scope: !3, file: !1, line: 1, type: !9)
!8 = !{!7}
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = !{i32 0, i32 10}
!11 = distinct !DISubprogram(name: "caller", scope: !1, file: !1, line: 5, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 6, scope: !11)
"#;

/// Calls that become invokes where their function is inlined keep name, location, metadata and records.
#[test]
fn what_is_attached_to_a_call_that_becomes_an_invoke() {
    let text = optimized(INVOKE, "iln,dne");
    let order = ["%a = invoke", "!range", "#dbg_value(i32 %n", "%b = invoke", "#dbg_value(i32 %b", "inlinedAt"];
    let places: Vec<_> = order.iter().map(|what| text.find(what)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
    assert_eq!(text.matches(" = landingpad").count(), 1, "{text}");
}

const PUTS: &str = r"
typedef struct { int live; unsigned bits; unsigned char *out; int len; } Stream;
static void put(Stream *s, int n, unsigned v) {
  while (s->live >= 8) { s->out[s->len++] = s->bits >> 24; s->bits <<= 8; s->live -= 8; }
  s->bits |= v << (32 - s->live - n);
  s->live += n;
}
static void byte(Stream *s, unsigned char c) { put(s, 8, c); }
void bytes(Stream *s) { byte(s, 97); byte(s, 98); byte(s, 99); byte(s, 100); }
";

/// What a function's parameters are that does nothing before it calls another is said where its code begins, also where it follows on
/// others that were inlined.
#[test]
fn parameters_of_inlined_functions_that_only_call_others() {
    let folder = tempfile::tempdir().expect("there is room for a file");
    std::fs::write(folder.path().join("p.c"), PUTS).expect("the file can be written");
    let mut clang = Command::new("clang-22");
    clang.args(["-g", "-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "p.c"]).current_dir(&folder);
    output(&mut clang).expect("it is compiled");
    let mut optimize = jlm_opt();
    let text = output(optimize.args(["-O2", "p.bc", "-S", "-o", "-"]).current_dir(&folder)).expect("it is optimized").0;
    let at = |c: u32| text.find(&format!("#dbg_value(i8 {c}")).unwrap_or_else(|| panic!("{c} is missing in {text}"));
    for c in 97..100 {
        assert!(
            at(c) < at(c + 1) && text[at(c)..at(c + 1)].contains(" store "),
            "{c} and {} are together: {text}",
            c + 1
        );
    }
}
