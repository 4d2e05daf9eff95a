//! The languages of the corpora: how a source becomes bitcode, bitcode an object file, and object files an executable.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};

use super::programs::Variant;
use crate::tools;

/// The language of a program's sources, and with it the machine that the program is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C, by clang.
    C,
    /// C++, by clang, with the machine's standard library.
    Cxx,
    /// Rust, by the rustc that is installed.
    Rust,
    /// C and OpenCL C for Nvidia's devices, by clang. What comes out is text in PTX, which is not run.
    Kernels,
    /// C++ for Windows, without any header. What comes out is assembler text.
    Windows,
    /// C++ for WebAssembly, without any header. What comes out is assembler text.
    Wasm,
}

/// The newest LLVM whose bitcode the optimizer reads.
const NEWEST_LLVM: u32 = 22;

/// The Rust file that an object file is linked with, relative to the repository.
const STUB: &str = "tests/corpus/rust/link/stub.rs";

impl Language {
    /// The extensions of source files that are compiled by themselves.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::C => &["c"],
            Self::Cxx | Self::Windows | Self::Wasm => &["cpp", "cc"],
            Self::Rust => &["rs"],
            Self::Kernels => &["c", "cl"],
        }
    }

    fn compiler(self) -> OsString {
        match self {
            Self::C | Self::Kernels => "clang-22".into(),
            Self::Cxx | Self::Windows | Self::Wasm => "clang++-22".into(),
            Self::Rust => std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()),
        }
    }

    /// What the compiler says about itself: other versions make other bitcode.
    ///
    /// # Errors
    /// The compiler cannot be run.
    pub fn version(self) -> Result<String> {
        static CLANG: OnceLock<String> = OnceLock::new();
        static RUST: OnceLock<String> = OnceLock::new();
        let (known, argument) = match self {
            Self::C | Self::Cxx | Self::Kernels | Self::Windows | Self::Wasm => (&CLANG, "--version"),
            Self::Rust => (&RUST, "-vV"),
        };
        once(known, || text(Command::new(self.compiler()).arg(argument)))
    }

    /// Why nothing in the language can be compiled here, if so.
    ///
    /// # Errors
    /// As [`Language::version`].
    pub fn unavailable(self) -> Result<Option<String>> {
        match self {
            Self::C | Self::Cxx | Self::Kernels | Self::Windows | Self::Wasm => Ok(None),
            Self::Rust => Ok(too_new(&self.version()?)),
        }
    }

    /// Whether programs in the language can be run here.
    pub fn is_run(self) -> bool {
        match self {
            Self::C | Self::Cxx | Self::Rust => true,
            Self::Kernels | Self::Windows | Self::Wasm => false,
        }
    }

    /// Clang's arguments for another machine.
    fn target(self) -> &'static [&'static str] {
        match self {
            Self::C | Self::Cxx | Self::Rust => &[],
            Self::Kernels => {
                &["--target=nvptx64-nvidia-cuda", "-march=sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx75"]
            }
            Self::Windows => {
                &["--target=x86_64-pc-windows-msvc", "-fms-extensions", "-fexceptions", "-fcxx-exceptions"]
            }
            Self::Wasm => &["--target=wasm32-unknown-unknown", "-fwasm-exceptions", "-mllvm", "-wasm-enable-eh"],
        }
    }

    /// The command that makes bitcode of a source.
    ///
    /// # Errors
    /// The language does not have the variant, or the compiler does not say where its libraries are.
    pub fn compile(
        self,
        variant: &Variant,
        flags: &[&str],
        includes: &[PathBuf],
        source: &Path,
        bitcode: &Path,
    ) -> Result<Command> {
        let mut command = Command::new(self.compiler());
        let of_variant = variant.flags(self).ok_or_else(|| anyhow!("there is no variant {} of it", variant.name))?;
        command.args(of_variant).args(flags);
        match self {
            Self::C | Self::Cxx | Self::Kernels | Self::Windows | Self::Wasm => {
                command.args(["-w", "-emit-llvm", "-c"]).args(self.target());
                for include in includes {
                    command.arg("-I").arg(include);
                }
                command.arg(source).arg("-o").arg(bitcode);
            }
            Self::Rust => {
                let own = own_path(bitcode);
                command.args(["-Ccodegen-units=1", "-Awarnings"]).arg(rust_library()?).arg(source);
                command.arg(format!("--emit=llvm-bc={},link={}", bitcode.display(), own.display()));
                // Without a folder its object files would lie in the current one, where those of several commands meet.
                command.arg("--out-dir").arg(bitcode.parent().context("bitcode has a folder")?);
            }
        }
        Ok(command)
    }

    /// The executable that the compiler made by itself beside the bitcode, if it did.
    pub fn own_executable(self, bitcode: &Path) -> Option<PathBuf> {
        match self {
            Self::C | Self::Cxx | Self::Kernels | Self::Windows | Self::Wasm => None,
            Self::Rust => Some(own_path(bitcode)),
        }
    }

    /// The command that makes an object file of a file of IR.
    ///
    /// The code generator runs without optimization: it is the fastest way, and it translates the IR as it stands, so that the
    /// comparison sees the optimizer's work and no cleverness after it.
    pub fn object(self, ir: &Path, object: &Path) -> Command {
        let mut llc = Command::new("llc-22");
        llc.args(["-O0", "-disable-verify"]);
        match self {
            Self::C | Self::Cxx | Self::Rust => llc.args(["-filetype=obj", "-relocation-model=pic"]),
            Self::Kernels => llc.args(["-mcpu=sm_80", "-mattr=+ptx75"]),
            Self::Windows => &mut llc,
            Self::Wasm => llc.args(["-wasm-enable-eh", "-exception-model=wasm", "-mattr=+exception-handling"]),
        };
        llc.arg(ir).arg("-o").arg(object);
        llc
    }

    /// The command that links an executable.
    ///
    /// # Errors
    /// The compiler does not say where its libraries are, or the language has no executables.
    pub fn link(self, objects: &[&Path], libs: &[&str], executable: &Path) -> Result<Command> {
        let mut command = Command::new(self.compiler());
        match self {
            Self::C | Self::Cxx => {
                command.args(objects).args(libs);
            }
            Self::Kernels | Self::Windows | Self::Wasm => bail!("nothing is linked for another machine"),
            Self::Rust => {
                command.args(["--edition=2024", "--crate-name=linked"]).arg(tools::root().join(STUB));
                command.arg("-Cprefer-dynamic").arg(rust_library()?);
                for object in objects {
                    command.arg("-Clink-arg=".to_owned() + &object.display().to_string());
                }
            }
        }
        command.arg("-o").arg(executable);
        Ok(command)
    }
}

/// Where the compiler's own executable lies beside bitcode, whether it has its final name or not.
fn own_path(bitcode: &Path) -> PathBuf {
    bitcode.with_extension("own")
}

/// How Rust programs find the standard library where it is a shared one.
fn rust_library() -> Result<String> {
    static FOLDER: OnceLock<String> = OnceLock::new();
    let compiler = Language::Rust.compiler();
    let folder = once(&FOLDER, || text(Command::new(compiler).args(["--print", "target-libdir"])))?;
    Ok(format!("-Clink-arg=-Wl,-rpath,{}", folder.trim_end()))
}

/// Says what is wrong when a rustc's LLVM is newer than ours.
fn too_new(version: &str) -> Option<String> {
    let number = version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    let major: u32 = number.split('.').next()?.parse().ok()?;
    (major > NEWEST_LLVM).then(|| format!("rustc's bitcode is that of LLVM {major}, newer than {NEWEST_LLVM}"))
}

/// The text of a cell, made at its first use.
fn once(cell: &OnceLock<String>, make: impl FnOnce() -> Result<String>) -> Result<String> {
    match cell.get() {
        Some(text) => Ok(text.clone()),
        None => {
            let text = make()?;
            Ok(cell.get_or_init(|| text).clone())
        }
    }
}

/// The output of a command as text.
fn text(command: &mut Command) -> Result<String> {
    String::from_utf8(tools::output(command)?).with_context(|| format!("no text came from: {}", tools::shown(command)))
}

#[cfg(test)]
mod tests {
    use super::too_new;

    #[test]
    fn newer_bitcode_is_left_out() {
        assert_eq!(too_new("rustc 1.95.0\nLLVM version: 22.1.2\n"), None);
        assert!(too_new("rustc 2.0.0\nLLVM version: 23.0.0\n").is_some());
    }
}
