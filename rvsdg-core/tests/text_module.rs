//! Everything of a module but operations, types and constants: header, symbols, the ω level, regions.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{checked, define, function, module, simple, variable};
use expect_test::expect;
use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::module::{
    BodyData, Code, DllStorage, Linkage, SymbolKind, SymbolicConst, ThreadLocal, UnnamedAddr, Visibility,
};
use rvsdg_core::op::*;
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::{Constant, Module, NodeKind, Op, Pool, Type, TypeKind, text};

fn attribute(text: &str) -> Attribute {
    Attribute::parse(text)
}

#[test]
fn header_and_symbols() {
    let mut module = module();
    let pool = module.pool.clone();
    module.header.name = "a \"name\"\n".into();
    module.header.source_file = "ä.c".into();
    module.header.data_layout = "e-m:e".into();
    module.header.triple = "x86_64-pc-linux-gnu".into();
    module.header.assembly = vec![".globl x".into(), String::new()];
    module.header.comdats = vec![("c".into(), "any".into()), ("odd one".into(), "nodeduplicate".into())];
    module.header.flags = vec![(1, "wchar_size".into(), "i32 4".into()), (8, "PIC Level".into(), "i32 2".into())];

    let i8 = pool.int(8);
    let structure = pool.intern_type(TypeKind::Named {
        name: "struct.S".into(),
        elements: Some([Type::I32, Type::PTR].into()),
        packed: false,
    });
    let attributes = pool.intern_attributes(AttributeList {
        function: [attribute("nounwind"), attribute("\"frame-pointer\"=\"all\""), attribute("memory(argmem: read)")]
            .into(),
        result: [attribute("noundef"), attribute("range(i32 0, 10)")].into(),
        params: [
            [].into(),
            [Attribute::new("byval", Some(structure)), attribute("align 8")].into(),
            [attribute("\"odd\"=\", {one}\"")].into(),
        ]
        .into(),
    });
    let null = pool.intern_const(Constant::Zero(Type::PTR));
    let hole = pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });

    let personality = module.add_symbol(function(&pool, "__gxx_personality_v0", Type::I32, &[]));
    let mut f = function(&pool, "f", Type::I32, &[Type::I32, Type::PTR, Type::PTR]);
    f.linkage = Linkage::LinkonceOdr;
    f.visibility = Visibility::Hidden;
    f.unnamed_addr = UnnamedAddr::Local;
    f.section = Some(".text.\"x\"".into());
    f.partition = Some("p".into());
    f.comdat = Some("odd one".into());
    f.align = Some(16);
    let symbolic = |constant, symbols: &[_]| Some(SymbolicConst { constant, symbols: symbols.into() });
    f.kind = SymbolKind::Function {
        convention: 8,
        attributes,
        gc: Some("statepoint-example".into()),
        personality: symbolic(hole, &[personality]),
        prefix: symbolic(pool.int_const(Type::I32, 1), &[]),
        prologue: symbolic(pool.int_const(i8, 0x90), &[]),
    };
    let f = module.add_symbol(f);
    let mut g = variable(&pool, "g", structure, None);
    g.linkage = Linkage::ExternWeak;
    g.dll_storage = DllStorage::Import;
    g.address_space = 3;
    g.dso_local = true;
    let g = module.add_symbol(g);
    let poison = pool.poison(structure);
    let mut h = variable(&pool, "", structure, Some(poison));
    h.linkage = Linkage::Private;
    h.thread_local = ThreadLocal::InitialExec;
    h.unnamed_addr = UnnamedAddr::Global;
    h.kind = SymbolKind::Variable {
        constant: true,
        externally_initialized: true,
        unescaped: true,
        owner: true,
        initializer: Some(poison),
        attributes: pool
            .intern_attributes(AttributeList { function: [attribute("\"bss\"")].into(), ..Default::default() }),
        code_model: Some("large".into()),
        sanitizer: ["no_sanitize_address", "sanitize_memtag"].into(),
    };
    let h = module.add_symbol(h);
    let mut alias = variable(&pool, "an alias", Type::I32, None);
    alias.kind = SymbolKind::Alias { aliasee: hole };
    let alias = module.add_symbol(alias);
    let mut ifunc = function(&pool, "1st", Type::VOID, &[]);
    ifunc.kind = SymbolKind::IFunc { resolver: hole };
    let ifunc = module.add_symbol(ifunc);
    module.add_symbol(variable(&pool, "pointer", Type::PTR, Some(null)));

    let imported = module.add_import(personality);
    module.add_import(g);
    let root = module.omega.root();
    let delta = |module: &mut Module, symbol, inputs: &[_]| {
        let node = module.omega.add_node(root, NodeKind::Delta(symbol), inputs, &[Type::PTR]);
        module.omega.output(node, 0)
    };
    let h = delta(&mut module, h, &[]);
    let body = module.bodies.insert(BodyData { symbol: f, code: Code::Untouched { construct: "callbr".into() } });
    let lambda = Lambda::add(&mut module.omega, root, body);
    lambda.add_context(&mut module.omega, imported);
    let f = lambda.output(&module.omega);
    let alias = delta(&mut module, alias, &[h]);
    let ifunc = delta(&mut module, ifunc, &[f]);
    for definition in [f, alias, ifunc] {
        module.add_export(definition);
    }
    expect![[r#"
        module "a \22name\22\0A"
        source_filename "\C3\A4.c"
        target datalayout "e-m:e"
        target triple "x86_64-pc-linux-gnu"
        asm ".globl x"
        asm ""
        $c = comdat "any"
        $"odd one" = comdat "nodeduplicate"
        flag 1 "wchar_size" "i32 4"
        flag 8 "PIC Level" "i32 2"

        %struct.S = type { i32, ptr }

        @__gxx_personality_v0 = function i32 ()
        @f = linkonce_odr hidden local_unnamed_addr function i32 (i32, ptr, ptr), cc 8, #0, gc "statepoint-example", personality ptr ?0 [@__gxx_personality_v0], prefix i32 1, prologue i8 -112, section ".text.\22x\22", partition "p", comdat $"odd one", align 16
        @g = extern_weak dso_local dllimport addrspace(3) global %struct.S
        @0 = private thread_local(initialexec) unnamed_addr externally_initialized unescaped owner constant %struct.S poison, #1, code_model "large", no_sanitize_address, sanitize_memtag
        @"an alias" = alias i32 ptr ?0
        @"1st" = ifunc void () ptr ?0
        @pointer = global ptr null

        import @__gxx_personality_v0
        import @g
        delta @0 []

        lambda @f [@__gxx_personality_v0] untouched "callbr"
        delta @"an alias" [@0]
        delta @"1st" [@f]
        export @f
        export @"an alias"
        export @"1st"

        attributes #0 = function { nounwind, "frame-pointer"="all", memory(argmem: read) } result { noundef, range(i32 0, 10) } params ({}, { byval: %struct.S, align 8 }, { "odd"=", {one}" })
        attributes #1 = function { "bss" }
    "#]].assert_eq(&checked(&module));
}

/// Text that is no attribute is not valid, but comes through.
#[test]
fn what_is_no_attribute() {
    let source = "@f = function void (), #0\nimport @f\n\nattributes #0 = function { raw \"odd, {one}\", raw \"\" }\n";
    let module = text::parse_module(source).unwrap();
    assert!(text::print_module(&module).contains("{ raw \"odd, {one}\", raw \"\" }"));
    text::assert_round_trip(&module);
}

#[test]
fn context_and_recursion() {
    let mut module = module();
    let pool = module.pool.clone();
    let void = pool.intern_type(TypeKind::Function { result: Type::VOID, params: [].into(), variadic: false });
    let info = pool.intern_call(CallInfo {
        function_type: void,
        convention: 0,
        attributes: pool.intern_attributes(AttributeList::default()),
        tail: TailKind::None,
        fast: FastMath::NONE,
        bundles: [].into(),
        metadata: [].into(),
        assembly: None,
        effects: Effects::ALL,
        speculatable: false,
        exits: CallExits::Return,
    });
    let symbols = ["log", "even", "odd"].map(|name| module.add_symbol(function(&pool, name, Type::VOID, &[])));
    let log = module.add_import(symbols[0]);
    let root = module.omega.root();
    let phi = Phi::add(&mut module.omega, root, &[log, log], 2);
    let region = phi.region(&module.omega);
    let context: Vec<_> = phi.context_vars(&module.omega).map(|var| var.argument).collect();
    let recursion: Vec<_> = phi.fix_vars(&module.omega).collect();
    for index in 0..2 {
        let mut graph = common::body(&pool, &[], |_, states| states.to_vec());
        let inner = graph.root();
        graph.retain_results(inner, |_| false);
        graph.retain_arguments(inner, |_| false);
        let callees = [0; 3].map(|_| graph.add_argument(inner, Type::PTR));
        let mut states = vec![graph.add_argument(inner, Type::MEM), graph.add_argument(inner, Type::IO)];
        for callee in callees {
            let inputs = [callee, states[0], states[1]];
            states = simple(&mut graph, Op::Call(info), &inputs, &[Type::MEM, Type::IO]);
        }
        states.into_iter().for_each(|state| _ = graph.add_result(inner, state));
        let body = module.bodies.insert(BodyData { symbol: symbols[index + 1], code: Code::Graph(graph) });
        let lambda = Lambda::add(&mut module.omega, region, body);
        lambda.add_context(&mut module.omega, context[index]);
        lambda.add_context(&mut module.omega, recursion[1 - index].argument);
        lambda.add_context(&mut module.omega, context[0]);
        let output = lambda.output(&module.omega);
        module.omega.divert(recursion[index].result, output);
    }
    module.add_export(recursion[0].output);
    expect![[r#"
        module ""

        @log = function void ()
        @even = function void ()
        @odd = function void ()

        import @log

        @even, @odd = phi [@log, v0: ptr = @log] (@even, @odd) {
          v1 = lambda @even [@log, @odd, v0: ptr = @log] (mem0, io0) {
            mem1, io1 = call void () @log(), mem0, io0
            mem2, io2 = call void () @odd(), mem1, io1
            mem3, io3 = call void () v0(), mem2, io2
            yield mem3, io3
          }

          v2 = lambda @odd [v0: ptr = v0, @even, @log] (mem0, io0) {
            mem1, io1 = call void () v0(), mem0, io0
            mem2, io2 = call void () @even(), mem1, io1
            mem3, io3 = call void () @log(), mem2, io2
            yield mem3, io3
          }
          yield v1, v2
        }
        export @even
    "#]]
    .assert_eq(&checked(&module));
}

#[test]
fn regions() {
    let source = "module \"\"

@f = function i32 (i32)

lambda @f [] (v0: i32, mem0, io0) {
  v1: ctl(3) = match i32 v0 [0 -> 0, 7 -> 1, _ -> 2]
  v2: i32, mem1 = gamma v1 (v0, mem0)
  case 0 (v3: i32, mem2) {
    yield v3, mem2
  }
  case 1 (v4: i32, mem3) {
    v5: i32, mem4 = theta (v6: i32 = v4, mem5 = mem3) {
      v7 = const i32 -1
      v8: i32 = add v6, v7
      v9 = const i32 0
      v10: i1 = icmp eq v8, v9
      v11: ctl(2) = match i1 v10 [true -> 0, _ -> 1]
      next v8, mem5 while v11
    }
    yield v5, mem4
  }
  case 2 (v12: i32, mem6) {
    v13: ctl(2) = ctl 1 of 2
    gamma v13 ()
    case 0 () {
      yield
    }
    case 1 () {
      theta () {
        v14: ctl(2) = ctl 0 of 2
        next while v14
      }
      yield
    }
    yield v12, mem6
  }
  yield v2, mem1, io0
}
export @f
";
    let module = text::parse_module(source).expect("the text is right");
    assert_eq!(checked(&module), source);
}

/// A name may be used before the node that defines it: the order of nodes is not always one of dependence.
#[test]
fn order_is_kept() {
    let mut module = module();
    define(&mut module, "f", &[Type::I32], Some(Type::I32), |graph, arguments| {
        let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
        let first = simple(graph, op, &[arguments[0], arguments[0]], &[Type::I32]);
        let second = simple(graph, op, &[arguments[0], arguments[0]], &[Type::I32]);
        let node = graph.producer(first[0]).expect("it is an output");
        let user = graph.inputs(node)[0];
        graph.divert(user, second[0]);
        vec![first[0], arguments[1], arguments[2]]
    });
    expect![[r#"
        module ""

        @f = function i32 (i32)

        lambda @f [] (v0: i32, mem0, io0) {
          v1: i32 = add v2, v0
          v2: i32 = add v0, v0
          yield v1, mem0, io0
        }
        export @f
    "#]]
    .assert_eq(&checked(&module));
}

#[test]
fn a_graph_by_itself() {
    let pool = std::sync::Arc::new(Pool::new());
    let source = "%S = type { i32 }

graph (v0: ptr, mem0) {
  v1: %S, mem1 = load v0, mem0, align 4
  mem2 = call void () v0() #0, mem1
  yield v1, mem2
}

attributes #0 = function { cold }
";
    let graph = text::parse_graph(source, pool).expect("the text is right");
    assert_eq!(text::print_graph(&graph), source);
    assert_eq!(graph.to_string(), source);
    expect![[r#"
        graph (v0: ptr, v1: mem) { ; r0
          v2: %S, v3: mem = load v0, v1, align 4 ; n0
          v4: mem = call void () v0() #attrs1, v3 ; n1
          yield v2, v4
        }
    "#]]
    .assert_eq(&text::dump_graph(&graph));
}
