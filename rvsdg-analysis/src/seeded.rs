//! Seeded bugs, each a dropped soundness condition, which tests must find: the feature `seeded-bugs` allows one of them to be enabled.
//! Without the feature, which only its test uses, none of them is compiled.

/// Declares the bugs: the variant, the pass and a description.
macro_rules! bugs {
    ($($bug:ident $pass:literal $text:literal;)*) => {
        /// A seeded bug.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Bug { $(#[doc = $text] $bug),* }

        impl Bug {
            /// All bugs.
            pub const ALL: &[Bug] = &[$(Bug::$bug),*];

            /// The pass that contains it.
            pub fn pass(self) -> &'static str {
                match self { $(Bug::$bug => $pass),* }
            }

            /// Its description, in a sentence.
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
    CneLoopVariables "cne" "loop variables with equal initial values are merged";
    CneCommutes "cne" "subtractions with exchanged operands are merged";
    DneLoopVariable "dne" "the update of a loop variable is dropped when only the loop uses the variable";
    DneStore "dne" "stores are dropped";
    DneVolatile "dne" "volatile loads whose value is not used are dropped";
    InvFirstAlternative "inv" "a value that only one alternative returns unchanged is redirected";
    InvOtherVariable "inv" "a loop variable that becomes another loop variable counts as invariant";
    InvRefined "inv" "an exit variable is replaced by another one that is the same in one alternative";
    InvNoReturn "inv" "memory is accessed before a conditional that may not return";
    RedSignedDivision "red" "folding `sdiv` rounds down";
    RedMatchSum "red" "a match of a sum with a constant becomes one with cases on the wrong side";
    RedMatchExtended "red" "cases that an extended value cannot have are mapped to others";
    RedCommutes "red" "operands of `sub` are exchanged";
    RedAligned "red" "vectors in memory are assumed to be aligned";
    RedCallReturns "red" "a call before an unreachable point is assumed to return";
    RedUnneededElsewhere "red" "a result of a conditional is assumed to be used only by the next decision";
    RedOrderKept "red" "an order of loop variables that holds before a loop is assumed to hold in all iterations";
    RedOrderUndef "red" "two comparisons with a value that may be undef are combined";
    RedOrderWraps "red" "a number minus a constant is assumed to be less than the number";
    RedDecidedBefore "red" "a conditional is assumed to have chosen the alternative that does not end";
    RedDecidedOnce "red" "a comparison of loop variables that holds before the loop is assumed to hold in all iterations";
    RedUndefAsPoison "red" "if one alternative returns undef and another one poison, the result becomes poison";
    RedDecidedByEither "red" "if one of two conditions holds, both are assumed to hold";
    RedKnownCondition "red" "in the alternative of a match's default, the operand is assumed to be zero";
    RedAdvancesAnyway "red" "a counter that a conditional advances in one alternative is advanced in all";
    RedRepeatIsExit "red" "an alternative that repeats a loop counts as a way out of it that is never taken";
    RedOtherDecision "red" "a decision on another value is merged with the enclosing conditional";
    PllLoad "pll" "a load moves under a condition past a store";
    PllAlternatives "pll" "a node that two alternatives use moves into one of them";
    PllConvergent "pll" "convergent calls move under a condition";
    IvtSense "ivt" "a loop that exits if its condition is true is inverted with the wrong polarity";
    IvtLeft "ivt" "a loop that is left by a break is treated as if its condition had ended it";
    IvtFreeze "ivt" "a condition that may be poison is unswitched without a freeze although the loop may not reach it";
    IvtConvergent "ivt" "loops with convergent or `noduplicate` calls are copied";
    LmgConvergent "lmg" "nests with convergent calls are merged";
    LmgGuard "lmg" "the inner loop is entered although the condition around it does not hold";
    LmgBeforeLast "lmg" "the outer loop gets what variables of the inner loop were before its last iteration";
    LpeStart "lpe" "the loop after a peeled iteration starts with the original initial values";
    LpeSense "lpe" "the loop is entered if its peeled iteration leaves it";
    LpeConvergent "lpe" "loops with convergent or `noduplicate` calls are copied";
    SvrFreeze "svr" "a versioning condition that may be poison is not frozen";
    SvrSense "svr" "the step is assumed to be one if it is not";
    SvrConvergent "svr" "loops with convergent or `noduplicate` calls are copied";
    IssSense "iss" "the values of the condition in the two loops are exchanged";
    IssFirst "iss" "the first loop executes one iteration too many";
    IssWraps "iss" "counters that may wrap are assumed to stay beyond the bound";
    IssFreeze "iss" "a splitting point that may be poison is not frozen";
    IssConvergent "iss" "loops with convergent or `noduplicate` calls are copied";
    UrlInclusive "url" "the last iteration of a loop with `<=` is not counted";
    UrlMissed "url" "a bound that steps may jump over is assumed to be met";
    UrlBounds "url" "addresses that may wrap are assumed to meet the bound";
    UrlComputed "url" "the last iteration of a loop whose exit condition is executed is not counted";
    UrlPassed "url" "a counter that may start beyond its bound is assumed to meet it";
    UrlRange "url" "counters beyond the maximum are assumed not to wrap";
    UrlSigned "url" "unsigned comparisons of counters are treated as signed ones";
    UrlConvergent "url" "convergent calls move under the condition of a copied iteration";
    IlnInterposable "iln" "a callee that the linker may replace is inlined";
    IlnTailMark "iln" "calls stay marked `tail` in the caller, whose stack they may see";
    IlnCleanup "iln" "an `invoke` of the callee does not unwind to the cleanup of the call";
    CldNotConstant "cld" "loads from mutable variables yield their initial values";
    CldInterposable "cld" "loads from variables that the linker may replace yield this module's values";
    CldByteOrder "cld" "all targets are treated as little-endian";
    IlnByValue "iln" "a callee changes the object that was passed by value";
    IpcFirstCall "ipc" "the argument of one call is assumed for all calls";
    IpcUnknown "ipc" "calls with unknown arguments are ignored";
    IpcOtherUses "ipc" "parameters of functions that others may call are replaced";
    GlvWritten "glv" "variables that are written are marked as constant";
    GlvRead "glv" "stores to variables that are read are removed";
    GlvKept "glv" "a variable whose address data holds is treated as if nothing else could reach it";
    LutInside "lut" "every integer is looked up as if it were in the range of the cases";
    LutStart "lut" "the lowest case is not subtracted";
    LutOthers "lut" "what is none of the cases gives what the first one gives";
    AttrsLoop "attrs" "loops are assumed to terminate";
    AttrsReads "attrs" "loads do not count as reading";
    LibOtherType "lib" "a function of another type than the library's makes the promises of that one";
    LibNotKnown "lib" "functions of a module that does not know the library by names make its promises";
    LibAllocations "lib" "allocations are not ordered like input and output";
    AttrsStored "attrs" "the stored value is mistaken for the address";
    AttrsCallee "attrs" "unknown callees are assumed to have no effects";
    AttrsExtent "attrs" "`nvvm.maxntid` is taken to bound each axis of a block instead of the number of its threads";
    MvfUnknownObject "mvf" "pointers of unknown origin are assumed to lead to different objects";
    MvfStoredAddress "mvf" "an object whose address is stored stays private";
    MvfLent "mvf" "memory that a `noalias` parameter leads to is assumed to be accessed through the parameter itself";
    MvfLoopReads "mvf" "reads in a loop do not keep stores before it alive";
    MvfCopySource "mvf" "a write to the source of a copy is ignored";
    MvfZeros "mvf" "a partial overwrite of a zero fill is ignored";
    MvfGap "mvf" "a fill of which some bytes are not overwritten is removed";
    MvfNarrowStore "mvf" "a store that overwrites a part makes the whole store before it dead";
    MvfSinkRead "mvf" "a store is sunk out of a loop that reads its location";
    MvfSinkOverwritten "mvf" "a store sinks past a conditional that stores to the same location";
    LvrFalling "lvr" "the ends of ranges of falling addresses are not exchanged";
    LvrLastByte "lvr" "a range ends where its last access begins";
    LvrAnyPair "lvr" "one disjoint pair of ranges is enough";
    MvfDeadEnd "mvf" "a conditional with one dead end is treated as a dead end";
    MvfTypedFact "mvf" "a fact that survives a write only for one type-based tag is used for all";
    MvfTypedStore "mvf" "a store of the present value with another type-based tag is removed";
    MvfSpaces "mvf" "memory of different address spaces is assumed to be different";
    AdsFirst "ads" "a pointer into one of two address spaces is assumed to lead into the first";
    AdsBackEdge "ads" "a loop variable is assumed to stay in the address space where it starts";
    AdsVolatile "ads" "volatile accesses get another address space";
    AdsFlags "ads" "flags of generic addresses are kept that need not hold for others";
    AdsKernel "ads" "pointer parameters of all functions are assumed to lead into global memory";
    StzFirstAlternative "stz" "a joined predicate is taken from the first alternative";
    StzDefault "stz" "the default of a table is assumed to be alternative 0";
    StzLoop "stz" "the final value of a predicate in a loop is that of the iteration before";
    StzSunkConvergent "stz" "convergent calls sink into the alternative that their path leads to";
    StzSunkOthers "stz" "the other alternatives are assumed to return what the first of them does";
    StzSunkTwoWays "stz" "the first of several paths to an alternative is taken for the only one";
    StzSunkUsed "stz" "a value sinks although something on the way uses it";
    StzUnordered "stz" "alternatives that compute nothing are assumed to have the greatest numbers";
    StzSideDefault "stz" "the default of a table is assumed to be the first alternative of its side of a cascade";
    SraStoredAddress "sra" "an object whose address is stored is taken apart";
    SraSameObject "sra" "an object is taken apart in spite of a copy inside it";
    SraChosenOverlap "sra" "a store to one of two overlapping locations writes back the other one";
    SraChosenType "sra" "a value is written back with a type that not all accesses of its location have";
    SraChosenTwice "sra" "a condition that may be undef selects separately for load and store";
    SraVolatile "sra" "objects with volatile accesses are taken apart";
    TreUsed "tre" "a call whose result has another use counts as a tail call";
    TreStore "tre" "a store after a recursive call moves before it";
    TreDifference "tre" "differences are accumulated as sums";
    TreCaptured "tre" "a stack object whose address escapes is shared between iterations";
    TreInterposable "tre" "a call of a function that the linker may replace counts as recursive";
    AlrStored "alr" "an object whose address is stored is removed";
    AlrVolatile "alr" "volatile stores are removed with the object";
    AlrFamily "alr" "an object that a function of another family frees is removed";
    AlrMixed "alr" "a result of a conditional is assumed to be the object although it may be another one";
    IdmAtomic "idm" "loops with atomic accesses are replaced";
    IdmOthers "idm" "other accesses of the loop are assumed not to overlap";
    IdmOverlap "idm" "overlapping copies are treated as disjoint";
    IdmLastElement "idm" "the last element is not written";
    IdmFalling "idm" "a decreasing loop is assumed to start at the lowest address";
    IfcSpeculate "ifc" "divisions are speculated past their guard against zero";
    IfcBeyond "ifc" "loads are speculated beyond what is known to be dereferenceable";
    IfcSinkAddress "ifc" "stores to different addresses become one";
    IfcTailMemory "ifc" "a load moves after a later write";
    IfcOverwrites "ifc" "a store is assumed to overwrite one to another address";
    IfcFusedUnknown "ifc" "an alternative that does not decide is assumed to choose the first one";
    VecDistance "vec" "dependent iterations are executed at once";
    VecOverlap "vec" "ranges that may overlap are not compared";
    VecStart "vec" "the initial value of a reduction is counted in each part";
    VecRecurrence "vec" "the value of the previous iteration is taken from the first part";
    VecFalling "vec" "lanes of decreasing accesses are not reversed";
    VecReplacement "vec" "a replacement of an earlier iteration is forgotten";
    VecBeyond "vec" "conditional loads are speculated without being dereferenceable";
    VecMerged "vec" "stores of two alternatives to different addresses become one";
    VecPromises "vec" "address flags of a conditional load are kept in all iterations";
    VecGaps "vec" "stores with gaps are executed as whole vectors";
    VecAround "vec" "a store under two conditions is executed if the inner one holds";
    VecMergedSome "vec" "conditional stores of two alternatives become one unconditional store";
    VecAllLanes "vec" "if one lane stores, all do";
    VecUnordered "vec" "NaN replaces other values in minima and maxima";
    VecZeros "vec" "the order of positive and negative zeros in minima and maxima is ignored";
    VecLast "vec" "the first replacement of a variable is taken instead of the last";
    VecGroupOrder "vec" "interleaved accesses are reordered with overlapping ones between them";
    VecPoisonExit "vec" "what iterations after an early exit decide is not frozen";
    VecExitDivision "vec" "divisions decide about early exits of iterations that are not executed";
    VecExitStored "vec" "loads that decide about an early exit move before stores to the same location";
    VecExitGroup "vec" "loads that are only made if no lane leaves are made together with those that decide about that";
    VecReloadStart "vec" "the element of an earlier iteration is loaded again though the first one came from elsewhere";
    VecReloadStored "vec" "the element of an earlier iteration is loaded again though a store may come before";
    VecReloadChecked "vec" "the element of an earlier iteration is loaded again though stores may be there";
    VecExitIgnored "vec" "no lane leaves a loop early";
    VecExitSkipped "vec" "a loop that was left early is not continued";
    SlpSunk "slp" "a store sinks past loads of the same location";
    SlpRisen "slp" "a load moves before a store to the same location";
    SlpUsedBefore "slp" "a vector operation has a use between its members";
    SlpFlags "slp" "a vector operation keeps the flags of its first member";
    JamDistance "jam" "iterations that overlap recent ones are executed at once";
    JamOverlap "jam" "areas that may overlap are not compared";
    JamInner "jam" "areas ignore the extent of inner loops";
    JamStale "jam" "values that iterations pass through memory are treated as uniform";
    JamSequence "jam" "iterations in sequence are reordered with overlapping earlier ones of the inner loop";
    DivJoin "divergence" "a join after a divergent branch of uniform values is uniform";
    DivLeave "divergence" "temporal divergence is ignored";
    DivAtomic "divergence" "atomic updates of one address return the same value to all threads";
    DivOneOf "divergence" "only the first two of several alternatives are compared";
    IvsUnsigned "ivs" "unsigned extension is treated as signed";
    IvsWraps "ivs" "counters that may wrap are widened";
    IvsWebWraps "ivs" "conditionally incremented variables that may wrap are widened";
    IvsMeets "ivs" "counters that may wrap are assumed to meet the bound";
    IvsStep "ivs" "a step that is only added in later iterations is not frozen";
    IvsLastIteration "ivs" "final values leave out the last iteration";
    IvsLastStep "ivs" "the value of a counter after the last iteration is assumed not to wrap although it is used";
    IvsOneWay "ivs" "the step on one of several ways to the next iteration is taken for that on all";
    IvsElements "ivs" "an address is compared with one of elements of another size as if both counted the same";
    IvsEndWraps "ivs" "the number of elements up to an address that may have wrapped is taken for that up to an equal one";
    IvsStart "ivs" "every counter is assumed to start at zero";
    IvsComparison "ivs" "comparisons of the other signedness are widened";
}

#[cfg(feature = "seeded-bugs")]
mod switch {
    use std::sync::atomic::{AtomicU8, Ordering};

    /// One more than the number of the enabled bug.
    static ACTIVE: AtomicU8 = AtomicU8::new(0);

    /// Enables a bug, or disables all, in the whole process.
    pub fn activate(bug: Option<super::Bug>) {
        ACTIVE.store(bug.map_or(0, |bug| bug as u8 + 1), Ordering::SeqCst);
    }

    /// Whether a bug is enabled.
    pub fn is_active(bug: super::Bug) -> bool {
        ACTIVE.load(Ordering::Relaxed) == bug as u8 + 1
    }
}

#[cfg(feature = "seeded-bugs")]
pub use switch::{activate, is_active};

/// No bug is enabled.
#[cfg(not(feature = "seeded-bugs"))]
#[inline(always)]
pub const fn is_active(_: Bug) -> bool {
    false
}
