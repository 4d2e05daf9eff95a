//! Sizes, alignments and offsets are LLVM's, for the data layouts of all targets and for generated ones.

use std::process::Command;

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::targets::{ByteOrdering, TargetData};
use inkwell::types::AnyTypeEnum;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::Code;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::property::for_all;
use rvsdg_llvm::{Format, LlvmModule, import};

/// Types with a layout.
const TYPES: &[&str] = &[
    "i1",
    "i7",
    "i8",
    "i16",
    "i24",
    "i32",
    "i48",
    "i64",
    "i65",
    "i100",
    "i128",
    "i256",
    "half",
    "bfloat",
    "float",
    "double",
    "x86_fp80",
    "fp128",
    "ptr",
    "ptr addrspace(1)",
    "ptr addrspace(3)",
    "ptr addrspace(270)",
    "<2 x i1>",
    "<3 x i8>",
    "<2 x i32>",
    "<4 x i32>",
    "<3 x i32>",
    "<5 x i24>",
    "<3 x ptr>",
    "<2 x x86_fp80>",
    "<17 x i64>",
    "[3 x i24]",
    "[2 x x86_fp80]",
    "[0 x i64]",
    "[3 x <3 x i8>]",
    "{}",
    "<{}>",
    "{ i8, i64, i16 }",
    "<{ i8, i64 }>",
    "{ i8, { i8, i128 }, double }",
    "<{ { i8, i32 }, i64 }>",
    "{ <{ i8, i64 }>, i16 }",
    "[2 x { i8, x86_fp80 }]",
    "{ [3 x { i8 }], ptr addrspace(3), <3 x i32> }",
    "{ i1, fp128, half }",
    "{ i8, {}, i8, [0 x double] }",
];

/// Address spaces of which some target, or a generated layout, says something.
const SPACES: [u16; 13] = [0, 1, 2, 3, 5, 7, 8, 9, 10, 20, 160, 270, 272];

fn header(layout: &str) -> String {
    format!("target datalayout = \"{layout}\"\n")
}

fn written(source: &str) -> Result<String, String> {
    let (mut llvm, _) = LlvmModule::parse(source.as_bytes(), "layout").map_err(|error| error.to_string())?;
    Ok(String::from_utf8(llvm.write(Format::Text)).expect("LLVM writes UTF-8"))
}

/// Whether LLVM takes a data layout.
fn is_accepted(layout: &str) -> bool {
    written(&(header(layout) + "declare void @f()\n")).is_ok()
}

/// Compares everything that a data layout says with what LLVM makes of it.
fn compare(layout: &str) {
    let data = DataLayout::parse(layout).unwrap_or_else(|error| panic!("{layout}: {error}"));
    types(layout, &data);
    spaces(layout, &data);
}

fn types(layout: &str, data: &DataLayout) {
    let globals = TYPES.iter().enumerate().map(|(index, ty)| format!("@t{index} = external global {ty}\n"));
    let source = header(layout) + &globals.collect::<String>();
    let (llvm, _) = LlvmModule::parse(source.as_bytes(), "types").unwrap_or_else(|error| panic!("{layout}: {error}"));
    let module = import(llvm).module;
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(source.as_bytes(), "types");
    let theirs = context.create_module_from_ir(buffer).unwrap_or_else(|error| panic!("{layout}: {error}"));
    let target = TargetData::create(layout);
    let order = if data.is_big_endian() { ByteOrdering::BigEndian } else { ByteOrdering::LittleEndian };
    assert_eq!(target.get_byte_ordering(), order, "{layout}");
    let mut layouts = Layouts::new(data.clone());
    for (index, name) in TYPES.iter().enumerate() {
        let symbol = *module.order.iter().find(|&&symbol| *module.symbols[symbol].name == format!("t{index}")).unwrap();
        let ours = layouts.of(&module.pool, module.symbols[symbol].value_type).unwrap();
        let ty = theirs.get_global(&format!("t{index}")).unwrap().get_value_type();
        let (size, store) = (target.get_abi_size(&ty), target.get_store_size(&ty));
        let (align, preferred) = (target.get_abi_alignment(&ty), target.get_preferred_alignment(&ty));
        assert_eq!(
            (ours.size, ours.store, ours.align, ours.preferred_align),
            (size, store, align.into(), preferred.into()),
            "{layout}: size, stored bytes, alignments of {name}",
        );
        if let (Some(fields), AnyTypeEnum::StructType(ty)) = (ours.fields(), ty) {
            let offsets: Vec<u64> = fields.iter().map(|field| field.0).collect();
            let count = ty.count_fields();
            let expected: Vec<u64> = (0..count).filter_map(|field| target.offset_of_element(&ty, field)).collect();
            assert_eq!(offsets, expected, "{layout}: offsets of {name}");
        }
    }
}

fn spaces(layout: &str, data: &DataLayout) {
    let target = TargetData::create(layout);
    let mut source = header(layout);
    for space in SPACES {
        let pointer = data.pointer(space.into());
        let size = target.get_pointer_byte_size(Some(AddressSpace::from(space)));
        assert_eq!(pointer.bits.div_ceil(8), size, "{layout}: pointers of address space {space}");
        // The verifier demands that an address has as many bits as an index, an integer made of a pointer need not.
        source += &format!(
            "define i{0} @f{space}(ptr addrspace({space}) %p) addrspace(\"P\") {{\n  \
             %a = ptrtoaddr ptr addrspace({space}) %p to i{0}\n  ret i{0} %a\n}}\n",
            pointer.index_bits,
        );
    }
    source += "@g = external addrspace(\"G\") global i8\ndefine void @a() addrspace(\"P\") {\n  %a = alloca i8, align 1, addrspace(\"A\")\n  ret void\n}\n";
    let text = written(&source).unwrap_or_else(|error| panic!("{layout}: {error}"));
    let named = |space: u32| if space == 0 { String::new() } else { format!(" addrspace({space})") };
    let global = format!("@g = external{} global i8", named(data.global_space()));
    assert!(text.contains(&global), "{layout}: no {global}");
    let program = match data.program_space() {
        0 => "define void @a() {".to_owned(),
        space => format!("define void @a() addrspace({space}) {{"),
    };
    assert!(text.contains(&program), "{layout}: no {program}");
    let alloca = match data.alloca_space() {
        0 => "alloca i8, align 1\n".to_owned(),
        space => format!("alloca i8, align 1, addrspace({space})\n"),
    };
    assert!(text.contains(&alloca), "{layout}: no {alloca}");
}

/// The data layout that LLVM gives a triple.
fn of_triple(triple: &str) -> String {
    let text = written(&format!("target triple = \"{triple}\"\n")).unwrap_or_else(|error| panic!("{triple}: {error}"));
    let layout = text.lines().find_map(|line| line.strip_prefix("target datalayout = \"")?.strip_suffix('"'));
    layout.unwrap_or_default().to_owned()
}

/// The architectures that the installed `llc` generates code for.
fn architectures() -> Vec<String> {
    let output = Command::new("llc-22").arg("--version").output().expect("llc can be started");
    let text = String::from_utf8(output.stdout).expect("llc prints UTF-8");
    let targets = text.lines().skip_while(|line| !line.contains("Registered Targets")).skip(1);
    targets.filter_map(|line| Some(line.split_once(" - ")?.0.trim().to_owned())).collect()
}

const SYSTEMS: &[&str] = &[
    "",
    "-unknown-linux-gnu",
    "-unknown-linux-gnux32",
    "-unknown-linux-gnuabin32",
    "-unknown-linux-gnueabihf",
    "-unknown-linux-gnu_ilp32",
    "-unknown-linux-android",
    "-unknown-freebsd",
    "-unknown-none-elf",
    "-unknown-elfiamcu",
    "-apple-macosx",
    "-apple-ios",
    "-apple-watchos",
    "-pc-windows-msvc",
    "-w64-windows-gnu",
    "-pc-windows-cygnus",
    "-ibm-aix",
    "-ibm-zos",
    "-nacl",
    "-sun-solaris",
    "-unknown-uefi",
    "-amd-amdhsa",
    "-nvidia-cuda",
    "-unknown-emscripten",
    "-scei-ps4",
];

#[test]
fn every_target_is_laid_out_as_llvm_does() {
    let mut names = architectures();
    assert!(names.len() >= 40, "{names:?}");
    // Names of `llc`'s that are no architectures of triples, and more of those.
    names.extend(
        ["i386", "i686", "x86_64", "powerpc", "powerpc64", "powerpc64le", "s390x", "armv7", "thumbv7"]
            .map(String::from),
    );
    let mut layouts: Vec<String> = vec![String::new()];
    for name in &names {
        for system in SYSTEMS {
            layouts.push(of_triple(&format!("{name}{system}")));
        }
    }
    layouts.sort();
    layouts.dedup();
    assert!(layouts.len() >= 60, "{}", layouts.len());
    for layout in &layouts {
        compare(layout);
        assert_eq!(DataLayout::parse(layout).unwrap().unsupported(), None, "{layout}");
    }
}

/// One of a data layout's specifications; a few are not well-formed.
fn specification(entropy: &mut Entropy<'_>) -> String {
    let bits = |entropy: &mut Entropy<'_>| match entropy.below(12) {
        0 => entropy.pick(&["", "0", "007", "x", "+8", "99999999", "16777216", "-8"]).to_owned(),
        1 => (entropy.below(300)).to_string(),
        _ => entropy.pick(&["1", "8", "16", "32", "64", "80", "128", "256", "24", "48"]).to_owned(),
    };
    let align = |entropy: &mut Entropy<'_>| match entropy.below(24) {
        0 => entropy.pick(&["", "0", "12", "24", "65536", "32768", "x", "08"]).to_owned(),
        _ => entropy.pick(&["8", "16", "32", "64", "128", "256"]).to_owned(),
    };
    let space = |entropy: &mut Entropy<'_>| match entropy.below(12) {
        0 => entropy.pick(&["", "16777215", "16777216", "x", "1x"]).to_owned(),
        _ => entropy.pick(&SPACES).to_string(),
    };
    let mut text = String::new();
    match entropy.below(16) {
        0 => text += entropy.pick(&["e", "E", "e8", "E-", "", "s", "s0:64:64", "z", "b8:8", "i", "p", "ä"]),
        1 => text += entropy.pick(&["m:e", "m:o", "m:x", "m:w", "m:l", "m:m", "m:a", "m:z", "m", "m:ee"]),
        2..=5 => {
            let letter = entropy.pick(&["i", "f", "v", "a"]);
            let size = if letter == "a" && !entropy.chance(1, 8) { String::new() } else { bits(entropy) };
            text += &format!("{letter}{size}");
            if entropy.chance(1, 2) {
                let abi = if letter == "i" && size == "8" { 8 } else { entropy.pick(&[8, 16, 32, 64, 128]) };
                text += &format!(":{abi}:{}", abi << entropy.below(4));
            } else {
                for _ in 0..entropy.pick(&[1, 1, 1, 2, 2, 0, 3]) {
                    text += &format!(":{}", align(entropy));
                }
            }
        }
        6..=10 => {
            text += "p";
            text += entropy.pick(&["", "", "", "", "", "e", "u", "eu", "x"]);
            text += &space(entropy);
            text += entropy.pick(&["", "", "", "", "", "(near)", "(far)", "()", "(P)", "(x", ")", "(a(b)c)", "(PA)"]);
            text += &format!(":{}", bits(entropy));
            for _ in 0..entropy.pick(&[1, 1, 2, 2, 2, 0]) {
                text += &format!(":{}", align(entropy));
            }
            if entropy.chance(1, 3) {
                text += &format!(":{}", entropy.pick(&["16", "32", "64", "8", "0", "24"]));
            }
        }
        11 => text += &format!("{}{}", entropy.pick(&["A", "P", "G"]), space(entropy)),
        12 => text += &format!("n{}:{}", bits(entropy), bits(entropy)),
        13 => text += &format!("S{}", align(entropy)),
        14 => text += &format!("F{}{}", entropy.pick(&["i", "n", "", "x"]), align(entropy)),
        _ => {
            text += entropy.pick(&["ni:", "ni", "n"]);
            text += &space(entropy);
            if entropy.chance(1, 2) {
                text += &format!(":{}", space(entropy));
            }
        }
    }
    text
}

#[test]
fn generated_layouts_are_read_as_llvm_does() {
    let make = |entropy: &mut Entropy<'_>| {
        let count = 1 + entropy.below(6);
        (0..count).map(|_| specification(entropy)).collect::<Vec<String>>().join("-")
    };
    for_all(120, make, Clone::clone, |layout| {
        assert_eq!(DataLayout::parse(layout).is_ok(), is_accepted(layout), "accepted");
        // LLVM has no integers and vectors of such sizes.
        let is_vast =
            |space: &u16| DataLayout::parse(layout).is_ok_and(|data| data.pointer((*space).into()).bits > 1 << 16);
        if is_accepted(layout) && !SPACES.iter().any(is_vast) {
            compare(layout);
        }
    });
}

#[test]
fn bodies_of_layouts_that_passes_cannot_handle_stay_as_they_are() {
    for (layout, construct) in [
        ("p:128:128", "data layout with pointers of 128 bits"),
        ("p:64:64:64:32", "data layout with pointers of 64 bits of which 32 are the address"),
        ("p:8:8", "data layout with pointers of 8 bits"),
        ("pe7:64:64", "data layout with pointers that have state outside of memory, in address space 7"),
        ("p3:8:8:8:4", "data layout with addresses of 4 bits, in address space 3"),
        ("i16:32", "data layout with gaps between integers of 16 bits"),
        ("f32:64", "data layout with gaps between floats of 32 bits"),
    ] {
        let source = header(layout) + "define void @f() {\n  ret void\n}\n";
        let (llvm, _) = LlvmModule::parse(source.as_bytes(), "layout").unwrap();
        let module = import(llvm).module;
        let constructs = module.bodies.values().map(|body| match &body.code {
            Code::Untouched { construct } => &**construct,
            Code::Graph(_) | Code::Cfg => "none",
        });
        assert_eq!(constructs.collect::<Vec<_>>(), [construct], "{layout}");
    }
}
