; `personality`, `gc`, `prefix`, `prologue`, sections, comdats
$f = comdat any
@handler = external global ptr
declare i32 @__gxx_personality_v0(...)
define i32 @f() section "here" comdat align 32 gc "shadow-stack" prefix i32 7 prologue i8 -112 personality ptr @__gxx_personality_v0 {
  ret i32 1
}
