; `gc.statepoint`, `gc.relocate`, `gc.result`
declare i32 @g(i32)
define ptr addrspace(1) @f(ptr addrspace(1) %p, i32 %n, ptr %out) gc "statepoint-example" {
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(i32 (i32)) @g, i32 1, i32 0, i32 %n, i32 0, i32 0) [ "deopt"(i32 %n), "gc-live"(ptr addrspace(1) %p) ]
  %relocated = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 0, i32 0)
  %result = call i32 @llvm.experimental.gc.result.i32(token %token)
  store i32 %result, ptr %out, align 4
  ret ptr addrspace(1) %relocated
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare i32 @llvm.experimental.gc.result.i32(token)
