//! What a build compiled: the lines that the script `compiler.sh` writes.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// What was compiled.
#[derive(Debug, Default, PartialEq)]
pub struct Log {
    /// Processor time in seconds by the file that came out: an object, or a program where compiling and linking is one step. Paths are within
    /// the project.
    pub seconds: BTreeMap<PathBuf, f64>,
    /// The files for which `jlc` gave up and called clang, and why.
    pub declined: Vec<(PathBuf, String)>,
}

/// Reads a log; `folder` is where the project lies. Calls that fail or compile nothing are left out.
pub fn read(text: &str, folder: &Path) -> Log {
    let mut log = Log::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [times, status, remark, place, arguments @ ..] = &*fields else { continue };
        let Some(output) = output(arguments) else { continue };
        let output = relative(&Path::new(place).join(output), folder);
        if !remark.is_empty() {
            log.declined.push((output.clone(), (*remark).to_owned()));
        }
        if *status == "0" {
            let seconds: f64 = times.split(' ').filter_map(|time| time.parse::<f64>().ok()).sum();
            *log.seconds.entry(output).or_default() += seconds;
        }
    }
    log
}

/// What a call compiles into, if it compiles.
fn output(arguments: &[&str]) -> Option<PathBuf> {
    const SOURCES: &[&str] = &["c", "cc", "cpp", "cxx"];
    const OTHER: &[&str] = &["-E", "-M", "-MM", "-S", "-fsyntax-only"];
    const WITH_VALUE: &[&str] = &["-MF", "-MT", "-MQ", "-I", "-D", "-include", "-isystem", "-x"];
    let (mut source, mut object, mut is_object) = (None, None, false);
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        if OTHER.contains(&argument) {
            return None;
        } else if WITH_VALUE.contains(&argument) {
            rest.next();
        } else if argument == "-o" {
            object = rest.next().map(PathBuf::from);
        } else if let Some(name) = argument.strip_prefix("-o") {
            object = Some(name.into());
        } else if argument == "-c" {
            is_object = true;
        } else if !argument.starts_with('-') {
            let path = Path::new(argument);
            let is_source = path.extension().is_some_and(|end| SOURCES.iter().any(|source| end == *source));
            source = source.or(is_source.then_some(path));
        }
    }
    let source = source?;
    let default =
        || if is_object { Path::new(source.file_name()?).with_extension("o").into() } else { Some("a.out".into()) };
    object.or_else(default)
}

/// A path within a folder, without `.` and `..`.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.strip_prefix(folder).map_or(plain.clone(), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilations_are_told_from_other_calls() {
        let text = "0.5 0.25\t0\t\t/w/p/sub\t-O2\t-c\t../a.c\t-MF\tx.c\n\
                    1.0 0.0\t0\tjlc: remark: it fails\t/w/p\t-c\t-o\t.libs/b.o\tb.cc\n\
                    1.0 0.0\t1\t\t/w/p\t-c\tc.c\n\
                    0.1 0.1\t0\t\t/w/p\t-o\tprogram\ta.o\n\
                    0.1 0.1\t0\t\t/w/p\td.c\te.c\t-o\tboth\n\
                    0.1 0.1\t0\t\t/w/p\t-E\ta.c\n\
                    0.5 0.5\t0\t\t/w/p\t-c\ta.c\n";
        let log = read(text, Path::new("/w/p"));
        let seconds: Vec<(&str, f64)> =
            log.seconds.iter().filter_map(|(path, time)| Some((path.to_str()?, *time))).collect();
        assert_eq!(seconds, [(".libs/b.o", 1.0), ("a.o", 1.0), ("both", 0.2), ("sub/a.o", 0.75)]);
        assert_eq!(log.declined, [(PathBuf::from(".libs/b.o"), "jlc: remark: it fails".to_owned())]);
    }
}
