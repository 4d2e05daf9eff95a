//! Edits of a graph do what they do to a naive model of it, and keep all that the graph maintains.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_gen::edits;
use rvsdg_gen::entropy::Entropy;

/// At most so many edits in a script.
const EDITS: usize = 120;

fuzz_target!(|bytes: &[u8]| {
    edits::check(&edits::script(&mut Entropy::of_bytes(bytes), EDITS));
});
