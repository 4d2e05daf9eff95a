//! What keeps loads and stores of neighbouring elements apart, and what vectors promise.

use rvsdg_core::text::parse_module;
use rvsdg_passes::{Manager, Pipeline};

/// What `slp` makes of a function of two arrays of integers; `v2` and `v3` are the addresses of their second elements.
fn result(body: &str) -> String {
    let text = format!(
        "module \"test\"\ntarget triple \"x86_64-unknown-linux-gnu\"\n@a = global [16 x i64] zeroinitializer\n\
         @b = global [16 x i64] zeroinitializer\n@other = function void ()\n@llvm.ctpop.i1 = function i1 (i1)\n\
         @f = function void ()\ndelta @a []\ndelta @b []\nimport @other\nimport @llvm.ctpop.i1\n\
         lambda @f [@a, @b, @other, @llvm.ctpop.i1] (mem0, io0) {{\nv1 = const i64 1\n\
         v2: ptr = getelementptr i64, @a, v1\nv3: ptr = getelementptr i64, @b, v1\n{body}}}\nexport @f\n\
         tbaa #0 = \"C\" ()\ntbaa #1 = \"char\" (#0 at 0)\ntbaa #2 = \"long\" (#1 at 0)\ntbaa #3 = \"other\" (#1 at 0)\n"
    );
    let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = Pipeline::parse("slp,dne").expect("the passes are known");
    Manager { verify_each: true, ..Manager::default() }.run(&mut module, &pipeline).expect("the result is valid");
    module.to_string()
}

/// Sums of two elements, stored to the other array, with something between the loads that ends with the states `mem2` and `io1`.
fn sums(between: &str, loads: [&str; 2], stores: [&str; 2]) -> String {
    let ([a, b], [c, d]) = (loads, stores);
    result(&format!(
        "v4: i64, mem1 = load @a, mem0, {a}\n{between}v5: i64, mem3 = load v2, mem2, {b}\nv6: i64 = add v4, v4\n\
         v7: i64 = add v5, v5\nmem4 = store v6, @b, mem3, {c}\nmem5 = store v7, v3, mem4, {d}\nyield mem5, io1\n"
    ))
}

const PLAIN: [&str; 2] = ["align 8"; 2];

#[test]
fn what_is_between_loads() {
    let call = "mem2, io1 = call void () @other(), mem1, io0\n";
    let volatile = "v8: i64, mem2, io1 = load volatile v3, mem1, io0, align 8\n";
    assert!(!sums(call, PLAIN, PLAIN).contains("<2 x i64>"));
    assert!(!sums(volatile, PLAIN, PLAIN).contains("<2 x i64>"));
}

/// Sums with nothing between the loads.
fn direct(loads: [&str; 2], stores: [&str; 2]) -> String {
    let ([a, b], [c, d]) = (loads, stores);
    result(&format!(
        "v4: i64, mem1 = load @a, mem0, {a}\nv5: i64, mem3 = load v2, mem1, {b}\nv6: i64 = add v4, v4\n\
         v7: i64 = add v5, v5\nmem4 = store v6, @b, mem3, {c}\nmem5 = store v7, v3, mem4, {d}\nyield mem5, io0\n"
    ))
}

#[test]
fn atomic_accesses_stay() {
    assert!(direct(PLAIN, PLAIN).contains("<2 x i64>"));
    let atomic = "unordered, align 8";
    for [first, second] in [[atomic, "align 8"], ["align 8", atomic], [atomic; 2]] {
        assert!(!direct([first, second], PLAIN).contains("<2 x i64>"));
        assert!(!direct(PLAIN, [first, second]).contains("<2 x i64>"));
    }
}

/// A vector has the tag that both elements have, and the alignment of the first of them.
#[test]
fn tags_and_alignment() {
    let (long, other) = ("align 8, tbaa #2", "align 8, tbaa #3");
    let same = direct([long; 2], [long; 2]);
    assert_eq!(same.matches("align 8, tbaa").count(), 2, "{same}");
    let differs = direct([long, other], [other, long]);
    assert!(differs.contains("<2 x i64>") && !differs.contains("align 8, tbaa"), "{differs}");
    let aligned = direct(["align 16", "align 8"], ["align 4", "align 16"]);
    assert!(aligned.contains("mem0, align 16") && aligned.contains("mem1, align 4"), "{aligned}");
}

/// A load rises past a store that by its tag it cannot see, although they may overlap, but not past others.
#[test]
fn tags_of_what_is_between() {
    let at = |tag: &str| {
        result(&format!(
            "v4: ptr, mem1 = load v3, mem0, align 8\nv5: i64, mem2 = load @a, mem1, align 8, tbaa #2\n\
             mem3 = store v1, v4, mem2, align 8, tbaa {tag}\nv6: i64, mem4 = load v2, mem3, align 8, tbaa #2\n\
             v7: i64 = add v5, v5\nv8: i64 = add v6, v6\nmem5 = store v7, @b, mem4, align 8\n\
             mem6 = store v8, v3, mem5, align 8\nyield mem6, io0\n"
        ))
    };
    assert!(at("#3").contains("<2 x i64>") && !at("#2").contains("<2 x i64>"));
}

/// Population counts of one bit have no bytes.
#[test]
fn one_bit() {
    let counts = result(
        "v4: i64, mem1 = load @a, mem0, align 8\nv5: i64, mem3 = load v2, mem1, align 8\n\
         v6: i1 = icmp eq v4, v1\nv7: i1 = icmp eq v5, v1\nv8: i1 = call i1 (i1) @llvm.ctpop.i1(v6)\n\
         v9: i1 = call i1 (i1) @llvm.ctpop.i1(v7)\nv10: i64 = zext v8\nv11: i64 = zext v9\n\
         mem4 = store v10, @b, mem3, align 8\nmem5 = store v11, v3, mem4, align 8\nyield mem5, io0\n",
    );
    assert_eq!(counts.matches("call i1 (i1) @llvm.ctpop.i1").count(), 2, "{counts}");
}
