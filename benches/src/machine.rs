//! What was measured on, and with.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::process::{self, words};

/// The machine and the tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// What LLVM calls it.
    pub target: String,
    /// Cores that the run may use.
    pub cores: usize,
    /// Memory in GiB.
    pub memory: u64,
    /// The operating system and its kernel.
    pub system: String,
    /// LLVM's version.
    pub llvm: String,
    /// The revision of this repository, with a mark where files were changed.
    pub revision: String,
}

impl Machine {
    /// This machine. What cannot be found out is empty.
    pub fn this() -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or("unknown system");
        let opt = said(&["opt-22", "--version"]);
        let kib = field(&memory, "MemTotal").and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        Machine {
            processor: field(&cpu, "model name").unwrap_or_default(),
            target: field(&opt, "Host CPU").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: kib.unwrap_or(0).div_ceil(1 << 20),
            system: format!("{}, {}", name.trim_matches('"'), said(&["uname", "-sr"]).trim()),
            llvm: opt.lines().next().unwrap_or_default().trim().to_owned(),
            revision: said(&["git", "-C", &process::root().to_string_lossy(), "describe", "--always", "--dirty"])
                .trim()
                .to_owned(),
        }
    }
}

/// The mean number of processes that wanted a processor during the last minute.
pub fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// Today's date in Greenwich, as 2026-01-31.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// The date of a day since 1970-01-01, by the rules of the Gregorian calendar with years that begin in March.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The text after `name :`.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.trim_start().starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// What a program prints; nothing when it fails.
fn said(command: &[&str]) -> String {
    let limit = std::time::Duration::from_secs(10);
    match process::run(&words(command), limit) {
        Ok(Ok(done)) => String::from_utf8_lossy(&done.output).into_owned(),
        Ok(Err(_)) | Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(19_782), "2024-02-29");
        assert_eq!(date(20_778), "2026-11-21");
    }

    #[test]
    fn fields() {
        assert_eq!(field("a : 1\nmodel name\t: X Y\n", "model name").as_deref(), Some("X Y"));
    }
}
