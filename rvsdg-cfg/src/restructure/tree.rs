//! The control tree: the result of restructuring a shape.
//!
//! A tree represents the structured control flow graph of thesis B2.4 without building it. It is an arena: sequences, branches and loops
//! refer to each other by ids, so a walk needs an explicit stack and dropping a deep tree does not.
//!
//! What holds for every tree that [`restructure`](super::restructure) makes:
//!
//! - Every block of the shape but the virtual exit occurs in exactly one [`Item::Block`], every arc in exactly one
//!   [`Item::Arc`]. Loop restructuring with copying is the one exception, see [`LoopData::copy`].
//! - A block is followed by its only arc, or by a branch on its terminator whose alternative `i` begins with arc `i`, or,
//!   at the end of a loop that is tail-controlled by it, by its two arcs (see [`LoopPredicate::Terminator`]).
//! - From each arc, the auxiliary predicates that it and the `Assign`s after it set lead through branches and loop ends
//!   to the block that is the arc's target, and no other block is on the way (thesis Theorem B2.5.5). Arcs to the exit
//!   lead to the end of the root sequence.
//! - Predicate continuation form: between an assignment of an auxiliary predicate and the branch or loop end that uses it, no block
//!   executes. Each auxiliary predicate is assigned on every path to its use. Code after a loop with [`LoopPredicate::Always`] never
//!   runs; it has assignments like the rest so that every join has a value.

use crate::shape::{ArcRef, Block};
use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;
use std::fmt;

/// A linear sequence of items.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u32);
entity_impl!(Seq, "seq");

/// A branch: one of several sequences is executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Branch(u32);
entity_impl!(Branch, "branch");

/// A tail-controlled loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

/// An auxiliary predicate variable: one of the `p`, `q` and `r` of thesis B2.4. Every branch or loop end that uses one
/// has its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Aux(u32);
entity_impl!(Aux, "p");

/// Assignments of constants to auxiliary predicates that happen at once: each gets the number of an alternative.
pub type Assigns = SmallVec<[(Aux, u32); 2]>;

/// A control tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The sequence of the whole graph.
    pub root: Seq,
    /// The sequences.
    pub seqs: PrimaryMap<Seq, SeqData>,
    /// The branches.
    pub branches: PrimaryMap<Branch, BranchData>,
    /// The loops.
    pub loops: PrimaryMap<Loop, LoopData>,
    /// The auxiliary predicates, each with its number of alternatives.
    pub auxes: PrimaryMap<Aux, u32>,
}

/// What a [`Seq`] contains.
#[derive(Clone, Debug, Default)]
pub struct SeqData {
    /// The items in the order of execution.
    pub items: Vec<Item>,
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The block's parameters are read and its operations executed.
    Block(Block),
    /// Control passes along an original arc: its arguments are assigned to the target's parameters, and the auxiliary
    /// predicates are set.
    Arc {
        /// The arc.
        arc: ArcRef,
        /// Auxiliary predicates set at the same time.
        assigns: Assigns,
    },
    /// Sets auxiliary predicates where no original arc is taken: that arc was taken before a branch that demultiplexes it, or before the
    /// end of a loop; or the code is after an infinite loop.
    Assign(Assigns),
    /// Executes one alternative.
    Branch(Branch),
    /// The loop's body executes until its predicate says to leave.
    Loop(Loop),
}

/// What a [`Branch`] contains.
#[derive(Clone, Debug)]
pub struct BranchData {
    /// What chooses the alternative.
    pub predicate: Predicate,
    /// The alternatives; at least two.
    pub alternatives: Vec<Seq>,
}

/// What chooses the alternative of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// The terminator of a block, executed before in the same sequence; alternative `i` begins with arc `i`.
    Terminator(Block),
    /// An auxiliary predicate (`p`, or `q` at the entry of a loop and after a loop).
    Aux(Aux),
}

/// What a [`Loop`] contains.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The body, which executes at least once.
    pub body: Seq,
    /// The predicate at the end of the body.
    pub predicate: LoopPredicate,
    /// Loop restructuring with copying (thesis C1.4.3): the index in `body`'s items from which on everything is a copy.
    ///
    /// The copied blocks are the condition of a head-controlled loop. The original of each is before the branch that guards the loop,
    /// with its arcs; here its operations execute again, and the copied `Block` and `Arc` items refer to the same blocks and arcs. So
    /// every value that such a block defines, and every parameter of a target of its arcs, has two definitions, of which the one executed
    /// last counts. The branch on the last block's terminator that guards the loop and the predicate of the loop are two executions of
    /// that terminator.
    pub copy: Option<u32>,
}

/// What decides, at the end of a loop's body, whether it executes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopPredicate {
    /// The loop was already tail-controlled. `block` has two arcs and is the last block in the body; both its arcs are the last two items
    /// of the body, the back arc first and the exit arc second, and only one of them is taken. They have no assignments.
    Terminator {
        /// The block whose terminator decides.
        block: Block,
        /// The index of the arc that repeats; the other of the block's two arcs leaves.
        repeat: u32,
    },
    /// The auxiliary predicate `r`: 1 repeats, 0 leaves.
    Aux(Aux),
    /// The loop has no exit: it repeats for ever, as with a constant predicate 1. The items after it in the sequence are unreachable and
    /// exist only so that the tree is closed.
    Always,
}

impl Tree {
    /// A tree with an empty root sequence.
    pub(super) fn new() -> Self {
        let mut seqs = PrimaryMap::new();
        let root = seqs.push(SeqData::default());
        Self { root, seqs, branches: PrimaryMap::new(), loops: PrimaryMap::new(), auxes: PrimaryMap::new() }
    }

    /// The items of a sequence.
    #[inline]
    pub fn items(&self, seq: Seq) -> &[Item] {
        &self.seqs[seq].items
    }

    /// Sets auxiliary predicates at the end of `seq`: together with the arc that ends it, if one does.
    pub(super) fn assign_at_end(&mut self, seq: Seq, assigns: &[(Aux, u32)]) {
        if assigns.is_empty() {
            return;
        }
        match self.seqs[seq].items.last_mut() {
            Some(Item::Arc { assigns: last, .. } | Item::Assign(last)) => last.extend_from_slice(assigns),
            _ => self.seqs[seq].items.push(Item::Assign(SmallVec::from_slice(assigns))),
        }
    }
}

impl fmt::Display for Tree {
    /// An indented listing, for tests and debugging.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step<'t> {
            Items(std::slice::Iter<'t, Item>),
            Case(usize, Seq),
            Close(String),
        }
        let write_assigns = |f: &mut fmt::Formatter<'_>, assigns: &Assigns| -> fmt::Result {
            for (aux, value) in assigns {
                write!(f, " {aux}:={value}")?;
            }
            writeln!(f)
        };
        let mut stack = vec![Step::Items(self.items(self.root).iter())];
        let mut indent = 0;
        while let Some(step) = stack.pop() {
            match step {
                Step::Close(text) => {
                    indent -= 1;
                    writeln!(f, "{:1$}{text}", "", 2 * indent)?;
                }
                Step::Case(number, seq) => {
                    writeln!(f, "{:1$}{number}:", "", 2 * indent - 2)?;
                    stack.push(Step::Items(self.items(seq).iter()));
                }
                Step::Items(mut items) => {
                    let Some(item) = items.next() else { continue };
                    stack.push(Step::Items(items));
                    write!(f, "{:1$}", "", 2 * indent)?;
                    match item {
                        Item::Block(block) => writeln!(f, "{block}")?,
                        Item::Arc { arc, assigns } => {
                            write!(f, "arc {arc}")?;
                            write_assigns(f, assigns)?;
                        }
                        Item::Assign(assigns) => {
                            write!(f, "assign")?;
                            write_assigns(f, assigns)?;
                        }
                        Item::Branch(branch) => {
                            let data = &self.branches[*branch];
                            match data.predicate {
                                Predicate::Terminator(block) => writeln!(f, "branch {block} {{")?,
                                Predicate::Aux(aux) => writeln!(f, "branch {aux} {{")?,
                            }
                            indent += 1;
                            stack.push(Step::Close("}".into()));
                            let cases = data.alternatives.iter().enumerate().rev();
                            stack.extend(cases.map(|(number, &seq)| Step::Case(number, seq)));
                        }
                        Item::Loop(id) => {
                            let data = &self.loops[*id];
                            writeln!(f, "loop {{")?;
                            indent += 1;
                            stack.push(Step::Close(match data.predicate {
                                LoopPredicate::Terminator { block, repeat } => format!("}} while {block} is {repeat}"),
                                LoopPredicate::Aux(aux) => format!("}} while {aux} is 1"),
                                LoopPredicate::Always => "} for ever".into(),
                            }));
                            stack.push(Step::Items(self.items(data.body).iter()));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
