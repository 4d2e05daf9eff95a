//! The ω level: a translation unit with its symbols and bodies.

mod definitions;
mod keywords;

use std::sync::Arc;

use slotmap::{SlotMap, new_key_type};

pub use definitions::{Definition, DefinitionKind};
pub use keywords::{DllStorage, Linkage, ThreadLocal, UnnamedAddr, Visibility};

use crate::annotations::Annotations;
use crate::attribute::Attributes;
use crate::graph::{Graph, Node, NodeKind, Origin, OriginDef, Use};
use crate::sources::Sources;
use crate::structural::{Lambda, Phi};
use crate::{Const, Pool, Type};

new_key_type! {
    /// A named entity of a module: function, variable, alias or ifunc.
    pub struct Symbol;
    /// The body of a λ.
    pub struct Body;
}

/// A translation unit.
///
/// The root region of [`omega`](Module::omega) has one argument per imported symbol and one result per exported
/// definition. λ and δ nodes, alone or inside φ nodes, define the other symbols.
///
/// ```
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @callee = function i32 (i32)
/// @caller = function i32 (i32)
/// import @callee
/// lambda @caller [@callee] (v0: i32, mem0, io0) {
///   v1: i32, mem1, io1 = call i32 (i32) @callee(v0), mem0, io0
///   yield v1, mem1, io1
/// }
/// export @caller
/// ",
/// )?;
/// module.verify()?;
/// let lambda = module.lambdas()[0];
/// let names: Vec<&str> = module.context_symbols(lambda).iter().map(|&symbol| &*module.symbols[symbol].name).collect();
/// assert_eq!(names, ["callee"]);
/// assert_eq!(module.bodies[lambda.body()].graph().map(|graph| graph.node_count()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Module {
    /// Types, constants and payloads of all graphs.
    pub pool: Arc<Pool>,
    /// What is not code.
    pub header: Header,
    /// Every symbol.
    pub symbols: SlotMap<Symbol, SymbolData>,
    /// The symbols in the order in which the source has them: functions, variables, aliases, ifuncs interleaved.
    pub order: Vec<Symbol>,
    /// Bodies of λ nodes.
    pub bodies: SlotMap<Body, BodyData>,
    /// The translation unit's graph.
    pub omega: Graph,
    /// The symbol of each argument of the ω region.
    pub imports: Vec<Symbol>,
    /// The numbers of original instructions.
    pub sources: Sources,
    /// Debug information and other metadata of a module that was built.
    pub annotations: Annotations,
}

/// The parts of a translation unit other than code and data.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The module's identifier.
    pub name: String,
    /// The source file's name.
    pub source_file: String,
    /// The target's data layout in LLVM's notation.
    pub data_layout: String,
    /// The target triple.
    pub triple: String,
    /// Module-level assembly, without line ends.
    pub assembly: Vec<String>,
    /// Comdats and their selection kinds (`any`, `exactmatch`, `largest`, `nodeduplicate`, `samesize`), by name.
    pub comdats: Vec<(Box<str>, Box<str>)>,
    /// Module flags in textual IR: behaviour, name, value, such as `(1, "wchar_size", "i32 4")`.
    pub flags: Vec<(u32, Box<str>, Box<str>)>,
}

/// The body of a function.
#[derive(Clone)]
pub struct BodyData {
    /// The function.
    pub symbol: Symbol,
    /// What it computes.
    pub code: Code,
}

/// Whether a body is a graph.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are graphs")]
pub enum Code {
    /// It is. The root region's arguments are context variables, parameters, `mem`, `io`; its results the returned
    /// value (none for void), `mem`, `io`.
    Graph(Graph),
    /// It has a construct that the graph cannot represent, and stays with the importer.
    Untouched {
        /// The construct, such as `invoke`.
        construct: Box<str>,
    },
    /// It is a control flow graph kept outside the module: either one that was read, from which no graph was constructed yet, or one that
    /// was recovered.
    Cfg,
}

impl BodyData {
    /// The graph, if the body is one.
    pub fn graph(&self) -> Option<&Graph> {
        match &self.code {
            Code::Graph(graph) => Some(graph),
            Code::Untouched { .. } | Code::Cfg => None,
        }
    }

    /// The graph for editing, if the body is one.
    pub fn graph_mut(&mut self) -> Option<&mut Graph> {
        match &mut self.code {
            Code::Graph(graph) => Some(graph),
            Code::Untouched { .. } | Code::Cfg => None,
        }
    }
}

/// A constant together with the symbols that fill its holes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicConst {
    /// The constant.
    pub constant: Const,
    /// One symbol per hole.
    pub symbols: Vec<Symbol>,
}

/// A named entity and everything about it but its definition.
///
/// ```
/// use rvsdg_core::Type;
/// use rvsdg_core::module::{Linkage, SymbolData, SymbolKind};
///
/// let scratch = SymbolData::new("scratch", Type::I64, SymbolKind::variable(None));
/// let scratch = SymbolData { linkage: Linkage::Internal, align: Some(64), ..scratch };
/// assert!(scratch.is_discardable());
/// ```
#[derive(Clone, Debug)]
pub struct SymbolData {
    /// The name without `@`; empty for an unnamed entity, which is then known by its place in [`Module::order`].
    pub name: Box<str>,
    /// The type of the function or of the memory; the symbol itself is a pointer.
    pub value_type: Type,
    /// The address space of the symbol's address.
    pub address_space: u32,
    /// Who else can refer to it.
    pub linkage: Linkage,
    /// Which parts of a program see it.
    pub visibility: Visibility,
    /// Its storage class on Windows.
    pub dll_storage: DllStorage,
    /// Whether each thread has its own.
    pub thread_local: ThreadLocal,
    /// Whether its address matters.
    pub unnamed_addr: UnnamedAddr,
    /// `dso_local`
    pub dso_local: bool,
    /// The section.
    pub section: Option<Box<str>>,
    /// The partition.
    pub partition: Option<Box<str>>,
    /// The comdat's name.
    pub comdat: Option<Box<str>>,
    /// The alignment in bytes.
    pub align: Option<u64>,
    /// What it is.
    pub kind: SymbolKind,
}

/// What a symbol is.
#[derive(Clone, Debug)]
pub enum SymbolKind {
    /// A function.
    Function {
        /// LLVM's number of the calling convention.
        convention: u32,
        /// Of function, result and parameters.
        attributes: Attributes,
        /// The garbage collector.
        gc: Option<Box<str>>,
        /// The personality function.
        personality: Option<SymbolicConst>,
        /// Prefix data.
        prefix: Option<SymbolicConst>,
        /// Prologue data.
        prologue: Option<SymbolicConst>,
    },
    /// A variable.
    Variable {
        /// `constant` instead of `global`.
        constant: bool,
        /// `externally_initialized`
        externally_initialized: bool,
        /// Whether no pointer leads to it but those computed from its address in functions that mention it: the address is neither stored
        /// nor passed to functions, but for intrinsics that access memory, nor returned. LLVM has no word for that; analyses find it.
        unescaped: bool,
        /// Whether it holds null or the address of an allocation to which nothing leads but pointers loaded from it. LLVM has no word for
        /// that, either.
        owner: bool,
        /// The initializer; its holes are the δ node's inputs. `None` for a declaration.
        initializer: Option<Const>,
        /// Attributes of the variable.
        attributes: Attributes,
        /// `code_model`
        code_model: Option<Box<str>>,
        /// Sanitizer properties such as `no_sanitize_address`.
        sanitizer: Box<[&'static str]>,
    },
    /// Another name for part of a definition.
    Alias {
        /// The aliasee; its holes are the δ node's inputs.
        aliasee: Const,
    },
    /// A function chosen by a resolver at load time.
    IFunc {
        /// The resolver; its holes are the δ node's inputs.
        resolver: Const,
    },
}

impl Default for SymbolData {
    /// A function without a name and, until its type is set, of type `void`.
    fn default() -> SymbolData {
        SymbolData {
            name: Box::default(),
            value_type: Type::VOID,
            address_space: 0,
            linkage: Linkage::External,
            visibility: Visibility::Default,
            dll_storage: DllStorage::Default,
            thread_local: ThreadLocal::None,
            unnamed_addr: UnnamedAddr::None,
            dso_local: false,
            section: None,
            partition: None,
            comdat: None,
            align: None,
            kind: SymbolKind::default(),
        }
    }
}

impl Default for SymbolKind {
    /// A function of C's calling convention without attributes.
    fn default() -> SymbolKind {
        SymbolKind::Function {
            convention: 0,
            attributes: Attributes::NONE,
            gc: None,
            personality: None,
            prefix: None,
            prologue: None,
        }
    }
}

impl SymbolKind {
    /// A variable that can be written; without an initializer, a declaration.
    pub fn variable(initializer: Option<Const>) -> SymbolKind {
        SymbolKind::of_variable(false, initializer)
    }

    /// A variable that is never written.
    pub fn constant(initializer: Const) -> SymbolKind {
        SymbolKind::of_variable(true, Some(initializer))
    }

    fn of_variable(constant: bool, initializer: Option<Const>) -> SymbolKind {
        SymbolKind::Variable {
            constant,
            externally_initialized: false,
            unescaped: false,
            owner: false,
            initializer,
            attributes: Attributes::NONE,
            code_model: None,
            sanitizer: Box::default(),
        }
    }
}

impl SymbolData {
    /// An external symbol with defaults for everything but its name, its type and its kind.
    ///
    /// ```
    /// use rvsdg_core::module::{Linkage, SymbolData, SymbolKind, Visibility};
    /// use rvsdg_core::Type;
    ///
    /// let counter = SymbolData::new("counter", Type::I64, SymbolKind::variable(None));
    /// assert_eq!(counter.linkage, Linkage::External);
    /// let hidden = SymbolData { visibility: Visibility::Hidden, ..counter };
    /// assert_eq!(&*hidden.name, "counter");
    /// ```
    pub fn new(name: &str, value_type: Type, kind: SymbolKind) -> SymbolData {
        SymbolData { name: name.into(), value_type, kind, ..SymbolData::default() }
    }

    /// Whether a definition may go when nothing in the module refers to it: others cannot refer to it, or have a definition of
    /// their own. LLVM's `isDiscardableIfUnused`.
    pub fn is_discardable(&self) -> bool {
        let may_go = matches!(self.linkage, Linkage::Linkonce | Linkage::LinkonceOdr | Linkage::AvailableExternally);
        may_go || self.linkage.is_local()
    }
}

impl Module {
    /// A module without symbols.
    pub fn new(header: Header) -> Self {
        let pool = Arc::new(Pool::new());
        Module {
            omega: Graph::new(pool.clone()),
            pool,
            header,
            symbols: SlotMap::with_key(),
            order: Vec::new(),
            bodies: SlotMap::with_key(),
            imports: Vec::new(),
            sources: Sources::default(),
            annotations: Annotations::default(),
        }
    }

    /// Adds a symbol at the end of the order. It is neither imported nor defined yet.
    pub fn add_symbol(&mut self, data: SymbolData) -> Symbol {
        let symbol = self.symbols.insert(data);
        self.order.push(symbol);
        symbol
    }

    /// Adds an argument to the ω region for a symbol that another translation unit defines.
    pub fn add_import(&mut self, symbol: Symbol) -> Origin {
        self.imports.push(symbol);
        let ty = self.pool.intern_type(crate::TypeKind::Ptr(self.symbols[symbol].address_space));
        let root = self.omega.root();
        self.omega.add_argument(root, ty)
    }

    /// Adds a result to the ω region: the definition can be seen from other translation units. It has to stay unless it
    /// [may be discarded](SymbolData::is_discardable).
    pub fn add_export(&mut self, definition: Origin) {
        let root = self.omega.root();
        self.omega.add_result(root, definition);
    }

    /// The symbol that an origin of the ω graph is the address of, through φ arguments and outputs.
    ///
    /// # Panics
    /// When the ω graph is not valid.
    pub fn symbol_of(&self, mut origin: Origin) -> Symbol {
        loop {
            match self.omega.def(origin) {
                OriginDef::Output(node, index) => match self.omega.kind(node) {
                    NodeKind::Lambda(body) => return self.bodies[body].symbol,
                    NodeKind::Delta(symbol) => return symbol,
                    NodeKind::Phi => {
                        origin = self.omega.result(self.omega.subregions(node)[0], index as usize);
                    }
                    NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                        panic!("the ω level has only λ, φ and δ nodes")
                    }
                },
                OriginDef::Argument(region, index) => match self.omega.parent(region) {
                    None => return self.imports[index as usize],
                    Some(node) => {
                        let context = self.omega.inputs(node).len();
                        origin = match (index as usize).checked_sub(context) {
                            None => self.omega.input(node, index as usize),
                            Some(recursion) => self.omega.result(region, recursion),
                        };
                    }
                },
            }
        }
    }

    /// All λ nodes of the ω level, those in φ nodes included, in order.
    pub fn lambdas(&self) -> Vec<Lambda> {
        self.omega.all_nodes().filter_map(|node| Lambda::new(&self.omega, node)).collect()
    }

    /// The symbols of a λ's context variables, in order.
    pub fn context_symbols(&self, lambda: Lambda) -> Vec<Symbol> {
        self.omega.input_origins(lambda.node()).map(|origin| self.symbol_of(origin)).collect()
    }

    /// Whether a definition can be seen from other translation units.
    pub fn is_exported(&self, definition: Origin) -> bool {
        let mut pending = vec![definition];
        while let Some(origin) = pending.pop() {
            for user in self.omega.users_of(origin) {
                if let Use::Result(region, index) = self.omega.site(user) {
                    match self.omega.parent(region).and_then(|node| Phi::new(&self.omega, node)) {
                        None => return true,
                        Some(phi) => pending.push(self.omega.output(phi.node(), index as usize)),
                    }
                }
            }
        }
        false
    }

    /// The node that defines a symbol, if one does. Linear in the ω level; for many symbols walk it once.
    pub fn definition(&self, symbol: Symbol) -> Option<Node> {
        self.omega.all_nodes().find(|&node| match self.omega.kind(node) {
            NodeKind::Lambda(body) => self.bodies[body].symbol == symbol,
            NodeKind::Delta(defined) => defined == symbol,
            NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => false,
        })
    }
}
