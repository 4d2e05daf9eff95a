//! `cargo xtask`: the checks of CI, the checks on the tree itself, and the runs over real programs.

#![forbid(unsafe_code)]

mod branches;
mod ci;
mod corpus;
mod csmith;
mod debug_info;
mod evidence;
mod interp;
mod mutants;
mod night;
mod polybench;
mod progress;
mod projects;
mod prove;
mod tidy;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks of this repository and runs over real programs")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs everything that must pass
    Ci,
    /// Checks rules on the tree: dependencies between crates, named paths, long files, unfinished code
    Tidy,
    /// Compiles real programs to LLVM IR, sends them through jlm-opt and compares how they behave
    #[command(subcommand)]
    Corpus(corpus::Task),
    /// Runs the properties with millions of cases, then every fuzz target
    Nightly(night::Nightly),
    /// Runs fuzz targets
    Fuzz(night::Fuzz),
    /// Checks what the benchmark kernels compute
    #[command(subcommand)]
    Polybench(polybench::Task),
    /// Asks alive-tv whether what the optimizer writes refines what it read
    #[command(subcommand)]
    Prove(prove::Task),
    /// Compares made-up programs with what clang makes of them
    Csmith(csmith::Task),
    /// Compares conditional branches in the code of the corpora with those that opt leaves
    Branches(branches::Branches),
    /// Keeps what a command measures in docs/evidence, and writes the values into the pages that name them
    Evidence(evidence::Arguments),
    /// Compares the locations of variables in the code of the corpora with those that opt leaves
    DebugInfo(debug_info::DebugInfo),
    /// Runs programs under the interpreter and compares them with machine code
    #[command(subcommand)]
    Interp(interp::Task),
    /// Builds public projects with jlc and runs their tests
    Projects(projects::Projects),
    /// Makes conditions in passes wrong, one at a time, and looks whether tests notice
    Mutants(mutants::Mutants),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Ci => ci::main(),
        Task::Tidy => tidy::main(),
        Task::Corpus(task) => corpus::main(task),
        Task::Nightly(arguments) => night::nightly(&arguments),
        Task::Fuzz(arguments) => night::fuzz(&arguments),
        Task::Polybench(task) => polybench::main(task),
        Task::Prove(task) => prove::main(task),
        Task::Csmith(task) => csmith::main(&task),
        Task::Branches(arguments) => branches::main(&arguments),
        Task::Evidence(arguments) => evidence::main(&arguments),
        Task::DebugInfo(arguments) => debug_info::main(&arguments),
        Task::Interp(task) => interp::main(task),
        Task::Projects(arguments) => projects::main(&arguments),
        Task::Mutants(arguments) => mutants::main(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
