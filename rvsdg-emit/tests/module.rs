//! Symbols with all their properties, and what a module has beside them.

mod support;

use expect_test::expect;
use rvsdg_core::attribute::AttributeList;
use rvsdg_core::module::{DllStorage, Linkage, SymbolKind, SymbolicConst, ThreadLocal, UnnamedAddr, Visibility};
use rvsdg_core::op::{GepFlags, Op};
use rvsdg_core::{Constant, Type, TypeKind};
use support::{Build, PoolExt, attributes, no_attributes};

#[test]
fn header() {
    let mut build = Build::new();
    let header = &mut build.module.header;
    header.name = "a module.c".into();
    header.source_file = "dir\\a \"module\".c".into();
    header.data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128".into();
    header.triple = "x86_64-pc-linux-gnu".into();
    header.assembly = vec![".text".into(), ".ascii \"é\"".into()];
    header.comdats = vec![("one".into(), "any".into()), ("two more".into(), "nodeduplicate".into())];
    header.flags = vec![
        (1, "wchar_size".into(), "i32 4".into()),
        (8, "PIC Level".into(), "i32 2".into()),
        (6, "nested".into(), "!{!\"x\", !{i32 1, null}}".into()),
    ];
    build.check(expect![[r#"
        ; ModuleID = 'a module.c'
        source_filename = "dir\\a \22module\22.c"
        target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
        target triple = "x86_64-pc-linux-gnu"

        module asm ".text"
        module asm ".ascii \22\C3\A9\22"

        $one = comdat any
        $"two more" = comdat nodeduplicate

        !llvm.module.flags = !{!0, !1, !2}

        !0 = !{i32 1, !"wchar_size", i32 4}
        !1 = !{i32 8, !"PIC Level", i32 2}
        !2 = !{i32 6, !"nested", !{!"x", !{i32 1, null}}}
    "#]]);
}

#[test]
fn variables() {
    let mut build = Build::new();
    build.module.header.comdats = vec![("group".into(), "any".into()), ("own".into(), "largest".into())];
    let pool = build.pool();
    let zero = pool.i32_const(0);
    let variable = |build: &mut Build, name: &str| build.variable(name, Type::I32, Some(zero), &[]);

    for linkage in [
        Linkage::Private,
        Linkage::Internal,
        Linkage::Weak,
        Linkage::WeakOdr,
        Linkage::Linkonce,
        Linkage::LinkonceOdr,
        Linkage::Common,
        Linkage::AvailableExternally,
    ] {
        let symbol = variable(&mut build, linkage.text());
        build.data(symbol).linkage = linkage;
        build.data(symbol).dso_local = true;
    }
    for visibility in [Visibility::Hidden, Visibility::Protected] {
        let symbol = variable(&mut build, visibility.text());
        build.data(symbol).visibility = visibility;
        build.data(symbol).dso_local = true;
    }
    for (index, &thread_local) in ThreadLocal::ALL[1..].iter().enumerate() {
        let symbol = variable(&mut build, &format!("tls{index}"));
        build.data(symbol).thread_local = thread_local;
        build.data(symbol).unnamed_addr = UnnamedAddr::Global;
    }
    let declared = build.variable("declared", Type::I32, None, &[]);
    build.data(declared).dll_storage = DllStorage::Import;
    let weak = build.variable("weakly declared", Type::I32, None, &[]);
    build.data(weak).linkage = Linkage::ExternWeak;
    build.data(weak).dso_local = true;
    let exported = variable(&mut build, "exported");
    build.data(exported).dll_storage = DllStorage::Export;
    build.data(exported).unnamed_addr = UnnamedAddr::Local;
    let all = build.variable("all", Type::I32, None, &[]);
    let own_attributes = pool.intern_attributes(AttributeList {
        function: attributes(&["\"bss-section\"=\"b\"", "\"x\""]),
        ..AttributeList::default()
    });
    let data = build.data(all);
    data.address_space = 3;
    data.section = Some("my \"section\"".into());
    data.partition = Some("part".into());
    data.comdat = Some("group".into());
    data.align = Some(4096);
    data.kind = SymbolKind::Variable {
        constant: true,
        externally_initialized: true,
        unescaped: false,
        owner: false,
        initializer: Some(zero),
        attributes: own_attributes,
        code_model: Some("large".into()),
        sanitizer: ["no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit"]
            .into(),
    };
    build.delta(all, &[]);
    let own = variable(&mut build, "own");
    build.data(own).comdat = Some("own".into());
    let pointers = pool.intern_type(TypeKind::Array { element: Type::PTR, len: 1 });
    let used = pool.intern_const(Constant::Aggregate { ty: pointers, elements: [pool.hole(0)].into() });
    let used = build.variable("llvm.used", pointers, Some(used), &[own]);
    build.data(used).linkage = Linkage::Appending;
    build.data(used).section = Some("llvm.metadata".into());
    build.check(expect![[r#"
        $group = comdat any
        $own = comdat largest

        @private = private global i32 0
        @internal = internal global i32 0
        @weak = weak dso_local global i32 0
        @weak_odr = weak_odr dso_local global i32 0
        @linkonce = linkonce dso_local global i32 0
        @linkonce_odr = linkonce_odr dso_local global i32 0
        @common = common dso_local global i32 0
        @available_externally = available_externally dso_local global i32 0
        @hidden = hidden global i32 0
        @protected = protected global i32 0
        @tls0 = thread_local unnamed_addr global i32 0
        @tls1 = thread_local(localdynamic) unnamed_addr global i32 0
        @tls2 = thread_local(initialexec) unnamed_addr global i32 0
        @tls3 = thread_local(localexec) unnamed_addr global i32 0
        @declared = external dllimport global i32
        @"weakly declared" = extern_weak dso_local global i32
        @exported = dllexport local_unnamed_addr global i32 0
        @all = addrspace(3) externally_initialized constant i32 0, section "my \22section\22", partition "part", code_model "large", no_sanitize_address, no_sanitize_hwaddress, sanitize_memtag, sanitize_address_dyninit, comdat($group), align 4096 #0
        @own = global i32 0, comdat
        @llvm.used = appending global [1 x ptr] [ptr @own], section "llvm.metadata"

        attributes #0 = { "bss-section"="b" "x" }
    "#]]);
}

#[test]
fn unnamed_symbols_are_numbered_in_order_of_the_text() {
    let mut build = Build::new();
    let pool = build.pool();
    let function = build.function("", Type::VOID, &[]);
    build.define(function, &[], |cfg, _| {
        cfg.add_arc(cfg.entry(), cfg.exit(), &[]);
    });
    let first = build.variable("", Type::PTR, Some(pool.hole(0)), &[function]);
    let second = build.variable("", Type::PTR, Some(pool.hole(0)), &[first]);
    let alias = build.symbol("", Type::PTR, SymbolKind::Alias { aliasee: pool.hole(0) });
    build.delta(alias, &[second]);
    let user = build.function("user", Type::PTR, &[]);
    build.define(user, &[function, alias], |cfg, context| {
        cfg.add_block_param(cfg.exit(), Type::PTR, None);
        let alias = context[1];
        cfg.add_arc(cfg.entry(), cfg.exit(), &[alias]);
    });
    build.check(expect![[r#"
        @0 = global ptr @3
        @1 = global ptr @0

        @2 = alias ptr, ptr @1

        define void @3() {
        b0:
          ret void
        }

        define ptr @user() {
        b0:
          ret ptr @2
        }
    "#]]);
}

#[test]
fn aliases_and_ifuncs() {
    let mut build = Build::new();
    let pool = build.pool();
    let pair = pool.intern_type(TypeKind::Array { element: Type::I32, len: 2 });
    let zero = pool.intern_const(Constant::Zero(pair));
    let variable = build.variable("variable", pair, Some(zero), &[]);
    let inside = pool.expr(
        Type::PTR,
        Op::Gep { source: Type::I32, flags: GepFlags::INBOUNDS },
        &[pool.hole(0), pool.int_const(Type::I64, 1)],
    );
    let alias = build.symbol("alias", Type::I32, SymbolKind::Alias { aliasee: inside });
    build.data(alias).linkage = Linkage::Weak;
    build.data(alias).visibility = Visibility::Hidden;
    build.data(alias).unnamed_addr = UnnamedAddr::Global;
    build.data(alias).partition = Some("p".into());
    build.delta(alias, &[variable]);
    let resolver = build.function("resolver", Type::PTR, &[]);
    build.define(resolver, &[], |cfg, _| {
        let null = cfg.add_const(pool.intern_const(Constant::Zero(Type::PTR)), &[]);
        cfg.add_block_param(cfg.exit(), Type::PTR, None);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[null]);
    });
    let ty = pool.function_type(Type::VOID, &[Type::I32], true);
    let ifunc = build.symbol("ifunc", ty, SymbolKind::IFunc { resolver: pool.hole(0) });
    build.data(ifunc).dso_local = true;
    build.delta(ifunc, &[resolver]);
    build.check(expect![[r#"
        @variable = global [2 x i32] zeroinitializer

        @alias = weak hidden unnamed_addr alias i32, ptr getelementptr inbounds (i32, ptr @variable, i64 1), partition "p"

        @ifunc = dso_local ifunc void (i32, ...), ptr @resolver

        define ptr @resolver() {
        b0:
          ret ptr null
        }
    "#]]);
}

#[test]
fn functions() {
    let mut build = Build::new();
    build.module.header.comdats = vec![("all".into(), "any".into())];
    let pool = build.pool();
    let personality = build.function_with("__gxx_personality_v0", Type::I32, &[], true, AttributeList::default());
    let list = AttributeList {
        function: attributes(&["noinline", "uwtable", "vscale_range(1,16)"]),
        result: attributes(&["noundef", "dereferenceable(4)"]),
        params: [attributes(&["noundef", "nofpclass(nan inf)"]), attributes(&[]), attributes(&["dead_on_return"])]
            .into(),
    };
    let float = pool.intern_type(TypeKind::Float);
    let all = build.function_with("all", Type::PTR, &[float, Type::I32, Type::PTR], true, list.clone());
    let symbolic = |constant, symbols: &[_]| Some(SymbolicConst { constant, symbols: symbols.to_vec() });
    let data = build.data(all);
    data.linkage = Linkage::LinkonceOdr;
    data.visibility = Visibility::Hidden;
    data.unnamed_addr = UnnamedAddr::Global;
    data.section = Some(".text.all".into());
    data.partition = Some("part".into());
    data.comdat = Some("all".into());
    data.align = Some(64);
    data.kind = SymbolKind::Function {
        convention: 18,
        attributes: pool.intern_attributes(list),
        gc: Some("statepoint-example".into()),
        personality: symbolic(pool.hole(0), &[personality]),
        prefix: symbolic(pool.i32_const(123), &[]),
        prologue: symbolic(pool.int_of(8, 144), &[]),
    };
    build.define(all, &[], |cfg, _| {
        let pointer = cfg.params()[2];
        cfg.add_block_param(cfg.exit(), Type::PTR, None);
        cfg.add_arc(cfg.entry(), cfg.exit(), &[pointer]);
    });
    let declared = build.function_with("declared", Type::VOID, &[], true, AttributeList::default());
    build.data(declared).linkage = Linkage::ExternWeak;
    build.data(declared).dso_local = true;
    let imported = build.function("imported", Type::VOID, &[]);
    build.data(imported).dll_storage = DllStorage::Import;
    // The same attributes by another list share a group.
    let list = AttributeList {
        function: attributes(&["noinline", "uwtable", "vscale_range(1,16)"]),
        ..AttributeList::default()
    };
    build.function_with("shares", Type::VOID, &[], false, list);
    build.check(expect![[r#"
        $all = comdat any

        declare i32 @__gxx_personality_v0(...)

        define linkonce_odr hidden tailcc noundef dereferenceable(4) ptr @all(float noundef nofpclass(nan inf) %0, i32 %1, ptr dead_on_return %2, ...) unnamed_addr #0 section ".text.all" partition "part" comdat align 64 gc "statepoint-example" prefix i32 123 prologue i8 -112 personality ptr @__gxx_personality_v0 {
        b0:
          ret ptr %2
        }

        declare extern_weak dso_local void @declared(...)

        declare dllimport void @imported()

        declare void @shares() #0

        attributes #0 = { noinline uwtable vscale_range(1,16) }
    "#]]);
}

/// LLVM reads our keyword of each calling convention as the number we meant.
#[test]
fn conventions() {
    let mut build = Build::new();
    let mut numbered = String::new();
    for number in 0..=135 {
        let function = build.function(&format!("f{number}"), Type::VOID, &[]);
        let attributes = no_attributes(&build.pool());
        build.data(function).kind = SymbolKind::Function {
            convention: number,
            attributes,
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        };
        numbered.push_str(&format!("declare cc {number} void @f{number}()\n"));
    }
    let arguments = ["-S", "-disable-verify"];
    let (Some(ours), Some(theirs)) =
        (support::opt(&build.emit().unwrap(), &arguments), support::opt(&numbered, &arguments))
    else {
        return;
    };
    assert_eq!(ours.unwrap(), theirs.unwrap());
}

/// A symbol whose definition is gone is no declaration, unless something still mentions it.
#[test]
fn dead_symbols_are_left_out() {
    let mut build = Build::new();
    let pool = build.pool();
    let removed = build.function("removed", Type::VOID, &[]);
    build.data(removed).linkage = Linkage::Internal;
    build.function("unused", Type::VOID, &[]);
    let used = build.function("used", Type::VOID, &[]);
    let personality = build.function("personality", Type::I32, &[]);
    let f = build.function("f", Type::PTR, &[]);
    if let SymbolKind::Function { personality: place, .. } = &mut build.data(f).kind {
        *place = Some(SymbolicConst { constant: pool.hole(0), symbols: vec![personality] });
    }
    build.define(f, &[used], |cfg, context| {
        cfg.add_block_param(cfg.exit(), Type::PTR, None);
        cfg.add_arc(cfg.entry(), cfg.exit(), context);
    });
    let text = build.emit_live().unwrap();
    support::verify(&text);
    expect![[r#"
        declare void @used()

        declare i32 @personality()

        define ptr @f() personality ptr @personality {
        b0:
          ret ptr @used
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn errors() {
    let mut build = Build::new();
    let pool = build.pool();
    let variable = build.variable("v", Type::I32, Some(pool.i32_const(0)), &[]);
    build.data(variable).comdat = Some("nowhere".into());
    build
        .check_error(expect!["@v: cannot emit a member of comdat nowhere; expected the comdat in the module's header"]);
}
