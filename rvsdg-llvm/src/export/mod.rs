//! From a [`Module`] back into the LLVM module it was read from.
//!
//! Bodies are rewritten from recovered control flow graphs; original instructions are moved with all their attachments.
//! Everything else of the LLVM module stays, but definitions that the ω graph no longer has go, or become declarations where
//! it imports the symbol.

mod body;
mod constants;
mod describe;
mod terminator;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_cfg::cfg::Cfg;
use rvsdg_core::attribute::{Access, Attribute, AttributeKind, Captures, MemoryEffects};
use rvsdg_core::module::{Body, SymbolKind};
use rvsdg_core::structural::Lambda;
use rvsdg_core::verify::{Verified, Violations};
use rvsdg_core::{Module, NodeKind, Symbol};
use thiserror::Error;

use crate::carrier::{Carrier, Writer};
use crate::import::{Host, ReadBody};
use crate::module_io::LlvmModule;

/// What cannot be written into the LLVM module.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A body.
    #[error("function '{function}': cannot be written as LLVM IR: {reason}")]
    Body {
        /// The function.
        function: String,
        /// What has no form in LLVM, or is not valid.
        reason: String,
    },
    /// A module that is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// A module that was not made of the LLVM module.
    #[error("module '{0}': was not imported from the LLVM module that it is to be written into")]
    Foreign(String),
}

impl Host {
    /// Replaces the bodies of the LLVM module.
    ///
    /// `recovered` returns the control flow graph of a body's graph; its context variables are those of the λ node, in order. A body for
    /// which it returns none stays as it was read, as do the untouched ones. Bodies are written in module order. The first node with a
    /// source takes its original instruction if that is of the same body; others take clones of it, with metadata and debug location, and
    /// nodes without a source are built anew.
    ///
    /// # Errors
    /// [`ExportError`] when the module was imported from elsewhere, when a control flow graph is not
    /// [valid](Cfg::verify_for), and when a body holds what has no form in LLVM: a dialect's operation, or metadata that is no
    /// text as an argument of a call without a source. The LLVM module is lost then.
    pub fn export(
        self,
        module: Verified<'_>,
        mut recovered: impl FnMut(Body) -> Option<Cfg>,
    ) -> Result<LlvmModule, ExportError> {
        let Host { mut tables, bodies, originals } = self;
        let verified = module;
        let module = verified.module();
        if !Arc::ptr_eq(&module.pool, &tables.pool) {
            return Err(ExportError::Foreign(module.header.name.clone()));
        }
        let numbers: FxHashMap<Symbol, u32> =
            tables.symbols.iter().enumerate().map(|(number, &symbol)| (symbol, number as u32)).collect();
        let lambdas: FxHashMap<Body, _> = module.lambdas().into_iter().map(|lambda| (lambda.body(), lambda)).collect();
        {
            inline(&mut tables.carrier, module, &bodies, &lambdas);
            let crate::import::Tables { carrier, pool, types, constants, attributes, .. } = &mut tables;
            let mut callees = numbers.clone();
            for &symbol in module.imports.iter().filter(|symbol| !numbers.contains_key(symbol)) {
                if let Some(number) = constants::function(carrier, pool, types, attributes, &module.symbols[symbol]) {
                    callees.insert(symbol, number);
                }
            }
            for node in module.omega.all_nodes() {
                if let NodeKind::Delta(symbol) = module.omega.kind(node)
                    && !numbers.contains_key(&symbol)
                    && let Some(number) = constants::table(carrier, pool, types, constants, &module.symbols[symbol])
                {
                    callees.insert(symbol, number);
                }
            }
            let inlined = |body: Body| module.sources.extents(body).get(1..).unwrap_or_default();
            let cfgs: Vec<(&ReadBody, Lambda, Option<Cfg>)> = bodies
                .iter()
                .filter_map(|read| Some((read, *lambdas.get(&read.body)?, recovered(read.body))))
                .collect();
            let mut written = cfgs.iter().filter_map(|(read, _, cfg)| Some((read, cfg.as_ref()?)));
            let wanted = written.any(|(read, cfg)| body::borrows(cfg, read, inlined(read.body)));
            let borrowed = bodies.iter().filter(|_| wanted);
            borrowed.for_each(|read| carrier.materialize(read.symbol));
            let mut writer = Writer::new(carrier);
            for (read, lambda, cfg) in cfgs {
                writer.carrier().materialize(read.symbol);
                let Some(cfg) = cfg else { continue };
                let fail = |reason: String| {
                    let function = module.symbols[module.bodies[read.body].symbol].name.to_string();
                    ExportError::Body { function, reason }
                };
                cfg.verify_for(verified, lambda).map_err(|violations| fail(violations.to_string()))?;
                let contexts: Option<Vec<u32>> =
                    module.context_symbols(lambda).into_iter().map(|symbol| callees.get(&symbol).copied()).collect();
                let contexts = contexts.ok_or_else(|| fail("it mentions a symbol that was added".into()))?;
                let numbers_of = body::Numbers { types, constants, attributes };
                let mut body = body::BodyWriter::new(&mut writer, pool, numbers_of, &cfg, &contexts, originals);
                body.write(read, inlined(read.body), wanted).map_err(fail)?;
            }
        }
        for &lambda in lambdas.values() {
            let symbol = module.bodies[lambda.body()].symbol;
            if let Some(&number) = numbers.get(&symbol) {
                promise(&mut tables.carrier, number, module, symbol);
            }
        }
        for node in module.omega.all_nodes() {
            if let NodeKind::Delta(symbol) = module.omega.kind(node)
                && let SymbolKind::Variable { constant: true, .. } = module.symbols[symbol].kind
                && let Some(&number) = numbers.get(&symbol)
            {
                tables.carrier.make_constant(number);
            }
        }
        let imports: Vec<u32> = module.imports.iter().filter_map(|symbol| numbers.get(symbol).copied()).collect();
        tables.carrier.declare_symbols(&imports);
        tables.carrier.erase_symbols(&dead(module, &tables.symbols));
        Ok(tables.carrier.into_module())
    }

    /// Forgets the original instructions, constants and attributes, so that [`export`](Host::export) makes all anew, as it does for code
    /// that was not in the module. Metadata attached to instructions is lost.
    pub fn forget_originals(&mut self) {
        self.originals = false;
        self.tables.constants.forget_numbers();
        self.tables.attributes.forget_numbers();
    }
}

/// Makes the copies of instructions that inlining requires, in its order, if a body that is written needs them or their copies.
fn inline(carrier: &mut Carrier, module: &Module, bodies: &[ReadBody], written: &FxHashMap<Body, Lambda>) {
    let inlined = module.sources.inlined();
    let mut needed: FxHashSet<Body> = written.keys().copied().collect();
    let mut sites = Vec::new();
    for site in inlined.iter().rev() {
        if needed.contains(&site.caller) {
            needed.insert(site.callee);
            sites.push(site);
        }
    }
    let numbers: FxHashMap<Body, u32> = bodies.iter().map(|read| (read.body, read.symbol)).collect();
    for site in sites.into_iter().rev() {
        let extents: Vec<[u32; 2]> = site.originals.iter().map(|extent| [extent.first, extent.count]).collect();
        let (caller, callee) = (numbers[&site.caller], numbers[&site.callee]);
        carrier.materialize(caller);
        carrier.materialize(callee);
        carrier.inline(caller, site.call.as_u32(), callee, site.copies.first, &extents, &site.changed);
    }
}

/// The symbols that were defined when the module was read, and that nothing in the ω graph defines or declares now.
fn dead(module: &Module, symbols: &[Symbol]) -> Vec<u32> {
    let mut live: FxHashSet<Symbol> = module.imports.iter().copied().collect();
    for node in module.omega.all_nodes() {
        match module.omega.kind(node) {
            NodeKind::Lambda(body) => live.insert(module.bodies[body].symbol),
            NodeKind::Delta(symbol) => live.insert(symbol),
            NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta | NodeKind::Phi => false,
        };
    }
    (0..symbols.len() as u32).filter(|&number| !live.contains(&symbols[number as usize])).collect()
}

/// Writes down what passes may have found that a function and its parameters promise.
fn promise(carrier: &mut Carrier, number: u32, module: &Module, symbol: Symbol) {
    let SymbolKind::Function { attributes, .. } = module.symbols[symbol].kind else { return };
    let list = module.pool.attributes(attributes);
    let memory = |access| Attribute::Memory(MemoryEffects::all(access));
    let of_function =
        [AttributeKind::NoUnwind.into(), AttributeKind::WillReturn.into(), memory(Access::None), memory(Access::Read)];
    carrier.promise(number, bits(&list.function, &of_function));
    let of_parameters = [
        AttributeKind::ReadNone.into(),
        AttributeKind::ReadOnly.into(),
        AttributeKind::WriteOnly.into(),
        Attribute::Captures(Captures::NONE),
        Attribute::Captures(Captures::IS_NULL),
    ];
    for (index, parameter) in (0..).zip(&list.params) {
        match bits(parameter, &of_parameters) {
            0 => {}
            promises => carrier.promise_of_parameter(number, index, promises),
        }
    }
}

/// Which of some attributes are among others: a bit for each.
fn bits(attributes: &[Attribute], wanted: &[Attribute]) -> u32 {
    wanted.iter().enumerate().map(|(bit, one)| u32::from(attributes.contains(one)) << bit).sum()
}
