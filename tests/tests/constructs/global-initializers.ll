; Initializers, linkages and other attributes of variables
@a = private unnamed_addr constant [3 x i8] c"ab\00", align 1
@b = internal global { i32, ptr } { i32 1, ptr @a }, section "x", align 8
@c = linkonce_odr hidden global <2 x float> <float 1.000000e+00, float 2.000000e+00>
@llvm.used = appending global [1 x ptr] [ptr @b], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]
define internal void @f() {
  ret void
}
