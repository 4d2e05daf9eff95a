//! `jlm-opt` with rules of its own in node reduction.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use rvsdg_core::op::IntBinary::And;
use rvsdg_core::op::OpCode;
use rvsdg_passes::Registry;
use rvsdg_passes::scalar::node_reduction::rule::{Rule, rule};

/// The bits of a value that are in a mask, and those that are not, are all of them.
const RULES: &[Rule] = &[rule(
    // Its name in statistics and remarks, the operation it looks at, and an instance of it before and after.
    "add-masked-parts",
    OpCode::Add,
    "i8 %x, i8 %m",
    "%n = xor i8 %m, -1; %a = and i8 %x, %m; %b = and i8 %x, %n; %r = add i8 %a, %b",
    "%x",
    |c, n| {
        // `n.a` and `n.b` are the operands of the sum; the value to use instead of it, or nothing.
        let (x, mask, _) = c.binary(n.a, And)?;
        let rest = c.other(n.b, And, x)?;
        c.are_inverse(mask, rest).then_some(x)
    },
)];

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--proofs") {
        // For alive-tv, or any other tool that compares @src and @tgt.
        RULES.iter().for_each(|rule| print!("{}", rule.proof()));
        return ExitCode::SUCCESS;
    }
    jlm::main_with(&Registry::builtin().with_rules(RULES))
}
