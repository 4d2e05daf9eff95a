//! The machine: a module with its memory, and the frames of the functions that run.

mod call;
mod external;
pub(crate) mod functions;
mod globals;
mod run;
mod unwind;

use std::cell::OnceCell;
use std::io::{Read, Write};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_cfg::destruct::destruct;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::Code as Source;
use rvsdg_core::verify::Verified;
use rvsdg_core::{Module, Symbol, Type, TypeKind};

use crate::builtin::State;
use crate::code::Code;
use crate::constants::Types;
use crate::memory::Memory;
use crate::outcome::{Outcome, Place, Res, Stop, unsupported};
use crate::simt::{Form, Warps};
use crate::translate::{Context, translate, translate_flow};
use crate::value::{Pointer, Value};
pub(crate) use external::Reach;
pub use external::Unknown;
use functions::Functions;
pub(crate) use unwind::{Exception, type_id};

/// Gives the bytes of the file of a name.
pub type ReadFile = fn(&str) -> Option<Vec<u8>>;

/// The limits and inputs of a run.
///
/// A loop that nothing ends is cut off:
///
/// ```
/// use rvsdg_interp::{Config, observe};
///
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @spin = function void ()
/// @spin = phi [] (@spin) {
///   v0 = lambda @spin [@spin] (mem0, io0) {
///     mem1, io1 = call void () @spin(), mem0, io0
///     yield mem1, io1
///   }
///   yield v0
/// }
/// export @spin
/// ",
/// )?;
/// let seen = observe(module.verify()?, "spin", &[], Config { depth: 100, fuel: 10_000, ..Config::default() });
/// assert!(seen.value.is_none() && seen.steps <= 10_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// Instructions that may be executed.
    pub fuel: u64,
    /// Bytes that may be in use at a time.
    pub memory: u64,
    /// Calls that may be active at a time.
    pub depth: usize,
    /// What is read from standard input.
    pub input: Vec<u8>,
    /// The contents of the file at a path, for a program that may read files.
    pub files: Option<ReadFile>,
    /// Whether new memory on stack and heap is zero instead of undef, as it often is by chance.
    pub zeroed: bool,
    /// Whether an address may leave its object, as the machine lets it, as long as nothing is accessed there.
    pub loose_addresses: bool,
    /// The behaviour of calls of functions without a definition.
    pub unknown: Unknown,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            fuel: u64::MAX,
            memory: 4 << 30,
            depth: 100_000,
            input: Vec::new(),
            files: None,
            zeroed: false,
            loose_addresses: false,
            unknown: Unknown::Stop,
        }
    }
}

/// A function that runs.
pub(crate) struct Frame {
    pub code: Arc<Code>,
    /// Where its slots begin.
    pub base: usize,
    /// The next instruction.
    pub at: usize,
    /// Height of the stack memory when it was called.
    pub stack: usize,
    /// Different for every call.
    pub serial: u64,
    /// Variadic arguments, after the named ones.
    pub rest: Vec<Variadic>,
}

/// A variadic argument.
#[derive(Clone)]
pub(crate) struct Variadic {
    pub value: Value,
    pub ty: Type,
    /// Bytes and alignment of memory that is passed by value.
    pub by_value: Option<(u64, u64)>,
}

/// A module that is run: its memory, its active functions and what its library functions remember.
///
/// ```
/// use rvsdg_core::text::parse_module;
/// use rvsdg_interp::{Config, Machine};
///
/// let module = parse_module(
///     "module \"example\"
/// @puts = function i32 (ptr)
/// @text = private constant [3 x i8] c\"hi\\00\"
/// @main = function i32 ()
/// import @puts
/// delta @text []
/// lambda @main [@puts, @text] (mem0, io0) {
///   v0: i32, mem1, io1 = call i32 (ptr) @puts(@text), mem0, io0
///   v1 = const i32 3
///   yield v1, mem1, io1
/// }
/// export @main
/// ",
/// )?;
/// let (stdout, stderr) = (Box::new(std::io::stdout()), Box::new(std::io::stderr()));
/// let machine = Machine::new(module.verify()?, Config::default(), stdout, stderr);
/// let outcome = machine.map_err(|outcome| outcome.to_string())?.program("main", &[]);
/// assert_eq!(outcome.to_string(), "returned 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Machine<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layouts: Layouts,
    pub(crate) memory: Memory,
    pub(crate) functions: Functions,
    /// By function.
    codes: Vec<Option<Arc<Code>>>,
    /// Addresses of symbols.
    pub(crate) addresses: FxHashMap<Symbol, Value>,
    pub(crate) slots: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    /// Calls so far.
    calls: u64,
    pub(crate) fuel: u64,
    pub(crate) config: Config,
    /// What warps execute; `None` where the only thread is the machine's.
    pub(crate) warps: Option<Warps>,
    pub(crate) state: State,
    /// The variables that only the module accesses, and whether it reads them, once somebody asked.
    pub(crate) own_variables: OnceCell<FxHashMap<Symbol, bool>>,
    /// Where more of standard input comes from.
    pub(crate) stdin: Box<dyn Read + 'm>,
    pub(crate) stdout: Box<dyn Write + 'm>,
    pub(crate) stderr: Box<dyn Write + 'm>,
}

impl<'m> Machine<'m> {
    /// A machine for a module, with the sinks of standard output and error. Its globals are initialized.
    ///
    /// # Errors
    /// The outcome, when that is not possible.
    pub fn new(
        module: Verified<'m>,
        config: Config,
        stdout: Box<dyn Write + 'm>,
        stderr: Box<dyn Write + 'm>,
    ) -> Result<Self, Outcome> {
        let module = module.module();
        let fail = |construct: String| Outcome::Unsupported { place: Place::default(), construct };
        let data = DataLayout::parse(&module.header.data_layout).map_err(|error| fail(error.to_string()))?;
        if data.is_big_endian() {
            return Err(fail("big-endian data layout".into()));
        }
        if data.pointer(0).bits != 64 || data.unsupported().is_some() {
            return Err(fail(
                data.unsupported().unwrap_or_else(|| format!("pointers of {} bits", data.pointer(0).bits)),
            ));
        }
        let functions = Functions::new(module);
        let mut machine = Machine {
            module,
            layouts: Layouts::new(data),
            memory: Memory::new(&config),
            codes: vec![None; functions.len()],
            functions,
            addresses: FxHashMap::default(),
            slots: Vec::new(),
            frames: Vec::new(),
            calls: 0,
            fuel: config.fuel,
            state: State::new(config.input.clone()),
            own_variables: OnceCell::new(),
            config,
            warps: None,
            stdin: Box::new(std::io::empty()),
            stdout,
            stderr,
        };
        match machine.initialize() {
            Ok(()) => Ok(machine),
            Err(stop) => Err(machine.outcome(*stop)),
        }
    }

    /// Lets the program read from a source what follows [`Config::input`].
    pub fn set_input(&mut self, source: Box<dyn Read + 'm>) {
        self.stdin = source;
    }

    /// Runs a function with these arguments.
    pub fn call(&mut self, name: &str, arguments: &[Value]) -> Outcome {
        let result = match self.functions.by_name(self.module, name) {
            None => unsupported(format!("function {name}, which the module does not have")),
            Some(function) => {
                let number = function.number;
                self.call_function(number, arguments)
            }
        };
        let outcome = match result {
            Ok(value) => Outcome::Returned(value),
            Err(stop) => self.outcome(*stop),
        };
        self.flush();
        outcome
    }

    /// Runs a program: constructors, `main` with these arguments (the program's name first), what was registered with
    /// `atexit`, destructors.
    pub fn main(&mut self, arguments: &[String]) -> Outcome {
        self.program("main", arguments)
    }

    /// As [`main`](Machine::main), starting with another function that takes nothing, a count, or a count and strings.
    pub fn program(&mut self, entry: &str, arguments: &[String]) -> Outcome {
        let result = self.whole(entry, arguments);
        let result = match result {
            Err(stop) if matches!(*stop, Stop::Exit(_)) => self.finish().and(Err(stop)),
            other => other,
        };
        let outcome = match result {
            Ok(value) => Outcome::Returned(value),
            Err(stop) => self.outcome(*stop),
        };
        self.flush();
        outcome
    }

    fn whole(&mut self, entry: &str, arguments: &[String]) -> Res<Option<Value>> {
        self.constructors("llvm.global_ctors")?;
        let Some(function) = self.functions.by_name(self.module, entry) else {
            return unsupported(format!("function {entry}, which the module does not have"));
        };
        let number = function.number;
        let ty = self.module.symbols[function.symbol].value_type;
        let TypeKind::Function { params, .. } = self.module.pool.type_kind(ty) else {
            return unsupported("entry that is no function");
        };
        let (count, vector) = self.strings(arguments)?;
        let given = [Value::Int(count), Value::Ptr(vector), Value::Ptr(vector.offset(8 * (count + 1)))];
        if params.len() > given.len() {
            return unsupported(format!("arguments for function {entry}"));
        }
        let value = self.call_function(number, &given[..params.len()])?;
        self.finish()?;
        Ok(value)
    }

    /// What happens when a program ends.
    fn finish(&mut self) -> Res<()> {
        self.frames.clear();
        while let Some((function, argument)) = self.state.at_exit.pop() {
            self.call_pointer(function, &argument.into_iter().collect::<Vec<_>>())?;
        }
        self.constructors("llvm.global_dtors")
    }

    /// The strings of a command line and the array of their addresses.
    fn strings(&mut self, arguments: &[String]) -> Res<(u64, Pointer)> {
        let count = arguments.len() as u64;
        let vector = self.memory.allocate(crate::memory::Kind::Global, 8 * (count + 2), 16, false)?;
        for (index, argument) in arguments.iter().enumerate() {
            let text = self.memory.allocate(crate::memory::Kind::Global, argument.len() as u64 + 1, 1, false)?;
            self.memory.write(text, argument.as_bytes())?;
            self.memory.store_pointer(vector.offset(8 * index as u64), 8, text)?;
        }
        Ok((count, vector))
    }

    /// The code of a function, translated when it is first needed.
    pub(crate) fn code(&mut self, number: u32) -> Res<Arc<Code>> {
        if let Some(code) = &self.codes[number as usize] {
            return Ok(code.clone());
        }
        let function = self.functions.get(number);
        let name = self.functions.name(self.module, function.symbol);
        let Some((body, context)) = &function.body else { return unsupported(format!("function {name}")) };
        let graph = match &self.module.bodies[*body].code {
            Source::Graph(graph) => graph,
            Source::Cfg => return unsupported(format!("function {name}, of which there is no graph")),
            Source::Untouched { construct } => {
                return unsupported(format!("function {name}, which passes through untouched: {construct}"));
            }
        };
        let context: Vec<Value> =
            context.iter().map(|symbol| self.addresses.get(symbol).cloned().unwrap_or(Value::Poison)).collect();
        let record = self.config.unknown == Unknown::Record;
        let (warps, watched) = (self.warps.is_some(), self.warps.is_some_and(|warps| warps.watched));
        let (module, layouts, functions) = (self.module, &mut self.layouts, &self.functions);
        let cx = Context { module, layouts, functions, record, warps, watched };
        let code = Arc::new(match self.warps.map(|warps| warps.form) {
            Some(Form::ControlFlow(recovery)) => {
                translate_flow(cx, function.symbol, &destruct(graph, context.len(), recovery), &context)?
            }
            Some(Form::Graph) | None => translate(cx, function.symbol, graph, &context)?,
        });
        self.codes[number as usize] = Some(code.clone());
        Ok(code)
    }

    pub(crate) fn types(&mut self) -> Types<'_> {
        Types { pool: &self.module.pool, layouts: &mut self.layouts }
    }

    /// What was printed so far reaches its sink.
    pub(crate) fn flush(&mut self) {
        // A reader that went away is no concern of the program's meaning.
        let _ = self.stdout.flush();
        let _ = self.stderr.flush();
    }

    /// Where the machine is.
    pub(crate) fn place(&self) -> Place {
        let Some(frame) = self.frames.last() else { return Place::default() };
        let at = frame.at.saturating_sub(1);
        let node = frame.code.nodes.get(at).copied();
        let operation = node.map(|node| self.describe(&frame.code, node)).unwrap_or_default();
        Place { function: frame.code.name.to_string(), operation }
    }

    fn describe(&self, code: &Code, node: u32) -> String {
        if !code.blocks.is_empty() {
            return format!("i{node}");
        }
        let body = self.functions.by_symbol(code.symbol).and_then(|function| function.body.as_ref());
        let graph = body.and_then(|(body, _)| self.module.bodies[*body].graph());
        let kind = graph.map(|graph| graph.kind(rvsdg_core::Node::from_u32(node)));
        let mnemonic = match kind {
            Some(rvsdg_core::NodeKind::Simple(op)) => op.code().info().mnemonic,
            Some(rvsdg_core::NodeKind::Gamma) => "gamma",
            Some(rvsdg_core::NodeKind::Theta) => "theta",
            _ => "",
        };
        format!("n{node} {mnemonic}")
    }

    pub(crate) fn outcome(&mut self, stop: Stop) -> Outcome {
        let place = self.place();
        match stop {
            Stop::Undefined(rule, detail) => Outcome::Undefined { place, rule, detail },
            Stop::Unsupported(construct) => Outcome::Unsupported { place, construct },
            Stop::Exit(status) => Outcome::Exited(status),
            Stop::Abort(reason) => Outcome::Aborted { place, reason },
            Stop::OutOfFuel => Outcome::OutOfFuel { place },
            Stop::OutOfMemory(what) => Outcome::OutOfMemory { place, what },
            Stop::Jump { .. } => Outcome::Unsupported { place, construct: "longjmp out of a library function".into() },
            Stop::Throw => Outcome::Aborted { place, reason: "an exception that nobody catches".into() },
        }
    }
}
