//! A front end for functions in postfix notation. A line is a function: its name, how many parameters it has, `=`, and what it
//! returns. The parameters are `a`, `b`, …; `x y c ?` is `x` where `c` is not zero, and otherwise `y`.
//!
//! ```text
//! max 2 = a b a b > ?
//! norm 2 = a a * b b * + 0 +
//! ```
//!
//! `example-front-end FILE` writes LLVM IR; `example-front-end FILE NAME NUMBER…` runs a function. Nothing here needs LLVM.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_core::attribute::AttributeList;
use rvsdg_core::module::{BodyData, Code, Header, SymbolData, SymbolKind};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, IntBinary, IntPredicate, Op};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Graph, Module, Origin, Type, TypeKind};
use rvsdg_interp::value::Value;
use rvsdg_interp::{Config, Machine};
use rvsdg_passes::{Manager, Pipeline};

/// The body of a function that returns what a text in postfix notation says.
fn body(module: &Module, params: usize, text: &str) -> Result<Graph, String> {
    let mut graph = Graph::new(module.pool.clone());
    let root = graph.root();
    // A body's arguments are the parameters and the states; its results are the returned value and the states.
    let params: Vec<Origin> = (0..params).map(|_| graph.add_argument(root, Type::I64)).collect();
    let states = [Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
    let mut stack = Vec::new();
    for word in text.split_whitespace() {
        let mut add = |op: Op, inputs: &[Origin], ty: Type| {
            let node = graph.add_simple(root, op, inputs, &[ty]);
            graph.output(node, 0)
        };
        let mut pop = || stack.pop().ok_or_else(|| format!("'{word}' needs more operands"));
        let value = match word {
            "+" | "-" | "*" => {
                let (y, x) = (pop()?, pop()?);
                let op = match word {
                    "+" => IntBinary::Add,
                    "-" => IntBinary::Sub,
                    _ => IntBinary::Mul,
                };
                add(Op::IntBinary { op, flags: BinaryFlags::NONE }, &[x, y], Type::I64)
            }
            ">" => {
                let (y, x) = (pop()?, pop()?);
                let greater = add(Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false }, &[x, y], Type::I1);
                add(Op::Cast { op: CastOp::ZExt, flags: CastFlags::default() }, &[greater], Type::I64)
            }
            "?" => {
                let (condition, y, x) = (pop()?, pop()?, pop()?);
                let zero = add(Op::Const(module.pool.int_const(Type::I64, 0)), &[], Type::I64);
                let holds =
                    add(Op::ICmp { predicate: IntPredicate::Ne, same_sign: false }, &[condition, zero], Type::I1);
                add(Op::Select(FastMath::NONE), &[holds, x, y], Type::I64)
            }
            _ => match (word.parse::<i64>(), word.bytes().next()) {
                (Ok(number), _) => add(Op::Const(module.pool.int_const(Type::I64, number as u64)), &[], Type::I64),
                (_, Some(letter @ b'a'..=b'z')) if word.len() == 1 => {
                    *params.get(usize::from(letter - b'a')).ok_or_else(|| format!("there is no parameter '{word}'"))?
                }
                _ => return Err(format!("'{word}' means nothing")),
            },
        };
        stack.push(value);
    }
    let [result] = stack[..] else { return Err(format!("{} values are left instead of one", stack.len())) };
    for origin in [result].into_iter().chain(states) {
        graph.add_result(root, origin);
    }
    Ok(graph)
}

/// Adds a function that others can see.
fn define(module: &mut Module, name: &str, params: usize, graph: Graph) {
    let params = vec![Type::I64; params].into();
    let value_type = module.pool.intern_type(TypeKind::Function { result: Type::I64, params, variadic: false });
    let symbol = module.add_symbol(SymbolData {
        name: name.into(),
        value_type,
        address_space: 0,
        linkage: "",
        visibility: "",
        dll_storage: "",
        thread_local: "",
        unnamed_addr: "",
        dso_local: false,
        section: None,
        partition: None,
        comdat: None,
        align: None,
        kind: SymbolKind::Function {
            convention: 0,
            attributes: module.pool.intern_attributes(AttributeList::default()),
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        },
    });
    let body = module.bodies.insert(BodyData { symbol, code: Code::Graph(graph) });
    let root = module.omega.root();
    let address = Lambda::add(&mut module.omega, root, body).output(&module.omega);
    module.add_export(address);
}

/// The optimized module of a text.
fn compile(text: &str) -> Result<Module, Box<dyn Error>> {
    let mut module = Module::new(Header::default());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |what: &str| format!("line {}: {what}", number + 1);
        let (head, expression) = line.split_once('=').ok_or_else(|| wrong("there is no '='"))?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let [name, params] = words[..] else { return Err(wrong("expected a name and a number before '='").into()) };
        let params = params.parse().map_err(|_| wrong("expected a number of parameters"))?;
        let graph = body(&module, params, expression).map_err(|what| wrong(&what))?;
        define(&mut module, name, params, graph);
    }
    Manager::default().run(&mut module, &Pipeline::parse("default<O2>")?)?;
    Ok(module)
}

/// The module as LLVM IR.
fn emit(module: &Module) -> Result<String, Box<dyn Error>> {
    let recovered = module.bodies.iter().filter_map(|(body, data)| {
        // No function mentions another one: there are no context variables.
        data.graph().map(|graph| (body, destruct(graph, 0, Recovery::Predicative)))
    });
    let recovered: BTreeMap<Body, Cfg> = recovered.collect();
    Ok(rvsdg_emit::emit_module(module.verify()?, &|body| recovered.get(&body))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, call @ ..] = &arguments[..] else { return Err("usage: example-front-end FILE [NAME NUMBER…]".into()) };
    let module = compile(&std::fs::read_to_string(file)?)?;
    let [name, numbers @ ..] = call else {
        print!("{}", emit(&module)?);
        return Ok(());
    };
    let numbers: Vec<i64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
    let values: Vec<Value> = numbers.iter().map(|&number| Value::from_bits(64, number as u64 as u128)).collect();
    let (stdout, stderr) = (Box::new(std::io::stdout()), Box::new(std::io::stderr()));
    let mut machine =
        Machine::new(module.verify()?, Config::default(), stdout, stderr).map_err(|outcome| outcome.to_string())?;
    println!("{}", machine.call(name, &values));
    Ok(())
}
