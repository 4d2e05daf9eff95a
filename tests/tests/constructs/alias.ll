; Aliases of functions, variables and places in them
@g = global [2 x i32] zeroinitializer
@second = alias i32, getelementptr (i8, ptr @g, i64 4)
@other = weak hidden alias i32 (), ptr @f
define i32 @f() {
  %a = load i32, ptr @second, align 4
  %b = call i32 @other()
  %c = add i32 %a, %b
  ret i32 %c
}
