; `token none` as a constant
define void @f(ptr %handle) {
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret void
}
declare void @llvm.coro.end(ptr, i1, token)
