//! What the parser says of text that is not a module, and that it never panics.

#![allow(missing_docs, reason = "tests")]

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{expect, expect_file};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use rvsdg_core::{Pool, text};

#[test]
fn errors_say_where_and_what() {
    let body = |nodes: &str| format!("@f = function void ()\nlambda @f [] (v0: i32, mem0, io0) {{\n{nodes}\n}}\n");
    let deep = format!("@g = global {}i8{}", "[1 x ".repeat(1000), "]".repeat(1000));
    let sources = [
        "modul \"x\"",
        "module x",
        "module \"x",
        "module \"\\0\"",
        "module \"\\FF\"",
        "target feature \"x\"",
        "@g = global",
        "@g = global i0",
        "@g = global i99999999",
        "@g = global i32 4294967296",
        "@g = global i8 -129",
        "@g = global i128 0x123456789012345678901234567890123",
        "@g = global i32 7 8",
        "@g = global ptr 0",
        "@g = global float 1e99",
        "@g = global half 1.0",
        "@g = global [2 x i8] c\"a",
        "@g = global [2 x i32] data [1, x]",
        "@g = global %T",
        "%T = type { %U }\n%U = type { %T }",
        "%T = type opaque\n%T = type opaque",
        "@g = global i8 call (i8 1)",
        "@g = internal",
        "@g = thread_local(fast) global i8",
        "@g = global i8, colour \"red\"",
        "@f = function void (), #0",
        "@1 = global i8",
        "@g = global i8\n@g = global i8",
        "import @g",
        "import",
        "@f = function void ()\nlambda @f",
        "@f = function void ()\nlambda @f [v0] (mem0) {\nyield mem0\n}",
        "@f = function void ()\nlambda @f [] (v0) {\nyield\n}",
        "@f = function void ()\nimport @f\nimport @f",
        "@f = function void ()\nexport @f",
        "attributes #0 = function { nounwind",
        "attributes 0",
        "attributes #0 =\nattributes #0 =",
        "$c = comdat any",
        "tbaa 0 = \"int\" ()",
        "tbaa #0 = int ()",
        "tbaa #0 = \"int\" (#1 at 0)\ntbaa #1 = \"char\" ()",
        "tbaa #0 = \"int\" (#0 at 0)",
        "tbaa #0 = \"a\" ()\ntbaa #1 = \"b\" (#0 at 4, #0 at 0)",
        "tbaa #0 = \"a\" ()\ntbaa #0 = \"b\" ()",
        &body(""),
        &body("v1: i32 = plus v0, v0"),
        &body("v1: i32 = add v0,"),
        &body("v1: i32 = add v0, v9\nyield"),
        &body("v1 = add v0, v0\nyield"),
        &body("v0: i32 = add v0, v0\nyield"),
        &body("v1: i1 = icmp greater v0, v0"),
        &body("v1: i32 = load v0, mem0\nyield"),
        &body("v1: i32 = load v0, mem0, align 3\nyield"),
        &body("v1: i32, mem1 = load v0, mem0, align 4, tbaa #0\nyield"),
        &body("v1: i32, mem1 = load v0, mem0, align 4, type #0\nyield"),
        &body("v1: i32, mem1, io1 = cmpxchg v0, v0, v0, mem0, io0, align 4"),
        &body("v1: ctl(2) = match i32 v0 [0 -> 1]"),
        &body("v1: ctl(2) = match i32 v0 [_ -> 1, 0 -> 1]"),
        &body("call void () @g()"),
        &body("call void () v0(), v0"),
        &body("call void () v0() effects(time)"),
        &body("ext \"a\" (mem) -> ()\nyield"),
        &body("gamma v0 ()\ncase 1 () {"),
        &body("theta (v1: i32) {"),
        &body("theta (v1: i32 = v0) {\nyield v0\n}"),
        &body("next v0 while v0"),
        &body("yield v0 v0"),
        &body("v1 = const i32 ?99999999\nyield"),
        &deep,
    ];
    let mut errors = String::new();
    for source in sources {
        let error = text::parse_module(source).err().unwrap_or_else(|| panic!("this is no module:\n{source}"));
        writeln!(errors, "{error}").expect("writing to a string succeeds");
    }
    expect![[r#"
        1:1: expected `lambda`, `delta`, `phi`, `import` or another item of a module, found `modul`
        1:8: expected a string in quotes, found `x`
        1:8: the string does not end
        1:8: a `\` in a string is followed by two hexadecimal digits
        1:8: the string is not UTF-8
        1:8: expected `datalayout` or `triple`, found `feature`
        1:12: expected a type, found the end of the text
        1:13: an integer has 1 to 8388608 bits
        1:13: an integer has 1 to 8388608 bits
        1:17: 4294967296 does not fit in 32 bits
        1:16: -129 does not fit in 8 bits
        1:18: 0x123456789012345678901234567890123 does not fit in 128 bits
        1:19: expected `,` or the end of the line, found `8`
        1:17: a ptr is not written as a number
        1:19: 1e99 is not a float of 32 bits
        1:18: expected the bits of a float in hexadecimal, found `1.0`
        1:22: the string does not end
        1:32: expected a number, found `x`
        1:13: the type %T is not defined
        2:13: the type %T contains itself
        2:1: the type %T is defined twice
        1:16: call is not computed in constants
        1:14: expected a keyword of a symbol, or its kind, found the end of the text
        1:23: `fast` is not a model of thread-local storage
        1:17: expected a property of a variable, found `colour`
        1:24: attributes #0 are not defined
        1:1: the next symbol without a name is @0
        2:1: the symbol @g is defined twice
        1:8: the symbol @g is not defined
        1:7: expected the name of an origin, found the end of the text
        2:10: expected `[`, found the end of the text
        2:12: a context variable is a symbol or says which origin it is: `v0: ptr = @x`
        2:15: its type is missing: write `name: type`
        3:8: this name is defined twice in the region
        2:8: this name is not defined in the region
        1:36: expected `,` or `}`, found the end of the text
        1:12: expected `#` and the number of an attribute list, found `0`
        2:12: attributes #0 are defined twice
        1:13: expected a string in quotes, found `any`
        1:6: expected `#` and the number of a type of the source language, found `0`
        1:11: expected a string in quotes, found `int`
        1:18: tbaa #1 is not defined before
        1:18: tbaa #0 is not defined before
        2:6: members are in the order of their offsets
        2:6: tbaa #0 is defined twice
        4:1: expected an operation, `yield` or `next`, found `}`
        3:11: expected an operation, `yield` or `next`, found `plus`
        4:1: expected an operand, found `}`
        3:19: this name is not defined in the body
        3:1: its type is missing: write `name: type`
        3:1: this name is defined twice in the body
        3:15: expected a relation of integers, found `greater`
        4:1: expected `,`, found `yield`
        3:32: an alignment is a power of two
        3:46: tbaa #0 is not defined before
        3:41: expected `nonnull` or `tbaa`, found `type`
        3:53: expected the orderings of success and failure, found `align`
        4:1: the default case `_ -> …` is missing
        3:36: expected `]` after the default, found `0`
        3:14: the symbol @g is not defined
        3:20: a state is expected here: `mem0` or `io0`
        3:27: expected `mem` or `io`, found `time`
        3:9: the operation takes other states than it produces
        4:6: this is case 0
        3:15: expected `=`, found `)`
        4:1: expected `next`, found `yield`
        3:1: expected `yield`, found `next`
        3:10: expected `}`, found `v0`
        3:16: a hole has a number below 16777216
        1:1013: types and constants nest at most 200 deep
    "#]]
    .assert_eq(&errors);
}

#[test]
fn types_and_constants_nest_to_the_limit_and_no_deeper() {
    let nested = |depth: usize| format!("@g = global {}i8{}", "[1 x ".repeat(depth), "]".repeat(depth));
    assert!(text::parse_module(&nested(text::MAX_DEPTH as usize - 1)).is_ok());
    assert!(text::parse_module(&nested(text::MAX_DEPTH as usize)).is_err());
    let sum = |depth: usize| format!("@g = global i8 {}i8 1{}", "add (i8 1, i8 ".repeat(depth), ")".repeat(depth));
    assert!(text::parse_module(&sum(text::MAX_DEPTH as usize)).is_err());
    let chain: String = (0..1000).map(|i| format!("%T{i} = type {{ %T{} }}\n", i + 1)).collect();
    assert!(text::parse_module(&format!("{chain}%T1000 = type {{ i8 }}\n")).is_err());
}

const SAMPLE: &str = include_str!("sample.rvsdg");

#[test]
fn the_sample_is_printed_as_it_stands() {
    let module = text::parse_module(SAMPLE).unwrap_or_else(|error| panic!("{error}"));
    if let Err(violations) = module.verify() {
        panic!("{}", violations[0]);
    }
    expect_file!["sample.rvsdg"].assert_eq(&text::print_module(&module));
}

/// Cuts, repeats and exchanges pieces of the sample.
fn mutated() -> impl Strategy<Value = String> {
    let edits =
        prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..60usize, 0..4u8), 1..5);
    edits.prop_map(|edits| {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (from, to, len, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let piece = bytes[from..(from + len).min(bytes.len())].to_vec();
            match kind {
                0 => drop(bytes.drain(from..from + piece.len())),
                1 => drop(bytes.splice(to..to, piece)),
                2 => bytes[to] = b"(){}[]<>,:=\"@%#?\\;-0v\n"[len % 22],
                _ => bytes.truncate(from.max(1)),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Checks a property of texts: as many as `PROPTEST_CASES` asks for, but at least 2,000, those of `PROPTEST_RNG_SEED`. How many is
/// printed, to be added up.
fn for_texts(texts: impl Strategy<Value = String>, holds: impl Fn(&str) -> Result<(), TestCaseError>) {
    let default = ProptestConfig::default();
    let seed = if let RngSeed::Fixed(seed) = default.rng_seed { seed } else { 0 };
    let (cases, rng_seed) = (default.cases.max(2000), RngSeed::Fixed(seed));
    let config = ProptestConfig { cases, failure_persistence: None, rng_seed, ..default };
    let result = TestRunner::new(config).run(&texts, |text| holds(&text));
    result.unwrap_or_else(|error| panic!("{error}\n(again with PROPTEST_RNG_SEED={seed})"));
    println!("{}: {cases} cases", std::thread::current().name().unwrap_or_default());
}

/// Whatever parses can be verified, printed and parsed again.
#[test]
fn no_text_makes_the_parser_panic() {
    for_texts(mutated(), |source| {
        if let Ok(module) = text::parse_module(source) {
            _ = module.verify();
            let printed = text::print_module(&module);
            if module.verify().is_ok() {
                let again = text::parse_module(&printed).map(|module| text::print_module(&module));
                prop_assert_eq!(again, Ok(printed));
            }
        }
        Ok(())
    });
}

#[test]
fn noise_is_an_error() {
    for_texts("[ -~\n]{0,80}", |source| {
        _ = text::parse_module(source);
        _ = text::parse_graph(source, Arc::new(Pool::new()));
        Ok(())
    });
}
