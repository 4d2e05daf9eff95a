//! The optimizer as an LLVM 22 pass plugin, `librvsdg.so`:
//!
//! ```sh
//! clang-22 -O2 -fpass-plugin=librvsdg.so program.c
//! opt-22 -load-pass-plugin=librvsdg.so -passes='rvsdg<O2>' program.bc
//! ld.lld-22 --load-pass-plugin=librvsdg.so program.o
//! ```
//!
//! `shim/plugin.cpp` has the options and determines where in LLVM's pipelines the optimizer runs; it works on the module in place. If the
//! optimizer fails, the module is left unchanged, with a remark.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rvsdg_cfg::destruct::Recovery;
use rvsdg_llvm::{LlvmModule, OptimizeOptions, optimize_module};
use rvsdg_passes::Pipeline;

/// The environment variable with which a driver names a file for the record of a failure that it can handle.
const FAILURE_FILE: &str = "RVSDG_FAILURE_FILE";

/// LLVM's `PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    pre_codegen: Option<unsafe extern "C" fn()>,
}

/// LLVM's `LLVM_PLUGIN_API_VERSION`.
const API_VERSION: u32 = 2;

unsafe extern "C" {
    fn rvsdg_plugin_register(pass_builder: *mut c_void);
}

/// A message about a function, or about the module if the name is empty.
type Message = unsafe extern "C" fn(cx: *mut c_void, function: *const c_char, usize, text: *const c_char, usize);

#[repr(C)]
struct Request {
    module: *mut c_void,
    pipeline: *const c_char,
    pipeline_len: usize,
    threads: u32,
    structured: bool,
}

#[repr(u32)]
enum Outcome {
    Done = 0,
    /// The module is unchanged.
    Declined = 1,
    /// The module is half-written.
    Lost = 2,
}

/// The entry point that LLVM calls first.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"rvsdg".as_ptr(),
        version: VERSION.as_ptr().cast(),
        register: rvsdg_plugin_register,
        pre_codegen: None,
    }
}

/// The text of `len` bytes.
///
/// # Safety
/// The bytes are readable.
unsafe fn text(bytes: *const c_char, len: usize) -> String {
    // SAFETY: by this function's contract.
    let bytes: &[u8] = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(bytes.cast(), len) } };
    String::from_utf8_lossy(bytes).into_owned()
}

fn send(message: Message, cx: *mut c_void, function: &str, text: &str) {
    // SAFETY: the shim's functions take any bytes, and `cx` is what came with `message`.
    unsafe { message(cx, function.as_ptr().cast(), function.len(), text.as_ptr().cast(), text.len()) }
}

/// The error in a pipeline, if there is one, is passed to `message`.
///
/// # Safety
/// The text is readable.
#[unsafe(no_mangle)]
unsafe extern "C" fn rvsdg_plugin_check(pipeline: *const c_char, len: usize, message: Message, cx: *mut c_void) {
    // SAFETY: by this function's contract.
    if let Err(error) = Pipeline::parse(&unsafe { text(pipeline, len) }) {
        send(message, cx, "", &error.to_string());
    }
}

/// Optimizes a module in place.
///
/// # Safety
/// The request's text is readable, and its module is live and not used by other code during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn rvsdg_plugin_run(request: &Request, message: Message, cx: *mut c_void) -> Outcome {
    // A panic is reported in the remark, not on the user's terminal.
    std::panic::set_hook(Box::new(|_| {}));
    // SAFETY: by this function's contract.
    let pipeline = unsafe { text(request.pipeline, request.pipeline_len) };
    let recovery = if request.structured { Recovery::Structured } else { Recovery::Predicative };
    let options = OptimizeOptions { threads: request.threads as usize, recovery, ..OptimizeOptions::default() };
    // SAFETY: by this function's contract, for the time of this call, in which the result is dropped.
    let Some(mut llvm) = (unsafe { LlvmModule::borrow_raw(request.module.cast(), "module") }) else {
        return Outcome::Declined;
    };
    let optimized = catch_unwind(AssertUnwindSafe(|| {
        let pipeline = Pipeline::parse(&pipeline).map_err(|error| error.to_string())?;
        if !pipeline.passes().is_empty() {
            llvm.lower_expectations();
        }
        optimize_module(llvm, &pipeline, &options).map_err(|error| error.to_string())
    }));
    let optimized = match optimized {
        Ok(Ok(optimized)) => optimized,
        Ok(Err(error)) => {
            send(message, cx, "", &error);
            return Outcome::Declined;
        }
        Err(panic) => {
            send(message, cx, "", &reason(&*panic));
            return Outcome::Declined;
        }
    };
    for (function, construct) in optimized.untouched() {
        send(message, cx, function, construct);
    }
    match catch_unwind(AssertUnwindSafe(|| optimized.write().map(drop))) {
        Ok(Ok(())) => Outcome::Done,
        Ok(Err(error)) => {
            send(message, cx, "", &error.to_string());
            Outcome::Lost
        }
        Err(panic) => {
            send(message, cx, "", &reason(&*panic));
            Outcome::Lost
        }
    }
}

/// Leaves a note about a failure where the driver that started this process looks for one; whether there is one.
///
/// # Safety
/// The text is readable.
#[unsafe(no_mangle)]
unsafe extern "C" fn rvsdg_plugin_failed(bytes: *const c_char, len: usize) -> bool {
    let Some(path) = std::env::var_os(FAILURE_FILE) else { return false };
    // SAFETY: by this function's contract.
    let note = unsafe { text(bytes, len) };
    std::fs::write(Path::new(&path), note).is_ok()
}

/// The message of a panic.
fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("a defect of the optimizer: {}", said.unwrap_or("it gives no reason"))
}
