; `musttail` calls
define i32 @f(i32 %a, ptr %p) {
entry:
  %c = icmp eq i32 %a, 0
  br i1 %c, label %end, label %again

end:
  ret i32 0

again:
  %b = sub i32 %a, 1
  %r = musttail call i32 @f(i32 %b, ptr %p)
  ret i32 %r
}
define void @variadic(i32 %a, ...) {
  musttail call void (i32, ...) @variadic(i32 %a, ...)
  ret void
}
