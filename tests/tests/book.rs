//! The commands of the book in `docs/book` are executed, page by page, and print what stands below them. `RVSDG_BLESS=1` writes that.
//!
//! A block of commands (`sh`) may be followed by one of text: what they print, to standard output and error. Commands that end with
//! another status than 0 say so with `||`. `cargo run -p PACKAGE --` stands for the package's program.

use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::tools;

const COMMANDS: &str = "```sh\n";
const PRINTED: &str = "```text\n";
const END: &str = "```\n";

/// Runs the examples instead of building them.
const CARGO: &str = r#"cargo() { [ "$1 $2 $4" = "run -p --" ] || { echo "the book runs packages only: cargo $*"; return 1; }; local program=$3; shift 4; "$program" "$@"; }
set -euo pipefail
"#;

#[test]
fn commands_print_what_stands_below_them() {
    let bless = std::env::var_os("RVSDG_BLESS").is_some();
    let folder = tools::examples_folder();
    let mut failures = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page can be read");
        match executed(&text, folder) {
            Ok(expected) if expected == text => {}
            Ok(expected) if bless => std::fs::write(&page, expected).expect("a page can be written"),
            Ok(expected) => {
                failures.push(format!("{}:\n{}", page.display(), rvsdg_tests::difference(&text, &expected)))
            }
            Err(error) => failures.push(format!("{}:\n{error}", page.display())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The first commands of the README, but for the one that installs the programs.
#[test]
fn the_first_steps_of_the_readme() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).expect("it is there");
    let section = readme.split("\n## First steps\n").nth(1).expect("it has the section");
    let commands = section.split(COMMANDS).nth(1).and_then(|rest| rest.split(END).next()).expect("it has commands");
    let commands =
        commands.split_once('\n').filter(|(first, _)| first.starts_with("scripts/install ")).expect("they install").1;
    // The program prints its line, and the page shows its function.
    let check = "./hello | grep -qx 'hello 45'; grep -q '\"name\":\"main\"' hello.html";
    let page = format!("{COMMANDS}{commands}{check}\n{END}");
    executed(&page, tools::examples_folder()).unwrap_or_else(|error| panic!("{error}"));
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src");
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("there is a book").map(|entry| entry.expect("it is listed").path()).collect();
    pages.sort();
    pages
}

/// A page with what its commands print, executed in one folder of their own.
fn executed(page: &str, programs: &Path) -> Result<String, String> {
    let place = tempfile::tempdir().expect("a folder can be made");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("there is a PATH"));
    let (mut text, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once(COMMANDS) {
        let (commands, after) = after.split_once(END).ok_or("a block of commands does not end")?;
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{CARGO}{commands}")])
            .current_dir(&place)
            .env("PATH", &path)
            .output()
            .expect("bash starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(format!("{}:\n{commands}\n{printed}", output.status));
        }
        text.extend([before, COMMANDS, commands, END]);
        rest = after;
        if let Some(after) = rest.strip_prefix('\n').and_then(|rest| rest.strip_prefix(PRINTED)) {
            let (_, after) = after.split_once(END).ok_or("a block of text does not end")?;
            text.extend(["\n", PRINTED, &printed, END]);
            rest = after;
        }
    }
    text.push_str(rest);
    Ok(text)
}
