; Operand bundle `ptrauth`, `ptrauth` constants
target triple = "arm64e-apple-ios"
declare void @g()
define void @f(ptr %callee, i64 %d) {
  call void %callee() [ "ptrauth"(i32 0, i64 %d) ]
  call void ptrauth (ptr @g, i32 1, i64 12)() [ "ptrauth"(i32 1, i64 12) ]
  ret void
}
@signed = global ptr ptrauth (ptr @g, i32 2, i64 7, ptr @signed)
