//! Running other programs, and the few file operations that several tasks share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::progress::Shown;

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_owned()
}

/// The pipeline of an optimization level as docs/passes.md has it, without some of its passes.
///
/// # Errors
/// The document has no such level.
pub fn level_without(level: &str, without: &[&str]) -> Result<String> {
    let docs = String::from_utf8(read(&root().join("docs/passes.md"))?)?;
    let start = format!("| `default<{level}>` | `");
    let row = docs.lines().find_map(|line| line.strip_prefix(&start));
    let passes = row.and_then(|row| row.split('`').next()).context("docs/passes.md has no such pipeline")?;
    let kept: Vec<&str> = passes.split(',').filter(|pass| !without.contains(pass)).collect();
    Ok(kept.join(","))
}

/// The variable that says which cases properties get.
pub const SEED: &str = "PROPTEST_RNG_SEED";

/// The seed of what CI makes up: the one that the environment names, or one that changes with the revision.
pub fn seed() -> u64 {
    let given = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
    let of_revision = || {
        let head = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root())).ok()?;
        u64::from_str_radix(str::from_utf8(head.get(..7)?).ok()?, 16).ok()
    };
    // An archive of the sources has no revision.
    given.or_else(of_revision).unwrap_or(1)
}

/// The cargo that runs this task.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Where cargo puts what it builds.
pub fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The optimizer's binary: the given one, or one that is built now with the release profile.
///
/// # Errors
/// The given one does not exist, or the build fails.
pub fn optimizer(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = given {
        return path.canonicalize().with_context(|| format!("cannot find {}", path.display()));
    }
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--release", "--package", "jlm", "--bin", "jlm-opt"]).current_dir(root());
    output(&mut build)?;
    Ok(target_folder().join("release/jlm-opt"))
}

/// The command as one line that a shell takes.
pub fn shown(command: &Command) -> String {
    let mut line = String::new();
    if let Some(folder) = command.get_current_dir() {
        line.push_str(&format!("cd {} && ", folder.display()));
    }
    line.push_str(&quoted(&command.get_program().to_string_lossy()));
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&quoted(&argument.to_string_lossy()));
    }
    line
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs a command to its end and returns its standard output; an error holds the command and what it said.
///
/// # Errors
/// The command cannot be started, or ends with another status than 0.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    Ok(both_outputs(command)?.0)
}

/// As [`output`], with the standard error as text.
///
/// # Errors
/// As [`output`].
pub fn both_outputs(command: &mut Command) -> Result<(Vec<u8>, String)> {
    let line = shown(command);
    let result = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run: {line}"))?;
    let said = String::from_utf8_lossy(&result.stderr).into_owned();
    if !result.status.success() {
        bail!("{}: {line}\n{}", result.status, last_lines(&said, 30));
    }
    Ok((result.stdout, said))
}

/// The standard output of a command, read as JSON.
///
/// # Errors
/// As [`output`], and what is no JSON.
pub fn json(command: &mut Command) -> Result<serde_json::Value> {
    let bytes = output(command)?;
    serde_json::from_slice(&bytes).with_context(|| format!("no JSON came from: {}", shown(command)))
}

/// The bytes of machine code in an object or a program.
///
/// # Errors
/// As [`output`].
pub fn text_size(object: &Path) -> Result<u64> {
    let sizes = output(Command::new("llvm-size-22").arg("-A").arg(object))?;
    let sizes = String::from_utf8_lossy(&sizes);
    let of_text = sizes.lines().filter(|line| line.starts_with(".text"));
    Ok(of_text.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum())
}

/// At most the last `count` lines of a text.
pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// The files of a folder with an extension, sorted by name.
///
/// # Errors
/// The folder cannot be read, or holds no such file.
pub fn files_with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
    if files.is_empty() {
        bail!("{} holds no .{extension} file", folder.display());
    }
    files.sort();
    Ok(files)
}

/// Reads a file; the error names it.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file whole: beside its place, then renamed, so that an interrupted run leaves none that is half-written.
///
/// # Errors
/// The file or its folder cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file needs a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let beside = path.with_extension("tmp");
    std::fs::write(&beside, content).with_context(|| format!("cannot write {}", beside.display()))?;
    std::fs::rename(&beside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// A 128-bit hash for cache keys: two rounds of FNV-1a with different starts. Equal on every machine.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut lanes = [0xcbf2_9ce4_8422_2325_u64, 0x9ae1_6a3b_2f90_404f];
    for part in parts {
        for (lane, salt) in lanes.iter_mut().zip([0_u8, 0x5a]) {
            for byte in part.len().to_le_bytes().iter().chain(*part) {
                *lane = (*lane ^ u64::from(byte ^ salt)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    format!("{:016x}{:016x}", lanes[0], lanes[1])
}

/// Calls `work` for every item on `jobs` threads and returns the results in the items' order. A terminal shows how many are done; what
/// prints meanwhile does so with [`crate::progress::say`].
pub fn parallel<T: Sync, R: Send>(jobs: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let shown = Shown::of(items.len());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("no worker panics with the lock held")[index] = Some(result);
                    shown.add();
                }
            });
        }
    });
    let results = results.into_inner().expect("no worker panics with the lock held");
    results.into_iter().map(|result| result.expect("every item was worked on")).collect()
}

/// Calls `make` unless `path` exists and the key beside it is the given one; remembers the key after success.
///
/// # Errors
/// What `make` says, and a key that cannot be written.
pub fn cached(path: &Path, key: &str, make: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut key_path = path.as_os_str().to_owned();
    key_path.push(".key");
    let key_path = PathBuf::from(key_path);
    if path.exists() && std::fs::read(&key_path).is_ok_and(|old| old == key.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    make()?;
    write(&key_path, key.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_commands_can_be_pasted() {
        let mut command = Command::new("opt");
        command.args(["-passes=a,b", "it's", ""]);
        assert_eq!(shown(&command), r"opt -passes=a,b 'it'\''s' ''");
    }

    #[test]
    fn parallel_keeps_the_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(parallel(4, &items, |n| n * 2), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        assert!(parallel(4, &[], |n: &u32| *n).is_empty());
    }

    #[test]
    fn hashes_tell_parts_apart() {
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
        assert_eq!(hash(&[b"ab"]), hash(&[b"ab"]));
    }
}
