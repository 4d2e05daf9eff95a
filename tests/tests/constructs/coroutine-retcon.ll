; Coroutines with continuations
define ptr @f(ptr %buffer, i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id.retcon(i32 8, i32 8, ptr %buffer, ptr @prototype, ptr @malloc, ptr @free)
  %handle = call ptr @llvm.coro.begin(token %id, ptr null)
  br label %loop

loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %unwind = call i1 (...) @llvm.coro.suspend.retcon.i1()
  %next = add i32 %i, 1
  br i1 %unwind, label %cleanup, label %loop

cleanup:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  unreachable
}
declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i1 @llvm.coro.suspend.retcon.i1(...)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @prototype(ptr, i1)
declare ptr @malloc(i32)
declare void @free(ptr)
