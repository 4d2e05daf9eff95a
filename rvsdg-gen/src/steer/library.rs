//! Calls of functions of the C library.

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;

/// Adds functions that call functions of the library: two of which much is promised, and one of which something cheaper computes.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let text = format!("{module}{}", promised(entropy));
    let text = match entropy.below(5) {
        0 => text + &numbers(entropy),
        1 => text + &roundings(entropy),
        2 => text + &strings(entropy),
        3 => text + &streams(entropy),
        _ => {
            let text = declared(&text, "malloc", "ptr (i64)");
            declared(&text, "llvm.memset.p0.i64", "void (ptr, i8, i64, i1)") + &allocations(entropy)
        }
    };
    *module = parse_module(&text).expect("the functions are well-formed");
}

/// A module that declares a function, with a line that follows.
pub(super) fn declared(text: &str, name: &str, ty: &str) -> String {
    if text.contains(&format!("\n@{name} = ")) {
        return text.to_owned();
    }
    format!("{text}@{name} = function {ty}\nimport @{name}\n")
}

/// A function of the argument, and of bytes that it writes.
fn promised(entropy: &mut Entropy<'_>) -> String {
    let (first, second) = (entropy.below(3), entropy.below(3));
    format!(
        "\n@steer.library = function i32 (i32)\n@abs = function i32 (i32)\n\
         @bcmp = function i32 (ptr, ptr, i64)\nimport @abs\nimport @bcmp\n\
         lambda @steer.library [@abs, @bcmp] (v0: i32, mem0, io0) {{\n\
         v1: i32, mem1, io1 = call i32 (i32) @abs(v0), mem0, io0\n\
         v2 = const i32 1\nv3: ptr, mem2 = alloca i32, v2, mem1, align 4\nv4: ptr, mem3 = alloca i32, v2, mem2, align 4\n\
         v5 = const i32 {first}\nmem4 = store v5, v3, mem3, align 4\n\
         v6 = const i32 {second}\nmem5 = store v6, v4, mem4, align 4\nv7 = const i64 4\n\
         v8: i32, mem6, io2 = call i32 (ptr, ptr, i64) @bcmp(v3, v4, v7), mem5, io1\n\
         v9 = const i32 0\nv10: i1 = icmp eq v8, v9\nv11: i32 = select v10, v1, v0\n\
         v12: i32, v13: {{ ptr, i32 }}, v14: ctl(2), mem7, io3 = invoke i32 (i32) @abs(v11) unwind [cleanup], mem6, io2\n\
         v15: i32, mem8, io4 = gamma v14 (v12, v0, mem7, io3)\n\
         case 0 (v16: i32, v17: i32, mem9, io5) {{\nyield v16, mem9, io5\n}}\n\
         case 1 (v18: i32, v19: i32, mem10, io6) {{\nyield v19, mem10, io6\n}}\n\
         yield v15, mem8, io4\n}}\nexport @steer.library\n"
    )
}

/// A function that calls others of numbers on its argument. `body` computes `v9` of the number `v1`.
fn of_number(functions: &[&str], body: &str) -> String {
    let declared: String =
        functions.iter().map(|name| format!("@{name} = function {}\nimport @{name}\n", type_of(name))).collect();
    let contexts: Vec<String> = functions.iter().map(|name| format!("@{name}")).collect();
    format!(
        "@steer.number = function i32 (i32)\n{declared}lambda @steer.number [{}] (v0: i32, mem0, io0) {{\n\
         v1: double = sitofp v0\n{body}\nv10: i64 = bitcast v9\nv11 = const i64 32\nv12: i64 = lshr v10, v11\nv13: i32 = trunc v12\n\
         yield v13, mem1, io1\n}}\nexport @steer.number\n",
        contexts.join(", ")
    )
}

fn type_of(name: &str) -> &'static str {
    if name == "pow" { "double (double, double)" } else { "double (double)" }
}

fn numbers(entropy: &mut Entropy<'_>) -> String {
    if entropy.chance(1, 4) {
        let name = entropy.pick(&["cos", "cosh", "sin"]);
        return of_number(
            &[name],
            &format!("v2: double = fneg v1\nv9: double, mem1, io1 = call double (double) @{name}(v2), mem0, io0"),
        );
    }
    let constant = entropy.pick(&["-1.0", "0.0", "1.0", "2.0", "3.0"]);
    let arguments = entropy.pick(&["v1, v2", "v1, v2", "v2, v1"]);
    of_number(
        &["pow"],
        &format!(
            "v2 = const double {constant}\nv9: double, mem1, io1 = call double (double, double) @pow({arguments}), mem0, io0"
        ),
    )
}

fn roundings(entropy: &mut Entropy<'_>) -> String {
    let name = entropy.pick(&["floor", "ceil", "trunc", "fabs", "round"]);
    of_number(
        &[name],
        &format!(
            "v2 = const double 0.25\nv3: double = fmul v1, v2\nv9: double, mem1, io1 = call double (double) @{name}(v3), mem0, io0"
        ),
    )
}

/// A string in memory, and what is asked of it.
fn strings(entropy: &mut Entropy<'_>) -> String {
    let text = entropy.pick(&["ab1\\00", "019\\00", "\\00xyz"]);
    let write = match entropy.below(4) {
        0 => "v3: ptr, mem2, io1 = call ptr (ptr, ptr) @strcpy(v2, @steer.text), mem1, io0",
        1 => "v3: ptr, mem2, io1 = call ptr (ptr, ptr) @stpcpy(v2, @steer.text), mem1, io0",
        2 => {
            "v40 = const i8 0\nmem20 = store v40, v2, mem1, align 1\n\
             v3: ptr, mem2, io1 = call ptr (ptr, ptr) @strcat(v2, @steer.text), mem20, io0"
        }
        _ => {
            "v40 = const i64 4\n\
             v3: ptr, mem2, io1 = call ptr (ptr, ptr, i64) @memcpy(v2, @steer.text, v40), mem1, io0"
        }
    };
    let ask = match entropy.below(6) {
        0 => {
            "v4: i64, mem3, io2 = call i64 (ptr) @strlen(v2), mem2, io1\nv5 = const i64 0\nv6: i1 = icmp ne v4, v5\nv7: i32 = zext v6"
        }
        1 => "v7: i32, mem3, io2 = call i32 (ptr, ptr) @strcmp(v2, @steer.empty), mem2, io1",
        2 => "v7: i32, mem3, io2 = call i32 (ptr, ptr) @strcmp(@steer.empty, v2), mem2, io1",
        3 => "v4 = const i64 1\nv7: i32, mem3, io2 = call i32 (ptr, ptr, i64) @memcmp(v2, @steer.text, v4), mem2, io1",
        4 => {
            "v4: ptr, mem3, io2 = call ptr (ptr, i32) @strchr(@steer.text, v0), mem2, io1\nv5 = const ptr null\n\
             v6: i1 = icmp eq v4, v5\nv7: i32 = zext v6"
        }
        _ => {
            "v4 = const i32 0\nv5: ptr, mem30, io2 = call ptr (ptr, i32) @strchr(v2, v4), mem2, io1\n\
             v41 = const i8 7\nmem31 = store v41, v5, mem30, align 1\nv42: i32, mem3 = load v2, mem31, align 4\nv7: i32 = add v42, v4"
        }
    };
    format!(
        "@steer.text = private constant [4 x i8] c\"{text}\"\n@steer.empty = private constant [1 x i8] zeroinitializer\n\
         @steer.string = function i32 (i32)\n@strcpy = function ptr (ptr, ptr)\n@stpcpy = function ptr (ptr, ptr)\n\
         @strcat = function ptr (ptr, ptr)\n@memcpy = function ptr (ptr, ptr, i64)\n@strlen = function i64 (ptr)\n\
         @strcmp = function i32 (ptr, ptr)\n@memcmp = function i32 (ptr, ptr, i64)\n@strchr = function ptr (ptr, i32)\n\
         import @strcpy\nimport @stpcpy\nimport @strcat\nimport @memcpy\nimport @strlen\nimport @strcmp\nimport @memcmp\nimport @strchr\n\
         delta @steer.text []\ndelta @steer.empty []\n\
         lambda @steer.string [@steer.text, @steer.empty, @strcpy, @stpcpy, @strcat, @memcpy, @strlen, @strcmp, @memcmp, @strchr] \
         (v0: i32, mem0, io0) {{\n\
         v1 = const i32 8\nv2: ptr, mem1 = alloca i8, v1, mem0, align 4\n{write}\n{ask}\n\
         v8: i8, mem4 = load v2, mem3, align 1\nv9: i32 = zext v8\nv10: i32 = xor v7, v9\n\
         yield v10, mem4, io2\n}}\nexport @steer.string\n"
    )
}

/// Output of strings and characters.
fn streams(entropy: &mut Entropy<'_>) -> String {
    let (format, length) =
        entropy.pick(&[("x\\00", 2), ("hi\\0A\\00", 4), ("hi\\00", 3), ("\\00", 1), ("%c\\00", 3), ("%s\\0A\\00", 4)]);
    let argument = match format {
        "%c\\00" => ", v1",
        "%s\\0A\\00" => ", @steer.line",
        _ => "",
    };
    let call = match entropy.below(3) {
        0 => format!("v2: i32, mem2, io1 = call i32 (ptr, ...) @printf(@steer.format{argument}), mem1, io0"),
        1 => format!("v2: i32, mem2, io1 = call i32 (ptr, ptr, ...) @sprintf(v5, @steer.format{argument}), mem1, io0"),
        _ => "v2: i32, mem2, io1 = call i32 (ptr) @puts(@steer.format), mem1, io0".to_owned(),
    };
    format!(
        "@steer.format = private constant [{length} x i8] c\"{format}\"\n@steer.line = private constant [3 x i8] c\"no\\00\"\n\
         @steer.stream = function i32 (i32)\n@printf = function i32 (ptr, ...)\n@sprintf = function i32 (ptr, ptr, ...)\n\
         @puts = function i32 (ptr)\nimport @printf\nimport @sprintf\nimport @puts\ndelta @steer.format []\ndelta @steer.line []\n\
         lambda @steer.stream [@steer.format, @steer.line, @printf, @sprintf, @puts] (v0: i32, mem0, io0) {{\n\
         v3 = const i32 63\nv1: i32 = and v0, v3\nv4 = const i32 8\nv5: ptr, mem1 = alloca i8, v4, mem0, align 1\n\
         {call}\nv6 = const i32 1\nv7: i32 = add v1, v6\nyield v7, mem2, io1\n}}\nexport @steer.stream\n"
    )
}

/// Memory that is allocated and filled.
fn allocations(entropy: &mut Entropy<'_>) -> String {
    let (byte, length) = (entropy.pick(&[0, 0, 0, 1]), entropy.pick(&[8, 8, 8, 4]));
    let read = if length == 4 { 0 } else { entropy.pick(&[0, 4]) };
    format!(
        "@steer.allocation = function i32 (i32)\n\
         lambda @steer.allocation [@malloc, @llvm.memset.p0.i64] (v0: i32, mem0, io0) {{\n\
         v1 = const i64 8\nv2: ptr, mem1, io1 = call ptr (i64) @malloc(v1), mem0, io0\n\
         v3 = const i8 {byte}\nv4 = const i64 {length}\nv5 = const i1 false\n\
         mem2 = call void (ptr, i8, i64, i1) @llvm.memset.p0.i64(v2, v3, v4, v5), mem1\n\
         v6 = const i64 {read}\nv7: ptr = getelementptr i8, v2, v6\nv8: i32, mem3 = load v7, mem2, align 4\n\
         v9: i32 = add v8, v0\nyield v9, mem3, io1\n}}\nexport @steer.allocation\n"
    )
}
