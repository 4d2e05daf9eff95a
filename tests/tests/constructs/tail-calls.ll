; `tail` and `notail` calls
declare i32 @g(i32)
define i32 @f(i32 %a) {
  %b = tail call i32 @g(i32 %a)
  %c = notail call i32 @g(i32 %b)
  %d = tail call fastcc i32 @h(i32 %c)
  ret i32 %d
}
define internal fastcc i32 @h(i32 %a) {
  ret i32 %a
}
