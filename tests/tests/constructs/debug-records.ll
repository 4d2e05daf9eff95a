; Debug records and locations
define i32 @f(i32 %a, i32 %n) !dbg !5 {
entry:
    #dbg_value(i32 %a, !9, !DIExpression(), !10)
  %p = alloca i32, align 4, !DIAssignID !12
    #dbg_assign(i1 undef, !11, !DIExpression(), !12, ptr %p, !DIExpression(), !10)
    #dbg_declare(ptr %p, !13, !DIExpression(), !10)
  %b = add i32 %a, 1, !dbg !10
    #dbg_value(!DIArgList(i32 %a, i32 %b), !9, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !10)
    #dbg_label(!14, !10)
  ret i32 %b, !dbg !10
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "p", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{!8, !8}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !3, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DILocalVariable(name: "a", arg: 1, scope: !5, file: !1, line: 1, type: !8)
!10 = !DILocation(line: 2, column: 3, scope: !5)
!11 = !DILocalVariable(name: "b", scope: !5, file: !1, line: 1, type: !8)
!12 = distinct !DIAssignID()
!13 = !DILocalVariable(name: "c", scope: !5, file: !1, line: 1, type: !8)
!14 = !DILabel(scope: !5, name: "here", file: !1, line: 3)
