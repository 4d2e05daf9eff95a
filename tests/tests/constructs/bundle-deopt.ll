; Operand bundle `deopt`
declare void @g()
define void @f(i32 %a, ptr %p) {
  call void @g() [ "deopt"(i32 %a, ptr %p, i64 7) ]
  ret void
}
