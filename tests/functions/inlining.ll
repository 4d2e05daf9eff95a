; Callees with everything that decides whether and how a call is inlined.
target triple = "x86_64-pc-linux-gnu"

%pair = type { i32, i32 }
@table = internal constant [2 x ptr] [ptr @through_table, ptr @plain]
@places = internal constant [2 x ptr] [ptr blockaddress(@jumps, %one), ptr blockaddress(@jumps, %two)]
@word = internal global i32 3
@kept = global ptr null
@text = internal constant [4 x i8] c"abc\00"

declare void @note(i32)
declare i32 @ask(i32)
declare i32 @quiet(i32) nounwind
declare i32 @twice(i32) returns_twice
declare void @never(i32) noreturn
declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)
declare i32 @other_personality(...)
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare void @llvm.assume(i1)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare i32 @llvm.eh.typeid.for.p0(ptr)
declare void @llvm.experimental.noalias.scope.decl(metadata)
@kind = external constant ptr
@other_kind = external constant ptr

define internal i32 @plain(i32 %x) { %r = add i32 %x, 1
  ret i32 %r }
define internal i32 @through_table(i32 %x) { %r = mul i32 %x, 3
  ret i32 %r }
define internal i32 @never_inline(i32 %x) noinline { %r = add i32 %x, 2
  ret i32 %r }
define internal i32 @always_inline(i32 %x) alwaysinline { %r = add i32 %x, 3
  ret i32 %r }
define internal i32 @optimize_not(i32 %x) noinline optnone { %r = add i32 %x, 4
  ret i32 %r }
define internal i32 @no_duplicate(i32 %x) noduplicate { %r = add i32 %x, 5
  ret i32 %r }
define internal i32 @is_cold(i32 %x) cold { call void @note(i32 %x)
  %r = add i32 %x, 6
  ret i32 %r }
define internal i32 @is_hot(i32 %x) hot { call void @note(i32 %x)
  call void @note(i32 7)
  %r = add i32 %x, 6
  ret i32 %r }
define internal i32 @hinted(i32 %x) inlinehint { call void @note(i32 %x)
  call void @note(i32 8)
  call void @note(i32 9)
  ret i32 %x }
define internal i32 @small_size(i32 %x) minsize optsize { call void @note(i32 %x)
  ret i32 4 }
define internal i32 @calls_twice(i32 %x) { %r = call i32 @twice(i32 %x) returns_twice
  ret i32 %r }
define internal i32 @returning_twice(i32 %x) returns_twice { %r = call i32 @twice(i32 %x)
  ret i32 %r }
define internal i32 @marked_twice(i32 %x) { %r = call i32 @ask(i32 %x) returns_twice
  ret i32 %r }
define internal i32 @marked_no_duplicate(i32 %x) { %r = call i32 @ask(i32 %x) noduplicate
  ret i32 %r }
define internal i32 @must_tail(i32 %x) { %r = musttail call i32 @ask(i32 %x)
  ret i32 %r }
define internal i32 @tail_call(i32 %x) { %r = tail call i32 @ask(i32 %x)
  ret i32 %r }
define internal i32 @no_tail_call(i32 %x) { %r = notail call i32 @ask(i32 %x)
  ret i32 %r }
define internal i32 @frame(i32 %x) { %p = call ptr @llvm.frameaddress.p0(i32 0)
  store ptr %p, ptr @kept
  ret i32 %x }
define internal i32 @saves_stack(i32 %x) { %s = call ptr @llvm.stacksave.p0()
  %p = alloca i32, i32 %x
  store i32 4, ptr %p
  %r = load i32, ptr %p
  call void @llvm.stackrestore.p0(ptr %s)
  ret i32 %r }
define internal i32 @dynamic(i32 %n) { %m = and i32 %n, 3
  %k = add i32 %m, 1
  %p = alloca i32, i32 %k
  store i32 %n, ptr %p
  %r = load i32, ptr %p
  ret i32 %r }
define internal i32 @alloca_in_branch(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %p = alloca i32
  store i32 3, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
b:
  ret i32 1 }
define internal i32 @large_frame(i32 %i) { %p = alloca [100000 x i8]
  store i8 3, ptr %p
  %q = getelementptr i8, ptr %p, i32 5
  store i8 4, ptr %q
  %v = load i8, ptr %p
  %r = zext i8 %v to i32
  ret i32 %r }
define internal i32 @two_frames(i32 %i) { %p = alloca [40000 x i8]
  %q = alloca [40000 x i8]
  store i8 3, ptr %p
  store i8 4, ptr %q
  %v = load i8, ptr %p
  %r = zext i8 %v to i32
  ret i32 %r }
define internal i32 @aligned_frame(i32 %x) { %p = alloca i32, align 32
  store i32 %x, ptr %p, align 32
  call void @note_place(ptr %p)
  %r = load i32, ptr %p, align 32
  ret i32 %r }
declare void @note_place(ptr)
define internal i32 @counted_frame(i32 %x) { %p = alloca i32, i32 4
  store i32 %x, ptr %p
  call void @note_place(ptr %p)
  %r = load i32, ptr %p
  ret i32 %r }
define internal i32 @many(i32 %x, ...) { %l = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %l)
  call void @llvm.va_end.p0(ptr %l)
  ret i32 %x }
define internal i32 @jumps(i32 %x) {
  %i = and i32 %x, 1
  %q = getelementptr [2 x ptr], ptr @places, i64 0, i32 %i
  %p = load ptr, ptr %q
  indirectbr ptr %p, [label %one, label %two]
one:
  ret i32 4
two:
  ret i32 5 }
define internal ptr @place_of(i32 %x) { %i = sext i32 %x to i64
  %p = getelementptr [2 x ptr], ptr @places, i64 0, i64 1
  %v = load ptr, ptr %p
  ret ptr %v }
define internal ptr @label_of() { ret ptr blockaddress(@jumps, %one) }
define internal ptr @labels_beside() { ret ptr getelementptr (i8, ptr @word, i64 1) }
define i1 @call_labels() { %a = call ptr @label_of()
  %b = call ptr @labels_beside()
  %r = icmp eq ptr %a, %b
  ret i1 %r }
define internal i32 @by_value(ptr byval(%pair) %p) { store i32 9, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %r = load i32, ptr %q
  ret i32 %r }
define internal i32 @by_value_read(ptr byval(%pair) %p) { %r = load i32, ptr %p
  ret i32 %r }
define internal i32 @by_value_aligned(ptr byval(%pair) align 16 %p) { call void @note_place(ptr %p)
  %r = load i32, ptr %p, align 16
  ret i32 %r }
define internal void @returns_in(ptr sret(%pair) %p, i32 %x) { store i32 %x, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  store i32 5, ptr %q
  ret void }
define internal i32 @nest_parameter(ptr nest %p, i32 %x) { ret i32 %x }
define internal signext i8 @extended(i8 signext %x, i16 zeroext %y) { %t = trunc i16 %y to i8
  %r = xor i8 %x, %t
  ret i8 %r }
define internal nonnull ptr @not_null(ptr nonnull %p) { ret ptr %p }
define internal noundef i32 @no_undef(i32 noundef %x) { %r = add nsw i32 %x, 1
  ret i32 %r }
define internal range(i32 0, 8) i32 @in_range(i32 range(i32 0, 100) %x) { %r = and i32 %x, 7
  ret i32 %r }
define internal align 16 ptr @aligned(ptr align 16 %p) { ret ptr %p }
define internal dereferenceable(4) ptr @dereferenceable(ptr dereferenceable(4) %p) { ret ptr %p }
define internal i32 @no_alias(ptr noalias %p, ptr noalias %q) { store i32 1, ptr %p
  store i32 2, ptr %q
  %r = load i32, ptr %p
  ret i32 %r }
define internal i32 @read_only(ptr readonly captures(none) %p) memory(argmem: read) { %r = load i32, ptr %p
  ret i32 %r }
define internal float @fast(float %x) "no-nans-fp-math"="true" { %r = fadd fast float %x, 1.0
  ret float %r }
define internal i32 @strict(i32 %x) strictfp { ret i32 %x }
define internal i32 @other_target(i32 %x) "target-features"="+avx512f" { %r = mul i32 %x, %x
  ret i32 %r }
define internal i32 @other_cpu(i32 %x) "target-cpu"="skylake" { %r = mul i32 %x, 7
  ret i32 %r }
define internal i32 @protected(i32 %x) sspstrong { %p = alloca [16 x i8]
  store i8 1, ptr %p
  call void @note_place(ptr %p)
  ret i32 %x }
define internal i32 @sanitized(i32 %x) sanitize_address { ret i32 %x }
define internal i32 @null_is_valid(ptr %p) null_pointer_is_valid { %v = load i32, ptr %p
  ret i32 %v }
define internal i32 @must_progress(i32 %x) mustprogress { %r = call i32 @ask(i32 %x)
  ret i32 %r }
define internal i32 @other_section(i32 %x) section ".text.other" { %r = add i32 %x, 8
  ret i32 %r }
define internal i32 @collected(i32 %x) gc "shadow-stack" { %r = add i32 %x, 8
  ret i32 %r }
define internal fastcc i32 @fast_convention(i32 %x) { %r = add i32 %x, 9
  ret i32 %r }
define weak i32 @replaceable(i32 %x) { %r = add i32 %x, 10
  ret i32 %r }
define linkonce_odr i32 @one_of_many(i32 %x) { %r = add i32 %x, 11
  ret i32 %r }
define linkonce i32 @any_of_many(i32 %x) { %r = add i32 %x, 11
  ret i32 %r }
define weak_odr i32 @same_everywhere(i32 %x) { %r = add i32 %x, 12
  ret i32 %r }
define available_externally i32 @elsewhere(i32 %x) { %r = add i32 %x, 13
  ret i32 %r }
$group = comdat any
define linkonce_odr i32 @in_group(i32 %x) comdat($group) { %r = add i32 %x, 14
  ret i32 %r }
define hidden i32 @exported_once(i32 %x) { %r = add i32 %x, 15
  ret i32 %r }
define dso_local i32 @exported(i32 %x) { %r = add i32 %x, 16
  ret i32 %r }
define internal i32 @recursive(i32 %x) { %m = and i32 %x, 15
  %c = icmp eq i32 %m, 0
  br i1 %c, label %end, label %more
more:
  %n = sub i32 %m, 1
  %v = call i32 @recursive(i32 %n)
  %r = add i32 %v, 2
  ret i32 %r
end:
  ret i32 1 }
define internal i32 @ping(i32 %x) { %c = icmp sgt i32 %x, 9
  br i1 %c, label %end, label %more
more:
  %n = add i32 %x, 3
  %v = call i32 @pong(i32 %n)
  ret i32 %v
end:
  ret i32 %x }
define internal i32 @pong(i32 %x) { %n = add i32 %x, 1
  %v = call i32 @ping(i32 %n)
  ret i32 %v }
define internal i32 @ends(i32 %x) noreturn { call void @never(i32 %x)
  unreachable }
define internal i32 @ends_sometimes(i32 %x) { %c = icmp eq i32 %x, 77
  br i1 %c, label %end, label %go
end:
  call void @never(i32 %x)
  unreachable
go:
  ret i32 %x }
define internal void @no_result(i32 %x) { store i32 %x, ptr @word
  ret void }
define internal %pair @two_results(i32 %x) { %a = insertvalue %pair poison, i32 %x, 0
  %b = insertvalue %pair %a, i32 2, 1
  ret %pair %b }
define internal i32 @unused_parameter(i32 %x, i32 %unused) { ret i32 %x }
define internal i32 @with_assembly(i32 %x) { %r = call i32 asm "mov $1, $0", "=r,r"(i32 %x)
  ret i32 %r }
define internal i32 @with_memory_assembly(ptr %p) { store i32 1, ptr %p
  call void asm sideeffect "", "~{memory}"()
  %r = load i32, ptr %p
  ret i32 %r }
define internal i32 @assumes(i32 %x) { %c = icmp ult i32 %x, 16
  call void @llvm.assume(i1 %c)
  %r = and i32 %x, 15
  ret i32 %r }
define internal i32 @scopes(ptr %p, ptr %q) { call void @llvm.experimental.noalias.scope.decl(metadata !0)
  store i32 1, ptr %p, !alias.scope !0
  store i32 2, ptr %q, !noalias !0
  %r = load i32, ptr %p, !alias.scope !0
  ret i32 %r }
define internal i32 @lives(i32 %x) { %p = alloca i32
  call void @llvm.lifetime.start.p0(ptr %p)
  store i32 %x, ptr %p
  call void @note_place(ptr %p)
  %r = load i32, ptr %p
  call void @llvm.lifetime.end.p0(ptr %p)
  ret i32 %r }
define internal i32 @throws(i32 %x) { %r = call i32 @may_throw(i32 %x)
  ret i32 %r }
define internal i32 @does_not_throw(i32 %x) nounwind { %r = call i32 @quiet(i32 %x)
  ret i32 %r }
define internal i32 @promises_not_to_throw(i32 %x) nounwind { %r = call i32 @may_throw(i32 %x)
  ret i32 %r }
define internal i32 @catches(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  ret i32 -1 }
define internal i32 @catches_one(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } catch ptr @kind
  %s = extractvalue { ptr, i32 } %l, 1
  %t = call i32 @llvm.eh.typeid.for.p0(ptr @kind)
  %c = icmp eq i32 %s, %t
  br i1 %c, label %here, label %on
here:
  ret i32 -2
on:
  resume { ptr, i32 } %l }
define internal i32 @catches_one_only(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } catch ptr @kind
  ret i32 -2 }
define internal i32 @filters(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } filter [1 x ptr] [ptr @kind]
  call void @never(i32 4)
  unreachable }
define internal i32 @cleans_up(i32 %x) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  call void @note(i32 1)
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @note(i32 2)
  resume { ptr, i32 } %l }
define internal i32 @other_catches(i32 %x) personality ptr @other_personality {
  %r = invoke i32 @may_throw(i32 %x) to label %fine unwind label %pad
fine:
  ret i32 %r
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  ret i32 -3 }
define internal i32 @throws_then_more(i32 %x) { %a = call i32 @may_throw(i32 %x)
  %b = call i32 @may_throw(i32 %a)
  call void @note(i32 %b)
  ret i32 %b }
define internal i32 @throws_on_one_way(i32 %x) { %c = icmp sgt i32 %x, 3
  br i1 %c, label %a, label %b
a:
  %v = call i32 @may_throw(i32 %x)
  br label %b
b:
  %r = phi i32 [ %v, %a ], [ 0, %0 ]
  ret i32 %r }
define internal i32 @throws_in_loop(i32 %x) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %v = call i32 @may_throw(i32 %i)
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, 3
  br i1 %c, label %loop, label %end
end:
  ret i32 %v }

define i32 @call_plain(i32 %x) { %a = call i32 @plain(i32 %x)
  %b = call i32 @plain(i32 4)
  %r = mul i32 %a, %b
  ret i32 %r }
define i32 @call_refused(i32 %x) { %a = call i32 @never_inline(i32 %x)
  %b = call i32 @always_inline(i32 %a)
  %c = call i32 @optimize_not(i32 %b)
  %d = call i32 @no_duplicate(i32 %c)
  ret i32 %d }
define i32 @site_refused(i32 %x) { %a = call i32 @plain(i32 %x) noinline
  %b = call i32 @never_inline(i32 %a) alwaysinline
  %c = call i32 @hinted(i32 %b) alwaysinline
  ret i32 %c }
define i32 @call_temperatures(i32 %x) { %a = call i32 @is_cold(i32 %x)
  %b = call i32 @is_hot(i32 %a)
  %c = call i32 @hinted(i32 %b)
  %d = call i32 @small_size(i32 %c) cold
  ret i32 %d }
define i32 @call_temperatures_again(i32 %x) { %a = call i32 @is_cold(i32 %x)
  %b = call i32 @is_hot(i32 %a)
  %c = call i32 @hinted(i32 %b)
  %d = call i32 @small_size(i32 %c)
  ret i32 %d }
define i32 @call_twice(i32 %x) { %a = call i32 @calls_twice(i32 %x)
  %b = call i32 @returning_twice(i32 %a)
  %c = call i32 @marked_twice(i32 %b)
  %d = call i32 @marked_no_duplicate(i32 %c)
  ret i32 %d }
define i32 @call_tails(i32 %x) { %p = alloca i32
  store i32 %x, ptr %p
  call void @note_place(ptr %p)
  %a = call i32 @must_tail(i32 %x)
  %b = call i32 @tail_call(i32 %a)
  %c = tail call i32 @no_tail_call(i32 %b)
  %d = notail call i32 @tail_call(i32 %c)
  ret i32 %d }
define i32 @call_frames(i32 %x) { %a = call i32 @frame(i32 %x)
  %m = and i32 %x, 3
  %b = call i32 @dynamic(i32 %m)
  %c = call i32 @aligned_frame(i32 %b)
  %d = call i32 @counted_frame(i32 %c)
  %e = call i32 @lives(i32 %d)
  %r = add i32 %a, %e
  ret i32 %r }
define i32 @call_frames_in_loop(i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %m = add i32 %i, 1
  %a = call i32 @saves_stack(i32 %m)
  %b = call i32 @counted_frame(i32 %a)
  %d = call i32 @alloca_in_branch(i1 true)
  %e = call i32 @lives(i32 %d)
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, 3
  br i1 %c, label %loop, label %end
end:
  %r = add i32 %b, %e
  ret i32 %r }
define i32 @call_large_frames(i32 %x) { %a = call i32 @large_frame(i32 %x)
  %b = call i32 @two_frames(i32 %a)
  ret i32 %b }
define i32 @call_many(i32 %x) { %a = call i32 (i32, ...) @many(i32 %x, i32 3)
  ret i32 %a }
define i32 @call_jumps(i32 %x) { %a = call i32 @jumps(i32 %x)
  %p = call ptr @place_of(i32 %a)
  %c = icmp eq ptr %p, null
  %r = select i1 %c, i32 %a, i32 7
  ret i32 %r }
define i32 @call_by_value(ptr %p, i32 %x) { %o = alloca %pair
  store i32 %x, ptr %o
  %q = getelementptr i8, ptr %o, i64 4
  store i32 6, ptr %q
  %a = call i32 @by_value(ptr byval(%pair) %o)
  %b = load i32, ptr %o
  %c = call i32 @by_value_read(ptr byval(%pair) %o)
  store i32 8, ptr %o
  %d = call i32 @by_value_aligned(ptr byval(%pair) align 16 %o)
  %e = add i32 %a, %b
  %f = add i32 %c, %d
  %r = mul i32 %e, %f
  ret i32 %r }
define i32 @call_returns_in(i32 %x) { %o = alloca %pair
  call void @returns_in(ptr sret(%pair) %o, i32 %x)
  %q = getelementptr i8, ptr %o, i64 4
  %a = load i32, ptr %o
  %b = load i32, ptr %q
  %r = sub i32 %a, %b
  ret i32 %r }
define i32 @call_parameters(ptr %p, i32 %x) { %a = call i32 @nest_parameter(ptr nest %p, i32 %x)
  %t = trunc i32 %x to i8
  %e = call signext i8 @extended(i8 signext %t, i16 zeroext 9)
  %u = call i32 @no_undef(i32 %x)
  %w = call i32 @in_range(i32 %u)
  %n = call i32 @unused_parameter(i32 %w, i32 %a)
  %f = sext i8 %e to i32
  %r = add i32 %f, %n
  ret i32 %r }
define i32 @call_pointers(ptr %p, ptr %q) { %a = call ptr @not_null(ptr %p)
  %c = icmp eq ptr %a, null
  %b = call ptr @dereferenceable(ptr %q)
  %o = getelementptr i8, ptr %a, i64 8
  %d = call i32 @no_alias(ptr %a, ptr %o)
  %e = call i32 @read_only(ptr %q)
  %n = getelementptr i8, ptr %p, i64 4
  %s = call i32 @scopes(ptr %p, ptr %n)
  %z = zext i1 %c to i32
  %f = add i32 %d, %e
  %g = add i32 %f, %s
  %r = add i32 %g, %z
  ret i32 %r }
define i32 @call_aligned() { %o = alloca i32, align 16
  store i32 5, ptr %o
  %p = call ptr @aligned(ptr %o)
  %r = load i32, ptr %p, align 16
  ret i32 %r }
define float @call_fast(float %x) { %r = call fast float @fast(float %x)
  ret float %r }
define i32 @call_targets(i32 %x) { %a = call i32 @other_target(i32 %x)
  %b = call i32 @other_cpu(i32 %a)
  %c = call i32 @strict(i32 %b)
  ret i32 %c }
define i32 @call_from_wide(i32 %x) "target-features"="+avx512f,+avx2" "target-cpu"="skylake" { %a = call i32 @other_target(i32 %x)
  %b = call i32 @other_cpu(i32 %a)
  ret i32 %b }
define i32 @call_from_strict(i32 %x) strictfp { %a = call i32 @strict(i32 %x) strictfp
  %b = call i32 @plain(i32 %a) strictfp
  ret i32 %b }
define i32 @call_protected(i32 %x) { %a = call i32 @protected(i32 %x)
  %b = call i32 @sanitized(i32 %a)
  ret i32 %b }
define i32 @call_from_sanitized(i32 %x) sanitize_address ssp { %a = call i32 @protected(i32 %x)
  %b = call i32 @sanitized(i32 %a)
  %c = call i32 @plain(i32 %b)
  ret i32 %c }
define i32 @call_null_valid(ptr %p) { %a = call i32 @null_is_valid(ptr %p)
  %b = call i32 @must_progress(i32 %a)
  ret i32 %b }
define i32 @call_from_progress(i32 %x) mustprogress { %a = call i32 @must_progress(i32 %x)
  %b = call i32 @tail_call(i32 %a)
  ret i32 %b }
define i32 @call_sections(i32 %x) { %a = call i32 @other_section(i32 %x)
  %b = call i32 @collected(i32 %a)
  %c = call fastcc i32 @fast_convention(i32 %b)
  ret i32 %c }
define i32 @call_wrong_convention(i32 %x) {
  %c = icmp eq i32 %x, 12345
  br i1 %c, label %a, label %b
a:
  %v = call i32 @fast_convention(i32 %x)
  ret i32 %v
b:
  ret i32 1 }
define i32 @call_wrong_type(i32 %x) {
  %c = icmp eq i32 %x, 12345
  br i1 %c, label %a, label %b
a:
  %v = call i64 @plain(i32 %x)
  %t = trunc i64 %v to i32
  ret i32 %t
b:
  ret i32 1 }
define i32 @call_too_few(i32 %x) {
  %c = icmp eq i32 %x, 12345
  br i1 %c, label %a, label %b
a:
  %v = call i32 @unused_parameter(i32 %x)
  ret i32 %v
b:
  ret i32 1 }
define i32 @call_linkages(i32 %x) { %a = call i32 @replaceable(i32 %x)
  %b = call i32 @one_of_many(i32 %a)
  %c = call i32 @any_of_many(i32 %b)
  %d = call i32 @same_everywhere(i32 %c)
  %f = call i32 @in_group(i32 %d)
  %g = call i32 @exported_once(i32 %f)
  %h = call i32 @exported(i32 %g)
  ret i32 %h }
define i32 @call_elsewhere(i32 %x) {
  %c = icmp eq i32 %x, 12345
  br i1 %c, label %a, label %b
a:
  %v = call i32 @elsewhere(i32 %x)
  ret i32 %v
b:
  ret i32 1 }
define i32 @call_recursive(i32 %x) { %a = call i32 @recursive(i32 %x)
  %b = call i32 @recursive(i32 3)
  %c = call i32 @ping(i32 %b)
  %r = add i32 %a, %c
  ret i32 %r }
define i32 @call_ends(i32 %x) { %c = icmp eq i32 %x, 99
  br i1 %c, label %a, label %b
a:
  %v = call i32 @ends(i32 %x)
  ret i32 %v
b:
  %w = call i32 @ends_sometimes(i32 %x)
  ret i32 %w }
define i32 @call_results(i32 %x) { call void @no_result(i32 %x)
  %p = call %pair @two_results(i32 %x)
  %a = extractvalue %pair %p, 0
  %b = load i32, ptr @word
  %r = add i32 %a, %b
  ret i32 %r }
define i32 @call_assembly(ptr %p, i32 %x) { %a = call i32 @with_memory_assembly(ptr %p)
  %c = icmp eq i32 %x, 12345
  br i1 %c, label %t, label %e
t:
  %v = call i32 @with_assembly(i32 %x)
  ret i32 %v
e:
  ret i32 %a }
define i32 @call_assumes(i32 %x) { %m = and i32 %x, 15
  %a = call i32 @assumes(i32 %m)
  ret i32 %a }
define i32 @call_table(i32 %i) { %m = and i32 %i, 1
  %x = zext i32 %m to i64
  %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %x
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 5)
  %g = load ptr, ptr @table
  %s = call i32 %g(i32 6)
  %t = add i32 %r, %s
  ret i32 %t }
declare i64 @strlen(ptr)
define internal i64 @length(ptr %p) { %r = call i64 @strlen(ptr %p)
  ret i64 %r }
define internal i64 @length_of_own(ptr %p) "no-builtins" { %r = call i64 @strlen(ptr %p)
  ret i64 %r }
define i64 @call_length() { %a = call i64 @length(ptr @text)
  ret i64 %a }
define i64 @call_length_of_own() "no-builtins" { %a = call i64 @length_of_own(ptr @text)
  ret i64 %a }
declare i32 @no_memory(i32) memory(none) nounwind willreturn
define i32 @gives_to_pure_bundle(ptr %p) { %r = call i32 @no_memory(i32 3) [ "deopt"(ptr %p) ]
  ret i32 %r }
define i32 @gives_to_assembly(ptr %p, ptr %q) { call void asm sideeffect "", "r"(ptr %p)
  %r = load i32, ptr %q
  ret i32 %r }
define i32 @gives_to_bundle(ptr %p, ptr %q) { %r = call i32 @quiet_place(ptr %q) [ "deopt"(ptr %p) ]
  ret i32 %r }
define i32 @gives_to_call(ptr %p, ptr %q) { %a = call i32 @quiet_place(ptr %p)
  %b = call i32 @quiet_place(ptr readonly captures(none) %q)
  %r = add i32 %a, %b
  ret i32 %r }
define i32 @assumes_of(ptr %p) { call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16) ]
  %r = load i32, ptr %p, align 4
  ret i32 %r }
declare i32 @quiet_place(ptr readonly captures(none)) nounwind willreturn
define i32 @call_with_bundle(i32 %x) { %r = call i32 @plain(i32 %x) [ "deopt"(i32 1) ]
  ret i32 %r }
define i32 @call_throwing(i32 %x) { %a = call i32 @throws(i32 %x)
  %b = call i32 @does_not_throw(i32 %a)
  %c = call i32 @promises_not_to_throw(i32 %b)
  %d = call i32 @throws_on_one_way(i32 %c)
  ret i32 %d }
define i32 @call_catching(i32 %x) { %a = call i32 @catches(i32 %x)
  %b = call i32 @catches_one(i32 %a)
  %c = call i32 @cleans_up(i32 %b)
  %d = call i32 @filters(i32 %c)
  ret i32 %d }
define i32 @call_catching_one_only(i32 %x) { %a = call i32 @catches_one_only(i32 %x)
  ret i32 %a }
define i32 @call_catching_in_quiet(i32 %x) nounwind { %a = call i32 @catches(i32 %x)
  %b = call i32 @catches_one(i32 %a)
  ret i32 %b }
define i32 @invoke_all(i32 %x) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @throws(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @does_not_throw(i32 %a) to label %two unwind label %pad
two:
  %c = invoke i32 @throws_then_more(i32 %b) to label %three unwind label %pad
three:
  %d = invoke i32 @catches_one(i32 %c) to label %four unwind label %pad
four:
  %e = invoke i32 @cleans_up(i32 %d) to label %five unwind label %pad
five:
  %f = invoke i32 @catches(i32 %e) to label %six unwind label %pad
six:
  %g = invoke i32 @throws_in_loop(i32 %f) to label %seven unwind label %pad
seven:
  ret i32 %g
pad:
  %l = landingpad { ptr, i32 } catch ptr @other_kind catch ptr null
  %s = extractvalue { ptr, i32 } %l, 1
  ret i32 %s }
define i32 @invoke_cleaning(i32 %x) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @catches_one(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @catches_one_only(i32 %a) to label %two unwind label %pad
two:
  %c = invoke i32 @throws_on_one_way(i32 %b) to label %three unwind label %pad
three:
  ret i32 %c
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @note(i32 3)
  resume { ptr, i32 } %l }
define i32 @invoke_other_kind(i32 %x) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @throws(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @catches_one(i32 %a) to label %two unwind label %pad
two:
  ret i32 %b
pad:
  %l = landingpad { ptr, i32 } catch ptr @other_kind
  %s = extractvalue { ptr, i32 } %l, 1
  %t = call i32 @llvm.eh.typeid.for.p0(ptr @other_kind)
  %c = icmp eq i32 %s, %t
  br i1 %c, label %here, label %on
here:
  ret i32 -4
on:
  resume { ptr, i32 } %l }
define i32 @invoke_other_personality(i32 %x) personality ptr @other_personality {
  %a = invoke i32 @catches(i32 %x) to label %one unwind label %pad
one:
  %b = invoke i32 @throws(i32 %a) to label %two unwind label %pad
two:
  %c = call i32 @other_catches(i32 %b)
  ret i32 %c
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l }
define i32 @call_other_personality(i32 %x) { %c = call i32 @other_catches(i32 %x)
  ret i32 %c }
define i32 @call_throwing_in_loop(i32 %n) {
  %m = and i32 %n, 3
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %c = icmp slt i32 %i, %m
  br i1 %c, label %body, label %end
body:
  %v = call i32 @throws(i32 %i)
  %d = icmp eq i32 %v, 5
  br i1 %d, label %end, label %next
next:
  %j = add i32 %i, 1
  br label %loop
end:
  %r = phi i32 [ 0, %loop ], [ 1, %body ]
  ret i32 %r }

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
