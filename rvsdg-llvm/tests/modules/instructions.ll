; Every instruction of straight code and of structured control flow, with every flag.
source_filename = "instructions.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct = type { i32, [4 x i8], ptr }

@g = external global [10 x i32]

define void @integers(i32 %a, i32 %b, ptr %out, <4 x i32> %v) {
  %1 = add i32 %a, %b
  %2 = add nuw i32 %1, %b
  %3 = add nsw i32 %2, %b
  %4 = add nuw nsw i32 %3, %b
  %5 = sub nuw nsw i32 %4, %b
  %6 = mul nuw nsw i32 %5, %b
  %7 = udiv i32 %6, %b
  %8 = udiv exact i32 %7, 3
  %9 = sdiv i32 %8, %b
  %10 = sdiv exact i32 %9, 5
  %11 = urem i32 %10, %b
  %12 = srem i32 %11, %b
  %13 = shl i32 %12, 1
  %14 = shl nuw nsw i32 %13, 2
  %15 = lshr i32 %14, 1
  %16 = lshr exact i32 %15, 1
  %17 = ashr i32 %16, 1
  %18 = ashr exact i32 %17, 1
  %19 = and i32 %18, 255
  %20 = or i32 %19, 256
  %21 = or disjoint i32 %20, 512
  %22 = xor i32 %21, -1
  %23 = icmp eq i32 %22, %a
  %24 = icmp samesign ult i32 %22, %a
  %25 = icmp sgt i32 %22, %a
  %26 = select i1 %23, i32 %22, i32 %a
  %27 = freeze i32 %26
  %28 = zext i32 %27 to i64
  %29 = zext nneg i32 %27 to i64
  %30 = sext i32 %27 to i64
  %31 = trunc i64 %30 to i8
  %32 = trunc nuw i64 %30 to i8
  %33 = trunc nsw i64 %30 to i8
  %34 = trunc nuw nsw i64 %30 to i8
  %35 = udiv i64 %28, %29
  %36 = sdiv i32 %27, -1
  %37 = add <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
  %38 = udiv <4 x i32> %37, splat (i32 7)
  %39 = add i128 18446744073709551616, 170141183460469231731687303715884105727
  store i8 %31, ptr %out, align 1
  store i8 %32, ptr %out, align 1
  store i8 %33, ptr %out, align 1
  store i8 %34, ptr %out, align 1
  store i64 %35, ptr %out, align 8
  store i32 %36, ptr %out, align 4
  store <4 x i32> %38, ptr %out, align 16
  store i1 %24, ptr %out, align 1
  store i1 %25, ptr %out, align 1
  store i128 %39, ptr %out, align 16
  ret void
}

define double @floats(double %a, float %b, <2 x half> %h, bfloat %c, x86_fp80 %l, fp128 %q, i32 %i) {
  %1 = fadd double %a, 1.000000e+00
  %2 = fsub fast double %1, %a
  %3 = fmul reassoc nnan ninf nsz arcp contract afn double %2, %a
  %4 = fdiv arcp double %3, 0x3FB999999999999A
  %5 = frem nnan double %4, %a
  %6 = fneg nsz double %5
  %7 = fcmp oeq double %6, %a
  %8 = fcmp nnan ult double %6, %a
  %9 = select nsz i1 %7, double %6, double %a
  %10 = fptrunc double %9 to float
  %11 = fptrunc contract double %9 to float
  %12 = fpext float %11 to double
  %13 = fpext ninf float %10 to double
  %14 = fptoui double %12 to i32
  %15 = fptosi double %13 to i32
  %16 = uitofp i32 %14 to double
  %17 = uitofp nneg i32 %14 to double
  %18 = sitofp i32 %15 to double
  %19 = fadd double %16, %17
  %20 = fadd double %18, %19
  %21 = fpext <2 x half> %h to <2 x float>
  %22 = extractelement <2 x float> %21, i32 1
  %23 = fpext bfloat %c to float
  %24 = fadd float %22, %23
  %25 = fpext float %24 to double
  %26 = fptrunc x86_fp80 %l to double
  %27 = fptrunc fp128 %q to double
  %28 = fadd double %25, %26
  %29 = fadd double %27, %28
  %30 = call nnan double @llvm.sqrt.f64(double %29)
  %31 = call double @llvm.fma.f64(double %30, double 0x7FF0000000000000, double 0x8000000000000000)
  %32 = call fast double @outside(double %31)
  %33 = fadd double %20, %32
  %34 = select i1 %8, double %33, double 0x7FF8000000000001
  ret double %34
}

define void @memory(ptr %p, ptr addrspace(1) %far, i32 %n, <4 x i1> %mask) {
  %1 = alloca i32, align 4
  %2 = alloca %struct, i32 %n, align 16
  %3 = alloca [8 x i8], align 1
  %4 = load i32, ptr %p, align 4
  %5 = load volatile i32, ptr %p, align 2
  %6 = load atomic i32, ptr %p unordered, align 4
  %7 = load atomic volatile i32, ptr %p syncscope("singlethread") acquire, align 4
  %8 = load atomic i32, ptr %p syncscope("agent") seq_cst, align 4
  store i32 %4, ptr %1, align 4
  store volatile i32 %5, ptr %1, align 4
  store atomic i32 %6, ptr %1 monotonic, align 4
  store atomic volatile i32 %7, ptr %1 syncscope("singlethread") release, align 4
  fence seq_cst
  fence syncscope("singlethread") acq_rel
  %9 = cmpxchg ptr %p, i32 %4, i32 %5 acq_rel monotonic, align 4
  %10 = cmpxchg weak volatile ptr %p, i32 %4, i32 %5 syncscope("singlethread") seq_cst acquire, align 8
  %11 = extractvalue { i32, i1 } %9, 0
  %12 = atomicrmw add ptr %p, i32 %11 monotonic, align 4
  %13 = atomicrmw volatile xchg ptr %p, i32 %12 syncscope("singlethread") seq_cst, align 4
  %14 = atomicrmw nand ptr %p, i32 %13 acquire, align 4
  %15 = atomicrmw umin ptr %p, i32 %14 release, align 4
  %16 = atomicrmw uinc_wrap ptr %p, i32 %15 acq_rel, align 4
  %17 = atomicrmw fadd ptr %p, float 1.000000e+00 monotonic, align 4
  %18 = getelementptr %struct, ptr %2, i64 1, i32 1, i64 2
  %19 = getelementptr inbounds %struct, ptr %2, i64 1, i32 2
  %20 = getelementptr nusw i8, ptr %18, i64 1
  %21 = getelementptr nuw i8, ptr %20, i64 1
  %22 = getelementptr inbounds nuw i8, ptr %21, i32 %n
  %23 = addrspacecast ptr addrspace(1) %far to ptr
  %24 = ptrtoint ptr %23 to i64
  %25 = inttoptr i64 %24 to ptr
  %26 = ptrtoaddr ptr %25 to i64
  %27 = bitcast i64 %26 to double
  %28 = bitcast double %27 to <2 x i32>
  store <2 x i32> %28, ptr %22, align 8
  store i64 ptrtoint (ptr getelementptr inbounds ([10 x i32], ptr @g, i64 0, i64 9) to i64), ptr %19, align 8
  %29 = getelementptr i8, ptr %3, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %30 = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %29, <4 x i1> %mask, <4 x i32> poison)
  store <4 x i32> %30, ptr %p, align 16
  store float %17, ptr %p, align 4
  %31 = extractvalue { i32, i1 } %10, 1
  store i1 %31, ptr %p, align 1
  %32 = add i32 %16, %8
  store i32 %32, ptr %p, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 8 %3, i64 8, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 true)
  call void @llvm.lifetime.start.p0(ptr %3)
  call void @llvm.lifetime.end.p0(ptr %3)
  ret void
}

define { i32, <4 x i32> } @aggregates({ i32, { float, [2 x i32] } } %a, <4 x i32> %v, <vscale x 2 x i64> %s, i32 %i) {
  %1 = extractvalue { i32, { float, [2 x i32] } } %a, 1, 1, 0
  %2 = insertvalue { i32, { float, [2 x i32] } } %a, i32 %1, 1, 1, 1
  %3 = extractvalue { i32, { float, [2 x i32] } } %2, 0
  %4 = extractelement <4 x i32> %v, i32 %i
  %5 = insertelement <4 x i32> %v, i32 %4, i32 2
  %6 = shufflevector <4 x i32> %5, <4 x i32> %v, <4 x i32> <i32 0, i32 7, i32 poison, i32 3>
  %7 = shufflevector <4 x i32> %6, <4 x i32> poison, <4 x i32> zeroinitializer
  %8 = insertelement <vscale x 2 x i64> poison, i64 1, i64 0
  %9 = shufflevector <vscale x 2 x i64> %8, <vscale x 2 x i64> poison, <vscale x 2 x i32> zeroinitializer
  %10 = add <vscale x 2 x i64> %9, splat (i64 5)
  %11 = extractelement <vscale x 2 x i64> %10, i32 0
  %12 = trunc i64 %11 to i32
  %13 = add i32 %3, %12
  %14 = insertvalue { i32, <4 x i32> } undef, i32 %13, 0
  %15 = insertvalue { i32, <4 x i32> } %14, <4 x i32> %7, 1
  ret { i32, <4 x i32> } %15
}

define i32 @calls(ptr %f, i32 %x, ptr %p, ...) {
  %1 = call i32 @callee(i32 %x)
  %2 = tail call i32 @callee(i32 noundef signext %1)
  %3 = notail call i32 %f(i32 %2)
  %4 = call fastcc i32 %f(i32 %3) #2
  %5 = call i32 (ptr, ...) @printf(ptr %p, i32 %4, double 1.500000e+00)
  call void @byval(ptr byval(%struct) align 8 %p, ptr sret(i32) %p)
  %6 = call i32 asm sideeffect alignstack inteldialect "mov $0, $1", "=r,r,~{dirflag},~{fpsr},~{flags}"(i32 %5)
  %7 = call { i32, i32 } asm "cpuid", "={ax},={bx},0"(i32 %6)
  call void asm sideeffect unwind "", "*m"(ptr elementtype(i32) %p)
  %8 = extractvalue { i32, i32 } %7, 1
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p) ]
  %9 = call i32 @callee(i32 %8) [ "deopt"(i32 1, ptr %p), "custom"() ]
  %10 = call double @llvm.experimental.constrained.fadd.f64(double 1.000000e+00, double 2.000000e+00, metadata !"round.dynamic", metadata !"fpexcept.strict") #3
  %11 = fptosi double %10 to i32
  %12 = call i64 @llvm.read_register.i64(metadata !0)
  %13 = trunc i64 %12 to i32
  %14 = add i32 %11, %13
  %list = alloca [1 x { i32, i32, ptr, ptr }], align 16
  call void @llvm.va_start.p0(ptr %list)
  %15 = va_arg ptr %list, i32
  call void @llvm.va_end.p0(ptr %list)
  %16 = add i32 %14, %15
  %17 = add i32 %9, %16
  ret i32 %17
}

define i32 @control(i32 %n, i64 %wide, ptr %p) {
entry:
  switch i32 %n, label %default [
    i32 0, label %zero
    i32 1, label %one
    i32 -5, label %zero
    i32 7, label %join
  ]

zero:                                             ; preds = %entry, %entry
  br label %join

one:                                              ; preds = %entry
  %odd = trunc i32 %n to i1
  br i1 %odd, label %join, label %unreached

unreached:                                        ; preds = %one
  store i32 1, ptr %p, align 4
  unreachable

default:                                          ; preds = %entry
  br label %loop

loop:                                             ; preds = %loop, %default
  %i = phi i64 [ %wide, %default ], [ %next, %loop ]
  %f = phi fast float [ 0.000000e+00, %default ], [ %g, %loop ]
  %next = add nsw i64 %i, -1
  %g = fadd float %f, 1.000000e+00
  %again = icmp ne i64 %next, 0
  br i1 %again, label %loop, label %left

left:                                             ; preds = %loop
  %int = fptosi float %g to i32
  switch i64 %wide, label %join [
    i64 9223372036854775807, label %zero2
  ]

zero2:                                            ; preds = %left
  br label %join

join:                                             ; preds = %zero2, %left, %one, %zero, %entry
  %result = phi i32 [ 7, %entry ], [ 0, %zero ], [ 1, %one ], [ %int, %left ], [ -1, %zero2 ]
  ret i32 %result
}

define void @forever(ptr %p) {
  br label %1

1:                                                ; preds = %1, %0
  store volatile i32 1, ptr %p, align 4
  br label %1
}

define void @nothing() {
  unreachable
}

declare i32 @callee(i32)

declare double @outside(double)

declare i32 @printf(ptr, ...)

declare void @byval(ptr byval(%struct) align 8, ptr sret(i32))

declare double @llvm.sqrt.f64(double)

declare double @llvm.fma.f64(double, double, double)

declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)

declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg)

declare void @llvm.lifetime.start.p0(ptr captures(none))

declare void @llvm.lifetime.end.p0(ptr captures(none))

declare void @llvm.assume(i1 noundef)

declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)

declare i64 @llvm.read_register.i64(metadata)

declare void @llvm.va_start.p0(ptr)

declare void @llvm.va_end.p0(ptr)

attributes #2 = { nounwind memory(read) }
attributes #3 = { strictfp }

!0 = !{!"rsp"}

define i32 @switch_of_bits(i1 %a) {
  switch i1 %a, label %no [
    i1 true, label %yes
  ]

yes:                                              ; preds = %0
  ret i32 1

no:                                               ; preds = %0
  ret i32 0
}

define i32 @deoptimizes(i1 %a) {
  br i1 %a, label %fast, label %slow

fast:                                             ; preds = %0
  ret i32 1

slow:                                             ; preds = %0
  %1 = call i32 (...) @llvm.experimental.deoptimize.i32() [ "deopt"() ]
  ret i32 %1
}

declare i32 @llvm.experimental.deoptimize.i32(...)
