//! Objects on the stack all of whose uses are known, and their accesses.

use rustc_hash::FxHashMap;
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::memory::gep_distance;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::{Context, MemoryIntrinsic, Surroundings};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::op::{AtomicOrdering, CallInfo, Effects, MemAccess, OpCode};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Type, TypeKind, Use};
use smallvec::SmallVec;

use super::chosen::{self, Choice, ChosenAccess, Footprints};
use crate::pass::PassCx;

/// The maximum size in bytes of an object.
const MAX_SIZE: u64 = 1 << 16;

/// The maximum number of scalars of a value that is split.
const MAX_LEAVES: usize = 16;

/// An allocation.
#[derive(Clone)]
pub(super) struct Object {
    pub alloca: Node,
    /// Its size in bytes.
    pub size: u64,
    /// Log2 of its alignment in bytes.
    pub align_log2: u8,
    /// Whether all its uses are known; otherwise it stays.
    pub is_known: bool,
}

/// A location in an object, as an offset in bytes.
#[derive(Copy, Clone)]
pub(super) struct Place {
    /// The index of the object.
    pub object: usize,
    pub offset: u64,
}

/// A scalar or vector in a value that is loaded or stored.
pub(super) struct Leaf {
    /// Indices into the value.
    pub path: SmallVec<[u32; 4]>,
    pub ty: Type,
    /// Its first byte in the object.
    pub begin: u64,
    pub end: u64,
}

/// One side of a copy.
#[derive(Copy, Clone)]
pub(super) struct Side {
    pub address: Origin,
    /// The location, if it is in one of the objects.
    pub place: Option<Place>,
}

/// An access of objects.
pub(super) enum What {
    Load(usize, Box<[Leaf]>),
    Store(usize, Box<[Leaf]>),
    /// A fill of a number of bytes.
    Set(Place, u64),
    /// A copy of a number of bytes.
    Copy {
        to: Side,
        from: Side,
        len: u64,
    },
    /// A lifetime marker of the object.
    Mark(usize),
}

pub(super) struct Access {
    pub node: Node,
    pub what: What,
}

/// The objects of a body and all their accesses in node order.
pub(super) struct Objects {
    pub list: Vec<Object>,
    pub accesses: Vec<Access>,
    pub data_layout: DataLayout,
}

/// Finds the objects; `None` if there is none. Linear in the number of edges.
pub(super) fn find(graph: &Graph, cx: &PassCx) -> Option<Objects> {
    Some(search(graph, cx, None)?.0)
}

/// Finds the loads from and stores to one of two objects, with the objects, all of whose other uses are known. Linear in the number of
/// edges, except for objects that are stored to in this way, which cost the number of their accesses.
pub(super) fn find_chosen(graph: &Graph, cx: &PassCx) -> Option<(Objects, Vec<Choice>)> {
    let (objects, mut finder) = search(graph, cx, Some(FxHashMap::default()))?;
    let mut choices = Vec::new();
    let mut footprints = Footprints::of(&objects);
    // In node order.
    for select in graph.all_nodes() {
        let Some(found) = finder.chosen.as_mut().and_then(|chosen| chosen.remove(&select)) else { continue };
        let mut accesses = Vec::with_capacity(found.len());
        for &(node, distance) in &found {
            let is_store = matches!(graph.op(node), Some(Op::Store(_)));
            let ty = graph.ty(if is_store { graph.input(node, 0) } else { graph.output(node, 0) });
            let Ok(layout) = finder.layouts.of(graph.pool(), ty) else { continue };
            let place = |finder: &mut Finder, index: usize| {
                let &(object, offset) = finder.places.get(&graph.input(select, index))?;
                let place = finder.place((object, offset.checked_add(distance)?), layout.store)?;
                Some((objects.list[object].is_known, place))
            };
            let places = [place(&mut finder, 1), place(&mut finder, 2)];
            for (_, place) in places.into_iter().flatten() {
                footprints.add(place, layout.store, Some(ty));
            }
            if let [Some((true, then)), Some((true, otherwise))] = places {
                accesses.push(ChosenAccess { node, distance, places: [then, otherwise], ty, is_store });
            }
        }
        choices.push((Choice { select, accesses }, found.len()));
    }
    let mut allowed = |access: &ChosenAccess| {
        let layout = finder.layouts.of(graph.pool(), access.ty);
        layout.is_ok_and(|layout| footprints.allow(access.places, layout.store, access.ty))
    };
    // A store that stays needs the address, which keeps the objects in memory.
    choices.retain(|(choice, all)| {
        let all_known = choice.accesses.len() == *all && choice.accesses.iter().all(&mut allowed);
        !choice.accesses.is_empty() && (all_known || !choice.stores())
    });
    let choices: Vec<Choice> = choices.into_iter().map(|(choice, _)| choice).collect();
    (!choices.is_empty()).then_some((objects, choices))
}

fn search<'g>(
    graph: &'g Graph,
    cx: &'g PassCx,
    chosen: Option<FxHashMap<Node, Vec<(Node, i64)>>>,
) -> Option<(Objects, Finder<'g>)> {
    let surroundings = cx.surroundings().filter(|_| graph.may_have(OpCode::Alloca))?;
    let mut finder = Finder {
        graph,
        surroundings,
        layouts: surroundings.layouts()?,
        list: Vec::new(),
        places: FxHashMap::default(),
        pending: Vec::new(),
        chosen,
    };
    for node in graph.all_nodes() {
        finder.allocation(node);
    }
    if finder.list.is_empty() {
        return None;
    }
    while let Some(origin) = finder.pending.pop() {
        finder.follow(origin);
    }
    let mut accesses = Vec::new();
    for node in graph.all_nodes() {
        accesses.extend(finder.access(node));
    }
    let data_layout = finder.layouts.data().clone();
    let list = finder.list.clone();
    list.iter().any(|object| object.is_known).then_some((Objects { list, accesses, data_layout }, finder))
}

struct Finder<'g> {
    graph: &'g Graph,
    surroundings: &'g Surroundings,
    layouts: Layouts,
    list: Vec<Object>,
    /// The object that a pointer points into, and the offset.
    places: FxHashMap<Origin, (usize, i64)>,
    pending: Vec<Origin>,
    /// If requested: the accesses of addresses that `select` nodes choose.
    chosen: Option<FxHashMap<Node, Vec<(Node, i64)>>>,
}

impl Finder<'_> {
    fn allocation(&mut self, node: Node) {
        let graph = self.graph;
        let Some(Op::Alloca { ty, align_log2, in_alloca: false, swift_error: false }) = graph.op(node) else { return };
        if constant_int(graph, graph.input(node, 0)) != Some(1) {
            return;
        }
        let Ok(layout) = self.layouts.of(graph.pool(), ty) else { return };
        if layout.size == 0 || layout.size > MAX_SIZE {
            return;
        }
        self.reaches(graph.output(node, 0), self.list.len(), 0);
        self.list.push(Object { alloca: node, size: layout.size, align_log2, is_known: true });
    }

    fn reaches(&mut self, origin: Origin, object: usize, offset: i64) {
        self.places.insert(origin, (object, offset));
        self.pending.push(origin);
    }

    /// Follows a pointer to its users.
    fn follow(&mut self, origin: Origin) {
        let graph = self.graph;
        let (object, offset) = self.places[&origin];
        for user in graph.users_of(origin) {
            let known = match graph.site(user) {
                Use::Input(node, index) => self.input(node, index as usize, object, offset),
                // The output of an invariant loop variable was followed where it entered.
                Use::Result(region, index) => graph
                    .parent(region)
                    .and_then(|node| Theta::new(graph, node))
                    .zip((index as usize).checked_sub(1))
                    .is_some_and(|(theta, index)| theta.loop_var(graph, index).pre == origin),
            };
            if !known {
                self.list[object].is_known = false;
            }
        }
    }

    /// Records a node's use of a pointer; returns whether it is a known kind of use.
    fn input(&mut self, node: Node, index: usize, object: usize, offset: i64) -> bool {
        let graph = self.graph;
        if let Some(gamma) = Gamma::new(graph, node) {
            let regions: SmallVec<[_; 4]> = gamma.regions(graph).into();
            regions.iter().for_each(|&region| self.reaches(graph.arguments(region)[index - 1], object, offset));
            return true;
        }
        if let Some(theta) = Theta::new(graph, node) {
            let variable = theta.loop_var(graph, index);
            self.reaches(variable.pre, object, offset);
            self.reaches(variable.output, object, offset);
            return graph.origin(variable.post) == variable.pre;
        }
        match graph.op(node) {
            Some(Op::Load(access)) => is_plain(access),
            Some(Op::Store(access)) => (index == 1 || seeded::is_active(Bug::SraStoredAddress)) && is_plain(access),
            Some(Op::Gep { .. }) => {
                let distance = (index == 0).then(|| gep_distance(graph, &mut self.layouts, node)).flatten();
                let Some(offset) = distance.and_then(|distance| offset.checked_add(distance)) else { return false };
                self.reaches(graph.output(node, 0), object, offset);
                true
            }
            Some(Op::Call(call)) => self.intrinsic(node, graph.pool().call(call)).is_some(),
            Some(Op::Select(_)) => self.select(node),
            _ => false,
        }
    }

    /// Whether an address is selected only to load from and store to it, if such choices are requested.
    fn select(&mut self, node: Node) -> bool {
        let graph = self.graph;
        let Some(chosen) = &mut self.chosen else { return false };
        if chosen.contains_key(&node) {
            return true;
        }
        let is_one = graph.ty(graph.input(node, 0)) == Type::I1;
        let accesses = is_one.then(|| chosen::accesses(graph, &mut self.layouts, node)).flatten();
        if let Some(accesses) = accesses {
            chosen.insert(node, accesses);
            return true;
        }
        false
    }

    /// The intrinsic that a call is, if it is followed. Those take the memory state, and are not volatile.
    fn intrinsic(&self, node: Node, info: &CallInfo) -> Option<MemoryIntrinsic> {
        let graph = self.graph;
        if info.assembly.is_some() || !info.bundles.is_empty() || info.effects != Effects::MEM {
            return None;
        }
        let context = self.surroundings.context(argument_of_root(graph, graph.input(node, 0))?)?;
        let Context::Function { memory: Some(memory), .. } = context else { return None };
        let values = graph.inputs(node).len() - 1;
        let fits = match memory {
            MemoryIntrinsic::Mark => values == 2,
            MemoryIntrinsic::Copy | MemoryIntrinsic::Set => {
                values == 5
                    && constant_int(graph, graph.input(node, 3)).is_some_and(|len| len > 0)
                    && constant_int(graph, graph.input(node, 4)) == Some(0)
            }
        };
        fits.then_some(memory)
    }

    /// The access that a node makes, if it is of an object all of whose uses are known.
    fn access(&mut self, node: Node) -> Option<Access> {
        let graph = self.graph;
        let what = match graph.op(node)? {
            Op::Load(_) => {
                let place = *self.places.get(&graph.input(node, 0))?;
                let leaves = self.leaves(place, graph.ty(graph.output(node, 0)))?;
                What::Load(place.0, leaves)
            }
            Op::Store(_) => {
                let place = *self.places.get(&graph.input(node, 1))?;
                let leaves = self.leaves(place, graph.ty(graph.input(node, 0)))?;
                What::Store(place.0, leaves)
            }
            Op::Call(call) => self.call(node, graph.pool().call(call))?,
            _ => return None,
        };
        Some(Access { node, what })
    }

    fn call(&mut self, node: Node, info: &CallInfo) -> Option<What> {
        let graph = self.graph;
        if !graph.input_origins(node).any(|input| self.places.contains_key(&input)) {
            return None;
        }
        let memory = self.intrinsic(node, info)?;
        let address = graph.input(node, 1);
        let len = || constant_int(graph, graph.input(node, 3)).and_then(|len| u64::try_from(len).ok());
        match memory {
            MemoryIntrinsic::Mark => {
                let (object, offset) = *self.places.get(&address)?;
                self.list[object].is_known &= offset == 0;
                Some(What::Mark(object))
            }
            MemoryIntrinsic::Set => {
                let (place, len) = (*self.places.get(&address)?, len()?);
                Some(What::Set(self.place(place, len)?, len))
            }
            MemoryIntrinsic::Copy => {
                let len = len()?;
                let mut fits = true;
                let mut side = |address| {
                    let pointer = self.places.get(&address).copied();
                    let place = pointer.and_then(|pointer| self.place(pointer, len));
                    fits &= place.is_some() == pointer.is_some();
                    Side { address, place }
                };
                let (to, from) = (side(address), side(graph.input(node, 2)));
                let objects = [to, from].map(|side| side.place.map(|place| place.object));
                if !fits || objects[0] == objects[1] && !seeded::is_active(Bug::SraSameObject) {
                    objects.into_iter().flatten().for_each(|object| self.list[object].is_known = false);
                }
                Some(What::Copy { to, from, len })
            }
        }
    }

    /// A location followed by `len` bytes of the object; if there are fewer, the object stays.
    fn place(&mut self, (object, offset): (usize, i64), len: u64) -> Option<Place> {
        let size = self.list[object].size;
        let offset = u64::try_from(offset).ok();
        let offset = offset.filter(|offset| offset.checked_add(len).is_some_and(|end| end <= size));
        self.list[object].is_known &= offset.is_some();
        Some(Place { object, offset: offset? })
    }

    /// The scalars and vectors of a value at a location; if the type is not supported, the object stays.
    fn leaves(&mut self, place: (usize, i64), ty: Type) -> Option<Box<[Leaf]>> {
        let leaves = self.try_leaves(place, ty);
        self.list[place.0].is_known &= leaves.is_some();
        leaves
    }

    fn try_leaves(&mut self, place: (usize, i64), ty: Type) -> Option<Box<[Leaf]>> {
        let pool = self.graph.pool();
        let size = self.layouts.of(pool, ty).ok()?.store;
        let begin = self.place(place, size)?.offset;
        let mut leaves = Vec::new();
        let mut pending: Vec<(SmallVec<[u32; 4]>, Type, u64)> = vec![(SmallVec::new(), ty, begin)];
        while let Some((path, ty, begin)) = pending.pop() {
            let layout = self.layouts.of(pool, ty).ok()?;
            let mut part = |index: usize, ty: Type, offset: u64| {
                let mut path = path.clone();
                path.push(index as u32);
                pending.push((path, ty, begin + offset));
            };
            match pool.type_kind(ty) {
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    for (index, (&element, &(offset, _))) in elements.iter().zip(layout.fields()?).enumerate().rev() {
                        part(index, element, offset);
                    }
                }
                &TypeKind::Array { element, len } => {
                    let len = usize::try_from(len).ok().filter(|&len| len <= MAX_LEAVES)?;
                    let size = self.layouts.of(pool, element).ok()?.size;
                    (0..len).rev().for_each(|index| part(index, element, index as u64 * size));
                }
                _ => leaves.push(Leaf { path, ty, begin, end: begin + layout.store }),
            }
            if leaves.len() + pending.len() > MAX_LEAVES {
                return None;
            }
        }
        Some(leaves.into())
    }
}

fn is_plain(access: MemAccess) -> bool {
    (!access.volatile || seeded::is_active(Bug::SraVolatile)) && access.ordering == AtomicOrdering::NotAtomic
}

/// The value of an integer constant of up to 64 bits, signed.
pub(super) fn constant_int(graph: &Graph, origin: Origin) -> Option<i64> {
    let Op::Const(constant) = graph.op(graph.producer(origin)?)? else { return None };
    let Constant::Int { ty, words } = graph.pool().constant(constant) else { return None };
    match (graph.pool().type_kind(*ty), words.as_slice()) {
        (TypeKind::Int(bits @ 1..=64), [word]) => Some(((word << (64 - bits)) as i64) >> (64 - bits)),
        _ => None,
    }
}
