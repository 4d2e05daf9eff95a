; Everything that reads, writes or makes memory.
source_filename = "memory.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }

@g = global i32 0
@space = addrspace(3) global i32 0

declare void @use(...)

define void @allocations(i32 %n, i64 %m) {
entry:
  %plain = alloca i32, align 4
  %aligned = alloca i8, align 64
  %array = alloca [4 x i32], align 16
  %counted = alloca i32, i32 8, align 4
  %wide.count = alloca i32, i64 8, align 4
  %dynamic = alloca i32, i32 %n, align 4
  %dynamic.wide = alloca %pair, i64 %m, align 8
  %space = alloca i32, align 4, addrspace(5)
  %space.dynamic = alloca i32, i32 %n, align 4, addrspace(5)
  %huge.alignment = alloca i8, align 4294967296
  %empty = alloca {}, align 8
  call void (...) @use(ptr %plain, ptr %aligned, ptr %array, ptr %counted, ptr %wide.count, ptr %dynamic, ptr %dynamic.wide)
  call void (...) @use(ptr addrspace(5) %space, ptr addrspace(5) %space.dynamic, ptr %huge.alignment, ptr %empty)
  ret void
}

define void @swifterror_allocation() {
  %error = alloca swifterror ptr, align 8
  store ptr null, ptr %error, align 8
  call swiftcc void @swift(ptr swifterror %error)
  %loaded = load ptr, ptr %error, align 8
  call void (...) @use(ptr %loaded)
  ret void
}
declare swiftcc void @swift(ptr swifterror)

define void @inalloca_allocation() {
  %saved = call ptr @llvm.stacksave.p0()
  %argument = alloca inalloca <{ i32, i32 }>, align 4
  %second = getelementptr inbounds <{ i32, i32 }>, ptr %argument, i32 0, i32 1
  store i32 1, ptr %second, align 4
  call void @takes_inalloca(ptr inalloca(<{ i32, i32 }>) %argument)
  call void @llvm.stackrestore.p0(ptr %saved)
  ret void
}
declare void @takes_inalloca(ptr inalloca(<{ i32, i32 }>))
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

; An alloca in a loop, between stacksave and stackrestore, and in a branch.
define void @allocation_in_loop(i32 %n, i1 %c) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %saved = call ptr @llvm.stacksave.p0()
  %dynamic = alloca i8, i32 %i, align 1
  call void (...) @use(ptr %dynamic)
  br i1 %c, label %then, label %latch

then:
  %fixed = alloca i8, align 1
  call void (...) @use(ptr %fixed)
  br label %latch

latch:
  call void @llvm.stackrestore.p0(ptr %saved)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

define void @loads(ptr %p, ptr addrspace(1) %q) {
  %plain = load i32, ptr %p, align 4
  %under = load i32, ptr %p, align 1
  %over = load i32, ptr %p, align 128
  %volatile = load volatile i32, ptr %p, align 4
  %unordered = load atomic i32, ptr %p unordered, align 4
  %monotonic = load atomic i32, ptr %p monotonic, align 4
  %acquire = load atomic i32, ptr %p acquire, align 4
  %seq_cst = load atomic i32, ptr %p seq_cst, align 4
  %single = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
  %agent = load atomic volatile i32, ptr addrspace(1) %q syncscope("agent") monotonic, align 4
  %mine = load atomic i32, ptr %p syncscope("mine \22quoted\22") seq_cst, align 4
  %pointer = load atomic ptr, ptr %p acquire, align 8
  %float = load atomic float, ptr %p unordered, align 4
  %space = load volatile ptr addrspace(2), ptr addrspace(1) %q, align 8
  %aggregate = load %pair, ptr %p, align 8
  %bit = load i1, ptr %p, align 1
  call void (...) @use(i32 %plain, i32 %under, i32 %over, i32 %volatile, i32 %unordered, i32 %monotonic, i32 %acquire)
  call void (...) @use(i32 %seq_cst, i32 %single, i32 %agent, i32 %mine, ptr %pointer, float %float, ptr addrspace(2) %space)
  call void (...) @use(%pair %aggregate, i1 %bit)
  ret void
}

define void @stores(ptr %p, ptr addrspace(1) %q, i32 %v, %pair %a) {
  store i32 %v, ptr %p, align 4
  store i32 %v, ptr %p, align 1
  store i32 %v, ptr %p, align 128
  store volatile i32 %v, ptr %p, align 4
  store atomic i32 %v, ptr %p unordered, align 4
  store atomic i32 %v, ptr %p monotonic, align 4
  store atomic i32 %v, ptr %p release, align 4
  store atomic i32 %v, ptr %p seq_cst, align 4
  store atomic i32 %v, ptr %p syncscope("singlethread") release, align 4
  store atomic volatile i32 %v, ptr addrspace(1) %q syncscope("agent") monotonic, align 4
  store atomic ptr %p, ptr %p release, align 8
  store atomic double 1.0, ptr %p unordered, align 8
  store %pair %a, ptr %p, align 8
  store i32 %v, ptr @g, align 4
  store volatile i32 %v, ptr addrspace(3) @space, align 4
  ret void
}

define void @unused_loads(ptr %p) {
  %1 = load i32, ptr %p, align 4
  %2 = load volatile i32, ptr %p, align 4
  %3 = load atomic i32, ptr %p acquire, align 4
  ret void
}

define void @fences() {
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  fence syncscope("workgroup") release
  ret void
}

define void @cmpxchg(ptr %p, i32 %a, i32 %b, ptr %q) {
  %1 = cmpxchg ptr %p, i32 %a, i32 %b monotonic monotonic, align 4
  %2 = cmpxchg ptr %p, i32 %a, i32 %b acquire monotonic, align 4
  %3 = cmpxchg ptr %p, i32 %a, i32 %b acquire acquire, align 4
  %4 = cmpxchg ptr %p, i32 %a, i32 %b release monotonic, align 4
  %5 = cmpxchg ptr %p, i32 %a, i32 %b acq_rel acquire, align 4
  %6 = cmpxchg ptr %p, i32 %a, i32 %b seq_cst seq_cst, align 4
  %7 = cmpxchg ptr %p, i32 %a, i32 %b monotonic seq_cst, align 4
  %8 = cmpxchg weak ptr %p, i32 %a, i32 %b seq_cst monotonic, align 4
  %9 = cmpxchg volatile ptr %p, i32 %a, i32 %b seq_cst acquire, align 8
  %10 = cmpxchg weak volatile ptr %p, i32 %a, i32 %b syncscope("singlethread") acq_rel monotonic, align 4
  %11 = cmpxchg ptr %p, ptr %q, ptr null seq_cst seq_cst, align 8
  %12 = extractvalue { i32, i1 } %8, 1
  %13 = extractvalue { ptr, i1 } %11, 0
  call void (...) @use({ i32, i1 } %1, { i32, i1 } %2, { i32, i1 } %3, { i32, i1 } %4, { i32, i1 } %5, { i32, i1 } %6)
  call void (...) @use({ i32, i1 } %7, i1 %12, { i32, i1 } %9, { i32, i1 } %10, ptr %13)
  ret void
}

define void @atomicrmw(ptr %p, i32 %v, float %f, <2 x half> %h, ptr %q, ptr addrspace(1) %r) {
  %xchg = atomicrmw xchg ptr %p, i32 %v monotonic, align 4
  %add = atomicrmw add ptr %p, i32 %v acquire, align 4
  %sub = atomicrmw sub ptr %p, i32 %v release, align 4
  %and = atomicrmw and ptr %p, i32 %v acq_rel, align 4
  %nand = atomicrmw nand ptr %p, i32 %v seq_cst, align 4
  %or = atomicrmw or ptr %p, i32 %v seq_cst, align 4
  %xor = atomicrmw xor ptr %p, i32 %v seq_cst, align 4
  %max = atomicrmw max ptr %p, i32 %v seq_cst, align 4
  %min = atomicrmw min ptr %p, i32 %v seq_cst, align 4
  %umax = atomicrmw umax ptr %p, i32 %v seq_cst, align 4
  %umin = atomicrmw umin ptr %p, i32 %v seq_cst, align 4
  call void (...) @use(i32 %xchg, i32 %add, i32 %sub, i32 %and, i32 %nand, i32 %or, i32 %xor, i32 %max, i32 %min)
  %fadd = atomicrmw fadd ptr %p, float %f seq_cst, align 4
  %fsub = atomicrmw fsub ptr %p, float %f seq_cst, align 4
  %fmax = atomicrmw fmax ptr %p, float %f seq_cst, align 4
  %fmin = atomicrmw fmin ptr %p, float %f seq_cst, align 4
  %fmaximum = atomicrmw fmaximum ptr %p, float %f seq_cst, align 4
  %fminimum = atomicrmw fminimum ptr %p, float %f seq_cst, align 4
  %vector = atomicrmw fadd ptr %p, <2 x half> %h monotonic, align 4
  call void (...) @use(i32 %umax, i32 %umin, float %fadd, float %fsub, float %fmax, float %fmin, float %fmaximum)
  %uinc_wrap = atomicrmw uinc_wrap ptr %p, i32 %v seq_cst, align 4
  %udec_wrap = atomicrmw udec_wrap ptr %p, i32 %v seq_cst, align 4
  %usub_cond = atomicrmw usub_cond ptr %p, i32 %v seq_cst, align 4
  %usub_sat = atomicrmw usub_sat ptr %p, i32 %v seq_cst, align 4
  %volatile = atomicrmw volatile add ptr %p, i32 %v seq_cst, align 8
  %scope = atomicrmw add ptr addrspace(1) %r, i32 %v syncscope("agent") monotonic, align 4
  %pointer = atomicrmw xchg ptr %p, ptr %q seq_cst, align 8
  %float = atomicrmw xchg ptr %p, float %f seq_cst, align 4
  call void (...) @use(float %fminimum, <2 x half> %vector, i32 %uinc_wrap, i32 %udec_wrap, i32 %usub_cond, i32 %usub_sat)
  call void (...) @use(i32 %volatile, i32 %scope, ptr %pointer, float %float)
  %unused = atomicrmw add ptr %p, i32 1 monotonic, align 4
  ret void
}

define i32 @variable_arguments(i32 %n, ...) {
  %list = alloca [1 x { i32, i32, ptr, ptr }], align 16
  %copy = alloca [1 x { i32, i32, ptr, ptr }], align 16
  call void @llvm.va_start.p0(ptr %list)
  %a = va_arg ptr %list, i32
  %b = va_arg ptr %list, double
  %c = va_arg ptr %list, ptr
  %d = va_arg ptr %list, { i64, i64 }
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %e = va_arg ptr %copy, i32
  call void @llvm.va_end.p0(ptr %copy)
  call void @llvm.va_end.p0(ptr %list)
  call void (...) @use(double %b, ptr %c, { i64, i64 } %d)
  %sum = add i32 %a, %e
  ret i32 %sum
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)

define void @block_operations(ptr %p, ptr %q, i64 %n, ptr addrspace(1) %r) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 8 %q, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 true)
  call void @llvm.memcpy.p1.p0.i32(ptr addrspace(1) align 4 %r, ptr align 8 %q, i32 12, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %p, ptr align 8 %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 7, i64 %n, i1 true)
  call void @llvm.memset.inline.p0.i64(ptr align 4 %p, i8 7, i64 8, i1 false)
  call void @llvm.experimental.memset.pattern.p0.i32.i64(ptr align 4 %p, i32 7, i64 %n, i1 false)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 8 %q, i64 16, i32 4)
  call void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr align 4 %p, ptr align 8 %q, i64 16, i32 4)
  call void @llvm.memset.element.unordered.atomic.p0.i64(ptr align 4 %p, i8 0, i64 16, i32 4)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i32(ptr addrspace(1), ptr, i32, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare void @llvm.experimental.memset.pattern.p0.i32.i64(ptr, i32, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
declare void @llvm.memset.element.unordered.atomic.p0.i64(ptr, i8, i64, i32)

define ptr @annotated_memory(ptr %p) {
  %slot = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %slot)
  store i32 1, ptr %slot, align 4
  call void (...) @use(ptr %slot)
  call void @llvm.lifetime.end.p0(ptr %slot)
  %invariant = call ptr @llvm.invariant.start.p0(i64 4, ptr %p)
  call void @llvm.invariant.end.p0(ptr %invariant, i64 4, ptr %p)
  %laundered = call ptr @llvm.launder.invariant.group.p0(ptr %p)
  %stripped = call ptr @llvm.strip.invariant.group.p0(ptr %laundered)
  %masked = call ptr @llvm.ptrmask.p0.i64(ptr %stripped, i64 -16)
  call void @llvm.prefetch.p0(ptr %masked, i32 0, i32 3, i32 1)
  call void @llvm.assume(i1 true) [ "align"(ptr %masked, i64 16), "nonnull"(ptr %p) ]
  ret ptr %masked
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.strip.invariant.group.p0(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.assume(i1)

define <4 x i32> @masked_memory(ptr %p, <4 x i1> %m, <4 x i32> %v, <4 x ptr> %ps) {
  %loaded = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %m, <4 x i32> %v)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %loaded, ptr align 4 %p, <4 x i1> %m)
  %gathered = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %ps, <4 x i1> %m, <4 x i32> %loaded)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %gathered, <4 x ptr> align 4 %ps, <4 x i1> %m)
  ret <4 x i32> %gathered
}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, <4 x i1>)

; Memory and control flow: loads that must stay behind what guards them, stores on some paths.
define i32 @guarded(ptr %p, i32 %n) {
entry:
  %null = icmp eq ptr %p, null
  br i1 %null, label %end, label %read

read:
  %v = load i32, ptr %p, align 4
  %small = icmp slt i32 %v, %n
  br i1 %small, label %write, label %end

write:
  store i32 %n, ptr %p, align 4
  fence release
  br label %end

end:
  %result = phi i32 [ 0, %entry ], [ %v, %read ], [ %n, %write ]
  ret i32 %result
}
