//! Bodies near a given one: a different number, flag, relation, operation or operand somewhere. The body of a test satisfies the
//! conditions of the rewrite that it was written for; a body near it often fails one of them by one.

mod each;
mod words;

pub use each::change_module;
pub use words::vary_text;

use rvsdg_core::fold::{self, Int, parts};
use rvsdg_core::op::{
    BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, GepFlags, IntBinary, IntPredicate,
    MatchTable, MemAccess,
};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Const, Constant, Graph, Module, Node, Op, Origin, OriginDef, Pool, Type};

use crate::entropy::Entropy;

/// At most this many nodes are tried until one is found that can be changed.
const ATTEMPTS: usize = 8;

/// Changes every body of a module once or twice, if it stays valid by itself; the module may not. The changes of a body follow only from
/// the number and the name of its function.
pub fn vary_module(module: &mut Module, number: u64) {
    let Module { bodies, symbols, .. } = module;
    for body in bodies.values_mut() {
        let name = symbols[body.symbol].name.bytes();
        let seed =
            name.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        let mut entropy = Entropy::seeded(seed ^ number);
        let Some(graph) = body.graph_mut() else { continue };
        let original = graph.clone();
        vary(graph, &mut entropy);
        if entropy.chance(1, 3) {
            vary(graph, &mut entropy);
        }
        if !verify_graph(graph).is_empty() {
            *graph = original;
        }
    }
}

/// Changes a body, if it finds what can be changed.
pub fn vary(graph: &mut Graph, entropy: &mut Entropy<'_>) {
    let simple: Vec<Node> = graph.all_nodes().filter(|&node| graph.op(node).is_some()).collect();
    if simple.is_empty() {
        return;
    }
    for _ in 0..ATTEMPTS {
        let node = entropy.pick(&simple);
        let changed = if entropy.chance(1, 3) {
            other_operand(graph, node, entropy)
        } else {
            other_op(graph, node, entropy).map(|op| graph.set_op(node, op))
        };
        if changed.is_some() {
            return;
        }
    }
}

/// Gives an operation another value of the type of one of its operands, or exchanges two.
fn other_operand(graph: &mut Graph, node: Node, entropy: &mut Entropy<'_>) -> Option<()> {
    let is_value = |ty: Type| !ty.is_state() && !matches!(ty, Type::CTL2);
    let inputs = graph.inputs(node).to_vec();
    let values: Vec<usize> = (0..inputs.len()).filter(|&index| is_value(graph.ty(graph.input(node, index)))).collect();
    if values.is_empty() {
        return None;
    }
    let index = entropy.pick(&values);
    let old = graph.input(node, index);
    let ty = graph.ty(old);
    let alike = |&other: &usize| graph.ty(graph.input(node, other)) == ty && graph.input(node, other) != old;
    let others: Vec<usize> = values.iter().copied().filter(alike).collect();
    if !others.is_empty() && entropy.chance(1, 3) {
        let other = entropy.pick(&others);
        let origin = graph.input(node, other);
        graph.divert(inputs[index], origin);
        graph.divert(inputs[other], old);
        return Some(());
    }
    let region = graph.region_of(node);
    let earlier = graph.topological(region).into_iter().take_while(|&other| other != node);
    let outputs = earlier.flat_map(|other| graph.outputs(other).to_vec());
    let known = graph.arguments(region).iter().copied().chain(outputs);
    let known: Vec<Origin> = known.filter(|&origin| origin != old && graph.ty(origin) == ty).collect();
    if !known.is_empty() && entropy.chance(3, 4) {
        let origin = entropy.pick(&known);
        graph.divert(inputs[index], origin);
        return Some(());
    }
    let OriginDef::Output(..) = graph.def(old) else { return None };
    let constant = any_constant(graph.pool(), ty, entropy)?;
    let made = graph.add_simple(region, Op::Const(constant), &[], &[ty]);
    let origin = graph.output(made, 0);
    graph.divert(inputs[index], origin);
    Some(())
}

/// A number at which something ends.
fn any_constant(pool: &Pool, ty: Type, entropy: &mut Entropy<'_>) -> Option<Const> {
    if entropy.chance(1, 12) {
        return Some(pool.poison(ty));
    }
    let lane = parts::lane_type(pool, ty).unwrap_or(ty);
    let bits = fold::arith::width(pool, lane)?;
    fold::splat_const(pool, ty, end(bits, entropy).unsigned())
}

/// A boundary value of this width: the end of a range, a shift amount, or a power of two.
fn end(bits: u32, entropy: &mut Entropy<'_>) -> Int {
    let wide = u128::from(bits);
    let least = 1u128 << (bits - 1);
    let ends = [0, 1, u128::MAX, least, least - 1, wide - 1, wide, 2, 3, 1 << entropy.below(bits as usize)];
    Int::new(bits, ends[entropy.below(ends.len())])
}

fn other_constant(pool: &Pool, constant: Const, ty: Type, entropy: &mut Entropy<'_>) -> Option<Const> {
    if let Some(value) = fold::splat_int(pool, constant) {
        let one = value.with(1);
        let other = match entropy.below(7) {
            0 => value.add(one),
            1 => value.sub(one),
            2 => value.neg(),
            3 => value.not(),
            4 => value.with(1u128.checked_shl(value.unsigned().min(128) as u32).unwrap_or(0)),
            _ => end(value.bits(), entropy),
        };
        return fold::splat_const(pool, ty, other.unsigned());
    }
    let (kind, bits) = fold::splat_real(pool, constant)?;
    let bits = match entropy.below(7) {
        0 => kind.with_sign(bits, !kind.is_negative(bits)),
        1 => kind.with_sign(0, true),
        2 => 0,
        3 => kind.small(1, false)?,
        4 => kind.small(2, false)?,
        5 => bits ^ 1,
        _ => kind.small(1, true)?,
    };
    let lane = parts::lane_type(pool, ty).unwrap_or(ty);
    let number = pool.intern_const(Constant::Float { ty: lane, bits });
    if lane == ty { Some(number) } else { parts::splat_of(pool, ty, number) }
}

/// The operation with something else in it.
fn other_op(graph: &Graph, node: Node, entropy: &mut Entropy<'_>) -> Option<Op> {
    let pool = graph.pool();
    let fast = |flags: FastMath, entropy: &mut Entropy<'_>| FastMath::from_bits(flags.bits() ^ 1 << entropy.below(7));
    Some(match graph.op(node)? {
        Op::Const(constant) => Op::Const(other_constant(pool, constant, graph.ty(graph.output(node, 0)), entropy)?),
        Op::IntBinary { op, flags } if entropy.chance(1, 2) || flags.is_empty() && entropy.chance(2, 3) => {
            use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
            let all = [Add, Sub, Mul, Shl, LShr, AShr, And, Or, Xor];
            let traps = matches!(op, UDiv | SDiv | URem | SRem);
            let other = if traps || entropy.chance(2, 3) { entropy.pick(kin(op)) } else { entropy.pick(&all) };
            Op::IntBinary { op: other, flags: flags & possible(other) }
        }
        Op::IntBinary { op, flags } => {
            let flags = BinaryFlags::from_bits(flags.bits() ^ 1 << entropy.below(BinaryFlags::NAMES.len()));
            Op::IntBinary { op, flags: flags & possible(op) }
        }
        Op::FloatBinary { op, flags } if entropy.chance(2, 3) => Op::FloatBinary { op, flags: fast(flags, entropy) },
        Op::FloatBinary { flags, .. } => {
            use FloatBinary::{FAdd, FDiv, FMul, FSub};
            Op::FloatBinary { op: entropy.pick(&[FAdd, FSub, FMul, FDiv]), flags }
        }
        Op::FNeg(flags) => Op::FNeg(fast(flags, entropy)),
        Op::ICmp { predicate, same_sign } if entropy.chance(1, 6) => Op::ICmp { predicate, same_sign: !same_sign },
        Op::ICmp { same_sign, .. } => Op::ICmp { predicate: entropy.pick(IntPredicate::ALL), same_sign },
        Op::FCmp { predicate, flags } if entropy.chance(1, 3) => Op::FCmp { predicate, flags: fast(flags, entropy) },
        Op::FCmp { flags, .. } => Op::FCmp { predicate: entropy.pick(FloatPredicate::ALL), flags },
        Op::Cast { op, flags } => {
            let other = match op {
                CastOp::ZExt => CastOp::SExt,
                CastOp::SExt => CastOp::ZExt,
                CastOp::FPToUI => CastOp::FPToSI,
                CastOp::FPToSI => CastOp::FPToUI,
                CastOp::UIToFP => CastOp::SIToFP,
                CastOp::SIToFP => CastOp::UIToFP,
                CastOp::Trunc => {
                    let wrap = flags.wrap.bits() ^ 1 << entropy.below(2);
                    let wrap = BinaryFlags::from_bits(wrap) & possible(IntBinary::Add);
                    return Some(Op::Cast { op, flags: CastFlags { wrap, ..flags } });
                }
                _ => return None,
            };
            let has_nneg = matches!(op, CastOp::ZExt | CastOp::UIToFP);
            if has_nneg && entropy.chance(1, 2) {
                Op::Cast { op, flags: CastFlags { nneg: !flags.nneg, ..flags } }
            } else {
                Op::Cast { op: other, flags: CastFlags { nneg: false, ..flags } }
            }
        }
        Op::Match(table) => {
            let table = pool.table(table);
            let default = entropy.below(table.alternatives as usize) as u32;
            Op::Match(pool.intern_table(MatchTable { default, ..table.clone() }))
        }
        Op::Gep { source, flags } => {
            let others: Vec<GepFlags> = gep_flags(flags).collect();
            Op::Gep { source, flags: entropy.pick(&others) }
        }
        Op::Load(access) if access.nonnull => Op::Load(MemAccess { nonnull: false, ..access }),
        Op::Load(access) => Op::Load(MemAccess { align_log2: access.align_log2.saturating_sub(1), ..access }),
        Op::ShuffleVector(mask) => {
            let mut lanes = pool.indices(mask).to_vec();
            let lane = entropy.below(lanes.len().max(1));
            *lanes.get_mut(lane)? = [0, 1, 2, 3, u32::MAX][entropy.below(5)];
            Op::ShuffleVector(pool.intern_indices(&lanes))
        }
        _ => return None,
    })
}

/// The flags that an operation can have.
fn possible(op: IntBinary) -> BinaryFlags {
    match op {
        IntBinary::Add | IntBinary::Sub | IntBinary::Mul | IntBinary::Shl => BinaryFlags::NUW | BinaryFlags::NSW,
        IntBinary::UDiv | IntBinary::SDiv | IntBinary::LShr | IntBinary::AShr => BinaryFlags::EXACT,
        IntBinary::Or => BinaryFlags::DISJOINT,
        IntBinary::URem | IntBinary::SRem | IntBinary::And | IntBinary::Xor => BinaryFlags::NONE,
    }
}

/// The operations of the kind of one, which take and give the same.
fn kin(op: IntBinary) -> &'static [IntBinary] {
    use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    match op {
        Add | Sub | Mul => &[Add, Sub, Mul],
        UDiv | SDiv | URem | SRem => &[UDiv, SDiv, URem, SRem],
        Shl | LShr | AShr => &[Shl, LShr, AShr],
        And | Or | Xor => &[And, Or, Xor],
    }
}

/// The flags of an address with one of them set or not.
fn gep_flags(flags: GepFlags) -> impl Iterator<Item = GepFlags> {
    (0..GepFlags::NAMES.len()).map(move |bit| {
        let other = GepFlags::from_bits(flags.bits() ^ 1 << bit);
        other | if other.contains(GepFlags::INBOUNDS) { GepFlags::NUSW } else { GepFlags::NONE }
    })
}
