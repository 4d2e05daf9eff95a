// Rust: checked indices, options, matches, slices, iterators, aggregates as values.
#![crate_type = "lib"]
#![no_std]

#[derive(Clone, Copy)]
pub enum Shape { Dot, Circle(u32), Rectangle { w: u32, h: u32 } }

#[unsafe(no_mangle)] pub fn at(p: &[i32; 4], i: usize) -> i32 { if i < 4 { p[i] } else { -1 } }
#[unsafe(no_mangle)] pub fn checked(p: &[i32; 4], i: usize) -> i32 { p[i & 3].wrapping_add(p[3]) }
#[unsafe(no_mangle)] pub fn area(kind: u32, a: u32, b: u32) -> u32 {
    let shape = match kind % 3 { 0 => Shape::Dot, 1 => Shape::Circle(a), _ => Shape::Rectangle { w: a, h: b } };
    match shape { Shape::Dot => 0, Shape::Circle(r) => r.wrapping_mul(r), Shape::Rectangle { w, h } => w.wrapping_mul(h) }
}
fn half(n: u32) -> Option<u32> { if n % 2 == 0 { Some(n / 2) } else { None } }
#[unsafe(no_mangle)] pub fn quarter(n: u32) -> u32 { half(n).and_then(half).unwrap_or(99) }
fn parse(byte: u8) -> Result<u32, i32> { match byte { b'0'..=b'9' => Ok(u32::from(byte - b'0')), b'-' => Err(1), _ => Err(2) } }
fn number(bytes: &[u8; 3]) -> Result<u32, i32> { let mut n = 0; for i in 0..3 { n = n * 10 + parse(bytes[i])?; } Ok(n) }
#[unsafe(no_mangle)] pub fn parsed(bytes: &[u8; 3]) -> i32 { match number(bytes) { Ok(n) => n as i32, Err(e) => -e } }
#[unsafe(no_mangle)] pub fn overflowing(a: i32, b: i32) -> i32 { let (s, o) = a.overflowing_add(b); if o { 0 } else { s } }
#[unsafe(no_mangle)] pub fn saturating(a: i8, b: i8) -> i8 { a.saturating_add(b).saturating_sub(3) }
#[unsafe(no_mangle)] pub fn checked_mul(a: u16, b: u16) -> u16 { a.checked_mul(b).unwrap_or(u16::MAX) }
#[unsafe(no_mangle)] pub fn sum(p: &[i32; 6]) -> i32 { let mut s = 0i32; let mut i = 0; while i < p.len() { s = s.wrapping_add(p[i]); i += 1; } s }
#[unsafe(no_mangle)] pub fn swapped(p: &mut (u32, u32)) -> u32 { let t = p.0; p.0 = p.1; p.1 = t; p.0 ^ 1 }
#[unsafe(no_mangle)] pub fn distinct(a: &mut i32, b: &mut i32) -> i32 { *a = 1; *b = 2; *a }
#[unsafe(no_mangle)] pub fn tuple(a: u32) -> (u32, bool) { let t = (a ^ 3, a > 9); (t.0 & 255, !t.1) }
#[unsafe(no_mangle)] pub fn nested(a: u32, b: u32) -> u32 { let pairs = [(a, b), (b, 1), (2, a)]; let mut s = 0u32; for i in 0..3 { s = s.wrapping_add(pairs[i].0 ^ pairs[(i + 1) % 3].1); } s }
#[unsafe(no_mangle)] pub fn rotates(a: u64, n: u32) -> u64 { a.rotate_left(n).swap_bytes() ^ u64::from(a.count_ones() + a.leading_zeros()) }
#[unsafe(no_mangle)] pub fn compared(a: i32, b: i32) -> i32 { match a.cmp(&b) { core::cmp::Ordering::Less => -1, core::cmp::Ordering::Equal => 0, core::cmp::Ordering::Greater => 1 } }
#[unsafe(no_mangle)] pub fn chars(c: u32) -> u32 { match char::from_u32(c) { Some(c) if c.is_ascii_alphabetic() => 1, Some(c) => c.len_utf8() as u32, None => 9 } }
#[unsafe(no_mangle)] pub fn collatz(n: u32) -> u32 { let (mut n, mut s) = (n & 31 | 1, 0); loop { if n == 1 || s == 30 { return s; } n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; s += 1; } }
#[unsafe(no_mangle)] pub fn bits(a: u8) -> u8 { let mut r = 0; let mut i = 0; while i < 8 { if a >> i & 1 != 0 { r |= 1 << (7 - i); } i += 1; } r }
pub struct Counter { low: u8, high: u8 }
impl Counter { fn tick(&mut self) { match self.low.checked_add(1) { Some(n) => self.low = n, None => { self.low = 0; self.high = self.high.wrapping_add(1) } } } }
#[unsafe(no_mangle)] pub fn ticks(n: u8) -> u32 { let mut c = Counter { low: 250, high: n }; for _ in 0..n & 15 { c.tick(); } u32::from(c.high) << 8 | u32::from(c.low) }
