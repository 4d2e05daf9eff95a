; Loops without an exit
declare void @g()
define void @f() {
entry:
  br label %loop

loop:
  call void @g()
  br label %loop
}
