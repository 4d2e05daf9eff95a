; Integers of any width
define i1000 @f(i1 %a, i3 %b, i65 %c) {
  %d = zext i1 %a to i1000
  %e = sext i3 %b to i1000
  %g = zext i65 %c to i1000
  %h = mul i1000 %d, %e
  %i = add i1000 %h, %g
  %j = xor i1000 %i, 1606938044258990275541962092341162602522202993782792835301376
  ret i1000 %j
}
