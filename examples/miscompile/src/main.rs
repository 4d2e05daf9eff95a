//! `jlm-opt` with a bug, to be found: a rule of node reduction that forgets to ask for something.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use rvsdg_core::op::{IntBinary, IntPredicate, OpCode};
use rvsdg_passes::Registry;
use rvsdg_passes::scalar::node_reduction::rule::{Rule, rule};

/// A number is less than itself plus one, if the sum does not wrap.
const RULES: &[Rule] =
    &[rule("successor", OpCode::ICmp, "i8 %x", "%a = add nsw i8 %x, 1; %r = icmp slt i8 %x, %a", "true", |c, n| {
        let (predicate, _, a, b) = c.icmp(c.output(n.node))?;
        // The third thing that `binary_int` gives are the flags: they are not looked at.
        let (x, one, _) = c.binary_int(b, IntBinary::Add)?;
        let holds = predicate == IntPredicate::Slt && x == a && one.unsigned() == 1;
        holds.then(|| c.truth(n.ty, true)).flatten()
    })];

fn main() -> ExitCode {
    jlm::main_with(&Registry::builtin().with_rules(RULES))
}
