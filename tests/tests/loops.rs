//! What passes make of loops comes out as LLVM IR.

use rvsdg_tests::tools::{jlm_opt, output};

const LOOP: &str = "
define void @f(ptr %p, i32 %n) {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %wide = sext i32 %i to i64
  %place = getelementptr double, ptr %p, i64 %wide
  store double 0.0, ptr %place
  %next = add nsw i32 %i, 1
  br label %head
end:
  ret void
}
";

/// The sum that was narrow and the comparison are other instructions than those they came from.
#[test]
fn a_widened_induction_variable() {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("loop.ll");
    std::fs::write(&input, LOOP).expect("the file can be written");
    let text =
        output(jlm_opt().arg("-passes=ivt,ivs,dne").arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0;
    assert!(text.contains("add nsw i64") && text.contains("icmp slt i64"), "{text}");
}

/// A loop that only a jump repeats has its condition at the end then, and another branch repeats it.
#[test]
fn what_is_said_about_a_loop() {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("loop.ll");
    let forbidden = "unroll.disable\"}\n!2 = !{!\"llvm.loop.vectorize.width\", i32 1}";
    let one_by_one = "unroll.disable\"}\n!2 = !{!\"llvm.loop.vectorize.enable\", i1 true}";
    let demanded = "unroll.count\", i32 2}\n!2 = !{!\"llvm.loop.vectorize.enable\", i1 false}";
    let named = |said: &str| {
        let jump = LOOP.replace("  br label %head\nend", "  br label %head, !llvm.loop !0\nend");
        // It must not become a call.
        let text = jump.replace("store double 0.0", "store double 1.0");
        let progress = "!3 = !{!\"llvm.loop.mustprogress\"}";
        let target = "target triple = \"x86_64-unknown-linux-gnu\"";
        format!("{target}{text}!0 = distinct !{{!0, !1, !2, !3}}\n!1 = !{{!\"llvm.loop.{said}\n{progress}\n")
    };
    for (said, kept, loops) in [(forbidden, "!\"llvm.loop.unroll.disable\"", 1), (demanded, "i1 false", 2)] {
        std::fs::write(&input, named(said)).expect("the file can be written");
        for level in ["-O1", "-O2", "-O3"] {
            let text = output(jlm_opt().arg(level).arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0;
            let loops = if level == "-O1" { 1 } else { loops };
            assert_eq!(text.matches(", !llvm.loop !").count(), loops, "{level}: {text}");
            assert!(text.contains(kept) && text.contains("llvm.loop.mustprogress"), "{level}: {text}");
            // What is unrolled is straight-line code, of which nothing is said.
            let may_be_vectors = said == demanded && level == "-O3";
            assert!(may_be_vectors || !text.contains("<2 x double>"), "{level}: {text}");
        }
    }
    std::fs::write(&input, named(one_by_one)).expect("the file can be written");
    let text = output(jlm_opt().arg("-O3").arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0;
    let unrolled = "!\"llvm.loop.unroll.disable\"";
    assert!(text.contains("<2 x double>") && text.contains(unrolled), "{text}");
    assert!(text.contains("!\"llvm.loop.isvectorized\", i32 1"), "{text}");
}

/// The loop whose jump says something, under names of metadata from `!1` on.
fn said(properties: &[&str]) -> String {
    // It must not become a call.
    let text = LOOP.replace("store double 0.0", "store double 1.0");
    let jump = text.replace("  br label %head\nend", "  br label %head, !llvm.loop !0\nend");
    let names: Vec<String> = (1..=properties.len()).map(|number| format!(", !{number}")).collect();
    let nodes: Vec<String> = properties
        .iter()
        .enumerate()
        .map(|(index, said)| format!("!{} = !{{!\"llvm.loop.{said}}}\n", index + 1))
        .collect();
    let target = "target triple = \"x86_64-unknown-linux-gnu\"";
    format!("{target}{jump}!0 = distinct !{{!0{}}}\n{}", names.concat(), nodes.concat())
}

fn optimized(module: &str, level: &str) -> String {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("loop.ll");
    std::fs::write(&input, module).expect("the file can be written");
    output(jlm_opt().arg(level).arg(&input).args(["-S", "-o", "-"])).expect("it is optimized").0
}

/// A loop that was made for remaining iterations is known as one when the result is read again.
#[test]
fn how_loops_came_about() {
    let once = optimized(&said(&["mustprogress\""]), "-passes=ivt,ivs,vec,dne");
    let roles = |text: &str| ["main", "remainder"].map(|role| text.matches(&format!("!\"rvsdg.loop.{role}\"")).count());
    assert_eq!(roles(&once), [1, 1], "{once}");
    let again = optimized(&once, "-passes=vec,dne");
    let loops = |text: &str| text.matches(", !llvm.loop !").count();
    assert_eq!((roles(&again), loops(&again)), (roles(&once), loops(&once)), "{again}");
}

/// A loop of several iterations at once is not repeated as often, and neither is the one for the remaining iterations.
#[test]
fn an_estimate_of_iterations_is_not_that_of_the_new_loops() {
    let estimate = "estimated_trip_count\", i32 1000";
    for properties in [&["unroll.count\", i32 2", estimate][..], &["vectorize.enable\", i1 true", estimate]] {
        let text = optimized(&said(properties), "-O3");
        assert!(text.matches(", !llvm.loop !").count() > 1, "{text}");
        assert!(!text.contains("estimated_trip_count"), "{text}");
    }
}

/// A factor that nobody can follow is none, but the metadata stays.
#[test]
fn what_is_said_with_unusual_numbers() {
    let plain = optimized(&said(&["mustprogress\""]), "-O2");
    let lines = |text: &str| text.lines().take_while(|line| *line != "}").count();
    for number in ["i32 -1", "i32 65536", "i32 1073741824", "i32 0", "i64 4294967298", "i128 36893488147419103234"] {
        let count = optimized(&said(&["mustprogress\"", &format!("unroll.count\", {number}")]), "-O2");
        assert_eq!(lines(&count), lines(&plain), "{number}: {count}");
        let width = optimized(&said(&["mustprogress\"", &format!("vectorize.width\", {number}")]), "-O2");
        assert_eq!(lines(&width), lines(&plain), "{number}: {width}");
        let both = optimized(&said(&["unroll.disable\"", &format!("unroll.count\", {number}")]), "-passes=dne");
        assert!(both.contains(&format!("!\"llvm.loop.unroll.count\", {number}}}")), "{number}: {both}");
    }
}

/// Two jumps repeat the loop, and each says something of it. In structured control flow one does.
const TWO_JUMPS: &str = "
declare i1 @more()
declare void @g()
define void @f() {
  br label %head
head:
  %one = call i1 @more()
  br i1 %one, label %first, label %second
first:
  call void @g()
  br label %head, !llvm.loop !0
second:
  %two = call i1 @more()
  br i1 %two, label %head, label %end, !llvm.loop !1
end:
  ret void
}
!2 = !{!\"llvm.loop.unroll.count\", i32 2}
!3 = !{!\"llvm.loop.unroll.disable\"}
!4 = !{!\"llvm.loop.mustprogress\"}
";

/// Jumps that say different things say nothing of the one loop that comes of them, and it makes progress only if all say so.
#[test]
fn what_several_jumps_say_about_a_loop() {
    for (first, second, hint, progress) in [
        ("!2", "!2", Some("unroll.count\", i32 2"), false),
        ("!2, !4", "!2, !4", Some("unroll.count\", i32 2"), true),
        ("!2, !4", "!2", Some("unroll.count\", i32 2"), false),
        ("!2", "!2, !4", Some("unroll.count\", i32 2"), false),
        ("!2, !4", "!3, !4", None, false),
        ("!3", "!4", None, false),
        ("!2", "!2, !3", None, false),
    ] {
        let nodes = format!("!0 = distinct !{{!0, {first}}}\n!1 = distinct !{{!1, {second}}}\n");
        let folder = tempfile::tempdir().expect("there is room for a file");
        let input = folder.path().join("loop.ll");
        std::fs::write(&input, format!("{TWO_JUMPS}{nodes}")).expect("the file can be written");
        let mut command = jlm_opt();
        command.args(["-passes=dne", "--control-flow=scfr"]).arg(&input).args(["-S", "-o", "-"]);
        let text = output(&mut command).expect("it is optimized").0;
        let jump = text.lines().find(|line| line.contains("label %head, label %end")).expect("a jump repeats the loop");
        let said = jump.split_once("!llvm.loop ").map_or(String::new(), |(_, name)| properties(&text, name));
        assert_eq!(said.contains("mustprogress"), progress, "{first} and {second}: {text}");
        match hint {
            Some(hint) => assert!(said.contains(hint), "{first} and {second}: {text}"),
            None => assert!(!said.contains("unroll"), "{first} and {second}: {text}"),
        }
    }
}

/// What a node of a module says about a loop.
fn properties(module: &str, name: &str) -> String {
    let node = |name: &str| {
        let start = format!("{name} = ");
        module.lines().find(|line| line.starts_with(&start)).expect("the node is there")
    };
    let list = node(name).split_once("distinct !{").expect("it is the identity of a loop").1;
    list.trim_end_matches('}').split(", ").skip(1).map(node).collect()
}

/// The intrinsic, which the module did not declare, is declared with what LLVM knows of it.
#[test]
fn a_loop_that_becomes_an_intrinsic() {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let input = folder.path().join("loop.ll");
    std::fs::write(&input, LOOP).expect("the file can be written");
    let text = output(jlm_opt().arg("-passes=ivt,inv,dne,ivs,dne,idm,dne").arg(&input).args(["-S", "-o", "-"]))
        .expect("it is optimized")
        .0;
    assert!(text.contains("call void @llvm.memset.p0.i64(ptr align 8 %p, i8 0, i64 "), "{text}");
    assert!(
        text.contains("declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #"),
        "{text}"
    );
    assert!(!text.contains("store "), "{text}");
}
