//! Small kernels on the machine that executes threads in warps.

use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::text::parse_module;
use rvsdg_interp::observe::{Byte, Seen};
use rvsdg_interp::simt::{Fault, Form, Launch, Model, Order, Report, launch};
use rvsdg_interp::{Argument, Buffer, Config, Outcome, Value, observe};

const FORMS: [Form; 3] =
    [Form::Graph, Form::ControlFlow(Recovery::Structured), Form::ControlFlow(Recovery::Predicative)];
const MODELS: [Model; 3] = [Model::Stack, Model::Independent(Order::LeastPlace), Model::Independent(Order::Any(7))];

/// What kernels may call, and the type of each.
const INTRINSICS: [(&str, &str); 6] = [
    ("llvm.nvvm.read.ptx.sreg.tid.x", "i32 ()"),
    ("llvm.nvvm.read.ptx.sreg.ctaid.x", "i32 ()"),
    ("llvm.nvvm.barrier.cta.sync.aligned.all", "void (i32)"),
    ("llvm.nvvm.shfl.sync.down.i32", "i32 (i32, i32, i32, i32)"),
    ("llvm.nvvm.vote.ballot.sync", "i32 (i32, i1)"),
    ("llvm.nvvm.activemask", "i32 ()"),
];

/// A module of a kernel whose argument is global memory, `v0`. `v1` is the number of the thread, `v2` its place in that memory,
/// and `v3` its place in an array of 64 words that the block shares.
fn kernel(lines: &str) -> String {
    let mut text = String::from("module \"test\"\ntarget triple \"nvptx64-nvidia-cuda\"\n\n");
    for (name, ty) in INTRINSICS {
        text += &format!("@{name} = function {ty}\n");
    }
    text += "@shared = internal addrspace(3) global [64 x i32] undef, align 4\n@k = function void (ptr addrspace(1)), cc 71\n\n";
    let names: Vec<String> = INTRINSICS.iter().map(|(name, _)| format!("@{name}")).collect();
    names.iter().for_each(|name| text += &format!("import {name}\n"));
    text += &format!(
        "\ndelta @shared []\n\nlambda @k [{}, @shared] (v0: ptr addrspace(1), mem0, io0) {{\n  \
         v1: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()\n  v2: ptr addrspace(1) = getelementptr i32, v0, v1\n  \
         v3: ptr addrspace(3) = getelementptr i32, @shared, v1\n{lines}}}\nexport @k\n",
        names.join(", ")
    );
    text
}

fn run(lines: &str, threads: u32, blocks: u32, form: Form, model: Model) -> Report {
    let text = kernel(lines);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{violations}\n{text}"));
    let [blocks, threads] = [blocks, threads].map(|count| [count, 1, 1]);
    let arguments = [Argument::Memory(Buffer::new(vec![0; 256], 32))];
    let config = Config { fuel: 1_000_000, ..Config::default() };
    launch(
        verified,
        &Launch { kernel: "k", blocks, threads, arguments: &arguments, shared: 0, form, model, uniform: None },
        config,
    )
}

/// The words that a kernel leaves in memory without any fault, in every form and model.
fn words(lines: &str, threads: u32) -> Vec<u32> {
    let reports = FORMS.iter().flat_map(|&form| MODELS.map(|model| run(lines, threads, 1, form, model)));
    let all: Vec<Vec<u32>> = reports
        .map(|report| {
            assert_eq!((&report.outcome, &report.faults[..]), (&Outcome::Returned(None), &[][..]));
            let bytes: Vec<u8> =
                report.memory.last().expect("the argument is seen").bytes.iter().map(|&byte| byte_of(byte)).collect();
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
        })
        .collect();
    all.iter().for_each(|words| assert_eq!(*words, all[0]));
    all[0].clone()
}

fn byte_of(byte: Byte) -> u8 {
    match byte {
        Byte::Bits(bits, 0) => bits,
        other => panic!("{other:?}"),
    }
}

#[test]
fn threads_see_what_others_wrote_before_a_barrier() {
    let reversed = "  v4 = const i32 63\n  v5: i32 = sub v4, v1\n  mem1 = store v1, v3, mem0, align 4\n  v6 = const i32 0\n  \
         mem2, io1 = call void (i32) @llvm.nvvm.barrier.cta.sync.aligned.all(v6), mem1, io0\n  \
         v7: ptr addrspace(3) = getelementptr i32, @shared, v5\n  v8: i32, mem3 = load v7, mem2, align 4\n  \
         mem4 = store v8, v2, mem3, align 4\n  yield mem4, io1\n";
    assert_eq!(words(reversed, 64), (0..64).rev().collect::<Vec<u32>>());
    let report = run(reversed, 64, 3, Form::Graph, Model::Stack);
    assert_eq!(report.counts.barriers, 3);
    // Each block writes the same memory.
    assert!(matches!(report.faults[..], [Fault::Race { .. }]), "{:?}", report.faults);
}

#[test]
fn the_sign_of_a_nan_is_a_choice() {
    for (divisor, chose) in [("0.0", true), ("1.0", false)] {
        let lines = format!(
            "  v4 = const float 0.0\n  v5 = const float {divisor}\n  v6: float = fdiv v4, v5\n  \
             mem1 = store v6, v2, mem0, align 4\n  yield mem1, io0\n"
        );
        assert_eq!(run(&lines, 32, 1, Form::Graph, Model::Stack).chose, chose);
    }
}

#[test]
fn without_a_barrier_there_is_a_race() {
    let lines = "  v4 = const i32 63\n  v5: i32 = sub v4, v1\n  mem1 = store v1, v3, mem0, align 4\n  \
         v7: ptr addrspace(3) = getelementptr i32, @shared, v5\n  v8: i32, mem3 = load v7, mem1, align 4\n  yield mem3, io0\n";
    for form in FORMS {
        let report = run(lines, 64, 1, form, Model::Stack);
        let is_race = |fault: &Fault| matches!(fault, Fault::Race { object, .. } if object == "@shared");
        assert!(!report.faults.is_empty() && report.faults.iter().all(is_race), "{:?}", report.faults);
    }
}

/// Threads up to one wait at a barrier, and others do not.
fn parted(at: u32, then: &str) -> String {
    format!(
        "  v4 = const i32 {at}\n  v5: i1 = icmp ult v1, v4\n  v6: ctl(2) = match i1 v5 [true -> 0, _ -> 1]\n  \
         v7 = const i32 0\n  mem5, io5 = gamma v6 (@llvm.nvvm.barrier.cta.sync.aligned.all, v7, mem0, io0)\n  \
         case 0 (v8: ptr, v9: i32, mem1, io1) {{\n    mem2, io2 = call void (i32) v8(v9), mem1, io1\n    yield mem2, io2\n  }}\n  \
         case 1 (v10: ptr, v11: i32, mem3, io3) {{\n    yield mem3, io3\n  }}\n{then}"
    )
}

#[test]
fn barriers_that_a_part_of_a_warp_comes_to_are_reported() {
    let report = run(&parted(40, "  yield mem5, io5\n"), 64, 1, Form::Graph, Model::Stack);
    // Those that do not come wait at the join.
    assert!(
        matches!(report.faults[..], [Fault::DivergentBarrier { .. }, Fault::Deadlock { .. }]),
        "{:?}",
        report.faults
    );
    // All threads of a warp, and none of the other, which has come to its end.
    let report = run(&parted(32, "  yield mem5, io5\n"), 64, 1, Form::Graph, Model::Stack);
    assert_eq!((report.outcome, report.faults), (Outcome::Returned(None), vec![]));
}

#[test]
fn threads_that_wait_for_others_forever_are_reported() {
    let another = "  v30 = const i32 1\n  \
         mem9, io9 = call void (i32) @llvm.nvvm.barrier.cta.sync.aligned.all(v30), mem5, io5\n  yield mem9, io9\n";
    let report = run(&parted(32, another), 64, 1, Form::Graph, Model::Stack);
    assert!(matches!(report.faults[..], [Fault::Deadlock { .. }]), "{:?}", report.faults);
    assert!(matches!(report.outcome, Outcome::Aborted { .. }));
}

#[test]
fn lanes_exchange_values() {
    // The sum of the numbers of a warp's lanes, in its first lane.
    let mut lines = String::from("  v4 = const i32 -1\n  v5 = const i32 31\n  v6: i32 = freeze v1\n");
    let (mut sum, mut next, mut mem, mut io) = ("v6".to_owned(), 7, "mem0".to_owned(), "io0".to_owned());
    for distance in [16, 8, 4, 2, 1] {
        let [by, other, both] = [next, next + 1, next + 2];
        lines += &format!(
            "  v{by} = const i32 {distance}\n  v{other}: i32, mem{by}, io{by} = call i32 (i32, i32, i32, i32) \
             @llvm.nvvm.shfl.sync.down.i32(v4, {sum}, v{by}, v5), {mem}, {io}\n  v{both}: i32 = add {sum}, v{other}\n"
        );
        (sum, mem, io, next) = (format!("v{both}"), format!("mem{by}"), format!("io{by}"), next + 3);
    }
    lines += &format!("  mem90 = store {sum}, v2, {mem}, align 4\n  yield mem90, {io}\n");
    assert_eq!(words(&lines, 32)[0], (0..32).sum::<u32>());
}

#[test]
fn lanes_that_leave_a_loop_wait_for_the_others() {
    let lines = "  v4 = const i32 0\n  v5: i32, v6: i32, mem5, io5, v15: i32 = theta (v7: i32 = v4, v8: i32 = v4, mem1 = mem0, io1 = io0, v9: i32 = v1) {\n    \
         v10 = const i32 1\n    v11: i32 = add v7, v10\n    v12: i32 = add v8, v11\n    v13: i1 = icmp ule v11, v9\n    \
         v14: ctl(2) = match i1 v13 [true -> 1, _ -> 0]\n    next v11, v12, mem1, io1, v9 while v14\n  }\n  \
         mem6 = store v6, v2, mem5, align 4\n  yield mem6, io5\n";
    let expected: Vec<u32> = (0..64).map(|thread| (1..=thread + 1).sum()).collect();
    assert_eq!(words(lines, 64), expected);
    for form in FORMS {
        let counts = MODELS.map(|model| run(lines, 32, 1, form, model).counts);
        // A warp iterates as often as its last lane, whoever goes first.
        counts.iter().for_each(|other| assert_eq!(*other, counts[0], "{form:?}"));
        assert_eq!((counts[0].redundant, counts[0].divergent_branches), (0, 31));
    }
}

#[test]
fn memory_costs_what_lanes_touch_together() {
    let stores = |stride: u32| {
        let lines = format!(
            "  v4 = const i32 {stride}\n  v5: i32 = mul v1, v4\n  v6: ptr addrspace(1) = getelementptr i32, v0, v5\n  \
             v7: ptr addrspace(3) = getelementptr i32, @shared, v5\n  mem1 = store v1, v6, mem0, align 4\n  \
             mem2 = store v1, v7, mem1, align 4\n  yield mem2, io0\n"
        );
        let counts = run(&lines, 32, 1, Form::Graph, Model::Stack).counts;
        (counts.transactions, counts.bank_conflicts)
    };
    assert_eq!(stores(1), (4, 0));
    assert_eq!(stores(2), (8, 1));
}

/// All threads but the first wait in a loop for what the first writes.
#[test]
fn independent_threads_do_not_keep_others_from_going_on() {
    let lines = "  v4: ctl(2) = match i32 v1 [0 -> 0, _ -> 1]\n  mem9, io9 = gamma v4 (v0, mem0, io0)\n  \
         case 0 (v5: ptr addrspace(1), mem1, io1) {\n    v6 = const i32 1\n    \
         mem2, io2 = store volatile v6, v5, mem1, io1, align 4\n    yield mem2, io2\n  }\n  \
         case 1 (v7: ptr addrspace(1), mem3, io3) {\n    \
         mem4, io4, v14: ptr addrspace(1) = theta (mem5 = mem3, io5 = io3, v8: ptr addrspace(1) = v7) {\n      \
         v9: i32, mem6, io6 = load volatile v8, mem5, io5, align 4\n      \
         v10: ctl(2) = match i32 v9 [0 -> 1, _ -> 0]\n      next mem6, io6, v8 while v10\n    }\n    yield mem4, io4\n  }\n  \
         yield mem9, io9\n";
    for form in FORMS {
        let ends = MODELS.map(|model| run(lines, 32, 1, form, model));
        assert!(matches!(ends[0].outcome, Outcome::OutOfFuel { .. }), "{}", ends[0].outcome);
        ends[1..].iter().for_each(|report| assert_eq!(report.outcome, Outcome::Returned(None), "{form:?}"));
        ends.iter().for_each(|report| assert_eq!(report.faults, []));
    }
}

#[test]
fn nvptx_takes_numbers_apart_and_computes_as_others_do() {
    let symbols = [
        ("llvm.nvvm.d2i.hi", "i32 (double)"),
        ("llvm.nvvm.d2i.lo", "i32 (double)"),
        ("llvm.nvvm.lohi.i2d", "double (i32, i32)"),
        ("llvm.nvvm.fma.rn.d", "double (double, double, double)"),
        ("llvm.nvvm.sqrt.rn.d", "double (double)"),
        ("llvm.nvvm.rcp.approx.ftz.d", "double (double)"),
        ("__nvvm_reflect", "i32 (ptr)"),
    ];
    let mut text = String::from("module \"test\"\ntarget triple \"nvptx64-nvidia-cuda\"\n\n");
    symbols.iter().for_each(|(name, ty)| text += &format!("@{name} = function {ty}, #0\n"));
    text += "@name = internal constant [16 x i8] c\"__CUDA_PREC_DIV\\00\"\n@f = function double (double)\n\n";
    symbols.iter().for_each(|(name, _)| text += &format!("import @{name}\n"));
    let names: Vec<String> = symbols.iter().map(|(name, _)| format!("@{name}")).collect();
    text += &format!(
        "\ndelta @name []\n\nlambda @f [{}, @name] (v0: double, mem0, io0) {{\n  \
         v1: i32 = call i32 (double) @llvm.nvvm.d2i.hi(v0) #0\n  v2: i32 = call i32 (double) @llvm.nvvm.d2i.lo(v0) #0\n  \
         v3: double = call double (i32, i32) @llvm.nvvm.lohi.i2d(v2, v1) #0\n  \
         v4: double = call double (double, double, double) @llvm.nvvm.fma.rn.d(v3, v3, v3) #0\n  \
         v5 = const double 5.0\n  v6: double = fadd v4, v5\n  \
         v7: double = call double (double) @llvm.nvvm.sqrt.rn.d(v6) #0\n  \
         v8: double = call double (double) @llvm.nvvm.rcp.approx.ftz.d(v7) #0\n  \
         v9: i32 = call i32 (ptr) @__nvvm_reflect(@name) #0\n  v10: double = uitofp v9\n  v11: double = fadd v8, v10\n  \
         yield v11, mem0, io0\n}}\nexport @f\n\nattributes #0 = function {{ nounwind, willreturn, memory(none) }}\n",
        names.join(", ")
    );
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{violations}\n{text}"));
    let argument = Argument::Value(Value::Int(4.0_f64.to_bits()));
    let seen = observe(verified, "f", &[argument], Config::default());
    // 4 · 4 + 4 + 5 = 25, of whose root 0.2 is the reciprocal.
    assert_eq!(seen.value, Some(Seen::Bits(vec![0.2_f64.to_bits()])), "{}", seen.outcome);
}
