; A token used in another block than its own
declare void @g()
define ptr addrspace(1) @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  %token = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  br i1 %c, label %then, label %join

then:
  %relocated = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %token, i32 0, i32 0)
  br label %join

join:
  %r = phi ptr addrspace(1) [ %relocated, %then ], [ null, %entry ]
  ret ptr addrspace(1) %r
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
