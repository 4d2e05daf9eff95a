//! Functions of the C library promise nothing that LLVM's `inferattrs` does not infer for them.

use std::collections::BTreeSet;
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

fn texts(list: &[Attribute]) -> BTreeSet<String> {
    list.iter().map(|attribute| attribute.text.to_string()).collect()
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
        let (function, result) = (texts(&known.function), texts(&known.result));
        for promise in promises.function {
            assert!(function.contains(*promise), "{}: {promise} not among {function:?}", promises.name);
        }
        for promise in &promises.result {
            assert!(result.contains(*promise), "{}: {promise} not among {result:?}", promises.name);
        }
        for (index, names) in promises.params.iter().enumerate() {
            let param = known.params.get(index).map(|list| texts(list)).unwrap_or_default();
            for promise in names {
                assert!(
                    param.contains(*promise),
                    "{}, parameter {index}: {promise} not among {param:?}",
                    promises.name
                );
            }
        }
    }
}
