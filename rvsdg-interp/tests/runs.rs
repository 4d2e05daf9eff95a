//! What runs of small modules come to, and when one run may stand for another.

use rvsdg_core::text::parse_module;
use rvsdg_interp::{Argument, Config, Observed, Outcome, Rule, Unknown, Value, observe};

fn run_text(text: &str, function: &str, arguments: &[u64]) -> Observed {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let verified = module.verify().expect("the module is valid");
    let arguments: Vec<Argument> = arguments.iter().map(|&bits| Argument::Value(Value::Int(bits))).collect();
    let config = Config { fuel: 10_000, unknown: Unknown::Record, ..Config::default() };
    observe(verified, function, &arguments, config)
}

fn body(lines: &str) -> String {
    format!(
        "module \"test\"\n@f = function i32 (i32, i32)\nlambda @f [] (v0: i32, v1: i32, mem0, io0) {{\n{lines}\n}}\nexport @f\n"
    )
}

fn run(lines: &str, arguments: &[u64]) -> Outcome {
    run_text(&body(lines), "f", arguments).outcome
}

fn returns(lines: &str, arguments: &[u64], value: u64) {
    assert_eq!(run(lines, arguments), Outcome::Returned(Some(Value::Int(value))), "{lines}");
}

fn undefined(lines: &str, arguments: &[u64], wanted: Rule) {
    match run(lines, arguments) {
        Outcome::Undefined { rule, .. } => assert_eq!(rule, wanted, "{lines}"),
        other => panic!("{other}:\n{lines}"),
    }
}

#[test]
fn integers() {
    returns("v2: i32 = add v0, v1\nyield v2, mem0, io0", &[7, 0xffff_ffff], 6);
    returns("v2: i32 = mul v0, v1\nyield v2, mem0, io0", &[7, 6], 42);
    undefined("v2: i32, io1 = sdiv v0, v1, io0\nyield v2, mem0, io1", &[7, 0], Rule::DivisionByZero);
}
