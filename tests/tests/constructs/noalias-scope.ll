; Alias scopes and their declarations, `tbaa`, access groups
define i32 @f(ptr %p, ptr %q) {
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  %a = load i32, ptr %p, align 4, !alias.scope !0, !tbaa !3
  store i32 %a, ptr %q, align 4, !noalias !0, !llvm.access.group !6
  ret i32 %a
}
declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = !{!1}
!1 = distinct !{!1, !2, !"scope"}
!2 = distinct !{!2, !"domain"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5}
!5 = !{!"root"}
!6 = distinct !{}
