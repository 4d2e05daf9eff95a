//! LLVM's own passes and options: the names in a pipeline that are not ours.
//!
//! ```
//! use rvsdg_llvm::{Format, LlvmModule, LlvmPasses};
//!
//! let source = b"define i32 @f(i32 %x) {\n  %p = alloca i32\n  store i32 %x, ptr %p\n  %y = load i32, ptr %p\n  ret i32 %y\n}\n";
//! let (mut llvm, _) = LlvmModule::parse(source, "f.ll")?;
//! llvm.run_passes(&LlvmPasses::new("function(mem2reg)"))?;
//! assert!(String::from_utf8(llvm.write(Format::Text))?.contains("ret i32 %x"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Duration;

use thiserror::Error;

use crate::ffi::{self, Text, collect};
use crate::module_io::LlvmModule;

/// Passes of LLVM's, and how they are run.
///
/// ```
/// use rvsdg_llvm::{LlvmModule, LlvmPasses};
///
/// let (mut llvm, _) = LlvmModule::parse(b"define void @f() {\n  ret void\n}\n", "f.ll")?;
/// assert!(llvm.run_passes(&LlvmPasses { verify_each: true, ..LlvmPasses::new("default<O1>") }).is_ok());
/// assert!(llvm.run_passes(&LlvmPasses::new("no-such-pass")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LlvmPasses {
    /// The pipeline, as `opt -passes=` takes it.
    pub pipeline: String,
    /// Pass plugins: shared libraries.
    pub plugins: Vec<String>,
    /// Whether to verify after every pass what it ran on.
    pub verify_each: bool,
    /// Whether to make up debug information before every pass and to check it afterwards.
    pub debugify_each: bool,
    /// Whether to print the passes on standard error as they run.
    pub debug: bool,
    /// How many executions of passes there were before, and how many are allowed in all; each is printed on standard error.
    pub bisect: Option<(u64, u64)>,
    /// A regular expression for the passes whose remarks are kept; an empty one is for all.
    pub remarks: Option<String>,
}

/// What came of LLVM's passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LlvmReport {
    /// Remarks as YAML, if requested.
    pub remarks: String,
    /// The number of the last execution, under [`LlvmPasses::bisect`].
    pub executions: u64,
}

/// What LLVM says against a pipeline, an option or what came of a pass.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct LlvmRefusal(pub String);

/// An option that LLVM's libraries know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LlvmOption {
    /// What it is for.
    pub help: String,
    /// Whether its value is the next argument where it has none of its own.
    pub takes_value: bool,
    /// Whether it describes targets, as `-mcpu` does.
    pub is_of_target: bool,
}

impl LlvmPasses {
    /// A pipeline that is run without anything special.
    pub fn new(pipeline: &str) -> LlvmPasses {
        LlvmPasses { pipeline: pipeline.to_owned(), ..LlvmPasses::default() }
    }

    /// The pipeline in LLVM's canonical form.
    ///
    /// # Errors
    /// When LLVM cannot read it.
    pub fn check(&self) -> Result<String, LlvmRefusal> {
        let mut is_right = false;
        // SAFETY: what the request points to is live during the call.
        let said = self
            .request(|request| collect(|sink, cx| is_right = unsafe { ffi::rvsdg_check_passes(request, sink, cx) }));
        if is_right { Ok(joined(said)) } else { Err(LlvmRefusal(joined(said))) }
    }

    /// The names of all passes, without those that plugins bring. Those that take parameters end with them in brackets.
    pub fn names() -> Vec<String> {
        // SAFETY: no precondition.
        let names = collect(|sink, cx| unsafe { ffi::rvsdg_pass_names(sink, cx) });
        names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    fn request<T>(&self, work: impl FnOnce(&ffi::Passes) -> T) -> T {
        let plugins: String = self.plugins.iter().flat_map(|plugin| [plugin, "\0"]).collect();
        let (before, limit) = self.bisect.unwrap_or_default();
        work(&ffi::Passes {
            pipeline: Text::of(&self.pipeline),
            plugins: Text::of(&plugins),
            remarks_filter: Text::of(self.remarks.as_deref().unwrap_or_default()),
            before,
            limit,
            bisect: self.bisect.is_some(),
            verify_each: self.verify_each,
            debugify_each: self.debugify_each,
            debug: self.debug,
            remarks: self.remarks.is_some(),
        })
    }
}

impl LlvmModule {
    /// Runs LLVM passes on the module. Their other messages are among the [diagnostics](LlvmModule::diagnostics).
    ///
    /// # Errors
    /// When LLVM cannot read the pipeline, and when a pass makes the module invalid under [`LlvmPasses::verify_each`].
    pub fn run_passes(&mut self, passes: &LlvmPasses) -> Result<LlvmReport, LlvmRefusal> {
        let (mut executions, mut is_done) = (0, false);
        let said = passes.request(|request| {
            collect(|sink, cx| {
                // SAFETY: the module is live and borrowed mutably; so is what the request points to.
                is_done = unsafe { ffi::rvsdg_run_passes(self.as_raw(), request, &mut executions, sink, cx) }
            })
        });
        if is_done { Ok(LlvmReport { remarks: joined(said), executions }) } else { Err(LlvmRefusal(joined(said))) }
    }

    /// Says on standard error what is left of debug information that the pass `debugify` made up before the passes of this name, and removes it.
    pub fn check_debugify(&mut self, passes: &str) {
        // SAFETY: the module is live and borrowed mutably; the name is read during the call only.
        unsafe { ffi::rvsdg_check_debugify(self.as_raw(), passes.as_ptr().cast(), passes.len()) }
    }

    /// Turns the expectations of functions (`llvm.expect`) into branch weights: to be done before all passes, because such a call hides
    /// from them what a value is. Calls in these functions that are made only after an unlikely branch are marked `cold`.
    pub fn lower_expectations(&mut self) {
        // SAFETY: the module is live and borrowed mutably.
        unsafe { ffi::rvsdg_lower_expectations(self.as_raw()) }
    }

    /// Writes the target that [options](set_llvm_options) name to all functions that have none.
    ///
    /// # Errors
    /// When LLVM does not know the target.
    pub fn apply_target_options(&mut self) -> Result<(), LlvmRefusal> {
        let mut is_done = false;
        // SAFETY: the module is live and borrowed mutably.
        let said = collect(|sink, cx| is_done = unsafe { ffi::rvsdg_apply_target_options(self.as_raw(), sink, cx) });
        if is_done { Ok(()) } else { Err(LlvmRefusal(joined(said))) }
    }
}

/// Starts LLVM's time trace on this thread, for events that take at least `granularity`.
pub fn begin_time_trace(granularity: Duration) {
    // SAFETY: no precondition.
    unsafe { ffi::rvsdg_time_trace_begin(granularity.as_micros().try_into().unwrap_or(u32::MAX)) }
}

/// Ends the time trace, and returns it as JSON in Chrome's format; empty if none was started on this thread.
pub fn end_time_trace() -> String {
    // SAFETY: no precondition.
    joined(collect(|sink, cx| unsafe { ffi::rvsdg_time_trace_end(sink, cx) }))
}

/// Makes options that describe targets (`-mcpu`, `-mattr`) known to LLVM's libraries. For programs; a library that is loaded into
/// one of LLVM's tools finds them there.
pub fn register_target_options() {
    // SAFETY: it may be called any number of times in a program that has no such options of its own.
    unsafe { ffi::rvsdg_register_target_options() }
}

/// The option of LLVM's libraries with this name, given without dashes.
pub fn llvm_option(name: &str) -> Option<LlvmOption> {
    let mut kind = 0;
    // SAFETY: the name is read during the call only.
    let help = collect(|sink, cx| kind = unsafe { ffi::rvsdg_llvm_option(name.as_ptr().cast(), name.len(), sink, cx) });
    (kind != 0).then(|| LlvmOption { help: joined(help), takes_value: kind & 2 != 0, is_of_target: kind & 4 != 0 })
}

/// The names of all options of LLVM's libraries, in their order.
pub fn llvm_option_names() -> Vec<String> {
    // SAFETY: no precondition.
    let names = collect(|sink, cx| unsafe { ffi::rvsdg_llvm_option_names(sink, cx) });
    names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Sets options of LLVM's libraries for the whole process, given with dashes.
///
/// # Errors
/// When one is unknown or its value is wrong.
pub fn set_llvm_options(options: &[String]) -> Result<(), LlvmRefusal> {
    let text: String = options.iter().flat_map(|option| [option, "\0"]).collect();
    let mut is_done = false;
    // SAFETY: the text is read during the call only.
    let said = collect(|sink, cx| {
        is_done = unsafe { ffi::rvsdg_set_llvm_options(text.as_ptr().cast(), text.len(), sink, cx) }
    });
    if is_done { Ok(()) } else { Err(LlvmRefusal(joined(said))) }
}

fn joined(pieces: Vec<Vec<u8>>) -> String {
    String::from_utf8_lossy(&pieces.concat()).trim_end().to_owned()
}
