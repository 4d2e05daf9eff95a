; `indirectbr` with `blockaddress`
define i32 @f(i1 %c) {
entry:
  %target = select i1 %c, ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)
  indirectbr ptr %target, [label %one, label %two]

one:
  ret i32 1

two:
  ret i32 2
}
