//! Generated LLVM modules go through the graph and passes: LLVM takes what comes out, and programs print the same, also
//! under the interpreter.

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::exported;
use rvsdg_cfg::destruct::Recovery;
use rvsdg_cfg::{construct, restructure};
use rvsdg_core::Module;
use rvsdg_core::graph::Graph;
use rvsdg_core::module::Code;
use rvsdg_core::text::{parse_module, print_module};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::llvm::{self, Options};
use rvsdg_gen::modules::pipeline;
use rvsdg_gen::property::{for_all, for_some};
use rvsdg_gen::runs::runs;
use rvsdg_interp::{Config, Outcome, Value, observe};
use rvsdg_llvm::{Format, LlvmModule, import};
use rvsdg_passes::{Manager, PassCx, Pipeline, Registry, Stage};

/// Bytes of choices of a module.
const BYTES: usize = 2_000;

const WAYS: [(Recovery, bool); 4] = [
    (Recovery::Predicative, true),
    (Recovery::Structured, true),
    (Recovery::Predicative, false),
    (Recovery::Structured, false),
];

fn parse(source: &str) -> LlvmModule {
    LlvmModule::parse(source.as_bytes(), "generated").unwrap_or_else(|error| panic!("{error}")).0
}

/// The module with graphs as bodies.
fn graphs(source: &str) -> Module {
    let mut import = import(parse(source));
    for (body, cfg) in &import.cfgs {
        let cfg = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        let graph = construct::build(&cfg, &restructure::Options::default());
        import.module.bodies[*body].code = Code::Graph(graph);
    }
    import.module
}

fn any_pipeline(entropy: &mut Entropy<'_>) -> String {
    let names: Vec<&str> = Registry::builtin().passes().iter().map(|entry| entry.name).collect();
    pipeline(entropy, &names)
}

#[test]
fn any_module_goes_through() {
    let make = |entropy: &mut Entropy<'_>| llvm::module(entropy, Options { defined: false, ..Options::RUNNABLE });
    for_all(BYTES, make, Clone::clone, |source| {
        let module = graphs(source);
        if let Err(violations) = module.verify() {
            panic!("{}", violations[0]);
        }
        let text = print_module(&module);
        assert_eq!(print_module(&parse_module(&text).unwrap_or_else(|error| panic!("{error}"))), text);
        for (recovery, originals) in WAYS {
            let mut llvm = exported(source.as_bytes(), recovery, originals, |_| ())
                .unwrap_or_else(|error| panic!("{recovery:?} {originals}: {error}"));
            llvm.verify().unwrap_or_else(|error| panic!("{recovery:?} {originals}: {error}"));
        }
    });
}

#[test]
fn the_interpreter_sees_no_difference_after_passes() {
    let make = |entropy: &mut Entropy<'_>| (any_pipeline(entropy), llvm::module(entropy, Options::RUNNABLE));
    for_all(
        BYTES,
        make,
        |(text, source)| format!("{text}\n{source}"),
        |(text, source)| {
            let module = graphs(source);
            let mut transformed = module.clone();
            let pipeline = Pipeline::parse(text).expect("it consists of passes");
            let manager = Manager { verify_each: true, ..Manager::default() };
            manager.run(&mut transformed, &pipeline).unwrap_or_else(|broken| panic!("{broken}"));
            let before = runs(&module);
            assert!(before.undefined().is_none(), "{:?}", before.undefined());
            before.keep(&transformed).unwrap_or_else(|why| panic!("{why}"));
        },
    );
}

/// Runs a program. What it prints is less than a pipe holds.
fn run(bitcode: &[u8]) -> Output {
    let mut command = Command::new("lli-22");
    command.args(["-O0", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("lli can be started");
    child.stdin.take().expect("it is piped").write_all(bitcode).expect("lli reads it");
    child.wait_with_output().expect("lli can be waited for")
}

/// Runs the passes of a pipeline that are on bodies.
fn transform(graph: &mut Graph, pipeline: &Pipeline) {
    for pass in pipeline.passes() {
        for stage in pass.stages.iter() {
            match stage {
                Stage::Bodies(pass) => _ = pass.run(graph, &PassCx::new()),
                Stage::Module(_) | Stage::BottomUp(_) => {}
            }
        }
    }
}

/// Native code does what the interpreter does, and the same after passes.
fn native_code(way: usize) {
    let make = |entropy: &mut Entropy<'_>| (any_pipeline(entropy), llvm::module(entropy, Options::RUNNABLE));
    // Together, the ways of writing the module have as many cases as any property.
    for_some(
        WAYS.len() as u32,
        BYTES,
        make,
        |(text, source)| format!("{text}\n{source}"),
        |(text, source)| {
            let expected = run(&parse(source).write(Format::Bitcode));
            assert!(expected.status.success(), "{expected:?}");
            let module = graphs(source);
            let verified = module.verify().unwrap_or_else(|violations| panic!("{}", violations[0]));
            let config = Config { fuel: 50_000_000, ..Config::default() };
            let interpreted = observe(verified, "main", &[], config);
            assert_eq!(interpreted.outcome, Outcome::Returned(Some(Value::Int(0))), "the interpreter");
            let printed = String::from_utf8_lossy(&expected.stdout).into_owned();
            assert_eq!(String::from_utf8_lossy(&interpreted.output), printed, "the interpreter");
            let pipeline = Pipeline::parse(text).expect("it consists of passes");
            let (recovery, originals) = WAYS[way];
            let mut llvm = exported(source.as_bytes(), recovery, originals, |graph| transform(graph, &pipeline))
                .unwrap_or_else(|error| panic!("{error}"));
            llvm.verify().unwrap_or_else(|error| panic!("{error}"));
            let actual = run(&llvm.write(Format::Bitcode));
            assert_eq!(actual.status, expected.status);
            assert_eq!(String::from_utf8_lossy(&actual.stdout), printed);
        },
    );
}

#[test]
fn native_code_is_the_same_recovered_predicatively() {
    native_code(0);
}

#[test]
fn native_code_is_the_same_recovered_structured() {
    native_code(1);
}

#[test]
fn native_code_is_the_same_from_scratch_predicatively() {
    native_code(2);
}

#[test]
fn native_code_is_the_same_from_scratch_structured() {
    native_code(3);
}
