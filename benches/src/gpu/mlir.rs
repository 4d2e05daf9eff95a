//! The kernels of [`rvsdg_gen::unstructured`] in MLIR's dialects of functions and control flow.

use std::fmt::Write;

use rvsdg_cfg::shape::Shape;
use rvsdg_gen::unstructured::KERNELS;

use super::tools::Blocks;

/// Structures control flow, and makes LLVM's dialect of it.
pub const PASSES: [&str; 8] = [
    "--lift-cf-to-scf",
    "--convert-scf-to-cf",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--convert-ub-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
];

/// A module of kernels of these shapes.
pub fn module(names: &[String], shapes: &[Shape], blocks: Blocks) -> String {
    let mut text = String::from("module {\nfunc.func private @llvm.nvvm.read.ptx.sreg.tid.x() -> i32\n");
    for (name, shape) in names.iter().zip(shapes) {
        kernel(&mut text, name, shape, blocks);
    }
    text + "}\n"
}

fn kernel(text: &mut String, name: &str, shape: &Shape, blocks: Blocks) {
    let (parameter, space, memory, times) = match blocks {
        Blocks::Once => ("", 1, "%out", 1),
        Blocks::Busy(times) => (", %visits: !llvm.ptr<3>", 3, "%visits", times),
    };
    _ = writeln!(text, "func.func @{name}(%out: !llvm.ptr<1>{parameter}) {{");
    let mut branches = 0;
    for block in shape.blocks().filter(|&block| block != shape.exit) {
        let number = block.as_u32();
        if block == shape.entry {
            *text += "  %thread = func.call @llvm.nvvm.read.ptx.sreg.tid.x() : () -> i32\n";
            let at = format!("llvm.getelementptr {memory}[%thread]");
            _ = writeln!(text, "  %place = {at} : (!llvm.ptr<{space}>, i32) -> !llvm.ptr<{space}>, i32");
            if let Blocks::Busy(_) = blocks {
                *text += "  %zero = arith.constant 0 : i32\n";
                *text += "  llvm.store %zero, %place {alignment = 4 : i64} : i32, !llvm.ptr<3>\n";
            }
        } else {
            _ = writeln!(text, "^b{number}:");
        }
        _ = writeln!(text, "  %n{number} = arith.constant {} : i32", 1 << (2 * number));
        for time in 0..times {
            _ = writeln!(
                text,
                "  %v{number}_{time} = llvm.atomicrmw add %place, %n{number} monotonic {{alignment = 4}} : !llvm.ptr<{space}>, i32"
            );
        }
        match *shape.succs(block) {
            [a, b] => {
                _ = writeln!(text, "  %k{number} = arith.constant {branches} : i32");
                _ = writeln!(text, "  %s{number} = arith.shrui %thread, %k{number} : i32");
                _ = writeln!(text, "  %c{number} = arith.trunci %s{number} : i32 to i1");
                _ = writeln!(text, "  cf.cond_br %c{number}, ^b{}, ^b{}", a.as_u32(), b.as_u32());
                branches += 1;
            }
            [to] if to != shape.exit => _ = writeln!(text, "  cf.br ^b{}", to.as_u32()),
            _ => {
                if let Blocks::Busy(_) = blocks {
                    *text += "  %sum = llvm.load %place {alignment = 4 : i64} : !llvm.ptr<3> -> i32\n";
                    *text +=
                        "  %result = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n";
                    *text += "  llvm.store %sum, %result {alignment = 4 : i64} : i32, !llvm.ptr<1>\n";
                }
                *text += "  return\n";
            }
        }
    }
    *text += "}\n";
}

/// LLVM IR that came of a module, for the machine and with kernels that a host starts.
pub fn kernels(text: &str) -> String {
    let is_said = |line: &str| {
        let is_declared = line.starts_with("declare") && line.contains("@llvm.nvvm");
        is_declared || line.starts_with("target ") || line.starts_with("source_filename")
    };
    let is_ours = |line: &&str| !is_said(line);
    let lines: Vec<&str> = text.lines().filter(is_ours).collect();
    KERNELS.to_owned() + &lines.join("\n").replace("define void @k", "define ptx_kernel void @k") + "\n"
}
