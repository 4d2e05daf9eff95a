; Address spaces and `addrspacecast`
target datalayout = "e-p:64:64-p1:32:32-p2:16:16-A5-G1-P4"
@g = addrspace(1) global i32 0, align 4
define i32 @f(ptr addrspace(2) %p) addrspace(4) {
  %a = alloca i32, align 4, addrspace(5)
  %c = addrspacecast ptr addrspace(2) %p to ptr
  store i32 1, ptr addrspace(5) %a, align 4
  %x = load i32, ptr %c, align 4
  store i32 %x, ptr addrspace(1) @g, align 4
  %y = load i32, ptr addrspacecast (ptr addrspace(1) @g to ptr), align 4
  ret i32 %y
}
