; `llvm.experimental.deoptimize` without a result
define void @f(i1 %c, i32 %a) {
entry:
  br i1 %c, label %fast, label %slow

fast:
  ret void

slow:
  call void (...) @llvm.experimental.deoptimize.isVoid() [ "deopt"(i32 %a) ]
  ret void
}
declare void @llvm.experimental.deoptimize.isVoid(...)
