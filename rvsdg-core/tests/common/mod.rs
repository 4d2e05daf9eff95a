//! What several tests build.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use rvsdg_core::attribute::AttributeList;
use rvsdg_core::module::{
    BodyData, Code, DllStorage, Header, Linkage, SymbolKind, ThreadLocal, UnnamedAddr, Visibility,
};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Const, Graph, Module, Op, Origin, Pool, Symbol, SymbolData, Type, TypeKind, text};

/// A function symbol with default properties.
pub fn function(pool: &Pool, name: &str, result: Type, params: &[Type]) -> SymbolData {
    SymbolData {
        name: name.into(),
        value_type: pool.intern_type(TypeKind::Function { result, params: params.into(), variadic: false }),
        address_space: 0,
        linkage: Linkage::External,
        visibility: Visibility::Default,
        dll_storage: DllStorage::Default,
        thread_local: ThreadLocal::None,
        unnamed_addr: UnnamedAddr::None,
        dso_local: false,
        section: None,
        partition: None,
        comdat: None,
        align: None,
        kind: SymbolKind::Function {
            convention: 0,
            attributes: pool.intern_attributes(AttributeList::default()),
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        },
    }
}

/// A global variable with default properties and perhaps an initializer.
pub fn variable(pool: &Pool, name: &str, value_type: Type, initializer: Option<Const>) -> SymbolData {
    SymbolData {
        value_type,
        kind: SymbolKind::Variable {
            constant: false,
            externally_initialized: false,
            unescaped: false,
            owner: false,
            initializer,
            attributes: pool.intern_attributes(AttributeList::default()),
            code_model: None,
            sanitizer: [].into(),
        },
        ..function(pool, name, Type::VOID, &[])
    }
}

/// A module without a name.
pub fn module() -> Module {
    Module::new(Header::default())
}

/// Adds a function that `build` gives its body: from the graph and its arguments to its results but for states.
pub fn define(
    module: &mut Module,
    name: &str,
    params: &[Type],
    result: Option<Type>,
    build: impl FnOnce(&mut Graph, &[Origin]) -> Vec<Origin>,
) -> (Symbol, Body) {
    let data = function(&module.pool, name, result.unwrap_or(Type::VOID), params);
    let symbol = module.add_symbol(data);
    let graph = body(&module.pool, params, build);
    let body = module.bodies.insert(BodyData { symbol, code: Code::Graph(graph) });
    let root = module.omega.root();
    let lambda = Lambda::add(&mut module.omega, root, body);
    let output = lambda.output(&module.omega);
    module.add_export(output);
    (symbol, body)
}

/// A body with parameters, `mem` and `io` as arguments. What `build` returns are the results, states included.
pub fn body(pool: &Arc<Pool>, params: &[Type], build: impl FnOnce(&mut Graph, &[Origin]) -> Vec<Origin>) -> Graph {
    let mut graph = Graph::new(pool.clone());
    let root = graph.root();
    let arguments: Vec<Origin> =
        params.iter().chain(&[Type::MEM, Type::IO]).map(|&ty| graph.add_argument(root, ty)).collect();
    for result in build(&mut graph, &arguments) {
        graph.add_result(root, result);
    }
    graph
}

/// Adds a simple node at the end of the root region; its outputs.
pub fn simple(graph: &mut Graph, op: Op, inputs: &[Origin], outputs: &[Type]) -> Vec<Origin> {
    let root = graph.root();
    let node = graph.add_simple(root, op, inputs, outputs);
    graph.outputs(node).to_vec()
}

/// The text of a valid module that round-trips.
pub fn checked(module: &Module) -> String {
    if let Err(violations) = module.verify() {
        panic!("{}\n{}", violations[0], text::print_module(module));
    }
    text::assert_round_trip(module);
    text::print_module(module)
}
