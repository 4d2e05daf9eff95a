//! Deliberate faults, each a condition for soundness that is dropped, to see whether tests find them: with the feature
//! `seeded-bugs` one of them can be switched on. Without the feature, which nothing but its test asks for, none of them is compiled.

/// Declares the faults: the variant, the pass and what is wrong.
macro_rules! bugs {
    ($($bug:ident $pass:literal $text:literal;)*) => {
        /// A fault in a pass.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Bug { $(#[doc = $text] $bug),* }

        impl Bug {
            /// Every fault.
            pub const ALL: &[Bug] = &[$(Bug::$bug),*];

            /// The pass it is in.
            pub fn pass(self) -> &'static str {
                match self { $(Bug::$bug => $pass),* }
            }

            /// What is wrong, in a sentence.
            pub fn text(self) -> &'static str {
                match self { $(Bug::$bug => $text),* }
            }
        }
    };
}

bugs! {
    PshStateEdge "psh" "a load leaves a loop that writes memory: its state edge is dropped";
    PshGuardedLoad "psh" "a load leaves a loop from under its guard";
    PshGuardedDivision "psh" "a division leaves a loop or a conditional from under the guard against zero";
    CneFlags "cne" "merged nodes keep `nsw` and the like of one of them";
    CneLoopVariables "cne" "loop variables that start the same are taken for the same";
    CneCommutes "cne" "differences with exchanged operands are taken for the same";
    DneLoopVariable "dne" "the update of a loop variable is dropped when only the loop uses the variable";
    DneStore "dne" "stores are dropped";
    DneVolatile "dne" "volatile loads whose value is not used are dropped";
    InvFirstAlternative "inv" "what one alternative passes on unchanged is taken from before the conditional";
    InvOtherVariable "inv" "a loop variable that becomes another variable of the loop is taken for invariant";
    InvNoReturn "inv" "memory is touched before a conditional that may not return";
    RedSignedDivision "red" "folding `sdiv` rounds down";
    RedMatchSum "red" "a match of a sum with a constant becomes one with cases on the wrong side";
    RedMatchExtended "red" "cases that what is converted cannot be are taken for others";
    RedCommutes "red" "operands of `sub` are exchanged";
    RedCallReturns "red" "a call before where control does not get is taken to return";
    RedUnneededElsewhere "red" "what a conditional gives is taken to be used by the decision behind it only";
    RedDecidedOnce "red" "a comparison of loop variables is taken to hold in all iterations if it does before the loop";
    RedUndefAsPoison "red" "where one alternative gives undef and another one poison, both are taken to give poison";
    RedDecidedByEither "red" "where one of two conditions holds, both are taken to hold";
    RedKnownCondition "red" "where the default of a match leads to, the operand is taken for zero";
    RedOtherDecision "red" "a decision on another value is taken for one on what the conditional around chooses by";
    PllLoad "pll" "a load moves under a condition past a store";
    PllAlternatives "pll" "what two alternatives use moves into one of them";
    PllConvergent "pll" "convergent calls move under a condition";
    IvtSense "ivt" "a loop that is left where its conditional is true is inverted as if it were repeated there";
    IvtLeft "ivt" "a loop that is left from within is taken to have come to its end";
    IvtFreeze "ivt" "a choice that may be poison leaves a loop that may not come to it, and is not frozen";
    IvtConvergent "ivt" "loops with convergent or `noduplicate` calls are copied";
    LpeStart "lpe" "the loop starts with what it started with before the iteration that was done";
    LpeSense "lpe" "a loop is entered where its first iteration leaves it";
    LpeConvergent "lpe" "loops with convergent or `noduplicate` calls are copied";
    SvrFreeze "svr" "a loop that may not depend on a step decides by it though it may be poison";
    SvrSense "svr" "a step is taken for one where it is not";
    SvrConvergent "svr" "loops with convergent or `noduplicate` calls are copied";
    IssSense "iss" "what a loop decides in its first iterations is taken for what it decides in the others";
    IssFirst "iss" "what a loop decides in its first iterations is taken to hold in one more";
    IssWraps "iss" "counters that may wrap are taken to stay beyond what they are compared with";
    IssFreeze "iss" "a loop that may not depend on a comparison is split by it though it may be poison";
    IssConvergent "iss" "loops with convergent or `noduplicate` calls are copied";
    UrlInclusive "url" "the last iteration of a loop with `<=` is not counted";
    UrlMissed "url" "a bound that steps jump over is taken for one that is met";
    UrlBounds "url" "addresses that may wrap are taken to meet the one that they are compared with";
    UrlComputed "url" "the last iteration of a loop whose decisions are computed is not counted";
    UrlPassed "url" "a counter that may start beyond its bound is taken to meet it";
    UrlRange "url" "numbers that count beyond the greatest one are taken not to wrap";
    UrlSigned "url" "unsigned comparisons of counters are taken for signed ones";
    IlnInterposable "iln" "a callee that the linker may replace is inlined";
    IlnTailMark "iln" "calls stay marked `tail` in the caller, whose stack they may see";
    IlnCleanup "iln" "an `invoke` of the callee does not unwind to the cleanup of the call";
    CldNotConstant "cld" "variables that may change hold what they are initialized with";
    CldInterposable "cld" "a variable that the linker may replace holds what this module says";
    CldByteOrder "cld" "numbers are little-endian everywhere";
    IlnByValue "iln" "a callee changes the object that was passed by value";
    IpcFirstCall "ipc" "what one call passes is taken for what all pass";
    IpcUnknown "ipc" "calls that pass something unknown are passed over";
    IpcOtherUses "ipc" "parameters of functions that others may call are replaced";
    AttrsLoop "attrs" "loops are taken to return";
    AttrsReads "attrs" "loads do not count as reading";
    AttrsStored "attrs" "what is stored is taken for what is stored to";
    AttrsCallee "attrs" "callees of which nothing is known are taken to do nothing";
    MvfUnknownObject "mvf" "pointers from unknown places are taken to lead to different objects";
    MvfStoredAddress "mvf" "an object whose address is stored stays private";
    MvfLoopReads "mvf" "what a loop reads does not keep stores before it";
    MvfCopySource "mvf" "what was copied somewhere stays what is where it came from, whatever is written there";
    MvfZeros "mvf" "what is filled with zeros is zero still where it is overwritten in part";
    MvfGap "mvf" "a fill is taken to be overwritten where some of its bytes are not";
    MvfNarrowStore "mvf" "a store that overwrites a part makes the whole store before it dead";
    MvfSinkRead "mvf" "a store leaves a loop in which its place is read";
    LvrFalling "lvr" "the ends of ranges of falling addresses are not exchanged";
    LvrLastByte "lvr" "a range ends where its last access begins";
    LvrAnyPair "lvr" "one pair of ranges that is apart is enough";
    MvfDeadEnd "mvf" "a choice of which one alternative never ends is taken to never end";
    MvfTypedFact "mvf" "what a write under another tag leaves as it was for reads under one tag, it leaves so for all";
    MvfTypedStore "mvf" "a store of what is there under another tag changes nothing";
    StzFirstAlternative "stz" "what a conditional joins is taken from its first alternative";
    StzDefault "stz" "what a table gives for no case is taken to be alternative 0";
    StzLoop "stz" "what a loop tells when it is left is what it told before the last iteration";
    SraStoredAddress "sra" "an object whose address is stored is taken apart";
    SraSameObject "sra" "an object is taken apart in spite of a copy inside it";
    SraChosenOverlap "sra" "where one of two places is stored to that share bytes, the second one is written back";
    SraChosenType "sra" "what a place holds is written back as a type that not all accesses of it have";
    SraChosenTwice "sra" "what is stored to one of two objects by a condition that may be undef chooses twice";
    SraVolatile "sra" "objects with volatile accesses are taken apart";
    TreUsed "tre" "a call whose result something else uses, too, is taken for the last thing that is done";
    TreStore "tre" "what a function stores after a call of itself is stored before";
    TreDifference "tre" "differences are accumulated as sums";
    TreCaptured "tre" "an object on the stack whose address is kept is taken for the one of the next call";
    TreInterposable "tre" "a function that the linker may replace is taken for the one that it calls";
    AlrStored "alr" "an object whose address is stored goes";
    AlrVolatile "alr" "volatile stores go with the object";
    AlrFamily "alr" "an object that a function of another family frees goes";
    AlrMixed "alr" "what comes out of a conditional is taken for the object though another may come there, too";
    IdmAtomic "idm" "loops with atomic accesses are replaced";
    IdmOthers "idm" "what else the loop accesses is taken for other memory";
    IdmOverlap "idm" "what is copied over itself is taken for not read again";
    IdmLastElement "idm" "the last element is left out";
    IdmFalling "idm" "a loop that goes down is taken to begin with the lowest address";
    IfcSpeculate "ifc" "divisions are executed that a condition kept from dividing by zero";
    IfcSinkAddress "ifc" "stores to different addresses become one";
    IfcTailMemory "ifc" "a load that memory changes after is moved behind the change";
    IfcOverwrites "ifc" "a store to one address is taken to overwrite one to another";
    IfcFusedUnknown "ifc" "an alternative that does not know where it leads is taken to lead to the first";
    VecDistance "vec" "iterations that depend on ones shortly before are done at once";
    VecOverlap "vec" "ranges that may overlap are not compared";
    VecStart "vec" "what a reduction starts with is counted in each part";
    VecRecurrence "vec" "what the iteration before computed is taken from the first part";
    VecFalling "vec" "lanes of addresses that fall are in the order of memory";
    VecReplacement "vec" "what replaces a variable's first value is combined with that";
    VecBeyond "vec" "loads under a condition are made where the condition does not hold, whatever is there";
    VecMerged "vec" "stores of two alternatives to different addresses become one";
    VecPromises "vec" "what a load under a condition promises of its address is taken to hold in all iterations";
    VecGaps "vec" "stores that leave elements out are made in whole vectors";
    VecAround "vec" "what is stored under two conditions is stored where the inner one holds";
    VecMergedSome "vec" "stores that only some iterations of two alternatives make become one that all make";
    VecAllLanes "vec" "where one lane stores, all do";
    VecUnordered "vec" "a float that is none takes the place of others, and is taken for the least or greatest of all";
    VecZeros "vec" "which of the zeros that are the least or greatest comes first is not asked";
    VecLast "vec" "what replaced a variable first is taken for what did so last";
    VecGroupOrder "vec" "accesses that fill each other's gaps pass by others between them that they meet";
    JamDistance "jam" "iterations that meet ones shortly before are done at once";
    JamOverlap "jam" "areas that may overlap are not compared";
    JamInner "jam" "areas leave out how far inner loops go";
    JamStale "jam" "what iterations leave each other in memory is taken for the same in all";
    JamSequence "jam" "iterations one after another pass by earlier ones of the inner loop that they meet";
    DivJoin "divergence" "what is joined where threads have parted is uniform if what they bring is";
    DivLeave "divergence" "what changes in a loop is uniform after it wherever threads leave it";
    DivAtomic "divergence" "atomic updates give threads that update the same the same";
    DivOneOf "divergence" "what the first two of several alternatives pass on is taken for what all do";
    IvsUnsigned "ivs" "what is widened with zeros is widened with its sign";
    IvsWraps "ivs" "counters that may wrap are widened";
    IvsWebWraps "ivs" "what is added to in some iterations only is widened though it may wrap";
    IvsMeets "ivs" "counters that may wrap are taken to meet what they are compared with";
    IvsStep "ivs" "what is added in later iterations only is taken not to be poison";
    IvsLastIteration "ivs" "final values leave out the last iteration";
    IvsLastStep "ivs" "what the last iteration makes of a counter is taken not to wrap though it is used";
    IvsComparison "ivs" "comparisons become wide ones though their sign is not that of the widening";
}

#[cfg(feature = "seeded-bugs")]
mod switch {
    use std::sync::atomic::{AtomicU8, Ordering};

    /// One more than the number of the fault that is switched on.
    static ACTIVE: AtomicU8 = AtomicU8::new(0);

    /// Switches a fault on, or all off, in the whole process.
    pub fn activate(bug: Option<super::Bug>) {
        ACTIVE.store(bug.map_or(0, |bug| bug as u8 + 1), Ordering::SeqCst);
    }

    /// Whether a fault is switched on.
    pub fn is_active(bug: super::Bug) -> bool {
        ACTIVE.load(Ordering::Relaxed) == bug as u8 + 1
    }
}

#[cfg(feature = "seeded-bugs")]
pub use switch::{activate, is_active};

/// Nothing is wrong on purpose.
#[cfg(not(feature = "seeded-bugs"))]
#[inline(always)]
pub const fn is_active(_: Bug) -> bool {
    false
}
