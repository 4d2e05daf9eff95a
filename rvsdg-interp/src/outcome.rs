//! How a run ends, and why.

use std::fmt;

use crate::value::Value;

/// What LangRef or a library's contract forbids.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// A divisor was zero (LangRef, `udiv`, `sdiv`, `urem`, `srem`).
    DivisionByZero,
    /// The least signed number was divided by minus one (LangRef, `sdiv`, `srem`).
    DivisionOverflow,
    /// A divisor was undef or poison, and so may be zero (LangRef, "Poison Values").
    DivisorNotDefined,
    /// Control depended on undef or poison (LangRef, `br`, `switch`).
    BranchNotDefined,
    /// An address was undef or poison (LangRef, `load`, `store`).
    AddressNotDefined,
    /// Memory outside of any object was accessed (LangRef, "Pointer Aliasing Rules").
    OutOfBounds,
    /// Memory was accessed whose lifetime is over (LangRef, "Object Lifetime").
    Dead,
    /// The null pointer was accessed.
    Null,
    /// An address was not as aligned as the access says (LangRef, `load`, `store`).
    Misaligned,
    /// Memory was read as of another type than it was written as (LangRef, "`tbaa` Metadata").
    WrongType,
    /// A constant was written (LangRef, "Global Variables").
    WriteToConstant,
    /// A function's code was read or written.
    AccessToCode,
    /// `unreachable` was executed.
    Unreachable,
    /// Something else than a function was called.
    NotAFunction,
    /// Caller and callee disagree about type or convention (LangRef, `call`).
    CallMismatch,
    /// Undef or poison was passed or returned where the attribute `noundef` is given (LangRef, "Parameter Attributes").
    NotDefined,
    /// `llvm.assume` of a false condition.
    Assumption,
    /// A variadic argument was read that was not passed (LangRef, `va_arg`).
    VariadicArguments,
    /// An exception left a function that is `nounwind` (LangRef, "Function Attributes").
    UnwindFromNoUnwind,
    /// A function returned that is `noreturn` (LangRef, "Function Attributes").
    ReturnFromNoReturn,
    /// `indirectbr` to an address that is not among its destinations.
    IndirectTarget,
    /// Stack memory was restored or freed out of order, or what is no allocation was freed.
    InvalidFree,
    /// Arguments that the C standard does not allow for a library function.
    Library,
    /// The operands of an intrinsic are outside its domain (LangRef, the intrinsic).
    Intrinsic,
}

impl Rule {
    /// The rule in one sentence.
    pub fn text(self) -> &'static str {
        match self {
            Rule::DivisionByZero => "the divisor is zero",
            Rule::DivisionOverflow => "the quotient does not fit",
            Rule::DivisorNotDefined => "the divisor is undef or poison",
            Rule::BranchNotDefined => "control depends on undef or poison",
            Rule::AddressNotDefined => "the address is undef or poison",
            Rule::OutOfBounds => "the access is not within an object",
            Rule::Dead => "the object's lifetime is over",
            Rule::Null => "the address is null",
            Rule::Misaligned => "the address is less aligned than the access says",
            Rule::WrongType => "what is read was written as another type",
            Rule::WriteToConstant => "the object is constant",
            Rule::AccessToCode => "the address is that of a function",
            Rule::Unreachable => "control gets to an unreachable place",
            Rule::NotAFunction => "the callee is no function",
            Rule::CallMismatch => "the call is not of the callee's type or convention",
            Rule::NotDefined => "undef or poison where noundef stands",
            Rule::Assumption => "an assumption does not hold",
            Rule::VariadicArguments => "there is no such variadic argument",
            Rule::UnwindFromNoUnwind => "an exception leaves a nounwind function",
            Rule::ReturnFromNoReturn => "a noreturn function returns",
            Rule::IndirectTarget => "the address is of none of the destinations",
            Rule::InvalidFree => "this memory cannot be freed here",
            Rule::Library => "the library function is not defined for its arguments",
            Rule::Intrinsic => "the intrinsic is not defined for its operands",
        }
    }
}

/// Where a run stopped: a function and an operation in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The function's name; empty where no function of the module was running.
    pub function: String,
    /// The operation in the text format's terms: its node and mnemonic, such as `n12 sdiv`.
    pub operation: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.function.is_empty(), self.operation.is_empty()) {
            (true, _) => f.write_str("before any function"),
            (false, true) => write!(f, "function '{}'", self.function),
            (false, false) => write!(f, "function '{}', {}", self.function, self.operation),
        }
    }
}

/// How a run ended.
///
/// ```
/// use rvsdg_interp::{Config, Outcome, observe};
///
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @f = function i32 (i32)
/// lambda @f [] (v0: i32, mem0, io0) {
///   v1 = const i32 0
///   v2: i32, io1 = udiv v0, v1, io0
///   yield v2, mem0, io1
/// }
/// export @f
/// ",
/// )?;
/// let seven = rvsdg_interp::Argument::Value(rvsdg_interp::Value::from_bits(32, 7));
/// let seen = observe(module.verify()?, "f", &[seven], Config::default());
/// assert!(matches!(seen.outcome, Outcome::Undefined { .. }), "{}", seen.outcome);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The function returned; `None` for void.
    Returned(Option<Value>),
    /// The program ended itself with this status.
    Exited(i32),
    /// The program ended abnormally: `abort`, `llvm.trap`, a failed assertion, an uncaught exception.
    Aborted {
        /// Where.
        place: Place,
        /// How.
        reason: String,
    },
    /// The program did what is not defined; nothing after that has a meaning.
    Undefined {
        /// Where.
        place: Place,
        /// What was violated.
        rule: Rule,
        /// The values that violated it.
        detail: String,
    },
    /// The program uses what the interpreter does not know. Nothing is wrong with it.
    Unsupported {
        /// Where.
        place: Place,
        /// What is not known, such as a library function.
        construct: String,
    },
    /// The step limit was reached.
    OutOfFuel {
        /// Where the program was.
        place: Place,
    },
    /// The program needs more memory, or deeper calls, than it may have.
    OutOfMemory {
        /// Where the program was.
        place: Place,
        /// What there was too much of.
        what: &'static str,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Returned(None) => f.write_str("returned"),
            Outcome::Returned(Some(value)) => write!(f, "returned {value}"),
            Outcome::Exited(status) => write!(f, "exited with status {status}"),
            Outcome::Aborted { place, reason } => write!(f, "aborted: {reason} ({place})"),
            Outcome::Undefined { place, rule, detail } if detail.is_empty() => {
                write!(f, "undefined behavior: {} ({place})", rule.text())
            }
            Outcome::Undefined { place, rule, detail } => {
                write!(f, "undefined behavior: {}: {detail} ({place})", rule.text())
            }
            Outcome::Unsupported { place, construct } => write!(f, "not supported: {construct} ({place})"),
            Outcome::OutOfFuel { place } => write!(f, "out of fuel ({place})"),
            Outcome::OutOfMemory { place, what } => write!(f, "too much {what} ({place})"),
        }
    }
}

/// Why evaluation stopped, before it is known where.
#[derive(Debug)]
pub(crate) enum Stop {
    Undefined(Rule, String),
    Unsupported(String),
    Exit(i32),
    Abort(String),
    OutOfFuel,
    /// The exception of the machine leaves the current operation.
    Throw,
    OutOfMemory(&'static str),
    /// `longjmp` to the buffer at an address.
    Jump {
        buffer: u64,
        value: i32,
    },
}

pub(crate) type Res<T> = Result<T, Box<Stop>>;

/// Undefined behavior.
#[cold]
pub(crate) fn undefined<T>(rule: Rule, detail: impl Into<String>) -> Res<T> {
    Err(Box::new(Stop::Undefined(rule, detail.into())))
}

/// Something the interpreter does not know.
#[cold]
pub(crate) fn unsupported<T>(construct: impl Into<String>) -> Res<T> {
    Err(Box::new(Stop::Unsupported(construct.into())))
}
