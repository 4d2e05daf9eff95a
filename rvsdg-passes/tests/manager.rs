//! The manager: numbering, limits, reports and independence of the number of threads.

use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use rvsdg_core::module::{Code, Header, SymbolKind};
use rvsdg_core::op::{BinaryFlags, IntBinary};
use rvsdg_core::structural::Lambda;
use rvsdg_core::text::parse_module;
use rvsdg_core::{BodyData, Graph, Module, Op, Symbol, SymbolData, Type, TypeKind};
use rvsdg_passes::{
    BisectLimit, BodyPass, Budget, Change, Entry, Execution, Manager, Observer, PassCx, Pipeline, PlannedPass, Stage,
    Threads,
};

/// Adds a function that returns its parameter, and next to that adds it to itself `dead` times for nothing.
fn add_function(module: &mut Module, name: &str, dead: usize) -> Symbol {
    let function = TypeKind::Function { result: Type::I32, params: [Type::I32].into(), variadic: false };
    let ty = module.pool.intern_type(function);
    let data = SymbolData::new(name, ty, SymbolKind::default());
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

/// `@f0` is called by `@f1`, that by `@f2`, and so on, each time twice.
fn tower(functions: usize) -> Module {
    let mut text = String::from("module \"tower\"\n\n");
    for index in 0..functions {
        text.push_str(&format!("@f{index} = function i32 (i32)\n"));
    }
    text.push_str("\nlambda @f0 [] (v0: i32, mem0, io0) {\n  v1: i32 = sub v0, v0\n  v2: i32 = add v0, v1\n  yield v2, mem0, io0\n}\nexport @f0\n");
    for index in 1..functions {
        let callee = format!("@f{}", index - 1);
        text.push_str(&format!("\nlambda @f{index} [{callee}] (v0: i32, mem0, io0) {{\n"));
        text.push_str(&format!("  v1: i32, mem1, io1 = call i32 (i32) {callee}(v0), mem0, io0\n"));
        text.push_str(&format!("  v2: i32, mem2, io2 = call i32 (i32) {callee}(v1), mem1, io1\n"));
        text.push_str(&format!("  yield v2, mem2, io2\n}}\nexport @f{index}\n"));
    }
    parse_module(&text).unwrap()
}

#[test]
fn what_is_nested_is_run_before_callers_are_looked_at() {
    let mut log = Log::default();
    let pipeline = Pipeline::parse("iln(red,dne),dne").unwrap();
    let mut tower = tower(3);
    Manager { verify_each: true, ..Manager::default() }.run_observed(&mut tower, &pipeline, &mut log).unwrap();
    assert_eq!(
        log.lines,
        [
            "1 inline module changed",
            "2 node-reduction f1 changed",
            "3 dead-node-elimination f1 changed",
            "4 inline module changed",
            "5 node-reduction f2 unchanged",
            "6 dead-node-elimination f2 unchanged",
            "7 inline module unchanged",
            "8 dead-node-elimination f0 unchanged",
            "9 dead-node-elimination f1 unchanged",
            "10 dead-node-elimination f2 unchanged",
            "11 dead-node-elimination module changed",
        ]
    );
    assert_eq!(nodes(&tower), [2, 0, 0]);
}

/// What a limit allows is what a higher one does first: only so is what breaks a program found by halving.
#[test]
fn limits_end_passes_from_the_leaves_up() {
    let pipeline = Pipeline::parse("iln(red,dne),dne").unwrap();
    let run = |limit: Option<BisectLimit>| {
        let (mut module, mut log) = (tower(4), Log::default());
        let manager = Manager { verify_each: true, bisect_limit: limit, ..Manager::default() };
        manager.run_observed(&mut module, &pipeline, &mut log).unwrap();
        log.lines.retain(|line| !line.ends_with("left out"));
        (module.to_string(), log.lines)
    };
    let (whole, lines) = run(None);
    for executions in 0..=lines.len() as u64 {
        let (text, done) = run(Some(BisectLimit { executions, rewrites: None }));
        assert_eq!(done, lines[..executions as usize]);
        assert_eq!(text == whole, executions as usize == lines.len(), "limit {executions}");
    }
    // The fourth execution inlines the two calls of `@f1`.
    let (text, _) = run(Some(BisectLimit { executions: 4, rewrites: Some(1) }));
    assert_eq!(text.matches(" call ").count(), 3);
}

/// Numbers that calls promise are rewrites, too.
#[test]
fn limits_end_what_is_written_down_at_calls() {
    let test = include_str!("../../tests/filetests/attrs/launch_bounds.rvsdg");
    let (source, _) = test.split_once("; EXPECT:").unwrap();
    let promises = |rewrites: u64| {
        let (mut module, pipeline) = (parse_module(source).unwrap(), Pipeline::parse("attrs").unwrap());
        let limit = BisectLimit { executions: 1, rewrites: Some(rewrites) };
        let manager = Manager { verify_each: true, bisect_limit: Some(limit), ..Manager::default() };
        manager.run(&mut module, &pipeline).unwrap();
        module.to_string().lines().filter(|line| line.contains(" call ") && line.contains('#')).count()
    };
    // Four calls have promised something before.
    assert_eq!([0, 1, 5, 100].map(promises), [4, 5, 9, 20]);
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
    module.header.comdats.push(("c".into(), "nonsense".into()));
    let broken = Manager::default().run(&mut module, &Pipeline::parse("dne").unwrap()).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "the module is not valid before the first pass\n  comdat c: `nonsense` is no kind of comdat (SymbolKeywords)"
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
    let nested = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut module, mut log) = (tower(40), Log::default());
            Manager::default().run_observed(&mut module, &Pipeline::parse("default<O2>").unwrap(), &mut log).unwrap();
            (module.to_string(), log.lines)
        })
    };
    assert!(nested(1) == nested(4));
}

#[test]
fn report_says_which_bodies_changed() {
    let mut module = module(3);
    let report = Manager::default().run(&mut module, &Pipeline::parse("dne").unwrap()).unwrap();
    let changed: Vec<bool> = module.bodies.keys().map(|body| report.is_changed(body)).collect();
    assert_eq!(changed, [false, true, true]);
    assert!(!report.is_omega_changed());
}

/// Where a pass was run.
struct Threaded(Arc<Mutex<Vec<ThreadId>>>);

impl BodyPass for Threaded {
    fn run(&self, _: &mut Graph, _: &PassCx) -> Change {
        self.0.lock().unwrap().push(std::thread::current().id());
        Change::Unchanged
    }
}

#[test]
fn one_thread_is_the_callers() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = seen.clone();
    let stages = move || vec![Stage::Bodies(Box::new(Threaded(recorded.clone())))];
    let planned = PlannedPass::new(Entry::new("threaded", "", stages));
    let pipeline: Pipeline =
        [planned].into_iter().chain(Pipeline::parse("default<O2>").unwrap().passes().to_vec()).collect();
    let manager = Manager { threads: Threads::Current, ..Manager::default() };
    let mut alone = tower(40);
    manager.run(&mut alone, &pipeline).unwrap();
    let here = std::thread::current().id();
    let seen = seen.lock().unwrap();
    assert!(seen.len() > 1 && seen.iter().all(|&thread| thread == here));
    let mut together = tower(40);
    Manager::default().run(&mut together, &Pipeline::parse("default<O2>").unwrap()).unwrap();
    assert_eq!(alone.to_string(), together.to_string());
}

#[test]
fn spent_budgets_stop_passes_alike_everywhere() {
    let pipeline = Pipeline::parse("default<O2>").unwrap();
    let run = |rewrites, threads| {
        let mut module = tower(20);
        let budget = Budget { rewrites, time: None };
        let manager = Manager { budget, threads, verify_each: true, ..Manager::default() };
        let report = manager.run(&mut module, &pipeline).unwrap();
        (module.to_string(), report.passes().iter().map(|pass| pass.skipped).sum::<u64>())
    };
    let before = tower(20).to_string();
    let (whole, skipped) = run(None, Threads::Pool);
    assert_eq!(skipped, 0);
    let (none, skipped) = run(Some(0), Threads::Pool);
    assert!(none == before && skipped > 0);
    let mut last = 0;
    for rewrites in 1..8 {
        let (text, skipped) = run(Some(rewrites), Threads::Pool);
        assert_eq!((&text, skipped), (&run(Some(rewrites), Threads::Current).0, skipped));
        last = skipped;
    }
    assert_eq!(run(Some(1_000_000), Threads::Pool), (whole, 0));
    assert!(last < run(Some(0), Threads::Pool).1);
}

#[test]
fn time_that_is_over_stops_passes() {
    let mut module = tower(20);
    let before = module.to_string();
    let budget = Budget { rewrites: None, time: Some(Duration::ZERO) };
    let report = Manager { budget, ..Manager::default() }.run(&mut module, &Pipeline::parse("default<O2>").unwrap());
    assert!(report.unwrap().passes().iter().all(|pass| pass.executions == 0));
    assert_eq!(module.to_string(), before);
}
