//! Runs the optimizer on the IR files and checks the results.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::build::{Built, folder};
use super::configs::{Check, Config};
use super::listing::{Listing, Strictness};
use super::reference::{self, Test};
use super::stats::Statistics;
use crate::tools;

/// A program in a variant, optimized in one configuration.
pub struct Cell<'a> {
    /// The program and the variant.
    pub built: &'a Built,
    /// The configuration.
    pub config: &'static Config,
}

/// What came of a cell.
#[derive(Default)]
pub struct Outcome {
    /// Time spent in the configuration's commands, over all files.
    pub time: Duration,
    /// Sums over the files, where the optimizer wrote them.
    pub statistics: Statistics,
    /// Files that came out as the very same machine code.
    pub same_code: usize,
    /// Files that were left out and took no part in the program.
    pub skipped: usize,
    /// Runs that were compared; where nothing is run, functions of the generated code.
    pub runs: usize,
    /// What went wrong; each names the file or test and holds a command to see it again.
    pub failures: Vec<String>,
}

/// Seconds after which the optimizer counts as hanging.
const OPTIMIZER_LIMIT: &str = "300";

impl Cell<'_> {
    /// The name of the cell, as failures show it.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.built.program.name, self.built.variant.name, self.config.name)
    }

    /// Whether the configuration says something about the variant.
    pub fn applies(&self) -> bool {
        // Code that is not run is compared by its calls, on which LLVM's inlining of what was `noinline` has a say of its own.
        (self.config.check != Check::Strip || self.built.variant.has_debug)
            && (self.config.steps.len() < 3 || !self.config.has_passes() || self.built.program.language.is_run())
    }

    fn base(&self) -> PathBuf {
        folder().join("out").join(self.name())
    }

    fn path(&self, unit: usize, extension: &str) -> PathBuf {
        self.base().join(format!("{}.{extension}", self.built.located.units[unit].name))
    }
}

/// What came of one file.
#[derive(Default)]
struct File {
    time: Duration,
    statistics: Statistics,
    same_code: bool,
    skipped: bool,
    functions: usize,
}

/// Runs the cells, files in parallel; the outcomes are in the cells' order.
///
/// # Errors
/// What an earlier run left cannot be removed.
pub fn run(cells: &[Cell], optimizer: &Path, jobs: usize) -> Result<Vec<Outcome>> {
    for base in cells.iter().map(Cell::base).filter(|base| base.exists()) {
        std::fs::remove_dir_all(&base).with_context(|| format!("cannot empty {}", base.display()))?;
    }
    let mut files: Vec<(usize, usize)> =
        cells.iter().enumerate().flat_map(|(i, c)| (0..c.built.bitcode.len()).map(move |unit| (i, unit))).collect();
    let size =
        |&(cell, unit): &(usize, usize)| std::fs::metadata(&cells[cell].built.bitcode[unit]).map_or(0, |m| m.len());
    files.sort_by_key(|file| std::cmp::Reverse(size(file)));
    let results = tools::parallel(jobs, &files, |&(cell, unit)| one_file(&cells[cell], unit, optimizer));

    let mut outcomes: Vec<Outcome> = cells.iter().map(|_| Outcome::default()).collect();
    for (&(cell, unit), result) in files.iter().zip(results) {
        let outcome = &mut outcomes[cell];
        match result {
            Ok(file) => {
                outcome.time += file.time;
                outcome.statistics.add(&file.statistics);
                outcome.same_code += usize::from(file.same_code);
                outcome.skipped += usize::from(file.skipped);
                outcome.runs += file.functions;
            }
            Err(error) => {
                let name = &cells[cell].built.located.units[unit].name;
                outcome.failures.push(format!("{} {name}: {error:#}", cells[cell].name()));
            }
        }
    }

    let mut executables = Vec::new();
    for (index, (cell, outcome)) in cells.iter().zip(&outcomes).enumerate() {
        if cell.config.check == Check::Behaviour && outcome.failures.is_empty() {
            executables.extend((0..cell.built.located.executables.len()).map(|executable| (index, executable)));
        }
    }
    let compared = tools::parallel(jobs, &executables, |&(cell, executable)| compare(&cells[cell], executable));
    for (&(cell, _), result) in executables.iter().zip(compared) {
        match result {
            Ok(runs) => outcomes[cell].runs += runs,
            Err(error) => outcomes[cell].failures.push(format!("{}: {error:#}", cells[cell].name())),
        }
    }
    Ok(outcomes)
}

/// Sends one file through the optimizer and checks it by itself.
fn one_file(cell: &Cell, unit: usize, optimizer: &Path) -> Result<File> {
    std::fs::create_dir_all(cell.base())?;
    match cell.config.check {
        Check::Behaviour => behaviour(cell, unit, optimizer),
        Check::Threads => threads(cell, unit, optimizer),
        Check::Strip => stripped(cell, unit, optimizer),
    }
}

/// Verifies the output and makes an object file of it.
fn behaviour(cell: &Cell, unit: usize, optimizer: &Path) -> Result<File> {
    let [out, object, stats] = ["bc", "o", "stats.json"].map(|extension| cell.path(unit, extension));
    let start = Instant::now();
    let done = steps(cell.config.steps, optimizer, &cell.built.bitcode[unit], &out, &stats, &[]);
    let mut file = File { time: start.elapsed(), ..File::default() };
    if cell.config.has_statistics() && stats.exists() {
        file.statistics = Statistics::read(&stats, &cell.built.located.units[unit].name)?;
    }
    let reference = reference::object_path(cell.built, unit);
    if cell.config.needs_every_body && !file.statistics.untouched.is_empty() {
        file.skipped = true;
        std::fs::copy(reference, &object)?;
        return Ok(file);
    }
    done?;
    if cell.config.has_statistics() && !stats.exists() {
        bail!("no statistics were written to {}", stats.display());
    }
    verify(&out)?;
    reference::object(cell.built.program, &out, &object)?;
    let [seen, expected] = [tools::read(&object)?, tools::read(&reference)?];
    file.same_code = seen == expected;
    file.functions = compare_listings(cell, unit, optimizer)?;
    Ok(file)
}

/// Compares the listing of a unit's generated code with the one without the optimizer; returns how many functions it describes.
/// There is nothing to compare where programs are run instead.
fn compare_listings(cell: &Cell, unit: usize, optimizer: &Path) -> Result<usize> {
    let object = cell.path(unit, "o");
    let strictness = if cell.config.has_passes() { Strictness::Interface } else { Strictness::Exact };
    let listing = |path: &Path| -> Result<Option<Listing>> {
        Ok(Listing::of(cell.built.program.language, &tools::read(path)?, strictness))
    };
    let Some(seen) = listing(&object)? else { return Ok(0) };
    let mut reference = reference::object_path(cell.built, unit);
    if let Some(llvm) = cell.config.llvm_alone() {
        // LLVM's passes find address spaces.
        let alone = cell.path(unit, "alone.bc");
        steps(&[&llvm], optimizer, &cell.built.bitcode[unit], &alone, &cell.path(unit, "alone.json"), &[])?;
        reference = cell.path(unit, "alone.o");
        reference::object(cell.built.program, &alone, &reference)?;
    }
    if let Some(difference) = listing(&reference)?.and_then(|expected| expected.difference(&seen)) {
        bail!("the code shows something else: diff {} {}\n{difference}", reference.display(), object.display());
    }
    Ok(seen.functions)
}

/// Compares the outputs for different numbers of threads.
fn threads(cell: &Cell, unit: usize, optimizer: &Path) -> Result<File> {
    let input = &cell.built.bitcode[unit];
    let start = Instant::now();
    let mut first: Option<(Vec<u8>, PathBuf)> = None;
    for (name, arguments) in [("any", &[][..]), ("one", &["--threads=1"]), ("two", &["--threads=2"])] {
        let out = cell.path(unit, &format!("{name}.bc"));
        steps(cell.config.steps, optimizer, input, &out, &cell.path(unit, "stats.json"), arguments)?;
        let bytes = tools::read(&out)?;
        match &first {
            Some((other, path)) if *other != bytes => bail!("{} and {} differ", path.display(), out.display()),
            Some(_) => {}
            None => first = Some((bytes, out)),
        }
    }
    Ok(File { time: start.elapsed(), ..File::default() })
}

/// Compares the output without its debug information with the output for the input without it.
fn stripped(cell: &Cell, unit: usize, optimizer: &Path) -> Result<File> {
    let input = &cell.built.bitcode[unit];
    let [bare_input, of_debug, of_bare, stats] =
        ["in.bc", "debug.bc", "bare.bc", "stats.json"].map(|extension| cell.path(unit, extension));
    strip(input, &bare_input, false)?;
    let start = Instant::now();
    steps(cell.config.steps, optimizer, input, &of_debug, &stats, &[])?;
    steps(cell.config.steps, optimizer, &bare_input, &of_bare, &stats, &[])?;
    let time = start.elapsed();
    let [debug_text, bare_text] = [&of_debug, &of_bare].map(|path| path.with_extension("ll"));
    strip(&of_debug, &debug_text, true)?;
    strip(&of_bare, &bare_text, true)?;
    if without_name(&tools::read(&debug_text)?) != without_name(&tools::read(&bare_text)?) {
        bail!("different without debug information: diff {} {}", debug_text.display(), bare_text.display());
    }
    Ok(File { time, ..File::default() })
}

/// Runs commands of a configuration on a file, with `more` arguments for the optimizer.
fn steps(steps: &[&str], optimizer: &Path, input: &Path, out: &Path, stats: &Path, more: &[&str]) -> Result<()> {
    let temporary = out.with_extension("between");
    let text = |path: &Path| path.display().to_string();
    let replacements = [
        ("{jlm-opt}", text(optimizer)),
        ("{opt}", "opt-22".to_owned()),
        ("{llvm-dis}", "llvm-dis-22".to_owned()),
        ("{in}", text(input)),
        ("{out}", text(out)),
        ("{tmp}", text(&temporary)),
        ("{stats}", text(stats)),
    ];
    for step in steps {
        let mut command = Command::new("timeout");
        command.arg(OPTIMIZER_LIMIT);
        for word in step.split_whitespace() {
            let place = |word: String, (name, value): &(&str, String)| word.replace(name, value);
            command.arg(replacements.iter().fold(word.to_owned(), place));
        }
        if step.starts_with("{jlm-opt}") {
            command.args(more);
        }
        tools::output(&mut command)?;
    }
    Ok(())
}

/// LLVM's verifier must accept a file without a word: about broken debug information it only warns.
fn verify(ir: &Path) -> Result<()> {
    let mut command = Command::new("opt-22");
    command.args(["-passes=verify", "-disable-output"]).arg(ir);
    let (_, said) = tools::both_outputs(&mut command)?;
    if !said.trim().is_empty() {
        bail!("the verifier complains: {}\n{}", tools::shown(&command), tools::last_lines(&said, 10));
    }
    Ok(())
}

/// Removes debug information, and writes text or bitcode.
fn strip(ir: &Path, out: &Path, as_text: bool) -> Result<()> {
    let mut command = Command::new("opt-22");
    command.args(["-strip-debug", "-passes=verify"]).args(as_text.then_some("-S")).arg(ir).arg("-o").arg(out);
    tools::output(&mut command).map(drop)
}

/// A module's text without its first line, which holds the file's name.
fn without_name(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    &text[end..]
}

/// Links an executable from the cell's object files and compares its runs with the reference's; returns their number.
fn compare(cell: &Cell, index: usize) -> Result<usize> {
    let executable = &cell.built.located.executables[index];
    let objects: Vec<PathBuf> = executable.units.iter().map(|&unit| cell.path(unit, "o")).collect();
    let path = cell.base().join("bin").join(&executable.name);
    std::fs::create_dir_all(path.parent().context("executables have a folder")?)?;
    reference::link(cell.built.program, &objects.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &path)?;
    let tests = reference::tests(cell.built.program)?;
    // The same program behaves the same; only its name differs, which none of them prints.
    if tools::read(&path)? == tools::read(&reference::executable_path(cell.built, index))? {
        return Ok(tests.len());
    }
    for test in &tests {
        let cwd = folder().join("run").join(cell.name()).join(format!("{}-{}", executable.name, test.name));
        let expected = reference::known_behaviour(cell.built, index, test)?;
        let seen = reference::behaviour(&path, test, &cwd)?;
        if seen != expected {
            let command = tools::shown(&reference::run_command(&path, test, &cwd));
            let difference = reference::difference(&expected, &seen);
            let guilty = guilty_files(cell, index, test, &expected)?;
            bail!("{} behaves differently: {command}\n{difference}\n  by itself guilty: {guilty}", executable.name);
        }
    }
    Ok(tests.len())
}

/// The files each of which, linked with the reference's other files, makes a test differ.
fn guilty_files(cell: &Cell, index: usize, test: &Test, expected: &[u8]) -> Result<String> {
    let executable = &cell.built.located.executables[index];
    let path = cell.base().join("bin").join(format!("{}.mixed", executable.name));
    let cwd = folder().join("run").join(cell.name()).join(format!("{}-{}-mixed", executable.name, test.name));
    let mut guilty = Vec::new();
    for &suspect in &executable.units {
        let object = |&unit: &usize| {
            if unit == suspect { cell.path(unit, "o") } else { reference::object_path(cell.built, unit) }
        };
        let objects: Vec<PathBuf> = executable.units.iter().map(object).collect();
        reference::link(cell.built.program, &objects.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &path)?;
        if reference::behaviour(&path, test, &cwd)? != expected {
            guilty.push(cell.path(suspect, "bc").display().to_string());
        }
    }
    Ok(if guilty.is_empty() { "none".to_owned() } else { guilty.join(", ") })
}
