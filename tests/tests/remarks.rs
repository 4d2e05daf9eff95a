//! Remarks: how much is said about real code, and that LLVM's tools read it.

use std::path::Path;
use std::process::Command;

use rvsdg_tests::tools::{jlm_opt, output};

/// How much longer than `opt`'s a file of ours may be.
const RATIO: f64 = 3.0;

/// How long a line may be. Names of functions and files are as long as they are.
const LINE: usize = 400;

/// An interpreter: a loop around a switch, with many variables that all change somewhere.
fn interpreter(cases: usize, variables: usize) -> String {
    let declared: Vec<String> = (0..variables).map(|v| format!("long r{v} = in[{v}];")).collect();
    let bodies: Vec<String> = (0..cases)
        .map(|case| {
            let (to, a, b) = (case % variables, case * 7 % variables, case * 5 % variables);
            format!(
                "case {case}: r{to} = r{a} * r{b} + in[r{to} & 63]; if (r{a} > r{b}) out[{to}] = helper(r{to}); break;"
            )
        })
        .collect();
    let written: Vec<String> = (0..variables).map(|v| format!("out[{v}] = r{v};")).collect();
    format!(
        "static long helper(long x) {{ return x < 0 ? -x : x + 1; }}\n\
         void run(const unsigned char *code, const long *in, long *out) {{\n{}\n\
         for (;;) {{ switch (*code++) {{\n{}\ndefault:\n{}\nreturn;\n}} }} }}\n",
        declared.join("\n"),
        bodies.join("\n"),
        written.join("\n"),
    )
}

/// Compares what is said about a source file.
fn compare(compiler: &str, source: &Path, folder: &Path) {
    let path = |name: &str| folder.join(name);
    let mut clang = Command::new(compiler);
    clang.args(["-O2", "-g", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"]);
    output(clang.arg(source).arg("-o").arg(path("input.bc"))).expect("it compiles");
    let remarks = |optimizer: &mut Command, name: &str| {
        optimizer.arg("-O3").arg(path("input.bc")).arg("-disable-output");
        output(optimizer.arg(format!("-pass-remarks-output={}", path(name).display()))).expect("it is optimized");
        std::fs::read_to_string(path(name)).expect("remarks were written")
    };
    let theirs = remarks(&mut Command::new("opt-22"), "theirs.yaml");
    let ours = remarks(&mut jlm_opt(), "ours.yaml");
    let ratio = ours.len() as f64 / theirs.len() as f64;
    assert!(ratio <= RATIO, "{}: {} bytes, opt {}", source.display(), ours.len(), theirs.len());
    let names = ["Function:", "  - Callee:", "  - Caller:", "DebugLoc:", "    DebugLoc:"];
    for line in ours.lines().filter(|line| !names.iter().any(|name| line.starts_with(name))) {
        assert!(line.len() <= LINE, "{}: {line}", source.display());
    }
    assert!(ours.contains("--- !Passed") && ours.contains("--- !Analysis"));

    let mut tool = Command::new("llvm-remarkutil-22");
    output(tool.arg("yaml2bitstream").arg(path("ours.yaml")).arg("-o").arg(path("ours.bitstream"))).expect("YAML");
    let mut tool = Command::new("llvm-remarkutil-22");
    tool.args(["count", "--count-by=remark-name", "--group-by=total", "--parser=yaml"]).arg(path("ours.yaml"));
    let counted = output(&mut tool).expect("they are counted").0;
    let count = ours.lines().filter(|line| line.starts_with("--- !")).count();
    assert!(counted.contains(&count.to_string()), "{count} remarks, LLVM counts {counted}");
}

#[test]
fn remarks_are_few_and_short() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let source = folder.path().join("interpreter.c");
    std::fs::write(&source, interpreter(120, 40)).expect("the file can be written");
    compare("clang-22", &source, folder.path());
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/cxx");
    compare("clang++-22", &corpus.join("streams.cpp"), folder.path());
    compare("clang++-22", &corpus.join("exceptions.cpp"), folder.path());
}
