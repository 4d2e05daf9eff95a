//! A kernel on a machine that executes threads in groups (SIMT: single instruction, multiple threads), as NVIDIA's do.
//!
//! [`launch`] executes blocks of threads one after the other, each in warps of 32 lanes. All lanes of a warp that are at the same place
//! execute an instruction together, as one instruction of the warp. Where they diverge, [`Model`] decides which lanes run first, and they
//! reconverge at the immediate postdominator of the branch (thesis C1.2). Lanes compute as the interpreter does elsewhere: a lane is a
//! thread of its [`Machine`], and all lanes share its memory.
//!
//! - `flow`: immediate postdominators of instructions;
//! - `warp`: lanes, groups of lanes that are together, and the joins at which they meet;
//! - `grid`: blocks, their warps and barriers;
//! - `step`: one instruction of a group;
//! - `exchange`: operations that the threads of a warp execute together: votes, shuffles; thread numbers;
//! - `races`: accesses of different threads to the same memory that nothing orders.
//!
//! A run is deterministic for a model. It reports what is wrong with the kernel ([`Fault`]) and counts what it costs ([`Counts`]).
//!
//! What it does not know: communication between blocks that are to run at the same time (a block that waits for a later one never
//! ends), barriers for a part of a block, and orders that atomics and fences make between other accesses, which are reported as
//! races.

mod exchange;
mod flow;
mod grid;
mod races;
mod step;
mod warp;

use std::fmt;

use rvsdg_cfg::destruct::Recovery;
use rvsdg_core::Origin;
use rvsdg_core::verify::Verified;

use crate::machine::{Config, Machine};
use crate::observe::{Argument, Contents};
use crate::outcome::{Outcome, Place};

pub(crate) use exchange::WarpOp;

/// Lanes of a warp.
pub const LANES: u32 = 32;

/// What of a function is executed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// The graph, whose γ are branches and whose θ are loops.
    Graph,
    /// The control flow graph that is recovered from it, as emission writes it.
    ControlFlow(Recovery),
}

/// Which threads run first where the threads of a warp have diverged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Model {
    /// One path after the other, each up to the join, as with the stack of masks of GPUs before Volta. Threads that wait in a loop for
    /// other threads of their warp wait forever.
    Stack,
    /// Threads run independently, as since Volta: any of the diverged groups may run next, and threads that happen to be at the same
    /// place run together. They still wait for each other at joins.
    Independent(Order),
}

/// Which threads of a warp run first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// Those at the first place of the code, callees before callers.
    LeastPlace,
    /// Any, by this seed.
    Any(u64),
}

/// Whether a value of a function is claimed to be uniform.
pub type Uniform<'a> = dyn Fn(&str, Origin) -> bool + 'a;

/// What is launched, and how.
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Blocks in each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 3],
    /// The arguments of each thread; memory is global.
    pub arguments: &'a [Argument],
    /// Bytes of each variable in shared memory whose size the launch says.
    pub shared: u64,
    /// What of functions is executed.
    pub form: Form,
    /// How.
    pub model: Model,
    /// Of [`Form::Graph`]: whether all lanes that compute a value of a function together must get the same.
    pub uniform: Option<&'a Uniform<'a>>,
}

/// What is wrong with a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Two threads access the same byte, nothing orders them, and one of them writes without being atomic.
    Race {
        /// Where the later of the two accesses is.
        place: Place,
        /// The memory.
        object: String,
        /// The byte in it.
        offset: u64,
    },
    /// A barrier for whole warps that not all threads of the warp came to together.
    DivergentBarrier {
        /// The barrier.
        place: Place,
    },
    /// Threads wait for others that do not come.
    Deadlock {
        /// Where one of them waits.
        place: Place,
    },
    /// Lanes that computed a value together that was to be uniform got different ones.
    NotUniform {
        /// The function.
        function: String,
        /// The value.
        origin: Origin,
        /// Two of the values.
        values: [String; 2],
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Race { place, object, offset } => write!(f, "data race on byte {offset} of {object} ({place})"),
            Fault::DivergentBarrier { place } => write!(f, "a barrier that only a part of a warp comes to ({place})"),
            Fault::Deadlock { place } => write!(f, "threads wait for others that do not come ({place})"),
            Fault::NotUniform { function, origin, values: [a, b] } => {
                write!(f, "{origin:?} of function '{function}' is not uniform: {a} and {b}")
            }
        }
    }
}

/// What an execution costs, summed over warps.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Instructions of warps: operations, branches and the jumps at the ends of blocks, each once for all lanes that execute it
    /// together.
    pub instructions: u64,
    /// Assignments to loop variables and what is joined, counted as instructions are but not among them.
    pub moves: u64,
    /// Instructions of lanes.
    pub lane_instructions: u64,
    /// Conditional branches among the instructions.
    pub branches: u64,
    /// Branches at which lanes part.
    pub divergent_branches: u64,
    /// Of control flow graphs: executions of blocks by warps beyond those of the lane that executes the block most often (thesis
    /// C1.2: with structured control flow there are none).
    pub redundant: u64,
    /// Transfers of 32 bytes from and to global memory.
    pub transactions: u64,
    /// Additional passes of accesses to shared memory in which several lanes want different words of one of 32 banks.
    pub bank_conflicts: u64,
    /// Barriers that blocks passed.
    pub barriers: u64,
}

/// How a launch ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// [`Outcome::Returned`] without a value when all threads came to their end.
    pub outcome: Outcome,
    /// Variables and the memory of arguments in the end.
    pub memory: Vec<Contents>,
    /// Whether a value was chosen where others would be right, too: of `freeze`, of a NaN's or a zero's sign, of a place.
    pub chose: bool,
    /// What it cost.
    pub counts: Counts,
    /// The faults found; at most a limited number of each kind.
    pub faults: Vec<Fault>,
}

/// What the machine knows of being in warps.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Warps {
    pub form: Form,
    /// Whether it is of interest where values are defined.
    pub watched: bool,
}

/// Executes a kernel on fresh memory.
///
/// ```
/// use rvsdg_core::text::parse_module;
/// use rvsdg_interp::simt::{Form, Launch, Model, launch};
/// use rvsdg_interp::{Argument, Buffer, Config, Outcome};
///
/// // Each thread writes its number.
/// let module = parse_module(
///     "module \"example\"
/// target triple \"nvptx64-nvidia-cuda\"
/// @llvm.nvvm.read.ptx.sreg.tid.x = function i32 ()
/// @numbers = function void (ptr addrspace(1)), cc 71
/// import @llvm.nvvm.read.ptx.sreg.tid.x
/// lambda @numbers [@llvm.nvvm.read.ptx.sreg.tid.x] (v0: ptr addrspace(1), mem0, io0) {
///   v1: i32 = call i32 () @llvm.nvvm.read.ptx.sreg.tid.x()
///   v2: ptr addrspace(1) = getelementptr i32, v0, v1
///   mem1 = store v1, v2, mem0, align 4
///   yield mem1, io0
/// }
/// export @numbers
/// ",
/// )?;
/// let report = launch(
///     module.verify()?,
///     &Launch {
///         kernel: "numbers",
///         blocks: [1; 3],
///         threads: [64, 1, 1],
///         arguments: &[Argument::Memory(Buffer::new(vec![0; 256], 32))],
///         shared: 0,
///         form: Form::Graph,
///         model: Model::Stack,
///         uniform: None,
///     },
///     Config::default(),
/// );
/// assert_eq!((report.outcome, report.faults), (Outcome::Returned(None), vec![]));
/// // Two warps of 32 neighbours, 4 bytes each.
/// assert_eq!(report.counts.transactions, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn launch(module: Verified<'_>, launch: &Launch<'_>, config: Config) -> Report {
    let mut report = Report {
        outcome: Outcome::Returned(None),
        memory: Vec::new(),
        chose: false,
        counts: Counts::default(),
        faults: Vec::new(),
    };
    match Machine::new(module, config, Box::new(std::io::sink()), Box::new(std::io::sink())) {
        Err(outcome) => report.outcome = outcome,
        Ok(mut machine) => {
            machine.warps = Some(Warps { form: launch.form, watched: launch.uniform.is_some() });
            grid::run(machine, launch, &mut report);
        }
    }
    report
}
