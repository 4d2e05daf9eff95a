//! Operations on values and memory.

use std::fmt::Write;

use super::body::Writer;
use super::{Place, Ty};
use crate::entropy::Entropy;

/// The intrinsics that bodies call, as they are declared.
pub(super) const INTRINSICS: &[&str] = &[
    "i32 @llvm.umax.i32(i32, i32)",
    "i64 @llvm.smin.i64(i64, i64)",
    "i16 @llvm.uadd.sat.i16(i16, i16)",
    "i32 @llvm.ctpop.i32(i32)",
    "i64 @llvm.ctlz.i64(i64, i1)",
    "i32 @llvm.fshl.i32(i32, i32, i32)",
    "i64 @llvm.bswap.i64(i64)",
    "i32 @llvm.abs.i32(i32, i1)",
    "{ i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)",
    "{ i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)",
    "void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "double @llvm.fabs.f64(double)",
    "double @llvm.sqrt.f64(double)",
    "i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)",
];

/// The alignment of a type in memory.
pub(super) fn align(ty: Ty) -> u32 {
    match ty {
        Ty::I1 | Ty::I8 => 1,
        Ty::I16 => 2,
        Ty::I32 | Ty::F32 => 4,
        Ty::I64 | Ty::F64 | Ty::Pair => 8,
        Ty::I128 | Ty::V4I32 | Ty::V2I64 | Ty::V4F32 => 16,
    }
}

/// The size of a type in memory.
fn size(ty: Ty) -> u32 {
    if ty == Ty::Pair { 16 } else { align(ty) }
}

/// A constant of a type.
pub(super) fn literal(ty: Ty, entropy: &mut Entropy<'_>) -> String {
    let list = |ty: Ty, len: usize, entropy: &mut Entropy<'_>| {
        let lanes: Vec<String> = (0..len).map(|_| format!("{} {}", ty.text(), literal(ty, entropy))).collect();
        format!("<{}>", lanes.join(", "))
    };
    match ty {
        Ty::I1 => entropy.pick(&["false", "true"]).into(),
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::I128 => match entropy.below(6) {
            0 => "0".into(),
            1 => "1".into(),
            2 => "-1".into(),
            3 => format!("{}", i128::MIN >> (128 - ty.bits())),
            4 => entropy.bits(6).to_string(),
            _ => entropy.bits(ty.bits() - 1).to_string(),
        },
        Ty::F32 | Ty::F64 => {
            entropy.pick(&["0.0", "1.0", "-2.5", "0.125", "3.0", "1.0e10", "-0.0", "7.0", "100.5"]).into()
        }
        Ty::V4I32 => list(Ty::I32, 4, entropy),
        Ty::V2I64 => list(Ty::I64, 2, entropy),
        Ty::V4F32 => list(Ty::F32, 4, entropy),
        Ty::Pair => format!("{{ i32 {}, i64 {} }}", literal(Ty::I32, entropy), literal(Ty::I64, entropy)),
    }
}

/// A value as 64 bits, the same for every NaN. Names begin with `prefix`.
pub(super) fn as_bits(text: &mut String, prefix: &str, ty: Ty, value: &str) -> String {
    let mut line = |name: &str, code: String| {
        _ = writeln!(text, "  {prefix}.{name} = {code}");
        format!("{prefix}.{name}")
    };
    match ty {
        Ty::I1 | Ty::I8 | Ty::I16 | Ty::I32 => line("z", format!("zext {} {value} to i64", ty.text())),
        Ty::I64 => value.into(),
        Ty::I128 => {
            let high = line("s", format!("lshr i128 {value}, 61"));
            let both = line("x", format!("xor i128 {value}, {high}"));
            line("t", format!("trunc i128 {both} to i64"))
        }
        Ty::F32 | Ty::F64 => {
            let (text, int) = if ty == Ty::F32 { ("float", "i32") } else { ("double", "i64") };
            let nan = line("u", format!("fcmp uno {text} {value}, 0.0"));
            let number = line("c", format!("select i1 {nan}, {text} 42.0, {text} {value}"));
            let bits = line("b", format!("bitcast {text} {number} to {int}"));
            if ty == Ty::F32 { line("z", format!("zext i32 {bits} to i64")) } else { bits }
        }
        Ty::V4I32 => {
            let first = line("e", format!("extractelement <4 x i32> {value}, i32 1"));
            let second = line("f", format!("extractelement <4 x i32> {value}, i32 3"));
            let mixed = line("m", format!("mul i32 {first}, 31"));
            let sum = line("a", format!("add i32 {mixed}, {second}"));
            line("z", format!("zext i32 {sum} to i64"))
        }
        Ty::V2I64 => line("e", format!("extractelement <2 x i64> {value}, i32 1")),
        Ty::V4F32 => {
            let lane = line("e", format!("extractelement <4 x float> {value}, i32 2"));
            as_bits(text, &format!("{prefix}.l"), Ty::F32, &lane)
        }
        Ty::Pair => {
            let first = line("e", format!("extractvalue {{ i32, i64 }} {value}, 0"));
            let second = line("f", format!("extractvalue {{ i32, i64 }} {value}, 1"));
            let wide = line("z", format!("zext i32 {first} to i64"));
            line("x", format!("xor i64 {wide}, {second}"))
        }
    }
}

impl Writer<'_, '_> {
    /// Adds one operation and what it needs.
    pub(super) fn operation(&mut self) {
        match self.entropy.below(30) {
            0..=7 => self.int_arithmetic(),
            8 | 9 => self.division(),
            10 | 11 => self.shift(),
            12..=14 => self.comparison(),
            15 | 16 => self.conversion(),
            17 | 18 => self.float_arithmetic(),
            19 => self.select(),
            20 | 21 => self.vector(),
            22 => self.pair(),
            23 => self.intrinsic(),
            24..=26 => self.load_or_store(),
            27 => self.new_place(),
            28 => self.atomic(),
            _ => self.bulk(),
        }
    }

    fn int_type(&mut self) -> Ty {
        self.entropy.pick(Ty::INTS)
    }

    fn int_arithmetic(&mut self) {
        let ty = if self.entropy.chance(1, 6) { self.entropy.pick(&[Ty::V4I32, Ty::V2I64]) } else { self.int_type() };
        let op = self.entropy.pick(&["add", "sub", "mul", "and", "or", "xor"]);
        let wraps = matches!(op, "add" | "sub" | "mul");
        if wraps && matches!(ty, Ty::I32 | Ty::I64) && self.entropy.chance(1, 4) {
            // Widened operands cannot wrap.
            let narrow = if ty == Ty::I32 { Ty::I16 } else { Ty::I32 };
            let [lhs, rhs] = [(), ()].map(|()| {
                let value = self.value(narrow);
                self.line(ty, &format!("sext {} {value} to {}", narrow.text(), ty.text()))
            });
            self.line(ty, &format!("{op} nsw {} {lhs}, {rhs}", ty.text()));
            return;
        }
        let (lhs, rhs) = (self.value(ty), self.value(ty));
        let flags = match self.options.defined {
            false if wraps => self.entropy.pick(&["", " nsw", " nuw", " nuw nsw"]),
            false if op == "or" => self.entropy.pick(&["", " disjoint"]),
            _ => "",
        };
        self.line(ty, &format!("{op}{flags} {} {lhs}, {rhs}", ty.text()));
    }

    fn division(&mut self) {
        let ty = self.entropy.pick(&[Ty::I32, Ty::I64, Ty::I8, Ty::I16, Ty::I32]);
        let op = self.entropy.pick(&["udiv", "sdiv", "urem", "srem"]);
        let (lhs, mut rhs) = (self.value(ty), self.value(ty));
        if self.options.defined {
            if op.starts_with('s') {
                rhs = self.hidden(&format!("lshr {} {rhs}, 1", ty.text()));
            }
            rhs = self.hidden(&format!("or {} {rhs}, 1", ty.text()));
        }
        self.line(ty, &format!("{op} {} {lhs}, {rhs}", ty.text()));
    }

    fn shift(&mut self) {
        let ty = self.entropy.pick(&[Ty::I32, Ty::I64, Ty::I8, Ty::I16, Ty::I128]);
        let op = self.entropy.pick(&["shl", "lshr", "ashr"]);
        let (lhs, mut rhs) = (self.value(ty), self.value(ty));
        if self.options.defined {
            rhs = self.hidden(&format!("and {} {rhs}, {}", ty.text(), ty.bits() - 1));
        }
        self.line(ty, &format!("{op} {} {lhs}, {rhs}", ty.text()));
    }

    fn comparison(&mut self) {
        if self.entropy.chance(1, 3) {
            let ty = self.entropy.pick(Ty::FLOATS);
            let relations = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "ult", "une"];
            let relation = self.entropy.pick(&relations);
            let (lhs, rhs) = (self.value(ty), self.value(ty));
            self.line(Ty::I1, &format!("fcmp {relation} {} {lhs}, {rhs}", ty.text()));
        } else {
            let ty = self.int_type();
            let relation = self.entropy.pick(&["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
            let (lhs, rhs) = (self.value(ty), self.value(ty));
            self.line(Ty::I1, &format!("icmp {relation} {} {lhs}, {rhs}", ty.text()));
        }
    }

    fn conversion(&mut self) {
        match self.entropy.below(8) {
            0..=3 => {
                let (from, to) = (self.int_type(), self.int_type());
                let op = match from.bits().cmp(&to.bits()) {
                    std::cmp::Ordering::Less => self.entropy.pick(&["zext", "sext"]),
                    std::cmp::Ordering::Equal => "freeze",
                    std::cmp::Ordering::Greater => "trunc",
                };
                let value = self.value(from);
                let end = if op == "freeze" { String::new() } else { format!(" to {}", to.text()) };
                self.line(to, &format!("{op} {} {value}{end}", from.text()));
            }
            4 => {
                let (from, to) = (self.entropy.pick(&[Ty::I32, Ty::I64, Ty::I8]), self.entropy.pick(Ty::FLOATS));
                let op = self.entropy.pick(&["sitofp", "uitofp"]);
                let value = self.value(from);
                self.line(to, &format!("{op} {} {value} to {}", from.text(), to.text()));
            }
            5 => {
                // A small number fits wherever it goes.
                let small = self.value(Ty::I8);
                let number = self.hidden(&format!("uitofp i8 {small} to double"));
                let half = self.hidden(&format!("fmul double {number}, 0.4375"));
                let (op, to) =
                    (self.entropy.pick(&["fptosi", "fptoui"]), self.entropy.pick(&[Ty::I16, Ty::I32, Ty::I64]));
                self.line(to, &format!("{op} double {half} to {}", to.text()));
            }
            6 => {
                let value = self.value(Ty::F32);
                self.line(Ty::F64, &format!("fpext float {value} to double"));
            }
            _ => {
                let value = self.value(Ty::F64);
                self.line(Ty::F32, &format!("fptrunc double {value} to float"));
            }
        }
    }

    fn float_arithmetic(&mut self) {
        let ty = self.entropy.pick(&[Ty::F64, Ty::F32, Ty::F64, Ty::V4F32]);
        let lhs = self.value(ty);
        if self.entropy.chance(1, 8) {
            self.line(ty, &format!("fneg {} {lhs}", ty.text()));
            return;
        }
        let op = self.entropy.pick(&["fadd", "fsub", "fmul", "fdiv"]);
        let rhs = self.value(ty);
        let flags = if self.options.defined { "" } else { self.entropy.pick(&["", " fast", " nnan", " contract"]) };
        self.line(ty, &format!("{op}{flags} {} {lhs}, {rhs}", ty.text()));
    }

    fn select(&mut self) {
        let ty = self.entropy.pick(Ty::ALL);
        let (condition, then, otherwise) = (self.value(Ty::I1), self.value(ty), self.value(ty));
        self.line(ty, &format!("select i1 {condition}, {} {then}, {} {otherwise}", ty.text(), ty.text()));
    }

    fn vector(&mut self) {
        let ty = self.entropy.pick(Ty::VECTORS);
        let (lane, len) = match ty {
            Ty::V2I64 => (Ty::I64, 2),
            Ty::V4F32 => (Ty::F32, 4),
            _ => (Ty::I32, 4),
        };
        let vector = self.value(ty);
        let index = self.entropy.below(len);
        match self.entropy.below(4) {
            0 => _ = self.line(lane, &format!("extractelement {} {vector}, i32 {index}", ty.text())),
            1 => {
                let value = self.value(lane);
                self.line(ty, &format!("insertelement {} {vector}, {} {value}, i32 {index}", ty.text(), lane.text()));
            }
            2 => {
                let other = self.value(ty);
                let mask: Vec<String> = (0..len).map(|_| format!("i32 {}", self.entropy.below(2 * len))).collect();
                let mask = format!("<{len} x i32> <{}>", mask.join(", "));
                self.line(ty, &format!("shufflevector {} {vector}, {} {other}, {mask}", ty.text(), ty.text()));
            }
            _ if ty == Ty::V4F32 => {}
            _ => {
                let other = self.value(ty);
                let bits = self.hidden(&format!("icmp slt {} {vector}, {other}", ty.text()));
                let bit = format!("<{len} x i1>");
                self.line(ty, &format!("select {bit} {bits}, {} {vector}, {} {other}", ty.text(), ty.text()));
            }
        }
    }

    fn pair(&mut self) {
        let pair = self.value(Ty::Pair);
        match self.entropy.below(4) {
            0 => _ = self.line(Ty::I32, &format!("extractvalue {{ i32, i64 }} {pair}, 0")),
            1 => _ = self.line(Ty::I64, &format!("extractvalue {{ i32, i64 }} {pair}, 1")),
            2 => {
                let value = self.value(Ty::I32);
                self.line(Ty::Pair, &format!("insertvalue {{ i32, i64 }} {pair}, i32 {value}, 0"));
            }
            _ => {
                let value = self.value(Ty::I64);
                self.line(Ty::Pair, &format!("insertvalue {{ i32, i64 }} {pair}, i64 {value}, 1"));
            }
        }
    }

    fn intrinsic(&mut self) {
        let (narrow, wide) = (self.value(Ty::I32), self.value(Ty::I64));
        let (narrow2, wide2) = (self.value(Ty::I32), self.value(Ty::I64));
        match self.entropy.below(12) {
            0 => self.line(Ty::I32, &format!("call i32 @llvm.umax.i32(i32 {narrow}, i32 {narrow2})")),
            1 => self.line(Ty::I64, &format!("call i64 @llvm.smin.i64(i64 {wide}, i64 {wide2})")),
            2 => {
                let value = self.value(Ty::I16);
                self.line(Ty::I16, &format!("call i16 @llvm.uadd.sat.i16(i16 {value}, i16 77)"))
            }
            3 => self.line(Ty::I32, &format!("call i32 @llvm.ctpop.i32(i32 {narrow})")),
            4 => self.line(Ty::I64, &format!("call i64 @llvm.ctlz.i64(i64 {wide}, i1 false)")),
            5 => self.line(Ty::I32, &format!("call i32 @llvm.fshl.i32(i32 {narrow}, i32 {narrow2}, i32 {narrow})")),
            6 => self.line(Ty::I64, &format!("call i64 @llvm.bswap.i64(i64 {wide})")),
            7 => self.line(Ty::I32, &format!("call i32 @llvm.abs.i32(i32 {narrow}, i1 false)")),
            8 => {
                let call = format!("call {{ i32, i1 }} @llvm.sadd.with.overflow.i32(i32 {narrow}, i32 {narrow2})");
                let both = self.hidden(&call);
                self.line(Ty::I32, &format!("extractvalue {{ i32, i1 }} {both}, 0"));
                self.line(Ty::I1, &format!("extractvalue {{ i32, i1 }} {both}, 1"))
            }
            9 => {
                let call = format!("call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 {wide}, i64 {wide2})");
                let both = self.hidden(&call);
                self.line(Ty::I1, &format!("extractvalue {{ i64, i1 }} {both}, 1"))
            }
            10 => {
                let value = self.value(Ty::F64);
                let positive = self.hidden(&format!("call double @llvm.fabs.f64(double {value})"));
                self.line(Ty::F64, &format!("call double @llvm.sqrt.f64(double {positive})"))
            }
            _ => {
                let value = self.value(Ty::V4I32);
                self.line(Ty::I32, &format!("call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> {value})"))
            }
        };
    }

    /// The address of an element of a place.
    fn address(&mut self, place: &Place) -> String {
        if place.len == 1 {
            return place.name.clone();
        }
        let index = if self.entropy.chance(1, 2) {
            self.entropy.below(place.len).to_string()
        } else {
            let value = self.value(Ty::I64);
            self.hidden(&format!("and i64 {value}, {}", place.len - 1))
        };
        match self.entropy.below(3) {
            0 => self.hidden(&format!("getelementptr {}, ptr {}, i64 {index}", place.element.text(), place.name)),
            1 => {
                let array = format!("[{} x {}]", place.len, place.element.text());
                self.hidden(&format!("getelementptr inbounds {array}, ptr {}, i64 0, i64 {index}", place.name))
            }
            _ => {
                let bytes = self.hidden(&format!("mul i64 {index}, {}", size(place.element)));
                self.hidden(&format!("getelementptr inbounds i8, ptr {}, i64 {bytes}", place.name))
            }
        }
    }

    fn load_or_store(&mut self) {
        let Some(place) = self.place() else { return };
        let address = self.address(&place);
        let (ty, align) = (place.element, align(place.element));
        let volatile = if self.entropy.chance(1, 8) { "volatile " } else { "" };
        if self.entropy.chance(1, 2) {
            let value = self.value(ty);
            self.code(&format!("store {volatile}{} {value}, ptr {address}, align {align}", ty.text()));
        } else {
            self.line(ty, &format!("load {volatile}{}, ptr {address}, align {align}", ty.text()));
        }
    }

    /// New memory on the stack, or one of two places that are alike.
    fn new_place(&mut self) {
        if self.entropy.chance(1, 3) {
            let Some(first) = self.place() else { return };
            let Some(second) = self.place() else { return };
            if first.element == second.element && first.len == second.len {
                let condition = self.value(Ty::I1);
                let name = self.hidden(&format!("select i1 {condition}, ptr {}, ptr {}", first.name, second.name));
                self.places.push(Place { name, ..first });
            }
            return;
        }
        if self.factor > 1 {
            return;
        }
        let (element, len) = (self.entropy.pick(Ty::ALL), self.entropy.pick(&[1, 1, 2, 4, 8]));
        let array = format!("[{len} x {}]", element.text());
        let name = self.hidden(&format!("alloca {array}, align 16"));
        let bytes = size(element) as usize * len;
        self.code(&format!("call void @llvm.memset.p0.i64(ptr {name}, i8 0, i64 {bytes}, i1 false)"));
        self.places.push(Place { name, element, len });
    }

    fn atomic(&mut self) {
        let Some(place) = self.place().filter(|place| matches!(place.element, Ty::I32 | Ty::I64)) else { return };
        let address = self.address(&place);
        let ty = place.element;
        let value = self.value(ty);
        let op = self.entropy.pick(&["add", "sub", "xchg", "and", "or", "xor", "max", "umin"]);
        let ordering = self.entropy.pick(&["monotonic", "acq_rel", "seq_cst"]);
        self.line(ty, &format!("atomicrmw {op} ptr {address}, {} {value} {ordering}", ty.text()));
    }

    /// Copies between places.
    fn bulk(&mut self) {
        let Some(to) = self.place() else { return };
        let Some(from) = self.place() else { return };
        if from.name == to.name || from.element != to.element || !from.name.starts_with('@') {
            return;
        }
        // Places that were chosen at run time may be the same.
        if !to.name.starts_with('@') && self.entropy.chance(1, 1) && self.options.defined {
            return;
        }
        let bytes = size(to.element) as usize * to.len.min(from.len);
        let (to, from) = (to.name, from.name);
        self.code(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {from}, i64 {bytes}, i1 false)"));
    }
}
