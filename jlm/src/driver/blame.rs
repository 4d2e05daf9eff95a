//! Output that LLVM does not accept: that is a fault of this program, and the responsible pass is found by running parts of the pipeline
//! again.

use std::fmt;

use rvsdg_core::Module;
use rvsdg_llvm::LlvmModule;
use rvsdg_passes::{BisectLimit, Execution, Observer};

use super::{Input, Result, Run, State, lower_expectations};
use crate::plan::{Plan, Step};

/// LLVM does not accept what was made of a valid input.
#[derive(Debug)]
pub(super) struct InvalidOutput(pub rvsdg_llvm::Error);

impl fmt::Display for InvalidOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, found) = match &self.0 {
            rvsdg_llvm::Error::Invalid { function, message, .. } if function.is_empty() => {
                (String::new(), message.clone())
            }
            rvsdg_llvm::Error::Invalid { function, message, .. } => {
                (format!(" in function '{function}'"), message.clone())
            }
            other => (String::new(), other.to_string()),
        };
        write!(
            f,
            "error: jlm-opt made invalid LLVM IR{place} of a valid module; this is a fault of jlm-opt, not of the input:\n{found}"
        )
    }
}

impl std::error::Error for InvalidOutput {}

/// One execution of a pass.
struct Named {
    number: u64,
    pass: &'static str,
    place: String,
}

/// Notes the last execution that was carried out.
#[derive(Default)]
struct Last {
    named: Option<Named>,
    /// How many executions there were in steps before.
    before: u64,
}

impl Observer for Last {
    fn executed(&mut self, module: &Module, execution: &Execution<'_>) {
        if execution.change.is_some() {
            let place = match execution.function {
                Some(symbol) => format!("function '{}'", module.symbols[symbol].name),
                None => "the module".to_owned(),
            };
            let number = self.before + execution.number;
            self.named = Some(Named { number, pass: execution.pass, place });
        }
    }
}

impl Run<'_> {
    /// What made the output invalid, as a sentence; nothing for standard input, which cannot be read again.
    pub(super) fn blame(&mut self, plan: &Plan) -> Result<String> {
        if self.arguments.input == "-" {
            return Ok(String::new());
        }
        if self.output_of(plan, 0, &mut Last::default())?.is_err() {
            return Ok("\nIt is so without any pass.".to_owned());
        }
        let mut last = Last::default();
        if plan.has_llvm() && self.arguments.opt_bisect_limit.is_some() {
            // Executions of LLVM's passes are counted, too.
            return Ok(String::new());
        }
        let all = self.arguments.opt_bisect_limit.map_or(u64::MAX, |limit| limit.executions);
        if self.output_of(plan, all, &mut last)?.is_ok() {
            return Ok(String::new());
        }
        let count = last.named.map_or(0, |last| last.number);
        let mut last = Last::default();
        let first = first_of(count, |executions| {
            let mut now = Last::default();
            let is_invalid = self.output_of(plan, executions, &mut now)?.is_err();
            if is_invalid {
                last = now;
            }
            Ok(is_invalid)
        })?;
        // The whole pipeline need not have been run again when its last execution is the one.
        if last.named.as_ref().is_none_or(|last| last.number != first) {
            self.output_of(plan, first, &mut last)?.ok();
        }
        Ok(last.named.map_or_else(String::new, |Named { number, pass, place }| {
            format!("\nIt is so since pass '{pass}' on {place} (-opt-bisect-limit={number}).")
        }))
    }

    /// The output module after a number of executions of passes.
    fn output_of(
        &mut self,
        plan: &Plan,
        executions: u64,
        last: &mut Last,
    ) -> Result<std::result::Result<LlvmModule, anyhow::Error>> {
        let mut state = self.read(Input::read(&self.arguments.input)?)?;
        let mut before = 0;
        for step in plan.steps() {
            state = match step {
                Step::Ours(pipeline) => {
                    lower_expectations(&mut state, pipeline);
                    let mut graphs = self.raise(state, "", None)?;
                    let limit = BisectLimit { executions, rewrites: None }.after(before);
                    let optimizer = Run::optimizer(self.arguments, Some(limit), &self.progress)?;
                    last.before = before;
                    graphs.report = optimizer.run(&mut graphs.module, pipeline, last)?;
                    before += graphs.report.executions();
                    State::Graph(graphs)
                }
                Step::Llvm(text) => match self.lower(state) {
                    Ok(mut llvm) => {
                        self.run_llvm(&mut llvm, text)?;
                        State::Llvm(llvm)
                    }
                    invalid => return Ok(invalid),
                },
            };
        }
        Ok(self.lower(state))
    }
}

/// The smallest number up to `count` with a property that all larger ones have, too; `count` has it, 0 does not.
fn first_of(count: u64, mut has: impl FnMut(u64) -> Result<bool>) -> Result<u64> {
    let (mut low, mut high) = (0, count);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if has(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_output_is_said_to_be_our_fault() {
        let [name, function, message] = ["in.ll", "f", "Attributes are incompatible!"].map(str::to_owned);
        let error = InvalidOutput(rvsdg_llvm::Error::Invalid { name, function, message });
        let expected = "error: jlm-opt made invalid LLVM IR in function 'f' of a valid module; this is a fault of jlm-opt, not of \
                        the input:\nAttributes are incompatible!";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_first_is_found() {
        for count in 1..40 {
            for first in 1..=count {
                assert_eq!(first_of(count, |number| Ok(number >= first)).unwrap(), first);
            }
        }
    }
}
