; Every kind of metadata that may be attached to instructions, functions and globals.
source_filename = "metadata.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Globals and functions.

@absolute = external hidden global i8, !absolute_symbol !0
@absolute_any = external global i8, !absolute_symbol !1
@associated = global i32 1, section "associated", !associated !2
@excluded = global i32 2, section "excluded", !exclude !3
@virtual_table = constant { [2 x ptr] } { [2 x ptr] [ptr null, ptr @prof_count] }, !type !4, !type !5, !vcall_visibility !6
@section_prefix = global i32 3, !section_prefix !7
@implicit_ref = global i32 4, !implicit.ref !8
@unknown_kind = global i32 5, !mine !9
@several = global i32 6, section "s", !associated !2, !mine !9, !type !4, !type !5
@global_pcsections = global i32 7, !pcsections !10

declare !callback !11 void @callback(ptr, ptr, ...)
declare !mine !9 void @declared()
declare void @use(...)
declare ptr @pointer(ptr)
declare i32 @integer(i32)
declare void @void()
declare ptr @malloc(i64)

define void @prof_count() !prof !13 { ret void }
define void @prof_synthetic() !prof !14 { ret void }
define void @prof_imports() !prof !15 { ret void }
define void @function_kcfi_type() !kcfi_type !16 { ret void }
define void @function_sanitize() !func_sanitize !17 { ret void }
define void @function_section_prefix() !section_prefix !7 { ret void }
define void @function_type() !type !18 !type !5 { ret void }
define void @function_pcsections() !pcsections !10 { ret void }
define void @function_associated() !associated !2 { ret void }
define void @function_implicit_ref() !implicit.ref !8 { ret void }
define void @function_annotation() !annotation !19 { ret void }
define void @function_unknown_kind() !mine !9 !reqd_work_group_size !20 { ret void }
define void @function_exclude() section "excluded.text" !exclude !3 { ret void }

; Loads and stores.

define void @tbaa(ptr %p, ptr %q) {
  %a = load i32, ptr %p, align 4, !tbaa !21
  %b = load ptr, ptr %q, align 8, !tbaa !22
  store i32 %a, ptr %q, align 4, !tbaa !23
  store ptr %b, ptr %p, align 8, !tbaa !22
  %c = load i32, ptr %p, align 4, !tbaa !24
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 16, i1 false), !tbaa.struct !25
  call void @use(i32 %c), !tbaa !21
  ret void
}

define void @alias_scopes(ptr %p, ptr %q) {
  call void @llvm.experimental.noalias.scope.decl(metadata !26)
  call void @llvm.experimental.noalias.scope.decl(metadata !28)
  %a = load i32, ptr %p, align 4, !alias.scope !26, !noalias !28
  store i32 %a, ptr %q, align 4, !alias.scope !28, !noalias !26
  call void @void(), !noalias !30
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 16, i1 false), !alias.scope !26
  ret void
}

define void @load_kinds(ptr %p) {
  %range = load i32, ptr %p, align 4, !range !33
  %ranges = load i32, ptr %p, align 4, !range !34
  %wrapped = load i8, ptr %p, align 1, !range !35
  %invariant = load i32, ptr %p, align 4, !invariant.load !3
  %group = load i32, ptr %p, align 4, !invariant.group !3
  %nontemporal = load i32, ptr %p, align 4, !nontemporal !36
  %noundef = load i32, ptr %p, align 4, !noundef !3
  %nonnull = load ptr, ptr %p, align 8, !nonnull !3
  %dereferenceable = load ptr, ptr %p, align 8, !dereferenceable !37
  %or_null = load ptr, ptr %p, align 8, !dereferenceable_or_null !37
  %align = load ptr, ptr %p, align 8, !align !37
  %all = load ptr, ptr %p, align 8, !dereferenceable !37, !invariant.load !3, !nonnull !3, !align !37, !noundef !3
  %nosanitize = load i32, ptr %p, align 4, !nosanitize !3
  %mmra = load atomic i32, ptr %p monotonic, align 4, !mmra !38
  %pcsections = load i32, ptr %p, align 4, !pcsections !10
  %annotation = load i32, ptr %p, align 4, !annotation !19
  %unknown = load i32, ptr %p, align 4, !mine !9
  call void (...) @use(i32 %range, i32 %ranges, i8 %wrapped, i32 %invariant, i32 %group, i32 %nontemporal)
  call void (...) @use(i32 %noundef, ptr %nonnull, ptr %dereferenceable, ptr %or_null, ptr %align, ptr %all)
  call void (...) @use(i32 %nosanitize, i32 %mmra, i32 %pcsections, i32 %annotation, i32 %unknown)
  ret void
}

define void @store_kinds(ptr %p, ptr %q) {
  store i32 1, ptr %p, align 4, !nontemporal !36
  store i32 2, ptr %p, align 4, !invariant.group !3
  store i32 3, ptr %p, align 4, !nosanitize !3
  store atomic i32 4, ptr %p release, align 4, !mmra !39
  store i32 5, ptr %p, align 4, !pcsections !10
  store ptr %q, ptr %p, align 8, !captures !40
  store i32 6, ptr %p, align 4, !mine !9, !annotation !19
  fence acquire, !mmra !38
  %old = atomicrmw add ptr %p, i32 1 seq_cst, align 4, !noalias.addrspace !41, !mmra !38
  %pair = cmpxchg ptr %p, i32 1, i32 2 acq_rel monotonic, align 4, !noalias.addrspace !41
  call void (...) @use(i32 %old, { i32, i1 } %pair)
  ret void
}

; Arithmetic, calls and allocations.

define void @values(float %a, float %b, i32 %c, i1 %d) {
  %fpmath = fdiv float %a, %b, !fpmath !42
  %fpmath.fast = fdiv fast float %a, %b, !fpmath !43
  %sqrt = call float @llvm.sqrt.f32(float %a), !fpmath !42
  %annotated = add nsw i32 %c, 1, !annotation !19
  %pieces = mul i32 %c, 3, !annotation !44
  %select = select i1 %d, i32 %c, i32 %pieces, !prof !45
  %select.unpredictable = select i1 %d, i32 %c, i32 %annotated, !unpredictable !3
  %select.unknown = select i1 %d, i32 %c, i32 1, !prof !46
  %compare = icmp eq i32 %c, 0, !mine !9
  %cast = zext i32 %c to i64, !nosanitize !3
  %pointer = inttoptr i64 %cast to ptr, !nofree !3
  %pointer.or_null = inttoptr i64 %cast to ptr, !dereferenceable_or_null !37
  call void (...) @use(float %fpmath, float %fpmath.fast, float %sqrt, i32 %select, i32 %select.unpredictable)
  call void (...) @use(i32 %select.unknown, i1 %compare, ptr %pointer, ptr %pointer.or_null)
  ret void
}

define void @calls(ptr %f, ptr %p) {
  %range = call i32 @integer(i32 1), !range !33
  %noundef = call ptr @pointer(ptr %p), !noundef !3
  call void %f(), !callees !47
  call void %f(), !prof !48
  call void @void(), !prof !49
  call void %f(), !callee_type !50
  call void @void(), !srcloc !51
  call void @void(), !nosanitize !3
  call void @void(), !pcsections !52
  call void @void(), !coro.outside.frame !3
  call void @void(), !mmra !39
  %heap = call ptr @malloc(i64 8), !heapallocsite !53
  %token = call ptr @malloc(i64 8), !alloc_token !54
  %profiled = call ptr @malloc(i64 10), !memprof !55, !callsite !60
  call void @void(), !callsite !61
  call void asm sideeffect "nop", "~{dirflag},~{fpsr},~{flags}"(), !srcloc !51
  call void (...) @use(i32 %range, ptr %noundef)
  call void (...) @use(ptr %heap, ptr %token, ptr %profiled)
  ret void
}

define void @allocations(i32 %n) {
  %outside = alloca i32, align 4, !coro.outside.frame !3
  %annotated = alloca i32, i32 %n, align 4, !annotation !19
  %unknown = alloca [4 x i32], align 16, !mine !9
  %preserved = getelementptr inbounds [4 x i32], ptr %unknown, i64 0, i64 1, !llvm.preserve.access.index !62
  call void (...) @use(ptr %outside, ptr %annotated, ptr %preserved)
  ret void
}

; Terminators.

define i32 @branches(i1 %a, i1 %b, i1 %c, ptr %p) {
entry:
  br i1 %a, label %one, label %two, !prof !63

one:
  br i1 %b, label %three, label %four, !unpredictable !3

two:
  %null = icmp eq ptr %p, null
  br i1 %null, label %five, label %six, !make.implicit !3

three:
  call void @use(i32 3)
  br label %join, !mine !9

four:
  call void @use(i32 4)
  br label %join

five:
  ret i32 5, !mine !9

six:
  br i1 %c, label %seven, label %join, !prof !64, !mine !9

seven:
  call void @use(i32 7)
  unreachable, !mine !9

join:
  %phi = phi i32 [ 3, %three ], [ 4, %four ], [ 6, %six ], !mine !9
  ret i32 %phi, !annotation !19
}

define void @switches(i32 %a, i8 %b, i64 %c) {
entry:
  switch i32 %a, label %default [
    i32 0, label %zero
    i32 1, label %one
    i32 7, label %zero
  ], !prof !65

zero:
  switch i8 %b, label %end [
    i8 -1, label %one
  ], !unpredictable !3, !mine !9

one:
  call void @use(i32 1)
  br label %end

default:
  switch i64 %c, label %end [
    i64 5, label %one
  ], !mine !9

end:
  ret void
}

; Loops: on a conditional latch, an unconditional latch, a switch, a nest and a loop of one block.

define void @loop_conditional_latch(i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void (...) @use(i32 %i)
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end, !prof !63, !llvm.loop !66

end:
  ret void
}

define void @loop_unconditional_latch(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end

body:
  call void (...) @use(i32 %i)
  %next = add nuw nsw i32 %i, 1
  br label %head, !llvm.loop !69

end:
  ret void
}

define void @loop_two_latches(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ], [ %next, %other ]
  %next = add nuw nsw i32 %i, 1
  %r = call i32 @integer(i32 %i)
  switch i32 %r, label %end [
    i32 0, label %body
    i32 1, label %other
  ]

body:
  call void (...) @use(i32 %i)
  br label %head, !llvm.loop !71

other:
  call void @void()
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %end, !llvm.loop !71

end:
  ret void
}

define void @loop_nest(i32 %n, ptr %p) {
entry:
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %v = load i32, ptr %p, align 4, !llvm.access.group !73
  %w = add i32 %v, %j
  store i32 %w, ptr %p, align 4, !llvm.access.group !74
  %j.next = add i32 %j, 1
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %inner, label %outer.latch, !llvm.loop !75

outer.latch:
  %old = load i32, ptr %p, align 4, !llvm.mem.parallel_loop_access !78
  %i.next = add i32 %i, %old
  %i.more = icmp slt i32 %i.next, %n
  br i1 %i.more, label %outer, label %end, !llvm.loop !76

end:
  ret void
}

; A latch that holds nothing but its branch.
define void @loop_empty_latch(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add nuw nsw i32 %i, 1
  %r = call i32 @integer(i32 %i)
  switch i32 %r, label %end [
    i32 0, label %latch
    i32 1, label %other
  ]

other:
  call void @void()
  br label %latch

latch:
  br label %head, !llvm.loop !84

end:
  ret void
}

; An empty latch that several phis tell apart.
define void @loop_empty_latches(i32 %n) {
entry:
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %a, %latch ]
  %r = call i32 @integer(i32 %i)
  %even = icmp eq i32 %r, 0
  br i1 %even, label %latch, label %odd, !prof !63

odd:
  %more = icmp slt i32 %r, %n
  br i1 %more, label %latch, label %end

latch:
  %a = phi i32 [ 7, %head ], [ %r, %odd ]
  br label %head, !llvm.loop !85

end:
  ret void
}

define void @loop_infinite() {
entry:
  br label %loop

loop:
  call void @void()
  br label %loop, !llvm.loop !77
}

define i32 @irreducible_loop(i1 %a, i32 %n) {
entry:
  br i1 %a, label %left, label %right, !prof !63

left:
  %i = phi i32 [ 0, %entry ], [ %j.next, %right ]
  %i.next = add i32 %i, 1
  %i.more = icmp slt i32 %i.next, %n
  br i1 %i.more, label %right, label %end, !irr_loop !80

right:
  %j = phi i32 [ 1, %entry ], [ %i.next, %left ]
  %j.next = add i32 %j, 2
  %j.more = icmp slt i32 %j.next, %n
  br i1 %j.more, label %left, label %end, !irr_loop !81

end:
  %result = phi i32 [ %i.next, %left ], [ %j.next, %right ]
  ret i32 %result
}

; Metadata as an argument.

define i64 @metadata_arguments(ptr %p, i1 %c, float %f) {
  %type = call i1 @llvm.type.test(ptr %p, metadata !"type name")
  %distinct = call i1 @llvm.type.test(ptr %p, metadata !5)
  %distinct.2 = call i1 @llvm.type.test(ptr %p, metadata !82)
  %checked = call { ptr, i1 } @llvm.type.checked.load(ptr %p, i32 0, metadata !"type name")
  %register = call i64 @llvm.read_register.i64(metadata !83)
  call void @llvm.write_register.i64(metadata !83, i64 %register)
  %constrained = call float @llvm.experimental.constrained.fadd.f32(float %f, float 1.0, metadata !"round.tonearest", metadata !"fpexcept.strict")
  call void (...) @use(i1 %type, i1 %distinct, i1 %distinct.2, { ptr, i1 } %checked, float %constrained)
  ret i64 %register
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare float @llvm.sqrt.f32(float)
declare i1 @llvm.type.test(ptr, metadata)
declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
declare i64 @llvm.read_register.i64(metadata)
declare void @llvm.write_register.i64(metadata, i64)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)

; Named metadata and every form of node.

!named = !{!3, !9, !90}
!llvm.ident = !{!91}
!quoted\20name\2b = !{!3}
!llvm.module.flags = !{!92, !93, !94, !95, !96, !97, !98}
!llvm.dependent-libraries = !{!99}
!llvm.linker.options = !{!100}
!llvm.commandline = !{!101}
!opencl.ocl.version = !{!102}

!0 = !{i64 0, i64 256}
!1 = !{i64 -1, i64 -1}
!2 = !{ptr @excluded}
!3 = !{}
!4 = !{i64 0, !"type name"}
!5 = !{i64 8, !12}
!6 = !{i64 1}
!7 = !{!"section_prefix", !"hot"}
!8 = !{ptr @excluded}
!9 = !{!"text", i32 1, i64 -2, i1 true, float 1.5, ptr @several, null, !3, !{!"inline"}, i32 poison, { i32, i8 } { i32 1, i8 2 }}
!10 = !{!"section!C", !103}
!11 = !{!104}
!12 = distinct !{}
!13 = !{!"function_entry_count", i64 1000}
!14 = !{!"synthetic_function_entry_count", i64 7}
!15 = !{!"function_entry_count", i64 1000, i64 123, i64 456}
!16 = !{i32 12345678}
!17 = !{i32 1, ptr @several}
!18 = !{i64 0, !"_ZTSFvvE"}
!19 = !{!"auto-init"}
!20 = !{i32 1, i32 2, i32 3}
!21 = !{!105, !105, i64 0}
!22 = !{!106, !106, i64 0}
!23 = !{!107, !105, i64 4}
!24 = !{!105, !105, i64 0, i64 1}
!25 = !{i64 0, i64 4, !21, i64 8, i64 8, !22}
!26 = !{!27}
!27 = distinct !{!27, !31, !"scope one"}
!28 = !{!29}
!29 = distinct !{!29, !31, !"scope two"}
!30 = !{!27, !29}
!31 = distinct !{!31, !"domain"}
!33 = !{i32 0, i32 100}
!34 = !{i32 -5, i32 0, i32 10, i32 20}
!35 = !{i8 100, i8 -100}
!36 = !{i32 1}
!37 = !{i64 8}
!38 = !{!"amdgpu-as", !"local"}
!39 = !{!38, !108}
!40 = !{!"address", !"read_provenance"}
!41 = !{i32 5, i32 6}
!42 = !{float 2.5}
!43 = !{float 3.0}
!44 = !{!{!"nested", !"annotation"}, !"flat"}
!45 = !{!"branch_weights", i32 10, i32 90}
!46 = !{!"unknown", !"pass"}
!47 = !{ptr @void, ptr @prof_count}
!48 = !{!"VP", i32 0, i64 1600, i64 7651369219802541373, i64 1030, i64 -4377547752858689819, i64 410}
!49 = !{!"branch_weights", i32 2000}
!50 = !{!109}
!51 = !{i64 1234, i64 -1}
!52 = !{!"one", !"two!", !103, !"three"}
!53 = !{!"site"}
!54 = !{!"int", i1 false}
!55 = !{!56, !58}
!56 = !{!57, !"notcold"}
!57 = !{i64 9086428284934609951, i64 -5964873800580613432}
!58 = !{!59, !"cold", !110}
!59 = !{i64 9086428284934609951, i64 2732490490862098848}
!60 = !{i64 9086428284934609951}
!61 = !{i64 -5964873800580613432, i64 1}
!62 = !{!"access"}
!63 = !{!"branch_weights", i32 1, i32 2000}
!64 = !{!"branch_weights", !"expected", i32 1, i32 2000}
!65 = !{!"branch_weights", i32 1, i32 2, i32 3, i32 4}
!66 = distinct !{!66, !67, !68}
!67 = !{!"llvm.loop.unroll.count", i32 4}
!68 = !{!"llvm.loop.mustprogress"}
!69 = distinct !{!69, !70}
!70 = !{!"llvm.loop.vectorize.enable", i1 true}
!71 = distinct !{!71, !72}
!72 = !{!"llvm.loop.unroll.disable"}
!73 = distinct !{}
!74 = !{!73, !79}
!75 = distinct !{!75, !111}
!76 = distinct !{!76, !112}
!77 = distinct !{!77}
!78 = !{!76}
!79 = distinct !{}
!80 = !{!"loop_header_weight", i64 100}
!81 = !{!"loop_header_weight", i64 50}
!82 = distinct !{}
!84 = distinct !{!84, !67}
!85 = distinct !{!85, !70}
!83 = !{!"rsp"}
!90 = distinct !{null, !90}
!91 = !{!"a compiler \22quoted\22 \5C \01"}
!92 = !{i32 1, !"error", i32 4}
!93 = !{i32 2, !"warning", i32 1}
!94 = !{i32 3, !"require", !113}
!95 = !{i32 4, !"override", i32 5}
!96 = !{i32 5, !"append", !114}
!97 = !{i32 6, !"append unique", !114}
!98 = !{i32 7, !"PIC Level", i32 2}
!99 = !{!"library"}
!100 = !{!"-l", !"m"}
!101 = !{!"a command line"}
!102 = !{i32 2, i32 0}
!103 = !{i32 11, i64 22}
!104 = !{i64 0, i64 1, i64 -1, i1 true}
!105 = !{!"int", !115, i64 0}
!106 = !{!"any pointer", !115, i64 0}
!107 = !{!"pair", !105, i64 0, !105, i64 4}
!108 = !{!"amdgpu-as", !"global"}
!109 = !{i64 0, !"_ZTSFvvE.generalized"}
!110 = !{i64 123, i64 456}
!111 = !{!"llvm.loop.parallel_accesses", !73}
!112 = !{!"llvm.loop.distribute.enable", i1 false}
!113 = !{!"error", i32 4}
!114 = !{!"one", !"two"}
!115 = !{!"omnipotent char", !116, i64 0}
!116 = !{!"tbaa root"}
