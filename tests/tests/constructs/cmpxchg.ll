; `cmpxchg`, weak, volatile, pairs of orderings
define i1 @f(ptr %p, ptr %q) {
  %a = cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic, align 4
  %b = cmpxchg weak ptr %p, i32 1, i32 2 acquire monotonic, align 4
  %c = cmpxchg volatile ptr %p, i32 1, i32 2 release acquire, align 4
  %d = cmpxchg ptr %p, i32 1, i32 2 syncscope("singlethread") acq_rel seq_cst, align 4
  %e = cmpxchg weak volatile ptr %p, ptr %q, ptr null seq_cst seq_cst, align 8
  %ok = extractvalue { ptr, i1 } %e, 1
  ret i1 %ok
}
