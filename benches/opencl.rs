//! `cargo bench --bench opencl`: the OpenCL kernels of Rodinia and PolyBench-ACC as machine code of NVIDIA's GPUs, ours against that of
//! `opt -O3`. No GPU is needed.
//!
//! Needs `clang-22`, `opt-22`, `llc-22` and Debian's `libclc-22`; fetches the kernels by `git`, and `ptxas`, `nvdisasm` and libdevice by
//! `pip`, into `target/opencl`.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::opencl::{self, Options};

fn main() -> Result<()> {
    print!("{}", opencl::measure(&Options::parse())?);
    Ok(())
}
