//! Sorting written by hand with generics and closures: quick, merge, heap and counting sort, selection, and permutations.

fn quick<T: PartialOrd + Copy>(values: &mut [T]) {
    if values.len() <= 12 {
        for i in 1..values.len() {
            let value = values[i];
            let mut j = i;
            while j > 0 && values[j - 1] > value {
                values[j] = values[j - 1];
                j -= 1;
            }
            values[j] = value;
        }
        return;
    }
    let pivot = values[values.len() / 2];
    let (mut i, mut j) = (0, values.len() - 1);
    loop {
        while values[i] < pivot {
            i += 1;
        }
        while values[j] > pivot {
            j -= 1;
        }
        if i >= j {
            break;
        }
        values.swap(i, j);
        i += 1;
        j -= 1;
    }
    let (left, right) = values.split_at_mut(i);
    quick(left);
    quick(right);
}

fn merge<T: Copy>(values: &[T], less: &impl Fn(&T, &T) -> bool) -> Vec<T> {
    if values.len() < 2 {
        return values.to_vec();
    }
    let (left, right) = values.split_at(values.len() / 2);
    let (left, right) = (merge(left, less), merge(right, less));
    let mut out = Vec::with_capacity(values.len());
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (l.peek(), r.peek()) {
        if less(b, a) {
            out.push(**b);
            r.next();
        } else {
            out.push(**a);
            l.next();
        }
    }
    out.extend(l);
    out.extend(r);
    out
}

fn heap<T: Ord>(values: &mut [T]) {
    fn sift<T: Ord>(values: &mut [T], mut root: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= values.len() {
                return;
            }
            if child + 1 < values.len() && values[child] < values[child + 1] {
                child += 1;
            }
            if values[root] >= values[child] {
                return;
            }
            values.swap(root, child);
            root = child;
        }
    }
    for root in (0..values.len() / 2).rev() {
        sift(values, root);
    }
    for end in (1..values.len()).rev() {
        values.swap(0, end);
        sift(&mut values[..end], 0);
    }
}

fn counting(values: &mut [u32], limit: usize) {
    let mut counts = vec![0usize; limit];
    for &value in values.iter() {
        counts[value as usize] += 1;
    }
    let sorted = counts.iter().enumerate().flat_map(|(value, &count)| std::iter::repeat_n(value as u32, count));
    for (place, value) in values.iter_mut().zip(sorted) {
        *place = value;
    }
}

fn permute(values: &mut [u32], sum: &mut u64) {
    fn rest(values: &mut [u32], k: usize, sum: &mut u64) {
        if k == values.len() {
            *sum = sum.wrapping_mul(3).wrapping_add(u64::from(values[0] * 2 + values[k - 1]));
            return;
        }
        for i in k..values.len() {
            values.swap(k, i);
            rest(values, k + 1, sum);
            values.swap(k, i);
        }
    }
    rest(values, 0, sum);
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut sum = 0u64;
    let add = |sum: u64, values: &[u32]| values.iter().fold(sum, |s, &v| s.wrapping_mul(31).wrapping_add(u64::from(v)));
    for i in 0..repeat {
        let mut random = i + 1;
        let input: Vec<u32> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) % 5_000
        })
        .take(1_000)
        .collect();
        let mut values = input.clone();
        quick(&mut values);
        sum = add(sum, &values);
        sum = add(sum, &merge(&input, &|a, b| (a % 100, a) < (b % 100, b)));
        values = input.clone();
        heap(&mut values);
        sum = add(sum, &values);
        values = input.clone();
        counting(&mut values, 5_000);
        sum = add(sum, &values);
        let mut reals: Vec<f64> = input.iter().map(|&v| f64::from(v).sqrt()).collect();
        quick(&mut reals);
        sum = sum.wrapping_add(reals[500] as u64);
        permute(&mut [1, 2, 3, 4, 5, i % 10], &mut sum);
    }
    println!("{sum}");
}
