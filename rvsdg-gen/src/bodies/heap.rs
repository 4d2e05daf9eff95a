//! Objects on the heap: allocated, written, mostly not read, and freed.

use rvsdg_core::attribute::{AttributeKind, AttributeList};
use rvsdg_core::op::{CallInfo, IntPredicate};
use rvsdg_core::{Op, Origin, Type, TypeKind};

use super::calls::plain;
use super::unwinding::Part;
use super::{Maker, Scope};

/// Bytes of an object.
const BYTES: u64 = 16;

impl Maker<'_, '_> {
    /// A few objects, one after the other.
    pub(crate) fn heap(&mut self, scope: &mut Scope) {
        for _ in 0..1 + self.entropy.below(3) {
            self.heap_object(scope);
        }
    }

    /// An object of `malloc` or of `new`, what is done with it, and its end.
    fn heap_object(&mut self, scope: &mut Scope) {
        let parts = self.entropy.pick(&[[Part::Malloc, Part::Free], [Part::New, Part::Delete]]);
        let [Some(allocates), Some(frees)] = parts.map(|part| self.runtime(scope, part)) else { return };
        let known = scope.values.len();
        let bytes = self.int(scope, Type::I64, BYTES);
        let object = self.library(scope, &[allocates, bytes], &[Type::I64], Type::PTR)[0];
        scope.values.truncate(known);
        self.fill_object(scope, object);
        if self.entropy.chance(1, 3) {
            let null = self.null(scope);
            let predicate = self.entropy.pick(&[IntPredicate::Eq, IntPredicate::Ne]);
            self.pure(scope, Op::ICmp { predicate, same_sign: false }, &[object, null], Type::I1);
        }
        match self.entropy.below(6) {
            0 => self.in_either(scope, object),
            1 => {
                let address = self.byte_of(scope, object, 8);
                self.effect(scope, Op::Load(rvsdg_core::op::MemAccess::plain(0)), &[address], &[Type::I64]);
            }
            // Nothing more happens to most objects.
            2.. => {}
        }
        self.library(scope, &[frees, object], &[Type::PTR], Type::VOID);
    }

    /// Writes to an object.
    fn fill_object(&mut self, scope: &mut Scope, object: Origin) {
        for offset in [0, 8] {
            self.store_part(scope, object, offset, Type::I64);
        }
        for _ in 0..self.entropy.below(3) {
            if self.entropy.chance(1, 4) {
                self.fill_bytes(scope, object);
            } else {
                let offset = 4 * self.entropy.below(4) as u64;
                self.store_part(scope, object, offset, Type::I32);
            }
        }
    }

    /// Writes under a condition to an object, or to that or other memory.
    fn in_either(&mut self, scope: &mut Scope, object: Origin) {
        let other = self.memory(scope).filter(|(_, room)| room.bytes >= 8).map_or(object, |(other, _)| other);
        let other = if self.entropy.chance(1, 2) { object } else { other };
        let predicate = self.predicate(scope, 2);
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let [first, second] = [object, other].map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let arguments = [first.argument(&self.graph, gamma, 0), second.argument(&self.graph, gamma, 1)];
        if self.entropy.chance(1, 2) {
            self.store_part(&mut inner[0], arguments[0], 0, Type::I64);
        }
        let either = gamma.add_exit_var(&mut self.graph, &arguments).output;
        self.gamma_exits(scope, gamma, inner);
        self.store_part(scope, either, 0, Type::I64);
    }

    /// A call that may be taken for one of the function that the library has under that name.
    fn library(&mut self, scope: &mut Scope, inputs: &[Origin], params: &[Type], result: Type) -> Vec<Origin> {
        let ty = self.pool.intern_type(TypeKind::Function { result, params: params.into(), variadic: false });
        let mark = AttributeKind::BuiltIn.into();
        let attributes = AttributeList { function: [mark].into(), ..AttributeList::default() };
        let info = CallInfo { attributes: self.pool.intern_attributes(attributes), ..plain(&self.pool, ty) };
        let types = [result];
        let outputs = if result == Type::VOID { &[][..] } else { &types };
        self.effect(scope, Op::Call(self.pool.intern_call(info)), inputs, outputs)
    }
}
