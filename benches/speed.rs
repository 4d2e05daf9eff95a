//! `cargo bench --bench speed`: small programs in C, C++ and Rust, as `opt -O3` makes them and as we do: time, size and the optimizer's
//! time, as tables.
//!
//! Needs what `scripts/setup` installs.

use anyhow::Result;
use clap::Parser;
use rvsdg_benches::speed::{self, Options, tables};

fn main() -> Result<()> {
    let run = speed::measure(&Options::parse())?;
    print!("{}", tables::page(&run));
    Ok(())
}
