//! Finds loops that fill and copy memory.

use std::sync::Arc;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::evolution::{Address, Evolution};
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::memory::{Location, Objects, Transfer, bits_in_memory, states};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::layout::Layouts;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Pool, Type, Use};

use super::MAX_ACCESSES;

/// A call does not pay for at most this many iterations.
const FEW: u128 = 16;

/// The writes of a loop that are replaced.
pub(super) struct Idiom {
    pub theta: Theta,
    pub writes: Vec<Write>,
}

/// A write that is replaced.
#[derive(Copy, Clone)]
pub(super) struct Write {
    pub to: Access,
    pub what: What,
}

/// What a loop writes.
#[derive(Copy, Clone)]
pub(super) enum What {
    /// The same constant byte everywhere.
    Byte(u8),
    /// An invariant byte.
    Value(Origin),
    /// What it reads from other memory.
    Copy(Access),
    /// What it reads, possibly from the same memory.
    Move(Access),
}

/// The memory that a load, store, fill or copy reads or writes. A copy is two accesses.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Access {
    pub node: Node,
    pub is_write: bool,
    pub pointer: Origin,
    /// Zero if it is not whole bytes without padding.
    pub size: i64,
    pub align_log2: u8,
}

/// An access and how its address changes.
struct Moving {
    access: Access,
    address: Address,
}

/// The idioms of a body. `surroundings` are requested if the body has a call in a loop, or alias analysis needs them.
pub(super) fn idioms(
    graph: &Graph,
    layouts: &mut Layouts,
    mut surroundings: impl FnMut() -> Option<Arc<Surroundings>>,
) -> Vec<Idiom> {
    let mut found: Vec<(Theta, Vec<Moving>, Vec<Write>)> = Vec::new();
    for theta in loops_bottom_up(graph) {
        let Some(accesses) = accesses(graph, layouts, theta, &mut surroundings) else { continue };
        if !accesses.iter().any(|access| access.is_write) {
            continue;
        }
        let evolution = Evolution::of(graph, theta);
        let Some(repetitions) = evolution.repetitions(graph, Some(layouts.data())) else { continue };
        let known = repetitions.known_iterations(graph, theta);
        let is_short = || evolution.iterations_at_most(graph, Some(layouts.data())).is_some_and(|most| most <= FEW);
        if !repetitions.is_exact(known) || known.is_none() && is_short() {
            continue;
        }
        let moving = accesses.into_iter().map(|access| {
            let address = evolution.address(graph, layouts, access.pointer)?;
            Some(Moving { access, address })
        });
        let Some(accesses) = moving.collect::<Option<Vec<Moving>>>() else { continue };
        let writes: Vec<Write> =
            (0..accesses.len()).filter_map(|index| write(graph, &evolution, &accesses, index)).collect();
        if !writes.is_empty() {
            found.push((theta, accesses, writes));
        }
    }
    if found.iter().all(|(_, accesses, _)| accesses.len() == 1) {
        return found.into_iter().map(|(theta, _, writes)| Idiom { theta, writes }).collect();
    }
    let surroundings = surroundings();
    let mut numbers = Numbering::new(graph, |_, _| {});
    let objects = Objects::new(graph, &numbers, surroundings.as_deref());
    found
        .into_iter()
        .map(|(theta, accesses, writes)| {
            let places: Vec<Location> = accesses.iter().map(|access| place(graph, &mut numbers, access)).collect();
            let apart = |a: usize, b: usize| objects.are_disjoint(graph, &numbers, places[a], places[b]);
            let writes = writes.into_iter().filter_map(|write| independent(&accesses, &places, write, apart)).collect();
            Idiom { theta, writes }
        })
        .filter(|idiom| !idiom.writes.is_empty())
        .collect()
}

/// The accesses of a loop without other operations with states, in order.
fn accesses(
    graph: &Graph,
    layouts: &mut Layouts,
    theta: Theta,
    surroundings: &mut impl FnMut() -> Option<Arc<Surroundings>>,
) -> Option<Vec<Access>> {
    let body = theta.body(graph);
    if theta.loop_vars(graph).any(|variable| graph.ty(variable.pre) == Type::IO) {
        return None;
    }
    let mut state = states::start(graph, body)?;
    let mut found = Vec::new();
    loop {
        match states::user(graph, state)? {
            Use::Result(..) => return Some(found),
            Use::Input(node, _) => {
                match graph.op(node)? {
                    Op::Load(_) | Op::Store(_) => found.push(access(graph, layouts, node)?),
                    Op::Call(_) => {
                        let transfer = Transfer::of(graph, surroundings().as_deref(), node)?;
                        let size = i64::try_from(transfer.len).ok()?;
                        let [to, from] = transfer.align_log2;
                        let of = |is_write, pointer, align_log2| Access { node, is_write, pointer, size, align_log2 };
                        found.extend(transfer.from.map(|source| of(false, source, from)));
                        found.push(of(true, transfer.to, to));
                    }
                    _ => return None,
                }
                if found.len() > MAX_ACCESSES {
                    return None;
                }
                state = states::after(graph, node)?;
            }
        }
    }
}

/// The access of a load or store that is neither volatile nor atomic.
fn access(graph: &Graph, layouts: &mut Layouts, node: Node) -> Option<Access> {
    let (Op::Load(access) | Op::Store(access)) = graph.op(node)? else { return None };
    if !access.is_plain() && !seeded::is_active(Bug::IdmAtomic) {
        return None;
    }
    let is_write = matches!(graph.op(node), Some(Op::Store(_)));
    let ty = if is_write { graph.ty(graph.input(node, 0)) } else { graph.ty(graph.output(node, 0)) };
    let pointer = graph.input(node, usize::from(is_write));
    let whole = bits_in_memory(graph.pool(), ty).is_some() || ty == Type::PTR;
    let layout = layouts.of(graph.pool(), ty).ok()?;
    // A type that is not whole bytes without padding is an access too, but is not replaced.
    let size = if whole && layout.size == layout.store { i64::try_from(layout.size).ok()? } else { 0 };
    Some(Access { node, is_write, pointer, size, align_log2: access.align_log2 })
}

/// How far an address moves in each iteration.
fn stride(address: &Address) -> Option<i64> {
    i64::try_from(address.distance.step()?.known()?.signed()).ok()
}

/// The replacement of a write, if nothing else in the loop accesses the same memory.
fn write(graph: &Graph, evolution: &Evolution, accesses: &[Moving], index: usize) -> Option<Write> {
    let Moving { access: to, address } = &accesses[index];
    let stride = stride(address)?;
    if !to.is_write || to.size == 0 || stride.unsigned_abs() != to.size.unsigned_abs() {
        return None;
    }
    let is_source = |source: &&Moving| !source.access.is_write && source.access.size == to.size;
    let from = |load: Node| accesses[..index].iter().filter(is_source).find(|source| source.access.node == load);
    let same_way = |source: &Moving| self::stride(&source.address) == Some(stride);
    if let Some(source) = from(to.node) {
        return same_way(source).then_some(Write { to: *to, what: What::Copy(source.access) });
    }
    let is_fill = matches!(graph.op(to.node), Some(Op::Call(_)));
    let value = graph.input(to.node, if is_fill { 2 } else { 0 });
    if let Some(constant) = known_constant(graph, value) {
        let byte = bytes_of(graph.pool(), constant)?;
        return Some(Write { to: *to, what: What::Byte(byte) });
    }
    if evolution.invariants().is_available(graph, value) {
        let is_byte = graph.ty(value) == graph.pool().int(8);
        return is_byte.then_some(Write { to: *to, what: What::Value(value) });
    }
    let source = from(graph.producer(value).filter(|_| graph.has_one_user(value))?)?;
    same_way(source).then_some(Write { to: *to, what: What::Copy(source.access) })
}

/// The byte of which a constant consists.
fn bytes_of(pool: &Pool, constant: Const) -> Option<u8> {
    let same = |bytes: &[u8]| {
        let (&first, rest) = bytes.split_first()?;
        rest.iter().all(|&byte| byte == first).then_some(first)
    };
    match pool.constant(constant) {
        Constant::Zero(_) => Some(0),
        Constant::Int { ty, words } => {
            let bytes: Vec<u8> = words.as_slice().iter().flat_map(|word| word.to_le_bytes()).collect();
            same(bytes.get(..usize::try_from(bits_in_memory(pool, *ty)? / 8).ok()?)?)
        }
        Constant::Float { ty, bits } => {
            same(bits.to_le_bytes().get(..usize::try_from(bits_in_memory(pool, *ty)? / 8).ok()?)?)
        }
        Constant::Splat { element, .. } => match pool.constant(*element) {
            Constant::Splat { .. } => None,
            _ => bytes_of(pool, *element),
        },
        Constant::Data { bytes, .. } => same(bytes),
        _ => None,
    }
}

/// The object of an access: the base of its address in the first iteration.
fn place(graph: &Graph, numbers: &mut Numbering, access: &Moving) -> Location {
    let base = access.address.base;
    let start = match Theta::loop_var_of_argument(graph, base) {
        Some((_, variable)) => graph.origin(variable.input),
        None => base,
    };
    Location { addr: numbers.get(graph, start), ty: Type::VOID }
}

/// The write, if no other access of the loop is to the memory that it writes, and no write is to the memory that it reads.
fn independent(
    accesses: &[Moving],
    places: &[Location],
    write: Write,
    apart: impl Fn(usize, usize) -> bool,
) -> Option<Write> {
    let position = |access: Access| accesses.iter().position(|moving| moving.access == access);
    let to = position(write.to)?;
    let from = match write.what {
        What::Copy(source) | What::Move(source) => Some((source, position(source)?)),
        What::Byte(_) | What::Value(_) => None,
    };
    let others = || (0..accesses.len()).filter(|&other| other != to && from.is_none_or(|(_, from)| other != from));
    if !others().all(|other| apart(to, other)) && !seeded::is_active(Bug::IdmOthers) {
        return None;
    }
    let Some((source, from)) = from else { return Some(write) };
    if !others().filter(|&other| accesses[other].access.is_write).all(|other| apart(from, other)) {
        return None;
    }
    if apart(to, from) {
        return Some(write);
    }
    // An iteration may read what an earlier one wrote, unless the destination is after the source.
    let (written, read) = (&accesses[to].address, &accesses[from].address);
    let ahead = i64::try_from(written.distance.start().minus(read.distance.start()).known()?.signed()).ok()?;
    let is_behind = ahead.checked_mul(stride(written)?)? < 0 || seeded::is_active(Bug::IdmOverlap);
    (places[to] == places[from] && is_behind).then_some(Write { what: What::Move(source), ..write })
}
