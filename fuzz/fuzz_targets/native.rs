//! All of `jlm-opt` against native code: a generated program prints the same after any pipeline, with either recovery, of
//! original instructions or new ones. LLVM's `lli-22`, or the program that `LLI` names, runs both.
#![no_main]

use std::io::Write;
use std::process::{Command, Output, Stdio};

use libfuzzer_sys::fuzz_target;
use rvsdg_fuzz::{Graphs, Way};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::llvm::{self, Options};
use rvsdg_gen::modules::pipeline;
use rvsdg_llvm::{Format, LlvmModule};
use rvsdg_passes::{Manager, Pipeline, Registry};

/// Runs a program. What it prints is less than a pipe holds.
fn run(bitcode: &[u8]) -> Output {
    let program = std::env::var_os("LLI").unwrap_or_else(|| "lli-22".into());
    let mut command = Command::new(program);
    command.args(["-O0", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("lli can be started");
    child.stdin.take().expect("it is piped").write_all(bitcode).expect("lli reads it");
    child.wait_with_output().expect("lli can be waited for")
}

fuzz_target!(|bytes: &[u8]| {
    let entropy = &mut Entropy::of_bytes(bytes);
    let names: Vec<&str> = Registry::builtin().passes().iter().map(|entry| entry.name).collect();
    let text = pipeline(entropy, &names);
    let way = entropy.pick(&Way::ALL);
    let source = llvm::module(entropy, Options::RUNNABLE);
    let (mut llvm, _) = LlvmModule::parse(source.as_bytes(), "generated").expect("what is generated is valid");
    let expected = run(&llvm.write(Format::Bitcode));
    assert!(expected.status.success(), "{expected:?}\n{source}");
    let mut graphs = Graphs::of(llvm);
    let pipeline = Pipeline::parse(&text).expect("it consists of passes");
    let manager = Manager { verify_each: true, ..Manager::default() };
    if let Err(broken) = manager.run(&mut graphs.import.module, &pipeline) {
        panic!("{text}: {broken}\n{source}");
    }
    let mut llvm = graphs.export(way).unwrap_or_else(|error| panic!("{text} {way:?}: {error}\n{source}"));
    llvm.verify().unwrap_or_else(|error| panic!("{text} {way:?}: {error}\n{source}"));
    let actual = run(&llvm.write(Format::Bitcode));
    assert_eq!(
        (actual.status, String::from_utf8_lossy(&actual.stdout)),
        (expected.status, String::from_utf8_lossy(&expected.stdout)),
        "{text} {way:?}\n{source}"
    );
});
