//! Functions of the C library that programs were seen to need exactly as the machine's library has them.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::observed;
use rvsdg_core::text::parse_module;
use rvsdg_interp::{Config, Outcome, Value, observe};

fn returned(outcome: &Outcome) -> u64 {
    match outcome {
        Outcome::Returned(Some(Value::Int(bits))) => *bits,
        other => panic!("{other}"),
    }
}

/// Where products overflow, both numbers are scaled first.
#[test]
fn complex_division_scales() {
    let text = "module \"test\"\n\
        @__divdc3 = function { double, double } (double, double, double, double)\n@f = function double ()\n\
        import @__divdc3\nlambda @f [@__divdc3] (mem0, io0) {\n  v0 = const double 1.0e300\n\
          v1: { double, double }, mem1, io1 = call { double, double } (double, double, double, double) \
        @__divdc3(v0, v0, v0, v0), mem0, io0\n  v2: double = extractvalue v1, 0\n  yield v2, mem1, io1\n}\nexport @f\n";
    assert_eq!(f64::from_bits(returned(&observed(text, "f", &[]).outcome)), 1.0);
}

#[test]
fn the_locale_is_called_c() {
    let text = "module \"test\"\n@setlocale = function ptr (i32, ptr)\n@f = function i16 ()\nimport @setlocale\n\
        lambda @f [@setlocale] (mem0, io0) {\n  v0 = const i32 6\n  v1 = const ptr null\n\
          v2: ptr, mem1, io1 = call ptr (i32, ptr) @setlocale(v0, v1), mem0, io0\n\
          v3: i16, mem2 = load v2, mem1, align 1\n  yield v3, mem2, io1\n}\nexport @f\n";
    assert_eq!(returned(&observed(text, "f", &[]).outcome), u64::from(b'C'));
}

#[test]
fn a_missing_file_sets_errno() {
    let text = "module \"test\"\n@name = constant [2 x i8] c\"x\\00\"\n@mode = constant [2 x i8] c\"r\\00\"\n\
        @fopen = function ptr (ptr, ptr)\n@__errno_location = function ptr ()\n@f = function i32 ()\n\
        import @fopen\nimport @__errno_location\ndelta @name []\ndelta @mode []\n\
        lambda @f [@fopen, @__errno_location, @name, @mode] (mem0, io0) {\n\
          v0: ptr, mem1, io1 = call ptr (ptr, ptr) @fopen(@name, @mode), mem0, io0\n\
          v1: ptr, mem2, io2 = call ptr () @__errno_location(), mem1, io1\n\
          v2: i32, mem3 = load v1, mem2, align 4\n  yield v2, mem3, io2\n}\nexport @f\nexport @name\nexport @mode\n";
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{}:\n{text}", violations[0]));
    let config = Config { files: Some(|_| None), ..Config::default() };
    assert_eq!(returned(&observe(verified, "f", &[], config).outcome), 2);
}
