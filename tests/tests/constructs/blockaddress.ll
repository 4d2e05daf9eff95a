; `blockaddress` of another function's block
define ptr @user() {
  ret ptr blockaddress(@owner, %there)
}
define void @owner() {
entry:
  br label %there

there:
  ret void
}
