; `half`, `bfloat`, `float`, `double`, `x86_fp80`, `fp128`, `ppc_fp128`
define fp128 @f(half %a, bfloat %b, x86_fp80 %c, ppc_fp128 %d) {
  %a1 = fadd half %a, 0xH3C00
  %b1 = fadd bfloat %b, 0xR3F80
  %c1 = fadd x86_fp80 %c, 0xK3FFF8000000000000000
  %d1 = fadd ppc_fp128 %d, 0xM3FF00000000000000000000000000000
  %a2 = fpext half %a1 to fp128
  %b2 = fpext bfloat %b1 to fp128
  %c2 = fptrunc x86_fp80 %c1 to double
  %c3 = fpext double %c2 to fp128
  %d2 = fptrunc ppc_fp128 %d1 to float
  %d3 = fpext float %d2 to fp128
  %s = fadd fp128 %a2, %b2
  %t = fmul fp128 %s, %c3
  %u = fsub fp128 %t, %d3
  %r = fadd fp128 %u, 0xL00000000000000003FFF000000000000
  ret fp128 %r
}
