//! `cargo bench --bench gpu-times`: how long kernels take on a GPU: those of the smallest unstructured control flow, and the OpenCL kernels of
//! Rodinia and PolyBench-ACC with made-up arguments.
//!
//! Making the code needs what `cargo bench --bench gpu` and `--bench opencl` need; running it, CUDA's driver and a GPU of compute
//! capability 9.0. Where the GPU is on another machine, `--prepare FOLDER` makes the code and `--run FOLDER` runs it there.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::gpu_times::{self, Options};

fn main() -> Result<()> {
    print!("{}", gpu_times::main(&Options::parse())?);
    Ok(())
}
