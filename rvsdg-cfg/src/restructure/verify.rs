//! Checks that a tree is what [`super::tree`] says a tree of a shape is.

use super::tree::{Assigns, Aux, Branch, Item, Loop, LoopPredicate, Predicate, Seq, Tree};
use crate::shape::{ArcRef, Block, Shape};
use cranelift_entity::SecondaryMap;
use std::fmt;

/// A difference between a tree and its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A sequence, branch or loop does not occur exactly once.
    NotATree(String),
    /// A block occurs this many times outside of copies.
    BlockCount(Block, u32),
    /// An arc occurs this many times more than the block that it leaves.
    ArcCount(ArcRef, i64),
    /// A block is not followed by its arc, a branch on its terminator, or the end of a loop that it controls.
    Terminator(Block),
    /// A branch on a block's terminator does not follow the block, or its alternatives do not begin with the arcs.
    Alternatives(Branch),
    /// A branch on an auxiliary predicate has another number of alternatives than the predicate.
    Arity(Branch),
    /// An auxiliary predicate has this many uses.
    Uses(Aux, u32),
    /// An auxiliary predicate is used after this arc, but is set neither by the arc nor after it.
    Unassigned(ArcRef, Aux),
    /// After this arc, the next item is not a block but something that only a block may precede.
    Interrupted(ArcRef),
    /// This arc leads to the wrong block; none means the end of the tree.
    Misrouted(ArcRef, Option<Block>),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATree(what) => write!(f, "{what} does not occur exactly once"),
            Self::BlockCount(block, count) => write!(f, "{block} occurs {count} times"),
            Self::ArcCount(arc, excess) => write!(f, "arc {arc} occurs {excess:+} times more than its block"),
            Self::Terminator(block) => write!(f, "{block} is not followed by its arcs"),
            Self::Alternatives(branch) => write!(f, "{branch} is not on the arcs of the block before it"),
            Self::Arity(branch) => write!(f, "{branch} has another arity than its predicate"),
            Self::Uses(aux, count) => write!(f, "{aux} is used {count} times"),
            Self::Unassigned(arc, aux) => write!(f, "{aux} is not assigned between arc {arc} and its use"),
            Self::Interrupted(arc) => write!(f, "arc {arc} leads to another arc or a branch on a terminator"),
            Self::Misrouted(arc, Some(block)) => write!(f, "arc {arc} leads to {block}"),
            Self::Misrouted(arc, None) => write!(f, "arc {arc} leads to the end"),
        }
    }
}

/// Returns all violations of `tree` as a tree of `shape`.
///
/// Control is followed from every arc to the next block, as recovery by constant propagation would (thesis
/// SHORTCIRCUITCFG). This shows that control is as before and that the tree is in predicate continuation form. It costs
/// the number of arcs times the nesting depth, so it is meant for tests.
pub fn verify(shape: &Shape, tree: &Tree) -> Vec<Violation> {
    let mut verifier =
        Verifier { shape, tree, owners: SecondaryMap::new(), copied: SecondaryMap::new(), violations: Vec::new() };
    verifier.find_owners();
    verifier.check_counts();
    verifier.check_terminators();
    if verifier.violations.is_empty() {
        verifier.check_arcs();
    }
    verifier.violations
}

/// What a sequence is part of.
#[derive(Clone, Copy, Default)]
struct Owner {
    /// The sequence and the place after the branch or loop in it.
    after: Option<(Seq, usize)>,
    body_of: Option<Loop>,
}

struct Verifier<'t> {
    shape: &'t Shape,
    tree: &'t Tree,
    owners: SecondaryMap<Seq, Owner>,
    /// The place in each sequence from which on it is a copy.
    copied: SecondaryMap<Seq, Option<usize>>,
    violations: Vec<Violation>,
}

impl Verifier<'_> {
    fn find_owners(&mut self) {
        let tree = self.tree;
        let mut seqs: SecondaryMap<Seq, u32> = SecondaryMap::new();
        let mut branches: SecondaryMap<Branch, u32> = SecondaryMap::new();
        let mut loops: SecondaryMap<Loop, u32> = SecondaryMap::new();
        seqs[tree.root] += 1;
        for (seq, data) in tree.seqs.iter() {
            for (at, item) in data.items.iter().enumerate() {
                let after = Some((seq, at + 1));
                match *item {
                    Item::Branch(branch) => {
                        branches[branch] += 1;
                        for &alternative in &tree.branches[branch].alternatives {
                            seqs[alternative] += 1;
                            self.owners[alternative] = Owner { after, body_of: None };
                        }
                    }
                    Item::Loop(id) => {
                        let data = &tree.loops[id];
                        loops[id] += 1;
                        seqs[data.body] += 1;
                        self.owners[data.body] = Owner { after, body_of: Some(id) };
                        self.copied[data.body] = data.copy.map(|at| at as usize);
                    }
                    Item::Block(_) | Item::Arc { .. } | Item::Assign(_) => {}
                }
            }
        }
        let lost = tree.seqs.keys().filter(|&seq| seqs[seq] != 1).map(|seq| seq.to_string());
        let lost = lost.chain(tree.branches.keys().filter(|&id| branches[id] != 1).map(|id| id.to_string()));
        let lost = lost.chain(tree.loops.keys().filter(|&id| loops[id] != 1).map(|id| id.to_string()));
        self.violations.extend(lost.map(Violation::NotATree));
    }

    fn check_counts(&mut self) {
        let tree = self.tree;
        let mut originals: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut all: SecondaryMap<Block, u32> = SecondaryMap::new();
        let mut arcs: SecondaryMap<Block, Vec<u32>> = SecondaryMap::new();
        let mut uses: SecondaryMap<Aux, u32> = SecondaryMap::new();
        for block in self.shape.blocks() {
            arcs[block] = vec![0; self.shape.succs(block).len()];
        }
        for (seq, data) in tree.seqs.iter() {
            for (at, item) in data.items.iter().enumerate() {
                match *item {
                    Item::Block(block) => {
                        all[block] += 1;
                        originals[block] += u32::from(self.copied[seq].is_none_or(|copy| at < copy));
                    }
                    Item::Arc { arc, .. } => arcs[arc.from][arc.index as usize] += 1,
                    Item::Branch(id) => {
                        let data = &tree.branches[id];
                        if let Predicate::Aux(aux) = data.predicate {
                            uses[aux] += 1;
                            if data.alternatives.len() != tree.auxes[aux] as usize {
                                self.violations.push(Violation::Arity(id));
                            }
                        }
                    }
                    Item::Loop(id) => {
                        if let LoopPredicate::Aux(aux) = tree.loops[id].predicate {
                            uses[aux] += 1;
                        }
                    }
                    Item::Assign(_) => {}
                }
            }
        }
        for block in self.shape.blocks() {
            if originals[block] != u32::from(block != self.shape.exit) {
                self.violations.push(Violation::BlockCount(block, originals[block]));
            }
            for (index, &count) in arcs[block].iter().enumerate() {
                if count != all[block] {
                    let arc = ArcRef { from: block, index: index as u32 };
                    self.violations.push(Violation::ArcCount(arc, i64::from(count) - i64::from(all[block])));
                }
            }
        }
        for aux in tree.auxes.keys() {
            if uses[aux] != 1 {
                self.violations.push(Violation::Uses(aux, uses[aux]));
            }
        }
    }

    fn check_terminators(&mut self) {
        for (seq, data) in self.tree.seqs.iter() {
            for (at, item) in data.items.iter().enumerate() {
                match *item {
                    Item::Block(block) if !self.is_terminated(seq, at, block) => {
                        self.violations.push(Violation::Terminator(block));
                    }
                    Item::Branch(id) => {
                        let branch = &self.tree.branches[id];
                        if let Predicate::Terminator(block) = branch.predicate
                            && (at == 0 || data.items[at - 1] != Item::Block(block))
                        {
                            self.violations.push(Violation::Alternatives(id));
                        }
                    }
                    Item::Block(_) | Item::Arc { .. } | Item::Assign(_) | Item::Loop(_) => {}
                }
            }
        }
    }

    fn is_terminated(&self, seq: Seq, at: usize, block: Block) -> bool {
        let rest = &self.tree.items(seq)[at + 1..];
        let is_arc = |item: Option<&Item>, index: u32| matches!(item, Some(Item::Arc { arc, .. }) if *arc == ArcRef { from: block, index });
        match (self.shape.succs(block).len(), rest) {
            (0, _) => rest.is_empty(),
            (1, _) => is_arc(rest.first(), 0),
            (count, [Item::Branch(id), ..]) => {
                let branch = &self.tree.branches[*id];
                branch.predicate == Predicate::Terminator(block)
                    && branch.alternatives.len() == count
                    && branch
                        .alternatives
                        .iter()
                        .enumerate()
                        .all(|(index, &seq)| is_arc(self.tree.items(seq).first(), index as u32))
            }
            (2, [first, second]) => match self.owners[seq].body_of.map(|id| self.tree.loops[id].predicate) {
                Some(LoopPredicate::Terminator { block: last, repeat }) => {
                    last == block && repeat < 2 && is_arc(Some(first), repeat) && is_arc(Some(second), 1 - repeat)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn check_arcs(&mut self) {
        for (seq, data) in self.tree.seqs.iter() {
            for (at, item) in data.items.iter().enumerate() {
                let Item::Arc { arc, assigns } = item else { continue };
                let target = self.shape.target(*arc);
                match self.follow(seq, at, *arc, assigns) {
                    Err(violation) => self.violations.push(violation),
                    Ok(found) if found == (target != self.shape.exit).then_some(target) => {}
                    Ok(found) => self.violations.push(Violation::Misrouted(*arc, found)),
                }
            }
        }
    }

    /// Follows control from the arc at `at` in `seq` to the next block, or to the end of the tree.
    fn follow(&self, mut seq: Seq, at: usize, arc: ArcRef, assigns: &Assigns) -> Result<Option<Block>, Violation> {
        let tree = self.tree;
        let mut values = assigns.clone();
        let value = |values: &Assigns, aux: Aux| {
            let value = values.iter().rev().find(|&&(other, _)| other == aux).map(|&(_, value)| value);
            value.filter(|&value| value < tree.auxes[aux]).ok_or(Violation::Unassigned(arc, aux))
        };
        let mut at = at + 1;
        // One of two arcs at the tail of a loop: the other is not taken.
        if self.shape.succs(arc.from).len() == 2 && at > 1 && self.owners[seq].body_of.is_some() {
            at = tree.items(seq).len();
        }
        loop {
            match tree.items(seq).get(at) {
                Some(&Item::Block(block)) => return Ok(Some(block)),
                Some(Item::Arc { .. }) => return Err(Violation::Interrupted(arc)),
                Some(Item::Assign(assigns)) => {
                    values.extend_from_slice(assigns);
                    at += 1;
                }
                Some(&Item::Loop(id)) => (seq, at) = (tree.loops[id].body, 0),
                Some(&Item::Branch(id)) => {
                    let data = &tree.branches[id];
                    let Predicate::Aux(aux) = data.predicate else { return Err(Violation::Interrupted(arc)) };
                    (seq, at) = (data.alternatives[value(&values, aux)? as usize], 0);
                }
                None => {
                    let owner = self.owners[seq];
                    let repeats = match owner.body_of.map(|id| tree.loops[id].predicate) {
                        None => false,
                        Some(LoopPredicate::Always) => true,
                        Some(LoopPredicate::Aux(r)) => value(&values, r)? == 1,
                        Some(LoopPredicate::Terminator { block, repeat }) => {
                            if block != arc.from {
                                return Err(Violation::Interrupted(arc));
                            }
                            arc.index == repeat
                        }
                    };
                    match owner.after {
                        _ if repeats => at = 0,
                        Some(after) => (seq, at) = after,
                        None => return Ok(None),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restructure::tree::{BranchData, SeqData};
    use crate::restructure::{Options, restructure};

    /// Verifies the tree of a loop with an exit at its head and one in its middle, after a change.
    fn violations(change: impl FnOnce(&Shape, &mut Tree)) -> String {
        let shape = Shape::from_successors(&[&[1][..], &[2, 3], &[1, 4], &[5], &[5], &[]]);
        let mut tree = restructure(&shape, &Options::default());
        assert_eq!(verify(&shape, &tree), []);
        change(&shape, &mut tree);
        let texts: Vec<String> = verify(&shape, &tree).iter().map(Violation::to_string).collect();
        texts.join("; ")
    }

    /// The assignments of the first arc that has some.
    fn assigns(tree: &mut Tree) -> &mut Assigns {
        let mut items = tree.seqs.values_mut().flat_map(|data| &mut data.items);
        let found = items.find_map(|item| match item {
            Item::Arc { assigns, .. } if !assigns.is_empty() => Some(assigns),
            _ => None,
        });
        found.unwrap()
    }

    #[test]
    fn lost_sequence() {
        let text = violations(|_, tree| _ = tree.seqs.push(SeqData::default()));
        assert_eq!(text, "seq8 does not occur exactly once");
    }

    #[test]
    fn repeated_block() {
        let text = violations(|shape, tree| {
            let root = tree.root;
            tree.seqs[root].items.insert(0, Item::Block(shape.entry));
        });
        assert!(text.starts_with("b0 occurs 2 times; arc b0.0 occurs -1 times more than its block"), "{text}");
        assert!(text.contains("b0 is not followed by its arcs"), "{text}");
    }

    #[test]
    fn branch_away_from_its_block() {
        let text = violations(|_, tree| {
            let body = tree.loops.values().next().unwrap().body;
            tree.seqs[body].items.remove(0);
        });
        assert!(text.contains("branch0 is not on the arcs of the block before it"), "{text}");
    }

    #[test]
    fn branch_of_another_arity() {
        let text = violations(|_, tree| {
            let aux = tree.auxes.keys().next().unwrap();
            tree.auxes[aux] += 1;
            let more = tree.auxes.push(2);
            let sides = [0, 1].map(|_| tree.seqs.push(SeqData::default()));
            let predicate = Predicate::Aux(more);
            tree.branches.push(BranchData { predicate, alternatives: sides.to_vec() });
        });
        assert!(text.contains("branch3 does not occur exactly once; p2 is used 0 times"), "{text}");
        let text = violations(|_, tree| tree.auxes.values_mut().for_each(|count| *count += 1));
        assert_eq!(text, "branch2 has another arity than its predicate");
    }

    #[test]
    fn missing_assignment() {
        let text = violations(|_, tree| assigns(tree).clear());
        assert!(text.contains("is not assigned between arc"), "{text}");
    }

    #[test]
    fn wrong_assignment() {
        let text = violations(|_, tree| assigns(tree).iter_mut().for_each(|(_, value)| *value ^= 1));
        assert!(text.contains("leads to b"), "{text}");
        let text = violations(|_, tree| {
            let root = tree.root;
            let Some(Item::Branch(last)) = tree.items(root).last().cloned() else { panic!("{tree}") };
            let first = tree.branches[last].alternatives[0];
            tree.seqs[first].items.rotate_left(1);
        });
        assert!(text.contains("is not followed by its arcs"), "{text}");
    }

    #[test]
    fn interrupted_arc() {
        let text = violations(|_, tree| {
            let root = tree.root;
            let last = tree.seqs[root].items.pop().unwrap();
            tree.seqs[root].items.insert(2, last);
        });
        assert!(text.contains("is not assigned between arc b0.0 and its use"), "{text}");
    }
}
