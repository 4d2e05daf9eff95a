//! What inlining needs of the ω level: who calls whom, and context variables for what a callee's body mentions.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::{Body, Module, NodeKind, Origin, Region, Symbol};

use super::scan::Scan;

/// Where symbols can be named.
pub(crate) struct Places {
    origins: FxHashMap<(Region, Symbol), Origin>,
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
                    // Inside of a φ, what it defines is named by its variables: the definitions may depend on each other.
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

    /// Adds a context variable to a λ whose body is a graph. `None` when the symbol is not in reach.
    pub fn add_context(&mut self, module: &mut Module, lambda: Lambda, symbol: Symbol) -> Option<u32> {
        let omega = &mut module.omega;
        let region = omega.region_of(lambda.node());
        let origin = match self.origins.get(&(region, symbol)) {
            Some(&origin) => origin,
            None => {
                let phi = Phi::new(omega, omega.parent(region)?)?;
                let outer = *self.origins.get(&(omega.region_of(phi.node()), symbol))?;
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
}

/// How functions are used.
pub(crate) struct Uses {
    /// Functions whose only use is one call of a function in this module.
    pub once: FxHashSet<Symbol>,
    /// Functions whose only uses are calls of functions in this module.
    pub called: FxHashSet<Symbol>,
}

impl Uses {
    /// `scans` has what the bodies that are graphs do, `contexts` the symbols of each body's context variables.
    pub fn new(module: &Module, contexts: &FxHashMap<Body, Vec<Symbol>>, scans: &FxHashMap<Body, Scan>) -> Uses {
        let mut calls: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut others: FxHashSet<Symbol> = FxHashSet::default();
        let omega = &module.omega;
        others.extend(omega.result_origins(omega.root()).map(|origin| module.symbol_of(origin)));
        for node in omega.all_nodes() {
            match omega.kind(node) {
                NodeKind::Delta(_) => others.extend(omega.input_origins(node).map(|origin| module.symbol_of(origin))),
                NodeKind::Lambda(body) => match scans.get(&body) {
                    None => others.extend(&contexts[&body]),
                    Some(scan) => {
                        for &(_, context) in &scan.calls {
                            *calls.entry(contexts[&body][context as usize]).or_default() += 1;
                        }
                        let used = contexts[&body].iter().zip(&scan.others).filter(|&(_, &count)| count > 0);
                        others.extend(used.map(|(symbol, _)| symbol));
                    }
                },
                NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {}
            }
        }
        for data in module.symbols.values() {
            if let SymbolKind::Function { personality, prefix, prologue, .. } = &data.kind {
                others.extend(
                    [personality, prefix, prologue].into_iter().flatten().flat_map(|constant| &constant.symbols),
                );
            }
        }
        let local = |symbol: Symbol| matches!(module.symbols[symbol].linkage, "internal" | "private");
        calls.retain(|&symbol, _| !others.contains(&symbol) && local(symbol));
        let once = calls.iter().filter(|&(_, &count)| count == 1).map(|(&symbol, _)| symbol).collect();
        Uses { once, called: calls.into_keys().collect() }
    }
}

/// The call graph, in levels: a function stands behind all it calls, but for those that also call it.
pub(crate) struct Levels {
    /// Bodies in module order.
    pub levels: Vec<Vec<Body>>,
    /// The strongly connected component of each body.
    pub component: FxHashMap<Body, u32>,
    /// Components with a cycle.
    pub cyclic: FxHashSet<u32>,
}

impl Levels {
    /// `edges` has the bodies that each body calls. Tarjan's algorithm with an explicit stack, linear in calls.
    pub fn new(bodies: &[Body], edges: &FxHashMap<Body, Vec<Body>>) -> Levels {
        const UNSEEN: u32 = u32::MAX;
        let index: FxHashMap<Body, usize> = bodies.iter().enumerate().map(|(index, &body)| (body, index)).collect();
        let targets: Vec<Vec<usize>> = bodies
            .iter()
            .map(|body| edges.get(body).map(|to| to.iter().map(|to| index[to]).collect()).unwrap_or_default())
            .collect();
        let (mut order, mut low) = (vec![UNSEEN; bodies.len()], vec![0u32; bodies.len()]);
        let mut component = vec![UNSEEN; bodies.len()];
        let mut level = vec![0u32; bodies.len()];
        let mut cyclic = FxHashSet::default();
        let (mut stack, mut next, mut components) = (Vec::new(), 0, 0);
        for start in 0..bodies.len() {
            if order[start] != UNSEEN {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some(&mut (at, ref mut edge)) = path.last_mut() {
                if *edge == 0 && order[at] == UNSEEN {
                    (order[at], low[at]) = (next, next);
                    next += 1;
                    stack.push(at);
                }
                if let Some(&to) = targets[at].get(*edge) {
                    *edge += 1;
                    if order[to] == UNSEEN {
                        path.push((to, 0));
                    } else if component[to] == UNSEEN {
                        low[at] = low[at].min(order[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[at]);
                }
                if low[at] == order[at] {
                    let first = stack.iter().rposition(|&member| member == at).expect("a root is on the stack");
                    let members = stack.split_off(first);
                    members.iter().for_each(|&member| component[member] = components);
                    let called = members.iter().flat_map(|&member| &targets[member]);
                    let (inside, outside): (Vec<usize>, Vec<usize>) =
                        called.copied().partition(|&to| component[to] == components);
                    if !inside.is_empty() {
                        cyclic.insert(components);
                    }
                    let height = outside.iter().map(|&to| level[to] + 1).max().unwrap_or(0);
                    members.iter().for_each(|&member| level[member] = height);
                    components += 1;
                }
            }
        }
        let mut levels = vec![Vec::new(); level.iter().max().map_or(0, |&most| most as usize + 1)];
        for (index, &body) in bodies.iter().enumerate() {
            levels[level[index] as usize].push(body);
        }
        let component = bodies.iter().copied().zip(component).collect();
        Levels { levels, component, cyclic }
    }
}
