//! Edits at the ω level for passes: context variables for symbols that a body did not mention before.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::{Graph, Module, NodeKind, Origin, Region, Symbol};

/// Where symbols are available at the ω level.
pub(crate) struct Places {
    origins: FxHashMap<(Region, Symbol), Origin>,
}

/// The context variable of a λ, whose body is a graph, for a symbol; it is added if needed. `None` if the symbol is not available there.
pub(crate) fn context(
    places: &mut Option<Places>,
    module: &mut Module,
    lambda: Lambda,
    symbol: Symbol,
) -> Option<usize> {
    if let Some(index) = module.context_symbols(lambda).iter().position(|&known| known == symbol) {
        return Some(index);
    }
    let places = places.get_or_insert_with(|| Places::new(module));
    Some(places.add_context(module, lambda, symbol)? as usize)
}

impl Places {
    /// Everything that is imported, defined or passed through a φ. Linear in the ω level.
    pub fn new(module: &Module) -> Places {
        let omega = &module.omega;
        let mut origins = FxHashMap::default();
        for (&symbol, &argument) in module.imports.iter().zip(omega.arguments(omega.root())) {
            origins.insert((omega.root(), symbol), argument);
        }
        for node in omega.all_nodes() {
            let region = omega.region_of(node);
            match omega.kind(node) {
                NodeKind::Lambda(body) => {
                    origins.entry((region, module.bodies[body].symbol)).or_insert(omega.output(node, 0));
                }
                NodeKind::Delta(symbol) => {
                    origins.entry((region, symbol)).or_insert(omega.output(node, 0));
                }
                NodeKind::Phi => {
                    let inner = omega.subregions(node)[0];
                    for &output in omega.outputs(node) {
                        origins.insert((region, module.symbol_of(output)), output);
                    }
                    // Inside a φ, its definitions are named by its variables, because they may depend on each other.
                    for &argument in omega.arguments(inner) {
                        origins.insert((inner, module.symbol_of(argument)), argument);
                    }
                }
                NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {
                    unreachable!("the ω level has only λ, φ and δ nodes")
                }
            }
        }
        Places { origins }
    }

    /// Records a symbol that is new in the ω region.
    pub fn add(&mut self, module: &Module, symbol: Symbol, origin: Origin) {
        self.origins.insert((module.omega.root(), symbol), origin);
    }

    /// Adds a context variable to a λ whose body is a graph. `None` if the symbol is not available there.
    pub fn add_context(&mut self, module: &mut Module, lambda: Lambda, symbol: Symbol) -> Option<u32> {
        let omega = &mut module.omega;
        let region = omega.region_of(lambda.node());
        let origin = match self.origins.get(&(region, symbol)) {
            Some(&origin) => origin,
            None => {
                let (outer, phi) = self.around(omega, lambda, symbol)?;
                let argument = phi.add_context_var(omega, outer).argument;
                self.origins.insert((region, symbol), argument);
                argument
            }
        };
        let index = lambda.context(omega).len();
        let ty = omega.ty(origin);
        let graph = module.bodies[lambda.body()].graph_mut()?;
        graph.insert_argument(graph.root(), index, ty);
        lambda.add_context(&mut module.omega, origin);
        Some(index as u32)
    }

    /// Whether a λ may get a context variable for a symbol that it does not depend on so far: that the symbol is available there, and its
    /// definition does not depend on the λ. Linear in the definitions that the symbol depends on.
    pub fn may_add_context(&self, module: &Module, lambda: Lambda, symbol: Symbol) -> bool {
        let omega = &module.omega;
        let region = omega.region_of(lambda.node());
        let (origin, user) = match self.origins.get(&(region, symbol)) {
            Some(&origin) => (origin, lambda.node()),
            None => match self.around(omega, lambda, symbol) {
                Some((origin, phi)) => (origin, phi.node()),
                None => return false,
            },
        };
        let mut seen = FxHashSet::default();
        let mut pending = vec![origin];
        while let Some(node) = pending.pop().map(|origin| omega.producer(origin)) {
            let Some(node) = node else { continue };
            if node == user {
                return false;
            }
            if seen.insert(node) {
                pending.extend(omega.input_origins(node));
            }
        }
        true
    }

    /// The φ around a λ, and a symbol outside of it.
    fn around(&self, omega: &Graph, lambda: Lambda, symbol: Symbol) -> Option<(Origin, Phi)> {
        let phi = Phi::new(omega, omega.parent(omega.region_of(lambda.node()))?)?;
        let outer = self.origins.get(&(omega.region_of(phi.node()), symbol))?;
        Some((*outer, phi))
    }
}
