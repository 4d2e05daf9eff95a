//! How much divergence analysis knows, against LLVM's UniformityInfo: of kernels of generated control flow, and of files of LLVM IR in
//! the folder that `RVSDG_KERNELS` names.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::divergence::Divergence;
use rvsdg_cfg::shape::Shape;
use rvsdg_core::{Graph, Module, Origin, SourceId};
use rvsdg_gen::shapes::{random, random_structured};
use rvsdg_gen::unstructured::{Decides, KERNELS, kernel, smallest};
use rvsdg_llvm::{LlvmModule, OptimizeOptions, Optimizer};

/// Instructions that give a value, by what each analysis says of them.
#[derive(Default)]
struct Counts {
    values: usize,
    llvm: usize,
    ours: usize,
    /// Those that only LLVM calls uniform.
    missed: Vec<String>,
}

impl Counts {
    fn of(text: &str, file: &Path) -> Counts {
        let llvm = by_llvm(file);
        let (module, _) = LlvmModule::parse(text.as_bytes(), "kernels.ll").unwrap_or_else(|error| panic!("{error}"));
        let optimizer = Optimizer::new(OptimizeOptions::default()).expect("there are threads");
        let module = optimizer.construct(module, || ()).module;
        let mut counts = Counts::default();
        for (&body, surroundings) in &Surroundings::of_all(&module) {
            let Some(graph) = module.bodies[body].graph() else { continue };
            let name = &module.symbols[module.bodies[body].symbol].name;
            let divergence = Divergence::of(graph, surroundings).expect("the machine executes warps");
            counts.add(graph, &divergence, first(&module, body), name, llvm.get(&**name));
        }
        counts
    }

    fn add(&mut self, graph: &Graph, divergence: &Divergence, first: u32, name: &str, llvm: Option<&Vec<Line>>) {
        for (source, origins) in values(graph) {
            let index = (source.as_u32() - first) as usize;
            let known = Line { divergent: false, text: String::new() };
            // LLVM lists nothing of a function in which all is uniform.
            let line = llvm.map_or(&known, |lines| &lines[index]);
            let ours = origins.iter().all(|&origin| divergence.is_uniform(origin));
            self.values += 1;
            self.llvm += usize::from(!line.divergent);
            self.ours += usize::from(ours);
            if !line.divergent && !ours {
                self.missed.push(format!("{name}: {}", line.text));
            }
        }
    }
}

/// The number of a body's first instruction.
fn first(module: &Module, body: rvsdg_core::module::Body) -> u32 {
    module.sources.extents(body)[0].first
}

/// What instructions give, states left out.
fn values(graph: &Graph) -> BTreeMap<SourceId, Vec<Origin>> {
    let mut values = BTreeMap::<SourceId, Vec<Origin>>::new();
    let mut add = |source: Option<SourceId>, origin: Origin| {
        let is_value = !graph.ty(origin).is_state() && graph.pool().ctl_alternatives(graph.ty(origin)).is_none();
        if let Some(source) = source.filter(|_| is_value) {
            values.entry(source).or_default().push(origin);
        }
    };
    for node in graph.all_nodes() {
        for &output in graph.outputs(node) {
            add(graph.source(node).filter(|_| graph.op(node).is_some()), output);
            add(graph.origin_source(output), output);
        }
        let arguments = graph.subregions(node).iter().flat_map(|&region| graph.arguments(region));
        arguments.for_each(|&argument| add(graph.origin_source(argument), argument));
    }
    values
}

/// What LLVM says of an instruction.
struct Line {
    divergent: bool,
    text: String,
}

/// The instructions of each function that has divergent ones, in order.
fn by_llvm(file: &Path) -> BTreeMap<String, Vec<Line>> {
    let done = Command::new("opt-22").args(["-passes=print<uniformity>", "-disable-output"]).arg(file).output();
    let said = String::from_utf8(done.expect("opt-22 is installed").stderr).expect("IR is text");
    let mut functions = BTreeMap::<String, Vec<Line>>::new();
    let (mut name, mut in_block) = (String::new(), false);
    for line in said.lines() {
        if let Some(rest) = line.strip_prefix("UniformityInfo for function '") {
            (name, in_block) = (rest.trim_end_matches([':', '\'']).to_owned(), false);
        } else if line.starts_with("BLOCK") || line.starts_with("END BLOCK") {
            in_block = line.starts_with("BLOCK");
            functions.entry(name.clone()).or_default();
        } else if in_block && let Some(text) = line.strip_prefix("  DIVERGENT: ").or(line.strip_prefix(&" ".repeat(14)))
        {
            let divergent = line.starts_with("  DIVERGENT");
            functions.entry(name.clone()).or_default().push(Line { divergent, text: text.trim().to_owned() });
        }
    }
    functions
}

#[test]
fn as_much_is_uniform_as_llvm_knows() {
    let any = (0..200).map(|seed| random(seed, 4 + seed as usize % 8, 2));
    let structured = (0..200).map(|seed| random_structured(seed, 3 + seed as usize % 20, 3));
    let is_of_branches = |shape: &Shape| shape.blocks().all(|block| shape.succs(block).len() <= 2);
    let shapes: Vec<Shape> = (4..=6).flat_map(smallest).chain(any).chain(structured).filter(is_of_branches).collect();
    let mut text = KERNELS.to_owned();
    for (number, shape) in shapes.iter().enumerate() {
        text += &kernel(&format!("t{number}"), shape, Decides::Thread);
        text += &kernel(&format!("a{number}"), shape, Decides::Argument);
    }
    let place = tempfile::tempdir().expect("there is room for a folder");
    let file = place.path().join("kernels.ll");
    std::fs::write(&file, &text).expect("it can be written");
    let counts = Counts::of(&text, &file);
    assert!(counts.values > 5_000 && counts.llvm > 500, "{} values, {} uniform", counts.values, counts.llvm);
    assert!(counts.missed.is_empty(), "{:#?}", counts.missed);
    assert!(counts.ours >= counts.llvm, "{} of {}", counts.ours, counts.llvm);
}

/// Prints a table of public kernels, such as `cargo bench --bench opencl` leaves under `target/opencl/build`.
#[test]
fn public_kernels() {
    let Some(folder) = std::env::var_os("RVSDG_KERNELS") else {
        println!("skipped: RVSDG_KERNELS names no folder");
        return;
    };
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file can be listed").path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".in.ll"));
    files.sort();
    let place = tempfile::tempdir().expect("there is room for a folder");
    let mut suites = BTreeMap::<String, [usize; 5]>::new();
    for path in &files {
        // Calls and variables in memory are gone, as where passes ask.
        let plain = place.path().join("plain.ll");
        let near = "-passes=always-inline,cgscc(inline),function(sroa,simplifycfg),globaldce";
        let mut opt = Command::new("opt-22");
        let done = opt.args([near, "-S", "-o"]).arg(&plain).arg(path).status().expect("opt-22 is installed");
        assert!(done.success(), "{}", path.display());
        let counts = Counts::of(&std::fs::read_to_string(&plain).expect("it was written"), &plain);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let suite = name
            .split_once('-')
            .map_or(&*name, |(suite, _)| if suite == "PolyBench" { "PolyBench-ACC" } else { suite });
        for suite in [suite, "all"] {
            let sums = suites.entry(suite.to_owned()).or_default();
            let row = [1, counts.values, counts.llvm, counts.ours, counts.missed.len()];
            sums.iter_mut().zip(row).for_each(|(sum, more)| *sum += more);
        }
        counts.missed.iter().for_each(|missed| eprintln!("{name}: {missed}"));
    }
    println!("\n| suite | files | values | uniform: LLVM | ours | only LLVM |\n|---|--:|--:|--:|--:|--:|");
    for (suite, [files, values, llvm, ours, missed]) in &suites {
        println!("| {suite} | {files} | {values} | {llvm} | {ours} | {missed} |");
        assert!(ours >= llvm, "{suite}");
    }
}
