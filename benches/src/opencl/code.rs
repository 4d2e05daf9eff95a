//! From OpenCL to machine code: the commands, and what is counted in what they make.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::sources::{Tools, print_into};
use super::suites::Source;
use crate::process::{self, must, words};

const LIMIT: Duration = Duration::from_secs(300);

/// The machine that code is for.
const MACHINE: &str = "sm_90";
/// The version of PTX that it needs; clang's own choice without CUDA's headers is too low for the machine.
const PTX: &str = "+ptx80";

/// What makes code.
pub struct Compiler {
    pub tools: Tools,
    pub jlm_opt: PathBuf,
}

/// The machine code of a kernel.
#[derive(Clone, Copy, Default)]
pub struct Code {
    /// Instructions but for those that fill up the end.
    pub instructions: u64,
    pub registers: u64,
    /// Bytes that are stored and loaded because there are too few registers.
    pub spilled: u64,
    /// `BRA`
    pub branches: u64,
    /// `BSSY`, which says where threads meet again.
    pub joins: u64,
}

impl Compiler {
    /// The IR of a file of kernels, with the functions of libraries that it calls.
    ///
    /// A kernel that clang writes calls a function of the same body, and neither may be inlined; no host program can call that function,
    /// and a pipeline that keeps it apart compiles calls instead of kernels. So it is made internal and may be inlined.
    pub fn front_end(&self, source: &Source, output: &Path) -> Result<()> {
        let mut clang = words(["clang-22", "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-cuda", "-w"]);
        clang.extend(words(["-O3", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-"]));
        let told = ["-target-cpu", MACHINE, "-target-feature", PTX];
        clang.extend(told.iter().flat_map(|word| words(["-Xclang", word])));
        for library in &self.tools.libraries {
            clang.extend(words(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"]));
            clang.push(library.clone().into());
        }
        clang.extend(words(&source.options));
        clang.push(source.file.clone().into());
        let text = String::from_utf8(must(&clang, LIMIT)?.output).context("IR is text")?;
        let lines = text.lines().map(|line| {
            let is_head = line.starts_with("define ");
            let mut line = line.to_owned();
            if is_head || line.starts_with("attributes ") {
                line = line.replace(" noinline ", " ");
            }
            if is_head && line.contains("@__clang_ocl_kern_imp_") {
                line = line.replace("define dso_local ", "define internal ");
            }
            line + "\n"
        });
        process::write(output, lines.collect::<String>().as_bytes())
    }

    /// LLVM's optimizer.
    pub fn opt(&self, passes: &[&str], input: &Path, output: &Path) -> Result<()> {
        let mut command = words(["opt-22", &format!("-mcpu={MACHINE}"), &format!("-mattr={PTX}"), "-S"]);
        command.extend(words(passes));
        run(command, input, output)
    }

    /// Ours.
    pub fn ours(&self, passes: &[&str], input: &Path, output: &Path) -> Result<()> {
        let mut command = words([&self.jlm_opt]);
        command.push("-S".into());
        command.extend(words(passes));
        run(command, input, output)
    }

    /// The graph of a file of IR, as text.
    pub fn graph(&self, file: &Path) -> Result<String> {
        let mut command = words([&self.jlm_opt]);
        command.extend(words(["-passes=", "--emit=rvsdg", "-o", "-"]));
        command.push(file.into());
        String::from_utf8(must(&command, LIMIT)?.output).context("a graph is text")
    }

    /// What LLVM's code generator makes of a file of IR; it lies beside it.
    pub fn ptx(&self, file: &Path) -> Result<String> {
        let mut command = words(["llc-22", "-O3", &format!("-mcpu={MACHINE}"), &format!("-mattr={PTX}"), "-o", "-"]);
        command.push(file.into());
        print_into(&command, &file.with_extension("ptx"))
    }

    /// The machine code of kernels whose PTX lies beside a file of IR, or why the assembler does not take it.
    pub fn code(&self, file: &Path, kernels: &[String]) -> Result<Result<Vec<Code>, String>> {
        let binary = file.with_extension("cubin");
        let mut assemble = words([&self.tools.ptxas]);
        assemble.extend(words(["-v", &format!("-arch={MACHINE}"), "-o"]));
        assemble.extend([binary.clone().into(), file.with_extension("ptx").into()]);
        let said = match process::run(&assemble, LIMIT)? {
            Ok(done) => String::from_utf8(done.errors).context("it says text")?,
            Err(failure) => return Ok(Err(failure.to_string())),
        };
        let mut disassemble = words([&self.tools.nvdisasm]);
        disassemble.extend(["-c".into(), binary.into()]);
        let listing = print_into(&disassemble, &file.with_extension("sass"))?;
        let code = counted(&said, &listing);
        let of = |kernel: &String| code.get(kernel).copied().with_context(|| format!("no code of {kernel}"));
        kernels.iter().map(of).collect::<Result<Vec<Code>>>().map(Ok)
    }
}

fn run(mut command: Vec<OsString>, input: &Path, output: &Path) -> Result<()> {
    command.extend([input.into(), "-o".into(), output.into()]);
    must(&command, LIMIT).map(drop)
}

/// The names of the entries in PTX.
pub fn entries(ptx: &str) -> Vec<String> {
    let name = |line: &str| Some(line.split_once(".entry ")?.1.trim_end_matches(['(', ')']).to_owned());
    let mut names: Vec<String> = ptx.lines().filter_map(name).collect();
    names.sort();
    names
}

/// What `ptxas -v` says of functions, and what `nvdisasm` lists.
fn counted(said: &str, listing: &str) -> BTreeMap<String, Code> {
    let mut all = BTreeMap::<String, Code>::new();
    let mut name = String::new();
    let number_before = |line: &str, what: &str| -> Option<u64> {
        line.split_once(what)?.0.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            name = rest.split('\'').next().unwrap_or_default().to_owned();
        }
        let code = all.entry(name.clone()).or_default();
        for what in [" bytes spill stores", " bytes spill loads"] {
            code.spilled += number_before(line, what).unwrap_or(0);
        }
        if let Some(registers) = number_before(line, " registers") {
            code.registers = registers;
        }
    }
    name.clear();
    for line in listing.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix(".section\t") {
            let section = rest.split(',').next().unwrap_or_default();
            name = section.strip_prefix(".text.").unwrap_or_default().to_owned();
        } else if let Some(operation) = operation(line) {
            let Some(code) = all.get_mut(&name) else { continue };
            code.instructions += u64::from(operation != "NOP");
            code.branches += u64::from(operation == "BRA");
            code.joins += u64::from(operation == "BSSY");
        }
    }
    all
}

/// The operation of a line such as `/*0010*/  @!P0 BRA.DIV R1, 0x20 ;`.
fn operation(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("/*")?;
    let (address, rest) = rest.split_once("*/")?;
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let word = rest.split_whitespace().find(|word| !word.starts_with('@'))?;
    word.trim_end_matches(';').split('.').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_kernels() {
        let ptx = ".visible .entry b(\n\t.param .u64 b_param_0\n)\n.func f()\n.visible .entry a()\n";
        assert_eq!(entries(ptx), ["a", "b"]);
    }

    #[test]
    fn code_is_counted_by_function() {
        let said = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
             ptxas info    : Function properties for k\n\
             \x20   8 bytes stack frame, 16 bytes spill stores, 32 bytes spill loads\n\
             ptxas info    : Used 12 registers, 544 bytes cmem[0]\n";
        let listing = "\t.section\t.text.k,\"ax\",@progbits\n\t.sectionflags\t@\"SHF_BARRIERS=1\"\n.text.k:\n\
             \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;\n\
             \x20       /*0010*/                   BSSY B0, `(.L_x_1) ;\n\
             \x20       /*0020*/              @!P0 BRA.U `(.L_x_1) ;\n\
             .L_x_1:\n\
             \x20       /*0030*/                   NOP;\n\
             \t.section\t.text.other,\"ax\",@progbits\n\
             \x20       /*0000*/                   EXIT ;\n";
        let code = counted(said, listing)["k"];
        let seen = (code.instructions, code.registers, code.spilled, code.branches, code.joins);
        assert_eq!(seen, (3, 12, 48, 1, 1));
    }
}
