//! `jlc` in the place of clang, and the pass plugin in clang and `opt`.

use std::path::{Path, PathBuf};
use std::process::Command;

use rvsdg_tests::tools::{compiler_folder, output};
use tempfile::TempDir;

mod caches;
mod gpus;

const C: &str = r#"
#include <stdio.h>
static int square(int x) { return x * x; }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < argc * 1000; i++) sum += square(i) % 7;
  printf("%d\n", sum);
  return 0;
}
"#;

/// A loop becomes a call, for which attributes are made: LLVM parses them in a context of clang's.
const FILL: &str = r#"
void clear(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }
int main(int argc, char **argv) {
  int cleared[64];
  clear(cleared, argc * 64);
  return cleared[argc];
}
"#;

const CXX: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { std::string text; ~Guard() { std::printf("~%s ", text.c_str()); } };
static int f(int n) {
  Guard guard{std::string(n, 'a')};
  if (n > 2) throw std::runtime_error("large");
  return n;
}
int main() {
  std::vector<int> results;
  for (int i = 0; i < 5; i++)
    try { results.push_back(f(i)); } catch (const std::exception &) { results.push_back(-1); }
  for (int result : results) std::printf("%d ", result);
}
"#;

const COROUTINE: &str = r#"
#include <coroutine>
struct Generator {
  struct promise_type {
    int value;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int x) { value = x; return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
static Generator squares(int n) { for (int i = 0; i < n; i++) co_yield i * i; }
int main() {
  Generator g = squares(5);
  int sum = 0;
  while (g.handle.resume(), !g.handle.done()) sum += g.handle.promise().value;
  g.handle.destroy();
  return sum;
}
"#;

/// A folder to compile in.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder can be made"));
        for (name, text) in files {
            std::fs::write(place.path(name), text).expect("a file can be written");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A compiler with a command line.
    fn command(&self, compiler: &Path, line: &str) -> Command {
        let mut command = Command::new(compiler);
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    /// Compiles something with the optimizer; what the compiler said.
    fn jlc(&self, line: &str) -> String {
        let said =
            output(&mut self.command(&compiler_folder().join("jlc"), line)).unwrap_or_else(|error| panic!("{error}")).1;
        assert!(!said.contains("compiling without the optimizer"), "{line}: {said}");
        said
    }

    /// Runs a program that was made: its status and standard output.
    fn run(&self, program: &str) -> (Option<i32>, String) {
        let output = Command::new(self.path(program)).output().expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn plugin() -> PathBuf {
    compiler_folder().join("librvsdg.so")
}

/// Programs do what they do under clang, at every level, in one step and in several.
#[test]
fn levels() {
    let place = Place::new(&[("p.c", C), ("fill.c", FILL), ("p.cc", CXX)]);
    std::os::unix::fs::symlink(compiler_folder().join("jlc"), place.path("jlc++")).expect("a link can be made");
    for (compiler, source) in [("jlc", "p.c"), ("jlc", "fill.c"), ("jlc++", "p.cc")] {
        let own = if compiler == "jlc" { compiler_folder().join("jlc") } else { place.path("jlc++") };
        let clang = if compiler == "jlc" { "clang-22" } else { "clang++-22" };
        output(&mut place.command(Path::new(clang), &format!("-O0 {source} -o expected"))).expect("clang compiles it");
        let expected = place.run("expected");
        for level in ["-O0", "-O1", "-O2 -g", "-O3", "-Os", "-Oz", "-O2 -fPIC", "-O2 -march=x86-64-v3"] {
            let one_step = format!("{level} {source} -o one");
            let object = format!("{level} -c {source} -o p.o");
            let link = format!("{level} p.o -o two");
            for line in [one_step, object, link] {
                let (_, said) = output(&mut place.command(&own, &line)).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(said, "", "{line}");
            }
            assert_eq!(place.run("one"), expected, "{compiler} {level}");
            assert_eq!(place.run("two"), expected, "{compiler} {level}, in two steps");
        }
    }
}

/// LLVM's optimizations are left out and ours run once; what is left of LLVM's passes is needed.
#[test]
fn only_our_optimizations_run() {
    const NEEDED: &[&str] = &[
        "AllocTokenPass",
        "AlwaysInlinerPass",
        "Annotation2MetadataPass",
        "AnnotationRemarksPass",
        "CGProfilePass",
        "CoroAnnotationElidePass",
        "CoroCleanupPass",
        "CoroEarlyPass",
        "CoroElidePass",
        "CoroSplitPass",
        "DevirtSCCRepeatedPass",
        "EliminateAvailableExternallyPass",
        "EntryExitInstrumenterPass",
        "ForceFunctionAttrsPass",
        "GlobalDCEPass",
        "InferFunctionAttrsPass",
        "InvalidateAnalysisPass",
        "LowerConstantIntrinsicsPass",
        "LowerExpectIntrinsicPass",
        "MemProfRemoveInfo",
        "ModuleInlinerWrapperPass",
        "RecomputeGlobalsAAPass",
        "RequireAnalysisPass",
        "VerifierPass",
    ];
    let place = Place::new(&[("p.c", C)]);
    for level in ["-O1", "-O2", "-O3 -g", "-Os", "-Oz"] {
        let said = place.jlc(&format!("{level} -c p.c -Xclang -fdebug-pass-manager"));
        let name = |line: &str| line.split(['<', ' ']).next().unwrap_or_default().to_owned();
        let run: Vec<String> = said.lines().filter_map(|line| line.strip_prefix("Running pass: ")).map(name).collect();
        assert_eq!(run.iter().filter(|pass| *pass == "rvsdg::RvsdgPass").count(), 1, "{level}: {run:?}");
        for pass in run.iter().filter(|pass| *pass != "rvsdg::RvsdgPass") {
            assert!(NEEDED.contains(&pass.as_str()), "{level} runs {pass} of LLVM's");
        }
    }
    assert!(!place.jlc("-O0 -c p.c -Xclang -fdebug-pass-manager").contains("RvsdgPass"));
}

/// Flags, kinds of input and kinds of output that builds use.
#[test]
fn what_builds_ask_for() {
    let place = Place::new(&[
        ("p.c", C),
        ("f.c", "int g(int); int f(int x) { return g(x) + g(x); }\n"),
        ("g.s", ".globl g\ng: movl %edi, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n"),
        ("h.ll", "define i32 @h(i32 %x) {\n  %y = add i32 %x, 1\n  %z = sub i32 %y, 1\n  ret i32 %z\n}\n"),
        ("m.c", "int f(int); int h(int); int main(void) { return f(4) + h(5); }\n"),
        ("args", "-O2 -Wno-override-module f.c g.s\nh.ll m.c -o \"linked\""),
        ("k.cl", "kernel void k(global int *a) { a[get_global_id(0)] += 1 + 2; }\n"),
        ("o.m", "int twice(int x) { return x + x; }\n"),
        ("co.cc", COROUTINE),
    ]);
    assert_eq!(place.jlc("@args"), "");
    assert_eq!(place.run("linked").0, Some(13));
    place.jlc("-O2 -E p.c -o p.i");
    assert!(place.text("p.i").contains("square(i) % 7"));
    place.jlc("-O2 -c p.c -MD -MF p.d -MT target");
    assert!(place.text("p.d").starts_with("target: p.c"));
    place.jlc("-O2 -S p.c");
    assert!(place.text("p.s").contains("main:"));
    place.jlc("-O2 -S -emit-llvm -Wno-override-module h.ll -o h2.ll");
    assert!(place.text("h2.ll").contains("ret i32 %x"));
    place.jlc("-O2 -c -flto p.c -o p.bc");
    place.jlc("-O2 -c -flto=thin p.c -o thin.bc");
    for file in ["p.bc", "thin.bc"] {
        assert!(std::fs::read(place.path(file)).is_ok_and(|bytes| bytes.starts_with(b"BC")), "{file} is bitcode");
    }
    place.jlc("-O2 -S -x cl -cl-std=CL2.0 --target=nvptx64 -march=sm_50 -nogpulib k.cl -o k.ptx");
    assert!(place.text("k.ptx").contains(".entry k("));
    place.jlc("-O2 -c o.m");
    place.jlc("--driver-mode=g++ -std=c++20 -O2 co.cc -o co");
    assert_eq!(place.run("co").0, Some(1 + 4 + 9 + 16));
    place.jlc("-O2 -S -fsanitize=address p.c -o asan.s");
    assert!(place.text("asan.s").contains("__asan_init"));
    place.jlc("-O2 -S -fprofile-instr-generate p.c -o profile.s");
    assert!(place.text("profile.s").contains("__llvm_prf_cnts"));
    place.jlc("-O2 -Werror -fsyntax-only p.c");
    assert!(place.jlc("-v").contains("clang version 22"));
}

/// Wrong programs and wrong options end as under clang, with no output.
#[test]
fn errors() {
    let place = Place::new(&[("bad.c", "int f(int x) { return y; }\n"), ("p.c", C)]);
    let failed = |compiler: &Path, line: &str| {
        let output = place.command(compiler, line).output().expect("the compiler starts");
        assert_eq!(output.status.code(), Some(1), "{line}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let jlc = compiler_folder().join("jlc");
    assert_eq!(failed(&jlc, "-O2 -c bad.c"), failed(Path::new("clang-22"), "-O2 -c bad.c"));
    assert!(!place.path("bad.o").exists());
    assert!(failed(&jlc, "-O2 -c p.c -Xrvsdg passes=dnx").contains("unknown pass 'dnx'; did you mean 'dne'?"));
    assert!(!place.path("p.o").exists());
    assert!(failed(&jlc, "-O2 -c p.c -Xrvsdg no-such-option=1").contains("-rvsdg-no-such-option"));
    assert!(failed(&jlc, "-Xrvsdg").contains("expected an option"));
    assert!(failed(&jlc, "-O2 -c p.c --no-such-flag").contains("--no-such-flag"));
}

/// Whether the program of a test is there; tests are left out by name where it is not, but not in CI.
fn is_there(program: &str, test: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "CI needs {program}, which scripts/setup installs");
    if !is_there {
        eprintln!("left out: {test} (no {program} on PATH)");
    }
    is_there
}

/// One process besides clang's, in which everything is done: for a file, `jlc` starts clang once, and that starts nothing.
#[test]
fn processes() {
    let script = "#!/bin/sh\necho \"$@\" >> calls\nexec clang-22 \"$@\"\n";
    let place = Place::new(&[("clang", script), ("p.c", C), ("p.cc", CXX)]);
    let mut executable = Command::new("chmod");
    output(executable.arg("+x").arg(place.path("clang"))).expect("the script becomes executable");
    let jlc = |line: &str| {
        let mut command = place.command(&compiler_folder().join("jlc"), line);
        let (_, said) = output(command.env("JLC_CLANG", place.path("clang"))).unwrap_or_else(|error| panic!("{error}"));
        let calls = place.text("calls").lines().count();
        std::fs::remove_file(place.path("calls")).expect("clang was called");
        (calls, said)
    };
    for line in ["-O2 -c p.c", "-O3 -g -c p.cc", "-O2 -S p.c", "-O2 -flto -c p.c", "-O2 -c p.c -MD -MF p.d"] {
        assert_eq!(jlc(line).0, 1, "{line}");
        let (calls, plan) = jlc(&format!("-### {line}"));
        let commands: Vec<&str> = plan.lines().filter(|line| line.trim_start().starts_with('"')).collect();
        assert!(calls == 1 && commands.len() == 1 && plan.contains("(in-process)"), "{line}: {plan}");
    }
}

/// A seed that a build gives is for what clang makes up, as a file's name in coverage; nothing of ours depends on it.
#[test]
fn random_seed() {
    let place = Place::new(&[("p.cc", CXX)]);
    let object = |flags: &str| {
        place.jlc(&format!("-O3 {flags} -c p.cc -o p.o"));
        std::fs::read(place.path("p.o")).expect("there is an object file")
    };
    let plain = object("");
    assert!(object("-frandom-seed=p.o") == plain && object("-frandom-seed=4711") == plain);
}

/// Command lines that mean the same to `jlc` and to clang: what is printed, the status, and which files come of it.
#[test]
fn as_clang_does() {
    const LINES: &[&str] = &[
        "",
        "-c",
        "no-such-file.c",
        "-no-such-flag -c twice.c",
        "--version-of-nothing",
        "-dumpversion",
        "-dumpmachine",
        "-print-search-dirs",
        "-print-file-name=libc.so",
        "-print-prog-name=ld",
        "-print-resource-dir",
        "-print-target-triple",
        "-print-libgcc-file-name",
        "-v",
        "-E -dM -x c /dev/null",
        "-E -P twice.c",
        "-M twice.c",
        "-O2 -MM -MP -MT x twice.c",
        "-O2 -MMD -MF x.d -c twice.c",
        "-O2 -c twice.c main.c",
        "-O2 -c twice.c main.c -o x.o",
        "-O2 -c -x c - -o x.o",
        "-O2 -c twice.c -o /no/such/folder/x.o",
        "-O2 -ccc-print-phases twice.c",
        "-O2 -ccc-print-bindings -c twice.c",
        "-Werror -O2 -c third.S",
        "-Werror -Wunused-command-line-argument -O2 -E twice.c -o x.i",
        "-Wall -Wextra -Weverything -O2 -c twice.c",
        "-O2 -shared -fPIC twice.c -o libtwice.so",
        "-O2 -static twice.c main.c -o x",
        "-O2 -r twice.c main.c -o x.o",
        "-O2 twice.c main.c -Xlinker -Map=x.map -Wl,--gc-sections -o x",
        "-O2 -fsyntax-only twice.c",
        "-O2 --analyze twice.c",
        "-O2 -g -gsplit-dwarf -c twice.c",
        "-O2 -save-temps -c twice.c",
        "-O2 -fsave-optimization-record -c twice.c",
        "-O2 --coverage -c twice.c",
        "-O2 -fno-integrated-as -c twice.c",
        "-O2 -x c-header twice.h -o twice.h.pch",
        "-O2 -emit-ast twice.c -o x.ast",
        "-O2 -fplugin=no.so -c twice.c",
        "-O2 -fpass-plugin=no.so -c twice.c",
        "-O2 -m32 -c twice.c",
        "-O2 --target=aarch64-linux-gnu -c twice.c",
        "-O2 --target=wasm32 -c twice.c",
        "-O2 -c object.m",
        "-O2 -S -x cl --target=amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib kernel.cl -o x.s",
        "@flags",
    ];
    const FILES: &[(&str, &str)] = &[
        ("twice.h", "int twice(int x);\n"),
        ("twice.c", "#include \"twice.h\"\n#define M 2\nint twice(int x) { return M * x; }\n"),
        ("main.c", "#include \"twice.h\"\nint main(int argc, char **argv) { return twice(argc); }\n"),
        ("third.S", "#define F third\n.globl F\nF: movl %edi, %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n"),
        ("object.m", "@interface A { int x; } - (int) get; @end\n@implementation A - (int) get { return x; } @end\n"),
        ("kernel.cl", "kernel void k(global int *a) { a[get_global_id(0)] += 1; }\n"),
        ("flags", "-O2\n-c \"twice.c\"\n-DTEXT=\"a b\"\n"),
    ];
    for line in LINES {
        let of = |compiler: &Path| {
            let place = Place::new(FILES);
            let output = place.command(compiler, line).stdin(std::process::Stdio::null()).output().expect("it starts");
            let folder = place.0.path().to_string_lossy().into_owned();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&folder, "FOLDER");
            let mut files: Vec<_> = std::fs::read_dir(place.0.path())
                .expect("it is a folder")
                .map(|file| file.expect("it can be read").file_name())
                .collect();
            files.sort();
            (output.status.code(), text(&output.stdout), text(&output.stderr), files)
        };
        assert_eq!(of(&compiler_folder().join("jlc")), of(Path::new("clang-22")), "{line}");
    }
}

/// A failure of the optimizer is no failure of the compiler: a stand-in for clang fails as the plugin says that it does.
#[test]
fn a_failure_of_the_optimizer() {
    let script = "#!/bin/sh\ncase \"$*\" in\n  *-fpass-plugin=*) printf 'it is broken' > \"$RVSDG_FAILURE_FILE\"; exit 1;;\n\
        *) echo \"plain: $*\";;\nesac\n";
    let place = Place::new(&[("clang", script)]);
    let mut executable = Command::new("chmod");
    output(executable.arg("+x").arg(place.path("clang"))).expect("the script becomes executable");
    let mut command = place.command(&compiler_folder().join("jlc"), "-O2 -c p.c");
    let (said, remarks) = output(command.env("JLC_CLANG", place.path("clang"))).expect("the second try succeeds");
    assert_eq!(said, "plain: -O2 -c p.c\n");
    assert_eq!(remarks, "jlc: remark: it is broken; compiling without the optimizer\n");
}

/// The plugin beside LLVM's own passes, in `opt` and in clang.
#[test]
fn plugin_among_llvms_passes() {
    let place = Place::new(&[("p.c", C)]);
    place.jlc("-O1 -Xclang -disable-llvm-passes -c -emit-llvm -Xrvsdg at=none p.c -o p.bc");
    let opt = |passes: &str| {
        let mut command = place.command(Path::new("opt-22"), "-S p.bc -o -");
        command.arg(format!("-load-pass-plugin={}", plugin().display())).arg(format!("-passes={passes}"));
        output(&mut command).map(|(text, _)| text)
    };
    for passes in [
        "rvsdg",
        "function(mem2reg),rvsdg<O2>,function(loop-vectorize)",
        "rvsdg(sra,mvf,dne),function(instcombine),rvsdg<cne;dne>",
        "rvsdg<Os>,default<O2>",
    ] {
        let text = opt(passes).unwrap_or_else(|error| panic!("{error}"));
        assert!(text.contains("define dso_local") && !text.contains("alloca"), "{passes}: {text}");
    }
    let error = opt("rvsdg(cne,dnx)").expect_err("there is no such pass");
    assert!(error.contains("unknown pass 'dnx'"), "{error}");
    let line = format!("-O2 -fpass-plugin={} p.c -o p", plugin().display());
    output(&mut place.command(Path::new("clang-22"), &line)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(place.run("p").0, Some(0));
}

/// The plugin in the linker: what it has made one module is optimized as a whole. Left out by name where the linker is not there, but not
/// in CI.
#[test]
fn plugin_at_link_time() {
    if !is_there("ld.lld-22", "the plugin in the linker") {
        return;
    }
    const MAIN: &str =
        "int twice(int);\nint main(int argc, char **argv) { return twice(argc) + twice(argc + 1) == 6 ? 0 : 1; }\n";
    let place = Place::new(&[("main.c", MAIN), ("twice.c", "int twice(int x) { return x * 2; }\n")]);
    let link = |lto: &str, flags: &str| {
        let compile = format!("-O2 {lto} -c main.c twice.c");
        output(&mut place.command(Path::new("clang-22"), &compile)).unwrap_or_else(|error| panic!("{error}"));
        // One thread, since several would print into each other's lines.
        let said = "-Wl,--lto-debug-pass-manager -Wl,--save-temps -Wl,--thinlto-jobs=1";
        let line = format!("-O2 {lto} -fuse-ld=lld {said} {flags} main.o twice.o -o p");
        // clang looks for ld.lld beside itself, which is the one of its version.
        let said = output(&mut place.command(Path::new("clang-22"), &line)).unwrap_or_else(|error| panic!("{error}")).1;
        assert_eq!(place.run("p"), (Some(0), String::new()), "{lto} {flags}");
        said.matches("Running pass: rvsdg::RvsdgPass on [module]").count()
    };
    let plugin = format!("-Wl,--load-pass-plugin={}", plugin().display());
    assert_eq!((link("-flto", ""), link("-flto", &plugin)), (0, 1));
    // It saw both files as one.
    let mut dis = Command::new("llvm-dis-22");
    let text =
        output(dis.arg(place.path("p.0.4.opt.bc")).args(["-o", "-"])).unwrap_or_else(|error| panic!("{error}")).0;
    assert!(text.contains("@main(") && !text.contains("call"), "{text}");
    // For ThinLTO each module has its place.
    assert_eq!(link("-flto=thin", &plugin), 2);
}

const KERNEL: &str = r#"
typedef int __attribute__((address_space(1))) global_int;
__attribute__((nvptx_kernel)) void kernel(global_int *in, global_int *out, int n) {
  int thread = __nvvm_read_ptx_sreg_tid_x(), x = in[thread], y;
  if (x & 1) {
    y = in[thread + n] * 3;
    if (x & 2) goto shared;
    y ^= in[thread + 77];
  } else {
    y = in[thread + 2 * n] * 7;
    if (x & 4) goto shared;
    y += in[thread + 12];
  }
  goto end;
shared:
  y = in[y & 15] * 4711;
end:
  out[thread] = y;
}
"#;

/// The block of LLVM IR with a text in it: how many blocks lead to it.
fn predecessors(ir: &str, text: &str) -> usize {
    let at = ir.find(text).unwrap_or_else(|| panic!("no {text} in\n{ir}"));
    let label = ir[..at].lines().rev().find(|line| line.contains("; preds = ")).expect("a block begins");
    label.split_once("; preds = ").expect("it says so").1.split(',').count()
}

/// Threads that parted meet before what two ways lead to.
#[test]
fn kernels() {
    let place = Place::new(&[("k.c", KERNEL)]);
    let gpu = "--target=nvptx64-nvidia-cuda -march=sm_90 --cuda-feature=+ptx80 -nogpulib -O2";
    place.jlc(&format!("{gpu} -S k.c -o k.ptx"));
    assert!(place.text("k.ptx").contains(".visible .entry kernel("));
    place.jlc(&format!("{gpu} -S -emit-llvm k.c -o k.ll"));
    assert_eq!(predecessors(&place.text("k.ll"), "4711"), 1);
    let without = "-Xrvsdg passes=sra,mvf,red,cne,dne";
    place.jlc(&format!("{gpu} {without} -S -emit-llvm k.c -o w.ll"));
    assert_eq!(predecessors(&place.text("w.ll"), "4711"), 2);
}
