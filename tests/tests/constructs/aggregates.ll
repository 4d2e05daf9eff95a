; `extractvalue`, `insertvalue`, packed and named structures
%pair = type { i32, <{ i8, i64 }> }
define i64 @f(%pair %p, i64 %a) {
  %q = insertvalue %pair %p, i64 %a, 1, 1
  %r = extractvalue %pair %q, 1, 1
  %s = extractvalue %pair %q, 1
  %t = extractvalue <{ i8, i64 }> %s, 1
  %u = add i64 %r, %t
  ret i64 %u
}
