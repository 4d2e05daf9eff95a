//! LLVM 22's instruction opcodes, as in `llvm/IR/Instruction.def`.

macro_rules! opcodes {
    ($($name:ident = $number:literal,)*) => {
        /// What an instruction of LLVM's is.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Opcode {
            /// None of those below: a body with such an instruction is not read.
            Other = 0,
            $($name = $number,)*
        }

        impl Opcode {
            /// The opcode with a number of LLVM's.
            pub fn of(number: u32) -> Opcode {
                match number {
                    $($number => Opcode::$name,)*
                    _ => Opcode::Other,
                }
            }
        }
    };
}

opcodes! {
    Ret = 1,
    Br = 2,
    Switch = 3,
    IndirectBr = 4,
    Invoke = 5,
    Resume = 6,
    Unreachable = 7,
    CleanupRet = 8,
    CatchRet = 9,
    CatchSwitch = 10,
    CallBr = 11,
    FNeg = 12,
    Add = 13,
    FAdd = 14,
    Sub = 15,
    FSub = 16,
    Mul = 17,
    FMul = 18,
    UDiv = 19,
    SDiv = 20,
    FDiv = 21,
    URem = 22,
    SRem = 23,
    FRem = 24,
    Shl = 25,
    LShr = 26,
    AShr = 27,
    And = 28,
    Or = 29,
    Xor = 30,
    Alloca = 31,
    Load = 32,
    Store = 33,
    GetElementPtr = 34,
    Fence = 35,
    CmpXchg = 36,
    AtomicRmw = 37,
    Trunc = 38,
    ZExt = 39,
    SExt = 40,
    FPToUI = 41,
    FPToSI = 42,
    UIToFP = 43,
    SIToFP = 44,
    FPTrunc = 45,
    FPExt = 46,
    PtrToInt = 47,
    PtrToAddr = 48,
    IntToPtr = 49,
    BitCast = 50,
    AddrSpaceCast = 51,
    CleanupPad = 52,
    CatchPad = 53,
    ICmp = 54,
    FCmp = 55,
    Phi = 56,
    Call = 57,
    Select = 58,
    VaArg = 61,
    ExtractElement = 62,
    InsertElement = 63,
    ShuffleVector = 64,
    ExtractValue = 65,
    InsertValue = 66,
    LandingPad = 67,
    Freeze = 68,
}

impl Opcode {
    /// LLVM's number of it.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Whether such an instruction ends a block.
    pub fn is_terminator(self) -> bool {
        (Opcode::Ret.number()..=Opcode::CallBr.number()).contains(&self.number())
    }
}
