; `swifterror` allocations and arguments
declare swiftcc void @g(ptr swiftself, ptr swifterror)
define swiftcc ptr @f(ptr swiftself %self, ptr swifterror %out) {
entry:
  %error = alloca swifterror ptr, align 8
  store ptr null, ptr %error, align 8
  call swiftcc void @g(ptr swiftself %self, ptr swifterror %error)
  %e = load ptr, ptr %error, align 8
  %c = icmp eq ptr %e, null
  br i1 %c, label %fine, label %bad

fine:
  call swiftcc void @g(ptr swiftself %self, ptr swifterror %out)
  ret ptr null

bad:
  store ptr %e, ptr %out, align 8
  ret ptr %e
}
