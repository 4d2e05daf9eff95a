//! Conditionals with many alternatives: as an indirect branch, as a chain of comparisons, and as comparisons in halves.
//!
//! Each thread chooses again and again among alternatives of a few multiplications, so that what is timed is the branch. PTX is written
//! as it is, because code generators would make the three alike.

use std::fmt::Write;

use anyhow::{Result, ensure};

use super::device::{Device, Launch};
use crate::median;

/// How often each kernel is timed.
const ROUNDS: usize = 10;
/// How often each thread chooses.
const ITERATIONS: u64 = 200;
const THREADS: u32 = 256;
const BLOCKS: u32 = 2048;
/// Numbers of alternatives.
const WAYS: [usize; 5] = [3, 4, 6, 8, 12];
/// Multiplications in each alternative.
const WORK: usize = 8;

/// How an alternative is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    Indirect,
    Chain,
    Halves,
}

const BRANCHES: [(Branch, &str); 3] =
    [(Branch::Indirect, "indirect"), (Branch::Chain, "chain"), (Branch::Halves, "halves")];

/// Which alternatives the threads of a warp choose; the kernels know them by position.
const CHOICES: [&str; 3] = ["each its own", "all the same", "the first, one in sixteen its own"];

/// A table of times.
pub fn timed(device: &Device) -> Result<String> {
    let module = device.load(&ptx())?;
    let bytes = 4 * (THREADS * BLOCKS) as usize;
    let out = device.memory(bytes)?;
    let mut text = String::from(
        "\n| alternatives | threads of a warp choose | microseconds: indirect branch | chain of comparisons | comparisons in halves |\n\
         |--:|---|--:|--:|--:|\n",
    );
    for ways in WAYS {
        for (number, choice) in CHOICES.iter().enumerate() {
            let mut times = [const { Vec::new() }; BRANCHES.len()];
            let mut first = None;
            for round in 0..=ROUNDS {
                for (times, (_, name)) in times.iter_mut().zip(BRANCHES) {
                    let function = device.function(&module, &format!("{name}_{ways}"))?;
                    let arguments = &[out, number as u64, ITERATIONS];
                    let launch = Launch { blocks: [BLOCKS, 1, 1], threads: [THREADS, 1, 1], shared: 0, arguments };
                    let time = device.time(function, &launch)?;
                    if round > 0 {
                        times.push(time);
                        continue;
                    }
                    let found = device.read(out, bytes)?;
                    ensure!(
                        *first.get_or_insert_with(|| found.clone()) == found,
                        "{name}_{ways} computes something else"
                    );
                }
            }
            let times = times.map(|times| format!("{:.1}", median(&times)));
            _ = writeln!(text, "| {ways} | {choice} | {} |", times.join(" | "));
        }
    }
    Ok(text)
}

/// The kernels, named by branch and number of alternatives.
fn ptx() -> String {
    let kernels = WAYS.iter().flat_map(|&ways| BRANCHES.map(|(branch, name)| kernel(branch, name, ways)));
    ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned() + &kernels.collect::<String>()
}

fn kernel(branch: Branch, name: &str, ways: usize) -> String {
    let mut text = format!(
        ".visible .entry {name}_{ways}(.param .u64 out, .param .u32 choice, .param .u32 iterations)\n{{\n\
         .reg .pred %p<5>; .reg .b32 %r<14>; .reg .b32 %chosen; .reg .f32 %x; .reg .b64 %rd<3>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [choice]; ld.param.u32 %r1, [iterations];\n\
         mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;\n\
         setp.eq.u32 %p0, %r0, 1; shr.u32 %r6, %r5, 5; selp.b32 %r7, %r6, %r5, %p0; setp.eq.u32 %p1, %r0, 2;\n\
         cvt.rn.f32.u32 %x, %r5; mov.u32 %r8, 0;\n\
         AGAIN:\n\
         mul.lo.u32 %r9, %r7, 2654435761; mad.lo.u32 %r9, %r8, 40503, %r9;\n\
         shr.u32 %r10, %r9, 15; xor.b32 %r9, %r9, %r10; mul.lo.u32 %r9, %r9, 2246822519;\n\
         shr.u32 %r10, %r9, 13; xor.b32 %r9, %r9, %r10; shr.u32 %r11, %r9, 4; rem.u32 %chosen, %r11, {ways};\n\
         and.b32 %r12, %r9, 15; setp.ne.u32 %p2, %r12, 0; and.pred %p2, %p2, %p1; selp.b32 %chosen, 0, %chosen, %p2;\n"
    );
    match branch {
        Branch::Indirect => {
            let names: Vec<String> = (0..ways).map(|way| format!("WAY{way}")).collect();
            _ = writeln!(text, "WAYS: .branchtargets {};\nbrx.idx %chosen, WAYS;", names.join(", "));
        }
        Branch::Chain => {
            (0..ways - 1).for_each(|way| {
                _ = writeln!(text, "setp.eq.u32 %p3, %chosen, {way}; @%p3 bra WAY{way};");
            });
            _ = writeln!(text, "bra WAY{};", ways - 1);
        }
        Branch::Halves => halves(&mut text, 0, ways),
    }
    for way in 0..ways {
        _ = writeln!(text, "WAY{way}:");
        for step in 0..WORK {
            let factor = (way * 7 + step) % 10;
            _ = writeln!(text, "fma.rn.f32 %x, %x, 0f3F8{factor}0000, 0f3E{}{step}0000;", way % 10);
        }
        _ = writeln!(text, "bra.uni AFTER;");
    }
    text + "AFTER:\nadd.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, %r1; @%p4 bra AGAIN;\n\
            mul.wide.u32 %rd1, %r5, 4; add.u64 %rd2, %rd0, %rd1; st.global.f32 [%rd2], %x; ret;\n}\n"
}

/// Comparisons that find one of the ways from `low` to before `high`.
fn halves(text: &mut String, low: usize, high: usize) {
    if high - low == 1 {
        _ = writeln!(text, "bra WAY{low};");
        return;
    }
    let middle = usize::midpoint(low, high);
    _ = writeln!(text, "setp.ge.u32 %p3, %chosen, {middle}; @%p3 bra FROM{middle};");
    halves(text, low, middle);
    _ = writeln!(text, "FROM{middle}:");
    halves(text, middle, high);
}

#[cfg(test)]
mod tests {
    /// Every way of every kernel is there once, and whatever is jumped to is there.
    #[test]
    fn each_way_is_reached() {
        let text = super::ptx();
        let kernels: Vec<&str> = text.split(".visible .entry ").skip(1).collect();
        assert_eq!(kernels.len(), 15);
        for kernel in kernels {
            let ways: usize =
                kernel.split(['_', '(']).nth(1).and_then(|ways| ways.parse().ok()).expect("it has a number");
            for way in 0..ways {
                assert_eq!(kernel.matches(&format!("\nWAY{way}:\n")).count(), 1, "{kernel}");
                assert!(kernel.contains(&format!(" WAY{way};")) || kernel.contains(&format!(" WAY{way},")), "{kernel}");
            }
            for target in kernel.split("bra ").skip(1).filter_map(|rest| rest.split(';').next()) {
                assert_eq!(kernel.matches(&format!("\n{target}:\n")).count(), 1, "{target}\n{kernel}");
            }
        }
    }
}
