//! Kernels on the machine of `rvsdg-interp` that executes threads in warps.

use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::Module;
use rvsdg_interp::observe::{Byte, Object};
use rvsdg_interp::simt::{Counts, Form, Launch, Model, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome, Value};

use crate::cases::{Case, Passed};

/// What a kernel computes, as the control flow says that is written as LLVM IR.
///
/// # Errors
/// It does not come to its end, or something is wrong with it, such as a data race.
pub fn run(module: &Module, case: &Case) -> Result<(Vec<u32>, Counts), String> {
    let of = |passed: &Passed| match passed {
        Passed::Word(word) => Argument::Value(Value::Int((*word).into())),
        Passed::Words(words) => {
            Argument::Memory(Buffer::new(words.iter().flat_map(|word| word.to_le_bytes()).collect(), 256))
        }
    };
    let arguments: Vec<Argument> = case.arguments.iter().map(of).collect();
    let module = module.verify().map_err(|violations| violations.to_string())?;
    let launched = Launch {
        kernel: case.kernel,
        blocks: [case.blocks, 1, 1],
        threads: [case.threads, 1, 1],
        arguments: &arguments,
        shared: 0,
        form: Form::ControlFlow(Recovery::Predicative),
        model: Model::Stack,
        uniform: None,
    };
    let report = launch(module, &launched, Config::default());
    if report.outcome != Outcome::Returned(None) {
        return Err(format!("{}: {}", case.kernel, report.outcome));
    }
    if let Some(fault) = report.faults.first() {
        return Err(format!("{}: {fault}", case.kernel));
    }
    let is_output = |object: &Object| *object == Object::Argument(case.output);
    let memory = report.memory.iter().find(|contents| is_output(&contents.object)).ok_or("there is no output")?;
    let bytes: Result<Vec<u8>, String> = memory
        .bytes
        .iter()
        .map(|byte| match byte {
            Byte::Bits(bits, 0) => Ok(*bits),
            other => Err(format!("{}: {other:?} in the output", case.kernel)),
        })
        .collect();
    let words = bytes?.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    Ok((words, report.counts))
}
