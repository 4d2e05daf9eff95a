//! Structural equivalence up to null blocks.

use cranelift_entity::SecondaryMap;
use expect_test::expect;
use rvsdg_cfg::compare::{Difference, Labelled, compare, compare_shapes};
use rvsdg_cfg::shape::{Block, Shape};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::{Family, exhaustive, random};
use smallvec::{SmallVec, smallvec};

type Labels = SecondaryMap<Block, SmallVec<[u32; 1]>>;

fn check(left: (&Shape, &Labels), right: (&Shape, &Labels)) -> Result<(), Difference> {
    compare(Labelled { shape: left.0, labels: left.1 }, Labelled { shape: right.0, labels: right.1 })
}

fn number(shape: &Shape) -> Labels {
    let mut labels = Labels::new();
    for (number, block) in shape.blocks().enumerate() {
        if block != shape.entry && block != shape.exit {
            labels[block] = smallvec![2 * number as u32, 2 * number as u32 + 1];
        }
    }
    labels
}

/// The same graph with other block numbers, null blocks on some arcs, and some blocks divided in two.
fn disguise(shape: &Shape, labels: &Labels, rng: &mut Rng) -> (Shape, Labels) {
    let count = shape.len();
    let mut numbers: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        numbers.swap(i, rng.below(i + 1));
    }
    let mut blocks = vec![shape.entry; count];
    let mut disguised = Shape::with_blocks(count, shape.entry, shape.exit);
    let all: Vec<Block> = disguised.blocks().collect();
    for (block, &number) in shape.blocks().zip(&numbers) {
        blocks[number] = block;
    }
    let place = |block: Block| all[numbers[block.as_u32() as usize]];
    (disguised.entry, disguised.exit) = (place(shape.entry), place(shape.exit));
    let mut other = Labels::new();
    for block in shape.blocks() {
        let mut at = place(block);
        other[at] = labels[block].clone();
        if labels[block].len() == 2 && rng.chance(1, 3) {
            other[at].truncate(1);
            let second = disguised.add_block();
            disguised.add_arc(at, second);
            other[second].push(labels[block][1]);
            at = second;
        }
        for &to in shape.succs(block) {
            let mut from = at;
            for _ in 0..rng.below(3) {
                let null = disguised.add_block();
                disguised.add_arc(from, null);
                from = null;
            }
            disguised.add_arc(from, place(to));
        }
    }
    (disguised, other)
}

#[test]
fn null_blocks_numbers_and_division_do_not_matter() {
    let mut rng = Rng::new(1);
    for shape in exhaustive(3, 2).chain((0..400).map(|seed| random(seed, 40, 5))) {
        let labels = number(&shape);
        let (other, other_labels) = disguise(&shape, &labels, &mut rng);
        let result = check((&shape, &labels), (&other, &other_labels));
        assert_eq!(result, Ok(()), "\n{shape}\n{other}");
        assert_eq!(compare_shapes(&shape, &other), Ok(()), "\n{shape}\n{other}");
    }
}

#[test]
fn labelled_shapes_differ() {
    // With a label in each block, nothing but the division into chains is forgotten: shapes without chains all differ.
    let chainless = |shape: &Shape| {
        let preds = shape.predecessors();
        shape.blocks().all(|block| match *shape.succs(block) {
            [next] => block == shape.entry || next == shape.exit || preds.arcs(next).len() > 1,
            _ => true,
        })
    };
    let shapes: Vec<Shape> = exhaustive(3, 2).filter(chainless).collect();
    for (i, left) in shapes.iter().enumerate() {
        for right in &shapes[..i] {
            assert!(check((left, &number(left)), (right, &number(right))).is_err(), "\n{left}\n{right}");
        }
    }
}

#[test]
fn large_shapes() {
    for family in [Family::Switch, Family::StraightLine, Family::NestedBranches, Family::NestedDoWhile] {
        let shape = family.shape(20_000);
        assert_eq!(compare_shapes(&shape, &shape), Ok(()));
        let labels = number(&shape);
        assert_eq!(check((&shape, &labels), (&shape, &labels)), Ok(()));
    }
}

#[test]
fn branches_without_effect_vanish() {
    let diamond = Shape::from_successors(&[&[1][..], &[2, 3], &[4], &[4], &[]]);
    let line = Shape::from_successors(&[&[1][..], &[]]);
    assert_eq!(compare_shapes(&diamond, &line), Ok(()));
    let endless = Shape::from_successors(&[&[1][..], &[2], &[1], &[]]);
    let shorter = Shape::from_successors(&[&[1][..], &[1], &[]]);
    assert_eq!(compare_shapes(&endless, &shorter), Ok(()));
    assert!(compare_shapes(&endless, &line).is_err());
}

#[test]
fn differences_are_readable() {
    let mut text = String::new();
    let mut say = |result: Result<(), Difference>| text.push_str(&format!("{}\n", result.unwrap_err()));
    let diamond = Shape::from_successors(&[&[1][..], &[2, 3], &[4], &[4], &[]]);
    let labels = number(&diamond);
    let mut other = labels.clone();
    let blocks: Vec<Block> = diamond.blocks().collect();
    other[blocks[3]].pop();
    say(check((&diamond, &labels), (&diamond, &other)));
    let swapped = Shape::from_successors(&[&[1][..], &[3, 2], &[4], &[4], &[]]);
    say(check((&diamond, &labels), (&swapped, &labels)));
    let line = Shape::from_successors(&[&[1][..], &[2], &[3], &[4], &[]]);
    let mut few = labels.clone();
    few[blocks[2]].clear();
    few[blocks[3]].clear();
    say(check((&diamond, &labels), (&line, &few)));
    let doubled = Shape::from_successors(&[&[1][..], &[2, 3], &[4], &[2], &[]]);
    say(check((&diamond, &labels), (&doubled, &labels)));
    let endless = Shape::from_successors(&[&[1][..], &[1], &[]]);
    say(compare_shapes(&Shape::from_successors(&[&[1][..], &[]]), &endless));
    expect![[r#"
        b3 on the left and b3 on the right: after 1 equal labels, the left has label 7 and the right ends
        b2 on the left and b3 on the right: after 0 equal labels, the left has label 4 and the right has label 6
        b1 on the left and b1 on the right: 2 successors against 1
        b4 on the left and b2 on the right: the left block corresponds to b4 and the right block to b2
        b1 on the left and b1 on the right: only one is the exit
    "#]]
    .assert_eq(&text);
}
