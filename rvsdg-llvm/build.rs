//! Compiles the C++ shim against the same LLVM that `llvm-sys` links.

use std::path::{Path, PathBuf};
use std::process::Command;

const MAJOR: &str = "22";
const PREFIX: &str = "LLVM_SYS_221_PREFIX";
const FILES: &[&str] = &[
    "module_io",
    "reader",
    "constants",
    "symbols",
    "writer",
    "build",
    "create",
    "instructions",
    "inline",
    "locations",
    "loops",
    "materialize",
    "passes",
    "records",
    "redundant",
    "tbaa",
    "copies",
    "variables",
];

fn main() {
    println!("cargo::rerun-if-env-changed={PREFIX}");
    println!("cargo::rerun-if-env-changed=PATH");
    println!("cargo::rerun-if-changed=shim");
    let Some(config) = llvm_config() else {
        println!(
            "cargo::error=LLVM {MAJOR} was not found: llvm-config-{MAJOR} is not on PATH and {PREFIX} does not name an \
             installation of it. On Debian: apt-get install llvm-{MAJOR}-dev g++ (for static linking also \
             libpolly-{MAJOR}-dev zlib1g-dev libzstd-dev)"
        );
        return;
    };
    let flags = match run(&config, "--cxxflags") {
        Ok(flags) => flags,
        Err(message) => return println!("cargo::error={} --cxxflags failed: {message}", config.display()),
    };
    // For crates with C++ of their own against the same LLVM.
    println!("cargo::metadata=cxxflags={}", flags.replace('\n', " "));
    let rtti = !run(&config, "--has-rtti").is_ok_and(|answer| answer == "NO");
    println!("cargo::metadata=rtti={rtti}");
    let mut build = cc::Build::new();
    build.cpp(true).warnings(false).opt_level(2).debug(false);
    for flag in flags.split_whitespace() {
        match flag.strip_prefix("-I") {
            Some(dir) => {
                if !Path::new(dir).join("llvm/IR/Module.h").exists() {
                    println!(
                        "cargo::error={} names {dir}, which has no LLVM headers. On Debian: apt-get install llvm-{MAJOR}-dev",
                        config.display()
                    );
                    return;
                }
                build.flag("-isystem").flag(dir);
            }
            None => {
                build.flag(flag);
            }
        }
    }
    if !rtti {
        build.flag("-fno-rtti");
    }
    for file in FILES {
        build.file(format!("shim/{file}.cpp"));
    }
    if let Err(error) = build.try_compile("rvsdg_shim") {
        println!(
            "cargo::error=the C++ compiler failed on rvsdg-llvm's shim; on Debian: apt-get install llvm-{MAJOR}-dev g++. {error}"
        );
    }
}

/// The `llvm-config` that `llvm-sys` also chooses: the one of the prefix if that is set, else the first on PATH.
fn llvm_config() -> Option<PathBuf> {
    let dir = std::env::var_os(PREFIX).map(|prefix| PathBuf::from(prefix).join("bin")).unwrap_or_default();
    let names = [format!("llvm-config-{MAJOR}"), format!("llvm-config{MAJOR}"), "llvm-config".to_owned()];
    names
        .into_iter()
        .map(|name| dir.join(name))
        .find(|path| run(path, "--version").is_ok_and(|version| version.split('.').next() == Some(MAJOR)))
}

fn run(config: &Path, flag: &str) -> Result<String, String> {
    let output = Command::new(config).arg(flag).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
