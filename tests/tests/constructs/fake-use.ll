; `llvm.fake.use`, `llvm.sideeffect`, `llvm.donothing`, `llvm.trap`
define void @f(i32 %a, i1 %c) {
entry:
  call void (...) @llvm.fake.use(i32 %a)
  call void @llvm.sideeffect()
  call void @llvm.donothing()
  br i1 %c, label %bad, label %fine

bad:
  call void @llvm.trap()
  unreachable

fine:
  call void @llvm.debugtrap()
  ret void
}
declare void @llvm.fake.use(...)
declare void @llvm.sideeffect()
declare void @llvm.donothing()
declare void @llvm.trap()
declare void @llvm.debugtrap()
