//! Numbers as LLVM's textual IR spells them.

use std::fmt::Write;

use rvsdg_core::TypeKind;

/// The widest integer written in decimal: conversion is quadratic in the width.
const DECIMAL_BITS: u32 = 1024;

/// Appends an integer of `bits` bits: signed decimal, `true` or `false` for one bit, hexadecimal for a very wide one.
pub(crate) fn push_int(out: &mut String, bits: u32, words: &[u64]) {
    if bits == 1 {
        out.push_str(if words[0] & 1 == 1 { "true" } else { "false" });
    } else if bits <= 64 {
        let shift = 64 - bits;
        let _ = write!(out, "{}", (words[0] << shift) as i64 >> shift);
    } else if bits <= DECIMAL_BITS {
        push_wide(out, bits, words);
    } else {
        push_hex(out, words);
    }
}

/// Limb `index`, zero beyond the end.
fn limb(words: &[u64], index: usize) -> u64 {
    words.get(index).copied().unwrap_or(0)
}

fn push_wide(out: &mut String, bits: u32, words: &[u64]) {
    let top = bits - 1;
    let negative = limb(words, top as usize / 64) >> (top % 64) & 1 == 1;
    let mut magnitude: Vec<u64> = (0..bits.div_ceil(64) as usize).map(|index| limb(words, index)).collect();
    if negative {
        let mut carry = true;
        for word in &mut magnitude {
            (*word, carry) = (!*word).overflowing_add(carry.into());
        }
        if !bits.is_multiple_of(64) {
            *magnitude.last_mut().expect("a wide integer has limbs") &= (1 << (bits % 64)) - 1;
        }
        out.push('-');
    }
    // Least significant first, 19 digits each.
    let mut chunks = Vec::new();
    while magnitude.iter().any(|&word| word != 0) {
        let mut rest = 0;
        for word in magnitude.iter_mut().rev() {
            let dividend = rest << 64 | u128::from(*word);
            *word = (dividend / 10u128.pow(19)) as u64;
            rest = dividend % 10u128.pow(19);
        }
        chunks.push(rest);
    }
    let _ = write!(out, "{}", chunks.pop().unwrap_or(0));
    for chunk in chunks.iter().rev() {
        let _ = write!(out, "{chunk:019}");
    }
}

fn push_hex(out: &mut String, words: &[u64]) {
    out.push_str("u0x");
    let top = words.iter().rposition(|&word| word != 0).unwrap_or(0);
    let _ = write!(out, "{:X}", limb(words, top));
    for word in words[..top].iter().rev() {
        let _ = write!(out, "{word:016X}");
    }
}

/// Appends a floating-point number by its bits; false when `kind` is not a floating-point scalar.
///
/// `float` and `double` are decimal where six digits are exact, as in LLVM's own output; all others are hexadecimal.
pub(crate) fn push_float(out: &mut String, kind: &TypeKind, bits: u128) -> bool {
    let (low, high) = (bits as u64, (bits >> 64) as u64);
    let _ = match kind {
        TypeKind::Half => write!(out, "0xH{:04X}", bits as u16),
        TypeKind::BFloat => write!(out, "0xR{:04X}", bits as u16),
        TypeKind::Float => {
            push_double(out, widened(bits as u32));
            Ok(())
        }
        TypeKind::Double => {
            push_double(out, low);
            Ok(())
        }
        TypeKind::X86Fp80 => write!(out, "0xK{:04X}{low:016X}", high as u16),
        TypeKind::Fp128 => write!(out, "0xL{low:016X}{high:016X}"),
        TypeKind::PpcFp128 => write!(out, "0xM{low:016X}{high:016X}"),
        _ => return false,
    };
    true
}

/// The bits of the double equal to a float; a NaN keeps its payload and stays quiet or signaling.
fn widened(bits: u32) -> u64 {
    if f32::from_bits(bits).is_nan() {
        u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29
    } else {
        f64::from(f32::from_bits(bits)).to_bits()
    }
}

fn push_double(out: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    if value.is_finite() {
        let text = format!("{value:.6e}");
        if let Some((digits, exponent)) = text.split_once('e')
            && text.parse::<f64>().is_ok_and(|parsed| parsed.to_bits() == bits)
        {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            let _ = write!(out, "{digits}e{sign}{exponent:0>2}");
            return;
        }
    }
    let _ = write!(out, "0x{bits:016X}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(bits: u32, words: &[u64]) -> String {
        let mut out = String::new();
        push_int(&mut out, bits, words);
        out
    }

    fn float(kind: TypeKind, bits: u128) -> String {
        let mut out = String::new();
        assert!(push_float(&mut out, &kind, bits));
        out
    }

    #[test]
    fn integers() {
        assert_eq!(int(1, &[1]), "true");
        assert_eq!(int(8, &[0xff]), "-1");
        assert_eq!(int(64, &[1 << 63]), "-9223372036854775808");
        assert_eq!(int(65, &[0, 1]), "-18446744073709551616");
        assert_eq!(int(65, &[u64::MAX, 0]), "18446744073709551615");
        assert_eq!(int(128, &[0, 1 << 63]), i128::MIN.to_string());
        assert_eq!(int(128, &[u64::MAX, u64::MAX >> 1]), i128::MAX.to_string());
        assert_eq!(int(130, &[0, 0, 0]), "0");
        assert_eq!(int(130, &[10_000_000_000_000_000_000, 0, 0]), "10000000000000000000");
        assert_eq!(int(200, &[u64::MAX, u64::MAX, u64::MAX, 0xff]), "-1");
        assert_eq!(int(2000, &[5, 1, 0]), "u0x10000000000000005");
    }

    #[test]
    fn floats() {
        assert_eq!(float(TypeKind::Double, 1f64.to_bits().into()), "1.000000e+00");
        assert_eq!(float(TypeKind::Double, 0.1f64.to_bits().into()), "1.000000e-01");
        assert_eq!(float(TypeKind::Double, (1f64 / 3.0).to_bits().into()), "0x3FD5555555555555");
        assert_eq!(float(TypeKind::Double, (-0f64).to_bits().into()), "-0.000000e+00");
        assert_eq!(float(TypeKind::Double, 1e300f64.to_bits().into()), "1.000000e+300");
        assert_eq!(float(TypeKind::Float, 0.1f32.to_bits().into()), "0x3FB99999A0000000");
        assert_eq!(float(TypeKind::Float, 0x7f80_0001), "0x7FF0000020000000");
        assert_eq!(float(TypeKind::Float, 0xffc0_0000), "0xFFF8000000000000");
        assert_eq!(float(TypeKind::Float, 1), "0x36A0000000000000");
        assert_eq!(float(TypeKind::Half, 0x3c00), "0xH3C00");
        assert_eq!(float(TypeKind::BFloat, 0x3f80), "0xR3F80");
        assert_eq!(float(TypeKind::X86Fp80, 0x3fff_8000_0000_0000_0000), "0xK3FFF8000000000000000");
        assert_eq!(float(TypeKind::Fp128, 0x3fff << 112 | 7), "0xL00000000000000073FFF000000000000");
    }
}
