//! The pieces of objects: where they are cut, the types of their accesses, and which objects are worth splitting.

use std::ops::Range;

use rvsdg_analysis::target::Target;
use rvsdg_core::{Graph, Node, Pool, Type, TypeKind};

use super::cuts::cut;
use super::objects::{Leaf, Objects, Place, Side, What, constant_int};
use super::sets::Sets;
use super::uses;
use crate::pass::PassCx;

/// The maximum number of pieces of an object that is split.
pub(super) const MAX_PIECES: usize = 64;

/// How often pieces are joined at most. What is joined in one object is rarely copied on to more than one other.
const MAX_JOINS: usize = 4;

/// A piece of an object.
pub(super) struct Piece {
    /// Its bytes in the object.
    pub bytes: Range<u64>,
    /// The type of its copies, if copying with that type is equivalent to copying its bytes.
    pub ty: Option<Type>,
    /// Whether a copy with that type may go outside: a piece that came from outside may be partly poison.
    pub may_leave: bool,
    /// Whether anything reads it.
    pub is_read: bool,
    /// Whether anything writes it.
    pub is_written: bool,
}

/// The pieces of each object; none for one that stays.
pub(super) struct Plan {
    pub pieces: Vec<Vec<Piece>>,
}

/// A part of a copy or fill: bytes that are within one piece on each side.
pub(super) struct Segment {
    /// Its bytes in the copy.
    pub bytes: Range<u64>,
    /// How it is copied.
    pub kind: SegmentKind,
}

/// How bytes are copied.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum SegmentKind {
    /// They are never read, or there is nothing to copy.
    Dead,
    /// As a value of this type.
    Typed(Type),
    /// As bytes.
    Bytes,
}

impl Plan {
    /// Whether an object is replaced.
    pub(super) fn replaces(&self, object: usize) -> bool {
        !self.pieces[object].is_empty()
    }

    /// The index of the piece that contains a byte of an object.
    pub(super) fn piece_at(&self, place: Place) -> usize {
        self.pieces[place.object].partition_point(|piece| piece.bytes.end <= place.offset)
    }

    /// The location of a side of a copy, if it is in an object that is replaced.
    pub(super) fn inside(&self, side: Side) -> Option<Place> {
        side.place.filter(|place| self.replaces(place.object))
    }

    /// The copies between two locations in replaced objects, with their length.
    pub(super) fn inner_copies(&self, objects: &Objects) -> impl DoubleEndedIterator<Item = (Place, Place, u64)> {
        objects.accesses.iter().filter_map(|access| match access.what {
            What::Copy { to, from, len } => Some((self.inside(to)?, self.inside(from)?, len)),
            What::Load(..) | What::Store(..) | What::Set(..) | What::Mark(_) => None,
        })
    }

    /// The pieces that contain some of `len` bytes.
    pub(super) fn overlap(&self, place: Place, len: u64) -> Range<usize> {
        self.piece_at(place)..self.piece_at(Place { offset: place.offset + len - 1, ..place }) + 1
    }

    /// The pieces that contain a leaf: one, which may be larger, or several.
    pub(super) fn parts(&self, object: usize, leaf: &Leaf) -> Range<usize> {
        self.overlap(Place { object, offset: leaf.begin }, leaf.end - leaf.begin)
    }

    /// The parts of a copy, in order.
    pub(super) fn copy(&self, to: Side, from: Side, len: u64) -> Vec<Segment> {
        let (to, from) = (self.inside(to), self.inside(from));
        let mut segments = Vec::new();
        let mut begin = 0;
        while begin < len {
            let piece = |side: Option<Place>| {
                side.map(|place| {
                    let offset = place.offset + begin;
                    let piece = &self.pieces[place.object][self.piece_at(Place { offset, ..place })];
                    (piece, offset)
                })
            };
            let (to, from) = (piece(to), piece(from));
            let left = [to, from].into_iter().flatten().map(|(piece, offset)| piece.bytes.end - offset);
            let end = left.fold(len, |end, left| end.min(begin + left));
            let whole = |(piece, offset): (&Piece, u64)| piece.bytes == (offset..offset + end - begin);
            let kind =
                if to.is_some_and(|(piece, _)| !piece.is_read) || from.is_some_and(|(piece, _)| !piece.is_written) {
                    SegmentKind::Dead
                } else {
                    let types = [to, from].into_iter().flatten().map(|side| side.0.ty.filter(|_| whole(side)));
                    let leaves = to.is_none() && from.is_some_and(|(piece, _)| !piece.may_leave);
                    match types.reduce(|a, b| if a == b { a } else { None }).flatten() {
                        Some(ty) if !leaves => SegmentKind::Typed(ty),
                        Some(_) | None => SegmentKind::Bytes,
                    }
                };
            segments.push(Segment { bytes: begin..end, kind });
            begin = end;
        }
        segments
    }

    /// The parts of a fill, in order.
    pub(super) fn set(&self, pool: &Pool, place: Place, len: u64, byte: Option<u8>) -> Vec<Segment> {
        let end = place.offset + len;
        let pieces = self.pieces[place.object][self.overlap(place, len)].iter();
        pieces
            .map(|piece| {
                let bytes = piece.bytes.start.max(place.offset)..piece.bytes.end.min(end);
                let ty =
                    piece.ty.filter(|&ty| bytes == piece.bytes && byte.is_some_and(|byte| is_filled(pool, ty, byte)));
                let kind = match ty {
                    _ if !piece.is_read => SegmentKind::Dead,
                    Some(ty) => SegmentKind::Typed(ty),
                    None => SegmentKind::Bytes,
                };
                Segment { bytes: bytes.start - place.offset..bytes.end - place.offset, kind }
            })
            .collect()
    }
}

/// Whether there is a constant of a type whose bytes are all the same.
fn is_filled(pool: &Pool, ty: Type, byte: u8) -> bool {
    match pool.type_kind(ty) {
        TypeKind::Int(bits) => *bits <= 64,
        kind if kind.is_float() => true,
        TypeKind::Ptr(_) | TypeKind::Vector { .. } => byte == 0,
        _ => false,
    }
}

/// Decides which objects are replaced by which pieces; `None` if none is.
pub(super) fn plan(graph: &Graph, objects: &Objects, cx: &PassCx) -> Option<Plan> {
    let pool = graph.pool();
    let target = Target::of(pool, cx.surroundings()).ok();
    let mut plan = Plan { pieces: cut(pool, objects) };
    let components = components(objects, &plan);
    reject(&mut plan, &components, |plan, object| {
        plan.pieces[object].is_empty() || plan.pieces[object].len() > MAX_PIECES
    });
    uses::find(pool, target, objects, &mut plan);
    let mut leaves = None;
    for _ in 0..MAX_JOINS {
        if !join(objects, &mut plan, &mut leaves) {
            break;
        }
        uses::find(pool, target, objects, &mut plan);
    }
    let gains = gains(graph, objects, &plan, &components);
    reject(&mut plan, &components, |_, object| !gains[components[object]]);
    // Objects that are copied to each other are one rewrite.
    for (object, of) in objects.list.iter().enumerate() {
        if plan.replaces(object) && components[object] == object && !cx.rewrite("split-object", graph, of.alloca) {
            reject(&mut plan, &components, |_, other| components[other] == object);
        }
    }
    plan.pieces.iter().any(|pieces| !pieces.is_empty()).then_some(plan)
}

/// Joins neighbouring pieces that a copy can only copy as bytes: they stay in memory in any case. A piece that would have only a part of a
/// loaded or stored value is not made. `leaves` caches the [bytes of those values](leaves_of). Returns whether there were any.
fn join(objects: &Objects, plan: &mut Plan, leaves: &mut Option<Vec<Vec<Range<u64>>>>) -> bool {
    let mut changed = false;
    for access in &objects.accesses {
        let What::Copy { to, from, len } = access.what else { continue };
        let sides = [plan.inside(to), plan.inside(from)];
        for run in plan.copy(to, from, len).chunk_by(|a, b| [a.kind, b.kind] == [SegmentKind::Bytes; 2]) {
            let [first, .., last] = run else { continue };
            for place in sides.into_iter().flatten() {
                let place = Place { offset: place.offset + first.bytes.start, ..place };
                let joined = plan.overlap(place, last.bytes.end - first.bytes.start);
                let pieces = &mut plan.pieces[place.object];
                let bytes = pieces[joined.start].bytes.start..pieces[joined.end - 1].bytes.end;
                let leaves = leaves.get_or_insert_with(|| leaves_of(objects));
                if joined.len() > 1 && leaves[place.object].iter().all(|leaf| is_apart_or_inside(leaf, &bytes)) {
                    pieces[joined.start].bytes = bytes;
                    pieces.drain(joined.start + 1..joined.end);
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Which bytes of each object a load or store accesses as one value.
fn leaves_of(objects: &Objects) -> Vec<Vec<Range<u64>>> {
    let mut of = vec![Vec::new(); objects.list.len()];
    for access in &objects.accesses {
        if let What::Load(object, leaves) | What::Store(object, leaves) = &access.what {
            of[*object].extend(leaves.iter().map(|leaf| leaf.begin..leaf.end));
        }
    }
    of
}

/// Whether a value is outside of a piece or inside of it: a value is a part of one piece, or made of whole ones.
fn is_apart_or_inside(leaf: &Range<u64>, piece: &Range<u64>) -> bool {
    let is_apart = leaf.end <= piece.start || piece.end <= leaf.start;
    is_apart || piece.start <= leaf.start && leaf.end <= piece.end
}

/// Keeps all objects of a component if one of them must stay.
fn reject(plan: &mut Plan, components: &[usize], stays: impl Fn(&Plan, usize) -> bool) {
    let mut rejected = vec![false; components.len()];
    for (object, &component) in components.iter().enumerate() {
        rejected[component] |= !plan.pieces[object].is_empty() && stays(plan, object);
    }
    for (object, &component) in components.iter().enumerate() {
        if rejected[component] {
            plan.pieces[object].clear();
        }
    }
}

/// For each object, the first one that it is connected with by copies.
fn components(objects: &Objects, plan: &Plan) -> Vec<usize> {
    let mut sets = Sets::new(objects.list.len());
    for (to, from, _) in plan.inner_copies(objects) {
        sets.unite(to.object, from.object);
    }
    (0..objects.list.len()).map(|object| sets.first(object)).collect()
}

/// For each component, whether replacing it is profitable: it leaves no more copies and fills than there were, and either fewer, or
/// pieces.
fn gains(graph: &Graph, objects: &Objects, plan: &Plan, components: &[usize]) -> Vec<bool> {
    let mut left = vec![0i64; components.len()];
    let mut has_parts: Vec<bool> = vec![false; components.len()];
    for (pieces, &component) in plan.pieces.iter().zip(components) {
        has_parts[component] |= pieces.len() > 1;
    }
    for access in &objects.accesses {
        let (object, segments) = match access.what {
            What::Set(place, len) if plan.replaces(place.object) => {
                (place.object, plan.set(graph.pool(), place, len, set_byte(graph, access.node)))
            }
            What::Copy { to, from, len } => match plan.inside(to).or(plan.inside(from)) {
                Some(place) => (place.object, plan.copy(to, from, len)),
                None => continue,
            },
            What::Load(..) | What::Store(..) | What::Set(..) | What::Mark(_) => continue,
        };
        let calls = segments.iter().filter(|segment| segment.kind == SegmentKind::Bytes).count();
        left[components[object]] += calls as i64 - 1;
        has_parts[components[object]] |= calls == 0;
    }
    left.into_iter().zip(has_parts).map(|(left, has_parts)| left <= 0 && has_parts).collect()
}

/// The byte of a fill, if it is constant.
pub(super) fn set_byte(graph: &Graph, node: Node) -> Option<u8> {
    constant_int(graph, graph.input(node, 2)).map(|byte| byte as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_a_byte_fills() {
        let pool = Pool::new();
        let vector = pool.intern_type(TypeKind::Vector { element: Type::I32, len: 2, scalable: false });
        for (ty, byte, expected) in [
            (pool.int(64), 1, true),
            (pool.int(65), 0, false),
            (pool.intern_type(TypeKind::Float), 1, true),
            (Type::PTR, 0, true),
            (Type::PTR, 1, false),
            (vector, 0, true),
            (vector, 1, false),
        ] {
            assert_eq!(is_filled(&pool, ty, byte), expected, "{ty:?} {byte}");
        }
    }
}
