; Assembly of a module
module asm ".globl hidden"
module asm "hidden:"
declare void @hidden()
define void @f() {
  call void @hidden()
  ret void
}
