//! Copy forwarding: what was copied into an object on the stack is read from the source of that copy.
//!
//! ```text
//! mem1 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(b, a, 16, false), mem0
//! mem2 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(c, b, 16, false), mem1
//! v0: i8, mem3 = load b, mem2
//! ```
//!
//! becomes
//!
//! ```text
//! mem1 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(b, a, 16, false), mem0
//! mem2 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(c, a, 16, false), mem1
//! v0: i8, mem3 = load a, mem2
//! ```
//!
//! as long as nothing writes either location in between. A copy back to its source is removed. The intermediate object is then often
//! never read, so that copies to it are dead.
//!
//! The source may be an object on the stack whose lifetime has ended since. Its lifetime markers are then removed, so that it lives until
//! the function returns; copies from large objects are not forwarded then.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::{
    Effect, Location, LoopSummaries, Objects, Transfer, Writes, base_and_distance, bytes, effect, is_lifetime, states,
};
use rvsdg_analysis::numbering::{Def, Numbering, Vn};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{CallInfo, GepFlags, MemAccess, OpCode};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};

use super::body::bypass;
use crate::pass::PassCx;

/// How many copies are remembered at a time, which bounds the work per node. The oldest are forgotten first.
const MAX_COPIES: usize = 16;

/// The lifetime of larger objects, in bytes, is not extended for copies from them.
const MAX_EXTENDED: u64 = 128;

/// An address as a known distance in bytes from another one.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Pointer {
    base: Origin,
    distance: i64,
}

/// Bytes that are equal in two locations.
#[derive(Clone)]
struct Copied {
    /// The copy that made them equal.
    node: Node,
    to: Pointer,
    written: Location,
    from: Source,
    len: u64,
    /// Whether a lifetime marker of the source object has been passed since.
    is_marked: bool,
}

/// The source of some bytes.
#[derive(Copy, Clone)]
struct Source {
    /// An address, as a value of the copy's region or an enclosing one.
    address: Origin,
    /// Their distance from that address.
    shift: u64,
    pointer: Pointer,
    /// All bytes from the address to their end.
    place: Location,
    /// Log2 of the alignment in bytes of the first of them.
    align_log2: u8,
}

impl Copied {
    /// The source of some of the bytes, by their current location.
    fn source(&self, graph: &Graph, numbers: &mut Numbering, at: Pointer, len: u64) -> Option<Source> {
        let offset = u64::try_from(at.distance.checked_sub(self.to.distance)?).ok()?;
        if at.base != self.to.base || offset.checked_add(len).is_none_or(|end| end > self.len) {
            return None;
        }
        let Source { address, shift, pointer, align_log2, .. } = self.from;
        let shift = shift.checked_add(offset)?;
        let align_log2 = if offset == 0 { align_log2 } else { align_log2.min(offset.trailing_zeros() as u8) };
        let pointer = Pointer { distance: pointer.distance.checked_add_unsigned(offset)?, ..pointer };
        let place = bytes(graph, numbers, address, shift.checked_add(len)?);
        Some(Source { address, shift, pointer, place, align_log2 })
    }
}

/// An edit of a node.
enum Edit {
    /// A load reads from there.
    Load(Node, Source),
    /// A copy reads from there.
    Copy(Node, Source),
    /// It has no effect.
    Nothing(Node),
}

enum Frame {
    Gamma { gamma: Gamma, entry: Vec<Copied>, exits: Vec<Vec<Copied>> },
    Theta { theta: Theta, entry: Vec<Copied> },
}

/// Makes copies and loads of a body read from the original sources; returns how many.
pub(super) fn run(graph: &mut Graph, cx: &PassCx) -> u64 {
    let surroundings = cx.surroundings().filter(|_| graph.may_have(OpCode::Alloca));
    let Some(mut layouts) = surroundings.and_then(|surroundings| surroundings.layouts()) else { return 0 };
    // Only these are remembered.
    let mut fills_object = |node| {
        let transfer = Transfer::of(graph, surroundings, node).filter(|transfer| transfer.from.is_some());
        let base = transfer.and_then(|transfer| Some(base_and_distance(graph, &mut layouts, transfer.to)?.0));
        let producer = base.and_then(|base| graph.producer(base)).and_then(|node| graph.op(node));
        matches!(producer, Some(Op::Alloca { .. }))
    };
    if !graph.all_nodes().any(&mut fills_object) {
        return 0;
    }
    let mut summaries = LoopSummaries::new(graph, surroundings);
    let mut numbers = Numbering::new(graph, |numbers, visit| summaries.visit(graph, numbers, visit));
    let objects = Objects::new(graph, &numbers, surroundings);
    let mut walk = Walk {
        graph,
        cx,
        layouts,
        numbers: &mut numbers,
        objects: &objects,
        summaries: &summaries,
        copies: Vec::new(),
        edits: Vec::new(),
        extended: FxHashSet::default(),
    };
    walk.run();
    let Walk { edits, extended, .. } = walk;
    if !extended.is_empty() {
        let marks: Vec<Node> = graph
            .all_nodes()
            .filter(|&node| marked(graph, &mut numbers, &objects, node).is_some_and(|base| extended.contains(&base)))
            .collect();
        marks.into_iter().for_each(|mark| bypass(graph, mark));
    }
    let mut router = Router::default();
    for edit in &edits {
        match *edit {
            Edit::Load(node, source) => redirect_load(graph, &mut router, node, source),
            Edit::Copy(node, source) => redirect_copy(graph, &mut router, node, source),
            Edit::Nothing(node) => bypass(graph, node),
        }
    }
    let loads = edits.iter().filter(|edit| matches!(edit, Edit::Load(..))).count();
    cx.count("copied_loads", loads as u64);
    cx.count("copies", (edits.len() - loads) as u64);
    edits.len() as u64
}

/// The object whose lifetime a node starts or ends.
fn marked(graph: &Graph, numbers: &mut Numbering, objects: &Objects, node: Node) -> Option<Vn> {
    if !is_lifetime(graph, numbers, objects.surroundings(), node) {
        return None;
    }
    match effect(graph, numbers, objects.surroundings(), node) {
        Effect::Call(call) => call.writes.first().map(|write| write.addr),
        Effect::None | Effect::Read(..) | Effect::Write(..) => None,
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    cx: &'a PassCx,
    layouts: Layouts,
    numbers: &'a mut Numbering,
    objects: &'a Objects<'a>,
    summaries: &'a LoopSummaries<'a>,
    copies: Vec<Copied>,
    edits: Vec<Edit>,
    /// Objects whose lifetime is extended to the end of the function.
    extended: FxHashSet<Vn>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let graph = self.graph;
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = states::start(graph, graph.root());
        loop {
            match state.and_then(|state| states::user(graph, state)) {
                Some(Use::Input(node, _)) => {
                    if let Some(gamma) = Gamma::new(graph, node) {
                        frames.push(Frame::Gamma { gamma, entry: self.copies.clone(), exits: Vec::new() });
                        state = states::start(graph, gamma.regions(graph)[0]);
                    } else if let Some(theta) = Theta::new(graph, node) {
                        self.enter_loop(theta);
                        frames.push(Frame::Theta { theta, entry: self.copies.clone() });
                        state = states::start(graph, theta.body(graph));
                    } else {
                        self.simple(node);
                        state = states::after(graph, node);
                    }
                    continue;
                }
                Some(Use::Result(..)) => {}
                // A chain that does not reach the end of its region tells nothing about memory there.
                None => self.copies.clear(),
            }
            match frames.pop() {
                None => return,
                Some(Frame::Gamma { gamma, entry, mut exits }) => {
                    exits.push(std::mem::take(&mut self.copies));
                    if let Some(&next) = gamma.regions(graph).get(exits.len()) {
                        self.copies = entry.clone();
                        frames.push(Frame::Gamma { gamma, entry, exits });
                        state = states::start(graph, next);
                        continue;
                    }
                    self.copies = entry;
                    self.copies.retain_mut(|copied| {
                        let find = |exit: &Vec<Copied>| exit.iter().find(|other| other.node == copied.node).cloned();
                        let Some(others) = exits.iter().map(find).collect::<Option<Vec<_>>>() else { return false };
                        copied.is_marked |= others.iter().any(|other| other.is_marked);
                        true
                    });
                    state = states::after(graph, gamma.node());
                }
                Some(Frame::Theta { theta, entry }) => {
                    self.copies = entry;
                    state = states::after(graph, theta.node());
                }
            }
        }
    }

    /// Keeps the facts that no iteration changes.
    fn enter_loop(&mut self, theta: Theta) {
        let (graph, numbers, objects) = (self.graph, &*self.numbers, self.objects);
        let Some(summary) = self.summaries.of(theta.node()) else {
            self.copies.clear();
            return;
        };
        let stays = |place| summary.writes(graph, numbers, objects, place, None) == (Writes::None, false);
        self.copies.retain(|copied| stays(copied.written) && stays(copied.from.place));
    }

    fn simple(&mut self, node: Node) {
        let (graph, objects) = (self.graph, self.objects);
        match effect(graph, self.numbers, objects.surroundings(), node) {
            Effect::None | Effect::Read(_, false) => {}
            Effect::Read(place, true) => self.load(node, place),
            Effect::Write(place, _) => self.write(place),
            Effect::Call(call) => {
                if let Some(transfer) = Transfer::of(graph, objects.surroundings(), node) {
                    self.transfer(node, &transfer);
                } else if let Some(object) = marked(graph, self.numbers, objects, node) {
                    let numbers = &*self.numbers;
                    self.copies.retain_mut(|copied| {
                        copied.is_marked |= numbers.base(copied.from.place.addr) == object;
                        numbers.base(copied.written.addr) != object
                    });
                } else {
                    let numbers = &*self.numbers;
                    let survives = |place| objects.survives(graph, numbers, place, &call);
                    self.copies.retain(|copied| survives(copied.written) && survives(copied.from.place));
                }
            }
        }
    }

    /// Forgets bytes that a write may make different.
    fn write(&mut self, place: Location) {
        let (graph, objects, numbers) = (self.graph, self.objects, &*self.numbers);
        let stays = |known| objects.are_disjoint(graph, numbers, known, place);
        self.copies.retain(|copied| {
            stays(copied.written) && (seeded::is_active(Bug::MvfCopySource) || stays(copied.from.place))
        });
    }

    fn load(&mut self, node: Node, place: Location) {
        let graph = self.graph;
        let Some(Op::Load(MemAccess { tag: None, .. })) = graph.op(node) else { return };
        let Ok(layout) = self.layouts.of(graph.pool(), place.ty) else { return };
        if let Some((source, copied)) = self.find(graph.input(node, 0), layout.store)
            && self.cx.rewrite("forward-copied-load", graph, node)
        {
            self.extend(copied);
            self.edits.push(Edit::Load(node, source));
        }
    }

    fn transfer(&mut self, node: Node, transfer: &Transfer) {
        let (graph, objects) = (self.graph, self.objects);
        let to = self.pointer(transfer.to);
        let written = transfer.writes(graph, self.numbers);
        let Some((address, place)) = transfer.from.zip(transfer.reads(graph, self.numbers)) else {
            self.write(written);
            return;
        };
        let pointer = self.pointer(address);
        let own =
            pointer.map(|pointer| Source { address, shift: 0, pointer, place, align_log2: transfer.align_log2[1] });
        let mut from = own.map(|source| (source, false));
        if let Some((source, copied)) = self.find(address, transfer.len) {
            if to == Some(source.pointer) {
                if self.cx.rewrite("copy-back", graph, node) {
                    self.extend(copied);
                    self.edits.push(Edit::Nothing(node));
                    return;
                }
            } else if objects.are_disjoint(graph, self.numbers, written, source.place)
                && self.cx.rewrite("forward-copy", graph, node)
            {
                let is_marked = self.copies[copied].is_marked;
                self.extend(copied);
                self.edits.push(Edit::Copy(node, source));
                from = Some((source, is_marked));
            }
        }
        self.write(written);
        if let (Some(to), Some((from, is_marked))) = (to, from)
            && objects.is_private(self.numbers, written.addr)
            && objects.are_disjoint(graph, self.numbers, written, from.place)
        {
            if self.copies.len() == MAX_COPIES {
                self.copies.remove(0);
            }
            self.copies.push(Copied { node, to, written, from, len: transfer.len, is_marked });
        }
    }

    /// The source of `len` bytes, and the index of the copy.
    fn find(&mut self, address: Origin, len: u64) -> Option<(Source, usize)> {
        let at = self.pointer(address)?;
        let graph = self.graph;
        let numbers = &mut *self.numbers;
        let mut known = self.copies.iter().enumerate().rev();
        let (source, index) =
            known.find_map(|(index, copied)| Some((copied.source(graph, numbers, at, len)?, index)))?;
        self.may_live(index).then_some((source, index))
    }

    /// Whether the source object is still alive, or its lifetime can be extended.
    fn may_live(&mut self, copied: usize) -> bool {
        let copied = &self.copies[copied];
        let object = self.numbers.base(copied.from.place.addr);
        let ty = match self.numbers.def(object) {
            Def::Leaf(origin) => self.graph.producer(*origin).and_then(|node| self.graph.op(node)),
            Def::Node(..) => None,
        };
        let size = match ty {
            Some(Op::Alloca { ty, .. }) => self.layouts.of(self.graph.pool(), ty).ok().map(|layout| layout.size),
            _ => None,
        };
        !copied.is_marked || size.is_some_and(|size| size <= MAX_EXTENDED)
    }

    /// Extends the lifetime of the source object to the end of the function, if it may have ended.
    fn extend(&mut self, copied: usize) {
        let copied = &self.copies[copied];
        if copied.is_marked {
            self.extended.insert(self.numbers.base(copied.from.place.addr));
        }
    }

    fn pointer(&mut self, address: Origin) -> Option<Pointer> {
        let (base, distance) = base_and_distance(self.graph, &mut self.layouts, address)?;
        Some(Pointer { base, distance })
    }
}

/// The new address that a node reads from.
fn address(graph: &mut Graph, router: &mut Router, node: Node, source: Source) -> Origin {
    let region = graph.region_of(node);
    let address = router.route(graph, source.address, region);
    let flags = GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW;
    Insert::before(graph, node).advance(address, source.shift as i64, flags)
}

/// Makes a load read from another location.
fn redirect_load(graph: &mut Graph, router: &mut Router, node: Node, source: Source) {
    let Some(Op::Load(access)) = graph.op(node) else { return };
    let address = address(graph, router, node, source);
    graph.divert(graph.inputs(node)[0], address);
    let align_log2 = access.align_log2.min(source.align_log2);
    graph.set_op(node, Op::Load(MemAccess { align_log2, ..access }));
    // The promises of the instruction are about the original location.
    graph.set_source(node, None);
}

/// Makes a copy read from another location.
fn redirect_copy(graph: &mut Graph, router: &mut Router, node: Node, source: Source) {
    let Some(Op::Call(call)) = graph.op(node) else { return };
    let address = address(graph, router, node, source);
    let pool = graph.pool().clone();
    let info = pool.call(call);
    let to = pool.attributes(info.attributes).params.first().cloned().unwrap_or_default();
    let from = Attribute::Bytes(AttributeKind::Align, 1 << source.align_log2);
    let attributes = AttributeList { params: [to, [from].into()].into(), ..AttributeList::default() };
    let info = CallInfo { attributes: pool.intern_attributes(attributes), ..info.clone() };
    let mut inputs: Vec<Origin> = graph.input_origins(node).collect();
    inputs[2] = address;
    let new = Insert::before(graph, node).node(Op::Call(pool.intern_call(info)), &inputs, &[Type::MEM]);
    graph.divert_users(graph.output(node, 0), graph.output(new, 0));
    graph.remove(node);
}
