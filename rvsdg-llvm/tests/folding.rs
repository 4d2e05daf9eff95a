//! What operations on floating-point constants become is, bit for bit, what LLVM's folder makes of them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::{construct, restructure};
use rvsdg_core::module::Code;
use rvsdg_llvm::{Format, LlvmModule, import};
use rvsdg_passes::{Manager, Pipeline};

/// A floating-point type, the bits before its exponent, and those of its exponent and fraction.
struct Float {
    name: &'static str,
    exponent: u32,
    fraction: u32,
}

const FLOATS: [Float; 6] = [
    Float { name: "half", exponent: 5, fraction: 10 },
    Float { name: "bfloat", exponent: 8, fraction: 7 },
    Float { name: "float", exponent: 8, fraction: 23 },
    Float { name: "double", exponent: 11, fraction: 52 },
    // Its leading bit, which is always one, counts as part of the fraction.
    Float { name: "x86_fp80", exponent: 15, fraction: 64 },
    Float { name: "fp128", exponent: 15, fraction: 112 },
];

impl Float {
    fn bits(&self) -> u32 {
        1 + self.exponent + self.fraction
    }

    /// Numbers, infinities and NaNs, quiet and signalling, with and without payload, of both signs.
    fn values(&self) -> Vec<u128> {
        let one = |bit: u32| 1u128 << bit;
        let explicit = if self.name == "x86_fp80" { one(63) } else { 0 };
        let quiet = one(if explicit == 0 { self.fraction - 1 } else { 62 });
        let all = (one(self.exponent) - 1) << self.fraction | explicit;
        let bias = one(self.exponent - 1) - 1;
        let number = |exponent: u128, fraction: u128| exponent << self.fraction | explicit | fraction;
        let positive = [
            0,
            number(bias, 0),
            number(bias + 1, quiet),
            number(bias - 1, quiet | 5),
            number(bias + 6, quiet >> 1 | 3),
            number(1, 0),
            number((one(self.exponent) - 2).max(1), quiet - 1),
            all,
            all | quiet,
            all | quiet | 5,
            all | quiet | quiet >> 1 | quiet >> 2,
            all | 1,
            all | quiet >> 2,
            all | quiet | (quiet - 1),
        ];
        positive.iter().flat_map(|&value| [value, value | one(self.bits() - 1)]).collect()
    }

    fn constant(&self, value: u128) -> String {
        format!("bitcast (i{} {value} to {})", self.bits(), self.name)
    }
}

/// Functions that each give the value of one operation on constants, and of which integer width tells all bits.
struct Functions {
    text: String,
    count: usize,
}

impl Functions {
    fn add(&mut self, ty: &str, operation: &str) {
        writeln!(self.text, "define {ty} @f{}() {{\n  %r = {operation}\n  ret {ty} %r\n}}", self.count)
            .expect("text can be written");
        self.count += 1;
    }
}

/// What each function gives, by its number, where that is a constant.
fn results(text: &str, count: usize) -> Vec<Option<String>> {
    let mut results = vec![None; count];
    let mut number = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("define ") {
            let name = rest.split_once("@f").and_then(|(_, rest)| rest.split_once('('));
            number = name.and_then(|(name, _)| name.parse::<usize>().ok());
        } else if let (Some(value), Some(number)) = (line.strip_prefix("  ret "), number)
            && !value.contains('%')
        {
            results[number] = Some(value.to_owned());
        }
    }
    results
}

fn ours(source: &str) -> String {
    let (llvm, _) = LlvmModule::parse(source.as_bytes(), "folding").unwrap_or_else(|error| panic!("{error}"));
    let mut import = import(llvm);
    for (body, cfg) in &import.cfgs {
        let verified = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        let graph = construct::build(&verified, &restructure::Options::default());
        import.module.bodies[*body].code = Code::Graph(graph);
    }
    let pipeline = Pipeline::parse("red,dne").unwrap();
    Manager::default().run(&mut import.module, &pipeline).unwrap();
    let module = &import.module;
    let contexts = |body| import.cfgs.iter().find(|(read, _)| *read == body).map_or(0, |(_, cfg)| cfg.contexts().len());
    let recover = |body| Some(destruct(module.bodies[body].graph()?, contexts(body), Recovery::Predicative));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{violations}"));
    let mut llvm = import.host.export(verified, recover).unwrap();
    String::from_utf8(llvm.write(Format::Text)).unwrap()
}

fn theirs(source: &str) -> String {
    let mut command = Command::new("opt-22");
    command.args(["-S", "-passes=instsimplify"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("opt can be started");
    let mut input = child.stdin.take().expect("it is piped");
    let source = source.to_owned();
    let writer = std::thread::spawn(move || input.write_all(source.as_bytes()));
    let output = child.wait_with_output().expect("opt can be waited for");
    writer.join().expect("the writer does not panic").expect("opt reads its input");
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Compares all that both fold; at least so many.
fn compare(functions: &Functions, least: usize) {
    let source = &functions.text;
    let (ours, theirs) = (results(&ours(source), functions.count), results(&theirs(source), functions.count));
    let mut compared = 0;
    let mut differences = Vec::new();
    for number in 0..functions.count {
        if let (Some(ours), Some(theirs)) = (&ours[number], &theirs[number]) {
            compared += 1;
            if ours != theirs {
                let line = source.lines().nth(4 * number + 1).unwrap_or_default();
                differences.push(format!("{line}: {ours}, LLVM {theirs}"));
            }
        }
    }
    let shown = &differences[..differences.len().min(40)];
    assert!(differences.is_empty(), "{} of {compared} differ:\n{}", differences.len(), shown.join("\n"));
    assert!(compared >= least, "both fold {compared} of {}", functions.count);
}

#[test]
fn conversions() {
    let mut functions = Functions { text: String::new(), count: 0 };
    for (index, from) in FLOATS.iter().enumerate() {
        for value in from.values() {
            let operand = format!("{} {}", from.name, from.constant(value));
            for to in &FLOATS[..index] {
                if to.bits() < from.bits() {
                    functions.add(to.name, &format!("fptrunc {operand} to {}", to.name));
                }
            }
            for to in &FLOATS[index + 1..] {
                if to.bits() > from.bits() {
                    functions.add(to.name, &format!("fpext {operand} to {}", to.name));
                }
            }
            for to in ["i8", "i32", "i64", "i128"] {
                functions.add(to, &format!("fptosi {operand} to {to}"));
                functions.add(to, &format!("fptoui {operand} to {to}"));
            }
        }
        for (ty, value) in [("i8", -1i64), ("i32", 12_345_678), ("i64", i64::MIN), ("i64", i64::MAX), ("i16", 0)] {
            functions.add(from.name, &format!("sitofp {ty} {value} to {}", from.name));
            functions.add(from.name, &format!("uitofp {ty} {value} to {}", from.name));
        }
    }
    compare(&functions, 1_000);
}

#[test]
fn operations() {
    let mut functions = Functions { text: String::new(), count: 0 };
    for float in &FLOATS {
        let values = float.values();
        for &a in &values {
            let a = float.constant(a);
            functions.add(float.name, &format!("fneg {} {a}", float.name));
            for &b in &values {
                let b = float.constant(b);
                for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
                    functions.add(float.name, &format!("{op} {} {a}, {b}", float.name));
                }
                for predicate in ["oeq", "olt", "one", "ord", "uno", "ueq", "ugt", "une"] {
                    functions.add("i1", &format!("fcmp {predicate} {} {a}, {b}", float.name));
                }
            }
        }
    }
    compare(&functions, 40_000);
}

#[test]
fn intrinsics() {
    let mut functions = Functions { text: String::new(), count: 0 };
    let mut declarations = String::new();
    for float in &FLOATS {
        let name = float.name;
        let suffix = match name {
            "half" => "f16",
            "bfloat" => "bf16",
            "float" => "f32",
            "double" => "f64",
            "x86_fp80" => "f80",
            _ => "f128",
        };
        for of in ["fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", "sqrt"] {
            writeln!(declarations, "declare {name} @llvm.{of}.{suffix}({name})").unwrap();
            for value in float.values() {
                functions.add(name, &format!("call {name} @llvm.{of}.{suffix}({name} {})", float.constant(value)));
            }
        }
        for of in ["copysign", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum"] {
            writeln!(declarations, "declare {name} @llvm.{of}.{suffix}({name}, {name})").unwrap();
            for a in float.values() {
                for b in float.values() {
                    let (a, b) = (float.constant(a), float.constant(b));
                    functions.add(name, &format!("call {name} @llvm.{of}.{suffix}({name} {a}, {name} {b})"));
                }
            }
        }
    }
    functions.text += &declarations;
    compare(&functions, 10_000);
}

#[test]
fn sums_of_products() {
    let mut functions = Functions { text: String::new(), count: 0 };
    let mut declarations = String::new();
    for (float, suffix) in FLOATS.iter().zip(["f16", "bf16", "f32", "f64", "f80", "f128"]) {
        let name = float.name;
        let values: Vec<String> = float.values().into_iter().map(|value| float.constant(value)).collect();
        for of in ["fma", "fmuladd"] {
            writeln!(declarations, "declare {name} @llvm.{of}.{suffix}({name}, {name}, {name})").unwrap();
            for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
                for c in values.iter().step_by(5) {
                    functions
                        .add(name, &format!("call {name} @llvm.{of}.{suffix}({name} {a}, {name} {b}, {name} {c})"));
                }
            }
        }
    }
    functions.text += &declarations;
    compare(&functions, 2_000);
}

/// Of doubles: the functions of floats are of their own, and those of LLVM are of doubles, rounded.
#[test]
fn functions_of_the_library() {
    let mut functions = Functions { text: String::new(), count: 0 };
    let mut declarations = String::new();
    let values = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.25", "-7.5", "1.0e-200", "3.0e150", "27.0", "-745.0"];
    for of in [
        "acos", "asin", "atan", "ceil", "cos", "cosh", "exp", "exp2", "fabs", "floor", "log", "log10", "log1p", "log2",
        "round", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    ] {
        writeln!(declarations, "declare double @{of}(double)").unwrap();
        values.iter().for_each(|x| functions.add("double", &format!("call double @{of}(double {x})")));
    }
    for of in ["atan2", "fmod", "pow"] {
        writeln!(declarations, "declare double @{of}(double, double)").unwrap();
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            functions.add("double", &format!("call double @{of}(double {a}, double {b})"));
        }
    }
    functions.text += &declarations;
    compare(&functions, 300);
}
