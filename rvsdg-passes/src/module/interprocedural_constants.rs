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
//! function passes on are followed, optimistically: all parameters are assumed constant until a call passes something else. The address
//! of a function or variable is a constant, too, unless its definition depends on the function that would use it then.
//!
//! What calls pass for a parameter that the function does not use is dead: they pass poison instead, or zero where the parameter is
//! `noundef`. So the address of a variable no longer escapes by it.
//!
//! Statistics: `parameters` that became constant, `arguments` that were dead.
//!
//! Running it again finds parameters that have become constant since.
//!
//! Cost: linear in the size of the module, and for each parameter that becomes the address of a function linear in what that function
//! depends on.
//!
//! Left out: addresses in variables; ranges; copies of functions for some of their calls; removal of the parameters. Constant
//! results are propagated by invariant value redirection ([`crate::control::invariant_value_redirection`]).
//!
//! After "Interprocedural constant propagation" by Callahan, Cooper, Kennedy and Torczon (POPL 1986).

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::CallGraph;
use rvsdg_analysis::call_graph::FunctionUses;
use rvsdg_analysis::callee::{argument_of_root, takes};
use rvsdg_analysis::function::is_opaque;
use rvsdg_analysis::invariant::follow_out;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{Attribute, AttributeKind};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, parts::zero};
use rvsdg_core::module::{Body, SymbolKind, ThreadLocal};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Const, Constant, Graph, Module, Node, Op, Origin, Symbol, TypeKind, Use};

use crate::module::calls::call_graph;
use crate::module::places::Places;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The one stage of the pass.
pub struct InterproceduralConstants;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(InterproceduralConstants))]
}

/// A parameter of a function, by position.
type Parameter = (Symbol, u32);

/// A value that is known outside of the function that computes it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Known {
    Constant(Const),
    /// The address of a symbol.
    Address(Symbol),
}

/// The argument of a call.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Passed {
    Known(Known),
    /// A parameter of the calling function.
    Parameter(Parameter),
    Unknown,
}

impl ModulePass for InterproceduralConstants {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let calls = Calls::of(module);
        let known = calls.known();
        let mut change = Change::Unchanged;
        let mut places = None;
        for lambda in module.lambdas() {
            let symbol = module.bodies[lambda.body()].symbol;
            let Some(&parameters) = calls.candidates.get(&symbol) else { continue };
            for index in 0..parameters {
                let Some(&value) = known.get(&(symbol, index)) else { continue };
                change |= replace(module, lambda, index, value, &mut places, cx);
            }
        }
        change |= drop_arguments(module, &calls, cx);
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
            let own = module.bodies[body].symbol;
            for (call, callee) in calls.calls(body) {
                let Some(&parameters) = candidates.get(&callee) else { continue };
                let Some(Op::Call(info) | Op::Invoke(info)) = graph.op(call) else { continue };
                if !takes(&module.symbols[callee], graph.pool().call(info)) {
                    odd.insert(callee);
                    continue;
                }
                for index in 0..parameters {
                    let value =
                        pass(graph, graph.input(call, index as usize + 1), own, calls.contexts(body), &candidates);
                    passed.push(((callee, index), value));
                }
            }
        }
        candidates.retain(|symbol, _| !odd.contains(symbol));
        Calls { graph: calls, candidates, passed }
    }

    /// The parameters that are the same constant in all calls.
    fn known(&self) -> FxHashMap<Parameter, Known> {
        // The parameters to which a parameter is passed on.
        let mut onwards: FxHashMap<Parameter, Vec<Parameter>> = FxHashMap::default();
        // Absent while no argument is known; `None` if arguments differ.
        let mut values: FxHashMap<Parameter, Option<Known>> = FxHashMap::default();
        let mut pending: Vec<Parameter> = Vec::new();
        let meet = |values: &mut FxHashMap<Parameter, Option<Known>>, to: Parameter, value: Option<Known>| {
            let old = values.get(&to).copied();
            let new = match old {
                None => value,
                Some(old) => old.filter(|_| old == value || seeded::is_active(Bug::IpcFirstCall)),
            };
            (old != Some(new)).then(|| values.insert(to, new)).is_some()
        };
        for &(to, passed) in &self.passed {
            let changed = match passed {
                Passed::Known(value) => meet(&mut values, to, Some(value)),
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
    let data = &module.symbols[symbol];
    let SymbolKind::Function { attributes, .. } = &data.kind else { return None };
    let attributes = module.pool.attributes(*attributes);
    let TypeKind::Function { params, .. } = module.pool.type_kind(data.value_type) else { return None };
    // Parameters that are `sret` equal the argument, too; functions that have one are left alone to be on the safe side.
    let are_known = attributes.params_are_arguments() && !attributes.params_have(&[AttributeKind::SRet]);
    (are_known && !is_opaque(module, symbol)).then_some(params.len() as u32)
}

/// The argument that a value in the body of `own` is.
fn pass(graph: &Graph, value: Origin, own: Symbol, contexts: &[Symbol], candidates: &FxHashMap<Symbol, u32>) -> Passed {
    let (origin, _) = follow_out(graph, value);
    if let Some(argument) = argument_of_root(graph, origin) {
        return match argument.checked_sub(contexts.len()) {
            None => Passed::Known(Known::Address(contexts[argument])),
            Some(index) if candidates.get(&own).is_some_and(|&parameters| index < parameters as usize) => {
                Passed::Parameter((own, index as u32))
            }
            Some(_) => Passed::Unknown,
        };
    }
    match fold::constant(graph, origin) {
        Some(constant) if is_plain(graph, constant) => Passed::Known(Known::Constant(constant)),
        _ => Passed::Unknown,
    }
}

/// Whether a constant has a single value.
fn is_plain(graph: &Graph, constant: Const) -> bool {
    matches!(graph.pool().constant(constant), Constant::Int { .. } | Constant::Zero(_))
}

/// Makes users of a parameter users of a known value, if there are any.
fn replace(
    module: &mut Module,
    lambda: Lambda,
    index: u32,
    value: Known,
    places: &mut Option<Places>,
    cx: &PassCx,
) -> Change {
    let user = parameter(module, lambda, index).and_then(|(graph, argument)| {
        graph.users_of(argument).find_map(|user| match graph.site(user) {
            Use::Input(node, _) => Some((graph, node)),
            Use::Result(..) => None,
        })
    });
    let Some((graph, user)) = user else { return Change::Unchanged };
    let symbols = module.context_symbols(lambda);
    let mentioned = |symbol: Symbol| symbols.iter().position(|&known| known == symbol);
    let may_replace = match value {
        Known::Constant(_) => true,
        // The address of a thread-local variable is that of one thread, and has its own intrinsic.
        Known::Address(symbol) if module.symbols[symbol].thread_local != ThreadLocal::None => false,
        Known::Address(symbol) => {
            let places = places.get_or_insert_with(|| Places::new(module));
            mentioned(symbol).is_some() || places.may_add_context(module, lambda, symbol)
        }
    };
    if !may_replace || !cx.rewrite("parameter", graph, user) {
        return Change::Unchanged;
    }
    let context = match (value, places) {
        (Known::Address(symbol), Some(places)) => {
            mentioned(symbol).or_else(|| Some(places.add_context(module, lambda, symbol)? as usize))
        }
        _ => None,
    };
    let count = lambda.context(&module.omega).len();
    let Some(graph) = module.bodies[lambda.body()].graph_mut() else { return Change::Unchanged };
    let root = graph.root();
    let argument = graph.arguments(root)[count + index as usize];
    let new = match (value, context) {
        (Known::Constant(constant), _) => Insert::front(graph, root).constant(constant),
        (Known::Address(_), Some(context)) => graph.arguments(root)[context],
        (Known::Address(_), None) => return Change::Unchanged,
    };
    graph.divert_users(argument, new);
    cx.count("parameters", 1);
    cx.body_changed(lambda.body());
    Change::Changed
}

/// A parameter of a λ.
fn parameter(module: &Module, lambda: Lambda, index: u32) -> Option<(&Graph, Origin)> {
    let graph = module.bodies[lambda.body()].graph()?;
    let contexts = lambda.context(&module.omega).len();
    Some((graph, graph.arguments(graph.root())[contexts + index as usize]))
}

/// Calls pass no more what their callees do not use.
fn drop_arguments(module: &mut Module, calls: &Calls, cx: &PassCx) -> Change {
    let mut unused: FxHashMap<Symbol, (Lambda, Vec<u32>)> = FxHashMap::default();
    for lambda in module.lambdas() {
        let symbol = module.bodies[lambda.body()].symbol;
        let parameters = calls.candidates.get(&symbol).copied().unwrap_or(0);
        let is_unused = |&index: &u32| parameter(module, lambda, index).is_some_and(|(graph, it)| !graph.has_users(it));
        let indices: Vec<u32> = (0..parameters).filter(is_unused).collect();
        if !indices.is_empty() {
            unused.insert(symbol, (lambda, indices));
        }
    }
    let mut change = Change::Unchanged;
    for &body in calls.graph.bodies() {
        for (call, callee) in calls.graph.calls(body) {
            let Some((lambda, indices)) = unused.get(&callee) else { continue };
            for &index in indices {
                let dropped = drop_argument(module, body, call, callee, index, cx);
                if dropped.is_changed() {
                    describe_as_unknown(module, *lambda, index);
                }
                change |= dropped;
            }
        }
    }
    change
}

/// Debuggers must not show what is passed for a parameter now.
fn describe_as_unknown(module: &mut Module, lambda: Lambda, index: u32) {
    let Some((graph, argument)) = parameter(module, lambda, index) else { return };
    let poison = module.pool.intern_const(Constant::Poison(graph.ty(argument)));
    if let Some(graph) = module.bodies[lambda.body()].graph_mut() {
        graph.note_constant(argument, poison);
    }
}

/// Replaces an argument of a call by a constant, unless it is one or the callee or the call say something about it.
fn drop_argument(module: &mut Module, body: Body, call: Node, callee: Symbol, index: u32, cx: &PassCx) -> Change {
    let Some(graph) = module.bodies[body].graph() else { return Change::Unchanged };
    let pool = module.pool.clone();
    let (Some(Op::Call(info) | Op::Invoke(info)), SymbolKind::Function { attributes, .. }) =
        (graph.op(call), &module.symbols[callee].kind)
    else {
        return Change::Unchanged;
    };
    let lists = [pool.attributes(pool.call(info).attributes), pool.attributes(*attributes)];
    let said = || lists.iter().flat_map(|list| list.params.get(index as usize)).flatten();
    let argument = graph.input(call, index as usize + 1);
    let ty = graph.ty(argument);
    let constant = match said().any(|attribute| attribute.is(AttributeKind::NoUndef)) {
        true => zero(&pool, ty),
        false => Some(pool.intern_const(Constant::Poison(ty))),
    };
    let is_constant = fold::constant(graph, argument).is_some();
    let Some(constant) = constant.filter(|_| !is_constant && said().all(holds_for_any)) else {
        return Change::Unchanged;
    };
    if !cx.rewrite("argument", graph, call) {
        return Change::Unchanged;
    }
    let Some(graph) = module.bodies[body].graph_mut() else { return Change::Unchanged };
    let new = Insert::before(graph, call).constant(constant);
    graph.divert(graph.inputs(call)[index as usize + 1], new);
    cx.count("arguments", 1);
    cx.body_changed(body);
    Change::Changed
}

/// Whether zero, and poison unless it is `noundef`, have an attribute of a parameter that the function does not use.
fn holds_for_any(attribute: &Attribute) -> bool {
    const ANY: &[AttributeKind] = &[
        AttributeKind::NoUndef,
        AttributeKind::NoAlias,
        AttributeKind::NoFree,
        AttributeKind::ReadNone,
        AttributeKind::ReadOnly,
        AttributeKind::WriteOnly,
        AttributeKind::SignExt,
        AttributeKind::ZeroExt,
        AttributeKind::InReg,
        AttributeKind::Align,
        AttributeKind::Captures,
    ];
    attribute.kind().is_some_and(|kind| ANY.contains(&kind))
}
