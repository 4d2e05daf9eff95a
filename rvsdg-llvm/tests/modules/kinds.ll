; Instructions that differ in one property only: what is kept of each while its body is not there must tell them apart.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%pair = type { i32, ptr, [4 x i16] }

declare i32 @variadic(i32, ...)
declare void @plain()
declare i32 @personality(...)

define i32 @kinds(ptr %p, i32 %n, float %x, <4 x i32> %v, { i32, i32 } %two) {
entry:
  %small = alloca i32, align 4
  %wide = alloca i32, align 8
  %many = alloca [2 x i32], align 4
  %error = alloca swifterror ptr, align 8
  %pointer = alloca ptr, align 8
  store ptr null, ptr %error, align 8
  store ptr null, ptr %pointer, align 8
  store volatile ptr null, ptr %pointer, align 8
  %first = getelementptr inbounds %pair, ptr %p, i32 0, i32 0
  %second = getelementptr inbounds %pair, ptr %p, i32 0, i32 1
  %loose = getelementptr %pair, ptr %p, i32 0, i32 1
  %element = getelementptr inbounds %pair, ptr %p, i32 0, i32 2, i64 1
  %variable = getelementptr inbounds [4 x i16], ptr %p, i64 0, i32 %n
  call void @plain()
  tail call void @plain()
  notail call void @plain()
  call fastcc void @plain()
  call void @plain() #0
  call void @plain() [ "deopt"(i32 1) ]
  call void @plain() [ "deopt"(i32 1), "other"() ]
  %with = call i32 (i32, ...) @variadic(i32 1)
  %without = call i32 @variadic(i32 1)
  %assembly = call i32 asm "mov $1, $0", "=r,r"(i32 %n)
  %load = load i32, ptr %p, align 4
  %packed = load i32, ptr %p, align 1
  %volatile = load volatile i32, ptr %p, align 4
  %atomic = load atomic i32, ptr %p monotonic, align 4
  %acquire = load atomic i32, ptr %p acquire, align 4
  %single = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
  %noted = load i32, ptr %p, align 4, !range !0, !noundef !1
  %weak = cmpxchg weak ptr %p, i32 %n, i32 1 seq_cst monotonic, align 4
  %strong = cmpxchg ptr %p, i32 %n, i32 1 seq_cst monotonic, align 4
  %aligned = cmpxchg ptr %p, i32 %n, i32 1 seq_cst monotonic, align 8
  %old = atomicrmw add ptr %p, i32 1 monotonic, align 4
  %older = atomicrmw add ptr %p, i32 1 monotonic, align 8
  %oldest = atomicrmw sub ptr %p, i32 1 monotonic, align 4
  fence acquire
  fence release
  %sum = add i32 %n, 1
  %exact = add nsw i32 %n, 1
  %more = add nuw nsw i32 %n, 1
  %disjoint = or disjoint i32 %n, 1
  %or = or i32 %n, 1
  %less = icmp slt i32 %n, 1
  %same = icmp samesign slt i32 %n, 1
  %greater = icmp sgt i32 %n, 1
  %float = fadd float %x, 1.0
  %fast = fadd fast float %x, 1.0
  %wide.n = zext i32 %n to i64
  %signed = zext nneg i32 %n to i64
  %narrow = zext i32 %n to i48
  %trunc = trunc i32 %n to i8
  %kept = trunc nuw i32 %n to i8
  %zero = extractvalue { i32, i32 } %two, 0
  %one = extractvalue { i32, i32 } %two, 1
  %in = insertvalue { i32, i32 } %two, i32 %n, 0
  %in.one = insertvalue { i32, i32 } %two, i32 %n, 1
  %reverse = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %splat = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> zeroinitializer
  %chosen = select i1 %less, i32 %n, i32 %sum, !prof !2
  %frozen = freeze i32 %n
  br i1 %same, label %loop, label %cases, !prof !2

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %product = phi fast float [ %x, %entry ], [ %factor, %loop ]
  %ratio = phi float [ %x, %entry ], [ %factor, %loop ]
  %factor = fmul float %product, %ratio
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %cases, !llvm.loop !3

cases:
  %from = phi i32 [ %n, %entry ], [ %next, %loop ]
  switch i32 %from, label %rest [
    i32 1, label %rest
    i32 7, label %other
  ], !prof !4

other:
  switch i8 %trunc, label %rest [
    i8 1, label %last
  ]

last:
  br label %rest

rest:
  %result = phi i32 [ %from, %cases ], [ %from, %cases ], [ 3, %other ], [ 4, %last ]
  ret i32 %result
}

define i32 @unwinding(ptr %catch) personality ptr @personality {
  invoke void @plain()
          to label %on unwind label %pad

on:
  %1 = invoke fastcc i32 @variadic(i32 1)
          to label %done unwind label %cleanup

done:
  ret i32 %1

pad:
  %2 = landingpad { ptr, i32 }
          catch ptr null
  resume { ptr, i32 } %2

cleanup:
  %3 = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %3
}

define void @forwarding() {
  musttail call void @plain()
  ret void
}

attributes #0 = { nounwind }

!0 = !{i32 0, i32 7}
!1 = !{}
!2 = !{!"branch_weights", i32 3, i32 4}
!3 = distinct !{!3, !5}
!4 = !{!"branch_weights", i32 3, i32 4, i32 5}
!5 = !{!"llvm.loop.mustprogress"}
