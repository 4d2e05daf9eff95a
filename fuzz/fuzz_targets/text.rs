//! The parser of the text format: any text gives a module or an error, the verifier and the printer take what was parsed, and
//! what is valid prints and parses the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_core::text::{parse_module, print_module};

fuzz_target!(|text: &str| {
    let Ok(module) = parse_module(text) else { return };
    let printed = print_module(&module);
    // The text of what is not valid is for reading.
    if module.verify().is_err() {
        return;
    }
    let again = parse_module(&printed).expect("what was printed parses");
    assert_eq!(print_module(&again), printed);
    assert!(again.verify().is_ok(), "what was printed is valid");
});
