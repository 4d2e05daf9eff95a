//! Functions on memory and on strings, of which something is known: LLVM's `StringLibCallOptimizer`.
//!
//! - Copies of constant strings are `llvm.memcpy`; `memcpy`, `memmove`, `mempcpy` and `memset` are their intrinsics.
//! - Comparisons with the empty string, and of one byte, load it; a length that is only compared with zero loads the first byte.
//! - The end of a string is at its length. Whether a byte is among those of a constant string, all less than 64, is a bit of a number.
//!
//! ```text
//! @name = private constant [3 x i8] "ab\00"
//!
//! v1: ptr, mem1 = call ptr (ptr, ptr) @strcpy(v0, @name), mem0
//! ```
//!
//! becomes
//!
//! ```text
//! v2 = const i64 3
//! v3 = const i1 false
//! mem1 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v0, @name, v2, v3), mem0
//! ```

use rvsdg_analysis::nonnull::is_null;
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};
use smallvec::SmallVec;

use super::{Calls, Mention, Replacement, Rule, Site};
use crate::module::memory_calls::MemoryCall;

/// The counter.
const KIND: &str = "strings";

/// The rule for calls of a function.
pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "strcpy" => |c, call| copy(c, call, false),
        "stpcpy" => |c, call| copy(c, call, true),
        "strcat" => append,
        "strlen" => is_empty,
        "strcmp" => compare,
        "strchr" => find,
        "memcmp" | "bcmp" => compare_bytes,
        "memcpy" => |c, call| to_intrinsic(c, call, MemoryCall::Copy, false),
        "mempcpy" => |c, call| to_intrinsic(c, call, MemoryCall::Copy, true),
        "memmove" => |c, call| to_intrinsic(c, call, MemoryCall::Move, false),
        "memset" => |c, call| to_intrinsic(c, call, MemoryCall::Set, false),
        _ => return None,
    })
}

/// Copies a number of bytes.
pub(super) fn copy_bytes(site: &mut Site<'_>, mentioned: usize, to: Origin, from: Origin, bytes: usize) {
    let length = site.at().int(Type::I64, bytes as u64);
    site.memory_call(MemoryCall::Copy, mentioned, [to, from, length]);
}

fn copy(c: &mut Calls<'_>, call: Node, returns_end: bool) -> Option<Replacement> {
    if !c.has_memory(call) {
        return None;
    }
    let length = c.text(c.argument(call, 1))?.len();
    Replacement::new(KIND, [Mention::Memory(MemoryCall::Copy)], move |site| {
        let (to, from) = (site.argument(0), site.argument(1));
        copy_bytes(site, 0, to, from, length + 1);
        let end = if returns_end { length as i64 } else { 0 };
        Some(site.at().advance(to, end, GepFlags::INBOUNDS))
    })
}

fn append(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let text = c.text(c.argument(call, 1)).filter(|_| c.has_memory(call))?;
    if text.is_empty() {
        return Replacement::new(KIND, [], |site| Some(site.argument(0)));
    }
    let mentions = [Mention::Function("strlen".into()), Mention::Memory(MemoryCall::Copy)];
    Replacement::new(KIND, mentions, move |site| {
        let (to, from) = (site.argument(0), site.argument(1));
        let length = site.call(0, &[to]);
        let end = further(site, to, length);
        copy_bytes(site, 1, end, from, text.len() + 1);
        Some(to)
    })
}

/// An address in the same object, a number of bytes further.
fn further(site: &mut Site<'_>, address: Origin, bytes: Origin) -> Origin {
    let source = site.graph.pool().int(8);
    site.at().add(Op::Gep { source, flags: GepFlags::INBOUNDS }, &[address, bytes], Type::PTR)
}

/// Comparisons for equality of a value with zero or null, each with its predicate.
type Tests = SmallVec<[(Node, IntPredicate); 4]>;

/// The comparisons of a value with zero or null, if nothing else uses it.
fn tests(graph: &Graph, value: Origin) -> Option<Tests> {
    let is_zero = |value| is_null(graph, value) || fold::int(graph, value).is_some_and(Int::is_zero);
    let of = |user| {
        let Use::Input(node, index) = graph.site(user) else { return None };
        let Op::ICmp { predicate: predicate @ (IntPredicate::Eq | IntPredicate::Ne), .. } = graph.op(node)? else {
            return None;
        };
        is_zero(graph.input(node, 1 - index as usize)).then_some((node, predicate))
    };
    graph.users_of(value).map(of).collect::<Option<Tests>>().filter(|tests| !tests.is_empty())
}

/// Replaces comparisons by whether the value is different from zero.
fn decide(site: &mut Site<'_>, tests: Tests, is_other: Origin) {
    for (test, predicate) in tests {
        let result = if predicate == IntPredicate::Ne { is_other } else { site.at().not(is_other) };
        site.graph.divert_users(site.graph.output(test, 0), result);
    }
}

/// The length of a string that is only compared with zero.
fn is_empty(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    let tests = tests(c.graph, c.graph.output(call, 0)).filter(|_| c.has_memory(call))?;
    Replacement::new(KIND, [], move |site| {
        let text = site.argument(0);
        let byte = site.load_byte(text);
        let mut at = site.at();
        let zero = at.int(at.ty(byte), 0);
        let has_some = at.compare(IntPredicate::Ne, byte, zero);
        decide(site, tests, has_some);
        None
    })
}

/// A byte in memory, extended to the type of the result.
fn loaded(site: &mut Site<'_>, address: Origin) -> Origin {
    let ty = site.graph.ty(site.graph.output(site.call, 0));
    let byte = site.load_byte(address);
    site.at().cast(CastOp::ZExt, byte, ty)
}

/// The comparison of a string with the empty one.
fn compare(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    if !c.has_memory(call) {
        return None;
    }
    let is_empty = |c: &mut Calls<'_>, index| c.text(c.argument(call, index)).is_some_and(|text| text.is_empty());
    if is_empty(c, 1) {
        Replacement::new(KIND, [], |site| {
            let text = site.argument(0);
            Some(loaded(site, text))
        })
    } else if is_empty(c, 0) {
        Replacement::new(KIND, [], |site| {
            let text = site.argument(1);
            let byte = loaded(site, text);
            let mut at = site.at();
            let zero = at.int(at.ty(byte), 0);
            Some(at.binary(IntBinary::Sub, zero, byte))
        })
    } else {
        None
    }
}

/// The comparison of no bytes, or of one.
fn compare_bytes(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    match c.int(c.argument(call, 2)).filter(|_| c.has_memory(call))? {
        0 => Replacement::new(KIND, [], |site| {
            let ty = site.graph.ty(site.graph.output(site.call, 0));
            Some(site.at().int(ty, 0))
        }),
        1 => Replacement::new(KIND, [], |site| {
            let (first, second) = (site.argument(0), site.argument(1));
            let (first, second) = (loaded(site, first), loaded(site, second));
            Some(site.at().binary(IntBinary::Sub, first, second))
        }),
        _ => None,
    }
}

/// The search for the end of a string, or for a byte in a constant one.
fn find(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    if !c.has_memory(call) {
        return None;
    }
    if let Some(wanted) = c.int(c.argument(call, 1)) {
        if wanted as u8 != 0 {
            return None;
        }
        return Replacement::new(KIND, [Mention::Function("strlen".into())], |site| {
            let text = site.argument(0);
            let length = site.call(0, &[text]);
            Some(further(site, text, length))
        });
    }
    let text = c.text(c.argument(call, 0))?;
    let tests = tests(c.graph, c.graph.output(call, 0))?;
    // The end counts, too.
    let bit = |&byte: &u8| 1u64.checked_shl(byte.into());
    let bits = text.iter().map(bit).try_fold(1, |bits, bit| Some(bits | bit?))?;
    Replacement::new(KIND, [], move |site| {
        let (wanted, byte) = (site.argument(1), site.graph.pool().int(8));
        let mut at = site.at();
        let wanted = at.cast(CastOp::Trunc, wanted, byte);
        let wanted = at.freeze(wanted);
        let wanted = at.cast(CastOp::ZExt, wanted, Type::I64);
        let last = at.int(Type::I64, 63);
        let is_low = at.compare(IntPredicate::Ule, wanted, last);
        let place = at.binary(IntBinary::And, wanted, last);
        let bits = at.int(Type::I64, bits);
        let rest = at.binary(IntBinary::LShr, bits, place);
        let bit = at.cast(CastOp::Trunc, rest, Type::I1);
        let found = at.binary(IntBinary::And, is_low, bit);
        decide(site, tests, found);
        None
    })
}

/// A function that copies or fills memory.
fn to_intrinsic(c: &mut Calls<'_>, call: Node, intrinsic: MemoryCall, returns_end: bool) -> Option<Replacement> {
    let is_long = |c: &Calls<'_>| c.graph.ty(c.argument(call, 2)) == Type::I64;
    if !c.has_memory(call) || !is_long(c) {
        return None;
    }
    Replacement::new(KIND, [Mention::Memory(intrinsic)], move |site| {
        let (to, mut second, length) = (site.argument(0), site.argument(1), site.argument(2));
        if intrinsic == MemoryCall::Set {
            let byte = site.graph.pool().int(8);
            second = site.at().cast(CastOp::Trunc, second, byte);
        }
        site.memory_call(intrinsic, 0, [to, second, length]);
        Some(if returns_end { further(site, to, length) } else { to })
    })
}
