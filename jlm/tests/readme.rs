//! The commands that `README.md` gives, executed as they stand there.

use std::path::Path;
use std::process::Command;

/// The block of commands under a heading.
fn block<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let section = page.split_once(heading).expect("the page has the section").1;
    let block = section.split("```").nth(1).expect("the section has a block");
    block.lines().skip(1).collect()
}

#[test]
fn the_recipe_makes_an_optimized_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    let page = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::copy(root.join("tests/corpus/c/demo.c"), folder.path().join("program.c")).expect("the demo is copied");
    let commands = block(&page, "## Using jlm-opt");
    assert_eq!(commands.first().map(|command| command.split(' ').next()), Some(Some("cargo")));
    for command in &commands[1..] {
        let words: Vec<&str> = command.split_whitespace().collect();
        let program = match words[0] {
            "target/release/jlm-opt" => env!("CARGO_BIN_EXE_jlm-opt"),
            program => program,
        };
        // Without -O2 clang generates code at -O0; without the other flag, its optimizer does what is jlm-opt's.
        if program.starts_with("clang") {
            assert_eq!(words[1..4], ["-O2", "-Xclang", "-disable-llvm-passes"], "{command}");
        }
        let status = Command::new(program).args(&words[1..]).current_dir(folder.path()).status().expect("it starts");
        assert!(status.success(), "{command}");
    }
    let output = Command::new(folder.path().join("program")).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("27 takes 111 steps\n"));
}
