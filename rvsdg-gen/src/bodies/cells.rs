//! Addresses in memory: cells that hold the address of known memory.

use rvsdg_core::op::MemAccess;
use rvsdg_core::{Op, Origin, Type};

use super::{Known, Maker, Room, Scope};

impl Room {
    /// What the address in a cell leads to.
    const HELD: Room = Room { lasting: true, ..Room::PASSED };
}

impl Maker<'_, '_> {
    fn cell(&mut self, scope: &Scope) -> Option<Origin> {
        let cells: Vec<Origin> =
            scope.values.iter().copied().filter(|&value| self.what(value) == Some(Known::Cell)).collect();
        (!cells.is_empty()).then(|| self.entropy.pick(&cells))
    }

    /// Memory with room for what is passed to functions.
    fn held(&mut self, scope: &Scope, needed: Room) -> Option<Origin> {
        let fits = |value: &Origin| matches!(self.what(*value), Some(Known::Memory(room)) if room.has(needed));
        let fitting: Vec<Origin> = scope.values.iter().copied().filter(fits).collect();
        (!fitting.is_empty()).then(|| self.entropy.pick(&fitting))
    }

    fn load_cell(&mut self, scope: &mut Scope, cell: Origin) -> Origin {
        let align_log2 = if self.entropy.chance(1, 2) { 3 } else { 0 };
        let access = MemAccess { nonnull: self.entropy.chance(1, 4), ..MemAccess::plain(align_log2) };
        self.effect(scope, Op::Load(access), &[cell], &[Type::PTR])[0]
    }

    fn store_cell(&mut self, scope: &mut Scope, address: Origin, cell: Origin) {
        let access = MemAccess::plain(if self.entropy.chance(1, 2) { 3 } else { 0 });
        self.effect(scope, Op::Store(access), &[address, cell], &[]);
    }

    /// Something with addresses in memory.
    pub(crate) fn cells(&mut self, scope: &mut Scope) {
        match self.entropy.below(4) {
            0 => self.new_cell(scope),
            1 => self.through_cell(scope),
            2 => self.change_cell(scope),
            _ => self.escape(scope),
        }
    }

    /// A cell on the stack.
    fn new_cell(&mut self, scope: &mut Scope) {
        let Some(address) = self.held(scope, Room::HELD) else { return };
        if scope.loops > 0 {
            return;
        }
        let one = self.int(scope, Type::I32, 1);
        let op = Op::Alloca { ty: Type::PTR, align_log2: 3, in_alloca: false, swift_error: false };
        let cell = self.effect(scope, op, &[one], &[Type::PTR])[0];
        self.know(cell, Some(Known::Cell));
        self.store_cell(scope, address, cell);
    }

    /// Memory that a cell leads to.
    fn through_cell(&mut self, scope: &mut Scope) {
        let Some(cell) = self.cell(scope) else { return };
        let address = self.load_cell(scope, cell);
        self.know(address, Some(Known::Memory(Room::HELD)));
        self.accumulate(scope);
    }

    /// A cell leads elsewhere from now on.
    fn change_cell(&mut self, scope: &mut Scope) {
        if let Some(cell) = self.cell(scope)
            && let Some(address) = self.held(scope, Room::HELD)
        {
            self.store_cell(scope, address, cell);
        }
    }

    /// A cell leads to other memory for the time of a call, or of accesses through it.
    fn escape(&mut self, scope: &mut Scope) {
        if scope.loops == 0 && self.entropy.chance(1, 2) {
            self.alloca(scope);
        }
        let Some(cell) = self.cell(scope) else { return };
        let Some(address) = self.held(scope, Room::PASSED) else { return };
        let before = self.load_cell(scope, cell);
        self.know(before, Some(Known::Memory(Room::HELD)));
        self.store_cell(scope, address, cell);
        for _ in 0..1 + self.entropy.below(3) {
            match self.entropy.below(3) {
                0 => self.call(scope),
                1 => {
                    let known = scope.values.len();
                    let address = self.load_cell(scope, cell);
                    self.know(address, Some(Known::Memory(Room::PASSED)));
                    self.accumulate_at(scope, address, Room::PASSED);
                    scope.values.truncate(known);
                }
                _ => self.accumulate_at(scope, address, Room::PASSED),
            }
        }
        self.store_cell(scope, before, cell);
    }
}
