; Flags of floating point operations, comparisons, selects and calls
define float @f(float %a, float %b) {
  %c = fadd nnan ninf float %a, %b
  %d = fneg nsz float %c
  %e = fcmp arcp ule float %d, %b
  %g = select contract i1 %e, float %a, float %b
  %h = call afn reassoc float @llvm.sqrt.f32(float %g)
  %i = frem fast float %h, %a
  ret float %i
}
declare float @llvm.sqrt.f32(float)
