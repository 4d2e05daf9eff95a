//! LLVM 22's instruction opcodes, as in `llvm/IR/Instruction.def`.

macro_rules! opcodes {
    ($($name:ident = $number:literal;)*) => {
        $(pub(crate) const $name: u32 = $number;)*
    };
}

opcodes! {
    RET = 1; BR = 2; SWITCH = 3; INDIRECTBR = 4; INVOKE = 5; RESUME = 6; UNREACHABLE = 7; CLEANUPRET = 8; CATCHRET = 9;
    CATCHSWITCH = 10; CALLBR = 11; FNEG = 12; ADD = 13; FADD = 14; SUB = 15; FSUB = 16; MUL = 17; FMUL = 18; UDIV = 19;
    SDIV = 20; FDIV = 21; UREM = 22; SREM = 23; FREM = 24; SHL = 25; LSHR = 26; ASHR = 27; AND = 28; OR = 29; XOR = 30;
    ALLOCA = 31; LOAD = 32; STORE = 33; GETELEMENTPTR = 34; FENCE = 35; CMPXCHG = 36; ATOMICRMW = 37; TRUNC = 38; ZEXT = 39;
    SEXT = 40; FPTOUI = 41; FPTOSI = 42; UITOFP = 43; SITOFP = 44; FPTRUNC = 45; FPEXT = 46; PTRTOINT = 47; PTRTOADDR = 48;
    INTTOPTR = 49; BITCAST = 50; ADDRSPACECAST = 51; CLEANUPPAD = 52; CATCHPAD = 53; ICMP = 54; FCMP = 55; PHI = 56;
    CALL = 57; SELECT = 58; VA_ARG = 61; EXTRACTELEMENT = 62; INSERTELEMENT = 63; SHUFFLEVECTOR = 64; EXTRACTVALUE = 65;
    INSERTVALUE = 66; LANDINGPAD = 67; FREEZE = 68;
}
