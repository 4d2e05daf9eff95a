//! All bodies that differ from a given one in one place.

use rvsdg_core::fold::{self, Int, parts};
use rvsdg_core::op::{
    BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, IntPredicate, MatchTable, MemAccess,
};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Const, Constant, Graph, Module, Node, Op, Origin, Pool, Type, TypeKind};

use super::{gep_flags, kin, possible};

/// One change of a body.
enum Change {
    /// Another operation.
    Op(Op),
    /// Two operands exchanged.
    Exchange(usize, usize),
    /// Another operand.
    Operand(usize, Origin),
    /// One more use of the value.
    Use,
}

/// Applies change `number` to each body of a module: a constant becomes a boundary value, a flag, a relation or a kind of operation
/// changes, operands are exchanged or replaced by an argument, or a value gets one more use. A body in which that breaks an invariant
/// stays as it is. Returns whether a body has so many changes.
pub fn change_module(module: &mut Module, number: usize) -> bool {
    let mut changed = false;
    for body in module.bodies.values_mut() {
        let Some(graph) = body.graph_mut() else { continue };
        if let Some((node, change)) = changes(graph).into_iter().nth(number) {
            let original = graph.clone();
            apply(graph, node, change);
            if !verify_graph(graph).is_empty() {
                *graph = original;
            }
            changed = true;
        }
    }
    changed
}

fn changes(graph: &Graph) -> Vec<(Node, Change)> {
    let mut found = Vec::new();
    for node in graph.all_nodes() {
        let Some(op) = graph.op(node) else { continue };
        let output = graph.outputs(node).first().copied();
        found.extend(
            ops(graph.pool(), op, output.map(|output| graph.ty(output))).into_iter().map(|op| (node, Change::Op(op))),
        );
        let ty = |index: usize| graph.ty(graph.input(node, index));
        let is_value = |ty: Type| !ty.is_state() && !matches!(graph.pool().type_kind(ty), TypeKind::Ctl(_));
        let values: Vec<usize> = (0..graph.inputs(node).len()).filter(|&index| is_value(ty(index))).collect();
        for pair in values.windows(2) {
            if ty(pair[0]) == ty(pair[1]) {
                found.push((node, Change::Exchange(pair[0], pair[1])));
            }
        }
        let arguments = graph.arguments(graph.region_of(node));
        for &index in &values {
            let others =
                arguments.iter().filter(|&&other| graph.ty(other) == ty(index) && other != graph.input(node, index));
            found.extend(others.map(|&other| (node, Change::Operand(index, other))));
        }
        let is_kept = |ty: Type| match graph.pool().type_kind(ty) {
            TypeKind::Int(_) | TypeKind::Ptr(_) | TypeKind::Vector { scalable: false, .. } => true,
            kind => kind.is_float(),
        };
        if graph.region_of(node) == graph.root() && output.is_some_and(|output| is_kept(graph.ty(output))) {
            found.push((node, Change::Use));
        }
    }
    found
}

fn apply(graph: &mut Graph, node: Node, change: Change) {
    match change {
        Change::Op(op) => graph.set_op(node, op),
        Change::Exchange(a, b) => {
            let (first, second) = (graph.input(node, a), graph.input(node, b));
            let (one, other) = (graph.inputs(node)[a], graph.inputs(node)[b]);
            graph.divert(one, second);
            graph.divert(other, first);
        }
        Change::Operand(index, origin) => {
            let user = graph.inputs(node)[index];
            graph.divert(user, origin);
        }
        Change::Use => keep(graph, graph.output(node, 0)),
    }
}

/// Stores a value of the outermost region into an object of its own.
fn keep(graph: &mut Graph, value: Origin) {
    let root = graph.root();
    let Some(position) = (0..graph.results(root).len()).find(|&index| graph.ty(graph.result(root, index)) == Type::MEM)
    else {
        return;
    };
    let (memory, ty) = (graph.result(root, position), graph.ty(value));
    let one = graph.pool().int_const(Type::I32, 1);
    let one = graph.add_simple(root, Op::Const(one), &[], &[Type::I32]);
    let op = Op::Alloca { ty, align_log2: 4, in_alloca: false, swift_error: false };
    let object = graph.add_simple(root, op, &[graph.output(one, 0), memory], &[Type::PTR, Type::MEM]);
    let inputs = [value, graph.output(object, 0), graph.output(object, 1)];
    let store = graph.add_simple(root, Op::Store(MemAccess::plain(0)), &inputs, &[Type::MEM]);
    graph.divert(graph.results(root)[position], graph.output(store, 0));
}

/// The operation with one thing in it changed.
fn ops(pool: &Pool, op: Op, ty: Option<Type>) -> Vec<Op> {
    let fast = |flags: FastMath| (0..7).map(move |bit| FastMath::from_bits(flags.bits() ^ 1 << bit));
    match op {
        Op::Const(constant) => {
            ty.map_or_else(Vec::new, |ty| constants(pool, constant, ty)).into_iter().map(Op::Const).collect()
        }
        Op::IntBinary { op, flags } => {
            let others = kin(op).iter().filter(|&&other| other != op);
            let others = others.map(|&other| Op::IntBinary { op: other, flags: flags & possible(other) });
            others.chain(toggled(flags, possible(op)).map(|flags| Op::IntBinary { op, flags })).collect()
        }
        Op::FloatBinary { op, flags } => {
            use FloatBinary::{FAdd, FDiv, FMul, FSub};
            let others = [FAdd, FSub, FMul, FDiv].into_iter().filter(|&other| other != op);
            let others = others.map(|op| Op::FloatBinary { op, flags });
            others.chain(fast(flags).map(|flags| Op::FloatBinary { op, flags })).collect()
        }
        Op::FNeg(flags) => fast(flags).map(Op::FNeg).collect(),
        Op::Select(flags) if ty.is_some_and(|ty| pool.type_kind(ty).is_float()) => {
            fast(flags).map(Op::Select).collect()
        }
        Op::ICmp { predicate, same_sign } => {
            let others = IntPredicate::ALL.iter().filter(|&&other| other != predicate);
            let others = others.map(|&predicate| Op::ICmp { predicate, same_sign });
            others.chain([Op::ICmp { predicate, same_sign: !same_sign }]).collect()
        }
        Op::FCmp { predicate, flags } => {
            let others = FloatPredicate::ALL.iter().filter(|&&other| other != predicate);
            let others = others.map(|&predicate| Op::FCmp { predicate, flags });
            others.chain(fast(flags).map(|flags| Op::FCmp { predicate, flags })).collect()
        }
        Op::Cast { op, flags } => {
            let plain = CastFlags { nneg: false, ..flags };
            let negated = Op::Cast { op, flags: CastFlags { nneg: !flags.nneg, ..flags } };
            let wraps = toggled(flags.wrap, BinaryFlags::NUW | BinaryFlags::NSW);
            match op {
                CastOp::ZExt => vec![Op::Cast { op: CastOp::SExt, flags: plain }, negated],
                CastOp::SExt => vec![Op::Cast { op: CastOp::ZExt, flags }],
                CastOp::UIToFP => vec![Op::Cast { op: CastOp::SIToFP, flags: plain }, negated],
                CastOp::SIToFP => vec![Op::Cast { op: CastOp::UIToFP, flags }],
                CastOp::FPToUI => vec![Op::Cast { op: CastOp::FPToSI, flags }],
                CastOp::FPToSI => vec![Op::Cast { op: CastOp::FPToUI, flags }],
                CastOp::Trunc => wraps.map(|wrap| Op::Cast { op, flags: CastFlags { wrap, ..flags } }).collect(),
                _ => Vec::new(),
            }
        }
        Op::Match(table) => {
            let table = pool.table(table);
            let others = (0..table.alternatives).filter(|&other| other != table.default);
            others.map(|default| Op::Match(pool.intern_table(MatchTable { default, ..table.clone() }))).collect()
        }
        Op::Gep { source, flags } => gep_flags(flags).map(|flags| Op::Gep { source, flags }).collect(),
        Op::ShuffleVector(mask) => {
            let mask = pool.indices(mask);
            let changed = |at: usize, lane: u32| {
                let mut lanes = mask.to_vec();
                lanes[at] = lane;
                Op::ShuffleVector(pool.intern_indices(&lanes))
            };
            let lanes = [0, 1, 2 * mask.len() as u32 - 1, u32::MAX];
            (0..mask.len()).flat_map(|at| lanes.map(|lane| (at, lane))).map(|(at, lane)| changed(at, lane)).collect()
        }
        _ => Vec::new(),
    }
}

/// The flags with one of the possible ones set or not.
fn toggled(flags: BinaryFlags, possible: BinaryFlags) -> impl Iterator<Item = BinaryFlags> {
    let bits = (0..BinaryFlags::NAMES.len()).map(|bit| 1 << bit).filter(move |bit| possible.bits() & bit != 0);
    bits.map(move |bit| BinaryFlags::from_bits(flags.bits() ^ bit))
}

/// Numbers next to a constant, and those at which something ends.
fn constants(pool: &Pool, constant: Const, ty: Type) -> Vec<Const> {
    let mut found: Vec<Const> = Vec::new();
    if let Some(value) = fold::splat_int(pool, constant) {
        let (one, wide) = (value.with(1), u128::from(value.bits()));
        let least = 1u128 << (value.bits() - 1);
        let near = [value.add(one), value.sub(one), value.neg(), value.not()].map(Int::unsigned);
        let ends = [0, 1, 2, u128::MAX, least, least - 1, wide - 1, wide];
        found.extend(near.into_iter().chain(ends).filter_map(|number| fold::splat_const(pool, ty, number)));
    } else if let Some((kind, bits)) = fold::splat_real(pool, constant) {
        let lane = parts::lane_type(pool, ty).unwrap_or(ty);
        let near = [kind.with_sign(bits, !kind.is_negative(bits)), bits ^ 1, 0, kind.with_sign(0, true)];
        let small = [kind.small(1, false), kind.small(1, true), kind.small(2, false)].into_iter().flatten();
        for bits in near.into_iter().chain(small) {
            let number = pool.intern_const(Constant::Float { ty: lane, bits });
            found.extend(if lane == ty { Some(number) } else { parts::splat_of(pool, ty, number) });
        }
    }
    found.push(pool.poison(ty));
    let mut distinct = Vec::new();
    for other in found {
        if other != constant && !distinct.contains(&other) {
            distinct.push(other);
        }
    }
    distinct
}
