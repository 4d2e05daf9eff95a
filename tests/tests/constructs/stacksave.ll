; `llvm.stacksave`, `llvm.stackrestore`, dynamic `alloca` in a loop
declare void @use(ptr)
define void @f(i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %saved = call ptr @llvm.stacksave.p0()
  %room = alloca i32, i64 %n, align 16
  call void @use(ptr %room)
  call void @llvm.stackrestore.p0(ptr %saved)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
