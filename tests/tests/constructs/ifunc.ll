; `ifunc`
@f = ifunc i32 (i32), ptr @resolver
define internal ptr @resolver() {
  ret ptr @implementation
}
define internal i32 @implementation(i32 %a) {
  ret i32 %a
}
define i32 @user(i32 %a) {
  %r = call i32 @f(i32 %a)
  ret i32 %r
}
