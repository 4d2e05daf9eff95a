//! Which accesses types tell apart is what LLVM's type-based alias analysis tells apart, on generated hierarchies of types.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use rvsdg_core::Op;
use rvsdg_core::tbaa::{AccessTag, may_see};
use rvsdg_gen::entropy::Entropy;
use rvsdg_llvm::{LlvmModule, import};

/// A type: its size, and for a structure its members with their offsets.
struct Type {
    size: u64,
    members: Vec<(usize, u64)>,
}

/// Types, a store under each of so many tags of them, and what nothing is understood of.
fn module(entropy: &mut Entropy, stores: usize) -> String {
    let mut metadata = String::new();
    let mut types: Vec<Type> = Vec::new();
    for root in 0..1 + entropy.below(2) {
        writeln!(metadata, "!{} = !{{!\"root {root}\"}}", types.len()).expect("text can be written");
        types.push(Type { size: 0, members: Vec::new() });
    }
    for number in types.len()..types.len() + 3 + entropy.below(5) {
        let parent = entropy.below(number);
        // The parent of a scalar type may have no offset.
        let offset = if entropy.chance(1, 4) { "" } else { ", i64 0" };
        writeln!(metadata, "!{number} = !{{!\"scalar {number}\", !{parent}{offset}}}").expect("text can be written");
        types.push(Type { size: 4, members: Vec::new() });
    }
    let scalars = types.iter().position(|ty| ty.size > 0).expect("there are scalars")..types.len();
    for number in types.len()..types.len() + entropy.below(6) {
        let (mut members, mut size) = (Vec::new(), 0);
        write!(metadata, "!{number} = !{{!\"structure {number}\"").expect("text can be written");
        for _ in 0..1 + entropy.below(4) {
            let member = scalars.start + entropy.below(number - scalars.start);
            size += 4 * u64::from(entropy.chance(1, 4));
            members.push((member, size));
            write!(metadata, ", !{member}, i64 {size}").expect("text can be written");
            size += types[member].size;
        }
        writeln!(metadata, "}}").expect("text can be written");
        types.push(Type { size, members });
    }
    let mut body = String::new();
    for store in 0..stores {
        let tag = types.len() + store;
        let base = scalars.start + entropy.below(types.len() - scalars.start);
        let (mut access, mut offset) = (base, 0);
        while !types[access].members.is_empty() {
            let (member, at) = entropy.pick(&types[access].members);
            (access, offset) = (member, offset + at);
        }
        let constant = if entropy.chance(1, 8) { ", i64 1" } else { "" };
        writeln!(metadata, "!{tag} = !{{!{base}, !{access}, i64 {offset}{constant}}}").expect("text can be written");
        writeln!(body, "  store i32 {store}, ptr %p{store}, !tbaa !{tag}").expect("text can be written");
    }
    let params: Vec<String> = (0..stores).map(|store| format!("ptr %p{store}")).collect();
    format!("define void @f({}) {{\n{body}  ret void\n}}\n{metadata}", params.join(", "))
}

/// The tags of the stores, in order.
fn tags(text: &str) -> (std::sync::Arc<rvsdg_core::Pool>, Vec<Option<AccessTag>>) {
    let (llvm, _) = LlvmModule::parse(text.as_bytes(), "tbaa").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let import = import(llvm);
    let cfg = &import.cfgs[0].1;
    let blocks = cfg.blocks().flat_map(|block| cfg.insts(block));
    let tag = |op| if let Op::Store(access) = op { Some(access.tag) } else { None };
    (import.module.pool.clone(), blocks.filter_map(|&inst| tag(cfg.op(inst))).collect())
}

/// Pairs of stores, and whether LLVM tells them apart.
fn theirs(text: &str) -> Vec<(usize, usize, bool)> {
    let mut command = Command::new("opt-22");
    command.args(["-passes=aa-eval", "-aa-pipeline=tbaa", "-evaluate-aa-metadata", "-print-all-alias-modref-info"]);
    command.arg("-disable-output").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("opt can be started");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("opt reads its input");
    drop(input);
    let output = child.wait_with_output().expect("opt can be waited for");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
    let number = |access: &str| access.trim().strip_prefix("store i32 ")?.split(',').next()?.parse().ok();
    let pair = |line: &str| {
        let (answer, accesses) = line.trim().split_once(':')?;
        let (a, b) = accesses.split_once("<->")?;
        Some((number(a)?, number(b)?, answer == "NoAlias"))
    };
    said.lines().filter_map(pair).collect()
}

#[test]
fn types_tell_apart_what_llvm_tells_apart() {
    let (mut compared, mut apart) = (0, 0);
    for seed in 0..40u64 {
        let mut entropy = Entropy::seeded(seed);
        let text = module(&mut entropy, 12);
        let (pool, tags) = tags(&text);
        for (a, b, differ) in theirs(&text) {
            let (Some(read), Some(written)) = (tags[a], tags[b]) else { panic!("a tag is not understood:\n{text}") };
            for (read, written) in [(read, written), (written, read)] {
                assert_eq!(may_see(&pool, read, written), !differ, "stores {a} and {b}\n{text}");
            }
            compared += 1;
            apart += usize::from(differ);
        }
    }
    assert!(compared > 2000 && apart > 200, "{apart} of {compared} are told apart");
}

/// What LLVM does not print, or has another form, says nothing.
#[test]
fn other_forms_are_no_tags() {
    for types in [
        // With sizes.
        "!0 = !{!1, !1, i64 0, i64 4}\n!1 = !{!2, i64 4, !\"int\"}\n!2 = !{!\"root\"}",
        // A type like no other.
        "!0 = !{!1, !1, i64 0}\n!1 = distinct !{!\"int\", !2, i64 0}\n!2 = !{!\"root\"}",
        // A root without a name.
        "!0 = !{!1, !1, i64 0}\n!1 = !{!\"int\", !2, i64 0}\n!2 = !{}",
    ] {
        let text = format!("define void @f(ptr %p) {{\n  store i32 0, ptr %p, !tbaa !0\n  ret void\n}}\n{types}\n");
        assert_eq!(tags(&text).1, [None], "{text}");
    }
}
