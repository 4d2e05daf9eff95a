//! `cargo bench --bench loops`: small loops of many kinds as `opt -O3` makes them and as we do: which become vectors, and how fast each
//! is, as tables.
//!
//! Needs what `scripts/setup` installs.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::loops::{self, Options};

fn main() -> Result<()> {
    let run = loops::measure(&Options::parse())?;
    print!("{}", loops::tables::page(&run));
    Ok(())
}
