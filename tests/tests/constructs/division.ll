; Divisions, which may trap
define i32 @f(i1 %c, i32 %a, i32 %b) {
entry:
  br i1 %c, label %then, label %join

then:
  %q = sdiv i32 %a, %b
  %r = urem i32 %q, %b
  br label %join

join:
  %s = phi i32 [ %r, %then ], [ 0, %entry ]
  ret i32 %s
}
