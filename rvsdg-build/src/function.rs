//! A function under construction: values, blocks and variables.

use std::panic::Location;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rvsdg_core::annotations::Metadata;
use rvsdg_core::layout::{Layout, Layouts};
use rvsdg_core::op::{CallInfo, Op};
use rvsdg_core::{Const, Constant, Pool, Symbol, SymbolData, Type, TypeKind};
use slotmap::Key;
use smallvec::SmallVec;

use crate::control::Open;
use crate::error::BuildError;
use crate::module::{self, Address, Function};

/// A value of one [`FunctionBuilder`]: a parameter, a constant, an address, or the result of an operation.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::TypeKind;
///
/// let mut module = ModuleBuilder::new("half.c");
/// let double = module.pool().intern_type(TypeKind::Double);
/// let half = module.function("half", &[double], double);
/// let mut f = module.body(half);
/// let two = f.float(double, 2.0);
/// assert_eq!(f.ty(two), double);
/// let result = f.fdiv(f.param(0), two);
/// f.return_(result);
/// module.define(f)?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    pub(crate) function: u32,
    pub(crate) index: u32,
}

/// A variable of one [`FunctionBuilder`], which may be assigned any number of times.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("sign.c");
/// let sign = module.function("sign", &[Type::I1], Type::I32);
/// let mut f = module.body(sign);
/// let (plus, minus) = (f.int(Type::I32, 1), f.int(Type::I32, -1));
/// let result = f.declare("result", Type::I32);
/// f.def(result, plus);
/// f.if_(f.param(0));
/// f.def(result, minus);
/// f.end();
/// let now = f.use_(result);
/// f.return_(now);
/// module.define(f)?;
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    pub(crate) function: u32,
    pub(crate) index: u32,
}

/// A block, by its number.
pub(crate) type Block = u32;

/// What a value is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Def {
    Param,
    Context,
    Const(Const),
    Result,
    /// What a variable holds when a block begins.
    Entry(Block, u32),
}

pub(crate) struct ValueData {
    pub ty: Type,
    pub def: Def,
}

pub(crate) struct InstData {
    pub op: Op,
    pub operands: SmallVec<[u32; 3]>,
    /// The first of its results, which follow one another, and how many they are.
    pub results: (u32, u32),
    /// Whether it stays after what might not return.
    pub is_guarded: bool,
    /// What added it, for messages.
    pub at: &'static Location<'static>,
    /// Its source location.
    pub place: Option<SourcePlace>,
}

/// A line, a column and a scope.
pub(crate) type SourcePlace = (u32, u32, Metadata);

/// That a variable of the source has a value, or what is in memory, from a place on.
pub(crate) struct BindingData {
    pub block: Block,
    /// How many instructions of the block are before it.
    pub position: usize,
    pub variable: Metadata,
    pub value: u32,
    pub is_memory: bool,
    pub place: SourcePlace,
}

/// How a block ends.
#[derive(Clone)]
pub(crate) enum End {
    /// It does not yet.
    Open,
    Jump(Block),
    /// The first block where the value holds, else the second.
    Branch(u32, [Block; 2]),
    /// The block of the constant that the value is, or else the last.
    Switch(u32, Vec<(Const, Block)>, Block),
    Return(Option<u32>),
    Unreachable,
}

pub(crate) struct BlockData {
    pub insts: Vec<u32>,
    pub end: End,
    /// Whether it was begun.
    pub is_placed: bool,
    /// What first made it, for messages.
    pub at: &'static Location<'static>,
    /// The source location of its end.
    pub place: Option<SourcePlace>,
    /// What is attached to its end.
    pub attached: Vec<(&'static str, Metadata)>,
}

/// Builds the body of a function: [`ModuleBuilder::body`](crate::ModuleBuilder::body) begins one.
///
/// Operations are added at the current end, and return a [`Value`]. Result types follow from operands. Control flow is structured, as in
/// WebAssembly: [`if_`](Self::if_), [`while_`](Self::while_), [`for_`](Self::for_), [`loop_`](Self::loop_) and [`switch_`](Self::switch_)
/// open a construct that [`end`](Self::end) closes; [`return_`](Self::return_), [`break_`](Self::break_) and
/// [`continue_`](Self::continue_) may be anywhere in it, and the code after them is dead. For unstructured control flow there are
/// [labels](Self::label).
///
/// What changes is a [`Variable`]: [`declare`](Self::declare) one, [`def`](Self::def) what it holds, [`use_`](Self::use_) it. There are no phis
/// to write. A variable whose address is needed, and an array, is a [`slot`](Self::slot) in memory.
///
/// Wrong use of the builder still returns a value, and [`ModuleBuilder::define`](crate::ModuleBuilder::define) reports the first mistake,
/// with the function, the place of the call in the front end's source, and what was expected.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// // long sum(long *numbers, long count), up to the first zero.
/// let mut module = ModuleBuilder::new("sum.c");
/// let sum = module.function("sum", &[Type::PTR, Type::I64], Type::I64);
/// let mut f = module.body(sum);
/// let (numbers, count, zero) = (f.param(0), f.param(1), f.int(Type::I64, 0));
/// let total = f.declare("total", Type::I64);
/// f.def(total, zero);
/// let index = f.for_(zero, count);
/// let address = f.element(Type::I64, numbers, index);
/// let number = f.load(Type::I64, address);
/// let is_zero = f.eq(number, zero);
/// f.if_(is_zero);
/// f.break_();
/// f.end();
/// let before = f.use_(total);
/// let after = f.add(before, number);
/// f.def(total, after);
/// f.end();
/// let result = f.use_(total);
/// f.return_(result);
/// module.define(f)?;
/// module.finish()?;
///
/// let mut module = ModuleBuilder::new("wrong.c");
/// let wrong = module.function("wrong", &[Type::I64, Type::I32], Type::I64);
/// let mut f = module.body(wrong);
/// let sum = f.add(f.param(0), f.param(1));
/// f.return_(sum);
/// let error = module.define(f).unwrap_err().to_string();
/// assert!(error.ends_with("@wrong: add of i64 and i32; expected operands of one type"), "{error}");
/// # Ok::<(), rvsdg_build::BuildError>(())
/// ```
pub struct FunctionBuilder {
    pub(crate) pool: Arc<Pool>,
    pub(crate) layouts: Layouts,
    pub(crate) name: Box<str>,
    function: Function,
    /// Distinguishes values of this function from those of others.
    pub(crate) serial: u32,
    pub(crate) params: u32,
    pub(crate) result: Type,
    pub(crate) values: Vec<ValueData>,
    pub(crate) insts: Vec<InstData>,
    pub(crate) blocks: Vec<BlockData>,
    /// Blocks in the order in which they were begun.
    pub(crate) order: Vec<Block>,
    /// The block that operations are added to; `None` where control does not get.
    pub(crate) at: Option<Block>,
    /// What is begun and not ended.
    pub(crate) open: Vec<Open>,
    /// Allocations, which are at the start of the function.
    pub(crate) slots: Vec<u32>,
    pub(crate) contexts: Vec<(Symbol, u32)>,
    constants: FxHashMap<Const, u32>,
    context_of: FxHashMap<Symbol, u32>,
    pub(crate) variables: Vec<(Box<str>, Type)>,
    /// The value of a variable at the end of a block, as far as it was built.
    pub(crate) defined: FxHashMap<(Block, u32), u32>,
    /// Where a variable was read first, for messages.
    pub(crate) read_at: FxHashMap<u32, &'static Location<'static>>,
    /// The scope and location of what is added.
    pub(crate) scope: Option<Metadata>,
    pub(crate) place: Option<SourcePlace>,
    /// By variable: its record.
    pub(crate) described: FxHashMap<u32, Metadata>,
    /// For each block, the values of variables from some position on.
    pub(crate) bindings: Vec<BindingData>,
    /// By instruction: metadata.
    pub(crate) attached: FxHashMap<u32, Vec<(&'static str, Metadata)>>,
    pub(crate) attached_to_branch: Vec<(&'static str, Metadata)>,
    error: Option<BuildError>,
}

impl FunctionBuilder {
    #[track_caller]
    pub(crate) fn new(
        pool: Arc<Pool>,
        layouts: Layouts,
        function: Function,
        data: &SymbolData,
        scope: Option<Metadata>,
    ) -> FunctionBuilder {
        let TypeKind::Function { params, result, .. } = pool.type_kind(function.ty) else {
            unreachable!("a function is of a function type")
        };
        let (params, result) = (params.clone(), *result);
        let mut builder = FunctionBuilder {
            pool,
            layouts,
            name: data.name.clone(),
            function,
            serial: function.symbol.data().as_ffi() as u32,
            params: params.len() as u32,
            result,
            values: params.iter().map(|&ty| ValueData { ty, def: Def::Param }).collect(),
            insts: Vec::new(),
            blocks: Vec::new(),
            order: Vec::new(),
            at: None,
            open: Vec::new(),
            slots: Vec::new(),
            contexts: Vec::new(),
            constants: FxHashMap::default(),
            context_of: FxHashMap::default(),
            variables: Vec::new(),
            defined: FxHashMap::default(),
            read_at: FxHashMap::default(),
            scope,
            place: None,
            described: FxHashMap::default(),
            bindings: Vec::new(),
            attached: FxHashMap::default(),
            attached_to_branch: Vec::new(),
            error: None,
        };
        let entry = builder.new_block();
        builder.begin(entry);
        builder
    }

    /// The function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// The types, constants and payloads of the module.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// A parameter, by position.
    ///
    /// # Panics
    /// If the function has fewer parameters; their number was set by its declaration.
    #[track_caller]
    pub fn param(&self, position: u32) -> Value {
        assert!(position < self.params, "@{} has {} parameters", self.name, self.params);
        self.value(position)
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        if value.function == self.serial && (value.index as usize) < self.values.len() {
            self.values[value.index as usize].ty
        } else {
            Type::VOID
        }
    }

    /// Whether code added now is reachable: not directly after `return_`, `break_` or `continue_`.
    pub fn is_reachable(&self) -> bool {
        self.at.is_some()
    }

    /// What was wrong first, if anything was.
    pub fn error(&self) -> Option<&BuildError> {
        self.error.as_ref()
    }

    /// A constant, which mentions no symbol.
    #[track_caller]
    pub fn constant(&mut self, constant: Const) -> Value {
        if self.pool.holes(constant) > 0 {
            self.fail("a constant of addresses", "`address` of a symbol");
        }
        if let Some(&known) = self.constants.get(&constant) {
            return self.value(known);
        }
        let ty = self.pool.constant(constant).ty();
        let value = self.new_value(ty, Def::Const(constant));
        self.constants.insert(constant, value.index);
        value
    }

    /// The integer of a type with these low bits, extended with its sign; of a vector type, one with such lanes.
    #[track_caller]
    pub fn int(&mut self, ty: Type, value: i64) -> Value {
        let scalar = match *self.pool.type_kind(ty) {
            TypeKind::Vector { element, .. } => element,
            _ => ty,
        };
        if !matches!(self.pool.type_kind(scalar), TypeKind::Int(_)) {
            let found = self.show(ty);
            self.fail(&format!("an integer of type {found}"), "an integer type");
        }
        let constant = module::int(&self.pool, ty, value);
        self.constant(constant)
    }

    /// A truth value.
    #[track_caller]
    pub fn bool(&mut self, value: bool) -> Value {
        self.int(Type::I1, value.into())
    }

    /// The floating-point number of type `float` or `double` that is nearest.
    #[track_caller]
    pub fn float(&mut self, ty: Type, value: f64) -> Value {
        let bits = match self.pool.type_kind(ty) {
            TypeKind::Float => u128::from((value as f32).to_bits()),
            TypeKind::Double => u128::from(value.to_bits()),
            _ => {
                let found = self.show(ty);
                self.fail(&format!("a number of type {found}"), "float or double");
                return self.poison(ty);
            }
        };
        let constant = self.pool.intern_const(Constant::Float { ty, bits });
        self.constant(constant)
    }

    /// The value of a type whose bits are all zero: the null pointer, among others.
    #[track_caller]
    pub fn zero(&mut self, ty: Type) -> Value {
        let constant = module::zero(&self.pool, ty);
        self.constant(constant)
    }

    /// A value that nothing may depend on.
    #[track_caller]
    pub fn poison(&mut self, ty: Type) -> Value {
        let constant = self.pool.poison(ty);
        self.constant(constant)
    }

    /// The address of a function or variable of the module.
    pub fn address(&mut self, of: impl Into<Address>) -> Value {
        let Address { symbol, ty } = of.into();
        if let Some(&known) = self.context_of.get(&symbol) {
            return self.value(known);
        }
        let value = self.new_value(ty, Def::Context);
        self.context_of.insert(symbol, value.index);
        self.contexts.push((symbol, value.index));
        value
    }

    /// A new variable of a type, whose name messages say.
    #[track_caller]
    pub fn declare(&mut self, name: &str, ty: Type) -> Variable {
        let kind = self.pool.type_kind(ty);
        if ty.is_state() || matches!(kind, TypeKind::Void | TypeKind::Function { .. } | TypeKind::Metadata) {
            let found = self.show(ty);
            self.fail(&format!("variable {name} of type {found}"), "a type of values");
        }
        self.variables.push((name.into(), ty));
        Variable { function: self.serial, index: self.variables.len() as u32 - 1 }
    }

    /// Assigns a variable.
    #[track_caller]
    pub fn def(&mut self, variable: Variable, value: Value) {
        let Some((name, ty)) = self.variable(variable) else { return };
        let found = self.ty(value);
        if found != ty {
            let (found, expected) = (self.show(found), self.show(ty));
            self.fail(&format!("assignment of {found} to variable {name}"), &format!("a value of type {expected}"));
            return;
        }
        if let Some(block) = self.at {
            self.defined.insert((block, variable.index), value.index);
            if let Some(&described) = self.described.get(&variable.index) {
                self.note_binding(described, value.index, false);
            }
        }
    }

    /// The value of a variable. If only some paths to this point assign it, it is poison after the others; it is an error if no path
    /// does.
    #[track_caller]
    pub fn use_(&mut self, variable: Variable) -> Value {
        let Some((_, ty)) = self.variable(variable) else { return self.poison(Type::I1) };
        let Some(block) = self.at else { return self.poison(ty) };
        if let Some(&known) = self.defined.get(&(block, variable.index)) {
            return self.value(known);
        }
        self.read_at.entry(variable.index).or_insert(Location::caller());
        let value = self.new_value(ty, Def::Entry(block, variable.index));
        self.defined.insert((block, variable.index), value.index);
        value
    }

    /// Adds any operation, with its value operands, and results of these types. States are added where they are needed.
    #[track_caller]
    pub fn op(&mut self, op: Op, operands: &[Value], results: &[Type]) -> SmallVec<[Value; 1]> {
        if op.is_branch() || matches!(op, Op::Match(_) | Op::CtlConst { .. }) {
            self.fail(&format!("{} as an operation", op.code().info().mnemonic), "an operation that is no branch");
            return results.iter().map(|&ty| self.poison(ty)).collect();
        }
        let checked: SmallVec<[u32; 3]> = operands.iter().map(|&operand| self.check(operand)).collect();
        let first = self.values.len() as u32;
        self.values.extend(results.iter().map(|&ty| ValueData { ty, def: Def::Result }));
        let results = (first, results.len() as u32);
        self.insts.push(InstData {
            op,
            operands: checked,
            results,
            is_guarded: false,
            at: Location::caller(),
            place: self.place,
        });
        if let Some(block) = self.at {
            self.blocks[block as usize].insts.push(self.insts.len() as u32 - 1);
        }
        (first..first + results.1).map(|index| self.value(index)).collect()
    }

    /// An operation with one result.
    #[track_caller]
    pub(crate) fn op1(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        self.op(op, operands, &[ty])[0]
    }

    /// The last operation stays after what might not return.
    pub(crate) fn guard(&mut self) {
        if let Some(inst) = self.insts.last_mut() {
            inst.is_guarded = true;
        }
    }

    /// Calls a function. The value is of type `void` where it returns nothing.
    #[track_caller]
    pub fn call(&mut self, function: Function, arguments: &[Value]) -> Value {
        let address = self.address(function);
        self.call_with(CallInfo::new(function.ty), address, arguments)
    }

    /// Calls an address, with all properties that a call may have: for calls of a function by its address, tail calls, calling
    /// conventions, attributes of the call, and restricted effects.
    ///
    /// ```
    /// # use rvsdg_build::ModuleBuilder;
    /// # use rvsdg_core::{Effects, Type, TypeKind};
    /// # use rvsdg_core::op::CallInfo;
    /// let mut module = ModuleBuilder::new("apply.c");
    /// let apply = module.function("apply", &[Type::PTR, Type::I64], Type::I64);
    /// let mut f = module.body(apply);
    /// let ty = f.pool().intern_type(TypeKind::Function { result: Type::I64, params: [Type::I64].into(), variadic: false });
    /// let pure = CallInfo { effects: Effects::NONE, ..CallInfo::new(ty) };
    /// let result = f.call_with(pure, f.param(0), &[f.param(1)]);
    /// f.return_(result);
    /// module.define(f)?;
    /// # Ok::<(), rvsdg_build::BuildError>(())
    /// ```
    #[track_caller]
    pub fn call_with(&mut self, info: CallInfo, callee: Value, arguments: &[Value]) -> Value {
        let pool = self.pool.clone();
        let TypeKind::Function { result, params, variadic } = pool.type_kind(info.function_type) else {
            let found = self.show(info.function_type);
            self.fail(&format!("a call of {found}"), "a function type");
            return self.poison(Type::I1);
        };
        let callee_ty = self.ty(callee);
        if !matches!(pool.type_kind(callee_ty), TypeKind::Ptr(_)) {
            let found = self.show(callee_ty);
            self.fail(&format!("a call of a value of type {found}"), "the address of a function");
        }
        let types: Vec<Type> = arguments.iter().map(|&argument| self.ty(argument)).collect();
        let enough = types.len() == params.len() || *variadic && types.len() > params.len();
        if !enough || types.iter().zip(params).any(|(found, expected)| found != expected) {
            let [found, expected] = [&types[..], params].map(|list| {
                let list: Vec<String> = list.iter().map(|&ty| self.show(ty)).collect();
                list.join(", ")
            });
            self.fail(&format!("a call with ({found})"), &format!("({expected})"));
        }
        let call = Op::Call(pool.intern_call(info));
        let operands: SmallVec<[Value; 8]> = std::iter::once(callee).chain(arguments.iter().copied()).collect();
        if *result == Type::VOID {
            self.op(call, &operands, &[]);
            return self.new_value(Type::VOID, Def::Result);
        }
        self.op1(call, &operands, *result)
    }

    /// Size and alignment of a type.
    #[track_caller]
    pub fn layout(&mut self, ty: Type) -> Option<Arc<Layout>> {
        let pool = self.pool.clone();
        match self.layouts.of(&pool, ty) {
            Ok(layout) => Some(layout),
            Err(what) => {
                self.fail(&what, "a type whose size is known");
                None
            }
        }
    }

    /// Notes what is wrong, unless something was before.
    #[track_caller]
    pub(crate) fn fail(&mut self, construct: &str, expected: &str) {
        self.fail_at(Location::caller(), construct, expected);
    }

    pub(crate) fn fail_at(&mut self, at: &'static Location<'static>, construct: &str, expected: &str) {
        let (construct, expected) = (construct.to_owned(), expected.to_owned());
        self.error.get_or_insert_with(|| BuildError { at, place: format!("@{}", self.name), construct, expected });
    }

    pub(crate) fn take_error(&mut self) -> Option<BuildError> {
        self.error.take()
    }

    /// A type as text.
    pub(crate) fn show(&self, ty: Type) -> String {
        self.pool.display_type(ty).to_string()
    }

    pub(crate) fn value(&self, index: u32) -> Value {
        Value { function: self.serial, index }
    }

    pub(crate) fn new_value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push(ValueData { ty, def });
        self.value(self.values.len() as u32 - 1)
    }

    /// Notes that a variable of the source has a value, or what is in memory, from here on.
    pub(crate) fn note_binding(&mut self, variable: Metadata, value: u32, is_memory: bool) {
        let (Some(block), Some(scope)) = (self.at, self.scope) else { return };
        let (position, place) = (self.blocks[block as usize].insts.len(), self.place.unwrap_or((0, 0, scope)));
        self.bindings.push(BindingData { block, position, variable, value, is_memory, place });
    }

    /// The number of a value that an operation takes.
    #[track_caller]
    pub(crate) fn check(&mut self, value: Value) -> u32 {
        if value.function != self.serial || value.index as usize >= self.values.len() {
            self.fail("a value of another function", "a value of this function");
            return self.poison(Type::I1).index;
        }
        if self.values[value.index as usize].ty == Type::VOID {
            self.fail("the value of a call that returns nothing", "a value");
        }
        value.index
    }

    #[track_caller]
    fn variable(&mut self, variable: Variable) -> Option<(Box<str>, Type)> {
        let known = self.variables.get(variable.index as usize).filter(|_| variable.function == self.serial).cloned();
        if known.is_none() {
            self.fail("a variable of another function", "a variable of this function");
        }
        known
    }

    #[track_caller]
    pub(crate) fn new_block(&mut self) -> Block {
        let at = Location::caller();
        self.blocks.push(BlockData {
            insts: Vec::new(),
            end: End::Open,
            is_placed: false,
            at,
            place: None,
            attached: Vec::new(),
        });
        self.blocks.len() as Block - 1
    }

    /// What is added from now on is in a block.
    pub(crate) fn begin(&mut self, block: Block) {
        self.blocks[block as usize].is_placed = true;
        self.order.push(block);
        self.at = Some(block);
    }

    /// Ends the block that operations were added to, where there is one.
    pub(crate) fn finish_block(&mut self, end: End) {
        if let Some(block) = self.at.take() {
            let data = &mut self.blocks[block as usize];
            data.place = self.place;
            if matches!(end, End::Branch(..) | End::Switch(..)) {
                data.attached = std::mem::take(&mut self.attached_to_branch);
            }
            data.end = end;
        }
    }
}
