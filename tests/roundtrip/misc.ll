; What is rare: callbr, indirectbr, tokens, convergence, coroutines, garbage collection, vector predication.
source_filename = "misc.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @use(...)
declare void @void()
declare i32 @integer(i32)

define i32 @asm_goto(i32 %a) {
entry:
  callbr void asm sideeffect "testl $0, $0; jne ${1:l}", "r,!i,~{dirflag},~{fpsr},~{flags}"(i32 %a)
          to label %fallthrough [label %taken]

fallthrough:
  call void (...) @use(i32 1)
  ret i32 0

taken:
  ret i32 1
}

define i32 @asm_goto_with_result(i32 %a) {
entry:
  %x = callbr i32 asm "movl $1, $0; jne ${2:l}", "=r,r,!i,!i"(i32 %a)
          to label %direct [label %first, label %second], !srcloc !0

direct:
  ret i32 %x

first:
  %y = call i32 @llvm.callbr.landingpad.i32(i32 %x)
  ret i32 %y

second:
  ret i32 2
}
declare i32 @llvm.callbr.landingpad.i32(i32)

define i32 @computed_goto(i64 %i) {
entry:
  %slot = getelementptr inbounds [3 x ptr], ptr @jump.table, i64 0, i64 %i
  %target = load ptr, ptr %slot, align 8
  indirectbr ptr %target, [label %one, label %two, label %three]

one:
  %x = phi i32 [ 0, %entry ], [ %z, %three ]
  call void (...) @use(i32 %x)
  br label %two

two:
  %y = phi i32 [ 1, %entry ], [ %x, %one ], [ %z, %three ]
  ret i32 %y

three:
  %z = call i32 @integer(i32 3)
  %again = load ptr, ptr @jump.table, align 8
  indirectbr ptr %again, [label %one, label %two]
}
@jump.table = internal constant [3 x ptr] [ptr blockaddress(@computed_goto, %one), ptr blockaddress(@computed_goto, %two), ptr blockaddress(@computed_goto, %three)]

define void @token_between_calls(ptr %p) {
  %token = call token @llvm.call.preallocated.setup(i32 1)
  %argument = call ptr @llvm.call.preallocated.arg(token %token, i32 0) preallocated(i32)
  store i32 1, ptr %argument, align 4
  call void @preallocated(ptr preallocated(i32) %argument) [ "preallocated"(token %token) ]
  ret void
}
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare void @preallocated(ptr preallocated(i32))

define i32 @convergence(i32 %n) convergent {
entry:
  %outer = call token @llvm.experimental.convergence.entry()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %inner = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %outer) ]
  %r = call i32 @converges(i32 %i) convergent [ "convergencectrl"(token %inner) ]
  %next = add i32 %i, %r
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret i32 %next
}
declare token @llvm.experimental.convergence.entry() convergent
declare token @llvm.experimental.convergence.loop() convergent
declare i32 @converges(i32) convergent

define i32 @convergent_without_tokens(i1 %c, i32 %a) convergent {
entry:
  br i1 %c, label %then, label %join

then:
  %x = call i32 @converges(i32 %a) convergent
  br label %join

join:
  %y = phi i32 [ %x, %then ], [ %a, %entry ]
  ret i32 %y
}

define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %promise = alloca i32, align 4
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %needs = call i1 @llvm.coro.alloc(token %id)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %resume ]
  store i32 %i, ptr %promise, align 4
  %state = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %state, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %next = add i32 %i, 1
  br label %loop

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr addrspace(1) @statepoint(ptr addrspace(1) %p, i32 %n) gc "statepoint-example" {
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @void, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 %n), "gc-live"(ptr addrspace(1) %p) ]
  %relocated = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 0, i32 0)
  ret ptr addrspace(1) %relocated
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)

define i32 @statepoint_result() gc "statepoint-example" {
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(i32 (i32)) @integer, i32 1, i32 0, i32 7, i32 0, i32 0)
  %result = call i32 @llvm.experimental.gc.result.i32(token %token)
  ret i32 %result
}
declare i32 @llvm.experimental.gc.result.i32(token)

define void @stack_maps(i32 %a, ptr %p) {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 7, i32 8, i32 %a, ptr %p)
  %r = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 1, i32 15, ptr @void, i32 1, i32 %a, ptr %p)
  call void @llvm.instrprof.increment(ptr @profile, i64 123, i32 2, i32 0)
  call void @llvm.pseudoprobe(i64 1, i64 2, i32 0, i64 -1)
  call void (...) @use(i64 %r)
  ret void
}
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare void @llvm.instrprof.increment(ptr, i64, i32, i32)
declare void @llvm.pseudoprobe(i64, i64, i32, i64)
@profile = private constant [10 x i8] c"stack_maps"

define i32 @deoptimizes(i1 %c, i32 %a) {
entry:
  %guarded = call i1 @llvm.experimental.widenable.condition()
  %both = and i1 %c, %guarded
  br i1 %both, label %fast, label %slow

fast:
  ret i32 %a

slow:
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 7) [ "deopt"(i32 %a) ]
  ret i32 %r
}
declare i1 @llvm.experimental.widenable.condition()
declare i32 @llvm.experimental.deoptimize.i32(...)

define void @guards(i1 %c) {
  call void (i1, ...) @llvm.experimental.guard(i1 %c, i32 1) [ "deopt"() ]
  ret void
}
declare void @llvm.experimental.guard(i1, ...)

define <4 x i32> @vector_predication(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m, i32 %n, <4 x float> %f) {
  %sum = call <4 x i32> @llvm.vp.add.v4i32(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m, i32 %n)
  %less = call <4 x i1> @llvm.vp.icmp.v4i32(<4 x i32> %sum, <4 x i32> %b, metadata !"slt", <4 x i1> %m, i32 %n)
  %fused = call nnan <4 x float> @llvm.vp.fma.v4f32(<4 x float> %f, <4 x float> %f, <4 x float> %f, <4 x i1> %less, i32 %n)
  call void (...) @use(<4 x float> %fused)
  ret <4 x i32> %sum
}
declare <4 x i32> @llvm.vp.add.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32)
declare <4 x i1> @llvm.vp.icmp.v4i32(<4 x i32>, <4 x i32>, metadata, <4 x i1>, i32)
declare <4 x float> @llvm.vp.fma.v4f32(<4 x float>, <4 x float>, <4 x float>, <4 x i1>, i32)

define void @local_escape() {
  %a = alloca i32, align 4
  %b = alloca ptr, align 8
  call void (...) @llvm.localescape(ptr %a, ptr %b)
  call void (...) @use(ptr %a, ptr %b)
  ret void
}
define void @local_recover(ptr %frame) {
  %a = call ptr @llvm.localrecover(ptr @local_escape, ptr %frame, i32 0)
  store i32 1, ptr %a, align 4
  ret void
}
declare void @llvm.localescape(...)
declare ptr @llvm.localrecover(ptr, ptr, i32)

define void @annotations(ptr %p, i32 %a) {
  call void @llvm.var.annotation.p0.p0(ptr %p, ptr @text, ptr @text, i32 1, ptr null)
  %q = call ptr @llvm.ptr.annotation.p0.p0(ptr %p, ptr @text, ptr @text, i32 2, ptr null)
  %b = call i32 @llvm.annotation.i32.p0(i32 %a, ptr @text, ptr @text, i32 3)
  call void @llvm.codeview.annotation(metadata !1)
  call void (...) @use(ptr %q, i32 %b)
  ret void
}
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare ptr @llvm.ptr.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)
declare i32 @llvm.annotation.i32.p0(i32, ptr, ptr, i32)
declare void @llvm.codeview.annotation(metadata)
@text = private constant [2 x i8] c"a\00", section "llvm.metadata"

define void @hardware(<16 x i8> %a, ptr %p) {
  %b = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a, <16 x i8> %a)
  call void @llvm.x86.sse2.pause()
  call void @llvm.x86.sse2.clflush(ptr %p)
  %c = call i64 @llvm.x86.rdtsc()
  call void (...) @use(<16 x i8> %b, i64 %c)
  ret void
}
declare <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8>, <16 x i8>)
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse2.clflush(ptr)
declare i64 @llvm.x86.rdtsc()

define void @naked_function() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}

define i32 @nested_function(ptr nest %chain, i32 %a) {
  %outer = load i32, ptr %chain, align 4
  %sum = add i32 %outer, %a
  ret i32 %sum
}

define ptr @trampoline(ptr %memory, ptr %chain) {
  call void @llvm.init.trampoline(ptr %memory, ptr @nested_function, ptr %chain)
  %f = call ptr @llvm.adjust.trampoline(ptr %memory)
  ret ptr %f
}
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)

!0 = !{i64 1, i64 2}
!1 = !{!"codeview", !"annotation"}
