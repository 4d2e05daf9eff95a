//! Finds the sources of the corpora: registry packages through `cargo metadata`, our own programs in the repository.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};

use super::programs::{Program, Sources};
use crate::tools;

/// A source that is compiled by itself.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file's stem, unique within its program.
    pub name: String,
    /// The file.
    pub source: PathBuf,
}

/// An executable: its name and the indices of its units.
pub struct Executable {
    /// Its name within the program.
    pub name: String,
    /// Indices into the program's units.
    pub units: Vec<usize>,
}

/// The sources of a program, where they are on this machine.
pub struct Located {
    /// Sorted by name; the driver, if there is one, is last.
    pub units: Vec<Unit>,
    /// What is linked from them; nothing if no such program runs here.
    pub executables: Vec<Executable>,
    /// Absolute include directories.
    pub includes: Vec<PathBuf>,
}

/// Finds the sources of `program`, and fetches its package where it is missing.
pub fn locate(program: &Program) -> Result<Located> {
    let root = tools::root();
    match &program.sources {
        Sources::Each(folder) => {
            let units = files(program, &root.join(folder))?;
            let run = if program.language.is_run() { &units[..] } else { &[] };
            let executables =
                run.iter().enumerate().map(|(i, u)| Executable { name: u.name.clone(), units: vec![i] }).collect();
            Ok(Located { units, executables, includes: Vec::new() })
        }
        Sources::Package { package, paths, includes, driver } => {
            let base = package_folder(package)?;
            let mut units = Vec::new();
            for path in *paths {
                let path = base.join(path);
                if path.is_dir() { units.extend(files(program, &path)?) } else { units.push(unit(&path)?) }
            }
            units.sort_by(|a, b| a.name.cmp(&b.name));
            units.push(unit(&root.join(driver))?);
            if let Some(pair) = units.windows(2).find(|pair| pair[0].name == pair[1].name) {
                bail!("{} and {} have one name", pair[0].source.display(), pair[1].source.display());
            }
            let all = (0..units.len()).collect();
            let executables = vec![Executable { name: program.name.to_owned(), units: all }];
            let mut includes: Vec<PathBuf> = includes.iter().map(|include| base.join(include)).collect();
            includes.extend(root.join(driver).parent().map(Path::to_owned));
            Ok(Located { units, executables, includes })
        }
    }
}

/// The sources of a folder, by their extensions.
fn files(program: &Program, folder: &Path) -> Result<Vec<Unit>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let extensions = program.language.extensions();
    paths.retain(|path| path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted)));
    paths.sort();
    if paths.is_empty() {
        bail!("{} holds no source of {}", folder.display(), program.name);
    }
    paths.iter().map(|path| unit(path)).collect()
}

fn unit(path: &Path) -> Result<Unit> {
    let stem = path.file_stem().and_then(|s| s.to_str()).ok_or_else(|| anyhow!("{} has no name", path.display()))?;
    Ok(Unit { name: stem.to_owned(), source: path.to_owned() })
}

/// The folder of a package named in `tests/corpus/sources/Cargo.toml`.
fn package_folder(name: &str) -> Result<PathBuf> {
    static PACKAGES: OnceLock<Vec<(String, PathBuf)>> = OnceLock::new();
    let packages = match PACKAGES.get() {
        Some(packages) => packages,
        None => {
            let found = fetch_packages()?;
            PACKAGES.get_or_init(|| found)
        }
    };
    let found = packages.iter().find(|(n, _)| n == name);
    Ok(found.ok_or_else(|| anyhow!("tests/corpus/sources/Cargo.toml does not name the package {name}"))?.1.clone())
}

/// Every package of the manifest with its folder; cargo downloads those that are missing.
fn fetch_packages() -> Result<Vec<(String, PathBuf)>> {
    let manifest = tools::root().join("tests/corpus/sources/Cargo.toml");
    let mut command = Command::new(tools::cargo());
    command.args(["metadata", "--locked", "--format-version=1", "--manifest-path"]).arg(&manifest);
    let metadata = tools::json(&mut command).context("cannot fetch the sources of the corpora")?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().context("a package without a name")?;
            let manifest = package["manifest_path"].as_str().context("a package without a manifest")?;
            let folder = Path::new(manifest).parent().context("a manifest without a folder")?;
            Ok((name.to_owned(), folder.to_owned()))
        })
        .collect()
}
