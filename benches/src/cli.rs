//! The command line of `cargo bench --`.

use std::path::PathBuf;

use clap::Parser;

/// Measures the optimizer on PolyBench and on real programs, and writes a report.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo bench --")]
pub struct Options {
    /// Fewer columns and smaller problems: under five minutes
    #[arg(long)]
    pub quick: bool,

    /// Go on with a run that was interrupted
    #[arg(long)]
    pub resume: bool,

    /// A kernel (may be repeated; all if absent)
    #[arg(long = "kernel", value_name = "NAME")]
    pub kernels: Vec<String>,

    /// A column, see benches/src/configs.rs (may be repeated; all if absent); the baseline is always there
    #[arg(long = "column", value_name = "NAME")]
    pub columns: Vec<String>,

    /// One more column: an optimizer's command, in which {in} and {out} stand for IR files (may be repeated)
    #[arg(long = "config", value_name = "NAME=COMMAND")]
    pub configs: Vec<String>,

    /// Leave out what is measured of whole programs: sizes of graphs, branches, time of our optimizer
    #[arg(long)]
    pub no_programs: bool,

    /// Seconds that the baseline should take on a kernel (0.35, quick 0.06)
    #[arg(long, value_name = "SECONDS")]
    pub target: Option<f64>,

    /// Time every kernel at this data set, MINI to EXTRALARGE, instead of sizes at which it takes long enough
    #[arg(long, value_name = "NAME", conflicts_with = "target")]
    pub dataset: Option<String>,

    /// Only make the report anew from a run's results
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// Also write docs/polybench.md and its figures from the results
    #[arg(long)]
    pub write_docs: bool,

    /// Where results and report go (target/report/full or target/report/quick)
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,

    /// Our optimizer (built with the release profile if absent)
    #[arg(long, value_name = "FILE")]
    pub jlm_opt: Option<PathBuf>,

    /// The folder with our kernels
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub sources: Option<PathBuf>,

    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    pub bench: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_is_consistent() {
        Options::command().debug_assert();
        assert!(Options::try_parse_from(["report", "--quick", "--bench"]).unwrap().quick);
    }
}
