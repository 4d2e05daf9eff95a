; What before.ll comes back as.
source_filename = "simplified.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @use(...)
declare i1 @condition()

; Edges from one block to another are one edge, and a branch with one successor is none.
define i32 @parallel_edges(i1 %c, i32 %a) {
  ret i32 %a
}

; An indirect branch to one block is none.
define i32 @one_destination(ptr %p, i32 %a) {
entry:
  call void (...) @use(i32 2)
  ret i32 %a
}

; Of the blocks that only tell a phi which way was taken, one is not needed.
define void @switch_without_cases(i32 %a) {
entry:
  call void (...) @use(i32 1)
  ret void
}

; A phi of itself and one other value is that value.
define i32 @phi_of_itself(i32 %a) {
entry:
  br label %loop

loop:
  %c = call i1 @condition()
  br i1 %c, label %loop, label %end

end:
  ret i32 %a
}

define i32 @chain(i32 %a) {
entry:
  %x = add i32 %a, 1
  %z = mul i32 %x, 2
  ret i32 %z
}

define i32 @unreachable_blocks(i32 %a) {
entry:
  ret i32 %a
}

define i32 @phis_of_one_value(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  call void (...) @use(i32 1)
  br label %join

join:
  %sum = add i32 %a, %a
  ret i32 %sum
}

; A phi of one value is that value, in debug records too.
define i32 @described_phis_of_one_value(i32 %a) !dbg !5 {
entry:
  br label %loop, !dbg !8

loop:
  %i = phi i32 [ %a, %entry ], [ %next, %loop ]
    #dbg_value(i32 %a, !7, !DIExpression(), !8)
  %next = add i32 %i, 1, !dbg !8
  %c = call i1 @condition(), !dbg !8
  br i1 %c, label %loop, label %end, !dbg !8

end:
    #dbg_value(i32 %next, !7, !DIExpression(), !8)
  call void (...) @use(i32 %next), !dbg !8
    #dbg_value(!DIArgList(i32 %next, i32 %a), !7, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !8)
  ret i32 %next, !dbg !8
}

; What describes a phi that nothing uses has nothing left to describe.
define void @described_unused_phi(i1 %c, i32 %a) !dbg !9 {
entry:
  br i1 %c, label %then, label %join, !dbg !11

then:
  call void (...) @use(i32 1), !dbg !11
  br label %join, !dbg !11

join:
    #dbg_value(i32 poison, !10, !DIExpression(), !11)
  call void (...) @use(), !dbg !11
  ret void, !dbg !11
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!4}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "simplified.c", directory: "/")
!2 = !DISubroutineType(types: !3)
!3 = !{null}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "described_phis_of_one_value", scope: !1, file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "x", scope: !5, type: !6)
!8 = !DILocation(line: 1, scope: !5)
!9 = distinct !DISubprogram(name: "described_unused_phi", scope: !1, file: !1, line: 2, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocalVariable(name: "x", scope: !9, type: !6)
!11 = !DILocation(line: 2, scope: !9)
