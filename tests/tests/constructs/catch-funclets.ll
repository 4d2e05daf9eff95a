; `catchswitch`, `catchpad`, `catchret`
declare void @throws()
declare i32 @__CxxFrameHandler3(...)
define i32 @f() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @throws()
          to label %fine unwind label %dispatch

dispatch:
  %s = catchswitch within none [label %handler] unwind to caller

handler:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  call void @throws() [ "funclet"(token %p) ]
  catchret from %p to label %fine

fine:
  ret i32 0
}
