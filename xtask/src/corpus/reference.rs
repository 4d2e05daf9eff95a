//! The programs as the compiler made them: built from the same IR without the optimizer, run once, and remembered.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::build::{Built, folder};
use super::programs::{Program, Tests};
use crate::tools;

/// One run of an executable.
pub struct Test {
    /// Its name within the executable.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The script that the arguments name, if any.
    script: Option<PathBuf>,
}

/// The runs of each executable of a program.
pub fn tests(program: &Program) -> Result<Vec<Test>> {
    let test = |name: String, arguments| Test { name, arguments, script: None };
    match &program.tests {
        Tests::Plain => Ok(vec![test("run".to_owned(), Vec::new())]),
        Tests::Arguments(lists) => {
            Ok(lists.iter().map(|list| test(list.join("-"), list.iter().map(|&a| a.to_owned()).collect())).collect())
        }
        Tests::Scripts { folder, extension, prefix } => {
            let scripts = tools::files_with_extension(&tools::root().join(folder), extension)?;
            let of_script = |script: PathBuf| {
                let mut arguments: Vec<String> = prefix.iter().map(|&a| a.to_owned()).collect();
                arguments.push(script.display().to_string());
                let name = script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Test { name, arguments, script: Some(script) }
            };
            Ok(scripts.into_iter().map(of_script).collect())
        }
    }
}

/// Makes an object file of a file of IR.
pub fn object(program: &Program, ir: &Path, object: &Path) -> Result<()> {
    tools::output(&mut program.language.object(ir, object)).map(drop)
}

/// Links an executable.
pub fn link(program: &Program, objects: &[&Path], executable: &Path) -> Result<()> {
    tools::output(&mut program.language.link(objects, program.libs, executable)?).map(drop)
}

/// Seconds after which a run counts as endless.
const RUN_LIMIT: &str = "60";

/// How behaviours of programs begin that were stopped, cannot be started, or do not find a library.
const NOT_STARTED: [&[u8]; 4] =
    [b"exit status: 124\n", b"exit status: 125\n", b"exit status: 126\n", b"exit status: 127\n"];

/// Runs an executable in a folder of its own and writes down everything that can be seen of it: status, output, and the files it left.
pub fn behaviour(executable: &Path, test: &Test, cwd: &Path) -> Result<Vec<u8>> {
    if cwd.exists() {
        std::fs::remove_dir_all(cwd).with_context(|| format!("cannot empty {}", cwd.display()))?;
    }
    std::fs::create_dir_all(cwd)?;
    let mut command = run_command(executable, test, cwd);
    let result = command.output().with_context(|| format!("cannot run: {}", tools::shown(&command)))?;
    let mut seen = format!("{}\n--- output\n", result.status).into_bytes();
    seen.extend(&result.stdout);
    seen.extend(b"--- errors\n");
    seen.extend(&result.stderr);
    let mut files: Vec<PathBuf> = std::fs::read_dir(cwd)?.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
    files.sort();
    for file in files {
        let content = tools::read(&file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        seen.extend(format!("--- file {name}: {} bytes, hash {}\n", content.len(), tools::hash(&[&content])).bytes());
    }
    Ok(seen)
}

/// The command of a test, which one may paste into a shell.
pub fn run_command(executable: &Path, test: &Test, cwd: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.arg(RUN_LIMIT).arg(executable).args(&test.arguments).current_dir(cwd).env_clear().env("LC_ALL", "C");
    command.stdin(std::process::Stdio::null());
    command
}

/// Where the reference of a program in a variant is kept.
fn base(built: &Built) -> PathBuf {
    folder().join("reference").join(built.program.name).join(built.variant.name)
}

/// The reference's object file of a unit.
pub fn object_path(built: &Built, unit: usize) -> PathBuf {
    base(built).join(format!("{}.o", built.located.units[unit].name))
}

/// The reference's executable, by its index.
pub fn executable_path(built: &Built, executable: usize) -> PathBuf {
    base(built).join("bin").join(&built.located.executables[executable].name)
}

/// What the reference's executable did in a test, once [`run`] has been called for it.
pub fn known_behaviour(built: &Built, executable: usize, test: &Test) -> Result<Vec<u8>> {
    tools::read(&behaviour_path(built, executable, test))
}

fn behaviour_path(built: &Built, executable: usize, test: &Test) -> PathBuf {
    let name = &built.located.executables[executable].name;
    base(built).join("behaviour").join(format!("{name}.{}.txt", test.name))
}

/// Makes the reference's object file of a unit, unless it is there.
pub fn make_object(built: &Built, unit: usize) -> Result<()> {
    let path = object_path(built, unit);
    let key = tools::hash(&[&tools::read(&built.bitcode[unit])?]);
    tools::cached(&path, &key, || {
        let beside = path.with_extension("new");
        object(built.program, &built.bitcode[unit], &beside)?;
        Ok(std::fs::rename(&beside, &path)?)
    })
}

/// Links the reference's executable and runs its tests, unless both are there.
pub fn run(built: &Built, executable: usize) -> Result<()> {
    let units = &built.located.executables[executable].units;
    let objects: Vec<PathBuf> = units.iter().map(|&unit| object_path(built, unit)).collect();
    let contents = objects.iter().map(|path| tools::read(path)).collect::<Result<Vec<_>>>()?;
    let path = executable_path(built, executable);
    let inputs: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
    let mut linker = built.program.language.link(&inputs, built.program.libs, &path)?;
    let commands = tools::shown(&linker);
    let parts = std::iter::once(commands.as_bytes()).chain(contents.iter().map(Vec::as_slice));
    let key = tools::hash(&parts.collect::<Vec<_>>());
    tools::cached(&path, &key, || {
        std::fs::create_dir_all(path.parent().context("executables have a folder")?)?;
        tools::output(&mut linker).map(drop)
    })?;
    for test in tests(built.program)? {
        let script = test.script.as_deref().map_or(Ok(Vec::new()), tools::read)?;
        let key = tools::hash(&[key.as_bytes(), test.arguments.join("\n").as_bytes(), &script]);
        let remembered = behaviour_path(built, executable, &test);
        tools::cached(&remembered, &key, || {
            let cwd = folder().join("run/reference").join(format!(
                "{}-{}-{}-{}",
                built.program.name, built.variant.name, built.located.executables[executable].name, test.name
            ));
            let seen = behaviour(&path, &test, &cwd)?;
            if !seen.starts_with(b"exit status: ") || NOT_STARTED.iter().any(|status| seen.starts_with(status)) {
                bail!("the compiler's own program fails: {}", tools::shown(&run_command(&path, &test, &cwd)));
            }
            if let Some(own) = built.program.language.own_executable(&built.bitcode[units[0]]) {
                let by_itself = behaviour(&own, &test, &cwd)?;
                if by_itself != seen {
                    let difference = difference(&by_itself, &seen);
                    bail!("{} behaves differently from {}:\n{difference}", path.display(), own.display());
                }
            }
            tools::write(&remembered, &seen)
        })?;
    }
    Ok(())
}

/// Checks that a program behaves the same in all its variants: otherwise it has undefined behaviour, and compares nothing.
///
/// # Errors
/// Two variants of a program behave differently.
pub fn compare_variants(built: &[Built]) -> Result<()> {
    for (index, other) in built.iter().enumerate() {
        let first = built[..index].iter().find(|b| b.program.name == other.program.name);
        for (first, executable) in first.iter().flat_map(|b| (0..b.located.executables.len()).map(move |e| (b, e))) {
            for test in tests(other.program)? {
                if known_behaviour(first, executable, &test)? != known_behaviour(other, executable, &test)? {
                    let [a, b] = [first, &other].map(|built| behaviour_path(built, executable, &test));
                    bail!("clang's variants behave differently: diff {} {}", a.display(), b.display());
                }
            }
        }
    }
    Ok(())
}

/// The first line in which two behaviours differ.
pub fn difference(expected: &[u8], seen: &[u8]) -> String {
    let (expected, seen) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(seen));
    let (mut left, mut right) = (expected.lines(), seen.lines());
    loop {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => {}
            (a, b) => {
                return format!("  expected {:?}\n  seen     {:?}", a.unwrap_or("no more"), b.unwrap_or("no more"));
            }
        }
    }
}
