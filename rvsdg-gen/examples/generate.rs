//! `generate KIND FIRST COUNT FOLDER [OPERATIONS]`: writes generated modules, one file per seed from FIRST on. KIND is `llvm`
//! or `wild` for LLVM modules whose runs are defined, or not; `program` for RVSDG programs; `module` for modules of all
//! operations.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use rvsdg_core::text::print_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::llvm::{self, Options};
use rvsdg_gen::modules;
use rvsdg_gen::weights::{Size, Weights};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let (Some(kind), Some(first), Some(count), Some(folder)) =
        (arguments.first(), number(1), number(2), arguments.get(3))
    else {
        eprintln!("usage: generate llvm|wild|program|module FIRST COUNT FOLDER [OPERATIONS]");
        return ExitCode::FAILURE;
    };
    let size = number(4).unwrap_or(40) as usize;
    for seed in first..first.saturating_add(count) {
        let entropy = &mut Entropy::seeded(seed);
        let bodies = Size { nodes: size, depth: 3 };
        let defined = Options { operations: size, ..Options::RUNNABLE };
        let (text, extension) = match kind.as_str() {
            "llvm" => (llvm::module(entropy, defined), "ll"),
            "wild" => (llvm::module(entropy, Options { defined: false, ..defined }), "ll"),
            "program" => (print_module(&modules::program(entropy, &Weights::defined(false), bodies)), "rvsdg"),
            "module" => (print_module(&modules::module(entropy, &Weights::all(), bodies)), "rvsdg"),
            other => {
                eprintln!("there is no kind {other}");
                return ExitCode::FAILURE;
            }
        };
        let path = Path::new(folder).join(format!("{kind}-{seed}.{extension}"));
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
