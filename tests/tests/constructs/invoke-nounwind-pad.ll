; `invoke` with a result and a shared `landingpad`
declare i32 @throws(i32)
declare i32 @__gxx_personality_v0(...)
define i32 @f(i32 %a) personality ptr @__gxx_personality_v0 {
entry:
  %x = invoke i32 @throws(i32 %a)
          to label %next unwind label %pad

next:
  %y = invoke i32 @throws(i32 %x)
          to label %fine unwind label %pad

fine:
  ret i32 %y

pad:
  %s = phi i32 [ 0, %entry ], [ %x, %next ]
  %e = landingpad { ptr, i32 }
          catch ptr null
  ret i32 %s
}
