//! Operations that are branches of their own: invokes and their landing pads, addresses of blocks, funclets.

use rvsdg_core::module::Module;
use rvsdg_core::text::parse_module;

use super::*;

/// The recovered control flow of `@f`, whose λ has one context variable.
fn recovered(recovery: Recovery, body: &str) -> String {
    let source = format!(
        "module \"\"\n\n@g = function i32 (i32)\n@f = function i32 (i32)\n\nimport @g\n\n\
         lambda @f [@g] (v0: i32, mem0, io0) {{\n{body}\n}}\nexport @f\n"
    );
    let module: Module = parse_module(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    if let Err(violations) = module.verify() {
        panic!("{}", violations[0]);
    }
    let graph = module.bodies.values().find_map(|body| body.graph()).unwrap();
    listing(&destruct(graph, 1, recovery))
}

/// Two invokes unwind to one place; what their landing pads are given is used there.
fn shared_pad(first: &str, second: &str) -> String {
    format!(
        "v90 = const ptr null
        v1: i32, v2: {{ ptr, i32 }}, v3: ctl(2), mem1, io1 = invoke i32 (i32) @g(v0) unwind {first}, mem0, io0
        v4: i32, v5: ctl(2), v7: {{ ptr, i32 }}, mem2, io2 = gamma v3 (@g, v1, mem1, io1, v2, v90)
        case 0 (v8: ptr, v9: i32, mem3, io3, v11: {{ ptr, i32 }}, v91: ptr) {{
          v93 = const ptr null
          v12: i32, v13: {{ ptr, i32 }}, v14: ctl(2), mem4, io4 = invoke i32 (i32) v8(v9) unwind {second}, mem3, io3
          v15: i32, v16: ctl(2), v18: {{ ptr, i32 }} = gamma v14 (v12, v13)
          case 0 (v19: i32, v21: {{ ptr, i32 }}) {{
            v22 = const {{ ptr, i32 }} poison
            v24: ctl(2) = ctl 1 of 2
            yield v19, v24, v22
          }}
          case 1 (v25: i32, v27: {{ ptr, i32 }}) {{
            v28 = const i32 poison
            v29: ctl(2) = ctl 0 of 2
            yield v28, v29, v27
          }}
          yield v15, v16, v18, mem4, io4
        }}
        case 1 (v30: ptr, v31: i32, mem5, io5, v33: {{ ptr, i32 }}, v92: ptr) {{
          v34 = const i32 poison
          v35: ctl(2) = ctl 0 of 2
          yield v34, v35, v33, mem5, io5
        }}
        v36: i32 = gamma v5 (v7, v4)
        case 0 (v38: {{ ptr, i32 }}, v39: i32) {{
          v40: i32 = extractvalue v38, 1
          yield v40
        }}
        case 1 (v43: {{ ptr, i32 }}, v44: i32) {{
          yield v44
        }}
        yield v36, mem2, io2"
    )
}

/// The block that both unwind to begins with their landing pad, which is its parameter.
#[test]
fn invokes_that_say_the_same_share_a_landing_pad() {
    let expected = expect![[r#"
        b0():
          x5, x6 = invoke(x0, x1)
            b2()
            b3(x6)
        b2():
          x7, x8 = invoke(x0, x5)
            b4(x7)
            b3(x8)
        b3(x2):
          x9 = extractvalue(x2)
          jump
            b4(x9)
        b4(x3):
          jump
            exit(x3)
    "#]];
    expected.assert_eq(&recovered(Recovery::Predicative, &shared_pad("[cleanup]", "[cleanup]")));
}

/// Constants that are equal say the same wherever they stand; other clauses of as many do not.
#[test]
fn clauses_are_compared_by_value() {
    let blocks = |first, second| {
        let text = recovered(Recovery::Predicative, &shared_pad(first, second));
        text.lines().filter(|line| line.starts_with('b')).count()
    };
    let is_shared = |first, second| blocks(first, second) == blocks("[cleanup]", "[cleanup]");
    assert!(is_shared("[catch v90]", "[catch v91]"));
    assert!(is_shared("[catch v90]", "[catch v93]"));
    assert!(!is_shared("[catch v90]", "[catch v8]"));
    assert!(!is_shared("[catch v90]", "[filter v93]"));
}

/// Their landing pads differ, so each gets a block.
#[test]
fn invokes_that_differ_have_landing_pads_of_their_own() {
    let expected = expect![[r#"
        b0():
          x5, x6 = invoke(x0, x1)
            b2()
            b5()
        b2():
          x8, x9 = invoke(x0, x5, constant())
            b4(x8)
            b6()
        b3(x2):
          x10 = extractvalue(x2)
          jump
            b4(x10)
        b4(x3):
          jump
            exit(x3)
        b5():
          jump
            b3(x6)
        b6():
          jump
            b3(x9)
    "#]];
    expected.assert_eq(&recovered(Recovery::Predicative, &shared_pad("[cleanup]", "[cleanup, catch v91]")));
}

/// The arms of both conditionals join in between: what the invokes give is poison on the other arc.
#[test]
fn structured_recovery_carries_what_invokes_give() {
    let expected = expect![[r#"
        b0():
          x8, x9 = invoke(x0, x1)
            b2()
            b8()
        b2():
          x12, x13 = invoke(x0, x8)
            b9()
            b3()
        b3():
          jump
            b4(0, poison, x13)
        b4(x2, x17, x19):
          jump
            b5(x17, x2, x19)
        b5(x3, x4, x5):
          match x4 [1 -> 0, else 1]
            b7(x3)
            b6()
        b6():
          x15 = extractvalue(x5)
          jump
            b7(x15)
        b7(x6):
          jump
            exit(x6)
        b8():
          jump
            b5(poison, 0, x9)
        b9():
          jump
            b4(1, x12, poison)
    "#]];
    expected.assert_eq(&recovered(Recovery::Structured, &shared_pad("[cleanup]", "[cleanup]")));
}

/// The result is used after the arms have joined, without having been routed through them.
#[test]
fn what_an_invoke_returns_is_poison_where_it_unwinds() {
    let expected = expect![[r#"
        b0():
          x3, x4 = invoke(x0, x1)
            b4()
            b2()
        b2():
          x5 = call(x0, x1)
          jump
            b3(poison)
        b3(x7):
          jump
            exit(x7)
        b4():
          jump
            b3(x3)
    "#]];
    let body = "v1: i32, v2: { ptr, i32 }, v3: ctl(2), mem1, io1 = invoke i32 (i32) @g(v0) unwind [cleanup], mem0, io0
        mem2, io2 = gamma v3 (mem1, io1, @g, v0)
        case 0 (mem3, io3, v4: ptr, v5: i32) {
          yield mem3, io3
        }
        case 1 (mem4, io4, v6: ptr, v7: i32) {
          v8: i32, mem5, io5 = call i32 (i32) v6(v7), mem4, io4
          yield mem5, io5
        }
        yield v1, mem2, io2";
    expected.assert_eq(&recovered(Recovery::Predicative, body));
}

/// No block before an invoke takes what it will give, nor does any that its return leads to first.
#[test]
fn what_an_invoke_gives_is_poison_right_on_its_other_arc() {
    let body = "v1: ctl(2) = match i32 v0 [0 -> 0, _ -> 1]
        mem1, io1 = gamma v1 (@g, v0, mem0, io0)
        case 0 (v2: ptr, v3: i32, mem2, io2) {
          yield mem2, io2
        }
        case 1 (v4: ptr, v5: i32, mem3, io3) {
          v6: i32, mem4, io4 = call i32 (i32) v4(v5), mem3, io3
          yield mem4, io4
        }
        v7: i32, v8: { ptr, i32 }, v9: ctl(2), mem5, io5 = invoke i32 (i32) @g(v0) unwind [cleanup], mem1, io1
        v10: { ptr, i32 } = gamma v9 (v8)
        case 0 (v11: { ptr, i32 }) {
          v12 = const { ptr, i32 } poison
          yield v12
        }
        case 1 (v13: { ptr, i32 }) {
          yield v13
        }
        v14: i32 = extractvalue v10, 1
        yield v14, mem5, io5";
    let expected = expect![[r#"
        b0():
          match x1 [0 -> 0, else 1]
            b3()
            b2()
        b2():
          x3 = call(x0, x1)
          jump
            b3()
        b3():
          x4, x5 = invoke(x0, x1)
            b4(poison)
            b5()
        b4(x8):
          x6 = extractvalue(x8)
          jump
            exit(x6)
        b5():
          jump
            b4(x5)
    "#]];
    expected.assert_eq(&recovered(Recovery::Structured, body));
}

/// Two indirect branches, in order; with one address in common the second goes elsewhere with it.
fn two_indirect(second: &str) -> String {
    format!(
        "v1: ptr = inttoptr v0
        v2: ctl(2) = indirectbr v1, 5, 6
        v3: i32, mem1, io1 = gamma v2 (@g, v0, mem0, io0)
        case 0 (v4: ptr, v5: i32, mem2, io2) {{
          v6: i32, mem3, io3 = call i32 (i32) v4(v5), mem2, io2
          yield v6, mem3, io3
        }}
        case 1 (v7: ptr, v8: i32, mem4, io4) {{
          v9: ptr = inttoptr v8
          v10: ctl(2) = indirectbr v9, {second}
          v11: i32 = gamma v10 (v8)
          case 0 (v12: i32) {{
            v13: i32 = add v12, v12
            yield v13
          }}
          case 1 (v14: i32) {{
            yield v14
          }}
          yield v11, mem4, io4
        }}
        yield v3, mem1, io1"
    )
}

#[test]
fn each_address_has_a_block() {
    let expected = expect![[r#"
        b0():
          x4 = inttoptr(x1)
          indirectbr(x4)
            b2()
            b3()
        b2():
          x5 = call(x0, x1)
          jump
            b5(x5)
        b3():
          x6 = inttoptr(x1)
          indirectbr(x6)
            b4()
            b5(x1)
        b4():
          x7 = add(x1, x1)
          jump
            b5(x7)
        b5(x2):
          jump
            exit(x2)
    "#]];
    expected.assert_eq(&recovered(Recovery::Predicative, &two_indirect("7, 8")));
}

/// Address 5 leads to two places: a block of its own asks which branch it was.
#[test]
fn an_address_with_two_ways_on_has_a_block_that_chooses() {
    let expected = expect![[r#"
        b0():
          x4 = inttoptr(x1)
          indirectbr(x4)
            b6(0)
            b3()
        b2():
          x5 = call(x0, x1)
          jump
            b5(x5)
        b3():
          x6 = inttoptr(x1)
          indirectbr(x6)
            b6(1)
            b5(x1)
        b4():
          x7 = add(x1, x1)
          jump
            b5(x7)
        b5(x2):
          jump
            exit(x2)
        b6(x8):
          match x8 [1 -> 1, else 0]
            b7()
            b8()
        b7():
          jump
            b2()
        b8():
          jump
            b4()
    "#]];
    expected.assert_eq(&recovered(Recovery::Predicative, &two_indirect("5, 8")));
}

/// A funclet's blocks end with the jumps that leave it, whatever recovery is asked for.
#[test]
fn funclets_are_entered_and_left_by_their_own_jumps() {
    let body = "v1: i32, v3: ctl(2), mem1, io1 = invoke i32 (i32) @g(v0) unwind funclet, mem0, io0
        v20: i32, mem2, io2 = gamma v3 (mem1, io1, v1)
        case 0 (mem3, io3, v4: i32) {
          yield v4, mem3, io3
        }
        case 1 (mem4, io4, v5: i32) {
          v6 = const token none
          v7: ctl(1), mem5, io5 = catchswitch v6, mem4, io4, 1
          v8 = const token funclet 1
          mem6, io6 = catchpad v8, mem5, io5, 2
          v9 = const token funclet 2
          v10: ctl(1), mem7, io7 = catchret v9, mem6, io6
          v11 = const i32 3
          yield v11, mem7, io7
        }
        yield v20, mem2, io2";
    let structured = recovered(Recovery::Structured, body);
    assert_eq!(structured, recovered(Recovery::Predicative, body));
    let expected = expect![[r#"
        b0():
          x4 = invoke(x0, x1)
            b4(x4)
            b2()
        b2():
          catchswitch(constant())
            b3()
        b3():
          catchpad(constant())
          catchret(constant())
            b4(3)
        b4(x2):
          jump
            exit(x2)
    "#]];
    expected.assert_eq(&structured);
}

#[test]
fn what_a_musttail_call_gives_is_returned() {
    let body = "v1: i32, mem1, io1 = call musttail i32 (i32) @g(v0), mem0, io0\nyield v1, mem1, io1";
    expect![[r#"
        b0():
          x3 = call(x0, x1)
          jump
            exit(x3)
    "#]]
    .assert_eq(&recovered(Recovery::Predicative, body));
}
