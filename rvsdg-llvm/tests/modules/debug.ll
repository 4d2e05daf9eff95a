; Debug records of every kind, before instructions of every kind.
source_filename = "debug.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@g = global i32 0, align 4, !dbg !0

define i32 @f(i32 %a, ptr %p) !dbg !8 {
entry:
  %slot = alloca i32, align 4, !DIAssignID !20
    #dbg_assign(i1 poison, !14, !DIExpression(), !20, ptr %slot, !DIExpression(), !15)
    #dbg_value(i32 %a, !12, !DIExpression(), !15)
    #dbg_value(ptr %p, !13, !DIExpression(), !15)
  store i32 %a, ptr %slot, align 4, !dbg !16, !DIAssignID !21
    #dbg_assign(i32 %a, !14, !DIExpression(), !21, ptr %slot, !DIExpression(), !15)
  %b = add i32 %a, 1, !dbg !16
    #dbg_value(!DIArgList(i32 %a, i32 %b), !12, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !15)
  %c = icmp sgt i32 %b, 10, !dbg !17
    #dbg_label(!18, !17)
  br i1 %c, label %then, label %else, !dbg !17

then:                                             ; preds = %entry
    #dbg_value(i32 1, !12, !DIExpression(), !15)
  br label %join, !dbg !17

else:                                             ; preds = %entry
  %d = load i32, ptr %p, align 4, !dbg !16
    #dbg_value(i32 %d, !12, !DIExpression(DW_OP_plus_uconst, 2, DW_OP_stack_value), !15)
    #dbg_declare(ptr %slot, !19, !DIExpression(), !15)
  br label %join, !dbg !17

join:                                             ; preds = %else, %then
  %m = phi i32 [ %b, %then ], [ %d, %else ], !dbg !22
    #dbg_value(i32 %m, !12, !DIExpression(), !15)
    #dbg_declare_value(i32 %m, !19, !DIExpression(), !15)
  br label %loop, !dbg !17

loop:                                             ; preds = %loop, %join
  %i = phi i32 [ 0, %join ], [ %n, %loop ], !dbg !22
    #dbg_value(i32 %i, !29, !DIExpression(), !23)
  %n = add i32 %i, 1, !dbg !23
    #dbg_value(i32 %n, !29, !DIExpression(), !23)
  %l = icmp slt i32 %n, %m, !dbg !23
    #dbg_value(i32 poison, !13, !DIExpression(), !15)
  br i1 %l, label %loop, label %out, !dbg !24, !llvm.loop !25

out:                                              ; preds = %loop
  switch i32 %n, label %last [
    i32 0, label %zero
  ], !dbg !24

zero:                                             ; preds = %out
    #dbg_value(ptr null, !13, !DIExpression(), !15)
  unreachable, !dbg !24

last:                                             ; preds = %out
    #dbg_value(i32 %n, !12, !DIExpression(), !15)
  ret i32 %n, !dbg !24
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!5, !6}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "g", scope: !2, file: !3, line: 1, type: !4, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "hand", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !7)
!3 = !DIFile(filename: "debug.c", directory: "/")
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !{i32 7, !"Dwarf Version", i32 5}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !{!0}
!8 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 2, type: !9, scopeLine: 2, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !11)
!9 = !DISubroutineType(types: !10)
!10 = !{!4, !4, null}
!11 = !{!12, !13, !14, !18, !19}
!12 = !DILocalVariable(name: "a", arg: 1, scope: !8, file: !3, line: 2, type: !4)
!13 = !DILocalVariable(name: "p", arg: 2, scope: !8, file: !3, line: 2, type: !4)
!14 = !DILocalVariable(name: "slot", scope: !8, file: !3, line: 3, type: !4)
!15 = !DILocation(line: 2, column: 1, scope: !8)
!16 = !DILocation(line: 3, column: 5, scope: !8)
!17 = !DILocation(line: 4, column: 5, scope: !8)
!18 = !DILabel(scope: !8, name: "here", file: !3, line: 4)
!19 = !DILocalVariable(name: "m", scope: !8, file: !3, line: 5, type: !4)
!20 = distinct !DIAssignID()
!21 = distinct !DIAssignID()
!22 = !DILocation(line: 0, scope: !8)
!23 = !DILocation(line: 6, column: 7, scope: !26, inlinedAt: !27)
!24 = !DILocation(line: 8, column: 3, scope: !8)
!25 = distinct !{!25, !23, !24}
!26 = distinct !DISubprogram(name: "inlined", scope: !3, file: !3, line: 20, type: !9, scopeLine: 20, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !28)
!27 = distinct !DILocation(line: 7, column: 3, scope: !8)
!28 = !{!29}
!29 = !DILocalVariable(name: "i", scope: !26, file: !3, line: 21, type: !4)
