; `volatile` accesses and intrinsics
define void @f(ptr %p, ptr %q) {
  %a = load volatile i64, ptr %p, align 8
  %b = load volatile i64, ptr %p, align 8
  store volatile i64 %b, ptr %q, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 true)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 true)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 true)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
