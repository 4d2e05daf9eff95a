//! What the measurement needs from elsewhere, under `target/opencl`: nothing of it is part of this repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process::{self, must, words};

const LIMIT: Duration = Duration::from_secs(600);

/// OpenCL's built-in functions for NVPTX, of Debian's package `libclc-22`.
const LIBCLC: &str = "/usr/lib/clc/nvptx64--nvidiacl.bc";

/// A wheel that has NVIDIA's assembler, disassembler and library of device functions of one version. It says itself under which terms
/// these may be used.
const WHEEL: &str = "triton==3.0.0";
const IN_WHEEL: [&str; 3] = ["bin/ptxas", "bin/nvdisasm", "lib/libdevice.10.bc"];

/// NVIDIA's programs, and the libraries of device functions.
pub struct Tools {
    pub ptxas: PathBuf,
    pub nvdisasm: PathBuf,
    /// In the order in which they are linked.
    pub libraries: [PathBuf; 2],
}

impl Tools {
    /// Finds them, and fetches what is missing.
    pub fn locate(folder: &Path) -> Result<Tools> {
        ensure!(Path::new(LIBCLC).exists(), "there is no {LIBCLC}: apt-get install libclc-22");
        let place = folder.join("tools");
        let [ptxas, nvdisasm, libdevice] = IN_WHEEL.map(|path| place.join(path));
        if ![&ptxas, &nvdisasm, &libdevice].iter().all(|path| path.exists()) {
            fetch_tools(&place).with_context(|| {
                format!(
                    "ptxas, nvdisasm and libdevice are missing in {}, and cannot be fetched by pip",
                    place.display()
                )
            })?;
        }
        Ok(Tools { ptxas, nvdisasm, libraries: [LIBCLC.into(), libdevice] })
    }
}

fn fetch_tools(place: &Path) -> Result<()> {
    let wheels = place.join("wheel");
    let mut pip = words(["python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
    pip.extend(words(["--python-version=3.11", "--platform=manylinux2014_x86_64", WHEEL, "--dest"]));
    pip.push(wheels.clone().into());
    must(&pip, LIMIT)?;
    let wheel = std::fs::read_dir(&wheels)?.next().context("pip fetched nothing")??.path();
    let mut unpack = words(["python3", "-m", "zipfile", "-e"]);
    unpack.extend([wheel.into(), wheels.clone().into()]);
    must(&unpack, LIMIT)?;
    for path in IN_WHEEL {
        let (from, to) = (wheels.join("triton/backends/nvidia").join(path), place.join(path));
        std::fs::create_dir_all(to.parent().context("it lies in a folder")?)?;
        must(&[words(["install", "-m", "755"]), vec![from.into(), to.into()]].concat(), LIMIT)?;
    }
    std::fs::remove_dir_all(&wheels).context("cannot remove what is not needed")
}

/// The files of a GitHub repository at a commit, fetched where they are missing.
pub fn repository(folder: &Path, name: &str, commit: &str) -> Result<PathBuf> {
    let place = folder.join("sources").join(name);
    if !place.exists() {
        let url = format!("https://github.com/{name}");
        fetch(&place, &url, commit)
            .with_context(|| format!("{} is missing, and {url} cannot be fetched", place.display()))?;
    }
    Ok(place)
}

fn fetch(place: &Path, url: &str, commit: &str) -> Result<()> {
    let beside = place.with_extension("part");
    if beside.exists() {
        std::fs::remove_dir_all(&beside)?;
    }
    std::fs::create_dir_all(&beside)?;
    for command in [
        &["init", "--quiet"][..],
        &["fetch", "--quiet", "--depth=1", url, commit],
        &["checkout", "--quiet", "FETCH_HEAD"],
    ] {
        let mut git = words(["git", "-C"]);
        git.push(beside.clone().into());
        git.extend(words(command));
        must(&git, LIMIT)?;
    }
    std::fs::rename(&beside, place)?;
    Ok(())
}

/// Files below a folder with an extension, sorted.
pub fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes what a program prints into a file.
pub fn print_into(program: &[std::ffi::OsString], file: &Path) -> Result<String> {
    let text = String::from_utf8(must(program, LIMIT)?.output).context("it prints text")?;
    process::write(file, text.as_bytes())?;
    Ok(text)
}
