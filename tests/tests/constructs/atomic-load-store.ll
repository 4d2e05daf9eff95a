; Atomic `load` and `store`, each ordering, a scope
define void @f(ptr %p) {
  %a = load atomic i32, ptr %p unordered, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  %c = load atomic i32, ptr %p acquire, align 4
  %d = load atomic volatile i32, ptr %p syncscope("singlethread") seq_cst, align 4
  store atomic i32 %a, ptr %p unordered, align 4
  store atomic i32 %b, ptr %p monotonic, align 4
  store atomic i32 %c, ptr %p release, align 4
  store atomic volatile i32 %d, ptr %p syncscope("agent") seq_cst, align 4
  ret void
}
