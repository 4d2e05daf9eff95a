//! Limits of a run: bisection, and a budget.

use std::str::FromStr;
use std::time::Duration;

/// A bisection limit: a number of executions, the last of which may be limited to its first rewrites.
///
/// ```
/// use rvsdg_passes::BisectLimit;
///
/// let limit: BisectLimit = "7.3".parse()?;
/// assert_eq!((limit.executions, limit.rewrites), (7, Some(3)));
/// assert!("seven".parse::<BisectLimit>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BisectLimit {
    /// How many executions are carried out, the last one possibly in part.
    pub executions: u64,
    /// How many rewrites the last of them makes; `None` for all.
    pub rewrites: Option<u64>,
}

impl BisectLimit {
    /// What remains of the limit after this many executions.
    pub fn after(self, executions: u64) -> BisectLimit {
        let left = self.executions.saturating_sub(executions);
        BisectLimit { executions: left, rewrites: self.rewrites.filter(|_| left > 0) }
    }
}

impl FromStr for BisectLimit {
    type Err = String;

    /// `7`, or `7.3` for six executions and three rewrites of the seventh.
    fn from_str(text: &str) -> Result<BisectLimit, String> {
        let (executions, rewrites) = match text.split_once('.') {
            Some((executions, rewrites)) => (executions, Some(rewrites)),
            None => (text, None),
        };
        let number =
            |text: &str| text.parse().map_err(|_| format!("{text:?} is not a number of executions or rewrites"));
        Ok(BisectLimit { executions: number(executions)?, rewrites: rewrites.map(number).transpose()? })
    }
}

/// The budget of a run. When it is spent, passes stop: the module is valid and has the same meaning, but is less optimized.
///
/// ```
/// use std::time::Duration;
///
/// use rvsdg_passes::{Budget, Manager};
///
/// // For a JIT: at most a thousand rewrites in each function, and nothing new after 20 ms.
/// let budget = Budget { rewrites: Some(1000), time: Some(Duration::from_millis(20)) };
/// let manager = Manager { budget, ..Manager::default() };
/// # let _ = manager;
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// How many [rewrites](crate::PassCx::rewrite) are made in each body, and separately by module passes. The result is the same on
    /// every machine and for any number of threads. `None` for no limit.
    pub rewrites: Option<u64>,
    /// For how long, from the start of the run, rewrites are made and executions begun. The result depends on the machine. `None` for no
    /// limit.
    pub time: Option<Duration>,
}
