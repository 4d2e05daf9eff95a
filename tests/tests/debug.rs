//! Debug records of instructions that passes move stay where they are.

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

/// The record before an instruction that moves into an alternative stays before the branch.
#[test]
fn a_record_before_what_is_pulled_in() {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("branch.ll");
    std::fs::write(&input, BRANCH).expect("the file can be written");
    let text = output(jlm_opt().arg("-passes=pll,dne").arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0;
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing in {text}"));
    assert!(at("#dbg_value(i32 %x") < at("br i1") && at("br i1") < at("mul i32"), "{text}");
}
