//! Generated kernels on the machine that executes threads in warps.

use std::collections::BTreeMap;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::divergence::Divergence;
use rvsdg_core::{Module, Origin};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::{ENTRY, THREADS, kernel};
use rvsdg_gen::weights::{Size, Weights};
use rvsdg_interp::observe::{Byte, Object};
use rvsdg_interp::simt::{Fault, Form, Launch, Model, Report, Uniform, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome, Value};

const BLOCKS: u64 = 2;
/// Steps of a kernel as it was written. What the passes made of it may take more: recovered control flow has instructions of its own.
const FUEL: u64 = 400_000;
/// The kernel's parameter for what it writes.
const WRITTEN: usize = 3;

/// A kernel whose runs are defined, but for races in some.
pub fn any_kernel(entropy: &mut Entropy<'_>) -> Module {
    kernel(entropy, &Weights::defined(false), Size::SMALL)
}

/// Launches the kernel of a valid module.
pub fn run(module: &Module, form: Form, model: Model, uniform: Option<&Uniform<'_>>) -> Report {
    let fuel = match form {
        Form::Graph => FUEL,
        Form::ControlFlow(_) => 8 * FUEL,
    };
    let verified = module.verify().unwrap_or_else(|violations| panic!("{violations}"));
    let words = (0..THREADS).flat_map(|index| (index * index % 11).to_le_bytes()).collect();
    let arguments = [
        Argument::Value(Value::Int(5)),
        Argument::Value(Value::Int(77)),
        Argument::Memory(Buffer::new(words, 8)),
        Argument::Memory(Buffer::new(vec![0; (8 * BLOCKS * THREADS) as usize], 8)),
    ];
    let [blocks, threads] = [BLOCKS, THREADS].map(|count| [count as u32, 1, 1]);
    let launched = Launch { kernel: ENTRY, blocks, threads, arguments: &arguments, shared: 0, form, model, uniform };
    launch(verified, &launched, Config { fuel, memory: 1 << 22, depth: 50, ..Config::default() })
}

/// What a kernel wrote, where it came to its end and nothing was wrong.
pub fn written(report: &Report) -> Option<&[Byte]> {
    let is_out = |object: &Object| *object == Object::Argument(WRITTEN);
    let memory = report.memory.iter().find(|contents| is_out(&contents.object))?;
    (report.outcome == Outcome::Returned(None) && report.faults.is_empty()).then_some(&memory.bytes)
}

/// Checks that values which divergence analysis calls uniform are. How many it does, of how many, and whether the kernel came to
/// its end.
///
/// # Panics
/// When one is not.
#[track_caller]
pub fn nothing_uniform_differs(module: &Module) -> (usize, usize, bool) {
    let all = Surroundings::of_all(module);
    let mut functions = BTreeMap::new();
    let (mut uniform, mut values) = (0, 0);
    for (&body, surroundings) in &all {
        let Some(graph) = module.bodies[body].graph() else { continue };
        let name = module.symbols[module.bodies[body].symbol].name.to_string();
        let divergence = Divergence::of(graph, surroundings).expect("the machine executes warps");
        for node in graph.all_nodes() {
            let known = graph.outputs(node).iter().filter(|&&output| !graph.ty(output).is_state());
            known.for_each(|&output| {
                values += 1;
                uniform += usize::from(divergence.is_uniform(output));
            });
        }
        functions.insert(name, divergence);
    }
    let is_uniform = |function: &str, origin: Origin| functions[function].is_uniform(origin);
    let report = run(module, Form::Graph, Model::Stack, Some(&is_uniform));
    let wrong = report.faults.iter().find(|fault| matches!(fault, Fault::NotUniform { .. }));
    assert!(wrong.is_none(), "{}", wrong.map(Fault::to_string).unwrap_or_default());
    (uniform, values, report.outcome == Outcome::Returned(None))
}
