//! Calls: conventions, attributes, tail markers, bundles, metadata arguments, assembly.

mod support;

use expect_test::expect;
use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{Bundle, CallInfo, FastMath, InlineAsm, MetadataArgument, Op, TailKind};
use rvsdg_core::{Constant, Type, TypeKind};
use support::{Build, PoolExt, attributes, call_info};

#[test]
fn attributes_conventions_and_tails() {
    let mut build = Build::new();
    let pool = build.pool();
    let s = pool.intern_type(TypeKind::Named {
        name: "struct.S".into(),
        elements: Some([Type::I64, Type::I64, Type::I64].into()),
        packed: false,
    });
    let double = pool.intern_type(TypeKind::Double);
    let byval = Attribute::new("byval", Some(s));
    let sret = Attribute::new("sret", Some(s));
    let list = AttributeList {
        function: attributes(&["nounwind", "memory(argmem: readwrite)", "alignstack(16)", "\"frame-pointer\"=\"all\""]),
        result: attributes(&["zeroext", "range(i32 0, 10)", "noundef"]),
        params: [[byval.clone()].into(), attributes(&["noundef", "captures(none)", "initializes((0, 4))", "align 8"])]
            .into(),
    };
    let takes = build.function_with("takes", Type::I32, &[Type::PTR, Type::PTR], false, list.clone());
    let list = pool.intern_attributes(list);
    if let SymbolKind::Function { convention, .. } = &mut build.data(takes).kind {
        *convention = 8;
    }
    let printf = build.function_with("printf", Type::I32, &[Type::PTR], true, AttributeList::default());
    let fabs = build.function("llvm.fabs.f64", double, &[double]);
    let makes_list = AttributeList { params: [[sret].into()].into(), ..AttributeList::default() };
    let makes = build.function_with("makes", Type::VOID, &[Type::PTR], true, makes_list);
    let f = build.function("f", Type::I32, &[Type::PTR, double]);
    build.define(f, &[takes, printf, fabs], |cfg, context| {
        let [takes, printf, fabs] = *context else { unreachable!() };
        let (pointer, number) = (cfg.params()[0], cfg.params()[1]);
        let entry = cfg.entry();
        let info = CallInfo {
            convention: 8,
            attributes: list,
            tail: TailKind::Tail,
            ..call_info(&pool, pool.function_type(Type::I32, &[Type::PTR, Type::PTR], false))
        };
        cfg.add_inst(entry, pool.call_op(info.clone()), &[takes, pointer, pointer], &[Type::I32]);
        // An indirect call of a convention without keyword.
        let info = CallInfo { convention: 1000, tail: TailKind::NoTail, ..info };
        cfg.add_inst(entry, pool.call_op(info), &[pointer, pointer, pointer], &[Type::I32]);
        let info = call_info(&pool, pool.function_type(Type::I32, &[Type::PTR], true));
        cfg.add_inst(entry, pool.call_op(info), &[printf, pointer, number], &[Type::I32]);
        let info = CallInfo {
            fast: FastMath::NNAN | FastMath::AFN,
            ..call_info(&pool, pool.function_type(double, &[double], false))
        };
        cfg.add_inst(entry, pool.call_op(info), &[fabs, number], &[double]);
        let returned = cfg.add_const(pool.i32_const(0), &[]);
        cfg.add_block_param(cfg.exit(), Type::I32, None);
        cfg.add_arc(entry, cfg.exit(), &[returned]);
    });
    // A thunk forwards its variable arguments.
    let thunk = build.function_with("thunk", Type::VOID, &[Type::PTR], true, AttributeList::default());
    build.define(thunk, &[makes], |cfg, context| {
        let info = CallInfo {
            tail: TailKind::MustTail,
            ..call_info(&pool, pool.function_type(Type::VOID, &[Type::PTR], true))
        };
        cfg.add_inst(cfg.entry(), pool.call_op(info), &[context[0], cfg.params()[0]], &[]);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
    build.check(expect![[r#"
        %struct.S = type { i64, i64, i64 }

        declare fastcc zeroext range(i32 0, 10) noundef i32 @takes(ptr byval(%struct.S), ptr noundef captures(none) initializes((0, 4)) align 8) #0

        declare i32 @printf(ptr, ...)

        declare double @llvm.fabs.f64(double)

        declare void @makes(ptr sret(%struct.S), ...)

        define i32 @f(ptr %0, double %1) {
        b0:
          %2 = tail call fastcc zeroext range(i32 0, 10) noundef i32 @takes(ptr byval(%struct.S) %0, ptr noundef captures(none) initializes((0, 4)) align 8 %0) #0
          %3 = notail call cc 1000 zeroext range(i32 0, 10) noundef i32 %0(ptr byval(%struct.S) %0, ptr noundef captures(none) initializes((0, 4)) align 8 %0) #0
          %4 = call i32 (ptr, ...) @printf(ptr %0, double %1)
          %5 = call nnan afn double @llvm.fabs.f64(double %1)
          ret i32 0
        }

        define void @thunk(ptr %0, ...) {
        b0:
          musttail call void (ptr, ...) @makes(ptr %0, ...)
          ret void
        }

        attributes #0 = { nounwind memory(argmem: readwrite) alignstack=16 "frame-pointer"="all" }
    "#]]);
}

#[test]
fn bundles_and_metadata() {
    let mut build = Build::new();
    let pool = build.pool();
    let metadata = pool.intern_type(TypeKind::Metadata);
    let double = pool.intern_type(TypeKind::Double);
    let strict = AttributeList { function: attributes(&["strictfp"]), ..AttributeList::default() };
    let add_type = [double, double, metadata, metadata];
    let add = build.function("llvm.experimental.constrained.fadd.f64", double, &add_type);
    let scope = build.function("llvm.experimental.noalias.scope.decl", Type::VOID, &[metadata]);
    let assume = build.function("llvm.assume", Type::VOID, &[Type::I1]);
    let f = build.function_with("f", double, &[double, Type::PTR], false, strict.clone());
    let strict = pool.intern_attributes(strict);
    build.define(f, &[add, scope, assume], |cfg, context| {
        let [add, scope, assume] = *context else { unreachable!() };
        let (number, pointer) = (cfg.params()[0], cfg.params()[1]);
        let entry = cfg.entry();
        let argument = |position, text: Option<&str>| MetadataArgument { position, text: text.map(Into::into) };
        let info = CallInfo {
            attributes: strict,
            metadata: [argument(2, Some("!\"round.dynamic\"")), argument(3, Some("!\"fpexcept.strict\""))].into(),
            ..call_info(&pool, pool.function_type(double, &add_type, false))
        };
        let sum = cfg.add_inst(entry, pool.call_op(info), &[add, number, number], &[double]);
        let sum = cfg.results(sum)[0];
        let info = CallInfo {
            metadata: [argument(0, None)].into(),
            ..call_info(&pool, pool.function_type(Type::VOID, &[metadata], false))
        };
        cfg.add_inst(entry, pool.call_op(info), &[scope], &[]);
        let eight = cfg.add_const(pool.int_const(Type::I64, 8), &[]);
        let truth = cfg.add_const(pool.int_const(Type::I1, 1), &[]);
        let bundle = |tag: &str, operands| Bundle { tag: tag.into(), operands };
        let info = CallInfo {
            bundles: [bundle("align", 2), bundle("cold", 0)].into(),
            ..call_info(&pool, pool.function_type(Type::VOID, &[Type::I1], false))
        };
        cfg.add_inst(entry, pool.call_op(info), &[assume, truth, pointer, eight], &[]);
        cfg.add_block_param(cfg.exit(), double, None);
        cfg.add_arc(entry, cfg.exit(), &[sum]);
    });
    build.check(expect![[r#"
        declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)

        declare void @llvm.experimental.noalias.scope.decl(metadata)

        declare void @llvm.assume(i1)

        define double @f(double %0, ptr %1) #0 {
        b0:
          %2 = call double @llvm.experimental.constrained.fadd.f64(double %0, double %0, metadata !"round.dynamic", metadata !"fpexcept.strict") #0
          call void @llvm.assume(i1 true) [ "align"(ptr %1, i64 8), "cold"() ]
          ret double %2
        }

        attributes #0 = { strictfp }
    "#]]);
}

#[test]
fn annotations_that_cannot_be_written() {
    let mut build = Build::new();
    let pool = build.pool();
    let metadata = pool.intern_type(TypeKind::Metadata);
    let callee = build.function("llvm.type.test", Type::I1, &[Type::PTR, metadata]);
    let f = build.function("f", Type::VOID, &[Type::PTR]);
    build.define(f, &[callee], |cfg, context| {
        let info = CallInfo {
            metadata: [MetadataArgument { position: 1, text: None }].into(),
            ..call_info(&pool, pool.function_type(Type::I1, &[Type::PTR, metadata], false))
        };
        cfg.add_inst(cfg.entry(), pool.call_op(info), &[context[0], cfg.params()[0]], &[Type::I1]);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
    build.check_error(expect!["@f: cannot emit the call of @llvm.type.test, which has a metadata argument without text; expected metadata that stands alone"]);
}

#[test]
fn assembly() {
    let mut build = Build::new();
    let pool = build.pool();
    let f = build.function("f", Type::VOID, &[Type::I32]);
    build.define(f, &[], |cfg, _| {
        let x = cfg.params()[0];
        let plain = InlineAsm {
            template: b"mov \"$1\", $0\n\\".as_slice().into(),
            constraints: "=r,r,~{memory}".into(),
            side_effect: false,
            align_stack: false,
            intel: false,
            can_unwind: false,
        };
        let all = InlineAsm { side_effect: true, align_stack: true, intel: true, can_unwind: true, ..plain.clone() };
        for assembly in [plain, all] {
            let info = CallInfo {
                assembly: Some(assembly.into()),
                ..call_info(&pool, pool.function_type(Type::I32, &[Type::I32], false))
            };
            cfg.add_inst(cfg.entry(), pool.call_op(info), &[x], &[Type::I32]);
        }
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
    build.check(expect![[r#"
        define void @f(i32 %0) {
        b0:
          %1 = call i32 asm "mov \22$1\22, $0\0A\\", "=r,r,~{memory}"(i32 %0)
          %2 = call i32 asm sideeffect alignstack inteldialect unwind "mov \22$1\22, $0\0A\\", "=r,r,~{memory}"(i32 %0)
          ret void
        }
    "#]]);
}

/// Functions in another address space than 0 are called there, and a call says so.
#[test]
fn program_address_space() {
    let mut build = Build::new();
    build.module.header.data_layout = "e-P1".into();
    let pool = build.pool();
    let callee = build.function("callee", Type::VOID, &[]);
    build.data(callee).address_space = 1;
    let f = build.function("f", Type::VOID, &[Type::PTR]);
    build.data(f).address_space = 1;
    build.define(f, &[callee], |cfg, context| {
        let info = call_info(&pool, pool.function_type(Type::VOID, &[], false));
        let call: Op = pool.call_op(info);
        let null = cfg.add_const(pool.intern_const(Constant::Zero(Type::PTR)), &[]);
        for callee in [context[0], cfg.params()[0], null] {
            cfg.add_inst(cfg.entry(), call, &[callee], &[]);
        }
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
    build.check(expect![[r#"
        target datalayout = "e-P1"

        declare void @callee() addrspace(1)

        define void @f(ptr %0) addrspace(1) {
        b0:
          call addrspace(1) void @callee()
          call addrspace(0) void %0()
          call addrspace(0) void null()
          ret void
        }
    "#]]);
}
