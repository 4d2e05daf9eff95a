//! Restructuring: an arbitrary control flow graph becomes a tree of sequences, branches and tail-controlled loops (thesis
//! B2.4, RESTRUCTURECFG), without cloning a block.
//!
//! - `loops` finds the nesting of strongly connected components (B2.4.1);
//! - `plan` classifies loops and counts the arcs of the acyclic regions that are left when loops are contracted;
//! - `build` makes the [`Tree`]: branch restructuring with trimming (B2.4.2), loops closed by auxiliary predicates;
//! - [`interpret`] runs a tree, and [`verify`] checks what is said of a tree in [`tree`].
//!
//! The result is in predicate continuation form by construction. Blocks and arcs that the paper inserts exist in the tree
//! only as assignments of constants to auxiliary predicates and as branches on them.
//!
//! Time and memory are near-linear in the number of blocks and arcs plus the size of the tree. The tree can be larger than
//! the shape: `n` cases of a switch that fall through are demultiplexed by `n` branches of up to `n` alternatives, and an arc
//! that leaves `n` nested loops is an exit of each.
//!
//! # Differences from the paper's letter
//!
//! - The entry and the exit predicate of a loop, one variable `q` in the paper, are two auxiliary predicates, because they
//!   have different numbers of alternatives. Where one has no meaning (the exit on a repetition, the entry on an exit) it is
//!   set to 0, so both are set on every path.
//! - Auxiliary assignments that trimming pulls into one tail and that lead to the same block are one continuation point.
//! - A strongly connected component without exit gets no virtual exit arc in particular: the end of the loop joins whatever
//!   control reaches next to it ([`tree::LoopPredicate::Always`]).
//! - Inverting a head-controlled loop acts as if its body began with a null block, so that a loop that begins at the first
//!   block of the body stays a loop of its own.

mod ancestors;
mod build;
pub mod interpret;
pub(crate) mod loops;
mod plan;
pub mod tree;
pub mod verify;

use crate::shape::Shape;
use build::Limits;
pub use tree::Tree;

/// How many times the sequences of a tree may become by cutting its nests.
const MAX_GROWTH: usize = 2;

/// How many blocks may be carried on in groups.
const MAX_CARRIED: usize = 1 << 22;

/// Choices that restructuring leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Loop restructuring with copying (thesis C1.4.3): a head-controlled loop with one entry, one repetition and one exit arc becomes a
    /// tail-controlled loop inside a branch, by copying its condition (loop rotation). Without it, nothing is copied.
    pub invert_head_controlled: bool,
    /// If more branches of one region are nested, the code after them is placed after the outermost one instead of in the innermost, so
    /// that values on the way to it do not pass through all; unless the tree becomes much larger.
    pub max_nesting: u32,
}

impl Options {
    /// What is done without a wish.
    pub const DEFAULT: Options = Options { invert_head_controlled: false, max_nesting: 32 };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Restructures `shape`, which keeps the contract of [`Shape`].
pub fn restructure(shape: &Shape, options: &Options) -> Tree {
    let plan = || plan::Plan::new(shape, options.invert_head_controlled);
    let none = Limits { auxes: usize::MAX, seqs: usize::MAX, carried: usize::MAX };
    let built = build::build(shape, plan(), usize::MAX, none);
    let (tree, deepest) = built.expect("building does not give up without limits");
    let most = options.max_nesting.max(1) as usize;
    if deepest <= most {
        return tree;
    }
    let limits = Limits { seqs: MAX_GROWTH * tree.seqs.len(), carried: MAX_CARRIED, ..none };
    build::build(shape, plan(), most, limits).map_or(tree, |(cut, _)| cut)
}

/// Restructures `shape` if that takes no auxiliary predicate. Costs near-linear time even where a tree would be large.
pub(crate) fn restructure_plain(shape: &Shape) -> Option<Tree> {
    let limits = Limits { auxes: 1, seqs: usize::MAX, carried: usize::MAX };
    build::build(shape, plan::Plan::new(shape, false), usize::MAX, limits).map(|(tree, _)| tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(successors: &[&[usize]], invert_head_controlled: bool, expected: Expect) {
        let shape = Shape::from_successors(successors);
        let tree = restructure(&shape, &Options { invert_head_controlled, ..Options::DEFAULT });
        assert_eq!(verify::verify(&shape, &tree), []);
        expected.assert_eq(&tree.to_string());
    }

    #[test]
    fn loop_with_two_entries_and_two_exits() {
        // Figure B2.3: blocks 2 and 3 are entered from 1 and left for 4 and 5.
        check(
            &[&[1], &[2, 3], &[3, 4], &[2, 5], &[6], &[6], &[]],
            false,
            expect![[r#"
                b0
                arc b0.0
                b1
                branch b1 {
                0:
                  arc b1.0 p0:=0
                1:
                  arc b1.1 p0:=1
                }
                loop {
                  branch p0 {
                  0:
                    b2
                    branch b2 {
                    0:
                      arc b2.0 p0:=1 p2:=0 p1:=1
                    1:
                      arc b2.1 p0:=0 p2:=0 p1:=0
                    }
                  1:
                    b3
                    branch b3 {
                    0:
                      arc b3.0 p0:=0 p2:=0 p1:=1
                    1:
                      arc b3.1 p0:=0 p2:=1 p1:=0
                    }
                  }
                } while p1 is 1
                branch p2 {
                0:
                  b4
                  arc b4.0
                1:
                  b5
                  arc b5.0
                }
            "#]],
        );
    }

    #[test]
    fn trimming_pulls_assignments_into_the_tail() {
        // Block 2 leaves the loop on one way of the branch at 1, whose other way goes to 3: the exit of the loop is decided
        // after the branch on p, not within the branch.
        check(
            &[&[1], &[2, 3], &[3, 4], &[1], &[]],
            false,
            expect![[r#"
            b0
            arc b0.0
            loop {
              b1
              branch b1 {
              0:
                arc b1.0
                b2
                branch b2 {
                0:
                  arc b2.0 p0:=0
                1:
                  arc b2.1 p0:=1
                }
              1:
                arc b1.1 p0:=0
              }
              branch p0 {
              0:
                b3
                arc b3.0 p1:=1
              1:
                assign p1:=0
              }
            } while p1 is 1
        "#]],
        );
    }

    #[test]
    fn several_continuation_points() {
        // Blocks 4 and 5 both follow 2 and 3.
        check(
            &[&[1], &[2, 3], &[4, 5], &[4, 5], &[6], &[6], &[]],
            false,
            expect![[r#"
            b0
            arc b0.0
            b1
            branch b1 {
            0:
              arc b1.0
              b2
              branch b2 {
              0:
                arc b2.0 p0:=0
              1:
                arc b2.1 p0:=1
              }
            1:
              arc b1.1
              b3
              branch b3 {
              0:
                arc b3.0 p0:=0
              1:
                arc b3.1 p0:=1
              }
            }
            branch p0 {
            0:
              b4
              arc b4.0
            1:
              b5
              arc b5.0
            }
        "#]],
        );
    }

    #[test]
    fn head_controlled_loop() {
        check(
            &[&[1], &[2], &[3, 4], &[1], &[]],
            false,
            expect![[r#"
            b0
            arc b0.0
            loop {
              b1
              arc b1.0
              b2
              branch b2 {
              0:
                arc b2.0
                b3
                arc b3.0 p0:=1
              1:
                arc b2.1 p0:=0
              }
            } while p0 is 1
        "#]],
        );
        check(
            &[&[1], &[2], &[3, 4], &[1], &[]],
            true,
            expect![[r#"
            b0
            arc b0.0
            b1
            arc b1.0
            b2
            branch b2 {
            0:
              arc b2.0
              loop {
                b3
                arc b3.0
                b1
                arc b1.0
                b2
                arc b2.0
                arc b2.1
              } while b2 is 0
            1:
              arc b2.1
            }
        "#]],
        );
    }

    #[test]
    fn loop_without_exit() {
        check(
            &[&[1], &[2, 3, 4], &[2], &[5], &[6, 5], &[6], &[]],
            false,
            expect![[r#"
            b0
            arc b0.0
            b1
            branch b1 {
            0:
              arc b1.0
              loop {
                b2
                arc b2.0
              } for ever
              assign p0:=0
            1:
              arc b1.1
              b3
              arc b3.0 p0:=0
            2:
              arc b1.2
              b4
              branch b4 {
              0:
                arc b4.0 p0:=1
              1:
                arc b4.1 p0:=0
              }
            }
            branch p0 {
            0:
              b5
              arc b5.0
            1:
            }
        "#]],
        );
    }
}
