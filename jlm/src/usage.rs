//! What the process and its threads use of the machine.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rvsdg_passes::Usage;

/// What the process has used so far, on all its threads.
pub fn process() -> Usage {
    of(UsageWho::RUSAGE_SELF)
}

/// What the calling thread has used so far; memory is the process's.
pub fn thread() -> Usage {
    of(UsageWho::RUSAGE_THREAD)
}

fn of(who: UsageWho) -> Usage {
    let Ok(usage) = getrusage(who) else { return Usage::default() };
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    Usage {
        cpu: Duration::from_micros(micros.try_into().unwrap_or(0)),
        peak_kib: usage.max_rss().try_into().unwrap_or(0),
    }
}
