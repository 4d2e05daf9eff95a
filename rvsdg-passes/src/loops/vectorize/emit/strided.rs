//! Accesses with gaps: lane by lane, or in whole vectors that include the gaps.

use rvsdg_core::build::Insert;
use rvsdg_core::op::{GepFlags, MemAccess};
use rvsdg_core::{Node, Op, Origin, Type};

use super::Emission;
use crate::lanes::build;

impl Emission<'_, '_> {
    /// The lanes of a load, by part.
    pub(super) fn load_strided(&mut self, node: Node, access: MemAccess) -> Vec<Origin> {
        match self.whole_group(node) {
            Some((group, place)) => self.load_group(node, access, group, place),
            None => self.load_lanes(node, access),
        }
    }

    /// Stores lanes; those of a group in whole vectors, at the position of its last store.
    pub(super) fn store_strided(&mut self, node: Node, access: MemAccess) {
        match self.whole_group(node) {
            Some((group, place)) => {
                if self.plan.groups[group].members.last().is_some_and(|&(last, _)| last == node) {
                    self.store_group(node, access, group, place);
                }
            }
            None => self.store_lanes(node, access),
        }
    }

    fn whole_group(&self, node: Node) -> Option<(usize, u32)> {
        self.plan.group_of.get(&node).copied().filter(|&(group, _)| self.plan.whole[group])
    }

    /// An address a number of bytes after that of the first lane.
    fn at_bytes(&mut self, address: Origin, by: i64) -> Origin {
        let first = self.once[&address];
        Insert::end(self.graph, self.body).advance(first, by, GepFlags::NONE)
    }

    pub(super) fn load(&mut self, address: Origin, access: MemAccess, ty: Type) -> Origin {
        let memory = self.memory.expect("what is loaded is in memory");
        let load = self.inside().node(Op::Load(access), &[address, memory], &[ty, Type::MEM]);
        self.memory = Some(self.graph.output(load, 1));
        self.graph.output(load, 0)
    }

    fn store(&mut self, value: Origin, address: Origin, access: MemAccess) {
        let memory = self.memory.expect("what is stored is in memory");
        let store = self.inside().node(Op::Store(access), &[value, address, memory], &[Type::MEM]);
        self.memory = Some(self.graph.output(store, 0));
    }

    fn load_lanes(&mut self, node: Node, access: MemAccess) -> Vec<Origin> {
        let (lanes, element, address) =
            (self.lanes, self.graph.ty(self.graph.output(node, 0)), self.graph.input(node, 0));
        let ty = build::vector(&self.graph.pool().clone(), element, lanes);
        let (step, access) = (self.plan.strides[&node], element_wise(access, self.element_bytes(element)));
        let mut values = Vec::new();
        for part in 0..self.plan.parts as i64 {
            let mut vector = self.inside().poison(ty);
            for lane in 0..lanes {
                let place = self.at_bytes(address, step * (part * i64::from(lanes) + i64::from(lane)));
                let value = self.load(place, access, element);
                vector = build::with_lane(&mut self.inside(), vector, value, lane);
            }
            values.push(vector);
        }
        values
    }

    fn store_lanes(&mut self, node: Node, access: MemAccess) {
        let (lanes, value, address) = (self.lanes, self.graph.input(node, 0), self.graph.input(node, 1));
        let element = self.graph.ty(value);
        let (step, access) = (self.plan.strides[&node], element_wise(access, self.element_bytes(element)));
        for (part, vector) in self.lanes_of(value).into_iter().enumerate() {
            for lane in 0..lanes {
                let place = self.at_bytes(address, step * (part as i64 * i64::from(lanes) + i64::from(lane)));
                let value = build::lane(&mut self.inside(), vector, lane, element);
                self.store(value, place, access);
            }
        }
    }

    /// The vectors from the first element of a group to the last accessed one. The last vector overlaps the one before it if the lanes do
    /// not fill it. What is between two accessed elements is in the same object.
    fn load_group(&mut self, node: Node, access: MemAccess, group: usize, place: u32) -> Vec<Origin> {
        let (plan, lanes) = (self.plan, self.lanes);
        let of = &plan.groups[group];
        let total = of.factor * (lanes - 1) + of.span;
        let starts: Vec<u32> = (0..total.div_ceil(lanes)).map(|vector| (vector * lanes).min(total - lanes)).collect();
        if !self.loaded.contains_key(&group) {
            let element = self.graph.ty(self.graph.output(node, 0));
            let ty = build::vector(&self.graph.pool().clone(), element, lanes);
            let address = self.graph.input(node, 0);
            // The elements in between may have any type.
            let access = MemAccess { tag: None, ..element_wise(access, of.size) };
            let mut parts = Vec::new();
            for part in 0..plan.parts as u32 {
                let first = i64::from(part * lanes * of.factor) - i64::from(place);
                let mut vectors = Vec::new();
                for &start in &starts {
                    let place = self.at_bytes(address, (first + i64::from(start)) * of.size);
                    vectors.push(self.load(place, access, ty));
                }
                parts.push(vectors);
            }
            self.loaded.insert(group, parts);
        }
        let picks: Vec<(usize, u32)> = (0..lanes)
            .map(|lane| {
                let element = lane * of.factor + place;
                let vector = ((element / lanes) as usize).min(starts.len() - 1);
                (vector, element - starts[vector])
            })
            .collect();
        let parts = self.loaded[&group].clone();
        parts.iter().map(|vectors| build::picked(&mut self.inside(), vectors, &picks)).collect()
    }

    /// Stores the values of all stores of a group, starting at its first element.
    fn store_group(&mut self, node: Node, access: MemAccess, group: usize, place: u32) {
        let (plan, lanes) = (self.plan, self.lanes);
        let of = &plan.groups[group];
        let access = MemAccess { tag: None, ..element_wise(access, of.size) };
        let address = self.graph.input(node, 1);
        let poison = build::vector(&self.graph.pool().clone(), self.graph.ty(self.graph.input(node, 0)), lanes);
        let poison = self.inside().poison(poison);
        let mut values = vec![vec![poison; plan.parts]; of.factor as usize];
        for &(member, place) in &of.members {
            values[place as usize] = self.lanes_of(self.graph.input(member, 0));
        }
        for part in 0..plan.parts {
            let vectors: Vec<Origin> = values.iter().map(|value| value[part]).collect();
            for vector in 0..of.factor {
                let elements = (0..lanes).map(|lane| vector * lanes + lane);
                let picks: Vec<(usize, u32)> =
                    elements.map(|element| ((element % of.factor) as usize, element / of.factor)).collect();
                let value = build::picked(&mut self.inside(), &vectors, &picks);
                let first = i64::from((part as u32 * of.factor + vector) * lanes) - i64::from(place);
                let place = self.at_bytes(address, first * of.size);
                self.store(value, place, access);
            }
        }
    }

    pub(super) fn element_bytes(&self, element: Type) -> i64 {
        rvsdg_analysis::target::scalar_bits(self.graph.pool(), element).map_or(1, |bits| i64::from(bits / 8))
    }
}

/// An access with only those properties that hold for a single element at any position.
pub(super) fn element_wise(access: MemAccess, size: i64) -> MemAccess {
    MemAccess { align_log2: access.align_log2.min(size.trailing_zeros() as u8), ..access }
}
