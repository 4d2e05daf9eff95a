//! What a terminal sees of long work, and that nothing else does.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Long enough for something to be shown.
const LONG: Duration = Duration::from_secs(3);

fn run(place: &TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jlm-opt"));
    let output = command.args(arguments.split(' ')).current_dir(place).stdin(Stdio::null()).output();
    output.expect("jlm-opt can be started")
}

/// What a run writes to a terminal that standard output and error are.
fn on_a_terminal(place: &TempDir, arguments: &str) -> String {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_jlm-opt"));
    let mut script = Command::new("script");
    script.args(["-qefc", &line, "/dev/null"]).current_dir(place).env("TERM", "xterm").stdin(Stdio::null());
    let output = script.output().expect("script can be started");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shown}");
    shown
}

/// A program with so many functions, in each of which there is something to do.
fn program(functions: usize) -> String {
    let mut text = String::new();
    for number in 0..functions {
        let _ = write!(
            text,
            "define i32 @f{number}(ptr %p, i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ {number}, %entry ], [ %more, %body ]
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %exit
body:
  %at = getelementptr i32, ptr %p, i32 %i
  %value = load i32, ptr %at
  %product = mul i32 %value, %i
  %more = add i32 %sum, %product
  store i32 %more, ptr %at
  %next = add nsw i32 %i, 1
  br label %head
exit:
  ret i32 %sum
}}
"
        );
    }
    text
}

#[test]
fn passes_over_large_modules_are_shown() {
    let place = tempfile::tempdir().expect("a folder can be made");
    let arguments = "large.ll -O2 -disable-output";
    let mut functions = 500;
    loop {
        std::fs::write(place.path().join("large.ll"), program(functions)).expect("a file can be written");
        let start = Instant::now();
        let output = run(&place, arguments);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        if start.elapsed() >= LONG {
            break;
        }
        functions *= 3;
    }
    let shown = on_a_terminal(&place, arguments);
    assert!(shown.contains("large.ll: passes") && shown.contains(" %"), "{shown}");
    // What was shown is gone in the end.
    let last = shown.rfind("\u{1b}[2K").expect("lines are cleared");
    assert!(!shown[last..].contains("large.ll"), "{shown}");
    // Short work is not worth a line, and a pipe never is.
    std::fs::write(place.path().join("small.ll"), program(1)).expect("a file can be written");
    assert_eq!(on_a_terminal(&place, "small.ll -O2 -disable-output"), "");
}

#[test]
fn reduction_is_shown() {
    let place = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(place.path().join("program.ll"), program(2)).expect("a file can be written");
    let test = place.path().join("slow");
    std::fs::write(&test, "#!/bin/sh\nsleep 0.2\ngrep -q ' mul ' \"$1\"\n").expect("a file can be written");
    std::fs::set_permissions(&test, std::fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let arguments = "reduce program.ll --test=./slow -o out.ll";
    let shown = on_a_terminal(&place, arguments);
    assert!(shown.contains(" nodes after "), "{shown}");
    let output = run(&place, arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
