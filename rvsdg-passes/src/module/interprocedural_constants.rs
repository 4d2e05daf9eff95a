//! Interprocedural constant propagation: a parameter that is the same constant in all calls of a function becomes that constant.
//!
//! ```text
//! lambda @add [] (v0: i32, v1: i32, mem0, io0) {
//!   v2: i32 = add v0, v1
//!   yield v2, mem0, io0
//! }
//!
//! lambda @f [@add] (v0: i32, mem0, io0) {
//!   v1 = const i32 7
//!   v2: i32, mem1, io1 = call i32 (i32, i32) @add(v0, v1), mem0, io0
//!   yield v2, mem1, io1
//! }
//! export @f
//! ```
//!
//! becomes, if that is the only call of `@add`,
//!
//! ```text
//! lambda @add [] (v0: i32, v1: i32, mem0, io0) {
//!   v2 = const i32 7
//!   v3: i32 = add v0, v2
//!   yield v3, mem0, io0
//! }
//! ```
//!
//! Only functions qualify that nobody else can call: those of internal linkage whose only uses are direct calls. Parameters that a
//! function passes on are followed, optimistically: all parameters are assumed constant until a call passes something else.
//!
//! Statistics: `parameters` that became constant.
//!
//! Running it again finds parameters that have become constant since.
//!
//! Cost: linear in the size of the module.
//!
//! Left out: constants with symbols; ranges; copies of functions for some of their calls; removal of the parameters. Constant
//! results are propagated by invariant value redirection ([`crate::control::invariant_value_redirection`]).
//!
//! After "Interprocedural constant propagation" by Callahan, Cooper, Kennedy and Torczon (POPL 1986).

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::CallGraph;
use rvsdg_analysis::call_graph::FunctionUses;
use rvsdg_analysis::callee::takes;
use rvsdg_analysis::function::is_opaque;
use rvsdg_analysis::invariant::follow_out;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Const, Constant, Graph, Module, Op, Origin, OriginDef, Symbol, TypeKind, Use};

use crate::module::calls::call_graph;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The one stage of the pass.
pub struct InterproceduralConstants;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(InterproceduralConstants))]
}

/// A parameter of a function, by position.
type Parameter = (Symbol, u32);

/// The argument of a call.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Passed {
    Constant(Const),
    /// A parameter of the calling function.
    Parameter(Parameter),
    Unknown,
}

impl ModulePass for InterproceduralConstants {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let calls = Calls::of(module);
        let known = calls.known();
        let mut change = Change::Unchanged;
        for lambda in module.lambdas() {
            let body = lambda.body();
            let symbol = module.bodies[body].symbol;
            let Some(&parameters) = calls.candidates.get(&symbol) else { continue };
            let contexts = calls.graph.contexts(body).len();
            let Some(graph) = module.bodies[body].graph_mut() else { continue };
            for index in 0..parameters {
                let Some(&constant) = known.get(&(symbol, index)) else { continue };
                let argument = graph.arguments(graph.root())[contexts + index as usize];
                let user = graph.users_of(argument).find_map(|user| match graph.site(user) {
                    Use::Input(node, _) => Some(node),
                    Use::Result(..) => None,
                });
                if user.is_some_and(|user| cx.rewrite("parameter", graph, user)) {
                    cx.count("parameters", 1);
                    replace(graph, argument, constant);
                    cx.body_changed(body);
                    change = Change::Changed;
                }
            }
        }
        change
    }
}

/// The calls of functions whose only uses are direct calls.
struct Calls {
    graph: CallGraph,
    /// Functions with the number of their parameters.
    candidates: FxHashMap<Symbol, u32>,
    /// The argument of each call for each parameter.
    passed: Vec<(Parameter, Passed)>,
}

impl Calls {
    fn of(module: &Module) -> Calls {
        let calls = call_graph(module);
        let uses = FunctionUses::of(module, &calls);
        let graphs = || calls.bodies().iter().filter_map(|&body| Some((body, module.bodies[body].graph()?)));
        let mut candidates: FxHashMap<Symbol, u32> = FxHashMap::default();
        for (body, graph) in graphs() {
            let symbol = module.bodies[body].symbol;
            if (uses.is_only_called(symbol) || seeded::is_active(Bug::IpcOtherUses))
                && !graph.has_funclets()
                && let Some(parameters) = parameters(module, symbol)
            {
                candidates.insert(symbol, parameters);
            }
        }
        let mut odd: FxHashSet<Symbol> = FxHashSet::default();
        let mut passed = Vec::new();
        for (body, graph) in graphs() {
            let own = (module.bodies[body].symbol, calls.contexts(body).len());
            for (call, callee) in calls.calls(body) {
                let Some(&parameters) = candidates.get(&callee) else { continue };
                let Some(Op::Call(info) | Op::Invoke(info)) = graph.op(call) else { continue };
                if !takes(&module.symbols[callee], graph.pool().call(info)) {
                    odd.insert(callee);
                    continue;
                }
                for index in 0..parameters {
                    let value = pass(graph, graph.input(call, index as usize + 1), own, &candidates);
                    passed.push(((callee, index), value));
                }
            }
        }
        candidates.retain(|symbol, _| !odd.contains(symbol));
        Calls { graph: calls, candidates, passed }
    }

    /// The parameters that are the same constant in all calls.
    fn known(&self) -> FxHashMap<Parameter, Const> {
        // The parameters to which a parameter is passed on.
        let mut onwards: FxHashMap<Parameter, Vec<Parameter>> = FxHashMap::default();
        // Absent while no argument is known; `None` if arguments differ.
        let mut values: FxHashMap<Parameter, Option<Const>> = FxHashMap::default();
        let mut pending: Vec<Parameter> = Vec::new();
        let meet = |values: &mut FxHashMap<Parameter, Option<Const>>, to: Parameter, value: Option<Const>| {
            let old = values.get(&to).copied();
            let new = match old {
                None => value,
                Some(old) => old.filter(|_| old == value || seeded::is_active(Bug::IpcFirstCall)),
            };
            (old != Some(new)).then(|| values.insert(to, new)).is_some()
        };
        for &(to, passed) in &self.passed {
            let changed = match passed {
                Passed::Constant(constant) => meet(&mut values, to, Some(constant)),
                Passed::Parameter(from) if self.candidates.contains_key(&from.0) => {
                    onwards.entry(from).or_default().push(to);
                    false
                }
                Passed::Parameter(_) | Passed::Unknown if seeded::is_active(Bug::IpcUnknown) => false,
                Passed::Parameter(_) | Passed::Unknown => meet(&mut values, to, None),
            };
            if changed {
                pending.push(to);
            }
        }
        while let Some(from) = pending.pop() {
            let value = values[&from];
            for &to in onwards.get(&from).into_iter().flatten() {
                if meet(&mut values, to, value) {
                    pending.push(to);
                }
            }
        }
        values.into_iter().filter_map(|(parameter, value)| Some((parameter, value?))).collect()
    }
}

/// How many parameters a function has, if they equal the arguments of its calls.
fn parameters(module: &Module, symbol: Symbol) -> Option<u32> {
    /// Attributes of parameters that differ from the argument.
    const COPIED: &[&str] = &["byval", "byref", "inalloca", "preallocated", "swifterror", "sret"];
    let data = &module.symbols[symbol];
    let SymbolKind::Function { attributes, .. } = &data.kind else { return None };
    let attributes = module.pool.attributes(*attributes);
    let copies = attributes.params.iter().flatten().any(|attribute| COPIED.contains(&attribute.text.as_ref()));
    let TypeKind::Function { params, .. } = module.pool.type_kind(data.value_type) else { return None };
    (!is_opaque(module, symbol) && !copies).then_some(params.len() as u32)
}

/// The argument that a value is; `own` is the calling function and the number of its context variables.
fn pass(graph: &Graph, value: Origin, own: (Symbol, usize), candidates: &FxHashMap<Symbol, u32>) -> Passed {
    let (origin, _) = follow_out(graph, value);
    match graph.def(origin) {
        OriginDef::Argument(region, index) if region == graph.root() => {
            let index = (index as usize).checked_sub(own.1).map(|index| index as u32);
            match (index, candidates.get(&own.0)) {
                (Some(index), Some(&parameters)) if index < parameters => Passed::Parameter((own.0, index)),
                _ => Passed::Unknown,
            }
        }
        OriginDef::Argument(..) => Passed::Unknown,
        OriginDef::Output(..) => match fold::constant(graph, origin) {
            Some(constant) if is_plain(graph, constant) => Passed::Constant(constant),
            _ => Passed::Unknown,
        },
    }
}

/// Whether a constant has a single value.
fn is_plain(graph: &Graph, constant: Const) -> bool {
    matches!(graph.pool().constant(constant), Constant::Int { .. } | Constant::Zero(_))
}

/// Makes users of a parameter users of a constant.
fn replace(graph: &mut Graph, argument: Origin, constant: Const) {
    let root = graph.root();
    let new = Insert::front(graph, root).constant(constant);
    graph.divert_users(argument, new);
}
