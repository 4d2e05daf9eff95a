//! Functions of the C library promise nothing that LLVM's `inferattrs` does not infer for them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use rvsdg_analysis::function::attributes;
use rvsdg_analysis::library::{Promises, is_known};
use rvsdg_core::Module;
use rvsdg_core::attribute::Attribute;
use rvsdg_llvm::{LlvmModule, import};

const TARGET: &str =
    "target datalayout = \"e-m:e-i64:64-f80:128-n8:16:32:64-S128\"\ntarget triple = \"x86_64-unknown-linux-gnu\"\n";

fn imported(text: &str) -> Module {
    let (module, _) = LlvmModule::parse(text.as_bytes(), "library.ll").expect("the module is well-formed");
    import(module).module
}

/// What LLVM infers.
fn inferred(text: &str) -> String {
    let mut opt = Command::new("opt-22");
    let mut opt = opt
        .args(["-passes=inferattrs", "-S"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("opt-22 is installed");
    opt.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("opt reads");
    String::from_utf8(opt.wait_with_output().expect("opt ends").stdout).expect("IR is text")
}

#[test]
fn llvm_infers_what_functions_promise() {
    let mut names: Vec<&Promises> = Promises::all().collect();
    names.sort_by_key(|promises| &promises.name);
    let declarations: Vec<String> = names.iter().map(|promises| promises.declaration()).collect();
    let text = format!("{TARGET}{}\n", declarations.join("\n"));
    let plain = imported(&text);
    assert!(is_known(&plain), "the target has the library");
    let by_llvm = imported(&inferred(&text));
    for promises in names {
        let symbol = |module: &Module| {
            let named = |&symbol: &_| *module.symbols[symbol].name == *promises.name;
            module.order.iter().copied().find(named).expect("it is declared")
        };
        let found = Promises::of(&plain, symbol(&plain)).expect("it has the type of its declaration");
        assert_eq!(found.name, promises.name, "each name has one function");
        let known = attributes(&by_llvm, symbol(&by_llvm)).expect("it is a function");
        let expect = |promised: &[Attribute], inferred: &[Attribute], place: &str| {
            let missing = promised.iter().find(|promise| !inferred.contains(promise));
            assert_eq!(missing, None, "{}, {place}: not among {inferred:?}", promises.name);
        };
        let promised = &promises.attributes;
        expect(&promised.function, &known.function, "function");
        expect(&promised.result, &known.result, "result");
        for (index, list) in promised.params.iter().enumerate() {
            expect(list, known.param(index), &format!("parameter {index}"));
        }
    }
}
