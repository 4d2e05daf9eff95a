//! Bodies that go through control flow graphs come back as they were.
//!
//! `tests/modules` holds one of each: symbols, instructions and flags, attributes, metadata and debug records.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use rvsdg_core::module::Code;
use rvsdg_llvm::{Format, Import, LlvmModule, import};

fn modules() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn read(path: &Path) -> LlvmModule {
    let bytes = std::fs::read(path).unwrap();
    let (module, diagnostics) = LlvmModule::parse(&bytes, "module").unwrap_or_else(|error| panic!("{error}"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    module
}

fn text(module: &mut LlvmModule) -> String {
    String::from_utf8(module.write(Format::Text)).unwrap()
}

/// Text without the comments that list predecessors, whose order is that of use lists.
fn without_predecessors(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_once("; preds = ").map_or(line, |(before, _)| before).trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

fn untouched(import: &Import) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for &symbol in &import.module.order {
        for body in import.module.bodies.values().filter(|body| body.symbol == symbol) {
            if let Code::Untouched { construct } = &body.code {
                found.push((&*import.module.symbols[symbol].name, &**construct));
            }
        }
    }
    found
}

fn reexport(module: LlvmModule) -> LlvmModule {
    let mut import = import(module);
    let mut cfgs: FxHashMap<_, _> = import.cfgs.drain(..).collect();
    let mut module = import.host.export(import.module.verify().unwrap(), |body| cfgs.remove(&body)).unwrap();
    module.verify().unwrap_or_else(|error| panic!("{error}"));
    module
}

#[test]
fn every_module_comes_back_identical() {
    for path in modules() {
        let before = text(&mut read(&path));
        let after = text(&mut reexport(read(&path)));
        let (before, after) = (without_predecessors(&before), without_predecessors(&after));
        for (number, (before, after)) in before.lines().zip(after.lines()).enumerate() {
            assert_eq!(before, after, "{}:{}", path.display(), number + 1);
        }
        assert_eq!(before.lines().count(), after.lines().count(), "{}", path.display());
    }
}

#[test]
fn bodies_that_are_not_written_stay_identical() {
    for path in modules() {
        let mut module = read(&path);
        let before = text(&mut module);
        let import = import(module);
        let mut module = import.host.export(import.module.verify().unwrap(), |_| None).unwrap();
        module.verify().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(before, text(&mut module), "{}", path.display());
    }
}

#[test]
fn bitcode_says_the_same_as_text() {
    for path in modules() {
        let mut from_text = read(&path);
        let bitcode = from_text.write(Format::Bitcode);
        let (mut from_bitcode, _) = LlvmModule::parse(&bitcode, "module").unwrap();
        let expected = text(&mut from_text);
        let found = text(&mut from_bitcode);
        assert_eq!(without_predecessors(&expected), without_predecessors(&found), "{}", path.display());
    }
}

#[test]
fn only_known_constructs_stay_untouched() {
    let mut found = Vec::new();
    for path in modules() {
        let import = import(read(&path));
        found.extend(untouched(&import).into_iter().map(|(name, construct)| format!("{name}: {construct}")));
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn what_the_omega_graph_lacks_is_erased() {
    let source = "
        @used = internal global i32 1
        @dead = internal global ptr @dead_too
        define internal void @dead_too() { store ptr null, ptr @dead ret void }
        define i32 @main() { %x = load i32, ptr @used ret i32 %x }
    ";
    let (module, _) = LlvmModule::parse(source.as_bytes(), "module").unwrap();
    let mut import = import(module);
    let phi = import.module.omega.all_nodes().find(|&node| !import.module.omega.subregions(node).is_empty()).unwrap();
    import.module.omega.remove(phi);
    let is_dead = |symbol| &*import.module.symbols[symbol].name == "dead_too";
    import.module.bodies.retain(|_, body| !is_dead(body.symbol));
    let mut module = import.host.export(import.module.verify().unwrap(), |_| None).unwrap();
    module.verify().unwrap();
    let text = text(&mut module);
    assert!(text.contains("@used") && text.contains("@main"), "{text}");
    assert!(!text.contains("@dead"), "{text}");
}
