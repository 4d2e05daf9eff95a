//! Floats as decimal numbers, rounded half to even from their exact value.

use num_bigint::BigUint;

/// A float to print.
pub(super) enum Real {
    /// A double.
    Double(f64),
    /// A finite number: whether it is negative, and `mantissa * 2^exponent`.
    Finite(bool, u64, i32),
    /// Infinity or not a number.
    Special(bool, &'static str),
}

impl Real {
    /// A double.
    pub fn of(value: f64) -> Real {
        let negative = value.is_sign_negative();
        if value.is_nan() {
            Real::Special(negative, "nan")
        } else if value.is_infinite() {
            Real::Special(negative, "inf")
        } else {
            Real::Double(value)
        }
    }

    /// An 80-bit extended float by its bits.
    pub fn of_x87(bits: u128) -> Real {
        let (mantissa, head) = (bits as u64, (bits >> 64) as u32);
        let negative = head & 0x8000 != 0;
        match (head & 0x7fff) as i32 {
            0x7fff if mantissa << 1 == 0 => Real::Special(negative, "inf"),
            0x7fff => Real::Special(negative, "nan"),
            exponent => Real::Finite(negative, mantissa, exponent.max(1) - 16383 - 63),
        }
    }

    /// Whether the sign is set.
    pub fn is_negative(&self) -> bool {
        match self {
            Real::Double(value) => value.is_sign_negative(),
            Real::Finite(negative, ..) | Real::Special(negative, _) => *negative,
        }
    }

    /// The name of an infinity or NaN.
    pub fn special(&self) -> Option<&'static str> {
        match self {
            Real::Special(_, name) => Some(name),
            Real::Double(_) | Real::Finite(..) => None,
        }
    }

    /// With `precision` digits after the decimal point.
    pub fn fixed(&self, precision: usize) -> String {
        match *self {
            Real::Double(value) => format!("{:.precision$}", value.abs()),
            Real::Finite(_, mantissa, exponent) => {
                let mut digits = scaled(mantissa, exponent, precision as i64).to_string();
                if digits.len() <= precision {
                    digits.insert_str(0, &"0".repeat(precision + 1 - digits.len()));
                }
                if precision > 0 {
                    digits.insert(digits.len() - precision, '.');
                }
                digits
            }
            Real::Special(_, name) => name.into(),
        }
    }

    /// `precision + 1` significant digits and the exponent of ten of the first.
    fn digits(&self, precision: usize) -> (String, i32) {
        match *self {
            Real::Double(value) => {
                let text = format!("{:.precision$e}", value.abs());
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                (digits.replace('.', ""), exponent.parse().unwrap_or(0))
            }
            Real::Finite(_, 0, _) | Real::Special(..) => ("0".repeat(precision + 1), 0),
            Real::Finite(_, mantissa, exponent) => {
                let bits = 64 - mantissa.leading_zeros() as i32;
                let mut guess = (f64::from(exponent + bits - 1) * std::f64::consts::LOG10_2).floor() as i32;
                loop {
                    let digits = scaled(mantissa, exponent, precision as i64 - i64::from(guess)).to_string();
                    match digits.len().cmp(&(precision + 1)) {
                        std::cmp::Ordering::Less => guess -= 1,
                        std::cmp::Ordering::Equal => return (digits, guess),
                        std::cmp::Ordering::Greater => guess += 1,
                    }
                }
            }
        }
    }

    /// `d.ddde±dd`.
    pub fn scientific(&self, precision: usize, point: bool) -> String {
        let (digits, exponent) = self.digits(precision);
        let dot = if precision > 0 || point { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}{dot}{}e{sign}{:02}", &digits[..1], &digits[1..], exponent.unsigned_abs())
    }

    /// The shorter of the two forms with `precision` significant digits; trailing zeros only if `keep`.
    pub fn general(&self, precision: usize, keep: bool) -> String {
        let (_, exponent) = self.digits(precision - 1);
        if exponent < -4 || exponent >= precision as i32 {
            let text = self.scientific(precision - 1, keep);
            if keep {
                return text;
            }
            let (digits, rest) = text.split_once('e').unwrap_or((&text, ""));
            return format!("{}e{rest}", trimmed(digits));
        }
        let text = self.fixed((precision as i32 - 1 - exponent) as usize);
        match (keep, text.contains('.')) {
            (true, true) => text,
            (true, false) => text + ".",
            (false, _) => trimmed(&text).into(),
        }
    }

    /// `0xh.hhhp±d` of a double.
    pub fn hexadecimal(&self) -> String {
        let Real::Double(value) = self else { return String::new() };
        let bits = value.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        let (lead, exponent) = match (exponent, fraction) {
            (0, 0) => (0, 0),
            (0, _) => (0, -1022),
            _ => (1, exponent - 1023),
        };
        let digits = format!("{fraction:013x}");
        let digits = digits.trim_end_matches('0');
        let dot = if digits.is_empty() { "" } else { "." };
        format!("0x{lead}{dot}{digits}p{exponent:+}")
    }
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// `mantissa * 2^exponent * 10^power` as a whole number.
fn scaled(mantissa: u64, exponent: i32, power: i64) -> BigUint {
    let mut top = BigUint::from(mantissa);
    let mut bottom = BigUint::from(1u32);
    let ten = BigUint::from(10u32).pow(power.unsigned_abs() as u32);
    if power >= 0 {
        top *= ten
    } else {
        bottom *= ten
    }
    if exponent >= 0 {
        top <<= exponent
    } else {
        bottom <<= -exponent
    }
    let quotient = &top / &bottom;
    let twice: BigUint = (top - &quotient * &bottom) << 1;
    match twice.cmp(&bottom) {
        std::cmp::Ordering::Greater => quotient + 1u32,
        std::cmp::Ordering::Equal if quotient.bit(0) => quotient + 1u32,
        std::cmp::Ordering::Equal | std::cmp::Ordering::Less => quotient,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(Real::of(0.5).fixed(0), "0");
        assert_eq!(Real::of(2.5e-7).scientific(3, false), "2.500e-07");
        assert_eq!(Real::of(1e100).general(6, false), "1e+100");
        assert_eq!(Real::of(0.0001).general(6, false), "0.0001");
        assert_eq!(Real::of(100000.0).general(6, false), "100000");
        assert_eq!(Real::of(1.0).general(6, true), "1.00000");
        assert_eq!(Real::of(1.5).hexadecimal(), "0x1.8p+0");
    }

    #[test]
    fn long_doubles() {
        // 1.0 and 0.1L.
        let one = Real::of_x87(0x3fff_u128 << 64 | 1 << 63);
        assert_eq!((one.fixed(2), one.scientific(2, false)), ("1.00".into(), "1.00e+00".into()));
        let tenth = Real::of_x87(0x3ffb_u128 << 64 | 0xcccc_cccc_cccc_cccd);
        assert_eq!((tenth.fixed(1), tenth.general(6, false)), ("0.1".into(), "0.1".into()));
    }
}
