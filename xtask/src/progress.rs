//! What a terminal shows of long work: how many of its parts are done, in a line that is gone afterwards. Elsewhere nothing is shown.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long work may take before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often what is shown is brought up to date.
const INTERVAL: Duration = Duration::from_millis(200);

/// The line that is shown, so that others can be printed above it.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Work that is shown until this is dropped.
pub struct Shown {
    done: Arc<AtomicUsize>,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Shown {
    /// None of `parts` parts is done.
    pub fn of(parts: usize) -> Shown {
        let done = Arc::new(AtomicUsize::new(0));
        let thread = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = mpsc::channel();
            let done = done.clone();
            let work = move || {
                if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
                let style = ProgressStyle::with_template("{spinner} {wide_bar} {pos}/{len}, {eta} left");
                bar.set_style(style.expect("the template is right"));
                *line() = Some(bar.clone());
                while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    bar.set_position(done.load(Ordering::Relaxed) as u64);
                    bar.tick();
                }
                *line() = None;
                bar.finish_and_clear();
            };
            (stop, std::thread::spawn(work))
        });
        Shown { done, thread }
    }

    /// One part more is done.
    pub fn add(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            // What is shown is not worth a failure.
            let _ = thread.join();
        }
    }
}

/// Prints a line to standard error while work may be shown there.
pub fn say(text: &str) {
    match &*line() {
        Some(bar) => bar.suspend(|| eprintln!("{text}")),
        None => eprintln!("{text}"),
    }
}

fn line() -> std::sync::MutexGuard<'static, Option<ProgressBar>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::tools;

    /// Set for a test that is started by another, and then does something that takes long.
    const WORKS: &str = "RVSDG_TEST_OF_PROGRESS";

    #[test]
    fn work() {
        if std::env::var_os(WORKS).is_some() {
            tools::parallel(2, &[1, 2, 3, 4], |number| {
                std::thread::sleep(Duration::from_millis(900));
                say(&format!("number {number}"));
            });
        }
    }

    fn test() -> String {
        format!("{} progress::tests::work --exact --nocapture", std::env::current_exe().unwrap().display())
    }

    #[test]
    fn a_terminal_shows_it() {
        let mut script = Command::new("script");
        script.args(["-qefc", &test(), "/dev/null"]).env(WORKS, "").env("TERM", "xterm").stdin(Stdio::null());
        let output = script.output().expect("script can be started");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{shown}");
        assert!(shown.contains("2/4, ") && shown.contains("number 4"), "{shown}");
    }

    #[test]
    fn a_pipe_does_not() {
        let output = Command::new("sh").args(["-c", &test()]).env(WORKS, "").output().expect("sh can be started");
        let mut lines: Vec<String> = String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(lines, ["number 1", "number 2", "number 3", "number 4"]);
    }
}
