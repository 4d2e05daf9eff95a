//! Restructuring keeps control: every tree is verified statically and run against its shape.

use proptest::prelude::*;
use rvsdg_cfg::restructure::interpret::{walk_shape, walk_tree};
use rvsdg_cfg::restructure::tree::{LoopPredicate, Tree};
use rvsdg_cfg::restructure::verify::verify;
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_cfg::shape::{Block, Shape};
use rvsdg_gen::property::for_values;
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::{Family, exhaustive, from_choices, random, random_structured};

/// As usual, with conditions of loops copied, and with nests cut that are not deep at all.
const ALL: [Options; 3] = [
    Options::DEFAULT,
    Options { invert_head_controlled: true, ..Options::DEFAULT },
    Options { max_nesting: 2, ..Options::DEFAULT },
];

fn check_static(shape: &Shape, options: &Options) -> Tree {
    let tree = restructure(shape, options);
    let violations = verify(shape, &tree);
    assert!(violations.is_empty(), "{violations:?}\n{shape}\n{tree}");
    if !options.invert_head_controlled {
        assert!(tree.loops.values().all(|data| data.copy.is_none()));
    }
    tree
}

fn check_traces(shape: &Shape, tree: &Tree, runs: u64, limit: usize) {
    for seed in 0..runs {
        let chooser = || {
            let mut rng = Rng::new(seed);
            move |block: Block| rng.below(shape.succs(block).len()) as u32
        };
        let expected = walk_shape(shape, chooser(), limit);
        let found = walk_tree(shape, tree, chooser(), limit);
        assert_eq!(found.as_ref(), Ok(&expected), "\n{shape}\n{tree}");
    }
}

#[test]
fn all_shapes_with_two_successors() {
    for inner in 1..=4 {
        for shape in exhaustive(inner, 2) {
            for options in &ALL {
                let tree = check_static(&shape, options);
                check_traces(&shape, &tree, 3, 24);
            }
        }
    }
}

#[test]
fn all_shapes_with_three_successors() {
    for inner in 1..=3 {
        for shape in exhaustive(inner, 3) {
            for options in &ALL {
                let tree = check_static(&shape, options);
                check_traces(&shape, &tree, 3, 24);
            }
        }
    }
}

#[test]
fn random_shapes() {
    for seed in 0..4000 {
        let shape = random(seed, 1 + (seed % 60) as usize, 6);
        for options in &ALL {
            let tree = check_static(&shape, options);
            check_traces(&shape, &tree, 3, 300);
        }
    }
}

#[test]
fn structured_shapes_need_no_auxiliary_predicate() {
    for seed in 0..1000 {
        let shape = random_structured(seed, 1 + (seed % 60) as usize, 5);
        let tree = check_static(&shape, &Options::default());
        assert!(tree.auxes.is_empty(), "{shape}\n{tree}");
        check_traces(&shape, &tree, 2, 300);
    }
}

#[test]
fn small_members_of_families() {
    for family in Family::ALL {
        for size in [1, 2, 3, 7, 20] {
            let shape = family.shape(size);
            for options in &ALL {
                let tree = check_static(&shape, options);
                check_traces(&shape, &tree, 3, 200);
            }
        }
    }
}

#[test]
fn large_members_of_families_do_not_overflow_the_stack() {
    for family in Family::ALL {
        let size = match family {
            Family::StraightLine => 200_000,
            Family::FallThrough | Family::NestedIrreducible => 300,
            _ => 20_000,
        };
        let shape = family.shape(size);
        for options in &ALL {
            let tree = restructure(&shape, options);
            check_traces(&shape, &tree, 1, 100_000);
            if family.is_linear() {
                let items: usize = tree.seqs.values().map(|data| data.items.len()).sum();
                assert!(items <= 4 * shape.arc_count() + 16, "{family}: {items} items");
            }
        }
    }
}

#[test]
fn loops_of_each_kind() {
    // A tail-controlled loop stays as it is.
    let shape = Shape::from_successors(&[&[1][..], &[2], &[2, 3], &[]]);
    let tree = check_static(&shape, &Options::default());
    assert!(tree.auxes.is_empty());
    // A head-controlled loop takes one predicate r and the branch p around what it repeats, or a copy of its condition.
    let shape = Shape::from_successors(&[&[1][..], &[2, 3], &[1], &[4], &[]]);
    assert_eq!(check_static(&shape, &ALL[0]).auxes.len(), 1);
    let inverted = check_static(&shape, &ALL[1]);
    assert!(inverted.auxes.is_empty());
    assert!(inverted.loops.values().all(|data| data.copy.is_some()));
    // A loop without exit needs no predicate.
    let shape = Shape::from_successors(&[&[1][..], &[2, 3], &[2], &[4], &[]]);
    let tree = check_static(&shape, &Options::default());
    assert!(tree.auxes.is_empty());
    assert!(tree.loops.values().all(|data| data.predicate == LoopPredicate::Always));
}

#[test]
fn arbitrary_shapes() {
    let choices = prop::collection::vec(prop::collection::vec(any::<u16>(), 0..6), 1..60);
    for_values(&choices, |choices| {
        let shape = from_choices(&choices);
        for options in &ALL {
            let tree = restructure(&shape, options);
            let violations = verify(&shape, &tree);
            assert!(violations.is_empty(), "{violations:?}\n{shape}\n{tree}");
            check_traces(&shape, &tree, 2, 300);
        }
    });
}
