//! `--run`: a module is executed by the interpreter.

use std::io::{self, BufWriter};

use anyhow::{Result, anyhow};
use rvsdg_core::Module;
use rvsdg_interp::{Config, Machine, Outcome};

use crate::arguments::Arguments;

/// The exit status where the interpreter cannot say what the program does: that is undefined, not supported, or takes too
/// long.
const NOT_RUN: u8 = 125;
/// The exit status of a program that ended abnormally: that of a shell for `abort`.
const ABORTED: u8 = 134;

/// Runs a program whose name is `name`, starting with a function; the exit status.
///
/// # Errors
/// When the module is not valid.
pub fn run(module: &Module, name: &str, entry: &str, options: &Arguments) -> Result<u8> {
    let verified = module.verify().map_err(|violations| anyhow!("{name}: the module is not valid:\n{violations}"))?;
    let config = Config {
        fuel: if options.run_fuel == 0 { u64::MAX } else { options.run_fuel },
        zeroed: options.run_zeroed,
        loose_addresses: options.run_loose_addresses,
        files: Some(|path| std::fs::read(path).ok()),
        ..Config::default()
    };
    let (stdout, stderr) = (Box::new(BufWriter::new(io::stdout())), Box::new(io::stderr()));
    let outcome = match Machine::new(verified, config, stdout, stderr) {
        Ok(mut machine) => {
            machine.set_input(Box::new(io::stdin()));
            let arguments = std::iter::once(name.into()).chain(options.program_arguments.iter().cloned());
            let arguments: Vec<String> = arguments.collect();
            let outcome = machine.program(entry, &arguments);
            // The process ends soon.
            std::mem::forget(machine);
            outcome
        }
        Err(outcome) => outcome,
    };
    Ok(match &outcome {
        Outcome::Returned(Some(value)) => value.bits().map_or(0, |bits| bits as u8),
        Outcome::Returned(None) => 0,
        Outcome::Exited(status) => *status as u8,
        Outcome::Aborted { .. } => {
            eprintln!("jlm-opt: {name}: {outcome}");
            ABORTED
        }
        Outcome::Undefined { .. }
        | Outcome::Unsupported { .. }
        | Outcome::OutOfFuel { .. }
        | Outcome::OutOfMemory { .. } => {
            eprintln!("jlm-opt: {name}: {outcome}");
            NOT_RUN
        }
    })
}
