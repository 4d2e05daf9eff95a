//! A module around its bodies: header, variables, aliases, function signatures, attribute groups, flags.

use rustc_hash::FxHashSet;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::module::{Body, Code, Linkage, SymbolData, SymbolKind, Visibility};
use rvsdg_core::structural::Lambda;
use rvsdg_core::verify::Verified;
use rvsdg_core::{Const, Module, NodeKind, Symbol, TypeKind};
use slotmap::SecondaryMap;

use crate::constants::Holes;
use crate::convention;
use crate::emitter::Emitter;
use crate::error::{EmitError, Result};
use crate::names::{push_name, push_quoted};

/// A function that is defined: its body and the symbols of its context variables.
struct Definition {
    body: Body,
    context: Vec<Symbol>,
}

/// Writes a module as textual LLVM IR; `bodies` returns the control flow graph of each body.
///
/// The text is in LLVM's own order: named types, variables, aliases and ifuncs, functions, each kind in the module's
/// order. Equal modules give equal text. Symbols that are neither defined nor imported are left out. Time and memory are
/// linear in the text.
///
/// # Errors
/// When something has no textual form, `bodies` has no graph for a body, or a body was left untouched by its importer.
pub fn emit_module<'a>(
    module: Verified<'a>,
    bodies: &dyn Fn(Body) -> Option<&'a Cfg>,
) -> std::result::Result<String, EmitError> {
    let module = module.module();
    let mut definitions: SecondaryMap<Symbol, Definition> = SecondaryMap::new();
    let mut data: SecondaryMap<Symbol, Vec<Symbol>> = SecondaryMap::new();
    for node in module.omega.all_nodes() {
        match module.omega.kind(node) {
            NodeKind::Lambda(body) => {
                let context = Lambda::new(&module.omega, node).map_or(Vec::new(), |node| module.context_symbols(node));
                definitions.insert(module.bodies[body].symbol, Definition { body, context });
            }
            NodeKind::Delta(symbol) => {
                let inputs = module.omega.input_origins(node).map(|origin| module.symbol_of(origin)).collect();
                data.insert(symbol, inputs);
            }
            NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => {}
        }
    }

    let live = live_symbols(module, definitions.keys().chain(data.keys()));
    let (mut variables, mut aliases, mut ifuncs, mut functions) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for &symbol in module.order.iter().filter(|&&symbol| live.contains_key(symbol)) {
        match module.symbols[symbol].kind {
            SymbolKind::Variable { .. } => variables.push(symbol),
            SymbolKind::Alias { .. } => aliases.push(symbol),
            SymbolKind::IFunc { .. } => ifuncs.push(symbol),
            SymbolKind::Function { .. } => functions.push(symbol),
        }
    }
    let objects = [variables, aliases, ifuncs];

    let mut emitter = Emitter::new(module);
    emitter.spell_symbols(objects.iter().flatten().chain(&functions).copied());
    for (symbol, definition) in &definitions {
        if let Some(cfg) = bodies(definition.body) {
            emitter.labels.insert(symbol, &cfg.labels);
        }
    }
    let comdats: FxHashSet<&str> = module.header.comdats.iter().map(|(name, _)| &**name).collect();
    for symbols in &objects {
        emitter.blank_line();
        for &symbol in symbols {
            emitter.place = Some(symbol);
            emitter.check_comdat(&module.symbols[symbol], &comdats)?;
            emitter.object(symbol, data.get(symbol).map_or(&[], |symbols| symbols))?;
        }
    }
    for &symbol in &functions {
        emitter.place = Some(symbol);
        emitter.check_comdat(&module.symbols[symbol], &comdats)?;
        let definition = definitions.get(symbol);
        emitter.blank_line();
        emitter.signature(symbol, definition.is_some())?;
        if let Some(definition) = definition {
            emitter.symbol_debug(symbol, " ");
            emitter.out.push_str(" {\n");
            emitter.definition(definition, bodies(definition.body))?;
            emitter.out.push('}');
        }
        emitter.out.push('\n');
    }
    emitter.place = None;
    emitter.blank_line();
    emitter.attribute_groups();
    emitter.blank_line();
    emitter.metadata();

    // Which named types there are is known last, and they are written first.
    let text = std::mem::take(&mut emitter.out);
    emitter.header();
    emitter.blank_line();
    emitter.named_types()?;
    emitter.blank_line();
    emitter.comdats();
    emitter.blank_line();
    emitter.out.push_str(&text);
    emitter.out.truncate(emitter.out.trim_end().len());
    emitter.out.push('\n');
    Ok(emitter.out)
}

/// The symbols that are part of the program: those defined, those imported, and those that constants of functions mention.
/// A symbol whose definition a pass removed stays in the module's table, but not in its text.
fn live_symbols(module: &Module, defined: impl Iterator<Item = Symbol>) -> SecondaryMap<Symbol, ()> {
    let mut live = SecondaryMap::new();
    let mut pending: Vec<Symbol> = defined.chain(module.imports.iter().copied()).collect();
    while let Some(symbol) = pending.pop() {
        if live.insert(symbol, ()).is_none()
            && let SymbolKind::Function { personality, prefix, prologue, .. } = &module.symbols[symbol].kind
        {
            pending
                .extend([personality, prefix, prologue].into_iter().flatten().flat_map(|constant| &constant.symbols));
        }
    }
    live
}

impl<'a> Emitter<'a> {
    fn header(&mut self) {
        let header = &self.module.header;
        if !header.name.is_empty() && !header.name.contains(['\n', '\r']) {
            self.out.push_str("; ModuleID = '");
            self.out.push_str(&header.name);
            self.out.push_str("'\n");
        }
        for (keyword, value) in [
            ("source_filename", &header.source_file),
            ("target datalayout", &header.data_layout),
            ("target triple", &header.triple),
        ] {
            if !value.is_empty() {
                self.out.push_str(keyword);
                self.quoted_after(" = ", value);
                self.out.push('\n');
            }
        }
        self.blank_line();
        for line in &header.assembly {
            self.quoted_after("module asm ", line);
            self.out.push('\n');
        }
    }

    fn comdats(&mut self) {
        for (name, kind) in &self.module.header.comdats {
            self.out.push('$');
            push_name(&mut self.out, name);
            self.out.push_str(" = comdat ");
            self.out.push_str(kind);
            self.out.push('\n');
        }
    }

    fn quoted_after(&mut self, before: &str, text: &str) {
        self.out.push_str(before);
        push_quoted(&mut self.out, text.as_bytes());
    }

    fn check_comdat(&self, data: &SymbolData, comdats: &FxHashSet<&str>) -> Result {
        match &data.comdat {
            Some(name) if !comdats.contains(&**name) => {
                Err(self.error(format!("a member of comdat {name}"), "the comdat in the module's header"))
            }
            _ => Ok(()),
        }
    }

    /// Linkage, preemption, visibility and storage class, each followed by a space.
    fn linkage(&mut self, data: &SymbolData) {
        let local = data.linkage.is_local();
        let implied = local || data.visibility != Visibility::Default && data.linkage != Linkage::ExternWeak;
        let dso_local = if data.dso_local && !implied { "dso_local" } else { "" };
        for word in [data.linkage.text(), dso_local, data.visibility.text(), data.dll_storage.text()] {
            self.before_space(word);
        }
    }

    fn before_space(&mut self, word: &str) {
        if !word.is_empty() {
            self.out.push_str(word);
            self.out.push(' ');
        }
    }

    /// A variable, alias or ifunc; `holes` are the inputs of its δ node.
    fn object(&mut self, symbol: Symbol, holes: &'a [Symbol]) -> Result {
        let data = &self.module.symbols[symbol];
        self.symbol(symbol)?;
        self.out.push_str(" = ");
        if let SymbolKind::Variable { initializer: None, .. } = data.kind
            && data.linkage == Linkage::External
        {
            self.out.push_str("external ");
        }
        self.linkage(data);
        self.before_space(data.thread_local.text());
        self.before_space(data.unnamed_addr.text());
        match &data.kind {
            SymbolKind::Variable { .. } => {
                self.variable(data, Holes::Symbols(holes))?;
                self.symbol_debug(symbol, ", ");
            }
            SymbolKind::Alias { aliasee } => self.indirect("alias ", data, *aliasee, holes)?,
            SymbolKind::IFunc { resolver } => self.indirect("ifunc ", data, *resolver, holes)?,
            SymbolKind::Function { .. } => return Err(self.error("a function among variables", "a variable")),
        }
        self.out.push('\n');
        Ok(())
    }

    fn indirect(&mut self, keyword: &str, data: &'a SymbolData, target: Const, holes: &'a [Symbol]) -> Result {
        self.out.push_str(keyword);
        self.ty(data.value_type)?;
        self.out.push_str(", ");
        self.typed_constant(target, Holes::Symbols(holes))?;
        if let Some(partition) = &data.partition {
            self.quoted_after(", partition ", partition);
        }
        Ok(())
    }

    fn variable(&mut self, data: &'a SymbolData, holes: Holes<'a>) -> Result {
        let SymbolKind::Variable {
            constant,
            externally_initialized,
            unescaped: _,
            owner: _,
            initializer,
            attributes,
            code_model,
            sanitizer,
        } = &data.kind
        else {
            return Err(self.error("another symbol among variables", "a variable"));
        };
        if data.address_space != 0 {
            self.address_space(data.address_space);
            self.out.push(' ');
        }
        self.before_space(if *externally_initialized { "externally_initialized" } else { "" });
        self.out.push_str(if *constant { "constant " } else { "global " });
        self.ty(data.value_type)?;
        if let Some(initializer) = initializer {
            self.out.push(' ');
            self.constant(*initializer, holes)?;
        }
        if let Some(section) = &data.section {
            self.quoted_after(", section ", section);
        }
        if let Some(partition) = &data.partition {
            self.quoted_after(", partition ", partition);
        }
        if let Some(model) = code_model {
            self.quoted_after(", code_model ", model);
        }
        for property in sanitizer {
            self.out.push_str(", ");
            self.out.push_str(property);
        }
        self.comdat(data, ", ");
        if let Some(align) = data.align {
            self.out.push_str(", align ");
            self.number(align);
        }
        self.attribute_group(*attributes)
    }

    fn comdat(&mut self, data: &SymbolData, before: &str) {
        if let Some(name) = &data.comdat {
            self.out.push_str(before);
            self.out.push_str("comdat");
            if **name != *data.name {
                self.out.push_str("($");
                push_name(&mut self.out, name);
                self.out.push(')');
            }
        }
    }

    /// Writes a calling convention with a space after it; nothing for C.
    pub(crate) fn convention(&mut self, convention: u32) {
        match convention::keyword(convention) {
            _ if convention == 0 => {}
            Some(keyword) => self.before_space(keyword),
            None => {
                self.out.push_str("cc ");
                self.number(convention);
                self.out.push(' ');
            }
        }
    }

    fn signature(&mut self, symbol: Symbol, defined: bool) -> Result {
        let (module, pool) = (self.module, self.pool);
        let data = &module.symbols[symbol];
        let SymbolKind::Function { convention, attributes, gc, personality, prefix, prologue } = &data.kind else {
            return Err(self.error("another symbol among functions", "a function"));
        };
        let TypeKind::Function { result, params, variadic } = pool.type_kind(data.value_type) else {
            return Err(self.error("a function of another type", "a function type"));
        };
        let list = pool.attributes(*attributes);
        self.out.push_str(if defined { "define " } else { "declare " });
        self.linkage(data);
        self.convention(*convention);
        for attribute in &list.result {
            self.attribute(attribute)?;
            self.out.push(' ');
        }
        self.ty(*result)?;
        self.out.push(' ');
        self.symbol(symbol)?;
        self.out.push('(');
        for (position, &param) in params.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.ty(param)?;
            if let Some(attributes) = list.params.get(position) {
                self.attributes(attributes)?;
            }
            if defined {
                self.out.push_str(" %");
                self.number(position);
            }
        }
        if *variadic {
            self.out.push_str(if params.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        self.words([data.unnamed_addr.text()]);
        if data.address_space != 0 || self.program_space {
            self.out.push(' ');
            self.address_space(data.address_space);
        }
        self.attribute_group(*attributes)?;
        if let Some(section) = &data.section {
            self.quoted_after(" section ", section);
        }
        if let Some(partition) = &data.partition {
            self.quoted_after(" partition ", partition);
        }
        self.comdat(data, " ");
        if let Some(align) = data.align {
            self.out.push_str(" align ");
            self.number(align);
        }
        if let Some(gc) = gc {
            self.quoted_after(" gc ", gc);
        }
        for (keyword, constant) in [(" prefix ", prefix), (" prologue ", prologue), (" personality ", personality)] {
            if let Some(constant) = constant {
                self.out.push_str(keyword);
                self.symbolic_constant(constant)?;
            }
        }
        Ok(())
    }

    fn definition(&mut self, definition: &'a Definition, cfg: Option<&'a Cfg>) -> Result {
        if let Code::Untouched { construct } = &self.module.bodies[definition.body].code {
            return Err(self.error(
                format!("the body, which was left untouched because of {construct}"),
                "a body that is a graph",
            ));
        }
        match cfg {
            Some(cfg) => self.body(definition.body, cfg, &definition.context),
            None => Err(self.error("the body", "a control flow graph recovered from its graph")),
        }
    }
}
