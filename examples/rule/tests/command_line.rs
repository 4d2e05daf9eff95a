//! The rule under `jlm-opt`'s command line.

use std::path::Path;
use std::process::Command;

/// Standard output and error of the program with these arguments, the last of which is an input.
fn run(arguments: &str, program: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("in.ll"), program).expect("it is writable");
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_example-rule")));
    let output = command.args(arguments.split(' ')).current_dir(folder.path()).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{err}");
    (out, err)
}

#[test]
fn the_rule_is_one_of_node_reduction() {
    // Its own instance.
    let (program, _) = run("--proofs", "");
    assert!(program.contains("define i8 @src(i8 %x, i8 %m)"), "{program}");
    for passes in ["red,dne", "default<O1>"] {
        let (text, log) = run(&format!("in.ll -S -stats -verify-each -passes={passes}"), &program);
        assert_eq!(text.matches("ret i8 %x\n}").count(), 2, "{passes}: {text}");
        assert!(log.contains("1  node-reduction: add-masked-parts"), "{passes}: {log}");
    }
    let (_, log) = run("in.ll -disable-output -passes=red -pass-remarks=red", &program);
    assert!(log.contains("add-masked-parts of v"), "{log}");
}
