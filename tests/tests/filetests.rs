//! Runs all file tests. `RVSDG_BLESS=1` writes what came out into the files.
//!
//! What passes make of the modules does what these do, too: both run on the interpreter.

use std::path::Path;

use rvsdg_gen::runs::{Effort, Tally, runs_with};
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

/// File tests no run of which can be compared, and why.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("ads/widths.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("attrs/loops.rvsdg", "it calls itself without end"),
    ("attrs/memory.rvsdg", "an access is outside of its object"),
    ("cld/big_endian.rvsdg", "the interpreter has little-endian memory only"),
    ("cld/stays.rvsdg", "an access is outside of its object"),
    ("cne/theta_nested.rvsdg", "the loops do not end with any argument that is tried"),
    ("dne/available_externally.rvsdg", "the definitions that stay call themselves without end"),
    ("dne/recursion_variable.rvsdg", "it calls itself without end"),
    ("dne/untouched.rvsdg", "its body is no graph"),
    ("iln/recursion_context.rvsdg", "it calls itself without end"),
    ("iln/states.rvsdg", "it calls `exit` without a status"),
    ("iln/tokens.rvsdg", "it calls functions that give and take tokens"),
    ("ipc/funclets.rvsdg", "the interpreter has no funclets"),
    ("ipc/known.rvsdg", "it calls itself without end"),
    ("ivs/comparisons.rvsdg", "a loop is repeated nearly without end"),
    ("ivs/merged_narrow_pointers.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("ivs/narrow_target.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("ivt/unswitched.rvsdg", "the loop does not end with any argument that is tried"),
    ("ivt/unswitched_frozen.rvsdg", "the loop does not end with any argument that is tried"),
    ("lib/strings_narrow.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("mvf/addresses_that_wrap.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("mvf/around_unsigned.rvsdg", "an access is outside of its object"),
    ("mvf/dead_store_loop.rvsdg", "the loops do not end, or an access is outside of its object"),
    ("mvf/far.rvsdg", "an access is outside of its object"),
    ("mvf/fields_of_32_bits.rvsdg", "the interpreter has pointers of 64 bits only"),
    ("psh/declared_convergent.rvsdg", "the loop does not end with what unknown functions return"),
    ("psh/theta_certain.rvsdg", "the loops do not end, or it divides by zero"),
    ("psh/theta_nest.rvsdg", "the loop does not end with any argument that is tried"),
    ("red/distance_in_bytes_32.rvsdg", "it only computes addresses"),
    ("red/poison.rvsdg", "it divides by zero"),
    ("sra/big_endian.rvsdg", "the interpreter has little-endian memory only"),
    ("sra/copies.rvsdg", "what is copied holds the address that is loaded"),
    ("sra/stays.rvsdg", "an access is outside of its object"),
    ("url/start_undef.rvsdg", "a branch depends on undef"),
    ("url/uncounted.rvsdg", "the loops do not end, or an access is outside of its object"),
];

/// Which of them are not compared, and how many runs of the others say something.
#[test]
fn file_tests_keep_their_meaning() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let (mut failures, mut left_out, mut tally) = (Vec::new(), Vec::new(), Tally::default());
    for path in files(&directory).expect("the file tests can be read") {
        let name = path.strip_prefix(&directory).expect("files are in the directory").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file test can be read");
        let [before, after] =
            FileTest::parse(&text).and_then(|test| test.modules()).unwrap_or_else(|error| panic!("{name}: {error}"));
        match runs_with(&before, Effort::THOROUGH).keep(&after) {
            Ok(runs) => {
                tally.add(runs);
                if runs.same == 0 {
                    println!("{name}: {runs:?}");
                    left_out.push(name);
                }
            }
            Err(why) => failures.push(format!("{name}: {why}")),
        }
    }
    println!("{tally:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let expected: Vec<&str> = NOT_COMPARED.iter().map(|&(name, _)| name).collect();
    assert_eq!(left_out, expected);
    assert!(tally.same > tally.vacuous + tally.unknown, "most runs say something");
}
