; `llvm.assume`, with and without bundles
define i32 @f(ptr %p, i32 %a) {
  %c = icmp sgt i32 %a, 0
  call void @llvm.assume(i1 %c)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p), "cold"() ]
  %b = load i32, ptr %p, align 4
  ret i32 %b
}
declare void @llvm.assume(i1)
