; Coroutines before they are split
define ptr @f(i32 %n) presplitcoroutine {
entry:
  %promise = alloca i32, align 4
  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)
  %needs = call i1 @llvm.coro.alloc(token %id)
  br i1 %needs, label %allocate, label %begin

allocate:
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  br label %begin

begin:
  %frame = phi ptr [ null, %entry ], [ %memory, %allocate ]
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %loop

loop:
  %i = phi i32 [ 0, %begin ], [ %next, %resume ]
  store i32 %i, ptr %promise, align 4
  %save = call token @llvm.coro.save(ptr %handle)
  %state = call i8 @llvm.coro.suspend(token %save, i1 false)
  switch i8 %state, label %suspend [
    i8 0, label %resume
    i8 1, label %cleanup
  ]

resume:
  %next = add i32 %i, 1
  br label %loop

cleanup:
  %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %freed)
  br label %suspend

suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i1 @llvm.coro.alloc(token)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare token @llvm.coro.save(ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @malloc(i64)
declare void @free(ptr)
