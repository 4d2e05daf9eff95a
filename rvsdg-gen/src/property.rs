//! Runs properties over generated inputs: the number of cases, shrinking, and the record of a failing case.
//!
//! A property is a function that panics where it does not hold. Its input is [generated](crate::entropy) from bytes, which
//! proptest makes and shrinks. The smallest input found goes as text into the folder `tests/regressions` of the crate under
//! test, where the crate's tests find it from then on.
//!
//! `PROPTEST_CASES` says how many cases each property gets, `PROPTEST_RNG_SEED`, a number, which ones; without it they are always the
//! same. CI takes the seed from the revision, and what a failure says repeats it. A property that held prints how many cases there were,
//! which `cargo xtask nightly` adds up. With `RVSDG_UNSHRUNK` set it is enough that a property fails: the first counterexample is neither
//! made smaller nor kept.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed, TestError, TestRng, TestRunner};
use rvsdg_core::Module;
use rvsdg_core::text::{parse_module, print_module};

use crate::entropy::Entropy;

/// Cases of each property unless the environment sets another number.
pub const CASES: u32 = 1_000;

/// How many cases each property gets.
pub fn cases() -> u32 {
    asked_for().unwrap_or(CASES)
}

fn shrinks() -> bool {
    std::env::var_os("RVSDG_UNSHRUNK").is_none()
}

/// Whether the number of cases per property is the default, so that tests may rely on what all cases cover together.
pub fn has_usual_cases() -> bool {
    asked_for().is_none()
}

fn asked_for() -> Option<u32> {
    std::env::var("PROPTEST_CASES").ok()?.parse().ok()
}

/// Checks a property of the inputs that `make` makes from up to `bytes` bytes.
///
/// # Panics
/// When the property does not hold, with the smallest counterexample found, as `show` shows it.
#[track_caller]
pub fn for_all<T>(bytes: usize, make: impl Fn(&mut Entropy<'_>) -> T, show: impl Fn(&T) -> String, holds: impl Fn(&T)) {
    for_some(1, bytes, make, show, holds);
}

/// As [`for_all`], for one case of each `of`: for properties that take long.
///
/// # Panics
/// As [`for_all`].
#[track_caller]
pub fn for_some<T>(
    of: u32,
    bytes: usize,
    make: impl Fn(&mut Entropy<'_>) -> T,
    show: impl Fn(&T) -> String,
    holds: impl Fn(&T),
) {
    let count = cases().div_ceil(of.max(1));
    let holds_of = |bytes: Vec<u8>| holds(&make(&mut Entropy::of_bytes(&bytes)));
    if let Err((reason, input)) = search(count, &choices(bytes), holds_of) {
        panic!("{reason}\n{}", show(&make(&mut Entropy::of_bytes(&input))));
    }
}

/// Checks a property of the values of a strategy of proptest's.
///
/// # Panics
/// When the property does not hold, with the smallest counterexample found.
#[track_caller]
pub fn for_values<S: Strategy>(strategy: &S, holds: impl Fn(S::Value)) {
    if let Err((reason, value)) = search(cases(), strategy, holds) {
        panic!("{reason}\n{value:?}");
    }
}

/// What makes a counterexample smaller: a module, and whether one is still a counterexample.
pub type Shrink = fn(Module, &mut dyn FnMut(&Module) -> bool) -> Module;

/// Checks a property of modules that `make` makes of up to `bytes` bytes.
///
/// # Panics
/// When the property does not hold; the smallest counterexample found is then a file below `folder`, the crate's
/// `CARGO_MANIFEST_DIR`.
#[track_caller]
pub fn for_all_modules(
    folder: &str,
    name: &str,
    bytes: usize,
    make: impl Fn(&mut Entropy<'_>) -> Module,
    holds: impl Fn(&Module),
) {
    for_all_modules_shrunk(folder, name, bytes, 1, |module, _| module, make, holds);
}

/// Like [`for_all_modules`], with `times` as many cases unless the environment sets their number; counterexamples are shrunk once more.
///
/// # Panics
/// As [`for_all_modules`].
#[track_caller]
pub fn for_all_modules_shrunk(
    folder: &str,
    name: &str,
    bytes: usize,
    times: u32,
    shrink: Shrink,
    make: impl Fn(&mut Entropy<'_>) -> Module,
    holds: impl Fn(&Module),
) {
    let count = asked_for().unwrap_or(CASES * times);
    let holds_of = |bytes: Vec<u8>| holds(&make(&mut Entropy::of_bytes(&bytes)));
    let Err((reason, input)) = search(count, &choices(bytes), holds_of) else { return };
    let fails = |module: &Module| catch_unwind(AssertUnwindSafe(|| holds(module))).is_err();
    let counterexample = make(&mut Entropy::of_bytes(&input));
    if !shrinks() {
        panic!("{reason}\n{counterexample}");
    }
    // What is left must fail once it was read from a file.
    let is_one = &mut |module: &Module| parse_module(&print_module(module)).is_ok_and(|parsed| fails(&parsed));
    let smallest = if is_one(&counterexample) { shrink(counterexample, is_one) } else { counterexample };
    let text = print_module(&smallest);
    let number = text.bytes().fold(0xcbf2_9ce4_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let path = regressions(folder).join(format!("{name}-{number:08x}.rvsdg"));
    let written = std::fs::create_dir_all(regressions(folder)).and_then(|()| std::fs::write(&path, &text));
    panic!("{reason}\n{} ({written:?})\n{text}", path.display());
}

/// Checks the properties of all modules that once were counterexamples, with the names of their files.
///
/// # Panics
/// When a file cannot be read, or a property does not hold.
pub fn for_all_regressions(folder: &str, holds: impl Fn(&str, &Module)) {
    let Ok(entries) = std::fs::read_dir(regressions(folder)) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rvsdg"));
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        eprintln!("{}", path.display());
        holds(&path.file_stem().unwrap_or_default().to_string_lossy(), &module);
    }
}

fn regressions(folder: &str) -> PathBuf {
    Path::new(folder).join("tests/regressions")
}

/// Looks for bytes for which a property does not hold, among the first cases of [`for_all`], `cases` at most: the number of cases tried,
/// and the bytes.
pub fn counterexample(bytes: usize, cases: u32, holds: impl Fn(&[u8])) -> Option<(u32, Vec<u8>)> {
    let count = Cell::new(0);
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 0, ..Default::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(&choices(bytes), |bytes| {
        count.set(count.get() + 1);
        holds(&bytes);
        Ok(())
    });
    match result {
        Err(TestError::Fail(_, bytes)) => Some((count.get(), bytes)),
        _ => None,
    }
}

/// Up to `bytes` bytes.
fn choices(bytes: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..bytes.max(1))
}

/// Looks for a value with which `holds` panics; the reason and the smallest found. Without one, it says how many it tried.
fn search<S: Strategy>(cases: u32, strategy: &S, holds: impl Fn(S::Value)) -> Result<(), (String, S::Value)> {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: if shrinks() { 20_000 } else { 0 },
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    };
    let (again, mut runner) = match config.rng_seed {
        RngSeed::Fixed(seed) => (format!("\n(again with PROPTEST_RNG_SEED={seed})"), TestRunner::new(config)),
        RngSeed::Random => {
            (String::new(), TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)))
        }
    };
    let result = runner.run(strategy, |value| {
        holds(value);
        Ok(())
    });
    match result {
        Ok(()) => {
            let thread = std::thread::current();
            println!("{}: {cases} cases", thread.name().unwrap_or_default());
            Ok(())
        }
        Err(TestError::Fail(reason, value)) => Err((format!("{reason}{again}"), value)),
        Err(TestError::Abort(reason)) => panic!("{reason}{again}"),
    }
}
