; `returns_twice` calls
declare i32 @setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
define i32 @f(ptr %buffer) {
entry:
  %slot = alloca i32, align 4
  store volatile i32 1, ptr %slot, align 4
  %a = call i32 @setjmp(ptr %buffer) returns_twice
  %c = icmp eq i32 %a, 0
  br i1 %c, label %first, label %second

first:
  store volatile i32 2, ptr %slot, align 4
  call void @longjmp(ptr %buffer, i32 1)
  unreachable

second:
  %b = load volatile i32, ptr %slot, align 4
  ret i32 %b
}
