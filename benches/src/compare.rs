//! Programs of one source under several configurations, checked and timed beside each other.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::build::Program;
use crate::configs::{CONTROL, Config};
use crate::results::{Cell, Measurement};
use crate::statistics::{median, spread};
use crate::timing::{self, Times};

/// The programs of one source.
pub struct Candidates<'a> {
    /// Those that could be built, the one that others are compared with first.
    built: Vec<(&'a Config, Program)>,
    /// For each of them an earlier one with the same code.
    twins: Vec<Option<usize>>,
    /// Why others could not be built.
    failed: Vec<(&'a Config, String)>,
}

impl<'a> Candidates<'a> {
    /// The programs that configurations made, or why they made none.
    pub fn new(configs: Vec<&'a Config>, programs: Vec<Result<Program>>) -> Self {
        let (mut built, mut failed) = (Vec::new(), Vec::new());
        for (config, program) in configs.into_iter().zip(programs) {
            match program {
                Ok(program) => built.push((config, program)),
                Err(error) => failed.push((config, format!("{error:#}"))),
            }
        }
        let twins = (0..built.len()).map(|index| twin(&built, index)).collect();
        Candidates { built, twins, failed }
    }

    /// What `work` says of each program that was built; a program with the same code as an earlier one is left out.
    pub fn each_distinct<T: Send>(&self, work: impl Fn(&Program) -> T + Sync) -> Vec<Option<T>> {
        self.built
            .par_iter()
            .zip(&self.twins)
            .map(|((_, program), twin)| twin.is_none().then(|| work(program)))
            .collect()
    }

    /// One cell for each configuration. `wrong` says of each program that was built why it must not be timed, `time` times programs,
    /// the first one the one that others are compared with.
    ///
    /// # Errors
    /// The first program cannot be timed.
    pub fn cells(
        &self,
        wrong: &[Option<String>],
        time: impl FnOnce(&[PathBuf]) -> Result<Times>,
    ) -> Result<BTreeMap<String, Cell>> {
        let Candidates { built, twins, failed } = self;
        let fail = |(config, why): &(&Config, String)| (config.name.clone(), Cell::Failed { why: why.clone() });
        let mut cells: BTreeMap<String, Cell> = failed.iter().map(fail).collect();
        let timed: Vec<usize> =
            (0..built.len()).filter(|&index| twins[index].is_none() && wrong[index].is_none()).collect();
        let files: Vec<PathBuf> = timed.iter().map(|&index| built[index].1.executable.clone()).collect();
        let times = time(&files)?;
        for (index, (config, program)) in built.iter().enumerate() {
            let original = twins[index].unwrap_or(index);
            if let Some(why) = &wrong[original] {
                cells.insert(config.name.clone(), Cell::Failed { why: why.clone() });
                continue;
            }
            let place = timed.iter().position(|&other| other == original).context("what has no twin was timed")?;
            let cell = match &times.failures[place] {
                Some(why) => Cell::Failed { why: why.clone() },
                None => {
                    let seconds = timing::column(&times.rounds, place);
                    Cell::Measured(Measurement {
                        same_code_as: twins[index].map(|twin| built[twin].0.name.clone()),
                        median: median(&seconds),
                        spread: spread(&seconds),
                        speedup: median(&timing::speedups(&times.rounds, place)),
                        seconds,
                        text_bytes: program.text_bytes,
                        optimizer_seconds: program.optimizer_seconds,
                    })
                }
            };
            cells.insert(config.name.clone(), cell);
        }
        Ok(cells)
    }
}

/// An earlier program with the same code; the second column of the baseline has none, since it is there to be timed.
fn twin(built: &[(&Config, Program)], index: usize) -> Option<usize> {
    let (config, program) = &built[index];
    if config.name == CONTROL {
        return None;
    }
    built[..index].iter().position(|(_, other)| other.object == program.object)
}
