//! Inter-procedural translation: thesis, Algorithm I.
//!
//! The nodes of the inter-procedure graph are all definitions: functions, variables, aliases and ifuncs; its edges are
//! their mentions of each other. Its strongly connected components, dependences first, become λ and δ nodes, inside φ
//! nodes where they are recursive. What is declared only becomes an argument of the ω region, what others can see a
//! result. Definitions are visited in module order with explicit stacks; cost is linear in definitions and mentions.

use rustc_hash::FxHashMap;
use rvsdg_core::Module;
use rvsdg_core::graph::{NodeKind, Origin, Region};
use rvsdg_core::module::Body;
use rvsdg_core::structural::Phi;

use super::Tables;

/// A definition and what it mentions.
pub(super) struct Definition {
    /// The symbol's number.
    pub number: u32,
    pub kind: DefinitionKind,
    /// Symbol numbers in the order of the node's inputs; no duplicates.
    pub dependences: Vec<u32>,
}

/// What becomes of a definition.
#[derive(Copy, Clone)]
pub(super) enum DefinitionKind {
    /// A λ node.
    Function(Body),
    /// A δ node.
    Data,
}

const NO_DEFINITION: u32 = u32::MAX;

/// Builds the ω level. The definitions of `kept` symbols are exported whatever their linkage, because something other
/// than an edge of the graph depends on them.
pub(super) fn translate(module: &mut Module, tables: &Tables, definitions: &[Definition], kept: &[u32]) {
    let mut by_number = vec![NO_DEFINITION; tables.symbols.len()];
    for (index, definition) in definitions.iter().enumerate() {
        by_number[definition.number as usize] = index as u32;
    }
    let mut origins: Vec<Option<Origin>> = vec![None; tables.symbols.len()];
    for (number, &symbol) in tables.symbols.iter().enumerate() {
        if by_number[number] == NO_DEFINITION {
            origins[number] = Some(module.add_import(symbol));
        }
    }
    let root = module.omega.root();
    for component in components(definitions, &by_number) {
        match component[..] {
            [single] if !mentions_itself(&definitions[single as usize]) => {
                let definition = &definitions[single as usize];
                let resolve = |number: u32| origins[number as usize].expect("dependences come first");
                let origin = define(module, tables, root, definition, resolve);
                origins[definition.number as usize] = Some(origin);
            }
            _ => recursive(module, tables, definitions, &component, &mut origins),
        }
    }
    let mut is_kept = vec![false; tables.symbols.len()];
    for &number in kept {
        is_kept[number as usize] = true;
    }
    for definition in definitions {
        let data = &module.symbols[tables.symbols[definition.number as usize]];
        let local = matches!(data.linkage, "internal" | "private");
        if !local || is_kept[definition.number as usize] {
            module.add_export(origins[definition.number as usize].expect("every definition has a node"));
        }
    }
}

fn mentions_itself(definition: &Definition) -> bool {
    definition.dependences.contains(&definition.number)
}

/// Adds the node of one definition.
fn define(
    module: &mut Module,
    tables: &Tables,
    region: Region,
    definition: &Definition,
    resolve: impl Fn(u32) -> Origin,
) -> Origin {
    let inputs: Vec<Origin> = definition.dependences.iter().map(|&number| resolve(number)).collect();
    let kind = match definition.kind {
        DefinitionKind::Function(body) => NodeKind::Lambda(body),
        DefinitionKind::Data => NodeKind::Delta(tables.symbols[definition.number as usize]),
    };
    let ty = tables.symbol_types[definition.number as usize];
    let node = module.omega.add_node(region, kind, &inputs, &[ty]);
    module.omega.output(node, 0)
}

/// Adds a φ with the nodes of a component.
fn recursive(
    module: &mut Module,
    tables: &Tables,
    definitions: &[Definition],
    component: &[u32],
    origins: &mut [Option<Origin>],
) {
    let mut inside: FxHashMap<u32, Option<Origin>> =
        component.iter().map(|&index| (definitions[index as usize].number, None)).collect();
    let mut context = Vec::new();
    for &index in component {
        for &number in &definitions[index as usize].dependences {
            inside.entry(number).or_insert_with(|| {
                context.push(number);
                None
            });
        }
    }
    let outside: Vec<Origin> =
        context.iter().map(|&number| origins[number as usize].expect("dependences come first")).collect();
    let root = module.omega.root();
    let phi = Phi::add(&mut module.omega, root, &outside, 0);
    for (number, variable) in context.iter().zip(phi.context_vars(&module.omega)) {
        inside.insert(*number, Some(variable.argument));
    }
    let mut variables = Vec::new();
    for &index in component {
        let number = definitions[index as usize].number;
        let variable = phi.add_fix_var(&mut module.omega, tables.symbol_types[number as usize]);
        inside.insert(number, Some(variable.argument));
        origins[number as usize] = Some(variable.output);
        variables.push(variable);
    }
    let region = phi.region(&module.omega);
    for (&index, variable) in component.iter().zip(variables) {
        let resolve = |number: u32| inside[&number].expect("context and recursion variables are all known");
        let origin = define(module, tables, region, &definitions[index as usize], resolve);
        module.omega.divert(variable.result, origin);
    }
}

/// The strongly connected components, each after those it depends on; members in module order. Tarjan's algorithm.
fn components(definitions: &[Definition], by_number: &[u32]) -> Vec<Vec<u32>> {
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
            match definitions[index].dependences.get(*edge) {
                Some(&number) => {
                    *edge += 1;
                    let to = by_number[number as usize];
                    if to == NO_DEFINITION {
                        continue;
                    }
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
