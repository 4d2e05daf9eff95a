//! Replaces objects by an allocation for each piece, and accesses of objects by accesses of pieces.

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::{CallInfo, MemAccess};
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};

use super::objects::{Access, Leaf, Object, Objects, Place, Side, What};
use super::pieces::{Plan, Segment, SegmentKind, set_byte};
use super::uses::part_type;
use super::values;
use crate::pass::PassCx;

/// A piece's allocation.
#[derive(Copy, Clone)]
struct Allocation {
    address: Origin,
    align_log2: u8,
}

/// Replaces objects by their pieces.
pub(super) fn run(graph: &mut Graph, objects: &Objects, plan: &Plan, cx: &PassCx) {
    let claims = claims(graph, objects);
    let mut rewriter = Rewriter {
        graph,
        plan,
        big_endian: objects.data_layout.is_big_endian(),
        router: Router::default(),
        claims,
        allocations: Vec::new(),
        count: 0,
    };
    for (number, object) in objects.list.iter().enumerate() {
        let allocations = if plan.replaces(number) { rewriter.allocate(number, object) } else { Vec::new() };
        rewriter.allocations.push(allocations);
    }
    for access in &objects.accesses {
        rewriter.access(access);
    }
    cx.count("objects", plan.pieces.iter().filter(|pieces| !pieces.is_empty()).count() as u64);
    cx.count("accesses", rewriter.count);
}

/// The largest alignment that accesses claim, by object and first byte.
fn claims(graph: &Graph, objects: &Objects) -> FxHashMap<(usize, u64), u8> {
    let mut claims = FxHashMap::default();
    for access in &objects.accesses {
        if let What::Load(object, leaves) | What::Store(object, leaves) = &access.what
            && let (Some(leaf), Some(access)) = (leaves.first(), access_of(graph, access.node))
        {
            let claim = claims.entry((*object, leaf.begin)).or_default();
            *claim = access.align_log2.max(*claim);
        }
    }
    claims
}

struct Rewriter<'g> {
    graph: &'g mut Graph,
    plan: &'g Plan,
    big_endian: bool,
    router: Router,
    /// The alignment that accesses claim, by object and first byte.
    claims: FxHashMap<(usize, u64), u8>,
    /// The allocations, by object and piece; pieces that are never read have none.
    allocations: Vec<Vec<Option<Allocation>>>,
    /// The number of accesses that were split or removed.
    count: u64,
}

impl Rewriter<'_> {
    /// Makes the allocations of an object's pieces, before its own.
    fn allocate(&mut self, number: usize, object: &Object) -> Vec<Option<Allocation>> {
        let graph = &mut *self.graph;
        let Some(Op::Alloca { in_alloca, swift_error, .. }) = graph.op(object.alloca) else { return Vec::new() };
        let (count, address_type) = (graph.input(object.alloca, 0), graph.ty(graph.output(object.alloca, 0)));
        let mut place = Cursor::at(graph, object.alloca);
        let pool = graph.pool().clone();
        let mut allocations = Vec::new();
        for piece in &self.plan.pieces[number] {
            if !piece.is_read {
                allocations.push(None);
                continue;
            }
            let len = piece.bytes.end - piece.bytes.start;
            let bytes = || pool.intern_type(TypeKind::Array { element: pool.int(8), len });
            let claimed = self.claims.get(&(number, piece.bytes.start)).copied().unwrap_or_default();
            let align_log2 = align_at(object.align_log2, piece.bytes.start).max(claimed);
            let op = Op::Alloca { ty: piece.ty.unwrap_or_else(bytes), align_log2, in_alloca, swift_error };
            let address = place.effect(graph, op, &[count], Some(address_type));
            if let Some(address) = address {
                graph.note_content(address, graph.original_memory(object.alloca, piece.bytes.start));
            }
            allocations.push(address.map(|address| Allocation { address, align_log2 }));
        }
        place.take_state(graph);
        allocations
    }

    fn access(&mut self, access: &Access) {
        let node = access.node;
        match &access.what {
            What::Load(object, leaves) if self.plan.replaces(*object) => self.load(node, *object, leaves),
            What::Store(object, leaves) if self.plan.replaces(*object) => self.store(node, *object, leaves),
            What::Set(place, len) if self.plan.replaces(place.object) => self.set(node, *place, *len),
            What::Copy { to, from, len } if [to, from].iter().any(|&&side| self.plan.inside(side).is_some()) => {
                self.copy(node, *to, *from, *len);
            }
            What::Mark(object) if self.plan.replaces(*object) => self.mark(node, *object),
            What::Load(..) | What::Store(..) | What::Set(..) | What::Copy { .. } | What::Mark(_) => {}
        }
    }

    /// The address of a byte, before a node, and its alignment; `None` in a piece that is never read.
    fn address(&mut self, place: Place, before: Node) -> Option<(Origin, u8)> {
        let index = self.plan.piece_at(place);
        let Allocation { address, align_log2 } = self.allocations[place.object][index]?;
        let region = self.graph.region_of(before);
        let address = self.router.route(self.graph, address, region);
        let offset = place.offset - self.plan.pieces[place.object][index].bytes.start;
        Some((values::advance(self.graph, before, address, offset), align_at(align_log2, offset)))
    }

    /// Redirects an access of one piece to it; returns whether it is such an access.
    fn redirect(&mut self, node: Node, object: usize, leaves: &[Leaf], input: usize) -> bool {
        let [leaf] = leaves else { return false };
        if leaf.path.is_empty() && self.plan.parts(object, leaf).len() == 1 {
            let Some((address, align_log2)) = self.address(Place { object, offset: leaf.begin }, node) else {
                return false;
            };
            let user = self.graph.inputs(node)[input];
            self.graph.divert(user, address);
            if let Some(op @ (Op::Load(access) | Op::Store(access))) = self.graph.op(node) {
                let access = MemAccess { align_log2: access.align_log2.min(align_log2), ..access };
                let is_load = matches!(op, Op::Load(_));
                self.graph.set_op(node, if is_load { Op::Load(access) } else { Op::Store(access) });
            }
            return true;
        }
        false
    }

    fn load(&mut self, node: Node, object: usize, leaves: &[Leaf]) {
        if self.redirect(node, object, leaves, 0) {
            return;
        }
        let mut cursor = Cursor::at(self.graph, node);
        let output = self.graph.output(node, 0);
        let ty = self.graph.ty(output);
        let mut whole = None;
        for leaf in leaves {
            let parts = self.plan.parts(object, leaf);
            let mut value = None;
            for part in parts.clone() {
                let piece = &self.plan.pieces[object][part];
                let begin = leaf.begin.max(piece.bytes.start);
                let Some((address, align_log2)) = self.address(Place { object, offset: begin }, node) else { continue };
                let ty = if parts.len() == 1 { Some(leaf.ty) } else { part_type(self.graph.pool(), leaf, piece) };
                let Some(ty) = ty else { continue };
                let op = Op::Load(MemAccess::plain(align_log2));
                let Some(loaded) = cursor.effect(self.graph, op, &[address], Some(ty)) else { continue };
                value = Some(if parts.len() == 1 {
                    loaded
                } else {
                    values::put(self.graph, node, leaf.ty, value, loaded, begin - leaf.begin, self.big_endian)
                });
            }
            let Some(value) = value else { continue };
            whole = Some(if leaf.path.is_empty() {
                value
            } else {
                values::insert(self.graph, node, ty, whole, value, &leaf.path)
            });
        }
        let whole = whole.unwrap_or_else(|| values::poison(self.graph, node, ty));
        self.graph.divert_users(output, whole);
        self.finish(node, cursor);
    }

    fn store(&mut self, node: Node, object: usize, leaves: &[Leaf]) {
        if self.redirect(node, object, leaves, 1) {
            return;
        }
        let mut cursor = Cursor::at(self.graph, node);
        let whole = self.graph.input(node, 0);
        for leaf in leaves {
            let parts = self.plan.parts(object, leaf);
            for part in parts.clone() {
                let piece = &self.plan.pieces[object][part];
                let begin = leaf.begin.max(piece.bytes.start);
                let Some((address, align_log2)) = self.address(Place { object, offset: begin }, node) else { continue };
                let ty = if parts.len() == 1 { Some(leaf.ty) } else { part_type(self.graph.pool(), leaf, piece) };
                let Some(ty) = ty else { continue };
                let mut value = whole;
                if !leaf.path.is_empty() {
                    value = values::extract(self.graph, node, leaf.ty, value, &leaf.path);
                }
                if parts.len() > 1 {
                    value = values::take(self.graph, node, value, ty, begin - leaf.begin, self.big_endian);
                }
                cursor.effect(self.graph, Op::Store(MemAccess::plain(align_log2)), &[value, address], None);
            }
        }
        self.finish(node, cursor);
    }

    fn set(&mut self, node: Node, place: Place, len: u64) {
        let mut cursor = Cursor::at(self.graph, node);
        let byte = set_byte(self.graph, node);
        let pool = self.graph.pool().clone();
        for Segment { bytes, kind } in self.plan.set(&pool, place, len, byte) {
            let Some((address, align_log2)) = self.address(Place { offset: place.offset + bytes.start, ..place }, node)
            else {
                continue;
            };
            match (kind, byte) {
                (SegmentKind::Dead, _) => {}
                (SegmentKind::Typed(ty), Some(byte)) => {
                    let value = values::filled(self.graph, node, ty, byte);
                    cursor.effect(self.graph, Op::Store(MemAccess::plain(align_log2)), &[value, address], None);
                }
                (SegmentKind::Typed(_) | SegmentKind::Bytes, _) => {
                    let value = self.graph.input(node, 2);
                    self.call(&mut cursor, node, &[(address, align_log2)], Some(value), bytes.end - bytes.start);
                }
            }
        }
        self.finish(node, cursor);
    }

    fn copy(&mut self, node: Node, to: Side, from: Side, len: u64) {
        let mut cursor = Cursor::at(self.graph, node);
        for Segment { bytes, kind } in self.plan.copy(to, from, len) {
            if kind == SegmentKind::Dead {
                continue;
            }
            let Some(to) = self.side(node, to, bytes.start, 0) else { continue };
            let Some(from) = self.side(node, from, bytes.start, 1) else { continue };
            match kind {
                SegmentKind::Dead => {}
                SegmentKind::Typed(ty) => {
                    let op = Op::Load(MemAccess::plain(from.1));
                    let Some(value) = cursor.effect(self.graph, op, &[from.0], Some(ty)) else { continue };
                    cursor.effect(self.graph, Op::Store(MemAccess::plain(to.1)), &[value, to.0], None);
                }
                SegmentKind::Bytes => self.call(&mut cursor, node, &[to, from], None, bytes.end - bytes.start),
            }
        }
        self.finish(node, cursor);
    }

    /// The address of a byte on one side of a copy, and its alignment.
    fn side(&mut self, node: Node, side: Side, offset: u64, param: usize) -> Option<(Origin, u8)> {
        if let Some(place) = self.plan.inside(side) {
            return self.address(Place { offset: place.offset + offset, ..place }, node);
        }
        let Some(Op::Call(call)) = self.graph.op(node) else { return None };
        let pool = self.graph.pool().clone();
        let mut said = pool.attributes(pool.call(call).attributes).param(param).iter();
        let align_log2 = said.find_map(Attribute::align_log2).unwrap_or(0);
        Some((values::advance(self.graph, node, side.address, offset), align_at(align_log2, offset)))
    }

    /// Adds a call of the function that a copy or fill calls, for some of its bytes.
    fn call(&mut self, cursor: &mut Cursor, node: Node, sides: &[(Origin, u8)], value: Option<Origin>, len: u64) {
        let graph = &mut *self.graph;
        let Some(Op::Call(call)) = graph.op(node) else { return };
        let pool = graph.pool().clone();
        let align = |&(_, align_log2): &(Origin, u8)| [Attribute::Bytes(AttributeKind::Align, 1 << align_log2)].into();
        let attributes = AttributeList { params: sides.iter().map(align).collect(), ..AttributeList::default() };
        let info = CallInfo { attributes: pool.intern_attributes(attributes), ..pool.call(call).clone() };
        let len = values::int(graph, node, graph.ty(graph.input(node, 3)), len);
        let inputs: Vec<Origin> = std::iter::once(graph.input(node, 0))
            .chain(sides.iter().map(|side| side.0))
            .chain(value)
            .chain([len, graph.input(node, 4)])
            .collect();
        cursor.effect(graph, Op::Call(pool.intern_call(info)), &inputs, None);
    }

    fn mark(&mut self, node: Node, object: usize) {
        let mut cursor = Cursor::at(self.graph, node);
        let (Some(op), callee) = (self.graph.op(node), self.graph.input(node, 0)) else { return };
        for index in 0..self.plan.pieces[object].len() {
            let offset = self.plan.pieces[object][index].bytes.start;
            if let Some((address, _)) = self.address(Place { object, offset }, node) {
                cursor.effect(self.graph, op, &[callee, address], None);
            }
        }
        self.finish(node, cursor);
    }

    /// Removes a node that the nodes inserted before it replace.
    fn finish(&mut self, node: Node, cursor: Cursor) {
        cursor.give_state(self.graph);
        self.graph.remove(node);
        self.count += 1;
    }
}

/// The position where nodes are added: before a node, on its memory state.
struct Cursor {
    node: Node,
    state: Origin,
}

impl Cursor {
    fn at(graph: &Graph, node: Node) -> Cursor {
        let state = graph.input_origins(node).find(|&origin| graph.ty(origin) == Type::MEM);
        Cursor { node, state: state.expect("what accesses memory takes its state") }
    }

    /// Adds an operation on memory; returns its value.
    fn effect(&mut self, graph: &mut Graph, op: Op, inputs: &[Origin], ty: Option<Type>) -> Option<Origin> {
        let inputs: Vec<Origin> = inputs.iter().copied().chain([self.state]).collect();
        let types: Vec<Type> = ty.into_iter().chain([Type::MEM]).collect();
        let new = Insert::before(graph, self.node).node(op, &inputs, &types);
        self.state = graph.output(new, types.len() - 1);
        ty.map(|_| graph.output(new, 0))
    }

    /// Connects the node to the current state.
    fn take_state(&self, graph: &mut Graph) {
        let before = graph.inputs(self.node).iter().copied().find(|&user| graph.ty(graph.origin(user)) == Type::MEM);
        if let Some(before) = before {
            graph.divert(before, self.state);
        }
    }

    /// Connects users of the node's state to the current state.
    fn give_state(&self, graph: &mut Graph) {
        let after = graph.outputs(self.node).iter().copied().find(|&origin| graph.ty(origin) == Type::MEM);
        if let Some(after) = after {
            graph.divert_users(after, self.state);
        }
    }
}

fn access_of(graph: &Graph, node: Node) -> Option<MemAccess> {
    match graph.op(node)? {
        Op::Load(access) | Op::Store(access) => Some(access),
        _ => None,
    }
}

/// The alignment of an address a number of bytes after an aligned one.
fn align_at(align_log2: u8, offset: u64) -> u8 {
    if offset == 0 { align_log2 } else { align_log2.min(offset.trailing_zeros() as u8) }
}
