//! Simple operations.

use rvsdg_core::graph::Use;
use rvsdg_core::layout::{Layout, Scalar, Shape};
use rvsdg_core::op::{CallExits, CastOp, Effects, GepFlags, MatchTable, Op};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Const, NodeKind, Origin, Type, TypeKind};

use super::{Body, Translator};
use crate::code::{Access, ExtInst, Gep, Inst, Offset, Shuffle, Slot, Step, Table};
use crate::machine::Reach;
use crate::outcome::{Res, Stop};
use crate::scalar::ScalarOp;
use crate::value::{Value, signed};

impl Translator<'_> {
    /// Translates a simple node; an unsupported one becomes an instruction that reports this when it is executed.
    pub(super) fn simple(&mut self, node: u32, op: Op) -> Res<()> {
        match self.operation(node, op) {
            Err(stop) => match *stop {
                Stop::Unsupported(construct) => {
                    for output in self.body.outputs(node) {
                        self.fresh(output);
                    }
                    self.push(Inst::Unsupported(construct.into()));
                    Ok(())
                }
                other => Err(Box::new(other)),
            },
            Ok(()) => Ok(()),
        }
    }

    fn output(&mut self, node: u32) -> Slot {
        let output = self.body.output(node, 0);
        self.fresh(output)
    }

    fn input(&self, node: u32, index: usize) -> Slot {
        self.slot(self.body.input(node, index))
    }

    pub(super) fn input_type(&self, node: u32, index: usize) -> Type {
        self.body.ty(self.body.input(node, index))
    }

    fn output_type(&self, node: u32) -> Type {
        self.body.ty(self.body.output(node, 0))
    }

    fn operation(&mut self, node: u32, op: Op) -> Res<()> {
        match op {
            Op::Const(constant) => return self.constant(node, constant),
            Op::CtlConst { value, .. } => {
                let slot = self.value_constant(Value::Int(value.into()));
                let output = self.body.output(node, 0);
                self.set(output, slot);
            }
            Op::Match(table) => {
                let table = self.types.pool.table(table);
                let ty = self.input_type(node, 0);
                self.match_table(node, ty, table);
            }
            Op::IntBinary { op, flags } => {
                let (scalar, len) = self.types.lanes(self.output_type(node))?;
                let bits = scalar.bits();
                if len.is_none() && bits <= 64 {
                    let (a, b, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                    self.push(Inst::Int { to, a, b, op, flags, bits: bits as u8 });
                } else {
                    self.scalar(node, ScalarOp::Int { op, flags, bits }, 2, len);
                }
            }
            Op::FloatBinary { op, flags } => {
                let (scalar, len) = self.types.lanes(self.output_type(node))?;
                let Scalar::Float(kind) = scalar else { return crate::outcome::unsupported("float operation") };
                self.scalar(node, ScalarOp::Float { op, flags, kind }, 2, len);
            }
            Op::FNeg(flags) => {
                let (scalar, len) = self.types.lanes(self.output_type(node))?;
                let Scalar::Float(kind) = scalar else { return crate::outcome::unsupported("float operation") };
                self.scalar(node, ScalarOp::FNeg { flags, kind }, 1, len);
            }
            Op::ICmp { predicate, same_sign } => {
                let (scalar, len) = self.types.lanes(self.input_type(node, 0))?;
                let bits = scalar.bits();
                if len.is_none() && bits <= 64 {
                    let (a, b, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                    self.push(Inst::Compare { to, a, b, predicate, same_sign, bits: bits as u8 });
                } else {
                    self.scalar(node, ScalarOp::ICmp { predicate, same_sign, bits }, 2, len);
                }
            }
            Op::FCmp { predicate, flags } => {
                let (scalar, len) = self.types.lanes(self.input_type(node, 0))?;
                let Scalar::Float(kind) = scalar else { return crate::outcome::unsupported("float operation") };
                self.scalar(node, ScalarOp::FCmp { predicate, flags, kind }, 2, len);
            }
            Op::Cast { op, flags } => {
                let (from, from_len) = self.types.lanes(self.input_type(node, 0))?;
                let (to, len) = self.types.lanes(self.output_type(node))?;
                if op == CastOp::BitCast && (from_len != len || from.bits() != to.bits()) {
                    let shape = |scalar, len: Option<u32>| (scalar, len.unwrap_or(1), len.is_some());
                    let lanes = Box::new([shape(from, from_len), shape(to, len)]);
                    let (from, to) = (self.input(node, 0), self.output(node));
                    self.push(Inst::Recast { to, from, lanes });
                } else {
                    self.scalar(node, ScalarOp::Cast { op, flags, from, to }, 1, len);
                }
            }
            Op::Select(_) => {
                let (_, len) = self.types.lanes(self.input_type(node, 0))?;
                if len.is_some() {
                    self.scalar(node, ScalarOp::Select, 3, len);
                } else {
                    let [condition, yes, no] = [0, 1, 2].map(|index| self.input(node, index));
                    let to = self.output(node);
                    self.push(Inst::Select { to, condition, yes, no });
                }
            }
            Op::Freeze => {
                let layout = self.layout(self.output_type(node))?;
                let (from, to) = (self.input(node, 0), self.output(node));
                self.push(Inst::Freeze { to, from, layout });
            }
            Op::ExtractElement => {
                let (vector, index, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                self.push(Inst::ExtractElement { to, vector, index });
            }
            Op::InsertElement => {
                let (_, len) = self.types.lanes(self.output_type(node))?;
                let [vector, element, index] = [0, 1, 2].map(|index| self.input(node, index));
                let to = self.output(node);
                self.push(Inst::InsertElement { to, vector, element, index, len: len.unwrap_or(1) });
            }
            Op::ShuffleVector(mask) => {
                let (_, len) = self.types.lanes(self.input_type(node, 0))?;
                let (a, b, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                let mask = self.types.pool.indices(mask).into();
                let shuffle = Shuffle { to, a, b, mask, len: len.unwrap_or(1) };
                self.push(Inst::Shuffle(Box::new(shuffle)));
            }
            Op::ExtractValue(path) => {
                let (from, to) = (self.input(node, 0), self.output(node));
                let path = self.types.pool.indices(path).into();
                self.push(Inst::Extract { to, from, path });
            }
            Op::InsertValue(path) => {
                let path = self.path(self.output_type(node), self.types.pool.indices(path));
                let (from, element, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                self.push(Inst::Insert { to, from, element, path });
            }
            Op::Gep { source, flags } => return self.gep(node, source, flags),
            Op::Alloca { ty, align_log2, .. } => {
                let layout = self.layout(ty)?;
                let (count, to) = (self.input(node, 0), self.output(node));
                let align_log2 = align_log2.max(layout.align.trailing_zeros() as u8);
                self.push(Inst::Alloca { to, count, size: layout.size, align_log2 });
            }
            Op::Load(access) => {
                let layout = self.layout(self.output_type(node))?;
                let (pointer, to) = (self.input(node, 0), self.output(node));
                let align_log2 = access.align_log2.min(63);
                if self.record && access.volatile {
                    self.push(Inst::Record(Box::new(("volatile load", [pointer].into()))));
                }
                if let Some(tag) = access.tag {
                    self.push(Inst::Tag { pointer, bytes: layout.store, tag, write: false });
                }
                let together = !access.is_plain();
                self.push(Inst::Load { to, pointer, access: Self::access(layout), align_log2, together });
                if access.nonnull {
                    self.push(Inst::NonNull(to));
                }
            }
            Op::Store(access) => {
                let layout = self.layout(self.input_type(node, 0))?;
                let (value, pointer) = (self.input(node, 0), self.input(node, 1));
                let align_log2 = access.align_log2.min(63);
                if self.record && access.volatile {
                    self.push(Inst::Record(Box::new(("volatile store", [pointer, value].into()))));
                }
                let (bytes, together) = (layout.store, !access.is_plain());
                self.push(Inst::Store { value, pointer, access: Self::access(layout), align_log2, together });
                if let Some(tag) = access.tag {
                    self.push(Inst::Tag { pointer, bytes, tag, write: true });
                }
            }
            Op::CmpXchg { access, .. } => {
                let layout = self.layout(self.input_type(node, 1))?;
                let operands = [0, 1, 2].map(|index| self.input(node, index));
                let to = self.output(node);
                self.push(Inst::CmpXchg { to, operands, layout, align_log2: access.align_log2.min(63) });
            }
            Op::AtomicRmw { op, access } => {
                let layout = self.layout(self.output_type(node))?;
                let (pointer, operand, to) = (self.input(node, 0), self.input(node, 1), self.output(node));
                self.push(Inst::Rmw { to, pointer, operand, op, layout, align_log2: access.align_log2.min(63) });
            }
            Op::Fence { .. } => {
                self.push(Inst::Nothing);
            }
            Op::Call(call) | Op::Invoke(call) => return self.call(node, call),
            Op::CallBr(call) => {
                debug_assert!(matches!(self.types.pool.call(call).exits, CallExits::Labels(_)), "a callbr has labels");
                return crate::outcome::unsupported("callbr");
            }
            Op::IndirectBr(blocks) => {
                let (address, to) = (self.input(node, 0), self.output(node));
                let blocks = self.types.pool.indices(blocks).into();
                self.push(Inst::IndirectBr { to, address, blocks });
            }
            Op::Resume => {
                let slot = self.input(node, 0);
                self.push(Inst::Resume(slot));
            }
            Op::Funclet(_) => return crate::outcome::unsupported("funclet"),
            Op::VaArg => {
                let ty = self.output_type(node);
                let layout = self.layout(ty)?;
                let (list, to) = (self.input(node, 0), self.output(node));
                self.push(Inst::VaArg { to, list, ty, layout });
            }
            Op::Unreachable => {
                self.push(Inst::Unreachable);
            }
            Op::Ext(ext) => {
                let ext = self.types.pool.ext(ext);
                if !self.record {
                    return crate::outcome::unsupported(format!("operation {} of a dialect", ext.name));
                }
                let operands = (0..ext.inputs.len()).map(|index| self.input(node, index)).collect();
                let mut results = Vec::new();
                for (index, &ty) in ext.outputs.iter().enumerate() {
                    let layout = self.layout(ty)?;
                    let output = self.body.output(node, index);
                    results.push((self.fresh(output), layout));
                }
                let reach = match ext.effects {
                    Effects { mem: false, io: false } => Reach::Nothing,
                    Effects { mem: true, .. } => Reach::All,
                    Effects { mem: false, io: true } => Reach::Some { arguments: false },
                };
                let inst = ExtInst { name: ext.name.clone(), operands, results: results.into(), reach };
                self.push(Inst::Ext(Box::new(inst)));
            }
        }
        Ok(())
    }

    fn access(layout: std::sync::Arc<Layout>) -> Access {
        match layout.shape {
            Shape::Scalar(Scalar::Ptr(64)) => Access::Pointer,
            Shape::Scalar(scalar @ (Scalar::Int(_) | Scalar::Float(_))) if scalar.bits() <= 64 => {
                Access::Bits(scalar.bits())
            }
            _ => Access::Any(layout),
        }
    }

    /// An operation on scalars or, lane by lane, on vectors.
    fn scalar(&mut self, node: u32, op: ScalarOp, count: u8, len: Option<u32>) {
        let slots: Vec<Slot> = self.body.inputs(node).take(count.into()).map(|value| self.slot(value)).collect();
        let to = self.output(node);
        self.scalar_on(to, op, &slots, len);
    }

    /// An operation on the values of some slots.
    pub(super) fn scalar_on(&mut self, to: Slot, op: ScalarOp, slots: &[Slot], len: Option<u32>) {
        // Those that are not there are the first again.
        let mut operands = [slots[0]; 3];
        operands[..slots.len()].copy_from_slice(slots);
        let (op, count) = (Box::new(op), slots.len() as u8);
        match len {
            None => self.push(Inst::Scalar { to, op, operands, count }),
            Some(len) => self.push(Inst::Lanes { to, op, operands, count, len }),
        };
    }

    fn constant(&mut self, node: u32, constant: Const) -> Res<()> {
        let output = self.body.output(node, 0);
        if let Some(&slot) = self.known.get(&constant)
            && self.body.inputs(node).next().is_none()
        {
            self.set(output, slot);
            return Ok(());
        }
        let holes: Vec<Slot> = self.body.inputs(node).map(|value| self.slot(value)).collect();
        let values: Option<Vec<Value>> = holes.iter().map(|&slot| self.constant_of(slot).cloned()).collect();
        match values {
            Some(values) => {
                let value = self.types.constant(constant, &values)?;
                let slot = self.value_constant(value);
                if values.is_empty() {
                    self.known.insert(constant, slot);
                }
                self.set(output, slot);
            }
            None => {
                let to = self.output(node);
                self.push(Inst::Constant { to, constant, holes: holes.into() });
            }
        }
        Ok(())
    }

    /// Whether a predicate decides about one γ or θ and nothing else, so that this may look at the matched bit itself.
    fn only_branches(&self, predicate: u32) -> bool {
        let Body::Graph(graph) = self.body else { return false };
        let mut users = graph.users_of(Origin::from_u32(predicate));
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        match graph.site(user) {
            Use::Input(node, index) => index == 0 && matches!(graph.kind(node), NodeKind::Gamma),
            Use::Result(region, _) => {
                let theta = graph.parent(region).and_then(|node| Theta::new(graph, node));
                theta.is_some_and(|theta| theta.predicate(graph) == user)
            }
        }
    }

    fn match_table(&mut self, node: u32, ty: Type, table: &MatchTable) {
        let value = self.input(node, 0);
        if ty == Type::I1 {
            let alternatives = self.of_bit(table);
            let predicate = self.body.output(node, 0);
            if self.only_branches(predicate) {
                self.bits.insert(predicate, (value, alternatives));
            } else {
                let to = self.output(node);
                self.push(Inst::MatchBit { to, value, alternatives });
            }
            return;
        }
        let to = self.output(node);
        let table = Box::new(self.table(table));
        self.push(Inst::Match { to, value, table });
    }

    fn cases(&mut self, table: &MatchTable) -> Vec<(Value, u32)> {
        let value = |&(case, alternative): &(Const, u32)| {
            (self.types.constant(case, &[]).unwrap_or(Value::Poison), alternative)
        };
        table.cases.iter().map(value).collect()
    }

    /// What a table of bits gives for false and for true.
    pub(super) fn of_bit(&mut self, table: &MatchTable) -> [u32; 2] {
        let cases = self.cases(table);
        [0, 1].map(|bit| {
            let case = cases.iter().find(|(value, _)| *value == Value::Int(bit));
            case.map_or(table.default, |&(_, alternative)| alternative)
        })
    }

    /// A table of other integers.
    pub(super) fn table(&mut self, table: &MatchTable) -> Table {
        let mut cases = Vec::new();
        let mut wide = Vec::new();
        for (value, alternative) in self.cases(table) {
            match value {
                Value::Int(bits) => cases.push((bits, alternative)),
                other => wide.push((other, alternative)),
            }
        }
        cases.sort_unstable_by_key(|&(bits, _)| bits);
        Table { cases: cases.into(), wide: wide.into(), default: table.default }
    }

    /// Index and number of elements of each level of a path into an aggregate.
    fn path(&self, ty: Type, indices: &[u32]) -> Box<[(u32, u32)]> {
        let mut ty = ty;
        let mut path = Vec::with_capacity(indices.len());
        for &index in indices {
            let (count, next) = match self.types.pool.type_kind(ty) {
                TypeKind::Array { element, len } => (*len as u32, *element),
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    (elements.len() as u32, elements[index as usize])
                }
                _ => (index + 1, ty),
            };
            path.push((index, count));
            ty = next;
        }
        path.into()
    }

    fn gep(&mut self, node: u32, source: Type, flags: GepFlags) -> Res<()> {
        let (_, lanes) = self.types.lanes(self.output_type(node))?;
        let mut ty = source;
        let mut offset = Offset::default();
        let mut steps = Vec::new();
        for position in 1..self.body.inputs(node).count() {
            let index = self.input(node, position);
            let (scalar, _) = self.types.lanes(self.input_type(node, position))?;
            let constant = match self.constant_of(index) {
                Some(Value::Int(number)) => Some(signed(scalar.bits().min(64), *number)),
                Some(Value::Seq(lanes)) if lanes.windows(2).all(|pair| pair[0] == pair[1]) => match lanes.first() {
                    Some(Value::Int(number)) => Some(signed(scalar.bits().min(64), *number)),
                    _ => None,
                },
                _ => None,
            };
            let is_field = position > 1
                && matches!(self.types.pool.type_kind(ty), TypeKind::Struct { .. } | TypeKind::Named { .. });
            if is_field {
                let Some(field) = constant else { return crate::outcome::unsupported("variable index of a field") };
                let (at, next) = self.types.step(ty, field as u64)?;
                offset.add(1, at);
                ty = next;
                continue;
            }
            let (stride, next) = if position == 1 { (self.layout(ty)?.size, ty) } else { self.types.step(ty, 0)? };
            ty = next;
            match constant {
                Some(number) => offset.add(number, stride),
                None => steps.push(Step { index, stride, bits: scalar.bits() }),
            }
        }
        let (base, to) = (self.input(node, 0), self.output(node));
        let gep = Gep {
            base,
            offset,
            steps: steps.into(),
            inbounds: flags.contains(GepFlags::INBOUNDS),
            nusw: flags.contains(GepFlags::NUSW) || flags.contains(GepFlags::INBOUNDS),
            nuw: flags.contains(GepFlags::NUW),
            lanes,
        };
        self.push(Inst::Gep { to, gep: Box::new(gep) });
        Ok(())
    }
}
