//! What test suites print about single tests: automake's, CTest's and googletest's formats.

use std::collections::BTreeMap;

/// Adds the tests that a text names, as `suite: test`. One that is named several times passes if it passes each time.
pub fn read(suite: &str, text: &str, tests: &mut BTreeMap<String, bool>) {
    for (name, passes) in text.lines().filter_map(line) {
        *tests.entry(format!("{suite}: {name}")).or_insert(true) &= passes;
    }
}

/// The test that a line names, and whether it passes.
fn line(line: &str) -> Option<(&str, bool)> {
    automake(line).or_else(|| ctest(line)).or_else(|| googletest(line))
}

/// `PASS: name`
fn automake(line: &str) -> Option<(&str, bool)> {
    let (outcome, name) = line.split_once(": ")?;
    let passes = match outcome {
        "PASS" | "XFAIL" => true,
        "FAIL" | "XPASS" | "ERROR" => false,
        _ => return None,
    };
    let name = name.trim();
    (!name.is_empty() && !name.contains(' ')).then_some((name, passes))
}

/// `3/9 Test #3: name ....   Passed    0.01 sec`
fn ctest(line: &str) -> Option<(&str, bool)> {
    let (count, rest) = line.trim_start().split_once(" Test ")?;
    let is_count = count.contains('/') && count.chars().all(|c| c.is_ascii_digit() || c == '/');
    let (_, rest) = rest.split_once(": ")?;
    let (name, outcome) = rest.split_once(' ')?;
    is_count.then_some((name, outcome.contains(" Passed ")))
}

/// `[       OK ] Suite.name (0 ms)`
fn googletest(line: &str) -> Option<(&str, bool)> {
    let (outcome, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let passes = match outcome.trim() {
        "OK" => true,
        "FAILED" => false,
        _ => return None,
    };
    // The summary at the end has no times.
    let (name, time) = rest.split_once(' ').unwrap_or((rest, ""));
    (name.contains('.') && time.starts_with('(')).then_some((name, passes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let text = "PASS: test_a.sh\nFAIL: b\nSKIP: c\nERROR: a sentence\n\
                    1/2 Test #1: runtests .........................   Passed    0.61 sec\n\
                     2/2 Test #2: other ............................***Failed    0.01 sec\n\
                    [ RUN      ] BuildTest.Phony\n[       OK ] BuildTest.Phony (0 ms)\n[  FAILED  ] BuildTest.Two (1 ms)\n\
                    [  FAILED  ] 1 test, listed below:\nPASS: b\n";
        let mut tests = BTreeMap::new();
        read("all", text, &mut tests);
        let expected = [
            ("all: BuildTest.Phony", true),
            ("all: BuildTest.Two", false),
            ("all: b", false),
            ("all: other", false),
            ("all: runtests", true),
            ("all: test_a.sh", true),
        ];
        assert_eq!(tests, expected.map(|(name, passes)| (name.to_owned(), passes)).into());
    }
}
