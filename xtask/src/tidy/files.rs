//! Rules on the text of files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::tools;

/// A file's length from which on it needs a reason.
const LONG: usize = 700;

/// Longer files, each with the reason why it is not divided.
const LONG_FILES: &[(&str, &str)] = &[];

/// Documents in which every path between backticks must exist.
const DOCUMENTS: &[&str] = &["ARCHITECTURE.md", "README.md"];

/// Macros that must not be called: what is not written yet is not merged. Without the exclamation mark, so that this file may name them.
const BANNED_MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Long files, unfinished code and tests that do not run.
pub fn source_violations() -> Result<Vec<String>> {
    let root = tools::root();
    let mut sources = Vec::new();
    collect(&root, &mut sources)?;
    sources.sort();
    let mut found = Vec::new();
    for path in &sources {
        let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let text = String::from_utf8(tools::read(path)?).with_context(|| format!("{name} is no text"))?;
        let lines = text.lines().count();
        let listed = LONG_FILES.iter().any(|(file, _)| *file == name);
        if lines > LONG && !listed {
            found.push(format!("{name} has {lines} lines, more than {LONG}: divide it, or list it with a reason"));
        }
        if lines <= LONG && listed {
            found.push(format!("{name} is listed as long and has {lines} lines: remove it from the list"));
        }
        for (number, line) in text.lines().enumerate() {
            let called = |name: &&&str| line.contains(&format!("{name}!("));
            if let Some(name) = BANNED_MACROS.iter().find(called) {
                found.push(format!("{}:{}: {name}! is not for code that is merged", path.display(), number + 1));
            }
            if line.trim_start().starts_with("#[ignore") {
                found.push(format!("{}:{}: a test that is ignored tests nothing", path.display(), number + 1));
            }
        }
    }
    for (file, _) in LONG_FILES {
        if !root.join(file).exists() {
            found.push(format!("{file} is listed as long and does not exist"));
        }
    }
    Ok(found)
}

/// Adds the Rust files below a folder, but not what is built or hidden.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// Paths that documents name and that do not exist.
pub fn path_violations() -> Result<Vec<String>> {
    let root = tools::root();
    let mut found = Vec::new();
    for document in DOCUMENTS {
        let text = String::from_utf8(tools::read(&root.join(document))?)?;
        for path in paths(&text) {
            if !root.join(path).exists() {
                found.push(format!("{document} names {path}, which does not exist"));
            }
        }
    }
    Ok(found)
}

/// What stands between single backticks and looks like a path of the repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    const EXTENSIONS: &[&str] = &[".rs", ".md", ".toml", ".rvsdg", ".c", ".sql", ".lua"];
    text.lines().filter(|line| !line.starts_with("    ")).flat_map(|line| line.split('`').skip(1).step_by(2)).filter(
        |word| {
            let characters = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            let looks = word.contains('/') || EXTENSIONS.iter().any(|e| word.len() > e.len() && word.ends_with(e));
            characters && looks && !word.starts_with(['/', '-', '.']) && !word.starts_with("target/")
        },
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_has_a_slash_or_a_known_extension() {
        let text =
            "`rvsdg-core/src/lib.rs`, `README.md` but not `.ll`, `a::b`, `-o x/y`, `cargo xtask ci` or `target/x`";
        assert_eq!(super::paths(text).collect::<Vec<_>>(), ["rvsdg-core/src/lib.rs", "README.md"]);
    }
}
