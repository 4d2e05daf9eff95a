//! All mutants of a tree, and a copy of the tree in which they sleep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::schema;
use super::scope;
use super::sites::{self, Site};
use crate::tools;

/// A condition made wrong, named so that it is found again in another revision.
pub struct Mutant {
    /// Its number in the copy; 0 is none.
    pub number: u32,
    pub pass: &'static str,
    pub line: usize,
    pub key: Key,
}

/// The crates that have conditions which count.
const CRATES: [&str; 4] = ["rvsdg-analysis", "rvsdg-cfg", "rvsdg-core", "rvsdg-passes"];

/// What identifies a mutant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub file: String,
    pub function: String,
    /// The condition, in one line.
    pub condition: String,
    /// What it becomes; empty for a statement that is left out.
    pub becomes: String,
    /// Which of several that are alike in the function, from 1 on.
    pub nth: u32,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Key { file, function, condition, becomes, nth } = self;
        write!(f, "{file}: {function}: `{condition}` → `{becomes}`")?;
        if *nth > 1 { write!(f, " ({nth})") } else { Ok(()) }
    }
}

/// The mutants of a tree.
pub struct Tree {
    pub mutants: Vec<Mutant>,
    /// Files with switches, by their names.
    switched: BTreeMap<String, String>,
}

impl Tree {
    /// Finds all mutants of the sources below `root`.
    ///
    /// # Errors
    /// A file cannot be read or parsed.
    pub fn read(root: &Path) -> Result<Tree> {
        let mut names = Vec::new();
        for folder in CRATES {
            files(root, &root.join(folder).join("src"), &mut names)?;
        }
        names.retain(|name| name.ends_with(".rs") && !scope::is_test(name));
        names.sort();
        let mut tree = Tree { mutants: Vec::new(), switched: BTreeMap::new() };
        for name in names {
            let Some(pass) = scope::pass_of(&name) else { continue };
            let source = String::from_utf8(tools::read(&root.join(&name))?)?;
            let sites = sites::find(&name, &source)?;
            tree.add(&name, pass, &source, &sites);
        }
        Ok(tree)
    }

    fn add(&mut self, name: &str, pass: &'static str, source: &str, sites: &[Site]) {
        let first = self.mutants.len() as u32 + 1;
        let mut alike: BTreeMap<Key, u32> = BTreeMap::new();
        for (number, site) in (first..).zip(sites) {
            let key = Key {
                file: name.to_owned(),
                function: site.function.clone(),
                condition: one_line(&source[site.range.clone()]),
                becomes: one_line(&schema::becomes(source, site)),
                nth: 1,
            };
            let count = alike.entry(key.clone()).or_default();
            *count += 1;
            self.mutants.push(Mutant { number, pass, line: site.line, key: Key { nth: *count, ..key } });
        }
        self.switched.insert(name.to_owned(), schema::switched(source, sites, first));
    }

    /// The text of a file with switches.
    #[cfg(test)]
    pub fn switched(&self) -> impl Iterator<Item = (&str, &str)> {
        self.switched.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Brings a copy of the tree up to date: the sources with switches, everything else as it is. Files that did not change are
    /// left alone, so that little is built anew. Returns a hash of everything in it.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn copy(&self, root: &Path, to: &Path) -> Result<String> {
        let mut names = Vec::new();
        files(root, root, &mut names)?;
        names.sort();
        let mut hashes = String::new();
        let mut kept: BTreeSet<String> = BTreeSet::new();
        let mut put = |name: &str, content: &[u8]| -> Result<()> {
            let path = to.join(name);
            if std::fs::read(&path).ok().as_deref() != Some(content) {
                tools::write(&path, content)?;
            }
            if name.ends_with(".rs") || name.ends_with(".toml") || name.ends_with(".rvsdg") {
                hashes.push_str(&tools::hash(&[name.as_bytes(), content]));
            }
            kept.insert(name.to_owned());
            Ok(())
        };
        for name in &names {
            let content = match self.switched.get(name) {
                Some(text) => text.clone().into_bytes(),
                None => tools::read(&root.join(name))?,
            };
            let is_root = CRATES.iter().any(|folder| name.strip_prefix(folder) == Some("/src/lib.rs"));
            match is_root {
                true => put(name, &[&content[..], b"\nmod mutants;\n"].concat())?,
                false => put(name, &content)?,
            }
        }
        for folder in CRATES {
            put(&format!("{folder}/src/mutants.rs"), schema::HELPER.as_bytes())?;
        }
        let mut old = Vec::new();
        files(to, to, &mut old)?;
        for name in old.iter().filter(|name| !kept.contains(*name)) {
            std::fs::remove_file(to.join(name)).with_context(|| format!("cannot remove {name}"))?;
        }
        Ok(tools::hash(&[hashes.as_bytes()]))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds the files below a folder, by their names from `root` on, but not what is built or hidden.
fn files(root: &Path, folder: &Path, into: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path: PathBuf = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            files(root, &path, into)?;
        } else {
            let Ok(name) = path.strip_prefix(root) else { bail!("{} is not in {}", path.display(), root.display()) };
            into.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
