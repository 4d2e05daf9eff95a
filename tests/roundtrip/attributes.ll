; Every attribute, wherever it may stand: functions, parameters, results, call sites.
source_filename = "attributes.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.pair = type { i32, i64 }

; Function attributes.

define ptr @allockind_allocsize(i64 %n, i64 %m) allockind("alloc,zeroed") allocsize(0, 1) "alloc-family"="malloc" {
  ret ptr null
}
declare void @allockind_free(ptr allocptr) allockind("free") "alloc-family"="malloc"
declare ptr @allockind_realloc(ptr allocptr, i64 allocalign, i64) allockind("realloc,uninitialized,aligned") allocsize(2) "alloc-family"="malloc"
declare ptr @alloc_variant(i64) allockind("alloc,uninitialized") "alloc-variant-zeroed"="alloc_zeroed" "alloc-family"="malloc"
declare ptr @alloc_zeroed(i64) allockind("alloc,zeroed") "alloc-family"="malloc"
define void @alwaysinline() alwaysinline { ret void }
define void @builtin() nobuiltin { ret void }
define void @cold() cold { ret void }
define void @convergent() convergent { ret void }
define void @hot() hot { ret void }
define void @disable_sanitizer_instrumentation() disable_sanitizer_instrumentation { ret void }
define void @fn_ret_thunk_extern() fn_ret_thunk_extern { ret void }
define void @hybrid_patchable() hybrid_patchable { ret void }
define void @inlinehint() inlinehint { ret void }
define void @jumptable() unnamed_addr jumptable { ret void }
define void @minsize() minsize optsize { ret void }
define void @naked() naked noinline {
  call void asm sideeffect "ret", ""()
  unreachable
}
define void @nobuiltin() nobuiltin { ret void }
define void @nocallback() nocallback { ret void }
declare i32 @nocreateundeforpoison(i32) nocreateundeforpoison
define void @nodivergencesource() nodivergencesource { ret void }
define void @noduplicate() noduplicate { ret void }
define void @nofree() nofree { ret void }
define void @noimplicitfloat() noimplicitfloat { ret void }
define void @noinline() noinline { ret void }
define void @nonlazybind() nonlazybind { ret void }
define void @nomerge() nomerge { ret void }
define void @norecurse() norecurse { ret void }
define void @noredzone() noredzone { ret void }
define void @noreturn() noreturn { unreachable }
define void @nosync() nosync { ret void }
define void @nocf_check() nocf_check { ret void }
define void @noprofile() noprofile { ret void }
define void @skipprofile() skipprofile { ret void }
define void @nounwind() nounwind { ret void }
define void @nosanitize_bounds() nosanitize_bounds { ret void }
define void @nosanitize_coverage() nosanitize_coverage { ret void }
define void @null_pointer_is_valid() null_pointer_is_valid { ret void }
define void @optdebug() optdebug { ret void }
define void @optforfuzzing() optforfuzzing { ret void }
define void @optsize() optsize { ret void }
define void @optnone() optnone noinline { ret void }
define void @returns_twice() returns_twice { ret void }
define void @safestack() safestack { ret void }
define void @shadowcallstack() shadowcallstack { ret void }
define void @alignstack() alignstack(32) { ret void }
define i32 @speculatable(i32 %a) speculatable memory(none) { ret i32 %a }
define void @ssp() ssp { ret void }
define void @sspreq() sspreq { ret void }
define void @sspstrong() sspstrong { ret void }
define void @strictfp() strictfp { ret void }
define void @sanitize_address() sanitize_address { ret void }
define void @sanitize_thread() sanitize_thread { ret void }
define void @sanitize_type() sanitize_type { ret void }
define void @sanitize_memory() sanitize_memory { ret void }
define void @sanitize_hwaddress() sanitize_hwaddress { ret void }
define void @sanitize_memtag() sanitize_memtag { ret void }
define void @sanitize_numerical_stability() sanitize_numerical_stability { ret void }
define void @sanitize_realtime() sanitize_realtime { ret void }
define void @sanitize_realtime_blocking() sanitize_realtime_blocking { ret void }
define void @sanitize_alloc_token() sanitize_alloc_token { ret void }
define void @speculative_load_hardening() speculative_load_hardening { ret void }
define void @uwtable() uwtable { ret void }
define void @uwtable_sync() uwtable(sync) { ret void }
define void @vscale_range() vscale_range(1, 16) { ret void }
define void @vscale_range_open() vscale_range(2, 0) { ret void }
define void @willreturn() willreturn { ret void }
define void @mustprogress() mustprogress { ret void }
define void @coro_only_destroy_when_complete() coro_only_destroy_when_complete { ret void }
define void @memory_none() memory(none) { ret void }
define void @memory_read() memory(read) { ret void }
define void @memory_write() memory(write) { ret void }
define void @memory_argmem() memory(argmem: readwrite) { ret void }
define void @memory_inaccessiblemem() memory(inaccessiblemem: write) { ret void }
define void @memory_errnomem() memory(errnomem: write) { ret void }
define void @memory_mixed() memory(read, argmem: readwrite, inaccessiblemem: none) { ret void }
define void @memory_target() memory(target_mem0: read, target_mem1: write) { ret void }
define void @strings() "less-precise-fpmad"="true" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-jump-tables"="true" "no-inline-line-tables" "profile-sample-accurate" "use-sample-profile" "loader-replaceable" "marked_for_windows_hot_patching" {
  ret void
}
define void @complex_strings() "denormal-fp-math"="preserve-sign,positive-zero" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "probe-stack"="inline-asm" "patchable-function"="prologue-short-redirect" "patchable-function-entry"="2" "patchable-function-prefix"="1" "warn-stack-size"="80" "sign-return-address"="all" "thunk" "mine" "mine too"="a \22quoted\22 \\ value" {
  ret void
}
define void @grouped() #0 { ret void }
define void @grouped_too() #0 "alone" { ret void }

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "frame-pointer"="none" }

; Parameter attributes.

define void @p_align(ptr align 16 %p) { ret void }
define void @p_alignstack(i32 alignstack(8) %a) { ret void }
define void @p_byref(ptr byref(%struct.pair) align 8 %p) { ret void }
define void @p_byval(ptr byval(%struct.pair) align 8 %p) { ret void }
define void @p_inalloca(ptr inalloca(%struct.pair) %p) { ret void }
define void @p_preallocated(ptr preallocated(%struct.pair) %p) { ret void }
define void @p_sret(ptr dead_on_unwind noalias writable sret(%struct.pair) align 8 %p) { ret void }
define void @p_captures_none(ptr captures(none) %p) { ret void }
define void @p_captures_some(ptr captures(address_is_null, read_provenance) %p) { ret void }
define ptr @p_captures_ret(ptr captures(address, ret: address, provenance) %p) { ret ptr %p }
define void @p_dead_on_return(ptr dead_on_return %p) { ret void }
define void @p_dereferenceable(ptr dereferenceable(8) %p) { ret void }
define void @p_dereferenceable_or_null(ptr dereferenceable_or_null(8) %p) { ret void }
define void @p_initializes(ptr initializes((0, 4), (8, 16)) %p) { ret void }
define void @p_inreg(i32 inreg %a) { ret void }
define void @p_nest(ptr nest %p) { ret void }
define void @p_noalias(ptr noalias %p) { ret void }
define void @p_noext(i16 noext %a) { ret void }
define void @p_nofpclass(float nofpclass(nan inf) %a, double nofpclass(snan ninf nsub pzero) %b) { ret void }
define void @p_nofree(ptr nofree %p) { ret void }
define void @p_nonnull(ptr nonnull %p) { ret void }
define void @p_noundef(i32 noundef %a) { ret void }
define void @p_range(i32 range(i32 -5, 10) %a, <2 x i64> range(i64 0, 100) %b, i128 range(i128 0, 170141183460469231731687303715884105727) %c) { ret void }
define void @p_readnone(ptr readnone %p) { ret void }
define void @p_readonly(ptr readonly %p) { ret void }
define i32 @p_returned(i32 returned %a) { ret i32 %a }
define void @p_signext(i8 signext %a) { ret void }
define void @p_swiftasync(ptr swiftasync %p) { ret void }
define void @p_swifterror(ptr swifterror %p) { ret void }
define void @p_swiftself(ptr swiftself %p) { ret void }
define void @p_writable(ptr dereferenceable(4) writable %p) { ret void }
define void @p_writeonly(ptr writeonly %p) { ret void }
define void @p_zeroext(i8 zeroext %a) { ret void }
define void @p_string(i32 "mine" %a, i32 "mine"="too" %b) { ret void }
define void @p_many(ptr noalias nofree noundef nonnull readonly align 8 captures(none) dereferenceable(16) "x"="y" %p) { ret void }

; Result attributes.

define align 16 ptr @r_align() { ret ptr null }
define alignstack(16) i32 @r_alignstack() { ret i32 0 }
define dereferenceable(8) ptr @r_dereferenceable(ptr %p) { ret ptr %p }
define dereferenceable_or_null(8) ptr @r_dereferenceable_or_null(ptr %p) { ret ptr %p }
define inreg i32 @r_inreg() { ret i32 0 }
define noalias ptr @r_noalias() { ret ptr null }
define noext i16 @r_noext() { ret i16 0 }
define nofpclass(nan) float @r_nofpclass() { ret float 0.0 }
define nonnull ptr @r_nonnull(ptr %p) { ret ptr %p }
define noundef i32 @r_noundef() { ret i32 0 }
define range(i32 0, 10) i32 @r_range() { ret i32 0 }
define signext i8 @r_signext() { ret i8 0 }
define zeroext i8 @r_zeroext() { ret i8 0 }
define "mine"="too" i32 @r_string() { ret i32 0 }

; Call sites.

declare void @void()
declare i32 @int(i32)
declare ptr @pointer(ptr, i64)
declare float @float(float)
declare void @varargs(...)
declare void @swift(ptr, ptr, ptr)
declare ptr @llvm.preserve.struct.access.index.p0.p0(ptr, i32 immarg, i32 immarg)
declare i64 @llvm.aarch64.ldxr.p0(ptr)

define void @call_function_attributes() {
  call void @void() alwaysinline
  call void @void() noinline
  call void @builtin() builtin
  call void @void() nobuiltin
  call void @void() cold
  call void @void() hot
  call void @void() convergent
  call void @void() nocallback
  call void @void() noduplicate
  call void @void() nofree
  call void @void() nomerge
  call void @void() norecurse
  call void @void() nosync
  call void @void() nocf_check
  call void @void() nounwind
  call void @void() returns_twice
  call void @void() willreturn
  call void @void() mustprogress
  call void @void() memory(none)
  call void @void() memory(read)
  call void @void() memory(write, argmem: none)
  call void @void() inlinehint
  call void @void() minsize optsize
  call void @void() coro_elide_safe
  call void @void() nosanitize_coverage
  call void @void() "mine" "mine too"="value"
  call void @void() #1
  ret void
}

define void @call_noreturn() {
  call void @void() noreturn
  unreachable
}

define void @call_strictfp() strictfp {
  call void @void() strictfp
  ret void
}

define ptr @call_allocation(ptr %p, i64 %n) {
  %a = call ptr @allockind_allocsize(i64 %n, i64 1) allocsize(0)
  %b = call ptr @allockind_realloc(ptr allocptr %a, i64 allocalign 16, i64 %n)
  ret ptr %b
}

define i32 @call_parameter_attributes(ptr %p, i32 %a, i8 %c, i16 %s, float %f) {
  call void (...) @varargs(ptr align 16 %p, ptr alignstack(8) %p, ptr byref(%struct.pair) %p)
  call void (...) @varargs(ptr byval(%struct.pair) align 8 %p)
  call void (...) @varargs(ptr captures(none) %p, ptr captures(provenance) %p, ptr dead_on_return %p)
  call void (...) @varargs(ptr dereferenceable(4) %p, ptr dereferenceable_or_null(4) %p)
  call void (...) @varargs(ptr initializes((-4, 4)) %p, ptr inreg %p, ptr noalias %p, i16 noext %s)
  call void (...) @varargs(float nofpclass(nan) %f, ptr nofree %p, ptr nonnull %p, ptr noundef %p)
  call void (...) @varargs(i32 range(i32 0, 10) %a, ptr readnone %p, ptr readonly %p, ptr writeonly %p)
  call void (...) @varargs(i8 signext %c, i8 zeroext %c, ptr writable dereferenceable(8) %p)
  call void (...) @varargs(i32 "mine" %a, i32 noundef signext "mine"="too" %a)
  %returned = call i32 @int(i32 returned %a)
  ret i32 %returned
}

define void @call_sret(ptr %p) {
  call void @p_sret(ptr dead_on_unwind noalias writable sret(%struct.pair) align 8 %p)
  call void @p_nest(ptr nest %p)
  ret void
}

define void @call_result_attributes(ptr %p, float %f) {
  %a = call align 16 ptr @pointer(ptr %p, i64 0)
  %b = call dereferenceable(8) ptr @pointer(ptr %p, i64 0)
  %c = call dereferenceable_or_null(8) ptr @pointer(ptr %p, i64 0)
  %d = call noalias ptr @pointer(ptr %p, i64 0)
  %e = call noalias noundef nonnull ptr @pointer(ptr %p, i64 0)
  %f.1 = call nofpclass(nan inf) float @float(float %f)
  %g = call range(i32 0, 100) i32 @int(i32 1)
  %h = call noundef signext i32 @int(i32 1)
  %i = call inreg i32 @int(i32 1)
  %j = call "mine"="too" i32 @int(i32 1)
  %k = call zeroext i32 @int(i32 1)
  call void (...) @varargs(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, float %f.1, i32 %g, i32 %h, i32 %i, i32 %j, i32 %k)
  ret void
}

define i32 @call_elementtype(ptr %p) {
  %q = call ptr @llvm.preserve.struct.access.index.p0.p0(ptr elementtype(%struct.pair) %p, i32 1, i32 1)
  %r = call i32 asm "movl $1, $0", "=r,*m"(ptr elementtype(i32) %q)
  ret i32 %r
}

define void @call_swift(ptr %context, ptr swiftself %self) {
  %error = alloca swifterror ptr, align 8
  store ptr null, ptr %error, align 8
  call swiftcc void @swift(ptr swiftself %self, ptr swiftasync %context, ptr swifterror %error)
  ret void
}

define void @call_preallocated() {
  %token = call token @llvm.call.preallocated.setup(i32 1)
  %argument = call ptr @llvm.call.preallocated.arg(token %token, i32 0) preallocated(%struct.pair)
  store i32 1, ptr %argument, align 4
  call void @p_preallocated(ptr preallocated(%struct.pair) %argument) [ "preallocated"(token %token) ]
  ret void
}
declare token @llvm.call.preallocated.setup(i32)
declare ptr @llvm.call.preallocated.arg(token, i32)

define void @call_inalloca() {
  %saved = call ptr @llvm.stacksave.p0()
  %argument = alloca inalloca %struct.pair, align 8
  store i32 1, ptr %argument, align 4
  call void @p_inalloca(ptr inalloca(%struct.pair) %argument)
  call void @llvm.stackrestore.p0(ptr %saved)
  ret void
}
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

attributes #1 = { cold noreturn nounwind memory(none) "grouped" }
