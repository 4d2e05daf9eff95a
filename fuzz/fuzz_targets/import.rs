//! LLVM IR in: what LLVM accepts becomes a valid module, of text and of bitcode the same one, and becomes LLVM IR again that LLVM
//! accepts, from original instructions and anew.
//!
//! Bytes that begin with a zero stand for a generated module of all that the generator knows; others are text. LLVM's reader of
//! bitcode is not what is tested: it is given what LLVM wrote.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_core::text::{parse_module, print_module};
use rvsdg_fuzz::{Graphs, Way};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::llvm::{self, Options};
use rvsdg_llvm::{Format, LlvmModule};

fuzz_target!(|bytes: &[u8]| {
    let generated;
    let source = match bytes.split_first() {
        Some((0, choices)) => {
            generated = llvm::module(&mut Entropy::of_bytes(choices), Options { defined: false, ..Options::RUNNABLE });
            generated.as_bytes()
        }
        // Bitcode may crash LLVM.
        Some((b'B', _)) | None => return,
        Some(_) => bytes,
    };
    let Ok((mut llvm, _)) = LlvmModule::parse(source, "text") else { return };
    let bitcode = llvm.write(Format::Bitcode);
    let graphs = Graphs::of(llvm);
    let printed = print_module(&graphs.import.module);
    if let Err(violations) = graphs.import.module.verify() {
        panic!("{}\n{printed}", violations[0]);
    }
    let parsed = parse_module(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(print_module(&parsed), printed);
    for way in Way::ALL {
        let (llvm, _) = LlvmModule::parse(&bitcode, "bitcode").expect("LLVM reads what it wrote");
        let graphs = Graphs::of(llvm);
        if let Ok(mut llvm) = graphs.export(way) {
            llvm.verify().unwrap_or_else(|error| panic!("{error} {way:?}\n{printed}"));
        } else {
            assert!(!way.originals, "originals can be written");
        }
    }
});
