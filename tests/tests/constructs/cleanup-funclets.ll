; `cleanuppad`, `cleanupret`
declare void @throws()
declare void @release() nounwind
declare i32 @__CxxFrameHandler3(...)
define void @f() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @throws()
          to label %fine unwind label %pad

fine:
  ret void

pad:
  %p = cleanuppad within none []
  call void @release() [ "funclet"(token %p) ]
  cleanupret from %p unwind to caller
}
