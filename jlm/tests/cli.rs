//! `jlm-opt` as its users meet it: bad input of every kind, and the habits of `opt`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const PROGRAM: &str = "\
@counter = global i32 0

define i32 @twice(i32 %x) {
  %a = add nsw i32 %x, %x
  %b = add nsw i32 %x, %x
  %dead = mul i32 %a, %b
  %sum = add i32 %a, %b
  %positive = icmp sgt i32 %sum, 0
  br i1 %positive, label %then, label %end

then:
  store i32 %sum, ptr @counter
  br label %end

end:
  ret i32 %sum
}

define internal void @unused() {
  ret void
}
";

/// A folder with an output file that must stay as it is.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder can be made") };
        place.file("out.ll", "old contents");
        place.file("program.ll", PROGRAM);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("a file can be written");
        path
    }

    /// Runs `jlm-opt` in the folder.
    fn run(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_jlm-opt"))
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("jlm-opt can be started")
    }

    /// Runs `jlm-opt`, which must succeed, and returns standard output and error.
    #[track_caller]
    fn good(&self, arguments: &str) -> (String, String) {
        let output = self.run(arguments);
        let error = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert!(output.status.success(), "{arguments}: {error}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), error)
    }

    /// Runs `jlm-opt -S -o out.ll`, which must fail with status 1 and a message that says all of `expected`, print
    /// nothing else and leave the output file and the folder as they were.
    #[track_caller]
    fn bad(&self, arguments: &str, expected: &[&str]) {
        let files = list(self.folder.path());
        let text = if arguments.starts_with("reduce") { "" } else { "-S" };
        let output = self.run(&format!("{arguments} {text} -o out.ll"));
        let error = String::from_utf8(output.stderr).expect("messages are UTF-8");
        assert_eq!(output.status.code(), Some(1), "{error}");
        for part in expected {
            assert!(error.contains(part), "expected {part:?} in: {error}");
        }
        assert!(
            !error.contains("panicked") && !error.contains("backtrace") && !error.contains("Stack dump"),
            "{error}"
        );
        assert!(output.stdout.is_empty());
        assert_eq!(std::fs::read_to_string(self.path("out.ll")).expect("it is there"), "old contents");
        assert_eq!(list(self.folder.path()), files);
    }
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    paths.sort();
    paths
}

#[test]
fn empty_file() {
    let place = Place::new();
    place.file("empty.ll", "");
    place.bad("empty.ll", &["jlm-opt: error: empty.ll: ", "empty"]);
    place.bad("-", &["jlm-opt: error: <stdin>: ", "empty"]);
}

#[test]
fn truncated_bitcode() {
    let place = Place::new();
    place.good("program.ll -o program.bc");
    let whole = std::fs::read(place.path("program.bc")).expect("it was written");
    for length in [4, 5, 40, whole.len() / 2, whole.len() - 4] {
        place.file("cut.bc", &whole[..length]);
        place.bad("cut.bc", &["jlm-opt: error: cut.bc: ", "bitcode"]);
    }
}

#[test]
fn syntax_error() {
    let place = Place::new();
    place.file("wrong.ll", "define void @f() {\n  %x = add i32 1,\n  ret void\n}\n");
    place.bad("wrong.ll", &["jlm-opt: error: wrong.ll:3:3: ", "expected value token"]);
}

#[test]
fn invalid_ir() {
    let place = Place::new();
    place.file(
        "invalid.ll",
        "define i32 @f(i1 %c) {\nentry:\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n",
    );
    place.bad("invalid.ll", &["jlm-opt: error: invalid.ll: ", "function 'f'", "does not dominate"]);
}

#[test]
fn unreadable_input() {
    let place = Place::new();
    place.bad("missing.ll", &["jlm-opt: error: missing.ll: cannot be read: no such file"]);
    place.bad("program.ll/x", &["jlm-opt: error: program.ll/x: cannot be read: not a directory"]);
}

#[test]
fn directories() {
    let place = Place::new();
    place.bad(".", &["jlm-opt: error: .: is a directory"]);
    let output = place.run("program.ll -S -o .");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("jlm-opt: error: .: is a directory"));
}

#[test]
fn unwritable_output() {
    let place = Place::new();
    for path in ["missing/out.ll", "program.ll/out.ll"] {
        let output = place.run(&format!("program.ll -S -o {path}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.starts_with(&format!("jlm-opt: error: {path}: cannot be written: ")), "{error}");
    }
}

#[test]
fn unknown_passes_and_options() {
    let place = Place::new();
    place.bad("program.ll -passes=nonsense", &["jlm-opt: error: ", "column 1", "unknown pass 'nonsense'"]);
    place.bad("program.ll -passes=dne,cen", &["column 5", "unknown pass 'cen'", "did you mean 'cne'?"]);
    place.bad("program.ll -nonsense", &["--nonsense"]);
    place.bad("program.ll --control-flow=x", &["scfr, pcfr"]);
    place.bad("program.ll -O9", &["9"]);
}

#[test]
fn wrong_rvsdg_text() {
    let place = Place::new();
    place.file("wrong.rvsdg", "module \"x\"\n\nlambda @f [] {\n");
    place.bad("wrong.rvsdg", &["jlm-opt: error: wrong.rvsdg:3:"]);
    place.file("wrong.rvsdg", b"module \"x\"\n\xff\n");
    place.bad("wrong.rvsdg", &["jlm-opt: error: wrong.rvsdg: ", "UTF-8"]);
}

#[test]
fn passes_change_the_output() {
    let place = Place::new();
    let (plain, _) = place.good("program.ll -S");
    assert!(plain.contains("@unused") && plain.contains("mul i32"));
    assert_eq!(plain.matches("add nsw").count(), 2);
    let (optimized, _) = place.good("program.ll -S -passes=dne,cne,dne -verify-each");
    assert!(!optimized.contains("@unused") && !optimized.contains("mul i32"), "{optimized}");
    assert_eq!(optimized.matches("add nsw").count(), 1);
    assert_eq!(place.good("program.ll -S -O2").0, place.good("program.ll -S -passes=default<O2>").0);
}

#[test]
fn forms_and_ways_lead_to_the_same_text() {
    let place = Place::new();
    let (text, _) = place.good("program.ll -S");
    place.good("program.ll -o program.bc");
    assert!(std::fs::read(place.path("program.bc")).expect("it was written").starts_with(b"BC\xc0\xde"));
    let named = |text: &str| text.replace("program.bc", "program.ll");
    assert_eq!(named(&place.good("program.bc -S -o -").0), text);
    assert_eq!(place.good("program.ll -S -threads=1").0, place.good("program.ll -S -threads=3").0);
    place.good("program.ll -S -o out.ll");
    assert_eq!(std::fs::read_to_string(place.path("out.ll")).expect("it was written"), text);
}

#[test]
fn rvsdg_text_comes_back_as_llvm_ir() {
    let place = Place::new();
    let (rvsdg, _) = place.good("program.ll -emit=rvsdg -o -");
    assert!(rvsdg.starts_with("module "), "{rvsdg}");
    place.file("program.rvsdg", &rvsdg);
    assert_eq!(place.good("program.rvsdg --emit=rvsdg").0, rvsdg);
    let (llvm, _) = place.good("program.rvsdg -S");
    assert!(llvm.contains("define i32 @twice(i32"), "{llvm}");
    assert!(place.good("program.ll --from-scratch -S").0.contains("define i32 @twice(i32"));
    assert!(place.good("program.ll --emit=dot").0.starts_with("digraph"));
}

#[test]
fn machine_code_is_that_of_the_target() {
    let place = Place::new();
    let (assembly, _) = place.good("program.ll -O2 --emit=asm -mtriple=x86_64-unknown-linux-gnu");
    assert!(assembly.contains("twice:"), "{assembly}");
    place.good("program.ll -O2 --emit=obj -mtriple=x86_64-unknown-linux-gnu -o program.o");
    assert!(std::fs::read(place.path("program.o")).expect("it was written").starts_with(b"\x7fELF"));
    let (ptx, _) = place.good("program.ll -O2 --emit=asm -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80");
    assert!(ptx.contains(".target sm_80"), "{ptx}");
    for (arguments, triple) in
        [("--emit=asm -mtriple=none-such", "none-such"), ("--emit=ptx -mtriple=x86_64-unknown-linux-gnu", "x86_64")]
    {
        let wrong = place.run(&format!("program.ll {arguments}"));
        let said = String::from_utf8(wrong.stderr).expect("messages are UTF-8");
        assert!(!wrong.status.success() && said.contains(&format!("no machine code for target '{triple}")), "{said}");
    }
}

/// A kernel whose parameters are of no address space.
const KERNEL: &str = r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@name = private unnamed_addr constant [12 x i8] c"__CUDA_ARCH\00"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @__nvvm_reflect(ptr)
define ptx_kernel void @k(ptr noalias readonly %in, ptr noalias %out) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr inbounds i32, ptr %in, i32 %thread
  %to = getelementptr inbounds i32, ptr %out, i32 %thread
  %value = load i32, ptr %from, align 4
  %arch = call i32 @__nvvm_reflect(ptr @name)
  %sum = add i32 %value, %arch
  store i32 %sum, ptr %to, align 4
  ret void
}
"#;

/// Address spaces of kernels' parameters, loads of what nobody writes, and what the machine is asked about itself.
#[test]
fn ptx_knows_memory_of_kernels() {
    let place = Place::new();
    place.file("kernel.ll", KERNEL);
    let (ptx, _) = place.good("kernel.ll -O3 --emit=ptx -mcpu=sm_90 -mattr=+ptx80");
    for expected in ["ld.global.nc.b32", "st.global.b32", ", 900;"] {
        assert!(ptx.contains(expected), "{expected}: {ptx}");
    }
    assert!(!ptx.contains("__nvvm_reflect"), "{ptx}");
}

#[test]
fn control_flow_is_recovered_either_way() {
    let place = Place::new();
    for how in ["scfr", "pcfr"] {
        let (text, _) = place.good(&format!("program.ll -S --control-flow={how} --invert-loops"));
        assert_eq!(text.matches("br i1").count(), 1, "{text}");
    }
}

#[test]
fn statistics() {
    let place = Place::new();
    let (_, printed) = place.good("program.ll -disable-output -stats -passes=dne -stats-json=stats.json");
    assert!(printed.contains("2  bodies through the graph"), "{printed}");
    assert!(printed.contains("1  dead-node-elimination: functions"), "{printed}");
    let json = std::fs::read_to_string(place.path("stats.json")).expect("it was written");
    for key in ["\"bodies\": 2", "\"bodies_through\": 2", "\"untouched\": []", "\"nodes\":", "\"passes\":", "\"time\":"]
    {
        assert!(json.contains(key), "{key} in {json}");
    }
    let (_, times) = place.good("program.ll -disable-output -time-passes -passes=dne");
    assert!(times.contains("construct") && times.contains("dead-node-elimination"), "{times}");
}

#[test]
fn untouched_bodies_have_a_remark() {
    let place = Place::new();
    place.file(
        "label.ll",
        "@here = global ptr blockaddress(@f, %a)\n\
         define i32 @f(i32 %x) {\n  br label %a\na:\n  %dead = add i32 %x, %x\n  ret i32 %x\n}\n",
    );
    let (text, remarks) = place.good("label.ll -S -passes=dne,cne");
    let construct = "address of a block that no indirectbr leads to";
    assert_eq!(remarks, format!("remark: label.ll: function 'f' passes through untouched: {construct}\n"));
    assert!(text.contains("%dead = add"), "{text}");
}

#[test]
fn inputs_are_shrunk() {
    let place = Place::new();
    let (text, log) = place.good("reduce program.ll --test=grep --test-arg=-q --test-arg=mul");
    assert!(text.contains(" = mul i32 ") && !text.contains("add"), "{text}");
    assert!(log.is_empty(), "nothing is shown where there is no terminal: {log}");
    place.bad("reduce program.ll --test=false", &["the test does not find the input interesting"]);
    place.bad("reduce program.ll --test=no-such-program", &["the test no-such-program cannot be run"]);
}

#[test]
fn passes_can_be_watched_and_bisected() {
    let place = Place::new();
    let (_, log) = place.good("program.ll -disable-output -passes=dne -debug-pass-manager");
    assert_eq!(
        log,
        ["twice", "unused", "[module]"]
            .map(|place| format!("Running pass: dead-node-elimination on {place}\n"))
            .concat()
    );
    let (text, log) = place.good("program.ll -S -passes=dne -opt-bisect-limit=1");
    assert_eq!(
        log,
        "BISECT: running pass (1) dead-node-elimination on twice, 1 rewrite\n\
         BISECT: NOT running pass (2) dead-node-elimination on unused\n\
         BISECT: NOT running pass (3) dead-node-elimination on [module]\n"
    );
    assert!(text.contains("@unused") && !text.contains("mul i32"), "{text}");
    place.file(
        "sum.ll",
        "define i32 @f(i32 %x) {\n  %a = add i32 %x, 0\n  %b = mul i32 %a, 1\n  %c = or i32 %b, 0\n  ret i32 %c\n}\n",
    );
    let (text, log) = place.good("sum.ll -S -passes=red -opt-bisect-limit=1.1");
    assert!(log.contains("BISECT: the last rewrite is add-zero of v"), "{log}");
    assert!(!text.contains("add i32") && text.contains("or i32"), "{text}");
    let (_, log) = place.good("program.ll -disable-output -passes=dne -opt-bisect-limit=-1");
    assert_eq!(log.matches("BISECT: running").count(), 3);
    let (_, log) = place.good("program.ll -disable-output -passes=dne,cne -print-after-all");
    assert_eq!(log.matches("; *** RVSDG after dead-node-elimination ***").count(), 2);
}

const WITH_DEBUG_INFO: &str = "\
define internal i32 @square(i32 %x) !dbg !4 {
  %y = mul i32 %x, %x, !dbg !6
  %z = add i32 %y, 0, !dbg !6
  ret i32 %z, !dbg !6
}

define i32 @f(i32 %x) !dbg !5 {
  %a = call i32 @square(i32 %x), !dbg !7
  %b = call i32 @never(i32 %a), !dbg !7
  ret i32 %b, !dbg !7
}

define i32 @never(i32 %x) noinline {
  ret i32 %x
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: \"it's.c\", directory: \"/\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: \"square\", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: \"f\", file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, column: 3, scope: !4)
!7 = !DILocation(line: 10, column: 5, scope: !5)
";

#[test]
fn remarks_are_what_llvm_reads() {
    let place = Place::new();
    place.file("square.ll", WITH_DEBUG_INFO);
    let passes = "square.ll -S -passes=iln,red -pass-remarks-output=out.yaml";
    let (_, printed) =
        place.good(&format!("{passes} -pass-remarks=iln -pass-remarks-missed=i.n -pass-remarks-analysis=x"));
    let missed = "remark: it's.c:10:5: 'never' not inlined into 'f' because the callee is marked noinline";
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "remark: it's.c:10:5: 'square' inlined into 'f': its only call");
    assert!(lines.len() == 2 && lines[1].starts_with(missed), "{printed}");

    let yaml = std::fs::read_to_string(place.path("out.yaml")).expect("it was written");
    let inlined = "--- !Passed\nPass:            inline\nName:            Inlined\n\
                   DebugLoc:        { File: 'it''s.c', Line: 10, Column: 5 }\nFunction:        f\nArgs:\n";
    assert!(yaml.starts_with(inlined), "{yaml}");
    // The sum that red removes is the callee's, in the caller.
    let removed =
        "Name:            add-zero\nDebugLoc:        { File: 'it''s.c', Line: 2, Column: 3 }\nFunction:        f\n";
    assert!(yaml.contains(removed), "{yaml}");
    // LLVM's own reader takes every one of them.
    let read = Command::new("llvm-remarkutil-22")
        .args(["yaml2bitstream", "out.yaml", "-o", "out.bitstream"])
        .current_dir(place.folder.path())
        .output()
        .expect("LLVM's tools are installed");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));

    for filter in ["^red$", "red", "node-reduction", "^node"] {
        place.good(&format!("{passes} -pass-remarks-filter={filter}"));
        let yaml = std::fs::read_to_string(place.path("out.yaml")).expect("it was written");
        assert!(yaml.contains("Pass:            node-reduction") && !yaml.contains("inline"), "{filter}: {yaml}");
    }
}

/// Bodies are constructed while others are read, and that is booked as construction.
#[test]
fn times_are_booked_as_what_they_are() {
    let place = Place::new();
    let (begin, end) = (PROGRAM.find("define i32"), PROGRAM.find("define internal"));
    let function = &PROGRAM[begin.expect("it has a function")..end.expect("and another one")];
    let functions: String = (0..50).map(|number| function.replace("@twice", &format!("@f{number}"))).collect();
    place.file("many.ll", format!("@counter = global i32 0\n{functions}"));
    for threads in ["1", "3"] {
        let (_, table) = place.good(&format!(
            "many.ll -disable-output -O2 -time-passes -stats-json=out.json --threads={threads} --check-recovery"
        ));
        let json = std::fs::read_to_string(place.path("out.json")).expect("it was written");
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let number = |path: &str| json.pointer(path).and_then(serde_json::Value::as_f64).expect(path);
        let stages = ["read", "import", "construct", "passes", "destruct", "export", "verify", "write"];
        for clock in ["time", "cpu_time"] {
            let sum: f64 = stages.iter().map(|stage| number(&format!("/{clock}/{stage}"))).sum();
            let total = number(&format!("/{clock}/total"));
            assert!(sum <= total + 1e-3, "{clock}: the stages take {sum}, all of it {total}");
        }
        assert!(number("/peak_kib/total") > 0.0);
        let graphs = json["graphs"].as_array().expect("there are graphs");
        assert_eq!(graphs.len(), 50);
        let constructed: f64 = graphs.iter().filter_map(|graph| graph["construct_seconds"].as_f64()).sum();
        if threads == "1" {
            assert!(number("/time/construct") >= constructed - 1e-6, "{constructed} in functions: {json}");
        }
        for words in ["processor", "peak MiB", "grown MiB", "slowest function in passes"] {
            assert!(table.contains(words), "{table}");
        }
        assert_eq!(json["slowest"].as_array().map(Vec::len), Some(10));
        for slow in json["slowest"].as_array().expect("there are ten") {
            assert!(slow["seconds"].as_f64() >= slow["slowest_pass_seconds"].as_f64(), "{slow}");
            assert!(table.contains(slow["function"].as_str().expect("it has a name")), "{table}");
        }
    }
}

#[test]
fn help_names_passes() {
    let place = Place::new();
    assert!(place.good("-print-passes").0.contains("loop-vectorize"), "LLVM's, too");
    assert!(place.good("--version").0.contains("LLVM version 22."));
    assert!(place.good("-help-hidden").0.contains("-inline-threshold "));
    assert!(place.good("--help").0.contains("Dead node elimination"));
    assert!(place.good("-print-passes").0.contains("cne"));
    assert!(place.good("--version").0.starts_with("jlm-opt "));
}
