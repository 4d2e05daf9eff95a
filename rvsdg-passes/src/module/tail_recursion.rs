//! Tail recursion elimination: a function that ends with a call of itself becomes a loop.
//!
//! ```text
//! lambda @gcd [@gcd] (v0: i32, v1: i32, mem0, io0) {
//!   v2: ctl(2) = match i32 v1 [0 -> 0, _ -> 1]
//!   v3: i32, mem1, io1 = gamma v2 (v0, v1, @gcd, mem0, io0)
//!   case 0 (v4: i32, v5: i32, v6: ptr, mem2, io2) {
//!     yield v4, mem2, io2
//!   }
//!   case 1 (v7: i32, v8: i32, v9: ptr, mem3, io3) {
//!     v10: i32 = urem v7, v8
//!     v11: i32, mem4, io4 = call i32 (i32, i32) v9(v8, v10), mem3, io3
//!     yield v11, mem4, io4
//!   }
//!   yield v3, mem1, io1
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! lambda @gcd [@gcd] (v0: i32, v1: i32, mem0, io0) {
//!   v2: i32 = const poison
//!   v3: i32, v4: i32, v5: i32, mem1, io1 = theta (v6: i32 = v0, v7: i32 = v1, v8: i32 = v2, mem2 = mem0, io2 = io0) {
//!     v9: ctl(2) = match i32 v7 [0 -> 0, _ -> 1]
//!     v10: i32, mem3, io3, v11: ctl(2), v12: i32, v13: i32 = gamma v9 (v6, v7, mem2, io2)
//!     case 0 (v14: i32, v15: i32, mem4, io4) { … yield v14, mem4, io4, ctl 0, poison, poison }
//!     case 1 (v16: i32, v17: i32, mem5, io5) { v18: i32 = urem v16, v17 … yield poison, mem5, io5, ctl 1, v17, v18 }
//!     next v12, v13, v10, mem3, io3 while v11
//!   }
//!   yield v5, mem1, io1
//! }
//! ```
//!
//! A call is in tail position if each of its outputs becomes the corresponding result of the function, and nothing else: out
//! of the conditionals around the call, and through later ones whose outcome is known if the call is executed
//! (`tail`). The call is removed, and the conditionals around it return whether there is another iteration and its arguments (`rebuild`).
//! All mutually exclusive calls become iterations of one loop; of two successive calls, as in
//! `fib(n - 1) + fib(n - 2)`, one stays.
//!
//! On its way out the result may be an operand of associative and commutative operations, all of the same kind. They are
//! applied to an accumulator, a loop variable that starts with the neutral element: `total = total * n` for `return n * f(n - 1)`; the
//! result is the accumulator combined with the result of the last iteration. Flags that hold for one grouping only are dropped;
//! floating-point operations must allow reassociation.
//!
//! Objects on the stack are then shared by all iterations. That is right for objects whose address does not escape: they are not used
//! any more when a call in tail position is executed, and their contents are undefined at the start of a function (`objects`). The
//! reasons for keeping a call are those of LLVM, by name in [`Decline`].
//!
//! Statistics: `tail_calls` that became iterations, `accumulated` operations; `declined_…` for calls of the function itself
//! that stay.
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the number of nodes and, for each call, of conditionals around it; bounded by
//! `MAX_CALLS` in `tail`.
//!
//! Left out: minima and maxima, and results that do not depend on the call; calls through aliases.
//!
//! LLVM's tailcallelim.

pub mod decline;

mod objects;
mod rebuild;
mod tail;

use rvsdg_analysis::call_graph::DirectCalls;
use rvsdg_analysis::callee::call_has;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::{OwnFunction, Surroundings};
use rvsdg_core::attribute::{AttributeKind, has_any};
use rvsdg_core::op::{CallInfo, TailKind};
use rvsdg_core::{Graph, Node, Op, TypeKind};

use crate::pass::{BodyPass, Change, PassCx, Stage};
use crate::remark::{Remark, RemarkKind, Value};
use decline::Decline;
use objects::Objects;
use tail::TailCalls;

/// The stage of [tail recursion elimination](self).
pub struct TailRecursion;

impl BodyPass for TailRecursion {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some((surroundings, own)) = cx.surroundings().and_then(|around| Some((around, around.own()?))) else {
            return Change::Unchanged;
        };
        let contexts = surroundings.context_count();
        if !(0..contexts).any(|index| surroundings.is_own_address(index)) {
            return Change::Unchanged;
        }
        let direct = DirectCalls::of(graph, contexts).calls.into_iter();
        let calls: Vec<Node> = direct
            .filter(|&(_, context)| surroundings.is_own_address(context as usize))
            .map(|(call, _)| call)
            .collect();
        if calls.is_empty() {
            return Change::Unchanged;
        }
        let objects = Objects::of(graph, surroundings, &calls);
        let may = function(graph, surroundings, &own);
        let mut tail = TailCalls::default();
        // Of two successive calls, the last one is in tail position.
        for call in calls.into_iter().rev() {
            let found = may.and_then(|()| plain(graph, &own, call)).and_then(|()| tail.find(graph, call));
            let found = found.and_then(|found| objects.allow(graph, &found).map(|()| found));
            match found {
                Ok(found) => {
                    if cx.rewrite("tail_calls", graph, call) {
                        tail.take(graph, found);
                    }
                }
                Err(decline) => {
                    cx.count(decline.counter(), 1);
                    cx.remark(|| missed(graph, call, decline));
                }
            }
        }
        if tail.calls.is_empty() {
            return Change::Unchanged;
        }
        cx.count("tail_calls", tail.calls.len() as u64);
        cx.count("accumulated", tail.operations.len() as u64);
        rebuild::rebuild(graph, &tail, contexts, objects.once());
        Change::Changed
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

fn missed(graph: &Graph, call: Node, decline: Decline) -> Remark {
    Remark::new(RemarkKind::Missed, "NoTailRecursion")
        .at(graph.source(call))
        .words("a call of the function itself stays because ")
        .with("Reason", Value::Text(decline.text().into()))
}

/// Whether the body of a function may be a loop.
fn function(graph: &Graph, surroundings: &Surroundings, own: &OwnFunction) -> Result<(), Decline> {
    let pool = graph.pool();
    let attributes = pool.attributes(own.attributes);
    if attributes.value("disable-tail-calls") == Some("true") {
        return Err(Decline::Disabled);
    }
    const OPAQUE: &[AttributeKind] =
        &[AttributeKind::Naked, AttributeKind::OptNone, AttributeKind::Convergent, AttributeKind::PresplitCoroutine];
    if has_any(&attributes.function, OPAQUE) {
        return Err(Decline::Opaque);
    }
    if own.interposable && !seeded::is_active(Bug::TreInterposable) {
        return Err(Decline::Interposable);
    }
    if matches!(pool.type_kind(own.ty), TypeKind::Function { variadic: true, .. }) {
        return Err(Decline::VarArgs);
    }
    if !attributes.params_are_arguments() {
        return Err(Decline::Parameter);
    }
    for node in graph.all_nodes() {
        match graph.op(node) {
            Some(Op::CallBr(_) | Op::IndirectBr(_)) => return Err(Decline::Jumps),
            Some(Op::Call(call) | Op::Invoke(call)) => {
                if pool.call(call).tail.ends_function() {
                    return Err(Decline::MustTail);
                }
                if call_has(graph, Some(surroundings), node, &[AttributeKind::ReturnsTwice]) {
                    return Err(Decline::ReturnsTwice);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a call of a function by itself has no other effects.
fn plain(graph: &Graph, own: &OwnFunction, call: Node) -> Result<(), Decline> {
    let pool = graph.pool();
    let Some(Op::Call(info)) = graph.op(call) else { return Err(Decline::Invoke) };
    let CallInfo { function_type, convention, attributes, tail, bundles, metadata, .. } = pool.call(info);
    if *tail == TailKind::NoTail {
        return Err(Decline::NoTail);
    }
    if !bundles.is_empty() || !metadata.is_empty() {
        return Err(Decline::Bundles);
    }
    let attributes = pool.attributes(*attributes);
    let differs = *function_type != own.ty || *convention != own.convention;
    if differs || !attributes.params_are_arguments() || attributes.function_has(AttributeKind::Convergent) {
        return Err(Decline::Signature);
    }
    Ok(())
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(TailRecursion))]
}
