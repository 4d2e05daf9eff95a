//! Inter-procedural construction (thesis, Algorithm I): the ω level of definitions that mention one another.
//!
//! Definitions that mention one another cyclically become one φ, the others a λ or δ each, after what they mention. They are visited in
//! order, with explicit stacks. Cost: linear in definitions and mentions.

use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

use super::{Body, Module, Symbol};
use crate::TypeKind;
use crate::graph::{NodeKind, Origin, Region};
use crate::structural::Phi;

/// What a symbol is defined as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DefinitionKind {
    /// A λ node.
    Function(Body),
    /// A δ node.
    Data,
}

/// A definition and what it mentions.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The symbol.
    pub symbol: Symbol,
    /// What it is.
    pub kind: DefinitionKind,
    /// The symbols that it mentions, in the order of the node's inputs, without duplicates.
    pub mentions: Vec<Symbol>,
}

impl Module {
    /// Builds the ω level: imports the symbols of [`order`](Module::order) that have no definition, defines the others, and exports
    /// those that other translation units see. `kept` are exported whatever their linkage, because something other than an edge
    /// of the graph depends on them.
    ///
    /// # Panics
    /// When a definition mentions a symbol that is not in the module's order, or a symbol is defined twice.
    pub fn define(&mut self, definitions: &[Definition], kept: &[Symbol]) {
        let mut by_symbol: SecondaryMap<Symbol, u32> = SecondaryMap::with_capacity(self.symbols.capacity());
        for (index, definition) in definitions.iter().enumerate() {
            let known = by_symbol.insert(definition.symbol, index as u32);
            assert!(known.is_none(), "a symbol has one definition");
        }
        let mut origins: SecondaryMap<Symbol, Origin> = SecondaryMap::with_capacity(self.symbols.capacity());
        for symbol in self.order.clone() {
            if !by_symbol.contains_key(symbol) {
                origins.insert(symbol, self.add_import(symbol));
            }
        }
        let root = self.omega.root();
        for component in components(definitions, &by_symbol) {
            match component[..] {
                [single] if !mentions_itself(&definitions[single as usize]) => {
                    let definition = &definitions[single as usize];
                    let origin = self.define_one(root, definition, |symbol| origins[symbol]);
                    origins.insert(definition.symbol, origin);
                }
                _ => self.define_together(definitions, &component, &mut origins),
            }
        }
        let mut is_kept: SecondaryMap<Symbol, ()> = SecondaryMap::new();
        is_kept.extend(kept.iter().map(|&symbol| (symbol, ())));
        for definition in definitions {
            let local = self.symbols[definition.symbol].linkage.is_local();
            if !local || is_kept.contains_key(definition.symbol) {
                self.add_export(origins[definition.symbol]);
            }
        }
    }

    /// Adds the node of one definition.
    fn define_one(&mut self, region: Region, definition: &Definition, resolve: impl Fn(Symbol) -> Origin) -> Origin {
        let inputs: Vec<Origin> = definition.mentions.iter().map(|&symbol| resolve(symbol)).collect();
        let kind = match definition.kind {
            DefinitionKind::Function(body) => NodeKind::Lambda(body),
            DefinitionKind::Data => NodeKind::Delta(definition.symbol),
        };
        let ty = self.pool.intern_type(TypeKind::Ptr(self.symbols[definition.symbol].address_space));
        let node = self.omega.add_node(region, kind, &inputs, &[ty]);
        self.omega.output(node, 0)
    }

    /// Adds a φ with the nodes of a component.
    fn define_together(
        &mut self,
        definitions: &[Definition],
        component: &[u32],
        origins: &mut SecondaryMap<Symbol, Origin>,
    ) {
        let mut inside: FxHashMap<Symbol, Option<Origin>> =
            component.iter().map(|&index| (definitions[index as usize].symbol, None)).collect();
        let mut context = Vec::new();
        for &index in component {
            for &symbol in &definitions[index as usize].mentions {
                inside.entry(symbol).or_insert_with(|| {
                    context.push(symbol);
                    None
                });
            }
        }
        let outside: Vec<Origin> = context.iter().map(|&symbol| origins[symbol]).collect();
        let root = self.omega.root();
        let phi = Phi::add(&mut self.omega, root, &outside, 0);
        for (symbol, variable) in context.iter().zip(phi.context_vars(&self.omega)) {
            inside.insert(*symbol, Some(variable.argument));
        }
        let mut variables = Vec::new();
        for &index in component {
            let symbol = definitions[index as usize].symbol;
            let ty = self.pool.intern_type(TypeKind::Ptr(self.symbols[symbol].address_space));
            let variable = phi.add_fix_var(&mut self.omega, ty);
            inside.insert(symbol, Some(variable.argument));
            origins.insert(symbol, variable.output);
            variables.push(variable);
        }
        let region = phi.region(&self.omega);
        for (&index, variable) in component.iter().zip(variables) {
            let resolve = |symbol: Symbol| inside[&symbol].expect("context and recursion variables are all known");
            let origin = self.define_one(region, &definitions[index as usize], resolve);
            self.omega.divert(variable.result, origin);
        }
    }
}

fn mentions_itself(definition: &Definition) -> bool {
    definition.mentions.contains(&definition.symbol)
}

/// The strongly connected components, each after those it depends on; members in their order. Tarjan's algorithm.
fn components(definitions: &[Definition], by_symbol: &SecondaryMap<Symbol, u32>) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; definitions.len()];
    let mut low = vec![0u32; definitions.len()];
    let mut on_stack = vec![false; definitions.len()];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for start in 0..definitions.len() as u32 {
        if order[start as usize] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some(&mut (at, ref mut edge)) = path.last_mut() {
            let index = at as usize;
            if *edge == 0 {
                order[index] = next;
                low[index] = next;
                next += 1;
                stack.push(at);
                on_stack[index] = true;
            }
            match definitions[index].mentions.get(*edge) {
                Some(&symbol) => {
                    *edge += 1;
                    let Some(&to) = by_symbol.get(symbol) else { continue };
                    if order[to as usize] == UNSEEN {
                        path.push((to, 0));
                    } else if on_stack[to as usize] {
                        low[index] = low[index].min(order[to as usize]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        low[parent as usize] = low[parent as usize].min(low[index]);
                    }
                    if low[index] == order[index] {
                        let first = stack.iter().rposition(|&member| member == at).expect("a root is on the stack");
                        let mut component = stack.split_off(first);
                        component.iter().for_each(|&member| on_stack[member as usize] = false);
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}
