//! Values in memory as expressions over γ and θ, and how these become edges.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashMap;
use rvsdg_analysis::numbering::{Numbering, Vn};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::Held;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Graph, Node, Op, Origin, Region, SourceId, Type, User};
use smallvec::SmallVec;

use super::hoist::load_at_end;

/// A value in memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(u32);
entity_impl!(Value, "value");

/// The definition of a value.
pub(super) enum Def {
    /// This one.
    Origin(Origin),
    /// This constant, which mentions no symbol.
    Constant(Const),
    /// An exit variable of a γ: the value in each region; `None` if the end of the region is unreachable.
    Exit(Gamma, SmallVec<[Option<Value>; 2]>),
    /// A loop variable of a θ: the initial value, and the value of the previous iteration, once it is known.
    Pre(Theta, Value, PackedOption<Value>),
    /// The value after a θ of the loop variable of a [`Def::Pre`].
    After(Value),
    /// The value after a θ of a value that was computed in its final iteration.
    Last(Theta, Value),
    /// The result of this load, which comes after a γ, at the end of an alternative of that γ, from the address with that value number.
    Read(Region, Node, Vn),
}

/// All values of one run.
#[derive(Default)]
pub(super) struct Values {
    defs: PrimaryMap<Value, (Def, Type)>,
    of_origin: FxHashMap<Origin, Value>,
    of_constant: FxHashMap<Const, Value>,
    /// For variables to be made: an instruction that accesses the location with the value.
    contents: FxHashMap<Value, SourceId>,
}

impl Values {
    /// The value of an origin.
    pub(super) fn of(&mut self, graph: &Graph, origin: Origin) -> Value {
        *self.of_origin.entry(origin).or_insert_with(|| self.defs.push((Def::Origin(origin), graph.ty(origin))))
    }

    /// The value of a constant of a type.
    pub(super) fn constant(&mut self, constant: Const, ty: Type) -> Value {
        *self.of_constant.entry(constant).or_insert_with(|| self.defs.push((Def::Constant(constant), ty)))
    }

    /// Declares that an origin is a value of the same type.
    pub(super) fn equate(&mut self, origin: Origin, value: Value) {
        self.of_origin.insert(origin, value);
    }

    /// Adds a value with the type of `like`.
    pub(super) fn add(&mut self, def: Def, like: Value) -> Value {
        let ty = self.defs[like].1;
        self.defs.push((def, ty))
    }

    /// Records that a value is the contents of memory at the instruction `access`.
    pub(super) fn note_content(&mut self, value: Value, access: SourceId) {
        self.contents.insert(value, access);
    }

    fn content(&self, value: Value) -> Option<Held> {
        self.contents.get(&value).map(|&access| (access, 0))
    }

    /// The definition of a value.
    pub(super) fn def(&self, value: Value) -> &Def {
        &self.defs[value].0
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: Value) -> Type {
        self.defs[value].1
    }

    /// Completes a [`Def::Pre`].
    pub(super) fn set_next(&mut self, pre: Value, next: Value) {
        if let Def::Pre(_, _, post) = &mut self.defs[pre].0 {
            *post = next.into();
        }
    }

    /// The region in which a value is defined.
    pub(super) fn home(&self, graph: &Graph, value: Value) -> Region {
        match *self.def(value) {
            Def::Origin(origin) => graph.scope(origin),
            Def::Constant(_) => graph.root(),
            Def::Exit(gamma, _) => graph.region_of(gamma.node()),
            Def::Pre(theta, ..) => theta.body(graph),
            Def::After(pre) => match *self.def(pre) {
                Def::Pre(theta, ..) | Def::Last(theta, _) => graph.region_of(theta.node()),
                Def::Origin(origin) => graph.scope(origin),
                Def::Exit(gamma, _) => graph.region_of(gamma.node()),
                Def::After(_) | Def::Constant(_) => graph.root(),
                Def::Read(alternative, ..) => alternative,
            },
            Def::Last(theta, _) => graph.region_of(theta.node()),
            Def::Read(alternative, ..) => alternative,
        }
    }

    /// The direct operands of a value.
    fn parts(&self, value: Value) -> SmallVec<[Value; 2]> {
        match self.def(value) {
            Def::Origin(_) | Def::Constant(_) | Def::Read(..) => SmallVec::new(),
            Def::Exit(_, values) => values.iter().flatten().copied().collect(),
            Def::Pre(_, first, next) => std::iter::once(*first).chain(next.expand()).collect(),
            Def::After(value) | Def::Last(_, value) => SmallVec::from_slice(&[*value]),
        }
    }

    /// The values that cannot be built, because they need a loop variable whose next value is unknown.
    pub(super) fn incomplete(&self) -> EntitySet<Value> {
        let mut users: SecondaryMap<Value, SmallVec<[Value; 2]>> = SecondaryMap::new();
        let mut incomplete = EntitySet::new();
        let mut pending = Vec::new();
        for value in self.defs.keys() {
            for part in self.parts(value) {
                users[part].push(value);
            }
            if matches!(self.def(value), Def::Pre(_, _, next) if next.is_none()) {
                pending.push(value);
            }
        }
        while let Some(value) = pending.pop() {
            if incomplete.insert(value) {
                pending.extend(&users[value]);
            }
        }
        incomplete
    }

    /// The loads whose results a value may be; `None` if more than `limit` values would have to be visited.
    pub(super) fn loads(&self, graph: &Graph, value: Value, limit: usize) -> Option<Vec<Node>> {
        let mut seen: SmallVec<[Value; 8]> = SmallVec::from_slice(&[value]);
        let mut loads = Vec::new();
        let mut next = 0;
        while let Some(&value) = seen.get(next) {
            next += 1;
            loads.extend(self.load(graph, value));
            for part in self.parts(value) {
                if !seen.contains(&part) {
                    seen.push(part);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(loads)
    }

    /// All loads whose results one of some values may be. Linear in the number of values visited.
    pub(super) fn all_loads(&self, graph: &Graph, values: impl Iterator<Item = Value>) -> Vec<Node> {
        self.closure(values).into_iter().filter_map(|value| self.load(graph, value)).collect()
    }

    /// The load that defines a value.
    fn load(&self, graph: &Graph, value: Value) -> Option<Node> {
        let &Def::Origin(origin) = self.def(value) else { return None };
        graph.producer(origin).filter(|&node| matches!(graph.op(node), Some(Op::Load(_))))
    }

    /// Some values with all values that they depend on, each once.
    fn closure(&self, values: impl Iterator<Item = Value>) -> Vec<Value> {
        let mut seen = EntitySet::new();
        let mut order: Vec<Value> = values.filter(|&value| seen.insert(value)).collect();
        let mut next = 0;
        while let Some(&value) = order.get(next) {
            next += 1;
            order.extend(self.parts(value).into_iter().filter(|&part| seen.insert(part)));
        }
        order
    }

    /// Adds the variables of γ and θ and the loads that values need; returns the map from values to origins.
    pub(super) fn build(
        &self,
        graph: &mut Graph,
        numbers: &mut Numbering,
        wanted: impl Iterator<Item = Value>,
    ) -> Built {
        let order = self.closure(wanted);
        let mut built = Built {
            origins: FxHashMap::default(),
            constants: FxHashMap::default(),
            outputs: FxHashMap::default(),
            router: Router::default(),
        };
        // Variables come first, with poison as their values; then the actual values are set.
        let mut places: Vec<(User, Value)> = Vec::new();
        let mut poisons: Vec<Node> = Vec::new();
        for &value in &order {
            let ty = self.ty(value);
            let mut poison = |graph: &mut Graph, region| {
                let op = Op::Const(graph.pool().poison(ty));
                let node = graph.add_simple(region, op, &[], &[ty]);
                graph.move_to_front(node);
                poisons.push(node);
                graph.output(node, 0)
            };
            match self.def(value) {
                &Def::Origin(origin) => {
                    built.origins.insert(value, origin);
                }
                &Def::Constant(constant) => {
                    built.constants.insert(value, constant);
                }
                Def::Exit(gamma, values) => {
                    let regions: SmallVec<[Region; 4]> = gamma.regions(graph).into();
                    let results: SmallVec<[Origin; 4]> = regions.iter().map(|&region| poison(graph, region)).collect();
                    let exit = gamma.add_exit_var(graph, &results);
                    built.origins.insert(value, exit.output);
                    graph.note_content(exit.output, self.content(value));
                    for (alternative, value) in values.iter().enumerate() {
                        places.extend(value.map(|value| (exit.result(graph, *gamma, alternative), value)));
                    }
                }
                &Def::Pre(theta, first, next) => {
                    let start = poison(graph, graph.region_of(theta.node()));
                    let variable = built.router.carry(graph, theta, start);
                    built.origins.insert(value, variable.pre);
                    graph.note_content(variable.pre, self.content(value));
                    built.outputs.insert(value, variable.output);
                    places.push((variable.input, first));
                    places.extend(next.expand().map(|next| (variable.post, next)));
                }
                &Def::Last(theta, last) => {
                    let start = poison(graph, graph.region_of(theta.node()));
                    let variable = built.router.carry(graph, theta, start);
                    built.origins.insert(value, variable.output);
                    places.push((variable.post, last));
                }
                &Def::Read(alternative, load, addr) => {
                    let found = load_at_end(graph, numbers, &mut built.router, load, addr, alternative);
                    built.origins.insert(value, found);
                }
                Def::After(_) => {}
            }
        }
        for &value in &order {
            if let Def::After(pre) = self.def(value) {
                let output = built.outputs[pre];
                built.origins.insert(value, output);
            }
        }
        for (user, value) in places {
            let region = graph.user_scope(user);
            let origin = built.origin(graph, value, region);
            graph.divert(user, origin);
        }
        for node in poisons {
            if !graph.has_users(graph.output(node, 0)) {
                graph.remove(node);
            }
        }
        built
    }
}

/// The origins of values that were built.
pub(super) struct Built {
    origins: FxHashMap<Value, Origin>,
    constants: FxHashMap<Value, Const>,
    /// For each [`Def::Pre`], the output of its loop variable.
    outputs: FxHashMap<Value, Origin>,
    router: Router,
}

impl Built {
    /// A value as it is available in a region.
    pub(super) fn origin(&mut self, graph: &mut Graph, value: Value, region: Region) -> Origin {
        if let Some(&constant) = self.constants.get(&value) {
            return Insert::front(graph, region).constant(constant);
        }
        self.router.route(graph, self.origins[&value], region)
    }
}
