//! `cargo xtask`: what CI runs, the checks on the tree itself, and the runs over real programs.

mod corpus;
mod tools;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks of this repository and runs over real programs")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compiles real programs to LLVM IR, sends them through jlm-opt and compares how they behave
    #[command(subcommand)]
    Corpus(corpus::Task),
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Corpus(task) => corpus::main(task),
    }
}
