//! `jlm-opt reduce`: shrinks a module that shows a fault.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use rvsdg_core::{Module, text};
use rvsdg_passes::Registry;
use rvsdg_reduce::{Progress, reduce, size};

use crate::arguments::Arguments;
use crate::driver;
use crate::files::Output;
use crate::progress::{self, State};

/// The command line of `jlm-opt reduce`.
#[derive(Parser, Debug)]
#[command(name = "jlm-opt reduce", about = "Shrinks a module as long as a test finds it interesting")]
pub struct ReduceArguments {
    /// LLVM IR as text or bitcode, or RVSDG text
    pub input: OsString,

    /// The test: a program that gets a file as its last argument; exit status 0 means that the file is interesting
    #[arg(long, value_name = "PROGRAM")]
    pub test: OsString,

    /// An argument of the test before the file; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub test_arg: Vec<OsString>,

    /// Where to write the smallest module
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub output: OsString,

    /// The format of the files for the test and of the output
    #[arg(long, value_enum, default_value_t = Kind::Llvm)]
    pub emit: Kind,
}

/// The form of a module.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// Textual LLVM IR, written from the graph alone
    Llvm,
    /// RVSDG text
    Rvsdg,
}

/// Does what the command line says.
///
/// # Errors
/// When the input is unreadable or wrong, the test cannot be run or does not find it interesting, or the output cannot be
/// written.
pub fn run(arguments: &ReduceArguments) -> Result<()> {
    let plain =
        Arguments::from_command_line([OsString::from("jlm-opt"), arguments.input.clone()], Registry::builtin())?;
    let module = driver::read(&plain)?;
    let folder = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let file = folder.path().join(match arguments.emit {
        Kind::Llvm => "reduced.ll",
        Kind::Rvsdg => "reduced.rvsdg",
    });
    let test = Test { arguments, plain: &plain, file };
    if !test.is_interesting(&module)? {
        bail!(
            "{}: the test does not find the input interesting as it comes out of the graph",
            plain.input.to_string_lossy()
        );
    }
    let before = size(&module);
    let mut failure = None;
    let mut is_interesting = |module: &Module| {
        failure.is_none()
            && test.is_interesting(module).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
    };
    let so_far = Arc::new(Mutex::new(Progress { tests: 0, nodes: before }));
    let known = so_far.clone();
    let shown = progress::show(Instant::now(), move || {
        let Progress { tests, nodes } = *known.lock().unwrap_or_else(PoisonError::into_inner);
        State { text: format!("{nodes} of {before} nodes after {tests} tests"), part: (0, 0) }
    });
    let mut note = |now: Progress| *so_far.lock().unwrap_or_else(PoisonError::into_inner) = now;
    let module = reduce(module, &mut is_interesting, &mut note);
    drop(shown);
    if let Some(error) = failure {
        return Err(error);
    }
    Output::new(&arguments.output).write(&test.bytes(&module)?)
}

/// The user's test.
struct Test<'a> {
    arguments: &'a ReduceArguments,
    plain: &'a Arguments,
    file: PathBuf,
}

impl Test<'_> {
    fn bytes(&self, module: &Module) -> Result<Vec<u8>> {
        match self.arguments.emit {
            Kind::Llvm => driver::write_text(self.plain, module.clone()),
            Kind::Rvsdg => Ok(text::print_module(module).into_bytes()),
        }
    }

    /// Whether the command ends with status 0. A module that cannot be written is not interesting.
    fn is_interesting(&self, module: &Module) -> Result<bool> {
        let Ok(bytes) = self.bytes(module) else { return Ok(false) };
        write(&self.file, &bytes)?;
        let program = &self.arguments.test;
        let status = Command::new(program)
            .args(&self.arguments.test_arg)
            .arg(&self.file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("the test {} cannot be run", program.to_string_lossy()))?;
        Ok(status.success())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::File::create(path)
        .and_then(|mut file| file.write_all(bytes))
        .with_context(|| format!("{} cannot be written", path.display()))
}
