//! Variables that never change: tables of numbers, and records with a number and a function.

use rvsdg_core::op::{GepFlags, IntBinary, MemAccess};
use rvsdg_core::{Op, Origin, Type};

use super::{Known, Maker, Scope};

impl Maker<'_, '_> {
    /// Something with a variable that never changes.
    pub(crate) fn tables(&mut self, scope: &mut Scope) {
        let fits = |value: &Origin| matches!(self.what(*value), Some(Known::Table(_) | Known::Record(_)));
        let fitting: Vec<Origin> = scope.values.iter().copied().filter(fits).collect();
        if fitting.is_empty() {
            return;
        }
        let table = self.entropy.pick(&fitting);
        match self.what(table) {
            Some(Known::Table(len)) => self.look_up(scope, table, len),
            Some(Known::Record(callee)) => self.call_record(scope, table, callee),
            Some(Known::Memory(_) | Known::Cell | Known::Function(_) | Known::Unwinding(_)) | None => {}
        }
    }

    /// A number of a table, or a part of one.
    fn look_up(&mut self, scope: &mut Scope, table: Origin, len: u64) {
        let byte = self.pool.int(8);
        let (ty, bytes) = self.entropy.pick(&[(Type::I64, 8), (Type::I64, 8), (Type::I32, 4), (byte, 1)]);
        let count = 8 * len / bytes;
        let index = if self.entropy.chance(3, 4) {
            let index = self.entropy.below(count as usize) as u64;
            self.int(scope, Type::I64, index)
        } else {
            let number = self.value(scope, Type::I64);
            let mask = self.int(scope, Type::I64, (count + 1).next_power_of_two() / 2 - 1);
            self.int_binary(scope, IntBinary::And, number, mask)
        };
        let op = Op::Gep { source: ty, flags: GepFlags::INBOUNDS | GepFlags::NUSW };
        let address = self.pure(scope, op, &[table, index], Type::PTR);
        self.effect(scope, Op::Load(MemAccess::plain(0)), &[address], &[ty]);
    }

    /// Calls the function in a record, and reads its number.
    fn call_record(&mut self, scope: &mut Scope, record: Origin, callee: usize) {
        let eight = self.int(scope, Type::I64, 8);
        let op = Op::Gep { source: self.pool.int(8), flags: GepFlags::INBOUNDS | GepFlags::NUSW };
        let place = self.pure(scope, op, &[record, eight], Type::PTR);
        let function = self.effect(scope, Op::Load(MemAccess::plain(3)), &[place], &[Type::PTR])[0];
        self.known_call(scope, function, callee, None);
        self.effect(scope, Op::Load(MemAccess::plain(3)), &[record], &[Type::I64]);
    }
}
