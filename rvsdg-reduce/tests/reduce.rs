//! What is left of modules.

use expect_test::expect;
use rvsdg_core::op::OpCode;
use rvsdg_core::{Module, text};
use rvsdg_reduce::{reduce, size};

const MODULE: &str = "module \"\"

@count = global i32 7
@g = function i32 (i32)
@f = function i32 (i32, i32)
@h = function i32 (i32)

import @g

delta @count []

lambda @f [@count, @g] (v0: i32, v1: i32, mem0, io0) {
  v2: i32, mem1 = load @count, mem0, align 4
  v3 = const i32 0
  v4: i32, v5: i32, mem2, io1, v90: i32, v91: ptr = theta (v6: i32 = v0, v7: i32 = v2, mem3 = mem1, io2 = io0, v8: i32 = v1, v9: ptr = @g) {
    v10: i1 = icmp slt v6, v8
    v11: ctl(2) = match i1 v10 [true -> 1, _ -> 0]
    v12: i32, mem4, io3 = gamma v11 (v6, v7, mem3, io2, v9)
    case 0 (v13: i32, v14: i32, mem5, io4, v15: ptr) {
      v16: i32, mem6, io5 = call i32 (i32) v15(v14), mem5, io4
      yield v16, mem6, io5
    }
    case 1 (v17: i32, v18: i32, mem7, io6, v19: ptr) {
      v20: i32, io7 = sdiv v17, v18, io6
      v21: i32 = mul v20, v17
      yield v21, mem7, io7
    }
    v22 = const i32 1
    v23: i32 = add nsw v6, v22
    v24: i1 = icmp ne v12, v22
    v25: ctl(2) = match i1 v24 [true -> 1, _ -> 0]
    next v23, v12, mem4, io3, v8, v9 while v25
  }
  yield v5, mem2, io1
}

lambda @h [] (v0: i32, mem0, io0) {
  yield v0, mem0, io0
}

export @count
export @f
export @h
";

fn has(module: &Module, code: OpCode) -> bool {
    let graphs = module.bodies.values().filter_map(|body| body.graph());
    graphs.flat_map(|graph| graph.all_nodes().filter_map(|node| graph.op(node))).any(|op| op.code() == code)
}

fn reduced(is_interesting: &mut dyn FnMut(&Module) -> bool) -> String {
    let module = text::parse_module(MODULE).unwrap_or_else(|error| panic!("{error}"));
    if let Err(violations) = module.verify() {
        panic!("{}", violations[0]);
    }
    let (before, mut last) = (size(&module), 0);
    let module = reduce(module, is_interesting, &mut |progress| last = progress.nodes);
    assert_eq!(size(&module), last);
    assert!(last < before);
    module.verify().unwrap_or_else(|violations| panic!("{}", violations[0]));
    text::print_module(&module)
}

/// Loop, conditional and everything else are gone.
#[test]
fn one_operation_is_left() {
    let expected = expect![[r#"
        module ""

        @f = function i32 (i32, i32)

        lambda @f [] (v0: i32, v1: i32, mem0, io0) {
          v2 = const i32 0
          v3: i32, io1 = sdiv v2, v2, io0
          yield v2, mem0, io1
        }
        export @f
    "#]];
    expected.assert_eq(&reduced(&mut |module| has(module, OpCode::SDiv)));
}

#[test]
fn what_interests_stays() {
    let mut tests = 0;
    let expected = expect![[r#"
        module ""

        @f = function i32 (i32, i32)
        @h = function i32 (i32)

        lambda @f [] (v0: i32, v1: i32, mem0, io0) {
          v2 = const i32 0
          v3: i32 = mul v2, v2
          yield v2, mem0, io0
        }

        lambda @h [] (v0: i32, mem0, io0) {
          v1 = const i32 0
          yield v1, mem0, io0
        }
        export @f
        export @h
    "#]];
    expected.assert_eq(&reduced(&mut |module| {
        tests += 1;
        has(module, OpCode::Mul) && module.bodies.len() == 2
    }));
    assert!(tests < 100, "{tests} tests");
}

/// Integers of any width become zero.
#[test]
fn wide_integers_shrink() {
    let source = "module \"\"\n\n@f = function i64 (i128)\n\nlambda @f [] (v0: i128, mem0, io0) {\n  v1: i128 = add v0, v0\n  \
                  v2: i64 = trunc v1\n  yield v2, mem0, io0\n}\nexport @f\n";
    let module = text::parse_module(source).unwrap_or_else(|error| panic!("{error}"));
    let smallest = reduce(module, &mut |module| has(module, OpCode::Trunc), &mut |_| ());
    let expected = expect![[r#"
        module ""

        @f = function i64 (i128)

        lambda @f [] (v0: i128, mem0, io0) {
          v1 = const i64 0
          v2 = const i128 0x0
          v3: i64 = trunc v2
          yield v1, mem0, io0
        }
        export @f
    "#]];
    expected.assert_eq(&text::print_module(&smallest));
}

/// Most of a module goes at once, and what is left is made smaller further.
#[test]
fn what_is_left_keeps_its_place() {
    let mut text = String::from("module \"\"\n\n@f = function i32 (i32)\n\nlambda @f [] (v0: i32, mem0, io0) {\n");
    for number in 0..40 {
        let (first, result) = (100 * number + 1, 100 * number + 5);
        text += &format!(
            "  v{result}: i32 = theta (v{first}: i32 = v{}) {{\n    v{}: i32 = {} v{first}, v{first}\n    \
             v{}: ctl(2) = match i32 v{} [5 -> 1, _ -> 0]\n    next v{} while v{}\n  }}\n",
            if number == 0 { 0 } else { result - 100 },
            first + 1,
            if number == 30 { "mul" } else { "add" },
            first + 2,
            first + 1,
            first + 1,
            first + 2,
        );
    }
    text += "  yield v3905, mem0, io0\n}\n\nexport @f\n";
    let module = text::parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let left = reduce(module, &mut |module| has(module, OpCode::Mul), &mut |_| ());
    assert!(size(&left) < 8, "{left}");
}
