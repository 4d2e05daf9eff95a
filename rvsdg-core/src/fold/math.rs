//! Functions of `math.h` that the host's library computes, as it does for LLVM's folder.

use std::ops::Rem;

use crate::layout::FloatKind;

/// Defines the functions by their names in C, and how the host computes them.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $text:literal by $host:ident($($second:ident)?)),* $(,)?) => {
        /// A function of one number, or of two.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Math { $($(#[$doc])* $name),* }

        impl Math {
            /// The function with this name in C, where it is one of `double`. Intrinsics have the same names.
            pub fn of_name(name: &str) -> Option<Math> {
                match name {
                    $($text => Some(Math::$name),)*
                    _ => None,
                }
            }

            fn of_doubles(self, first: f64, second: f64) -> f64 {
                match self { $(Math::$name => functions!(first second f64 $host $($second)?)),* }
            }

            fn of_floats(self, first: f32, second: f32) -> f32 {
                match self { $(Math::$name => functions!(first second f32 $host $($second)?)),* }
            }
        }
    };
    ($first:ident $other:ident $float:ident $host:ident second) => { $float::$host($first, $other) };
    ($first:ident $other:ident $float:ident $host:ident) => { $float::$host($first) };
}

functions! {
    /// The angle with this cosine.
    Acos = "acos" by acos(),
    /// The angle with this sine.
    Asin = "asin" by asin(),
    /// The angle with this tangent.
    Atan = "atan" by atan(),
    /// The angle of a point.
    Atan2 = "atan2" by atan2(second),
    /// The cubic root.
    Cbrt = "cbrt" by cbrt(),
    /// The cosine.
    Cos = "cos" by cos(),
    /// The hyperbolic cosine.
    Cosh = "cosh" by cosh(),
    /// A power of e.
    Exp = "exp" by exp(),
    /// A power of two.
    Exp2 = "exp2" by exp2(),
    /// The remainder of a division that truncates.
    Fmod = "fmod" by rem(second),
    /// The natural logarithm.
    Log = "log" by ln(),
    /// The decimal logarithm.
    Log10 = "log10" by log10(),
    /// The natural logarithm of a number and one.
    Log1p = "log1p" by ln_1p(),
    /// The binary logarithm.
    Log2 = "log2" by log2(),
    /// A power.
    Pow = "pow" by powf(second),
    /// The sine.
    Sin = "sin" by sin(),
    /// The hyperbolic sine.
    Sinh = "sinh" by sinh(),
    /// The square root.
    Sqrt = "sqrt" by sqrt(),
    /// The tangent.
    Tan = "tan" by tan(),
    /// The hyperbolic tangent.
    Tanh = "tanh" by tanh(),
}

impl Math {
    /// The function by bits, for numbers for which it sets no `errno`.
    pub(super) fn compute(self, format: FloatKind, numbers: &[u128]) -> Option<u128> {
        // Functions of one number do not look at the second.
        let [first, second] = match (self, numbers) {
            (Math::Atan2 | Math::Fmod | Math::Pow, &[first, second]) => [first, second],
            (Math::Atan2 | Math::Fmod | Math::Pow, _) => return None,
            (_, &[first]) => [first, first],
            _ => return None,
        };
        let (result, usual): (u128, bool) = match format {
            FloatKind::Double => {
                let [a, b] = [first, second].map(|bits| f64::from_bits(bits as u64));
                let result = self.of_doubles(a, b);
                (result.to_bits().into(), [a, b, result].iter().all(|x| x.is_normal() || *x == 0.0))
            }
            FloatKind::Single => {
                let [a, b] = [first, second].map(|bits| f32::from_bits(bits as u32));
                let result = self.of_floats(a, b);
                (result.to_bits().into(), [a, b, result].iter().all(|x| x.is_normal() || *x == 0.0))
            }
            FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => return None,
        };
        let is_zero = |bits| format.with_sign(bits, false) == 0;
        // Zero is too small a number, unless that of which it is the function is zero.
        let may_underflow = matches!(self, Math::Atan2 | Math::Exp | Math::Exp2 | Math::Pow);
        let underflows = is_zero(result) && may_underflow && !is_zero(first);
        // Some libraries have no angle for the origin.
        let is_origin = self == Math::Atan2 && is_zero(first) && is_zero(second);
        (usual && !underflows && !is_origin).then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(function: Math, a: f64, b: f64) -> Option<f64> {
        let numbers = [a, b].map(|number| u128::from(number.to_bits()));
        let count = if matches!(function, Math::Atan2 | Math::Fmod | Math::Pow) { 2 } else { 1 };
        Some(f64::from_bits(function.compute(FloatKind::Double, &numbers[..count])? as u64))
    }

    #[test]
    fn numbers_that_the_library_computes() {
        for (function, a, b, expected) in [
            (Math::Sqrt, 2.25, 0.0, 1.5f64),
            (Math::Sqrt, -0.0, 0.0, -0.0),
            (Math::Cos, 0.0, 0.0, 1.0),
            (Math::Sin, 0.0, 0.0, 0.0),
            (Math::Log, 1.0, 0.0, 0.0),
            (Math::Pow, 3.0, 4.0, 81.0),
            (Math::Pow, 0.0, 2.0, 0.0),
            (Math::Fmod, -7.5, 2.0, -1.5),
            (Math::Fmod, 6.0, 3.0, 0.0),
            (Math::Atan2, 0.0, 3.0, 0.0),
            (Math::Exp2, -3.0, 0.0, 0.125),
            (Math::Cbrt, 27.0, 0.0, 3.0),
        ] {
            assert_eq!(double(function, a, b).map(f64::to_bits), Some(expected.to_bits()), "{function:?} {a} {b}");
        }
        let third = Math::Sqrt.compute(FloatKind::Single, &[(1.0f32 / 3.0).to_bits().into()]);
        assert_eq!(third, Some((1.0f32 / 3.0).sqrt().to_bits().into()));
    }

    /// What may set `errno`, and what a function that flushes subnormal numbers has another value for.
    #[test]
    fn numbers_that_are_left_to_the_program() {
        let tiny = f64::MIN_POSITIVE;
        for (function, a, b) in [
            (Math::Sqrt, -1.0, 0.0),
            (Math::Acos, 2.0, 0.0),
            (Math::Log, 0.0, 0.0),
            (Math::Log, -1.0, 0.0),
            (Math::Exp, 1e9, 0.0),
            (Math::Exp, -1e9, 0.0),
            (Math::Exp, -710.0, 0.0),
            (Math::Exp2, -1e9, 0.0),
            (Math::Pow, 0.0, -1.0),
            (Math::Pow, -8.0, 0.5),
            (Math::Pow, 1e-300, 2.0),
            (Math::Atan2, tiny, 1e300),
            (Math::Atan2, 0.0, -0.0),
            (Math::Fmod, 1.0, 0.0),
            (Math::Fmod, 1.5 * tiny, tiny),
            (Math::Sin, f64::INFINITY, 0.0),
            (Math::Atan, f64::INFINITY, 0.0),
            (Math::Sqrt, f64::NAN, 0.0),
            (Math::Sqrt, tiny / 4.0, 0.0),
            (Math::Pow, 1.0, f64::INFINITY),
        ] {
            assert_eq!(double(function, a, b), None, "{function:?} {a} {b}");
        }
        assert_eq!(Math::Sqrt.compute(FloatKind::Quad, &[0]), None);
        assert_eq!(Math::Sqrt.compute(FloatKind::Double, &[0, 0]), None);
        assert_eq!(Math::Pow.compute(FloatKind::Double, &[0]), None);
    }
}
