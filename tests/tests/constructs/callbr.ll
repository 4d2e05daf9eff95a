; `callbr`
define i32 @f(i32 %a) {
entry:
  callbr void asm sideeffect "testl $0, $0; jne ${1:l}", "r,!i,~{dirflag},~{fpsr},~{flags}"(i32 %a)
          to label %fallthrough [label %taken]

fallthrough:
  ret i32 0

taken:
  ret i32 1
}
