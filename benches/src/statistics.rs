//! Medians, spreads, means and fits.

/// The median of some measurements.
///
/// # Panics
/// When there are none.
pub fn median<T: Copy + PartialOrd>(measurements: &[T]) -> T {
    let sorted = sorted(measurements);
    sorted[sorted.len() / 2]
}

/// The distance between the quartiles, as a share of the median; 0 for fewer than two measurements.
pub fn spread(measurements: &[f64]) -> f64 {
    if measurements.len() < 2 {
        return 0.0;
    }
    let sorted = sorted(measurements);
    (quantile(&sorted, 0.75) - quantile(&sorted, 0.25)) / quantile(&sorted, 0.5)
}

/// The geometric mean of positive numbers; nothing when there are none.
pub fn geometric_mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for number in numbers {
        sum += number.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The arithmetic mean; nothing when there are no numbers.
pub fn mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for number in numbers {
        sum += number;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// A line through points, by least squares.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Line {
    /// What y grows by when x grows by one.
    pub slope: f64,
    /// The share of y's variance that the line explains.
    pub r2: f64,
}

/// The line through points, by least squares; its numbers are not finite where all x are the same.
pub fn fit(points: &[(f64, f64)]) -> Line {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / count;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in points {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    Line { slope: xy / xx, r2: xy * xy / (xx * yy) }
}

fn sorted<T: Copy + PartialOrd>(measurements: &[T]) -> Vec<T> {
    let mut sorted = measurements.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("measurements are comparable"));
    sorted
}

/// A quantile of sorted numbers, between two of them by proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_spread_ignore_one_outlier() {
        let runs = [1.0, 1.01, 1.0, 0.99, 9.0];
        assert_eq!(median(&runs), 1.0);
        assert!(spread(&runs) < 0.02);
        assert_eq!(spread(&[1.0]), 0.0);
    }

    #[test]
    fn spread_is_relative() {
        assert!((spread(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn means() {
        assert!((geometric_mean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert_eq!(mean([2.0, 8.0]), Some(5.0));
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn fit_of_a_line_is_the_line() {
        let line = fit(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((line.slope - 2.0).abs() < 1e-12 && (line.r2 - 1.0).abs() < 1e-12);
    }
}
