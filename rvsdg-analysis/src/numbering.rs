//! Value numbering, across all regions of a body: values with equal numbers are equal.

use std::hash::BuildHasher;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Region, Type, TypeKind};
use smallvec::SmallVec;

use crate::order::Orders;

/// How deep constant addresses are looked into.
const MAX_NESTING: u32 = 8;

/// A value number. Values with one number are equal where both are available, within one iteration of each enclosing loop.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vn(u32);
entity_impl!(Vn, "vn");

/// The definition of the values with one number.
pub enum Def {
    /// Unknown, except that it is this origin.
    Leaf(Origin),
    /// An effect-free operation on other values.
    Node(Op, SmallVec<[Vn; 4]>),
}

struct Data {
    def: Def,
    ty: Type,
    /// The innermost region that the value depends on.
    home: Region,
    /// For a pointer, the pointer from which it is computed; itself if there is none.
    base: Vn,
}

/// The numbers of a body's values.
pub struct Numbering {
    numbers: SecondaryMap<Origin, PackedOption<Vn>>,
    /// The numbers of operations, with their hashes.
    table: HashTable<(u64, Vn)>,
    data: PrimaryMap<Vn, Data>,
    depths: SecondaryMap<Region, u32>,
}

enum Pending {
    Region(Region),
    Node(Node),
    LeaveGamma(Gamma),
    LeaveTheta(Theta),
}

impl Numbering {
    /// Numbers all values of a body. `visit` is called for each simple node, and for each θ before and after its body, producers first,
    /// when their inputs have numbers.
    pub fn new(graph: &Graph, mut visit: impl FnMut(&mut Numbering, Visit)) -> Numbering {
        let mut numbering = Numbering {
            numbers: SecondaryMap::with_capacity(graph.origin_bound()),
            table: HashTable::with_capacity(graph.node_count() / 2),
            data: PrimaryMap::with_capacity(graph.node_count()),
            depths: SecondaryMap::with_capacity(graph.region_bound()),
        };
        let mut orders = Orders::default();
        for &argument in graph.arguments(graph.root()) {
            numbering.leaf(graph, argument);
        }
        let mut pending = vec![Pending::Region(graph.root())];
        while let Some(next) = pending.pop() {
            match next {
                Pending::Region(region) => {
                    let depth = graph.parent_region(region).map_or(0, |parent| numbering.depths[parent] + 1);
                    numbering.depths[region] = depth;
                    pending.extend(orders.topological(graph, region).iter().rev().copied().map(Pending::Node));
                }
                Pending::Node(node) => {
                    if let Some(gamma) = Gamma::new(graph, node) {
                        for &region in gamma.regions(graph) {
                            for (index, &argument) in graph.arguments(region).iter().enumerate() {
                                let vn = numbering.get(graph, graph.input(node, index + 1));
                                numbering.numbers[argument] = vn.into();
                            }
                        }
                        pending.push(Pending::LeaveGamma(gamma));
                        pending.extend(gamma.regions(graph).iter().rev().map(|&region| Pending::Region(region)));
                    } else if let Some(theta) = Theta::new(graph, node) {
                        let body = theta.body(graph);
                        numbering.depths[body] = numbering.depths[graph.region_of(node)] + 1;
                        for variable in theta.loop_vars(graph) {
                            if graph.origin(variable.post) == variable.pre {
                                let vn = numbering.get(graph, graph.origin(variable.input));
                                numbering.numbers[variable.pre] = vn.into();
                            } else {
                                numbering.leaf(graph, variable.pre);
                            }
                        }
                        visit(&mut numbering, Visit::EnterTheta);
                        pending.push(Pending::LeaveTheta(theta));
                        pending.push(Pending::Region(body));
                    } else {
                        numbering.simple(graph, node);
                        visit(&mut numbering, Visit::Simple(node));
                    }
                }
                Pending::LeaveGamma(gamma) => numbering.leave_gamma(graph, gamma),
                Pending::LeaveTheta(theta) => {
                    for variable in theta.loop_vars(graph) {
                        if graph.origin(variable.post) == variable.pre {
                            numbering.numbers[variable.output] = numbering.numbers[variable.pre];
                        } else {
                            numbering.leaf(graph, variable.output);
                        }
                    }
                    visit(&mut numbering, Visit::LeaveTheta(theta));
                }
            }
        }
        numbering
    }

    fn leave_gamma(&mut self, graph: &Graph, gamma: Gamma) {
        let depth = self.depths[graph.region_of(gamma.node())];
        for exit in gamma.exit_vars(graph) {
            let mut numbers = gamma.regions(graph).iter().map(|&region| self.numbers[graph.result(region, exit.index)]);
            let first = numbers.next().and_then(PackedOption::expand);
            let common = first.filter(|&vn| {
                numbers.all(|other| other.expand() == Some(vn)) && self.depths[self.data[vn].home] <= depth
            });
            match common {
                Some(vn) => self.numbers[exit.output] = vn.into(),
                None => {
                    self.leaf(graph, exit.output);
                }
            }
        }
    }

    fn simple(&mut self, graph: &Graph, node: Node) {
        if let (Some(op), &[output]) = (graph.op(node), graph.outputs(node))
            && is_function(op)
        {
            let inputs: SmallVec<[Vn; 4]> = graph.input_origins(node).map(|origin| self.get(graph, origin)).collect();
            let address = match op {
                Op::Const(constant) => self.address(graph, constant, &inputs, MAX_NESTING),
                _ => None,
            };
            let vn = address.unwrap_or_else(|| self.expression(graph, op, graph.ty(output), inputs));
            self.numbers[output] = vn.into();
            return;
        }
        for &output in graph.outputs(node) {
            if !graph.ty(output).is_state() {
                self.leaf(graph, output);
            }
        }
    }

    /// The number of a constant address relative to symbols, as if nodes computed it. At most `nesting` calls deep.
    fn address(&mut self, graph: &Graph, constant: Const, symbols: &[Vn], nesting: u32) -> Option<Vn> {
        let pool = graph.pool();
        match *pool.constant(constant) {
            Constant::Hole { index, .. } => symbols.get(index as usize).copied(),
            Constant::Expr { ty, op: op @ Op::Gep { .. }, ref operands, in_range: None } if nesting > 0 => {
                let (&base, indices) = operands.split_first()?;
                let is_number = |&index: &Const| matches!(pool.constant(index), Constant::Int { .. });
                if !matches!(pool.type_kind(ty), TypeKind::Ptr(_)) || !indices.iter().all(is_number) {
                    return None;
                }
                let mut inputs: SmallVec<[Vn; 4]> =
                    SmallVec::from_slice(&[self.address(graph, base, symbols, nesting - 1)?]);
                for &index in indices {
                    inputs.push(self.expression(graph, Op::Const(index), pool.constant(index).ty(), SmallVec::new()));
                }
                Some(self.expression(graph, op, ty, inputs))
            }
            _ => None,
        }
    }

    fn expression(&mut self, graph: &Graph, op: Op, ty: Type, inputs: SmallVec<[Vn; 4]>) -> Vn {
        let hash = FxBuildHasher.hash_one((op, ty, &inputs));
        let is_same = |&(other, vn): &(u64, Vn)| {
            let data = &self.data[vn];
            other == hash && data.ty == ty && matches!(&data.def, Def::Node(of, from) if *of == op && *from == inputs)
        };
        if let Some(&(_, vn)) = self.table.find(hash, is_same) {
            return vn;
        }
        let home = inputs.iter().map(|&input| self.data[input].home).max_by_key(|&home| self.depths[home]);
        let is_pointer = matches!(graph.pool().type_kind(ty), TypeKind::Ptr(_));
        let vn = self.data.next_key();
        let base = if matches!(op, Op::Gep { .. }) && is_pointer { self.data[inputs[0]].base } else { vn };
        self.data.push(Data { def: Def::Node(op, inputs), ty, home: home.unwrap_or(graph.root()), base });
        self.table.insert_unique(hash, (hash, vn), |&(hash, _)| hash);
        vn
    }

    fn leaf(&mut self, graph: &Graph, origin: Origin) -> Vn {
        let vn = self.data.next_key();
        let ty = graph.ty(origin);
        self.data.push(Data { def: Def::Leaf(origin), ty, home: graph.scope(origin), base: vn });
        self.numbers[origin] = vn.into();
        vn
    }

    /// The number of a value. One that was added since gets a number of its own.
    pub fn get(&mut self, graph: &Graph, origin: Origin) -> Vn {
        match self.numbers[origin].expand() {
            Some(vn) => vn,
            None => self.leaf(graph, origin),
        }
    }

    /// The number of a value with some of its leaves replaced: `replacement` maps numbers of unknown values.
    pub fn substituted(&mut self, graph: &Graph, vn: Vn, replacement: impl Fn(Vn) -> Option<Vn>) -> Vn {
        enum Step {
            Visit(Vn),
            Build(Vn),
        }
        let mut steps = vec![Step::Visit(vn)];
        let mut done: Vec<Vn> = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(vn) => match self.def(vn) {
                    Def::Leaf(_) => done.push(replacement(vn).unwrap_or(vn)),
                    Def::Node(_, inputs) => {
                        steps.push(Step::Build(vn));
                        steps.extend(inputs.iter().rev().map(|&input| Step::Visit(input)));
                    }
                },
                Step::Build(vn) => {
                    let Def::Node(op, inputs) = self.def(vn) else { continue };
                    let (op, count) = (*op, inputs.len());
                    let inputs = SmallVec::from_vec(done.split_off(done.len() - count));
                    let ty = self.ty(vn);
                    done.push(self.expression(graph, op, ty, inputs));
                }
            }
        }
        done.pop().unwrap_or(vn)
    }

    /// The number of a value that has one.
    pub fn known(&self, origin: Origin) -> Option<Vn> {
        self.numbers[origin].expand()
    }

    /// Sets the number of a value that was added.
    pub fn set(&mut self, origin: Origin, vn: Vn) {
        self.numbers[origin] = vn.into();
    }

    /// Replaces the origin of an unknown value.
    pub fn replace(&mut self, old: Origin, new: Origin) {
        if let Some(vn) = self.known(old) {
            if matches!(self.data[vn].def, Def::Leaf(origin) if origin == old) {
                self.data[vn].def = Def::Leaf(new);
            }
            self.set(new, vn);
        }
    }

    /// The definition of the values with a number.
    pub fn def(&self, vn: Vn) -> &Def {
        &self.data[vn].def
    }

    /// The type of the values with a number.
    pub fn ty(&self, vn: Vn) -> Type {
        self.data[vn].ty
    }

    /// The pointer from which a pointer is computed by constant or variable offsets; itself if there is none.
    pub fn base(&self, vn: Vn) -> Vn {
        self.data[vn].base
    }

    /// Whether values with a number are available and unchanged throughout a region.
    pub fn is_visible(&self, vn: Vn, region: Region) -> bool {
        self.depths[self.data[vn].home] <= self.depths[region]
    }

    /// The nesting depth of a region.
    pub fn depth(&self, region: Region) -> u32 {
        self.depths[region]
    }
}

/// What [`Numbering::new`] visits.
#[derive(Copy, Clone)]
pub enum Visit {
    /// A simple node.
    Simple(Node),
    /// A θ, before its body.
    EnterTheta,
    /// A θ, after its body.
    LeaveTheta(Theta),
}

/// Whether an operation computes equal values from equal inputs.
fn is_function(op: Op) -> bool {
    match op {
        Op::Const(_)
        | Op::IntBinary { .. }
        | Op::FloatBinary { .. }
        | Op::FNeg(_)
        | Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::Cast { .. }
        | Op::Select(_)
        | Op::ExtractElement
        | Op::InsertElement
        | Op::ShuffleVector(_)
        | Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::Gep { .. } => true,
        // Two `freeze` of one value may choose differently.
        Op::Freeze
        | Op::CtlConst { .. }
        | Op::Match(_)
        | Op::Alloca { .. }
        | Op::Load(_)
        | Op::Store(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::Fence { .. }
        | Op::Call(_)
        | Op::Invoke(_)
        | Op::CallBr(_)
        | Op::IndirectBr(_)
        | Op::Resume
        | Op::Funclet(_)
        | Op::VaArg
        | Op::Unreachable
        | Op::Ext(_) => false,
    }
}
