//! Finds loops that fill and copy memory.

use std::sync::Arc;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::evolution::{Address, Evolution};
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::memory::{Location, Objects, bits_in_memory, states};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::layout::Layouts;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Pool, Type, Use};

use super::MAX_ACCESSES;

/// The stores of a loop that are replaced.
pub(super) struct Idiom {
    pub theta: Theta,
    pub writes: Vec<Write>,
}

/// A store that is replaced.
#[derive(Clone)]
pub(super) struct Write {
    pub store: Node,
    pub what: What,
}

/// The value of a store.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The same constant byte everywhere.
    Byte(u8),
    /// An invariant byte.
    Value,
    /// The value of a load from other memory.
    Copy(Node),
    /// The value of a load, possibly from the same memory.
    Move(Node),
}

/// A load or store of a loop.
struct Access {
    node: Node,
    is_store: bool,
    size: i64,
    address: Address,
}

/// The idioms of a body. `surroundings` are requested if alias analysis needs them.
pub(super) fn idioms(
    graph: &Graph,
    layouts: &mut Layouts,
    mut surroundings: impl FnMut() -> Option<Arc<Surroundings>>,
) -> Vec<Idiom> {
    let mut found: Vec<(Theta, Vec<Access>, Vec<Write>)> = Vec::new();
    for node in structural_bottom_up(graph) {
        let Some(theta) = Theta::new(graph, node) else { continue };
        let Some(nodes) = accesses(graph, theta) else { continue };
        if !nodes.iter().any(|&node| matches!(graph.op(node), Some(Op::Store(_)))) {
            continue;
        }
        let evolution = Evolution::of(graph, theta);
        let Some(repetitions) = evolution.repetitions(graph, Some(layouts.data())) else { continue };
        if !repetitions.is_exact(repetitions.known_iterations(graph, theta)) {
            continue;
        }
        let accesses = nodes.into_iter().map(|node| access(graph, &evolution, layouts, node));
        let Some(accesses) = accesses.collect::<Option<Vec<Access>>>() else { continue };
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

/// The loads and stores of a loop without other operations with states, in order.
fn accesses(graph: &Graph, theta: Theta) -> Option<Vec<Node>> {
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
                let (Some(Op::Load(access) | Op::Store(access)), true) = (graph.op(node), found.len() < MAX_ACCESSES)
                else {
                    return None;
                };
                if !access.is_plain() && !seeded::is_active(Bug::IdmAtomic) {
                    return None;
                }
                found.push(node);
                state = states::after(graph, node)?;
            }
        }
    }
}

fn access(graph: &Graph, evolution: &Evolution, layouts: &mut Layouts, node: Node) -> Option<Access> {
    let is_store = matches!(graph.op(node), Some(Op::Store(_)));
    let ty = if is_store { graph.ty(graph.input(node, 0)) } else { graph.ty(graph.output(node, 0)) };
    let address = evolution.address(graph, layouts, graph.input(node, usize::from(is_store)))?;
    let whole = bits_in_memory(graph.pool(), ty).is_some() || ty == Type::PTR;
    let layout = layouts.of(graph.pool(), ty).ok()?;
    // A type that is not whole bytes without padding is an access too, but is not replaced.
    let size = if whole && layout.size == layout.store { i64::try_from(layout.size).ok()? } else { 0 };
    Some(Access { node, is_store, size, address })
}

/// How far an address moves in each iteration.
fn stride(address: &Address) -> Option<i64> {
    i64::try_from(address.distance.step()?.known()?.signed()).ok()
}

/// The replacement of a store, if nothing else in the loop accesses the same memory.
fn write(graph: &Graph, evolution: &Evolution, accesses: &[Access], index: usize) -> Option<Write> {
    let access = &accesses[index];
    let stride = stride(&access.address)?;
    if !access.is_store || access.size == 0 || stride.unsigned_abs() != access.size.unsigned_abs() {
        return None;
    }
    let value = graph.input(access.node, 0);
    let store = access.node;
    if let Some(constant) = known_constant(graph, value) {
        let byte = bytes_of(graph.pool(), constant)?;
        return Some(Write { store, what: What::Byte(byte) });
    }
    if evolution.invariants().is_available(graph, value) {
        return (access.size == 1 && graph.ty(value) == graph.pool().int(8))
            .then_some(Write { store, what: What::Value });
    }
    let load = graph.producer(value).filter(|_| graph.has_one_user(value))?;
    let source = accesses[..index].iter().find(|access| access.node == load && !access.is_store)?;
    let same_way = self::stride(&source.address)? == stride && source.size == access.size;
    same_way.then_some(Write { store, what: What::Copy(load) })
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
fn place(graph: &Graph, numbers: &mut Numbering, access: &Access) -> Location {
    let base = access.address.base;
    let start = match Theta::loop_var_of_argument(graph, base) {
        Some((_, variable)) => graph.origin(variable.input),
        None => base,
    };
    Location { addr: numbers.get(graph, start), ty: Type::VOID }
}

/// The write, if no other access of the loop is to the memory that it writes, and no store is to the memory that it reads.
fn independent(
    accesses: &[Access],
    places: &[Location],
    write: Write,
    apart: impl Fn(usize, usize) -> bool,
) -> Option<Write> {
    let position = |node: Node| accesses.iter().position(|access| access.node == node);
    let store = position(write.store)?;
    let load = match write.what {
        What::Copy(load) | What::Move(load) => Some(position(load)?),
        What::Byte(_) | What::Value => None,
    };
    let others = || (0..accesses.len()).filter(|&other| other != store && Some(other) != load);
    if !others().all(|other| apart(store, other)) && !seeded::is_active(Bug::IdmOthers) {
        return None;
    }
    let Some(load) = load else { return Some(write) };
    if !others().filter(|&other| accesses[other].is_store).all(|other| apart(load, other)) {
        return None;
    }
    if apart(store, load) {
        return Some(write);
    }
    // An iteration may read what an earlier one wrote, unless the destination is after the source.
    let (to, from) = (&accesses[store].address, &accesses[load].address);
    let ahead = i64::try_from(to.distance.start().minus(from.distance.start()).known()?.signed()).ok()?;
    let is_behind = ahead.checked_mul(stride(to)?)? < 0 || seeded::is_active(Bug::IdmOverlap);
    (places[store] == places[load] && is_behind).then_some(Write { what: What::Move(accesses[load].node), ..write })
}

/// The pointer that an access accesses, in the body.
pub(super) fn pointer(graph: &Graph, access: Node) -> Origin {
    let is_store = matches!(graph.op(access), Some(Op::Store(_)));
    graph.input(access, usize::from(is_store))
}
