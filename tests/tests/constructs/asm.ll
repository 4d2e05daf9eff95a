; Inline assembly: constraints, side effects, indirect operands, dialects, unwinding
target triple = "x86_64-unknown-linux-gnu"
define i32 @f(i32 %a, ptr %p) {
  %b = call i32 asm "mov $1, $0", "=r,r"(i32 %a)
  %c = call { i32, i32 } asm sideeffect alignstack "cpuid", "={ax},={cx},0,~{memory},~{flags}"(i32 %b)
  call void asm "mov $1, $0", "=*m,r,~{dirflag}"(ptr elementtype(i32) %p, i32 %b)
  %d = call i32 asm sideeffect inteldialect "mov eax, 1", "={eax}"()
  call void asm sideeffect unwind "call throws", ""()
  ret i32 %d
}
