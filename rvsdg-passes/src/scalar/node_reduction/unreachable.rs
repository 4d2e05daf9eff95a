//! Alternatives that are never chosen, because their end is unreachable.
//!
//! ```text
//! gamma c { case 0: io1 = unreachable io0 …  case 1: B }
//! ```
//!
//! becomes `B`: if `c` chose the first alternative, the program would be undefined. The same holds for an alternative that returns a null
//! pointer that is dereferenced next. Also removed are alternatives that no case of the `match` selects, and alternatives that no
//! conditional selects whose exit variable is the predicate. If a loop returns the predicate, alternatives of its body that lead to such an
//! alternative go, too ([`exits`]).

use rvsdg_analysis::accessed::{accessed_after, is_no_address};
use rvsdg_analysis::callee::is_assume;
use rvsdg_analysis::leads::{self, Givers};
use rvsdg_analysis::memory::states;
use rvsdg_analysis::reached::surely_returns;
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type, Use};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::control::inline;
use super::driver::Driver;
use super::exits;
use crate::pass::PassCx;

/// Whether a node is an assumption of a condition, and the condition's value if it is known.
pub(super) fn assumed(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Option<bool>> {
    let Some(Op::Call(call)) = graph.op(node) else { return None };
    // An assumption with a bundle says more than the condition.
    if !graph.pool().call(call).bundles.is_empty() || !is_assume(graph, surroundings, node) {
        return None;
    }
    Some(fold::int(graph, graph.input(node, 1)).map(|condition| !condition.is_zero()))
}

/// Makes predicates of alternatives whose ends are unreachable the constant that all other alternatives return.
fn agree(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let regions: SmallVec<[Region; 2]> = SmallVec::from_slice(gamma.regions(graph));
    for index in 0..graph.outputs(gamma.node()).len() {
        let constants: SmallVec<[Option<u32>; 2]> =
            regions.iter().map(|&region| leads::constant(graph, graph.result(region, index))).collect();
        if constants.iter().all(|other| *other == constants[0] || other.is_none()) {
            continue;
        }
        let ends = |&region: &Region| is_unreachable(graph, cx.surroundings(), region);
        let (dead, alive): (SmallVec<[Region; 2]>, SmallVec<[Region; 2]>) = regions.iter().copied().partition(ends);
        let mut common = alive.iter().map(|&region| leads::constant(graph, graph.result(region, index)));
        let Some(Some(first)) = common.next() else { continue };
        if dead.is_empty() || common.any(|other| other != Some(first)) {
            continue;
        }
        if !driver.applies(cx, "gamma-unreachable-predicate", graph, gamma.node()) {
            return;
        }
        let output = graph.output(gamma.node(), index);
        let of = graph.pool().ctl_alternatives(graph.ty(output)).expect("its results are predicates");
        for region in dead {
            let predicate = Insert::end(graph, region).predicate(first, of);
            graph.divert(graph.results(region)[index], predicate);
        }
    }
}

/// Whether entering a region is undefined behaviour. A node without io state returns, so only nodes with io state can prevent control
/// from reaching the undefined point.
pub(super) fn is_unreachable(graph: &Graph, surroundings: Option<&Surroundings>, region: Region) -> bool {
    let io = graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == Type::IO);
    let Some(mut state) = io else { return false };
    while let Some(Use::Input(node, _)) = graph.users_of(state).next().map(|user| graph.site(user)) {
        if graph.op(node) == Some(Op::Unreachable) || assumed(graph, surroundings, node) == Some(Some(false)) {
            return true;
        }
        let next = graph.outputs(node).iter().copied().find(|&output| graph.ty(output) == Type::IO);
        match next {
            Some(next) if surely_returns(graph, surroundings, node) => state = next,
            _ => return false,
        }
    }
    false
}

/// The outputs of a γ that are null, or poison, in some alternative, and dereferenced next.
fn accessed(graph: &Graph, surroundings: Option<&Surroundings>, gamma: Gamma) -> SmallVec<[usize; 2]> {
    let node = gamma.node();
    let Some(state) = states::after(graph, node) else { return SmallVec::new() };
    let no_addresses = (0..graph.outputs(node).len()).filter(|&index| {
        graph.ty(graph.output(node, index)) == Type::PTR
            && gamma.regions(graph).iter().any(|&region| is_no_address(graph, graph.result(region, index)))
    });
    let outputs = no_addresses.map(|index| graph.output(node, index));
    let accessed = accessed_after(graph, surroundings, outputs, state);
    let index = |origin| match graph.def(origin) {
        OriginDef::Output(_, index) => index as usize,
        OriginDef::Argument(..) => unreachable!("they are outputs of the γ"),
    };
    accessed.into_iter().map(index).collect()
}

/// Removes alternatives of a γ that are never chosen. Returns whether the γ was removed.
pub(super) fn prune(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> bool {
    let predicate = graph.origin(gamma.predicate(graph));
    if is_branch(graph, predicate) {
        agree(driver, graph, gamma, cx);
        return false;
    }
    let surroundings = cx.surroundings();
    let regions: Vec<Region> = gamma.regions(graph).to_vec();
    let accessed = accessed(graph, surroundings, gamma);
    let possible = leads::possible(graph, predicate);
    let is_chosen = |&index: &usize| {
        let region = regions[index];
        let is_possible = possible.as_ref().is_none_or(|(possible, _)| possible[index]);
        let gives_null = || accessed.iter().any(|&output| is_no_address(graph, graph.result(region, output)));
        is_possible && !is_unreachable(graph, surroundings, region) && !gives_null()
    };
    let kept: SmallVec<[usize; 4]> = (0..regions.len()).filter(is_chosen).collect();
    // Nearly always all are kept.
    if kept.len() == regions.len() {
        return false;
    }
    exits::prune(driver, graph, gamma, cx);
    let rule = if kept.len() <= 1 { "gamma-unreachable" } else { "gamma-unreachable-cases" };
    keep(driver, graph, gamma, kept, rule, cx)
}

/// Whether a node that jumps itself, such as an invoke, returns a predicate.
pub(super) fn is_branch(graph: &Graph, predicate: Origin) -> bool {
    graph.producer(predicate).and_then(|producer| graph.op(producer)).is_some_and(Op::is_branch)
}

/// Removes all alternatives of a γ but some; the others are never chosen. Returns whether the γ was removed.
///
/// If values without a case lead to another alternative, and more than two are kept, it stays.
pub(super) fn keep(
    driver: &mut Driver,
    graph: &mut Graph,
    gamma: Gamma,
    mut kept: SmallVec<[usize; 4]>,
    rule: &'static str,
    cx: &PassCx,
) -> bool {
    let node = gamma.node();
    let predicate = graph.origin(gamma.predicate(graph));
    let regions: Vec<Region> = gamma.regions(graph).to_vec();
    let table = match graph.producer(predicate).and_then(|producer| graph.op(producer)) {
        Some(Op::Match(table)) => Some(graph.pool().table(table)),
        _ => None,
    };
    // One target for all values without a case is enough, and code generators exploit it.
    if let Some(table) = table
        && kept.len() > 2
        && !kept.contains(&(table.default as usize))
    {
        kept.push(table.default as usize);
        kept.sort_unstable();
        if kept.len() == regions.len() {
            return false;
        }
    }
    if kept.is_empty() {
        // The program stays undefined, so that the enclosing region is seen to be unreachable.
        kept.push(0);
    }
    if let &[only] = kept.as_slice() {
        if !driver.applies(cx, rule, graph, node) {
            return false;
        }
        let origins: Vec<Origin> = graph.input_origins(node).skip(1).collect();
        inline(driver, graph, node, regions[only], &origins, 0);
        return true;
    }
    let Some(choice) = Choice::find(graph, predicate, &kept) else { return false };
    if !driver.applies(cx, rule, graph, node) {
        return false;
    }
    let predicate = choice.renumbered(driver, graph, &kept);
    let new = rebuilt(driver, graph, gamma, predicate, &kept);
    driver.remove(graph, node);
    choice.remove(driver, graph);
    driver.push(new.node());
    true
}

/// The definitions of a predicate that only one γ uses: constants and tables, and the exit variables of γs that it passes.
struct Choice {
    /// The predicate.
    predicate: Origin,
    /// Outer ones first.
    givers: Givers,
}

impl Choice {
    /// The choice of a predicate, if it can be restricted to the alternatives that are kept.
    fn find(graph: &Graph, predicate: Origin, kept: &[usize]) -> Option<Choice> {
        let (_, givers) = leads::possible(graph, predicate)?;
        let choice = Choice { predicate, givers };
        let is_own = |&(gamma, index): &(Gamma, usize)| {
            let mut users = graph.users_of(graph.output(gamma.node(), index));
            users.next().is_some() && users.next().is_none()
        };
        let has_table = |origin| match graph.producer(origin).and_then(|node| graph.op(node)) {
            Some(Op::Match(table)) => without(graph.pool().table(table), kept).is_some(),
            _ => true,
        };
        (choice.givers.iter().all(is_own) && choice.leaves(graph).into_iter().all(has_table)).then_some(choice)
    }

    /// The constants and tables.
    fn leaves(&self, graph: &Graph) -> SmallVec<[Origin; 4]> {
        let given = |&(gamma, index): &(Gamma, usize)| {
            gamma
                .regions(graph)
                .iter()
                .map(move |&region| graph.result(region, index))
                .collect::<SmallVec<[Origin; 4]>>()
        };
        let mut leaves: SmallVec<[Origin; 4]> = self.givers.iter().flat_map(given).collect();
        leaves.push(self.predicate);
        leaves.retain(|&mut origin| graph.producer(origin).is_some_and(|node| graph.op(node).is_some()));
        leaves
    }

    /// The same choice as a predicate of the alternatives that are kept. If it chose another one, the program is undefined.
    fn renumbered(&self, driver: &mut Driver, graph: &mut Graph, kept: &[usize]) -> Origin {
        let mut new: FxHashMap<Origin, Origin> = FxHashMap::default();
        for origin in self.leaves(graph) {
            let node = graph.producer(origin).expect("a leaf is a constant or a table");
            let replacement = match graph.op(node) {
                Some(Op::Match(table)) => {
                    let table = without(graph.pool().table(table), kept).expect("the choice was found");
                    let on = graph.input(node, 0);
                    Insert::before(graph, node).choose(table, on)
                }
                Some(Op::CtlConst { value, .. }) => {
                    let place = kept.iter().position(|&index| index == value as usize).unwrap_or(0);
                    Insert::before(graph, node).predicate(place as u32, kept.len() as u32)
                }
                _ => unreachable!("a leaf is a constant or a table"),
            };
            graph.producer(replacement).into_iter().for_each(|node| driver.push(node));
            graph.note_same(origin, replacement);
            new.insert(origin, replacement);
        }
        for &(gamma, index) in self.givers.iter().rev() {
            let results: SmallVec<[Origin; 4]> =
                gamma.regions(graph).iter().map(|&region| new[&graph.result(region, index)]).collect();
            let old = graph.output(gamma.node(), index);
            let variable = gamma.add_exit_var(graph, &results);
            new.insert(old, variable.output);
        }
        new[&self.predicate]
    }

    /// Removes the definitions of the predicate, which are unused now.
    fn remove(&self, driver: &mut Driver, graph: &mut Graph) {
        let leaves = self.leaves(graph);
        for &(gamma, index) in &self.givers {
            gamma.retain_exit_vars(graph, |other| other != index);
            driver.push(gamma.node());
        }
        for origin in leaves {
            if !graph.has_users(origin) {
                let node = graph.producer(origin).expect("a leaf is a constant or a table");
                driver.remove(graph, node);
            }
        }
    }
}

/// A table with only the alternatives that are kept.
fn without(table: &MatchTable, kept: &[usize]) -> Option<MatchTable> {
    let place = |chosen: u32| kept.iter().position(|&index| index == chosen as usize).map(|place| place as u32);
    let default = match (place(table.default), kept) {
        (Some(default), _) => default,
        // Of two, the one with more cases.
        (None, &[first, second]) => {
            let count = |chosen: usize| table.cases.iter().filter(|&&(_, case)| case as usize == chosen).count();
            u32::from(count(second) > count(first))
        }
        (None, _) => return None,
    };
    let cases = table.cases.iter().filter_map(|&(value, chosen)| Some((value, place(chosen)?)));
    let cases = cases.filter(|&(_, chosen)| chosen != default).collect();
    Some(MatchTable { cases, default, alternatives: kept.len() as u32 })
}

/// A γ with another predicate and some of the regions of an old one, whose users it takes over.
fn rebuilt(driver: &mut Driver, graph: &mut Graph, old: Gamma, predicate: Origin, kept: &[usize]) -> Gamma {
    let node = old.node();
    let region = graph.region_of(node);
    let new = Gamma::add(graph, region, predicate, kept.len());
    graph.move_before(new.node(), node);
    for index in 1..graph.inputs(node).len() {
        let origin = graph.input(node, index);
        new.add_entry_var(graph, origin);
    }
    for (place, &index) in kept.iter().enumerate() {
        let (from, to) = (old.regions(graph)[index], new.regions(graph)[place]);
        graph.arguments(from).iter().for_each(|&argument| driver.push_users(graph, argument));
        graph.move_contents(from, to);
    }
    for index in 0..graph.outputs(node).len() {
        let results: Vec<Origin> = kept.iter().map(|&kept| graph.result(old.regions(graph)[kept], index)).collect();
        let output = graph.output(node, index);
        driver.push_users(graph, output);
        let replacement = new.add_exit_var(graph, &results).output;
        graph.divert_users(output, replacement);
    }
    for &index in kept {
        graph.retain_results(old.regions(graph)[index], |_| false);
    }
    graph.set_source(new.node(), graph.source(node));
    new
}
