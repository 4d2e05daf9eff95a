//! What the threads of a kernel do besides what any function does: they ask for their numbers, read what all may read, exchange
//! values with each other, and write what they computed.

use rvsdg_core::attribute::{AttributeKind, AttributeList};
use rvsdg_core::op::{CallInfo, GepFlags, IntBinary, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type, TypeKind};

use super::calls::plain;
use super::{Maker, Scope};

/// Threads of a block, a power of two.
pub const THREADS: u64 = 64;

/// The numbers that threads are told: those of the thread, its lane, the block, and how many threads a block has.
pub(crate) const REGISTERS: [&str; 4] = [
    "llvm.nvvm.read.ptx.sreg.tid.x",
    "llvm.nvvm.read.ptx.sreg.laneid",
    "llvm.nvvm.read.ptx.sreg.ctaid.x",
    "llvm.nvvm.read.ptx.sreg.ntid.x",
];

/// That a body is a kernel's. Its first context variables are the [registers](REGISTERS), the barrier and an array that
/// the threads of a block share.
#[derive(Copy, Clone)]
pub(crate) struct Kernel {
    /// Where the parameters begin: two numbers, memory to read and memory to write.
    pub(crate) params: usize,
}

impl Maker<'_, '_> {
    fn root_argument(&self, index: usize) -> Origin {
        self.graph.arguments(self.graph.root())[index]
    }

    fn register(&mut self, scope: &mut Scope, index: usize) -> Origin {
        let function = self.root_argument(index);
        let ty = self.pool.intern_type(TypeKind::Function { result: Type::I32, params: [].into(), variadic: false });
        let op = Op::Call(self.pool.intern_call(plain(&self.pool, ty)));
        self.effect(scope, op, &[function], &[Type::I32])[0]
    }

    fn barrier(&mut self, scope: &mut Scope, function: Origin) {
        let params = [Type::I32].into();
        let ty = self.pool.intern_type(TypeKind::Function { result: Type::VOID, params, variadic: false });
        let convergent = [AttributeKind::Convergent.into()].into();
        let list = AttributeList { function: convergent, ..AttributeList::default() };
        let info = CallInfo { attributes: self.pool.intern_attributes(list), ..plain(&self.pool, ty) };
        let op = Op::Call(self.pool.intern_call(info));
        let zero = self.int(scope, Type::I32, 0);
        self.effect(scope, op, &[function, zero], &[]);
    }

    /// The address of a word of memory.
    fn word(&mut self, scope: &Scope, memory: Origin, index: Origin) -> Origin {
        let (op, ty) = (Op::Gep { source: Type::I64, flags: GepFlags::default() }, self.ty(memory));
        let node = self.graph.add_simple(scope.region, op, &[memory, index], &[ty]);
        self.graph.output(node, 0)
    }

    /// An index below [`THREADS`].
    fn index(&mut self, scope: &mut Scope, value: Origin) -> Origin {
        let last = self.int(scope, self.ty(value), THREADS - 1);
        self.int_binary(scope, IntBinary::And, value, last)
    }

    /// Numbers of the thread, and what it reads.
    pub(crate) fn begin_kernel(&mut self, scope: &mut Scope, kernel: Kernel) {
        for register in 0..REGISTERS.len() {
            if self.entropy.chance(3, 4) {
                self.register(scope, register);
            }
        }
        for _ in 0..self.entropy.below(4) {
            let value = self.value(scope, Type::I32);
            let index = self.index(scope, value);
            let word = self.word(scope, self.root_argument(kernel.params + 2), index);
            self.effect(scope, Op::Load(MemAccess::plain(3)), &[word], &[Type::I64]);
        }
    }

    /// Each thread writes a value for the others of its block, and reads some: once, or in each iteration of a loop.
    pub(crate) fn exchange(&mut self, scope: &mut Scope) {
        let [barrier, shared] = [0, 1].map(|index| self.root_argument(REGISTERS.len() + index));
        let thread = self.register(scope, 0);
        let value = self.value(scope, Type::I64);
        if self.entropy.chance(1, 2) {
            self.exchange_once(scope, [barrier, shared, thread, value]);
            return;
        }
        let times = 1 + self.entropy.below(4) as u64;
        let count = self.int(scope, Type::I32, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let entering = [barrier, shared, thread, value, count, scope.mem, scope.io];
        let vars = entering.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let [barrier, shared, thread, value, count, mem, io] = vars.map(|variable| variable.pre);
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![thread, value, count],
            predicates: vec![],
            tokens: vec![],
            mem,
            io,
            loops: scope.loops + 1,
        };
        let value = self.exchange_once(&mut inner, [barrier, shared, thread, value]);
        let one = self.int(&mut inner, Type::I32, 1);
        let next = self.int_binary(&mut inner, IntBinary::Sub, count, one);
        let repeat = self.while_nonzero(&mut inner, next);
        for (variable, post) in vars[3..].iter().zip([value, next, inner.mem, inner.io]) {
            self.graph.divert(variable.post, post);
        }
        self.graph.divert(theta.predicate(&self.graph), repeat);
        scope.values.extend([vars[3].output, vars[4].output]);
        [scope.mem, scope.io] = [vars[5].output, vars[6].output];
    }

    /// The last of the words that are read.
    fn exchange_once(&mut self, scope: &mut Scope, [barrier, shared, thread, value]: [Origin; 4]) -> Origin {
        let own = self.word(scope, shared, thread);
        self.effect(scope, Op::Store(MemAccess::plain(3)), &[value, own], &[]);
        self.barrier(scope, barrier);
        let mut read = value;
        for _ in 0..1 + self.entropy.below(3) {
            let number = self.value(scope, Type::I32);
            let index = self.index(scope, number);
            let word = self.word(scope, shared, index);
            read = self.effect(scope, Op::Load(MemAccess::plain(3)), &[word], &[Type::I64])[0];
        }
        self.barrier(scope, barrier);
        read
    }

    /// Writes what depends on all that was computed.
    pub(crate) fn end_kernel(&mut self, scope: &mut Scope, kernel: Kernel) {
        let value = self.returned(scope, Type::I64);
        let [thread, block, threads] = [0, 2, 3].map(|register| self.register(scope, register));
        let before = self.int_binary(scope, IntBinary::Mul, block, threads);
        let index = self.int_binary(scope, IntBinary::Add, before, thread);
        let word = self.word(scope, self.root_argument(kernel.params + 3), index);
        self.effect(scope, Op::Store(MemAccess::plain(3)), &[value, word], &[]);
    }
}
