//! File tests: a module in text, a pipeline, and the module that has to come out.
//!
//! ```text
//! ; What the test shows.
//! ; RUN: dne,cne
//! <module>
//! ; EXPECT:
//! <module>
//! ```
//!
//! Tests are in `filetests/<pass>/<behaviour>.rvsdg`. `RVSDG_BLESS=1 cargo test -p rvsdg-tests` replaces what is expected
//! by what came out.

#![forbid(unsafe_code)]

pub mod normalize;
pub mod tools;

use std::path::{Path, PathBuf};

use rvsdg_core::{Module, text};
use rvsdg_passes::{Manager, Pipeline};

const RUN: &str = "; RUN:";
const EXPECT: &str = "; EXPECT:\n";

/// A file test, in pieces.
pub struct FileTest<'t> {
    /// Comments, the pipeline's line and the module that goes in.
    pub head: &'t str,
    /// The pipeline's text.
    pub pipeline: &'t str,
    /// The module that has to come out.
    pub expected: &'t str,
}

impl<'t> FileTest<'t> {
    /// Takes a file test apart. Expected text may be missing before the first blessing.
    ///
    /// # Errors
    /// When no line says which passes to run.
    pub fn parse(file: &'t str) -> Result<FileTest<'t>, String> {
        let (head, expected) = match file.find(EXPECT) {
            Some(position) => (&file[..position], &file[position + EXPECT.len()..]),
            None => (file, ""),
        };
        let run = head.lines().find_map(|line| line.strip_prefix(RUN));
        let pipeline = run.ok_or_else(|| format!("expected a line '{RUN} <pipeline>'"))?.trim();
        Ok(FileTest { head, pipeline, expected })
    }

    /// The module that goes in and the one that comes out. Both are valid, as the module is after every pass.
    ///
    /// # Errors
    /// When the module cannot be read, is invalid or is made invalid.
    pub fn modules(&self) -> Result<[Module; 2], String> {
        let pipeline = Pipeline::parse(self.pipeline).map_err(|error| error.to_string())?;
        let before = read(self.head)?;
        let mut after = before.clone();
        let manager = Manager { verify_each: true, ..Manager::default() };
        manager.run(&mut after, &pipeline).map_err(|error| error.to_string())?;
        verify(&after)?;
        Ok([before, after])
    }

    /// Runs the pipeline on the module and prints what came out. The module is verified before and after every pass.
    ///
    /// # Errors
    /// When the module cannot be read, is invalid or is made invalid.
    pub fn run(&self) -> Result<String, String> {
        let [_, module] = self.modules()?;
        let printed = text::print_module(&module);
        let again = text::print_module(&read(&printed)?);
        if again != printed {
            return Err(format!("what was printed reads back differently:\n{}", difference(&printed, &again)));
        }
        Ok(printed)
    }

    /// The file with other expected text.
    pub fn with_expected(&self, expected: &str) -> String {
        format!("{}\n\n{EXPECT}{expected}", self.head.trim_end())
    }
}

fn read(text: &str) -> Result<Module, String> {
    let module = text::parse_module(text).map_err(|error| error.to_string())?;
    verify(&module)?;
    Ok(module)
}

fn verify(module: &Module) -> Result<(), String> {
    module.verify().map(|_| ()).map_err(|violations| violations.to_string())
}

/// Lines that differ, between those that two texts start and end with alike.
pub fn difference(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let mut text = String::new();
    let mut lines = |mark: &str, lines: &[&str]| {
        for line in lines {
            text.push_str(&format!("{mark} {line}\n"));
        }
    };
    lines(" ", &old[same_start.saturating_sub(3)..same_start]);
    lines("-", &old[same_start..old.len() - same_end]);
    lines("+", &new[same_start..new.len() - same_end]);
    lines(" ", &old[old.len() - same_end..(old.len() - same_end + 3).min(old.len())]);
    text
}

/// All file tests below a directory, in order.
///
/// # Errors
/// When a directory cannot be read.
pub fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rvsdg") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_apart() {
        let test = FileTest::parse("; Why.\n; RUN: dne\nin\n; EXPECT:\nout\n").unwrap();
        assert_eq!((test.pipeline, test.expected), ("dne", "out\n"));
        assert_eq!(test.with_expected("new\n"), "; Why.\n; RUN: dne\nin\n\n; EXPECT:\nnew\n");
        assert!(FileTest::parse("in").is_err());
    }

    #[test]
    fn difference_shows_what_is_around_it() {
        let (old, new) = ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nx\nf\ng\nh\n");
        assert_eq!(difference(old, new), "  b\n  c\n  d\n- e\n+ x\n  f\n  g\n  h\n");
        assert_eq!(difference("a\na\n", "a\n"), "  a\n- a\n");
    }
}
