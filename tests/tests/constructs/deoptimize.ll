; `llvm.experimental.deoptimize`
define i32 @f(i1 %c, i32 %a) {
entry:
  %wide = call i1 @llvm.experimental.widenable.condition()
  %both = and i1 %c, %wide
  br i1 %both, label %fast, label %slow

fast:
  ret i32 %a

slow:
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 7) [ "deopt"(i32 %a) ]
  ret i32 %r
}
declare i1 @llvm.experimental.widenable.condition()
declare i32 @llvm.experimental.deoptimize.i32(...)
