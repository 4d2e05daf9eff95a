//! Zero bytes: memory that was filled with zero and not written since.

use std::ops::Range;

use rvsdg_analysis::memory::{Location, Objects, distance};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::{Graph, Pool};
use smallvec::{SmallVec, smallvec};

/// How many fills are remembered at a time, which bounds the work per node. The oldest are forgotten first.
const MAX_FILLS: usize = 16;

/// How many pieces of each are remembered.
const MAX_PIECES: usize = 8;

/// The rest of a zero fill.
#[derive(Clone)]
struct Fill {
    /// Everything that it wrote.
    place: Location,
    /// The bytes, counted from the start, that are still zero.
    pieces: SmallVec<[Range<i64>; 2]>,
}

/// Zero bytes at a point of the state chain.
#[derive(Clone, Default)]
pub(super) struct Zeros(Vec<Fill>);

impl Zeros {
    /// Records a zero fill of `len` bytes.
    pub(super) fn add(&mut self, place: Location, len: i64) {
        if self.0.len() == MAX_FILLS {
            self.0.remove(0);
        }
        self.0.push(Fill { place, pieces: smallvec![0..len] });
    }

    /// Whether all bytes of a location are zero.
    pub(super) fn has(&self, pool: &Pool, numbers: &Numbering, objects: &Objects, place: Location) -> bool {
        self.0.iter().any(|fill| {
            bytes(pool, numbers, objects, fill.place, place).is_some_and(|bytes| {
                fill.pieces.iter().any(|piece| piece.start <= bytes.start && bytes.end <= piece.end)
            })
        })
    }

    /// Forgets what a write to a location may change.
    pub(super) fn write(&mut self, graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location) {
        self.0.retain_mut(|fill| {
            if objects.are_disjoint(graph, numbers, fill.place, place) {
                return true;
            }
            let Some(written) = bytes(graph.pool(), numbers, objects, fill.place, place) else { return false };
            if seeded::is_active(Bug::MvfZeros) {
                return true;
            }
            let around = |piece: &Range<i64>| {
                [piece.start..piece.end.min(written.start), piece.start.max(written.end)..piece.end]
            };
            let left = fill.pieces.iter().flat_map(around).filter(|piece| !piece.is_empty());
            fill.pieces = left.take(MAX_PIECES).collect();
            !fill.pieces.is_empty()
        });
    }

    /// Keeps fills whose location satisfies a condition.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(Location) -> bool) {
        self.0.retain(|fill| keeps(fill.place));
    }

    /// Keeps bytes that are zero in both.
    pub(super) fn join(&mut self, other: &Zeros) {
        self.0.retain_mut(|fill| {
            let Some(same) = other.0.iter().rev().find(|other| other.place == fill.place) else { return false };
            let common =
                fill.pieces.iter().flat_map(|a| same.pieces.iter().map(|b| a.start.max(b.start)..a.end.min(b.end)));
            fill.pieces = common.filter(|piece| !piece.is_empty()).take(MAX_PIECES).collect();
            !fill.pieces.is_empty()
        });
    }
}

/// The bytes of a location, counted from the start of another one, if known.
fn bytes(pool: &Pool, numbers: &Numbering, objects: &Objects, from: Location, place: Location) -> Option<Range<i64>> {
    let start = distance(pool, objects.sizes(), numbers, from.addr, place.addr)?;
    Some(start..start.checked_add(objects.sizes().access(pool, place.ty)?)?)
}
