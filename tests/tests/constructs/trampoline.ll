; Trampolines
define i32 @nested(ptr nest %chain, i32 %a) {
  ret i32 %a
}
define ptr @f(ptr %memory, ptr %chain) {
  call void @llvm.init.trampoline(ptr %memory, ptr @nested, ptr %chain)
  %g = call ptr @llvm.adjust.trampoline(ptr %memory)
  ret ptr %g
}
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
