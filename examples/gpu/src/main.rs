//! Kernels for GPUs: built, optimized and made PTX in process, launched through CUDA's driver where there is one, and checked on a
//! simulated machine in any case.
//!
//! `example-gpu FILE` writes the PTX into a file.

mod cases;
mod cuda;
mod kernels;
mod simulator;

use std::error::Error;

use rvsdg_core::Module;
use rvsdg_llvm::{CodeForm, CodegenOptions, LlvmModule};
use rvsdg_passes::{Manager, Pipeline};

use cases::cases;

/// What LLVM's code generator makes of a module for any machine since Volta.
fn ptx(module: &Module) -> Result<String, Box<dyn Error>> {
    let text = rvsdg_emit::emit(module)?;
    let (llvm, _) = LlvmModule::parse(text.as_bytes(), "kernels.ll")?;
    let options =
        CodegenOptions { cpu: Some("sm_70".into()), features: Some("+ptx70".into()), ..CodegenOptions::default() };
    Ok(String::from_utf8(llvm.generate(CodeForm::Ptx, &options)?)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut module = kernels::module()?;
    Manager::default().run(&mut module, &Pipeline::parse("default<O3>")?)?;
    let ptx = ptx(&module)?;
    if let Some(file) = std::env::args_os().nth(1) {
        std::fs::write(file, &ptx)?;
    }
    let gpu = match cuda::Gpu::new(&ptx) {
        Ok(gpu) => Some(gpu),
        Err(cuda::Absent::Driver) => {
            println!("no GPU driver here: checked on the simulated machine alone");
            None
        }
        Err(cuda::Absent::Failed(call, code)) => return Err(format!("{call} failed with status {code}").into()),
    };
    for case in cases() {
        let (found, counts) = simulator::run(&module, &case)?;
        if found != case.expected {
            return Err(format!("{}: the simulated machine computes something else", case.kernel).into());
        }
        let (instructions, parted) = (counts.instructions, counts.divergent_branches);
        println!(
            "{}: right when simulated; {instructions} instructions of warps, which part {parted} times",
            case.kernel
        );
        if let Some(gpu) = &gpu {
            let found = gpu.run(&case).map_err(|(call, code)| format!("{call} failed with status {code}"))?;
            if found != case.expected {
                return Err(format!("{}: the GPU computes something else", case.kernel).into());
            }
            println!("{}: right on the GPU", case.kernel);
        }
    }
    Ok(())
}
