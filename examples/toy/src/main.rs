//! A compiler for a small language of integers, arrays and functions; `parser.rs` has its grammar.
//!
//! `example-toy FILE` writes LLVM IR, optimized with `-O2`; `example-toy --run FILE` runs `main` under the interpreter. Nothing here
//! needs LLVM.

#![forbid(unsafe_code)]

mod codegen;
mod lexer;
mod parser;
mod syntax;

use std::error::Error;
use std::io::{stderr, stdout};
use std::process::ExitCode;

use rvsdg_core::Module;
use rvsdg_interp::{Config, Machine};
use rvsdg_passes::{Manager, Pipeline};

/// The optimized module of a file.
fn compile(file: &str) -> Result<Module, Box<dyn Error>> {
    let functions = parser::parse(&std::fs::read_to_string(file)?)?;
    let mut module = codegen::compile(&functions)?;
    Manager::default().run(&mut module, &Pipeline::parse("default<O2>")?)?;
    Ok(module)
}

fn toy(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    match arguments {
        ["--run", file] => {
            let module = compile(file)?;
            let machine = Machine::new(module.verify()?, Config::default(), Box::new(stdout()), Box::new(stderr()));
            println!("{}", machine.map_err(|outcome| outcome.to_string())?.call("main", &[]));
        }
        [file] => print!("{}", rvsdg_emit::emit(&compile(file)?)?),
        _ => return Err("usage: example-toy [--run] FILE".into()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match toy(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", arguments.last().unwrap_or(&"example-toy"));
            ExitCode::FAILURE
        }
    }
}
