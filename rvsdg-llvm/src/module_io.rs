//! LLVM modules from bytes and back.
//!
//! Nothing here touches files, prints, or ends the process on bad input: every message of LLVM's becomes an [`enum@Error`] or a
//! [`Diagnostic`].

use std::ptr::NonNull;

use inkwell::llvm_sys::LLVMModule;
use thiserror::Error;

use crate::ffi::{self, collect};

/// Why a module was rejected.
#[derive(Debug, Error)]
pub enum Error {
    /// No bytes at all.
    #[error("{name}: the file is empty; expected LLVM IR, as text or bitcode")]
    Empty {
        /// The input.
        name: String,
    },
    /// Text with a syntax error.
    #[error("{name}:{line}:{column}: error: {message}{}", snippet(.text, *.column))]
    Syntax {
        /// The input.
        name: String,
        /// The line, from 1.
        line: u32,
        /// The column, from 1; 0 when unknown.
        column: u32,
        /// LLVM's message.
        message: String,
        /// The source line.
        text: String,
    },
    /// Bitcode that cannot be read, truncated for example.
    #[error("{name}: error: cannot read bitcode: {message}")]
    Bitcode {
        /// The input.
        name: String,
        /// LLVM's message.
        message: String,
    },
    /// A module that LLVM's verifier does not accept.
    #[error("{name}: error: not valid LLVM IR{}:\n{message}", in_function(.function))]
    Invalid {
        /// The input.
        name: String,
        /// The first function with an error; empty when the error is outside of functions.
        function: String,
        /// The verifier's findings.
        message: String,
    },
}

fn snippet(text: &str, column: u32) -> String {
    if text.is_empty() {
        return String::new();
    }
    let spaces: String =
        text.chars().take(column.saturating_sub(1) as usize).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("\n{text}\n{spaces}^")
}

fn in_function(function: &str) -> String {
    if function.is_empty() { String::new() } else { format!(" in function '{function}'") }
}

/// How serious a [`Diagnostic`] is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The module cannot be used.
    Error,
    /// Something was changed or ignored.
    Warning,
    /// Information.
    Remark,
    /// Belongs to the diagnostic before.
    Note,
}

/// A message of LLVM's that is not the reason of a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What it says.
    pub message: String,
}

/// How a module is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParseOptions {
    /// Replaces the module's target triple.
    pub triple: Option<String>,
    /// Replaces the module's data layout.
    pub data_layout: Option<String>,
    /// Whether the module is known to be valid and need not be verified.
    pub trust_input: bool,
}

/// The forms of LLVM IR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// `.ll`
    Text,
    /// `.bc`
    Bitcode,
}

/// What is written besides the module.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// Into bitcode, a summary for link-time optimization.
    pub summary: bool,
    /// Into bitcode, a hash of it.
    pub hash: bool,
    /// Bitcode as ThinLTO takes it, with a summary.
    pub thin_lto: bool,
    /// The order of the lists of users.
    pub use_list_order: bool,
}

/// A module with a context of its own, or one that is borrowed.
///
/// ```
/// use rvsdg_llvm::{Format, LlvmModule};
///
/// let source = b"define i32 @f(i32 %x) {\n  ret i32 %x\n}\n";
/// let (mut llvm, warnings) = LlvmModule::parse(source, "f.ll")?;
/// assert!(warnings.is_empty() && !llvm.has_debug_info());
/// let bitcode = llvm.write(Format::Bitcode);
/// let (mut again, _) = LlvmModule::parse(&bitcode, "f.bc")?;
/// again.verify()?;
/// assert!(String::from_utf8(again.write(Format::Text))?.contains("ret i32 %x"));
/// let error = LlvmModule::parse(b"define i32", "wrong.ll").err().ok_or("it is not complete")?;
/// assert!(error.to_string().contains("wrong.ll:1:11"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LlvmModule {
    // The module is freed before its context.
    module: NonNull<LLVMModule>,
    /// `None` for a module that is borrowed.
    context: Option<NonNull<ffi::Context>>,
    name: String,
}

/// Makes the process print a message and exit with status 1 instead of dumping a trace when LLVM meets a condition that it
/// cannot report otherwise. For programs; a library leaves this to its user.
pub fn exit_on_fatal_error() {
    // SAFETY: installs a handler once; the shim guards against repetition.
    unsafe { ffi::rvsdg_exit_on_fatal_error() }
}

/// Returns freed memory that the allocator keeps for reuse to the system. Memory freed in one thread is of little use to another, so
/// after work on many threads that is a considerable part of all memory.
pub fn release_memory() {
    // SAFETY: no precondition.
    unsafe { ffi::rvsdg_release_memory() }
}

/// Makes the allocator give large blocks back to the system as soon as they are freed: much less memory for a little more time.
/// For programs; a library leaves this to its user.
pub fn return_large_blocks() {
    // SAFETY: no precondition.
    unsafe { ffi::rvsdg_return_large_blocks() }
}

/// The version of LLVM that this program runs with, such as `22.1.0`.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

impl LlvmModule {
    /// Reads text or bitcode, distinguished by the first bytes, and verifies it. `name` is the name of the input in messages.
    ///
    /// As LLVM's `opt` does, a missing data layout becomes the default of the target triple, debug info types are
    /// uniqued by their ODR names, and debug info that is malformed or outdated is dropped with a warning.
    ///
    /// # Errors
    /// [`enum@Error`], with line and column for text.
    pub fn parse(bytes: &[u8], name: &str) -> Result<(LlvmModule, Vec<Diagnostic>), Error> {
        Self::parse_with(bytes, name, &ParseOptions::default())
    }

    /// Reads text or bitcode, as [`LlvmModule::parse`] does, with options.
    ///
    /// # Errors
    /// [`enum@Error`], with line and column for text.
    pub fn parse_with(
        bytes: &[u8],
        name: &str,
        options: &ParseOptions,
    ) -> Result<(LlvmModule, Vec<Diagnostic>), Error> {
        let mut module = Self::parse_unverified(bytes, name, options)?;
        if !options.trust_input {
            module.check(true)?;
        }
        let diagnostics = module.diagnostics();
        Ok((module, diagnostics))
    }

    /// A module that somebody else owns, to be optimized in place. Dropping the result does not affect it, and messages of its context go
    /// where its owner wants them. `None` for a null pointer. `name` is its name in messages.
    ///
    /// # Safety
    /// The pointer is null, or the module is valid, lives at least as long as the result, and is not used by others as long
    /// as the result is.
    pub unsafe fn borrow_raw(module: *mut LLVMModule, name: &str) -> Option<LlvmModule> {
        Some(LlvmModule { module: NonNull::new(module)?, context: None, name: name.to_owned() })
    }

    fn parse_unverified(bytes: &[u8], name: &str, options: &ParseOptions) -> Result<LlvmModule, Error> {
        // LLVM skips white space and zero bytes, and would see an empty module.
        if bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(Error::Empty { name: name.to_owned() });
        }
        // SAFETY: no precondition.
        let context = NonNull::new(unsafe { ffi::rvsdg_context_new() }).expect("a context is never null");
        let [triple, layout] = [&options.triple, &options.data_layout].map(|text| text.as_deref().unwrap_or_default());
        let (mut line, mut column, mut parsed) = (0, 0, std::ptr::null_mut());
        let pieces = collect(|sink, cx| {
            // SAFETY: the context is live, the slices describe their memory, and line and column are writable.
            parsed = unsafe {
                ffi::rvsdg_parse(
                    context.as_ptr(),
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    name.as_ptr().cast(),
                    name.len(),
                    triple.as_ptr().cast(),
                    triple.len(),
                    layout.as_ptr().cast(),
                    layout.len(),
                    &mut line,
                    &mut column,
                    sink,
                    cx,
                )
            }
        });
        match NonNull::new(parsed) {
            Some(module) => Ok(LlvmModule { module, context: Some(context), name: name.to_owned() }),
            None => {
                // SAFETY: nothing refers to the context any more.
                unsafe { ffi::rvsdg_context_free(context.as_ptr()) };
                let mut pieces = pieces.into_iter().map(|piece| String::from_utf8_lossy(&piece).into_owned());
                let message = pieces.next().unwrap_or_default();
                let text = pieces.next().unwrap_or_default();
                let name = name.to_owned();
                Err(if line == 0 {
                    Error::Bitcode { name, message }
                } else {
                    Error::Syntax { name, line, column, message, text }
                })
            }
        }
    }

    /// Runs LLVM's verifier.
    ///
    /// # Errors
    /// [`Error::Invalid`]
    pub fn verify(&mut self) -> Result<(), Error> {
        self.check(false)
    }

    fn check(&mut self, strip: bool) -> Result<(), Error> {
        let mut valid = false;
        let pieces = collect(|sink, cx| {
            // SAFETY: the module is live and borrowed mutably.
            valid = unsafe { ffi::rvsdg_verify(self.module.as_ptr(), strip, sink, cx) }
        });
        if valid {
            return Ok(());
        }
        let mut pieces = pieces.into_iter().map(|piece| String::from_utf8_lossy(&piece).trim_end().to_owned());
        let message = pieces.next().unwrap_or_default();
        let function = pieces.next().unwrap_or_default();
        Err(Error::Invalid { name: self.name.clone(), function, message })
    }

    /// What LLVM had to say since the last call; nothing for a module that is borrowed.
    pub fn diagnostics(&mut self) -> Vec<Diagnostic> {
        let Some(context) = self.context else { return Vec::new() };
        // SAFETY: the context is live.
        let pieces = collect(|sink, cx| unsafe { ffi::rvsdg_take_diagnostics(context.as_ptr(), sink, cx) });
        pieces
            .iter()
            .filter_map(|piece| {
                let (letter, message) = piece.split_first()?;
                let severity = match letter {
                    b'E' => Severity::Error,
                    b'W' => Severity::Warning,
                    b'R' => Severity::Remark,
                    _ => Severity::Note,
                };
                Some(Diagnostic { severity, message: String::from_utf8_lossy(message).into_owned() })
            })
            .collect()
    }

    /// The module as text or bitcode.
    pub fn write(&mut self, format: Format) -> Vec<u8> {
        self.write_with(format, WriteOptions::default())
    }

    /// The module as text or bitcode, with the requested options. ThinLTO may require names for internal symbols, which the module then
    /// gets.
    pub fn write_with(&mut self, format: Format, options: WriteOptions) -> Vec<u8> {
        let WriteOptions { summary, hash, thin_lto, use_list_order } = options;
        let flags = [format == Format::Bitcode, summary, hash, thin_lto, use_list_order];
        let flags = flags.iter().enumerate().map(|(position, &set)| u32::from(set) << position).sum();
        // SAFETY: the module is live; printing numbers its values, hence the mutable borrow.
        let pieces = collect(|sink, cx| unsafe { ffi::rvsdg_write(self.module.as_ptr(), flags, sink, cx) });
        pieces.into_iter().next().unwrap_or_default()
    }

    /// Drops the names of values in functions.
    pub fn discard_value_names(&mut self) {
        // SAFETY: the module is live and borrowed mutably.
        unsafe { ffi::rvsdg_discard_names(self.module.as_ptr()) }
    }

    /// Removes all debug info; returns whether there was any.
    pub fn strip_debug_info(&mut self) -> bool {
        // SAFETY: the module is live and borrowed mutably.
        unsafe { ffi::rvsdg_strip_debug(self.module.as_ptr()) }
    }

    /// Whether there is debug info.
    pub fn has_debug_info(&self) -> bool {
        // SAFETY: the module is live.
        unsafe { ffi::rvsdg_has_debug_info(self.module.as_ptr()) }
    }

    /// What the module is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module, able to go to another thread with its context; `None` for one that is [borrowed](Self::borrow_raw).
    ///
    /// ```
    /// use rvsdg_llvm::{Format, LlvmModule};
    ///
    /// let (llvm, _) = LlvmModule::parse(b"declare void @f()", "f.ll")?;
    /// let llvm = llvm.into_send().ok_or("borrowed")?;
    /// let bytes = std::thread::spawn(|| llvm.into_module().write(Format::Bitcode)).join().expect("no panic");
    /// assert!(bytes.starts_with(b"BC"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_send(self) -> Option<SendModule> {
        self.context.is_some().then_some(SendModule(self))
    }

    /// Whether it has a context of its own.
    pub(crate) fn is_owned(&self) -> bool {
        self.context.is_some()
    }

    /// The module and its context, which the caller frees; `None` for one that is borrowed.
    pub(crate) fn into_raw(self) -> Option<(NonNull<LLVMModule>, NonNull<ffi::Context>)> {
        let context = self.context?;
        Some((std::mem::ManuallyDrop::new(self).module, context))
    }

    /// The module for LLVM's C API, for uses this crate does not cover. It stays owned by `self`.
    pub fn as_raw(&self) -> *mut LLVMModule {
        self.module.as_ptr()
    }
}

/// An [`LlvmModule`] with a context of its own, between threads.
pub struct SendModule(LlvmModule);

// SAFETY: the module is the only one of its context, both are owned, and LLVM has no state of a context in threads.
unsafe impl Send for SendModule {}

impl SendModule {
    /// The module, in the thread where it is used.
    pub fn into_module(self) -> LlvmModule {
        self.0
    }
}

impl Drop for LlvmModule {
    fn drop(&mut self) {
        let Some(context) = self.context else { return };
        // SAFETY: both are owned, and the module goes first because it refers to the context.
        unsafe {
            ffi::rvsdg_module_free(self.module.as_ptr());
            ffi::rvsdg_context_free(context.as_ptr());
        }
    }
}
