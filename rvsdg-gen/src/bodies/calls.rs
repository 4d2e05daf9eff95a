//! Calls, of known functions and of anything.

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::op::{
    Bundle, CallExits, CallInfo, Clause, Effects, FastMath, InlineAsm, LandingPad, MetadataArgument, TailKind,
};
use rvsdg_core::{Op, Origin, Type, TypeKind};

use super::{Known, Maker, Scope};
use crate::universe::Class;

/// A call without anything special, of a function of a type.
pub(crate) fn plain(pool: &rvsdg_core::Pool, function_type: Type) -> CallInfo {
    CallInfo {
        function_type,
        convention: 0,
        attributes: pool.intern_attributes(AttributeList::default()),
        tail: TailKind::None,
        fast: FastMath::NONE,
        bundles: [].into(),
        metadata: [].into(),
        assembly: None,
        effects: Effects::ALL,
        speculatable: false,
        exits: CallExits::Return,
    }
}

/// A function's type and what is passed to it.
struct Arguments {
    info: CallInfo,
    inputs: Vec<Origin>,
    result: Type,
}

impl Maker<'_, '_> {
    pub(crate) fn call(&mut self, scope: &mut Scope) {
        let callees = self.known_callees(scope);
        if !callees.is_empty() && (self.weights.defined || self.entropy.chance(1, 2)) {
            let (callee, index) = self.entropy.pick(&callees);
            // Calls in loops in functions that are called in loops would take forever.
            if !(self.weights.defined && scope.loops > 0 && self.entropy.chance(3, 4)) {
                self.known_call(scope, callee, index, None);
            }
        } else if !self.weights.defined {
            let Arguments { mut info, inputs, result } = self.arguments(scope);
            info.tail = self.entropy.pick(&[TailKind::None, TailKind::Tail, TailKind::NoTail, TailKind::MustTail]);
            info.effects = self.entropy.pick(&[Effects::ALL, Effects::NONE, Effects::MEM, Effects::IO]);
            info.speculatable = info.effects == Effects::NONE && self.entropy.chance(1, 2);
            if self.is(result, Class::FloatLike) {
                info.fast = self.fast();
            }
            let op = Op::Call(self.pool.intern_call(info));
            self.effect(scope, op, &inputs, value_types(&[result]));
        }
    }

    /// The functions of the plan that are in scope, with their positions.
    pub(crate) fn known_callees(&self, scope: &Scope) -> Vec<(Origin, usize)> {
        let known = |value: &Origin| match self.what(*value) {
            Some(Known::Function(index)) => Some((*value, index)),
            Some(Known::Memory(_) | Known::Cell | Known::Table(_) | Known::Record(_) | Known::Unwinding(_)) | None => {
                None
            }
        };
        scope.values.iter().filter_map(known).collect()
    }

    /// Calls a function of the plan, with `first` or what is fixed in place of some arguments; what it returns.
    pub(crate) fn known_call(
        &mut self,
        scope: &mut Scope,
        callee: Origin,
        index: usize,
        first: Option<Origin>,
    ) -> Option<Origin> {
        let inputs = self.known_inputs(scope, callee, index, first)?;
        let function_type = self.callees[index].function_type;
        let TypeKind::Function { result, .. } = *self.pool.type_kind(function_type) else { return None };
        let op = Op::Call(self.pool.intern_call(plain(&self.pool, function_type)));
        let outputs = self.effect(scope, op, &inputs, value_types(&[result]));
        outputs.first().copied().filter(|_| result != Type::VOID)
    }

    /// What a call of a function of the plan takes; `None` where it needs addresses that are not in scope.
    pub(crate) fn known_inputs(
        &mut self,
        scope: &mut Scope,
        callee: Origin,
        index: usize,
        first: Option<Origin>,
    ) -> Option<Vec<Origin>> {
        let known = self.callees[index].clone();
        let mut inputs = vec![callee];
        let TypeKind::Function { params, .. } = self.pool.type_kind(known.function_type).clone() else {
            return None;
        };
        for (position, &param) in params.iter().enumerate() {
            let fixed = known.fixed.iter().find(|&&(fixed, _)| fixed == position);
            let address = known.addresses.iter().find(|&&(address, _)| address == position);
            let argument = match (first.filter(|_| position == 0), fixed, address) {
                (Some(first), ..) => first,
                (None, Some(&(_, value)), _) => self.int(scope, param, value),
                (None, None, Some(&(_, what))) => self.address(scope, what)?,
                (None, None, None) => self.value(scope, param),
            };
            inputs.push(argument);
        }
        Some(inputs)
    }

    /// An address of which that much is known.
    fn address(&mut self, scope: &Scope, what: Known) -> Option<Origin> {
        let fits = |value: &&Origin| match (self.what(**value), what) {
            (Some(Known::Memory(room)), Known::Memory(needed)) => room.has(needed),
            (known, what) => known == Some(what),
        };
        let fitting: Vec<Origin> = scope.values.iter().filter(fits).copied().collect();
        (!fitting.is_empty()).then(|| self.entropy.pick(&fitting))
    }

    /// A call of anything with anything.
    fn arguments(&mut self, scope: &mut Scope) -> Arguments {
        let callee = self.any_value(scope, Class::Ptr);
        let result = if self.entropy.chance(3, 4) { self.any_type(Class::Any) } else { Type::VOID };
        let values: Vec<Origin> = (0..self.entropy.below(4)).map(|_| self.any_value(scope, Class::Any)).collect();
        let variadic = self.entropy.chance(1, 4);
        let fixed = if variadic { self.entropy.below(values.len() + 1) } else { values.len() };
        let mut params: Vec<Type> = values[..fixed].iter().map(|&value| self.ty(value)).collect();
        let mut metadata = vec![];
        if self.entropy.chance(1, 8) {
            let position = self.entropy.below(params.len() + 1);
            params.insert(position, self.pool.intern_type(TypeKind::Metadata));
            let text = self.entropy.chance(1, 2).then(|| "!\"round.dynamic\"".into());
            metadata.push(MetadataArgument { position: position as u32, text });
        }
        let function_type = self.pool.intern_type(TypeKind::Function { result, params: params.into(), variadic });
        let mut inputs = vec![callee];
        inputs.extend(&values);
        let mut bundles = vec![];
        for tag in ["deopt", "gen \"odd\" tag"] {
            if self.entropy.chance(1, 8) {
                let mut operands: Vec<Origin> =
                    (0..self.entropy.below(3)).map(|_| self.any_value(scope, Class::Any)).collect();
                operands.extend(scope.tokens.first());
                bundles.push(Bundle { tag: tag.into(), operands: operands.len() as u32 });
                inputs.extend(operands);
            }
        }
        let mut info = plain(&self.pool, function_type);
        info.convention = self.entropy.pick(&[0, 0, 8, 9, 64]);
        info.attributes = self.attributes(values.len());
        info.metadata = metadata.into();
        info.bundles = bundles.into();
        Arguments { info, inputs, result }
    }

    /// Attributes of a call with `params` arguments.
    fn attributes(&mut self, params: usize) -> rvsdg_core::attribute::Attributes {
        let mut list = AttributeList::default();
        if self.entropy.chance(1, 2) {
            let known = ["nounwind", "memory(read)", "\"gen\"=\"a \\22b\\22\"", "noinline"];
            list.function = [Attribute::parse(self.entropy.pick(&known))].into();
        }
        if params > 0 && self.entropy.chance(1, 4) {
            let attribute = match self.entropy.below(3) {
                0 => AttributeKind::NoUndef.into(),
                1 => Attribute::parse("range(i32 0, 10)"),
                _ => Attribute::Typed(AttributeKind::ByVal, Type::I64),
            };
            list.params = [[attribute].into()].into();
        }
        self.pool.intern_attributes(list)
    }

    pub(crate) fn invoke(&mut self, scope: &mut Scope) {
        let Arguments { mut info, mut inputs, result } = self.arguments(scope);
        info.effects.io = true;
        let clauses: Vec<Clause> =
            (0..self.entropy.below(3)).map(|_| self.entropy.pick(&[Clause::Catch, Clause::Filter])).collect();
        for clause in &clauses {
            inputs.push(match clause {
                Clause::Catch => self.any_value(scope, Class::Ptr),
                Clause::Filter => self.any_value(scope, Class::Aggregate),
            });
        }
        let cleanup = clauses.is_empty() || self.entropy.chance(1, 2);
        let to_funclet = self.weights.exotic && clauses.is_empty() && self.entropy.chance(1, 2);
        info.exits = CallExits::Unwind(LandingPad { cleanup, clauses: clauses.into() });
        if to_funclet {
            info.exits = CallExits::UnwindToFunclet;
            let op = Op::Invoke(self.pool.intern_call(info));
            self.effect(scope, op, &inputs, value_types(&[result, Type::CTL2]));
            return;
        }
        let pad = self.pool.intern_type(TypeKind::Struct { elements: [Type::PTR, Type::I32].into(), packed: false });
        let op = Op::Invoke(self.pool.intern_call(info));
        self.effect(scope, op, &inputs, value_types(&[result, pad, Type::CTL2]));
    }

    pub(crate) fn callbr(&mut self, scope: &mut Scope) {
        let Arguments { mut info, mut inputs, result } = self.arguments(scope);
        inputs.remove(0);
        info.effects.io = true;
        info.assembly = Some(Box::new(InlineAsm {
            template: self.entropy.pick(&["", "jmp ${0:l}", "nop\n\t\"q\""]).as_bytes().into(),
            constraints: "!i".into(),
            side_effect: self.entropy.chance(1, 2),
            align_stack: self.entropy.chance(1, 4),
            intel: self.entropy.chance(1, 4),
            can_unwind: self.entropy.chance(1, 4),
        }));
        let count = 2 + self.entropy.below(2) as u32;
        let labels = (0..count).map(|label| if label < 2 { label } else { self.entropy.below(3) as u32 }).collect();
        info.exits = CallExits::Labels(labels);
        let op = Op::CallBr(self.pool.intern_call(info));
        let ctl = self.pool.ctl(count);
        self.effect(scope, op, &inputs, value_types(&[result, ctl]));
    }
}

/// The types of what an operation gives: the first only when it is not void.
fn value_types(types: &[Type]) -> &[Type] {
    if types[0] == Type::VOID { &types[1..] } else { types }
}
