//! Symbols with all their properties, and the reading of a whole module.

use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::attribute::{AttributeKind, AttributeList, Attributes};
use rvsdg_core::layout::DataLayout;
use rvsdg_core::module::{
    BodyData, Code, Definition, DefinitionKind, DllStorage, Header, Linkage, SymbolKind, SymbolicConst, ThreadLocal,
    UnnamedAddr, Visibility,
};
use rvsdg_core::sources::Extent;
use rvsdg_core::{Body, Module, Symbol, SymbolData, Type, TypeKind};

use super::body::{self, Scratch, Signature};
use super::constants::{Holes, Known};
use super::{Host, ReadBody, Tables, attributes};
use crate::carrier::NONE;
use crate::module_io::LlvmModule;
use crate::stream::{BodyStream, Reader};

// By LLVM's numbers.
const LINKAGE: [Linkage; 11] = [
    Linkage::External,
    Linkage::AvailableExternally,
    Linkage::Linkonce,
    Linkage::LinkonceOdr,
    Linkage::Weak,
    Linkage::WeakOdr,
    Linkage::Appending,
    Linkage::Internal,
    Linkage::Private,
    Linkage::ExternWeak,
    Linkage::Common,
];
const VISIBILITY: [Visibility; 3] = [Visibility::Default, Visibility::Hidden, Visibility::Protected];
const DLL_STORAGE: [DllStorage; 3] = [DllStorage::Default, DllStorage::Import, DllStorage::Export];
const THREAD_LOCAL: [ThreadLocal; 5] = [
    ThreadLocal::None,
    ThreadLocal::GeneralDynamic,
    ThreadLocal::LocalDynamic,
    ThreadLocal::InitialExec,
    ThreadLocal::LocalExec,
];
const UNNAMED_ADDR: [UnnamedAddr; 3] = [UnnamedAddr::None, UnnamedAddr::Local, UnnamedAddr::Global];
const COMDAT: [&str; 5] = ["any", "exactmatch", "largest", "nodeduplicate", "samesize"];
const CODE_MODEL: [&str; 5] = ["tiny", "small", "kernel", "medium", "large"];
const SANITIZER: [&str; 4] =
    ["no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit"];

/// A symbol's constants, which can name symbols that come later: numbers of constants.
enum Pending {
    Function { personality: u32, prefix: u32, prologue: u32 },
    Value(u32),
    Nothing,
}

/// Reads a module; `take` gets each body as soon as it was read.
pub(super) fn import(llvm: LlvmModule, take: &mut dyn FnMut(Body, Cfg)) -> (Module, Host) {
    let mut module = Module::new(Header::default());
    let mut tables = Tables::new(llvm, module.pool.clone());
    module.header = header(&mut tables);
    let mut words = Vec::new();
    let mut pending = Vec::new();
    let mut declared = Vec::new();
    for number in 0..tables.carrier.symbols() {
        tables.carrier.describe_symbol(number, &mut words);
        let (data, constants, is_declaration) = symbol(&mut tables, &words);
        let address = module.pool.intern_type(TypeKind::Ptr(data.address_space));
        tables.symbol_types.push(address);
        tables.symbols.push(module.add_symbol(data));
        pending.push(constants);
        declared.push(is_declaration);
    }
    let mut definitions = Vec::new();
    let mut kept = Vec::new();
    let layout = DataLayout::parse(&module.header.data_layout);
    let unsupported = layout.map_or_else(|error| Some(error.to_string()), |layout| layout.unsupported());
    let mut reader = Bodies { scratch: Scratch::default(), words: Vec::new(), take, read: Vec::new(), unsupported };
    for (number, constants) in pending.into_iter().enumerate() {
        let symbol = tables.symbols[number];
        match constants {
            Pending::Function { personality, prefix, prologue } => {
                let constants =
                    [personality, prefix, prologue].map(|constant| symbolic(&mut tables, constant, &mut kept));
                if let SymbolKind::Function { personality, prefix, prologue, .. } = &mut module.symbols[symbol].kind {
                    [*personality, *prefix, *prologue] = constants;
                }
                if !declared[number] {
                    definitions.push(reader.read(&mut tables, &mut module, number as u32));
                }
            }
            Pending::Value(constant) => {
                let (constant, holes) = value(&mut tables, constant);
                match &mut module.symbols[symbol].kind {
                    SymbolKind::Variable { initializer, .. } => *initializer = Some(constant),
                    SymbolKind::Alias { aliasee: place } | SymbolKind::IFunc { resolver: place } => *place = constant,
                    SymbolKind::Function { .. } => {}
                }
                let mentions = holes.iter().map(|&number| tables.symbols[number as usize]).collect();
                definitions.push(Definition { symbol, kind: DefinitionKind::Data, mentions });
            }
            Pending::Nothing => {}
        }
    }
    let kept: Vec<Symbol> = kept.iter().map(|&number| tables.symbols[number as usize]).collect();
    module.define(&definitions, &kept);
    let bodies = reader.read;
    (module, Host { tables, bodies, originals: true })
}

/// The bodies read so far.
struct Bodies<'t> {
    scratch: Scratch,
    words: Vec<u32>,
    take: &'t mut dyn FnMut(Body, Cfg),
    read: Vec<ReadBody>,
    /// What in the module keeps all bodies from being read.
    unsupported: Option<String>,
}

impl Bodies<'_> {
    fn read(&mut self, tables: &mut Tables, module: &mut Module, number: u32) -> Definition {
        let symbol = tables.symbols[number as usize];
        let stream = BodyStream::read(&mut tables.carrier, number, std::mem::take(&mut self.words))
            .unwrap_or_else(|_| unreachable!("a function that is not a declaration has a body"));
        let (params, result, progress) = signature(module, symbol);
        let signature = Signature { params: &params, result, progress };
        let read = match self.unsupported.as_deref() {
            None => body::read(tables, &mut self.scratch, &stream, &signature),
            Some(construct) => Err(construct),
        };
        let (body, mentions) = match read {
            Ok(done) => {
                let body = module.bodies.insert(BodyData { symbol, code: Code::Cfg });
                module.sources.add_body(body, Extent { first: stream.first_source, count: stream.insts });
                self.read.push(ReadBody {
                    body,
                    symbol: number,
                    params: stream.params,
                    first_source: stream.first_source,
                    insts: stream.insts,
                });
                // The original is not needed until it is written.
                tables.carrier.dematerialize(number);
                (self.take)(body, done.cfg);
                (body, done.contexts)
            }
            Err(construct) => {
                let code = Code::Untouched { construct: construct.into() };
                let body = module.bodies.insert(BodyData { symbol, code });
                module.sources.add_body(body, Extent { first: stream.first_source, count: stream.insts });
                (body, body::references(tables, &stream))
            }
        };
        self.words = stream.into_words();
        let mentions = mentions.iter().map(|&number| tables.symbols[number as usize]).collect();
        Definition { symbol, kind: DefinitionKind::Function(body), mentions }
    }
}

/// Parameters, result and progress of a function.
fn signature(module: &Module, symbol: Symbol) -> (Box<[Type]>, Option<Type>, bool) {
    let data = &module.symbols[symbol];
    let TypeKind::Function { result, params, .. } = module.pool.type_kind(data.value_type) else {
        unreachable!("a function's value type is a function type")
    };
    let progress = match data.kind {
        SymbolKind::Function { attributes, .. } => {
            module.pool.attributes(attributes).function_has(AttributeKind::MustProgress)
        }
        _ => false,
    };
    (params.clone(), (*result != Type::VOID).then_some(*result), progress)
}

fn header(tables: &mut Tables) -> Header {
    let mut words = Vec::new();
    let mut texts = tables.carrier.describe_module().into_iter();
    let mut next = || texts.next().unwrap_or_default();
    let (name, source_file, data_layout, triple, assembly) = (next(), next(), next(), next(), next());
    tables.carrier.describe_comdats(&mut words);
    let comdats = words
        .chunks_exact(2)
        .map(|comdat| (tables.text(comdat[0]), COMDAT[comdat[1] as usize % COMDAT.len()].into()))
        .collect();
    tables.carrier.describe_flags(&mut words);
    let flags = words
        .chunks_exact(3)
        .filter_map(|flag| Some((flag[0], tables.text(flag[1]), tables.optional_text(flag[2])?)))
        .collect();
    let assembly = assembly.lines().map(str::to_owned).collect();
    Header { name, source_file, data_layout, triple, assembly, comdats, flags }
}

fn pick<T: Copy + Default>(names: &[T], index: u32) -> T {
    names.get(index as usize).copied().unwrap_or_default()
}

/// A symbol, its constants, and whether it is defined elsewhere.
fn symbol(tables: &mut Tables, words: &[u32]) -> (SymbolData, Pending, bool) {
    let mut reader = Reader::new(words);
    let kind = reader.word();
    let name = tables.text(reader.word());
    let value_type = tables.ty(reader.word());
    let address_space = reader.word();
    let linkage = pick(&LINKAGE, reader.word());
    let visibility = pick(&VISIBILITY, reader.word());
    let dll_storage = pick(&DLL_STORAGE, reader.word());
    let thread_local = pick(&THREAD_LOCAL, reader.word());
    let unnamed_addr = pick(&UNNAMED_ADDR, reader.word());
    let dso_local = reader.word() != 0;
    let partition = tables.optional_text(reader.word());
    let section = tables.optional_text(reader.word());
    let comdat = tables.optional_text(reader.word());
    let _selection = reader.word();
    let sanitizer = reader.word();
    let is_declaration = reader.word() != 0;
    let mut align = None;
    let mut bytes = |log2: Option<u32>| align = log2.map(|log2| 1 << log2);
    // A placeholder until the constants are read: the poison of the symbol's type.
    let unset = tables.pool.poison(value_type);
    let (kind, pending) = match kind {
        0 => {
            let flags = reader.word();
            bytes(reader.optional());
            let initializer = reader.word();
            let code_model = reader.optional().map(|model| pick(&CODE_MODEL, model).into());
            let function = attributes::read_set(&mut tables.carrier, &tables.pool, &mut tables.types, &mut reader);
            let attributes = tables.pool.intern_attributes(AttributeList { function, ..AttributeList::default() });
            let sanitizer = (0..4).filter(|bit| sanitizer >> bit & 1 != 0).map(|bit| pick(&SANITIZER, bit)).collect();
            let kind = SymbolKind::Variable {
                constant: flags & 1 != 0,
                externally_initialized: flags & 2 != 0,
                unescaped: false,
                owner: false,
                initializer: None,
                attributes,
                code_model,
                sanitizer,
            };
            (kind, if initializer == NONE { Pending::Nothing } else { Pending::Value(initializer) })
        }
        1 => {
            let convention = reader.word();
            let attributes: Attributes = tables.attributes(reader.word());
            bytes(reader.optional());
            let gc = tables.optional_text(reader.word());
            let (personality, prefix, prologue) = (reader.word(), reader.word(), reader.word());
            let kind =
                SymbolKind::Function { convention, attributes, gc, personality: None, prefix: None, prologue: None };
            (kind, Pending::Function { personality, prefix, prologue })
        }
        2 => (SymbolKind::Alias { aliasee: unset }, Pending::Value(reader.word())),
        _ => (SymbolKind::IFunc { resolver: unset }, Pending::Value(reader.word())),
    };
    let data = SymbolData {
        name,
        value_type,
        address_space,
        linkage,
        visibility,
        dll_storage,
        thread_local,
        unnamed_addr,
        dso_local,
        section,
        partition,
        comdat,
        align,
        kind,
    };
    (data, pending, is_declaration)
}

/// A constant of data and the symbols that fill its holes.
fn value(tables: &mut Tables, number: u32) -> (rvsdg_core::Const, Holes) {
    match tables.constant(number).clone() {
        Known::Plain(constant) => (constant, Holes::new()),
        Known::Symbolic(constant, holes) => (constant, holes),
        Known::Symbol => {
            let ty = tables.symbol_types[number as usize];
            let hole = tables.pool.intern_const(rvsdg_core::Constant::Hole { ty, index: 0 });
            (hole, Holes::from_slice(&[number]))
        }
        Known::Metadata(_) | Known::Assembly | Known::Unsupported(_) => {
            unreachable!("the initializer of valid data is a constant that import knows")
        }
    }
}

/// A constant that belongs to a function itself; the symbols in it are kept alive.
fn symbolic(tables: &mut Tables, number: u32, kept: &mut Vec<u32>) -> Option<SymbolicConst> {
    if number == NONE {
        return None;
    }
    let (constant, holes) = value(tables, number);
    kept.extend_from_slice(&holes);
    Some(SymbolicConst { constant, symbols: holes.iter().map(|&hole| tables.symbols[hole as usize]).collect() })
}
