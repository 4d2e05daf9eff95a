//! What generated graphs are made of: how often each operation and node kind, how large, and whether runs are defined.

use rvsdg_core::op::OpCode;

/// How often what is generated. The numbers are relative to their sum.
#[derive(Clone, Debug)]
pub struct Weights {
    /// By position in [`OpCode::ALL`].
    ops: Vec<u32>,
    /// Conditionals.
    pub gamma: u32,
    /// Loops.
    pub theta: u32,
    /// Conditionals around what is defined only there.
    pub guards: u32,
    /// Throws, and calls whose exceptions are caught, where a module has what they need.
    pub unwinding: u32,
    /// Shapes that passes look for.
    pub idioms: u32,
    /// Of a hundred operations that can have flags, how many have some.
    pub flags: u32,
    /// Of a hundred constants, how many are undef or poison.
    pub poison: u32,
    /// Whether loops end, memory is accessed where there is some, and nothing traps, so that runs can be compared.
    pub defined: bool,
    /// Whether there is what the interpreter does not know: some types, funclets, ifuncs, `callbr`.
    pub exotic: bool,
    /// Whether there are two types of numbers only and small constants only.
    pub few_values: bool,
}

/// How large a body is.
#[derive(Copy, Clone, Debug)]
pub struct Size {
    /// The approximate number of operations and structural nodes.
    pub nodes: usize,
    /// Greatest depth of nested γ and θ; the generator recurses so far.
    pub depth: usize,
}

impl Size {
    /// A size for many quick cases.
    pub const SMALL: Size = Size { nodes: 40, depth: 3 };
}

impl Weights {
    /// Every operation with every payload that the verifier accepts.
    pub fn all() -> Weights {
        Weights {
            ops: vec![4; OpCode::ALL.len()],
            gamma: 12,
            theta: 8,
            guards: 0,
            unwinding: 0,
            idioms: 0,
            flags: 50,
            poison: 8,
            defined: false,
            exotic: true,
            few_values: false,
        }
    }

    /// As [`Weights::all`], without what the interpreter does not know.
    pub fn known() -> Weights {
        let mut weights = Weights { exotic: false, ..Weights::all() };
        for code in [
            OpCode::CallBr,
            OpCode::CatchSwitch,
            OpCode::CatchPad,
            OpCode::CleanupPad,
            OpCode::CatchRet,
            OpCode::CleanupRet,
        ] {
            weights.set(code, 0);
        }
        weights
    }

    /// Operations whose runs are determined by the arguments alone: no address becomes a number, nothing is undef, and no flag permits a
    /// different result.
    ///
    /// With `poison`, operations promise with flags what need not hold, and no operation freezes; without, no value is poison
    /// and values are frozen now and then.
    pub fn defined(poison: bool) -> Weights {
        let mut weights = Weights { exotic: false, ..Weights::all() };
        weights.defined = true;
        weights.guards = 6;
        weights.unwinding = 8;
        weights.idioms = 16;
        weights.poison = 0;
        weights.flags = if poison { 50 } else { 0 };
        for &code in OpCode::ALL {
            let weight = match code {
                OpCode::IntToPtr
                | OpCode::PtrToInt
                | OpCode::PtrToAddr
                | OpCode::AddrSpaceCast
                | OpCode::Invoke
                | OpCode::CallBr
                | OpCode::IndirectBr
                | OpCode::Resume
                | OpCode::CatchSwitch
                | OpCode::CatchPad
                | OpCode::CleanupPad
                | OpCode::CatchRet
                | OpCode::CleanupRet
                | OpCode::VaArg
                | OpCode::Unreachable
                | OpCode::Ext => 0,
                OpCode::Freeze => u32::from(!poison) * 2,
                OpCode::CtlConst | OpCode::Alloca | OpCode::Fence | OpCode::CmpXchg | OpCode::AtomicRmw => 1,
                OpCode::Add | OpCode::Sub | OpCode::Mul | OpCode::And | OpCode::Or | OpCode::Xor => 8,
                OpCode::Call => 8,
                OpCode::Load | OpCode::Store | OpCode::ICmp | OpCode::Select | OpCode::Shl | OpCode::LShr => 6,
                _ => 2,
            };
            weights.set(code, weight);
        }
        weights
    }

    /// As [`Weights::defined`], of few operations on few values, so that many nodes compute the same.
    pub fn alike(poison: bool) -> Weights {
        let mut weights = Weights::defined(poison);
        for &code in OpCode::ALL {
            let weight = match code {
                OpCode::Add | OpCode::Sub | OpCode::Xor => 8,
                OpCode::Load | OpCode::Store => 6,
                OpCode::ICmp | OpCode::Gep => 4,
                OpCode::Call => 4,
                OpCode::Const | OpCode::Match | OpCode::Select | OpCode::UDiv => 2,
                OpCode::Alloca | OpCode::Freeze => 1,
                _ => 0,
            };
            weights.set(code, weight);
        }
        Weights { gamma: 8, theta: 8, few_values: true, ..weights }
    }

    /// How often an operation is generated.
    pub fn of(&self, code: OpCode) -> u32 {
        self.ops[code as usize]
    }

    /// Says how often an operation is generated.
    pub fn set(&mut self, code: OpCode, weight: u32) {
        self.ops[code as usize] = weight;
    }

    /// The weights of all operations, then those of γ, θ, guards, unwinding and idioms.
    pub(crate) fn table(&self) -> Vec<u32> {
        self.ops.iter().copied().chain([self.gamma, self.theta, self.guards, self.unwinding, self.idioms]).collect()
    }
}
