//! Small modules as text, and their runs.

#![allow(dead_code, reason = "each test file takes what it needs")]

use rvsdg_core::text::parse_module;
use rvsdg_interp::{Argument, Config, Observed, Outcome, Rule, Unknown, Value, observe};

/// Observes a function of a module.
pub fn observed(text: &str, function: &str, arguments: &[Argument]) -> Observed {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{}:\n{text}", violations[0]));
    let config = Config { fuel: 100_000, memory: 1 << 24, depth: 1000, unknown: Unknown::Record, ..Config::default() };
    observe(verified, function, arguments, config)
}

/// A function with these parameters (from `v0` on) and result, whose body is these lines.
pub fn function(result: &str, params: &[&str], lines: &str) -> String {
    let names: Vec<String> = params.iter().enumerate().map(|(index, ty)| format!("v{index}: {ty}, ")).collect();
    format!(
        "module \"test\"\n@f = function {result} ({})\nlambda @f [] ({}mem0, io0) {{\n{lines}\n}}\nexport @f\n",
        params.join(", "),
        names.concat()
    )
}

/// What a function comes to.
pub fn run(result: &str, params: &[&str], lines: &str, arguments: &[Value]) -> Outcome {
    let arguments: Vec<Argument> = arguments.iter().cloned().map(Argument::Value).collect();
    observed(&function(result, params, lines), "f", &arguments).outcome
}

/// The result of one operation on operands `v0`, `v1`, … of one type.
pub fn value(result: &str, params: &[&str], operation: &str, arguments: &[Value]) -> Value {
    let last = params.len();
    let lines = format!("v{last}: {result} = {operation}\nyield v{last}, mem0, io0");
    match run(result, params, &lines, arguments) {
        Outcome::Returned(Some(value)) => value,
        other => panic!("{other}:\n{lines}"),
    }
}

/// The rule that a run violates.
pub fn violated(outcome: &Outcome) -> Rule {
    match outcome {
        Outcome::Undefined { rule, .. } => *rule,
        other => panic!("{other}"),
    }
}

/// Integers as values.
pub fn ints<const N: usize>(numbers: [u64; N]) -> Vec<Value> {
    numbers.map(Value::Int).to_vec()
}
