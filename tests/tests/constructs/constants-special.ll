; `undef`, `poison`, `zeroinitializer`, `dso_local_equivalent`, `no_cfi`
declare void @g()
define { i32, [2 x ptr] } @f() {
  call void dso_local_equivalent @g()
  call void no_cfi @g()
  %a = insertvalue { i32, [2 x ptr] } { i32 undef, [2 x ptr] poison }, i32 1, 0
  %b = insertvalue { i32, [2 x ptr] } %a, ptr @g, 1, 1
  ret { i32, [2 x ptr] } %b
}
