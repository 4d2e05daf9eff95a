//! Operations that the threads of a warp execute together, and the numbers that identify threads: NVPTX's intrinsics.

use crate::value::{Value, mask};

use super::LANES;
use super::warp::each;

/// An operation of a warp.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum WarpOp {
    Register(Register),
    /// Lanes that are here together.
    ActiveMask,
    /// A fence, which orders what one thread does.
    Fence,
    /// All threads of a block; with what the threads passed, the sum or a truth.
    BlockBarrier {
        aligned: bool,
        given: Option<Vote>,
    },
    /// Lanes of a mask, the first argument, exchange the rest.
    Exchange(Exchange),
}

/// A number that a thread can read about itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    Warp,
    Warps,
    WarpSize,
    /// Lanes by comparison with the thread's own.
    Lanes(Relation),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What becomes of truths.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    /// The mask of those that are true.
    Ballot,
    Count,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    /// They wait for each other.
    Barrier,
    Vote(Vote),
    Shuffle {
        mode: Shuffle,
        /// Whether the result says as well if the lane was in range.
        tells: bool,
    },
    /// The lanes that pass the same.
    Match,
    Reduce(Reduce),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shuffle {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reduce {
    Add,
    UMin,
    UMax,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl WarpOp {
    /// The operation that an intrinsic is.
    pub fn find(name: &str) -> Option<WarpOp> {
        let name = name.strip_prefix("llvm.nvvm.")?;
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            return self::register(register).map(WarpOp::Register);
        }
        let vote = |vote| WarpOp::Exchange(Exchange::Vote(vote));
        let reduce = |reduce| WarpOp::Exchange(Exchange::Reduce(reduce));
        let block = |given| WarpOp::BlockBarrier { aligned: true, given };
        Some(match name {
            "activemask" => WarpOp::ActiveMask,
            "membar.cta" | "membar.gl" | "membar.sys" => WarpOp::Fence,
            "barrier0" | "barrier.n" | "bar.sync" | "barrier.cta.sync.aligned.all" => block(None),
            "barrier0.popc" | "barrier.cta.red.popc.aligned.all" => block(Some(Vote::Count)),
            "barrier0.and" | "barrier.cta.red.and.aligned.all" => block(Some(Vote::All)),
            "barrier0.or" | "barrier.cta.red.or.aligned.all" => block(Some(Vote::Any)),
            "barrier.sync" | "barrier.cta.sync.all" => WarpOp::BlockBarrier { aligned: false, given: None },
            "bar.warp.sync" => WarpOp::Exchange(Exchange::Barrier),
            "vote.all.sync" => vote(Vote::All),
            "vote.any.sync" => vote(Vote::Any),
            "vote.uni.sync" => vote(Vote::Uniform),
            "vote.ballot.sync" => vote(Vote::Ballot),
            "match.any.sync.i32" | "match.any.sync.i64" => WarpOp::Exchange(Exchange::Match),
            "redux.sync.add" => reduce(Reduce::Add),
            "redux.sync.umin" => reduce(Reduce::UMin),
            "redux.sync.umax" => reduce(Reduce::UMax),
            "redux.sync.min" => reduce(Reduce::Min),
            "redux.sync.max" => reduce(Reduce::Max),
            "redux.sync.and" => reduce(Reduce::And),
            "redux.sync.or" => reduce(Reduce::Or),
            "redux.sync.xor" => reduce(Reduce::Xor),
            _ => {
                let (mode, ty) = name.strip_prefix("shfl.sync.")?.split_once('.')?;
                let mode = match mode {
                    "idx" => Shuffle::Index,
                    "up" => Shuffle::Up,
                    "down" => Shuffle::Down,
                    "bfly" => Shuffle::Butterfly,
                    _ => return None,
                };
                let tells = match ty {
                    "i32" | "f32" => false,
                    "i32p" | "f32p" => true,
                    _ => return None,
                };
                WarpOp::Exchange(Exchange::Shuffle { mode, tells })
            }
        })
    }
}

fn register(name: &str) -> Option<Register> {
    let axis = |axis: &str| ["x", "y", "z"].iter().position(|&known| known == axis);
    Some(match name.split_once('.') {
        Some(("tid", name)) => Register::Thread(axis(name)?),
        Some(("ntid", name)) => Register::Threads(axis(name)?),
        Some(("ctaid", name)) => Register::Block(axis(name)?),
        Some(("nctaid", name)) => Register::Blocks(axis(name)?),
        Some(("lanemask", name)) => Register::Lanes(match name {
            "eq" => Relation::Equal,
            "lt" => Relation::Less,
            "le" => Relation::LessOrEqual,
            "gt" => Relation::Greater,
            "ge" => Relation::GreaterOrEqual,
            _ => return None,
        }),
        Some(_) => return None,
        None => match name {
            "laneid" => Register::Lane,
            "warpid" => Register::Warp,
            "nwarpid" => Register::Warps,
            "warpsize" => Register::WarpSize,
            _ => return None,
        },
    })
}

impl Relation {
    /// The lanes that stand so to one.
    pub fn lanes(self, lane: u32) -> u32 {
        let below = (1u32 << lane) - 1;
        match self {
            Relation::Equal => 1 << lane,
            Relation::Less => below,
            Relation::LessOrEqual => below | 1 << lane,
            Relation::Greater => !(below | 1 << lane),
            Relation::GreaterOrEqual => !below,
        }
    }
}

impl Vote {
    /// The result where `passed` lanes took part and `truths` of them passed true.
    pub fn of(self, passed: usize, truths: usize, ballot: u32) -> u64 {
        match self {
            Vote::All => u64::from(truths == passed),
            Vote::Any => u64::from(truths > 0),
            Vote::Uniform => u64::from(truths == 0 || truths == passed),
            Vote::Ballot => ballot.into(),
            Vote::Count => truths as u64,
        }
    }
}

impl Exchange {
    /// What the lanes of a mask get; `arguments` are those of each of the 32 lanes after the mask.
    pub fn results(self, lanes: u32, arguments: &[Vec<Value>]) -> Vec<Value> {
        let first = |lane: usize| arguments[lane].first().unwrap_or(&Value::Poison);
        match self {
            Exchange::Barrier => vec![Value::Undef; LANES as usize],
            Exchange::Vote(vote) => {
                let truths = each(lanes).filter(|&lane| *first(lane) == Value::Int(1));
                let ballot = truths.fold(0u32, |mask, lane| mask | 1 << lane);
                let result = if each(lanes).all(|lane| first(lane).is_defined()) {
                    Value::Int(vote.of(lanes.count_ones() as usize, ballot.count_ones() as usize, ballot))
                } else {
                    Value::Poison
                };
                vec![result; LANES as usize]
            }
            Exchange::Match => (0..LANES as usize)
                .map(|lane| {
                    let same = each(lanes).filter(|&other| first(other) == first(lane));
                    Value::Int(same.fold(0u64, |mask, lane| mask | 1 << lane))
                })
                .collect(),
            Exchange::Reduce(reduce) => {
                let numbers: Option<Vec<u32>> = each(lanes)
                    .map(|lane| match first(lane) {
                        Value::Int(number) => Some(*number as u32),
                        _ => None,
                    })
                    .collect();
                let result = numbers.and_then(|numbers| numbers.into_iter().reduce(|a, b| reduce.of(a, b)));
                vec![result.map_or(Value::Poison, |number| Value::Int(number.into())); LANES as usize]
            }
            Exchange::Shuffle { mode, tells } => (0..LANES)
                .map(|lane| {
                    let of = &arguments[lane as usize];
                    let (Some(Value::Int(by)), Some(Value::Int(limits))) = (of.get(1), of.get(2)) else {
                        return Value::Poison;
                    };
                    let (from, is_in_range) = mode.source(lane, *by as u32, *limits as u32);
                    // What a lane gives that is not here is not defined.
                    let value = if lanes & 1 << from != 0 { first(from as usize).clone() } else { Value::Undef };
                    if tells { Value::seq(vec![value, Value::bool(is_in_range)]) } else { value }
                })
                .collect(),
        }
    }
}

impl Shuffle {
    /// The lane that one reads, and whether that is the one it asked for (PTX ISA, `shfl.sync`).
    fn source(self, lane: u32, by: u32, limits: u32) -> (u32, bool) {
        let (by, clamp, segment) = (by & 31, limits & 31, limits >> 8 & 31);
        let (last, first) = (lane & segment | clamp & !segment, lane & segment);
        let (from, is_in_range) = match self {
            Shuffle::Up => (lane.wrapping_sub(by), i64::from(lane) - i64::from(by) >= i64::from(last)),
            Shuffle::Down => (lane + by, lane + by <= last),
            Shuffle::Butterfly => (lane ^ by, lane ^ by <= last),
            Shuffle::Index => (first | by & !segment, first | by & !segment <= last),
        };
        if is_in_range { (from, true) } else { (lane, false) }
    }
}

impl Reduce {
    fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Reduce::Add => a.wrapping_add(b),
            Reduce::UMin => a.min(b),
            Reduce::UMax => a.max(b),
            Reduce::Min => (a as i32).min(b as i32) as u32,
            Reduce::Max => (a as i32).max(b as i32) as u32,
            Reduce::And => a & b,
            Reduce::Or => a | b,
            Reduce::Xor => a ^ b,
        }
    }
}

/// The value of a 32-bit register.
pub(super) fn number(value: u32) -> Value {
    Value::Int(u64::from(value) & mask(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_read_the_lanes_that_ptx_says() {
        // Within warps, as __shfl_*_sync does without a width.
        assert_eq!(Shuffle::Down.source(3, 4, 31), (7, true));
        assert_eq!(Shuffle::Down.source(30, 4, 31), (30, false));
        assert_eq!(Shuffle::Up.source(3, 4, 0), (3, false));
        assert_eq!(Shuffle::Up.source(5, 4, 0), (1, true));
        assert_eq!(Shuffle::Butterfly.source(5, 1, 31), (4, true));
        assert_eq!(Shuffle::Index.source(5, 9, 31), (9, true));
        // Within segments of eight lanes.
        let segments = (32 - 8) << 8 | 31;
        assert_eq!(Shuffle::Down.source(7, 1, segments), (7, false));
        assert_eq!(Shuffle::Down.source(6, 1, segments), (7, true));
        assert_eq!(Shuffle::Index.source(13, 2, segments), (10, true));
    }

    #[test]
    fn lanes_by_comparison() {
        let of = |relation: Relation| relation.lanes(2);
        assert_eq!(of(Relation::Equal), 0b100);
        assert_eq!(of(Relation::Less), 0b11);
        assert_eq!(of(Relation::LessOrEqual), 0b111);
        assert_eq!(of(Relation::Greater), !0b111);
        assert_eq!(of(Relation::GreaterOrEqual), !0b11);
    }

    #[test]
    fn votes_of_some_lanes() {
        let arguments: Vec<Vec<Value>> = (0..32).map(|lane| vec![Value::Int(u64::from(lane % 2 == 0))]).collect();
        let of = |vote| Exchange::Vote(vote).results(0b1111, &arguments)[0].clone();
        assert_eq!(of(Vote::All), Value::Int(0));
        assert_eq!(of(Vote::Any), Value::Int(1));
        assert_eq!(of(Vote::Uniform), Value::Int(0));
        assert_eq!(of(Vote::Ballot), Value::Int(0b0101));
        assert_eq!(of(Vote::Count), Value::Int(2));
    }

    #[test]
    fn names_of_intrinsics() {
        let of = |name: &str| WarpOp::find(&format!("llvm.nvvm.{name}"));
        assert_eq!(of("read.ptx.sreg.ctaid.y"), Some(WarpOp::Register(Register::Block(1))));
        assert_eq!(of("shfl.sync.bfly.f32"), {
            Some(WarpOp::Exchange(Exchange::Shuffle { mode: Shuffle::Butterfly, tells: false }))
        });
        assert_eq!(of("shfl.sync.bfly.f64"), None);
        assert_eq!(of("read.ptx.sreg.clock"), None);
    }
}
