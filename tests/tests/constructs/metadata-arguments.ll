; Metadata as arguments: strings and nodes
target triple = "x86_64-unknown-linux-gnu"
define i64 @f(ptr %p) {
  %a = call i64 @llvm.read_register.i64(metadata !0)
  call void @llvm.write_register.i64(metadata !0, i64 %a)
  %b = call i1 @llvm.type.test(ptr %p, metadata !"type")
  %c = zext i1 %b to i64
  %d = add i64 %a, %c
  ret i64 %d
}
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.write_register.i64(metadata, i64)
declare i1 @llvm.type.test(ptr, metadata)
!0 = !{!"rsp"}
