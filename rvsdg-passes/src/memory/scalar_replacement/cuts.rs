//! Where objects are cut into pieces.

use std::collections::BTreeSet;

use rvsdg_analysis::memory::bits_in_memory;
use rvsdg_core::{Pool, TypeKind};

use super::objects::{Access, Leaf, Objects, What};
use super::pieces::{MAX_PIECES, Piece};

/// The maximum number of pieces that an integer or vector is composed of.
const MAX_PARTS: usize = 8;

/// How often cuts are propagated from object to object. Stopping early only makes the cuts less good.
const MAX_SWEEPS: usize = 8;

/// Cuts objects into pieces with no other facts yet. Objects with unknown uses have none.
pub(super) fn cut(pool: &Pool, objects: &Objects) -> Vec<Vec<Piece>> {
    let is_known = |object: usize| objects.list[object].is_known;
    let mut cuts: Vec<BTreeSet<u64>> = objects.list.iter().map(|object| BTreeSet::from([0, object.size])).collect();
    let mut copies = Vec::new();
    for Access { what, .. } in &objects.accesses {
        match what {
            What::Load(object, leaves) | What::Store(object, leaves) => {
                cuts[*object].extend(leaves.iter().flat_map(|leaf| [leaf.begin, leaf.end]));
            }
            What::Set(place, len) => cuts[place.object].extend([place.offset, place.offset + len]),
            What::Copy { to, from, len } => {
                let places = [to, from].map(|side| side.place.filter(|place| is_known(place.object)));
                places.iter().flatten().for_each(|place| cuts[place.object].extend([place.offset, place.offset + len]));
                if let [Some(to), Some(from)] = places {
                    copies.push((to, from, *len));
                }
            }
            What::Mark(_) => {}
        }
    }
    // A cut of one side of a copy is a cut of the other too.
    for sweep in 0..MAX_SWEEPS {
        let mut changed = false;
        for index in 0..copies.len() {
            let (to, from, len) = copies[if sweep % 2 == 0 { index } else { copies.len() - 1 - index }];
            for (one, other) in [(to, from), (from, to)] {
                let inner: Vec<u64> =
                    cuts[one.object].range(one.offset + 1..one.offset + len).map(|cut| cut - one.offset).collect();
                if inner.len() < MAX_PIECES {
                    for cut in inner {
                        changed |= cuts[other.object].insert(other.offset + cut);
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    join(pool, objects, &mut cuts);
    let pieces = |(object, cuts): (usize, &BTreeSet<u64>)| {
        if !is_known(object) {
            return Vec::new();
        }
        let ranges = cuts.iter().zip(cuts.iter().skip(1)).map(|(&begin, &end)| begin..end);
        let new = |bytes| Piece { bytes, ty: None, may_leave: true, is_read: false, is_written: false };
        ranges.map(new).collect()
    };
    cuts.iter().enumerate().map(pieces).collect()
}

/// Removes cuts through what must not be cut, so that each leaf is in one piece or composed of whole ones.
fn join(pool: &Pool, objects: &Objects, cuts: &mut [BTreeSet<u64>]) {
    loop {
        let mut changed = false;
        for Access { what, .. } in &objects.accesses {
            let (What::Load(object, leaves) | What::Store(object, leaves)) = what else { continue };
            let cuts = &mut cuts[*object];
            for leaf in leaves {
                let inner: Vec<u64> = cuts.range(leaf.begin + 1..leaf.end).copied().collect();
                let ends = cuts.contains(&leaf.begin) && cuts.contains(&leaf.end);
                let fits = inner.is_empty() || ends && can_cut(pool, leaf, &inner);
                if !fits {
                    inner.iter().for_each(|cut| _ = cuts.remove(cut));
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Whether a leaf can be composed of parts.
fn can_cut(pool: &Pool, leaf: &Leaf, cuts: &[u64]) -> bool {
    if cuts.len() >= MAX_PARTS || bits_in_memory(pool, leaf.ty) != Some(8 * (leaf.end - leaf.begin)) {
        return false;
    }
    match *pool.type_kind(leaf.ty) {
        TypeKind::Int(bits) => bits <= 128,
        TypeKind::Vector { len, .. } => {
            // Only between lanes.
            let size = (leaf.end - leaf.begin) / u64::from(len);
            cuts.len() + 1 == len as usize && cuts.iter().all(|cut| (cut - leaf.begin).is_multiple_of(size))
        }
        _ => false,
    }
}
