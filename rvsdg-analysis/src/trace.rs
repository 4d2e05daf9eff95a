//! Tracing values outwards: what a value of an inner region is in the regions around it.

use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin, Region};

/// The value in the region around that argument number `index` of a region always is, with the γ or θ that it enters. `None`
/// for the argument of a root region, and for a loop variable that changes.
pub fn outward(graph: &Graph, region: Region, index: u32) -> Option<(Origin, Node)> {
    let parent = graph.parent(region)?;
    let outer = match Theta::new(graph, parent) {
        Some(theta) => {
            let variable = theta.loop_var(graph, index as usize);
            if graph.origin(variable.post) != variable.pre {
                return None;
            }
            graph.origin(variable.input)
        }
        None => graph.input(parent, index as usize + 1),
    };
    Some((outer, parent))
}
