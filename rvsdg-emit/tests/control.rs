//! Blocks, phis and terminators.

mod support;

use expect_test::expect;
use rvsdg_core::attribute::AttributeList;
use rvsdg_core::hints::{Hint, LoopRole};
use rvsdg_core::module::{SymbolKind, SymbolicConst};
use rvsdg_core::op::{BinaryFlags, CallExits, CallInfo, IntBinary, IntPredicate, LandingPad, Op};
use rvsdg_core::{Constant, Type, TypeKind};
use support::{Build, PoolExt, call_info};

const ADD: Op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };

fn icmp(predicate: IntPredicate) -> Op {
    Op::ICmp { predicate, same_sign: false }
}

#[test]
fn loop_with_phis() {
    let mut build = Build::new();
    let sum = build.function("sum", Type::I32, &[Type::I32]);
    let pool = build.pool();
    build.define(sum, &[], |cfg, _| {
        let n = cfg.params()[0];
        let (zero, one) = (cfg.add_const(pool.i32_const(0), &[]), cfg.add_const(pool.i32_const(1), &[]));
        let body = cfg.add_block();
        let i = cfg.add_block_param(body, Type::I32, None);
        let total = cfg.add_block_param(body, Type::I32, None);
        cfg.add_arc(cfg.entry(), body, &[zero, zero]);
        let next = cfg.add_inst(body, ADD, &[i, one], &[Type::I32]);
        let next = cfg.results(next)[0];
        let more = cfg.add_inst(body, ADD, &[total, i], &[Type::I32]);
        let more = cfg.results(more)[0];
        let again = cfg.add_inst(body, icmp(IntPredicate::Slt), &[next, n], &[Type::I1]);
        let again = cfg.results(again)[0];
        let predicate = cfg.add_detached(pool.match_op(Type::I1, &[(1, 0)], 1, 2), &[again], &[]);
        cfg.terminator_mut(body).predicate = predicate.into();
        cfg.terminator_mut(body).progress = true;
        cfg.terminator_mut(body).hints.unroll = Hint::Times(2);
        cfg.terminator_mut(body).hints.vectorize = Hint::Never;
        cfg.terminator_mut(body).hints.role = LoopRole::Main;
        cfg.add_arc(body, body, &[next, more]);
        let exit = cfg.exit();
        cfg.add_block_param(exit, Type::I32, None);
        cfg.add_arc(body, exit, &[more]);
    });
    build.check(expect![[r#"
        define i32 @sum(i32 %0) {
        b0:
          br label %b2

        b2:
          %1 = phi i32 [ 0, %b0 ], [ %3, %b2 ]
          %2 = phi i32 [ 0, %b0 ], [ %4, %b2 ]
          %3 = add nsw i32 %1, 1
          %4 = add nsw i32 %2, %1
          %5 = icmp slt i32 %3, %0
          br i1 %5, label %b2, label %b2.1, !llvm.loop !4

        b2.1:
          ret i32 %4
        }

        !0 = !{!"llvm.loop.mustprogress"}
        !1 = !{!"llvm.loop.unroll.count", i32 2}
        !2 = !{!"llvm.loop.isvectorized", i32 1}
        !3 = !{!"rvsdg.loop.main"}
        !4 = distinct !{!4, !0, !1, !2, !3}
    "#]]);
}

/// Both alternatives of a branch lead to one block: with the same arguments as two edges, with others through a block.
#[test]
fn one_target_for_several_alternatives() {
    let mut build = Build::new();
    let pool = build.pool();
    let i8 = pool.int(8);
    for (name, differ) in [("same", false), ("differ", true)] {
        let choose = build.function(name, Type::I32, &[i8]);
        build.define(choose, &[], |cfg, _| {
            let x = cfg.params()[0];
            let (zero, one) = (cfg.add_const(pool.i32_const(0), &[]), cfg.add_const(pool.i32_const(1), &[]));
            let join = cfg.add_block();
            let result = cfg.add_block_param(join, Type::I32, None);
            let predicate = cfg.add_detached(pool.match_op(i8, &[(3, 0), (255, 1), (4, 0)], 2, 3), &[x], &[]);
            let (entry, exit) = (cfg.entry(), cfg.exit());
            cfg.terminator_mut(entry).predicate = predicate.into();
            cfg.add_arc(entry, join, &[zero]);
            cfg.add_arc(entry, join, &[if differ { one } else { zero }]);
            cfg.add_arc(entry, exit, &[one]);
            cfg.add_block_param(exit, Type::I32, None);
            cfg.add_arc(join, exit, &[result]);
        });
    }
    build.check(expect![[r#"
        define i32 @same(i8 %0) {
        b0:
          switch i8 %0, label %b0.2 [
            i8 3, label %b2
            i8 -1, label %b2
            i8 4, label %b2
          ]

        b0.2:
          ret i32 1

        b2:
          %1 = phi i32 [ 0, %b0 ], [ 0, %b0 ], [ 0, %b0 ]
          ret i32 %1
        }

        define i32 @differ(i8 %0) {
        b0:
          switch i8 %0, label %b0.2 [
            i8 3, label %b2
            i8 -1, label %b0.1
            i8 4, label %b2
          ]

        b0.1:
          br label %b2

        b0.2:
          ret i32 1

        b2:
          %1 = phi i32 [ 0, %b0 ], [ 0, %b0 ], [ 1, %b0.1 ]
          ret i32 %1
        }
    "#]]);
}

#[test]
fn branch_on_false_and_unreachable() {
    let mut build = Build::new();
    let pool = build.pool();
    let f = build.function("f", Type::VOID, &[Type::I1]);
    build.define(f, &[], |cfg, _| {
        let c = cfg.params()[0];
        let dead = cfg.add_block();
        let end = cfg.add_block();
        let (entry, exit) = (cfg.entry(), cfg.exit());
        let predicate = cfg.add_detached(pool.match_op(Type::I1, &[(0, 0)], 1, 2), &[c], &[]);
        cfg.terminator_mut(entry).predicate = predicate.into();
        cfg.add_arc(entry, dead, &[]);
        cfg.add_arc(entry, end, &[]);
        cfg.add_inst(dead, Op::Unreachable, &[], &[]);
        let seven = cfg.add_const(pool.i32_const(7), &[]);
        cfg.add_inst(dead, ADD, &[seven, seven], &[Type::I32]);
        cfg.add_arc(dead, exit, &[]);
        cfg.add_arc(end, exit, &[]);
    });
    build.check(expect![[r#"
        define void @f(i1 %0) {
        b0:
          br i1 %0, label %b3, label %b2

        b2:
          unreachable

        b3:
          ret void
        }
    "#]]);
}

/// An alternative that no value chooses is no edge, and what only it reaches is not written.
#[test]
fn constant_predicates_and_alternatives_without_case() {
    let mut build = Build::new();
    let pool = build.pool();
    let f = build.function("f", Type::I32, &[Type::I32]);
    build.define(f, &[], |cfg, _| {
        let x = cfg.params()[0];
        let (entry, exit) = (cfg.entry(), cfg.exit());
        cfg.add_block_param(exit, Type::I32, None);
        let (never, always, other) = (cfg.add_block(), cfg.add_block(), cfg.add_block());
        let phi = cfg.add_block_param(always, Type::I32, None);
        let poison = cfg.add_const(pool.intern_const(Constant::Poison(Type::I32)), &[]);
        let predicate = cfg.add_detached(pool.match_op(Type::I32, &[], 1, 2), &[x], &[]);
        cfg.terminator_mut(entry).predicate = predicate.into();
        cfg.add_arc(entry, never, &[]);
        cfg.add_arc(entry, always, &[x]);
        cfg.add_arc(never, always, &[poison]);
        let known = cfg.add_detached(Op::CtlConst { value: 1, of: 2 }, &[], &[]);
        cfg.terminator_mut(always).predicate = known.into();
        cfg.add_arc(always, never, &[]);
        cfg.add_arc(always, other, &[]);
        cfg.add_arc(other, exit, &[phi]);
    });
    build.check(expect![[r#"
        define i32 @f(i32 %0) {
        b0:
          switch i32 %0, label %b3 [
          ]

        b3:
          %1 = phi i32 [ %0, %b0 ]
          br label %b4

        b4:
          ret i32 %1
        }
    "#]]);
}

#[test]
fn infinite_loop() {
    let mut build = Build::new();
    let f = build.function("f", Type::VOID, &[]);
    build.define(f, &[], |cfg, _| {
        let spin = cfg.add_block();
        cfg.add_arc(cfg.entry(), spin, &[]);
        cfg.add_arc(spin, spin, &[]);
    });
    build.check(expect![[r#"
        define void @f() {
        b0:
          br label %b2

        b2:
          br label %b2
        }
    "#]]);
}

#[test]
fn errors_name_function_and_construct() {
    let mut build = Build::new();
    let f = build.function("f g", Type::I32, &[Type::I32]);
    let body = build.define(f, &[], |cfg, _| {
        let (entry, exit) = (cfg.entry(), cfg.exit());
        let after = cfg.add_block();
        cfg.add_arc(entry, exit, &[]);
        cfg.add_arc(entry, after, &[]);
    });
    build.check_error(expect![[
        r#"@"f g": cannot emit the end of b0; expected one arc, a predicate that chooses among several, or unreachable"#
    ]]);
    build.bodies.clear();
    build.check_error(expect![[
        r#"@"f g": cannot emit the body; expected a control flow graph recovered from its graph"#
    ]]);
    build.module.bodies[body].code = rvsdg_core::module::Code::Untouched { construct: "invoke".into() };
    build.check_error(expect![[
        r#"@"f g": cannot emit the body, which was left untouched because of invoke; expected a body that is a graph"#
    ]]);
}

/// The landing pad stands behind the phis, and so does its number, although its parameter is the first.
#[test]
fn landing_pad_behind_phis() {
    let mut build = Build::new();
    let pool = build.pool();
    let personality = build.function_with("personality", Type::I32, &[], true, AttributeList::default());
    let throws = build.function("throws", Type::VOID, &[Type::I32]);
    let function = build.function("f", Type::I32, &[Type::I32]);
    let named = SymbolicConst { constant: pool.hole(0), symbols: vec![personality] };
    let SymbolKind::Function { personality, .. } = &mut build.data(function).kind else { unreachable!() };
    *personality = Some(named);
    build.define(function, &[throws], |cfg, context| {
        let n = cfg.params()[0];
        let caught = pool.intern_type(TypeKind::Struct { elements: [Type::PTR, Type::I32].into(), packed: false });
        let info = CallInfo {
            exits: CallExits::Unwind(LandingPad { cleanup: true, clauses: [].into() }),
            ..call_info(&pool, pool.function_type(Type::VOID, &[Type::I32], false))
        };
        let invoke = cfg.add_detached(Op::Invoke(pool.intern_call(info)), &[context[0], n], &[caught]);
        let given = cfg.results(invoke)[0];
        let (entry, pad, exit) = (cfg.entry(), cfg.add_block(), cfg.exit());
        cfg.terminator_mut(entry).predicate = invoke.into();
        let exception = cfg.add_block_param(pad, caught, None);
        let number = cfg.add_block_param(pad, Type::I32, None);
        cfg.add_block_param(exit, Type::I32, None);
        cfg.add_arc(entry, exit, &[n]);
        cfg.add_arc(entry, pad, &[given, n]);
        cfg.add_inst(pad, ADD, &[number, n], &[Type::I32]);
        cfg.add_inst(pad, Op::Resume, &[exception], &[]);
        cfg.add_arc(pad, exit, &[number]);
    });
    build.check(expect![[r#"
        declare i32 @personality(...)

        declare void @throws(i32)

        define i32 @f(i32 %0) personality ptr @personality {
        b0:
          invoke void @throws(i32 %0)
                  to label %b0.0 unwind label %b2

        b0.0:
          ret i32 %0

        b2:
          %1 = phi i32 [ %0, %b0 ]
          %2 = landingpad { ptr, i32 }
                  cleanup
          %3 = add nsw i32 %1, %0
          resume { ptr, i32 } %2
        }
    "#]]);
}
