//! What a tree costs as vectors and as scalars.

use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::{Graph, Origin, Type};

use super::Around;
use super::tree::{Bundle, Form, Tree};

/// By how much a tree is cheaper as vectors.
pub(super) fn gain(graph: &Graph, around: &Around<'_>, tree: &Tree) -> i64 {
    let costs = Costs { graph, around, lanes: tree.stores.len() as u32 };
    let stores = costs.access(graph.ty(graph.input(tree.stores[0], 0)));
    let bundles: i64 = tree.bundles.iter().map(|bundle| costs.bundle(bundle)).sum();
    let extracted = tree.extracted.iter().map(|&(bundle, lane)| costs.extracting(&tree.bundles[bundle], lane));
    stores + bundles - extracted.sum::<i64>()
}

struct Costs<'c> {
    graph: &'c Graph,
    around: &'c Around<'c>,
    lanes: u32,
}

impl Costs<'_> {
    /// By how much a bundle is cheaper as a vector.
    fn bundle(&self, bundle: &Bundle) -> i64 {
        let (graph, target) = (self.graph, self.around.target);
        let pool = graph.pool();
        let ty = graph.ty(bundle.lanes[0]);
        match &bundle.form {
            &Form::Op { ref nodes, op, .. } => {
                let from = graph.input_origins(nodes[0]).last().map_or(ty, |from| graph.ty(from));
                self.saved(|lanes| target.cost(pool, op, from, ty, lanes))
            }
            Form::Mixed { ops, .. } => {
                let cost = |op, lanes| target.cost(pool, op, ty, ty, lanes);
                let blended = match self.bits(ty) {
                    64 => 1,
                    32 => 2,
                    bits => target.shuffle_cost(self.lanes, bits, false),
                };
                let both: u32 = ops.iter().map(|&op| cost(op, self.lanes)).sum();
                i64::from(self.lanes * cost(ops[0], 1)) - i64::from(both + blended)
            }
            &Form::Intrinsic { which, .. } => self.saved(|lanes| target.intrinsic_cost(which, lanes, self.bits(ty))),
            Form::Load { .. } => self.access(ty),
            Form::Picked { .. } => -i64::from(match self.bits(ty) {
                32 | 64 => target.registers_for(self.lanes, self.bits(ty)),
                bits => target.shuffle_cost(self.lanes, bits, false),
            }),
            Form::Known(_) => 0,
            Form::Constant(_) => -i64::from(!self.is_float(ty)),
            // It is computed before the loop.
            Form::Splat | Form::Gathered if self.is_invariant(&bundle.lanes) => 0,
            Form::Splat => -1 - i64::from(!self.is_float(ty)),
            Form::Gathered => -self.gathering(&bundle.lanes),
        }
    }

    /// Whether values are from before the innermost loop.
    fn is_invariant(&self, lanes: &[Origin]) -> bool {
        let is_known = |lane| known_constant(self.graph, lane).is_some() || follow_out(self.graph, lane).1;
        lanes.iter().all(|&lane| is_known(lane))
    }

    /// The difference between the cost of one operation for each lane and that of one for all.
    fn saved(&self, cost: impl Fn(u32) -> u32) -> i64 {
        i64::from(self.lanes) * i64::from(cost(1)) - i64::from(cost(self.lanes))
    }

    /// By how much a load or store of a vector is cheaper.
    fn access(&self, ty: Type) -> i64 {
        self.saved(|lanes| self.around.target.access_cost(lanes, self.bits(ty)))
    }

    /// The cost of inserting lanes: the lowest one of floats is where it is needed.
    fn gathering(&self, lanes: &[Origin]) -> i64 {
        let ty = self.graph.ty(lanes[0]);
        if self.is_float(ty) {
            return i64::from(self.lanes) - 1;
        }
        let moves = if self.bits(ty) == 64 { self.lanes - 1 } else { 0 };
        i64::from(self.around.target.one_by_one_cost(self.lanes, self.bits(ty)) + moves)
    }

    /// The cost of extracting a lane.
    fn extracting(&self, bundle: &Bundle, lane: u32) -> i64 {
        i64::from(lane > 0) + i64::from(!self.is_float(self.graph.ty(bundle.lanes[0])))
    }

    fn bits(&self, ty: Type) -> u32 {
        scalar_bits(self.graph.pool(), ty).unwrap_or(64)
    }

    fn is_float(&self, ty: Type) -> bool {
        self.graph.pool().type_kind(ty).is_float()
    }
}
