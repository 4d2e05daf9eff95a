//! The parser of the text format: any text gives a module or an error, and what parses prints and parses the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_core::text::{parse_module, print_module};

fuzz_target!(|text: &str| {
    let Ok(module) = parse_module(text) else { return };
    let printed = print_module(&module);
    let again = parse_module(&printed).expect("what was printed parses");
    assert_eq!(print_module(&again), printed);
    let _ = module.verify();
});
