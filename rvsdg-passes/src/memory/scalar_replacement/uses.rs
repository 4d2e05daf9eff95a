//! The uses of pieces: their types, and whether they are read and written.

use rvsdg_analysis::memory::bits_in_memory;
use rvsdg_analysis::target::Target;
use rvsdg_core::{Pool, Type, TypeKind};

use super::objects::{Access, Leaf, Objects, Place, What};
use super::pieces::{Piece, Plan, Segment};
use super::sets::Sets;

/// Facts about pieces that are copied to each other as a whole.
#[derive(Clone, Default)]
struct Group {
    /// The first type of an access.
    ty: Option<Type>,
    /// The first type of an access as part of a larger access.
    part_ty: Option<Type>,
    has_pointers: bool,
    has_vectors: bool,
    /// Whether the types differ.
    is_mixed: bool,
    /// Whether some access is of less than the piece, or leaves bits undefined.
    is_partial: bool,
    /// Whether anything but such a piece is copied into it.
    comes_from_outside: bool,
}

impl Group {
    fn access(&mut self, pool: &Pool, leaf: &Leaf, piece: &Piece) {
        let is_whole = piece.bytes == (leaf.begin..leaf.end);
        let is_part = leaf.begin <= piece.bytes.start && piece.bytes.end <= leaf.end;
        let ty = is_part.then(|| part_type(pool, leaf, piece)).flatten();
        let Some(ty) = ty else {
            self.is_partial = true;
            return;
        };
        self.has_pointers |= matches!(pool.type_kind(ty), TypeKind::Ptr(_));
        self.has_vectors |= matches!(pool.type_kind(ty), TypeKind::Vector { .. });
        self.is_mixed |= self.ty.or(self.part_ty).is_some_and(|known| known != ty);
        let known = if is_whole { &mut self.ty } else { &mut self.part_ty };
        *known = known.or(Some(ty));
    }

    fn join(&mut self, other: Group) {
        let types = self.ty.or(self.part_ty).zip(other.ty.or(other.part_ty));
        self.is_mixed |= other.is_mixed || types.is_some_and(|(a, b)| a != b);
        self.ty = self.ty.or(other.ty);
        self.part_ty = self.part_ty.or(other.part_ty);
        self.has_pointers |= other.has_pointers;
        self.has_vectors |= other.has_vectors;
        self.is_partial |= other.is_partial;
        self.comes_from_outside |= other.comes_from_outside;
    }

    /// Whether the piece is only copied as a whole.
    fn is_bytes(&self) -> bool {
        !self.is_partial && self.ty.or(self.part_ty).is_none()
    }

    /// The type for which a typed copy of the piece is equivalent to a copy of its bytes: poison in it is poison for all readers, and it
    /// is not a pointer to some and a number to others.
    fn copied_as(&self) -> Option<Type> {
        let is_clear = !self.is_partial && !(self.is_mixed && (self.has_pointers || self.has_vectors));
        self.ty.or(self.part_ty).filter(|_| is_clear)
    }
}

/// The type of so many bytes of which nothing is known, if a register of the target holds them: each may be poison, as in memory.
fn register_of_bytes(pool: &Pool, target: Option<Target>, bytes: u64) -> Option<Type> {
    let len = u32::try_from(bytes).ok().filter(|len| len.is_power_of_two())?;
    let vector = TypeKind::Vector { element: pool.int(8), len, scalable: false };
    (len * 8 <= target?.register_bits).then(|| if len == 1 { pool.int(8) } else { pool.intern_type(vector) })
}

/// The type of the part of a leaf that is in a piece; `None` if some bits of the piece are not in the leaf.
pub(super) fn part_type(pool: &Pool, leaf: &Leaf, piece: &Piece) -> Option<Type> {
    let bits = 8 * (piece.bytes.end - piece.bytes.start);
    if piece.bytes == (leaf.begin..leaf.end) {
        let is_pointer = matches!(pool.type_kind(leaf.ty), TypeKind::Ptr(_));
        return (is_pointer || bits_in_memory(pool, leaf.ty) == Some(bits)).then_some(leaf.ty);
    }
    match *pool.type_kind(leaf.ty) {
        TypeKind::Int(_) => Some(pool.int(u32::try_from(bits).ok()?)),
        TypeKind::Vector { element, .. } => Some(element),
        _ => None,
    }
}

/// Finds the uses of all pieces.
pub(super) fn find(pool: &Pool, target: Option<Target>, objects: &Objects, plan: &mut Plan) {
    for piece in plan.pieces.iter_mut().flatten() {
        (piece.is_written, piece.is_read) = (false, false);
    }
    types(pool, target, objects, plan);
    while mark_written(objects, plan) {}
    while mark_read(objects, plan) {}
}

fn types(pool: &Pool, target: Option<Target>, objects: &Objects, plan: &mut Plan) {
    let sizes = plan.pieces.iter().map(Vec::len);
    let starts: Vec<usize> = sizes.scan(0, |next, size| Some(std::mem::replace(next, *next + size))).collect();
    let count = plan.pieces.iter().map(Vec::len).sum();
    let mut groups = vec![Group::default(); count];
    let mut sets = Sets::new(count);
    // The index of the piece that contains a segment, and whether the segment is all of it.
    let piece = |plan: &Plan, start: Place, segment: &Segment| {
        let place = Place { offset: start.offset + segment.bytes.start, ..start };
        let index = plan.piece_at(place);
        let end = start.offset + segment.bytes.end;
        (starts[place.object] + index, plan.pieces[place.object][index].bytes == (place.offset..end))
    };
    for Access { what, .. } in &objects.accesses {
        match *what {
            What::Load(object, ref leaves) | What::Store(object, ref leaves) if plan.replaces(object) => {
                for leaf in leaves {
                    for part in plan.parts(object, leaf) {
                        groups[starts[object] + part].access(pool, leaf, &plan.pieces[object][part]);
                    }
                }
            }
            What::Set(place, len) if plan.replaces(place.object) => {
                for segment in plan.set(pool, place, len, None) {
                    let (piece, is_whole) = piece(plan, place, &segment);
                    groups[piece].is_partial |= !is_whole;
                }
            }
            What::Copy { to, from, len } => {
                for segment in plan.copy(to, from, len) {
                    let side = |side| plan.inside(side).map(|place| piece(plan, place, &segment));
                    let (to, from) = (side(to), side(from));
                    for (piece, is_whole) in [to, from].into_iter().flatten() {
                        groups[piece].is_partial |= !is_whole;
                    }
                    match (to, from) {
                        (Some((to, true)), Some((from, true))) => sets.unite(to, from),
                        (Some((to, _)), _) => groups[to].comes_from_outside = true,
                        (None, _) => {}
                    }
                }
            }
            What::Load(..) | What::Store(..) | What::Set(..) | What::Mark(_) => {}
        }
    }
    for piece in 0..count {
        let first = sets.first(piece);
        if first != piece {
            let group = std::mem::take(&mut groups[piece]);
            groups[first].join(group);
        }
    }
    let mut number = 0..;
    for piece in plan.pieces.iter_mut().flatten() {
        let group = &groups[sets.first(number.next().unwrap_or_default())];
        let size = piece.bytes.end - piece.bytes.start;
        let bytes = if group.is_bytes() { register_of_bytes(pool, target, size) } else { None };
        piece.may_leave = bytes.is_some() || !group.comes_from_outside;
        piece.ty = bytes.or_else(|| group.copied_as());
    }
}

/// Marks pieces that are written; returns whether another sweep may find more.
fn mark_written(objects: &Objects, plan: &mut Plan) -> bool {
    let mut changed = false;
    for Access { what, .. } in &objects.accesses {
        match *what {
            What::Store(object, ref leaves) if plan.replaces(object) => {
                for leaf in leaves {
                    let parts = plan.parts(object, leaf);
                    changed |= mark(&mut plan.pieces[object][parts], |piece| &mut piece.is_written);
                }
            }
            What::Set(place, len) if plan.replaces(place.object) => {
                let parts = plan.overlap(place, len);
                changed |= mark(&mut plan.pieces[place.object][parts], |piece| &mut piece.is_written);
            }
            What::Copy { to, from, len } => {
                let Some(to) = plan.inside(to) else { continue };
                let from = plan.inside(from);
                for part in plan.overlap(to, len) {
                    let bytes = plan.pieces[to.object][part].bytes.clone();
                    let written = from.is_none_or(|from| {
                        let (from, len) = facing(to, from, len, bytes);
                        plan.pieces[from.object][plan.overlap(from, len)].iter().any(|piece| piece.is_written)
                    });
                    if written {
                        changed |= mark(&mut plan.pieces[to.object][part..=part], |piece| &mut piece.is_written);
                    }
                }
            }
            What::Load(..) | What::Store(..) | What::Set(..) | What::Mark(_) => {}
        }
    }
    changed
}

/// Marks pieces that are read; returns whether another sweep may find more.
fn mark_read(objects: &Objects, plan: &mut Plan) -> bool {
    let mut changed = false;
    // The destination of a copy is mostly read after the copy.
    for Access { what, .. } in objects.accesses.iter().rev() {
        match *what {
            What::Load(object, ref leaves) if plan.replaces(object) => {
                for leaf in leaves {
                    let parts = plan.parts(object, leaf);
                    changed |= mark(&mut plan.pieces[object][parts], |piece| &mut piece.is_read);
                }
            }
            What::Copy { to, from, len } => {
                let Some(from) = plan.inside(from) else { continue };
                let to = plan.inside(to);
                for part in plan.overlap(from, len) {
                    let bytes = plan.pieces[from.object][part].bytes.clone();
                    let read = to.is_none_or(|to| {
                        let (to, len) = facing(from, to, len, bytes);
                        plan.pieces[to.object][plan.overlap(to, len)].iter().any(|piece| piece.is_read)
                    });
                    if read {
                        changed |= mark(&mut plan.pieces[from.object][part..=part], |piece| &mut piece.is_read);
                    }
                }
            }
            What::Load(..) | What::Store(..) | What::Set(..) | What::Mark(_) => {}
        }
    }
    changed
}

/// The bytes on the `other` side of a copy of `len` bytes that correspond to some bytes on `one` side.
fn facing(one: Place, other: Place, len: u64, bytes: std::ops::Range<u64>) -> (Place, u64) {
    let begin = bytes.start.max(one.offset);
    let end = bytes.end.min(one.offset + len);
    (Place { offset: other.offset + (begin - one.offset), ..other }, end - begin)
}

/// Sets a flag of pieces; returns whether it was not set for one of them.
fn mark(pieces: &mut [Piece], flag: impl Fn(&mut Piece) -> &mut bool) -> bool {
    let mut changed = false;
    for piece in pieces {
        changed |= !std::mem::replace(flag(piece), true);
    }
    changed
}
