//! What the interpreter does itself: intrinsics and functions of the C and C++ libraries.

pub(crate) mod cxx;
mod format;
mod input;
mod intrinsics;
pub(crate) mod jump;
pub(crate) mod math;
mod memory;
mod nvptx;
mod sort;
mod stdio;
mod stdlib;
mod string;
pub(crate) mod varargs;

use std::fmt;

use rustc_hash::FxHashMap;
use rvsdg_core::Type;
use rvsdg_core::op::CallInfo;

use crate::machine::Machine;
use crate::outcome::{Res, Rule, undefined};
use crate::value::{Pointer, Value};

/// A function of the interpreter's own.
#[derive(Copy, Clone)]
pub(crate) struct Builtin {
    pub run: Run,
}

type Run = for<'a, 'm> fn(&'a mut Machine<'m>, &Call<'_>) -> Res<Value>;

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Builtin")
    }
}

/// The arguments of a call.
pub(crate) struct Call<'a> {
    pub values: &'a [Value],
    pub types: &'a [Type],
    pub result: Type,
    pub info: &'a CallInfo,
}

impl Call<'_> {
    /// Argument number `index` as a defined integer.
    pub fn int(&self, index: usize) -> Res<u64> {
        match self.values.get(index) {
            Some(Value::Int(bits)) => Ok(*bits),
            Some(Value::Ptr(pointer)) => Ok(pointer.address),
            Some(other) => undefined(Rule::NotDefined, format!("argument {index} is {other}")),
            None => undefined(Rule::CallMismatch, format!("there is no argument {index}")),
        }
    }

    /// Argument number `index` as an `int`.
    pub fn i32(&self, index: usize) -> Res<i32> {
        Ok(self.int(index)? as u32 as i32)
    }

    /// Argument number `index` as a defined pointer.
    pub fn pointer(&self, index: usize) -> Res<Pointer> {
        match self.values.get(index) {
            Some(Value::Ptr(pointer)) => Ok(*pointer),
            Some(other) => undefined(Rule::NotDefined, format!("argument {index} is {other}")),
            None => undefined(Rule::CallMismatch, format!("there is no argument {index}")),
        }
    }

    /// Argument number `index`.
    pub fn value(&self, index: usize) -> Res<&Value> {
        match self.values.get(index) {
            Some(value) => Ok(value),
            None => undefined(Rule::CallMismatch, format!("there is no argument {index}")),
        }
    }
}

/// An `int` as a value.
pub(crate) fn int(number: i32) -> Value {
    Value::Int(u64::from(number as u32))
}

/// Nothing, as a value.
pub(crate) const VOID: Value = Value::Undef;

/// A standard stream.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    In,
    Out,
    Error,
    /// A file that is read, by its number among the readers.
    File(u32),
}

/// What library functions remember between calls.
pub(crate) struct State {
    /// By address of the `FILE`.
    pub streams: FxHashMap<u64, Stream>,
    /// Standard input, then the files that were opened.
    pub readers: Vec<input::Reader>,
    /// Functions to call at the end, with their argument; the last comes first.
    pub at_exit: Vec<(Value, Option<Value>)>,
    /// Library functions that call back, on the host's stack.
    pub nesting: u32,
    pub errno: Option<Pointer>,
    pub token: Option<Pointer>,
    pub random: stdlib::Random,
    /// The exception that is being propagated.
    pub thrown: Option<crate::machine::Exception>,
    /// By address of the exception.
    pub exceptions: FxHashMap<u64, cxx::Thrown>,
    /// By address of the exception: the base class pointer that its handler asked for.
    pub adjusted: FxHashMap<u64, Pointer>,
    /// Whether the exception that is handled was thrown again.
    pub rethrown: bool,
    /// Caught and not ended, the last caught last.
    pub caught: Vec<Pointer>,
    /// By address of the buffer: where `longjmp` comes back to.
    pub jumps: FxHashMap<u64, jump::Jump>,
    /// Calls of functions without a definition.
    pub events: Vec<crate::observe::Event>,
    /// What was chosen among values that all are right.
    pub chosen: crate::scalar::Chosen,
    /// Memory that is observed, besides variables that the module defines.
    pub blocks: Vec<crate::observe::Block>,
    /// Objects that unknown functions returned the address of, by what the address depends on.
    pub invented: FxHashMap<u64, Pointer>,
    /// Tables that `ctype.h` and its like look into.
    pub tables: FxHashMap<&'static str, Pointer>,
}

impl State {
    pub fn new(input: Vec<u8>) -> State {
        State {
            streams: FxHashMap::default(),
            readers: vec![input::Reader::new(input)],
            at_exit: Vec::new(),
            nesting: 0,
            errno: None,
            token: None,
            random: stdlib::Random::new(1),
            thrown: None,
            exceptions: FxHashMap::default(),
            adjusted: FxHashMap::default(),
            rethrown: false,
            caught: Vec::new(),
            jumps: FxHashMap::default(),
            events: Vec::new(),
            chosen: crate::scalar::Chosen::default(),
            blocks: Vec::new(),
            invented: FxHashMap::default(),
            tables: FxHashMap::default(),
        }
    }
}

/// The function of that name, when the interpreter has one.
pub(crate) fn find(name: &str) -> Option<Builtin> {
    let run = match name.strip_prefix("llvm.") {
        Some(base) => match base.strip_prefix("nvvm.") {
            Some(own) => nvptx::intrinsic(own)?,
            None => intrinsics::find(base)?,
        },
        None => {
            // Fortified functions check sizes that the interpreter checks anyway.
            stdio::find(name)
                .or_else(|| input::find(name))
                .or_else(|| memory::find(name))
                .or_else(|| string::find(name))
                .or_else(|| stdlib::find(name))
                .or_else(|| sort::find(name))
                .or_else(|| math::find(name))
                .or_else(|| jump::find(name))
                .or_else(|| cxx::find(name))
                .or_else(|| nvptx::find(name))?
        }
    };
    Some(Builtin { run })
}

/// The first bytes of a variable that the C or C++ library defines; the rest is zero.
pub(crate) fn variable(name: &str) -> Option<&'static [u8]> {
    Some(match name {
        "stdin" | "stdout" | "stderr" | "environ" | "__environ" | "__dso_handle" => &[0; 8],
        "optind" | "opterr" => &[1, 0, 0, 0],
        "_ZTVN10__cxxabiv117__class_type_infoE"
        | "_ZTVN10__cxxabiv120__si_class_type_infoE"
        | "_ZTVN10__cxxabiv121__vmi_class_type_infoE"
        | "_ZTVN10__cxxabiv119__pointer_type_infoE"
        | "_ZTVN10__cxxabiv116__enum_type_infoE"
        | "_ZTVN10__cxxabiv120__function_type_infoE" => &[0; 64],
        name if name.starts_with("_ZTI") => &[0; 16],
        _ => return None,
    })
}

/// The stream that a variable holds.
pub(crate) fn stream(name: &str) -> Option<Stream> {
    Some(match name {
        "stdin" => Stream::In,
        "stdout" => Stream::Out,
        "stderr" => Stream::Error,
        _ => return None,
    })
}
