//! The ω level: symbols, definitions, imports and exports, and each body against its function.

use rustc_hash::{FxHashMap, FxHashSet};
use slotmap::SecondaryMap;
use std::sync::Arc;

use super::attributes::AttributeFacts;
use super::constant::ConstFacts;
use super::types::TypeFacts;
use super::{Invariant, Report, Violation, verify_body};
use crate::graph::{Entity, Graph, Node, NodeKind, Origin, OriginDef, WalkItem};
use crate::module::{Body, Code, Module, Symbol, SymbolData, SymbolKind};
use crate::text::spell;
use crate::{Const, Type, TypeKind};

/// Checks all invariants of a module.
pub(super) fn check(module: &Module) -> Vec<Violation> {
    let mut check = Check {
        module,
        violations: Vec::new(),
        types: TypeFacts::new(&module.pool),
        constants: ConstFacts::new(&module.pool),
        attributes: AttributeFacts::new(&module.pool),
        definitions: SecondaryMap::new(),
        lambdas: SecondaryMap::new(),
    };
    check.header();
    check.symbols();
    let mut report = Report::new(&module.omega);
    for flaw in module.omega.flaws() {
        report.add(flaw.invariant, flaw.entity, flaw.message);
    }
    if report.violations.is_empty() {
        check.omega(&mut report);
    }
    check.violations.append(&mut report.violations);
    check.bodies();
    check.violations
}

struct Check<'m> {
    module: &'m Module,
    violations: Vec<Violation>,
    types: TypeFacts<'m>,
    constants: ConstFacts<'m>,
    attributes: AttributeFacts<'m>,
    /// How many imports and nodes define a symbol.
    definitions: SecondaryMap<Symbol, u32>,
    /// How many λ-nodes have a body.
    lambdas: SecondaryMap<Body, u32>,
}

impl Check<'_> {
    fn report(&mut self, invariant: Invariant, entity: impl Into<String>, message: impl Into<String>) {
        self.violations.push(Violation { invariant, entity: entity.into(), message: message.into() });
    }

    /// Keywords and values that are written as they are. All other text of the header is written in quotes.
    fn header(&mut self) {
        for (name, kind) in &self.module.header.comdats {
            if !spell::COMDATS.contains(&&**kind) {
                self.report(
                    Invariant::SymbolKeywords,
                    format!("comdat {name}"),
                    format!("`{kind}` is no kind of comdat"),
                );
            }
        }
        for (_, name, value) in &self.module.header.flags {
            if !spell::is_metadata_value(value) {
                let message = format!("`{}` is no value of a flag", value.escape_debug());
                self.report(Invariant::SymbolKeywords, format!("module flag {name}"), message);
            }
        }
    }

    fn symbols(&mut self) {
        let module = self.module;
        let mut listed = SecondaryMap::<Symbol, ()>::new();
        let mut names = FxHashSet::default();
        for &symbol in &module.order {
            let Some(data) = module.symbols.get(symbol) else {
                self.report(Invariant::SymbolReferences, "order", "it lists a symbol that does not exist");
                continue;
            };
            if listed.insert(symbol, ()).is_some() {
                self.report(Invariant::SymbolNames, symbol_text(data), "the order has it twice");
            } else if !data.name.is_empty() && !names.insert(&*data.name) {
                self.report(Invariant::SymbolNames, symbol_text(data), "two symbols have this name");
            }
            self.symbol(data);
        }
        for (symbol, data) in &module.symbols {
            if !listed.contains_key(symbol) {
                self.report(Invariant::SymbolNames, symbol_text(data), "the order does not have it");
            }
        }
    }

    /// A symbol's keywords, type and constants.
    fn symbol(&mut self, data: &SymbolData) {
        let entity = symbol_text(data);
        if let Some(flaw) = self.types.fact(data.value_type).flaw {
            self.report(Invariant::TypeForm, &entity, flaw);
        }
        let is_function = matches!(self.module.pool.type_kind(data.value_type), TypeKind::Function { .. });
        if let SymbolKind::Function { attributes, .. } | SymbolKind::Variable { attributes, .. } = data.kind
            && let Some(flaw) = self.attributes.flaw(attributes)
        {
            let flaw = flaw.to_owned();
            self.report(Invariant::Attributes, &entity, flaw);
        }
        match &data.kind {
            SymbolKind::Function { personality, prefix, prologue, .. } => {
                if !is_function {
                    self.report(Invariant::TypeForm, &entity, "a function has a function type");
                }
                for symbolic in [personality, prefix, prologue].into_iter().flatten() {
                    if symbolic.symbols.iter().any(|&symbol| !self.module.symbols.contains_key(symbol)) {
                        self.report(
                            Invariant::SymbolReferences,
                            &entity,
                            "a constant names a symbol that does not exist",
                        );
                    }
                    let holes = self.constant(&entity, symbolic.constant);
                    if holes.len() != symbolic.symbols.len() {
                        self.report(Invariant::Constants, &entity, "a constant has not as many symbols as holes");
                    }
                }
            }
            SymbolKind::Variable { initializer, sanitizer, code_model, .. } => {
                if let Some(model) = code_model.as_deref().filter(|model| !spell::CODE_MODELS.contains(model)) {
                    self.report(Invariant::SymbolKeywords, &entity, format!("`{model}` is no code model"));
                }
                if let Some(word) = sanitizer.iter().find(|word| !spell::SANITIZERS.contains(word)) {
                    self.report(Invariant::SymbolKeywords, &entity, format!("`{word}` is not a keyword there"));
                }
                if let Some(initializer) = *initializer {
                    self.constant(&entity, initializer);
                    if self.module.pool.constant(initializer).ty() != data.value_type {
                        self.report(Invariant::Constants, &entity, "the initializer is not of the variable's type");
                    }
                }
            }
            SymbolKind::Alias { aliasee: constant } | SymbolKind::IFunc { resolver: constant } => {
                self.constant(&entity, *constant);
                let kind = self.module.pool.type_kind(self.module.pool.constant(*constant).ty());
                if !matches!(kind, TypeKind::Ptr(_)) {
                    self.report(Invariant::Constants, &entity, "an alias or ifunc stands for a pointer");
                }
            }
        }
    }

    /// Checks a constant and returns the types of its holes, of the first occurrence each.
    fn constant(&mut self, entity: &str, constant: Const) -> Vec<Type> {
        for message in self.constants.flaws(constant, &mut self.types) {
            self.violations.push(Violation { invariant: Invariant::Constants, entity: entity.into(), message });
        }
        hole_types(self.constants.holes(constant))
    }

    fn omega(&mut self, report: &mut Report<'_>) {
        let module = self.module;
        let omega = &module.omega;
        if !Arc::ptr_eq(omega.pool(), &module.pool) {
            report.region(Invariant::Bodies, omega.root(), "the ω graph has another pool than the module");
            return;
        }
        self.imports(report);
        for &result in omega.results(omega.root()) {
            if let OriginDef::Argument(..) = omega.def(omega.origin(result)) {
                let message = "an import is exported";
                report.add(Invariant::Exports, Entity::User(result), message.into());
            }
        }
        for item in omega.walk() {
            let WalkItem::Node(node) = item else { continue };
            match omega.kind(node) {
                NodeKind::Lambda(body) => self.lambda(node, body, report),
                NodeKind::Delta(symbol) => self.delta(node, symbol, report),
                NodeKind::Phi => phi(omega, node, report),
                NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                    report.node(Invariant::Level, node, "simple nodes, γ and θ stand in bodies only");
                }
            }
        }
    }

    fn imports(&mut self, report: &mut Report<'_>) {
        let (module, root) = (self.module, self.module.omega.root());
        let arguments = module.omega.arguments(root);
        if arguments.len() != module.imports.len() {
            let message = format!("{} imports for {} arguments", module.imports.len(), arguments.len());
            report.region(Invariant::Imports, root, message);
        }
        for (&symbol, &argument) in module.imports.iter().zip(arguments) {
            let Some(data) = module.symbols.get(symbol) else {
                report.origin(Invariant::SymbolReferences, argument, "a symbol that does not exist is imported");
                continue;
            };
            self.address(argument, data, report);
            self.define(symbol, argument, report);
        }
    }

    /// A symbol's address has the type of a pointer into its address space.
    fn address(&self, origin: Origin, data: &SymbolData, report: &mut Report<'_>) {
        let ty = self.module.omega.ty(origin);
        if *self.module.pool.type_kind(ty) != TypeKind::Ptr(data.address_space) {
            report.origin(Invariant::Definitions, origin, format!("it is not {}'s address", symbol_text(data)));
        }
    }

    fn define(&mut self, symbol: Symbol, origin: Origin, report: &mut Report<'_>) {
        let count = self.definitions.get(symbol).copied().unwrap_or(0) + 1;
        self.definitions.insert(symbol, count);
        if count == 2 {
            let text = symbol_text(&self.module.symbols[symbol]);
            report.origin(Invariant::Definitions, origin, format!("{text} is imported or defined elsewhere too"));
        }
    }

    /// The output of a λ or δ.
    fn definition(&mut self, node: Node, symbol: Symbol, data: &SymbolData, report: &mut Report<'_>) {
        let omega = &self.module.omega;
        match omega.outputs(node) {
            &[output] => {
                self.address(output, data, report);
                self.define(symbol, output, report);
            }
            _ => report.node(Invariant::Arity, node, "a λ or δ has one output"),
        }
        if !omega.subregions(node).is_empty() {
            report.node(Invariant::Arity, node, "a λ or δ has no subregion");
        }
    }

    fn lambda(&mut self, node: Node, body: Body, report: &mut Report<'_>) {
        let module = self.module;
        let Some(body_data) = module.bodies.get(body) else {
            return report.node(Invariant::Bodies, node, "its body does not exist");
        };
        let count = self.lambdas.get(body).copied().unwrap_or(0) + 1;
        self.lambdas.insert(body, count);
        if count == 2 {
            report.node(Invariant::Bodies, node, "another λ has this body too");
        }
        let Some(data) = module.symbols.get(body_data.symbol) else {
            return report.node(Invariant::SymbolReferences, node, "its symbol does not exist");
        };
        if !matches!(data.kind, SymbolKind::Function { .. }) {
            report.node(Invariant::Definitions, node, "a λ defines a function");
        }
        self.definition(node, body_data.symbol, data, report);
        let Code::Graph(graph) = &body_data.code else { return };
        if !Arc::ptr_eq(graph.pool(), &module.pool) {
            let message = format!("the body of {} has another pool than the module", symbol_text(data));
            return report.node(Invariant::Bodies, node, message);
        }
        let mut expected: Vec<Type> = module.omega.input_origins(node).map(|origin| module.omega.ty(origin)).collect();
        let TypeKind::Function { result, params, variadic: _ } = module.pool.type_kind(data.value_type) else { return };
        expected.extend(params);
        expected.extend([Type::MEM, Type::IO]);
        let root = graph.root();
        let found: Vec<Type> = graph.arguments(root).iter().map(|&origin| graph.ty(origin)).collect();
        let text = |types: &[Type]| {
            types.iter().map(|&ty| module.pool.display_type(ty).to_string()).collect::<Vec<_>>().join(", ")
        };
        if expected != found {
            let (expected, found) = (text(&expected), text(&found));
            let message = format!("the body of {} takes ({found}) instead of ({expected})", symbol_text(data));
            report.node(Invariant::LambdaShape, node, message);
        }
        let value = (*result != Type::VOID).then_some(*result);
        let expected: Vec<Type> = value.into_iter().chain([Type::MEM, Type::IO]).collect();
        let results = graph.results(root).iter();
        let found: Vec<Type> =
            results.filter_map(|&user| graph.try_origin(user)).map(|origin| graph.ty(origin)).collect();
        if expected != found {
            let (expected, found) = (text(&expected), text(&found));
            let message = format!("the body of {} returns ({found}) instead of ({expected})", symbol_text(data));
            report.node(Invariant::LambdaShape, node, message);
        }
    }

    fn delta(&mut self, node: Node, symbol: Symbol, report: &mut Report<'_>) {
        let omega = &self.module.omega;
        let Some(data) = self.module.symbols.get(symbol) else {
            return report.node(Invariant::SymbolReferences, node, "its symbol does not exist");
        };
        self.definition(node, symbol, data, report);
        let constant = match &data.kind {
            SymbolKind::Variable { initializer, .. } => *initializer,
            SymbolKind::Alias { aliasee: constant } | SymbolKind::IFunc { resolver: constant } => Some(*constant),
            SymbolKind::Function { .. } => {
                return report.node(Invariant::Definitions, node, "a function is defined by a λ");
            }
        };
        let Some(constant) = constant else {
            return report.node(Invariant::DeltaShape, node, "the variable it defines has no initializer");
        };
        let holes = hole_types(self.constants.holes(constant));
        let inputs = omega.input_origins(node).map(|origin| omega.ty(origin));
        if !inputs.eq(holes.iter().copied()) {
            let message = format!("its {} inputs do not fill the {} holes", omega.inputs(node).len(), holes.len());
            report.node(Invariant::DeltaShape, node, message);
        }
    }

    fn bodies(&mut self) {
        let module = self.module;
        for (body, data) in &module.bodies {
            if !self.lambdas.contains_key(body) {
                let entity = module.symbols.get(data.symbol).map_or("@?".into(), symbol_text);
                self.report(Invariant::Bodies, entity, "no λ has this body");
            }
        }
        let mut type_names = FxHashMap::default();
        for node in module.omega.all_nodes() {
            let NodeKind::Lambda(body) = module.omega.kind(node) else { continue };
            let Some(data) = module.bodies.get(body) else { continue };
            let Some(graph) = data.graph() else { continue };
            if !Arc::ptr_eq(graph.pool(), &module.pool) {
                continue;
            }
            let name = module.symbols.get(data.symbol).map_or("@?".into(), symbol_text);
            for mut violation in verify_body(graph, Some(module.omega.inputs(node).len())) {
                violation.entity = format!("{name}: {}", violation.entity);
                self.violations.push(violation);
            }
        }
        for ty in crate::text::named_types(module) {
            let TypeKind::Named { name, .. } = module.pool.type_kind(ty) else { continue };
            if type_names.insert(&**name, ty).is_some() {
                self.report(Invariant::TypeNames, spell::sigil_name('%', name), "two types have this name");
            }
        }
    }
}

/// The types of holes by index, the first of each index. Indices that do not occur end the list.
fn hole_types(holes: &[(u32, Type)]) -> Vec<Type> {
    let mut types: Vec<Type> = Vec::with_capacity(holes.len());
    for &(index, ty) in holes {
        if index as usize == types.len() {
            types.push(ty);
        }
    }
    types
}

fn symbol_text(data: &SymbolData) -> String {
    if data.name.is_empty() { "an unnamed symbol".into() } else { spell::sigil_name('@', &data.name) }
}

fn phi(omega: &Graph, node: Node, report: &mut Report<'_>) {
    let &[region] = omega.subregions(node) else {
        return report.node(Invariant::PhiShape, node, "a φ has one region");
    };
    let (inputs, outputs) = (omega.inputs(node).len(), omega.outputs(node).len());
    let (arguments, results) = (omega.arguments(region), omega.results(region));
    if arguments.len() != inputs + outputs || results.len() != outputs {
        let message = format!(
            "{inputs} context and {outputs} recursion variables do not go with {} arguments and {} results",
            arguments.len(),
            results.len()
        );
        return report.node(Invariant::PhiShape, node, message);
    }
    for (origin, &argument) in omega.input_origins(node).zip(arguments) {
        if omega.ty(origin) != omega.ty(argument) {
            report.origin(Invariant::PhiShape, argument, "a context variable changes its type");
        }
    }
    for (index, definition) in omega.result_origins(region).enumerate() {
        let (argument, output) = (arguments[inputs + index], omega.output(node, index));
        if omega.ty(definition) != omega.ty(argument) || omega.ty(definition) != omega.ty(output) {
            report.origin(Invariant::PhiShape, output, "a recursion variable changes its type");
        }
        if let OriginDef::Argument(..) = omega.def(definition) {
            report.origin(Invariant::PhiShape, output, "a recursion variable is defined inside the φ");
        }
    }
}
