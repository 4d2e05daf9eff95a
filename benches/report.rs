//! `cargo bench`: PolyBench under several optimizers and our own, checked and timed, as one report.
//!
//! Needs what `scripts/setup` installs.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::cli::Options;
use rvsdg_benches::results::Run;
use rvsdg_benches::run::Session;
use rvsdg_benches::{process, report};

fn main() -> Result<()> {
    let options = Options::parse();
    let kind = if options.quick { "quick" } else { "full" };
    let output = options.output.clone().unwrap_or_else(|| process::target_folder().join("report").join(kind));
    let run = match &options.from {
        Some(file) => Run::read(file)?,
        None => Session::new(&options, &output)?.measure()?,
    };
    let path = report::write(&run, &output)?;
    println!("The report is {}", path.display());
    println!("The results are {}", output.join("results.json").display());
    Ok(())
}
