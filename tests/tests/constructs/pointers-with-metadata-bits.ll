; Pointers with an index narrower than themselves, non-integral address spaces
target datalayout = "e-p:64:64:64:32-p7:160:256:256:32-ni:7"
define ptr addrspace(7) @f(ptr addrspace(7) %p, ptr %q) {
  %a = getelementptr i8, ptr %q, i32 4
  %b = getelementptr i8, ptr addrspace(7) %p, i32 4
  store ptr %a, ptr addrspace(7) %b, align 8
  ret ptr addrspace(7) %b
}
