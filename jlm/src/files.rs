//! Inputs and outputs.

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};

/// An input with the name it has in messages.
pub struct Input {
    /// The path as given; `<stdin>` for standard input.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What the bytes of an input are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// LLVM IR, as text or bitcode.
    Llvm,
    /// The text form of an RVSDG.
    Rvsdg,
}

impl Input {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &OsStr) -> Result<Input> {
        let mut bytes = Vec::new();
        if path == "-" {
            let name = String::from("<stdin>");
            io::stdin().lock().read_to_end(&mut bytes).map_err(|error| failure(&name, "cannot be read", &error))?;
            return Ok(Input { name, bytes });
        }
        let name = path.to_string_lossy().into_owned();
        let path = Path::new(path);
        if path.is_dir() {
            bail!("{name}: is a directory; expected a file with LLVM IR or RVSDG text");
        }
        std::fs::File::open(path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| failure(&name, "cannot be read", &error))?;
        Ok(Input { name, bytes })
    }

    /// What the input is, by its first word: RVSDG text starts with `module` or `rvsdg`, which starts no LLVM IR (there
    /// `module` is followed by `asm`).
    pub fn form(&self) -> Form {
        let mut words = self
            .bytes
            .split(|&byte| byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty() && line[0] != b';');
        let first = words.next().unwrap_or_default();
        let mut words = first.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        match (words.next(), words.next()) {
            (Some(b"rvsdg"), _) => Form::Rvsdg,
            (Some(b"module"), second) if second != Some(b"asm") => Form::Rvsdg,
            _ => Form::Llvm,
        }
    }
}

/// The destination of an output. Nothing is written before everything is known to be right.
pub enum Output {
    /// Standard output.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Output {
    /// The output for a path; `-` is standard output.
    pub fn new(path: &OsStr) -> Output {
        if path == "-" { Output::Standard } else { Output::File(path.into()) }
    }

    /// Refuses to fill a terminal with bytes that are not text.
    ///
    /// # Errors
    /// When the output is a terminal.
    pub fn refuse_terminal(&self) -> Result<()> {
        if matches!(self, Output::Standard) && io::stdout().is_terminal() {
            bail!(
                "<stdout>: bitcode is not written to a terminal; write it to a file with -o, or text with -S, or force \
                 it with -f"
            );
        }
        Ok(())
    }

    /// Writes all of an output. A regular file is written to a temporary file and then renamed, so that at any time it has either its old
    /// contents or the new ones; anything else (a pipe, a device) is written in place.
    ///
    /// # Errors
    /// If it cannot be written; an existing file is unchanged then.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Output::Standard => {
                let mut out = io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    Err(error) => Err(failure("<stdout>", "cannot be written", &error)),
                    Ok(()) => Ok(()),
                }
            }
            Output::File(path) => {
                let name = path.display().to_string();
                if path.is_dir() {
                    bail!("{name}: is a directory; expected a file to write");
                }
                replace(path, bytes).map_err(|error| failure(&name, "cannot be written", &error))
            }
        }
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return std::fs::write(path, bytes),
        Ok(metadata) => {
            // A file that may not be written is not replaced either, although its directory would allow it.
            std::fs::OpenOptions::new().append(true).open(path)?;
            // A link stays, and what it leads to is replaced.
            let target = std::fs::canonicalize(path)?;
            return aside(&target, bytes, Some(metadata.permissions()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    aside(path, bytes, None)
}

fn aside(path: &Path, bytes: &[u8], permissions: Option<std::fs::Permissions>) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jlm-opt-");
    // What a new file may be read by is the user's choice (umask), not the private default of temporary files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory).map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// `file: what: why`, in the words of the system without its error number.
fn failure(name: &str, what: &str, error: &io::Error) -> anyhow::Error {
    let reason = error.to_string();
    let reason = reason.split(" (os error").next().unwrap_or(&reason);
    let mut letters = reason.chars();
    let reason: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    anyhow!("{name}: {what}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        Input { name: String::new(), bytes: text.into() }.form()
    }

    #[test]
    fn forms_are_told_apart() {
        assert_eq!(form("; a comment\n\n  rvsdg 1\n"), Form::Rvsdg);
        assert_eq!(form("module \"x\" {\n"), Form::Rvsdg);
        assert_eq!(form("module asm \"nop\"\n"), Form::Llvm);
        assert_eq!(form("; ModuleID = 'x'\ndefine void @f() {\n"), Form::Llvm);
        assert_eq!(form("BC\u{c0}"), Form::Llvm);
        assert_eq!(form(""), Form::Llvm);
    }

    #[test]
    fn file_is_replaced_as_a_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        for text in ["one", "two"] {
            Output::new(path.as_os_str()).write(text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn errors_name_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing/out");
        let message = Output::new(missing.as_os_str()).write(b"").unwrap_err().to_string();
        assert_eq!(message, format!("{}: cannot be written: entity not found", missing.display()));
        let message = Input::read(directory.path().as_os_str()).err().unwrap().to_string();
        assert!(message.contains("is a directory"), "{message}");
    }
}
