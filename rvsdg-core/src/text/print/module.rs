//! The ω level: header, symbols, λ, φ and δ.

use std::fmt::{self, Write};

use cranelift_entity::SecondaryMap as OriginMap;
use rustc_hash::FxHashSet;
use slotmap::SecondaryMap;

use super::{Groups, Writer};
use crate::attribute::Attributes;
use crate::graph::{Graph, Node, NodeKind, Origin, Region, WalkItem};
use crate::module::{Body, Code, Header, Module, Symbol, SymbolData, SymbolKind, SymbolicConst};
use crate::text::names::{Name, Names};
use crate::text::spell::sigil_name;
use crate::{Type, TypeKind};

/// What a symbol that does not exist is called.
const NO_SYMBOL: &str = "@?";

/// A whole module.
pub(in crate::text) fn module(out: &mut dyn Write, module: &Module) -> fmt::Result {
    let groups = Groups::of_module(module);
    let symbols = Symbols::new(module);
    let mut names = Names::new(&module.omega, &symbols.texts);
    symbols.name_omega(module, &mut names);
    let mut w = Writer::with_groups(out, &module.pool, &groups);
    w.header(&module.header)?;
    w.str("\n")?;
    w.type_definitions(&groups)?;
    for &symbol in &module.order {
        if let Some(data) = module.symbols.get(symbol) {
            w.symbol(&symbols, symbol, data)?;
        }
    }
    Omega { module, symbols: &symbols, names: &names, blank: false }.write(&mut w)?;
    w.attribute_definitions(&groups)?;
    w.type_node_definitions(&groups)
}

/// Hands out the ω graph, and then each body with the name of its function, with the names that their origins have in the
/// module's text.
pub(in crate::text) fn graphs(module: &Module, show: &mut dyn FnMut(Option<&str>, &Graph, &Names<'_>)) {
    let symbols = Symbols::new(module);
    let mut names = Names::new(&module.omega, &symbols.texts);
    symbols.name_omega(module, &mut names);
    let omega = Omega { module, symbols: &symbols, names: &names, blank: false };
    show(None, &module.omega, &names);
    for lambda in module.lambdas() {
        let body = &module.bodies[lambda.body()];
        if let Some(graph) = body.graph() {
            show(Some(symbols.text(body.symbol)), graph, &omega.body_names(lambda.node(), graph));
        }
    }
}

/// The texts of symbols.
struct Symbols {
    texts: Vec<String>,
    /// The type of each symbol's address.
    addresses: Vec<Type>,
    index: SecondaryMap<Symbol, u32>,
}

impl Symbols {
    /// Names; for entities without one, their number among these in the module's order.
    fn new(module: &Module) -> Symbols {
        let mut symbols = Symbols { texts: Vec::new(), addresses: Vec::new(), index: SecondaryMap::new() };
        let mut unnamed = 0;
        for &symbol in &module.order {
            let Some(data) = module.symbols.get(symbol) else { continue };
            let text = if data.name.is_empty() {
                unnamed += 1;
                format!("@{}", unnamed - 1)
            } else {
                sigil_name('@', &data.name)
            };
            symbols.index.insert(symbol, symbols.texts.len() as u32);
            symbols.texts.push(text);
            symbols.addresses.push(module.pool.intern_type(TypeKind::Ptr(data.address_space)));
        }
        symbols
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.index.get(symbol).map_or(NO_SYMBOL, |&index| &self.texts[index as usize])
    }

    fn of_body(&self, module: &Module, body: Body) -> Option<u32> {
        self.index.get(module.bodies.get(body)?.symbol).copied()
    }

    /// Names the origins of the ω graph after their symbols, in each region the first origin of a symbol; the others get
    /// numbers.
    fn name_omega(&self, module: &Module, names: &mut Names<'_>) {
        let omega = &module.omega;
        let symbol_of = self.resolve(module);
        let mut taken = FxHashSet::default();
        let mut name = |region: Region, origin: Origin| match symbol_of[origin].checked_sub(1) {
            Some(symbol) if taken.insert((region, symbol)) => names.set(origin, Name::Symbol(symbol)),
            _ => names.number(omega, origin),
        };
        for item in omega.walk() {
            match item {
                WalkItem::Enter(region) => omega.arguments(region).iter().for_each(|&origin| name(region, origin)),
                WalkItem::Node(node) => {
                    omega.outputs(node).iter().for_each(|&origin| name(omega.region_of(node), origin));
                }
                WalkItem::Leave(_) => {}
            }
        }
    }

    /// For each origin of the ω graph one more than the position of the symbol it is the address of, or 0. Definitions
    /// are found from the inside out, context variables then from the outside in.
    fn resolve(&self, module: &Module) -> OriginMap<Origin, u32> {
        let omega = &module.omega;
        let mut symbol_of = OriginMap::<Origin, u32>::with_capacity(omega.origin_bound());
        let position = |symbol: Option<u32>| symbol.map_or(0, |symbol| symbol + 1);
        for (&argument, &symbol) in omega.arguments(omega.root()).iter().zip(&module.imports) {
            symbol_of[argument] = position(self.index.get(symbol).copied());
        }
        for item in omega.walk() {
            match item {
                WalkItem::Node(node) => {
                    let symbol = match omega.kind(node) {
                        NodeKind::Lambda(body) => self.of_body(module, body),
                        NodeKind::Delta(symbol) => self.index.get(symbol).copied(),
                        NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => None,
                    };
                    omega.outputs(node).iter().for_each(|&output| symbol_of[output] = position(symbol));
                }
                WalkItem::Leave(region) => {
                    let Some(phi) = phi_around(omega, region) else { continue };
                    let context = omega.inputs(phi).len();
                    for (index, &result) in omega.results(region).iter().enumerate() {
                        let Some(definition) = omega.try_origin(result) else { continue };
                        let symbol = symbol_of[definition];
                        for origin in [omega.outputs(phi).get(index), omega.arguments(region).get(context + index)] {
                            origin.into_iter().for_each(|&origin| symbol_of[origin] = symbol);
                        }
                    }
                }
                WalkItem::Enter(_) => {}
            }
        }
        for item in omega.walk() {
            let WalkItem::Enter(region) = item else { continue };
            let Some(phi) = phi_around(omega, region) else { continue };
            for (&argument, &input) in omega.arguments(region).iter().zip(omega.inputs(phi)) {
                symbol_of[argument] = omega.try_origin(input).map_or(0, |origin| symbol_of[origin]);
            }
        }
        symbol_of
    }
}

fn phi_around(omega: &Graph, region: Region) -> Option<Node> {
    omega.parent(region).filter(|&node| omega.kind(node) == NodeKind::Phi)
}

/// What is printed of the ω graph.
struct Omega<'m> {
    module: &'m Module,
    symbols: &'m Symbols,
    names: &'m Names<'m>,
    /// Whether an empty line has just been written.
    blank: bool,
}

impl Omega<'_> {
    fn write(&mut self, w: &mut Writer<'_>) -> fmt::Result {
        let omega = &self.module.omega;
        let arguments = omega.arguments(omega.root());
        if !arguments.is_empty() || !self.module.imports.is_empty() {
            self.separate(w)?;
        }
        for index in 0..arguments.len().max(self.module.imports.len()) {
            self.import(w, arguments.get(index).copied(), self.module.imports.get(index).copied())?;
        }
        let mut depth = 0;
        for item in omega.walk() {
            match item {
                WalkItem::Enter(_) => depth += 1,
                WalkItem::Node(node) => self.node(w, node, depth - 1)?,
                WalkItem::Leave(region) => {
                    depth -= 1;
                    let results = omega.results(region);
                    if omega.parent(region).is_some() {
                        w.indent(depth)?;
                        w.str(if results.is_empty() { "yield" } else { "yield " })?;
                        w.list(results, |w, &result| w.user(omega, self.names, result))?;
                        w.str("\n")?;
                        w.indent(depth - 1)?;
                        w.str("}\n")?;
                    } else {
                        for &result in results {
                            w.str("export ")?;
                            w.user(omega, self.names, result)?;
                            w.str("\n")?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn separate(&mut self, w: &mut Writer<'_>) -> fmt::Result {
        if !std::mem::replace(&mut self.blank, true) { w.str("\n") } else { Ok(()) }
    }

    fn import(&mut self, w: &mut Writer<'_>, argument: Option<Origin>, symbol: Option<Symbol>) -> fmt::Result {
        self.blank = false;
        let omega = &self.module.omega;
        let index = symbol.and_then(|symbol| self.symbols.index.get(symbol)).copied();
        let implied = index.map(|index| self.symbols.addresses[index as usize]);
        let own = index.map(Name::Symbol);
        match argument {
            Some(argument) if Some(self.names.get(argument)) == own => {
                w.str("import ")?;
                w.definition(omega, self.names, argument, implied)?;
            }
            _ => {
                match argument {
                    Some(argument) => w.definition(omega, self.names, argument, implied)?,
                    None => w.str("_")?,
                }
                w.str(" = import ")?;
                w.str(symbol.map_or(NO_SYMBOL, |symbol| self.symbols.text(symbol)))?;
            }
        }
        w.str("\n")
    }

    fn node(&mut self, w: &mut Writer<'_>, node: Node, depth: usize) -> fmt::Result {
        let omega = &self.module.omega;
        let kind = omega.kind(node);
        if matches!(kind, NodeKind::Lambda(_) | NodeKind::Phi) {
            self.separate(w)?;
        }
        self.blank = false;
        w.indent(depth)?;
        let symbol = match kind {
            NodeKind::Lambda(body) => self.module.bodies.get(body).map(|data| data.symbol),
            NodeKind::Delta(symbol) => Some(symbol),
            NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => None,
        };
        let index = symbol.and_then(|symbol| self.symbols.index.get(symbol)).copied();
        let implied = index.map(|index| self.symbols.addresses[index as usize]);
        let own = index.map(Name::Symbol);
        let outputs = omega.outputs(node);
        let shown = match outputs {
            [output] => Some(self.names.get(*output)) != own || Some(omega.ty(*output)) != implied,
            _ => true,
        };
        if shown && !outputs.is_empty() {
            w.list(outputs, |w, &output| {
                let ty = implied.or_else(|| self.address_of(self.names.get(output)));
                w.definition(omega, self.names, output, ty)
            })?;
            w.str(" = ")?;
        }
        match kind {
            NodeKind::Lambda(body) => {
                w.str("lambda ")?;
                w.str(symbol.map_or(NO_SYMBOL, |symbol| self.symbols.text(symbol)))?;
                self.lambda(w, node, body, depth)
            }
            NodeKind::Delta(symbol) => {
                w.str("delta ")?;
                w.str(self.symbols.text(symbol))?;
                w.str(" [")?;
                w.list(omega.inputs(node), |w, &input| w.user(omega, self.names, input))?;
                w.str("]\n")
            }
            NodeKind::Phi => {
                w.str("phi ")?;
                self.phi(w, node)?;
                self.blank = true;
                w.str(" {\n")
            }
            NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                write!(w, "{kind:?} (")?;
                w.list(omega.inputs(node), |w, &input| w.user(omega, self.names, input))?;
                w.str(")\n")
            }
        }
    }

    /// The type of the address that a name refers to, if it is a symbol's.
    fn address_of(&self, name: Name) -> Option<Type> {
        match name {
            Name::Symbol(index) => self.symbols.addresses.get(index as usize).copied(),
            Name::None | Name::Value(_) | Name::Mem(_) | Name::Io(_) => None,
        }
    }

    /// The names in a body: an origin that is a symbol's address has its name, once.
    fn body_names(&self, lambda: Node, graph: &Graph) -> Names<'_> {
        let omega = &self.module.omega;
        let mut names = Names::new(graph, &self.symbols.texts);
        let mut taken = FxHashSet::default();
        for (&argument, &input) in graph.arguments(graph.root()).iter().zip(omega.inputs(lambda)) {
            match omega.try_origin(input).map(|origin| self.names.get(origin)) {
                Some(name @ Name::Symbol(_)) if taken.insert(name) => names.set(argument, name),
                _ => names.number(graph, argument),
            }
        }
        names.number_all(graph);
        names
    }

    /// `[context] (parameters) { body }`
    fn lambda(&self, w: &mut Writer<'_>, node: Node, body: Body, depth: usize) -> fmt::Result {
        let omega = &self.module.omega;
        let inputs = omega.inputs(node);
        w.str(" [")?;
        let graph = match self.module.bodies.get(body).map(|data| &data.code) {
            Some(Code::Graph(graph)) => graph,
            other => {
                w.list(inputs, |w, &input| w.user(omega, self.names, input))?;
                w.str("] untouched ")?;
                w.quoted(match other {
                    Some(Code::Untouched { construct }) => construct.as_bytes(),
                    Some(Code::Cfg) => b"control flow graph",
                    _ => b"",
                })?;
                return w.str("\n");
            }
        };
        let names = self.body_names(node, graph);
        let (context, parameters) =
            graph.arguments(graph.root()).split_at(inputs.len().min(graph.arguments(graph.root()).len()));
        w.list(inputs.iter().enumerate(), |w, (index, &input)| {
            let origin = omega.try_origin(input);
            let Some(&argument) = context.get(index) else {
                w.str("_ = ")?;
                return w.user(omega, self.names, input);
            };
            let name = names.get(argument);
            w.definition(graph, &names, argument, self.address_of(name))?;
            if matches!(name, Name::Symbol(_)) && origin.is_some_and(|origin| self.names.get(origin) == name) {
                return Ok(());
            }
            w.str(" = ")?;
            w.user(omega, self.names, input)
        })?;
        w.str("] (")?;
        w.list(parameters, |w, &argument| w.definition(graph, &names, argument, None))?;
        w.str(") {\n")?;
        w.regions(graph, &names, depth)?;
        w.indent(depth)?;
        w.str("}\n")
    }

    /// `[context] (recursion variables)`
    fn phi(&self, w: &mut Writer<'_>, node: Node) -> fmt::Result {
        let omega = &self.module.omega;
        let inputs = omega.inputs(node);
        let arguments = omega.subregions(node).first().map_or(&[][..], |&region| omega.arguments(region));
        let (context, recursion) = arguments.split_at(inputs.len().min(arguments.len()));
        w.str("[")?;
        w.list(inputs.iter().enumerate(), |w, (index, &input)| {
            let origin = omega.try_origin(input);
            let Some(&argument) = context.get(index) else {
                w.str("_ = ")?;
                return w.user(omega, self.names, input);
            };
            let name = self.names.get(argument);
            w.definition(omega, self.names, argument, self.address_of(name))?;
            if matches!(name, Name::Symbol(_)) && origin.is_some_and(|origin| self.names.get(origin) == name) {
                return Ok(());
            }
            w.str(" = ")?;
            w.user(omega, self.names, input)
        })?;
        w.str("] (")?;
        w.list(recursion, |w, &argument| {
            w.definition(omega, self.names, argument, self.address_of(self.names.get(argument)))
        })?;
        w.str(")")
    }
}

impl Writer<'_> {
    fn header(&mut self, header: &Header) -> fmt::Result {
        let Header { name, source_file, data_layout, triple, assembly, comdats, flags } = header;
        self.str("module ")?;
        self.quoted(name.as_bytes())?;
        self.str("\n")?;
        let fields =
            [("source_filename ", source_file), ("target datalayout ", data_layout), ("target triple ", triple)];
        for (keyword, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
            self.str(keyword)?;
            self.quoted(text.as_bytes())?;
            self.str("\n")?;
        }
        for line in assembly {
            self.str("asm ")?;
            self.quoted(line.as_bytes())?;
            self.str("\n")?;
        }
        for (name, kind) in comdats {
            self.sigil('$', name)?;
            self.str(" = comdat ")?;
            self.quoted(kind.as_bytes())?;
            self.str("\n")?;
        }
        for (behaviour, name, value) in flags {
            write!(self, "flag {behaviour} ")?;
            self.quoted(name.as_bytes())?;
            self.str(" ")?;
            self.quoted(value.as_bytes())?;
            self.str("\n")?;
        }
        Ok(())
    }

    /// `@name = keywords kind type initializer, clauses`
    fn symbol(&mut self, symbols: &Symbols, symbol: Symbol, data: &SymbolData) -> fmt::Result {
        let SymbolData {
            name: _,
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
        } = data;
        self.str(symbols.text(symbol))?;
        self.str(" =")?;
        let dso_local = if *dso_local { "dso_local" } else { "" };
        let keywords = [
            linkage.text(),
            dso_local,
            visibility.text(),
            dll_storage.text(),
            thread_local.text(),
            unnamed_addr.text(),
        ];
        self.words(keywords.into_iter().filter(|word| !word.is_empty()))?;
        if *address_space != 0 {
            write!(self, " addrspace({address_space})")?;
        }
        let (word, constant) = match kind {
            SymbolKind::Function { .. } => ("function", None),
            SymbolKind::Variable { constant, externally_initialized, unescaped, owner, initializer, .. } => {
                let words =
                    [(externally_initialized, "externally_initialized"), (unescaped, "unescaped"), (owner, "owner")];
                self.words(words.into_iter().filter_map(|(has, word)| has.then_some(word)))?;
                (if *constant { "constant" } else { "global" }, *initializer)
            }
            SymbolKind::Alias { aliasee } => ("alias", Some(*aliasee)),
            SymbolKind::IFunc { resolver } => ("ifunc", Some(*resolver)),
        };
        self.str(" ")?;
        self.str(word)?;
        self.str(" ")?;
        self.ty(*value_type)?;
        if let Some(constant) = constant {
            self.str(" ")?;
            match kind {
                SymbolKind::Variable { .. } if self.pool.constant(constant).ty() == *value_type => {
                    self.const_value(constant)?
                }
                _ => self.typed_const(constant)?,
            }
        }
        match kind {
            SymbolKind::Function { convention, attributes, gc, personality, prefix, prologue } => {
                if *convention != 0 {
                    self.numbered(", cc ", (*convention).into())?;
                }
                self.symbol_attributes(*attributes)?;
                self.clause("gc", gc)?;
                for (word, constant) in [("personality", personality), ("prefix", prefix), ("prologue", prologue)] {
                    self.symbolic(symbols, word, constant)?;
                }
            }
            SymbolKind::Variable { attributes, code_model, sanitizer, .. } => {
                self.symbol_attributes(*attributes)?;
                self.clause("code_model", code_model)?;
                for word in sanitizer {
                    self.str(", ")?;
                    self.str(word)?;
                }
            }
            SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => {}
        }
        self.clause("section", section)?;
        self.clause("partition", partition)?;
        if let Some(comdat) = comdat {
            self.str(", comdat ")?;
            self.sigil('$', comdat)?;
        }
        if let Some(align) = align {
            self.numbered(", align ", *align)?;
        }
        self.str("\n")
    }

    fn symbol_attributes(&mut self, attributes: Attributes) -> fmt::Result {
        if self.pool.attributes(attributes).is_none() {
            return Ok(());
        }
        self.str(", ")?;
        self.attributes(attributes)
    }

    fn clause(&mut self, word: &str, text: &Option<Box<str>>) -> fmt::Result {
        let Some(text) = text else { return Ok(()) };
        self.str(", ")?;
        self.str(word)?;
        self.str(" ")?;
        self.quoted(text.as_bytes())
    }

    /// A constant with the symbols that fill its holes.
    fn symbolic(&mut self, symbols: &Symbols, word: &str, constant: &Option<SymbolicConst>) -> fmt::Result {
        let Some(SymbolicConst { constant, symbols: holes }) = constant else { return Ok(()) };
        self.str(", ")?;
        self.str(word)?;
        self.str(" ")?;
        self.typed_const(*constant)?;
        if holes.is_empty() {
            return Ok(());
        }
        self.str(" [")?;
        self.list(holes, |w, &symbol| w.str(symbols.text(symbol)))?;
        self.str("]")
    }
}
