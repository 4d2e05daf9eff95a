; Metadata of local values and constants as arguments
declare void @llvm.probe(metadata)
declare void @llvm.fake.use(...)
define i32 @f(i32 %a, i1 %c) {
entry:
  %b = add i32 %a, 1
  call void @llvm.probe(metadata i32 %b)
  call void @llvm.probe(metadata i32 7)
  br i1 %c, label %then, label %join

then:
  call void @llvm.probe(metadata i32 %a)
  br label %join

join:
  %r = phi i32 [ %a, %entry ], [ %b, %then ]
  call void @llvm.probe(metadata i32 %r)
  call void (...) @llvm.fake.use(i32 %b)
  ret i32 %b
}
