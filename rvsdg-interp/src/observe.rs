//! The observable behaviour of a run: its end, its output, calls of functions without a definition, and memory that outlives it.
//!
//! Addresses are not part of it, because a transformation may move objects: a pointer is seen as the object and the place in
//! it.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::verify::Verified;
use rvsdg_core::{Graph, Module, NodeKind, Op, Origin, Symbol, TypeKind, Use};

use crate::machine::{Config, Machine};
use crate::memory::Kind;
use crate::outcome::{Outcome, Res, unsupported};
use crate::value::{Pointer, Value};

/// An argument of an observed call. Those after the last parameter are memory that other arguments lead to.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value of the parameter's type.
    Value(Value),
    /// The address of new memory; what it holds in the end is observed.
    Memory(Buffer),
    /// An address within the memory of another argument, or within a variable.
    At(Location),
}

/// New memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The contents.
    pub bytes: Vec<u8>,
    /// A power of two.
    pub align: u64,
    /// Addresses in it by their offset, a multiple of 8.
    pub pointers: Vec<(u64, Location)>,
    /// Whether only the function that is called knows its address, as `noalias` and `byval` promise.
    pub exclusive: bool,
}

impl Buffer {
    /// Memory without addresses.
    pub fn new(bytes: Vec<u8>, align: u64) -> Buffer {
        Buffer { bytes, align, pointers: Vec::new(), exclusive: false }
    }
}

/// An address as its object and the distance from where that begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The memory of an argument, a symbol or nothing.
    pub object: Object,
    /// Bytes.
    pub offset: u64,
}

/// A value without addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Poison.
    Poison,
    /// Undef in every bit.
    Undef,
    /// The bits of an integer or float, least significant word first, without leading zero words.
    Bits(Vec<u64>),
    /// As before, of at most 128 bits; the second mask says which are undef.
    Partial(u128, u128),
    /// A pointer: the object that it points into, and the offset.
    Pointer(Object, i64),
    /// The parts of an aggregate or vector.
    Seq(Vec<Seen>),
}

/// What a pointer points into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Object {
    /// Nothing: the place is the whole address.
    None,
    /// A function or variable, by name.
    Symbol(Box<str>),
    /// The memory of an argument, by its position.
    Argument(usize),
    /// The stack or the heap.
    Local,
}

/// Memory that is observed.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub pointer: Pointer,
    pub object: Object,
    /// Whether only the function that is called knows its address.
    pub exclusive: bool,
}

/// A byte of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Byte {
    /// Its bits, and which are undef.
    Bits(u8, u8),
    /// Poison.
    Poison,
    /// Part of a pointer whose object is known, which [`Contents::pointers`] has.
    Pointer,
}

/// What an object holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The object.
    pub object: Object,
    /// Its bytes.
    pub bytes: Vec<Byte>,
    /// Pointers by their offset.
    pub pointers: Vec<(usize, Seen)>,
}

/// A call of a function without a definition, an operation of a dialect, or a volatile access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The function or operation.
    pub name: Box<str>,
    /// Its arguments.
    pub arguments: Vec<Seen>,
    /// What it could read; empty where it cannot, and where that is much.
    pub memory: Vec<Contents>,
}

/// The observable behaviour of a run.
#[derive(Clone, Debug)]
pub struct Observed {
    /// How it ended.
    pub outcome: Outcome,
    /// The returned value, when it returned one.
    pub value: Option<Seen>,
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// What it wrote to standard error.
    pub errors: Vec<u8>,
    /// Its recorded calls and accesses, in order.
    pub events: Vec<Event>,
    /// Variables and the memory of arguments in the end.
    pub memory: Vec<Contents>,
    /// Whether `freeze` had to choose a value, an operation the sign and payload of a NaN, or a number was read where an address was
    /// written: the program may as well do what follows from another value or place.
    pub chose: bool,
    /// Whether an operation chose the sign of a zero, as `nsz` lets it: the other zero may come instead.
    pub chose_sign: bool,
    /// Instructions executed. Not compared.
    pub steps: u64,
}

/// Runs a function of a module from a fresh machine.
///
/// ```
/// use rvsdg_interp::{Argument, Buffer, Config, observe};
///
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @first = function i8 (ptr)
/// lambda @first [] (v0: ptr, mem0, io0) {
///   v1: i8, mem1 = load v0, mem0, align 1
///   yield v1, mem1, io0
/// }
/// export @first
/// ",
/// )?;
/// let memory = Argument::Memory(Buffer::new(vec![7, 8], 1));
/// let seen = observe(module.verify()?, "first", &[memory], Config::default());
/// assert_eq!(seen.outcome.to_string(), "returned 7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn observe(module: Verified<'_>, function: &str, arguments: &[Argument], config: Config) -> Observed {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let fuel = config.fuel;
    let mut seen = Observed {
        outcome: Outcome::Returned(None),
        value: None,
        output: Vec::new(),
        errors: Vec::new(),
        events: Vec::new(),
        memory: Vec::new(),
        chose: false,
        chose_sign: false,
        steps: 0,
    };
    match Machine::new(module, config, Box::new(&mut output), Box::new(&mut errors)) {
        Err(outcome) => seen.outcome = outcome,
        Ok(mut machine) => {
            match machine.place_arguments(function, arguments) {
                Ok(values) => seen.outcome = machine.call(function, &values),
                Err(stop) => seen.outcome = machine.outcome(*stop),
            }
            if let Outcome::Returned(Some(value)) = &seen.outcome {
                seen.value = Some(machine.see(value));
            }
            seen.events = std::mem::take(&mut machine.state.events);
            seen.memory = machine.visible();
            seen.chose = machine.state.chosen.value || machine.memory.has_numbers_of_addresses();
            seen.chose_sign = machine.state.chosen.sign;
            seen.steps = fuel - machine.fuel;
        }
    }
    seen.output = output;
    seen.errors = errors;
    seen
}

impl Machine<'_> {
    /// Puts the memory of arguments into place; the values of the parameters.
    pub(crate) fn place_arguments(&mut self, function: &str, arguments: &[Argument]) -> Res<Vec<Value>> {
        for (position, argument) in arguments.iter().enumerate() {
            if let Argument::Memory(Buffer { bytes, align, exclusive, .. }) = argument {
                let pointer = self.memory.allocate(Kind::Global, bytes.len() as u64, *align, false)?;
                self.memory.write(pointer, bytes)?;
                let object = Object::Argument(position);
                self.state.blocks.push(Block { pointer, object, exclusive: *exclusive });
            }
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            values.push(match argument {
                Argument::Value(value) => value.clone(),
                Argument::At(place) => Value::Ptr(self.pointer_to(place)?),
                Argument::Memory(buffer) => {
                    let pointer = self.pointer_to(&Location { object: Object::Argument(position), offset: 0 })?;
                    for (offset, place) in &buffer.pointers {
                        let target = self.pointer_to(place)?;
                        self.memory.store_pointer(pointer.offset(*offset), 8, target)?;
                    }
                    Value::Ptr(pointer)
                }
            });
        }
        let params = self.functions.by_name(self.module, function).map(|function| function.symbol);
        if let Some(symbol) = params
            && let TypeKind::Function { params, .. } =
                self.module.pool.type_kind(self.module.symbols[symbol].value_type)
        {
            values.truncate(params.len());
        }
        Ok(values)
    }

    fn pointer_to(&self, place: &Location) -> Res<Pointer> {
        let base = match &place.object {
            Object::None => Some(Pointer { address: 0, object: 0 }),
            Object::Argument(_) => {
                self.state.blocks.iter().find(|block| block.object == place.object).map(|block| block.pointer)
            }
            Object::Symbol(name) => {
                let symbol = self.module.order.iter().find(|&&symbol| self.module.symbols[symbol].name == *name);
                match symbol.and_then(|symbol| self.addresses.get(symbol)) {
                    Some(Value::Ptr(pointer)) => Some(*pointer),
                    _ => None,
                }
            }
            Object::Local => None,
        };
        match base {
            Some(base) => Ok(base.offset(place.offset)),
            None => unsupported(format!("an argument that leads to {}", place.object)),
        }
    }

    /// The observable part of a value.
    pub(crate) fn see(&self, value: &Value) -> Seen {
        enum Step<'a> {
            See(&'a Value),
            Join(usize),
        }
        let mut pending = vec![Step::See(value)];
        let mut done = Vec::new();
        while let Some(step) = pending.pop() {
            match step {
                Step::Join(count) => {
                    let parts = done.split_off(done.len() - count);
                    done.push(Seen::Seq(parts));
                }
                Step::See(Value::Seq(parts)) => {
                    pending.push(Step::Join(parts.len()));
                    pending.extend(parts.iter().rev().map(Step::See));
                }
                Step::See(value) => done.push(self.see_scalar(value)),
            }
        }
        done.pop().unwrap_or(Seen::Poison)
    }

    fn see_scalar(&self, value: &Value) -> Seen {
        match value {
            Value::Poison | Value::Seq(_) => Seen::Poison,
            Value::Undef => Seen::Undef,
            Value::Int(0) => Seen::Bits(Vec::new()),
            Value::Int(bits) => Seen::Bits(vec![*bits]),
            Value::Wide(limbs) => {
                let length = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
                Seen::Bits(limbs[..length].to_vec())
            }
            Value::Partial(part) => Seen::Partial(part.bits, part.undef),
            Value::Ptr(pointer) => self.see_pointer(*pointer),
        }
    }

    pub(crate) fn see_pointer(&self, pointer: Pointer) -> Seen {
        let nothing = Seen::Pointer(Object::None, pointer.address as i64);
        let number = match pointer.object {
            0 => match self.memory.at_address(pointer.address) {
                Some(number) => number,
                None => return nothing,
            },
            number => number,
        };
        let (base, kind) = self.memory.base_and_kind(number);
        let distance = pointer.address.wrapping_sub(base) as i64;
        if let Some(block) = self.state.blocks.iter().find(|block| block.pointer.address == base) {
            return Seen::Pointer(block.object.clone(), distance);
        }
        let object = match kind {
            Kind::Stack | Kind::Heap => Object::Local,
            Kind::Function(number) => {
                let symbol = self.functions.get(number).symbol;
                Object::Symbol(self.functions.name(self.module, symbol).into())
            }
            Kind::Global | Kind::Constant | Kind::External(_) => match self.symbol_at(base) {
                Some(symbol) => Object::Symbol(self.functions.name(self.module, symbol).into()),
                None => Object::Local,
            },
        };
        Seen::Pointer(object, distance)
    }

    fn symbol_at(&self, base: u64) -> Option<Symbol> {
        let is_here = |symbol: &&Symbol| match self.addresses.get(*symbol) {
            Some(Value::Ptr(pointer)) => pointer.address == base,
            _ => false,
        };
        self.module.order.iter().find(is_here).copied()
    }

    /// The contents of variables and of the memory of arguments.
    pub(crate) fn visible(&self) -> Vec<Contents> {
        let all = self.readable(true).chain(self.state.blocks.iter().cloned());
        all.map(|block| self.contents(block.pointer, block.object)).collect()
    }

    /// What of that others may read; none when it is more than `limit` bytes.
    pub(crate) fn shared(&self, limit: u64) -> Vec<Contents> {
        let blocks = self.state.blocks.iter().filter(|block| !block.exclusive).cloned();
        let shared: Vec<Block> = self.readable(false).chain(blocks).collect();
        let sizes = shared.iter().filter_map(|block| Some(self.memory.object(block.pointer).ok()?.size));
        if sizes.sum::<u64>() > limit {
            return Vec::new();
        }
        shared.into_iter().map(|block| self.contents(block.pointer, block.object)).collect()
    }

    /// The module's variables whose contents can be observed: by what is called, or also by other functions of the module later.
    fn readable(&self, later: bool) -> impl Iterator<Item = Block> {
        let own = self.own_variables.get_or_init(|| own_variables(self.module));
        let is_readable = move |symbol: Symbol| own.get(&symbol).is_none_or(|&is_read| is_read && later);
        self.variables().filter(move |&(symbol, _)| is_readable(symbol)).map(|(_, variable)| variable)
    }

    /// The variables that the module defines and may write.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (Symbol, Block)> {
        self.module.order.iter().filter_map(|&symbol| {
            let data = &self.module.symbols[symbol];
            let SymbolKind::Variable { constant: false, initializer: Some(_), .. } = data.kind else { return None };
            let Some(Value::Ptr(pointer)) = self.addresses.get(&symbol) else { return None };
            let object = Object::Symbol(self.functions.name(self.module, symbol).into());
            Some((symbol, Block { pointer: *pointer, object, exclusive: false }))
        })
    }

    fn contents(&self, pointer: Pointer, object: Object) -> Contents {
        let (mut bytes, words) = self.memory.bytes_of(pointer);
        let mut pointers = Vec::new();
        for (offset, target) in words {
            let seen = self.see_pointer(target);
            if bytes[offset..offset + 8].iter().all(|byte| matches!(byte, Byte::Bits(_, 0))) {
                bytes[offset..offset + 8].fill(Byte::Pointer);
                pointers.push((offset, seen));
            }
        }
        Contents { object, bytes, pointers }
    }
}

/// The variables of local linkage with which a module does nothing but load and store, and whether it loads from them.
fn own_variables(module: &Module) -> FxHashMap<Symbol, bool> {
    let omega = &module.omega;
    let is_local = |&symbol: &Symbol| module.symbols[symbol].linkage.is_local();
    let mut own: FxHashMap<Symbol, bool> =
        module.symbols.keys().filter(is_local).map(|symbol| (symbol, false)).collect();
    for origin in omega.result_origins(omega.root()) {
        own.remove(&module.symbol_of(origin));
    }
    for node in omega.all_nodes() {
        let NodeKind::Delta(_) = omega.kind(node) else { continue };
        for origin in omega.input_origins(node) {
            own.remove(&module.symbol_of(origin));
        }
    }
    for lambda in module.lambdas() {
        let graph = module.bodies[lambda.body()].graph();
        for (index, symbol) in module.context_symbols(lambda).into_iter().enumerate() {
            let read = graph.and_then(|graph| is_loaded(graph, graph.arguments(graph.root())[index]));
            match (own.get_mut(&symbol), read) {
                (Some(known), Some(read)) => *known |= read,
                (Some(_), None) => drop(own.remove(&symbol)),
                (None, _) => {}
            }
        }
    }
    own
}

/// Whether something is loaded from an address or those at a distance from it; `None` if there are other uses than loads and stores.
fn is_loaded(graph: &Graph, address: Origin) -> Option<bool> {
    let mut seen: FxHashSet<Origin> = FxHashSet::from_iter([address]);
    let mut pending = vec![address];
    let mut is_loaded = false;
    while let Some(address) = pending.pop() {
        for user in graph.users_of(address) {
            let (node, index) = match graph.site(user) {
                Use::Input(node, index) => (node, index as usize),
                Use::Result(region, index) => (graph.parent(region)?, index as usize),
            };
            let is_result = matches!(graph.site(user), Use::Result(..));
            let mut to: Vec<Origin> = Vec::new();
            match graph.kind(node) {
                NodeKind::Gamma if is_result => to.push(graph.output(node, index)),
                NodeKind::Gamma => {
                    to.extend(graph.subregions(node).iter().map(|&region| graph.arguments(region)[index - 1]));
                }
                NodeKind::Theta => {
                    let index = if is_result { index - 1 } else { index };
                    to.extend([graph.output(node, index), graph.arguments(graph.subregions(node)[0])[index]]);
                }
                NodeKind::Simple(Op::Load(access)) if access.is_plain() => is_loaded = true,
                NodeKind::Simple(Op::Store(access)) if index == 1 && access.is_plain() => {}
                NodeKind::Simple(Op::Gep { .. } | Op::Const(_) | Op::Select(_)) => to.push(graph.output(node, 0)),
                _ => return None,
            }
            pending.extend(to.into_iter().filter(|&origin| seen.insert(origin)));
        }
    }
    Some(is_loaded)
}
