; Every kind of constant, in initializers and as operands of instructions.
source_filename = "constants.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }

@a = global [8 x i32] zeroinitializer
@b = global [8 x i32] zeroinitializer
@in.space = addrspace(1) global i32 0
@signed = global i32 0

; Initializers.
@integers = global { i1, i8, i64, i65, i128 } { i1 true, i8 -1, i64 9223372036854775807, i65 -1, i128 -170141183460469231731687303715884105728 }
@floats = global { half, bfloat, float, double } { half 0xH7C01, bfloat 0xR7F81, float 0x7FF8000020000000, double 0x7FF0000000000001 }
@strings = global { [4 x i8], [3 x i8], [2 x i16] } { [4 x i8] c"a\00\FF\22", [3 x i8] zeroinitializer, [2 x i16] [i16 1, i16 2] }
@vectors = global { <2 x i32>, <4 x i1>, <2 x ptr> } { <2 x i32> <i32 1, i32 undef>, <4 x i1> <i1 true, i1 false, i1 poison, i1 true>, <2 x ptr> <ptr @a, ptr null> }
@splats = global { <4 x i32>, <2 x double> } { <4 x i32> splat (i32 7), <2 x double> splat (double 1.0) }
@undefined = global { i32, ptr, [2 x i8] } { i32 undef, ptr poison, [2 x i8] undef }
@expressions = global [6 x i64] [i64 ptrtoint (ptr @a to i64), i64 ptrtoaddr (ptr @a to i64), i64 add (i64 ptrtoint (ptr @a to i64), i64 1), i64 sub nuw nsw (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)), i64 xor (i64 ptrtoint (ptr @a to i64), i64 -1), i64 ptrtoint (ptr getelementptr (i8, ptr null, i64 ptrtoint (ptr @a to i64)) to i64)]
@casts = global { i32, ptr, ptr addrspace(1), <2 x i16>, i32 } { i32 trunc (i64 ptrtoint (ptr @a to i64) to i32), ptr inttoptr (i64 4096 to ptr), ptr addrspace(1) addrspacecast (ptr @a to ptr addrspace(1)), <2 x i16> bitcast (i32 ptrtoint (ptr @a to i32) to <2 x i16>), i32 ptrtoint (ptr @a to i32) }
@elements = global [5 x ptr] [ptr getelementptr (i8, ptr @a, i64 4), ptr getelementptr inbounds (i8, ptr @a, i64 4), ptr getelementptr nuw (i8, ptr @a, i64 4), ptr getelementptr nusw nuw (i8, ptr @a, i64 4), ptr getelementptr inbounds nuw ([8 x i32], ptr @a, i64 0, i64 3)]
@in.ranges = global [2 x ptr] [ptr getelementptr inbounds inrange(-16, 16) ({ [2 x ptr], [2 x ptr] }, ptr @tables, i64 0, i32 0, i32 2), ptr getelementptr inrange(0, 8) (i8, ptr @a, i64 8)]
@tables = constant { [2 x ptr], [2 x ptr] } zeroinitializer
@vector.elements = global <2 x ptr> getelementptr (i8, <2 x ptr> <ptr @a, ptr @b>, <2 x i64> <i64 1, i64 2>)
@vector.expressions = global { i8, <2 x i32> } { i8 extractelement (<4 x i8> bitcast (i32 ptrtoint (ptr @a to i32) to <4 x i8>), i32 1), <2 x i32> insertelement (<2 x i32> bitcast (i64 ptrtoint (ptr @a to i64) to <2 x i32>), i32 7, i32 0) }
@shuffles = global <2 x i16> shufflevector (<2 x i16> bitcast (i32 ptrtoint (ptr @a to i32) to <2 x i16>), <2 x i16> poison, <2 x i32> <i32 1, i32 0>)
@equivalents = global [2 x ptr] [ptr dso_local_equivalent @external, ptr no_cfi @external]
@relative = global i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @external to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@authenticated = global [4 x ptr] [ptr ptrauth (ptr @signed, i32 2), ptr ptrauth (ptr @signed, i32 0, i64 65535), ptr ptrauth (ptr @signed, i32 0, i64 1234, ptr @authenticated), ptr ptrauth (ptr @signed, i32 0, i64 0, ptr null, ptr @signed)]
@blocks = global [3 x ptr] [ptr blockaddress(@labels, %first), ptr blockaddress(@labels, %second), ptr blockaddress(@labels, %first)]
@distance = global i32 sub (i32 ptrtoint (ptr blockaddress(@labels, %second) to i32), i32 ptrtoint (ptr blockaddress(@labels, %first) to i32))

declare extern_weak void @external()
declare void @use(...)

define void @integer_operands() {
  call void (...) @use(i1 true, i1 false, i8 -128, i16 65535, i32 -1, i64 9223372036854775807)
  call void (...) @use(i65 36893488147419103231, i128 -1, i128 170141183460469231731687303715884105727, i256 115792089237316195423570985008687907853269984665640564039457584007913129639935)
  ret void
}

define void @float_operands() {
  call void (...) @use(half 0xH3C00, half 0xH7C00, half 0xHFE00, half 0xH7C01, half 0xH0001)
  call void (...) @use(bfloat 0xR3F80, bfloat 0xR7F80, bfloat 0xRFFC0, bfloat 0xR7F81, bfloat 0xR0001)
  call void (...) @use(float 1.0, float -0.0, float 0x7FF0000000000000, float 0xFFF0000000000000, float 0x7FF8000000000000)
  call void (...) @use(float 0x7FF0000020000000, float 0xFFFFFFFFE0000000, float 0x36A0000000000000, float 0x3FB99999A0000000)
  call void (...) @use(double 0.1, double -0.0, double 0x7FF0000000000000, double 0x7FF8000000000000, double 0x7FF0000000000001)
  call void (...) @use(double 0xFFFFFFFFFFFFFFFF, double 4.9406564584124654e-324, double 1.7976931348623157e+308)
  call void (...) @use(x86_fp80 0xK3FFF8000000000000000, x86_fp80 0xK7FFFC000000000000001, x86_fp80 0xK7FFF8000000000000000, x86_fp80 0xK00000000000000000001)
  call void (...) @use(fp128 0xL00000000000000003FFF000000000000, fp128 0xL00000000000000017FFF000000000000, fp128 0xL00000000000000008000000000000000)
  call void (...) @use(ppc_fp128 0xM3FF00000000000000000000000000000, ppc_fp128 0xM7FF80000000000000000000000000001)
  ret void
}

define void @aggregate_operands() {
  call void (...) @use(%pair { i32 1, i64 2 }, %pair zeroinitializer, { i8, <{ i8, i32 }> } { i8 1, <{ i8, i32 }> <{ i8 2, i32 3 }> })
  call void (...) @use([3 x i32] [i32 1, i32 2, i32 3], [4 x i8] c"a\00b\FF", [2 x [2 x i8]] [[2 x i8] c"ab", [2 x i8] zeroinitializer])
  call void (...) @use(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> splat (i32 5), <4 x i32> zeroinitializer, <2 x float> <float 1.0, float -0.0>)
  call void (...) @use(<vscale x 4 x i32> splat (i32 5), <vscale x 2 x double> zeroinitializer, <vscale x 2 x double> splat (double 0.5))
  call void (...) @use(<2 x i1> <i1 true, i1 false>, <2 x half> splat (half 0xH7C01), <2 x i128> <i128 -1, i128 18446744073709551616>)
  call void (...) @use({} zeroinitializer, [0 x i8] zeroinitializer, { ptr, i32 } { ptr @a, i32 7 }, [2 x ptr] [ptr @a, ptr @b], <2 x ptr> <ptr @a, ptr null>)
  call void (...) @use([2 x float] [float 0x7FF0000020000000, float 1.0], [2 x double] [double 0.1, double 0x7FF0000000000001])
  ret void
}

define void @undefined_operands() {
  call void (...) @use(i32 undef, i32 poison, ptr undef, ptr poison, float undef, double poison)
  call void (...) @use(%pair undef, %pair poison, %pair { i32 undef, i64 1 }, %pair { i32 1, i64 poison }, [2 x i8] undef)
  call void (...) @use(<2 x i32> undef, <2 x i32> poison, <2 x i32> <i32 undef, i32 1>, <2 x i32> <i32 poison, i32 1>, <vscale x 2 x i32> poison)
  ret void
}

define void @pointer_operands() {
  call void (...) @use(ptr null, ptr addrspace(1) null, ptr @a, ptr addrspace(1) @in.space, ptr @pointer_operands, ptr @external)
  call void (...) @use(ptr getelementptr (i8, ptr @a, i64 4), ptr getelementptr inbounds (i8, ptr @a, i64 4), ptr getelementptr nuw (i8, ptr @a, i64 4))
  call void (...) @use(ptr getelementptr inbounds ([8 x i32], ptr @a, i64 0, i64 3), ptr getelementptr (%pair, ptr @a, i64 1, i32 1))
  call void (...) @use(ptr getelementptr inbounds inrange(-16, 16) ({ [2 x ptr], [2 x ptr] }, ptr @tables, i64 0, i32 0, i32 2))
  call void (...) @use(<2 x ptr> getelementptr (i8, <2 x ptr> <ptr @a, ptr @b>, <2 x i64> <i64 1, i64 2>))
  call void (...) @use(ptr addrspace(1) addrspacecast (ptr @a to ptr addrspace(1)), ptr inttoptr (i64 4096 to ptr))
  call void (...) @use(ptr inttoptr (i64 add (i64 ptrtoint (ptr @a to i64), i64 1) to ptr))
  call void (...) @use(ptr dso_local_equivalent @external, ptr no_cfi @external, ptr ptrauth (ptr @signed, i32 2))
  call void (...) @use(ptr ptrauth (ptr @signed, i32 0, i64 1234, ptr @a))
  ret void
}

define i64 @expression_operands(i64 %x) {
  %1 = add i64 %x, ptrtoint (ptr @a to i64)
  %2 = add i64 %1, ptrtoaddr (ptr @a to i64)
  %3 = sub i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)), %2
  %4 = xor i64 %3, add nsw (i64 ptrtoint (ptr @a to i64), i64 7)
  %5 = mul i64 %4, xor (i64 ptrtoint (ptr @a to i64), i64 -1)
  %6 = trunc i64 %5 to i32
  %7 = add i32 %6, trunc (i64 ptrtoint (ptr @a to i64) to i32)
  %8 = zext i32 %7 to i64
  call void (...) @use(<2 x i16> bitcast (i32 ptrtoint (ptr @a to i32) to <2 x i16>))
  call void (...) @use(i8 extractelement (<4 x i8> bitcast (i32 ptrtoint (ptr @a to i32) to <4 x i8>), i32 1))
  call void (...) @use(<2 x i32> insertelement (<2 x i32> bitcast (i64 ptrtoint (ptr @a to i64) to <2 x i32>), i32 7, i32 0))
  call void (...) @use(<2 x i16> shufflevector (<2 x i16> bitcast (i32 ptrtoint (ptr @a to i32) to <2 x i16>), <2 x i16> poison, <2 x i32> <i32 1, i32 0>))
  call void (...) @use({ ptr, i64 } { ptr @a, i64 ptrtoint (ptr @b to i64) }, [2 x ptr] [ptr getelementptr (i8, ptr @a, i64 1), ptr @b])
  ret i64 %8
}

define ptr @expressions_in_phis(i1 %c, i32 %n) {
entry:
  switch i32 %n, label %end [
    i32 0, label %zero
    i32 1, label %one
  ]

zero:
  call void (...) @use(i32 0)
  br label %end

one:
  call void (...) @use(i32 1)
  br i1 %c, label %end, label %two

two:
  call void (...) @use(i32 2)
  br label %end

end:
  %pointer = phi ptr [ getelementptr (i8, ptr @a, i64 4), %entry ], [ @b, %zero ], [ null, %one ], [ inttoptr (i64 ptrtoint (ptr @a to i64) to ptr), %two ]
  %number = phi i64 [ ptrtoint (ptr @a to i64), %entry ], [ undef, %zero ], [ poison, %one ], [ 7, %two ]
  %result = getelementptr i8, ptr %pointer, i64 %number
  ret ptr %result
}

define ptr @returns_an_expression() {
  ret ptr getelementptr (i8, ptr @a, i64 12)
}

define void @stores_of_constants(ptr %p) {
  store i128 -1, ptr %p, align 16
  store %pair { i32 1, i64 ptrtoint (ptr @a to i64) }, ptr %p, align 8
  store <2 x ptr> <ptr @a, ptr @b>, ptr getelementptr (i8, ptr @a, i64 4), align 16
  store ptr @stores_of_constants, ptr @b, align 8
  %loaded = load i32, ptr inttoptr (i64 4096 to ptr), align 4
  %literal = load i32, ptr null, align 4
  call void (...) @use(i32 %loaded, i32 %literal)
  ret void
}

; A function whose labels are taken, and another that takes them.
define i32 @labels(ptr %a) {
entry:
  indirectbr ptr %a, [label %first, label %second]

first:
  call void (...) @use(i32 1)
  ret i32 1

second:
  call void (...) @use(i32 2)
  ret i32 2
}

define ptr @takes_labels(i1 %c) {
  %p = select i1 %c, ptr blockaddress(@labels, %first), ptr blockaddress(@labels, %second)
  call void (...) @use(i64 ptrtoint (ptr blockaddress(@labels, %first) to i64))
  ret ptr %p
}
