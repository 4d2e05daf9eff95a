//! Machine code from a module, by LLVM: object files, assembly, and functions that can be called at once.
//!
//! ```
//! use rvsdg_llvm::{CodeForm, CodegenOptions, Jit, LlvmModule, OptimizeOptions, optimize_module};
//! use rvsdg_passes::Pipeline;
//!
//! let source = b"define i64 @twice(i64 %x) {\n  %y = add i64 %x, %x\n  ret i64 %y\n}\n";
//! let optimized = || -> Result<LlvmModule, Box<dyn std::error::Error>> {
//!     let (llvm, _) = LlvmModule::parse(source, "twice.ll")?;
//!     Ok(optimize_module(llvm, &Pipeline::parse("default<O2>")?, &OptimizeOptions::default())?.write()?)
//! };
//! let assembly = optimized()?.generate(CodeForm::Assembly, &CodegenOptions::default())?;
//! assert!(String::from_utf8(assembly)?.contains("twice"));
//!
//! let jit = Jit::new(optimized()?, &CodegenOptions::default())?;
//! let twice = jit.address("twice").ok_or("no function of this name")?;
//! // SAFETY: it is the address of a function of this type, and `jit` lives on.
//! let twice: extern "C" fn(i64) -> i64 = unsafe { std::mem::transmute(twice.get()) };
//! assert_eq!(twice(21), 42);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::execution_engine::ExecutionEngine;
use inkwell::module::Module;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
use thiserror::Error;

use crate::ffi;
use crate::module_io::LlvmModule;

/// The forms of machine code.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CodeForm {
    /// An object file.
    Object,
    /// Assembly; PTX for NVPTX.
    Assembly,
    /// PTX, for NVPTX alone.
    Ptx,
}

/// How machine code is generated.
///
/// ```
/// use rvsdg_llvm::inkwell::OptimizationLevel;
/// use rvsdg_llvm::{CodeForm, CodegenOptions, LlvmModule};
///
/// let (llvm, _) = LlvmModule::parse(b"define i32 @f(i32 %x) {\n  ret i32 %x\n}\n", "f.ll")?;
/// let options = CodegenOptions { level: OptimizationLevel::Aggressive, ..CodegenOptions::default() };
/// let object = llvm.generate(CodeForm::Object, &options)?;
/// assert!(!object.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CodegenOptions {
    /// The processor, as for `-mcpu`; `None` for that of the first function that names one, or else the target's generic one.
    pub cpu: Option<String>,
    /// Features, as for `-mattr`; `None` for those of the first function that names some, or else the processor's.
    pub features: Option<String>,
    /// How much is done for speed, in instruction selection, scheduling and register allocation.
    pub level: OptimizationLevel,
    /// How addresses are found.
    pub relocation: RelocMode,
}

impl Default for CodegenOptions {
    /// As clang's `-O2` for a position-independent executable.
    fn default() -> CodegenOptions {
        CodegenOptions { cpu: None, features: None, level: OptimizationLevel::Default, relocation: RelocMode::PIC }
    }
}

/// Why there is no machine code.
#[derive(Debug, Error)]
pub enum CodegenError {
    /// This LLVM has no such target, or the target no code of this form.
    #[error("{name}: no machine code for target '{triple}': {message}")]
    Target {
        /// The input.
        name: String,
        /// The target triple.
        triple: String,
        /// LLVM's message.
        message: String,
    },
    /// The target cannot write this form.
    #[error("{name}: no machine code: {message}")]
    Emit {
        /// The input.
        name: String,
        /// LLVM's message.
        message: String,
    },
    /// The module is [borrowed](LlvmModule::borrow_raw), and only one that is owned can be executed.
    #[error("{name}: a borrowed module cannot be executed")]
    Borrowed {
        /// The input.
        name: String,
    },
}

impl LlvmModule {
    /// Machine code of the module, for its target triple, or for this machine where it has none. The module is used up, since code
    /// generation changes it.
    ///
    /// # Errors
    /// [`CodegenError`]
    pub fn generate(self, form: CodeForm, options: &CodegenOptions) -> Result<Vec<u8>, CodegenError> {
        let machine = self.machine(options)?;
        let triple = machine.get_triple().as_str().to_string_lossy().into_owned();
        if form == CodeForm::Ptx && !triple.starts_with("nvptx") {
            let message = "PTX is the code of NVPTX".to_owned();
            return Err(CodegenError::Target { name: self.name().to_owned(), triple, message });
        }
        let form = match form {
            CodeForm::Object => FileType::Object,
            CodeForm::Assembly | CodeForm::Ptx => FileType::Assembly,
        };
        let buffer = machine.write_to_memory_buffer(&self.borrowed(), form);
        let name = self.name().to_owned();
        let buffer = buffer.map_err(|message| CodegenError::Emit { name, message: message.to_string() })?;
        Ok(buffer.as_slice().to_vec())
    }

    /// The module for inkwell, which must not free it.
    fn borrowed(&self) -> ManuallyDrop<Module<'_>> {
        // SAFETY: the pointer is that of a live module, which outlives the borrow.
        ManuallyDrop::new(unsafe { Module::new(self.as_raw()) })
    }

    /// The machine that code is for; a module that does not say what it is for is for it from now on.
    fn machine(&self, options: &CodegenOptions) -> Result<TargetMachine, CodegenError> {
        initialize_targets();
        let module = self.borrowed();
        let given = module.get_triple();
        let has_none = given.as_str().to_bytes().is_empty();
        let triple = if has_none { TargetMachine::get_default_triple() } else { given };
        let refused = |message: String| CodegenError::Target {
            name: self.name().to_owned(),
            triple: triple.as_str().to_string_lossy().into_owned(),
            message,
        };
        let target = Target::from_triple(&triple).map_err(|message| refused(message.to_string()))?;
        let of_function = |key: &str| {
            let found = module.get_functions().find_map(|function| {
                let attribute = function.get_string_attribute(AttributeLoc::Function, key)?;
                Some(attribute.get_string_value().to_string_lossy().into_owned())
            });
            found.unwrap_or_default()
        };
        let cpu = options.cpu.clone().unwrap_or_else(|| of_function("target-cpu"));
        let features = options.features.clone().unwrap_or_else(|| of_function("target-features"));
        let (level, relocation) = (options.level, options.relocation);
        let machine = target.create_target_machine(&triple, &cpu, &features, level, relocation, CodeModel::Default);
        let machine = machine.ok_or_else(|| refused("it cannot generate code".to_owned()))?;
        if has_none {
            module.set_triple(&triple);
            module.set_data_layout(&machine.get_target_data().get_data_layout());
        }
        Ok(machine)
    }
}

fn initialize_targets() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| Target::initialize_all(&InitializationConfig::default()));
}

/// A module compiled to machine code of this machine, whose functions can be called. Imported symbols are those of this process. It can
/// be sent to another thread.
///
/// ```
/// use rvsdg_llvm::{CodegenOptions, Jit, LlvmModule};
///
/// let (llvm, _) = LlvmModule::parse(b"define i32 @f() {\n  ret i32 42\n}\n", "f.ll")?;
/// let jit = Jit::new(llvm, &CodegenOptions::default())?;
/// let f = jit.address("f").ok_or("no function of this name")?;
/// // SAFETY: it is the address of a function of this type, and `jit` lives on.
/// let f: extern "C" fn() -> i32 = unsafe { std::mem::transmute(f.get()) };
/// assert_eq!(f(), 42);
/// assert!(jit.address("g").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Jit {
    // The engine is freed, with the module that it owns, before the context.
    engine: ManuallyDrop<ExecutionEngine<'static>>,
    context: NonNull<ffi::Context>,
}

// SAFETY: engine, module and context refer to one another and to nothing else, the engine's counted reference is the only one, and
// LLVM has no state of theirs in threads.
unsafe impl Send for Jit {}

impl Jit {
    /// Takes ownership of a module. Processor and features are this machine's, regardless of the options.
    ///
    /// # Errors
    /// [`CodegenError`]
    pub fn new(llvm: LlvmModule, options: &CodegenOptions) -> Result<Jit, CodegenError> {
        initialize_targets();
        let name = llvm.name().to_owned();
        let Some((module, context)) = llvm.into_raw() else { return Err(CodegenError::Borrowed { name }) };
        // SAFETY: the module is live and now owned here; its context lives as long as the engine.
        let module: Module<'static> = unsafe { Module::new(module.as_ptr()) };
        match module.create_jit_execution_engine(options.level) {
            Ok(engine) => Ok(Jit { engine: ManuallyDrop::new(engine), context }),
            Err(message) => {
                let message = message.to_string();
                // LLVM frees the module where it cannot make an engine of it.
                let _ = ManuallyDrop::new(module);
                // SAFETY: nothing refers to the context any more.
                unsafe { ffi::rvsdg_context_free(context.as_ptr()) };
                Err(CodegenError::Emit { name, message })
            }
        }
    }

    /// The address of a function that the module defines, whose code is generated now at the latest; `None` if there is none of this name.
    /// It can be called as long as this value lives.
    pub fn address(&self, name: &str) -> Option<NonZeroUsize> {
        self.engine.get_function_address(name).ok().and_then(NonZeroUsize::new)
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: the engine is not used again, and nothing refers to the context when it is gone.
        unsafe {
            ManuallyDrop::drop(&mut self.engine);
            ffi::rvsdg_context_free(self.context.as_ptr());
        }
    }
}

/// The triple of this machine.
pub fn host_triple() -> String {
    let triple: TargetTriple = TargetMachine::get_default_triple();
    triple.as_str().to_string_lossy().into_owned()
}
