; `thread_local` variables
@a = thread_local global i32 0
@b = external thread_local(initialexec) global i32
define i32 @f() {
  %p = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @a)
  %x = load i32, ptr %p, align 4
  %q = call ptr @llvm.threadlocal.address.p0(ptr @b)
  %y = load i32, ptr %q, align 4
  %z = add i32 %x, %y
  ret i32 %z
}
declare ptr @llvm.threadlocal.address.p0(ptr)
