//! `jlc`: a compiler driver that replaces clang.
//!
//! It runs clang with the optimizer as a pass plugin that replaces LLVM's optimizations: every flag, language and step of a build is
//! clang's, and so is code generation at the requested level. Below -O1 nothing is optimized. If the optimizer fails, clang compiles
//! alone, with a remark.
//!
//! For NVIDIA GPUs (`--target=nvptx64`) it passes to clang what clang otherwise finds in a CUDA installation: the PTX version that the
//! processor needs and, for `--gpu-lib=`, libraries of device functions. An output that ends in `.ptx` is assembly.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

mod gpu;

/// The environment variable that names the clang to use.
const CLANG: &str = "JLC_CLANG";

/// The environment variable that tells the plugin where to record a failure.
const FAILURE_FILE: &str = "RVSDG_FAILURE_FILE";

/// The version of LLVM that the plugin fits.
const MAJOR: &str = "22";

/// The request of a command line.
#[derive(Debug, PartialEq, Eq)]
struct Invocation {
    /// The driver's mode, unless the user gives one.
    mode: Option<&'static str>,
    /// Options of the optimizer, as the plugin takes them.
    optimizer: Vec<OsString>,
    /// All else, for clang.
    clang: Vec<OsString>,
}

/// Runs the compiler; the exit status.
///
/// # Errors
/// If clang or the plugin is missing or `-Xrvsdg` lacks its value. Clang reports its own errors.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<ExitCode> {
    let invocation = Invocation::read(arguments)?;
    let clang = clang()?;
    if invocation.is_internal() {
        return Ok(code(start(Command::new(&clang).args(&invocation.clang))?));
    }
    let plugin = plugin()?;
    let notes = TempDir::new().context("cannot make a temporary folder")?;
    let note = notes.path().join("failure");
    let mut command = Command::new(&clang);
    command.args(invocation.mode).args(additions(&plugin, &invocation.optimizer)).args(&invocation.clang);
    let status = start(command.env(FAILURE_FILE, &note))?;
    let status = match failure(status, &note) {
        Some(reason) => {
            eprintln!("jlc: remark: {reason}; compiling without the optimizer");
            start(Command::new(&clang).args(invocation.mode).args(&invocation.clang))?
        }
        None => status,
    };
    if invocation.clang.iter().any(|argument| argument == "--version") {
        println!("jlc {}, an RVSDG optimizer in place of LLVM's", env!("CARGO_PKG_VERSION"));
    }
    Ok(code(status))
}

impl Invocation {
    /// Reads a command line, the program's name included.
    fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation> {
        let mut arguments = arguments.into_iter();
        let program = arguments.next().unwrap_or_default();
        let name = Path::new(&program).file_stem().unwrap_or(&program).as_encoded_bytes().to_owned();
        let mut invocation = Invocation { mode: None, optimizer: Vec::new(), clang: Vec::new() };
        let mut has_mode = false;
        while let Some(argument) = arguments.next() {
            if argument == "-Xrvsdg" {
                let Some(option) = arguments.next() else { bail!("-Xrvsdg: expected an option of the optimizer") };
                invocation.optimizer.push(plugin_option(&option));
                continue;
            }
            if let Some(library) = gpu::library(&argument) {
                invocation.clang.extend(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"].map(OsString::from));
                invocation.clang.push(library);
                continue;
            }
            has_mode |= argument.as_encoded_bytes().starts_with(b"--driver-mode=");
            invocation.clang.push(argument);
        }
        let told = gpu::additions(&invocation.clang);
        invocation.clang.extend(told);
        invocation.mode = (name.ends_with(b"++") && !has_mode).then_some("--driver-mode=g++");
        Ok(invocation)
    }

    /// Whether this is a step that clang runs under its own name: it gets nothing added twice.
    fn is_internal(&self) -> bool {
        self.clang.first().is_some_and(|first| first == "-cc1" || first == "-cc1as" || first == "-cc1gen-reproducer")
    }
}

/// `-threads=2` as the plugin calls it: `-rvsdg-threads=2`.
fn plugin_option(option: &OsStr) -> OsString {
    let text = option.to_string_lossy();
    let name = text.trim_start_matches('-');
    format!("-rvsdg-{}", name.strip_prefix("rvsdg-").unwrap_or(name)).into()
}

/// The arguments for clang before the user's. If nothing is compiled, there is no warning about unused arguments.
fn additions(plugin: &Path, optimizer: &[OsString]) -> Vec<OsString> {
    let mut load = OsString::from("-fpass-plugin=");
    load.push(plugin);
    let mut added: Vec<OsString> = vec!["--start-no-unused-arguments".into(), load];
    // The compiler proper, unlike the assembler, has to know the plugin before it reads the plugin's options.
    let mut compiler = |argument: &OsStr| added.extend(["-Xclang".into(), argument.to_owned()]);
    compiler("-load".as_ref());
    compiler(plugin.as_os_str());
    for option in std::iter::once("-rvsdg-alone".as_ref()).chain(optimizer.iter().map(OsString::as_os_str)) {
        compiler("-mllvm".as_ref());
        compiler(option);
    }
    added.push("--end-no-unused-arguments".into());
    added
}

/// Why the optimizer is to blame for how clang ended, if it is: its own note, or a crash.
fn failure(status: ExitStatus, note: &Path) -> Option<String> {
    if let Ok(reason) = std::fs::read_to_string(note) {
        return Some(reason.trim_end().replace('\n', "; "));
    }
    let crashed = status.code().is_none_or(|code| code > 1) && !is_interrupted(status);
    crashed.then(|| format!("clang with the optimizer ended with {status}"))
}

/// Whether the user ended the compilation.
fn is_interrupted(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGNALS: [i32; 4] = [1, 2, 13, 15]; // SIGHUP, SIGINT, SIGPIPE, SIGTERM
    status.signal().is_some_and(|signal| SIGNALS.contains(&signal))
}

fn start(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))
}

/// The exit status as a shell sees it.
fn code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let number = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(number).unwrap_or(1))
}

/// The clang to use.
fn clang() -> Result<PathBuf> {
    if let Some(clang) = std::env::var_os(CLANG) {
        return Ok(clang.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = std::env::split_paths(&path).map(|folder| folder.join(format!("clang-{MAJOR}")));
    let places = names.chain([PathBuf::from(format!("/usr/lib/llvm-{MAJOR}/bin/clang"))]);
    let Some(clang) = places.into_iter().find(|place| place.is_file()) else {
        bail!("clang-{MAJOR} is not on PATH and {CLANG} does not name it; on Debian: apt-get install clang-{MAJOR}")
    };
    Ok(clang)
}

/// The plugin: next to this program, as a build leaves it, or in the `lib` folder next to this program's folder, as it is installed.
fn plugin() -> Result<PathBuf> {
    let name = format!("{}rvsdg{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().and_then(std::fs::canonicalize).context("cannot find this program's file")?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(&name), folder.join("../lib").join(&name)];
    let Some(found) = places.iter().find(|place| place.is_file()) else {
        bail!("{name} is neither in {} nor in the lib folder beside it", folder.display())
    };
    Ok(std::fs::canonicalize(found)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Invocation {
        Invocation::read(line.split_whitespace().map(OsString::from)).expect("it is a command line")
    }

    #[test]
    fn options_of_the_optimizer_are_taken_out() {
        let invocation = read("/usr/bin/jlc -O2 -Xrvsdg -threads=2 -c a.c -Xrvsdg passes=dne,cne");
        assert_eq!(invocation.optimizer, ["-rvsdg-threads=2", "-rvsdg-passes=dne,cne"]);
        assert_eq!(invocation.clang, ["-O2", "-c", "a.c"]);
        assert_eq!(invocation.mode, None);
        assert!(Invocation::read(["jlc", "-Xrvsdg"].map(OsString::from)).is_err());
    }

    #[test]
    fn the_name_tells_the_language_of_links() {
        assert_eq!(read("jlc++ a.cc").mode, Some("--driver-mode=g++"));
        assert_eq!(read("/opt/bin/jlc++ --driver-mode=gcc a.cc").mode, None);
        assert_eq!(read("jlc a.cc").mode, None);
    }

    #[test]
    fn internal_steps_are_clangs_own() {
        assert!(read("jlc -cc1 -triple x").is_internal());
        assert!(!read("jlc -c x.c").is_internal());
    }

    #[test]
    fn what_is_added_is_for_the_compiler_only() {
        let added = additions(Path::new("/lib/librvsdg.so"), &["-rvsdg-threads=2".into()]);
        let expected = "--start-no-unused-arguments -fpass-plugin=/lib/librvsdg.so -Xclang -load -Xclang /lib/librvsdg.so \
            -Xclang -mllvm -Xclang -rvsdg-alone -Xclang -mllvm -Xclang -rvsdg-threads=2 --end-no-unused-arguments";
        assert_eq!(added, expected.split_whitespace().collect::<Vec<_>>());
    }
}
