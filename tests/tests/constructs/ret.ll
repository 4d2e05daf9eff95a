; `ret`, of a value, an aggregate and nothing
define void @nothing() {
  ret void
}
define { i32, ptr } @aggregate({ i32, ptr } %a) {
  ret { i32, ptr } %a
}
