; `br`, with and without condition
define i32 @f(i1 %c, i32 %a) {
entry:
  br i1 %c, label %then, label %join

then:
  %b = add i32 %a, 1
  br label %join

join:
  %r = phi i32 [ %a, %entry ], [ %b, %then ]
  ret i32 %r
}
