//! Variables that hold an element that a load read in an earlier iteration.

use rvsdg_core::fold::Int;
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin};

use super::accesses::{Access, Accesses};
use super::affine::{Addresses, BITS, Pattern, rooted};
use crate::evolution::Linear;
use crate::memory::states;
use crate::seeded::{self, Bug};

/// How many operations before a loop are searched for the load of an initial value.
const MAX_BEFORE: usize = 16;

/// What a variable holds: an element of the row through which a load goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Earlier {
    /// The load.
    pub load: Node,
    /// How many bytes before the load's address of the iteration the element is.
    pub behind: i64,
}

/// The load whose element of an earlier iteration a variable holds, as one for `a[i]` does in a loop that loads `a[i + 1]`. In the first
/// iterations it is what was loaded from there before the loop, after which nothing was stored.
///
/// The element may be loaded again unless a store of an earlier iteration, or an earlier one of the same iteration, is there; no store of
/// an iteration precedes the load.
pub fn earlier(
    graph: &Graph,
    accesses: &Accesses,
    addresses: &mut Addresses<'_>,
    variable: LoopVar,
) -> Option<Earlier> {
    let theta = addresses.theta();
    let mut held = vec![variable];
    let load = loop {
        let post = graph.origin(held.last()?.post);
        if let Some(node) = graph.producer(post) {
            break node;
        }
        let (of, next) = Theta::loop_var_of_argument(graph, post)?;
        if of != theta || held.iter().any(|other| other.index == next.index) {
            return None;
        }
        held.push(next);
    };
    let precedes = |access: &&Access| access.node != load;
    let no_store = |access: &Access| !access.writes || seeded::is_active(Bug::VecReloadStored);
    let (list, before) = (accesses.list(), accesses.list().iter().take_while(precedes).count());
    let access = list.get(before).filter(|access| !access.writes && list[..before].iter().all(no_store))?;
    let address = access.address.as_ref()?;
    if address.pattern(access.size) != Pattern::Consecutive {
        return None;
    }
    for (place, variable) in held.iter().enumerate() {
        let behind = (held.len() - place) as i64 * access.size;
        let start = loaded_before(graph, theta, graph.origin(variable.input), access)?;
        let none = Linear::constant(Int::new(BITS, 0));
        let (root, position) = rooted(graph, addresses.layouts(), start, none);
        let is_there = root == address.root() && address.is_at(&position, behind);
        if !is_there && !seeded::is_active(Bug::VecReloadStart) {
            return None;
        }
    }
    Some(Earlier { load, behind: held.len() as i64 * access.size })
}

/// The address from which a value was loaded before a loop, after which memory did not change.
fn loaded_before(graph: &Graph, theta: Theta, value: Origin, access: &Access) -> Option<Origin> {
    let source = graph.producer(value)?;
    let (_, memory) = Theta::loop_var_of_argument(graph, states::start(graph, theta.body(graph))?)?;
    let mut state = graph.origin(memory.input);
    for _ in 0..MAX_BEFORE {
        let node = graph.producer(state)?;
        let Some(Op::Load(load)) = graph.op(node) else { return None };
        if node == source {
            return (load.is_plain() && graph.ty(value) == access.ty).then(|| graph.input(node, 0));
        }
        state = states::before(graph, node)?;
    }
    None
}
