; `switch` on i7, i32 and i128
define i32 @odd(i7 %a) {
entry:
  switch i7 %a, label %other [
    i7 1, label %one
    i7 -3, label %one
    i7 63, label %two
  ]

one:
  ret i32 1

two:
  ret i32 2

other:
  ret i32 0
}
define i32 @wide(i128 %a) {
entry:
  switch i128 %a, label %other [
    i128 170141183460469231731687303715884105727, label %one
    i128 -1, label %two
  ]

one:
  ret i32 1

two:
  ret i32 2

other:
  ret i32 0
}
define i32 @usual(i32 %a) {
entry:
  switch i32 %a, label %other [
    i32 0, label %one
    i32 1, label %two
  ], !prof !0

one:
  ret i32 1

two:
  ret i32 2

other:
  unreachable
}
!0 = !{!"branch_weights", i32 1, i32 2, i32 3}
