; Debug records of every kind in every place, and the descriptions behind them.
source_filename = "debug.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@global = global i32 1, align 4, !dbg !0
@structure = global { i32, [4 x i8] } zeroinitializer, align 4, !dbg !2, !dbg !4
@thread_local = thread_local global i32 2, align 4, !dbg !6

declare !dbg !30 void @declared(i32)
declare void @use(...)
declare i32 @integer(i32)

; A record before and after each instruction, at the start of blocks, before terminators and before ret.
define i32 @values(i32 %a, i32 %b) !dbg !40 {
entry:
    #dbg_value(i32 %a, !42, !DIExpression(), !50)
    #dbg_value(i32 %b, !43, !DIExpression(DW_OP_plus_uconst, 1), !50)
  %sum = add nsw i32 %a, %b, !dbg !51
    #dbg_value(i32 %sum, !44, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !52)
    #dbg_value(i32 7, !44, !DIExpression(DW_OP_LLVM_fragment, 16, 16), !52)
  %product = mul i32 %sum, 3, !dbg !52
    #dbg_value(!DIArgList(i32 %sum, i32 %product), !44, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !52)
    #dbg_value(!DIArgList(i32 %sum), !44, !DIExpression(DW_OP_LLVM_arg, 0), !52)
    #dbg_value(!DIArgList(i32 %sum, i32 1, i32 %sum), !44, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_mul, DW_OP_LLVM_arg, 2, DW_OP_plus, DW_OP_stack_value), !52)
    #dbg_value(!DIArgList(), !44, !DIExpression(), !52)
    #dbg_value(i32 poison, !44, !DIExpression(), !52)
    #dbg_value(i32 undef, !44, !DIExpression(), !52)
    #dbg_value(!55, !44, !DIExpression(), !52)
    #dbg_value(ptr @global, !44, !DIExpression(DW_OP_deref), !52)
    #dbg_value(ptr getelementptr (i8, ptr @global, i64 4), !44, !DIExpression(DW_OP_deref), !52)
    #dbg_value(i128 170141183460469231731687303715884105727, !44, !DIExpression(), !52)
    #dbg_value(double 1.500000e+00, !44, !DIExpression(DW_OP_LLVM_convert, 64, DW_ATE_float, DW_OP_LLVM_convert, 32, DW_ATE_float, DW_OP_stack_value), !52)
    #dbg_value(i32 %product, !44, !DIExpression(DW_OP_constu, 8, DW_OP_minus, DW_OP_LLVM_extract_bits_sext, 0, 4, DW_OP_stack_value), !52)
  ret i32 %product, !dbg !53
}

define i32 @phis_and_blocks(i1 %c, i32 %n) !dbg !60 {
entry:
  br i1 %c, label %then, label %else, !dbg !63

then:
    #dbg_value(i32 1, !61, !DIExpression(), !63)
  call void (...) @use(i32 1), !dbg !64
    #dbg_value(i32 2, !61, !DIExpression(), !63)
  br label %join, !dbg !65

else:
    #dbg_value(i32 %n, !61, !DIExpression(), !63)
    #dbg_label(!62, !63)
  %other = call i32 @integer(i32 2), !dbg !64
  br label %join, !dbg !66

join:
  %phi = phi i32 [ 1, %then ], [ %other, %else ], !dbg !67
  %phi.2 = phi i32 [ %n, %then ], [ 3, %else ]
    #dbg_value(i32 %phi, !61, !DIExpression(), !63)
    #dbg_value(i32 %phi.2, !61, !DIExpression(), !63)
    #dbg_label(!62, !63)
  %sum = add i32 %phi, %phi.2
    #dbg_value(i32 %sum, !61, !DIExpression(), !63)
  ret i32 %sum, !dbg !68
}

define i32 @loop(i32 %n) !dbg !70 {
entry:
    #dbg_value(i32 0, !71, !DIExpression(), !73)
  br label %head, !dbg !73

head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
    #dbg_value(i32 %i, !71, !DIExpression(), !73)
  %more = icmp slt i32 %i, %n, !dbg !73
    #dbg_value(i1 %more, !72, !DIExpression(), !73)
  br i1 %more, label %body, label %end, !dbg !74

body:
    #dbg_value(i32 %i, !72, !DIExpression(), !75)
  call void (...) @use(i32 %i), !dbg !75
  %next = add nsw i32 %i, 1, !dbg !73
    #dbg_value(i32 %next, !71, !DIExpression(), !73)
  br label %head, !dbg !74, !llvm.loop !76

end:
    #dbg_value(i32 %i, !72, !DIExpression(), !73)
  ret i32 %i, !dbg !74
}

; A value defined in one branch is described in another block, and an argument after its last use.
define void @remote_values(i1 %c, i32 %a) !dbg !80 {
entry:
  %double = add i32 %a, %a, !dbg !83
  br i1 %c, label %then, label %end, !dbg !83

then:
  call void (...) @use(i32 %double), !dbg !83
    #dbg_value(i32 %double, !81, !DIExpression(), !83)
  br label %end, !dbg !83

end:
    #dbg_value(i32 %a, !81, !DIExpression(), !83)
    #dbg_value(!DIArgList(i32 %a, i32 %double), !82, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !83)
  ret void, !dbg !83
}

; The only user of a value is a record; and a dead value that a record describes.
define void @described_only(i32 %a) !dbg !90 {
  %1 = mul i32 %a, 5, !dbg !92
    #dbg_value(i32 %1, !91, !DIExpression(), !92)
  ret void, !dbg !92
}

define i32 @declares(i32 %a) !dbg !100 {
entry:
  %slot = alloca i32, align 4
  %second = alloca [4 x i8], align 1
    #dbg_declare(ptr %slot, !101, !DIExpression(), !104)
    #dbg_declare(ptr %second, !102, !DIExpression(DW_OP_plus_uconst, 4), !104)
    #dbg_declare(ptr @global, !103, !DIExpression(), !104)
    #dbg_declare(ptr poison, !103, !DIExpression(), !104)
    #dbg_declare(!55, !103, !DIExpression(), !104)
  store i32 %a, ptr %slot, align 4, !dbg !104
  %value = load i32, ptr %slot, align 4, !dbg !104
  ret i32 %value, !dbg !104
}

define i32 @declare_values(i32 %a) !dbg !110 {
  %double = add i32 %a, %a, !dbg !113
    #dbg_declare_value(i32 %double, !112, !DIExpression(), !113)
    #dbg_declare_value(i32 %a, !111, !DIExpression(), !113)
  ret i32 %double, !dbg !113
}

define void @assigns(i32 %a, i1 %c) !dbg !120 {
entry:
  %slot = alloca i32, align 4, !DIAssignID !124
    #dbg_assign(i1 undef, !121, !DIExpression(), !124, ptr %slot, !DIExpression(), !123)
  store i32 %a, ptr %slot, align 4, !dbg !123, !DIAssignID !125
    #dbg_assign(i32 %a, !121, !DIExpression(), !125, ptr %slot, !DIExpression(), !123)
  br i1 %c, label %then, label %end, !dbg !123

then:
  store i32 1, ptr %slot, align 4, !dbg !123, !DIAssignID !126
    #dbg_assign(i32 1, !121, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !126, ptr %slot, !DIExpression(DW_OP_plus_uconst, 2), !123)
    #dbg_assign(!DIArgList(i32 %a), !122, !DIExpression(DW_OP_LLVM_arg, 0), !126, ptr %slot, !DIExpression(), !123)
  call void @llvm.memset.p0.i64(ptr align 4 %slot, i8 0, i64 4, i1 false), !dbg !123, !DIAssignID !127
    #dbg_assign(i32 0, !121, !DIExpression(), !127, ptr %slot, !DIExpression(), !123)
  br label %end, !dbg !123

end:
    #dbg_assign(i32 2, !121, !DIExpression(), !128, ptr poison, !DIExpression(), !123)
  call void (...) @use(ptr %slot), !dbg !123
  ret void, !dbg !123
}
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg)

define void @labels(i1 %c) !dbg !130 {
entry:
    #dbg_label(!131, !133)
  br i1 %c, label %then, label %end, !dbg !133

then:
  call void (...) @use(), !dbg !133
    #dbg_label(!132, !133)
  br label %end, !dbg !133

end:
    #dbg_label(!132, !133)
  ret void, !dbg !133
}

define i32 @inlined(i32 %a) !dbg !140 {
  %once = add i32 %a, 1, !dbg !144
    #dbg_value(i32 %once, !141, !DIExpression(), !144)
  %twice = add i32 %once, 1, !dbg !146
    #dbg_value(i32 %twice, !141, !DIExpression(), !146)
  %lexical = add i32 %twice, 1, !dbg !148
  %line.zero = add i32 %lexical, 1, !dbg !149
  %implicit = add i32 %line.zero, 1, !dbg !150
  %atom = add i32 %implicit, 1, !dbg !151
  %call = call i32 @integer(i32 %atom), !dbg !152
  ret i32 %call, !dbg !143
}

; Records before a terminator that the graph turns into a predicate, in switches and before unreachable.
define i32 @switches(i32 %a, i32 %b) !dbg !160 {
entry:
  %sum = add i32 %a, %b, !dbg !162
    #dbg_value(i32 %sum, !161, !DIExpression(), !162)
  switch i32 %sum, label %default [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %one
  ], !dbg !163

zero:
    #dbg_value(i32 10, !161, !DIExpression(), !162)
  ret i32 10, !dbg !164

one:
    #dbg_value(i32 11, !161, !DIExpression(), !162)
  %r = call i32 @integer(i32 %a), !dbg !162
    #dbg_value(i32 %r, !161, !DIExpression(), !162)
  ret i32 %r, !dbg !165

default:
  call void (...) @use(i32 %sum), !dbg !162
    #dbg_value(i32 12, !161, !DIExpression(), !162)
  unreachable, !dbg !166
}

; Locations on branches, compares and phis that control flow is made of.
define void @locations_of_control(i1 %c, i32 %n) !dbg !170 {
entry:
  %zero = icmp eq i32 %n, 0, !dbg !171
  br i1 %zero, label %end, label %loop, !dbg !172, !prof !180

loop:
  %i = phi i32 [ %next, %latch ], [ %n, %entry ], !dbg !173
  br i1 %c, label %then, label %latch, !dbg !174

then:
  call void (...) @use(i32 %i), !dbg !171
  br label %latch, !dbg !175

latch:
  %next = add i32 %i, -1, !dbg !171
  %done = icmp eq i32 %next, 0, !dbg !171
  br i1 %done, label %exit, label %loop, !dbg !176, !llvm.loop !178

exit:
  call void (...) @use(), !dbg !171
  br label %end, !dbg !177

end:
  ret void, !dbg !171
}

; Blocks that hold nothing but records and a branch: before a loop, in branches, on the way out.
define i32 @records_in_empty_blocks(i1 %c, i32 %n) !dbg !219 {
entry:
  br i1 %c, label %then, label %else, !dbg !222

then:
    #dbg_value(i32 1, !220, !DIExpression(), !221)
  br label %join, !dbg !223

else:
    #dbg_value(i32 2, !220, !DIExpression(), !221)
    #dbg_label(!227, !221)
  br label %join, !dbg !224

join:
  %phi = phi i32 [ 1, %then ], [ 2, %else ]
  call void (...) @use(i32 %phi), !dbg !221
  br i1 %c, label %preheader, label %end, !dbg !225

preheader:
    #dbg_value(i32 %phi, !220, !DIExpression(), !221)
  br label %loop, !dbg !226

loop:
  %i = phi i32 [ %phi, %preheader ], [ %next, %loop ]
  %next = add i32 %i, %n, !dbg !221
  %more = icmp slt i32 %next, 100, !dbg !221
  br i1 %more, label %loop, label %exit, !dbg !221

exit:
    #dbg_value(i32 %next, !220, !DIExpression(), !221)
  br label %end, !dbg !224

end:
  %result = phi i32 [ %phi, %join ], [ %next, %exit ]
  ret i32 %result, !dbg !221
}

define void @not_described(i32 %a) {
  call void (...) @use(i32 %a)
  ret void
}

!llvm.dbg.cu = !{!8}
!llvm.module.flags = !{!20, !21}
!llvm.ident = !{!22}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "global", linkageName: "_global", scope: !8, file: !9, line: 1, type: !10, isLocal: false, isDefinition: true, align: 32, annotations: !23)
!2 = !DIGlobalVariableExpression(var: !3, expr: !DIExpression(DW_OP_LLVM_fragment, 0, 32))
!3 = distinct !DIGlobalVariable(name: "one", scope: !8, file: !9, line: 2, type: !13, isLocal: true, isDefinition: true)
!4 = !DIGlobalVariableExpression(var: !5, expr: !DIExpression(DW_OP_plus_uconst, 4, DW_OP_LLVM_fragment, 0, 32))
!5 = distinct !DIGlobalVariable(name: "two", scope: !24, file: !9, line: 3, type: !13, isLocal: true, isDefinition: true, declaration: !190)
!6 = !DIGlobalVariableExpression(var: !7, expr: !DIExpression())
!7 = distinct !DIGlobalVariable(name: "thread", scope: !8, file: !9, line: 4, type: !11, isLocal: false, isDefinition: true)
!8 = distinct !DICompileUnit(language: DW_LANG_C11, file: !9, producer: "a compiler", isOptimized: true, flags: "-O2", runtimeVersion: 1, splitDebugFilename: "debug.dwo", emissionKind: FullDebug, enums: !191, retainedTypes: !192, globals: !193, imports: !194, macros: !195, dwoId: 42, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "sdk")
!9 = !DIFile(filename: "debug.c", directory: "/source", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "int global;\0A")
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!11 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !10)
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64, dwarfAddressSpace: 1)
!13 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, size: 128, elements: !14)
!14 = !{!15, !16, !17}
!218 = !{!10}
!15 = !DISubrange(count: 4)
!16 = !DISubrange(count: !7, lowerBound: -1)
!17 = !DIGenericSubrange(count: !7, lowerBound: !DIExpression(DW_OP_constu, 1), stride: !DIExpression(DW_OP_constu, 4))
!18 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "structure", scope: !24, file: !9, line: 5, size: 64, align: 32, flags: DIFlagTypePassByValue, elements: !19, templateParams: !196)
!19 = !{!197, !198, !199, !206}
!20 = !{i32 7, !"Dwarf Version", i32 5}
!21 = !{i32 2, !"Debug Info Version", i32 3}
!22 = !{!"a compiler"}
!23 = !{!25}
!24 = !DINamespace(name: "space", scope: !26, exportSymbols: true)
!25 = !{!"annotation", !"value"}
!26 = !DIModule(scope: null, name: "module", configMacros: "-D", includePath: "/include", apinotes: "notes", file: !9, line: 1, isDecl: true)
!27 = !DISubroutineType(cc: DW_CC_normal, types: !28)
!28 = !{!10, !10, !12, null}
!30 = !DISubprogram(name: "declared", linkageName: "declared", scope: !9, file: !9, line: 6, type: !27, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)

!40 = distinct !DISubprogram(name: "values", scope: !24, file: !9, line: 10, type: !27, scopeLine: 11, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !8, templateParams: !196, declaration: !30, retainedNodes: !41, thrownTypes: !218, annotations: !23, targetFuncName: "target")
!41 = !{!42, !43, !44}
!42 = !DILocalVariable(name: "a", arg: 1, scope: !40, file: !9, line: 10, type: !10, flags: DIFlagArtificial | DIFlagObjectPointer)
!43 = !DILocalVariable(name: "b", arg: 2, scope: !40, file: !9, line: 10, type: !10, align: 64, annotations: !23)
!44 = !DILocalVariable(name: "sum", scope: !45, file: !9, line: 12, type: !18)
!45 = distinct !DILexicalBlock(scope: !40, file: !9, line: 12, column: 3)
!50 = !DILocation(line: 10, column: 1, scope: !40)
!51 = !DILocation(line: 12, column: 5, scope: !45)
!52 = !DILocation(line: 13, column: 6, scope: !46)
!46 = !DILexicalBlockFile(scope: !45, file: !9, discriminator: 2)
!53 = !DILocation(line: 14, column: 7, scope: !40)
!55 = !{}

!60 = distinct !DISubprogram(name: "phis_and_blocks", scope: !9, file: !9, line: 20, type: !27, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !8, retainedNodes: !69)
!61 = !DILocalVariable(name: "x", scope: !60, file: !9, line: 21, type: !10)
!62 = !DILabel(scope: !60, name: "label", file: !9, line: 22, column: 3, isArtificial: true, coroSuspendIdx: 1)
!63 = !DILocation(line: 21, scope: !60)
!64 = !DILocation(line: 22, scope: !60)
!65 = !DILocation(line: 23, scope: !60)
!66 = !DILocation(line: 24, scope: !60)
!67 = !DILocation(line: 25, scope: !60)
!68 = !DILocation(line: 26, scope: !60)
!69 = !{!61, !62}

!70 = distinct !DISubprogram(name: "loop", scope: !9, file: !9, line: 30, type: !27, scopeLine: 30, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit, unit: !8)
!71 = !DILocalVariable(name: "i", scope: !70, file: !9, line: 31, type: !10)
!72 = !DILocalVariable(name: "j", scope: !70, file: !9, line: 32, type: !10)
!73 = !DILocation(line: 31, scope: !70)
!74 = !DILocation(line: 32, scope: !70)
!75 = !DILocation(line: 33, scope: !70)
!76 = distinct !{!76, !73, !74, !77}
!77 = !{!"llvm.loop.mustprogress"}

!80 = distinct !DISubprogram(name: "remote_values", scope: !9, file: !9, line: 40, type: !27, scopeLine: 40, spFlags: DISPFlagDefinition, unit: !8)
!81 = !DILocalVariable(name: "x", scope: !80, file: !9, line: 41, type: !10)
!82 = !DILocalVariable(name: "y", scope: !80, file: !9, line: 42, type: !10)
!83 = !DILocation(line: 41, scope: !80)

!90 = distinct !DISubprogram(name: "described_only", scope: !9, file: !9, line: 50, type: !27, scopeLine: 50, spFlags: DISPFlagDefinition, unit: !8)
!91 = !DILocalVariable(name: "x", scope: !90, file: !9, line: 51, type: !10)
!92 = !DILocation(line: 51, scope: !90)

!100 = distinct !DISubprogram(name: "declares", scope: !9, file: !9, line: 60, type: !27, scopeLine: 60, spFlags: DISPFlagDefinition, unit: !8)
!101 = !DILocalVariable(name: "x", scope: !100, file: !9, line: 61, type: !10)
!102 = !DILocalVariable(name: "y", scope: !100, file: !9, line: 62, type: !13)
!103 = !DILocalVariable(name: "z", scope: !100, file: !9, line: 63, type: !10)
!104 = !DILocation(line: 61, scope: !100)

!110 = distinct !DISubprogram(name: "declare_values", scope: !9, file: !9, line: 70, type: !27, scopeLine: 70, spFlags: DISPFlagDefinition, unit: !8)
!111 = !DILocalVariable(name: "a", arg: 1, scope: !110, file: !9, line: 70, type: !10)
!112 = !DILocalVariable(name: "b", scope: !110, file: !9, line: 71, type: !10)
!113 = !DILocation(line: 71, scope: !110)

!120 = distinct !DISubprogram(name: "assigns", scope: !9, file: !9, line: 80, type: !27, scopeLine: 80, spFlags: DISPFlagDefinition, unit: !8)
!121 = !DILocalVariable(name: "x", scope: !120, file: !9, line: 81, type: !10)
!122 = !DILocalVariable(name: "y", scope: !120, file: !9, line: 82, type: !10)
!123 = !DILocation(line: 81, scope: !120)
!124 = distinct !DIAssignID()
!125 = distinct !DIAssignID()
!126 = distinct !DIAssignID()
!127 = distinct !DIAssignID()
!128 = distinct !DIAssignID()

!130 = distinct !DISubprogram(name: "labels", scope: !9, file: !9, line: 90, type: !27, scopeLine: 90, spFlags: DISPFlagDefinition, unit: !8)
!131 = !DILabel(scope: !130, name: "first", file: !9, line: 91)
!132 = !DILabel(scope: !130, name: "second", file: !9, line: 92)
!133 = !DILocation(line: 91, scope: !130)

!140 = distinct !DISubprogram(name: "inlined", scope: !9, file: !9, line: 100, type: !27, scopeLine: 100, spFlags: DISPFlagDefinition, unit: !8, keyInstructions: true)
!141 = !DILocalVariable(name: "x", arg: 1, scope: !142, file: !9, line: 110, type: !10)
!142 = distinct !DISubprogram(name: "callee", scope: !9, file: !9, line: 110, type: !27, scopeLine: 110, spFlags: DISPFlagDefinition, unit: !8)
!143 = !DILocation(line: 101, column: 3, scope: !140)
!144 = !DILocation(line: 111, column: 4, scope: !142, inlinedAt: !145)
!145 = distinct !DILocation(line: 102, column: 5, scope: !140)
!146 = !DILocation(line: 112, column: 6, scope: !142, inlinedAt: !147)
!147 = distinct !DILocation(line: 113, column: 7, scope: !142, inlinedAt: !145)
!148 = !DILocation(line: 114, column: 8, scope: !153, inlinedAt: !147)
!149 = !DILocation(line: 0, scope: !140)
!150 = !DILocation(line: 103, scope: !140, isImplicitCode: true)
!151 = !DILocation(line: 104, column: 1, scope: !140, atomGroup: 1, atomRank: 2)
!152 = !DILocation(line: 105, column: 65535, scope: !140)
!153 = distinct !DILexicalBlock(scope: !142, file: !9, line: 114)

!160 = distinct !DISubprogram(name: "switches", scope: !9, file: !9, line: 120, type: !27, scopeLine: 120, spFlags: DISPFlagDefinition, unit: !8)
!161 = !DILocalVariable(name: "x", scope: !160, file: !9, line: 121, type: !10)
!162 = !DILocation(line: 121, scope: !160)
!163 = !DILocation(line: 122, scope: !160)
!164 = !DILocation(line: 123, scope: !160)
!165 = !DILocation(line: 124, scope: !160)
!166 = !DILocation(line: 125, scope: !160)

!170 = distinct !DISubprogram(name: "locations_of_control", scope: !9, file: !9, line: 130, type: !27, scopeLine: 130, spFlags: DISPFlagDefinition, unit: !8, keyInstructions: true)
!171 = !DILocation(line: 131, scope: !170)
!172 = !DILocation(line: 132, scope: !170)
!173 = !DILocation(line: 133, scope: !170)
!174 = !DILocation(line: 134, scope: !170)
!175 = !DILocation(line: 135, scope: !170)
!176 = !DILocation(line: 136, scope: !170)
!177 = !DILocation(line: 137, scope: !170)
!178 = distinct !{!178, !172, !176, !179}
!179 = !{!"llvm.loop.unroll.disable"}
!180 = !{!"branch_weights", i32 1, i32 100}

!190 = !DIDerivedType(tag: DW_TAG_member, name: "two", scope: !18, file: !9, line: 3, baseType: !13, flags: DIFlagStaticMember, extraData: i32 5)
!191 = !{!200}
!192 = !{!18, !203, !204, !205, !207, !208}
!193 = !{!0, !2, !4, !6}
!194 = !{!209, !210}
!195 = !{!211}
!196 = !{!212, !213}
!197 = !DIDerivedType(tag: DW_TAG_member, name: "first", scope: !18, file: !9, line: 5, baseType: !10, size: 32)
!198 = !DIDerivedType(tag: DW_TAG_member, name: "bits", scope: !18, file: !9, line: 6, baseType: !10, size: 3, offset: 32, flags: DIFlagBitField | DIFlagPrivate, extraData: i64 32)
!199 = !DISubprogram(name: "method", scope: !18, file: !9, line: 7, type: !27, scopeLine: 7, containingType: !18, virtualIndex: 1, thisAdjustment: 8, flags: DIFlagPublic, spFlags: DISPFlagVirtual)
!200 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "enumeration", file: !9, line: 8, baseType: !10, size: 32, elements: !201)
!201 = !{!202, !214}
!202 = !DIEnumerator(name: "zero", value: 0)
!214 = !DIEnumerator(name: "big", value: 18446744073709551615, isUnsigned: true)
!203 = !DIStringType(name: "string", stringLength: !7, size: 8)
!204 = !DICompositeType(tag: DW_TAG_variant_part, scope: !18, file: !9, discriminator: !197, elements: !55)
!205 = !DIDerivedType(tag: DW_TAG_LLVM_ptrauth_type, baseType: !12, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, ptrAuthExtraDiscriminator: 1234, ptrAuthIsaPointer: true, ptrAuthAuthenticatesNullValues: true)
!206 = !DIObjCProperty(name: "property", file: !9, line: 9, setter: "set:", getter: "get", attributes: 7, type: !10)
!207 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, elements: !14, dataLocation: !7, associated: !DIExpression(DW_OP_push_object_address), allocated: !7, rank: !DIExpression(DW_OP_constu, 2))
!208 = !DIFixedPointType(name: "fixed", size: 32, encoding: DW_ATE_signed_fixed, kind: Binary, factor: -4)
!209 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !8, entity: !24, file: !9, line: 10)
!210 = !DIImportedEntity(tag: DW_TAG_imported_declaration, name: "renamed", scope: !24, entity: !1, file: !9, line: 11, elements: !55)
!211 = !DIMacroFile(file: !9, nodes: !215)
!215 = !{!216, !217}
!216 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "NAME", value: "value")
!217 = !DIMacro(type: DW_MACINFO_undef, line: 2, name: "NAME")
!212 = !DITemplateTypeParameter(name: "T", type: !10, defaulted: true)
!213 = !DITemplateValueParameter(name: "v", type: !10, value: i32 7)

!219 = distinct !DISubprogram(name: "records_in_empty_blocks", scope: !9, file: !9, line: 140, type: !27, scopeLine: 140, spFlags: DISPFlagDefinition, unit: !8)
!220 = !DILocalVariable(name: "x", scope: !219, file: !9, line: 141, type: !10)
!221 = !DILocation(line: 141, scope: !219)
!222 = !DILocation(line: 142, scope: !219)
!223 = !DILocation(line: 143, scope: !219)
!224 = !DILocation(line: 144, scope: !219)
!225 = !DILocation(line: 145, scope: !219)
!226 = !DILocation(line: 146, scope: !219)
!227 = !DILabel(scope: !219, name: "inside", file: !9, line: 147)
