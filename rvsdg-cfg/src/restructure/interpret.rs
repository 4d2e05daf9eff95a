//! Runs a control tree: the reference semantics of [`super::tree`], used to test restructuring.

use super::tree::{Assigns, Aux, Item, Loop, LoopPredicate, Predicate, Seq, Tree};
use crate::shape::{ArcRef, Block, Shape};
use cranelift_entity::SecondaryMap;

/// One step of a dynamic execution trace (thesis B2, Definition 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A block executed.
    Block(Block),
    /// An arc was taken.
    Arc(ArcRef),
}

/// What a tree must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A branch or loop needs an auxiliary predicate that is not set, or has no alternative for its value.
    Unset(Aux),
    /// A branch needs the terminator of a block that was not executed.
    NoChoice(Block),
}

/// Executes `shape` itself and returns its trace: `choose` returns the index of the arc to take for each execution of a block with
/// several. Stops at the exit or after `limit` blocks.
pub fn walk_shape(shape: &Shape, mut choose: impl FnMut(Block) -> u32, limit: usize) -> Vec<Step> {
    let mut trace = Vec::new();
    let mut block = shape.entry;
    let mut count = 0;
    while block != shape.exit && count < limit {
        count += 1;
        trace.push(Step::Block(block));
        let index = match shape.succs(block).len() {
            0 => break,
            1 => 0,
            _ => choose(block),
        };
        let arc = ArcRef { from: block, index };
        trace.push(Step::Arc(arc));
        block = shape.target(arc);
    }
    trace
}

/// Executes `tree`, a tree of `shape`, and returns its trace: that of [`walk_shape`], if the tree is right.
///
/// An auxiliary predicate is forgotten once it was used, and all are forgotten when a block executes.
pub fn walk_tree(
    shape: &Shape,
    tree: &Tree,
    mut choose: impl FnMut(Block) -> u32,
    limit: usize,
) -> Result<Vec<Step>, Fault> {
    let mut trace = Vec::new();
    let mut count = 0;
    let mut choices: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
    let mut values = Values::default();
    let mut stack: Vec<(Seq, usize, Option<Loop>)> = vec![(tree.root, 0, None)];
    while let Some((seq, at, body_of)) = stack.last_mut() {
        let Some(item) = tree.items(*seq).get(*at) else {
            let repeats = match body_of.map(|id| tree.loops[id].predicate) {
                None => false,
                Some(LoopPredicate::Always) => true,
                Some(LoopPredicate::Aux(r)) => values.take(r, 2)? == 1,
                Some(LoopPredicate::Terminator { block, repeat }) => {
                    choices[block].take().ok_or(Fault::NoChoice(block))? == repeat
                }
            };
            if repeats {
                *at = 0;
            } else {
                stack.pop();
            }
            continue;
        };
        *at += 1;
        match item {
            &Item::Block(block) => {
                if count == limit {
                    break;
                }
                count += 1;
                trace.push(Step::Block(block));
                values = Values::default();
                if shape.succs(block).len() > 1 {
                    choices[block] = Some(choose(block));
                }
            }
            Item::Arc { arc, assigns } => {
                // Of the two arcs at the tail of a tail-controlled loop, one is taken.
                if choices[arc.from].is_none_or(|choice| choice == arc.index) {
                    trace.push(Step::Arc(*arc));
                    values.set(assigns);
                }
            }
            Item::Assign(assigns) => values.set(assigns),
            &Item::Loop(id) => stack.push((tree.loops[id].body, 0, Some(id))),
            &Item::Branch(id) => {
                let data = &tree.branches[id];
                let index = match data.predicate {
                    Predicate::Terminator(block) => choices[block].ok_or(Fault::NoChoice(block))?,
                    Predicate::Aux(aux) => values.take(aux, data.alternatives.len() as u32)?,
                };
                stack.push((data.alternatives[index as usize], 0, None));
            }
        }
    }
    Ok(trace)
}

/// The auxiliary predicates that are set.
#[derive(Default)]
struct Values(Assigns);

impl Values {
    fn set(&mut self, assigns: &Assigns) {
        for &(aux, value) in assigns {
            self.0.retain(|(other, _)| *other != aux);
            self.0.push((aux, value));
        }
    }

    fn take(&mut self, aux: Aux, alternatives: u32) -> Result<u32, Fault> {
        let at = self.0.iter().position(|&(other, value)| other == aux && value < alternatives);
        Ok(self.0.swap_remove(at.ok_or(Fault::Unset(aux))?).1)
    }
}
