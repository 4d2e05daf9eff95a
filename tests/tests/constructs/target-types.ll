; Target extension types
define target("spirv.Event") @f(target("spirv.Event") %e, i1 %c) {
entry:
  br i1 %c, label %then, label %join

then:
  %g = call target("spirv.Event") @next(target("spirv.Event") %e)
  br label %join

join:
  %r = phi target("spirv.Event") [ %e, %entry ], [ %g, %then ]
  ret target("spirv.Event") %r
}
declare target("spirv.Event") @next(target("spirv.Event"))
