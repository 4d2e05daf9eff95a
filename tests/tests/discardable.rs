//! Definitions that may go when nothing refers to them: what stays is what LLVM's `globaldce` leaves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::tools::{jlm_opt, output};
use tempfile::TempDir;

/// Modules in which bodies hold nothing dead, so that only definitions can go.
const MODULES: &[(&str, &str)] = &[
    (
        "linkages of functions",
        "define linkonce void @a() { ret void }
         define linkonce_odr void @b() { ret void }
         define weak void @c() { ret void }
         define weak_odr void @d() { ret void }
         define internal void @e() { ret void }
         define private void @f() { ret void }
         define available_externally void @g() { ret void }
         define void @h() { ret void }
         declare void @i()
         declare extern_weak void @j()",
    ),
    (
        "linkages of variables",
        "@a = linkonce global i32 1
         @b = linkonce_odr constant i32 1
         @c = weak global i32 1
         @d = weak_odr global i32 1
         @e = internal global i32 1
         @f = private constant i32 1
         @g = available_externally global i32 1
         @h = global i32 1
         @i = external global i32
         @j = extern_weak global i32
         @k = common global i32 0
         @l = linkonce_odr thread_local global i32 1
         @m = linkonce_odr hidden global ptr @b",
    ),
    (
        "chains of references",
        "@v = linkonce_odr global ptr @b
         define void @main() { call void @a() ret void }
         define linkonce_odr void @a() { %p = load volatile ptr, ptr @v ret void }
         define linkonce_odr void @b() { ret void }
         define linkonce_odr void @x() { call void @y() ret void }
         define linkonce_odr void @y() { call void @z() ret void }
         declare void @z()",
    ),
    (
        "recursion",
        "define void @main() { call void @a() ret void }
         define linkonce_odr void @a() { call void @b() ret void }
         define linkonce_odr void @b() { call void @a() ret void }
         define linkonce_odr void @x() { call void @y() ret void }
         define linkonce_odr void @y() { call void @x() call void @b() ret void }
         define linkonce_odr void @self() { call void @self() ret void }",
    ),
    (
        "comdats as a whole",
        "$needed = comdat any
         $dead = comdat any
         $strong = comdat any
         $local = comdat any
         $largest = comdat largest
         @n1 = linkonce_odr global i32 1, comdat($needed)
         @n2 = linkonce_odr global ptr @n3, comdat($needed)
         @n3 = linkonce_odr global i32 1
         @d1 = linkonce_odr global i32 1, comdat($dead)
         @d2 = internal global i32 1, comdat($dead)
         @s1 = linkonce_odr global i32 1, comdat($strong)
         @l1 = internal global i32 1, comdat($local)
         @largest = linkonce_odr global i32 1, comdat
         define linkonce_odr void @n4() comdat($needed) { ret void }
         define linkonce_odr void @d3() comdat($dead) { ret void }
         define weak_odr void @s2() comdat($strong) { ret void }
         define internal void @s3() comdat($strong) { call void @n5() ret void }
         define linkonce_odr void @n5() { ret void }
         define linkonce_odr void @l2() comdat($local) { %x = load volatile i32, ptr @l1 ret void }
         define ptr @main() { ret ptr @n1 }",
    ),
    (
        "constructors of a class in a comdat",
        "$C5 = comdat any
         @C1 = linkonce_odr alias void (ptr), ptr @C2
         @C4 = linkonce_odr alias void (ptr), ptr @C3
         define linkonce_odr void @C2(ptr %p) comdat($C5) { ret void }
         define linkonce_odr void @C3(ptr %p) { ret void }
         define void @main(ptr %p) { call void @C1(ptr %p) ret void }",
    ),
    (
        "an alias keeps the comdat of what it stands for, and is kept by it",
        "$c = comdat any
         $d = comdat any
         @outer = alias i32, ptr @one
         @inner = linkonce_odr alias i32, getelementptr (i8, ptr @one, i64 0)
         @again = linkonce_odr alias i32, ptr @inner
         @dead = linkonce_odr alias i32, ptr @three
         @local = internal alias i32, ptr @one
         @one = linkonce_odr global i32 1, comdat($c)
         @two = linkonce_odr global i32 1, comdat($c)
         @three = linkonce_odr global i32 1, comdat($d)
         @four = linkonce_odr global i32 1, comdat($d)",
    ),
    (
        "an indirect function and its resolver",
        "@dead = linkonce_odr ifunc void (), ptr @r1
         @used = linkonce_odr ifunc void (), ptr @r2
         @seen = ifunc void (), ptr @r3
         define linkonce_odr ptr @r1() { ret ptr null }
         define linkonce_odr ptr @r2() { ret ptr null }
         define internal ptr @r3() { ret ptr null }
         define void @main() { call void @used() ret void }",
    ),
    (
        "what is marked as used",
        "@llvm.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"
         @llvm.compiler.used = appending global [1 x ptr] [ptr @b], section \"llvm.metadata\"
         @b = linkonce_odr global i32 1
         @c = linkonce_odr global i32 1, section \"s\"
         define linkonce_odr void @a() { ret void }
         define internal void @d() section \"t\" { ret void }",
    ),
    (
        "constructors and destructors of the program",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @a, ptr @data }]
         @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @b, ptr null }]
         $data = comdat any
         @data = linkonce_odr global i32 0, comdat
         @guard = linkonce_odr global i64 0, comdat($data)
         declare void @work()
         define internal void @a() comdat($data) { call void @work() ret void }
         define linkonce_odr void @b() { call void @work() ret void }",
    ),
    (
        "personality, prefix and prologue",
        "define linkonce_odr i32 @personality(...) { ret i32 0 }
         define linkonce_odr i32 @other(...) { ret i32 0 }
         @prefix = linkonce_odr global i32 1
         @prologue = linkonce_odr global i32 1
         @dead = linkonce_odr global i32 1
         declare void @work()
         define void @f() prefix ptr @prefix prologue ptr @prologue personality ptr @personality {
           invoke void @work() to label %end unwind label %pad
         pad:
           %p = landingpad { ptr, i32 } cleanup
           resume { ptr, i32 } %p
         end:
           ret void
         }
         define linkonce_odr void @g() prefix ptr @dead personality ptr @other { ret void }",
    ),
    (
        "virtual tables",
        "$_ZTV1A = comdat any
         $_ZTV1B = comdat any
         @_ZTV1A = linkonce_odr unnamed_addr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI1A, ptr @a] }, comdat
         @_ZTV1B = linkonce_odr unnamed_addr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr @_ZTI1B, ptr @b] }, comdat
         @_ZTVE = available_externally unnamed_addr constant { [1 x ptr] } { [1 x ptr] [ptr @e] }
         @_ZTI1A = linkonce_odr constant ptr @_ZTS1A
         @_ZTS1A = linkonce_odr constant [2 x i8] c\"1A\"
         @_ZTI1B = linkonce_odr constant ptr @_ZTS1B
         @_ZTS1B = linkonce_odr constant [2 x i8] c\"1B\"
         define linkonce_odr void @a() { ret void }
         define linkonce_odr void @b() { ret void }
         define linkonce_odr void @e() { ret void }
         define ptr @main() { ret ptr getelementptr inbounds ({ [3 x ptr] }, ptr @_ZTV1A, i32 0, i32 0, i32 2) }",
    ),
    (
        "references of constant expressions",
        "@a = global i64 sub (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @y to i64))
         @b = global ptr dso_local_equivalent @f
         @c = global ptr no_cfi @g
         @x = linkonce_odr global i32 1
         @y = linkonce_odr global i32 1
         @z = linkonce_odr global i32 1
         define linkonce_odr void @f() { ret void }
         define linkonce_odr void @g() { ret void }",
    ),
    (
        "available elsewhere and used",
        "@v = available_externally global ptr @l
         define available_externally void @f() { call void @l() ret void }
         define available_externally void @dead() { call void @m() ret void }
         define linkonce_odr void @l() { ret void }
         define linkonce_odr void @m() { ret void }
         define ptr @main() { call void @f() ret ptr @v }",
    ),
    (
        "only metadata refers to it",
        "define void @main() !type !1 { ret void }
         define linkonce_odr void @f() { ret void }
         !named = !{!0}
         !0 = !{ptr @f}
         !1 = !{i64 0, ptr @f}",
    ),
    (
        "only debug information refers to it",
        "@v = linkonce_odr global i32 1, !dbg !5
         @w = global i32 1, !dbg !8
         define linkonce_odr void @f() !dbg !3 { ret void }
         define void @main() !dbg !10 {
             #dbg_value(ptr @v, !11, !DIExpression(), !12)
           ret void, !dbg !12
         }
         !llvm.dbg.cu = !{!0}
         !llvm.module.flags = !{!2}
         !0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug, globals: !9)
         !1 = !DIFile(filename: \"f.c\", directory: \"/\")
         !2 = !{i32 2, !\"Debug Info Version\", i32 3}
         !3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
         !4 = !DISubroutineType(types: !{})
         !5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
         !6 = distinct !DIGlobalVariable(name: \"v\", scope: !0, file: !1, line: 1, type: !7, isDefinition: true)
         !7 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)
         !8 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())
         !9 = !{!5, !8}
         !10 = distinct !DISubprogram(name: \"main\", scope: !1, file: !1, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition)
         !11 = !DILocalVariable(name: \"p\", scope: !10, file: !1, line: 3, type: !7)
         !12 = !DILocation(line: 3, scope: !10)
         !13 = distinct !DIGlobalVariable(name: \"w\", scope: !0, file: !1, line: 1, type: !7, isDefinition: true)",
    ),
    (
        "a body that stays outside the graph keeps what it mentions",
        "define void @main(ptr %list) {
           %x = va_arg ptr %list, i32
           call void @f(i32 %x)
           ret void
         }
         define linkonce_odr void @f(i32 %x) { ret void }
         define linkonce_odr void @g(ptr %list) {
           %x = va_arg ptr %list, i32
           call void @h(i32 %x)
           ret void
         }
         define linkonce_odr void @h(i32 %x) { ret void }",
    ),
];

/// What a module in text defines and declares, a line each without bodies and values, and its comdats.
fn symbols(text: &str) -> BTreeSet<String> {
    let name = |line: &str| line.split(['(', ' ', '=']).find(|word| word.starts_with('@')).map(str::to_owned);
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let kind = line.split(' ').next().unwrap_or_default();
        found.extend(match kind {
            "define" | "declare" => name(line).map(|name| format!("{kind} {name}")),
            _ if line.starts_with('@') => name(line).map(|name| {
                let what = if line.contains(" external global") { "declare" } else { "variable" };
                format!("{what} {name}")
            }),
            _ if line.starts_with('$') => line.split(' ').next().map(|name| format!("comdat {name}")),
            _ => None,
        });
    }
    found
}

/// What is left of a module in a file.
fn left(command: &mut Command, file: &Path) -> BTreeSet<String> {
    symbols(&output(command.arg(file).args(["-S", "-o", "-"])).expect("it is optimized").0)
}

/// A module in a file, which goes with its folder.
fn written(module: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let file = folder.path().join("input.ll");
    std::fs::write(&file, module).expect("the file can be written");
    (folder, file)
}

fn each(test: impl Fn(&str, &str, &Path)) {
    for (name, module) in MODULES {
        let (_folder, file) = written(module);
        test(name, module, &file);
    }
}

#[test]
fn what_stays_is_what_globaldce_leaves() {
    each(|name, _, file| {
        let theirs = left(Command::new("opt-22").arg("-passes=globaldce"), file);
        assert_eq!(left(jlm_opt().arg("-passes=dne"), file), theirs, "{name}");
        let scratch = jlm_opt().args(["-passes=dne", "--from-scratch"]).arg(file).args(["-S", "-o", "-"]).output();
        let scratch = scratch.expect("jlm-opt can be started");
        // Not every body can be written without the module it was in.
        if scratch.status.success() {
            assert_eq!(symbols(&String::from_utf8_lossy(&scratch.stdout)), theirs, "{name}, from scratch");
        }
    });
}

#[test]
fn every_level_leaves_no_more_than_globaldce() {
    each(|name, _, file| {
        let theirs = left(Command::new("opt-22").arg("-passes=globaldce"), file);
        for level in ["-O1", "-O2", "-O3", "-Os", "-Oz", "-passes=paper"] {
            let ours = left(jlm_opt().arg(level), file);
            let definitions = |symbol: &&String| !symbol.starts_with("declare");
            let more: Vec<_> = ours.difference(&theirs).filter(definitions).collect();
            assert!(more.is_empty(), "{name}, {level}: {more:?}");
        }
    });
}

#[test]
fn without_passes_nothing_goes() {
    each(|name, module, file| {
        let all: String = module.lines().map(|line| line.trim().to_owned() + "\n").collect();
        assert_eq!(left(&mut jlm_opt(), file), symbols(&all), "{name}");
    });
}

/// A function that is inlined wherever it is called goes, and what it alone needed.
#[test]
fn a_function_inlined_everywhere_goes() {
    let module = "
        $f = comdat any
        define linkonce_odr i32 @f(i32 %x) comdat { %t = call i32 @g() %y = add i32 %x, %t ret i32 %y }
        define linkonce_odr i32 @g() { ret i32 7 }
        define i32 @main(i32 %x) { %y = call i32 @f(i32 %x) %z = call i32 @f(i32 %y) ret i32 %z }";
    let (_folder, file) = written(module);
    for level in ["-O2", "-O3", "-Os", "-passes=paper"] {
        assert_eq!(left(jlm_opt().arg(level), &file), BTreeSet::from(["define @main".to_owned()]), "{level}");
    }
}

/// A table of labels keeps the function they are in, which LLVM's pass removes, and leaves the number 1 in the table.
#[test]
fn what_has_addresses_of_blocks() {
    let module = "
        @table = internal constant [1 x ptr] [ptr blockaddress(@f, %next)]
        @dead = internal constant [1 x ptr] [ptr blockaddress(@g, %next)]
        define linkonce_odr void @f() {
          br label %next
        next:
          ret void
        }
        define linkonce_odr void @g() {
          br label %next
        next:
          ret void
        }
        define ptr @main() {
          ret ptr @table
        }";
    let (_folder, file) = written(module);
    let expected = ["define @f", "define @main", "variable @table"];
    assert_eq!(left(jlm_opt().arg("-passes=dne"), &file), BTreeSet::from(expected.map(str::to_owned)));
}

/// What bound a section to a definition that goes does not keep it: LLVM's own pass leaves a module that its verifier rejects.
#[test]
fn what_is_bound_to_a_dead_definition() {
    let module = "
        @a = linkonce_odr global i32 1
        @b = linkonce_odr global i32 1, section \"s\", !associated !0
        @c = global i32 1, section \"s\", !associated !0
        @d = global i32 1
        @e = global i32 1, section \"s\", !associated !1
        !0 = !{ptr @a}
        !1 = !{ptr @d}";
    let (_folder, file) = written(module);
    let text = output(jlm_opt().arg("-passes=dne").arg(&file).args(["-S", "-o", "-"])).expect("it is valid").0;
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('@')).collect();
    let bound = "@e = global i32 1, section \"s\", !associated !0";
    assert_eq!(lines, ["@c = global i32 1, section \"s\"", "@d = global i32 1", bound]);
}

/// What another module has is inlined where that pays, and declared where it is called after all.
#[test]
fn what_is_available_elsewhere_is_declared_in_the_end() {
    let module = "
        @v = available_externally dso_local constant ptr @l
        @stays = available_externally global i32 1
        @alias = available_externally alias i32, ptr @stays
        declare i32 @personality(...)
        declare void @work()
        define available_externally i32 @small(i32 %x) { %y = add i32 %x, 1 ret i32 %y }
        define available_externally void @a(i32 %x) noinline personality ptr @personality {
          %c = icmp eq i32 %x, 0
          br i1 %c, label %end, label %more
        more:
          call void @l()
          call void @b(i32 %x)
          br label %end
        end:
          ret void
        }
        define linkonce_odr void @b(i32 %x) noinline { %y = sub i32 %x, 1 call void @a(i32 %y) ret void }
        define linkonce_odr void @l() noinline { call void @work() ret void }
        define i32 @main(i32 %x) {
          call void @a(i32 %x)
          %p = load volatile ptr, ptr @v
          %i = load volatile i32, ptr @alias
          %y = call i32 @small(i32 %x)
          ret i32 %y
        }";
    let (_folder, file) = written(module);
    for level in ["-O1", "-O2", "-O3", "-Os", "-Oz"] {
        let mut left = left(jlm_opt().arg(level), &file);
        if level == "-O1" {
            assert!(left.remove("declare @small"), "nothing is inlined at -O1 that is called elsewhere too");
        }
        let expected = ["declare @a", "define @main", "variable @alias", "variable @stays", "variable @v"];
        assert_eq!(left, BTreeSet::from(expected.map(str::to_owned)), "{level}");
    }
}
