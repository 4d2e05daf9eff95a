//! Expressions of few operations on few operands, so that neighbours fit together as rules of reduction ask for: an operation of
//! another of the same operands, of numbers at the ends of a type, with and without promises, of every width, in lanes, of addresses.

use std::collections::BTreeMap;
use std::fmt::Write;

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;

use crate::entropy::Entropy;

/// Functions of a module.
const FUNCTIONS: usize = 8;

/// A module of functions that return an expression.
///
/// # Panics
/// When the generator writes what is no valid module.
pub fn any_expressions(entropy: &mut Entropy<'_>) -> Module {
    let mut intrinsics = BTreeMap::new();
    let (mut symbols, mut bodies, mut exports) = (String::new(), String::new(), String::new());
    for number in 0..FUNCTIONS {
        let lanes = entropy.chance(1, 5).then_some(2);
        let bits = entropy.pick(&[8, 8, 8, 1, 3, 16, 32, 33, 64, 65]);
        let other = entropy.pick(&[bits + 1, 2 * bits, 2 * bits, bits + 7]);
        let mut writer = Writer {
            entropy,
            lanes,
            bits,
            other,
            values: vec![],
            names: 0,
            text: String::new(),
            called: BTreeMap::new(),
        };
        let params = writer.params();
        for _ in 0..2 + writer.entropy.below(5) {
            writer.operation();
        }
        let (result, ty) = writer.values.last().cloned().expect("there are operations");
        let Writer { text, called, .. } = writer;
        let types: Vec<&str> = params.iter().map(|(_, ty)| ty.as_str()).collect();
        let names: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let contexts: Vec<String> = called.keys().map(|name| format!("@{name}")).collect();
        let _ = writeln!(symbols, "@f{number} = function {ty} ({})", types.join(", "));
        let _ = writeln!(
            bodies,
            "lambda @f{number} [{}] ({}, mem0, io0) {{\n{text}  yield {result}, mem0, io0\n}}",
            contexts.join(", "),
            names.join(", ")
        );
        let _ = writeln!(exports, "export @f{number}");
        intrinsics.extend(called);
    }
    let mut text = String::from("module \"expressions\"\n");
    for (name, ty) in intrinsics {
        let _ = writeln!(text, "@{name} = function {ty}, #0\nimport @{name}");
    }
    text += &symbols;
    text += &bodies;
    text += &exports;
    text +=
        "attributes #0 = function { nocallback, nofree, nosync, nounwind, speculatable, willreturn, memory(none) }\n";
    parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A kind of values in a function.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    /// Integers of the width that most have.
    Number,
    /// Wider integers.
    Wide,
    Truth,
    Real,
    Address,
}

struct Writer<'w, 'e> {
    entropy: &'w mut Entropy<'e>,
    /// Lanes of all values but addresses, if they are vectors.
    lanes: Option<u32>,
    bits: u32,
    /// Bits of the wider integers.
    other: u32,
    /// Parameters and what was computed, by name and type.
    values: Vec<(String, String)>,
    /// How many names are taken.
    names: usize,
    text: String,
    /// Intrinsics and their types.
    called: BTreeMap<String, String>,
}

const RELATIONS: &[&str] = &["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];
const REAL_RELATIONS: &[&str] =
    &["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"];
const FAST: &[&str] = &["", "", "", "nnan ", "ninf ", "nsz ", "arcp ", "reassoc ", "nnan ninf nsz ", "fast "];
const WRAPS: &[&str] = &["", "", "nuw ", "nsw ", "nuw nsw "];
const STEPS: &[&str] = &["", "inbounds nusw ", "nusw ", "nuw ", "inbounds nusw nuw "];

impl Writer<'_, '_> {
    /// The type of a kind.
    fn ty(&self, kind: Kind) -> String {
        let lane = match kind {
            Kind::Number => format!("i{}", self.bits),
            Kind::Wide => format!("i{}", self.other),
            Kind::Truth => "i1".into(),
            Kind::Real => "double".into(),
            Kind::Address => return "ptr".into(),
        };
        match self.lanes {
            Some(lanes) => format!("<{lanes} x {lane}>"),
            None => lane,
        }
    }

    /// Parameters, by name and type.
    fn params(&mut self) -> Vec<(String, String)> {
        let kinds = [Kind::Number, Kind::Number, Kind::Wide, Kind::Truth, Kind::Real, Kind::Real, Kind::Address];
        for kind in kinds {
            let (name, ty) = (self.name(), self.ty(kind));
            self.values.push((name, ty));
        }
        // A condition for all lanes.
        let name = self.name();
        self.values.push((name, "i1".into()));
        self.values.clone()
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names - 1)
    }

    /// Adds an operation with a result.
    fn add(&mut self, ty: &str, operation: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.text, "  {name}: {ty} = {operation}");
        self.values.push((name.clone(), ty.into()));
        name
    }

    fn constant(&mut self, ty: &str, number: &str) -> String {
        let name = self.name();
        let value = match ty.split_once("x ") {
            Some((_, lane)) if number != "poison" => format!("splat ({} {number})", lane.trim_end_matches('>')),
            _ => number.to_owned(),
        };
        let _ = writeln!(self.text, "  {name} = const {ty} {value}");
        name
    }

    /// A number of a type of so many bits at which something ends.
    fn number(&mut self, bits: u32) -> String {
        let least = 1i128 << (bits.min(120) - 1);
        let numbers = [
            0,
            1,
            -1,
            2,
            3,
            4,
            7,
            -2,
            least - 1,
            -least,
            1 - least,
            i128::from(bits) - 1,
            i128::from(bits),
            least >> 1,
            5,
        ];
        let number = self.entropy.pick(&numbers);
        let limit = 1i128 << bits.min(120);
        let number = number.rem_euclid(limit);
        match bits {
            1 => ["false", "true"][number as usize].into(),
            2..=64 => number.to_string(),
            // As the text format has them.
            _ => format!("{number:#x}"),
        }
    }

    /// A value of a kind: one that was just computed, a parameter or a constant.
    fn operand(&mut self, kind: Kind) -> String {
        let ty = self.ty(kind);
        let known: Vec<String> =
            self.values.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name.clone()).collect();
        match self.entropy.below(8) {
            0..=3 => known.last().expect("there is a parameter").clone(),
            4..=6 => known[self.entropy.below(known.len())].clone(),
            _ => self.edge(kind),
        }
    }

    /// Another operand of an operation.
    fn second(&mut self, kind: Kind, first: &str) -> String {
        let second = if self.entropy.chance(1, 2) { self.edge(kind) } else { self.operand(kind) };
        if second == first && self.entropy.chance(7, 8) { self.edge(kind) } else { second }
    }

    /// A constant at which something ends.
    fn edge(&mut self, kind: Kind) -> String {
        let number = match kind {
            _ if self.entropy.chance(1, 20) => "poison".into(),
            Kind::Number => self.number(self.bits),
            Kind::Wide => self.number(self.other),
            Kind::Truth => self.entropy.pick(&["false", "true"]).into(),
            Kind::Real => self.entropy.pick(&["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "3.0"]).into(),
            Kind::Address => "null".into(),
        };
        let ty = self.ty(kind);
        self.constant(&ty, &number)
    }

    fn integer(&mut self) -> Kind {
        if self.entropy.chance(1, 4) { Kind::Wide } else { Kind::Number }
    }

    fn operation(&mut self) {
        match self.entropy.below(20) {
            0..=6 => self.binary(),
            7..=9 => self.comparison(),
            10 | 11 => self.conversion(),
            12 | 13 => self.choice(),
            14 => self.intrinsic(),
            15 | 16 => self.real(),
            17 => self.overflow(),
            _ => self.address(),
        }
    }

    fn binary(&mut self) {
        let kind = self.integer();
        let (op, promises): (&str, &[&str]) = self.entropy.pick(&[
            ("add", WRAPS),
            ("sub", WRAPS),
            ("mul", WRAPS),
            ("shl", WRAPS),
            ("lshr", &["", "", "exact "]),
            ("ashr", &["", "", "exact "]),
            ("udiv", &["", "", "exact "]),
            ("sdiv", &["", "", "exact "]),
            ("urem", &[""]),
            ("srem", &[""]),
            ("and", &[""]),
            ("or", &["", "", "disjoint "]),
            ("xor", &[""]),
        ]);
        let promise = self.entropy.pick(promises);
        let a = self.operand(kind);
        let b = self.second(kind, &a);
        // The first number may be the constant, as it is seldom.
        let (a, b) = if self.entropy.chance(1, 6) { (b, a) } else { (a, b) };
        let ty = self.ty(kind);
        self.add(&ty, &format!("{op} {promise}{a}, {b}"));
    }

    fn comparison(&mut self) {
        let kind = if self.entropy.chance(1, 8) { Kind::Address } else { self.integer() };
        let ty = if kind == Kind::Address { "i1".into() } else { self.ty(Kind::Truth) };
        let relation = self.entropy.pick(RELATIONS);
        let a = self.operand(kind);
        let b = self.second(kind, &a);
        let first = self.add(&ty, &format!("icmp {relation} {a}, {b}"));
        if self.entropy.chance(1, 3) {
            let relation = self.entropy.pick(RELATIONS);
            let c = if self.entropy.chance(1, 2) { b } else { self.second(kind, &a) };
            let second = self.add(&ty, &format!("icmp {relation} {a}, {c}"));
            let both = match self.entropy.below(5) {
                0 => format!("and {first}, {second}"),
                1 => format!("or {first}, {second}"),
                2 => format!("xor {first}, {second}"),
                3 => format!("select {first}, {second}, {}", self.constant(&ty, "false")),
                _ => format!("select {first}, {}, {second}", self.constant(&ty, "true")),
            };
            self.add(&ty, &both);
        }
    }

    fn conversion(&mut self) {
        let (number, wide, truth) = (self.ty(Kind::Number), self.ty(Kind::Wide), self.ty(Kind::Truth));
        let (from, to, ops): (Kind, String, &[&str]) = match self.entropy.below(5) {
            0 | 1 => (Kind::Number, wide, &["zext", "zext nneg", "sext"]),
            2 | 3 => (Kind::Wide, number, &["trunc", "trunc", "trunc nuw", "trunc nsw"]),
            _ if self.bits > 1 && self.entropy.chance(1, 2) => (Kind::Number, truth, &["trunc", "trunc nuw"]),
            _ => (Kind::Truth, wide, &["zext", "sext"]),
        };
        let op = self.entropy.pick(ops);
        let value = self.operand(from);
        self.add(&to, &format!("{op} {value}"));
    }

    fn choice(&mut self) {
        let kind = self.entropy.pick(&[Kind::Number, Kind::Number, Kind::Wide, Kind::Truth, Kind::Real]);
        let condition = if self.entropy.chance(1, 4) { "v7".into() } else { self.operand(Kind::Truth) };
        let a = self.operand(kind);
        let b = self.second(kind, &a);
        let (a, b) = if self.entropy.chance(1, 2) { (b, a) } else { (a, b) };
        let ty = self.ty(kind);
        let chosen = self.add(&ty, &format!("select {condition}, {a}, {b}"));
        if self.entropy.chance(1, 4) {
            self.add(&ty, &format!("freeze {chosen}"));
        }
    }

    fn call(&mut self, name: &str, params: &[String], result: &str, arguments: &[String]) -> String {
        let ty = format!("{result} ({})", params.join(", "));
        let called = self.add(result, &format!("call speculatable {ty} @{name}({})", arguments.join(", ")));
        self.called.insert(name.into(), ty);
        called
    }

    fn intrinsic(&mut self) {
        let ty = self.ty(Kind::Number);
        let suffix = match self.lanes {
            Some(lanes) => format!("v{lanes}i{}", self.bits),
            None => format!("i{}", self.bits),
        };
        let two: &[&str] = &["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"];
        match self.entropy.below(8) {
            0..=4 => {
                let a = self.operand(Kind::Number);
                let mut arguments = [a.clone(), self.second(Kind::Number, &a)];
                for _ in 0..1 + self.entropy.below(2) {
                    let name = format!("llvm.{}.{suffix}", self.entropy.pick(two));
                    let result = self.call(&name, &[ty.clone(), ty.clone()], &ty, &arguments);
                    arguments[self.entropy.below(2)] = result;
                }
            }
            5 => {
                let name = format!("llvm.{}.{suffix}", self.entropy.pick(&["ctpop", "bitreverse"]));
                let argument = self.operand(Kind::Number);
                self.call(&name, std::slice::from_ref(&ty), &ty, &[argument]);
            }
            6 => {
                let name = format!("llvm.{}.{suffix}", self.entropy.pick(&["fshl", "fshr"]));
                let arguments = [(); 3].map(|()| self.operand(Kind::Number));
                self.call(&name, &[ty.clone(), ty.clone(), ty.clone()], &ty, &arguments);
            }
            _ => {
                let name = format!("llvm.{}.{suffix}", self.entropy.pick(&["abs", "ctlz", "cttz"]));
                let truth = self.entropy.pick(&["false", "true"]);
                let flag = self.constant("i1", truth);
                let argument = self.operand(Kind::Number);
                self.call(&name, &[ty.clone(), "i1".into()], &ty, &[argument, flag]);
            }
        }
    }

    fn overflow(&mut self) {
        if self.lanes.is_some() {
            return self.binary();
        }
        let (ty, op) = (self.ty(Kind::Number), self.entropy.pick(&["uadd", "usub", "umul", "sadd", "ssub", "smul"]));
        let (name, pair) = (format!("llvm.{op}.with.overflow.{ty}"), format!("{{ {ty}, i1 }}"));
        let a = self.operand(Kind::Number);
        let arguments = [a.clone(), self.second(Kind::Number, &a)];
        let both = self.call(&name, &[ty.clone(), ty.clone()], &pair, &arguments);
        self.add("i1", &format!("extractvalue {both}, 1"));
        if self.entropy.chance(1, 2) {
            self.add(&ty, &format!("extractvalue {both}, 0"));
        }
    }

    fn real(&mut self) {
        let (ty, truth, wide) = (self.ty(Kind::Real), self.ty(Kind::Truth), self.ty(Kind::Wide));
        let flags = self.entropy.pick(FAST);
        match self.entropy.below(10) {
            0..=3 => {
                let op = self.entropy.pick(&["fadd", "fsub", "fmul", "fdiv"]);
                let a = self.operand(Kind::Real);
                let b = self.second(Kind::Real, &a);
                let (a, b) = if self.entropy.chance(1, 4) { (b, a) } else { (a, b) };
                self.add(&ty, &format!("{op} {flags}{a}, {b}"));
            }
            4 => {
                let a = self.operand(Kind::Real);
                self.add(&ty, &format!("fneg {flags}{a}"));
            }
            5 | 6 => {
                let relation = self.entropy.pick(REAL_RELATIONS);
                let a = self.operand(Kind::Real);
                let b = self.second(Kind::Real, &a);
                self.add(&truth, &format!("fcmp {flags}{relation} {a}, {b}"));
            }
            7 => {
                let (kind, op) = (self.integer(), self.entropy.pick(&["sitofp", "uitofp"]));
                let value = self.operand(kind);
                self.add(&ty, &format!("{op} {value}"));
            }
            8 => {
                let op = self.entropy.pick(&["fptosi", "fptoui"]);
                let value = self.operand(Kind::Real);
                self.add(&wide, &format!("{op} {value}"));
            }
            _ => {
                let suffix = if self.lanes.is_some() { "v2f64" } else { "f64" };
                if self.entropy.chance(1, 2) {
                    let a = self.operand(Kind::Real);
                    self.call(&format!("llvm.fabs.{suffix}"), std::slice::from_ref(&ty), &ty, &[a]);
                } else {
                    let name = format!("llvm.{}.{suffix}", self.entropy.pick(&["copysign", "minnum", "maxnum"]));
                    let arguments = [self.operand(Kind::Real), self.operand(Kind::Real)];
                    self.call(&name, &[ty.clone(), ty.clone()], &ty, &arguments);
                }
            }
        }
    }

    fn address(&mut self) {
        if self.lanes.is_some() {
            return self.choice();
        }
        let (number, element) = (self.ty(Kind::Number), self.entropy.pick(&["i8", "i8", "i32", "[4 x i16]"]));
        let flags = self.entropy.pick(STEPS);
        match self.entropy.below(6) {
            0..=3 => {
                let kind = self.integer();
                let (base, index) = (self.operand(Kind::Address), self.operand(kind));
                self.add("ptr", &format!("getelementptr {flags}{element}, {base}, {index}"));
            }
            4 => {
                let base = self.operand(Kind::Address);
                self.add(&number, &format!("ptrtoint {base}"));
            }
            _ => {
                let (condition, a) = (self.operand(Kind::Truth), self.operand(Kind::Address));
                let b = self.second(Kind::Address, &a);
                let (a, b) = if self.entropy.chance(1, 2) { (b, a) } else { (a, b) };
                let chosen = self.add("ptr", &format!("select {condition}, {a}, {b}"));
                if self.entropy.chance(1, 2) {
                    let (relation, null) = (self.entropy.pick(RELATIONS), self.constant("ptr", "null"));
                    self.add("i1", &format!("icmp {relation} {chosen}, {null}"));
                }
            }
        }
    }
}
