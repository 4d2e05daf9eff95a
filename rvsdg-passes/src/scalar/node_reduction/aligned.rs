//! Alignment of vectors in memory: a machine may combine an operation with a load only if the address is aligned.

use rvsdg_analysis::alignment::is_aligned;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::fold::parts;
use rvsdg_core::op::MemAccess;
use rvsdg_core::{Graph, Node, Op, Type};

use super::driver::Driver;
use crate::pass::PassCx;

/// The logarithm of the size of the smallest vector registers.
const SMALLEST: u8 = 4;

/// Raises the alignment of a load or store of a vector to what is known of the address.
pub(super) fn raise(driver: &mut Driver, graph: &mut Graph, node: Node, op: Op, cx: &PassCx) {
    let raised = |access: MemAccess, ty: Type, address: usize| {
        if !access.is_plain() || parts::lanes(graph.pool(), ty).is_none() {
            return None;
        }
        let surroundings = cx.surroundings()?;
        let mut layouts = surroundings.layouts()?;
        let size = layouts.of(graph.pool(), ty).ok()?.store;
        let address = graph.input(node, address);
        let mut higher = (SMALLEST.max(access.align_log2 + 1)..=size.trailing_zeros() as u8).rev();
        let known = higher.find(|&log2| {
            seeded::is_active(Bug::RedAligned) || is_aligned(graph, Some(surroundings), &mut layouts, address, log2)
        });
        Some(MemAccess { align_log2: known?, ..access })
    };
    let op = match op {
        Op::Load(access) => raised(access, graph.ty(graph.output(node, 0)), 0).map(Op::Load),
        Op::Store(access) => raised(access, graph.ty(graph.input(node, 0)), 1).map(Op::Store),
        _ => None,
    };
    if let Some(op) = op
        && driver.applies(cx, "aligned", graph, node)
    {
        graph.set_op(node, op);
    }
}
