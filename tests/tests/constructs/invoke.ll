; `invoke`, `landingpad`, `resume`
declare void @throws()
declare i32 @__gxx_personality_v0(...)
@type = external constant ptr
define i32 @f() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @throws()
          to label %fine unwind label %pad

fine:
  ret i32 0

pad:
  %e = landingpad { ptr, i32 }
          cleanup
          catch ptr @type
          filter [1 x ptr] [ptr @type]
  resume { ptr, i32 } %e
}
