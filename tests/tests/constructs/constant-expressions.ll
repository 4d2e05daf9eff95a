; Constant expressions
@g = global [4 x i32] zeroinitializer
@h = global ptr getelementptr inbounds (i8, ptr @g, i64 4)
define i64 @f() {
  store i32 1, ptr getelementptr inbounds (i8, ptr @g, i64 8), align 4
  %a = add i64 ptrtoint (ptr @g to i64), sub (i64 ptrtoint (ptr @h to i64), i64 ptrtoint (ptr @g to i64))
  %b = xor i64 %a, trunc (i128 ptrtoint (ptr @h to i128) to i64)
  ret i64 %b
}
