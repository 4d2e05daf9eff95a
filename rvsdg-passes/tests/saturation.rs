//! Which choices between a sum or difference of widened numbers and a limit saturate.

use rvsdg_core::text::parse_module;
use rvsdg_passes::{Manager, Pipeline};

/// What `red` makes of a choice by a comparison of a sum or difference in a type of so many bits. `then` and `otherwise` are `-1`, `0`, or
/// `v5`, the value in eight bits.
fn result(bits: u32, op: &str, comparison: (&str, i32), [then, otherwise]: [&str; 2]) -> String {
    let (predicate, limit) = comparison;
    let [then, otherwise] = [then, otherwise].map(|value| match value {
        "-1" => "v8",
        "0" => "v9",
        value => value,
    });
    let text = format!(
        "module \"test\"\n@f = function i8 (i8, i8)\nlambda @f [] (v0: i8, v1: i8, mem0, io0) {{\n\
         v2: i{bits} = zext v0\nv3: i{bits} = zext v1\nv4: i{bits} = {op} v2, v3\nv5: i8 = trunc v4\n\
         v6 = const i{bits} {limit}\nv7: i1 = icmp {predicate} v4, v6\nv8 = const i8 -1\nv9 = const i8 0\n\
         v10: i8 = select v7, {then}, {otherwise}\nyield v10, mem0, io0\n}}\nexport @f\n"
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = Pipeline::parse("red,dne").expect("the passes are known");
    Manager { verify_each: true, ..Manager::default() }.run(&mut module, &pipeline).expect("the result is valid");
    module.to_string()
}

/// Whether nothing is widened any more, and there is still a choice.
fn saturates(result: &str) -> bool {
    !result.contains("zext") && result.contains("select")
}

#[test]
fn sums() {
    for comparison in [("ugt", 255), ("sgt", 255)] {
        assert!(saturates(&result(32, "add", comparison, ["-1", "v5"])), "{comparison:?}");
    }
    for comparison in [("ult", 256), ("slt", 256)] {
        assert!(saturates(&result(32, "add", comparison, ["v5", "-1"])), "{comparison:?}");
    }
    assert!(saturates(&result(9, "add", ("ugt", 255), ["-1", "v5"])));
    // No number of nine bits is greater with its sign.
    assert!(!saturates(&result(9, "add", ("sgt", 255), ["-1", "v5"])));
}

#[test]
fn other_limits_and_values_stay() {
    assert!(!saturates(&result(32, "add", ("ugt", 254), ["-1", "v5"])));
    assert!(!saturates(&result(32, "add", ("ugt", 255), ["0", "v5"])));
    assert!(!saturates(&result(32, "add", ("ugt", 255), ["v5", "-1"])));
    assert!(!saturates(&result(32, "sub", ("slt", 0), ["-1", "v5"])));
    assert!(!saturates(&result(32, "sub", ("slt", 1), ["0", "v5"])));
    assert!(!saturates(&result(32, "sub", ("slt", 0), ["v5", "0"])));
}

#[test]
fn differences() {
    for bits in [9, 32] {
        assert!(saturates(&result(bits, "sub", ("slt", 0), ["0", "v5"])), "{bits}");
        assert!(saturates(&result(bits, "sub", ("sgt", -1), ["v5", "0"])), "{bits}");
    }
}
