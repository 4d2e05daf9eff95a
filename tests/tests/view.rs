//! Functions after each pass, as data and as a page.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rvsdg_tests::tools::{jlm_opt, output};
use serde_json::Value;

const PROGRAM: &str = r#"
int g(int);
static int clamp(int x, int low, int high) { if (x < low) return low; if (x > high) return high; return x; }
int f(int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 3) sum += clamp(a[i], 0, 100);
    else if (a[i] == 2) return g(sum);
    sum ^= i;
  }
  return sum;
}
"#;

/// A folder with the program as bitcode.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("p.c"), PROGRAM).expect("a file can be written");
    let mut clang = Command::new("clang-22");
    // Without `-funroll-loops`, `-O1` says of loops that they are not to be unrolled.
    clang.current_dir(&folder).args(["-g", "-O1", "-funroll-loops", "-Xclang", "-disable-llvm-passes"]);
    clang.args(["-emit-llvm", "-c", "p.c"]);
    output(&mut clang).expect("clang compiles it");
    folder
}

fn view(folder: &Path, arguments: &[&str]) -> String {
    output(jlm_opt().current_dir(folder).args(arguments).args(["p.bc", "-o", "-"])).expect("it is optimized").0
}

/// Steps are those that changed something; regions belong to nodes, edges to origins that exist, and nodes keep their ids.
#[test]
fn data() {
    let folder = place();
    let data: Value =
        serde_json::from_str(&view(folder.path(), &["-O2", "--emit=json", "--function=f"])).expect("JSON");
    let functions = data["functions"].as_array().expect("a list");
    assert_eq!(functions.iter().map(|f| f["name"].as_str()).collect::<Vec<_>>(), [Some("f")]);
    let steps = functions[0]["steps"].as_array().expect("a list");
    assert_eq!(steps[0]["pass"], "construction");
    assert!(steps.iter().any(|step| step["pass"] == "inline") && steps.len() > 4, "{} steps", steps.len());
    let mut lines = 0;
    for step in steps {
        let regions = step["regions"].as_array().expect("a list");
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let nodes: Vec<Value> = regions.iter().flat_map(|region| list(&region["nodes"])).collect();
        let inner: Vec<Value> = nodes.iter().flat_map(|node| list(&node["regions"])).collect();
        assert_eq!(inner.len() + 1, regions.len(), "each region but the body belongs to one node");
        let outputs = nodes.iter().flat_map(|node| list(&node["outputs"]));
        let origins: Vec<Value> = regions
            .iter()
            .flat_map(|region| list(&region["arguments"]))
            .chain(outputs)
            .map(|o| o["id"].clone())
            .collect();
        let used =
            nodes.iter().flat_map(|node| list(&node["inputs"])).chain(regions.iter().flat_map(|r| list(&r["results"])));
        for origin in used {
            assert!(origins.contains(&origin), "{origin} is used and not defined");
        }
        lines +=
            nodes.iter().filter(|node| node["place"][0].as_str().is_some_and(|file| file.ends_with("p.c"))).count();
        assert!(!list(&step["flow"]).is_empty());
    }
    assert!(lines > 0, "no node has a place in the source");
    // Nodes that no pass touched are there under their names at the end; inlining names all nodes of a caller anew.
    let named = |step: &Value| -> Vec<(Value, Value)> {
        let regions = step["regions"].as_array().into_iter().flatten();
        let nodes = regions.flat_map(|region| region["nodes"].as_array().cloned().unwrap_or_default());
        nodes.map(|node| (node["id"].clone(), node["text"].clone())).collect()
    };
    let from = steps.iter().rposition(|step| step["pass"] == "inline").expect("a call is inlined");
    let (first, last) = (named(&steps[from]), named(steps.last().expect("there are steps")));
    assert!(last.iter().filter(|node| first.contains(node)).count() > 3, "{first:?} and {last:?}");
    assert!(data["passes"].as_array().is_some_and(|passes| passes.len() > 5));
    let error = output(jlm_opt().current_dir(&folder).args(["--emit=html", "--function=no", "p.bc", "-o", "-"]));
    assert!(error.is_err_and(|text| text.contains("no function 'no'")));
}

/// The browser that shows the page; tests of it are left out by name where there is none, but not in CI.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file());
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "CI needs chromium, which scripts/setup installs");
    if found.is_none() {
        eprintln!("left out: a browser shows the page (no chromium on PATH)");
    }
    found
}

/// The page at a place as the browser leaves it, with a picture of it in `screenshot.png`, and how long that took. Nothing goes to the
/// console.
fn checked(browser: &Path, folder: &Path, page: &str, place: &str) -> (String, Duration) {
    std::fs::write(folder.join("p.html"), page).expect("a file can be written");
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]);
    command.args(["--disable-component-update", "--disable-sync", "--disable-quic", "--virtual-time-budget=100000"]);
    command.arg(format!("--user-data-dir={}", folder.join("profile").display())).arg("--dump-dom");
    command.args(["--enable-logging=stderr", "--hide-scrollbars", "--window-size=1600,1000"]);
    command.arg(format!("--screenshot={}", folder.join("screenshot.png").display()));
    command.arg(format!("file://{}{place}", folder.join("p.html").display()));
    let start = Instant::now();
    let (dom, logged) = output(&mut command).expect("the browser runs");
    let time = start.elapsed();
    assert!(!logged.contains(":CONSOLE"), "{logged}");
    (dom, time)
}

/// What the page says when it is asked to look at itself.
fn report(browser: &Path, folder: &Path, page: &str) -> Value {
    let (dom, _) = checked(browser, folder, page, "#check");
    let start = "<script type=\"application/json\" id=\"check\">";
    let report = dom.split(start).nth(1).and_then(|rest| rest.split("</script>").next());
    let report: Value = serde_json::from_str(report.expect("the page says something")).expect("JSON");
    assert_eq!(report["errors"], Value::Array(Vec::new()), "{report}");
    assert_eq!(report["faults"], Value::Array(Vec::new()), "{report}");
    assert!(report["chosen"].as_u64() > Some(0) && report["revealed"].as_u64() > Some(0), "{report}");
    assert_pictured(&folder.join("screenshot.png"), &report["pictured"]);
    report
}

/// In a screenshot every box that can be seen is where the page says, with a border in its colour on the left and on the right, and
/// something is written in it.
fn assert_pictured(screenshot: &Path, boxes: &Value) {
    let file = std::io::BufReader::new(std::fs::File::open(screenshot).expect("there is a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is one");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it is of some size")];
    let info = reader.next_frame(&mut pixels).expect("it can be read");
    assert_eq!((info.width, info.height, info.bit_depth), (1600, 1000, png::BitDepth::Eight));
    let at = |x: f64, y: f64| {
        let start = y as usize * info.line_size + x as usize * info.color_type.samples();
        [0, 1, 2].map(|channel| f64::from(pixels[start + channel]))
    };
    let distance = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let number = |of: &Value| of.as_f64().expect("a number");
    let colour = |of: &Value| {
        let text = of.as_str().expect("a colour");
        let mut channels = text.split(|c: char| !c.is_ascii_digit()).filter_map(|channel| channel.parse().ok());
        [0; 3].map(|_| channels.next().expect("red, green and blue"))
    };
    let boxes = boxes.as_array().expect("a list");
    assert!(!boxes.is_empty());
    for seen in boxes {
        let [left, top, right, bottom] = ["left", "top", "right", "bottom"].map(|side| number(&seen[side]));
        let (border, inner) = (colour(&seen["border"]), colour(&seen["inner"]));
        for side in [left, right] {
            let is_drawn = |part: &&f64| {
                let y = top + **part * (bottom - top);
                let near = [-1.0, 0.0, 1.0].map(|by| distance(at(side + by, y), border));
                // A thin border between two pixels is less than half in each of them.
                near.into_iter().fold(f64::INFINITY, f64::min) < 0.8 * distance(inner, border)
            };
            // Lines and ports may be over some of it.
            assert!([0.2, 0.35, 0.5, 0.65, 0.8].iter().filter(is_drawn).count() >= 3, "no border at {side}: {seen}");
        }
        let mut within = (left as usize + 3..right as usize - 2)
            .flat_map(|x| (top as usize + 3..bottom as usize - 2).map(move |y| (x as f64, y as f64)));
        assert!(within.any(|(x, y)| distance(at(x, y), inner) > 100.0), "nothing is written in {seen}");
    }
}

/// In a browser every step is drawn without overlaps, labels that do not fit or errors, a screenshot shows it, and a value can be followed.
#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = browser() else { return };
    let folder = place();
    let report = report(&browser, folder.path(), &view(folder.path(), &["-O2", "--emit=html"]));
    assert!(report["shown"].as_u64() > Some(5) && report["boxes"].as_u64() > Some(200), "{report}");
    assert!(report["pictured"].as_array().is_some_and(|boxes| boxes.len() > 5), "{report}");
}

/// The page of a function of so many operations without any control flow.
fn flat(folder: &Path, operations: usize) -> String {
    let mut text = "define i32 @flat(i32 %v0, i32 %v1, ptr %p) {\n".to_owned();
    for number in 2..operations + 2 {
        // Some of what is used is near, some anywhere before.
        let (near, far) = (number - 1 - number % 7 % (number - 1), number * 7919 % number);
        let _ = match number % 10 {
            0 => writeln!(text, "  %v{number} = load i32, ptr %p"),
            _ => writeln!(text, "  %v{number} = add i32 %v{near}, %v{far}"),
        };
    }
    let _ = writeln!(text, "  ret i32 %v{}\n}}", operations + 1);
    std::fs::write(folder.join("flat.ll"), text).expect("a file can be written");
    output(jlm_opt().current_dir(folder).args(["--emit=html", "flat.ll", "-o", "-"])).expect("it is read").0
}

/// Functions with thousands of operations in one region are shown in parts, which open where something in them is looked for. They open
/// about as fast as small ones; `--nocapture` shows how fast.
#[test]
fn large_regions_are_shown_in_parts() {
    let Some(browser) = browser() else { return };
    let folder = place();
    let pages = [3, 1000, 20_000].map(|operations| (operations, flat(folder.path(), operations)));
    let mut least = [Duration::MAX; 3];
    // The first start of the browser makes its profile, and other work on the machine disturbs.
    for _ in 0..3 {
        for ((operations, page), least) in pages.iter().zip(&mut least) {
            let (dom, time) = checked(&browser, folder.path(), page, "");
            assert!((3..100).contains(&dom.matches("class=\"box\"").count()), "{operations} operations");
            *least = time.min(*least);
        }
    }
    for ((operations, _), time) in pages.iter().zip(least) {
        println!("a function of {operations} operations: {:.1} s with the start of the browser", time.as_secs_f64());
        assert!(time < 5 * least[0], "{operations} operations: {time:?}, 3 operations: {:?}", least[0]);
    }
    let report = report(&browser, folder.path(), &pages[1].1);
    assert!(report["most"].as_u64() < Some(100), "{report}");
}
