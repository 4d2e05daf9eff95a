//! Modules: symbols, and the ω level derived from the symbols that definitions mention.

use std::panic::Location;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_cfg::construct;
use rvsdg_cfg::restructure::Options;
use rvsdg_core::annotations::{Metadata, Operand};
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::constant::Words;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::{
    BodyData, Code, Definition, DefinitionKind, Header, Linkage, SymbolData, SymbolKind, SymbolicConst, UnnamedAddr,
};
use rvsdg_core::sources::Extent;
use rvsdg_core::{Const, Constant, Module, Pool, Symbol, Type, TypeKind};

use crate::error::BuildError;
use crate::function::FunctionBuilder;

/// A function that can be called and, unless it is imported, defined.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("quiet.c");
/// let (abs, magnitude) = (module.import("abs", &[Type::I32], Type::I32), module.function("magnitude", &[Type::I32], Type::I32));
/// let mut f = module.body(magnitude);
/// let result = f.call(abs, &[f.param(0)]);
/// f.return_(result);
/// module.define(f)?;
/// let module = module.finish()?;
/// assert_eq!(&*module.symbols[magnitude.symbol].name, "magnitude");
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its symbol.
    pub symbol: Symbol,
    /// Its function type.
    pub ty: Type,
    /// The type of its address.
    pub(crate) address: Type,
}

/// A variable or constant of the module.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("tick.c");
/// let start = module.int(Type::I64, 100);
/// let counter = module.global("counter", start);
/// let tick = module.function("tick", &[], Type::I64);
/// let mut f = module.body(tick);
/// let (address, one) = (f.address(counter), f.int(Type::I64, 1));
/// let before = f.load(Type::I64, address);
/// let after = f.add(before, one);
/// f.store(after, address);
/// f.return_(after);
/// module.define(f)?;
/// module.finish()?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its symbol.
    pub symbol: Symbol,
    /// The type of its address.
    pub(crate) address: Type,
}

/// A symbol whose address can be taken in a function.
///
/// Functions and variables alike:
///
/// ```
/// use rvsdg_build::{Address, ModuleBuilder};
/// use rvsdg_core::Type;
/// use rvsdg_core::module::UnnamedAddr;
///
/// let mut module = ModuleBuilder::new("table.c");
/// let text = module.string("hello");
/// let hook = module.import("hook", &[], Type::VOID);
/// for of in [Address::from(text), Address::from(hook)] {
///     module.symbol(of).unnamed_addr = UnnamedAddr::Global;
/// }
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Address {
    pub(crate) symbol: Symbol,
    pub(crate) ty: Type,
}

impl From<Function> for Address {
    fn from(function: Function) -> Address {
        Address { symbol: function.symbol, ty: function.address }
    }
}

impl From<Global> for Address {
    fn from(global: Global) -> Address {
        Address { symbol: global.symbol, ty: global.address }
    }
}

/// Builds a [`Module`].
///
/// Functions are declared first, in any order, and defined once everything that they mention is declared; so they may call one another.
/// The ω level, with a φ for recursive functions, follows from what definitions mention.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
/// use rvsdg_core::op::IntPredicate;
///
/// let mut module = ModuleBuilder::new("max.c");
/// let max = module.function("max", &[Type::I32, Type::I32], Type::I32);
/// let mut f = module.body(max);
/// let (a, b) = (f.param(0), f.param(1));
/// let greater = f.icmp(IntPredicate::Sgt, a, b);
/// f.if_(greater);
/// f.return_(a);
/// f.end();
/// f.return_(b);
/// module.define(f)?;
/// let module = module.finish()?;
/// assert!(module.verify().is_ok());
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
pub struct ModuleBuilder {
    pub(crate) module: Module,
    pub(crate) layouts: Layouts,
    definitions: Vec<Definition>,
    defined: FxHashMap<Symbol, ()>,
    names: FxHashMap<Box<str>, Symbol>,
    /// The compilation unit of debug information, and the variables in it.
    pub(crate) unit: Option<Metadata>,
    pub(crate) debug_globals: Vec<Operand>,
    /// The number of the next annotated instruction.
    next_source: u32,
    error: Option<BuildError>,
}

impl ModuleBuilder {
    /// A module without symbols for a source file, without a target: LLVM's default layout of types, and whatever machine the text is
    /// compiled for.
    pub fn new(source_file: &str) -> ModuleBuilder {
        let header = Header { source_file: source_file.to_owned(), ..Header::default() };
        ModuleBuilder {
            module: Module::new(header),
            layouts: Layouts::new(DataLayout::parse("").expect("no text is LLVM's default")),
            definitions: Vec::new(),
            defined: FxHashMap::default(),
            names: FxHashMap::default(),
            unit: None,
            debug_globals: Vec::new(),
            next_source: 0,
            error: None,
        }
    }

    /// Sets the target: its triple, and its data layout in LLVM's notation, which alignments and sizes follow from. Before the first
    /// function and variable.
    #[track_caller]
    pub fn target(&mut self, triple: &str, data_layout: &str) {
        if !self.module.order.is_empty() {
            self.fail("the module", "a target after the first symbol", "the target before all symbols");
        }
        match DataLayout::parse(data_layout) {
            Ok(layout) => self.layouts = Layouts::new(layout),
            Err(error) => self.fail("the module", &format!("data layout {data_layout:?}: {error}"), "LLVM's notation"),
        }
        self.module.header.triple = triple.to_owned();
        self.module.header.data_layout = data_layout.to_owned();
    }

    /// The parts of the module other than code and data.
    pub fn header(&mut self) -> &mut Header {
        &mut self.module.header
    }

    /// Types, constants and payloads of the module.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.module.pool
    }

    /// All properties of a symbol, which may be changed, but for its type, its address space and what it is.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::Type;
    /// # use rvsdg_core::module::Linkage;
    /// let mut module = ModuleBuilder::new("a.toy");
    /// let helper = module.function("helper", &[], Type::VOID);
    /// module.symbol(helper).linkage = Linkage::Internal;
    /// ```
    ///
    /// # Panics
    /// When the symbol is another module's.
    pub fn symbol(&mut self, of: impl Into<Address>) -> &mut SymbolData {
        &mut self.module.symbols[of.into().symbol]
    }

    /// Declares a function, to be [defined](Self::define). Others can see it unless its [linkage](SymbolData::linkage) says not.
    #[track_caller]
    pub fn function(&mut self, name: &str, params: &[Type], result: Type) -> Function {
        self.declare(name, params, result, false)
    }

    /// Declares a function that another translation unit defines.
    #[track_caller]
    pub fn import(&mut self, name: &str, params: &[Type], result: Type) -> Function {
        self.declare(name, params, result, false)
    }

    /// Declares a function that another translation unit defines and that takes any arguments after its parameters, as `printf` does.
    #[track_caller]
    pub fn import_variadic(&mut self, name: &str, params: &[Type], result: Type) -> Function {
        self.declare(name, params, result, true)
    }

    #[track_caller]
    fn declare(&mut self, name: &str, params: &[Type], result: Type, variadic: bool) -> Function {
        let kind = TypeKind::Function { result, params: params.into(), variadic };
        let ty = self.module.pool.intern_type(kind);
        let space = self.layouts.data().program_space();
        let data = SymbolData { address_space: space, ..SymbolData::new(name, ty, SymbolKind::default()) };
        let symbol = self.add(data);
        Function { symbol, ty, address: self.module.pool.intern_type(TypeKind::Ptr(space)) }
    }

    /// Adds an attribute of a function in LLVM's spelling, such as `nounwind` or `memory(read)`.
    ///
    /// # Panics
    /// When the function is another module's.
    #[track_caller]
    pub fn attribute(&mut self, function: Function, text: &str) {
        let pool = self.module.pool.clone();
        let SymbolKind::Function { attributes, .. } = &mut self.module.symbols[function.symbol].kind else { return };
        let mut list: AttributeList = pool.attributes(*attributes).clone();
        let own = Attribute::parse(text);
        list.function = list.function.iter().cloned().chain([own]).collect();
        *attributes = pool.intern_attributes(list);
    }

    /// Defines a variable with its initial value, which may mention addresses of symbols; others can see it unless its
    /// [linkage](SymbolData::linkage) says not. [`Initializer`](Self::address) helps with addresses.
    #[track_caller]
    pub fn global(&mut self, name: &str, initializer: impl Into<Initializer>) -> Global {
        let space = self.layouts.data().global_space();
        self.global_in(space, name, initializer)
    }

    /// As [`global`](Self::global), in an address space of the target, such as that of memory shared by the threads of a GPU's block.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::module::Linkage;
    /// # use rvsdg_core::{Constant, Type};
    /// let mut module = ModuleBuilder::new("kernels.cl");
    /// module.target("nvptx64-nvidia-cuda", "e-i64:64-i128:128-v16:16-v32:32-n16:32:64");
    /// let none = module.pool().intern_const(Constant::Undef(Type::I32));
    /// let counter = module.global_in(3, "counter", none);
    /// module.symbol(counter).linkage = Linkage::Internal;
    /// ```
    #[track_caller]
    pub fn global_in(&mut self, space: u32, name: &str, initializer: impl Into<Initializer>) -> Global {
        let Initializer(SymbolicConst { constant, symbols }) = initializer.into();
        let ty = self.module.pool.constant(constant).ty();
        let kind = SymbolKind::variable(Some(constant));
        let symbol = self.add(SymbolData { address_space: space, ..SymbolData::new(name, ty, kind) });
        self.definitions.push(Definition { symbol, kind: DefinitionKind::Data, mentions: symbols });
        Global { symbol, address: self.module.pool.intern_type(TypeKind::Ptr(space)) }
    }

    /// A constant with these bytes followed by a zero, whose address is insignificant: a string literal. Equal ones may be merged.
    #[track_caller]
    pub fn string(&mut self, text: impl AsRef<[u8]>) -> Global {
        let bytes: Box<[u8]> = text.as_ref().iter().copied().chain([0]).collect();
        let element = self.module.pool.int(8);
        let ty = self.module.pool.intern_type(TypeKind::Array { len: bytes.len() as u64, element });
        let constant = self.module.pool.intern_const(Constant::Data { ty, bytes });
        let global = self.global("", constant);
        let data = &mut self.module.symbols[global.symbol];
        (data.linkage, data.unnamed_addr, data.align) = (Linkage::Private, UnnamedAddr::Global, Some(1));
        if let SymbolKind::Variable { constant, .. } = &mut data.kind {
            *constant = true;
        }
        global
    }

    /// The integer constant of a type with these low bits, extended with its sign.
    pub fn int(&self, ty: Type, value: i64) -> Const {
        int(&self.module.pool, ty, value)
    }

    /// The constant of a type whose bits are all zero.
    pub fn zero(&self, ty: Type) -> Const {
        zero(&self.module.pool, ty)
    }

    /// An initializer that is the address of a symbol.
    pub fn address(&self, of: impl Into<Address>) -> Initializer {
        let Address { symbol, ty } = of.into();
        let constant = self.module.pool.intern_const(Constant::Hole { ty, index: 0 });
        Initializer(SymbolicConst { constant, symbols: vec![symbol] })
    }

    /// Begins the body of a function.
    #[track_caller]
    pub fn body(&self, function: Function) -> FunctionBuilder {
        let data = &self.module.symbols[function.symbol];
        let scope = self.module.annotations.symbols.get(function.symbol).copied();
        let layouts = Layouts::new(self.layouts.data().clone());
        FunctionBuilder::new(self.module.pool.clone(), layouts, function, data, scope)
    }

    /// Makes a graph of the body. Near-linear in its size: SSA construction uses the algorithm of Braun et al. (CC 2013), and control
    /// flow becomes regions as in [`rvsdg_cfg::construct`].
    ///
    /// # Errors
    /// What was wrong first in the use of the builder; or a value is used where its definition is not sure to have been executed.
    #[track_caller]
    pub fn define(&mut self, body: FunctionBuilder) -> Result<(), BuildError> {
        let symbol = body.function().symbol;
        let place = format!("@{}", self.module.symbols.get(symbol).map_or("", |data| &data.name));
        if self.module.symbols.get(symbol).is_none_or(|data| data.value_type != body.function().ty) {
            return Err(error(
                "the module",
                "the body of a function of another module",
                "one that this module declared",
            ));
        }
        if self.defined.insert(symbol, ()).is_some() {
            return Err(error(&place, "a second definition", "one definition of each function"));
        }
        let progress = match self.module.symbols[symbol].kind {
            SymbolKind::Function { attributes, .. } => {
                self.module.pool.attributes(attributes).function_has(AttributeKind::MustProgress)
            }
            _ => false,
        };
        let mut lowered = body.lower(self.next_source, &mut self.module.annotations)?;
        lowered.cfg.progress = progress;
        let graph = match lowered.cfg.verify() {
            Ok(verified) => construct::build(&verified, &Options::default()),
            Err(violations) => {
                return Err(error(&place, &violations.to_string(), "values that are defined wherever they are used"));
            }
        };
        let body = self.module.bodies.insert(BodyData { symbol, code: Code::Graph(graph) });
        if lowered.sources > 0 {
            self.module.sources.add_body(body, Extent { first: self.next_source, count: lowered.sources });
            self.next_source += lowered.sources;
        }
        self.definitions.push(Definition { symbol, kind: DefinitionKind::Function(body), mentions: lowered.contexts });
        Ok(())
    }

    /// The module. Symbols that are declared and not defined are imported. Linear in definitions and what they mention, and in the module
    /// for its verification.
    ///
    /// # Errors
    /// What was wrong first in the use of the builder, or what [`Module::verify`] finds, such as an attribute that does not exist.
    #[track_caller]
    pub fn finish(mut self) -> Result<Module, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.finish_debug();
        let place: FxHashMap<Symbol, usize> =
            self.module.order.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect();
        self.definitions.sort_by_key(|definition| place.get(&definition.symbol).copied());
        let foreign = self.definitions.iter().flat_map(|it| &it.mentions).any(|it| !place.contains_key(it));
        if foreign {
            return Err(error("the module", "the address of a symbol of another module", "symbols of this module"));
        }
        self.module.define(&self.definitions, &[]);
        if let Err(violations) = self.module.verify() {
            return Err(error("the module", &violations.to_string(), "a valid module"));
        }
        Ok(self.module)
    }

    #[track_caller]
    fn add(&mut self, data: SymbolData) -> Symbol {
        let name = data.name.clone();
        let symbol = self.module.add_symbol(data);
        if !name.is_empty() && self.names.insert(name.clone(), symbol).is_some() {
            self.fail(&format!("@{name}"), "a second symbol of this name", "each name once");
        }
        symbol
    }

    #[track_caller]
    pub(crate) fn fail(&mut self, place: &str, construct: &str, expected: &str) {
        let error = error(place, construct, expected);
        self.error.get_or_insert(error);
    }
}

/// The initial value of a variable, with the symbols whose addresses are in it.
///
/// A variable that holds the address of another:
///
/// ```
/// use rvsdg_build::ModuleBuilder;
///
/// let mut module = ModuleBuilder::new("greeting.c");
/// let text = module.string("hello");
/// let address = module.address(text);
/// module.global("greeting", address);
/// let module = module.finish()?;
/// assert!(rvsdg_core::text::print_module(&module).contains("@greeting"));
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
pub struct Initializer(SymbolicConst);

impl From<Const> for Initializer {
    fn from(constant: Const) -> Initializer {
        Initializer(SymbolicConst { constant, symbols: Vec::new() })
    }
}

impl From<SymbolicConst> for Initializer {
    fn from(constant: SymbolicConst) -> Initializer {
        Initializer(constant)
    }
}

#[track_caller]
fn error(place: &str, construct: &str, expected: &str) -> BuildError {
    BuildError {
        at: Location::caller(),
        place: place.to_owned(),
        construct: construct.to_owned(),
        expected: expected.to_owned(),
    }
}

/// The integer of a type with these low bits; of a vector type, one with such lanes. Bits beyond 64 are the sign.
pub(crate) fn int(pool: &Pool, ty: Type, value: i64) -> Const {
    match *pool.type_kind(ty) {
        TypeKind::Int(0..=64) => pool.int_const(ty, value as u64),
        TypeKind::Int(bits) => {
            let limbs = bits.div_ceil(64) as usize;
            let mut words = vec![if value < 0 { u64::MAX } else { 0 }; limbs];
            words[0] = value as u64;
            if bits % 64 != 0 {
                words[limbs - 1] &= (1 << (bits % 64)) - 1;
            }
            pool.intern_const(Constant::Int { ty, words: Words::Large(words.into()) })
        }
        TypeKind::Vector { element, .. } => {
            let element = int(pool, element, value);
            pool.intern_const(Constant::Splat { ty, element })
        }
        _ => pool.poison(ty),
    }
}

/// The constant whose bits are all zero.
pub(crate) fn zero(pool: &Pool, ty: Type) -> Const {
    match pool.type_kind(ty) {
        TypeKind::Int(_) => int(pool, ty, 0),
        kind if kind.is_float() => pool.intern_const(Constant::Float { ty, bits: 0 }),
        _ => pool.intern_const(Constant::Zero(ty)),
    }
}
