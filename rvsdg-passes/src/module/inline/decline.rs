//! Why a call is not inlined.

declines! {
    /// Why a call is not inlined.
    // Of the callee, whoever calls it.
    Untouched "untouched" "the callee's body is not represented as a graph";
    Interposable "interposable" "the linker may take another definition of the callee";
    NoInline "noinline" "the callee is marked noinline, optnone, naked, noduplicate or returns_twice";
    VarArgs "varargs" "the callee takes variable arguments";
    SelfRecursive "self_recursive" "the callee calls itself";
    ReturnsTwice "returns_twice" "the callee calls something that returns twice";
    MustTail "musttail" "the callee ends with a musttail call or one that returns for it";
    AsmGoto "asm_goto" "the callee has assembly that jumps to labels";
    Funclets "funclets" "caller or callee has exception handlers that are funclets";
    IndirectBr "indirectbr" "the callee has an indirect branch or the address of a block";
    DynamicAlloca "dynamic_alloca" "the callee allocates stack in a loop, conditionally, or of variable size";
    InAlloca "inalloca" "the callee has an inalloca or swifterror allocation";
    BigFrame "big_frame" "the callee's frame is large";
    FrameIntrinsic "frame_intrinsic" "the callee asks about its frame, or saves or restores the stack";
    Coroutine "coroutine" "the callee is a coroutine";
    Convergence "convergence" "the callee has convergence tokens";
    NoDuplicate "noduplicate" "the callee has a call that must not be duplicated";
    // Of the call.
    CallNoInline "call_noinline" "the call is marked noinline";
    CallMustTail "call_musttail" "the call is a musttail call";
    Signature "signature" "call and callee differ in type or calling convention";
    Parameter "parameter" "a parameter is inalloca, preallocated, swifterror or swiftasync, or byval with another type or no alignment";
    Bundles "bundles" "the call has operand bundles";
    Unwinds "unwinds" "the callee may unwind with other values than the invoke takes, or out of what cannot be an invoke";
    Context "context" "the caller cannot name a symbol that the callee names";
    NoOriginal "no_original" "the call has no original instruction";
    // Of the pair.
    Recursive "recursive" "caller and callee call each other";
    CallerOptNone "caller_optnone" "the caller is marked optnone or naked";
    Sanitizer "sanitizer" "caller and callee differ in sanitizers, hardening or profiling";
    StrictFp "strictfp" "caller and callee differ in strictfp";
    Denormals "denormals" "caller and callee differ in the treatment of denormals";
    NullPointer "null_pointer" "null is a valid pointer in the callee only";
    StackProtector "stack_protector" "one of caller and callee has no stack protector";
    Target "target" "the callee needs a target feature that the caller does not have";
    Personality "personality" "caller and callee have different personalities";
    Collector "collector" "caller and callee have different garbage collectors";
    RecursiveFrame "recursive_frame" "the frame of a recursive caller would grow";
    Bisection "bisection" "the bisection limit leaves it out";
    // Of the cost.
    CalledOften "called_often" "the callee has other uses than this call";
    Cost "cost" "the callee is larger than the threshold";
    CallerSize "caller_size" "the caller has grown to its limit";
    ModuleGrowth "module_growth" "the module has grown to its limit";
}
