//! From a kernel's source to a program: front end, baseline, optimizer, code generator, linker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::configs::{BASELINE_PASSES, CODE_GENERATOR, Config, FRONT_END};
use crate::kernels::{Kernel, Place, Sizes, definitions};
use crate::process::{self, Done, words};

/// The longest that an optimizer or a compiler may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What tells PolyBench's sources what the program is for: to print how long the kernel takes, and its arrays with all digits when it is
/// called in the way that [`crate::run`] does.
const PURPOSE: [&str; 2] = ["-DPOLYBENCH_TIME", "-DPOLYBENCH_DUMP_EXACT"];

/// What is to be built, and with what.
pub struct Builder<'a> {
    /// Where the sources are.
    pub place: &'a Place,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Where files go.
    pub folder: PathBuf,
    /// Our optimizer.
    pub jlm_opt: &'a Path,
}

/// A program, and what is known about it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable file.
    pub executable: PathBuf,
    /// The kernel's object file, byte for byte.
    pub object: Vec<u8>,
    /// The size of its text sections.
    pub text_bytes: u64,
    /// Processor time of the optimizer in seconds.
    pub optimizer_seconds: f64,
}

impl Builder<'_> {
    /// A program for each configuration, or why there is none.
    ///
    /// # Errors
    /// The front end fails, or a tool is missing.
    pub fn programs(&self, configs: &[&Config], sizes: &Sizes) -> Result<Vec<Result<Program>>> {
        let mut front_ends: Vec<&[String]> = Vec::new();
        for config in configs {
            if !front_ends.contains(&config.front_end.as_slice()) {
                front_ends.push(&config.front_end);
            }
        }
        let baselines: Vec<PathBuf> = front_ends
            .par_iter()
            .enumerate()
            .map(|(index, flags)| self.baseline(flags, sizes, &format!("front{index}")))
            .collect::<Result<_>>()?;
        let utilities = self.utilities()?;
        Ok(configs
            .par_iter()
            .enumerate()
            .map(|(index, config)| {
                let front_end = front_ends.iter().position(|flags| *flags == config.front_end.as_slice());
                let baseline = &baselines[front_end.context("every front end was run")?];
                let files = Files { input: baseline, folder: &self.folder, name: &format!("config{index}") };
                program(config, self.jlm_opt, &files, |object, executable| {
                    let mut link = words(["clang-22".as_ref(), object, &utilities]);
                    link.extend(["-lm".into(), "-o".into(), executable.into()]);
                    link
                })
            })
            .collect())
    }

    /// The IR from which every optimizer starts.
    ///
    /// # Errors
    /// The front end fails.
    pub fn baseline(&self, flags: &[String], sizes: &Sizes, name: &str) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        let raw = self.folder.join(format!("{name}.raw.bc"));
        let path = self.folder.join(format!("{name}.base.bc"));
        let mut clang = words(FRONT_END.iter());
        clang.extend(words(flags));
        clang.extend(self.place.includes(self.kernel));
        clang.extend(definitions(sizes));
        clang.extend(words(PURPOSE));
        clang.extend(words(["-emit-llvm", "-c"]));
        clang.extend([self.place.source(self.kernel).into(), "-o".into(), raw.clone().into()]);
        process::must(&clang, LIMIT)?;
        let mut opt = words(["opt-22", BASELINE_PASSES]);
        opt.extend([raw.into(), "-o".into(), path.clone().into()]);
        process::must(&opt, LIMIT)?;
        Ok(path)
    }

    /// The object file of the timer and the allocator. Times are those of the processor where the sources let us choose:
    /// what else the machine does must not count.
    fn utilities(&self) -> Result<PathBuf> {
        let object = self.folder.join("utilities.o");
        let mut clang = words(["clang-22", "-O2", "-w", "-c", "-DPOLYBENCH_CLOCK=CLOCK_PROCESS_CPUTIME_ID"]);
        clang.extend(words(PURPOSE));
        clang.extend(self.place.includes(self.kernel));
        clang.extend([self.place.utilities().into(), "-o".into(), object.clone().into()]);
        process::must(&clang, LIMIT)?;
        Ok(object)
    }
}

/// Where a program's IR is, and where what is made of it goes.
pub struct Files<'a> {
    /// The IR from which the optimizer starts.
    pub input: &'a Path,
    /// The folder of what is made.
    pub folder: &'a Path,
    /// What the files that are made are called; the program has no extension.
    pub name: &'a str,
}

/// The program that a configuration makes of IR. The linker's command is made from the object file and the program's path.
///
/// # Errors
/// A tool fails or is missing.
pub fn program(
    config: &Config,
    jlm_opt: &Path,
    files: &Files<'_>,
    linker: impl FnOnce(&Path, &Path) -> Vec<OsString>,
) -> Result<Program> {
    let optimized = files.folder.join(format!("{}.bc", files.name));
    let object = files.folder.join(format!("{}.o", files.name));
    let executable = files.folder.join(files.name);
    let mut optimizer_seconds = 0.0;
    let optimized = if config.optimizer.is_empty() {
        files.input
    } else {
        let done = optimize(config, jlm_opt, files.input, &optimized).context("optimizer")?;
        optimizer_seconds = done.cpu;
        &optimized
    };
    let mut llc = words(CODE_GENERATOR.iter());
    llc.extend(words(&config.code_generator));
    llc.extend([optimized.into(), "-o".into(), object.clone().into()]);
    process::must(&llc, LIMIT).context("code generator")?;
    process::must(&linker(&object, &executable), LIMIT).context("linker")?;
    let text_bytes = text_bytes(&object)?;
    let object = std::fs::read(&object)?;
    Ok(Program { executable, object, text_bytes, optimizer_seconds })
}

/// Runs a configuration's optimizer on a file.
///
/// # Errors
/// It fails, or does not write its output.
pub fn optimize(config: &Config, jlm_opt: &Path, input: &Path, output: &Path) -> Result<Done> {
    let (jlm_opt, input, written) = (jlm_opt.to_string_lossy(), input.to_string_lossy(), output.to_string_lossy());
    let replaced = |word: &String| {
        OsString::from(word.replace("{jlm-opt}", &jlm_opt).replace("{in}", &input).replace("{out}", &written))
    };
    // What an earlier run left must not be taken for this one's.
    let _ = std::fs::remove_file(output);
    let command: Vec<OsString> = config.optimizer.iter().map(replaced).collect();
    let done = process::run(&command, LIMIT)??;
    std::fs::metadata(output).context("nothing was written")?;
    Ok(done)
}

/// The size of an object file's text sections.
fn text_bytes(object: &Path) -> Result<u64> {
    let mut size = words(["llvm-size-22", "-A"]);
    size.push(object.into());
    let output = String::from_utf8(process::must(&size, LIMIT)?.output)?;
    Ok(sum_of_text(&output))
}

/// The sum over the rows of `llvm-size -A` whose section is text.
fn sum_of_text(table: &str) -> u64 {
    table
        .lines()
        .filter(|line| line.starts_with(".text"))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_is_the_sum_of_text_sections() {
        let table = "a.o  :\nsection  size  addr\n.text  100  0\n.text.unlikely  20  0\n.rodata  7  0\nTotal  127\n";
        assert_eq!(super::sum_of_text(table), 120);
    }
}
