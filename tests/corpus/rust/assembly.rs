//! Inline assembly, SIMD, C calling conventions, volatile accesses, statics.

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_mul_epu32, _mm_set1_epi8, _mm_set1_epi32,
        _mm_setr_epi32, _mm_shuffle_epi32, _mm_storeu_si128,
    };

    pub fn multiply(a: u64, b: u64) -> u128 {
        let (low, high): (u64, u64);
        unsafe { asm!("mul {}", in(reg) b, inlateout("rax") a => low, lateout("rdx") high, options(pure, nomem, nostack)) };
        u128::from(high) << 64 | u128::from(low)
    }

    pub fn add_with_carry(a: u64, b: u64) -> (u64, bool) {
        let (sum, carry): (u64, u8);
        unsafe { asm!("add {0}, {1}", "setc {2}", inout(reg) a => sum, in(reg) b, out(reg_byte) carry, options(pure, nomem, nostack)) };
        (sum, carry != 0)
    }

    /// Counts down in assembly, and reads memory there.
    pub fn sum(numbers: &[u32]) -> u64 {
        let mut total: u64 = 0;
        if numbers.is_empty() {
            return 0;
        }
        unsafe {
            asm!(
                "2:", "mov {t:e}, dword ptr [{p}]", "add {s}, {t}", "add {p}, 4", "dec {n}", "jnz 2b",
                p = inout(reg) numbers.as_ptr() => _, n = inout(reg) numbers.len() => _, s = inout(reg) total, t = out(reg) _,
                options(readonly, nostack)
            );
        }
        total
    }

    pub fn vectors(bytes: &[u8; 16]) -> ([u32; 4], i32) {
        let mut result = [0; 4];
        unsafe {
            let data = _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>());
            let spaces = _mm_movemask_epi8(_mm_cmpeq_epi8(data, _mm_set1_epi8(b' ' as i8)));
            let sum = _mm_add_epi32(_mm_setr_epi32(1, 2, 3, 4), _mm_set1_epi32(10));
            let product = _mm_mul_epu32(_mm_shuffle_epi32::<0b01_00_11_10>(sum), sum);
            _mm_storeu_si128(result.as_mut_ptr().cast::<__m128i>(), product);
            (result, spaces)
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod machine {
    pub fn multiply(a: u64, b: u64) -> u128 {
        u128::from(a) * u128::from(b)
    }
    pub fn add_with_carry(a: u64, b: u64) -> (u64, bool) {
        a.overflowing_add(b)
    }
    pub fn sum(numbers: &[u32]) -> u64 {
        numbers.iter().map(|&n| u64::from(n)).sum()
    }
    pub fn vectors(bytes: &[u8; 16]) -> ([u32; 4], i32) {
        let spaces = (0..16).filter(|&i| bytes[i] == b' ').map(|i| 1 << i).sum();
        ([13 * 11, 0, 11 * 13, 0], spaces)
    }
}

#[inline(never)]
extern "C" fn callback(state: *mut u32, by: u32) -> u32 {
    unsafe {
        *state = state.read_volatile().wrapping_mul(31).wrapping_add(by);
        *state
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Large {
    fields: [u64; 6],
}

#[inline(never)]
extern "C" fn by_value(mut large: Large, index: usize) -> Large {
    large.fields[index % 6] = large.fields.iter().sum();
    large
}

static TABLE: [fn(u32) -> u32; 4] = [|n| n + 1, |n| n * 2, u32::reverse_bits, |n| n.rotate_left(7)];
static mut GLOBAL: u32 = 3;

fn dispatch(steps: &[usize]) -> u32 {
    steps.iter().fold(1, |n, &step| TABLE[step & 3](n))
}

fn main() {
    println!("{} {:?}", machine::multiply(u64::MAX, 12345678901234567), machine::add_with_carry(u64::MAX, 2));
    println!("{} {}", machine::sum(&[u32::MAX, 2, 3, u32::MAX]), machine::sum(&[]));
    println!("{:?}", machine::vectors(b"a few words here"));
    let mut state = 7;
    let function: extern "C" fn(*mut u32, u32) -> u32 = std::hint::black_box(callback);
    println!("{:?} {state}", [1, 2, 3].map(|by| function(&mut state, by)));
    let large = by_value(by_value(Large { fields: [1, 2, 3, 4, 5, 6] }, 1), 9);
    println!("{:?}", large.fields);
    println!("{} {}", dispatch(&[0, 1, 3, 0]), dispatch(&[2, 3, 1]));
    let global = &raw mut GLOBAL;
    let seen = unsafe {
        global.write_volatile(global.read_volatile() + 4);
        *global
    };
    println!("{seen}");
}
