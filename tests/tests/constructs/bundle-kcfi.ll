; Operand bundle `kcfi`
define void @f(ptr %callee) {
  call void %callee() [ "kcfi"(i32 1234) ]
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 4, !"kcfi", i32 1}
