//! Conditional stores.

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::{Node, Op, Origin, Type};

use super::Emission;
use super::strided::element_wise;
use crate::lanes::build;
use crate::module::inline::allocate;

/// With at most this many lanes, whether all or none store is not tested: the outcome is rarely predictable.
const FEW: u32 = 2;

/// The values for one part of a store, in a region.
struct Part {
    memory: Origin,
    value: Origin,
    address: Origin,
    /// A bit for each lane that stores.
    lanes: Origin,
    spare: Origin,
}

impl Part {
    fn of(&[memory, value, address, lanes, spare]: &[Origin; 5]) -> Part {
        Part { memory, value, address, lanes, spare }
    }
}

impl Emission<'_, '_> {
    /// Stores the active lanes: none, all at once, or one by one.
    pub(super) fn store_some(&mut self, node: Node, access: MemAccess) {
        let (value, falls) = (self.graph.input(node, 0), self.plan.falling.contains(&node));
        let (element, lanes) = (self.graph.ty(value), self.lanes);
        let pool = self.graph.pool().clone();
        let (values, masks) = (self.lanes_of(value), self.lanes_of(self.plan.masks[&node]));
        let addresses = self.addresses(self.graph.input(node, 1), element, falls);
        let spare = self.spare();
        for ((value, mask), address) in values.into_iter().zip(masks).zip(addresses) {
            let [value, mask] = [value, mask].map(|vector| if falls { self.turned(vector) } else { vector });
            let chosen = self.inside().cast(CastOp::BitCast, mask, pool.int(lanes));
            let memory = self.memory.expect("what is stored is in memory");
            let inputs = [memory, value, address, chosen, spare];
            if lanes <= FEW {
                let stored = one_by_one(&mut self.inside(), &Part::of(&inputs), access, element, lanes);
                self.memory = Some(stored);
                continue;
            }
            let all = u64::MAX >> (64 - lanes);
            let cases = [(0, 0), (all, 1)].map(|(bits, way)| (pool.int_const(pool.int(lanes), bits), way));
            let default = if seeded::is_active(Bug::VecAllLanes) { 1 } else { 2 };
            let table = MatchTable { cases: Box::new(cases), default, alternatives: 3 };
            let way = self.inside().choose(table, chosen);
            let ways = self.inside().gamma(way, 3);
            for input in inputs {
                ways.add_entry_var(self.graph, input);
            }
            let [none, whole, some] = [0, 1, 2].map(|way| ways.regions(self.graph)[way]);
            let [none, in_whole, in_some] = [none, whole, some].map(|region| {
                let arguments = self.graph.arguments(region);
                Part::of(arguments.first_chunk().expect("each region has all that enters"))
            });
            let op = Op::Store(access);
            let store = Insert::end(self.graph, whole).node(
                op,
                &[in_whole.value, in_whole.address, in_whole.memory],
                &[Type::MEM],
            );
            let stored = one_by_one(&mut Insert::end(self.graph, some), &in_some, access, element, lanes);
            let after = [none.memory, self.graph.output(store, 0), stored];
            self.memory = Some(ways.add_exit_var(self.graph, &after).output);
        }
    }

    /// Memory of the function that nothing reads, large enough for any lane.
    fn spare(&mut self) -> Origin {
        let graph = &mut *self.graph;
        let spare = *self.spare.get_or_insert_with(|| {
            let (root, one) = (graph.root(), graph.pool().int_const(Type::I32, 1));
            let count = graph.add_simple(root, Op::Const(one), &[], &[Type::I32]);
            let op = Op::Alloca { ty: Type::I64, align_log2: 3, in_alloca: false, swift_error: false };
            allocate(graph, op, count, Type::PTR).0
        });
        Router::new().route(graph, spare, self.body)
    }
}

/// Stores each lane to its location or, if it is inactive, to spare memory. Returns the memory state after that.
fn one_by_one(at: &mut Insert<'_>, part: &Part, access: MemAccess, element: Type, lanes: u32) -> Origin {
    let bits = rvsdg_analysis::target::scalar_bits(at.graph().pool(), element).expect("lanes are scalars");
    let size = i64::from(bits / 8);
    let access = element_wise(access, size);
    let mut memory = part.memory;
    for lane in 0..lanes {
        let bit = at.binary_int(IntBinary::And, part.lanes, 1 << lane);
        let zero = at.int(at.ty(bit), 0);
        let stores = at.compare(IntPredicate::Ne, bit, zero);
        let place = at.advance(part.address, i64::from(lane) * size, GepFlags::NONE);
        let place = at.select(stores, place, part.spare);
        let value = build::lane(at, part.value, lane, element);
        let store = at.node(Op::Store(access), &[value, place, memory], &[Type::MEM]);
        memory = at.graph().output(store, 0);
    }
    memory
}
