//! At which size a kernel is timed: one of its data sets, or sizes between and beyond them, such that the baseline takes
//! about as long as asked for.
//!
//! Data sets are the points 0, 1, 2, … of a line. Between two of them every macro grows geometrically; beyond the last, all macros
//! double from point to point. The logarithm of the time is nearly linear on each piece, so that interpolation finds the place
//! in few steps.

use anyhow::Result;

use crate::kernels::{DATASETS, Kernel, Sizes};

/// The time that is good enough is within this factor of the one asked for.
const TOLERANCE: f64 = 1.5;

/// How often a place is guessed.
const GUESSES: usize = 8;

/// The sizes chosen for a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The data set's name, or between which the sizes are.
    pub label: String,
    /// The macros.
    pub sizes: Sizes,
    /// What the baseline took, in seconds.
    pub seconds: f64,
}

/// A place on the line, and the time there.
#[derive(Copy, Clone)]
struct Point {
    at: f64,
    seconds: f64,
}

/// Finds sizes for a kernel, of which `time` measures the seconds of the baseline at some sizes; a run that takes too long may
/// be cut short, and its time so far be given.
///
/// # Errors
/// What `time` says.
pub fn choose(kernel: &Kernel, target: f64, mut time: impl FnMut(&Sizes) -> Result<f64>) -> Result<Choice> {
    let last = DATASETS.len() - 1;
    let mut measure = |at: f64| -> Result<Choice> {
        let sizes = at_point(kernel, at);
        let seconds = time(&sizes)?;
        Ok(Choice { label: label(at), sizes, seconds })
    };
    let good = |seconds: f64, target: f64| seconds >= target / TOLERANCE && seconds <= target * TOLERANCE;
    let mut low = Point { at: 0.0, seconds: 1e-6 };
    let mut high = None;
    // From SMALL upward, since MINI is shorter than the clock is fine.
    for at in 1..=last {
        let choice = measure(at as f64)?;
        if good(choice.seconds, target) {
            return Ok(choice);
        }
        let point = Point { at: at as f64, seconds: choice.seconds.max(1e-6) };
        if point.seconds > target {
            high = Some(point);
            break;
        }
        low = point;
    }
    let mut best: Option<Choice> = None;
    for _ in 0..GUESSES {
        let at = match high {
            Some(high) => {
                let share = (target / low.seconds).ln() / (high.seconds / low.seconds).ln();
                low.at + (high.at - low.at) * share.clamp(0.05, 0.95)
            }
            // Where all macros double, time grows at least fourfold.
            None => low.at + ((target / low.seconds).log2() / 2.0).clamp(0.05, 1.0),
        };
        let choice = measure(at)?;
        let point = Point { at, seconds: choice.seconds.max(1e-6) };
        let closer = best.as_ref().is_none_or(|best| distance(choice.seconds, target) < distance(best.seconds, target));
        if closer {
            best = Some(choice);
        }
        if good(point.seconds, target) {
            break;
        }
        if point.seconds > target { high = Some(point) } else { low = point }
    }
    Ok(best.expect("at least one guess was made"))
}

fn distance(seconds: f64, target: f64) -> f64 {
    (seconds.max(1e-6) / target).ln().abs()
}

/// What a place is called.
fn label(at: f64) -> String {
    let below = at.floor() as usize;
    match (DATASETS.get(below), DATASETS.get(below + 1)) {
        (Some(name), _) if at.fract() == 0.0 => (*name).to_owned(),
        (Some(low), Some(high)) => format!("{low}–{high}"),
        _ => format!("over {}", DATASETS[DATASETS.len() - 1]),
    }
}

/// The macros at a place of the line.
fn at_point(kernel: &Kernel, at: f64) -> Sizes {
    let below = (at.floor() as usize).min(DATASETS.len() - 1);
    let low = &kernel.datasets[DATASETS[below]];
    let share = at - below as f64;
    if share == 0.0 {
        return low.clone();
    }
    let high = DATASETS.get(below + 1).map(|name| &kernel.datasets[*name]);
    let between = |name: &String, low: u64| {
        let factor = high.map_or(2.0, |high| high[name] as f64 / low as f64);
        (name.clone(), round(low as f64 * factor.powf(share)))
    };
    low.iter().map(|(name, &low)| between(name, low)).collect()
}

/// Two significant digits, as the data sets have: that also keeps off powers of two, which caches treat badly.
fn round(size: f64) -> u64 {
    let unit = 10_f64.powf((size.log10().floor() - 1.0).max(0.0));
    ((size / unit).round() * unit).max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        let sizes = |n: u64| Sizes::from([("N".to_owned(), n)]);
        let names = DATASETS.iter().map(|name| (*name).to_owned());
        let datasets = names.zip([20, 60, 200, 1000, 2000].map(sizes)).collect();
        Kernel { name: "k".into(), path: "k.c".into(), file: "k.c".into(), datasets }
    }

    fn cubic(scale: f64) -> impl FnMut(&Sizes) -> Result<f64> {
        move |sizes| Ok((sizes["N"] as f64).powi(3) * scale)
    }

    #[test]
    fn a_data_set_that_fits_is_taken() {
        let choice = choose(&kernel(), 0.2, cubic(2.5e-8)).unwrap();
        assert_eq!((choice.label.as_str(), choice.sizes["N"]), ("MEDIUM", 200));
    }

    #[test]
    fn sizes_between_data_sets() {
        let choice = choose(&kernel(), 0.2, cubic(1e-9)).unwrap();
        assert_eq!(choice.label, "MEDIUM–LARGE");
        assert!(choice.seconds > 0.13 && choice.seconds < 0.3, "{choice:?}");
    }

    #[test]
    fn a_fast_kernel_gets_more_than_the_largest() {
        for scale in [1e-11, 1e-12, 1e-13] {
            let choice = choose(&kernel(), 0.3, cubic(scale)).unwrap();
            assert_eq!(choice.label, "over EXTRALARGE");
            assert!(choice.seconds >= 0.2 && choice.seconds < 0.45, "{choice:?}");
        }
    }

    #[test]
    fn a_run_that_was_cut_short_is_above() {
        let mut time = cubic(1e-6);
        let choice = choose(&kernel(), 0.2, |sizes| Ok(time(sizes)?.min(2.0))).unwrap();
        assert!(choice.seconds > 0.1 && choice.seconds < 0.4, "{choice:?}");
    }

    #[test]
    fn rounding_keeps_two_digits() {
        assert_eq!([7.2, 87.4, 347.0, 1264.0].map(round), [7, 87, 350, 1300]);
    }
}
