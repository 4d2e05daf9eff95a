//! Interleaved accesses: groups of accesses that together touch all or most elements of a range of memory, though each of them has gaps:
//! the fields of structures in an array, or its odd and its even elements.

use rustc_hash::FxHashMap;
use rvsdg_core::Node;

use super::accesses::Access;
use super::affine::Pattern;
use crate::seeded::{self, Bug};

/// The maximum number of elements by which an access of a group moves.
const MAX_FACTOR: u32 = 4;

/// Loads, or stores, of elements of one size that move by the same number of elements and are less than that number apart.
///
/// All loads of a group may be executed at the position of the first one, and all stores at that of the last one.
#[derive(Clone, Debug)]
pub struct Group {
    /// By how many elements each access moves in an iteration.
    pub factor: u32,
    /// The accesses in order, each with its distance, in elements, from the first element of the group.
    pub members: Vec<(Node, u32)>,
    /// The number of elements from the first to the last.
    pub span: u32,
    /// The size of an element in bytes.
    pub size: i64,
    /// Whether these are stores.
    pub writes: bool,
}

impl Group {
    /// Whether there is an access of every element.
    pub fn is_complete(&self) -> bool {
        (0..self.factor).all(|place| self.members.iter().any(|&(_, other)| other == place))
    }
}

/// The groups of accesses. Groups of stores that leave an element out are not formed.
///
/// `may_join` tells whether two accesses may be executed together as far as this is no matter of memory; `are_apart` tells for two accesses, the first of which comes first, whether they may be reordered, in whatever iterations.
pub fn groups(
    list: &[Access],
    may_join: impl Fn(&Access, &Access) -> bool,
    mut are_apart: impl FnMut(&Access, &Access) -> bool,
) -> (Vec<Group>, FxHashMap<Node, (usize, u32)>) {
    // Positions in the list, each with its distance in elements from the first.
    let mut open: Vec<(Group, Vec<(usize, i64)>)> = Vec::new();
    for (index, access) in list.iter().enumerate() {
        let Some(factor) = factor(access) else { continue };
        let joins = |(group, members): &(Group, Vec<(usize, i64)>)| {
            let first = &list[members[0].0];
            let distance = first.address.as_ref()?.distance_to(access.address.as_ref()?)?;
            let fits = group.factor == factor
                && group.writes == access.writes
                && first.ty == access.ty
                && first.size == access.size
                && distance % access.size == 0
                && may_join(first, access);
            let place = distance / access.size;
            let places = || members.iter().map(|&(_, place)| place).chain([place]);
            let spread = places().max()? - places().min()?;
            let is_new = members.iter().all(|&(_, other)| other != place);
            (fits && spread < i64::from(factor) && (is_new || !access.writes)).then_some(place)
        };
        let found = open.iter().enumerate().find_map(|(at, group)| Some((at, joins(group)?)));
        let found = found.filter(|&(at, _)| {
            let members = &open[at].1;
            seeded::is_active(Bug::VecGroupOrder)
                || if access.writes {
                    members.iter().all(|&(member, _)| {
                        let between = (member + 1..index).filter(|other| members.iter().all(|(of, _)| of != other));
                        between.into_iter().all(|other| are_apart(&list[member], &list[other]))
                    })
                } else {
                    let between = list[members[0].0 + 1..index].iter().filter(|other| other.writes);
                    between.into_iter().all(|store| are_apart(store, access))
                }
        });
        match found {
            Some((at, place)) => open[at].1.push((index, place)),
            None => {
                let group = Group { factor, members: Vec::new(), span: 0, size: access.size, writes: access.writes };
                open.push((group, vec![(index, 0)]));
            }
        }
    }
    let (mut groups, mut of) = (Vec::new(), FxHashMap::default());
    for (mut group, members) in open {
        let places = || members.iter().map(|&(_, place)| place);
        let low = places().min().unwrap_or(0);
        group.span = (places().max().unwrap_or(0) - low + 1) as u32;
        group.members = members.iter().map(|&(index, place)| (list[index].node, (place - low) as u32)).collect();
        if group.writes && !group.is_complete() && !seeded::is_active(Bug::VecGaps) {
            continue;
        }
        of.extend(group.members.iter().map(|&(node, place)| (node, (groups.len(), place))));
        groups.push(group);
    }
    (groups, of)
}

/// By how many elements an access moves, if it may be in a group.
fn factor(access: &Access) -> Option<u32> {
    let Pattern::Strided(step) = access.address.as_ref()?.pattern(access.size) else { return None };
    let factor = u32::try_from(step / access.size).ok().filter(|factor| (2..=MAX_FACTOR).contains(factor))?;
    (step % access.size == 0).then_some(factor)
}
