//! Running programs in turn until their times are steady.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process;
use crate::statistics::spread;

/// How programs are timed.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// Rounds that are always run.
    pub rounds: usize,
    /// Rounds that are never exceeded.
    pub most_rounds: usize,
    /// The spread, the distance between quartiles over the median, above which a program is run again.
    pub spread: f64,
    /// The longest that one run may take.
    pub limit: Duration,
}

/// The seconds of one round for each program, where it was run.
pub type Round = Vec<Option<f64>>;

/// What was measured of some programs.
#[derive(Debug, Default)]
pub struct Times {
    /// The rounds, each with a time for every program that was run in it.
    pub rounds: Vec<Round>,
    /// For each program why it was given up, if it was.
    pub failures: Vec<Option<String>>,
}

/// Runs all programs in turn, as often as the plan says, and after that those that are not steady, each time beside the first
/// one, until they are or time is over. A first round warms caches and is dropped. A program that fails is given up. `once` runs a
/// program within a limit and says how many seconds it took.
///
/// # Errors
/// The first program fails, takes longer than it may, or does not print a time.
pub fn measure(
    programs: &[PathBuf],
    plan: &Plan,
    until: Instant,
    once: impl Fn(&PathBuf, Duration) -> Result<f64>,
) -> Result<Times> {
    let mut times = Times { rounds: Vec::new(), failures: vec![None; programs.len()] };
    let mut running = vec![true; programs.len()];
    for number in 0..=plan.most_rounds {
        if number > plan.rounds {
            running = unsteady(&times.rounds, plan.spread);
            if !running.contains(&true) || Instant::now() > until {
                break;
            }
            running[0] = true;
        }
        let mut round = Round::new();
        for (index, program) in programs.iter().enumerate() {
            let seconds = match (running[index] && times.failures[index].is_none()).then(|| once(program, plan.limit)) {
                Some(Err(error)) if index == 0 => return Err(error),
                Some(Err(error)) => {
                    times.failures[index] = Some(format!("{error:#}"));
                    None
                }
                Some(Ok(seconds)) => Some(seconds),
                None => None,
            };
            round.push(seconds);
        }
        if number > 0 {
            times.rounds.push(round);
        }
    }
    Ok(times)
}

/// The seconds that a program says its kernel took.
///
/// # Errors
/// It fails, takes longer than it may, or does not print a time.
pub fn once(program: &PathBuf, limit: Duration) -> Result<f64> {
    let done = process::must(&[OsString::from(program)], limit)?;
    seconds(&done.output).with_context(|| program.display().to_string())
}

/// The seconds in a program's output: the last word.
///
/// # Errors
/// It is no number.
pub fn seconds(output: &[u8]) -> Result<f64> {
    let text = String::from_utf8_lossy(output);
    let word = text.split_whitespace().last().context("no time was printed")?;
    match word.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        _ => bail!("no time was printed but '{word}'"),
    }
}

/// Which programs vary more than they may. The first has no share of its own: it is run whenever another is.
fn unsteady(rounds: &[Round], limit: f64) -> Vec<bool> {
    let programs = rounds.first().map_or(0, Vec::len);
    (0..programs).map(|program| spread(&column(rounds, program)) > limit).collect()
}

/// All times of a program.
pub fn column(rounds: &[Round], program: usize) -> Vec<f64> {
    rounds.iter().filter_map(|round| round[program]).collect()
}

/// How many times as fast as the first program another is, in each round in which it was run.
pub fn speedups(rounds: &[Round], program: usize) -> Vec<f64> {
    rounds.iter().filter_map(|round| Some(round[0]? / round[program]?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_the_last_number() {
        assert_eq!(seconds(b"0.250000\n").unwrap(), 0.25);
        assert_eq!(seconds(b"instances 3\n1.5\n").unwrap(), 1.5);
        assert!(seconds(b"").is_err() && seconds(b"x\n").is_err());
    }

    #[test]
    fn speedups_are_within_a_round() {
        let rounds = [vec![Some(2.0), Some(1.0)], vec![Some(4.0), Some(2.0)], vec![Some(3.0), None]];
        assert_eq!(speedups(&rounds, 1), [2.0, 2.0]);
        assert_eq!(column(&rounds, 1), [1.0, 2.0]);
    }

    #[test]
    fn what_varies_is_run_again() {
        let steady = |second: f64| vec![Some(1.0), Some(second)];
        assert_eq!(unsteady(&[steady(1.0), steady(1.01), steady(1.0)], 0.1), [false, false]);
        assert_eq!(unsteady(&[steady(1.0), steady(2.0), steady(3.0)], 0.1), [false, true]);
    }
}
