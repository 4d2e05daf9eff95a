//! What a terminal shows while something takes long: one line, which is gone afterwards.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is shown of a work.
pub struct State {
    /// What is done.
    pub text: String,
    /// How much of it is done, and how much there is; 0 is unknown.
    pub part: (u64, u64),
}

/// How long a run may take before anything is shown, and a part of it, so that nothing flickers.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(200));

/// How often what is shown is brought up to date.
const INTERVAL: Duration = Duration::from_millis(100);

/// A work that is shown until this is dropped.
pub struct Shown {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Shows how far a part of a run is that began at `since`, as soon as the run takes long. Nothing is shown where standard error is not a
/// terminal. Nobody may print to it before [`Shown`] is dropped.
pub fn show(since: Instant, state: impl Fn() -> State + Send + 'static) -> Shown {
    if !std::io::stderr().is_terminal() {
        return Shown { thread: None };
    }
    let (stop, stopped) = mpsc::channel();
    let wait = PATIENCE.0.saturating_sub(since.elapsed()).max(PATIENCE.1);
    let work = move || {
        if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let [spinner, with_bar] = ["{spinner} {msg}", "{spinner} {msg} {wide_bar} {percent} %"]
            .map(|template| ProgressStyle::with_template(template).expect("the template is right"));
        loop {
            let State { text, part: (done, all) } = state();
            bar.set_style(if all > 0 { with_bar.clone() } else { spinner.clone() });
            bar.set_length(all);
            bar.set_position(done);
            bar.set_message(text);
            bar.tick();
            if stopped.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
                bar.finish_and_clear();
                return;
            }
        }
    };
    // If no thread can be started, there is no display.
    let thread = std::thread::Builder::new().spawn(work).ok();
    Shown { thread: thread.map(|thread| (stop, thread)) }
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
