; `x86_amx`
define void @f(ptr %p, i16 %m, i16 %n) {
  %t = call x86_amx @llvm.x86.tileloadd64.internal(i16 %m, i16 %n, ptr %p, i64 64)
  call void @llvm.x86.tilestored64.internal(i16 %m, i16 %n, ptr %p, i64 64, x86_amx %t)
  ret void
}
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
