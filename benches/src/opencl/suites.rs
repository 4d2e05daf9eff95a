//! The suites, and what their host programs define when they compile kernels.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::sources::{files_below, repository};

/// A suite of kernels.
struct Suite {
    name: &'static str,
    /// On GitHub.
    repository: &'static str,
    commit: &'static str,
    /// Where its OpenCL code is.
    folder: &'static str,
    /// Macros and folders of headers by the beginning of the path.
    options: &'static [(&'static str, &'static [&'static str])],
}

const SUITES: &[Suite] = &[
    Suite {
        name: "Rodinia",
        repository: "yuhc/gpu-rodinia",
        commit: "9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4",
        folder: "opencl",
        options: &[
            ("b+tree/kernel/kernel_gpu_opencl.cl", &["-DDEFAULT_ORDER=256"]),
            ("b+tree/kernel/kernel_gpu_opencl_2.cl", &["-DDEFAULT_ORDER_2=256"]),
            ("heartwall/", &["-I{folder}/heartwall", "-DRD_WG_SIZE=256"]),
            ("hotspot/", &["-DBLOCK_SIZE=16"]),
            ("lud/", &["-DBLOCK_SIZE=16"]),
            ("nw/", &["-DBLOCK_SIZE=16"]),
            ("srad/", &["-I{folder}/srad", "-DRD_WG_SIZE=256"]),
        ],
    },
    Suite {
        name: "PolyBench-ACC",
        repository: "cavazos-lab/PolyBench-ACC",
        commit: "70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7",
        folder: "OpenCL",
        options: &[],
    },
];

/// A file of kernels.
pub struct Source {
    /// The suite's name.
    pub suite: &'static str,
    /// The path below the suite's OpenCL folder.
    pub path: String,
    pub file: PathBuf,
    /// What clang is to be told.
    pub options: Vec<String>,
}

impl Source {
    /// A name for files that are made of it.
    pub fn name(&self) -> String {
        format!("{}-{}", self.suite, self.path.trim_end_matches(".cl").replace('/', "_"))
    }
}

/// The files of all suites.
pub fn sources(folder: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for suite in SUITES {
        let folder = repository(folder, suite.repository, suite.commit)?.join(suite.folder);
        for file in files_below(&folder, "cl")? {
            let path = file.strip_prefix(&folder)?.to_string_lossy().into_owned();
            let is_of = |start: &str| path.starts_with(start);
            let options = suite.options.iter().filter(|(start, _)| is_of(start)).flat_map(|(_, options)| *options);
            let options = options.map(|option| option.replace("{folder}", &folder.to_string_lossy())).collect();
            sources.push(Source { suite: suite.name, path, file, options });
        }
    }
    Ok(sources)
}
