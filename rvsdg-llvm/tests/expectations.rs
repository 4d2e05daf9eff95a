//! What a program expects of values is known of its branches, and hides nothing from passes.

use rvsdg_llvm::{Format, OptimizeOptions, optimize};
use rvsdg_passes::Pipeline;

/// `if (expect(x == 0 ? 0 : slow(x), 0)) return 1; return 2;`
const SOURCE: &str = "
define i32 @f(i32 %x) {
  %zero = icmp eq i32 %x, 0
  br i1 %zero, label %join, label %other
other:
  %slow = call i32 @slow(i32 %x)
  br label %join
join:
  %all = phi i32 [ 0, %0 ], [ %slow, %other ]
  %is = icmp ne i32 %all, 0
  %wide = zext i1 %is to i64
  %expected = call i64 @llvm.expect.i64(i64 %wide, i64 0)
  %decided = icmp ne i64 %expected, 0
  br i1 %decided, label %one, label %two
one:
  call void @note()
  ret i32 1
two:
  ret i32 2
}

declare i32 @slow(i32)
declare void @note()
declare i64 @llvm.expect.i64(i64, i64)
";

fn optimized(pipeline: &str) -> String {
    let pipeline = Pipeline::parse(pipeline).unwrap();
    let bytes = optimize(SOURCE.as_bytes(), "f.ll", &pipeline, &OptimizeOptions::default(), Format::Text).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn branches_have_weights() {
    let text = optimized("default<O2>");
    assert!(!text.contains("call i64 @llvm.expect"), "{text}");
    assert!(text.contains("!\"branch_weights\", !\"expected\""), "{text}");
    // Where `x` is 0 nothing else is asked.
    assert!(!text.contains("phi i32 [ 0"), "{text}");
}

#[test]
fn calls_after_unlikely_branches_are_cold() {
    let text = optimized("default<O2>");
    let attributes = |callee: &str| {
        let call = text.lines().find(|line| line.contains("call") && line.contains(callee)).unwrap();
        let group = call.split_whitespace().last().filter(|word| word.starts_with('#'));
        group.and_then(|group| text.lines().find(|line| line.starts_with(&format!("attributes {group} "))))
    };
    assert!(attributes("@note()").is_some_and(|line| line.contains(" cold ")), "{text}");
    assert!(attributes("@slow(").is_none(), "{text}");
}

#[test]
fn without_passes_calls_stay() {
    assert!(optimized("").contains("call i64 @llvm.expect"));
}
