//! Makes a tree vectors.

use rustc_hash::FxHashMap;
use rvsdg_analysis::memory::states;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::parts;
use rvsdg_core::op::{GepFlags, MemAccess};
use rvsdg_core::{Graph, Node, Op, Origin, Type};

use super::Around;
use super::accesses::Accesses;
use super::tree::{Bundle, Form, Lanes, Tree};
use crate::lanes::{build, widen};

/// Replaces the scalars of a tree by vectors.
pub(super) fn emit(
    graph: &mut Graph,
    around: &mut Around<'_>,
    numbers: &mut Numbering,
    accesses: &mut Accesses,
    tree: Tree,
) {
    let vectors = vec![None; tree.bundles.len()];
    let mut emission =
        Emission { graph, around, numbers, accesses, tree: &tree, vectors, scalars: FxHashMap::default() };
    for index in 0..tree.bundles.len() {
        emission.member_bundle(index);
    }
    emission.store();
    emission.remove_scalars();
}

struct Emission<'e, 'a> {
    graph: &'e mut Graph,
    around: &'e mut Around<'a>,
    numbers: &'e mut Numbering,
    accesses: &'e mut Accesses,
    tree: &'e Tree,
    /// The vectors so far, by bundle.
    vectors: Vec<Option<Origin>>,
    /// The extracted lanes, by what they replace.
    scalars: FxHashMap<Origin, Origin>,
}

impl Emission<'_, '_> {
    /// Emits a bundle whose members become one operation, and what it is computed from.
    fn member_bundle(&mut self, index: usize) {
        let tree = self.tree;
        let bundle = &tree.bundles[index];
        let Some(place) = self.place(bundle) else { return };
        let vector = match &bundle.form {
            Form::Load { nodes, access } => self.load(bundle, nodes, *access, place),
            Form::Op { op, operands, .. } => {
                let operands = self.operands(operands, place);
                let ty = self.ty(bundle);
                self.before(place).add(*op, &operands, ty)
            }
            Form::Mixed { ops, second, operands, .. } => {
                self.around.cx.count("mixed", 1);
                let operands = self.operands(operands, place);
                let ty = self.ty(bundle);
                let results = ops.map(|op| self.before(place).add(op, &operands, ty));
                let lanes = second.len() as u32;
                let picks: Vec<(usize, u32)> =
                    (0..lanes).zip(second).map(|(lane, &of)| (usize::from(of), lane)).collect();
                build::picked(&mut self.before(place), &results, &picks)
            }
            Form::Intrinsic { which, fast, operands, .. } => {
                let operands = self.operands(operands, place);
                widen::intrinsic(&mut self.before(place), *which, &operands, *fast)
                    .expect("what is executed lane by lane has a vector form")
            }
            Form::Picked { .. } | Form::Known(_) | Form::Constant(_) | Form::Splat | Form::Gathered => return,
        };
        self.vectors[index] = Some(vector);
        for &(_, lane) in tree.extracted.iter().filter(|&&(of, _)| of == index) {
            self.around.cx.count("extracted", 1);
            let scalar = bundle.lanes[lane as usize];
            let ty = self.graph.ty(scalar);
            let extracted = build::lane(&mut self.before(place), vector, lane, ty);
            self.scalars.insert(scalar, extracted);
        }
    }

    /// The member before which the operation of a bundle is.
    fn place(&self, bundle: &Bundle) -> Option<Node> {
        match &bundle.form {
            Form::Load { nodes, .. } => Some(self.accesses.first_of(nodes)),
            _ => bundle.members().iter().copied().max_by_key(|node| self.around.order[node]),
        }
    }

    fn before(&mut self, place: Node) -> Insert<'_> {
        Insert::before(self.graph, place)
    }

    fn ty(&self, bundle: &Bundle) -> Type {
        build::vector(self.graph.pool(), self.graph.ty(bundle.lanes[0]), bundle.lanes.len() as u32)
    }

    /// The operands of an operation at a place.
    fn operands(&mut self, operands: &[usize], place: Node) -> Vec<Origin> {
        self.around.cx.count("operations", 1);
        operands.iter().map(|&operand| self.vector(operand, place)).collect()
    }

    /// The vector of a bundle, which is added before `place` if there is none yet.
    fn vector(&mut self, index: usize, place: Node) -> Origin {
        if let Some(vector) = self.vectors[index] {
            return vector;
        }
        let tree = self.tree;
        let bundle = &tree.bundles[index];
        let ty = self.ty(bundle);
        let vector = match &bundle.form {
            Form::Known(vector) => *vector,
            Form::Picked { of, lanes } => {
                self.around.cx.count("picked", 1);
                let from = self.vector(*of, place);
                let picks: Vec<(usize, u32)> = lanes.iter().map(|&lane| (0, lane)).collect();
                build::picked(&mut self.before(place), &[from], &picks)
            }
            Form::Constant(constants) => {
                let mut at = self.before(place);
                let pool = at.graph().pool().clone();
                let whole = parts::whole(&pool, ty, constants);
                at.constant(whole.expect("a vector of few lanes has a constant"))
            }
            Form::Splat => {
                let value = self.scalar(bundle.lanes[0]);
                build::splat(&mut self.before(place), value, bundle.lanes.len() as u32)
            }
            Form::Gathered => {
                self.around.cx.count("gathered", 1);
                let mut vector = self.before(place).poison(ty);
                for (lane, &value) in bundle.lanes.iter().enumerate() {
                    let value = self.scalar(value);
                    vector = build::with_lane(&mut self.before(place), vector, value, lane as u32);
                }
                vector
            }
            Form::Op { .. } | Form::Mixed { .. } | Form::Intrinsic { .. } | Form::Load { .. } => {
                unreachable!("operands are emitted before what is computed from them")
            }
        };
        if let Form::Splat | Form::Gathered = bundle.form {
            let lanes = bundle.lanes.iter().map(|&lane| self.scalar(lane)).collect();
            self.around.known.insert(lanes, vector);
        }
        self.vectors[index] = Some(vector);
        vector
    }

    /// A value as a scalar.
    fn scalar(&self, value: Origin) -> Origin {
        self.scalars.get(&value).copied().unwrap_or(value)
    }

    /// Loads consecutive elements at the place of the first load.
    fn load(&mut self, bundle: &Bundle, nodes: &Lanes<Node>, access: MemAccess, first: Node) -> Origin {
        self.around.cx.count("loads", 1);
        let ty = self.ty(bundle);
        let elements = self.accesses.elements_between(self.graph, first, nodes[0]).expect("they are in one object");
        let bytes = elements * i64::from(self.around.bits(self.graph, bundle.lanes[0]) / 8);
        let [address, memory] = [0, 1].map(|input| self.graph.input(first, input));
        let lowest = self.graph.input(nodes[0], 0);
        let mut at = Insert::before(self.graph, first);
        let address = at.advance(address, bytes, GepFlags::NONE);
        let load = at.node(Op::Load(access), &[address, memory], &[ty, Type::MEM]);
        let number = self.numbers.get(self.graph, lowest);
        self.numbers.set(address, number);
        self.graph.divert(self.graph.inputs(first)[1], self.graph.output(load, 1));
        self.accesses.replace(self.graph, nodes, load, first);
        self.graph.output(load, 0)
    }

    /// Stores consecutive elements at the place of the last store.
    fn store(&mut self) {
        let tree = self.tree;
        self.around.cx.count("trees", 1);
        let value = self.vector(tree.bundles.len() - 1, tree.last);
        let address = self.graph.input(tree.stores[0], 1);
        let memory = self.graph.input(tree.last, 2);
        let store = self.before(tree.last).node(Op::Store(tree.access), &[value, address, memory], &[Type::MEM]);
        self.graph.divert(self.graph.inputs(tree.last)[2], self.graph.output(store, 0));
        self.accesses.replace(self.graph, &tree.stores, store, tree.last);
    }

    /// Removes what the vectors replace, users first.
    fn remove_scalars(&mut self) {
        let tree = self.tree;
        for (&scalar, &extracted) in &self.scalars {
            self.graph.divert_users(scalar, extracted);
        }
        let members = tree.bundles.iter().rev().flat_map(Bundle::members);
        for &node in tree.stores.iter().chain(members) {
            if let Some(before) = states::before(self.graph, node) {
                let after = states::after(self.graph, node).expect("an access has a state on both sides");
                self.graph.divert_users(after, before);
            }
            self.graph.remove(node);
        }
    }
}
