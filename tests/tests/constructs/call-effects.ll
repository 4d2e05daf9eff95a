; Calls with `memory(...)`, `nounwind`, `willreturn`, `speculatable`, on callee and call
declare i32 @pure(i32) memory(none) nounwind willreturn nosync speculatable
declare i32 @reads(ptr) memory(read) nounwind willreturn
declare i32 @args(ptr) memory(argmem: readwrite) nounwind willreturn
declare i32 @any(i32)
define i32 @f(ptr %p, i32 %a) {
  %b = call i32 @pure(i32 %a)
  %c = call i32 @reads(ptr %p)
  %d = call i32 @args(ptr %p)
  %e = call i32 @any(i32 %b) memory(none) nounwind willreturn
  %g = add i32 %b, %c
  %h = add i32 %d, %e
  %i = add i32 %g, %h
  ret i32 %i
}
