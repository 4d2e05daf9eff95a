//! The languages of the corpora: how a source becomes bitcode, bitcode an object file, and object files an executable.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::Result;

use super::programs::Variant;
use crate::tools;

/// The language of a program's sources, and with it the machine that the program is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C, by clang.
    C,
    /// C++, by clang, with the machine's standard library.
    Cxx,
}

impl Language {
    /// The extensions of source files that are compiled by themselves.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::C => &["c"],
            Self::Cxx => &["cpp", "cc"],
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Self::C => "clang-22",
            Self::Cxx => "clang++-22",
        }
    }

    /// What the compiler says about itself: other versions make other bitcode.
    ///
    /// # Errors
    /// The compiler cannot be run.
    pub fn version(self) -> Result<String> {
        static CLANG: OnceLock<String> = OnceLock::new();
        let (known, argument) = match self {
            Self::C | Self::Cxx => (&CLANG, "--version"),
        };
        if let Some(version) = known.get() {
            return Ok(version.clone());
        }
        let said = tools::output(Command::new(self.compiler()).arg(argument))?;
        Ok(known.get_or_init(|| String::from_utf8_lossy(&said).into_owned()).clone())
    }

    /// The command that makes bitcode of a source; nothing if the language does not have the variant.
    pub fn compile(
        self,
        variant: &Variant,
        flags: &[&str],
        includes: &[PathBuf],
        source: &Path,
        bitcode: &Path,
    ) -> Option<Command> {
        let mut command = Command::new(self.compiler());
        command.args(variant.flags(self)?).args(flags);
        match self {
            Self::C | Self::Cxx => {
                command.args(["-w", "-emit-llvm", "-c"]);
                for include in includes {
                    command.arg("-I").arg(include);
                }
                command.arg(source).arg("-o").arg(bitcode);
            }
        }
        Some(command)
    }

    /// The command that makes an object file of a file of IR.
    ///
    /// The code generator runs without optimization: it is the fastest way, and it translates the IR as it stands, so that the
    /// comparison sees the optimizer's work and no cleverness after it.
    pub fn object(self, ir: &Path, object: &Path) -> Command {
        let mut llc = Command::new("llc-22");
        llc.args(["-O0", "-disable-verify"]);
        match self {
            Self::C | Self::Cxx => llc.args(["-filetype=obj", "-relocation-model=pic"]),
        };
        llc.arg(ir).arg("-o").arg(object);
        llc
    }

    /// The command that links an executable.
    pub fn link(self, objects: &[&Path], libs: &[&str], executable: &Path) -> Command {
        let mut command = Command::new(self.compiler());
        match self {
            Self::C | Self::Cxx => command.args(objects).args(libs).arg("-o").arg(executable),
        };
        command
    }
}
