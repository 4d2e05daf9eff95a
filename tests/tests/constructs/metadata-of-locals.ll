; Metadata of local values as arguments
declare void @llvm.fake.use(...)
declare void @llvm.probe(metadata)
define i32 @f(i32 %a) {
  %b = add i32 %a, 1
  call void @llvm.probe(metadata i32 %b)
  call void @llvm.probe(metadata i32 7)
  call void (...) @llvm.fake.use(i32 %b)
  ret i32 %b
}
