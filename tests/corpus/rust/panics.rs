//! Panics that unwind and are caught: nested, with payloads, across destructors, iterators, trait objects and threads.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Says when it is made and dropped, and whether that happens during unwinding.
struct Guard(&'static str);

impl Guard {
    fn new(name: &'static str) -> Self {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        println!("{:1$}enter {name}", "", depth * 2);
        Guard(name)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        let how = if thread::panicking() { " while panicking" } else { "" };
        println!("{:1$}leave {2}{how}", "", depth * 2, self.0);
    }
}

fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        format!("str {text}")
    } else if let Some(text) = payload.downcast_ref::<String>() {
        format!("String {text}")
    } else if let Some(number) = payload.downcast_ref::<i32>() {
        format!("i32 {number}")
    } else {
        "something".to_owned()
    }
}

fn report<R: std::fmt::Debug>(name: &str, work: impl FnOnce() -> R) {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => println!("{name}: {value:?}"),
        Err(payload) => println!("{name}: panicked with {}", text(&*payload)),
    }
}

trait Step {
    fn run(&self, n: i32) -> i32;
}

struct Halve;
struct Checked<T>(T, i32);

impl Step for Halve {
    fn run(&self, n: i32) -> i32 {
        let _guard = Guard::new("halve");
        assert!(n % 2 == 0, "{n} is odd");
        n / 2
    }
}

impl<T: Step> Step for Checked<T> {
    fn run(&self, n: i32) -> i32 {
        let _guard = Guard::new("checked");
        if n == self.1 {
            panic::panic_any(n);
        }
        let result = self.0.run(n);
        [10, 20, 30][result as usize % 4] + result
    }
}

fn nested(level: u32) -> u32 {
    let _guard = Guard::new("nested");
    match catch_unwind(|| if level == 0 { panic!("innermost") } else { nested(level - 1) }) {
        Ok(value) => value + 1,
        Err(payload) if level % 2 == 0 => {
            println!("level {level} goes on with {}", text(&*payload));
            resume_unwind(payload)
        }
        Err(payload) => {
            println!("level {level} stops {}", text(&*payload));
            level * 100
        }
    }
}

/// A destructor that panics and catches its own panic, also while another one unwinds.
struct Bomb<'a>(&'a RefCell<Vec<String>>);

impl Drop for Bomb<'_> {
    fn drop(&mut self) {
        let log = self.0;
        let result = catch_unwind(AssertUnwindSafe(|| {
            if log.borrow().len() < 3 {
                panic!("bomb {}", log.borrow().len());
            }
        }));
        let panicking = thread::panicking();
        log.borrow_mut().push(match result {
            Ok(()) => format!("quiet, panicking {panicking}"),
            Err(payload) => format!("{}, panicking {panicking}", text(&*payload)),
        });
    }
}

/// Of a half-built array only what was built is dropped.
struct Part(usize);

impl Drop for Part {
    fn drop(&mut self) {
        print!("~{} ", self.0);
    }
}

fn parts(count: usize, fails_at: usize) -> [Part; 5] {
    std::array::from_fn(|i| {
        assert!(i != fails_at, "part {i} of {count}");
        Part(i)
    })
}

fn main() {
    panic::set_hook(Box::new(|info| {
        let line = info.location().map_or(0, panic::Location::line);
        println!("hook: {} at line {}", text(info.payload()), if line > 0 { "known" } else { "unknown" });
    }));

    let steps: [Box<dyn Step>; 3] = [Box::new(Halve), Box::new(Checked(Halve, 8)), Box::new(Checked(Checked(Halve, 6), 4))];
    for (index, step) in steps.iter().enumerate() {
        for n in [4, 5, 6, 8, 60] {
            report(&format!("step {index} of {n}"), || step.run(n));
        }
    }
    for level in 0..4 {
        report("nested", || nested(level));
    }

    let log = RefCell::new(Vec::new());
    report("bombs", || {
        let _bombs = [Bomb(&log), Bomb(&log)];
        let _another = Bomb(&log);
        if log.borrow().is_empty() {
            panic!("with bombs around");
        }
    });
    drop(Bomb(&log));
    println!("{:?}", log.borrow());

    report("parts", || parts(5, 3).len());
    report("all parts", || parts(5, 9).iter().map(|part| part.0).sum::<usize>());
    report("arithmetic", || {
        let zero = std::hint::black_box(0);
        10 / zero
    });
    report("index", || {
        let v = vec![1, 2, 3];
        v[std::hint::black_box(3)]
    });
    report("unwrap", || "12x".parse::<i32>().unwrap());
    report("expect", || None::<u8>.expect("a value"));
    report("slice", || "héllo"[std::hint::black_box(2)..].len());
    report("borrow", || {
        let cell = RefCell::new(1);
        let _first = cell.borrow_mut();
        let second = *cell.borrow();
        second
    });
    report("capacity", || Vec::<u64>::with_capacity(std::hint::black_box(usize::MAX)).len());
    report("collect", || (0..10).map(|n| if n == 7 { panic!("at {n}") } else { vec![n; 3] }).collect::<Vec<_>>());
    report("sort", || {
        let mut words: Vec<String> = (0..20).map(|n| (n * 7 % 20).to_string()).collect();
        let mut comparisons = 0;
        let result = catch_unwind(AssertUnwindSafe(|| {
            words.sort_by(|a, b| {
                comparisons += 1;
                assert!(comparisons < 30, "enough");
                a.cmp(b)
            });
        }));
        words.sort();
        (result.is_err(), words.concat())
    });

    let mutex = Arc::new(Mutex::new(5));
    let lock = Arc::new(RwLock::new(String::from("shared")));
    for fail in [false, true] {
        let (mutex, lock) = (mutex.clone(), lock.clone());
        let result = thread::spawn(move || {
            let _guard = Guard::new("thread");
            let mut number = mutex.lock().unwrap();
            let text = lock.read().unwrap();
            *number += 1;
            assert!(!fail, "in a thread with {text}");
            *number
        })
        .join();
        match result {
            Ok(number) => println!("joined {number}"),
            Err(payload) => println!("thread panicked: {}", text(&*payload)),
        }
    }
    println!("poisoned {} {}", mutex.is_poisoned(), lock.is_poisoned());
    println!("{}", *mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    report("scope", || {
        thread::scope(|scope| {
            let handles: Vec<_> = (0..3).map(|n| scope.spawn(move || if n == 1 { panic!("{n}") } else { n })).collect();
            handles.into_iter().map(|handle| handle.join().unwrap_or(-1)).collect::<Vec<i32>>()
        })
    });
    println!("depth {}", DEPTH.get());
}
