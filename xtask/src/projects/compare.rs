//! Compares a project's build with `jlc` with clang's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::build::Build;
use crate::debug_info::Counts;
use crate::tools;

/// The columns of [`Comparison::cells`].
pub const COLUMNS: &[&str] = &[
    "files",
    "tests",
    "bodies left alone",
    "clang: CPU s",
    "`jlc`",
    "ratio",
    "highest ratio of a file",
    "clang: text",
    "`jlc`",
    "ratio",
    "clang: located",
    "ratio",
    "covered",
    "ratio",
];

/// Files that clang compiles in less are not looked at for the highest ratio: seconds.
pub const MEASURABLE: f64 = 0.2;

/// A project, or all of them.
#[derive(Default)]
pub struct Comparison {
    /// Files compiled with both.
    pub files: usize,
    /// Tests that pass with clang.
    pub tests: usize,
    /// Tests that fail with both.
    pub fail_with_both: Vec<String>,
    /// What fails with `jlc` only.
    pub failures: Vec<String>,
    /// Bodies of functions that stayed as they were, by the reason.
    pub untouched: BTreeMap<String, usize>,
    /// Processor time of all compilations in seconds: clang's and ours.
    seconds: [f64; 2],
    /// Bytes of machine code.
    text: [u64; 2],
    variables: [Counts; 2],
    /// The file that takes longest in relation to clang.
    slowest: Option<(f64, PathBuf)>,
}

impl Build {
    /// How it ended, in a few words.
    pub fn outcome(&self) -> &str {
        match (&self.stopped, self.tests.values().all(|&passes| passes)) {
            (Some(_), _) => "does not build",
            (None, true) => "tests pass",
            (None, false) => "tests fail",
        }
    }
}

impl Comparison {
    /// Compares two builds of one project.
    ///
    /// # Errors
    /// What was built cannot be measured.
    pub fn of(clang: &Build, ours: &Build, jobs: usize) -> Result<Comparison> {
        let mut compared = Comparison::default();
        for (stopped, who) in [(&clang.stopped, "clang's build"), (&ours.stopped, "the build")] {
            if let Some(stopped) = stopped {
                compared.failures.push(format!("{who} stops: {stopped}"));
                return Ok(compared);
            }
        }
        compared.compare_tests(&clang.tests, &ours.tests);
        for (file, remark) in &ours.log.declined {
            compared.failures.push(format!("{}: {remark}", file.display()));
        }
        let (theirs, ours_by_file) = (&clang.log.seconds, &ours.log.seconds);
        for (one, other, who) in [(theirs, ours_by_file, "clang"), (ours_by_file, theirs, "jlc")] {
            let alone = one.keys().filter(|file| !other.contains_key(*file));
            compared.failures.extend(alone.map(|file| format!("{} is compiled with {who} only", file.display())));
        }
        for (file, &their_seconds) in theirs {
            let Some(&our_seconds) = ours_by_file.get(file) else { continue };
            compared.files += 1;
            compared.seconds[0] += their_seconds;
            compared.seconds[1] += our_seconds;
            if their_seconds >= MEASURABLE {
                compared.see(our_seconds / their_seconds, file);
            }
        }
        let files: Vec<&PathBuf> =
            theirs.keys().filter(|file| clang.folder.join(file).exists() && ours.folder.join(file).exists()).collect();
        for (index, build) in [clang, ours].into_iter().enumerate() {
            for measured in tools::parallel(jobs, &files, |file| measure(&build.folder.join(file))) {
                let (text, variables) = measured?;
                compared.text[index] += text;
                compared.variables[index].add(variables);
            }
        }
        for reason in untouched(&ours.folder)? {
            *compared.untouched.entry(reason).or_default() += 1;
        }
        Ok(compared)
    }

    fn compare_tests(&mut self, theirs: &BTreeMap<String, bool>, ours: &BTreeMap<String, bool>) {
        for (test, &passes) in theirs {
            match (passes, ours.get(test)) {
                (true, Some(true)) => self.tests += 1,
                (true, _) => self.failures.push(format!("test {test} passes with clang only")),
                (false, Some(true)) => {}
                (false, _) => self.fail_with_both.push(test.clone()),
            }
        }
        let others = ours.iter().filter(|(test, passes)| !**passes && !theirs.contains_key(*test));
        self.failures.extend(others.map(|(test, _)| format!("test {test} fails, and clang's build does not know it")));
    }

    fn see(&mut self, ratio: f64, file: &Path) {
        if self.slowest.as_ref().is_none_or(|(highest, _)| ratio > *highest) {
            self.slowest = Some((ratio, file.to_owned()));
        }
    }

    /// All of them as one.
    pub fn sum<'a>(all: impl Iterator<Item = &'a Comparison>) -> Comparison {
        let mut sum = Comparison::default();
        for one in all {
            sum.files += one.files;
            sum.tests += one.tests;
            sum.fail_with_both.extend(one.fail_with_both.iter().cloned());
            sum.failures.extend(one.failures.iter().cloned());
            for (reason, count) in &one.untouched {
                *sum.untouched.entry(reason.clone()).or_default() += count;
            }
            for index in [0, 1] {
                sum.seconds[index] += one.seconds[index];
                sum.text[index] += one.text[index];
                sum.variables[index].add(one.variables[index]);
            }
            if let Some((ratio, file)) = &one.slowest {
                sum.see(*ratio, file);
            }
        }
        sum
    }

    /// Our processor time by clang's.
    pub fn seconds_ratio(&self) -> f64 {
        self.seconds[1] / self.seconds[0]
    }

    /// Our machine code by clang's.
    pub fn text_ratio(&self) -> f64 {
        self.text[1] as f64 / self.text[0] as f64
    }

    /// Our shares of variables by clang's: those with a location, and of bytes in which they have one.
    pub fn variable_ratios(&self) -> [f64; 2] {
        self.variables[1].shares_of(self.variables[0])
    }

    /// A row of the table, without names.
    pub fn cells(&self) -> Vec<Value> {
        let ratio = |ratio: f64| json!(format!("{ratio:.3}"));
        let seconds = |seconds: f64| json!(format!("{seconds:.1}"));
        let percent = |share: f64| json!(format!("{:.1} %", 100.0 * share));
        let slowest = self.slowest.as_ref().map_or(String::new(), |(ratio, file)| {
            format!("{ratio:.1} ({})", file.file_name().unwrap_or_default().to_string_lossy())
        });
        let [located, covered] = self.variable_ratios();
        vec![
            json!(self.files),
            json!(self.tests),
            json!(self.untouched.values().sum::<usize>()),
            seconds(self.seconds[0]),
            seconds(self.seconds[1]),
            ratio(self.seconds_ratio()),
            json!(slowest),
            json!(self.text[0]),
            json!(self.text[1]),
            ratio(self.text_ratio()),
            percent(self.variables[0].located_share()),
            ratio(located),
            percent(self.variables[0].covered_share()),
            ratio(covered),
        ]
    }
}

/// Bytes of machine code and what a debugger finds.
fn measure(object: &Path) -> Result<(u64, Counts)> {
    Ok((tools::text_size(object)?, Counts::of(object)?))
}

/// Why bodies stayed as they were, one entry for each, from the remarks that lie beside the objects.
fn untouched(folder: &Path) -> Result<Vec<String>> {
    let mut reasons = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name().to_string_lossy().ends_with(".opt.yaml") {
                reasons.extend(reasons_in(&String::from_utf8_lossy(&tools::read(&entry.path())?)));
            }
        }
    }
    Ok(reasons)
}

/// The reasons in a file of remarks: what follows the words that every such remark begins with.
fn reasons_in(remarks: &str) -> Vec<String> {
    let strings: Vec<&str> = remarks
        .lines()
        .filter_map(|line| Some(line.trim().strip_prefix("- String:")?.trim().trim_matches('\'')))
        .collect();
    let untouched = |pair: &[&str]| pair[0].contains("passes through untouched").then(|| pair[1].to_owned());
    strings.windows(2).filter_map(untouched).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(tests: &[(&str, bool)]) -> BTreeMap<String, bool> {
        tests.iter().map(|&(name, passes)| (name.to_owned(), passes)).collect()
    }

    #[test]
    fn failures_of_one_compiler_are_named() {
        let mut compared = Comparison::default();
        let theirs = results(&[("a", true), ("b", true), ("c", false), ("d", true), ("e", false)]);
        compared
            .compare_tests(&theirs, &results(&[("a", true), ("b", false), ("c", false), ("e", true), ("f", false)]));
        assert_eq!((compared.tests, &*compared.fail_with_both), (1, &["c".to_owned()][..]));
        let failures = [
            "test b passes with clang only",
            "test d passes with clang only",
            "test f fails, and clang's build does not know it",
        ];
        assert_eq!(compared.failures, failures);
    }

    #[test]
    fn remarks_give_reasons() {
        let remarks = "--- !Missed\nPass:            rvsdg\nName:            Untouched\nFunction:        owner\nArgs:\n  \
                       - String:          'function passes through untouched: '\n  - String:          address of a block\n...\n";
        assert_eq!(reasons_in(remarks), ["address of a block"]);
        assert!(reasons_in("").is_empty());
    }
}
