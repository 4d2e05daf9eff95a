; `convergent` calls
declare i32 @g(i32) convergent
define i32 @f(i1 %c, i32 %a) convergent {
entry:
  br i1 %c, label %then, label %join

then:
  %x = call i32 @g(i32 %a) convergent
  br label %join

join:
  %y = phi i32 [ %x, %then ], [ %a, %entry ]
  ret i32 %y
}
