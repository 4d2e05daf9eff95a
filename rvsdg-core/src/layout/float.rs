//! Formats of floating-point numbers.

use crate::TypeKind;

/// A floating-point format.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// IEEE binary16.
    Half,
    /// The brain floating-point format.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The x87 80-bit format.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FloatKind {
    /// The format of a floating-point type.
    pub fn of(kind: &TypeKind) -> Option<FloatKind> {
        Some(match kind {
            TypeKind::Half => FloatKind::Half,
            TypeKind::BFloat => FloatKind::BFloat,
            TypeKind::Float => FloatKind::Single,
            TypeKind::Double => FloatKind::Double,
            TypeKind::X86Fp80 => FloatKind::X87,
            TypeKind::Fp128 => FloatKind::Quad,
            _ => return None,
        })
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad => 128,
        }
    }
}

/// Calls `$body` with `$number` as the software type of numbers of the [`FloatKind`] `$kind`. The crate that calls it
/// needs `rustc_apfloat`.
#[macro_export]
macro_rules! with_float {
    ($kind:expr, $number:ident => $body:expr) => {
        match $kind {
            $crate::layout::FloatKind::Half => {
                type $number = rustc_apfloat::ieee::Half;
                $body
            }
            $crate::layout::FloatKind::BFloat => {
                type $number = rustc_apfloat::ieee::BFloat;
                $body
            }
            $crate::layout::FloatKind::Single => {
                type $number = rustc_apfloat::ieee::Single;
                $body
            }
            $crate::layout::FloatKind::Double => {
                type $number = rustc_apfloat::ieee::Double;
                $body
            }
            $crate::layout::FloatKind::X87 => {
                type $number = rustc_apfloat::ieee::X87DoubleExtended;
                $body
            }
            $crate::layout::FloatKind::Quad => {
                type $number = rustc_apfloat::ieee::Quad;
                $body
            }
        }
    };
}
