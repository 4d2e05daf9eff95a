//! Values of constants.

use rvsdg_core::layout::{FloatKind, Layout, Layouts, Scalar, Shape};
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Const, Constant, Op, Pool, Type, TypeKind};

use crate::builtin::math;
use crate::outcome::{Res, Stop, unsupported};
use crate::scalar::{ScalarOp, cast, zero};
use crate::value::{Pointer, Value};

/// Types and layouts, for what needs both.
pub(crate) struct Types<'a> {
    pub pool: &'a Pool,
    pub layouts: &'a mut Layouts,
}

impl Types<'_> {
    /// The layout of a type; without one, its construct is not supported.
    pub fn layout(&mut self, ty: Type) -> Res<std::sync::Arc<Layout>> {
        self.layouts.of(self.pool, ty).map_err(|construct| Box::new(Stop::Unsupported(construct)))
    }

    /// The scalar of a scalar's or vector's lanes, and how many lanes a vector has.
    pub fn lanes(&self, ty: Type) -> Res<(Scalar, Option<u32>)> {
        let (element, len) = match *self.pool.type_kind(ty) {
            TypeKind::Vector { scalable: true, .. } => return unsupported("scalable vector"),
            TypeKind::Vector { element, len, .. } => (element, Some(len)),
            _ => (ty, None),
        };
        let scalar = match self.pool.type_kind(element) {
            TypeKind::Int(bits) => Scalar::Int(*bits),
            TypeKind::Ptr(space) => match self.layouts.data().pointer(*space).bits {
                64 => Scalar::Ptr(64),
                bits => return unsupported(format!("pointers of {bits} bits")),
            },
            kind => match FloatKind::of(kind) {
                Some(kind) => Scalar::Float(kind),
                None => return unsupported(format!("operation on {}", self.pool.display_type(ty))),
            },
        };
        Ok((scalar, len))
    }

    /// The operation that a call of an intrinsic is, and how many lanes it works on when its result is a vector.
    pub fn math(
        &self,
        name: &str,
        info: &CallInfo,
        result: Type,
        types: &[Type],
    ) -> Res<Option<(ScalarOp, Option<u32>)>> {
        let Some(base) = name.strip_prefix("llvm.").filter(|base| math::is_math(base)) else { return Ok(None) };
        let Some(&first) = types.first() else { return Ok(None) };
        let (from, _) = self.lanes(first)?;
        let (to, len) = self.lanes(result)?;
        Ok(math::operation(base, from, to, info.fast).map(|op| (ScalarOp::Math(op), len)))
    }

    /// The value of a constant whose holes are filled with these addresses.
    pub fn constant(&mut self, constant: Const, holes: &[Value]) -> Res<Value> {
        enum Step {
            Visit(Const),
            Build(Const, usize),
        }
        let mut pending = vec![Step::Visit(constant)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(step) = pending.pop() {
            match step {
                Step::Visit(constant) => {
                    let operands = self.pool.constant(constant).operands();
                    pending.push(Step::Build(constant, operands.len()));
                    pending.extend(operands.iter().rev().map(|&operand| Step::Visit(operand)));
                }
                Step::Build(constant, count) => {
                    let operands = done.split_off(done.len() - count);
                    let value = self.build(constant, operands, holes)?;
                    done.push(value);
                }
            }
        }
        Ok(done.pop().unwrap_or(Value::Poison))
    }

    fn build(&mut self, constant: Const, operands: Vec<Value>, holes: &[Value]) -> Res<Value> {
        let hole = |index: u32| holes.get(index as usize).cloned().unwrap_or(Value::Poison);
        Ok(match self.pool.constant(constant) {
            Constant::Int { ty, words } => {
                let words = words.as_slice();
                match self.pool.type_kind(*ty) {
                    TypeKind::Int(bits) if *bits > 64 => {
                        let mut limbs = words.to_vec();
                        limbs.resize(bits.div_ceil(64) as usize, 0);
                        Value::Wide(std::sync::Arc::new(limbs))
                    }
                    _ => Value::Int(words.first().copied().unwrap_or(0)),
                }
            }
            Constant::Float { ty, bits } => match FloatKind::of(self.pool.type_kind(*ty)) {
                Some(kind) => Value::from_bits(kind.bits(), *bits),
                None => return unsupported(format!("constant of type {}", self.pool.display_type(*ty))),
            },
            Constant::Zero(ty) => {
                let layout = self.layout(*ty)?;
                zero_of(&layout)
            }
            Constant::Undef(_) => Value::Undef,
            Constant::Poison(_) => Value::Poison,
            Constant::None(_) => Value::Int(0),
            Constant::Aggregate { .. } => Value::seq(operands),
            Constant::Splat { ty, .. } => {
                let (_, len) = self.lanes(*ty)?;
                Value::seq(vec![operands[0].clone(); len.unwrap_or(1) as usize])
            }
            Constant::Data { ty, bytes } => {
                let (TypeKind::Array { element, .. } | TypeKind::Vector { element, .. }) = self.pool.type_kind(*ty)
                else {
                    return unsupported("packed data of no array");
                };
                let (scalar, _) = self.lanes(*element)?;
                let size = (scalar.bits() / 8).max(1) as usize;
                let number = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
                Value::seq(bytes.chunks(size).map(|chunk| Value::Int(number(chunk))).collect())
            }
            Constant::Hole { index, .. }
            | Constant::DsoLocalEquivalent { index, .. }
            | Constant::NoCfi { index, .. } => hole(*index),
            Constant::BlockAddress { index, block, .. } => match hole(*index) {
                Value::Ptr(function) => Value::Ptr(function.offset(u64::from(*block) + 1)),
                other => other,
            },
            Constant::Expr { ty, op, operands: parts, .. } => {
                let types: Vec<Type> = parts.iter().map(|&part| self.pool.constant(part).ty()).collect();
                self.expression(*ty, *op, &types, &operands)?
            }
            Constant::Funclet { .. } => return unsupported("token of a funclet"),
            Constant::PtrAuth { .. } => return unsupported("ptrauth"),
        })
    }

    fn expression(&mut self, ty: Type, op: Op, types: &[Type], operands: &[Value]) -> Res<Value> {
        if let Op::Gep { source, .. } = op {
            return self.constant_gep(source, types, operands);
        }
        let (to, len) = self.lanes(ty)?;
        let (from, _) = self.lanes(types[0])?;
        let scalar = match op {
            Op::Cast { op, flags } => ScalarOp::Cast { op, flags, from, to },
            Op::IntBinary { op, flags } => ScalarOp::Int { op, flags, bits: to.bits() },
            _ => return unsupported("constant expression of this operation"),
        };
        let operands: Vec<&Value> = operands.iter().collect();
        match len {
            None => scalar.apply(&operands),
            Some(len) => scalar.apply_lanes(len, &operands),
        }
    }

    fn constant_gep(&mut self, source: Type, types: &[Type], operands: &[Value]) -> Res<Value> {
        let Value::Ptr(base) = operands[0] else { return unsupported("constant getelementptr of a vector") };
        let mut offset = 0u64;
        let mut ty = source;
        for (index, value) in operands[1..].iter().enumerate() {
            let Value::Int(number) = value else { return unsupported("constant getelementptr of a vector") };
            let (scalar, _) = self.lanes(types[index + 1])?;
            let number = crate::value::signed(scalar.bits().min(64), *number) as u64;
            let (step, next) = if index == 0 { (self.layout(ty)?.size, ty) } else { self.step(ty, number)? };
            offset = match self.pool.type_kind(ty) {
                TypeKind::Struct { .. } | TypeKind::Named { .. } if index > 0 => offset.wrapping_add(step),
                _ => offset.wrapping_add(number.wrapping_mul(step)),
            };
            ty = next;
        }
        Ok(Value::Ptr(Pointer { address: base.address.wrapping_add(offset), object: base.object }))
    }

    /// The stride of an array's or the offset of a structure's element, and its type.
    pub fn step(&mut self, ty: Type, index: u64) -> Res<(u64, Type)> {
        match self.pool.type_kind(ty) {
            TypeKind::Array { element, .. } => Ok((self.layout(*element)?.size, *element)),
            TypeKind::Vector { element, .. } => {
                let (scalar, _) = self.lanes(*element)?;
                Ok((u64::from(scalar.bits()) / 8, *element))
            }
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                let layout = self.layout(ty)?;
                match (&layout.shape, elements.get(index as usize)) {
                    (Shape::Struct(fields), Some(&element)) => Ok((fields[index as usize].0, element)),
                    _ => unsupported("getelementptr of a field that is not there"),
                }
            }
            _ => unsupported(format!("getelementptr into {}", self.pool.display_type(ty))),
        }
    }
}

/// Zero of a type.
pub(crate) fn zero_of(layout: &Layout) -> Value {
    rebuild(layout, None)
}

/// A value with zero for every bit that is not defined.
pub(crate) fn freeze(layout: &Layout, value: &Value) -> Value {
    rebuild(layout, Some(value))
}

/// A value made of frozen scalars, or of zeros where there is none.
fn rebuild(layout: &Layout, value: Option<&Value>) -> Value {
    enum Step<'a> {
        Make(&'a Layout, Option<&'a Value>),
        Join(usize),
    }
    let mut pending = vec![Step::Make(layout, value)];
    let mut done = Vec::new();
    let scalar_of = |scalar: Scalar, value: Option<&Value>| match value {
        None => zero(scalar),
        Some(value) => crate::scalar::freeze(scalar, value),
    };
    while let Some(step) = pending.pop() {
        match step {
            Step::Join(count) => {
                let elements = done.split_off(done.len() - count);
                done.push(Value::seq(elements));
            }
            Step::Make(layout, value) => {
                let part = |index: usize| match value {
                    Some(Value::Seq(elements)) => elements.get(index),
                    _ => None,
                };
                match &layout.shape {
                    Shape::Scalar(scalar) => done.push(scalar_of(*scalar, value)),
                    Shape::Vector { lane, len } => {
                        done.push(Value::seq((0..*len as usize).map(|index| scalar_of(*lane, part(index))).collect()));
                    }
                    Shape::Array { element, len } => {
                        pending.push(Step::Join(*len as usize));
                        pending.extend((0..*len as usize).rev().map(|index| Step::Make(element, part(index))));
                    }
                    Shape::Struct(fields) => {
                        pending.push(Step::Join(fields.len()));
                        let parts = fields.iter().enumerate().rev();
                        pending.extend(parts.map(|(index, (_, field))| Step::Make(field, part(index))));
                    }
                }
            }
        }
    }
    done.pop().unwrap_or(Value::Int(0))
}

/// The result of a reinterpretation of vectors or scalars of at most 128 bits whose lanes differ in width.
pub(crate) fn recast(value: &Value, from: (Scalar, u32, bool), to: (Scalar, u32, bool)) -> Res<Value> {
    if from.1 == to.1 && from.2 == to.2 {
        let flags = rvsdg_core::op::CastFlags::default();
        let convert = |value: &Value| cast::apply(rvsdg_core::op::CastOp::BitCast, flags, from.0, to.0, value);
        return match value {
            Value::Seq(lanes) => Ok(Value::seq(lanes.iter().map(convert).collect::<Res<Vec<Value>>>()?)),
            value => convert(value),
        };
    }
    let (from_bits, to_bits) = (from.0.bits(), to.0.bits());
    // Lanes regroup within stretches that both widths divide.
    let stretch = from_bits.max(to_bits);
    if stretch > 128 || stretch % from_bits != 0 || stretch % to_bits != 0 {
        return regroup(value, from, to);
    }
    let (ins, outs) = ((stretch / from_bits) as usize, (stretch / to_bits) as usize);
    let mut lanes = Vec::with_capacity(to.1 as usize);
    for group in 0..(from.1 * from_bits / stretch) as usize {
        let parts: Vec<Value> = (0..ins).map(|index| element(value, from.2, group * ins + index)).collect();
        if parts.iter().any(|part| matches!(part, Value::Poison)) {
            lanes.extend(std::iter::repeat_n(Value::Poison, outs));
            continue;
        }
        let joined = crate::memory::join(&parts, from_bits);
        lanes.extend((0..outs as u32).map(|index| pick(&joined, stretch, index * to_bits, to.0)));
    }
    Ok(if to.2 { Value::seq(lanes) } else { lanes.swap_remove(0) })
}

fn regroup(value: &Value, from: (Scalar, u32, bool), to: (Scalar, u32, bool)) -> Res<Value> {
    let total = from.0.bits() * from.1;
    if total > 128 {
        return unsupported("bitcast of more than 128 bits whose lanes do not divide each other");
    }
    let parts: Vec<Value> = (0..from.1 as usize).map(|index| element(value, from.2, index)).collect();
    let joined = crate::memory::join(&parts, from.0.bits());
    let lanes: Vec<Value> = (0..to.1).map(|index| pick(&joined, total, index * to.0.bits(), to.0)).collect();
    Ok(if to.2 { Value::seq(lanes) } else { lanes.into_iter().next().unwrap_or(Value::Poison) })
}

fn element(value: &Value, is_vector: bool, index: usize) -> Value {
    if is_vector { crate::scalar::lane(value, index).clone() } else { value.clone() }
}

fn pick(joined: &Value, total: u32, from: u32, to: Scalar) -> Value {
    let whole = match joined {
        Value::Undef => return Value::Undef,
        Value::Poison => return Value::Poison,
        Value::Int(bits) => Value::from_bits(128, (*bits).into()),
        other => other.clone(),
    };
    debug_assert!(from + to.bits() <= total, "a lane lies within the whole");
    match (crate::memory::slice(&whole, from, to.bits()), to) {
        (Value::Int(bits), Scalar::Ptr(_)) => Value::address(bits),
        (value, _) => value,
    }
}
