//! The loops and branch subgraphs of trees are the paper's, found by its definitions taken literally.

use petgraph::algo::dominators::{Dominators, simple_fast};
use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::restructure::tree::{Item, Predicate, Seq, Tree};
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_cfg::shape::{ArcRef, Block, Shape};
use rvsdg_gen::shapes::{Family, exhaustive, random, random_structured};

/// A set of blocks as a bit mask; the shapes here have at most 64 blocks.
type Set = u64;

fn bit(block: Block) -> Set {
    1 << block.as_u32()
}

/// A strongly connected component and its entry vertices.
type Component = (Set, Set);

/// The nested components of thesis B2.4.1: the components of the graph, and those of each component without the arcs to
/// its entry vertices.
fn components(shape: &Shape) -> Vec<Component> {
    let blocks: Vec<Block> = shape.blocks().collect();
    let mut found = Vec::new();
    // Sets of blocks, with the blocks to which arcs are removed.
    let mut work = vec![((0..blocks.len()).fold(0, |set, i| set | 1 << i), 0)];
    while let Some((within, heads)) = work.pop() {
        let succs = |block: Block| shape.succs(block).iter().map(|&to| bit(to)).fold(0, |a, b| a | b) & within & !heads;
        let inside: Vec<Block> = blocks.iter().copied().filter(|&block| within & bit(block) != 0).collect();
        let reach = |from: Block| {
            let mut set = succs(from);
            loop {
                let next = inside.iter().filter(|&&block| set & bit(block) != 0).fold(set, |set, &b| set | succs(b));
                if next == set {
                    return set;
                }
                set = next;
            }
        };
        let reached: Vec<Set> = blocks.iter().map(|&b| if within & bit(b) != 0 { reach(b) } else { 0 }).collect();
        let mut done = 0;
        for &block in &inside {
            let mutual = |other: &&Block| {
                reached[block.as_u32() as usize] & bit(**other) != 0
                    && reached[other.as_u32() as usize] & bit(block) != 0
            };
            let component = inside.iter().filter(mutual).fold(0, |set, &other| set | bit(other));
            if component == 0 || done & bit(block) != 0 {
                continue;
            }
            done |= component;
            let arcs = shape.arcs().filter(|arc| bit(arc.from) & component == 0);
            let entries = arcs.fold(0, |set, arc| set | bit(shape.target(arc))) & component;
            found.push((component, entries));
            work.push((component, entries));
        }
    }
    found.sort();
    found
}

/// The blocks in a sequence and below.
fn blocks_of(tree: &Tree, seq: Seq) -> Set {
    let mut set = 0;
    let mut stack = vec![seq];
    while let Some(seq) = stack.pop() {
        for item in tree.items(seq) {
            match *item {
                Item::Block(block) => set |= bit(block),
                Item::Branch(id) => stack.extend(&tree.branches[id].alternatives),
                Item::Loop(id) => stack.push(tree.loops[id].body),
                Item::Arc { .. } | Item::Assign(_) => {}
            }
        }
    }
    set
}

/// The entry vertices of a loop: the block that its body begins with, or those of the alternatives that it begins with.
fn entries_of(tree: &Tree, body: Seq) -> Set {
    match tree.items(body)[0] {
        Item::Block(block) => bit(block),
        Item::Branch(id) => tree.branches[id].alternatives.iter().fold(0, |set, &seq| set | entries_of(tree, seq)),
        ref item => panic!("a loop begins with {item:?}"),
    }
}

fn check_loops(shape: &Shape, tree: &Tree) {
    let mut loops: Vec<Component> =
        tree.loops.values().map(|data| (blocks_of(tree, data.body), entries_of(tree, data.body))).collect();
    loops.sort();
    assert_eq!(loops, components(shape), "\n{shape}\n{tree}");
}

/// The blocks that an arc dominates (Definition 12), in a graph where the target dominates what jumps back to it.
fn dominated(shape: &Shape, dominators: &Dominators<Block>, arc: ArcRef) -> Set {
    let target = shape.target(arc);
    let under = |block: Block| dominators.dominators(block).is_some_and(|mut above| above.any(|b| b == target));
    let only = shape.arcs().filter(|&other| shape.target(other) == target && other != arc).all(|a| under(a.from));
    if only { shape.blocks().filter(|&block| under(block)).fold(0, |set, block| set | bit(block)) } else { 0 }
}

/// In a reducible graph, alternative j of a branch holds what arc j dominates within the innermost loop around the branch.
fn check_branches(shape: &Shape, tree: &Tree) {
    let dominators = simple_fast(shape, shape.entry);
    let mut stack = vec![(tree.root, blocks_of(tree, tree.root))];
    while let Some((seq, region)) = stack.pop() {
        for item in tree.items(seq) {
            match *item {
                Item::Loop(id) => stack.push((tree.loops[id].body, blocks_of(tree, tree.loops[id].body))),
                Item::Branch(id) => {
                    let data = &tree.branches[id];
                    for (index, &alternative) in data.alternatives.iter().enumerate() {
                        stack.push((alternative, region));
                        if let Predicate::Terminator(block) = data.predicate {
                            let arc = ArcRef { from: block, index: index as u32 };
                            let expected = dominated(shape, &dominators, arc) & region;
                            let found = blocks_of(tree, alternative);
                            assert_eq!(found, expected, "arc {arc}\n{shape}\n{tree}");
                        }
                    }
                }
                Item::Block(_) | Item::Arc { .. } | Item::Assign(_) => {}
            }
        }
    }
}

/// Every alternative of every auxiliary branch is chosen somewhere.
fn check_values(shape: &Shape, tree: &Tree) {
    let mut values: Vec<Vec<bool>> = tree.auxes.values().map(|&count| vec![false; count as usize]).collect();
    for item in tree.seqs.values().flat_map(|data| &data.items) {
        if let Item::Arc { assigns, .. } | Item::Assign(assigns) = item {
            for &(aux, value) in assigns {
                values[aux.as_u32() as usize][value as usize] = true;
            }
        }
    }
    assert!(values.iter().flatten().all(|&used| used), "\n{shape}\n{tree}");
}

fn check(shape: &Shape) {
    let tree = restructure(shape, &Options::default());
    check_loops(shape, &tree);
    check_values(shape, &tree);
    if classify(shape) != Class::Irreducible {
        check_branches(shape, &tree);
    }
}

#[test]
fn small_shapes() {
    for inner in 1..=4 {
        exhaustive(inner, 2).for_each(|shape| check(&shape));
    }
}

#[test]
fn random_shapes() {
    for seed in 0..1500 {
        check(&random(seed, 1 + (seed % 60) as usize, 5));
        check(&random_structured(seed, 1 + (seed % 40) as usize, 5));
    }
}

#[test]
fn families() {
    for family in Family::ALL {
        (1..=10).for_each(|size| check(&family.shape(size)));
    }
}
