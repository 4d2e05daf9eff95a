//! Restoring what is known of memory where only a call in an alternative of a γ may change it: the alternative loads it again at its end,
//! and a loop need not load it in each iteration.

use rvsdg_analysis::dereferenceable::{bytes_at, may_speculate_loads};
use rvsdg_analysis::memory::{Effect, Location, LoopSummaries, Objects, Writes, distance, effect, states};
use rvsdg_analysis::numbering::{Def, Numbering};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Region, Use};

/// How deep γs may be nested in a loop.
const MAX_DEPTH: u32 = 8;

/// A load of a location that may be executed anywhere, if the location is known at the end of an iteration once alternatives with calls load
/// it again, and a load outside of these need not be executed any more. The location must be known where the iteration begins.
pub(super) fn load_to_repeat(
    graph: &Graph,
    numbers: &mut Numbering,
    objects: &Objects,
    summaries: &LoopSummaries,
    theta: Theta,
    place: Location,
) -> Option<Node> {
    let mut walk = Walk { graph, numbers, objects, summaries, place, loads: Vec::new(), is_restored: false };
    let is_known = walk.region(theta.body(graph), true, 0)?;
    let load = *walk.loads.first().filter(|_| is_known && walk.is_restored)?;
    is_always_safe(graph, numbers, objects, place, load).then_some(load)
}

/// Whether a load of a location may be executed at any time: it is inside an object on the stack, and aligned there, and no sanitizer
/// watches it.
fn is_always_safe(graph: &Graph, numbers: &Numbering, objects: &Objects, place: Location, load: Node) -> bool {
    let base = numbers.base(place.addr);
    let &Def::Leaf(object) = numbers.def(base) else { return false };
    let Some(Op::Alloca { align_log2, .. }) = graph.producer(object).and_then(|node| graph.op(node)) else {
        return false;
    };
    let Some(Op::Load(access)) = graph.op(load) else { return false };
    let is_inside = || {
        let mut layouts = objects.surroundings().and_then(Surroundings::layouts)?;
        let bytes = bytes_at(graph, objects.surroundings(), &mut layouts, object)?;
        let offset = distance(graph.pool(), objects.sizes(), numbers, base, place.addr)?;
        let size = objects.sizes().access(graph.pool(), place.ty)?;
        let is_aligned = offset.trailing_zeros() >= access.align_log2.into();
        Some(is_aligned && offset >= 0 && u64::try_from(offset.checked_add(size)?).is_ok_and(|end| end <= bytes))
    };
    may_speculate_loads(graph, objects.surroundings()) && align_log2 >= access.align_log2 && is_inside() == Some(true)
}

/// What happens to the knowledge of a location during an iteration.
struct Walk<'a> {
    graph: &'a Graph,
    numbers: &'a mut Numbering,
    objects: &'a Objects<'a>,
    summaries: &'a LoopSummaries<'a>,
    place: Location,
    /// The loads that find it known, without those in alternatives that load it again.
    loads: Vec<Node>,
    /// Whether an alternative loads it again.
    is_restored: bool,
}

impl Walk<'_> {
    /// Whether the location is known at the end of a region; `None` if anything but calls and inner loops may change it in ways that are
    /// not known.
    fn region(&mut self, region: Region, mut is_known: bool, depth: u32) -> Option<bool> {
        if depth == MAX_DEPTH {
            return None;
        }
        let graph = self.graph;
        let mut state = states::start(graph, region);
        loop {
            let node = match states::user(graph, state?)? {
                Use::Input(node, _) => node,
                Use::Result(..) => return Some(is_known),
            };
            if let Some(gamma) = Gamma::new(graph, node) {
                is_known = self.alternatives(gamma, is_known, depth)?;
            } else if Theta::new(graph, node).is_some() {
                let summary = self.summaries.of(node)?;
                is_known &= summary.writes(graph, self.numbers, self.objects, self.place, None).0 == Writes::None;
            } else {
                match effect(graph, self.numbers, self.objects.surroundings(), node) {
                    Effect::Read(place, true) if place == self.place => {
                        if is_known {
                            self.loads.push(node);
                        }
                        is_known = true;
                    }
                    Effect::Write(place, true) if place == self.place => is_known = true,
                    Effect::Write(place, _) => {
                        self.objects.are_disjoint(graph, self.numbers, place, self.place).then_some(())?;
                    }
                    Effect::Call(call) => is_known &= self.objects.survives(graph, self.numbers, self.place, &call),
                    Effect::None | Effect::Read(..) => {}
                }
            }
            state = states::after(graph, node);
        }
    }

    fn alternatives(&mut self, gamma: Gamma, was_known: bool, depth: u32) -> Option<bool> {
        let (mut all, mut any) = (true, false);
        for &alternative in gamma.regions(self.graph) {
            if self.summaries.dead_ends().has(alternative) {
                continue;
            }
            let loads = self.loads.len();
            let is_known = self.region(alternative, was_known, depth + 1)?;
            all &= is_known;
            any |= is_known;
            if !is_known {
                self.loads.truncate(loads);
            }
        }
        self.is_restored |= was_known && any && !all;
        Some(all || (was_known && any))
    }
}
