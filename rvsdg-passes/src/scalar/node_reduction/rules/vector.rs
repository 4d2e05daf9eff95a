//! Lanes of vectors.

use rvsdg_core::Origin;
use rvsdg_core::fold::parts;
use rvsdg_core::op::{Op, OpCode};
use smallvec::SmallVec;

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// The lane that an index names in a vector of known length.
fn lane(c: &Cx<'_>, vector: Origin, index: Origin) -> Option<u32> {
    let lanes = parts::lanes(c.pool(), c.ty(vector))?;
    let index = c.int(index)?.unsigned();
    (index < lanes.into()).then_some(index as u32)
}

/// Whether an index is after the last lane.
fn is_outside(c: &Cx<'_>, vector: Origin, index: Origin) -> bool {
    let lanes = parts::lanes(c.pool(), c.ty(vector));
    lanes.zip(c.int(index)).is_some_and(|(lanes, index)| index.unsigned() >= lanes.into())
}

/// A vector with one lane replaced: the old vector, the element, and the lane's number.
fn inserted(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Origin, Origin)> {
    let (node, Op::InsertElement) = c.op(origin)? else { return None };
    Some((c.operand(node, 0), c.operand(node, 1), c.operand(node, 2)))
}

/// A lane of a vector: the vector, and the lane's number.
fn extracted(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Origin)> {
    let (node, Op::ExtractElement) = c.op(origin)? else { return None };
    Some((c.operand(node, 0), c.operand(node, 1)))
}

/// A shuffle: lanes selected from two vectors.
fn shuffled(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Origin, SmallVec<[u32; 16]>)> {
    let (node, Op::ShuffleVector(mask)) = c.op(origin)? else { return None };
    parts::lanes(c.pool(), c.ty(origin))?;
    Some((c.operand(node, 0), c.operand(node, 1), c.pool().indices(mask).into()))
}

/// A shuffle of shuffles of one vector, as one shuffle of it.
fn shuffle_of_shuffle(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let (a, b, mask) = shuffled(c, c.output(n.node))?;
    let (x, y, inner) = shuffled(c, a)?;
    if !c.is_poison(b) || !c.is_poison(y) || !c.one_use(a) {
        return None;
    }
    let length = parts::lanes(c.pool(), c.ty(x))?;
    let chosen = mask.iter().map(|&lane| match inner.get(lane as usize) {
        Some(&lane) if lane < length => lane,
        _ => u32::MAX,
    });
    let mask = c.pool().intern_indices(&chosen.collect::<SmallVec<[u32; 16]>>());
    Some(c.add(Op::ShuffleVector(mask), &[x, y], n.ty))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "extractelement-inserted",
        OpCode::ExtractElement,
        "<4 x i8> %v, i8 %x -> i8",
        "%s = insertelement <4 x i8> %v, i8 %x, i32 2; %r = extractelement <4 x i8> %s, i32 2",
        "%x",
        |c, n| {
            let (vector, x, index) = inserted(c, n.a)?;
            (lane(c, vector, index)? == lane(c, vector, n.b)?).then_some(x)
        },
    ),
    rule(
        "extractelement-beside",
        OpCode::ExtractElement,
        "<4 x i8> %v, i8 %x -> i8",
        "%s = insertelement <4 x i8> %v, i8 %x, i32 2; %r = extractelement <4 x i8> %s, i32 1",
        "%r = extractelement <4 x i8> %v, i32 1",
        |c, n| {
            let (vector, _, index) = inserted(c, n.a)?;
            if lane(c, vector, index)? == lane(c, vector, n.b)? {
                return None;
            }
            Some(c.add(Op::ExtractElement, &[vector, n.b], n.ty))
        },
    ),
    rule(
        "extractelement-outside",
        OpCode::ExtractElement,
        "<4 x i8> %v -> i8",
        "%r = extractelement <4 x i8> %v, i32 4",
        "poison",
        |c, n| is_outside(c, n.a, n.b).then(|| c.poison(n.ty)),
    ),
    rule(
        "extractelement-splat",
        OpCode::ExtractElement,
        "i32 %i -> i8",
        "%r = extractelement <4 x i8> splat (i8 7), i32 %i",
        "7",
        |c, n| {
            let splat = parts::splat(c.pool(), c.constant(n.a)?)?;
            Some(c.add_constant(splat))
        },
    ),
    rule(
        "extractelement-shuffled",
        OpCode::ExtractElement,
        "<4 x i8> %v, <4 x i8> %w -> i8",
        "%s = shufflevector <4 x i8> %v, <4 x i8> %w, <4 x i32> <i32 0, i32 6, i32 1, i32 5>; %r = extractelement <4 x i8> %s, i32 1",
        "%r = extractelement <4 x i8> %w, i32 2",
        |c, n| {
            let (x, y, mask) = shuffled(c, n.a)?;
            let length = parts::lanes(c.pool(), c.ty(x))?;
            let from = *mask.get(lane(c, n.a, n.b)? as usize)?;
            if from == u32::MAX {
                return Some(c.poison(n.ty));
            }
            let (vector, from) = if from < length { (x, from) } else { (y, from - length) };
            let ty = c.ty(n.b);
            let bits = c.bits(ty)?;
            if bits < u32::BITS && from >> bits != 0 {
                return None;
            }
            let index = c.add_int(ty, from.into())?;
            Some(c.add(Op::ExtractElement, &[vector, index], n.ty))
        },
    ),
    rule(
        "insertelement-same",
        OpCode::InsertElement,
        "<4 x i8> %v -> <4 x i8>",
        "%x = extractelement <4 x i8> %v, i32 2; %r = insertelement <4 x i8> %v, i8 %x, i32 2",
        "%v",
        |c, n| {
            let (vector, x, index) = inserted(c, c.output(n.node))?;
            let (from, at) = extracted(c, x)?;
            (from == vector && lane(c, vector, index)? == lane(c, vector, at)?).then_some(vector)
        },
    ),
    rule(
        "insertelement-again",
        OpCode::InsertElement,
        "<4 x i8> %v, i8 %x, i8 %y -> <4 x i8>",
        "%s = insertelement <4 x i8> %v, i8 %x, i32 2; %r = insertelement <4 x i8> %s, i8 %y, i32 2",
        "%r = insertelement <4 x i8> %v, i8 %y, i32 2",
        |c, n| {
            let (first, y, index) = inserted(c, c.output(n.node))?;
            let (vector, _, at) = inserted(c, first)?;
            if lane(c, vector, index)? != lane(c, vector, at)? {
                return None;
            }
            Some(c.add(Op::InsertElement, &[vector, y, index], n.ty))
        },
    ),
    rule(
        "insertelement-outside",
        OpCode::InsertElement,
        "<4 x i8> %v, i8 %x -> <4 x i8>",
        "%r = insertelement <4 x i8> %v, i8 %x, i32 4",
        "poison",
        |c, n| is_outside(c, n.a, c.input(2)).then(|| c.poison(n.ty)),
    ),
    rule(
        "insertelement-poison",
        OpCode::InsertElement,
        "<4 x i8> %v -> <4 x i8>",
        "%r = insertelement <4 x i8> %v, i8 poison, i32 2",
        "%v",
        |c, n| c.is_poison(n.b).then_some(n.a),
    ),
    rule(
        "shuffle-first",
        OpCode::ShuffleVector,
        "<4 x i8> %v, <4 x i8> %w -> <4 x i8>",
        "%r = shufflevector <4 x i8> %v, <4 x i8> %w, <4 x i32> <i32 0, i32 1, i32 poison, i32 3>",
        "%v",
        |c, n| {
            let (x, _, mask) = shuffled(c, c.output(n.node))?;
            let stays = mask.iter().enumerate().all(|(at, &lane)| lane == u32::MAX || lane as usize == at);
            (c.ty(x) == n.ty && stays).then_some(x)
        },
    ),
    rule(
        "shuffle-second",
        OpCode::ShuffleVector,
        "<4 x i8> %v, <4 x i8> %w -> <4 x i8>",
        "%r = shufflevector <4 x i8> %v, <4 x i8> %w, <4 x i32> <i32 4, i32 5, i32 6, i32 7>",
        "%w",
        |c, n| {
            let (_, y, mask) = shuffled(c, c.output(n.node))?;
            let stays = mask.iter().enumerate().all(|(at, &lane)| lane == u32::MAX || lane as usize == at + mask.len());
            (c.ty(y) == n.ty && stays).then_some(y)
        },
    ),
    rule(
        "shuffle-without-second",
        OpCode::ShuffleVector,
        "<4 x i8> %v, <4 x i8> %w -> <4 x i8>",
        "%r = shufflevector <4 x i8> %v, <4 x i8> %w, <4 x i32> <i32 3, i32 2, i32 1, i32 0>",
        "%r = shufflevector <4 x i8> %v, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>",
        |c, n| {
            let (x, y, mask) = shuffled(c, c.output(n.node))?;
            let ty = c.ty(x);
            let length = parts::lanes(c.pool(), ty)?;
            if c.is_poison(y) || mask.iter().any(|&lane| lane != u32::MAX && lane >= length) {
                return None;
            }
            let none = c.poison(ty);
            let mask = c.pool().intern_indices(&mask);
            Some(c.add(Op::ShuffleVector(mask), &[x, none], n.ty))
        },
    ),
    rule(
        "shuffle-of-shuffle",
        OpCode::ShuffleVector,
        "<4 x i8> %v -> <4 x i8>",
        "%s = shufflevector <4 x i8> %v, <4 x i8> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>; %r = shufflevector <4 x i8> %s, <4 x i8> poison, <4 x i32> <i32 1, i32 1, i32 0, i32 3>",
        "%r = shufflevector <4 x i8> %v, <4 x i8> poison, <4 x i32> <i32 2, i32 2, i32 3, i32 0>",
        shuffle_of_shuffle,
    ),
];
