//! Routes the states of a body to a position deep inside γ and θ.

use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Origin, Region, Type, Use, User};

/// The user of the state of a type after the position of `node` in its region; its origin is the state at that position. `None`, with the
/// state, if the state has no user after it.
///
/// Regions through which the state does not pass yet get it as a variable.
pub(super) fn state_at(graph: &mut Graph, node: Node, ty: Type) -> (Origin, Option<User>) {
    // From the region of the node outwards to one with the state.
    let mut places = vec![node];
    loop {
        let region = graph.region_of(*places.last().expect("never empty"));
        if state_argument(graph, region, ty).is_some() {
            break;
        }
        places.push(graph.parent(region).expect("the root region has every state"));
    }
    let (mut state, mut user) = find(graph, places.pop().expect("never empty"), ty);
    while let Some(place) = places.pop() {
        let inner = graph.region_of(place);
        let around = graph.parent(inner).expect("the region is in a node");
        let output = match graph.kind(around) {
            NodeKind::Gamma => {
                let gamma = Gamma::new(graph, around).expect("a γ");
                let variable = gamma.add_entry_var(graph, state);
                let arguments: Vec<Origin> =
                    gamma.regions(graph).iter().map(|&region| graph.arguments(region)[variable.index]).collect();
                gamma.add_exit_var(graph, &arguments).output
            }
            NodeKind::Theta => Theta::new(graph, around).expect("a θ").add_loop_var(graph, state).output,
            NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
                unreachable!("a region inside of a body is in a γ or θ")
            }
        };
        if let Some(user) = user {
            graph.divert(user, output);
        }
        let argument = state_argument(graph, inner, ty).expect("it was just added");
        (state, user) = (argument, graph.users_of(argument).next());
    }
    (state, user)
}

fn state_argument(graph: &Graph, region: Region, ty: Type) -> Option<Origin> {
    graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == ty)
}

/// The state at the position of a node in an order of its region, if the state passes through nodes there.
fn find(graph: &Graph, node: Node, ty: Type) -> (Origin, Option<User>) {
    let region = graph.region_of(node);
    let mut before = rustc_hash::FxHashSet::default();
    before.extend(graph.topological(region).into_iter().take_while(|&other| other != node));
    let mut state = state_argument(graph, region, ty).expect("the region has the state");
    loop {
        let Some(user) = graph.users_of(state).next() else { return (state, None) };
        let Use::Input(next, _) = graph.site(user) else { return (state, Some(user)) };
        if !before.contains(&next) {
            return (state, Some(user));
        }
        match graph.outputs(next).iter().copied().find(|&output| graph.ty(output) == ty) {
            Some(output) => state = output,
            None => return (state, Some(user)),
        }
    }
}
