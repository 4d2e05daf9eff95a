//! Tables and figures, made from the results of a run.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process;
use crate::results::Run;

pub mod charts;
pub mod docs;
pub mod figures;
pub mod programs;
pub mod tables;

#[cfg(test)]
mod tests;

/// Writes the report into a folder, and says where it is.
///
/// # Errors
/// A file cannot be written.
pub fn write(run: &Run, folder: &Path) -> Result<PathBuf> {
    let mut figures = figures::polybench(run)?;
    figures.extend(figures::programs(run)?);
    for figure in &figures {
        process::write(&folder.join(&figure.file), figure.svg.as_bytes())?;
    }
    let path = folder.join("report.md");
    process::write(&path, tables::page(run, &figures).as_bytes())?;
    Ok(path)
}
