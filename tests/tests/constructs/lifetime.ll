; `llvm.lifetime`, `llvm.invariant`, `launder` and `strip` of groups
declare void @use(ptr)
define i32 @f(ptr %q) {
  %p = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %p)
  call void @use(ptr %p)
  %a = load i32, ptr %p, align 4
  call void @llvm.lifetime.end.p0(ptr %p)
  %i = call ptr @llvm.invariant.start.p0(i64 4, ptr %q)
  %l = call ptr @llvm.launder.invariant.group.p0(ptr %q)
  %s = call ptr @llvm.strip.invariant.group.p0(ptr %l)
  call void @use(ptr %s)
  call void @llvm.invariant.end.p0(ptr %i, i64 4, ptr %q)
  ret i32 %a
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare ptr @llvm.strip.invariant.group.p0(ptr)
