; Pseudo probes, profile counters, stack maps, patch points
define void @f(i32 %a) {
  call void @llvm.pseudoprobe(i64 1, i64 2, i32 0, i64 -1)
  call void @llvm.instrprof.increment(ptr @name, i64 123, i32 2, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 7, i32 8, i32 %a)
  %r = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 1, i32 15, ptr null, i32 1, i32 %a)
  ret void
}
declare void @llvm.pseudoprobe(i64, i64, i32, i64)
declare void @llvm.instrprof.increment(ptr, i64, i32, i32)
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
@name = private constant [1 x i8] c"f"
