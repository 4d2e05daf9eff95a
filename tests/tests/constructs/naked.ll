; `naked` and `optnone` functions
define void @f() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
define void @g() noinline optnone {
  ret void
}
