//! What functions are run on: numbers, and addresses of memory that may overlap.
//!
//! In the first run each address leads to memory of its own. In the others they lead into the same memory, at distances of
//! words, elements or bytes, or to the same place, into variables of the module, and to where addresses in memory lead. What
//! an address of an argument leads to holds an address where the function loads one.

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList, has_any};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::{SymbolKind, ThreadLocal};
use rvsdg_core::{Const, Constant, Graph, Module, NodeKind, Op, Origin, OriginDef, Pool, Type, TypeKind};
use rvsdg_interp::observe::Object;
use rvsdg_interp::{Argument, Buffer, Location, Value};

use super::{Effort, Function};
use crate::rng::Rng;

/// The largest distance of two addresses that lead into the same memory.
const DISTANCE: u64 = 64;
/// Elements of arguments in all; functions with larger ones are not run.
const ELEMENTS: u64 = 4_096;
/// Ways of making numbers, and of making addresses.
const NUMBERS: u64 = 3;
const ADDRESSES: u64 = 6;
/// The number of a function's constants that are remembered at most.
const MENTIONED: usize = 64;
/// Bytes of the smallest variable that an address may lead to.
const ROOM: u64 = 32;

/// What the arguments of a function are made from.
pub(super) struct Arguments<'m> {
    module: &'m Module,
    params: &'m [Type],
    effort: Effort,
    attributes: &'m AttributeList,
    /// By parameter: where in the memory that it leads to the function loads addresses.
    addresses: Vec<Vec<u64>>,
    /// Numbers that the function mentions.
    numbers: Vec<u64>,
    /// Variables with room for what is accessed, which may be written.
    variables: Vec<(Box<str>, u64)>,
}

impl<'m> Arguments<'m> {
    /// None where the layout of types is not known.
    pub fn new(module: &'m Module, function: &Function<'m>, effort: Effort) -> Option<Arguments<'m>> {
        let SymbolKind::Function { attributes, .. } = &function.data.kind else { return None };
        let mut layouts = Layouts::new(DataLayout::parse(&module.header.data_layout).ok()?);
        let mut addresses = vec![Vec::new(); function.params.len()];
        if function.params.iter().any(|&ty| is_address(&module.pool, ty)) {
            for (argument, offset) in loaded_addresses(function.graph, &mut layouts, effort.bytes) {
                if let Some(offsets) = argument.checked_sub(function.context).and_then(|param| addresses.get_mut(param))
                    && !offsets.contains(&offset)
                {
                    offsets.push(offset);
                }
            }
        }
        let mut variables = Vec::new();
        for &symbol in &module.order {
            let data = &module.symbols[symbol];
            if let SymbolKind::Variable { constant: false, initializer: Some(_), .. } = data.kind
                && let Ok(layout) = layouts.of(&module.pool, data.value_type)
                && (ROOM..=ELEMENTS).contains(&layout.size)
                && let TypeKind::Array { element, .. } = *module.pool.type_kind(data.value_type)
                && matches!(module.pool.type_kind(element), TypeKind::Int(_))
                && data.address_space == 0
                && data.thread_local == ThreadLocal::None
                // Callers cannot know the address of any other one, unless they got it from the module.
                && !data.linkage.is_local()
            {
                variables.push((data.name.clone(), layout.size));
            }
        }
        let attributes = module.pool.attributes(*attributes);
        let numbers = mentioned(function.graph);
        Some(Arguments { module, params: function.params, effort, attributes, addresses, numbers, variables })
    }

    /// The arguments of a run; `None` after the last, and where a type has no values to pass.
    pub fn of_run(&self, run: u64) -> Option<Vec<Argument>> {
        let is_address = |&ty: &Type| is_address(&self.module.pool, ty);
        let factor = if self.params.iter().any(is_address) { ADDRESSES / NUMBERS } else { 1 };
        if run >= factor * self.effort.runs {
            return None;
        }
        let (mut rng, mut left) = (Rng::new(run), ELEMENTS);
        let mut arguments = Vec::with_capacity(self.params.len() + 2);
        for (param, &ty) in self.params.iter().enumerate() {
            arguments.push(if is_address(&ty) {
                Argument::Memory(self.buffer(param, &mut rng))
            } else {
                Argument::Value(self.value(ty, run % NUMBERS, &mut rng, &mut left)?)
            });
        }
        self.share(run % ADDRESSES, &mut arguments, &mut rng);
        Some(arguments)
    }

    /// The memory of a parameter.
    fn buffer(&self, param: usize, rng: &mut Rng) -> Buffer {
        const EXCLUSIVE: &[AttributeKind] = &[
            AttributeKind::NoAlias,
            AttributeKind::ByVal,
            AttributeKind::SRet,
            AttributeKind::InAlloca,
            AttributeKind::Preallocated,
        ];
        let exclusive = has_any(self.attributes.param(param), EXCLUSIVE);
        Buffer { exclusive, ..Buffer::new(contents(self.effort.bytes, rng), 16) }
    }

    /// Lets addresses lead into the same memory, and puts addresses into memory.
    fn share(&self, run: u64, arguments: &mut Vec<Argument>, rng: &mut Rng) {
        let is_free = |argument: &Argument| matches!(argument, Argument::Memory(buffer) if !buffer.exclusive);
        // Other address spaces than the first two may be of other memory, as on GPUs.
        let may_share = |param: usize| matches!(self.module.pool.type_kind(self.params[param]), TypeKind::Ptr(0 | 1));
        let free = (0..arguments.len()).filter(|&param| is_free(&arguments[param]) && may_share(param));
        let free: Vec<usize> = free.collect();
        if !arguments.iter().any(|argument| matches!(argument, Argument::Memory(_))) {
            return;
        }
        let [shared, apart] = [0, 1].map(|index| Object::Argument(arguments.len() + index));
        let plain = |size, rng: &mut Rng| Argument::Memory(Buffer::new(contents(size, rng), 16));
        arguments.extend([plain(self.effort.bytes + DISTANCE, rng), plain(self.effort.bytes + DISTANCE, rng)]);
        let mut holders: Vec<usize> = Vec::new();
        for &param in free.iter().filter(|_| run > 0) {
            if self.addresses[param].is_empty() {
                arguments[param] = Argument::At(self.place(run, param, &shared, rng));
                continue;
            }
            // Memory with addresses in it is shared as a whole, since numbers must not overwrite them.
            match holders.iter().find(|&&other| self.addresses[other] == self.addresses[param]) {
                Some(&other) if rng.below(2) == 0 => {
                    arguments[param] = Argument::At(Location { object: Object::Argument(other), offset: 0 });
                }
                _ => holders.push(param),
            }
        }
        for (param, argument) in arguments.iter_mut().enumerate().take(self.params.len()) {
            let offsets = &self.addresses[param];
            let pointers: Vec<(u64, Location)> = offsets
                .iter()
                .map(|&offset| {
                    let location = match (run, rng.below(4)) {
                        (0, _) => Location { object: apart.clone(), offset: 0 },
                        (_, 0) => self.place(run, param, &apart, rng),
                        _ => self.place(run, usize::MAX, &shared, rng),
                    };
                    (offset, location)
                })
                .collect();
            if let Argument::Memory(buffer) = argument {
                buffer.pointers = pointers;
            }
        }
    }

    /// A place in shared memory or in a variable.
    fn place(&self, run: u64, param: usize, shared: &Object, rng: &mut Rng) -> Location {
        let unit = match run {
            1 => 8,
            2 => 4,
            3 => DISTANCE,
            4 => 1,
            _ => [1, 2, 4, 8, 16][rng.below(5)],
        };
        let align = self.attributes.param(param).iter().find_map(Attribute::align_log2);
        let unit = unit.max(1 << align.unwrap_or(0));
        if !self.variables.is_empty() && run > 2 && rng.below(4) == 0 {
            let (name, size) = &self.variables[rng.below(self.variables.len())];
            let room = (size - ROOM) / unit;
            return Location {
                object: Object::Symbol(name.clone()),
                offset: unit * rng.below(room as usize + 1) as u64,
            };
        }
        // Near each other as often as far apart, and seldom at the end.
        let most = (DISTANCE - 1) / unit;
        let most = if rng.below(2) == 0 { most.min(4) } else { most };
        Location { object: shared.clone(), offset: unit * rng.below(most as usize + 1) as u64 }
    }

    /// A value of a type, built bottom-up.
    fn value(&self, ty: Type, run: u64, rng: &mut Rng, left: &mut u64) -> Option<Value> {
        let pool = &self.module.pool;
        enum Step {
            Make(Type),
            Join(usize),
        }
        let mut pending = vec![Step::Make(ty)];
        let mut done: Vec<Value> = Vec::new();
        while let Some(step) = pending.pop() {
            let ty = match step {
                Step::Join(count) => {
                    let parts = done.split_off(done.len() - count);
                    done.push(Value::seq(parts));
                    continue;
                }
                Step::Make(ty) => ty,
            };
            *left = left.checked_sub(1)?;
            // The first run has small numbers and those that the function mentions or next to them, the second ones and minus ones, the others
            // anything.
            let mut number = |width: u32| {
                let wide = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
                let bits = match run {
                    0 if wide >> 64 & 3 == 0 && !self.numbers.is_empty() => {
                        let number = u128::from(self.numbers[(wide >> 70) as usize % self.numbers.len()]);
                        // What is next to a number is often what it is compared for.
                        number.wrapping_add([0, 0, 1, u128::MAX][(wide >> 66) as usize % 4])
                    }
                    0 => wide >> 124 & 7,
                    1 => [0, 1, u128::MAX, 1 << (width.min(128) - 1)][(wide >> 70) as usize % 4],
                    _ => wide,
                };
                Value::from_bits(width, bits)
            };
            match pool.type_kind(ty) {
                TypeKind::Int(bits) if *bits <= 128 => done.push(number(*bits)),
                TypeKind::Half => done.push(Value::from_bits(16, [0x3c00, 0x4200, 0xbe00, 0][rng.below(4)])),
                TypeKind::BFloat => done.push(Value::from_bits(16, [0x3f80, 0x4040, 0xbfc0, 0][rng.below(4)])),
                TypeKind::Float => {
                    let bits =
                        [1.5f32, -0.0, 3.0, 1e20, f32::INFINITY, f32::NAN][rng.below(4 + run as usize)].to_bits();
                    done.push(Value::from_bits(32, bits.into()));
                }
                TypeKind::Double => {
                    let bits =
                        [1.5f64, -0.0, 3.0, 1e200, f64::INFINITY, f64::NAN][rng.below(4 + run as usize)].to_bits();
                    done.push(Value::from_bits(64, bits.into()));
                }
                TypeKind::Vector { element, len, scalable: false } => {
                    pending.push(Step::Join(*len as usize));
                    pending.extend((0..*len).map(|_| Step::Make(*element)));
                }
                TypeKind::Array { element, len } if *len <= ELEMENTS => {
                    pending.push(Step::Join(*len as usize));
                    pending.extend((0..*len).map(|_| Step::Make(*element)));
                }
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    pending.push(Step::Join(elements.len()));
                    pending.extend(elements.iter().rev().map(|&element| Step::Make(element)));
                }
                TypeKind::Int(_)
                | TypeKind::X86Fp80
                | TypeKind::Fp128
                | TypeKind::PpcFp128
                | TypeKind::X86Amx
                | TypeKind::Ptr(_)
                | TypeKind::Vector { .. }
                | TypeKind::Array { .. }
                | TypeKind::Named { elements: None, .. }
                | TypeKind::Function { .. }
                | TypeKind::Void
                | TypeKind::Metadata
                | TypeKind::Token
                | TypeKind::Target { .. }
                | TypeKind::Mem
                | TypeKind::Io
                | TypeKind::Ctl(_) => return None,
            }
        }
        done.pop()
    }
}

/// The integers that a body mentions, and computes with or decides by.
fn mentioned(graph: &Graph) -> Vec<u64> {
    let pool = graph.pool();
    let mut numbers = Vec::new();
    for node in graph.all_nodes() {
        let constants: Vec<Const> = match graph.op(node) {
            Some(Op::Const(constant)) => vec![constant],
            Some(Op::Match(table)) => pool.table(table).cases.iter().map(|&(case, _)| case).collect(),
            _ => continue,
        };
        for constant in constants {
            if let Constant::Int { words, .. } = pool.constant(constant)
                && !numbers.contains(&words.as_slice()[0])
                && numbers.len() < MENTIONED
            {
                numbers.push(words.as_slice()[0]);
            }
        }
    }
    numbers
}

fn is_address(pool: &Pool, ty: Type) -> bool {
    matches!(pool.type_kind(ty), TypeKind::Ptr(_))
}

fn contents(size: u64, rng: &mut Rng) -> Vec<u8> {
    (0..size).map(|_| (rng.next_u64() >> 13) as u8 & 7).collect()
}

/// The arguments of a body through which addresses are loaded, and at which distances.
fn loaded_addresses(graph: &Graph, layouts: &mut Layouts, bytes: u64) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    for node in graph.all_nodes() {
        if let Some(Op::Load(_)) = graph.op(node)
            && is_address(graph.pool(), graph.ty(graph.output(node, 0)))
            && let Some((argument, offset)) = argument_of(graph, layouts, graph.input(node, 0))
            && offset.is_multiple_of(8)
            && offset + 8 <= bytes
        {
            found.push((argument, offset));
        }
    }
    found
}

/// The argument of the body that an address is at a constant distance from.
fn argument_of(graph: &Graph, layouts: &mut Layouts, mut address: Origin) -> Option<(usize, u64)> {
    let mut offset = 0u64;
    loop {
        match graph.def(address) {
            OriginDef::Argument(region, index) => {
                let Some(node) = graph.parent(region) else { return Some((index as usize, offset)) };
                let input = index as usize + usize::from(matches!(graph.kind(node), NodeKind::Gamma));
                address = graph.origin(*graph.inputs(node).get(input)?);
            }
            OriginDef::Output(node, _) => {
                let Some(Op::Gep { source, .. }) = graph.op(node) else { return None };
                let pool = graph.pool();
                let mut ty = source;
                for (position, index) in graph.input_origins(node).skip(1).enumerate() {
                    let Some(Op::Const(constant)) = graph.producer(index).and_then(|node| graph.op(node)) else {
                        return None;
                    };
                    let index = match pool.constant(constant) {
                        Constant::Int { words, .. } => words.as_slice()[0],
                        Constant::Zero(_) => 0,
                        _ => return None,
                    };
                    let layout = layouts.of(pool, ty).ok()?;
                    offset = match (position, layout.fields()) {
                        (0, _) => offset.checked_add(index.checked_mul(layout.size)?)?,
                        (_, Some(fields)) => {
                            ty = match pool.type_kind(ty) {
                                TypeKind::Struct { elements, .. }
                                | TypeKind::Named { elements: Some(elements), .. } => *elements.get(index as usize)?,
                                _ => return None,
                            };
                            offset.checked_add(fields.get(index as usize)?.0)?
                        }
                        (_, None) => {
                            let TypeKind::Array { element, .. } = *pool.type_kind(ty) else { return None };
                            ty = element;
                            offset.checked_add(index.checked_mul(layouts.of(pool, element).ok()?.size)?)?
                        }
                    };
                }
                address = graph.input(node, 0);
            }
        }
    }
}
