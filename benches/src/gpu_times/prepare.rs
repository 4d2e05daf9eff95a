//! PTX of kernels, which the driver of a GPU makes machine code of, and how they are to be launched.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rayon::prelude::*;
use rvsdg_cfg::shape::Shape;
use rvsdg_gen::unstructured::{KERNELS, busy_kernel, smallest};

use super::{Code, Kernel, PLAN, Plan, Smallest};
use crate::gpu::tools::{Blocks, tools};
use crate::gpu::{BLOCKS, redundant};
use crate::opencl::arguments::parameters;
use crate::opencl::code::{Compiler, entries};
use crate::opencl::sources::Tools;
use crate::opencl::suites::{self, Source};
use crate::process::{self, must, words};

const LIMIT: Duration = Duration::from_secs(60);
/// How often a block of the smallest kernels adds.
const ADDITIONS: u32 = 8;

/// Kernels that are for blocks of other sizes than the usual, by their file and name.
const THREADS: &[(&str, &str, [u32; 3])] =
    &[("lud/", "lud_diagonal", [16, 1, 1]), ("lud/", "lud_perimeter", [32, 1, 1]), ("nw/", "", [16, 1, 1])];

/// Writes code and plan into a folder.
pub fn prepare(jlm_opt: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let sources = process::target_folder().join("opencl");
    let compiler = Compiler { tools: Tools::locate(&sources)?, jlm_opt: jlm_opt.to_owned() };
    let unstructured = unstructured(jlm_opt)?;
    let smallest = of_smallest(&compiler, folder)?;
    let files: Result<Vec<Vec<Kernel>>> = suites::sources(&sources)?
        .into_par_iter()
        .map(|source| {
            let path = source.path.clone();
            of_file(&compiler, &source, &unstructured, folder).with_context(|| path)
        })
        .collect();
    let plan = Plan { smallest, kernels: files?.into_iter().flatten().collect() };
    process::write(&folder.join(PLAN), serde_json::to_string_pretty(&plan)?.as_bytes())
}

/// Our `-O3` without the pass that structures.
fn unstructured(jlm_opt: &Path) -> Result<String> {
    let mut command = words([jlm_opt]);
    command.extend(words(["-O3", "--print-pipeline-passes"]));
    let printed = String::from_utf8(must(&command, LIMIT)?.output).context("names are text")?;
    let (without, pass) = (printed.trim().replace("structurize,", ""), "structurize,");
    anyhow::ensure!(printed.contains(pass), "`jlm-opt -O3` does not structure");
    Ok(format!("-passes={without}"))
}

fn of_smallest(compiler: &Compiler, folder: &Path) -> Result<Smallest> {
    let shapes: Vec<Shape> = (4..=BLOCKS).flat_map(smallest).collect();
    let names: Vec<String> = (0..shapes.len()).map(|number| format!("k{number}")).collect();
    let mut kernels = KERNELS.to_owned();
    for (name, shape) in names.iter().zip(&shapes) {
        kernels += &busy_kernel(name, shape, ADDITIONS);
    }
    let input = folder.join("smallest.ll");
    process::write(&input, kernels.as_bytes())?;
    let mut code = Vec::new();
    for (number, tool) in tools(&compiler.jlm_opt, folder, &input).iter().enumerate() {
        if tool.run(&names, &shapes, Blocks::Busy(ADDITIONS))?.is_some() {
            let file = format!("smallest-{number}.ptx");
            process::write(&folder.join(&file), for_cuda(&compiler.ptx(tool.output())?).as_bytes())?;
            code.push(Code { name: tool.name.to_owned(), file });
        }
    }
    Ok(Smallest { redundant: redundant(&compiler.jlm_opt, folder, &names, &shapes)?, kernels: names, tools: code })
}

/// The kernels of a file.
fn of_file(compiler: &Compiler, source: &Source, unstructured: &str, folder: &Path) -> Result<Vec<Kernel>> {
    let at = |kind: &str| folder.join(format!("{}.{kind}.ll", source.name()));
    let input = at("in");
    compiler.front_end(source, &input)?;
    let (opt, ours, plain) = (at("opt"), at("jlm"), at("plain"));
    compiler.opt(&["-O3"], &input, &opt)?;
    compiler.ours(&["-O3"], &input, &ours)?;
    compiler.ours(&[unstructured], &input, &plain)?;
    let mut code = <[String; 3]>::default();
    for (code, file) in code.iter_mut().zip([&opt, &ours, &plain]) {
        let ptx = for_cuda(&compiler.ptx(file)?);
        let place = file.with_extension("ptx");
        process::write(&place, ptx.as_bytes())?;
        *code = place.file_name().context("it has a name")?.to_string_lossy().into_owned();
    }
    let (ir, ptx) = (std::fs::read_to_string(&input)?, std::fs::read_to_string(folder.join(&code[0]))?);
    entries(&ptx)
        .into_iter()
        .map(|name| {
            let listed = THREADS.iter().find(|(path, of, _)| source.path.starts_with(path) && name.starts_with(of));
            let usual = if is_plane(&ptx, &name) { [16, 16, 1] } else { [256, 1, 1] };
            Ok(Kernel {
                suite: source.suite.to_owned(),
                path: source.path.clone(),
                parameters: parameters(&ir, &name).with_context(|| format!("no parameters of {name}"))?,
                threads: listed.map_or(usual, |&(.., threads)| threads),
                name,
                code: code.clone(),
            })
        })
        .collect()
}

/// PTX that CUDA's driver takes: it loads no kernel with a parameter that is said to lead to shared memory. Such a parameter is the
/// memory's address all the same.
fn for_cuda(ptx: &str) -> String {
    let mut text = String::new();
    let mut parts = ptx.split(".ptr .shared .align ");
    text += parts.next().unwrap_or_default();
    parts.for_each(|part| text += part.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start());
    text
}

/// Whether a kernel asks for the second number of its threads or blocks.
fn is_plane(ptx: &str, kernel: &str) -> bool {
    let body = ptx.split_once(&format!(".entry {kernel}(")).map_or("", |(_, rest)| rest);
    let body = body.split_once("\n}").map_or(body, |(body, _)| body);
    ["%tid.y", "%ctaid.y"].iter().any(|register| body.contains(register))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_plain_numbers() {
        let ptx = "\t.param .u64 .ptr .global .align 4 a,\n\t.param .u64 .ptr .shared .align 16 b\n";
        assert_eq!(for_cuda(ptx), "\t.param .u64 .ptr .global .align 4 a,\n\t.param .u64 b\n");
    }

    #[test]
    fn kernels_with_two_numbers_are_found() {
        let ptx = ".entry a(\n)\n{\n\tmov.u32 %r1, %tid.x;\n}\n.entry b(\n)\n{\n\tmov.u32 %r1, %ctaid.y;\n}\n";
        assert_eq!(["a", "b"].map(|name| is_plane(ptx, name)), [false, true]);
    }
}
