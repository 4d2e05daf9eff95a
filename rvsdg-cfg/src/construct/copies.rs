//! Loop restructuring with copying (thesis C1.4.3): blocks that execute in two places.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use super::variables::{Var, VarKind, Variable};
use crate::cfg::{Cfg, Value};
use crate::restructure::tree::{Item, Loop, Tree};
use crate::shape::Block;

/// The blocks that are copied and the values that they define. Such a value has two definitions, of which the one executed last counts,
/// so it is a variable.
#[derive(Default)]
pub(super) struct Copies {
    blocks: FxHashMap<Block, Loop>,
    variables: FxHashMap<Value, Var>,
}

impl Copies {
    /// Finds what is copied and adds the variables for it. Linear in the tree and the control flow graph if there is any.
    pub fn new(cfg: &Cfg, tree: &Tree, variables: &mut PrimaryMap<Var, Variable>) -> Self {
        let mut copies = Self::default();
        for (id, data) in &tree.loops {
            let Some(start) = data.copy else { continue };
            for item in &tree.items(data.body)[start as usize..] {
                let &Item::Block(block) = item else { continue };
                copies.blocks.insert(block, id);
                let predicate = cfg.terminator(block).predicate.expand();
                let insts = cfg.insts(block).iter().copied().chain(predicate);
                let results = insts.flat_map(|inst| cfg.results(inst)).copied();
                for value in cfg.block_params(block).iter().copied().chain(results) {
                    let kind = VarKind::Copied { value, last_use: 0 };
                    copies.variables.insert(value, variables.push(Variable::new(kind)));
                }
            }
        }
        if !copies.variables.is_empty() {
            copies.find_last_uses(cfg, tree, variables);
        }
        copies
    }

    /// The variable of a value, if its block is copied.
    #[inline]
    pub fn variable(&self, value: Value) -> Option<Var> {
        if self.variables.is_empty() { None } else { self.variables.get(&value).copied() }
    }

    /// The loop at whose end a block is copied.
    pub fn copied_by(&self, block: Block) -> Option<Loop> {
        if self.blocks.is_empty() { None } else { self.blocks.get(&block).copied() }
    }

    /// Walks the tree as construction does, with the same numbers for the steps.
    fn find_last_uses(&self, cfg: &Cfg, tree: &Tree, variables: &mut PrimaryMap<Var, Variable>) {
        let mut now = 0;
        let mut used = |values: &[Value], now: u32| {
            for value in values {
                if let Some(&var) = self.variables.get(value)
                    && let VarKind::Copied { last_use, .. } = &mut variables[var].kind
                {
                    *last_use = now;
                }
            }
        };
        let mut stack = vec![tree.items(tree.root).iter()];
        while let Some(items) = stack.last_mut() {
            now += 1;
            let Some(item) = items.next() else {
                stack.pop();
                continue;
            };
            match item {
                &Item::Block(block) => {
                    for &inst in cfg.insts(block) {
                        used(cfg.operands(inst), now);
                    }
                    // A branch on the block's terminator is the next item.
                    if let Some(predicate) = cfg.terminator(block).predicate.expand() {
                        used(cfg.operands(predicate), now + 1);
                    }
                }
                &Item::Arc { arc, .. } => used(cfg.arc_args(arc), now),
                Item::Assign(_) => {}
                &Item::Branch(branch) => {
                    let alternatives = &tree.branches[branch].alternatives;
                    stack.extend(alternatives.iter().rev().map(|&seq| tree.items(seq).iter()));
                }
                &Item::Loop(id) => stack.push(tree.items(tree.loops[id].body).iter()),
            }
        }
    }
}
