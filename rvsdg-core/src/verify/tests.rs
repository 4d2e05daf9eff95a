//! One counterexample per invariant.

use std::fmt::Write;

use expect_test::expect;

use super::*;
use crate::TypeKind;
use crate::graph::check::tests::broken;
use crate::module::{Code, Header, SymbolData};
use crate::op::{Effects, ExtHooks, ExtOp, Op};
use crate::structural::Lambda;
use crate::text::{dump_graph, parse_module, print_graph, print_module};

/// The violations of a module given as text.
fn of_text(source: &str) -> Vec<Violation> {
    let module = parse_module(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    of_module(&module)
}

fn of_module(module: &Module) -> Vec<Violation> {
    _ = print_module(module);
    module.verify().err().map_or_else(Vec::new, |violations| violations.into_iter().collect())
}

/// The violations of a function with the given parameters, separated by semicolons, and nodes. Its states are `mem0` and
/// `io0`.
fn of_nodes(params: &str, nodes: &str) -> Vec<Violation> {
    of_text(&with_nodes(params, nodes))
}

fn with_nodes(params: &str, nodes: &str) -> String {
    let params: Vec<&str> = params.split("; ").filter(|param| !param.is_empty()).collect();
    let types = params.iter().filter_map(|param| param.split_once(": ")).map(|(_, ty)| ty);
    let types = types.collect::<Vec<_>>().join(", ");
    let arguments = params.into_iter().chain(["mem0", "io0"]).collect::<Vec<_>>().join(", ");
    format!("@f = function void ({types})\nlambda @f [] ({arguments}) {{\n{nodes}\nyield mem0, io0\n}}\nexport @f\n")
}

const VALID: &str = "@f = function i32 (i32)
@g = global i32 7
import @h
@h = function void ()
delta @g []
lambda @f [@h, @g] (v0: i32, mem0, io0) {
  yield v0, mem0, io0
}
export @f
";

/// A valid module, changed.
fn changed(change: impl FnOnce(&mut Module)) -> Vec<Violation> {
    let mut module = parse_module(VALID).expect("the text is right");
    assert_eq!(of_module(&module), []);
    change(&mut module);
    of_module(&module)
}

fn symbol_mut<'m>(module: &'m mut Module, name: &str) -> &'m mut SymbolData {
    module.symbols.values_mut().find(|data| &*data.name == name).expect("the symbol exists")
}

/// Violations among which is one of the invariant.
fn counterexample(invariant: Invariant) -> Vec<Violation> {
    match invariant {
        Invariant::ParentLinks
        | Invariant::Positions
        | Invariant::Complete
        | Invariant::UserLists
        | Invariant::Scope
        | Invariant::Acyclic => {
            let graph = broken(invariant).expect("there is a broken graph for each of these");
            _ = (dump_graph(&graph), print_graph(&graph));
            verify_graph(&graph)
        }
        Invariant::Level => changed(|module| {
            let body = module.bodies.values_mut().next().and_then(|data| data.graph_mut()).expect("it has a graph");
            let root = body.root();
            body.add_node(root, NodeKind::Phi, &[], &[]);
        }),
        Invariant::Arity => of_nodes("v0: i32", "v1: i32 = add v0"),
        Invariant::Types => of_nodes("v0: i32", "v1: i64 = zext v0\nv2: i64 = add v0, v1"),
        Invariant::Payload => of_nodes("v0: i32", "v1: i32 = xor nuw v0, v0"),
        Invariant::Dialect => {
            let demand = |_: &Graph, _: Node| Err("its operand is a power of two".to_owned());
            changed(|module| {
                let hooks = ExtHooks { verify: demand, ..ExtHooks::new("test.shift") };
                module.pool.set_ext_hooks([hooks].into());
                let name = "test.shift".into();
                let (inputs, outputs, effects) = ([].into(), [].into(), Effects::NONE);
                let op = ExtOp { name, inputs, outputs, effects, speculatable: false, commutative: false };
                let op = Op::Ext(module.pool.intern_ext(op));
                let body = module.bodies.values_mut().next().and_then(|data| data.graph_mut()).expect("it has a graph");
                body.add_simple(body.root(), op, &[], &[]);
            })
        }
        Invariant::Constants => of_nodes("", "v1: i64 = const i32 7"),
        Invariant::MatchTable => of_nodes("v0: i1", "v1: ctl(2) = match i1 v0 [true -> 1, true -> 0, _ -> 0]"),
        Invariant::States => of_nodes("v0: ptr", "v1: i32 = load v0, align 4"),
        Invariant::LinearStates => {
            of_nodes("v0: ptr", "v1: i32, mem1 = load v0, mem0, align 4\nv2: i32, mem2 = load v0, mem0, align 4")
        }
        Invariant::Predicates => of_nodes("", "v0: ctl(2) = ctl 0 of 2\nv1: ctl(2) = freeze v0"),
        Invariant::Tokens => {
            let nodes = "v0 = const token none\nv1: token = theta (v2: token = v0) {\n\
                         v3: ctl(2) = ctl 0 of 2\nv4 = const token none\nnext v4 while v3\n}";
            of_nodes("", nodes)
        }
        Invariant::Funclets => {
            of_nodes("v0: token", "mem1, io1 = cleanuppad v0, mem0, io0, 3\nmem2, io2 = cleanuppad v0, mem1, io1, 3")
        }
        Invariant::GammaShape => {
            let nodes = "v1: ctl(3) = ctl 0 of 3\nv2: i32 = gamma v1 (v0)\ncase 0 (v3: i32) {\nyield v3\n}\n\
                         case 1 (v4: i64) {\nyield\n}";
            of_nodes("v0: i32", nodes)
        }
        Invariant::ThetaShape => {
            let nodes = "v1: i64 = theta (v2: i32 = v0) {\nnext v2 while v2\n}";
            of_nodes("v0: i32", nodes)
        }
        Invariant::LambdaShape => {
            of_text("@f = function i32 (i32)\nlambda @f [] (mem0, io0) {\nyield mem0, io0\n}\nexport @f\n")
        }
        Invariant::PhiShape => of_text(
            "@f = function void ()\n@f = phi [] () {\nlambda @f [] (mem0, io0) {\nyield mem0, io0\n}\nyield @f\n}\n",
        ),
        Invariant::DeltaShape => of_text("@p = global ptr ?0\ndelta @p []\nexport @p\n"),
        Invariant::TypeForm => of_nodes("v0: [2 x void]", ""),
        Invariant::TypeNames => changed(|module| {
            let named = |bits: u32| TypeKind::Named {
                name: "s".into(),
                elements: Some([module.pool.int(bits)].into()),
                packed: false,
            };
            let types = [8, 16].map(|bits| module.pool.intern_type(named(bits)));
            let value_type = module.pool.intern_type(TypeKind::Struct { elements: types.into(), packed: false });
            symbol_mut(module, "g").value_type = value_type;
        }),
        Invariant::SymbolReferences => changed(|module| {
            let symbol = module.imports[0];
            module.symbols.remove(symbol);
        }),
        Invariant::SymbolNames => changed(|module| symbol_mut(module, "g").name = "f".into()),
        Invariant::Attributes => {
            of_text("@f = function void (), #0\nimport @f\n\nattributes #0 = function { raw \"nounwind } define\" }\n")
        }
        Invariant::SymbolKeywords => of_text("$c = comdat \"any }\"\n"),
        Invariant::Definitions => changed(|module| {
            let symbol = module.bodies.values().next().expect("there is a body").symbol;
            module.add_import(symbol);
        }),
        Invariant::Imports => changed(|module| module.imports.clear()),
        Invariant::Exports => of_text("@f = function void ()\nimport @f\nexport @f\n"),
        Invariant::Bodies => changed(|module| {
            let body = module.bodies.keys().next().expect("there is a body");
            let root = module.omega.root();
            Lambda::add(&mut module.omega, root, body);
        }),
    }
}

#[test]
fn each_invariant_is_checked() {
    let mut text = String::new();
    for &invariant in Invariant::ALL {
        let violations = counterexample(invariant);
        let Some(violation) = violations.iter().find(|violation| violation.invariant == invariant) else {
            panic!("{invariant:?} is not among {violations:?}");
        };
        writeln!(text, "{violation}").expect("writing to a string succeeds");
    }
    expect![[r#"
        r0: the last node of its list is not the one it names (ParentLinks)
        u0 of n1 `v2: i32 = add v1, v0`: it is at Input(n0, 0) but says that it is at Input(n1, 1) (Positions)
        u5: it has no origin (Complete)
        v0: u0 is on its list of users but does not agree (UserLists)
        u5: it is in r1 but its origin v2 is in r0 (Scope)
        n0 `v1: i32 = add v2, v0`: 2 nodes of its region are on a cycle or depend on one, it among them (Acyclic)
        @f: n0 `phi ()`: λ, φ and δ stand at the ω level only (Level)
        @f: n0 `v3: i32 = add v0`: it has 1 value inputs and 1 value outputs instead of 2 and 1 (Arity)
        @f: n1 `v4: i64 = add v0, v3`: inputs and output have one type (Types)
        @f: n0 `v3: i32 = xor nuw v0, v0`: the operation cannot have these flags (Payload)
        @f: n0 `ext "test.shift" () -> ()`: its operand is a power of two (Dialect)
        @f: `nounwind } define` has another form: `nounwind` (Attributes)
        @f: n0 `v2: i64 = const i32 7`: the constant's type is i32 but the output's i64 (Constants)
        @f: n0 `v3: ctl(2) = match i1 v0 [true -> 1, true -> 0, _ -> 0]`: cases are distinct (MatchTable)
        @f: n0 `v3: i32 = load v0, align 4`: its inputs end with mem, their only state (States)
        @f: v1: the state has 3 users (LinearStates)
        @f: u0 of n1 `v3: ctl(2) = freeze v2`: the predicate v2 is used as a value (Predicates)
        @f: v6 of n3 `v6 = const token none`: the token leaves its region (Tokens)
        @f: n1 `v5: mem, v6: io = cleanuppad v0, v3, v4, 3`: another pad has its number (Funclets)
        @f: n1 `v4: i32 = gamma v3 (v0)`: the predicate has 3 alternatives, the γ 2 regions (GammaShape)
        @f: r1 of n0 `v3: i64 = theta (v4: i32 = v0)`: the predicate of a θ is a ctl(2) (ThetaShape)
        n0 `v0: ptr = lambda Body(1v1) ()`: the body of @f takes (mem, io) instead of (i32, mem, io) (LambdaShape)
        n0 `v0: ptr = phi ()`: 0 context and 1 recursion variables do not go with 0 arguments and 1 results (PhiShape)
        n0 `v0: ptr = delta Symbol(1v1) ()`: its 0 inputs do not fill the 1 holes (DeltaShape)
        @f: this type cannot be an element of an aggregate (TypeForm)
        %s: two types have this name (TypeNames)
        order: it lists a symbol that does not exist (SymbolReferences)
        @f: two symbols have this name (SymbolNames)
        comdat c: `any }` is no kind of comdat (SymbolKeywords)
        v2 of n1 `v2: ptr = lambda Body(1v1) (v0, v1)`: @f is imported or defined elsewhere too (Definitions)
        r0: 0 imports for 1 arguments (Imports)
        u0: an import is exported (Exports)
        n2 `v3: ptr = lambda Body(1v1) ()`: another λ has this body too (Bodies)
    "#]]
    .assert_eq(&text);
}

/// Text that is written as it is cannot be more than what it stands for.
#[test]
fn text_that_is_written_as_it_is() {
    let found = of_text(
        "$c = comdat \"any }\"\nflag 1 \"wchar_size\" \"i32 4}\"\n@f = function void (), #0\n\
         lambda @f [] (mem0, io0) {\nv0: ptr = const ptr null\nmem1, io1 = call void () v0() #1, mem0, io0\nyield mem1, io1\n}\n\
         export @f\n\nattributes #0 = result { nounwind }\nattributes #1 = params ({ align 3 })\n",
    );
    expect![[r#"
        comdat c: `any }` is no kind of comdat (SymbolKeywords)
        module flag wchar_size: `i32 4}` is no value of a flag (SymbolKeywords)
        @f: `nounwind` cannot stand at a result (Attributes)
        @f: n1 `v3: mem, v4: io = call void () v2() #attrs2, v0, v1`: `align 3` has another form: `align 8` (Attributes)"#]].assert_eq(&found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

/// Messages of further checks, by what the body holds.
#[test]
fn operations_are_checked() {
    let bodies = [
        ("v0: i32", "v1: i1 = icmp eq v0, v0\nv2: i32 = icmp eq v0, v0"),
        ("v0: i32; v1: i64", "v2: i1 = icmp eq v0, v1"),
        ("v0: i32", "v1: float = fadd v0, v0"),
        ("v0: i32", "v1: i64 = trunc v0"),
        ("v0: i32", "v1: ptr = bitcast v0"),
        ("v0: i32", "v1: i64 = sext nneg v0"),
        ("v0: i1; v1: i32; v2: i64", "v3: i32 = select v0, v1, v2"),
        ("v0: <4 x i1>; v1: i32", "v2: i32 = select v0, v1, v1"),
        ("v0: <4 x i32>", "v1: <4 x i32> = shufflevector v0, v0, <0, 1, 2, 9>"),
        ("v0: <vscale x 4 x i32>", "v1: <vscale x 4 x i32> = shufflevector v0, v0, <0, 1, 2, 3>"),
        ("v0: { i32, i64 }", "v1: i64 = extractvalue v0, 0"),
        ("v0: { i32, i64 }", "v1: i64 = extractvalue v0"),
        ("v0: ptr; v1: i32", "v2: ptr = getelementptr { i32 }, v0, v1, v1"),
        ("v0: ptr; v1: i32", "v2: ptr = getelementptr i32, v0, v1, v1"),
        ("v0: ptr", "v1: i32, mem1 = load v0, mem0, release, align 4"),
        ("v0: ptr", "v1: token, mem1 = load v0, mem0, align 4"),
        ("v0: ptr", "v1: i32, mem1 = load v0, mem0, syncscope(\"singlethread\"), align 4"),
        ("v0: ptr", "v1: [2 x i8], mem1 = load v0, mem0, unordered, align 4"),
        ("v0: ptr; v1: i8", "v2: { i8, i1 }, mem1, io1 = cmpxchg v0, v1, v1, mem0, io0, release, acq_rel, align 1"),
        ("v0: ptr; v1: i8", "v2: i8, mem1, io1 = atomicrmw fadd v0, v1, mem0, io0, monotonic, align 1"),
        ("", "mem1, io1 = fence mem0, io0, monotonic"),
        ("v0: ptr; v1: i8", "call void (i32) v0(v1)"),
        ("v0: ptr; v1: i8", "call void () v0(v1)"),
        ("v0: ptr", "call i32 v0()"),
        ("v0: ptr", "v1: i32 = call nnan i32 () v0()"),
        ("v0: ptr", "mem1 = call speculatable void () v0(), mem0"),
        ("v0: ptr", "call void (i32) v0(metadata \"x\")"),
        ("", "v0: ctl(2) = ctl 2 of 2"),
        ("v0: i32", "v1: ctl(2) = match i32 v0 [0 -> 3, _ -> 0] of 2"),
        ("v0: i32", "v1: i32 = ext \"a.b\" (i64) -> (i32) v0"),
        ("v0: i32", "v1: i32 = ext \"a.b\" commutative (i32) -> (i32) v0"),
        ("", "v0 = const i8 splat (i8 7)"),
        ("", "v0 = const [2 x i8] c\"abc\""),
        ("", "v0 = const { i8, i8 } { i8 0 }"),
        ("", "v0 = const i8 zeroinitializer"),
        ("", "v0 = const i8 add (i8 1, i16 1)"),
        ("", "v0 = const i8 udiv (i8 1, i8 1)"),
        ("v0: ptr", "v1 = const { ptr, ptr } { ptr ?0, ptr ?1 }, v0"),
        ("v0: i32", "v1 = const ptr ?0, v0"),
        ("v0: ptr", "v1 = const ptr ?0, v0"),
        (
            "",
            "v0 = const ptr null\nv1: ptr = theta (v2: ptr = v0) {\nv3 = const i64 ptrtoint (ptr ?0), v2\n\
             v4: ptr = inttoptr v3\nv5: ctl(2) = ctl 0 of 2\nnext v4 while v5\n}",
        ),
        ("v0: i32; v1: i32", "v2: i32, io1, mem1 = udiv v0, v1, io0, mem0"),
        ("v0: i32; v1: i32", "v2: i32, io1 = add v0, v1, io0"),
    ];
    let mut text = String::new();
    for (params, nodes) in bodies {
        // That a body takes a state and yields the one it began with is not what these are about.
        let violations = of_nodes(params, nodes).into_iter();
        let violations: Vec<_> = violations.filter(|found| found.invariant != Invariant::LinearStates).collect();
        assert!(!violations.is_empty(), "{nodes}");
        for violation in violations {
            let message = violation.entity.split_once(": ").map_or("", |(_, entity)| entity);
            writeln!(text, "{message}: {} ({:?})", violation.message, violation.invariant)
                .expect("writing to a string succeeds");
        }
    }
    expect![[r#"
        n1 `v4: i32 = icmp eq v0, v0`: the output is an i1 per lane of the inputs (Types)
        n0 `v4: i1 = icmp eq v0, v1`: the inputs have one type (Types)
        n0 `v3: float = fadd v0, v0`: inputs and output have one type (Types)
        n0 `v3: i64 = trunc v0`: i32 cannot become i64 in this way (Types)
        n0 `v3: ptr = bitcast v0`: i32 cannot become ptr in this way (Types)
        n0 `v3: i64 = sext nneg v0`: the conversion cannot have these flags (Payload)
        n0 `v5: i32 = select v0, v1, v2`: inputs 1 and 2 and the output have one type (Types)
        n0 `v4: i32 = select v0, v1, v1`: the condition is an i1, or one per lane (Types)
        n0 `v3: <4 x i32> = shufflevector v0, v0, <0, 1, 2, 9>`: the mask names a lane that neither input has (Payload)
        n0 `v3: <vscale x 4 x i32> = shufflevector v0, v0, <0, 1, 2, 3>`: the mask of scalable vectors is all zero or all poison (Payload)
        n0 `v3: i64 = extractvalue v0, 0`: the indices lead to a value of the output's type (Types)
        n0 `v3: i64 = extractvalue v0`: there is at least one index (Payload)
        n0 `v3: i64 = extractvalue v0`: the indices lead to a value of the output's type (Types)
        n0 `v4: ptr = getelementptr { i32 }, v0, v1, v1`: input 2 does not lead to an element of { i32 } (Types)
        n0 `v4: ptr = getelementptr i32, v0, v1, v1`: input 2 does not lead to an element of i32 (Types)
        n0 `v3: i32, v4: mem = load v0, v1, release, align 4`: its inputs end with mem and io, their only states (States)
        n0 `v3: token, v4: mem = load v0, v1, align 4`: the value has no size (Types)
        n0 `v3: i32, v4: mem = load v0, v1, syncscope("singlethread"), align 4`: only an atomic access has a scope (Payload)
        n0 `v3: [2 x i8], v4: mem = load v0, v1, unordered, align 4`: an atomic access is of integers, pointers or floats (Types)
        n0 `v4: { i8, i1 }, v5: mem, v6: io = cmpxchg v0, v1, v1, v2, v3, release, acq_rel, align 1`: a failed exchange does not release (Payload)
        n0 `v4: i8, v5: mem, v6: io = atomicrmw fadd v0, v1, v2, v3, monotonic, align 1`: the operand is not of a type that this update can have (Types)
        n0 `v2: mem, v3: io = fence v0, v1, monotonic`: a fence acquires or releases (Payload)
        n0 `call void (i32) v0(v1)`: argument 0 is not of its parameter's type (Types)
        n0 `call void () v0(v1)`: 1 arguments for 0 parameters (Arity)
        n0 `call i32 v0()`: a call's type is a function type (Types)
        n0 `v3: i32 = call nnan i32 () v0()`: only a call that returns floats has fast-math flags (Payload)
        n0 `v3: mem = call speculatable void () v0(), v1`: a speculatable call has no effects (Payload)
        n0 `call void (i32) v0(metadata "x")`: metadata is passed where the function takes a value (Types)
        n0 `v2: ctl(2) = ctl 2 of 2`: the alternative is not one of those there are (Payload)
        n0 `v3: ctl(2) = match i32 v0 [0 -> 3, _ -> 0] of 2`: alternative 3 is not one of 2 (MatchTable)
        n0 `v3: i32 = ext "a.b" (i64) -> (i32) v0`: inputs and outputs are those of the declared signature (Types)
        n0 `v3: i32 = ext "a.b" commutative (i32) -> (i32) v0`: a commutative operation has two inputs of one type (Payload)
        n0 `v2 = const i8 splat (i8 7)`: a splat is a vector of its element's type: i8 splat (i8 7) (Constants)
        n0 `v2 = const [2 x i8] c"abc"`: data has the bytes of its type: [2 x i8] c"abc" (Constants)
        n0 `v2 = const { i8, i8 } { i8 0 }`: an aggregate has the elements of its type: { i8, i8 } { i8 0 } (Constants)
        n0 `v2 = const i8 zeroinitializer`: integers and floats have their own zero: i8 zeroinitializer (Constants)
        n0 `v2 = const i8 add (i8 1, i16 1)`: inputs and output have one type: i8 add (i8 1, i16 1) (Constants)
        n0 `v2 = const i8 udiv (i8 1, i8 1)`: constants are not computed by this operation: i8 udiv (i8 1, i8 1) (Constants)
        n0 `v3 = const { ptr, ptr } { ptr ?0, ptr ?1 }, v0`: what fills a hole is a symbol, the same whenever it is computed (Constants)
        n0 `v3 = const { ptr, ptr } { ptr ?0, ptr ?1 }, v0`: the constant has 2 holes but 1 inputs fill them (Arity)
        n0 `v3 = const ptr ?0, v0`: what fills a hole is a symbol, the same whenever it is computed (Constants)
        n0 `v3 = const ptr ?0, v0`: an input differs in type from the hole it fills (Constants)
        n0 `v3 = const ptr ?0, v0`: what fills a hole is a symbol, the same whenever it is computed (Constants)
        n2 `v5 = const i64 ptrtoint (ptr ?0), v4`: what fills a hole is a symbol, the same whenever it is computed (Constants)
        n0 `v4: i32, v5: io, v6: mem = udiv v0, v1, v3, v2`: its inputs hold no state (States)
        n0 `v4: i32, v5: io = add v0, v1, v3`: its inputs hold no state (States)
    "#]].assert_eq(&text);
}

#[test]
fn all_violations_are_reported() {
    let violations = of_nodes("v0: i32", "v1: i64 = add v0, v0\nv2: i64 = sub v0, v0\nv3: i32 = fneg v0");
    assert_eq!(violations.len(), 3, "{violations:?}");
}

#[test]
fn an_untouched_body_is_valid() {
    let module = parse_module("@f = function void ()\nlambda @f [] untouched \"invoke\"\nexport @f\n");
    let module = module.expect("the text is right");
    assert!(module.verify().is_ok());
    let data = module.bodies.values().next().expect("there is a body");
    assert!(matches!(&data.code, Code::Untouched { construct } if &**construct == "invoke"));
}

#[test]
fn graphs_of_another_pool_are_found() {
    let violations = changed(|module| {
        let other = Module::new(Header::default());
        module.bodies.values_mut().next().expect("there is a body").code = Code::Graph(other.omega);
    });
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].invariant, Invariant::Bodies);
}

#[test]
fn a_symbol_fills_a_hole_wherever_it_is_routed() {
    let nodes = "v1: ctl(2) = match i1 v0 [true -> 1, _ -> 0]\n\
                 v2: ptr = gamma v1 (@g)\ncase 0 (v3: ptr) {\nv4 = const i64 ptrtoint (ptr ?0), v3\nyield v3\n}\n\
                 case 1 (v5: ptr) {\nyield v5\n}\nv6 = const i64 ptrtoint (ptr ?0), v2\n\
                 v7: ptr = theta (v8: ptr = v2) {\nv9 = const i64 ptrtoint (ptr ?0), v8\n\
                 v10: ctl(2) = ctl 0 of 2\nnext v8 while v10\n}\nv11 = const i64 ptrtoint (ptr ?0), v7\nyield mem0, io0\n";
    let symbols = "@f = function void (i1)\n@g = global i8\n@h = global i8\nimport @g\nimport @h\n";
    let text = format!("{symbols}lambda @f [@g, @h] (v0: i1, mem0, io0) {{\n{nodes}}}\nexport @f\n");
    assert_eq!(of_text(&text), []);
    let merged = text
        .replace("v2: ptr = gamma v1 (@g)", "v2: ptr = gamma v1 (@g, @h)")
        .replace("case 1 (v5: ptr) {\nyield v5\n}", "case 1 (v5: ptr, v12: ptr) {\nyield v12\n}");
    let merged = merged.replace("case 0 (v3: ptr) {", "case 0 (v3: ptr, v13: ptr) {");
    // The γ's output, what enters the θ with it, and what leaves the θ.
    assert_eq!(of_text(&merged).len(), 3, "{:?}", of_text(&merged));
}
