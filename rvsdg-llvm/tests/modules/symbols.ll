; Symbols of every linkage, visibility, storage and kind.
source_filename = "symbols.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl outside"
module asm "outside: nop"

$any = comdat any
$exact = comdat exactmatch
$large = comdat largest
$nodup = comdat nodeduplicate
$same = comdat samesize

%opaque = type opaque
%pair = type { i32, ptr }
%packed = type <{ i8, i32 }>
%0 = type { i64, %pair }

@external = external global i32, align 4
@external_const = external constant [4 x i8]
@extern_weak = extern_weak global i32
@opaque_memory = external global %opaque
@plain = global i32 7, align 4
@zero = global [16 x i32] zeroinitializer, align 16
@const = constant i64 -1
@internal = internal global i32 1
@private = private unnamed_addr constant [6 x i8] c"hello\00", align 1
@local_unnamed = local_unnamed_addr global i32 2
@weak = weak global i32 3
@weak_odr = weak_odr constant i32 4
@linkonce = linkonce global i32 5
@linkonce_odr = linkonce_odr constant i32 6
@common = common global i32 0, align 4
@available = available_externally constant i32 8
@hidden = hidden global i32 9
@protected = protected global i32 10
@dso = dso_local global i32 11
@init_outside = externally_initialized global i32 12
@section = global i32 13, section ".mydata"
@partitioned = global i32 14, partition "part"
@tls = thread_local global i32 15
@tls_ld = internal thread_local(localdynamic) global i32 16
@tls_ie = thread_local(initialexec) global i32 17
@tls_le = internal thread_local(localexec) global i32 18
@space = addrspace(3) global i32 19
@large_model = global i32 20, code_model "large"
@any = global i32 21, comdat
@exact = global i32 22, comdat
@large = global i32 23, comdat
@nodup = global i32 24, comdat
@same = global i32 25, comdat
@in_group = global i32 26, comdat($any)
@sanitized = global i32 27, no_sanitize_address, no_sanitize_hwaddress
@attributed = global i32 28 #0
@anonymous_type = global %0 { i64 1, %pair { i32 2, ptr @plain } }
@packed = global %packed <{ i8 1, i32 2 }>
@pointer = global ptr @plain
@self = global ptr @self
@ping = internal global ptr @pong
@pong = internal global ptr @ping
@offset = global ptr getelementptr inbounds ([16 x i32], ptr @zero, i64 0, i64 3)
@in_range = global ptr getelementptr inbounds inrange(-16, 48) ([16 x i32], ptr @zero, i64 0, i64 4)
@difference = global i64 sub (i64 ptrtoint (ptr @pointer to i64), i64 ptrtoint (ptr @plain to i64))
@cast = global ptr addrspacecast (ptr addrspace(3) @space to ptr)
@truncated = global i32 trunc (i64 ptrtoint (ptr @plain to i64) to i32)
@handler = global ptr dso_local_equivalent @callee
@no_cfi = global ptr no_cfi @callee
@floats = global [3 x double] [double 1.000000e+00, double 0x7FF8000000000000, double -0.000000e+00]
@halves = global <2 x half> <half 0xH3C00, half 0xH7E00>
@wide = global i128 170141183460469231731687303715884105727
@wider = global i200 -1
@x87 = global x86_fp80 0xK3FFF8000000000000000
@quad = global fp128 0xL00000000000000003FFF000000000000
@undefined = global { i32, i32 } { i32 undef, i32 1 }
@bytes = global [4 x i16] [i16 1, i16 2, i16 -3, i16 4]
@jump_table = internal constant [2 x ptr] [ptr blockaddress(@labels, %first), ptr blockaddress(@labels, %second)]
@llvm.used = appending global [1 x ptr] [ptr @internal], section "llvm.metadata"

@alias = alias i32, ptr @plain
@weak_alias = weak hidden alias i32, ptr @plain
@into = alias i32, getelementptr ([16 x i32], ptr @zero, i64 0, i64 2)
@function_alias = alias i32 (i32), ptr @callee
@ifunc = ifunc i32 (i32), ptr @resolver

define ptr @resolver() {
  ret ptr @callee
}

define dso_local i32 @callee(i32 %x) unnamed_addr #1 section ".text.hot" align 32 {
  ret i32 %x
}

define internal fastcc void @local() {
  ret void
}

define private void @hidden_here() {
  call fastcc void @local()
  ret void
}

define weak_odr hidden void @grouped() comdat($any) {
  call void @hidden_here()
  ret void
}

define linkonce_odr protected void @once() comdat {
  ret void
}
$once = comdat any

define available_externally void @inline_only() {
  ret void
}

define void @collected() gc "statepoint-example" {
  ret void
}

define void @prefixed() prefix i32 123 prologue i8 -112 {
  ret void
}

define i32 @recursive(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %done, label %more

more:                                             ; preds = %0
  %less = sub i32 %n, 1
  %deep = call i32 @mutual(i32 %less)
  ret i32 %deep

done:                                             ; preds = %0
  ret i32 0
}

define internal i32 @mutual(i32 %n) {
  %deep = tail call i32 @recursive(i32 %n)
  %seen = load i32, ptr @internal, align 4
  %sum = add nsw i32 %deep, %seen
  ret i32 %sum
}

define i32 @labels(i32 %n) {
entry:
  %slot = getelementptr [2 x ptr], ptr @jump_table, i32 0, i32 %n
  %target = load ptr, ptr %slot, align 8
  indirectbr ptr %target, [label %first, label %second]

first:                                            ; preds = %entry
  ret i32 1

second:                                           ; preds = %entry
  ret i32 2
}

define x86_stdcallcc void @convention() {
  ret void
}

define void @with_personality() personality ptr @__gxx_personality_v0 {
  invoke void @once()
          to label %fine unwind label %bad

fine:                                             ; preds = %0
  ret void

bad:                                              ; preds = %0
  %pad = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %pad
}

declare i32 @__gxx_personality_v0(...)

declare dllimport void @imported()

declare extern_weak void @maybe()

define void @uses() {
  call void @imported()
  call void @maybe()
  %a = load i32, ptr @tls, align 4
  store i32 %a, ptr addrspace(3) @space, align 4
  store ptr getelementptr (%0, ptr @anonymous_type, i64 0, i32 1), ptr @pointer, align 8
  ret void
}

attributes #0 = { "bss-section"="mybss" }
attributes #1 = { noinline nounwind "frame-pointer"="all" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"hand"}
