//! The pass under `jlm-opt`'s command line.

use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "define i32 @sum(i32 %a, i32 %b, i32 %c, i32 %d) {
  %x = add i32 %a, %b
  %y = add i32 %x, %c
  %z = add i32 %y, %d
  ret i32 %z
}
define i32 @other(i32 %a, i32 %b, i32 %c, i32 %d) {
  %x = add i32 %a, %b
  %y = add i32 %x, %c
  %z = add i32 %y, %d
  ret i32 %z
}
";

/// A sum of five whose nodes do not come after what they use, which the text form may have.
const BACKWARDS: &str = r#"module "test"
@f = function i32 (i32, i32, i32, i32, i32)
lambda @f [] (v0: i32, v1: i32, v2: i32, v3: i32, v4: i32, mem0, io0) {
  v8: i32 = add v7, v4
  v7: i32 = add v6, v3
  v6: i32 = add v5, v2
  v5: i32 = add v0, v1
  yield v8, mem0, io0
}
export @f
"#;

/// Standard output and error of the program with these arguments, of which `in.ll` and `in.rvsdg` may be inputs.
fn run(arguments: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("in.ll"), PROGRAM).expect("it is writable");
    std::fs::write(folder.path().join("in.rvsdg"), BACKWARDS).expect("it is writable");
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_example-pass")));
    let output = command.args(arguments.split(' ')).current_dir(folder.path()).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{err}");
    (out, err)
}

#[test]
fn it_is_a_pass_like_others() {
    for passes in ["tree-height,dne", "thr,dne", "default<O2>,repeat<2>(tree-height)"] {
        let (text, _) = run(&format!("in.ll -S -verify-each -passes={passes}"));
        assert_eq!(text.matches("add i32 %c, %d").count(), 2, "{passes}: {text}");
        assert_eq!(text.matches("add i32").count(), 6, "{passes}: {text}");
    }
    assert!(run("--help").0.contains("tree-height"));
}

#[test]
fn nodes_may_be_in_any_order() {
    let (text, log) = run("in.rvsdg --emit rvsdg -o - -stats -verify-each -passes=thr");
    assert_eq!(text.matches(": i32 = add ").count(), 4, "{text}");
    assert!(log.contains("1  tree-height: balanced"), "{log}");
}

#[test]
fn bisection_remarks_and_counters_know_it() {
    let (text, log) = run("in.ll -S -passes=thr -opt-bisect-limit=1");
    assert_eq!(text.matches("add i32 %c, %d").count(), 1, "{text}");
    let expected =
        "BISECT: running pass (1) tree-height on sum, 1 rewrite\nBISECT: NOT running pass (2) tree-height on other\n";
    assert_eq!(log, expected);
    let (text, _) = run("in.ll -S -passes=thr -opt-bisect-limit=1.0");
    assert_eq!(text.matches("add i32 %c, %d").count(), 0, "{text}");
    assert!(run("in.ll -S -passes=thr -pass-remarks=thr").1.contains("balance of v"));
    assert!(run("in.ll -S -passes=thr -stats").1.contains("2  tree-height: balanced"));
}

#[test]
fn any_number_of_threads_gives_the_same() {
    assert_eq!(run("in.ll -S -passes=thr --threads=1").0, run("in.ll -S -passes=thr --threads=3").0);
}
