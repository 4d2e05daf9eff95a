//! Definitions that another module also has.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::module::{Linkage, SymbolKind};
use rvsdg_core::structural::Phi;
use rvsdg_core::{Graph, Module, Node, NodeKind, Origin, Region, Symbol, Use};

use crate::pass::{Change, ModulePass, PassCx};

/// Turns definitions with `available_externally` linkage into declarations. They exist to be inlined, and no code is generated for them,
/// but they keep alive what they mention.
///
/// The aliasee of such an alias stays, and so does the alias: LLVM requires its aliasee to be a definition with the same linkage.
pub struct AvailableExternally;

impl ModulePass for AvailableExternally {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let definitions = definitions(module);
        let mut declare = Declare::default();
        for &(node, symbol) in &definitions {
            declare.declare(module, node, symbol);
        }
        declare.finish(&mut module.omega);
        cx.count("available_externally", definitions.len() as u64);
        Change::when(!definitions.is_empty())
    }
}

/// The definitions that become declarations, in ω order.
fn definitions(module: &Module) -> Vec<(Node, Symbol)> {
    let is_available = |symbol: Symbol| module.symbols[symbol].linkage == Linkage::AvailableExternally;
    if !module.symbols.keys().any(is_available) {
        return Vec::new();
    }
    let (omega, mut found, mut aliased) = (&module.omega, Vec::new(), FxHashSet::default());
    for node in omega.all_nodes() {
        let symbol = match omega.kind(node) {
            NodeKind::Lambda(body) => module.bodies[body].symbol,
            NodeKind::Delta(symbol) => symbol,
            NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => continue,
        };
        match module.symbols[symbol].kind {
            SymbolKind::Alias { .. } => {
                aliased.extend(omega.input_origins(node).map(|origin| module.symbol_of(origin)));
            }
            SymbolKind::Function { .. } | SymbolKind::Variable { .. } if is_available(symbol) => {
                found.push((node, symbol));
            }
            SymbolKind::Function { .. } | SymbolKind::Variable { .. } | SymbolKind::IFunc { .. } => {}
        }
    }
    found.retain(|(_, symbol)| !aliased.contains(symbol));
    found
}

/// Replaces definitions by imports.
#[derive(Default)]
struct Declare {
    imports: FxHashSet<Origin>,
    /// Recursion variables of removed definitions, which are unused now.
    variables: FxHashMap<Phi, FxHashSet<usize>>,
}

impl Declare {
    /// Imports a symbol instead of its definition.
    fn declare(&mut self, module: &mut Module, node: Node, symbol: Symbol) {
        let import = module.add_import(symbol);
        self.imports.insert(import);
        let omega = &mut module.omega;
        let mut places = FxHashMap::from_iter([(omega.root(), import)]);
        // The names of the definition in its region, and in those around it.
        let mut pending = vec![(omega.region_of(node), omega.output(node, 0))];
        while let Some((region, definition)) = pending.pop() {
            let local = bring(omega, &mut places, region);
            if let Some(phi) = omega.parent(region).and_then(|parent| Phi::new(omega, parent)) {
                let around = omega.region_of(phi.node());
                let results = omega.users_of(definition).filter_map(|user| match omega.site(user) {
                    Use::Result(_, index) => Some(index as usize),
                    Use::Input(..) => None,
                });
                for index in results.collect::<Vec<_>>() {
                    let argument = omega.arguments(region)[omega.inputs(phi.node()).len() + index];
                    omega.divert_users(argument, local);
                    pending.push((around, omega.output(phi.node(), index)));
                    self.variables.entry(phi).or_default().insert(index);
                }
            }
            omega.divert_users(definition, local);
        }
        if let NodeKind::Lambda(body) = omega.kind(node) {
            module.bodies.remove(body);
        }
        omega.remove(node);
        let data = &mut module.symbols[symbol];
        (data.linkage, data.comdat) = (Linkage::External, None);
        match &mut data.kind {
            SymbolKind::Function { personality, prefix, prologue, .. } => {
                (*personality, *prefix, *prologue) = (None, None, None);
            }
            SymbolKind::Variable { initializer, .. } => *initializer = None,
            SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => {}
        }
    }

    /// Removes exports and recursion variables that have lost their definition.
    fn finish(self, omega: &mut Graph) {
        for (phi, variables) in self.variables {
            phi.retain_fix_vars(omega, |index| !variables.contains(&index));
        }
        let kept: Vec<bool> =
            omega.result_origins(omega.root()).map(|origin| !self.imports.contains(&origin)).collect();
        omega.retain_results(omega.root(), |index| kept[index]);
    }
}

/// The import of a symbol as available in a region, through enclosing φ; `places` has the regions where it is available, including the
/// root region.
fn bring(omega: &mut Graph, places: &mut FxHashMap<Region, Origin>, region: Region) -> Origin {
    let mut around = Vec::new();
    let mut at = region;
    let mut origin = loop {
        if let Some(&origin) = places.get(&at) {
            break origin;
        }
        let phi = omega.parent(at).and_then(|parent| Phi::new(omega, parent)).expect("only φs are around definitions");
        around.push((at, phi));
        at = omega.region_of(phi.node());
    };
    for (region, phi) in around.into_iter().rev() {
        origin = phi.add_context_var(omega, origin).argument;
        places.insert(region, origin);
    }
    origin
}
