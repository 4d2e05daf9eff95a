//! `jlm-opt`: sends LLVM IR through the RVSDG and back.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use jlm::arguments::Arguments;
use jlm::reduce::ReduceArguments;

fn main() -> ExitCode {
    rvsdg_llvm::module_io::exit_on_fatal_error();
    rvsdg_llvm::module_io::return_large_blocks();
    std::panic::set_hook(Box::new(|panic| eprintln!("jlm-opt: internal error, which is a bug: {panic}")));
    let mut words = std::env::args_os();
    let done = if std::env::args_os().nth(1).is_some_and(|word| word == "reduce") {
        words.next();
        ReduceArguments::try_parse_from(words).map(|arguments| jlm::reduce::run(&arguments).map(|()| 0))
    } else {
        Arguments::from_command_line(words).map(|arguments| jlm::driver::run(&arguments))
    };
    match done {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(error)) => {
            eprintln!("jlm-opt: error: {error}");
            ExitCode::FAILURE
        }
        Err(message) => {
            // Where standard output or error is closed there is nobody left to tell.
            let _ = message.print();
            if message.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}
