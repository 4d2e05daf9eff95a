//! Which programs there are: `benches/speed/programs.json`, and a source beside it for each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::process;

/// The language of a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// C.
    C,
    /// C++.
    #[serde(rename = "C++")]
    Cxx,
    /// Rust.
    Rust,
}

impl Language {
    /// Every language, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::C, Self::Cxx, Self::Rust];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cxx => "C++",
            Self::Rust => "Rust",
        }
    }

    fn of(source: &Path) -> Option<Self> {
        match source.extension()?.to_str()? {
            "c" => Some(Self::C),
            "cpp" => Some(Self::Cxx),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, that of the file.
    pub name: String,
    /// Its source.
    pub path: PathBuf,
    /// The language of its source.
    pub language: Language,
    /// Its only argument: how often it does its work, to which its time is in proportion.
    pub repeat: u64,
    /// Why our program is slower, where known.
    pub reason: Option<String>,
}

/// An entry of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: PathBuf,
    repeat: u64,
    reason: Option<String>,
}

/// Where the list and the sources are.
pub fn folder() -> PathBuf {
    process::root().join("benches/speed")
}

/// Reads the list that lies in a folder.
///
/// # Errors
/// It is absent or not valid, or names a file that is none of a known language.
pub fn read(folder: &Path) -> Result<Vec<Source>> {
    let list = folder.join("programs.json");
    let bytes = std::fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let entries: Vec<Entry> = serde_json::from_slice(&bytes).with_context(|| list.display().to_string())?;
    let source = |entry: Entry| {
        let path = folder.join(&entry.file);
        let language = Language::of(&path).with_context(|| format!("{} has no known language", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Source { name, path, language, repeat: entry.repeat, reason: entry.reason })
    };
    entries.into_iter().map(source).collect()
}

/// The programs with these names, in their own order; all of them when no name is given.
///
/// # Errors
/// There is none with a name.
pub fn select(all: Vec<Source>, names: &[String]) -> Result<Vec<Source>> {
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|source| source.name != **name)) {
        let known: Vec<&str> = all.iter().map(|source| source.name.as_str()).collect();
        bail!("there is no program '{unknown}'; there are {}", known.join(", "));
    }
    Ok(all.into_iter().filter(|source| names.is_empty() || names.contains(&source.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_listed_once() {
        let listed = read(&folder()).unwrap();
        let mut paths: Vec<PathBuf> = listed.iter().map(|source| source.path.clone()).collect();
        paths.sort();
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.retain(|path| Language::of(path).is_some());
        found.sort();
        assert_eq!(paths, found);
        let mut names: Vec<&str> = listed.iter().map(|source| source.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), listed.len(), "two programs have one name");
    }
}
