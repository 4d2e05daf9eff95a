//! Powers with certain exponents, and cosines of numbers whose sign does not matter: LLVM's `optimizePow` and `optimizeSymmetric`.
//!
//! ```text
//! v1 = const double 2.0
//! v2: double = call double (double, double) @pow(v0, v1)
//! ```
//!
//! becomes `v2: double = fmul v0, v0`. That sets no `errno` where the square is too large, as in LLVM and GCC. The base is frozen where it
//! may be undef, so that both factors are one number.

use rvsdg_analysis::callee;
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::fold::{self, Intrinsic, Math};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::FloatBinary;
use rvsdg_core::{Node, Op, Origin};

use super::{Calls, Replacement, Rule};

/// The rule for calls of a function.
pub(super) fn rule(computed: Intrinsic) -> Option<Rule> {
    match computed {
        Intrinsic::Math(Math::Pow) => Some(power),
        Intrinsic::Math(Math::Cos | Math::Cosh) => Some(cosine),
        _ => None,
    }
}

/// A number that is a constant `float` or `double`.
fn number(c: &Calls<'_>, origin: Origin) -> Option<f64> {
    match fold::splat_real(c.graph.pool(), fold::constant(c.graph, origin)?)? {
        (FloatKind::Single, bits) => Some(f32::from_bits(bits as u32).into()),
        (FloatKind::Double, bits) => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

fn power(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    callee::computation(c.graph, Some(c.surroundings), call)?;
    let (base, exponent) = (c.argument(call, 0), c.argument(call, 1));
    let ty = c.graph.ty(base);
    let one = fold::neutral_const(c.graph.pool(), operation(FloatBinary::FMul), ty)?;
    if number(c, base) == Some(1.0) {
        return Replacement::new("numbers", [], move |site| Some(site.at().constant(one)));
    }
    let exponent = number(c, exponent)?;
    if exponent == 0.0 {
        Replacement::new("numbers", [], move |site| Some(site.at().constant(one)))
    } else if exponent == 1.0 {
        Replacement::new("numbers", [], |site| Some(site.argument(0)))
    } else if exponent == 2.0 {
        let is_one_number = is_not_undef(c.graph, Some(c.surroundings), base);
        Replacement::new("numbers", [], move |site| {
            let (base, flags) = (site.argument(0), site.info.fast);
            let base = if is_one_number { base } else { site.at().freeze(base) };
            Some(site.at().add(Op::FloatBinary { op: FloatBinary::FMul, flags }, &[base, base], ty))
        })
    } else if exponent == -1.0 {
        Replacement::new("numbers", [], move |site| {
            let (base, flags) = (site.argument(0), site.info.fast);
            let one = site.at().constant(one);
            Some(site.at().add(Op::FloatBinary { op: FloatBinary::FDiv, flags }, &[one, base], ty))
        })
    } else {
        None
    }
}

fn operation(op: FloatBinary) -> Op {
    Op::FloatBinary { op, flags: Default::default() }
}

/// The same of the number without its sign.
fn cosine(c: &mut Calls<'_>, call: Node) -> Option<Replacement> {
    callee::computation(c.graph, Some(c.surroundings), call)?;
    let signed = c.graph.producer(c.argument(call, 0))?;
    let number = match c.graph.op(signed)? {
        Op::FNeg(_) => c.graph.input(signed, 0),
        Op::Call(_) if callee::intrinsic(c.graph, Some(c.surroundings), signed) == Some(Intrinsic::FAbs) => {
            c.graph.input(signed, 1)
        }
        _ => return None,
    };
    Replacement::new("numbers", [], move |site| Some(site.repeat(&[number])))
}
