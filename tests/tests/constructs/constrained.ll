; Constrained floating point
define i1 @f(double %a, double %b) strictfp {
  %c = call double @llvm.experimental.constrained.fadd.f64(double %a, double %b, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %d = call double @llvm.experimental.constrained.sqrt.f64(double %c, metadata !"round.tonearest", metadata !"fpexcept.maytrap") strictfp
  %e = call i1 @llvm.experimental.constrained.fcmps.f64(double %d, double %b, metadata !"olt", metadata !"fpexcept.strict") strictfp
  ret i1 %e
}
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.sqrt.f64(double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f64(double, double, metadata, metadata)
