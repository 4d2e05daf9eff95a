//! Runs all file tests. `RVSDG_BLESS=1` writes what came out into the files.

use std::path::Path;

use rvsdg_tests::{FileTest, difference, files};

#[test]
fn filetests() {
    let bless = std::env::var_os("RVSDG_BLESS").is_some();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let files = files(&directory).expect("the file tests can be read");
    assert!(!files.is_empty(), "there are file tests");
    let mut failures = Vec::new();
    for path in &files {
        let name = path.strip_prefix(&directory).expect("files are in the directory").display();
        let text = std::fs::read_to_string(path).expect("a file test can be read");
        let outcome = FileTest::parse(&text).and_then(|test| {
            let actual = test.run()?;
            if actual == test.expected {
                return Ok(());
            }
            if bless {
                std::fs::write(path, test.with_expected(&actual)).expect("a file test can be written");
                return Ok(());
            }
            Err(difference(test.expected, &actual))
        });
        failures.extend(outcome.err().map(|error| format!("{name}:\n{error}")));
    }
    let (failed, all) = (failures.len(), files.len());
    assert!(failed == 0, "{failed} of {all} file tests failed\n\n{}", failures.join("\n"));
}
