//! The call graph of a module, for which bodies are scanned in parallel.

use rustc_hash::FxHashMap;
use rvsdg_analysis::CallGraph;
use rvsdg_analysis::call_graph::DirectCalls;
use rvsdg_core::{Body, Graph, Module};

use crate::parallel;

/// The call graph of a module. Linear in the size of the module.
pub(crate) fn call_graph(module: &Module) -> CallGraph {
    let graphs: Vec<(Body, usize, &Graph)> = module
        .lambdas()
        .into_iter()
        .filter_map(|lambda| {
            let graph = module.bodies[lambda.body()].graph()?;
            Some((lambda.body(), lambda.context(&module.omega).len(), graph))
        })
        .collect();
    let calls: Vec<(Body, DirectCalls)> =
        parallel::map(&graphs, |&(body, contexts, graph)| (body, DirectCalls::of(graph, contexts)));
    CallGraph::new(module, calls.into_iter().collect::<FxHashMap<_, _>>())
}
