; Every type, as parameter, result, operand, phi, element and in memory.
source_filename = "types.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%s.opaque = type opaque
%s.empty = type {}
%s.holder = type { i8, ptr }
%s.named = type { i32, ptr, double }
%s.packed = type <{ i8, i32, i16 }>
%s.nested = type { %s.named, [4 x %s.packed], { i8, <{ i1, i64 }> } }
%"s.quoted name" = type { i32 }
%s.targets = type { i32, target("spirv.Sampler") }

@g.named = global %s.named { i32 1, ptr null, double 2.0 }
@g.packed = global %s.packed <{ i8 1, i32 2, i16 3 }>
@g.nested = global %s.nested zeroinitializer
@g.opaque = external global %s.opaque
@g.literal = global { i32, <{ i8, i16 }> } { i32 1, <{ i8, i16 }> <{ i8 2, i16 3 }> }

declare void @use(...)

; Integers of every width class.
define void @integers(i1 %a, i7 %b, i8 %c, i16 %d, i24 %e, i32 %f, i64 %g, i65 %h, i128 %i, i1024 %j, i8388607 %k) {
  %a.1 = xor i1 %a, true
  %b.1 = add i7 %b, 3
  %c.1 = add i8 %c, -128
  %d.1 = add i16 %d, 32767
  %e.1 = add i24 %e, 8388607
  %f.1 = add i32 %f, -2147483648
  %g.1 = add i64 %g, -9223372036854775808
  %h.1 = add i65 %h, 18446744073709551616
  %i.1 = add i128 %i, 170141183460469231731687303715884105727
  %j.1 = add i1024 %j, 1234567890123456789012345678901234567890123456789012345678901234567890
  %k.1 = add i8388607 %k, 1
  call void (...) @use(i1 %a.1, i7 %b.1, i8 %c.1, i16 %d.1, i24 %e.1, i32 %f.1, i64 %g.1, i65 %h.1, i128 %i.1)
  call void (...) @use(i1024 %j.1, i8388607 %k.1)
  ret void
}

define void @floats(half %a, bfloat %b, float %c, double %d, x86_fp80 %e, fp128 %f, ppc_fp128 %g) {
  %a.1 = fadd half %a, 1.5
  %b.1 = fadd bfloat %b, 1.5
  %c.1 = fadd float %c, 1.5
  %d.1 = fadd double %d, 1.5
  %e.1 = fadd x86_fp80 %e, 0xK3FFFC000000000000000
  %f.1 = fadd fp128 %f, 0xL00000000000000003FFF800000000000
  %g.1 = fadd ppc_fp128 %g, 0xM3FF80000000000000000000000000000
  call void (...) @use(half %a.1, bfloat %b.1, float %c.1, double %d.1, x86_fp80 %e.1, fp128 %f.1, ppc_fp128 %g.1)
  ret void
}

define ptr addrspace(3) @pointers(ptr %a, ptr addrspace(1) %b, ptr addrspace(272) %c, ptr addrspace(16777215) %d) {
  %p = addrspacecast ptr %a to ptr addrspace(1)
  %q = icmp eq ptr addrspace(1) %p, %b
  %r = load ptr addrspace(3), ptr addrspace(272) %c, align 8
  store ptr addrspace(1) %p, ptr addrspace(16777215) %d, align 8
  call void (...) @use(i1 %q, ptr addrspace(1) null)
  ret ptr addrspace(3) %r
}

define <4 x i32> @vectors(<4 x i32> %a, <1 x i8> %b, <3 x float> %c, <8 x ptr> %d, <2 x i1> %e, <64 x i7> %f, <2 x ptr addrspace(1)> %g) {
  %sum = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %element = extractelement <3 x float> %c, i32 1
  %inserted = insertelement <4 x i32> %sum, i32 7, i64 2
  %index = extractelement <4 x i32> %a, i8 0
  %variable = extractelement <4 x i32> %inserted, i32 %index
  %shuffled = shufflevector <4 x i32> %inserted, <4 x i32> %a, <4 x i32> <i32 0, i32 5, i32 poison, i32 7>
  %wider = shufflevector <4 x i32> %shuffled, <4 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
  %splat = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> zeroinitializer
  %undefined = shufflevector <4 x i32> %a, <4 x i32> undef, <2 x i32> <i32 undef, i32 3>
  call void (...) @use(float %element, i32 %variable, <8 x i32> %wider, <2 x i32> %undefined, <1 x i8> %b, <8 x ptr> %d)
  call void (...) @use(<2 x i1> %e, <64 x i7> %f, <2 x ptr addrspace(1)> %g, <4 x i32> %splat)
  ret <4 x i32> %shuffled
}

define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %a, <vscale x 2 x i1> %b, <vscale x 1 x ptr> %c, ptr %p, i64 %i) {
  %sum = add nsw <vscale x 4 x i32> %a, splat (i32 1)
  %element = extractelement <vscale x 4 x i32> %sum, i64 %i
  %inserted = insertelement <vscale x 4 x i32> %sum, i32 %element, i64 0
  %splat = shufflevector <vscale x 4 x i32> %inserted, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %loaded = load <vscale x 4 x i32>, ptr %p, align 16
  %next = getelementptr <vscale x 4 x i32>, ptr %p, i64 1
  store <vscale x 4 x i32> zeroinitializer, ptr %next, align 16
  %slot = alloca <vscale x 2 x i64>, align 16
  %scale = call i64 @llvm.vscale.i64()
  call void (...) @use(<vscale x 2 x i1> %b, <vscale x 1 x ptr> %c, <vscale x 4 x i32> %loaded, ptr %slot, i64 %scale)
  ret <vscale x 4 x i32> %splat
}
declare i64 @llvm.vscale.i64()

define { i32, [2 x i8] } @aggregates({ i32, [2 x i8] } %a, [2 x [3 x i32]] %b, %s.nested %c, %s.packed %d, {} %e, [0 x i32] %f) {
  %first = extractvalue { i32, [2 x i8] } %a, 0
  %deep = extractvalue [2 x [3 x i32]] %b, 1, 2
  %deeper = extractvalue %s.nested %c, 2, 1, 1
  %changed = insertvalue { i32, [2 x i8] } %a, i8 7, 1, 0
  %changed.2 = insertvalue { i32, [2 x i8] } %changed, [2 x i8] c"ab", 1
  %packed = insertvalue %s.packed %d, i32 %deep, 1
  %built = insertvalue { i32, [2 x i8] } poison, i32 %first, 0
  %built.2 = insertvalue { i32, [2 x i8] } undef, i32 %first, 0
  %elements = extractvalue %s.nested %c, 1
  %empty = insertvalue { {}, i32 } poison, {} %e, 0
  call void (...) @use(i64 %deeper, %s.packed %packed, { i32, [2 x i8] } %built, { i32, [2 x i8] } %built.2)
  call void (...) @use([4 x %s.packed] %elements, { {}, i32 } %empty, [0 x i32] %f)
  ret { i32, [2 x i8] } %changed.2
}

define %"s.quoted name" @named_types(ptr %p, %s.named %a, %"s.quoted name" %b, %s.empty %c) {
  %n = load %s.named, ptr %p, align 8
  store %s.named %a, ptr @g.named, align 8
  %slot = alloca %s.nested, align 8
  %q = getelementptr inbounds %s.nested, ptr %slot, i64 0, i32 1, i64 2, i32 1
  %r = getelementptr %s.holder, ptr %p, i64 0, i32 1
  store ptr %q, ptr %r, align 8
  call void (...) @use(%s.named %n, %s.empty %c, ptr @g.opaque)
  ret %"s.quoted name" %b
}

define target("spirv.Image", float, 1, 0) @target_types(target("spirv.Image", float, 1, 0) %a, target("aarch64.svcount") %b, target("riscv.vector.tuple", <vscale x 8 x i8>, 2) %c, ptr %p) {
  %slot = alloca target("aarch64.svcount"), align 2
  store target("aarch64.svcount") %b, ptr %slot, align 2
  %loaded = load target("aarch64.svcount"), ptr %slot, align 2
  call void (...) @use(target("aarch64.svcount") %loaded, target("riscv.vector.tuple", <vscale x 8 x i8>, 2) %c)
  call void (...) @use(target("aarch64.svcount") zeroinitializer, target("spirv.Image", float, 1, 0) poison)
  ret target("spirv.Image", float, 1, 0) %a
}

define i32 @function_types(ptr %f, ptr %g, ptr %h) {
  call void %f()
  %a = call i32 %g(i32 1, ptr null)
  %b = call i32 (i32, ...) %h(i32 1, double 2.0, { i8, i8 } zeroinitializer)
  %c = call { i32, i32 } %g([2 x i32] zeroinitializer)
  %d = call <2 x i32> %g(<2 x i32> splat (i32 1))
  %sum = add i32 %a, %b
  call void (...) @use({ i32, i32 } %c, <2 x i32> %d)
  ret i32 %sum
}

; A phi of every kind of type, in a loop and at a join.
define void @phis(i1 %c, half %a, <vscale x 2 x i64> %v, { i32, ptr } %s, [2 x float] %r, target("aarch64.svcount") %t, x86_fp80 %x, i128 %w) {
entry:
  br label %loop

loop:
  %half = phi half [ %a, %entry ], [ 0xH3C00, %loop ]
  %scalable = phi <vscale x 2 x i64> [ %v, %entry ], [ zeroinitializer, %loop ]
  %struct = phi { i32, ptr } [ %s, %entry ], [ { i32 1, ptr @g.named }, %loop ]
  %array = phi [2 x float] [ %r, %entry ], [ [float 1.0, float 2.0], %loop ]
  %target = phi target("aarch64.svcount") [ %t, %entry ], [ zeroinitializer, %loop ]
  %wide = phi i128 [ %w, %entry ], [ %wide.next, %loop ]
  %long = phi x86_fp80 [ %x, %entry ], [ %long.next, %loop ]
  %wide.next = mul i128 %wide, 18446744073709551617
  %long.next = fneg x86_fp80 %long
  call void (...) @use(half %half, <vscale x 2 x i64> %scalable, { i32, ptr } %struct, [2 x float] %array)
  call void (...) @use(target("aarch64.svcount") %target, i128 %wide, x86_fp80 %long)
  br i1 %c, label %loop, label %end

end:
  ret void
}

define void @bitcasts(<4 x i32> %a, i128 %b, double %c, x86_fp80 %d, fp128 %e, <2 x ptr> %f, <2 x i64> %g) {
  %1 = bitcast <4 x i32> %a to i128
  %2 = bitcast i128 %b to <2 x double>
  %3 = bitcast double %c to <8 x i8>
  %4 = bitcast x86_fp80 %d to i80
  %5 = bitcast fp128 %e to ppc_fp128
  %6 = ptrtoint <2 x ptr> %f to <2 x i64>
  %7 = inttoptr <2 x i64> %g to <2 x ptr>
  %8 = addrspacecast <2 x ptr> %f to <2 x ptr addrspace(1)>
  call void (...) @use(i128 %1, <2 x double> %2, <8 x i8> %3, i80 %4, ppc_fp128 %5, <2 x i64> %6, <2 x ptr> %7)
  call void (...) @use(<2 x ptr addrspace(1)> %8)
  ret void
}
