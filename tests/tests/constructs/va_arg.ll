; `va_arg`, `llvm.va_start`, `llvm.va_copy`, variadic functions and calls
define i32 @f(i32 %n, ...) {
  %list = alloca [24 x i8], align 8
  %copy = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %a = va_arg ptr %list, i32
  %b = va_arg ptr %copy, double
  call void @llvm.va_end.p0(ptr %copy)
  call void @llvm.va_end.p0(ptr %list)
  %r = call i32 (i32, ...) @f(i32 2, i32 %a, double %b)
  ret i32 %r
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
