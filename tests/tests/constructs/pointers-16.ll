; Pointers of 16 bits, big-endian
target datalayout = "E-p:16:16-i32:16-n16-S16"
define i16 @f(ptr %p) {
  %a = ptrtoint ptr %p to i16
  %b = load i16, ptr %p, align 2
  %c = add i16 %a, %b
  ret i16 %c
}
