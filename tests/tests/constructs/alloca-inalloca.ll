; `inalloca` allocations
declare void @g(ptr inalloca({ i32 }))
define void @f() {
  %saved = call ptr @llvm.stacksave.p0()
  %argument = alloca inalloca { i32 }, align 4
  store i32 1, ptr %argument, align 4
  call void @g(ptr inalloca({ i32 }) %argument)
  call void @llvm.stackrestore.p0(ptr %saved)
  ret void
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
