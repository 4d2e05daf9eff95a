//! Operations on integers, floats, vectors and aggregates, with poison and undef.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{ints, run, value, violated};
use rvsdg_interp::value::Partial;
use rvsdg_interp::{Outcome, Rule, Value};

/// An operation on two `i8`.
fn byte(operation: &str, a: u64, b: u64) -> Value {
    value("i8", &["i8", "i8"], &format!("{operation} v0, v1"), &ints([a, b]))
}

/// A division of two `i8` that may be undefined.
fn division(operation: &str, a: Value, b: Value) -> Outcome {
    run("i8", &["i8", "i8"], &format!("v2: i8, io1 = {operation} v0, v1, io0\nyield v2, mem0, io1"), &[a, b])
}

#[test]
fn integer_arithmetic_wraps() {
    assert_eq!(byte("add", 200, 100), Value::Int(44));
    assert_eq!(byte("sub", 1, 2), Value::Int(255));
    assert_eq!(byte("mul", 16, 17), Value::Int(16));
    assert_eq!(byte("and", 12, 10), Value::Int(8));
    assert_eq!(byte("or", 12, 10), Value::Int(14));
    assert_eq!(byte("xor", 12, 10), Value::Int(6));
    assert_eq!(byte("shl", 0x81, 1), Value::Int(2));
    assert_eq!(byte("lshr", 0x81, 1), Value::Int(0x40));
    assert_eq!(byte("ashr", 0x81, 1), Value::Int(0xc0));
}

#[test]
fn flags_make_poison() {
    assert_eq!(byte("add nuw", 200, 100), Value::Poison);
    assert_eq!(byte("add nsw", 100, 100), Value::Poison);
    assert_eq!(byte("add nuw nsw", 20, 30), Value::Int(50));
    assert_eq!(byte("sub nuw", 1, 2), Value::Poison);
    assert_eq!(byte("sub nsw", 0x80, 1), Value::Poison);
    assert_eq!(byte("mul nsw", 64, 2), Value::Poison);
    assert_eq!(byte("shl nuw", 0x81, 1), Value::Poison);
    assert_eq!(byte("shl nsw", 0x40, 1), Value::Poison);
    assert_eq!(byte("shl", 1, 8), Value::Poison);
    assert_eq!(byte("lshr exact", 3, 1), Value::Poison);
    assert_eq!(byte("or disjoint", 3, 1), Value::Poison);
}

#[test]
fn division_has_rules() {
    let number = |bits| Value::Int(bits);
    assert_eq!(division("sdiv", number(0xf9), number(2)), Outcome::Returned(Some(number(0xfd))));
    assert_eq!(division("srem", number(0xf9), number(2)), Outcome::Returned(Some(number(0xff))));
    assert_eq!(division("udiv exact", number(7), number(2)), Outcome::Returned(Some(Value::Poison)));
    assert_eq!(violated(&division("udiv", number(7), number(0))), Rule::DivisionByZero);
    assert_eq!(violated(&division("urem", number(7), number(0))), Rule::DivisionByZero);
    assert_eq!(violated(&division("sdiv", number(0x80), number(0xff))), Rule::DivisionOverflow);
    assert_eq!(violated(&division("srem", number(0x80), number(0xff))), Rule::DivisionOverflow);
    assert_eq!(violated(&division("sdiv", number(1), Value::Poison)), Rule::DivisorNotDefined);
    assert_eq!(violated(&division("sdiv", number(1), Value::Undef)), Rule::DivisorNotDefined);
}

#[test]
fn undef_is_known_by_bits() {
    let bytes = |operation: &str, a: Value, b: Value| value("i8", &["i8", "i8"], operation, &[a, b]);
    assert_eq!(bytes("and v0, v1", Value::Undef, Value::Int(0)), Value::Int(0));
    let half = bytes("and v0, v1", Value::Undef, Value::Int(0x0f));
    assert_eq!(half, Value::Partial(std::sync::Arc::new(Partial { bits: 0, undef: 0x0f })));
    assert_eq!(bytes("add v0, v1", Value::Undef, Value::Int(1)), Value::Undef);
    assert_eq!(bytes("xor v0, v1", Value::Poison, Value::Undef), Value::Poison);
    assert_eq!(value("i8", &["i8"], "freeze v0", &[Value::Poison]), Value::Int(0));
    assert_eq!(value("i8", &["i8"], "freeze v0", &ints([5])), Value::Int(5));
}

#[test]
fn wide_integers() {
    let number = |bits: u128| Value::from_bits(128, bits);
    let most = u128::MAX >> 1;
    let wide = |operation: &str, a, b| value("i128", &["i128", "i128"], operation, &[number(a), number(b)]);
    assert_eq!(wide("mul v0, v1", 1 << 80, 1 << 40), number(1 << 120));
    assert_eq!(wide("add nsw v0, v1", most, 1), Value::Poison);
    assert_eq!(wide("lshr v0, v1", 1 << 100, 90), number(1 << 10));
    assert_eq!(value("i200", &["i64"], "zext v0", &ints([7])).to_string(), format!("0x{:064x}", 7));
}

#[test]
fn comparisons() {
    let relation =
        |operation: &str, a, b| value("i1", &["i8", "i8"], &format!("icmp {operation} v0, v1"), &ints([a, b]));
    assert_eq!(relation("slt", 0x80, 1), Value::Int(1));
    assert_eq!(relation("ult", 0x80, 1), Value::Int(0));
    assert_eq!(relation("eq", 3, 3), Value::Int(1));
    assert_eq!(relation("samesign ult", 0x80, 1), Value::Poison);
    assert_eq!(value("i1", &["i8", "i8"], "icmp eq v0, v1", &[Value::Poison, Value::Int(1)]), Value::Poison);
}

fn double(operation: &str, a: f64, b: f64) -> Value {
    value("double", &["double", "double"], &format!("{operation} v0, v1"), &ints([a.to_bits(), b.to_bits()]))
}

#[test]
fn floats() {
    let of = |value: f64| Value::Int(value.to_bits());
    assert_eq!(double("fadd", 0.1, 0.2), of(0.1 + 0.2));
    assert_eq!(double("fsub", 1.0, 0.25), of(0.75));
    assert_eq!(double("fmul", 3.0, -2.0), of(-6.0));
    assert_eq!(double("fdiv", 1.0, 0.0), of(f64::INFINITY));
    assert_eq!(double("frem", 5.5, 2.0), of(1.5));
    assert_eq!(double("fdiv ninf", 1.0, 0.0), Value::Poison);
    assert_eq!(double("fadd nnan", f64::NAN, 0.0), Value::Poison);
    assert_eq!(value("double", &["double"], "fneg v0", &ints([0])), of(-0.0));
    let relation = |operation: &str, a: f64, b: f64| {
        let text = format!("fcmp {operation} v0, v1");
        value("i1", &["double", "double"], &text, &ints([a.to_bits(), b.to_bits()]))
    };
    assert_eq!(relation("olt", f64::NAN, 1.0), Value::Int(0));
    assert_eq!(relation("ult", f64::NAN, 1.0), Value::Int(1));
    assert_eq!(relation("une", 0.0, -0.0), Value::Int(0));
    assert_eq!(relation("uno", f64::NAN, 1.0), Value::Int(1));
}

#[test]
fn conversions() {
    let cast = |from: &str, to: &str, operation: &str, bits: u64| {
        value(to, &[from], &format!("{operation} v0"), &ints([bits]))
    };
    assert_eq!(cast("i32", "i8", "trunc", 0x1ff), Value::Int(0xff));
    assert_eq!(cast("i32", "i8", "trunc nuw", 0x1ff), Value::Poison);
    assert_eq!(cast("i8", "i32", "sext", 0x80), Value::Int(0xffff_ff80));
    assert_eq!(cast("i8", "i32", "zext nneg", 0x80), Value::Poison);
    assert_eq!(cast("double", "i8", "fptosi", (-3.9f64).to_bits()), Value::Int(0xfd));
    assert_eq!(cast("double", "i8", "fptosi", 200f64.to_bits()), Value::Poison);
    assert_eq!(cast("double", "i8", "fptoui", f64::NAN.to_bits()), Value::Poison);
    assert_eq!(cast("i8", "double", "sitofp", 0xff), Value::Int((-1f64).to_bits()));
    assert_eq!(cast("i8", "float", "uitofp", 0xff), Value::Int(255f32.to_bits().into()));
    assert_eq!(cast("double", "float", "fptrunc", 0.1f64.to_bits()), Value::Int(0.1f32.to_bits().into()));
    assert_eq!(cast("float", "double", "fpext", 0.5f32.to_bits().into()), Value::Int(0.5f64.to_bits()));
    assert_eq!(cast("i32", "float", "bitcast", 0x3f80_0000), Value::Int(0x3f80_0000));
    assert_eq!(cast("double", "half", "fptrunc", 1.5f64.to_bits()), Value::Int(0x3e00));
}

#[test]
fn selections() {
    let select = |condition: Value| {
        value("i8", &["i1", "i8", "i8"], "select v0, v1, v2", &[condition, Value::Int(1), Value::Poison])
    };
    assert_eq!(select(Value::Int(1)), Value::Int(1));
    assert_eq!(select(Value::Int(0)), Value::Poison);
    assert_eq!(select(Value::Poison), Value::Poison);
}

#[test]
fn vectors_and_aggregates() {
    let vector = |numbers: [u64; 4]| Value::seq(ints(numbers));
    let operands = [vector([1, 2, 3, 4]), vector([10, 20, 30, 40])];
    let on = |operation: &str| value("<4 x i32>", &["<4 x i32>", "<4 x i32>"], operation, &operands);
    assert_eq!(on("add v0, v1"), vector([11, 22, 33, 44]));
    assert_eq!(on("shufflevector v0, v1, <0, 5, 2, 7>"), vector([1, 20, 3, 40]));
    let lane =
        |index| value("i32", &["<4 x i32>", "i32"], "extractelement v0, v1", &[operands[0].clone(), Value::Int(index)]);
    assert_eq!(lane(2), Value::Int(3));
    assert_eq!(lane(4), Value::Poison);
    let pair = Value::seq(vec![Value::Int(7), Value::seq(ints([8, 9]))]);
    let text = "{ i32, [2 x i8] }";
    assert_eq!(value("i8", &[text], "extractvalue v0, 1, 1", std::slice::from_ref(&pair)), Value::Int(9));
    let changed = Value::seq(vec![Value::Int(7), Value::seq(ints([5, 9]))]);
    assert_eq!(value(text, &[text, "i8"], "insertvalue v0, v1, 1, 0", &[pair, Value::Int(5)]), changed);
    assert_eq!(value("i64", &["<2 x i32>"], "bitcast v0", &[Value::seq(ints([1, 2]))]), Value::Int(1 | 2 << 32));
}
