; Every cast
define i32 @f(i64 %a, double %b, ptr %p, float %c) {
  %t = trunc i64 %a to i32
  %z = zext i32 %t to i64
  %s = sext i32 %t to i64
  %u = fptoui double %b to i32
  %v = fptosi double %b to i32
  %w = uitofp i32 %u to float
  %x = sitofp i32 %v to float
  %y = fptrunc double %b to float
  %d = fpext float %c to double
  %i = ptrtoint ptr %p to i64
  %j = inttoptr i64 %i to ptr
  %k = ptrtoaddr ptr %p to i64
  %l = bitcast float %w to i32
  %o1 = add i64 %z, %s
  store i64 %o1, ptr %j, align 8
  store float %x, ptr %j, align 4
  store float %y, ptr %j, align 4
  store double %d, ptr %j, align 8
  store i64 %k, ptr %j, align 8
  ret i32 %l
}
