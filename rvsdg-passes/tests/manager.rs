//! The manager: numbering, limits, reports and independence of the number of threads.

use rvsdg_core::module::{Code, Header, SymbolKind};
use rvsdg_core::op::{BinaryFlags, IntBinary};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{BodyData, Graph, Module, Op, Symbol, SymbolData, Type, TypeKind};
use rvsdg_passes::{BisectLimit, Change, Execution, Manager, Observer, Pipeline};

/// Adds a function that returns its parameter, and next to that adds it to itself `dead` times for nothing.
fn add_function(module: &mut Module, name: &str, dead: usize) -> Symbol {
    let function = TypeKind::Function { result: Type::I32, params: [Type::I32].into(), variadic: false };
    let data = SymbolData {
        name: name.into(),
        value_type: module.pool.intern_type(function),
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
            attributes: module.pool.intern_attributes(Default::default()),
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        },
    };
    let symbol = module.add_symbol(data);
    let mut graph = Graph::new(module.pool.clone());
    let root = graph.root();
    let [parameter, mem, io] = [Type::I32, Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
    let add = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
    for _ in 0..dead {
        graph.add_simple(root, add, &[parameter, parameter], &[Type::I32]);
    }
    for origin in [parameter, mem, io] {
        graph.add_result(root, origin);
    }
    let body = module.bodies.insert(BodyData { symbol, code: Code::Graph(graph) });
    let root = module.omega.root();
    let lambda = Lambda::add(&mut module.omega, root, body);
    let output = lambda.output(&module.omega);
    module.add_export(output);
    symbol
}

/// A module in which function number `i` has `i` dead nodes.
fn module(functions: usize) -> Module {
    let mut module = Module::new(Header::default());
    for index in 0..functions {
        add_function(&mut module, &format!("f{index}"), index);
    }
    module
}

fn nodes(module: &Module) -> Vec<usize> {
    let graph = |&symbol| {
        let body = module.bodies.values().find(|body| body.symbol == symbol).expect("every function has a body");
        body.graph().expect("every body is a graph").node_count()
    };
    module.order.iter().map(graph).collect()
}

#[derive(Default)]
struct Log {
    lines: Vec<String>,
    every_stage: bool,
}

impl Observer for Log {
    fn wants_every_stage(&self) -> bool {
        self.every_stage
    }

    fn executed(&mut self, module: &Module, execution: &Execution) {
        let function = execution.function.map_or("module", |symbol| &module.symbols[symbol].name);
        let outcome = match execution.change {
            None => "left out",
            Some(Change::Changed) => "changed",
            Some(Change::Unchanged) => "unchanged",
        };
        self.lines.push(format!("{} {} {function} {outcome}", execution.number, execution.pass));
    }

    fn stage_done(&mut self, _module: &Module, pass: &'static str) {
        self.lines.push(format!("{pass} done"));
    }
}

#[test]
fn executions_are_numbered_by_stage_then_body() {
    let mut log = Log::default();
    let pipeline = Pipeline::parse("cne,dne").unwrap();
    let report = Manager::default().run_observed(&mut module(3), &pipeline, &mut log).unwrap();
    assert_eq!(
        log.lines,
        [
            "1 common-node-elimination module unchanged",
            "2 common-node-elimination f0 unchanged",
            "3 common-node-elimination f1 unchanged",
            "4 common-node-elimination f2 unchanged",
            "5 dead-node-elimination f0 unchanged",
            "6 dead-node-elimination f1 changed",
            "7 dead-node-elimination f2 changed",
            "8 dead-node-elimination module unchanged",
        ]
    );
    assert_eq!(report.executions(), 8);
    assert_eq!(report.passes()[1].counters["nodes"], 3);
}

#[test]
fn limit_leaves_out_later_executions() {
    let pipeline = Pipeline::parse("dne").unwrap();
    for limit in 0..6 {
        let mut module = module(4);
        let manager =
            Manager { bisect_limit: Some(BisectLimit { executions: limit, rewrites: None }), ..Manager::default() };
        let report = manager.run(&mut module, &pipeline).unwrap();
        let expected: Vec<usize> = (0..4).map(|index| if index < limit as usize { 0 } else { index }).collect();
        assert_eq!(nodes(&module), expected, "limit {limit}");
        assert_eq!(report.executions(), 5);
    }
}

/// A module that is not valid never comes to a pass.
#[test]
fn invalid_modules_are_refused() {
    let mut module = module(2);
    let symbol = module.order[0];
    module.symbols[symbol].linkage = "nonsense";
    let broken = Manager::default().run(&mut module, &Pipeline::parse("dne").unwrap()).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "the module is not valid before the first pass\n  @f0: `nonsense` is not a keyword there (SymbolKeywords)"
    );
}

#[test]
fn observing_every_stage_changes_nothing_else() {
    let pipeline = Pipeline::parse("dne,cne,dne").unwrap();
    let (mut plain, mut every) = (Log::default(), Log { every_stage: true, ..Log::default() });
    let (mut first, mut second) = (module(5), module(5));
    Manager::default().run_observed(&mut first, &pipeline, &mut plain).unwrap();
    Manager::default().run_observed(&mut second, &pipeline, &mut every).unwrap();
    assert_eq!(every.lines.iter().filter(|line| line.ends_with("done")).count(), 6);
    every.lines.retain(|line| !line.ends_with("done"));
    assert_eq!(plain.lines, every.lines);
    assert_eq!(nodes(&first), nodes(&second));
}

#[test]
fn number_of_threads_does_not_matter() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut module, mut log) = (module(200), Log::default());
            let pipeline = Pipeline::parse("dne,cne,dne").unwrap();
            let manager = Manager {
                verify_each: true,
                bisect_limit: Some(BisectLimit { executions: 500, rewrites: None }),
                ..Manager::default()
            };
            manager.run_observed(&mut module, &pipeline, &mut log).unwrap();
            (nodes(&module), log.lines)
        })
    };
    assert!(run(1) == run(4));
}

#[test]
fn report_says_which_bodies_changed() {
    let mut module = module(3);
    let report = Manager::default().run(&mut module, &Pipeline::parse("dne").unwrap()).unwrap();
    let changed: Vec<bool> = module.bodies.keys().map(|body| report.is_changed(body)).collect();
    assert_eq!(changed, [false, true, true]);
    assert!(!report.is_omega_changed());
}
