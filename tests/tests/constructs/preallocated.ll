; `preallocated` arguments, tokens between calls
define void @f() {
  %token = call token @llvm.call.preallocated.setup(i32 1)
  %argument = call ptr @llvm.call.preallocated.arg(token %token, i32 0) preallocated(i32)
  store i32 1, ptr %argument, align 4
  call void @g(ptr preallocated(i32) %argument) [ "preallocated"(token %token) ]
  ret void
}
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare void @g(ptr preallocated(i32))
