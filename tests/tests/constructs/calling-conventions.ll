; Calling conventions
declare coldcc void @cold()
declare cc 10 void @ghc()
declare preserve_mostcc void @most()
declare swifttailcc void @swift()
define fastcc void @f(ptr %p) {
  call coldcc void @cold()
  call cc 10 void @ghc()
  call preserve_mostcc void @most()
  call swifttailcc void @swift()
  call tailcc void %p()
  ret void
}
