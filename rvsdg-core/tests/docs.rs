//! `docs/operations.md` is made from the table of operations; `RVSDG_BLESS=1` writes it. The examples of
//! `docs/text-format.md` are modules that round-trip.

#![allow(missing_docs, reason = "tests")]

use std::fmt::Write;
use std::path::Path;

use rvsdg_core::op::{Arity, OpCode};
use rvsdg_core::text;

/// Parameters and an example of each operation.
fn example(code: OpCode) -> (&'static str, &'static str) {
    match code {
        OpCode::Const => ("", "v0 = const i32 7"),
        OpCode::CtlConst => ("", "v0: ctl(2) = ctl 1 of 2"),
        OpCode::Match => ("v0: i32", "v1: ctl(3) = match i32 v0 [0 -> 0, 7 -> 1, _ -> 2]"),
        OpCode::Add => ("v0: i32, v1: i32", "v2: i32 = add nuw nsw v0, v1"),
        OpCode::Sub => ("v0: i32, v1: i32", "v2: i32 = sub nsw v0, v1"),
        OpCode::Mul => ("v0: i32, v1: i32", "v2: i32 = mul v0, v1"),
        OpCode::UDiv => ("v0: i32, v1: i32", "v2: i32, io1 = udiv exact v0, v1, io0"),
        OpCode::SDiv => ("v0: i32, v1: i32", "v2: i32, io1 = sdiv v0, v1, io0"),
        OpCode::URem => ("v0: i32, v1: i32", "v2: i32, io1 = urem v0, v1, io0"),
        OpCode::SRem => ("v0: i32, v1: i32", "v2: i32, io1 = srem v0, v1, io0"),
        OpCode::Shl => ("v0: i32, v1: i32", "v2: i32 = shl nuw v0, v1"),
        OpCode::LShr => ("v0: i32, v1: i32", "v2: i32 = lshr exact v0, v1"),
        OpCode::AShr => ("v0: i32, v1: i32", "v2: i32 = ashr v0, v1"),
        OpCode::And => ("v0: i32, v1: i32", "v2: i32 = and v0, v1"),
        OpCode::Or => ("v0: i32, v1: i32", "v2: i32 = or disjoint v0, v1"),
        OpCode::Xor => ("v0: i32, v1: i32", "v2: i32 = xor v0, v1"),
        OpCode::FAdd => ("v0: float, v1: float", "v2: float = fadd nnan contract v0, v1"),
        OpCode::FSub => ("v0: float, v1: float", "v2: float = fsub fast v0, v1"),
        OpCode::FMul => ("v0: float, v1: float", "v2: float = fmul v0, v1"),
        OpCode::FDiv => ("v0: float, v1: float", "v2: float = fdiv arcp v0, v1"),
        OpCode::FRem => ("v0: float, v1: float", "v2: float = frem v0, v1"),
        OpCode::FNeg => ("v0: float", "v1: float = fneg v0"),
        OpCode::ICmp => ("v0: i32, v1: i32", "v2: i1 = icmp samesign slt v0, v1"),
        OpCode::FCmp => ("v0: float, v1: float", "v2: i1 = fcmp ninf olt v0, v1"),
        OpCode::Trunc => ("v0: i64", "v1: i32 = trunc nsw v0"),
        OpCode::ZExt => ("v0: i32", "v1: i64 = zext nneg v0"),
        OpCode::SExt => ("v0: i32", "v1: i64 = sext v0"),
        OpCode::FPTrunc => ("v0: double", "v1: float = fptrunc v0"),
        OpCode::FPExt => ("v0: float", "v1: double = fpext v0"),
        OpCode::FPToUI => ("v0: float", "v1: i32 = fptoui v0"),
        OpCode::FPToSI => ("v0: float", "v1: i32 = fptosi v0"),
        OpCode::UIToFP => ("v0: i32", "v1: float = uitofp nneg v0"),
        OpCode::SIToFP => ("v0: i32", "v1: float = sitofp v0"),
        OpCode::PtrToInt => ("v0: ptr", "v1: i64 = ptrtoint v0"),
        OpCode::PtrToAddr => ("v0: ptr", "v1: i64 = ptrtoaddr v0"),
        OpCode::IntToPtr => ("v0: i64", "v1: ptr = inttoptr v0"),
        OpCode::BitCast => ("v0: i32", "v1: float = bitcast v0"),
        OpCode::AddrSpaceCast => ("v0: ptr", "v1: ptr addrspace(1) = addrspacecast v0"),
        OpCode::Select => ("v0: i1, v1: i32, v2: i32", "v3: i32 = select v0, v1, v2"),
        OpCode::Freeze => ("v0: i32", "v1: i32 = freeze v0"),
        OpCode::ExtractElement => ("v0: <4 x i32>, v1: i64", "v2: i32 = extractelement v0, v1"),
        OpCode::InsertElement => ("v0: <4 x i32>, v1: i32, v2: i64", "v3: <4 x i32> = insertelement v0, v1, v2"),
        OpCode::ShuffleVector => {
            ("v0: <2 x i32>, v1: <2 x i32>", "v2: <3 x i32> = shufflevector v0, v1, <0, 3, poison>")
        }
        OpCode::ExtractValue => ("v0: { i32, [2 x ptr] }", "v1: ptr = extractvalue v0, 1, 0"),
        OpCode::InsertValue => ("v0: { i32, ptr }, v1: i32", "v2: { i32, ptr } = insertvalue v0, v1, 0"),
        OpCode::Gep => ("v0: ptr, v1: i64", "v2: ptr = getelementptr inbounds [8 x i32], v0, v1, v1"),
        OpCode::Alloca => ("v0: i32", "v1: ptr, mem1 = alloca [4 x i8], v0, mem0, align 16"),
        OpCode::Load => ("v0: ptr", "v1: i32, mem1 = load v0, mem0, align 4"),
        OpCode::Store => ("v0: i32, v1: ptr", "mem1 = store v0, v1, mem0, align 4"),
        OpCode::CmpXchg => (
            "v0: ptr, v1: i32, v2: i32",
            "v3: { i32, i1 }, mem1, io1 = cmpxchg weak v0, v1, v2, mem0, io0, acq_rel, monotonic, align 4",
        ),
        OpCode::AtomicRmw => (
            "v0: ptr, v1: i32",
            "v2: i32, mem1, io1 = atomicrmw volatile umax v0, v1, mem0, io0, syncscope(\"singlethread\"), seq_cst, align 4",
        ),
        OpCode::Fence => ("", "mem1, io1 = fence mem0, io0, seq_cst"),
        OpCode::Call => {
            ("v0: ptr, v1: i32", "v2: i32, mem1, io1 = call tail cc 8 i32 (i32, ...) v0(v1) [\"deopt\"(v1)], mem0, io0")
        }
        OpCode::Invoke => (
            "v0: ptr, v1: i32, v2: ptr",
            "v3: i32, v4: { ptr, i32 }, v5: ctl(2), mem1, io1 = invoke i32 (i32) v0(v1) unwind [cleanup, catch v2], mem0, io0",
        ),
        OpCode::CallBr => (
            "v0: i32",
            "v1: ctl(2), mem1, io1 = callbr void (i32) asm sideeffect \"\", \"r,!i\" (v0) to [0, 1], mem0, io0",
        ),
        OpCode::IndirectBr => ("v0: ptr", "v1: ctl(2) = indirectbr v0, 3, 5"),
        OpCode::Resume => ("v0: { ptr, i32 }", "mem1, io1 = resume v0, mem0, io0"),
        OpCode::CatchSwitch => ("v0: token", "v1: ctl(2), mem1, io1 = catchswitch unwind v0, mem0, io0, 3"),
        OpCode::CatchPad => ("v0: token, v1: ptr", "mem1, io1 = catchpad v0, v1, mem0, io0, 4"),
        OpCode::CleanupPad => ("v0: token", "mem1, io1 = cleanuppad v0, mem0, io0, 5"),
        OpCode::CatchRet => ("v0: token", "v1: ctl(1), mem1, io1 = catchret v0, mem0, io0"),
        OpCode::CleanupRet => ("v0: token", "mem1, io1 = cleanupret caller v0, mem0, io0"),
        OpCode::VaArg => ("v0: ptr", "v1: i32, mem1, io1 = va_arg v0, mem0, io0"),
        OpCode::Unreachable => ("", "io1 = unreachable io0"),
        OpCode::Ext => ("v0: i32", "v1: i32, mem1 = ext \"gpu.shuffle\" (i32, mem) -> (i32, mem) v0, mem0"),
    }
}

/// Checks an example and says which states it has.
fn states(code: OpCode) -> &'static str {
    let (params, node) = example(code);
    let types: Vec<&str> = params.split(", v").filter_map(|param| param.split_once(": ")).map(|(_, ty)| ty).collect();
    let has = |state: &str| node.contains(&format!("{state}0"));
    let after = |state: &'static str| if has(state) { format!("{state}1") } else { format!("{state}0") };
    let comma = if params.is_empty() { "" } else { ", " };
    let source = format!(
        "module \"\"\n\n@f = function void ({})\n\nlambda @f [] ({params}{comma}mem0, io0) {{\n  {node}\n  yield {}, {}\n}}\nexport @f\n",
        types.join(", "),
        after("mem"),
        after("io")
    );
    let module = text::parse_module(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    if let Err(violations) = module.verify() {
        panic!("{}", violations[0]);
    }
    assert_eq!(text::print_module(&module), source);
    match (has("mem"), has("io")) {
        (true, true) => "mem, io",
        (true, false) => "mem",
        (false, true) => "io",
        (false, false) => "",
    }
}

fn operations() -> String {
    let mut page = String::from(
        "# Operations\n\n\
         <!-- Made from the table in rvsdg-core/src/op/table.rs; RVSDG_BLESS=1 cargo test -p rvsdg-core writes it. -->\n\n\
         The operations of simple nodes. Value inputs come first, then the states that the operation takes; outputs likewise.\n\
         Flags are part of the operation. Columns:\n\n\
         - *inputs*: how many value inputs; `+` where the payload or the types allow more;\n\
         - *states*: the states of the example. A load or store also has `io` if it is volatile or atomic with an ordering stronger\n  \
           than unordered; a call has those of its description; a division or remainder has `io` unless it is known\n  \
           not to trap; an operation of a dialect has those it declares;\n\
         - *c*: commutes: inputs 0 and 1 may be exchanged;\n\
         - *s*: may be executed speculatively; for calls and operations of dialects the payload decides.\n\n\
         | operation | inputs | states | c | s | meaning | example |\n|---|---|---|---|---|---|---|\n",
    );
    for &code in OpCode::ALL {
        let info = code.info();
        let inputs = match info.arity {
            Arity::Exactly(count) => format!("{count}"),
            Arity::AtLeast(count) => format!("{count}+"),
        };
        let mark = |set| if set { "x" } else { "" };
        writeln!(
            page,
            "| `{}` | {inputs} | {} | {} | {} | {} | `{}` |",
            info.mnemonic,
            states(code),
            mark(info.commutative),
            mark(info.speculatable),
            info.meaning,
            example(code).1
        )
        .expect("writing to a string succeeds");
    }
    page
}

#[test]
fn the_page_of_operations_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations.md");
    let expected = operations();
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("the page can be written");
    }
    let actual = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(actual == expected, "docs/operations.md is stale: run RVSDG_BLESS=1 cargo test -p rvsdg-core");
}

/// Blocks of the page marked as `rvsdg` are modules.
#[test]
fn the_examples_of_the_text_format_are_modules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/text-format.md");
    let page = std::fs::read_to_string(&path).expect("the page exists");
    let blocks: Vec<&str> = page.split("```rvsdg\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let module = text::parse_module(block).unwrap_or_else(|error| panic!("{error}\n{block}"));
        if let Err(violations) = module.verify() {
            panic!("{}\n{block}", violations[0]);
        }
        assert_eq!(text::print_module(&module), block);
    }
}
