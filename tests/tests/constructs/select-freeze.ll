; `select` and `freeze`
define i32 @f(i1 %c, i32 %a, i32 %b) {
  %d = freeze i32 %a
  %e = select i1 %c, i32 %d, i32 %b, !prof !0
  ret i32 %e
}
!0 = !{!"branch_weights", i32 1, i32 2}
