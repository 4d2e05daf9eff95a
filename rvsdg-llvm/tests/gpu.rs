//! Kernels through LLVM IR, structured where threads part: on the machine that executes threads in warps, and by their branches.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::shape::Shape;
use rvsdg_core::Module;
use rvsdg_core::verify::Verified;
use rvsdg_gen::shapes::{random, random_structured};
use rvsdg_gen::unstructured::{Decides, KERNELS, kernel, smallest};
use rvsdg_interp::observe::Contents;
use rvsdg_interp::simt::{Counts, Form, LANES, Launch, Model, Order, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome};
use rvsdg_llvm::{Format, LlvmModule, OptimizeOptions, Optimizer, optimize};
use rvsdg_passes::Pipeline;

const MODELS: [Model; 3] = [Model::Stack, Model::Independent(Order::LeastPlace), Model::Independent(Order::Any(1))];

/// Kernels of some shapes, named in order, as LLVM IR.
fn kernels(shapes: &[Shape], decides: Decides) -> String {
    let kernels = shapes.iter().enumerate().map(|(number, shape)| kernel(&format!("k{number}"), shape, decides));
    KERNELS.to_owned() + &kernels.collect::<String>()
}

/// What passes make of a module.
fn optimized(text: &str, passes: &str) -> String {
    let pipeline = Pipeline::parse(passes).unwrap_or_else(|error| panic!("{error}"));
    let options = OptimizeOptions::default();
    let text = optimize(text.as_bytes(), "kernels.ll", &pipeline, &options, Format::Text);
    String::from_utf8(text.unwrap_or_else(|error| panic!("{error}"))).expect("IR is text")
}

/// The module of LLVM IR, whose recovered control flow is that of the IR.
fn graphs(text: &str) -> Module {
    let (llvm, _) = LlvmModule::parse(text.as_bytes(), "kernels.ll").unwrap_or_else(|error| panic!("{error}"));
    let optimizer = Optimizer::new(OptimizeOptions::default()).expect("there are threads");
    optimizer.construct(llvm, || ()).module
}

/// Conditional branches of each function.
fn branches(module: &Module) -> BTreeMap<String, usize> {
    let of = |lambda: rvsdg_core::structural::Lambda| {
        let body = &module.bodies[lambda.body()];
        let cfg = destruct(body.graph()?, lambda.context(&module.omega).len(), Recovery::Predicative);
        let branches = cfg.blocks().filter(|&block| cfg.terminator(block).predicate.is_some()).count();
        Some((module.symbols[body.symbol].name.to_string(), branches))
    };
    module.lambdas().into_iter().filter_map(of).collect()
}

/// A kernel that nothing is wrong with, by one warp: what it leaves in memory, and what it costs.
fn run(module: Verified<'_>, name: &str, model: Model) -> (Vec<Contents>, Counts) {
    let arguments = [Argument::Memory(Buffer::new(vec![0; 4 * LANES as usize], 32))];
    let (kernel, form) = (name, Form::ControlFlow(Recovery::Predicative));
    let (blocks, threads) = ([1; 3], [LANES, 1, 1]);
    let launched = Launch { kernel, blocks, threads, arguments: &arguments, shared: 0, form, model, uniform: None };
    let report = launch(module, &launched, Config { fuel: 1 << 20, ..Config::default() });
    assert_eq!((&report.outcome, &report.faults[..]), (&Outcome::Returned(None), &[][..]), "{name}");
    (report.memory, report.counts)
}

/// Accesses through generic pointers keep their metadata when they become accesses of one address space.
#[test]
fn accesses_of_one_address_space() {
    let text = r#"target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [64 x i32] undef
define ptx_kernel void @f(ptr %p, i64 %i) {
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %q, align 4, !range !0
  %s = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  store i32 %v, ptr %s, align 4
  %o = atomicrmw add ptr %s, i32 %v monotonic, align 4
  %x = cmpxchg ptr %p, i32 %o, i32 %v monotonic monotonic, align 4
  ret void
}
!0 = !{i32 0, i32 8}
"#;
    let found = optimized(text, "ads,dne");
    for line in [
        "load i32, ptr addrspace(1) %2, align 4, !range !0",
        "store i32 %v, ptr addrspace(3) %3, align 4",
        "atomicrmw add ptr addrspace(3) %3, i32 %v monotonic, align 4",
        "cmpxchg ptr addrspace(1) %1, i32 %o, i32 %v monotonic monotonic, align 4",
    ] {
        assert!(found.contains(line), "{line}\n{found}");
    }
}

#[test]
fn no_block_of_the_smallest_unstructured_kernels_is_executed_twice() {
    let shapes: Vec<Shape> = (4..=7).flat_map(smallest).collect();
    assert_eq!(shapes.len(), 704);
    let text = kernels(&shapes, Decides::Thread);
    let before = graphs(&text);
    assert_eq!(branches(&before).values().sum::<usize>(), 2853);
    let before = before.verify().expect("it is valid");
    for passes in ["stz,dne", "default<O3>"] {
        let after = graphs(&optimized(&text, passes));
        // Other structurizers that leave no redundant execution make 3040 and more.
        let structured = branches(&after).values().sum::<usize>();
        assert!(structured <= 3001, "{passes}: {structured} branches");
        let after = after.verify().expect("it is valid");
        let [mut once, mut now] = [0; 2];
        for number in 0..shapes.len() {
            let name = format!("k{number}");
            for model in MODELS {
                let (expected, counts) = run(before, &name, model);
                let (memory, structured) = run(after, &name, model);
                assert_eq!(memory, expected, "{name} {model:?}");
                assert_eq!(structured.redundant, 0, "{name} {model:?}");
                if model == Model::Stack {
                    assert!(counts.redundant > 0, "{name}");
                    once += counts.instructions + counts.moves;
                    now += structured.instructions + structured.moves;
                }
            }
        }
        assert!(now < once, "{passes}: {now} instructions and moves instead of {once}");
    }
}

/// Kernels without the problem come out with the control flow that they had.
#[test]
fn structured_and_uniform_kernels_get_no_branch() {
    let structured: Vec<Shape> = (0..300).map(|seed| random_structured(seed, 3 + seed as usize % 30, 3)).collect();
    let any: Vec<Shape> = (0..300).map(|seed| random(seed, 4 + seed as usize % 8, 2)).collect();
    let smallest: Vec<Shape> = (4..=6).flat_map(smallest).collect();
    for (shapes, decides) in [(structured, Decides::Thread), (any, Decides::Argument), (smallest, Decides::Argument)] {
        // Ways of two arcs only, as branches have.
        let shapes: Vec<Shape> = shapes.into_iter().filter(is_of_branches).collect();
        assert!(shapes.len() >= 70, "{}", shapes.len());
        let text = kernels(&shapes, decides);
        let (before, after) = (branches(&graphs(&text)), branches(&graphs(&optimized(&text, "stz,dne"))));
        for (name, branches) in &after {
            assert!(*branches <= before[name], "{name}, {decides:?}: {branches} branches instead of {}", before[name]);
        }
    }
}

/// What no thread writes is loaded as such (`ld.global.nc`): passes find it, and LLVM's code generator looks at parameters for it.
#[test]
fn loads_of_memory_that_nothing_writes_say_so() {
    let kernel = |attributes: &str| {
        format!(
            "{KERNELS}
            define ptx_kernel void @k(ptr noalias %to, ptr {attributes} %from) {{
              %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
              %a = getelementptr float, ptr %from, i32 %thread
              %b = getelementptr float, ptr %to, i32 %thread
              %value = load float, ptr %a, align 4
              store float %value, ptr %b, align 4
              ret void
            }}"
        )
    };
    for (attributes, load) in [("noalias", "ld.global.nc.b32"), ("", "ld.global.b32")] {
        let text = optimized(&kernel(attributes), "default<O3>");
        assert!(text.contains("writeonly captures(none) %to"), "{text}");
        assert!(text.contains("readonly captures(none) %from"), "{text}");
        let place = tempfile::tempdir().expect("there is room for a folder");
        let file = place.path().join("k.ll");
        std::fs::write(&file, text).expect("it can be written");
        let mut llc = Command::new("llc-22");
        let done = llc.args(["-O3", "-mcpu=sm_70", "-mattr=+ptx80", "-o", "-"]).arg(&file).output();
        let ptx = String::from_utf8(done.expect("llc-22 is installed").stdout).expect("PTX is text");
        assert!(ptx.contains(load), "{ptx}");
    }
}

/// The attribute for the blocks that OpenCL demands is made of three extents that a block can have, and of nothing else.
#[test]
fn only_blocks_that_can_be_are_stated() {
    for (extents, stated) in [
        ("i32 16, i32 8, i32 1", Some("16,8,1")),
        ("i64 1024, i64 1, i64 1", Some("1024,1,1")),
        ("i32 16, i32 8", None),
        ("i32 16, i32 8, i32 1, i32 1", None),
        ("i32 16, i32 0, i32 1", None),
        ("i32 -16, i32 8, i32 1", None),
        ("i32 1025, i32 1, i32 1", None),
        ("i32 16, !\"8\", i32 1", None),
        ("i32 16, null, i32 1", None),
    ] {
        for (convention, attribute) in [("ptx_kernel", ""), ("", ""), ("ptx_kernel", "\"nvvm.reqntid\"=\"32,1,1\"")] {
            let text = optimized(
                &format!(
                    "{KERNELS}\ndefine {convention} void @k() {attribute} !reqd_work_group_size !0 {{ ret void }}\n!0 = !{{{extents}}}\n"
                ),
                "dne",
            );
            let found: Vec<&str> =
                text.split("\"nvvm.reqntid\"=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            let expected = match (convention, attribute) {
                ("", _) => None,
                (_, "") => stated,
                _ => Some("32,1,1"),
            };
            assert_eq!(found, Vec::from_iter(expected), "{extents}\n{text}");
        }
    }
}

fn is_of_branches(shape: &Shape) -> bool {
    shape.blocks().all(|block| shape.succs(block).len() <= 2)
}

/// What LLVM's code generator for AMDGPU makes of kernels, up to a pass or to the end.
fn amdgpu(file: &Path, stop: Option<&str>) -> String {
    let mut llc = Command::new("llc-22");
    llc.args(["-O3", "-mcpu=gfx900", "-o", "-"]).args(stop).arg(file);
    let done = llc.output().expect("llc-22 is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("it writes text")
}

/// Conditional branches of each kernel, and those of two sides: whose destinations nothing else leads to.
fn sides(text: &str) -> BTreeMap<String, [usize; 2]> {
    let kernels = text.split("define amdgpu_kernel").skip(1).map(|text| {
        let text = text.split("\n  }").next().unwrap_or_default();
        let name = text.split(['@', '(']).nth(1).unwrap_or_default().to_owned();
        let labels = |line: &str| -> Vec<String> {
            let end = |rest: &str| rest.split([',', ' ']).next().unwrap_or_default().to_owned();
            line.split("label %").skip(1).map(end).collect()
        };
        let mut times = BTreeMap::<String, usize>::new();
        text.lines().flat_map(labels).for_each(|label| *times.entry(label).or_default() += 1);
        let branches = text.lines().filter(|line| line.trim_start().starts_with("br i1 "));
        let branches: Vec<Vec<String>> = branches.map(labels).collect();
        let two = branches.iter().filter(|labels| labels.iter().all(|label| times[label] == 1)).count();
        (name, [branches.len(), two])
    });
    kernels.collect()
}

/// LLVM's structurizer for AMDGPU leaves our control flow as it is: each conditional of two sides becomes two of one side, which is
/// its form of them, and nothing else is added.
#[test]
fn amdgpu_takes_structured_kernels_as_they_are() {
    let shapes: Vec<Shape> = (4..=7).flat_map(smallest).collect();
    let text = kernels(&shapes, Decides::Thread);
    let others = text.lines().filter(|line| !line.starts_with("target datalayout"));
    let text = others.map(|line| line.to_owned() + "\n").collect::<String>();
    let text = text
        .replace("nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa")
        .replace("ptx_kernel", "amdgpu_kernel")
        .replace("llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x");
    let place = tempfile::tempdir().expect("there is room for a folder");
    let kept = |name: &str, text: &str| {
        let file = place.path().join(name);
        std::fs::write(&file, text).expect("it can be written");
        let stops = ["-stop-before=structurizecfg", "-stop-after=structurizecfg"];
        let [before, after] = stops.map(|stop| sides(&amdgpu(&file, Some(stop))));
        assert_eq!((before.len(), amdgpu(&file, None).matches(".amdhsa_kernel ").count()), (704, 704));
        before.iter().filter(|(name, [branches, two])| after[*name][0] == branches + two).count()
    };
    let [original, structured] = [kept("original.ll", &text), kept("structured.ll", &optimized(&text, "stz,dne"))];
    println!("{original} kernels as they were written, {structured} structured ones");
    assert!(original < structured);
    assert_eq!(structured, 704);
}
