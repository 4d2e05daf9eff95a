//! Loop merging on the machine that executes threads in warps: generated nests do what they did, and where threads repeat the inner
//! loop differently often, warps execute fewer instructions.

use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::nests::{KERNEL, READ, WRITTEN, kernel};
use rvsdg_interp::observe::Contents;
use rvsdg_interp::simt::{Counts, Form, LANES, Launch, Model, Order, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome};

mod common;

use common::transform;

const MODELS: [Model; 3] = [Model::Stack, Model::Independent(Order::LeastPlace), Model::Independent(Order::Any(1))];
const RECOVERED: Form = Form::ControlFlow(Recovery::Predicative);

/// What merged loops need: their conditions become values, so that threads go on together.
const MERGED: &str = "lmg,inv,red,ifc,red,dne,stz,dne";

fn memory(words: impl IntoIterator<Item = u64>) -> Argument {
    Argument::Memory(Buffer::new(words.into_iter().flat_map(u64::to_le_bytes).collect(), 8))
}

/// What a kernel that nothing is wrong with leaves in memory, executed by one warp, and what that costs.
fn run(module: &Module, kernel: &str, arguments: &[Argument], form: Form, model: Model) -> (Vec<Contents>, Counts) {
    let verified = module.verify().unwrap_or_else(|violations| panic!("{violations}\n{module}"));
    let (blocks, threads) = ([1; 3], [LANES, 1, 1]);
    let launched = Launch { kernel, blocks, threads, arguments, shared: 0, form, model, uniform: None };
    let report = launch(verified, &launched, Config { fuel: 1 << 22, ..Config::default() });
    assert_eq!((&report.outcome, &report.faults[..]), (&Outcome::Returned(None), &[][..]), "{module}");
    (report.memory, report.counts)
}

#[test]
fn generated_nests_do_what_they_did() {
    let (mut merged, mut all) = (0, 0);
    for seed in 0..400 {
        let module = kernel(&mut Entropy::seeded(seed));
        let arguments = [
            memory((0..READ).map(|word| word * word % 11)),
            memory((0..WRITTEN * u64::from(LANES)).map(|word| word % 5)),
        ];
        let (expected, _) = run(&module, KERNEL, &arguments, Form::Graph, Model::Stack);
        let mut after = module.clone();
        let report = transform(&mut after, "lmg", None);
        all += 1;
        let counters = report.passes().iter().flat_map(|pass| &pass.counters);
        merged += counters.filter(|(counter, _)| **counter == "loops_merged").map(|(_, count)| count).sum::<u64>();
        assert_eq!(
            run(&after, KERNEL, &arguments, Form::Graph, Model::Stack).0,
            expected,
            "seed {seed}: {module}{after}"
        );
        let mut after = module.clone();
        transform(&mut after, MERGED, None);
        for model in MODELS {
            let found = run(&after, KERNEL, &arguments, RECOVERED, model).0;
            assert_eq!(found, expected, "seed {seed}, {model:?}: {module}{after}");
        }
    }
    println!("{merged} of {all} nests are merged");
    assert!(4 * merged >= 3 * all, "{merged} of {all} nests are merged");
}

/// Rows of a sparse matrix times a vector of ones: each thread has eight rows. Rows begin in a list of positions.
const ROWS: &str = r#"module "rows"
target triple "nvptx64-nvidia-cuda"
@llvm.nvvm.read.ptx.sreg.tid.x = function i32 ()
@rows = function void (ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)), cc 71
import @llvm.nvvm.read.ptx.sreg.tid.x
lambda @rows [@llvm.nvvm.read.ptx.sreg.tid.x] (v0: ptr addrspace(1), v1: ptr addrspace(1), v2: ptr addrspace(1), mem0, io0) {
  v3: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
  v4: i64 = zext v3
  v5: i64, v6: ptr addrspace(1), v7: ptr addrspace(1), v8: ptr addrspace(1), mem1 = theta (v10: i64 = v4, v11: ptr addrspace(1) = v0, v12: ptr addrspace(1) = v1, v13: ptr addrspace(1) = v2, mem2 = mem0) {
    v20: ptr addrspace(1) = getelementptr i64, v11, v10
    v21: i64, mem3 = load v20, mem2, align 8
    v22 = const i64 1
    v23: ptr addrspace(1) = getelementptr i64, v20, v22
    v24: i64, mem4 = load v23, mem3, align 8
    v25: i1 = icmp ult v21, v24
    v26: ctl(2) = match i1 v25 [true -> 1, _ -> 0]
    v27: i64, mem5 = gamma v26 (v21, v24, v12, mem4)
    case 0 (v30: i64, v31: i64, v32: ptr addrspace(1), mem6) {
      v33 = const i64 0
      yield v33, mem6
    }
    case 1 (v40: i64, v41: i64, v42: ptr addrspace(1), mem7) {
      v43 = const i64 0
      v44: i64, v45: i64, v46: i64, v47: ptr addrspace(1), mem8 = theta (v50: i64 = v40, v51: i64 = v43, v52: i64 = v41, v53: ptr addrspace(1) = v42, mem9 = mem7) {
        v54 = const i64 63
        v55: i64 = and v50, v54
        v56: ptr addrspace(1) = getelementptr i64, v53, v55
        v57: i64, mem10 = load v56, mem9, align 8
        v58: i64 = mul v57, v57
        v59: i64 = add v51, v58
        v60 = const i64 1
        v61: i64 = add v50, v60
        v62: i1 = icmp ult v61, v52
        v63: ctl(2) = match i1 v62 [true -> 1, _ -> 0]
        next v61, v59, v52, v53, mem10 while v63
      }
      yield v45, mem8
    }
    v28: ptr addrspace(1) = getelementptr i64, v13, v10
    mem11 = store v27, v28, mem5, align 8
    v29 = const i64 32
    v64: i64 = add v10, v29
    v65 = const i64 256
    v66: i1 = icmp ult v64, v65
    v67: ctl(2) = match i1 v66 [true -> 1, _ -> 0]
    next v64, v11, v12, v13, mem11 while v67
  }
  yield mem1, io0
}
export @rows
"#;

/// What a warp executes for rows of these lengths, without merging and with it.
fn costs(length: impl Fn(u64) -> u64) -> [Counts; 2] {
    let mut starts = vec![0];
    for row in 0..256 {
        starts.push(starts[row as usize] + length(row));
    }
    let arguments = [memory(starts), memory((0..64).map(|word| word * 7 % 13)), memory([0; 256])];
    let before = parse_module(ROWS).unwrap_or_else(|error| panic!("{error}"));
    let [mut separate, mut merged] = [(); 2].map(|()| before.clone());
    transform(&mut separate, "inv,red,ifc,red,dne,stz,dne", None);
    transform(&mut merged, MERGED, None);
    let (expected, _) = run(&before, "rows", &arguments, Form::Graph, Model::Stack);
    [&separate, &merged].map(|module| {
        let (found, counts) = run(module, "rows", &arguments, RECOVERED, Model::Stack);
        assert_eq!(found, expected);
        println!("{} instructions and {} moves", counts.instructions, counts.moves);
        counts
    })
}

#[test]
fn skewed_rows_take_fewer_instructions() {
    // In each iteration of the outer loop two threads have a long row, in each two others.
    let skewed = |row: u64| if row % 16 == row / 32 { 60 } else { 1 + row % 3 };
    // All other rows are empty.
    let few = |row: u64| if row % 8 == row / 32 { 40 } else { 0 };
    for [separate, merged] in [costs(skewed), costs(few)] {
        assert!(10 * merged.instructions < 5 * separate.instructions);
        assert!(10 * (merged.instructions + merged.moves) < 7 * (separate.instructions + separate.moves));
    }
}

#[test]
fn equal_rows_take_less_than_half_as_many_instructions_more() {
    let [separate, merged] = costs(|_| 24);
    assert!(10 * merged.instructions < 15 * separate.instructions);
}
