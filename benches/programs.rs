//! Real programs through `jlm-opt`, against `opt -O3`:
//!
//! - time and peak memory without passes, which is reading, construction, recovery and writing, and under `-O3`, as ratios of
//!   whole-process measurements taken in turn;
//! - static branches of structured against predicative recovery (thesis figure B2.7);
//! - the size of the representation, RVSDG nodes per LLVM instruction, with the slope of a linear fit over all functions
//!   (thesis figures B1.11a, B2.8).
//!
//! Needs what `scripts/setup` installs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rvsdg_benches::median;
use serde::Deserialize;
use wait4::Wait4;

const RUNS: usize = 7;

/// Programs of the corpora with their variants.
const PROGRAMS: [(&str, [&str; 2]); 9] = [
    ("sqlite", ["O0", "O2"]),
    ("lua", ["O0", "O2"]),
    ("zlib", ["O0", "O2"]),
    ("zstd", ["O0", "O2"]),
    ("cxx", ["O0", "O2"]),
    ("clipper", ["O0", "O2"]),
    ("harfbuzz", ["O0", "O2"]),
    ("rust", ["O0", "O3"]),
    ("rust-std", ["O0", "O3"]),
];

/// The largest file of each language: program, file, variants.
const LARGEST: [(&str, &str, [&str; 3]); 3] = [
    ("sqlite", "sqlite3", ["O0", "O2", "O2-g"]),
    ("harfbuzz", "harfbuzz", ["O0", "O2", "O2-g"]),
    ("rust-std", "library", ["O0", "O3", "O3-g"]),
];

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the crate is in the workspace")?;
    for arguments in [&["build", "--release", "-p", "jlm"][..], &["run", "-q", "-p", "xtask", "--", "corpus", "build"]]
    {
        let status = Command::new(env!("CARGO")).args(arguments).current_dir(root).status()?;
        if !status.success() {
            bail!("cargo {} failed", arguments.join(" "));
        }
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let bench = Bench {
        optimizer: target.join("release/jlm-opt"),
        ir: root.join("target/corpus/ir"),
        scratch: std::env::temp_dir().join(format!("rvsdg-bench-{}", std::process::id())),
    };
    std::fs::create_dir_all(&bench.scratch)?;
    let result = bench.cost().and_then(|()| bench.shape());
    std::fs::remove_dir_all(&bench.scratch)?;
    result
}

struct Bench {
    optimizer: PathBuf,
    ir: PathBuf,
    scratch: PathBuf,
}

/// What one run of a process cost.
#[derive(Copy, Clone)]
struct Cost {
    wall: f64,
    cpu: f64,
    peak: f64,
}

/// The parts of the statistics that are reported here.
#[derive(Deserialize)]
struct Statistics {
    graphs: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    instructions: u64,
    nodes: u64,
    branches: u64,
    branches_after: u64,
}

impl Bench {
    /// Time and memory against `opt -O3` on the largest files.
    fn cost(&self) -> Result<()> {
        println!(
            "\nReading, construction, recovery and writing without passes, and `-O3`, against `opt-22 -O3`; medians of {RUNS} runs \
             in turn:\n"
        );
        println!("| file | opt -O3 | memory | no passes | wall | CPU | memory | -O3 | wall | CPU | memory |");
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (program, name, variant) in LARGEST.iter().flat_map(|(p, n, variants)| variants.map(|v| (p, n, v))) {
            let file = self.ir.join(program).join(variant).join(format!("{name}.bc"));
            let out = self.scratch.join("out.bc");
            let commands: [(&Path, &[&str]); 3] =
                [(Path::new("opt-22"), &["-O3"]), (&self.optimizer, &[]), (&self.optimizer, &["-O3"])];
            let mut costs = [Vec::new(), Vec::new(), Vec::new()];
            for run in 0..=RUNS {
                for ((program, flags), costs) in commands.iter().zip(&mut costs) {
                    let cost = measure(Command::new(program).args(*flags).arg(&file).arg("-o").arg(&out))?;
                    // The first round warms the file cache.
                    if run > 0 {
                        costs.push(cost);
                    }
                }
            }
            let of = |costs: &[Cost], field: fn(&Cost) -> f64| median(&costs.iter().map(field).collect::<Vec<_>>());
            let [theirs, ours @ ..] = &costs;
            let mut row =
                format!("| {name} {variant} | {:.2} s | {:.0} MB", of(theirs, |c| c.wall), of(theirs, |c| c.peak));
            for ours in ours {
                let ratio = |field| of(ours, field) / of(theirs, field);
                row += &format!(
                    " | {:.2} s | {:.1} % | {:.1} % | {:.2}",
                    of(ours, |cost| cost.wall),
                    100.0 * ratio(|cost| cost.wall),
                    100.0 * ratio(|cost| cost.cpu),
                    ratio(|cost| cost.peak),
                );
            }
            println!("{row} |");
        }
        Ok(())
    }

    /// Branches and representation size of all programs.
    fn shape(&self) -> Result<()> {
        println!("\nStatic branches, and nodes per instruction straight after construction:\n");
        println!(
            "| program | functions | branches | PCFR | SCFR | SCFR / PCFR | nodes / instruction | slope of fit | R² |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (program, variants) in PROGRAMS {
            for variant in variants {
                let predicative = self.statistics(program, variant, "pcfr")?;
                let structured = self.statistics(program, variant, "scfr")?;
                let sum =
                    |functions: &[Function], field: fn(&Function) -> u64| functions.iter().map(field).sum::<u64>();
                let pcfr = sum(&predicative, |function| function.branches_after);
                let scfr = sum(&structured, |function| function.branches_after);
                let instructions = sum(&predicative, |function| function.instructions);
                let nodes = sum(&predicative, |function| function.nodes);
                let (slope, fit) = linear_fit(&predicative);
                println!(
                    "| {program} {variant} | {} | {} | {pcfr} | {scfr} | {:.2} | {:.2} | {slope:.2} | {fit:.3} |",
                    predicative.len(),
                    sum(&predicative, |function| function.branches),
                    scfr as f64 / pcfr as f64,
                    nodes as f64 / instructions as f64,
                );
            }
        }
        Ok(())
    }

    /// The statistics of all functions of a program.
    fn statistics(&self, program: &str, variant: &str, control_flow: &str) -> Result<Vec<Function>> {
        let mut functions = Vec::new();
        let folder = self.ir.join(program).join(variant);
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .with_context(|| folder.display().to_string())?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "bc"));
        files.sort();
        let json = self.scratch.join("stats.json");
        for file in files {
            let mut command = Command::new(&self.optimizer);
            command.arg(&file).arg("-disable-output").arg(format!("--control-flow={control_flow}"));
            command.arg(format!("-stats-json={}", json.display())).stderr(Stdio::null());
            if !command.status()?.success() {
                bail!("jlm-opt failed on {}", file.display());
            }
            let statistics: Statistics = serde_json::from_slice(&std::fs::read(&json)?)?;
            functions.extend(statistics.graphs);
        }
        Ok(functions)
    }
}

/// Runs a command to its end and says what it cost.
fn measure(command: &mut Command) -> Result<Cost> {
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?;
    let used = child.wait4()?;
    if !used.status.success() {
        bail!("{command:?} failed");
    }
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok(Cost { wall: start.elapsed().as_secs_f64(), cpu, peak: used.rusage.maxrss as f64 / f64::from(1 << 20) })
}

/// Slope and coefficient of determination of the least-squares line of nodes over instructions.
fn linear_fit(functions: &[Function]) -> (f64, f64) {
    let count = functions.len() as f64;
    let mean = |field: fn(&Function) -> u64| functions.iter().map(|f| field(f) as f64).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|f| f.instructions), mean(|f| f.nodes));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for function in functions {
        let (x, y) = (function.instructions as f64 - mean_x, function.nodes as f64 - mean_y);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    (xy / xx, xy * xy / (xx * yy))
}
