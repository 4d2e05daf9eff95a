; Irreducible control flow
define i32 @f(i1 %c, i1 %d, i32 %a) {
entry:
  br i1 %c, label %left, label %right

left:
  %x = phi i32 [ 0, %entry ], [ %s, %right ]
  %t = add i32 %x, %a
  br i1 %d, label %right, label %end

right:
  %y = phi i32 [ 1, %entry ], [ %t, %left ]
  %s = mul i32 %y, %a
  br label %left

end:
  ret i32 %t
}
