//! `jlm-opt`: sends LLVM IR through the RVSDG and back.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use jlm::arguments::Arguments;

fn main() -> ExitCode {
    rvsdg_llvm::module_io::exit_on_fatal_error();
    std::panic::set_hook(Box::new(|panic| eprintln!("jlm-opt: internal error, which is a bug: {panic}")));
    let arguments = match Arguments::from_command_line(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(message) => {
            // Where standard output or error is closed there is nobody left to tell.
            let _ = message.print();
            return if message.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match jlm::driver::run(&arguments) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("jlm-opt: error: {error}");
            ExitCode::FAILURE
        }
    }
}
