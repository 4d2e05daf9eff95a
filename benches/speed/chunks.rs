//! Slices: chunks, exact chunks, zips, windows, splits, copies, rotations and fills; ciphers and checksums over bytes.

fn xor(data: &mut [u8], key: &[u8; 16]) {
    for chunk in data.chunks_mut(16) {
        for (byte, key) in chunk.iter_mut().zip(key) {
            *byte ^= key;
        }
    }
}

fn words(data: &[u8]) -> u64 {
    let chunks = data.chunks_exact(8);
    let rest = chunks.remainder().iter().fold(0u64, |sum, &b| sum << 8 | u64::from(b));
    chunks
        .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()))
        .fold(rest, |sum, word| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
}

fn adler(data: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for block in data.chunks(5_552) {
        for &byte in block {
            a += u32::from(byte);
            b += a;
        }
        a %= 65_521;
        b %= 65_521;
    }
    b << 16 | a
}

fn quarter(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

fn chacha(state: &[u32; 16]) -> [u32; 16] {
    let mut s = *state;
    for _ in 0..4 {
        for i in 0..4 {
            quarter(&mut s, i, i + 4, i + 8, i + 12);
        }
        for i in 0..4 {
            quarter(&mut s, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
        }
    }
    s.iter_mut().zip(state).for_each(|(s, start)| *s = s.wrapping_add(*start));
    s
}

fn mix(left: &[f32], right: &[f32], out: &mut [f32]) {
    for ((l, r), out) in left.iter().zip(right).zip(out.chunks_exact_mut(2)) {
        out[0] = l * 0.8 + r * 0.2;
        out[1] = (l - r).clamp(-0.5, 0.5);
    }
}

fn halves(data: &mut [u32]) {
    if data.len() < 2 {
        return;
    }
    let (left, right) = data.split_at_mut(data.len() / 2);
    for (l, r) in left.iter_mut().zip(right.iter_mut()) {
        (*l, *r) = (l.wrapping_add(*r), l.wrapping_sub(*r));
    }
    halves(left);
    halves(right);
}

fn main() {
    let repeat: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut data: Vec<u8> = (0..4_001u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
    let mut key = *b"sixteen letters.";
    let mut state: [u32; 16] = std::array::from_fn(|i| (i as u32).wrapping_mul(0x1234_5678));
    let left: Vec<f32> = (0..500).map(|i| (i % 17) as f32 / 17.0).collect();
    let right: Vec<f32> = (0..500).map(|i| (i % 23) as f32 / 23.0).collect();
    let mut mixed = vec![0.0; 1_000];
    let mut wave: Vec<u32> = (0..256).collect();
    let (mut sum, mut real) = (0u64, 0.0f32);
    for i in 0..repeat {
        xor(&mut data, &key);
        key.rotate_left(i % 16);
        sum = sum.wrapping_mul(31).wrapping_add(words(&data[i % 64..])).wrapping_add(u64::from(adler(&data)));
        for _ in 0..10 {
            state = chacha(&state);
        }
        sum ^= u64::from(state[i % 16]);
        mix(&left, &right, &mut mixed);
        real += mixed[i % 1_000];
        halves(&mut wave);
        sum = sum.wrapping_add(u64::from(wave[i % 256]));
        data.copy_within(0..100, 200);
        data[300..310].fill(i as u8);
        sum += data.windows(3).filter(|w| w[0] < w[1] && w[1] < w[2]).count() as u64;
        sum += data.iter().rev().skip(3).step_by(5).zip(&data).filter(|(a, b)| a == b).count() as u64;
        sum += data.split(|b| *b == 7).map(|part| part.len().min(9) as u64).max().unwrap_or(0);
    }
    println!("{sum} {real:.3}");
}
