//! What `jlm-opt` has in common with `opt`: LLVM's passes beside ours, and the flags of every day.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const PROGRAM: &str = "\
target triple = \"x86_64-unknown-linux-gnu\"

define i32 @twice(i32 %x) {
entry:
  %slot = alloca i32
  store i32 %x, ptr %slot
  %a = load i32, ptr %slot
  %b = load i32, ptr %slot
  %sum = add i32 %a, %b
  ret i32 %sum
}

define i32 @other(i32 %x) {
entry:
  %a = add i32 %x, 0
  ret i32 %a
}

define internal void @unused() {
entry:
  ret void
}
";

const CALLS: &str = "\
define internal i32 @f(i32 %x) {
  %y = mul i32 %x, %x
  %z = sdiv i32 %y, 7
  ret i32 %z
}

define i32 @g(i32 %x) {
  %a = call i32 @f(i32 %x)
  %b = call i32 @f(i32 %a)
  ret i32 %b
}
";

/// A folder with the programs.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder can be made") };
        for (name, text) in [("program.ll", PROGRAM), ("calls.ll", CALLS)] {
            std::fs::write(place.path(name), text).expect("a file can be written");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_jlm-opt"))
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("jlm-opt can be started")
    }

    /// Standard output and error of a run that succeeds.
    #[track_caller]
    fn good(&self, arguments: &str) -> (String, String) {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments}: {error}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), error)
    }

    /// Standard error of a run that fails and writes nothing.
    #[track_caller]
    fn bad(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments}: {error}");
        assert!(output.stdout.is_empty(), "{arguments}");
        error
    }

    /// The program after some passes, as text.
    #[track_caller]
    fn after(&self, passes: &str) -> String {
        self.good(&format!("program.ll -S -passes={passes}")).0
    }
}

#[test]
fn passes_of_both_families() {
    let place = Place::new();
    let text = place.after("function(mem2reg)");
    assert!(!text.contains("alloca") && text.contains("add i32 %x, 0") && text.contains("@unused"), "{text}");
    let text = place.after("mem2reg,rvsdg(red,dne),verify");
    assert!(!text.contains("alloca") && !text.contains("add i32 %x, 0") && !text.contains("@unused"), "{text}");
    let text = place.after("red,globaldce");
    assert!(text.contains("alloca") && !text.contains("add i32 %x, 0") && !text.contains("@unused"), "{text}");
    let text = place.after("repeat<2>(cgscc(inline),dne),function(instcombine<no-verify-fixpoint>)");
    assert!(!text.contains("add i32 %x, 0") && !text.contains("@unused"), "{text}");
    assert_eq!(place.after("rvsdg<O2>"), place.after("default<O2>"));
    assert_eq!(place.after("rvsdg(inline)"), place.after("inline"), "a bare name is ours");
    let error = place.bad("program.ll -passes=cne,mem2rge");
    assert!(error.contains("column 5: unknown pass 'mem2rge'; did you mean LLVM's 'mem2reg'?"), "{error}");
}

#[test]
fn pipelines_are_printed() {
    let place = Place::new();
    let (printed, _) = place.good("missing.ll -passes=mem2reg,cne,globaldce -print-pipeline-passes");
    assert_eq!(printed, "function(mem2reg),rvsdg(common-node-elimination),globaldce\n");
}

#[test]
fn every_form_of_output_follows_llvms_passes() {
    let place = Place::new();
    let (rvsdg, _) = place.good("program.ll -passes=mem2reg --emit=rvsdg");
    assert!(rvsdg.starts_with("module ") && !rvsdg.contains("alloca"), "{rvsdg}");
    std::fs::write(place.path("program.rvsdg"), rvsdg).expect("a file can be written");
    let text = place.good("program.rvsdg -S -passes=globaldce").0;
    assert!(text.contains("@twice") && !text.contains("@unused"), "{text}");
    let (data, _) = place.good("program.ll -passes=mem2reg,red --emit=json --function=other");
    for step in ["function(mem2reg)", "node-reduction"] {
        assert!(data.contains(&format!("\"pass\":\"{step}\"")), "{step}");
    }
}

#[test]
fn bisection_counts_on() {
    let place = Place::new();
    let passes = "-S program.ll -passes=dne,function(mem2reg),red";
    let (_, log) = place.good(&format!("{passes} -opt-bisect-limit=-1"));
    let lines: Vec<&str> = log.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        assert!(line.starts_with(&format!("BISECT: running pass ({}) ", index + 1)), "{log}");
    }
    let first = lines.iter().position(|line| line.contains(" mem2reg on twice")).expect("it ran") + 1;
    let (text, log) = place.good(&format!("{passes} -opt-bisect-limit={}", first - 1));
    assert!(text.contains("alloca") && log.contains("NOT running pass (5) mem2reg"), "{log}");
    let (text, log) = place.good(&format!("{passes} -opt-bisect-limit={first}"));
    assert!(!text.contains("alloca") && text.contains("add i32 %x, 0"), "{text}");
    assert_eq!(log.lines().count(), lines.len());
    assert!(log.lines().last().is_some_and(|line| line.contains("NOT running")), "{log}");
}

#[test]
fn both_families_are_watched() {
    let place = Place::new();
    let run = |flags: &str| place.good(&format!("program.ll -disable-output -passes=mem2reg,red,sroa {flags}")).1;
    let log = run("-debug-pass-manager -verify-each");
    for words in ["Running pass: PromotePass on twice", "Running pass: node-reduction on twice", "SROAPass on other"] {
        assert!(log.contains(words), "{log}");
    }
    let log = run("-print-after-all");
    let places =
        ["After PromotePass on twice", "after node-reduction", "After SROAPass on twice"].map(|text| log.find(text));
    assert!(places.is_sorted() && places[0].is_some(), "{log}");
    let log = run("-print-after=red,sroa -filter-print-funcs=other");
    assert!(log.contains("RVSDG after node-reduction on other") && log.contains("After SROAPass on other"), "{log}");
    assert!(!log.contains("on twice") && !log.contains("Promote"), "{log}");
    let log = run("-print-before=red");
    assert!(log.contains("RVSDG before node-reduction") && !log.contains("after"), "{log}");
    let log = run("-print-changed");
    assert!(log.contains("RVSDG after node-reduction on other ***") && log.contains("on twice omitted"), "{log}");
    let log = run("-print-changed=quiet");
    assert!(log.contains("RVSDG after node-reduction on other ***") && !log.contains("omitted"), "{log}");
    let log = run("-print-changed=diff-quiet");
    assert!(log.lines().any(|line| line.starts_with('-') && line.contains("add")), "{log}");
    let log = run("-time-passes");
    assert!(log.contains("LLVM's passes") && log.contains("PromotePass") && log.contains("node-reduction"), "{log}");
}

#[test]
fn remarks_of_both_families_are_in_one_file() {
    let place = Place::new();
    place.good("calls.ll -disable-output -passes=red,cgscc(inline),mvf -pass-remarks-output=remarks.yaml");
    let remarks = std::fs::read_to_string(place.path("remarks.yaml")).expect("it was written");
    let passes: Vec<&str> = remarks.lines().filter_map(|line| line.strip_prefix("Pass:")).map(str::trim).collect();
    assert!(passes.starts_with(&["node-reduction"]) && passes.contains(&"inline"), "{remarks}");
    assert_eq!(remarks.matches("\n...\n").count(), passes.len(), "{remarks}");
    let (_, log) = place.good("calls.ll -disable-output -passes=cgscc(inline) -pass-remarks=inline");
    assert!(log.contains("remark: ") && log.contains("'f' inlined into 'g'"), "{log}");
    let error = place.run("program.ll -disable-output -pass-remarks-output=x -pass-remarks-format=bitstream");
    assert_eq!(error.status.code(), Some(1));
}

#[test]
fn targets_are_set() {
    let place = Place::new();
    let (text, _) = place.good("program.ll -S -mcpu=skylake -mattr=+avx2 -passes=dne");
    assert!(text.contains("\"target-cpu\"=\"skylake\"") && text.contains("+avx2"), "{text}");
    let (text, _) = place.good("program.ll -S -mtriple=aarch64-linux-gnu");
    assert!(text.contains("target triple = \"aarch64-unknown-linux-gnu\""), "{text}");
    assert!(text.contains("target datalayout = \"e-m:e"), "{text}");
    let (text, _) = place.good("program.ll -S -data-layout=e-m:e-i64:64 -p dne");
    assert!(text.contains("target datalayout = \"e-m:e-i64:64\"") && !text.contains("@unused"), "{text}");
    assert!(place.bad("program.ll -S -march=none -mcpu=x").contains("none"));
}

#[test]
fn modules_are_stripped() {
    let place = Place::new();
    let (text, _) = place.good("program.ll -S -discard-value-names");
    assert!(text.contains("%0") && !text.contains("%sum") && !text.contains("%slot"), "{text}");
    place.good("program.ll -passes=debugify -o debug.bc");
    assert!(place.good("debug.bc -S").0.contains("!DILocation"));
    assert!(!place.good("debug.bc -S -strip-debug").0.contains("!DILocation"));
}

#[test]
fn debug_information_is_checked() {
    let place = Place::new();
    let (text, log) = place.good("program.ll -S -passes=mem2reg -enable-debugify");
    assert!(log.contains("CheckModuleDebugify") && text.contains("!DILocation"), "{log}");
    let (text, log) = place.good("program.ll -S -passes=mem2reg,cne,sroa -debugify-each");
    for pass in ["CheckFunctionDebugify [PromotePass]: ", "CheckModuleDebugify [common-node-elimination]: "] {
        assert!(log.contains(pass), "{log}");
    }
    assert!(!text.contains("!DILocation"), "{text}");
    let (_, log) = place.good("program.ll -S -passes=cne,red,dne -debugify-each");
    assert_eq!(log.matches("CheckModuleDebugify [").count(), 3, "each pass is checked: {log}");
}

/// What `opt` makes of the program.
fn opt(place: &Place, arguments: &str) -> (String, String) {
    let mut opt = Command::new("opt-22");
    let output = opt.args(arguments.split_whitespace()).current_dir(place.folder.path()).output();
    let output = output.expect("opt-22 can be started");
    let [text, log] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{arguments}: {log}");
    (text, log)
}

/// The text of a module without its name.
fn body(text: &str) -> &str {
    text.split_once("target triple").map_or(text, |(_, body)| body)
}

#[test]
fn debug_information_is_made_up_as_opt_does() {
    let place = Place::new();
    let ours = place.good("program.ll -S -debugify").0;
    assert!(ours.contains("!llvm.debugify"), "{ours}");
    assert_eq!(body(&ours), body(&opt(&place, "program.ll -S -passes=debugify").0));
    let (text, log) = place.good("program.ll -S -passes=mem2reg -debugify -check-debugify");
    let (expected, said) = opt(&place, "program.ll -S -passes=debugify,mem2reg,check-debugify");
    assert_eq!((body(&text), log), (body(&expected), said));
    // Passes of ours work on what was made up.
    let (text, log) = place.good("program.ll -S -O1 -debugify -check-debugify");
    assert!(log.contains("CheckModuleDebugify: ") && text.contains("!dbg"), "{log}{text}");
    let log = place.good("program.ll -S -passes=mem2reg,sroa -debugify-each").1;
    assert_eq!(log, opt(&place, "program.ll -S -passes=mem2reg,sroa -debugify-each").1);
}

#[test]
fn control_flow_is_drawn_as_opt_does() {
    let place = Place::new();
    let read = |name: &str| std::fs::read_to_string(place.path(name)).expect("it was written");
    place.good("program.ll -disable-output -dot-cfg");
    let ours = [".twice.dot", ".other.dot", ".unused.dot"].map(read);
    opt(&place, "program.ll -disable-output -passes=dot-cfg");
    // Nodes are called by their addresses.
    let named = |text: &str| {
        let pieces = text.split("Node0x").enumerate();
        let pieces =
            pieces.map(
                |(number, piece)| {
                    if number == 0 { piece } else { piece.trim_start_matches(|c: char| c.is_ascii_hexdigit()) }
                },
            );
        pieces.collect::<Vec<_>>().join("Node")
    };
    assert_eq!(
        ours.each_ref().map(|text| named(text)),
        [".twice.dot", ".other.dot", ".unused.dot"].map(read).map(|text| named(&text))
    );
    // It is what comes out of passes.
    place.good("program.ll -disable-output -O1 -dot-cfg");
    assert!(!read(".twice.dot").contains("alloca"));
}

#[test]
fn changes_are_a_page() {
    let place = Place::new();
    let plain = place.good("program.ll -S -passes=mem2reg,red").0;
    let (text, log) = place.good("program.ll -S -passes=mem2reg,red -print-changed=dot-cfg -dot-cfg-dir=pages");
    assert_eq!(text, plain, "who looks does not change anything");
    assert_eq!(log, "");
    let page = std::fs::read_to_string(place.path("pages/passes.html")).expect("it was written");
    for words in ["\"pass\":\"function(mem2reg)\"", "\"pass\":\"node-reduction\"", "\"name\":\"twice\""] {
        assert!(page.contains(words), "{words}");
    }
    place.good("program.ll -disable-output -passes=red -print-changed=dot-cfg -filter-print-funcs=other");
    let page = std::fs::read_to_string(place.path("passes.html")).expect("it was written");
    assert!(page.contains("\"name\":\"other\"") && !page.contains("\"name\":\"twice\""));
    // Passes of LLVM's alone are shown as opt shows them.
    place.good("program.ll -disable-output -passes=mem2reg -print-changed=dot-cfg -dot-cfg-dir=llvm");
    assert!(std::fs::read_to_string(place.path("llvm/passes.html")).is_ok_and(|page| page.contains("Initial IR")));
}

#[test]
fn times_are_traced() {
    let place = Place::new();
    place.good("program.ll -o out.bc -passes=mem2reg,red,function(sroa) -time-trace -time-trace-granularity=0");
    let text = std::fs::read_to_string(place.path("out.bc.time-trace")).expect("it was written");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let events = trace["traceEvents"].as_array().expect("there are events");
    let has = |name: &str, detail: Option<&str>| {
        events.iter().any(|event| {
            event["name"] == name
                && event["ph"] == "X"
                && event["dur"].is_u64()
                && event["ts"].is_u64()
                && detail.is_none_or(|detail| event["args"]["detail"] == detail)
        })
    };
    for (name, detail) in [("node-reduction", "twice"), ("construct a body", "other"), ("PromotePass", "twice")] {
        assert!(has(name, Some(detail)), "{name} of {detail}: {text}");
    }
    for name in ["read", "import", "passes", "write", "total", "Total node-reduction", "Total SROAPass"] {
        assert!(has(name, None), "{name}: {text}");
    }
    assert!(trace["beginningOfTime"].is_u64());
    // Stages follow each other within the whole, and the longer ones are all that is kept where only those are wanted.
    let of =
        |name: &str, key: &str| events.iter().find(|event| event["name"] == name).and_then(|event| event[key].as_u64());
    assert!(of("read", "ts") <= of("passes", "ts") && of("passes", "dur") <= of("total", "dur"));
    place.good("program.ll -o out.bc -O1 -time-trace -time-trace-file=t.json -time-trace-granularity=1000000000");
    let text = std::fs::read_to_string(place.path("t.json")).expect("it was written");
    assert!(!text.contains("\"detail\":\"twice\"") && text.contains("\"Total node-reduction\""), "{text}");
    assert!(place.run("program.ll -disable-output -time-trace").status.success());
    assert!(place.path("out.time-trace").exists());
}

#[test]
fn plugins_that_are_not_there_are_an_error() {
    let place = Place::new();
    for passes in ["-O1", "-passes=dne", "-passes=mem2reg", ""] {
        let error = place.bad(&format!("program.ll -S {passes} -load-pass-plugin=./missing.so"));
        assert!(error.contains("missing.so"), "{passes}: {error}");
    }
}

#[test]
fn bitcode_has_summaries() {
    let place = Place::new();
    for (flag, word) in [("-module-summary", "<GLOBALVAL_SUMMARY_BLOCK"), ("-thinlto-bc", "GLOBALVAL_SUMMARY_BLOCK")] {
        place.good(&format!("program.ll -o out.bc {flag}"));
        let dump = Command::new("llvm-bcanalyzer-22").arg("-dump").arg(place.path("out.bc")).output();
        let dump = dump.expect("llvm-bcanalyzer-22 can be started").stdout;
        assert!(String::from_utf8_lossy(&dump).contains(word), "{flag}");
    }
    place.good("program.ll -o plain.bc");
    place.good("program.ll -o hashed.bc -module-hash");
    let size = |name| std::fs::metadata(place.path(name)).expect("it was written").len();
    assert!(size("hashed.bc") > size("plain.bc"));
}

#[test]
fn options_of_llvm_reach_its_passes() {
    let place = Place::new();
    let (_, warned) = place.good("program.ll -S -O1 -inline-threshold=3");
    assert!(
        warned.contains("-inline-threshold is for passes of LLVM's") && warned.contains("inline<threshold=N>"),
        "{warned}"
    );
    let calls =
        |flags: &str| place.good(&format!("calls.ll -S -passes=cgscc(inline) {flags}")).0.matches("call ").count();
    assert_eq!((calls(""), calls("-inline-threshold=-1000")), (0, 2));
    assert!(place.bad("program.ll -passes=mem2reg -inline-threshold=x").contains("x"));
}

#[test]
fn statistics_go_where_they_are_wanted() {
    let place = Place::new();
    let (_, json) = place.good("program.ll -disable-output -O1 -stats-json");
    assert!(json.contains("\"functions\": 3"), "{json}");
}
