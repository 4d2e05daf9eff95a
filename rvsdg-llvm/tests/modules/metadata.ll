; Metadata attachments of instructions, functions and variables.
source_filename = "metadata.ll"
target triple = "x86_64-unknown-linux-gnu"

@v = global i32 0, !absolute_symbol !20, !type !21
@unused = internal global i32 1, !custom !0

define i32 @attached(ptr %p, ptr %q, i32 %n) !prof !1 !type !21 !custom !0 {
entry:
  %a = load i32, ptr %p, align 4, !tbaa !2, !range !5, !noundef !0
  %b = load ptr, ptr %q, align 8, !tbaa !6, !nonnull !0, !align !8, !dereferenceable !9, !invariant.load !0
  %c = load i32, ptr %b, align 4, !alias.scope !10, !noalias !13
  store i32 %c, ptr %p, align 4, !tbaa !2, !nontemporal !14
  %d = call i32 @callee(i32 %a), !callees !15, !srcloc !16, !heapallocsite !0
  %e = fadd float 1.000000e+00, 2.000000e+00, !fpmath !17
  %f = icmp eq i32 %d, 0
  %g = select i1 %f, i32 %a, i32 %d, !prof !18, !unpredictable !0
  br i1 %f, label %loop, label %out, !prof !18, !make.implicit !0

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.000000e+00, %entry ], [ %t, %loop ], !custom !0
  %t = fadd float %s, %e
  %next = add i32 %i, 1
  %value = load i32, ptr %p, align 4, !llvm.access.group !22
  %more = icmp slt i32 %next, %value
  br i1 %more, label %loop, label %out, !llvm.loop !23

out:                                              ; preds = %loop, %entry
  %last = phi i32 [ %g, %entry ], [ %next, %loop ], !custom !0
  switch i32 %n, label %end [
    i32 1, label %one
    i32 2, label %two
  ], !prof !26

one:                                              ; preds = %out
  br label %end, !custom !0

two:                                              ; preds = %out
  br label %spin, !llvm.loop !27

spin:                                             ; preds = %spin, %two
  call void @effect(i32 %n), !custom !0
  %stop = icmp eq i32 %n, %last
  br i1 %stop, label %end, label %spin, !llvm.loop !28

end:                                              ; preds = %spin, %one, %out
  ret i32 %last, !custom !0
}

declare !custom !0 i32 @callee(i32)

declare void @effect(i32)

!llvm.module.flags = !{!29}
!named = !{!0, !1, !30}

!0 = !{}
!1 = !{!"function_entry_count", i64 100}
!2 = !{!3, !3, i64 0}
!3 = !{!"int", !4, i64 0}
!4 = !{!"root"}
!5 = !{i32 0, i32 10, i32 20, i32 30}
!6 = !{!7, !7, i64 0}
!7 = !{!"pointer", !4, i64 0}
!8 = !{i64 8}
!9 = !{i64 16}
!10 = !{!11}
!11 = distinct !{!11, !12, !"scope"}
!12 = distinct !{!12, !"domain"}
!13 = !{!31}
!14 = !{i32 1}
!15 = !{ptr @callee}
!16 = !{i32 12}
!17 = !{float 2.500000e+00}
!18 = !{!"branch_weights", i32 1, i32 99}
!20 = !{i64 0, i64 256}
!21 = !{i64 0, !"typeid"}
!22 = distinct !{}
!23 = distinct !{!23, !24, !25}
!24 = !{!"llvm.loop.mustprogress"}
!25 = !{!"llvm.loop.vectorize.enable", i1 true}
!26 = !{!"branch_weights", i32 10, i32 20, i32 30}
!27 = distinct !{!27}
!28 = distinct !{!28, !32}
!29 = !{i32 1, !"wchar_size", i32 4}
!30 = !{!"text", ptr @v, i32 7}
!31 = distinct !{!31, !12}
!32 = !{!"llvm.loop.parallel_accesses", !22}
