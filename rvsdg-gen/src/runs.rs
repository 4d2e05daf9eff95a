//! Whether a transformation keeps what programs do: runs of a module on the interpreter, before and after.
//!
//! Every function with a body that others may see is run on a few arguments. Calls of what is only declared, operations of
//! dialects and volatile accesses are recorded, and so are memory and what comes back; one run must refine the other, as
//! [`rvsdg_interp::check`] says.

use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Module, Pool, Type, TypeKind};
use rvsdg_interp::{Argument, Config, Observed, Outcome, Unknown, Value, Verdict, observe, refines};

use crate::rng::Rng;

/// How often each function is run.
const RUNS: u64 = 3;
/// Instructions of a run.
const FUEL: u64 = 20_000;
/// Bytes of the memory that an address leads to.
const BYTES: u64 = 64;
/// Elements of arguments in all; functions with larger ones are not run.
const ELEMENTS: u64 = 4_096;

/// What the functions of a module were seen to do.
#[derive(Clone, Debug)]
pub struct Runs {
    runs: Vec<(Box<str>, Observed)>,
}

/// How many runs ended in which way.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The transformed program did what the original does.
    pub same: u64,
    /// The original is undefined.
    pub vacuous: u64,
    /// One of both did not come to its end, or does what the interpreter does not know.
    pub unknown: u64,
}

impl Tally {
    /// Adds another's counts.
    pub fn add(&mut self, other: Tally) {
        self.same += other.same;
        self.vacuous += other.vacuous;
        self.unknown += other.unknown;
    }
}

/// Runs the functions of a valid module.
///
/// # Panics
/// When the module is not valid.
pub fn runs(module: &Module) -> Runs {
    let config = Config { fuel: FUEL, memory: 1 << 22, depth: 200, unknown: Unknown::Record, ..Config::default() };
    let verified = module.verify().unwrap_or_else(|violations| panic!("the module is not valid: {}", violations[0]));
    let mut runs = Vec::new();
    for lambda in module.lambdas() {
        let body = lambda.body();
        let symbol = module.bodies[body].symbol;
        let data = &module.symbols[symbol];
        if module.bodies[body].graph().is_none() || !module.is_exported(lambda.output(&module.omega)) {
            continue;
        }
        let SymbolKind::Function { .. } = data.kind else { continue };
        let TypeKind::Function { params, variadic: false, .. } = module.pool.type_kind(data.value_type) else {
            continue;
        };
        for run in 0..RUNS {
            let mut rng = Rng::new(run);
            let mut left = ELEMENTS;
            let arguments: Option<Vec<Argument>> =
                params.iter().map(|&ty| argument(&module.pool, ty, run, &mut rng, &mut left)).collect();
            let Some(arguments) = arguments else { break };
            runs.push((data.name.clone(), observe(verified, &data.name, &arguments, config.clone())));
        }
    }
    Runs { runs }
}

impl Runs {
    /// Compares with the runs of what a transformation made of the module. Functions may have gone.
    ///
    /// # Errors
    /// The function, the number of the run and what it does that it must not.
    pub fn keep(&self, after: &Runs) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for (index, (name, before)) in self.runs.iter().enumerate() {
            let number = self.runs[..index].iter().filter(|(other, _)| other == name).count();
            let Some((_, after)) = after.runs.iter().filter(|(other, _)| other == name).nth(number) else { continue };
            match refines(before, after) {
                Verdict::Refines => tally.same += 1,
                Verdict::Vacuous(_) => tally.vacuous += 1,
                Verdict::Unknown(_) => tally.unknown += 1,
                Verdict::Violated(why) => return Err(format!("function '{name}', run {number}: {why}")),
            }
        }
        Ok(tally)
    }

    /// The first run that is undefined: the function, and what it violates.
    pub fn undefined(&self) -> Option<(&str, String)> {
        let undefined = |run: &&(Box<str>, Observed)| matches!(run.1.outcome, Outcome::Undefined { .. });
        self.runs.iter().find(undefined).map(|(name, run)| (&**name, run.outcome.to_string()))
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether no function can be run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

/// An argument of a type for a run; `None` for types without values to pass.
fn argument(pool: &Pool, ty: Type, run: u64, rng: &mut Rng, left: &mut u64) -> Option<Argument> {
    if matches!(pool.type_kind(ty), TypeKind::Ptr(_)) {
        let bytes = (0..BYTES).map(|_| (rng.next_u64() >> 13) as u8 & 7).collect();
        return Some(Argument::Memory { bytes, align: 16 });
    }
    value(pool, ty, run, rng, left).map(Argument::Value)
}

/// A value of a type, built bottom-up.
fn value(pool: &Pool, ty: Type, run: u64, rng: &mut Rng, left: &mut u64) -> Option<Value> {
    enum Step {
        Make(Type),
        Join(usize),
    }
    let mut pending = vec![Step::Make(ty)];
    let mut done: Vec<Value> = Vec::new();
    while let Some(step) = pending.pop() {
        let ty = match step {
            Step::Join(count) => {
                let parts = done.split_off(done.len() - count);
                done.push(Value::seq(parts));
                continue;
            }
            Step::Make(ty) => ty,
        };
        *left = left.checked_sub(1)?;
        // The first run has small numbers, the second ones and minus ones, the others anything.
        let mut number = |width: u32| {
            let wide = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            let bits = match run {
                0 => wide >> 124 & 7,
                1 => [0, 1, u128::MAX, 1 << (width.min(128) - 1)][(wide >> 70) as usize % 4],
                _ => wide,
            };
            Value::from_bits(width, bits)
        };
        match pool.type_kind(ty) {
            TypeKind::Int(bits) if *bits <= 128 => done.push(number(*bits)),
            TypeKind::Half => done.push(Value::from_bits(16, [0x3c00, 0x4200, 0xbe00, 0][rng.below(4)])),
            TypeKind::BFloat => done.push(Value::from_bits(16, [0x3f80, 0x4040, 0xbfc0, 0][rng.below(4)])),
            TypeKind::Float => {
                let bits = [1.5f32, -0.0, 3.0, 1e20, f32::INFINITY, f32::NAN][rng.below(4 + run as usize)].to_bits();
                done.push(Value::from_bits(32, bits.into()));
            }
            TypeKind::Double => {
                let bits = [1.5f64, -0.0, 3.0, 1e200, f64::INFINITY, f64::NAN][rng.below(4 + run as usize)].to_bits();
                done.push(Value::from_bits(64, bits.into()));
            }
            TypeKind::Vector { element, len, scalable: false } => {
                pending.push(Step::Join(*len as usize));
                pending.extend((0..*len).map(|_| Step::Make(*element)));
            }
            TypeKind::Array { element, len } if *len <= ELEMENTS => {
                pending.push(Step::Join(*len as usize));
                pending.extend((0..*len).map(|_| Step::Make(*element)));
            }
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                pending.push(Step::Join(elements.len()));
                pending.extend(elements.iter().rev().map(|&element| Step::Make(element)));
            }
            TypeKind::Int(_)
            | TypeKind::X86Fp80
            | TypeKind::Fp128
            | TypeKind::PpcFp128
            | TypeKind::X86Amx
            | TypeKind::Ptr(_)
            | TypeKind::Vector { .. }
            | TypeKind::Array { .. }
            | TypeKind::Named { elements: None, .. }
            | TypeKind::Function { .. }
            | TypeKind::Void
            | TypeKind::Metadata
            | TypeKind::Token
            | TypeKind::Target { .. }
            | TypeKind::Mem
            | TypeKind::Io
            | TypeKind::Ctl(_) => return None,
        }
    }
    done.pop()
}
