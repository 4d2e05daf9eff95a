; Flags of integer operations, casts and addresses
define i32 @f(i32 %a, i32 %b, i64 %w, ptr %p) {
  %c = add nuw nsw i32 %a, %b
  %d = udiv exact i32 %c, %b
  %e = or disjoint i32 %d, 1
  %g = trunc nuw nsw i64 %w to i32
  %h = zext nneg i32 %g to i64
  %i = icmp samesign ult i32 %e, %g
  %j = getelementptr inbounds nuw i8, ptr %p, i64 %h
  %k = load i32, ptr %j, align 4
  %l = select i1 %i, i32 %k, i32 %e
  %m = uitofp nneg i32 %l to float
  %n = fptoui float %m to i32
  ret i32 %n
}
