; What comes back simpler, because the graph does not hold it; after.ll is what is expected.
source_filename = "simplified.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @use(...)
declare i1 @condition()

define i32 @parallel_edges(i1 %c, i32 %a) {
entry:
  br i1 %c, label %join, label %join

join:
  %x = phi i32 [ %a, %entry ], [ %a, %entry ]
  ret i32 %x
}

define i32 @one_destination(ptr %p, i32 %a) {
entry:
  call void (...) @use(i32 2)
  indirectbr ptr %p, [label %end]

end:
  ret i32 %a
}

define void @switch_without_cases(i32 %a) {
entry:
  call void (...) @use(i32 1)
  switch i32 %a, label %end [
  ]

end:
  ret void
}

define i32 @phi_of_itself(i32 %a) {
entry:
  br label %loop

loop:
  %kept = phi i32 [ %a, %entry ], [ %kept, %loop ]
  %unused = phi i32 [ 0, %entry ], [ %kept, %loop ]
  %c = call i1 @condition()
  br i1 %c, label %loop, label %end

end:
  %out = phi i32 [ %kept, %loop ]
  ret i32 %out
}

; Unconditional branches between blocks of which the second has no other predecessor.
define i32 @chain(i32 %a) {
entry:
  %x = add i32 %a, 1
  br label %second

second:
  %y = phi i32 [ %x, %entry ]
  %z = mul i32 %y, 2
  br label %third

third:
  ret i32 %z
}

define i32 @unreachable_blocks(i32 %a) {
entry:
  ret i32 %a

dead:
  %x = add i32 %a, 1
  br label %dead
}

; A phi all of whose incoming values are one value or poison.
define i32 @phis_of_one_value(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  call void (...) @use(i32 1)
  br label %join

join:
  %same = phi i32 [ %a, %then ], [ %a, %entry ]
  %poison = phi i32 [ %a, %then ], [ poison, %entry ]
  %unused = phi i32 [ 1, %then ], [ 2, %entry ]
  %sum = add i32 %same, %poison
  ret i32 %sum
}

; A phi of one value is that value, in debug records too.
define i32 @described_phis_of_one_value(i32 %a) !dbg !5 {
entry:
  br label %loop, !dbg !8

loop:
  %i = phi i32 [ %a, %entry ], [ %next, %loop ]
  %kept = phi i32 [ %a, %entry ], [ %kept, %loop ]
    #dbg_value(i32 %kept, !7, !DIExpression(), !8)
  %next = add i32 %i, 1, !dbg !8
  %c = call i1 @condition(), !dbg !8
  br i1 %c, label %loop, label %end, !dbg !8

end:
  %out = phi i32 [ %next, %loop ]
    #dbg_value(i32 %out, !7, !DIExpression(), !8)
  call void (...) @use(i32 %out), !dbg !8
    #dbg_value(!DIArgList(i32 %out, i32 %kept), !7, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !8)
  ret i32 %out, !dbg !8
}

; What describes a phi that nothing uses has nothing left to describe.
define void @described_unused_phi(i1 %c, i32 %a) !dbg !9 {
entry:
  br i1 %c, label %then, label %join, !dbg !11

then:
  call void (...) @use(i32 1), !dbg !11
  br label %join, !dbg !11

join:
  %unused = phi i32 [ %a, %then ], [ 0, %entry ], !dbg !11
    #dbg_value(i32 %unused, !10, !DIExpression(), !11)
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
