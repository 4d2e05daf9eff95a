//! What the accesses of a loop require: how many iterations may be executed at once, and which ranges must be disjoint.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::dependence::{Access, Accesses, Addresses, Dependence, earlier};
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::{Graph, Node, Op, Origin};

use super::flatten::Flat;
use super::plan::{Decline, Role, Use};
use crate::loops::ranges::Extent;

/// The maximum number of pairs of ranges that are compared before a loop.
const MAX_CHECKS: usize = 12;
/// How many operations a loop must have for some loads to load elements of earlier iterations again. Measured with stencils: 13 for 5
/// gain 7 %, 5 for 3 lose 8 to 23 %.
const OPERATIONS_FOR_LOADS: (usize, usize) = (5, 2);

/// Accesses at known distances that move together, relative to one of them.
pub(super) struct Range {
    /// Its position among the accesses.
    pub access: usize,
    pub extent: Extent,
    /// Whether some iterations access only a part of it, so that it need not be in one object.
    pub partial: bool,
    writes: bool,
}

/// Two ranges that must be disjoint.
pub(super) struct Check {
    pub ranges: (usize, usize),
    /// The pairs of accesses that require this.
    pub pairs: Vec<Pair>,
}

/// Two accesses that must be apart, in body order.
#[derive(Copy, Clone)]
pub(super) struct Pair {
    pub first: usize,
    pub second: usize,
    /// Whether the first one belongs to the first of the ranges.
    pub forward: bool,
    /// How many bytes before its address the first one is: zero, or those by which it is [behind](rvsdg_analysis::dependence::Earlier::behind).
    pub behind: i64,
}

/// The requirements of the accesses of a loop.
pub(super) struct Dependences {
    pub ranges: Vec<Range>,
    pub checks: Vec<Check>,
    /// How many iterations may be executed at once.
    pub width: u64,
    /// The distances in iterations after which stored values are loaded again.
    pub forwarded: Vec<u64>,
}

pub(super) fn dependences(
    graph: &Graph,
    numbers: &mut Numbering,
    objects: &Objects<'_>,
    accesses: &Accesses,
    masks: &FxHashMap<Node, Origin>,
    deciding: &FxHashSet<Node>,
    roles: &[Role],
) -> Result<Dependences, Decline> {
    let list = accesses.list();
    let behinds = |node: Node| {
        let again = roles.iter().filter_map(move |role| match role {
            Role::Reloaded(of) if of.load == node => Some(of.behind),
            _ => None,
        });
        again.filter(|_| !seeded::is_active(Bug::VecReloadChecked))
    };
    let mut ranges: Vec<Range> = Vec::new();
    let mut range_of = Vec::new();
    for (index, access) in list.iter().enumerate() {
        let address = access.address.as_ref().ok_or(Decline::Bounds)?;
        let stride = address.step().ok_or(Decline::Stride)?;
        let behind = behinds(access.node).max().unwrap_or(0);
        let beside = |range: &Range| {
            let other = list[range.access].address.as_ref().filter(|_| range.extent.stride == stride)?;
            other.distance_to(address)
        };
        let found = ranges.iter().enumerate().find_map(|(at, range)| Some((at, beside(range)?)));
        if let Some((at, distance)) = found {
            let range = &mut ranges[at];
            range.extent.low = range.extent.low.min(distance - behind);
            range.extent.high = range.extent.high.max(distance + access.size);
            range.writes |= access.writes;
            range.partial |= masks.contains_key(&access.node);
            range_of.push(at);
        } else {
            let extent = Extent { stride, low: -behind, high: access.size };
            let partial = masks.contains_key(&access.node);
            ranges.push(Range { access: index, extent, partial, writes: access.writes });
            range_of.push(ranges.len() - 1);
        }
    }
    let mut checks: Vec<Check> = Vec::new();
    let (mut width, mut forwarded) = (u64::MAX, Vec::new());
    for (index, a) in list.iter().enumerate() {
        for (offset, b) in list[index + 1..].iter().enumerate() {
            if !a.writes && !b.writes {
                continue;
            }
            let (first, second) = (range_of[index], range_of[index + 1 + offset]);
            let found = Accesses::dependence(graph, numbers, objects, a, b);
            // A load that decides about an early exit precedes all stores.
            let comes_first = a.writes && deciding.contains(&b.node);
            if comes_first && found != Dependence::Independent && !seeded::is_active(Bug::VecExitStored) {
                return Err(Decline::Dependence);
            }
            if found != Dependence::Unknown {
                if let Dependence::Distances(low, high) = found
                    && a.writes != b.writes
                {
                    // Positive if the store comes first.
                    let distances = if a.writes { [low, high] } else { [high.saturating_neg(), low.saturating_neg()] };
                    forwarded.extend(distances.into_iter().filter_map(|distance| u64::try_from(distance).ok()));
                }
                if !seeded::is_active(Bug::VecDistance) {
                    width = width.min(found.width());
                }
            } else if first == second || stays_in_row(a, b) {
                return Err(Decline::Dependence);
            } else {
                let ranges = (first.min(second), first.max(second));
                let pair = |behind| Pair { first: index, second: index + 1 + offset, forward: first < second, behind };
                let pairs = std::iter::once(0).chain(behinds(a.node)).map(pair);
                match checks.iter_mut().find(|check| check.ranges == ranges) {
                    Some(check) => check.pairs.extend(pairs),
                    None if seeded::is_active(Bug::VecOverlap) => {}
                    None => checks.push(Check { ranges, pairs: pairs.collect() }),
                }
            }
        }
    }
    if width < 2 {
        return Err(Decline::Dependence);
    }
    let few = checks.len() <= MAX_CHECKS;
    if few { Ok(Dependences { ranges, checks, width, forwarded }) } else { Err(Decline::Checks) }
}

/// Whether one of two accesses stays at a location in the row that the other traverses: their ranges always overlap, so a comparison is
/// useless.
fn stays_in_row(a: &Access, b: &Access) -> bool {
    let (Some(first), Some(second)) = (&a.address, &b.address) else { return false };
    let stays = [(first, b), (second, a)].iter().any(|(of, other)| of.step() == Some(0) && other.writes);
    stays && first.is_in_row_of(second, a.size)
}

/// Whether a loop computes so much more than it loads that it has time for further loads rather than for shifting lanes.
pub(super) fn computes_much(graph: &Graph, uses: &FxHashMap<Node, Use>) -> bool {
    let (mut loads, mut operations) = (0, 0);
    for (&node, _) in uses.iter().filter(|(_, used)| used.wide) {
        match graph.op(node) {
            Some(Op::Load(_)) => loads += 1,
            Some(Op::Store(_) | Op::Const(_)) | None => {}
            Some(_) => operations += 1,
        }
    }
    operations * OPERATIONS_FOR_LOADS.1 >= loads * OPERATIONS_FOR_LOADS.0
}

/// Finds the values of earlier iterations that are loaded again.
pub(super) fn load_again(
    graph: &Graph,
    numbers: &mut Numbering,
    objects: &Objects<'_>,
    flat: Option<&Flat>,
    accesses: &Accesses,
    addresses: &mut Addresses<'_>,
    roles: &mut [Role],
) {
    let list = accesses.list();
    for variable in addresses.theta().loop_vars(graph) {
        if !matches!(roles[variable.index], Role::Recurrence) {
            continue;
        }
        let Some(found) = earlier(graph, accesses, addresses, variable) else { continue };
        let Some(access) = list.iter().find(|access| access.node == found.load) else { continue };
        let is_conditional = flat.is_some_and(|flat| flat.conditional.contains(&found.load));
        let again =
            Access { address: access.address.as_ref().map(|address| address.before(found.behind)), ..access.clone() };
        let stores = list.iter().filter(|access| access.writes);
        // Where nothing is known, ranges are compared.
        let mut is_elsewhere = stores.map(|store| Accesses::dependence(graph, numbers, objects, &again, store));
        let is_elsewhere = is_elsewhere.all(|found| matches!(found, Dependence::Independent | Dependence::Unknown));
        if !is_conditional && (is_elsewhere || seeded::is_active(Bug::VecReloadChecked)) {
            roles[variable.index] = Role::Reloaded(found);
        }
    }
}
