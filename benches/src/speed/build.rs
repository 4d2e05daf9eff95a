//! From a source to what it must print, and to a program for each configuration.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::catalogue::{Language, Source};
use crate::build::{Files, Program, program};
use crate::configs::{Config, FRONT_END};
use crate::process::{self, words};

/// The longest that a compiler may take.
const LIMIT: Duration = Duration::from_secs(120);

/// A Rust source without anything of its own: with it rustc links an object file with the standard library.
const STUB: &str = "#![no_main]\n";

/// What is to be built, and with what.
pub struct Builder<'a> {
    /// The source.
    pub source: &'a Source,
    /// Where files go.
    pub folder: PathBuf,
    /// Our optimizer.
    pub jlm_opt: &'a Path,
}

impl Builder<'_> {
    /// What the program must print: what it prints when the compiler translates it without optimization.
    ///
    /// # Errors
    /// It cannot be translated, or does not end well.
    pub fn expected(&self, argument: &str, limit: Duration) -> Result<Vec<u8>> {
        let mut compiler = match self.source.language {
            Language::C | Language::Cxx => words(["clang++-22", "-O0", "-ffp-contract=off", "-w"]),
            Language::Rust => words(["rustc", "-Copt-level=0", "-Cdebug-assertions=off", "-Awarnings"]),
        };
        compiler.extend(self.dialect());
        if self.source.language == Language::C {
            compiler[0] = "clang-22".into();
        }
        let output = self.cached(compiler, &format!("{argument}.expected"), |mut compiler, path| {
            let executable = path.with_extension("unoptimized");
            compiler.extend([self.source.path.clone().into(), "-o".into(), executable.clone().into()]);
            compiler.extend(self.libraries());
            process::must(&compiler, LIMIT)?;
            let done = process::must(&super::command(&executable, argument), limit)?;
            process::write(path, &done.output)
        })?;
        std::fs::read(&output).with_context(|| output.display().to_string())
    }

    /// A program for each configuration, or why there is none.
    ///
    /// # Errors
    /// The front end fails.
    pub fn programs(&self, configs: &[Config]) -> Result<Vec<Result<Program>>> {
        let raw: Vec<PathBuf> = configs.iter().map(|config| self.bitcode(&config.front_end)).collect::<Result<_>>()?;
        let stub = self.folder.join("stub.rs");
        process::write(&stub, STUB.as_bytes())?;
        let one = |(number, config): (usize, &Config)| {
            let name = format!("column{number}");
            let files = Files { input: &raw[number], folder: &self.folder, name: &name };
            program(config, self.jlm_opt, &files, |object, executable| {
                let mut linker = match self.source.language {
                    Language::C => words(["clang-22".as_ref(), object]),
                    Language::Cxx => words(["clang++-22".as_ref(), object]),
                    Language::Rust => {
                        let object = format!("-Clink-arg={}", object.display());
                        words(["rustc", "--edition=2024", "--crate-name=linked", &object, &stub.to_string_lossy()])
                    }
                };
                linker.extend(["-o".into(), executable.into()]);
                linker.extend(self.libraries());
                linker
            })
        };
        Ok(configs.par_iter().enumerate().map(one).collect())
    }

    /// The IR from which every optimizer starts: nothing was optimized in it, but the front end said all that it knows.
    fn bitcode(&self, flags: &[String]) -> Result<PathBuf> {
        let mut front_end = match self.source.language {
            Language::C | Language::Cxx => {
                let mut clang = words(FRONT_END.iter());
                clang.extend(words(flags));
                clang.extend(words(["-emit-llvm", "-c"]));
                clang
            }
            Language::Rust => {
                let level = if flags.iter().any(|flag| flag == "-Os") { "s" } else { "3" };
                let level = format!("-Copt-level={level}");
                words(["rustc", &level, "-Cno-prepopulate-passes", "-Ccodegen-units=1", "-Awarnings"])
            }
        };
        front_end.extend(self.dialect());
        self.cached(front_end, "bc", |mut front_end, path| {
            front_end.push(self.source.path.clone().into());
            match self.source.language {
                Language::C | Language::Cxx => front_end.extend(["-o".into(), path.into()]),
                Language::Rust => {
                    front_end.extend([format!("--emit=llvm-bc={}", path.display()).into(), "--out-dir".into()]);
                    front_end.push(self.folder.clone().into());
                }
            }
            process::must(&front_end, LIMIT)?;
            Ok(())
        })
    }

    fn dialect(&self) -> Vec<OsString> {
        match self.source.language {
            Language::C => Vec::new(),
            Language::Cxx => words(["-std=c++20"]),
            Language::Rust => words(["--edition=2024", "--crate-name=measured"]),
        }
    }

    fn libraries(&self) -> Vec<OsString> {
        match self.source.language {
            Language::C | Language::Cxx => words(["-lm"]),
            Language::Rust => Vec::new(),
        }
    }

    /// A file that depends on the source and on a command and is made only once for them.
    fn cached(
        &self,
        command: Vec<OsString>,
        extension: &str,
        make: impl FnOnce(Vec<OsString>, &Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let text = std::fs::read(&self.source.path).with_context(|| self.source.path.display().to_string())?;
        let mut hasher = DefaultHasher::new();
        (text, &command).hash(&mut hasher);
        let path = self.folder.join(format!("{:016x}.{extension}", hasher.finish()));
        if !path.exists() {
            std::fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
            let unfinished = path.with_extension("unfinished");
            make(command, &unfinished)?;
            std::fs::rename(&unfinished, &path).with_context(|| path.display().to_string())?;
        }
        Ok(path)
    }
}
