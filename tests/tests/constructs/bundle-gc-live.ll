; Operand bundles of any tag, several on a call
declare void @g()
define void @f(i32 %a, ptr %p) {
  call void @g() [ "gc-live"(ptr %p), "unknown"(i32 %a), "gc-transition"() ]
  ret void
}
