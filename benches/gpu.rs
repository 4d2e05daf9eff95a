//! `cargo bench --bench gpu`: kernels of all smallest unstructured control flow graphs, whose every branch parts the threads of a warp, as
//! they are, as we structure them and as others do, on a simulated machine. No GPU is needed.
//!
//! Needs `opt-22` and `llc-22`, and for one of the others `mlir-opt-22` and `mlir-translate-22` (Debian's `mlir-22-tools`).

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::gpu::{self, Options};

fn main() -> Result<()> {
    print!("{}", gpu::measure(&Options::parse())?);
    Ok(())
}
