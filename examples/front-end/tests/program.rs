//! The front end on a program.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "max 2 = a b a b > ?\nnorm 2 = a a * b b * + 0 +\n";

/// What the front end prints, and what it says is wrong.
fn run(text: &str, call: &[&str]) -> (String, String) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.txt", std::process::id()));
    std::fs::write(&file, text).expect("it is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_example-front-end"));
    let output = command.arg(&file).args(call).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_program() {
    let (text, _) = run(PROGRAM, &[]);
    assert_eq!(text.matches("define i64 @").count(), 2, "{text}");
    assert!(!text.contains(", 0\n"), "the sum with zero is gone: {text}");
    assert_eq!(run(PROGRAM, &["max", "-3", "7"]).0.trim(), "returned 7");
    assert_eq!(run(PROGRAM, &["norm", "3", "-4"]).0.trim(), "returned 25");
    assert!(run("f 1 = a b +\n", &[]).1.contains("line 1: there is no parameter 'b'"));
}
