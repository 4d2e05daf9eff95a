//! The classes of shapes agree with their definitions, taken literally.

use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::shape::{Block, Shape};
use rvsdg_gen::shapes::{Family, exhaustive, random, random_structured};
use std::collections::{BTreeMap, BTreeSet};

/// A graph that is contracted; successors in no order.
struct Graph {
    succs: BTreeMap<Block, BTreeSet<Block>>,
}

impl Graph {
    fn new(shape: &Shape) -> Self {
        let mut succs: BTreeMap<_, _> =
            shape.blocks().map(|block| (block, shape.succs(block).iter().copied().collect::<BTreeSet<_>>())).collect();
        // An exit that is not reachable is no vertex.
        if !succs.values().any(|list| list.contains(&shape.exit)) {
            succs.remove(&shape.exit);
        }
        Self { succs }
    }

    fn preds(&self, block: Block) -> Vec<Block> {
        self.succs.iter().filter(|(_, to)| to.contains(&block)).map(|(&from, _)| from).collect()
    }

    /// Merges `inner` into `first`, which gets the successors of `last`.
    fn merge(&mut self, first: Block, inner: &[Block], last: Block) {
        let succs = self.succs[&last].clone();
        for block in inner.iter().chain([&last]) {
            self.succs.remove(block);
        }
        self.succs.insert(first, succs);
    }

    /// Definition 10, rule 1.
    fn chain(&mut self, v: Block) -> bool {
        let Some(&next) = self.succs[&v].first() else { return false };
        let applies = self.succs[&v].len() == 1 && next != v && self.preds(next) == [v];
        if applies {
            self.merge(v, &[], next);
        }
        applies
    }

    /// Definition 10, rule 2.
    fn branch(&mut self, v: Block) -> bool {
        let succs: Vec<Block> = self.succs[&v].iter().copied().collect();
        if succs.len() < 2 || succs.contains(&v) {
            return false;
        }
        let joins: Vec<Block> = self.succs.keys().copied().filter(|&join| join != v).collect();
        for join in joins {
            let arms: Vec<Block> = succs.iter().copied().filter(|&arm| arm != join).collect();
            let arm_ok = |&arm: &Block| {
                self.preds(arm) == [v] && self.succs[&arm].len() == 1 && self.succs[&arm].contains(&join)
            };
            let sources_ok = self.preds(join).iter().all(|from| *from == v || arms.contains(from));
            if !arms.is_empty() && arms.iter().all(arm_ok) && sources_ok {
                self.merge(v, &arms, join);
                return true;
            }
        }
        false
    }

    /// Definition 10, rule 3.
    fn repeat(&mut self, v: Block) -> bool {
        let list = self.succs.get_mut(&v).unwrap();
        list.len() == 2 && list.remove(&v)
    }

    fn contracts(mut self) -> bool {
        loop {
            let blocks: Vec<Block> = self.succs.keys().copied().collect();
            if !blocks.into_iter().any(|v| self.repeat(v) || self.chain(v) || self.branch(v)) {
                return self.succs.len() == 1 && self.succs.values().all(BTreeSet::is_empty);
            }
        }
    }

    /// The classical T1 and T2: remove self loops, merge a vertex into its only predecessor.
    fn reduces(mut self, entry: Block) -> bool {
        loop {
            for (&block, list) in &mut self.succs {
                list.remove(&block);
            }
            let blocks: Vec<Block> = self.succs.keys().copied().filter(|&block| block != entry).collect();
            let Some((block, pred)) = blocks.iter().find_map(|&block| match self.preds(block)[..] {
                [pred] => Some((block, pred)),
                _ => None,
            }) else {
                return self.succs.len() == 1;
            };
            let succs = self.succs.remove(&block).unwrap();
            let list = self.succs.get_mut(&pred).unwrap();
            list.remove(&block);
            list.extend(succs);
        }
    }
}

fn literal_class(shape: &Shape) -> Class {
    let closed = shape.blocks().any(|block| shape.succs(block).contains(&shape.exit));
    let graph = Graph::new(shape);
    let narrow = shape.blocks().all(|block| shape.succs(block).len() <= 1 && graph.preds(block).len() <= 1);
    if closed && narrow {
        Class::Linear
    } else if closed && Graph::new(shape).contracts() {
        Class::Structured
    } else if graph.reduces(shape.entry) {
        Class::Reducible
    } else {
        Class::Irreducible
    }
}

fn check(shape: &Shape) {
    assert_eq!(classify(shape), literal_class(shape), "\n{shape}");
}

#[test]
fn small_shapes() {
    for inner in 1..=4 {
        exhaustive(inner, 2).for_each(|shape| check(&shape));
    }
    exhaustive(3, 3).for_each(|shape| check(&shape));
}

#[test]
fn random_shapes() {
    for seed in 0..500 {
        check(&random(seed, 1 + (seed % 24) as usize, 4));
    }
}

#[test]
fn structured_shapes() {
    for seed in 0..300 {
        let shape = random_structured(seed, 1 + (seed % 40) as usize, 4);
        check(&shape);
        assert!(classify(&shape) <= Class::Structured);
    }
}

#[test]
fn families() {
    let class = |family: Family| classify(&family.shape(2_000));
    assert_eq!(class(Family::StraightLine), Class::Linear);
    assert_eq!(class(Family::Switch), Class::Structured);
    assert_eq!(class(Family::NestedBranches), Class::Structured);
    assert_eq!(class(Family::NestedDoWhile), Class::Structured);
    assert_eq!(class(Family::NestedLoops), Class::Reducible);
    assert_eq!(class(Family::ElseIfCascade), Class::Reducible);
    assert_eq!(class(Family::LoopWithExits), Class::Reducible);
    assert_eq!(class(Family::FallThrough), Class::Reducible);
    assert_eq!(class(Family::NestedReturns), Class::Reducible);
    assert_eq!(class(Family::NestedIrreducible), Class::Irreducible);
    for family in Family::ALL {
        for size in 1..6 {
            check(&family.shape(size));
        }
    }
}
