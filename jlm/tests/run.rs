//! `jlm-opt --run`: programs in LLVM IR and RVSDG text, their output, status and arguments.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a program in a file of this name, with options before and arguments behind it.
fn run(name: &str, text: &str, options: &[&str], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::write(folder.path().join("input.txt"), "first line\nsecond\n").unwrap();
    started(folder.path(), name, options, arguments)
}

fn started(folder: &Path, name: &str, options: &[&str], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jlm-opt"));
    command.args(options).arg(name).args(arguments).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const HEAD: &str = "target triple = \"x86_64-pc-linux-gnu\"\ndeclare i32 @printf(ptr, ...)\ndeclare void @exit(i32)\n\
                    declare i32 @snprintf(ptr, i64, ptr, ...)\ndeclare i32 @puts(ptr)\n";

#[test]
fn output_and_status_are_the_programs() {
    let program = format!(
        "{HEAD}@s = private constant [21 x i8] c\"%d|%5.2f|%-4s|%x|%c\\0A\\00\"\n\
         define i32 @main(i32 %n, ptr %v) {{\n  %p = getelementptr ptr, ptr %v, i64 1\n  %a = load ptr, ptr %p\n\
         %r = call i32 (ptr, ...) @printf(ptr @s, i32 -7, double 2.5, ptr %a, i32 255, i32 65)\n  ret i32 %n\n}}\n"
    );
    let done = run("program.ll", &program, &["--run"], &["-x", "more"]);
    assert_eq!(
        (text(&done.stdout), done.status.code()),
        ("-7| 2.50|-x  |ff|A\n".into(), Some(3)),
        "{}",
        text(&done.stderr)
    );
    let done = run("program.ll", &program, &["-passes=cne,dne", "-run=main"], &["y"]);
    assert_eq!(text(&done.stdout), "-7| 2.50|y   |ff|A\n");
}

#[test]
fn a_function_is_chosen_and_exits() {
    let program = format!("{HEAD}define void @other() {{\n  call void @exit(i32 9)\n  unreachable\n}}\n");
    assert_eq!(run("program.ll", &program, &["--run=other"], &[]).status.code(), Some(9));
    let done = run("program.ll", &program, &["--run"], &[]);
    assert_eq!(done.status.code(), Some(125));
    assert!(text(&done.stderr).contains("function main, which the module does not have"), "{}", text(&done.stderr));
}

#[test]
fn undefined_programs_are_told_why() {
    let program = "define i32 @main(i32 %n) {\n  %z = sub i32 %n, %n\n  %q = sdiv i32 %n, %z\n  ret i32 %q\n}\n";
    let done = run("program.ll", program, &["--run"], &[]);
    assert_eq!(done.status.code(), Some(125));
    let message = text(&done.stderr);
    assert!(message.contains("undefined behavior: the divisor is zero"), "{message}");
    assert!(message.contains("function 'main', n1 sdiv"), "{message}");
}

#[test]
fn fuel_runs_out() {
    let program = "define i32 @main() {\n  br label %l\nl:\n  br label %l\n}\n";
    let done = run("program.ll", program, &["--run", "--run-fuel=1000"], &[]);
    assert!(text(&done.stderr).contains("out of fuel"), "{}", text(&done.stderr));
}

#[test]
fn rvsdg_text_runs() {
    let program = "module \"m\"\n@main = function i32 ()\nlambda @main [] (mem0, io0) {\n  v0 = const i32 5\n  yield v0, mem0, io0\n}\nexport @main\n";
    assert_eq!(run("program.rvsdg", program, &["--run"], &[]).status.code(), Some(5));
}

#[test]
fn files_are_read() {
    let program = format!(
        "{HEAD}declare ptr @fopen(ptr, ptr)\ndeclare ptr @fgets(ptr, i32, ptr)\n@n = private constant [10 x i8] c\"input.txt\\00\"\n\
         @m = private constant [2 x i8] c\"r\\00\"\ndefine i32 @main() {{\n  %b = alloca [64 x i8]\n\
         %f = call ptr @fopen(ptr @n, ptr @m)\n  %l = call ptr @fgets(ptr %b, i32 64, ptr %f)\n\
         %r = call i32 @puts(ptr %b)\n  ret i32 0\n}}\n"
    );
    let done = run("program.ll", &program, &["--run"], &[]);
    assert_eq!(text(&done.stdout), "first line\n\n", "{}", text(&done.stderr));
}

#[test]
fn exceptions_are_caught() {
    let program = "declare ptr @__cxa_allocate_exception(i64)\ndeclare void @__cxa_throw(ptr, ptr, ptr)\n\
        declare ptr @__cxa_begin_catch(ptr)\ndeclare void @__cxa_end_catch()\ndeclare i32 @__gxx_personality_v0(...)\n\
        @_ZTIi = external constant ptr\n\
        define void @thrower(i32 %x) {\n  %e = call ptr @__cxa_allocate_exception(i64 4)\n  store i32 %x, ptr %e\n\
        call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)\n  unreachable\n}\n\
        define i32 @main() personality ptr @__gxx_personality_v0 {\n  invoke void @thrower(i32 77) to label %none unwind label %pad\n\
        none:\n  ret i32 1\npad:\n  %p = landingpad { ptr, i32 } catch ptr @_ZTIi\n  %o = extractvalue { ptr, i32 } %p, 0\n\
        %c = call ptr @__cxa_begin_catch(ptr %o)\n  %v = load i32, ptr %c\n  call void @__cxa_end_catch()\n  ret i32 %v\n}\n";
    let done = run("program.ll", program, &["--run"], &[]);
    assert_eq!(done.status.code(), Some(77), "{}", text(&done.stderr));
}
