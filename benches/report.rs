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
    if options.write_docs {
        let reasons = report::docs::reasons(&process::root().join("benches/polybench"))?;
        let page = report::docs::write(&run, &reasons, &process::root().join("docs"))?;
        println!("The page of the documentation is {}", page.display());
    }
    println!("The report is {}", path.display());
    let results = options.from.unwrap_or_else(|| output.join("results.json"));
    println!("The results are {}", results.display());
    Ok(())
}
