//! Three kernels, as a front end builds them.

use rvsdg_build::{BuildError, Function, FunctionBuilder, ModuleBuilder, Value};
use rvsdg_core::module::{Linkage, SymbolKind};
use rvsdg_core::op::{CallInfo, IntPredicate};
use rvsdg_core::{Constant, Module, Type, TypeKind};

/// Threads of a block of the reduction, a power of two.
pub const THREADS: u32 = 128;

/// LLVM's number of the calling convention of kernels.
const KERNEL: u32 = 71;
/// NVPTX's address spaces: memory of the device, and what the threads of a block share.
const GLOBAL: u32 = 1;
const SHARED: u32 = 3;

/// Functions of the machine.
struct Machine {
    thread: Function,
    block: Function,
    threads: Function,
    barrier: Function,
}

/// The module of all kernels.
pub fn module() -> Result<Module, BuildError> {
    let mut module = ModuleBuilder::new("kernels");
    module.target("nvptx64-nvidia-cuda", "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64");
    let register = |module: &mut ModuleBuilder, name: &str| {
        module.import(&format!("llvm.nvvm.read.ptx.sreg.{name}.x"), &[], Type::I32)
    };
    let machine = Machine {
        thread: register(&mut module, "tid"),
        block: register(&mut module, "ctaid"),
        threads: register(&mut module, "ntid"),
        barrier: module.import("llvm.nvvm.barrier.cta.sync.aligned.all", &[Type::I32], Type::VOID),
    };
    module.attribute(machine.barrier, "convergent");
    saxpy(&mut module, &machine)?;
    sum(&mut module, &machine)?;
    search(&mut module, &machine)?;
    module.finish()
}

fn kernel(module: &mut ModuleBuilder, name: &str, params: &[Type]) -> Function {
    let function = module.function(name, params, Type::VOID);
    if let SymbolKind::Function { convention, .. } = &mut module.symbol(function).kind {
        *convention = KERNEL;
    }
    function
}

/// What the threads of a group get together, as passes need to know, and no effects.
fn ask(f: &mut FunctionBuilder, register: Function) -> Value {
    let pure = CallInfo { effects: rvsdg_core::Effects::NONE, ..CallInfo::new(register.ty) };
    let address = f.address(register);
    f.call_with(pure, address, &[])
}

/// The number of the thread among those of all blocks.
fn global_thread(f: &mut FunctionBuilder, machine: &Machine) -> Value {
    let [thread, block, threads] = [machine.thread, machine.block, machine.threads].map(|register| ask(f, register));
    let before = f.mul(block, threads);
    f.add(before, thread)
}

fn wait(f: &mut FunctionBuilder, machine: &Machine) {
    let zero = f.int(Type::I32, 0);
    f.call(machine.barrier, &[zero]);
}

/// `y[i] = a * x[i] + y[i]` for `i` below `n`.
fn saxpy(module: &mut ModuleBuilder, machine: &Machine) -> Result<(), BuildError> {
    let memory = module.pool().intern_type(TypeKind::Ptr(GLOBAL));
    let float = module.pool().intern_type(TypeKind::Float);
    let saxpy = kernel(module, "saxpy", &[Type::I32, float, memory, memory]);
    let mut f = module.body(saxpy);
    let [n, a, x, y] = [0, 1, 2, 3].map(|position| f.param(position));
    let i = global_thread(&mut f, machine);
    let is_inside = f.icmp(IntPredicate::Ult, i, n);
    f.if_(is_inside);
    let (x, y) = (f.element(float, x, i), f.element(float, y, i));
    let (factor, before) = (f.load(float, x), f.load(float, y));
    let product = f.fmul(a, factor);
    let after = f.fadd(product, before);
    f.store(after, y);
    f.end();
    f.return_(None);
    module.define(f)
}

/// `sums[block]` becomes the sum of the block's part of `x`: half of the threads add what the other half has, again and again.
fn sum(module: &mut ModuleBuilder, machine: &Machine) -> Result<(), BuildError> {
    let pool = module.pool().clone();
    let memory = pool.intern_type(TypeKind::Ptr(GLOBAL));
    let array = pool.intern_type(TypeKind::Array { element: Type::I32, len: THREADS.into() });
    let partial = module.global_in(SHARED, "partial", pool.intern_const(Constant::Undef(array)));
    module.symbol(partial).linkage = Linkage::Internal;
    let sum = kernel(module, "sum", &[memory, memory]);

    let mut f = module.body(sum);
    let (x, sums) = (f.param(0), f.param(1));
    let (thread, block) = (ask(&mut f, machine.thread), ask(&mut f, machine.block));
    let index = global_thread(&mut f, machine);
    let partial = f.address(partial);
    let (own, from) = (f.element(Type::I32, partial, thread), f.element(Type::I32, x, index));
    let value = f.load(Type::I32, from);
    f.store(value, own);

    let (zero, one) = (f.int(Type::I32, 0), f.int(Type::I32, 1));
    let (half, all) = (f.declare("half", Type::I32), f.int(Type::I32, i64::from(THREADS / 2)));
    f.def(half, all);
    f.while_();
    let now = f.use_(half);
    let goes_on = f.icmp(IntPredicate::Ugt, now, zero);
    f.do_(goes_on);
    wait(&mut f, machine);
    let is_one = f.icmp(IntPredicate::Ult, thread, now);
    f.if_(is_one);
    let other = f.add(thread, now);
    let other = f.element(Type::I32, partial, other);
    let (a, b) = (f.load(Type::I32, own), f.load(Type::I32, other));
    let both = f.add(a, b);
    f.store(both, own);
    f.end();
    let next = f.lshr(now, one);
    f.def(half, next);
    f.end();

    let is_first = f.eq(thread, zero);
    f.if_(is_first);
    let (total, place) = (f.load(Type::I32, own), f.element(Type::I32, sums, block));
    f.store(total, place);
    f.end();
    f.return_(None);
    module.define(f)
}

/// For each key, the place in a hash table with linear probing, or -1. Threads leave the loop at different times and in two
/// ways, which makes its control flow unstructured.
fn search(module: &mut ModuleBuilder, machine: &Machine) -> Result<(), BuildError> {
    let memory = module.pool().intern_type(TypeKind::Ptr(GLOBAL));
    let search = kernel(module, "search", &[memory, Type::I32, memory, memory]);
    let mut f = module.body(search);
    let [table, mask, keys, places] = [0, 1, 2, 3].map(|position| f.param(position));
    let i = global_thread(&mut f, machine);
    let from = f.element(Type::I32, keys, i);
    let key = f.load(Type::I32, from);
    let (zero, one, absent) = (f.int(Type::I32, 0), f.int(Type::I32, 1), f.int(Type::I32, -1));
    let (at, found) = (f.declare("at", Type::I32), f.declare("found", Type::I32));
    let factor = f.int(Type::I32, 0x9e37);
    let hash = f.mul(key, factor);
    let start = f.and(hash, mask);
    f.def(at, start);
    f.def(found, absent);
    f.loop_();
    let place = f.use_(at);
    let entry = f.element(Type::I32, table, place);
    let entry = f.load(Type::I32, entry);
    let is_here = f.eq(entry, key);
    f.if_(is_here);
    f.def(found, place);
    f.break_();
    f.end();
    let is_free = f.eq(entry, zero);
    f.if_(is_free);
    f.break_();
    f.end();
    let next = f.add(place, one);
    let next = f.and(next, mask);
    f.def(at, next);
    f.end();
    let (result, to) = (f.use_(found), f.element(Type::I32, places, i));
    f.store(result, to);
    f.return_(None);
    module.define(f)
}
