//! Arithmetic: 128 bits, overflow in all its ways, saturating casts, floating point, bit tricks, big numbers.

use std::hint::black_box;
use std::num::{NonZeroU32, Wrapping};
use std::panic::catch_unwind;

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Multiplication modulo a number of 127 bits or less, by doubling.
fn multiply(mut a: u128, mut b: u128, modulus: u128) -> u128 {
    let mut product = 0;
    a %= modulus;
    while b > 0 {
        if b & 1 == 1 {
            product = (product + a) % modulus;
        }
        a = (a << 1) % modulus;
        b >>= 1;
    }
    product
}

fn power(mut base: u128, mut exponent: u128, modulus: u128) -> u128 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent /= 2;
    }
    result
}

fn is_prime(n: u128) -> bool {
    if n < 4 {
        return n > 1;
    }
    let twos = (n - 1).trailing_zeros();
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().filter(|witness| witness % n != 0).all(|witness| {
        let mut x = power(witness, (n - 1) >> twos, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        for _ in 1..twos {
            x = multiply(x, x, n);
            if x == n - 1 {
                return true;
            }
        }
        false
    })
}

/// A natural number of any size, digits of 32 bits, least significant first.
#[derive(Clone, PartialEq, Eq)]
struct Big(Vec<u32>);

impl Big {
    fn times(&self, factor: u32) -> Big {
        let mut carry = 0u64;
        let mut digits: Vec<u32> = self
            .0
            .iter()
            .map(|&digit| {
                carry += u64::from(digit) * u64::from(factor);
                let low = carry as u32;
                carry >>= 32;
                low
            })
            .collect();
        if carry > 0 {
            digits.push(carry as u32);
        }
        Big(digits)
    }
    fn product(&self, other: &Big) -> Big {
        let mut digits = vec![0u32; self.0.len() + other.0.len()];
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &b) in other.0.iter().enumerate() {
                let sum = u64::from(digits[i + j]) + u64::from(a) * u64::from(b) + carry;
                digits[i + j] = sum as u32;
                carry = sum >> 32;
            }
            digits[i + other.0.len()] = carry as u32;
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Big(digits)
    }
    fn text(&self) -> String {
        let mut digits = self.0.clone();
        let mut text = Vec::new();
        while !digits.is_empty() {
            let mut rest = 0u64;
            for digit in digits.iter_mut().rev() {
                let value = rest << 32 | u64::from(*digit);
                *digit = (value / 1_000_000_000) as u32;
                rest = value % 1_000_000_000;
            }
            while digits.last() == Some(&0) {
                digits.pop();
            }
            text.push(if digits.is_empty() { rest.to_string() } else { format!("{rest:09}") });
        }
        text.reverse();
        text.concat()
    }
}

fn overflow<T: std::fmt::Debug>(name: &str, plain: fn(T, T) -> T, a: T, b: T)
where
    T: Copy + std::panic::UnwindSafe,
{
    // Whether plain arithmetic panics depends on how this was compiled, so only what it gives without overflow is printed.
    let result = catch_unwind(move || plain(black_box(a), black_box(b)));
    println!("{name}: {}", if let Ok(value) = &result { format!("{value:?}") } else { "panic".into() });
}

fn isqrt(n: u128) -> u128 {
    let mut x = n;
    let mut y = x.div_ceil(2);
    while y < x {
        x = y;
        y = (x + n / x) / 2;
    }
    x
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let big = black_box(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128);
    let negative = black_box(-170141183460469231731687303715884105728i128);
    println!("{} {} {}", big, big / 1_000_000_007, big % 0xffff_ffff_ffff);
    println!("{:?} {:?} {:?}", negative.checked_neg(), negative.overflowing_sub(1), negative.wrapping_abs());
    println!("{} {} {}", negative / 7, negative % 1_000_000_007, negative >> 100);
    println!("{:x} {:x} {:x}", big.rotate_left(36), big.swap_bytes(), big.reverse_bits());
    println!("{} {} {}", big.leading_zeros(), big.count_ones(), (big << 77).trailing_zeros());
    println!("{:?} {:?}", big.checked_mul(300), big.checked_pow(2));
    println!("{} {}", gcd(big, big << 3 | 40), isqrt(big));
    println!("{:e} {} {}", big as f64, big as f32, (1e30f64 as u128) >> 20);
    let primes: Vec<u128> = (0..).map(|n| (1u128 << 100) + 2 * n + 1).filter(|&n| is_prime(n)).take(2).collect();
    println!("{primes:?} {}", (2..2000).filter(|&n| is_prime(n)).count());

    let factorial = (1..=60).fold(Big(vec![1]), |product, n| product.times(n));
    println!("{}", factorial.text());
    println!("{}", factorial.product(&factorial).text());

    overflow("divide", |a: i32, b| a / b, i32::MIN, -1);
    overflow("remainder", |a: i64, b| a % b, i64::MIN, -1);
    overflow("by zero", |a: u8, b| a / b, 1, 0);
    overflow("wide by zero", |a: i128, b| a % b, 1, 0);
    overflow("fine", |a: i128, b| a / b, i128::MIN, 3);
    let n = black_box(200u8);
    println!("{:?} {} {:?} {}", n.checked_add(56), n.saturating_add(56), n.overflowing_add(56), n.wrapping_mul(3));
    println!("{:?} {} {:?}", 5i8.checked_sub(-123), (-100i8).saturating_sub(100), i16::MIN.overflowing_neg());
    println!("{} {}", Wrapping(u32::MAX) + Wrapping(2), Wrapping(i64::MIN) - Wrapping(1));
    println!("{:?} {:?} {}", NonZeroU32::new(black_box(0)), NonZeroU32::new(8).map(NonZeroU32::ilog2), 10i32.rem_euclid(-3));
    for value in [f64::NAN, -1.5, 300.7, 1e20, f64::NEG_INFINITY] {
        println!("{} {} {} {}", value as u8, value as i32, value as i64, value as i128);
    }
    for value in [0.1f32 + 0.2, f32::MIN_POSITIVE / 3.0, 16777217.0, -0.0] {
        println!("{value} {:08x} {} {}", value.to_bits(), value.mul_add(3.0, 1.0), value.total_cmp(&0.0) as i8);
    }
    println!("{} {} {}", 2f64.sqrt(), (10.5f64).rem_euclid(-3.0), (-7.5f64).round_ties_even());
    println!("{:?} {:?}", "0.30000000000000004".parse::<f64>(), "-340282366920938463463374607431768211457".parse::<i128>().is_err());
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in b"hashing some bytes" {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    println!("{hash:x} {}", (u128::from(hash) * u128::from(hash)) >> 64);
}
