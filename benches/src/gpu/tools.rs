//! Who structures kernels: commands from a file of LLVM IR to another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rvsdg_cfg::shape::Shape;

use super::mlir;
use crate::process::{self, must, words};

const LIMIT: Duration = Duration::from_secs(300);

/// How a tool gets at the kernels.
enum How {
    /// It need not do anything.
    Nothing,
    /// Programs one after the other; `{in}` and `{out}` stand for files of LLVM IR.
    Commands(Vec<Vec<OsString>>),
    /// It reads MLIR.
    Mlir(&'static [&'static str]),
}

/// What kernels do in each block: [`kernel`](rvsdg_gen::unstructured::kernel) or [`busy_kernel`](rvsdg_gen::unstructured::busy_kernel).
#[derive(Clone, Copy)]
pub enum Blocks {
    /// They add once to global memory.
    Once,
    /// They add so often to shared memory.
    Busy(u32),
}

/// What structures kernels.
pub struct Tool {
    /// As tables say it.
    pub name: &'static str,
    how: How,
    input: PathBuf,
    output: PathBuf,
}

/// All tools: first none, then ours.
pub fn tools(jlm_opt: &Path, folder: &Path, input: &Path) -> Vec<Tool> {
    const CHAIN: &str = "lower-switch,fix-irreducible,unify-loop-exits,structurizecfg";
    let tool = |name: &'static str, file: &str, how: How| {
        let output = if matches!(how, How::Nothing) { input.to_owned() } else { folder.join(file) };
        Tool { name, how, input: input.to_owned(), output }
    };
    let ours = |passes: &str| {
        let mut command = words([jlm_opt]);
        command.extend(words([passes, "-S", "{in}", "-o", "{out}"]));
        How::Commands(vec![command])
    };
    let opt = |passes: &str| {
        How::Commands(vec![words(["opt-22", &format!("-passes={passes}"), "-S", "{in}", "-o", "{out}"])])
    };
    vec![
        tool("none", "none.ll", How::Nothing),
        tool("`jlm-opt -passes=stz,dne`", "jlm-stz.ll", ours("-passes=stz,dne")),
        tool("`jlm-opt -O3`", "jlm-O3.ll", ours("-O3")),
        tool("`opt`, structurizecfg", "structurizecfg.ll", opt(CHAIN)),
        tool("`opt`, structurizecfg, simplifycfg", "structurizecfg-simplify.ll", opt(&format!("{CHAIN},simplifycfg"))),
        tool("`opt -O3`", "opt-O3.ll", opt("default<O3>")),
        tool("`mlir-opt`, lift-cf-to-scf", "mlir.ll", How::Mlir(&[])),
        tool(
            "`mlir-opt`, lift-cf-to-scf, simplifycfg",
            "mlir-simplify.ll",
            How::Mlir(&["opt-22", "-passes=simplifycfg"]),
        ),
    ]
}

impl Tool {
    /// Structures the kernels; `None` where its programs are not installed.
    pub fn run(&self, names: &[String], shapes: &[Shape], blocks: Blocks) -> Result<Option<()>> {
        match &self.how {
            How::Nothing => Ok(Some(())),
            How::Commands(commands) => {
                for command in commands {
                    self.must(command)?;
                }
                Ok(Some(()))
            }
            How::Mlir(then) => {
                if ["mlir-opt-22", "mlir-translate-22"].iter().any(|program| !is_installed(program)) {
                    return Ok(None);
                }
                let [source, lowered] = ["mlir", "lowered.mlir"].map(|kind| self.output.with_extension(kind));
                process::write(&source, mlir::module(names, shapes, blocks).as_bytes())?;
                let mut command = words(["mlir-opt-22"]);
                command.extend(words(mlir::PASSES));
                command.extend([source.into(), "-o".into(), lowered.clone().into()]);
                must(&command, LIMIT)?;
                let translate =
                    words(["mlir-translate-22".into(), "--mlir-to-llvmir".into(), lowered.into_os_string()]);
                let text = String::from_utf8(must(&translate, LIMIT)?.output)?;
                process::write(&self.output, mlir::kernels(&text).as_bytes())?;
                if let [program, options @ ..] = then {
                    let mut command = words([program]);
                    command.extend(words(options));
                    command.extend(words(["-S", "{out}", "-o", "{out}"]));
                    self.must(&command)?;
                }
                Ok(Some(()))
            }
        }
    }

    fn must(&self, command: &[OsString]) -> Result<()> {
        let place = |word: &OsString| match word.to_str() {
            Some("{in}") => self.input.clone().into(),
            Some("{out}") => self.output.clone().into(),
            _ => word.clone(),
        };
        must(&command.iter().map(place).collect::<Vec<_>>(), LIMIT).map(|_| ())
    }

    /// The file of LLVM IR that comes out.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// The module that came out, as the text of a graph.
    pub fn graph(&self, jlm_opt: &Path) -> Result<String> {
        let mut command = words([jlm_opt]);
        command.extend(words(["-passes=", "--emit=rvsdg", "{out}", "-o", "-"]).into_iter().map(|word| {
            match word.to_str() {
                Some("{out}") => self.output.clone().into(),
                _ => word,
            }
        }));
        String::from_utf8(must(&command, LIMIT)?.output).context("a graph is text")
    }

    /// What LLVM's code generator makes of it.
    pub fn assembly(&self) -> Result<String> {
        let mut command = words(["llc-22", "-O3", "-mcpu=sm_70", "-mattr=+ptx80", "-o", "-"]);
        command.push(self.output.clone().into());
        String::from_utf8(must(&command, LIMIT)?.output).context("assembly is text")
    }
}

/// Conditional branches and switches that LLVM's structurizer for SPIR-V makes of kernels; `None` where LLVM's code generator
/// cannot do it. Its result has intrinsics of that target, which the machine does not execute.
pub fn spirv(kernels: &str, folder: &Path) -> Result<Option<usize>> {
    const TRIPLE: &str = "spirv-unknown-vulkan1.3-compute";
    let others = |line: &&str| !line.starts_with("target datalayout");
    let text: Vec<&str> = kernels.lines().filter(others).collect();
    let text = text.join("\n").replace("nvptx64-nvidia-cuda", TRIPLE).replace("ptx_kernel", "spir_kernel");
    let input = folder.join("spirv.ll");
    process::write(&input, text.replace("@llvm.nvvm.read.ptx.sreg.tid.x", "@thread").as_bytes())?;
    let mut command = words(["llc-22", &format!("-mtriple={TRIPLE}"), "-stop-after=spirv-structurizer", "-o", "-"]);
    command.push(input.into());
    let Ok(done) = process::run(&command, LIMIT)? else { return Ok(None) };
    let printed = String::from_utf8(done.output).context("IR is text")?;
    let is_branch = |line: &&str| ["br i1 ", "switch "].iter().any(|start| line.trim_start().starts_with(start));
    Ok(Some(printed.lines().filter(is_branch).count()))
}

fn is_installed(program: &str) -> bool {
    must(&words([program, "--version"]), LIMIT).is_ok()
}

/// Branches in PTX that go one of several ways.
pub fn conditional_branches(ptx: &str) -> usize {
    let is_one = |line: &&str| {
        let line = line.trim_start();
        line.starts_with('@') && line.contains("bra") || line.starts_with("brx.idx")
    };
    ptx.lines().filter(is_one).count()
}
