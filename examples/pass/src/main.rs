//! `jlm-opt` with one pass more: tree-height reduction of sums (Kuck, 1977).
//!
//! ```text
//! v4: i32 = add v0, v1
//! v5: i32 = add v4, v2
//! v6: i32 = add v5, v3
//! ```
//!
//! becomes a sum of two sums, which a processor computes at the same time:
//!
//! ```text
//! v4: i32 = add v0, v1
//! v5: i32 = add v2, v3
//! v6: i32 = add v4, v5
//! ```

#![forbid(unsafe_code)]

use std::process::ExitCode;

use rvsdg_core::op::{BinaryFlags, IntBinary};
use rvsdg_core::{Graph, Node, Op, Origin};
use rvsdg_passes::{BodyPass, Change, Entry, PassCx, Registry, Stage};

/// A sum whose flags promise nothing, so that another order of the same operands is as good.
const SUM: Op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };

/// The pass, for one function at a time.
struct TreeHeight;

impl BodyPass for TreeHeight {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        let nodes: Vec<Node> = graph.all_nodes().collect();
        for node in nodes {
            // Balancing removes nodes, also such that are yet to come.
            if graph.is_live(node)
                && let Some(chain) = Chain::ending_in(graph, node)
                && cx.rewrite("balance", graph, node)
            {
                chain.balance(graph);
                cx.count("balanced", 1);
                change = Change::Changed;
            }
        }
        change
    }
}

/// Two sums, the first of which only the second uses, of something that is a sum, too: `last = (sum + left) + right`.
struct Chain {
    sum: Origin,
    left: Origin,
    right: Origin,
    middle: Node,
    last: Node,
}

impl Chain {
    fn ending_in(graph: &Graph, last: Node) -> Option<Chain> {
        if graph.op(last)? != SUM {
            return None;
        }
        let middle = sum(graph, graph.input(last, 0))?;
        let is_only_user = graph.has_one_user(graph.input(last, 0));
        let is_long = sum(graph, graph.input(middle, 0)).is_some();
        // What is a sum on both sides already has the least height.
        let is_balanced = sum(graph, graph.input(middle, 1)).is_some();
        (is_only_user && is_long && !is_balanced).then(|| Chain {
            sum: graph.input(middle, 0),
            left: graph.input(middle, 1),
            right: graph.input(last, 1),
            middle,
            last,
        })
    }

    fn balance(self, graph: &mut Graph) {
        let ty = graph.ty(self.right);
        let pair = graph.add_simple(graph.region_of(self.last), SUM, &[self.left, self.right], &[ty]);
        graph.move_before(pair, self.last);
        let (first, second) = (graph.inputs(self.last)[0], graph.inputs(self.last)[1]);
        graph.divert(first, self.sum);
        graph.divert(second, graph.output(pair, 0));
        graph.remove(self.middle);
    }
}

/// The node that computes a value, if it is a sum.
fn sum(graph: &Graph, origin: Origin) -> Option<Node> {
    graph.producer(origin).filter(|&node| graph.op(node) == Some(SUM))
}

/// The pass under its name, with what the lists of passes say of it.
fn tree_height() -> Entry {
    Entry::new("tree-height", "Tree-height reduction: sums of sums instead of one after the other.", || {
        vec![Stage::Bodies(Box::new(TreeHeight))]
    })
    .short("thr")
    .described_in("Kuck, 1977")
    .after("node-reduction", "constants are added up then")
}

fn main() -> ExitCode {
    jlm::main_with(&Registry::builtin().with(tree_height()))
}
