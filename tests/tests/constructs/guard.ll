; `llvm.experimental.guard`
define void @f(i1 %c) {
  call void (i1, ...) @llvm.experimental.guard(i1 %c, i32 1) [ "deopt"(i32 2) ]
  ret void
}
declare void @llvm.experimental.guard(i1, ...)
