//! What a body may know of the symbols it mentions, without the module.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::Attributes;
use rvsdg_core::fold::Intrinsic;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::{Linkage, SymbolKind, ThreadLocal};
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Graph, Module, Origin, Symbol, Type};

use crate::allocation::{Allocation, has_library};
use crate::divergence::{Given, Machine};
use crate::function::is_interposable;
use crate::library::Promises;

/// The symbols that a body mentions. They stay the same while only body passes run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    contexts: Vec<Context>,
    own: Option<OwnFunction>,
    data_layout: Option<Arc<DataLayout>>,
    machine: Option<Machine>,
    is_kernel: bool,
    triple: Arc<str>,
}

/// The function of a body.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OwnFunction {
    /// The symbol.
    pub symbol: Symbol,
    /// The attributes of function, result and parameters.
    pub attributes: Attributes,
    /// The type of the function.
    pub ty: Type,
    /// LLVM's number of the calling convention.
    pub convention: u32,
    /// Whether a call of the symbol may execute [another definition](is_interposable).
    pub interposable: bool,
}

/// An intrinsic with an effect on memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MemoryIntrinsic {
    /// It starts or ends the lifetime of an object on the stack.
    Mark,
    /// It copies bytes.
    Copy,
    /// It fills bytes with a value.
    Set,
}

impl MemoryIntrinsic {
    /// The intrinsic with a name such as `llvm.memset.p0.i64`.
    pub fn of_name(name: &str) -> Option<MemoryIntrinsic> {
        let name = name.strip_prefix("llvm.")?;
        let is = |start: &str| name.strip_prefix(start).is_some_and(|types| types.starts_with(".p"));
        if name.starts_with("lifetime.") {
            Some(MemoryIntrinsic::Mark)
        } else if is("memcpy") || is("memmove") {
            Some(MemoryIntrinsic::Copy)
        } else {
            is("memset").then_some(MemoryIntrinsic::Set)
        }
    }
}

/// The symbol of a context variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Context {
    /// A function with these attributes.
    Function {
        /// The symbol.
        symbol: Symbol,
        /// The attributes of function, result and parameters.
        attributes: Attributes,
        /// The memory intrinsic that it is.
        memory: Option<MemoryIntrinsic>,
        /// The computing intrinsic that it is.
        intrinsic: Option<Intrinsic>,
        /// How its results differ between the threads of a group, on a machine that has groups.
        given: Given,
        /// Its effect if it is the target library's function of its name.
        library: Option<Allocation<'static>>,
        /// What it computes, besides setting `errno`, if it is the target library's function of its name.
        computes: Option<Intrinsic>,
        /// Whether it is `llvm.assume`: the program is undefined if its condition is false.
        assumes: bool,
    },
    /// A variable that is the same in every thread.
    Variable {
        /// The symbol.
        symbol: Symbol,
        /// Whether it never changes.
        constant: bool,
        /// Whether no pointer leads to it but those computed from its address here.
        unescaped: bool,
        /// Whether only pointers loaded from it lead to what it points to.
        owner: bool,
        /// The type of its contents.
        ty: Type,
        /// The alignment in bytes that is promised.
        align: u64,
    },
    /// Anything else: an alias or ifunc, a thread-local variable, a symbol that may be missing.
    Other,
}

impl Surroundings {
    /// The surroundings of all bodies.
    pub fn of_all(module: &Module) -> FxHashMap<Body, Arc<Surroundings>> {
        Surroundings::of_functions(module, &module.lambdas())
    }

    /// The surroundings of the bodies of some functions. Linear in the symbols that these mention.
    pub fn of_functions(module: &Module, functions: &[Lambda]) -> FxHashMap<Body, Arc<Surroundings>> {
        let data_layout = DataLayout::parse(&module.header.data_layout).ok().map(Arc::new);
        let triple: Arc<str> = module.header.triple.as_str().into();
        let of = |lambda: Lambda| {
            let known =
                Surroundings { data_layout: data_layout.clone(), triple: triple.clone(), ..Surroundings::default() };
            (lambda.body(), Arc::new(known.of(module, lambda)))
        };
        functions.iter().copied().map(of).collect()
    }

    /// The surroundings of a body on a machine that executes threads in groups, with nothing else known.
    pub fn on(machine: Machine) -> Surroundings {
        Surroundings { machine: Some(machine), ..Surroundings::default() }
    }

    /// The surroundings of a function's body, with the parts shared by all bodies.
    fn of(self, module: &Module, lambda: Lambda) -> Surroundings {
        let machine = Machine::of_triple(&self.triple);
        let symbols = module.context_symbols(lambda).into_iter();
        let contexts = symbols.map(|symbol| context(module, symbol, machine)).collect();
        let own = own_function(module, module.bodies[lambda.body()].symbol);
        let is_kernel = own.zip(machine).is_some_and(|(own, machine)| machine.is_kernel(own.convention));
        Surroundings { contexts, own, machine, is_kernel, ..self }
    }

    /// The symbol whose address an argument of the body's root region is; `None` for a parameter or state.
    pub fn context(&self, argument: usize) -> Option<Context> {
        self.contexts.get(argument).copied()
    }

    /// The index of the parameter that an argument of the body's root region is, if it comes after the symbols.
    pub fn parameter(&self, argument: usize) -> Option<usize> {
        argument.checked_sub(self.contexts.len())
    }

    /// Sizes and offsets of types, if the data layout is well-formed.
    pub fn layouts(&self) -> Option<Layouts> {
        Some(Layouts::new(DataLayout::clone(self.data_layout.as_deref()?)))
    }

    /// The data layout, if it is well-formed.
    pub fn data_layout(&self) -> Option<&DataLayout> {
        self.data_layout.as_deref()
    }

    /// The target triple; empty if the module has none.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// The attributes of the function itself.
    pub fn attributes(&self) -> Option<Attributes> {
        self.own.map(|own| own.attributes)
    }

    /// The symbols and parameters of a body about which earlier surroundings say something else; `None` if they differ in more.
    pub fn learned_since(&self, earlier: &Surroundings, graph: &Graph) -> Option<Vec<Origin>> {
        let count = self.contexts.len();
        let Surroundings { contexts, own, data_layout, machine, is_kernel, triple } = self;
        let is_same = (data_layout, machine, is_kernel, triple)
            == (&earlier.data_layout, &earlier.machine, &earlier.is_kernel, &earlier.triple);
        let others = own.zip(earlier.own).map(|(now, then)| (OwnFunction { attributes: then.attributes, ..now }, then));
        if !is_same || count != earlier.contexts.len() || others.is_none_or(|(now, then)| now != then) {
            return None;
        }
        let arguments = graph.arguments(graph.root());
        let mut learned: Vec<Origin> = (0..count)
            .filter(|&index| contexts[index] != earlier.contexts[index])
            .map(|index| arguments[index])
            .collect();
        if self.attributes() != earlier.attributes() {
            learned.extend(arguments[count..].iter().filter(|&&argument| !graph.ty(argument).is_state()));
        }
        Some(learned)
    }

    /// The function itself.
    pub fn own(&self) -> Option<OwnFunction> {
        self.own
    }

    /// How many of the arguments of the body's root region are addresses of symbols: the first ones.
    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }

    /// Whether an argument of the body's root region is the address of the function itself.
    pub fn is_own_address(&self, argument: usize) -> bool {
        match (self.context(argument), self.own) {
            (Some(Context::Function { symbol, .. }), Some(own)) => symbol == own.symbol,
            _ => false,
        }
    }

    /// The machine that executes the function, if it executes threads in groups.
    pub fn machine(&self) -> Option<Machine> {
        self.machine
    }

    /// Whether the function is a kernel, whose arguments are the same for all threads.
    pub fn is_kernel(&self) -> bool {
        self.is_kernel
    }
}

fn own_function(module: &Module, symbol: Symbol) -> Option<OwnFunction> {
    let data = &module.symbols[symbol];
    match data.kind {
        SymbolKind::Function { attributes, convention, .. } => {
            let interposable = is_interposable(module, symbol);
            Some(OwnFunction { symbol, attributes, ty: data.value_type, convention, interposable })
        }
        SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => None,
    }
}

fn context(module: &Module, symbol: Symbol, machine: Option<Machine>) -> Context {
    let data = &module.symbols[symbol];
    match &data.kind {
        &SymbolKind::Function { attributes, .. } => {
            let intrinsic = Intrinsic::of_name(&data.name);
            let given = machine.map_or(Given::Different, |machine| machine.given(&data.name));
            let library = Allocation::of_library(module, symbol);
            let memory = MemoryIntrinsic::of_name(&data.name);
            let computes = has_library(module).then(|| Promises::of(module, symbol)?.computes()).flatten();
            let computes = computes.filter(|_| module.imports.contains(&symbol));
            let assumes = &*data.name == "llvm.assume";
            Context::Function { symbol, attributes, memory, intrinsic, given, library, computes, assumes }
        }
        &SymbolKind::Variable { constant, unescaped, owner, .. }
            if data.thread_local == ThreadLocal::None && data.linkage != Linkage::ExternWeak =>
        {
            Context::Variable {
                symbol,
                constant,
                unescaped,
                owner,
                ty: data.value_type,
                align: data.align.unwrap_or(1),
            }
        }
        SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => Context::Other,
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::*;

    #[test]
    fn intrinsics_on_memory() {
        for (name, copies, fills) in [
            ("llvm.memcpy.p0.p0.i64", true, false),
            ("llvm.memmove.p0.p0.i64", true, false),
            ("llvm.memset.p0.i64", false, true),
            ("llvm.memcpy.inline.p0.p0.i64", false, false),
            ("memmove", false, false),
        ] {
            let found = MemoryIntrinsic::of_name(name);
            assert_eq!(matches!(found, Some(MemoryIntrinsic::Copy)), copies, "{name}");
            assert_eq!(matches!(found, Some(MemoryIntrinsic::Set)), fills, "{name}");
        }
        assert!(matches!(MemoryIntrinsic::of_name("llvm.lifetime.start.p0"), Some(MemoryIntrinsic::Mark)));
    }

    /// What a function computes by its name, on a target that has the library.
    #[test]
    fn functions_of_the_library() {
        let of = |triple: &str, ty: &str, name: &str| {
            let text = format!("module \"test\"\n@{name} = function {ty}\nimport @{name}\n");
            let mut module = parse_module(&text).expect("it is a module");
            module.header.triple = triple.into();
            match context(&module, module.order[0], None) {
                Context::Function { computes, .. } => computes,
                Context::Variable { .. } | Context::Other => None,
            }
        };
        let linux = "x86_64-unknown-linux-gnu";
        assert_eq!(of(linux, "float (float)", "floorf"), Some(Intrinsic::Floor));
        assert_eq!(of(linux, "double (double)", "floor"), Some(Intrinsic::Floor));
        assert_eq!(of("nvptx64-nvidia-cuda", "double (double)", "floor"), None);
        assert_eq!(of(linux, "float (float)", "floor"), None);
        assert_eq!(of(linux, "double (double, i32)", "ldexp"), None);
        assert_eq!(of(linux, "i32 (i32)", "abs"), None);
    }

    #[test]
    fn a_function_knows_its_own_address() {
        let text = "module \"test\"
            @other = function void ()
            @v = global i32 1
            @f = function void (ptr)
            import @other
            delta @v []
            @f = phi [@other, @v] (@f) {
              v0 = lambda @f [@f, @other, @v] (v0: ptr, mem0, io0) {
                mem1, io1 = call void () @other(), mem0, io0
                mem2, io2 = call void (ptr) @f(@v), mem1, io1
                yield mem2, io2
              }
              yield v0
            }
            export @f";
        let example = crate::tests::Example::of(text);
        let around = example.surroundings().expect("they are known");
        let own: Vec<bool> = (0..5).map(|argument| around.is_own_address(argument)).collect();
        assert_eq!(own, [true, false, false, false, false]);
    }

    /// Each thread has a variable of its own, and one that need not be there may be at the address of another.
    #[test]
    fn variables_that_are_one_object() {
        let text = "module \"test\"\n@v = global i32 1\ndelta @v []\nexport @v\n";
        let mut module = parse_module(text).expect("it is a module");
        let symbol = module.order[0];
        assert!(matches!(context(&module, symbol, None), Context::Variable { constant: false, .. }));
        module.symbols[symbol].thread_local = ThreadLocal::GeneralDynamic;
        assert!(matches!(context(&module, symbol, None), Context::Other));
        module.symbols[symbol].thread_local = ThreadLocal::None;
        module.symbols[symbol].linkage = Linkage::ExternWeak;
        assert!(matches!(context(&module, symbol, None), Context::Other));
    }
}
