//! Invariant variables of γ and θ.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::dead_ends::DeadEnds;
use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use crate::pass::{BodyPass, Change, PassCx};

/// How many users of a value are searched for a variable of the same value.
const MAX_USERS: usize = 16;

/// The stage of [invariant value redirection](super) for one body.
pub struct InvariantValues;

impl BodyPass for InvariantValues {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut redirected = Redirected::default();
        let dead_ends = DeadEnds::of(graph);
        let nodes = structural_bottom_up(graph);
        loop {
            let refined = redirected.refined;
            for &node in &nodes {
                if let Some(gamma) = Gamma::new(graph, node) {
                    forget_at_dead_ends(graph, gamma, &dead_ends, cx, &mut redirected);
                    redirect_gamma(graph, gamma, cx, &mut redirected);
                } else if let Some(theta) = Theta::new(graph, node) {
                    redirect_theta(graph, theta, cx, &mut redirected);
                }
            }
            // What takes the place of a variable may be what an inner γ or θ returns otherwise.
            if redirected.refined == refined {
                break;
            }
        }
        cx.count("exit_variables", redirected.exit_variables);
        cx.count("dead_ends", redirected.dead_ends);
        cx.count("loop_variables", redirected.loop_variables);
        cx.count("refined", redirected.refined);
        cx.count("states", redirected.states);
        Change::when(redirected != Redirected::default())
    }
}

/// The redirections that were made.
#[derive(PartialEq, Eq, Default)]
struct Redirected {
    exit_variables: u64,
    dead_ends: u64,
    loop_variables: u64,
    refined: u64,
    states: u64,
}

/// Results of an alternative whose end is unreachable are poison: nothing after it is executed.
fn forget_at_dead_ends(
    graph: &mut Graph,
    gamma: Gamma,
    dead_ends: &DeadEnds,
    cx: &PassCx,
    redirected: &mut Redirected,
) {
    let regions: SmallVec<[Region; 2]> =
        gamma.regions(graph).iter().copied().filter(|&region| dead_ends.has(region)).collect();
    for region in regions {
        for index in 0..graph.outputs(gamma.node()).len() {
            let output = graph.output(gamma.node(), index);
            let (ty, given) = (graph.ty(output), graph.result(region, index));
            if !graph.has_users(output)
                || !graph.pool().has_poison(ty)
                || fold::is_poison(graph, given)
                || !cx.allows_rewrite("dead_ends", graph, gamma.node())
            {
                continue;
            }
            let poison = Insert::end(graph, region).poison(ty);
            graph.divert(graph.results(region)[index], poison);
            redirected.dead_ends += 1;
        }
    }
}

/// The entry variable that an exit variable is in every region in which it is not poison, or one of those with the same outer origin.
fn entry_of_exit(graph: &Graph, gamma: Gamma, index: usize) -> Option<usize> {
    let mut common: Option<(usize, Origin)> = None;
    let looked_at = if seeded::is_active(Bug::InvFirstAlternative) { 1 } else { usize::MAX };
    for &region in gamma.regions(graph).iter().take(looked_at) {
        let given = graph.result(region, index);
        if fold::is_poison(graph, given) {
            continue;
        }
        let OriginDef::Argument(_, argument) = graph.def(given) else { return None };
        let origin = graph.input(gamma.node(), argument as usize + 1);
        if common.is_some_and(|(_, common)| common != origin) {
            return None;
        }
        common = Some((argument as usize, origin));
    }
    common.map(|(entry, _)| entry)
}

/// Whether one of two values of a region may take the other's place, since they are the same, or the other one is poison.
fn refines(graph: &Graph, new: Origin, old: Origin) -> bool {
    let constant = |origin| fold::constant(graph, origin);
    let is_same = new == old || constant(old).is_some() && constant(old) == constant(new);
    let is_assumed = seeded::is_active(Bug::InvRefined) && !fold::is_poison(graph, new);
    fold::is_poison(graph, old) || is_same || is_assumed
}

/// Another exit variable that may take the place of one, and is not poison where that one is.
fn refinement_of_exit(graph: &Graph, gamma: Gamma, index: usize) -> Option<usize> {
    let regions = gamma.regions(graph);
    let is_poison = |region: Region, index| fold::is_poison(graph, graph.result(region, index));
    let &gap = regions.iter().find(|&&region| is_poison(region, index))?;
    let &start = regions.iter().find(|&&region| !is_poison(region, index))?;
    let given = graph.result(start, index);
    if fold::constant(graph, given).is_some() {
        // It may be that constant in all cases.
        return None;
    }
    let same = graph.users_of(given).take(MAX_USERS).filter_map(|user| match graph.site(user) {
        Use::Result(region, other) if region == start => Some(other as usize),
        Use::Result(..) | Use::Input(..) => None,
    });
    same.filter(|&other| !is_poison(gap, other)).find(|&other| {
        regions.iter().all(|&region| refines(graph, graph.result(region, other), graph.result(region, index)))
    })
}

/// Another loop variable that is the same after each iteration as one that is poison before the first, and is not poison there.
fn refinement_of_loop_var(graph: &Graph, theta: Theta, index: usize) -> Option<usize> {
    let post = graph.origin(theta.loop_var(graph, index).post);
    let is_poison = |index| fold::is_poison(graph, graph.input(theta.node(), index));
    if !is_poison(index) {
        return None;
    }
    let body = theta.body(graph);
    let same = graph.users_of(post).take(MAX_USERS).filter_map(|user| match graph.site(user) {
        Use::Result(region, result @ 1..) if region == body => Some(result as usize - 1),
        Use::Result(..) | Use::Input(..) => None,
    });
    same.into_iter().find(|&other| !is_poison(other))
}

fn redirect_gamma(graph: &mut Graph, gamma: Gamma, cx: &PassCx, redirected: &mut Redirected) {
    let node = gamma.node();
    let mut states: SmallVec<[(usize, usize); 2]> = SmallVec::new();
    let mut returns = true;
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        let Some(entry) = entry_of_exit(graph, gamma, index) else {
            // What happens in the γ may not return: memory must not be accessed before that.
            returns &= graph.ty(output) != Type::IO;
            if graph.has_users(output)
                && let Some(other) = refinement_of_exit(graph, gamma, index)
                && cx.allows_rewrite("refined", graph, node)
            {
                graph.divert_users(output, graph.output(node, other));
                redirected.refined += 1;
            }
            continue;
        };
        if graph.ty(output).is_state() {
            states.push((index, entry));
        } else if graph.has_users(output) && cx.allows_rewrite("exit_variables", graph, node) {
            graph.divert_users(output, graph.input(node, entry + 1));
            redirected.exit_variables += 1;
        }
    }
    states.retain(|&mut (index, _)| {
        let output = graph.output(node, index);
        graph.has_users(output) && (returns || graph.ty(output) == Type::IO || seeded::is_active(Bug::InvNoReturn))
    });
    if states.is_empty() || !cx.allows_rewrite("states", graph, node) {
        return;
    }
    redirected.states += states.len() as u64;
    for &(index, entry) in &states {
        graph.divert_users(graph.output(node, index), graph.input(node, entry + 1));
    }
    gamma.retain_exit_vars(graph, |index| states.iter().all(|&(exit, _)| exit != index));
    gamma.retain_entry_vars(graph, |index| states.iter().all(|&(_, entry)| entry != index));
}

/// Whether a loop in which everything returns is certain to terminate.
fn ends(graph: &Graph, theta: Theta, cx: &PassCx) -> bool {
    let data = cx.surroundings().and_then(Surroundings::data_layout);
    let repetitions = Evolution::of(graph, theta).repetitions(graph, data);
    repetitions.is_some_and(|repetitions| repetitions.is_exact(repetitions.known_iterations(graph, theta)))
}

fn redirect_theta(graph: &mut Graph, theta: Theta, cx: &PassCx, redirected: &mut Redirected) {
    let variables = graph.inputs(theta.node()).len();
    let io = theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == Type::IO);
    let may_run_forever = io.is_some_and(|io| graph.origin(io.post) != io.pre || !ends(graph, theta, cx));
    let mut states: SmallVec<[usize; 2]> = SmallVec::new();
    for index in 0..variables {
        let variable = theta.loop_var(graph, index);
        let ty = graph.ty(variable.pre);
        let other = Theta::loop_var_of_argument(graph, graph.origin(variable.post));
        let same = graph.origin(variable.post) == variable.pre
            || seeded::is_active(Bug::InvOtherVariable) && other.is_some_and(|(of, _)| of == theta);
        if !same
            && (graph.has_users(variable.pre) || graph.has_users(variable.output))
            && let Some(other) = refinement_of_loop_var(graph, theta, index)
            && cx.allows_rewrite("refined", graph, theta.node())
        {
            let other = theta.loop_var(graph, other);
            graph.divert_users(variable.pre, other.pre);
            graph.divert_users(variable.output, other.output);
            redirected.refined += 1;
        }
        if !same || !graph.has_users(variable.output) {
            continue;
        }
        let rule = if ty.is_state() { "states" } else { "loop_variables" };
        if ty.is_state() && may_run_forever || !cx.allows_rewrite(rule, graph, theta.node()) {
            continue;
        }
        if ty.is_state() {
            states.push(index);
        } else {
            redirected.loop_variables += 1;
        }
        graph.divert_users(variable.output, graph.origin(variable.input));
    }
    redirected.states += states.len() as u64;
    theta.retain_loop_vars(graph, |index| !states.contains(&index));
}
