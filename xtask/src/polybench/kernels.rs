//! The list of kernels, `benches/polybench/kernels.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::tools;

/// The data sets, from the smallest to the largest.
pub const DATASETS: [&str; 5] = ["MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"];

/// The sizes of a data set, by the macros' names.
type Sizes = BTreeMap<String, u64>;

/// A kernel.
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its file in an original checkout.
    pub path: PathBuf,
    /// Our file.
    pub file: PathBuf,
    /// The C type of the results' numbers: double, float or int.
    pub element: String,
    /// The arrays that hold the result, in the order of the dump.
    pub live_out: Vec<String>,
    datasets: BTreeMap<String, Sizes>,
}

/// The folder of the kernels.
pub fn folder() -> PathBuf {
    tools::root().join("benches/polybench")
}

/// Reads the list, and checks that the sources agree with it.
///
/// # Errors
/// The list or a source is missing, is malformed, or they contradict each other.
pub fn read() -> Result<Vec<Kernel>> {
    let path = folder().join("kernels.json");
    let list: Value = serde_json::from_slice(&tools::read(&path)?).with_context(|| format!("{}", path.display()))?;
    let rows = list.as_array().with_context(|| format!("{} is no list", path.display()))?;
    let kernels = rows.iter().map(kernel).collect::<Result<Vec<_>>>()?;
    for kernel in &kernels {
        kernel.check_source().with_context(|| format!("{} and the list of kernels disagree", kernel.file.display()))?;
    }
    Ok(kernels)
}

fn kernel(row: &Value) -> Result<Kernel> {
    let text = |key: &str| row[key].as_str().with_context(|| format!("a kernel without {key}: {row}"));
    let strings = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let sizes = |value: &Value| -> Option<Sizes> {
        value.as_object()?.iter().map(|(name, size)| Some((name.clone(), size.as_u64()?))).collect()
    };
    let of_dataset = |&dataset: &&str| {
        let sizes = sizes(&row["datasets"][dataset]).with_context(|| format!("no sizes for {dataset}: {row}"))?;
        Ok((dataset.to_owned(), sizes))
    };
    Ok(Kernel {
        name: text("name")?.to_owned(),
        path: text("path")?.into(),
        file: folder().join(text("file")?),
        element: text("type")?.to_owned(),
        live_out: strings(&row["live_out"]).with_context(|| format!("a kernel without live_out: {row}"))?,
        datasets: DATASETS.iter().map(of_dataset).collect::<Result<_>>()?,
    })
}

impl Kernel {
    /// Checks that the source has the sizes and dumps the arrays that the list says.
    fn check_source(&self) -> Result<()> {
        let text = String::from_utf8(tools::read(&self.file)?)?;
        for dataset in DATASETS {
            let (listed, defined) = (&self.datasets[dataset], sizes_of(&text, dataset)?);
            ensure!(*listed == defined, "{dataset}: {listed:?} is listed and {defined:?} is defined");
        }
        let begun = |line: &str| Some(line.trim().strip_prefix("PB_DUMP_BEGIN(\"")?.strip_suffix("\");")?.to_owned());
        let dumped: Vec<String> = text.lines().filter_map(begun).collect();
        ensure!(dumped == self.live_out, "{:?} are listed and {dumped:?} are dumped", self.live_out);
        Ok(())
    }
}

/// The sizes that a source defines with `PB_SIZE` for a data set.
fn sizes_of(source: &str, dataset: &str) -> Result<Sizes> {
    let index = DATASETS.iter().position(|name| *name == dataset).context("no such data set")?;
    let mut sizes = Sizes::new();
    for line in source.lines() {
        let Some((name, rest)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(" PB_SIZE(")) else {
            continue;
        };
        let numbers: Vec<u64> = rest
            .trim_end_matches(')')
            .split(", ")
            .map(|number| number.parse().with_context(|| format!("no number: {line}")))
            .collect::<Result<_>>()?;
        if numbers.len() != DATASETS.len() {
            bail!("not {} sizes: {line}", DATASETS.len());
        }
        sizes.insert(name.to_owned(), numbers[index]);
    }
    Ok(sizes)
}

/// The file with memory and time, which is compiled by itself.
pub fn utilities(folder: &Path) -> PathBuf {
    folder.join("polybench.c")
}

#[cfg(test)]
mod tests {
    use super::{folder, read};
    use crate::tools;

    #[test]
    fn the_list_and_the_sources_agree() {
        let kernels = read().unwrap();
        assert_eq!(kernels.len(), 30);
        let mut sources = tools::files_with_extension(&folder(), "c").unwrap();
        sources.retain(|path| !path.ends_with("polybench.c"));
        let mut listed: Vec<_> = kernels.into_iter().map(|kernel| kernel.file).collect();
        listed.sort();
        assert_eq!(sources, listed);
    }
}
