; `byval`, `sret`, `byref`, `elementtype`, `nest`, `returned`, ranges
declare ptr @llvm.preserve.array.access.index.p0.p0(ptr, i32, i32)
declare void @g(ptr byval([4 x i32]) align 8, ptr sret({ i32 }), ptr byref(i32))
define void @f(ptr byval([4 x i32]) align 8 %a, ptr sret({ i32 }) %b, ptr byref(i32) %c, ptr nest %d) {
  call void @g(ptr byval([4 x i32]) align 8 %a, ptr sret({ i32 }) %b, ptr byref(i32) %c)
  %e = call ptr @llvm.preserve.array.access.index.p0.p0(ptr elementtype([4 x i32]) %a, i32 1, i32 0)
  %r = load i32, ptr %e, align 4
  store i32 %r, ptr %b, align 4
  ret void
}
