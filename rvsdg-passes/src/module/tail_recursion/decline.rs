//! Why calls of a function to itself stay calls.

declines! {
    /// Why a call of a function to itself stays a call.
    // Of the function, for all its calls.
    Disabled "disabled" "the function is marked disable-tail-calls";
    Opaque "opaque" "the function is marked naked, optnone, convergent or presplitcoroutine";
    Interposable "interposable" "the linker may take another definition of the function";
    VarArgs "varargs" "the function takes variable arguments";
    Parameter "parameter" "a parameter is byval, byref, inalloca, preallocated, swifterror or swiftasync";
    Alloca "alloca" "the function has stack objects of unknown number, or whose addresses may have escaped before the call";
    ReturnsTwice "returns_twice" "the function calls something that returns twice";
    MustTail "musttail" "the function ends with a musttail call or one that returns for it";
    Jumps "jumps" "the function has an indirect branch or assembly that jumps to labels";
    // Of the call.
    Invoke "invoke" "the call may unwind into the function";
    NoTail "notail" "the call is marked notail";
    Bundles "bundles" "the call has operand bundles or metadata arguments";
    Signature "signature" "call and function differ in type, calling convention or how arguments are passed";
    // Of its place.
    Always "always" "the call is unconditional";
    Loop "loop" "the call is in a loop";
    Position "position" "the call is not in tail position";
    Operation "operation" "the operations on the result differ from those that other calls accumulate";
    Many "many" "there are too many such calls, or too many conditionals around one";
}
