//! The kernels: our own sources, or those of an original checkout.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Values of the macros that say how large a problem is.
pub type Sizes = BTreeMap<String, u64>;

/// The names of PolyBench's data sets, from the smallest to the largest.
pub const DATASETS: [&str; 5] = ["MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"];

/// A row of the list of kernels.
#[derive(Clone, Debug, Deserialize)]
pub struct Kernel {
    /// Its name in tables.
    pub name: String,
    /// Its file in an original checkout.
    pub path: PathBuf,
    /// Our file, beside the list.
    pub file: PathBuf,
    /// Macros of each data set.
    pub datasets: BTreeMap<String, Sizes>,
}

/// Where the sources of kernels are.
#[derive(Clone, Debug)]
pub enum Place {
    /// Our own.
    Ours(PathBuf),
    /// An original checkout.
    Original(PathBuf),
}

impl Place {
    /// The kernel's file.
    pub fn source(&self, kernel: &Kernel) -> PathBuf {
        match self {
            Place::Ours(folder) => folder.join(&kernel.file),
            Place::Original(folder) => folder.join(&kernel.path),
        }
    }

    /// What the front end needs to know to find the headers.
    pub fn includes(&self, kernel: &Kernel) -> Vec<OsString> {
        let folders = match self {
            Place::Ours(folder) => vec![folder.clone()],
            Place::Original(folder) => vec![
                folder.join("utilities"),
                folder.join(&kernel.path).parent().map(Path::to_owned).unwrap_or_default(),
            ],
        };
        folders.into_iter().flat_map(|folder| [OsString::from("-I"), folder.into_os_string()]).collect()
    }

    /// The file with the timer and the allocator, which no configuration optimizes.
    pub fn utilities(&self) -> PathBuf {
        match self {
            Place::Ours(folder) => folder.join("polybench.c"),
            Place::Original(folder) => folder.join("utilities/polybench.c"),
        }
    }

    /// What tables say about it.
    pub fn describe(&self) -> &'static str {
        match self {
            Place::Ours(_) => "our own sources",
            Place::Original(_) => "an original checkout",
        }
    }
}

/// Reads the list of kernels that lies in a folder.
///
/// # Errors
/// It is absent or not valid, or lacks a data set.
pub fn read(folder: &Path) -> Result<Vec<Kernel>> {
    let path = folder.join("kernels.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let kernels: Vec<Kernel> = serde_json::from_slice(&bytes).with_context(|| format!("{}", path.display()))?;
    for kernel in &kernels {
        let macros = |dataset: &str| kernel.datasets.get(dataset).map(|sizes| sizes.keys().collect::<Vec<_>>());
        let first = macros(DATASETS[0]);
        for dataset in DATASETS {
            if macros(dataset).is_none() || macros(dataset) != first {
                bail!("{}: {}: the data set {dataset} is absent or names other macros", path.display(), kernel.name);
            }
        }
    }
    Ok(kernels)
}

/// The macros as arguments of the front end.
pub fn definitions(sizes: &Sizes) -> impl Iterator<Item = OsString> {
    sizes.iter().map(|(name, value)| OsString::from(format!("-D{name}={value}")))
}
