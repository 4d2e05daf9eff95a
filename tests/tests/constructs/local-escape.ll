; `llvm.localescape`, `llvm.localrecover`, `llvm.frameaddress`
define void @f() {
  %a = alloca i32, align 4
  call void (...) @llvm.localescape(ptr %a)
  ret void
}
define void @g(ptr %frame) {
  %a = call ptr @llvm.localrecover(ptr @f, ptr %frame, i32 0)
  store i32 1, ptr %a, align 4
  %r = call ptr @llvm.returnaddress(i32 0)
  store ptr %r, ptr %a, align 8
  ret void
}
declare void @llvm.localescape(...)
declare ptr @llvm.localrecover(ptr, ptr, i32)
declare ptr @llvm.returnaddress(i32)
