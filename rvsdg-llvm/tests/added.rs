//! Constants that a pass adds are defined in the LLVM module, and functions of the library are declared there.

use rvsdg_llvm::{Format, OptimizeOptions, optimize};
use rvsdg_passes::Pipeline;

#[test]
fn arrays_that_a_pass_adds_are_defined() {
    let cases: String = (0..5).map(|case| format!("i32 {case}, label %b{case} ")).collect();
    let blocks: String = (0..5).map(|case| format!("b{case}:\n  ret i64 {}\n", 1000 * case * case + 3)).collect();
    let source = format!(
        "target datalayout = \"e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-unknown-linux-gnu\"\n\
         @table.f = global i32 7\n\
         define i64 @f(i32 %x) {{\n  switch i32 %x, label %other [ {cases}]\n{blocks}other:\n  ret i64 -1\n}}\n\
         define i32 @g() {{\n  %v = load i32, ptr @table.f\n  ret i32 %v\n}}\n"
    );
    let pipeline = Pipeline::parse("lut").expect("it is a pass");
    let text = optimize(source.as_bytes(), "f.ll", &pipeline, &OptimizeOptions::default(), Format::Text);
    let text = String::from_utf8(text.expect("the module can be written")).expect("text is");
    let array = "@table.f.1 = private unnamed_addr constant [6 x i64] [i64 3, i64 1003, i64 4003, i64 9003, i64 16003, i64 -1], align 8";
    assert!(text.contains(array), "{text}");
    assert!(text.contains("getelementptr inbounds i64, ptr @table.f.1"), "{text}");
    assert!(text.contains("@table.f = global i32 7") && !text.contains("switch"), "{text}");
}

#[test]
fn functions_that_a_pass_calls_are_declared() {
    let source = "target triple = \"x86_64-unknown-linux-gnu\"\n\
         @line = private constant [4 x i8] c\"hi\\0A\\00\"\n\
         declare i32 @printf(ptr, ...)\n\
         define void @f() {\n  %r = call i32 (ptr, ...) @printf(ptr @line)\n  ret void\n}\n";
    let pipeline = Pipeline::parse("lib").expect("it is a pass");
    let text = optimize(source.as_bytes(), "f.ll", &pipeline, &OptimizeOptions::default(), Format::Text);
    let text = String::from_utf8(text.expect("the module can be written")).expect("text is");
    assert!(text.contains("@str = private unnamed_addr constant [3 x i8] c\"hi\\00\", align 1"), "{text}");
    assert!(text.contains("call i32 @puts(ptr @str)"), "{text}");
    let declared =
        text.lines().find(|line| line.starts_with("declare") && line.contains("@puts(")).expect("it is declared");
    assert!(declared.contains("readonly captures(none)"), "{declared}");
    let list = declared.rsplit(' ').next().expect("it has attributes");
    assert!(text.contains(&format!("attributes {list} = {{ nofree nounwind }}")), "{text}");
}

#[test]
fn functions_that_were_removed_are_declared_again() {
    let source = "target triple = \"x86_64-unknown-linux-gnu\"\n\
         @letter = private constant [2 x i8] c\"x\\00\"\n\
         declare i32 @printf(ptr, ...)\n\
         define available_externally i32 @putchar(i32 %c) {\n  ret i32 %c\n}\n\
         define void @f() {\n  %r = call i32 (ptr, ...) @printf(ptr @letter)\n  ret void\n}\n";
    let pipeline = Pipeline::parse("dne<available_externally>,lib").expect("they are passes");
    let text = optimize(source.as_bytes(), "f.ll", &pipeline, &OptimizeOptions::default(), Format::Text);
    let text = String::from_utf8(text.expect("the module can be written")).expect("text is");
    assert!(text.contains("call i32 @putchar(i32 120)") && text.contains("declare i32 @putchar(i32)"), "{text}");
    assert!(!text.contains("dead") && !text.contains("available_externally"), "{text}");
}
