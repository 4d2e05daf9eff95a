; Pointers of 32 bits
target datalayout = "e-m:e-p:32:32-i64:64-n32-S128"
define ptr @f(ptr %p, i32 %i) {
  %q = getelementptr inbounds i32, ptr %p, i32 %i
  %a = ptrtoint ptr %q to i32
  %b = and i32 %a, -8
  %r = inttoptr i32 %b to ptr
  ret ptr %r
}
