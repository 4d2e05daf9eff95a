//! Address-space inference: accesses through generic pointers that lead into one address space become accesses through pointers of that
//! address space.
//!
//! ```text
//! target triple "nvptx64-nvidia-cuda"
//!
//! @f = function void (ptr, i64, i32), cc 71
//! lambda @f [] (v0: ptr, v1: i64, v2: i32, mem0, io0) {
//!   v3: ptr = getelementptr inbounds i32, v0, v1
//!   mem1 = store v2, v3, mem0, align 4
//!   yield mem1, io0
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! @f = function void (ptr, i64, i32), cc 71
//! lambda @f [] (v0: ptr, v1: i64, v2: i32, mem0, io0) {
//!   v3: ptr addrspace(1) = addrspacecast v0
//!   v4: ptr addrspace(1) = getelementptr inbounds i32, v3, v1
//!   mem1 = store v2, v4, mem0, align 4
//!   yield mem1, io0
//! }
//! ```
//!
//! Through a generic pointer a machine has to find out first which memory an access is of. And accesses of different memory, such as global
//! memory and that which the threads of a block share, never overlap, which alias analysis knows of their address spaces.
//!
//! 1. [Where generic pointers lead](rvsdg_analysis::address_space) is found out.
//! 2. For each access that may change, the pointer is computed again, in its address space, from the pointers that were converted to
//!    generic ones: `getelementptr` and `select` with inputs of that address space, exit variables of γ and loop variables of θ beside
//!    the ones that there are. The generic pointers stay for comparisons, conversions to integers, calls, and for being stored; those that
//!    nothing uses any more are left to dead node elimination.
//!
//! Of the flags of `getelementptr` only `inbounds`, and others together with it, say the same in each address space: the others are about
//! the number that an address is, which is another one there. Volatile accesses stay as they are. What leads nowhere becomes poison;
//! accesses through it were undefined.
//!
//! On machines without a generic address space it does nothing.
//!
//! Statistics: `accesses` that changed; `addresses`, `exit_variables` and `loop_variables` that were added for them; `parameters` that
//! were converted.
//!
//! Cost: linear in the size of the graph.
//!
//! Left out: memory intrinsics and other calls; vectors of pointers; generic pointers to stack objects and pointers that kernels load from
//! their parameters; what `isspacep` and the like tell.
//!
//! LLVM's InferAddressSpaces.

use rustc_hash::FxHashMap;
use rvsdg_analysis::address_space::{AddressSpaces, Lead, derived_from};
use rvsdg_analysis::divergence::{Accesses, Machine};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::{AtomicOrdering, CastOp, GepFlags, MemAccess};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, OriginDef, Pool, Region, Type, TypeKind};
use smallvec::SmallVec;

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [address-space inference](self).
pub struct AddressSpaceInference;

impl BodyPass for AddressSpaceInference {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(surroundings) = cx.surroundings() else { return Change::Unchanged };
        let Some(machine) = surroundings.machine() else { return Change::Unchanged };
        let Some(spaces) = AddressSpaces::of(graph, surroundings) else { return Change::Unchanged };
        let accesses: Vec<Access> =
            graph.all_nodes().filter_map(|node| Access::of(graph, machine, &spaces, node)).collect();
        let mut pointers = Pointers { spaces: &spaces, cx, known: FxHashMap::default(), router: Router::new() };
        let mut change = Change::Unchanged;
        for Access { node, input, space } in accesses {
            if !cx.rewrite("accesses", graph, node) {
                break;
            }
            let user = graph.inputs(node)[input];
            let pointer = pointers.in_space(graph, graph.origin(user), space);
            graph.divert(user, pointer);
            cx.count("accesses", 1);
            change = Change::Changed;
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(AddressSpaceInference))]
}

/// An access through a generic pointer that may be one through a pointer of an address space.
struct Access {
    node: Node,
    /// Which input the pointer is.
    input: usize,
    space: u32,
}

impl Access {
    fn of(graph: &Graph, machine: Machine, spaces: &AddressSpaces, node: Node) -> Option<Access> {
        let plain = |access: MemAccess, how| match access.ordering {
            AtomicOrdering::NotAtomic => how,
            _ => Accesses::Atomics,
        };
        let (input, access, how) = match graph.op(node)? {
            Op::Load(access) => (0, access, plain(access, Accesses::Reads)),
            Op::Store(access) => (1, access, plain(access, Accesses::Writes)),
            Op::CmpXchg { access, .. } | Op::AtomicRmw { access, .. } => (0, access, Accesses::Atomics),
            _ => return None,
        };
        if access.volatile && !seeded::is_active(Bug::AdsVolatile) {
            return None;
        }
        match spaces.lead(graph, graph.input(node, input))? {
            Lead::Into(space) if machine.may_access(space, how) => Some(Access { node, input, space }),
            Lead::Into(_) | Lead::Nowhere | Lead::Anywhere => None,
        }
    }
}

/// Pointers of other address spaces that lead where generic ones do.
struct Pointers<'a> {
    spaces: &'a AddressSpaces,
    cx: &'a PassCx,
    /// By generic pointer and type: the pointer of that type, in the same region.
    known: FxHashMap<(Origin, Type), Origin>,
    router: Router,
}

enum Step {
    /// Compute this one.
    Visit(Origin),
    /// What it is computed from is known.
    Build(Origin),
    /// The first of two loop variables is updated; update the second, which stands for it.
    Close(LoopVar, LoopVar),
}

impl Pointers<'_> {
    /// The pointer of an address space that leads where a generic pointer leads.
    fn in_space(&mut self, graph: &mut Graph, pointer: Origin, space: u32) -> Origin {
        let ty = graph.pool().intern_type(TypeKind::Ptr(space));
        let mut steps = vec![Step::Visit(pointer)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(value) | Step::Build(value) if self.known.contains_key(&(value, ty)) => {}
                Step::Visit(value) if self.spaces.lead(graph, value) == Some(Lead::Nowhere) => {
                    let region = graph.scope(value);
                    let poison = Insert::front(graph, region).poison(ty);
                    self.known.insert((value, ty), poison);
                }
                Step::Visit(value) => {
                    steps.push(Step::Build(value));
                    steps.extend(sources(graph, value).into_iter().map(Step::Visit));
                }
                Step::Build(value) => {
                    if let Some((old, new)) = self.build(graph, value, ty) {
                        steps.push(Step::Close(old, new));
                        steps.push(Step::Visit(graph.origin(old.post)));
                    }
                }
                Step::Close(old, new) => {
                    let next = self.known[&(graph.origin(old.post), ty)];
                    graph.divert(new.post, next);
                }
            }
        }
        self.known[&(pointer, ty)]
    }

    /// Computes a pointer from the known ones that it depends on. For a loop variable that changes, which is not known
    /// after an iteration yet, it and the variable that stands for it.
    fn build(&mut self, graph: &mut Graph, value: Origin, ty: Type) -> Option<(LoopVar, LoopVar)> {
        let built = match graph.def(value) {
            OriginDef::Argument(region, index) => match graph.parent(region) {
                Some(parent) => match Theta::new(graph, parent) {
                    Some(theta) => return self.loop_variable(graph, theta, theta.loop_var(graph, index as usize), ty),
                    None => {
                        let outer = self.known[&(graph.input(parent, index as usize + 1), ty)];
                        self.router.route(graph, outer, region)
                    }
                },
                None => {
                    self.cx.count("parameters", 1);
                    Insert::front(graph, region).cast(CastOp::AddrSpaceCast, value, ty)
                }
            },
            OriginDef::Output(node, index) => match graph.op(node) {
                Some(op) => self.operation(graph, node, op, ty),
                None => {
                    // Those of a θ are known with its arguments.
                    let gamma = Gamma::new(graph, node)?;
                    let known = |&region: &Region| self.known[&(graph.result(region, index as usize), ty)];
                    let results: SmallVec<[Origin; 4]> = gamma.regions(graph).iter().map(known).collect();
                    self.cx.count("exit_variables", 1);
                    gamma.add_exit_var(graph, &results).output
                }
            },
        };
        self.known.insert((value, ty), built);
        None
    }

    fn operation(&mut self, graph: &mut Graph, node: Node, op: Op, ty: Type) -> Origin {
        match op {
            Op::Const(constant) => match in_space(graph.pool(), constant) {
                Address::Input(index) => graph.input(node, index as usize),
                Address::Constant(constant) => {
                    let inputs: SmallVec<[Origin; 4]> = graph.input_origins(node).collect();
                    let added = Insert::before(graph, node).node(Op::Const(constant), &inputs, &[ty]);
                    graph.output(added, 0)
                }
            },
            _ => match derived_from(op) {
                // It is the conversion of a pointer of that address space.
                None => graph.input(node, 0),
                Some(pointers) => {
                    let mut inputs: SmallVec<[Origin; 4]> = graph.input_origins(node).collect();
                    for &index in pointers {
                        inputs[index] = self.known[&(inputs[index], ty)];
                    }
                    self.cx.count("addresses", 1);
                    let source = graph.source(node);
                    Insert::before(graph, node).source(source).add(elsewhere(op), &inputs, ty)
                }
            },
        }
    }

    fn loop_variable(&mut self, graph: &mut Graph, theta: Theta, old: LoopVar, ty: Type) -> Option<(LoopVar, LoopVar)> {
        let start = self.known[&(graph.origin(old.input), ty)];
        if old.is_invariant(graph) {
            let body = theta.body(graph);
            let inside = self.router.route(graph, start, body);
            self.known.extend([((old.pre, ty), inside), ((old.output, ty), start)]);
            return None;
        }
        let new = self.router.carry(graph, theta, start);
        self.cx.count("loop_variables", 1);
        self.known.extend([((old.pre, ty), new.pre), ((old.output, ty), new.output)]);
        Some((old, new))
    }
}

/// The generic pointers that a generic pointer is computed from, without the values of later iterations.
fn sources(graph: &Graph, value: Origin) -> SmallVec<[Origin; 4]> {
    match graph.def(value) {
        OriginDef::Argument(region, index) => {
            let Some(parent) = graph.parent(region) else { return SmallVec::new() };
            let input = match Theta::new(graph, parent) {
                Some(_) => index as usize,
                None => index as usize + 1,
            };
            SmallVec::from_slice(&[graph.input(parent, input)])
        }
        OriginDef::Output(node, index) => match graph.op(node) {
            Some(op) => derived_from(op).unwrap_or_default().iter().map(|&input| graph.input(node, input)).collect(),
            None => match Theta::loop_var_of_output(graph, value) {
                Some((_, variable)) => SmallVec::from_slice(&[variable.pre]),
                None => graph.subregions(node).iter().map(|&region| graph.result(region, index as usize)).collect(),
            },
        },
    }
}

/// The operation that computes a pointer of another address space as this one computes a generic pointer.
fn elsewhere(op: Op) -> Op {
    match op {
        Op::Gep { source, flags } if !flags.contains(GepFlags::INBOUNDS) && !seeded::is_active(Bug::AdsFlags) => {
            Op::Gep { source, flags: GepFlags::default() }
        }
        op => op,
    }
}

/// A constant address in its address space.
enum Address {
    /// That of a symbol, which is this input.
    Input(u32),
    Constant(Const),
}

/// The address in its own address space that a constant converts to a generic one, or an element at such an address.
fn in_space(pool: &Pool, constant: Const) -> Address {
    let mut elements: Vec<Const> = Vec::new();
    let mut at = constant;
    let converted = loop {
        match pool.constant(at) {
            Constant::Expr { op: Op::Gep { .. }, operands, .. } => {
                elements.push(at);
                at = operands[0];
            }
            Constant::Expr { operands, .. } => break operands[0],
            _ => break at,
        }
    };
    if let (true, Constant::Hole { index, .. }) = (elements.is_empty(), pool.constant(converted)) {
        return Address::Input(*index);
    }
    let ty = pool.constant(converted).ty();
    Address::Constant(elements.into_iter().rev().fold(converted, |base, element| match pool.constant(element) {
        Constant::Expr { op, operands, in_range, .. } => {
            let operands = std::iter::once(base).chain(operands[1..].iter().copied()).collect();
            pool.intern_const(Constant::Expr { ty, op: elsewhere(*op), operands, in_range: *in_range })
        }
        _ => base,
    }))
}
