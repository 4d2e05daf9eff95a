//! Graphviz draws the graphs of all file tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rvsdg_core::dot;
use rvsdg_tests::{FileTest, files};

/// Graphviz; where it is not there the test is left out by name, but not in CI.
fn graphviz() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("dot")).find(|file| file.is_file());
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "CI needs graphviz, which scripts/setup installs");
    if found.is_none() {
        eprintln!("left out: Graphviz draws graphs (no dot on PATH)");
    }
    found
}

/// Every label is well-formed, every edge joins ports that are there, and no vertex stands in two boxes: Graphviz says nothing.
#[test]
fn graphviz_draws_the_graphs_of_all_file_tests() {
    let Some(graphviz) = graphviz() else { return };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut pictures = String::new();
    let mut modules = 0;
    for path in files(&directory).expect("the file tests can be read") {
        let text = std::fs::read_to_string(&path).expect("a file test can be read");
        let test = FileTest::parse(&text).expect("it is a file test");
        let [_, module] = test.modules().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        pictures.push_str(&dot::print_module(&module));
        modules += 1;
    }
    let mut command = Command::new(graphviz);
    // Edges as lines: their curves take most of the time.
    command.args(["-Tsvg", "-Gsplines=line"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("Graphviz starts");
    let mut input = child.stdin.take().expect("its input is a pipe");
    let writer = std::thread::spawn(move || input.write_all(pictures.as_bytes()));
    let output = child.wait_with_output().expect("Graphviz ends");
    writer.join().expect("no panic").expect("it reads all of its input");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let drawn = String::from_utf8_lossy(&output.stdout);
    assert_eq!(drawn.matches("<svg ").count(), modules);
    assert!(drawn.matches("class=\"cluster\"").count() > 2 * modules);
}
