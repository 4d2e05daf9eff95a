//! SSA construction: values instead of variables.
//!
//! The algorithm is that of Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (CC 2013), run when all
//! predecessors of all blocks are known: the value of a variable at the start of a block is searched for backwards, a phi is added where
//! paths meet, and phis of one value and themselves are removed. Only variables that are read are searched for, so there are no dead
//! phis; the result is minimal if control flow is reducible. Cost: blocks between definitions and uses, near-linear in practice.

use rustc_hash::FxHashMap;

use crate::function::{Block, Def, FunctionBuilder};

/// What is known of a read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// A value that is not the reading of a variable.
    Value(u32),
    /// A phi.
    Phi(u32),
    /// No path to this point assigns the variable.
    Undefined,
}

/// The value of a variable where paths meet.
pub(crate) struct Phi {
    pub block: Block,
    pub variable: u32,
    /// By predecessor.
    pub operands: Vec<Read>,
    /// Phis that have it as an operand.
    users: Vec<u32>,
    /// What it is, when that is one thing.
    same_as: Option<Read>,
}

/// The phis of a function, as they are demanded.
pub(crate) struct Ssa<'f> {
    function: &'f FunctionBuilder,
    /// The predecessors of each block, once for each arc.
    preds: &'f [Vec<Block>],
    known: FxHashMap<(Block, u32), Read>,
    phis: Vec<Phi>,
    /// Phis without operands so far.
    pending: Vec<u32>,
}

impl<'f> Ssa<'f> {
    pub(crate) fn new(function: &'f FunctionBuilder, preds: &'f [Vec<Block>]) -> Ssa<'f> {
        Ssa { function, preds, known: FxHashMap::default(), phis: Vec::new(), pending: Vec::new() }
    }

    /// Demands what a value is.
    pub(crate) fn demand(&mut self, value: u32) {
        self.read(value);
        while let Some(phi) = self.pending.pop() {
            let Phi { block, variable, .. } = self.phis[phi as usize];
            let preds = self.preds;
            for &pred in &preds[block as usize] {
                let read = match self.function.defined.get(&(pred, variable)) {
                    Some(&value) => self.read(value),
                    None => self.entry(pred, variable),
                };
                self.phis[phi as usize].operands.push(read);
                if let Read::Phi(operand) = read {
                    self.phis[operand as usize].users.push(phi);
                }
            }
        }
    }

    /// Removes phis of one value, and returns the others.
    pub(crate) fn simplify(&mut self) {
        let mut pending: Vec<u32> = (0..self.phis.len() as u32).rev().collect();
        while let Some(phi) = pending.pop() {
            if self.phis[phi as usize].same_as.is_some() {
                continue;
            }
            let mut only = None;
            let mut is_one = true;
            for index in 0..self.phis[phi as usize].operands.len() {
                let operand = self.find(self.phis[phi as usize].operands[index]);
                if operand != Read::Phi(phi) && only != Some(operand) {
                    is_one &= only.is_none();
                    only = Some(operand);
                }
            }
            if is_one {
                let same_as = only.unwrap_or(Read::Undefined);
                self.phis[phi as usize].same_as = Some(same_as);
                let users = std::mem::take(&mut self.phis[phi as usize].users);
                pending.extend(&users);
                if let Read::Phi(other) = same_as {
                    self.phis[other as usize].users.extend(users);
                }
            }
        }
    }

    /// What a demanded value is.
    pub(crate) fn resolve(&mut self, value: u32) -> Read {
        let read = self.read(value);
        self.find(read)
    }

    /// What a phi's operand is.
    pub(crate) fn find(&mut self, mut read: Read) -> Read {
        let first = read;
        while let Read::Phi(phi) = read
            && let Some(same_as) = self.phis[phi as usize].same_as
        {
            read = same_as;
        }
        // Later paths are short.
        let mut at = first;
        while let Read::Phi(phi) = at
            && let Some(next) = self.phis[phi as usize].same_as
        {
            self.phis[phi as usize].same_as = Some(read);
            at = next;
        }
        read
    }

    /// The phis that are left, with their numbers, in the order in which they were demanded.
    pub(crate) fn phis(&self) -> impl Iterator<Item = (u32, &Phi)> {
        (0..).zip(&self.phis).filter(|(_, phi)| phi.same_as.is_none())
    }

    fn read(&mut self, value: u32) -> Read {
        match self.function.values[value as usize].def {
            Def::Entry(block, variable) => self.entry(block, variable),
            Def::Param | Def::Context | Def::Const(_) | Def::Result => Read::Value(value),
        }
    }

    /// What a variable holds when a block begins.
    fn entry(&mut self, mut block: Block, mut variable: u32) -> Read {
        let mut path = Vec::new();
        let read = loop {
            if let Some(&known) = self.known.get(&(block, variable)) {
                break known;
            }
            match self.preds[block as usize][..] {
                [] => {
                    path.push((block, variable));
                    break Read::Undefined;
                }
                [pred] => {
                    path.push((block, variable));
                    block = pred;
                    let Some(&value) = self.function.defined.get(&(pred, variable)) else { continue };
                    match self.function.values[value as usize].def {
                        Def::Entry(begun, read) => (block, variable) = (begun, read),
                        Def::Param | Def::Context | Def::Const(_) | Def::Result => break Read::Value(value),
                    }
                }
                _ => {
                    let phi = self.phis.len() as u32;
                    self.phis.push(Phi { block, variable, operands: Vec::new(), users: Vec::new(), same_as: None });
                    self.pending.push(phi);
                    self.known.insert((block, variable), Read::Phi(phi));
                    break Read::Phi(phi);
                }
            }
        };
        self.known.extend(path.into_iter().map(|at| (at, read)));
        read
    }
}
