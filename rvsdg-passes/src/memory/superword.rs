//! Superword-level parallelism: equal operations on neighbouring elements in straight-line code become operations on vectors.
//!
//! ```text
//! v4: i64, mem1 = load v0, mem0, align 8
//! v5: i64 = add v4, v2
//! mem2 = store v5, v1, mem1, align 8
//! v6: ptr = getelementptr i8, v0, 8
//! v7: i64, mem3 = load v6, mem2, align 8
//! v8: i64 = add v7, v3
//! v9: ptr = getelementptr i8, v1, 8
//! mem4 = store v8, v9, mem3, align 8
//! ```
//!
//! becomes, if the stores do not change what is loaded,
//!
//! ```text
//! v10: <2 x i64>, mem1 = load v0, mem0, align 8
//! v11: <2 x i64> = …                     ; v2 and v3
//! v12: <2 x i64> = add v10, v11
//! mem4 = store v12, v1, mem1, align 8
//! ```
//!
//! 1. **Seeds** (`accesses`): stores of one type to consecutive elements in one region, with only plain loads and stores along the memory
//!    state between them. They become one store at the place of the last, past accesses that they do not overlap.
//! 2. **Trees** (`tree`): the stored values form a bundle, the lanes of a vector. If all its members are the same operation, which vectors
//!    execute lane by lane, their operands form bundles in turn. Loads of consecutive elements become one load at the place of the
//!    first of them, past stores that they do not overlap. Sums and differences in one bundle are both computed in all lanes. Other values are constants, one value in all lanes, lanes of a
//!    bundle in another order, or are inserted one by one. Operands of commutative operations are exchanged so that neighbours are alike.
//! 3. **Cost** (`cost`): a tree becomes vectors if that is cheaper by [`rvsdg_analysis::target`]. The greatest number of lanes is tried
//!    first.
//! 4. **Emission** (`emit`): values that are used elsewhere too are extracted.
//!
//! Every lane computes what its scalar did, and nothing else is executed. Flags, alignments and type-based tags are those that all members
//! have. No member depends on another one, because each vector operation is at the place of its last member in an order in which
//! operands come first, and a tree with a use in between is left alone.
//!
//! Statistics: `trees`; `loads` and `operations` that are vectors now, `mixed` ones of two operations among these; `picked` vectors
//! with lanes in another order, `gathered` ones of which lanes are inserted; `extracted` lanes.
//!
//! Cost: linear in the nodes of a region; a tree has at most [`MAX_BUNDLES`] bundles, and stores and loads are compared with at most
//! [`MAX_WINDOW`] others.
//!
//! Left out: reductions of lanes to one value; bundles of different operations, except of sums and differences; pointers; lanes of
//! values that are vectors; narrower vectors than 64 bits.
//!
//! Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia Instruction Sets" (PLDI 2000).

mod accesses;
mod cost;
mod emit;
mod tree;

use rustc_hash::FxHashMap;
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::target::{Target, scalar_bits};
use rvsdg_core::{Graph, Node, Op, Origin, Region};

use crate::pass::{BodyPass, Change, PassCx, Stage};

use accesses::Accesses;
use tree::{Lanes, Tree};

/// The maximum number of bundles of a tree.
pub const MAX_BUNDLES: usize = 64;

/// The maximum number of loads and stores among which order may change.
pub const MAX_WINDOW: usize = 256;

/// The width in bits of the narrowest vectors.
const NARROWEST: u32 = 64;

/// The stage of [superword-level parallelism](self).
pub struct Superwords;

impl BodyPass for Superwords {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let stores = graph.all_nodes().filter(|&node| matches!(graph.op(node), Some(Op::Store(_)))).take(2).count();
        if stores < 2 {
            return Change::Unchanged;
        }
        let Ok(target) = Target::of(graph.pool(), cx.surroundings()) else { return Change::Unchanged };
        let mut numbers = Numbering::new(graph, |_, _| ());
        let objects = Objects::new(graph, &numbers, cx.surroundings());
        let mut regions = vec![graph.root()];
        let nodes: Vec<Node> = graph.all_nodes().collect();
        regions.extend(nodes.iter().flat_map(|&node| graph.subregions(node)));
        let mut change = Change::Unchanged;
        for region in regions {
            let mut accesses = Accesses::of(graph, &mut numbers, &objects, region);
            let runs = accesses.runs(graph);
            if runs.is_empty() {
                continue;
            }
            let mut around = Around::of(graph, region, &objects, target, cx);
            for run in runs {
                change |= around.vectorize(graph, &mut numbers, &mut accesses, run);
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Superwords))]
}

/// By how much the execution of a region gets cheaper, in units of [`rvsdg_analysis::target`], if its neighbouring elements are vectors.
pub(crate) fn saved(
    graph: &Graph,
    region: Region,
    numbers: &mut Numbering,
    objects: &Objects<'_>,
    target: Target,
    cx: &PassCx,
) -> u32 {
    let accesses = Accesses::of(graph, numbers, objects, region);
    let runs = accesses.runs(graph);
    if runs.is_empty() {
        return 0;
    }
    let around = Around::of(graph, region, objects, target, cx);
    let by_lanes = |run: &[Node], lanes: usize| -> u32 {
        run.chunks_exact(lanes)
            .filter_map(|stores| around.tree(graph, numbers, &accesses, stores))
            .map(|(_, gain)| gain)
            .sum()
    };
    runs.iter().map(|run| around.sizes(graph, run).map(|lanes| by_lanes(run, lanes)).max().unwrap_or(0)).sum()
}

/// What is known about a region.
struct Around<'a> {
    region: Region,
    /// Positions of its nodes, each after the producers of its inputs, also once trees became vectors: those are at the position of their
    /// last member, or of the first one for loads. Nodes that were added have none.
    order: FxHashMap<Node, usize>,
    /// Vectors that were added, by their lanes.
    known: FxHashMap<Lanes<Origin>, Origin>,
    objects: &'a Objects<'a>,
    target: Target,
    cx: &'a PassCx,
}

impl<'a> Around<'a> {
    fn of(graph: &Graph, region: Region, objects: &'a Objects<'a>, target: Target, cx: &'a PassCx) -> Self {
        let sorted = graph.topological(region).into_iter();
        let order = sorted.enumerate().map(|(index, node)| (node, index)).collect();
        Around { region, order, known: FxHashMap::default(), objects, target, cx }
    }

    /// The width of a value in a lane.
    fn bits(&self, graph: &Graph, value: Origin) -> u32 {
        scalar_bits(graph.pool(), graph.ty(value)).unwrap_or(64)
    }

    /// How many of these stores may be one, the greatest number first.
    fn sizes(&self, graph: &Graph, stores: &[Node]) -> impl Iterator<Item = usize> + use<> {
        let bits = self.bits(graph, graph.input(stores[0], 0));
        let most = self.target.register_bits / bits;
        let halves = std::iter::successors(Some(most), |lanes| Some(lanes / 2));
        halves.take_while(move |&lanes| lanes >= 2 && lanes * bits >= NARROWEST).map(|lanes| lanes as usize)
    }

    /// Makes trees of stores in the order of addresses vectors.
    fn vectorize(
        &mut self,
        graph: &mut Graph,
        numbers: &mut Numbering,
        accesses: &mut Accesses,
        mut stores: Vec<Node>,
    ) -> Change {
        let mut change = Change::Unchanged;
        for lanes in self.sizes(graph, &stores) {
            let mut start = 0;
            while let Some(some) = stores.get(start..start + lanes) {
                match self.tree(graph, numbers, accesses, some) {
                    Some((tree, _)) if self.cx.rewrite("trees", graph, tree.last) => {
                        emit::emit(graph, self, numbers, accesses, tree);
                        change = Change::Changed;
                        stores.drain(start..start + lanes);
                    }
                    _ => start += 1,
                }
            }
        }
        change
    }

    /// The tree of stores, in the order of addresses, if they are consecutive, and it may become vectors and is cheaper; and by how much.
    fn tree(&self, graph: &Graph, numbers: &Numbering, accesses: &Accesses, stores: &[Node]) -> Option<(Tree, u32)> {
        // Stores between them may be part of another tree.
        let span = stores.last().and_then(|&last| accesses.elements_between(graph, stores[0], last));
        if span != Some(stores.len() as i64 - 1) || !accesses.may_sink(graph, numbers, self.objects, stores) {
            return None;
        }
        let tree = Tree::of(graph, self, numbers, accesses, stores)?;
        let gain = cost::gain(graph, self, &tree);
        (gain > 0).then_some((tree, gain.unsigned_abs() as u32))
    }
}
