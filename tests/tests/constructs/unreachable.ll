; `unreachable`
declare void @abort() noreturn
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %good, label %bad

good:
  ret i32 1

bad:
  call void @abort()
  unreachable
}
