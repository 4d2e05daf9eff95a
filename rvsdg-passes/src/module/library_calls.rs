//! Calls of library functions, and of intrinsics, that something cheaper computes: LLVM's SimplifyLibCalls. Rules for functions on
//! [numbers], those that [round](roundings), functions on [strings] and on [streams], and [allocations].
//!
//! ```text
//! @line = private constant [4 x i8] "hi\0a\00"
//!
//! v0: i32, mem1, io1 = call i32 (ptr, ...) @printf(@line), mem0, io0
//! ```
//!
//! becomes, if nobody uses the result,
//!
//! ```text
//! @str = private constant [3 x i8] "hi\00"
//!
//! v0: i32, mem1, io1 = call i32 (ptr) @puts(@str), mem0, io0
//! ```
//!
//! Functions are known by name and type, where [the library may be assumed](rvsdg_analysis::library::is_known).
//!
//! Cost: linear in the size of the functions that call such functions.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_analysis::VariableUses;
use rvsdg_analysis::callee::{argument_of_root, may_be_library, takes};
use rvsdg_analysis::constant_memory::ConstantMemory;
use rvsdg_analysis::function::is_opaque;
use rvsdg_analysis::library::{self, Promises};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::attribute::{Attribute, AttributeList};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::{self, Intrinsic};
use rvsdg_core::layout::DataLayout;
use rvsdg_core::module::Body;
use rvsdg_core::op::{CallInfo, Effects, MemAccess};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Constant, Graph, Module, Node, Op, Origin, Symbol, Type, TypeKind};
use smallvec::SmallVec;

use super::declarations::Declaration;
use super::memory_calls::MemoryCall;
use super::places::{self, Places};
use super::private_constants::PrivateConstants;
use crate::pass::{Change, ModulePass, PassCx};

pub mod allocations;
pub mod numbers;
pub mod roundings;
pub mod streams;
pub mod strings;

/// The stage.
pub struct LibraryCalls;

/// A rule for the calls of one function.
type Rule = fn(&mut Calls<'_>, Node) -> Option<Replacement>;

/// What rules look at.
struct Calls<'a> {
    graph: &'a Graph,
    surroundings: &'a Surroundings,
    /// The symbols of the body's context variables.
    contexts: &'a [Symbol],
    memory: Option<&'a mut ConstantMemory>,
}

/// What replaces a call.
struct Replacement {
    /// The counter.
    kind: &'static str,
    /// What it mentions; [`Site`] names these by their indices.
    mentions: SmallVec<[Mention; 2]>,
    build: Box<Build>,
}

/// Adds what replaces a call before it, and returns the value that replaces the result; `None` if what is computed from the result is not
/// used.
type Build = dyn FnOnce(&mut Site<'_>) -> Option<Origin>;

/// A symbol that a replacement mentions.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Mention {
    /// A function of the library.
    Function(String),
    /// An intrinsic on one number, with its type.
    Intrinsic(String, Type),
    /// An intrinsic that copies or fills memory.
    Memory(MemoryCall),
    /// A string of C, without its end.
    Text(Vec<u8>),
}

impl Replacement {
    fn new(
        kind: &'static str,
        mentions: impl IntoIterator<Item = Mention>,
        build: impl FnOnce(&mut Site<'_>) -> Option<Origin> + 'static,
    ) -> Option<Replacement> {
        Some(Replacement { kind, mentions: mentions.into_iter().collect(), build: Box::new(build) })
    }
}

impl ModulePass for LibraryCalls {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let has_library = library::is_known(module);
        let of = |&symbol: &Symbol| Some((symbol, rule(module, symbol, has_library)?));
        let rules: FxHashMap<Symbol, Rule> = module.imports.iter().filter_map(of).collect();
        if rules.is_empty() {
            return Change::Unchanged;
        }
        let mut surroundings = Surroundings::of_all(module);
        let mut memory = ConstantMemory::of(module, &VariableUses::default());
        let mut mentioned = Mentioned::default();
        let mut change = Change::Unchanged;
        for lambda in module.lambdas() {
            for call in calls(module, lambda, &rules) {
                let (body, contexts) = (lambda.body(), module.context_symbols(lambda));
                let Some(replacement) = find(module, body, call, &contexts, &rules, &surroundings, memory.as_mut())
                else {
                    continue;
                };
                let graph = module.bodies[body].graph().expect("calls are found in graphs");
                let is_possible = replacement.mentions.iter().all(|mention| mentioned.is_possible(module, mention));
                if !is_possible || !cx.rewrite("library-call", graph, call) {
                    continue;
                }
                let mentions = mentioned.contexts(module, lambda, &replacement.mentions);
                if mentions.iter().any(|&(index, _)| index >= contexts.len()) {
                    surroundings.extend(Surroundings::of_functions(module, &[lambda]));
                }
                cx.count(replacement.kind, 1);
                replace(module.bodies[body].graph_mut().expect("it is one"), call, replacement, &mentions);
                cx.body_changed(body);
                change = Change::Changed;
            }
        }
        change
    }
}

/// The rule for calls of a function.
fn rule(module: &Module, symbol: Symbol, has_library: bool) -> Option<Rule> {
    if let Some(intrinsic) = Intrinsic::of_name(&module.symbols[symbol].name) {
        return numbers::rule(intrinsic).or_else(|| roundings::rule(intrinsic));
    }
    let promises = Promises::of(module, symbol).filter(|_| has_library)?;
    let computed =
        promises.computes().and_then(|computed| numbers::rule(computed).or_else(|| roundings::rule(computed)));
    computed
        .or_else(|| strings::rule(&promises.name))
        .or_else(|| streams::rule(&promises.name))
        .or_else(|| allocations::rule(&promises.name))
}

/// The calls of functions that have rules.
fn calls(module: &Module, lambda: Lambda, rules: &FxHashMap<Symbol, Rule>) -> Vec<Node> {
    let contexts = module.context_symbols(lambda);
    let has_rule = |symbol: &Symbol| rules.contains_key(symbol);
    let graph = module.bodies[lambda.body()].graph().filter(|graph| {
        contexts.iter().any(has_rule)
            && !graph.has_funclets()
            && !is_opaque(module, module.bodies[lambda.body()].symbol)
    });
    let Some(graph) = graph else { return Vec::new() };
    let is_one = |&node: &Node| callee(graph, node, &contexts).is_some_and(|symbol| has_rule(&symbol));
    graph.all_nodes().filter(is_one).collect()
}

/// The function that a call calls.
fn callee(graph: &Graph, node: Node, contexts: &[Symbol]) -> Option<Symbol> {
    let Op::Call(call) = graph.op(node)? else { return None };
    if graph.pool().call(call).assembly.is_some() {
        return None;
    }
    contexts.get(argument_of_root(graph, graph.input(node, 0))?).copied()
}

fn find(
    module: &Module,
    body: Body,
    call: Node,
    contexts: &[Symbol],
    rules: &FxHashMap<Symbol, Rule>,
    surroundings: &FxHashMap<Body, Arc<Surroundings>>,
    memory: Option<&mut ConstantMemory>,
) -> Option<Replacement> {
    let (graph, surroundings) = (module.bodies[body].graph()?, surroundings.get(&body)?);
    let symbol = callee(graph, call, contexts)?;
    let Op::Call(info) = graph.op(call)? else { return None };
    let is_intrinsic = Intrinsic::of_name(&module.symbols[symbol].name).is_some();
    let info = graph.pool().call(info);
    if !takes(&module.symbols[symbol], info)
        || info.convention != 0
        || !is_intrinsic && !may_be_library(graph, surroundings, call)
    {
        return None;
    }
    rules.get(&symbol)?(&mut Calls { graph, surroundings, contexts, memory }, call)
}

/// The symbols that replacements mention.
#[derive(Default)]
struct Mentioned {
    symbols: FxHashMap<Mention, Symbol>,
    possible: FxHashMap<Mention, bool>,
    constants: PrivateConstants,
    places: Option<Places>,
}

impl Mentioned {
    /// Whether a module can have something.
    fn is_possible(&mut self, module: &Module, mention: &Mention) -> bool {
        self.symbols.contains_key(mention)
            || *self.possible.entry(mention.clone()).or_insert_with(|| mention.is_possible(module))
    }

    /// The context variables of a function for what a replacement mentions, which is possible, with the types of the symbols.
    fn contexts(&mut self, module: &mut Module, lambda: Lambda, mentions: &[Mention]) -> SmallVec<[(usize, Type); 2]> {
        let context = |mention| {
            let symbol = self.symbol(module, mention);
            let index = places::context(&mut self.places, module, lambda, symbol);
            (index.expect("what is imported is available everywhere"), module.symbols[symbol].value_type)
        };
        mentions.iter().map(context).collect()
    }

    fn symbol(&mut self, module: &mut Module, mention: &Mention) -> Symbol {
        if let Some(&known) = self.symbols.get(mention) {
            return known;
        }
        let (symbol, origin) = match mention {
            Mention::Text(text) => {
                let (pool, mut bytes) = (module.pool.clone(), text.clone());
                bytes.push(0);
                let ty = pool.intern_type(TypeKind::Array { len: bytes.len() as u64, element: pool.int(8) });
                let constant = pool.intern_const(Constant::Data { ty, bytes: bytes.into() });
                let (symbol, origin) = self.constants.add(module, "str", constant, 1);
                (symbol, Some(origin))
            }
            _ => {
                let declaration = mention.declaration(module).expect("the function is known");
                declaration.import(module).expect("it was possible")
            }
        };
        if let (Some(origin), Some(places)) = (origin, &mut self.places) {
            places.add(module, symbol, origin);
        }
        self.symbols.insert(mention.clone(), symbol);
        symbol
    }
}

impl Mention {
    fn is_possible(&self, module: &Module) -> bool {
        if let Mention::Text(_) = self {
            let layout = DataLayout::parse(&module.header.data_layout);
            return layout.is_ok_and(|layout| layout.global_space() == 0);
        }
        let of_library = |symbol| module.imports.contains(&symbol) && Promises::of(module, symbol).is_some();
        let is_it = |symbol| !matches!(self, Mention::Function(_)) || of_library(symbol);
        self.declaration(module)
            .is_some_and(|declaration| declaration.is_possible(module) && declaration.known(module).is_none_or(is_it))
    }

    /// The function that it is, if the target has it.
    fn declaration(&self, module: &Module) -> Option<Declaration> {
        Some(match self {
            Mention::Function(name) => {
                let promises = Promises::of_name(name)?;
                let ty = promises.ty(module)?;
                Declaration { name: name.as_str().into(), ty, attributes: promises.attributes.clone() }
            }
            Mention::Intrinsic(name, ty) => {
                Declaration { name: name.as_str().into(), ty: *ty, attributes: computing() }
            }
            Mention::Memory(intrinsic) => intrinsic.declaration(&module.pool),
            Mention::Text(_) => return None,
        })
    }
}

/// LLVM's attributes of intrinsics that only compute.
fn computing() -> AttributeList {
    let texts = ["nocallback", "nofree", "nosync", "nounwind", "speculatable", "willreturn", "memory(none)"];
    let function = texts.into_iter().map(Attribute::parse).collect();
    AttributeList { function, ..AttributeList::default() }
}

impl Calls<'_> {
    fn argument(&self, call: Node, index: usize) -> Origin {
        self.graph.input(call, 1 + index)
    }

    fn info(&self, call: Node) -> Option<&CallInfo> {
        match self.graph.op(call)? {
            Op::Call(info) => Some(self.graph.pool().call(info)),
            _ => None,
        }
    }

    /// How many arguments a call has.
    fn arguments(&self, call: Node) -> Option<usize> {
        Some(self.graph.inputs(call).len() - 1 - self.info(call)?.effects.count())
    }

    /// Whether a call takes the memory state.
    fn has_memory(&self, call: Node) -> bool {
        self.info(call).is_some_and(|info| info.effects.mem)
    }

    fn is_unused(&self, call: Node) -> bool {
        self.graph.users_of(self.graph.output(call, 0)).next().is_none()
    }

    /// A string that never changes, without its end.
    fn text(&mut self, address: Origin) -> Option<Vec<u8>> {
        self.memory.as_mut()?.text(self.graph, self.contexts, address)
    }

    /// A constant integer.
    fn int(&self, value: Origin) -> Option<u64> {
        u64::try_from(fold::int(self.graph, value)?.unsigned()).ok()
    }
}

/// A call that is being replaced.
struct Site<'g> {
    graph: &'g mut Graph,
    call: Node,
    info: CallInfo,
    /// The addresses that the replacement mentions, with the types of the symbols.
    mentioned: SmallVec<[(Origin, Type); 2]>,
    /// The states so far.
    states: SmallVec<[Origin; 2]>,
}

impl Site<'_> {
    fn argument(&self, index: usize) -> Origin {
        self.graph.input(self.call, 1 + index)
    }

    fn at(&mut self) -> Insert<'_> {
        let source = self.graph.source(self.call);
        Insert::before(self.graph, self.call).source(source)
    }

    /// Calls a function with the states that the call takes, and its fast-math flags.
    fn call(&mut self, mentioned: usize, arguments: &[Origin]) -> Origin {
        let (effects, fast, (callee, ty)) = (self.info.effects, self.info.fast, self.mentioned[mentioned]);
        self.call_of(callee, CallInfo { effects, fast, ..CallInfo::new(ty) }, arguments)
    }

    /// The same call with other arguments.
    fn repeat(&mut self, arguments: &[Origin]) -> Origin {
        let callee = self.graph.input(self.call, 0);
        self.call_of(callee, self.info.clone(), arguments)
    }

    fn call_of(&mut self, callee: Origin, info: CallInfo, arguments: &[Origin]) -> Origin {
        let pool = self.graph.pool().clone();
        let TypeKind::Function { result, .. } = pool.type_kind(info.function_type) else {
            unreachable!("only functions are called")
        };
        let inputs: Vec<Origin> =
            std::iter::once(callee).chain(arguments.iter().copied()).chain(self.states.iter().copied()).collect();
        let outputs: Vec<Type> = std::iter::once(*result).chain(info.effects.types()).collect();
        let node = self.at().node(Op::Call(pool.intern_call(info)), &inputs, &outputs);
        self.states = (1..outputs.len()).map(|index| self.graph.output(node, index)).collect();
        self.graph.output(node, 0)
    }

    /// Computes an intrinsic of a number.
    fn compute(&mut self, mentioned: usize, number: Origin) -> Origin {
        let ((callee, ty), fast, result) = (self.mentioned[mentioned], self.info.fast, self.graph.ty(number));
        let info = CallInfo { fast, effects: Effects::NONE, speculatable: true, ..CallInfo::new(ty) };
        let op = Op::Call(self.graph.pool().intern_call(info));
        self.at().add(op, &[callee, number], result)
    }

    /// The memory state is the first one.
    fn memory(&mut self) -> &mut Origin {
        &mut self.states[0]
    }

    /// Calls an intrinsic that copies or fills memory.
    fn memory_call(&mut self, call: MemoryCall, mentioned: usize, operands: [Origin; 3]) {
        let ((callee, _), memory) = (self.mentioned[mentioned], *self.memory());
        let node = call.node(&mut self.at(), callee, operands, memory, &[]);
        *self.memory() = self.graph.output(node, 0);
    }

    /// Loads a byte.
    fn load_byte(&mut self, address: Origin) -> Origin {
        let (byte, memory) = (self.graph.pool().int(8), *self.memory());
        let node = self.at().node(Op::Load(MemAccess::plain(0)), &[address, memory], &[byte, Type::MEM]);
        *self.memory() = self.graph.output(node, 1);
        self.graph.output(node, 0)
    }
}

/// Replaces a call.
fn replace(graph: &mut Graph, call: Node, replacement: Replacement, contexts: &[(usize, Type)]) {
    let Some(Op::Call(info)) = graph.op(call) else { return };
    let info = graph.pool().call(info).clone();
    let (region, count) = (graph.region_of(call), info.effects.count());
    let mut router = Router::new();
    let mut route = |&(index, ty): &(usize, Type)| {
        let address = graph.arguments(graph.root())[index];
        (router.route(graph, address, region), ty)
    };
    let mentioned = contexts.iter().map(&mut route).collect();
    let inputs = graph.inputs(call).len();
    let states = (inputs - count..inputs).map(|index| graph.input(call, index)).collect();
    let mut site = Site { graph, call, info, mentioned, states };
    let value = (replacement.build)(&mut site);
    let states = site.states;
    let results = graph.outputs(call).len() - count;
    if results > 0 {
        let result = graph.output(call, 0);
        let value = value.unwrap_or_else(|| {
            let ty = graph.ty(result);
            Insert::before(graph, call).poison(ty)
        });
        graph.divert_users(result, value);
    }
    for (index, state) in states.into_iter().enumerate() {
        graph.divert_users(graph.output(call, results + index), state);
    }
    graph.remove(call);
}
