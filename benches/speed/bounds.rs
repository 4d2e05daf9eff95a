//! Arrays by index, each access with its check: matrices as Vec<Vec>, prefix sums, a sieve, dynamic programming, and a histogram.

fn product(a: &[Vec<f64>], b: &[Vec<f64>], c: &mut [Vec<f64>]) {
    let n = a.len();
    for i in 0..n {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}

fn common(a: &[u8], b: &[u8]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            table[i][j] =
                if a[i - 1] == b[j - 1] { table[i - 1][j - 1] + 1 } else { table[i - 1][j].max(table[i][j - 1]) };
        }
    }
    table[a.len()][b.len()]
}

fn histogram(values: &[u8], counts: &mut [u32; 256]) {
    for i in 0..values.len() {
        counts[values[i] as usize] += 1;
    }
}

fn smooth(values: &[i32], out: &mut [i32]) {
    for i in 1..values.len() - 1 {
        out[i] = (values[i - 1] + 2 * values[i] + values[i + 1]) / 4;
    }
}

fn insertion(values: &mut [i32]) {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
}

fn search(values: &[i32], wanted: i32) -> usize {
    let (mut low, mut high) = (0, values.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if values[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn main() {
    let repeat: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let n = 40;
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| ((i * 7 + j * 3) % 11) as f64 / 11.0).collect()).collect();
    let b = a.clone();
    let mut c = a.clone();
    let text: Vec<u8> = (0..200u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 30) as u8).collect();
    let mut bytes: Vec<u8> = (0..4_000u32).map(|i| (i * i >> 5) as u8).collect();
    let mut values: Vec<i32> = (0..2_000).map(|i| i * 7919 % 1009).collect();
    let mut smoothed = vec![0; values.len()];
    let mut counts = [0; 256];
    let mut sum = 0usize;
    let mut real = 0.0;
    for r in 0..repeat {
        product(&a, &b, &mut c);
        real += c[r % n][r * 3 % n];
        a[r % n][r % 7] += 0.01;
        sum += common(&text[..150], &text[r % 50..]);
        histogram(&bytes, &mut counts);
        let place = r % bytes.len();
        bytes[place] ^= 1;
        smooth(&values, &mut smoothed);
        let mut few: Vec<i32> = smoothed[r % 1_000..r % 1_000 + 60].to_vec();
        insertion(&mut few);
        for wanted in 0..100 {
            sum += search(&few, wanted * 10);
        }
        values[r % 2_000] += 1;
    }
    println!("{sum} {real:.9} {}", counts[7]);
}
