; Calls: tails, bundles, assembly, arguments of every kind.
source_filename = "calls.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }

declare void @use(...)
declare void @void()
declare i32 @integer(i32)
declare i32 @setjmp(ptr) returns_twice
declare void @takes_byval(ptr byval(%pair) align 8, i32)
declare void @takes_sret(ptr sret(%pair) align 8, i32)
declare void @takes_many(i8 signext, i16 zeroext, ptr nest, i32 inreg, ptr noalias)
declare %pair @aggregate(i32)
declare fastcc i32 @fast(i32)
declare tailcc i32 @tail(i32)
declare swifttailcc void @swift(ptr swiftasync)

define i32 @tails(i32 %a) {
  %plain = call i32 @integer(i32 %a)
  %tail = tail call i32 @integer(i32 %plain)
  %notail = notail call i32 @integer(i32 %tail)
  tail call void @void() #0
  ret i32 %notail
}

define i32 @musttail(i32 %a) {
  %result = musttail call i32 @integer(i32 %a)
  ret i32 %result
}

define void @musttail_void() {
  musttail call void @void()
  ret void
}

define tailcc i32 @musttail_in_branches(i32 %a, i1 %c) {
entry:
  br i1 %c, label %then, label %else

then:
  %b = add i32 %a, 1
  %x = musttail call tailcc i32 @tail(i32 %b)
  ret i32 %x

else:
  ret i32 %a
}

define void @musttail_varargs(ptr %this, ...) {
  %f = load ptr, ptr %this, align 8
  musttail call void (ptr, ...) %f(ptr %this, ...)
  ret void
}

define swifttailcc void @musttail_swift(ptr swiftasync %context) {
  musttail call swifttailcc void @swift(ptr swiftasync %context)
  ret void
}

define i32 @arguments(ptr %p, i32 %n, i8 %c, i16 %s) {
  %slot = alloca %pair, align 8
  call void @takes_byval(ptr byval(%pair) align 8 %p, i32 %n)
  call void @takes_sret(ptr sret(%pair) align 8 %slot, i32 %n)
  call void @takes_many(i8 signext %c, i16 zeroext %s, ptr nest %p, i32 inreg %n, ptr noalias %slot)
  %whole = call %pair @aggregate(i32 %n)
  %first = extractvalue %pair %whole, 0
  call void (...) @use()
  call void (...) @use(i32 %n, double 1.0, ptr %p, %pair %whole)
  %fast = call fastcc i32 @fast(i32 %first)
  ret i32 %fast
}

define i32 @indirect(ptr %f, ptr addrspace(1) %g, ptr %table, i64 %i) {
  call void %f()
  %a = call i32 %f(i32 1)
  %b = call addrspace(1) i32 %g(i32 2)
  %entry = getelementptr inbounds ptr, ptr %table, i64 %i
  %h = load ptr, ptr %entry, align 8
  %c = tail call i32 (i32, ...) %h(i32 %a, i32 %b)
  %d = call i32 inttoptr (i64 4096 to ptr)(i32 %c)
  call void null()
  call void undef()
  ret i32 %d
}

define i32 @recursive(i32 %n) {
entry:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %again

again:
  %m = sub i32 %n, 1
  %r = call i32 @mutual(i32 %m)
  %s = call i32 @recursive(i32 %r)
  br label %end

end:
  %result = phi i32 [ 0, %entry ], [ %s, %again ]
  ret i32 %result
}

define i32 @mutual(i32 %n) {
  %r = call i32 @recursive(i32 %n)
  ret i32 %r
}

define void @bundles(ptr %p, i32 %n) {
  call void @void() [ "deopt"(i32 1, ptr %p, i32 %n) ]
  call void @void() [ "deopt"(), "mine"(i32 %n), "empty"() ]
  call void @void() [ "kcfi"(i32 1234) ]
  call void %p() [ "ptrauth"(i32 0, i64 42) ]
  call void @void() [ "cfguardtarget"(ptr %p) ]
  call void @void() [ "mine too"(ptr @void, i64 ptrtoint (ptr @void to i64), %pair { i32 1, i64 2 }) ]
  call void @void() [ "gc-live"(ptr %p) ]
  %r = call ptr @retained() [ "clang.arc.attachedcall"(ptr @llvm.objc.retainAutoreleasedReturnValue) ]
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "dereferenceable"(ptr %p, i32 %n), "nonnull"(ptr %p), "cold"() ]
  call void (...) @use(ptr %r)
  ret void
}
declare ptr @retained()
declare ptr @llvm.objc.retainAutoreleasedReturnValue(ptr)
declare void @llvm.assume(i1)

define i32 @assembly(i32 %a, ptr %p) {
  call void asm "", ""()
  call void asm sideeffect "nop", ""()
  call void asm sideeffect alignstack "nop", "~{memory}"()
  call void asm inteldialect "mov eax, $0", "r,~{eax}"(i32 %a)
  call void asm sideeffect alignstack inteldialect "nop \22quoted\22\0A\09next", "~{dirflag},~{fpsr},~{flags}"()
  %x = call i32 asm "bswap $0", "=r,0"(i32 %a)
  %y = call { i32, i32 } asm "cpuid", "={ax},={dx},0,~{bx},~{cx}"(i32 %x)
  %z = extractvalue { i32, i32 } %y, 1
  call void asm "incl $0", "*m,~{memory}"(ptr elementtype(i32) %p)
  call void asm sideeffect unwind "call f", "~{memory}"()
  %tail = tail call i32 asm "mov $1, $0", "=r,r"(i32 %z)
  %symbolic = call i32 asm "lea $1, $0", "=r,i"(ptr @void)
  %sum = add i32 %tail, %symbolic
  ret i32 %sum
}

define void @functions_as_arguments(ptr %p) {
  call void (...) @use(ptr @functions_as_arguments, ptr @musttail)
  %same = icmp eq ptr %p, @assembly
  call void (...) @use(i1 %same)
  ret void
}

define i32 @twice(ptr %buffer, i32 %a) returns_twice {
entry:
  %r = call i32 @setjmp(ptr %buffer) returns_twice
  %first = icmp eq i32 %r, 0
  br i1 %first, label %body, label %end

body:
  call void @void()
  br label %end

end:
  %result = phi i32 [ %r, %entry ], [ %a, %body ]
  ret i32 %result
}

define void @unreachable_after_call(i1 %c) {
entry:
  br i1 %c, label %abort, label %end

abort:
  call void @void() noreturn nounwind
  unreachable

end:
  ret void
}

define void @effects(ptr %p) {
  %a = call i32 @integer(i32 1) memory(none) nounwind willreturn
  %b = call i32 @integer(i32 1) memory(read) nounwind willreturn
  %c = call i32 @integer(i32 1) memory(argmem: write)
  %d = call i32 @integer(i32 1) nounwind
  %e = call i32 @integer(i32 1) willreturn
  %f = call i32 @integer(i32 1) memory(inaccessiblemem: readwrite)
  call void (...) @use(i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f)
  ret void
}

define void @results_unused(i32 %a) {
  %1 = call i32 @integer(i32 %a) memory(none) nounwind willreturn
  %2 = call i32 @integer(i32 %a)
  %3 = add i32 %a, 1
  %4 = call %pair @aggregate(i32 %3)
  ret void
}

define i32 @intrinsics(i32 %a, i32 %b, float %f, <4 x i32> %v, i64 %w) {
  %1 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  %2 = extractvalue { i32, i1 } %1, 0
  %3 = call i32 @llvm.smax.i32(i32 %2, i32 %b)
  %4 = call i32 @llvm.abs.i32(i32 %3, i1 true)
  %5 = call i32 @llvm.ctlz.i32(i32 %4, i1 false)
  %6 = call i32 @llvm.fshl.i32(i32 %5, i32 %a, i32 7)
  %7 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  %8 = call i1 @llvm.is.fpclass.f32(float %f, i32 3)
  %9 = call i32 @llvm.expect.i32(i32 %7, i32 1)
  %10 = call i64 @llvm.objectsize.i64.p0(ptr null, i1 false, i1 true, i1 false)
  %11 = call ptr @llvm.returnaddress(i32 0)
  %12 = call ptr @llvm.frameaddress.p0(i32 0)
  %13 = call i64 @llvm.readcyclecounter()
  call void @llvm.trap()
  call void @llvm.debugtrap()
  call void @llvm.sideeffect()
  call void @llvm.donothing()
  %14 = call i1 @llvm.is.constant.i32(i32 %a)
  call void (...) @use(i32 %6, i1 %8, i32 %9, i64 %10, ptr %11, ptr %12, i64 %13, i1 %14)
  %15 = call i32 @llvm.scmp.i32.i32(i32 %a, i32 %b)
  ret i32 %15
}
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i1 @llvm.is.fpclass.f32(float, i32)
declare i32 @llvm.expect.i32(i32, i32)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare ptr @llvm.returnaddress(i32)
declare ptr @llvm.frameaddress.p0(i32)
declare i64 @llvm.readcyclecounter()
declare void @llvm.trap()
declare void @llvm.debugtrap()
declare void @llvm.sideeffect()
declare void @llvm.donothing()
declare i1 @llvm.is.constant.i32(i32)
declare i32 @llvm.scmp.i32.i32(i32, i32)

define float @strict(float %a, float %b) strictfp {
  %1 = call float @llvm.experimental.constrained.fadd.f32(float %a, float %b, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %2 = call i1 @llvm.experimental.constrained.fcmp.f32(float %1, float %b, metadata !"olt", metadata !"fpexcept.ignore") strictfp
  %3 = call i32 @llvm.experimental.constrained.fptosi.i32.f32(float %1, metadata !"fpexcept.maytrap") strictfp
  call void (...) @use(i1 %2, i32 %3) strictfp
  ret float %1
}
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmp.f32(float, float, metadata, metadata)
declare i32 @llvm.experimental.constrained.fptosi.i32.f32(float, metadata)

define void @scopes() {
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  ret void
}
declare void @llvm.experimental.noalias.scope.decl(metadata)

attributes #0 = { nounwind }

!0 = !{!1}
!1 = distinct !{!1, !2, !"scope"}
!2 = distinct !{!2, !"domain"}
