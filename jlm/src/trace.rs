//! `-time-trace`: when each stage, pass and function was worked on, in the form that Chrome's `about:tracing`, Perfetto and speedscope read. LLVM's own
//! events are among them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rvsdg_passes::usage::Cost;
use serde_json::{Value, json};

/// The rows of sums have numbers from here on.
const FIRST_SUM: u64 = 1000;

/// What happened when.
pub struct Trace {
    start: Instant,
    /// The same in microseconds since 1970.
    started: u64,
    granularity: Duration,
    events: Vec<Event>,
    /// The time and number of events by name, also of those that are too short to be kept.
    sums: BTreeMap<String, (Duration, u64)>,
}

struct Event {
    name: String,
    detail: String,
    start: Instant,
    wall: Duration,
    thread: usize,
}

impl Trace {
    /// Begins. Events that take less than the granularity are only summed up.
    pub fn begin(granularity: Duration) -> Trace {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let trace = Trace {
            start: Instant::now(),
            started: started.try_into().unwrap_or(u64::MAX),
            granularity,
            events: Vec::new(),
            sums: BTreeMap::new(),
        };
        rvsdg_llvm::begin_time_trace(granularity);
        trace
    }

    /// Something was executed, if it was.
    pub fn executed(&mut self, name: &str, detail: &str, cost: Cost) {
        let Some(start) = cost.start else { return };
        let (time, count) = self.sums.entry(name.to_owned()).or_default();
        *time += cost.wall;
        *count += 1;
        if cost.wall >= self.granularity {
            let (name, detail) = (name.to_owned(), detail.to_owned());
            self.events.push(Event { name, detail, start, wall: cost.wall, thread: cost.thread });
        }
    }

    /// A stage of the run is over.
    pub fn stage(&mut self, name: &str, start: Instant, wall: Duration) {
        self.events.push(Event { name: name.to_owned(), detail: String::new(), start, wall, thread: 0 });
    }

    /// All of it as JSON.
    pub fn finish(self) -> String {
        let pid = std::process::id();
        let event = |thread: u64, start: u64, wall: Duration, name: &str, args: Value| json!({"pid": pid, "tid": thread, "ph": "X", "ts": start, "dur": micros(wall), "name": name, "args": args});
        let mut events: Vec<Value> = Vec::new();
        for Event { name, detail, start, wall, thread } in &self.events {
            let start = micros(start.saturating_duration_since(self.start));
            events.push(event(*thread as u64, start, *wall, name, json!({ "detail": detail })));
        }
        let mut row = FIRST_SUM;
        for (name, (time, count)) in &self.sums {
            let average = time.as_secs_f64() * 1000.0 / *count as f64;
            let args = json!({"count": count, "avg ms": average});
            events.push(event(row, 0, *time, &format!("Total {name}"), args));
            row += 1;
        }
        // What LLVM did, it did on the thread that reads and writes; its sums have a row each.
        let llvm: Value = serde_json::from_str(&rvsdg_llvm::end_time_trace()).unwrap_or_default();
        for event in llvm["traceEvents"].as_array().into_iter().flatten().filter(|event| event["ph"] != "M") {
            let is_sum = event["name"].as_str().is_some_and(|name| name.starts_with("Total "));
            let mut event = event.clone();
            event["tid"] = json!(if is_sum { row } else { 0 });
            row += u64::from(is_sum);
            events.push(event);
        }
        let named = |what: &str, thread: u64, name: String| json!({"pid": pid, "tid": thread, "ph": "M", "ts": 0, "cat": "", "name": what, "args": {"name": name}});
        events.push(named("process_name", 0, "jlm-opt".to_owned()));
        events.push(named("thread_name", 0, "main".to_owned()));
        for thread in 1..=self.events.iter().map(|event| event.thread).max().unwrap_or_default() {
            events.push(named("thread_name", thread as u64, format!("worker {thread}")));
        }
        json!({"traceEvents": events, "beginningOfTime": self.started}).to_string()
    }
}

fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap_or(u64::MAX)
}
