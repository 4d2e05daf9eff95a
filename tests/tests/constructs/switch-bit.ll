; `switch` on i1
define i32 @f(i1 %a) {
entry:
  switch i1 %a, label %no [
    i1 true, label %yes
  ]

yes:
  ret i32 1

no:
  ret i32 0
}
