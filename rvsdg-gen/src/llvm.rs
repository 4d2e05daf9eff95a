//! LLVM modules as text: programs that print checksums of what they compute.
//!
//! With [`Options::defined`], a program has no undefined behaviour and no poison, and its output does not depend on the compiler: indices
//! and shift amounts are masked, divisors made odd or positive, loops have bounded trip counts, `nsw` and similar flags are used where
//! widened operands cannot wrap, and the bits of a NaN enter no checksum. Without it, operations are unrestricted: for compiling, not for
//! running.
//!
//! Control flow is structured (conditionals, switches, loops with several exits) or a web of blocks, most of them irreducible, that
//! runs until its fuel is used up.

mod body;
mod values;

use std::fmt::Write;

use crate::entropy::Entropy;

/// What a module is to be.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// The approximate number of operations in each function.
    pub operations: usize,
    /// The maximal number of functions besides `main`.
    pub functions: usize,
    /// Whether running it is defined.
    pub defined: bool,
}

impl Options {
    /// Small programs whose runs are defined.
    pub const RUNNABLE: Options = Options { operations: 40, functions: 4, defined: true };
}

/// The types of values.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Ty {
    I1,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
    V4I32,
    V2I64,
    V4F32,
    Pair,
}

impl Ty {
    const INTS: &'static [Ty] = &[Ty::I32, Ty::I64, Ty::I8, Ty::I16, Ty::I1, Ty::I128];
    const FLOATS: &'static [Ty] = &[Ty::F64, Ty::F32];
    const VECTORS: &'static [Ty] = &[Ty::V4I32, Ty::V2I64, Ty::V4F32];
    const ALL: &'static [Ty] = &[
        Ty::I32,
        Ty::I64,
        Ty::I8,
        Ty::I16,
        Ty::I1,
        Ty::I128,
        Ty::F64,
        Ty::F32,
        Ty::V4I32,
        Ty::V2I64,
        Ty::V4F32,
        Ty::Pair,
    ];
    /// Types of parameters, results and elements of memory.
    const PASSED: &'static [Ty] = &[Ty::I32, Ty::I64, Ty::I8, Ty::I16, Ty::F64, Ty::F32, Ty::V4I32];

    fn text(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::I128 => "i128",
            Ty::F32 => "float",
            Ty::F64 => "double",
            Ty::V4I32 => "<4 x i32>",
            Ty::V2I64 => "<2 x i64>",
            Ty::V4F32 => "<4 x float>",
            Ty::Pair => "{ i32, i64 }",
        }
    }

    /// The bits of an integer; 0 for what is none.
    fn bits(self) -> u32 {
        match self {
            Ty::I1 => 1,
            Ty::I8 => 8,
            Ty::I16 => 16,
            Ty::I32 => 32,
            Ty::I64 => 64,
            Ty::I128 => 128,
            Ty::F32 | Ty::F64 | Ty::V4I32 | Ty::V2I64 | Ty::V4F32 | Ty::Pair => 0,
        }
    }

    fn zero(self) -> &'static str {
        match self {
            Ty::I1 | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::I128 => "0",
            Ty::F32 | Ty::F64 => "0.0",
            Ty::V4I32 | Ty::V2I64 | Ty::V4F32 | Ty::Pair => "zeroinitializer",
        }
    }
}

/// Memory: its address, and how many elements of which type there are, a power of two.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    element: Ty,
    len: usize,
}

/// A function that others call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
    /// About how many operations a call executes.
    cost: u64,
}

/// The text of a module.
pub fn module(entropy: &mut Entropy<'_>, options: Options) -> String {
    let mut text = String::from(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-unknown-linux-gnu\"\n\n\
         @line = private unnamed_addr constant [14 x i8] c\"%s %d %016lx\\0A\\00\", align 1\n",
    );
    let globals = globals(&mut text, entropy);
    let mut functions: Vec<Function> = Vec::new();
    for index in 0..1 + entropy.below(options.functions.max(1)) {
        let (function, body) = body::function(entropy, options, index, &globals, &functions);
        text.push_str(&body);
        functions.push(function);
    }
    main(&mut text, entropy, &globals, &functions);
    text.push_str("declare i32 @printf(ptr, ...)\n");
    let intrinsics: Vec<&str> =
        values::INTRINSICS.iter().copied().filter(|declaration| text.contains(name_of(declaration))).collect();
    intrinsics.iter().for_each(|declaration| _ = writeln!(text, "declare {declaration}"));
    text
}

/// The name in a declaration, up to its parameters.
fn name_of(declaration: &str) -> &str {
    let name = &declaration[declaration.find('@').unwrap_or(0)..];
    &name[..=name.find('(').unwrap_or(name.len() - 1)]
}

fn globals(text: &mut String, entropy: &mut Entropy<'_>) -> Vec<Place> {
    let mut globals = Vec::new();
    for index in 0..entropy.below(4) {
        let (element, len) = (entropy.pick(Ty::PASSED), entropy.pick(&[1, 2, 4, 8]));
        let linkage = entropy.pick(&["internal ", "", "dso_local "]);
        let initializer = match element.bits() {
            8.. if entropy.chance(3, 4) => {
                let elements: Vec<String> =
                    (0..len).map(|_| format!("{} {}", element.text(), entropy.bits(7))).collect();
                format!("[{}]", elements.join(", "))
            }
            _ => "zeroinitializer".into(),
        };
        _ = writeln!(text, "@g{index} = {linkage}global [{len} x {}] {initializer}, align 16", element.text());
        globals.push(Place { name: format!("@g{index}"), element, len });
    }
    globals
}

/// `main` calls every function with a few arguments and prints what they return, then all that is in memory.
fn main(text: &mut String, entropy: &mut Entropy<'_>, globals: &[Place], functions: &[Function]) {
    let mut names = String::new();
    let mut lines = String::new();
    let mut count = 0;
    let mut print = |lines: &mut String, name: &str, number: usize, ty: Ty, value: &str| {
        count += 1;
        let bits = values::as_bits(lines, &format!("%p{count}"), ty, value);
        _ = writeln!(lines, "  call i32 (ptr, ...) @printf(ptr @line, ptr {name}, i32 {number}, i64 {bits})");
    };
    for (index, function) in functions.iter().enumerate() {
        _ = writeln!(names, "@n{index} = private unnamed_addr constant [3 x i8] c\"f{:01}\\00\", align 1", index % 10);
        let runs = if function.cost > 2_000_000 { 1 } else { 3 };
        for run in 0..runs {
            let arguments: Vec<String> =
                function.params.iter().map(|&ty| format!("{} {}", ty.text(), values::literal(ty, entropy))).collect();
            let result = format!("%r{index}.{run}");
            let (ty, name) = (function.result, &function.name);
            _ = writeln!(lines, "  {result} = call {} {name}({})", ty.text(), arguments.join(", "));
            print(&mut lines, &format!("@n{index}"), run, ty, &result);
        }
    }
    for (index, place) in globals.iter().enumerate() {
        _ = writeln!(names, "@m{index} = private unnamed_addr constant [3 x i8] c\"g{:01}\\00\", align 1", index % 10);
        for element in 0..place.len {
            let (address, value) = (format!("%a{index}.{element}"), format!("%l{index}.{element}"));
            let ty = place.element;
            _ = writeln!(
                lines,
                "  {address} = getelementptr inbounds {}, ptr {}, i64 {element}",
                ty.text(),
                place.name
            );
            _ = writeln!(lines, "  {value} = load {}, ptr {address}, align {}", ty.text(), values::align(ty));
            print(&mut lines, &format!("@m{index}"), element, ty, &value);
        }
    }
    _ = writeln!(text, "{names}\ndefine i32 @main() {{\n{lines}  ret i32 0\n}}\n");
}
