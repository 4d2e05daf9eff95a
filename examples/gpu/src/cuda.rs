//! Kernels on a GPU, through CUDA's driver, which is looked for when the program runs.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use libloading::Library;

use crate::cases::{Case, Passed};

/// Names that the driver's library has.
const LIBRARIES: [&str; 3] = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];

/// A call of the driver that failed, and its status.
pub type Failed = (&'static str, c_int);

/// Why there is no GPU.
pub enum Absent {
    /// The driver, or a GPU that it knows, is not here.
    Driver,
    /// A call failed.
    Failed(&'static str, c_int),
}

/// The first GPU, with a module of kernels.
pub struct Gpu {
    driver: Library,
    module: *mut c_void,
}

/// An address in the memory of a GPU.
type Device = u64;

/// Calls a function of the driver by its name, with the types of its parameters.
macro_rules! call {
    ($driver:expr, $name:literal ($($ty:ty = $argument:expr),*)) => {{
        // SAFETY: the function has that name and these parameters in every version of the driver's interface, and what is passed lives
        // as long as the call.
        unsafe {
            match $driver.get::<unsafe extern "system" fn($($ty),*) -> c_int>($name.as_bytes()) {
                Ok(function) => match function($($argument),*) {
                    0 => Ok(()),
                    code => Err(($name, code)),
                },
                Err(_) => Err(($name, -1)),
            }
        }
    }};
}

impl Gpu {
    /// Gives PTX to the driver of the first GPU.
    pub fn new(ptx: &str) -> Result<Gpu, Absent> {
        // SAFETY: the driver's library may be loaded by anyone; it has no initializer that needs anything of the program.
        let driver = LIBRARIES.iter().find_map(|name| unsafe { Library::new(name) }.ok()).ok_or(Absent::Driver)?;
        if call!(driver, "cuInit"(c_uint = 0)).is_err() {
            return Err(Absent::Driver);
        }
        let failed = |(call, code): Failed| Absent::Failed(call, code);
        let (mut device, mut context, mut module) = (0, null_mut::<c_void>(), null_mut::<c_void>());
        call!(driver, "cuDeviceGet"(*mut c_int = &mut device, c_int = 0)).map_err(failed)?;
        call!(driver, "cuDevicePrimaryCtxRetain"(*mut *mut c_void = &mut context, c_int = device)).map_err(failed)?;
        call!(driver, "cuCtxSetCurrent"(*mut c_void = context)).map_err(failed)?;
        let text = CString::new(ptx).map_err(|_| Absent::Failed("PTX with a zero", -1))?;
        call!(driver, "cuModuleLoadData"(*mut *mut c_void = &mut module, *const c_char = text.as_ptr()))
            .map_err(failed)?;
        Ok(Gpu { driver, module })
    }

    /// What a kernel computes.
    pub fn run(&self, case: &Case) -> Result<Vec<u32>, Failed> {
        let driver = &self.driver;
        let name = CString::new(case.kernel).map_err(|_| ("a name with a zero", -1))?;
        let mut function = null_mut::<c_void>();
        call!(
            driver,
            "cuModuleGetFunction"(
                *mut *mut c_void = &mut function,
                *mut c_void = self.module,
                *const c_char = name.as_ptr()
            )
        )?;
        // Each parameter takes up to eight bytes here; the driver reads as many as the kernel's has.
        let mut values: Vec<Device> = Vec::new();
        for argument in &case.arguments {
            values.push(match argument {
                Passed::Word(word) => (*word).into(),
                Passed::Words(words) => self.copy(words)?,
            });
        }
        let mut parameters: Vec<*mut c_void> =
            values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        call!(
            driver,
            "cuLaunchKernel"(
                *mut c_void = function,
                c_uint = case.blocks,
                c_uint = 1,
                c_uint = 1,
                c_uint = case.threads,
                c_uint = 1,
                c_uint = 1,
                c_uint = 0,
                *mut c_void = null_mut(),
                *mut *mut c_void = parameters.as_mut_ptr(),
                *mut *mut c_void = null_mut()
            )
        )?;
        call!(driver, "cuCtxSynchronize"())?;
        let mut found = vec![0u32; case.expected.len()];
        call!(
            driver,
            "cuMemcpyDtoH_v2"(
                *mut c_void = found.as_mut_ptr().cast(),
                Device = values[case.output],
                usize = size_of_val(&found[..])
            )
        )?;
        for (value, argument) in values.iter().zip(&case.arguments) {
            if let Passed::Words(_) = argument {
                call!(driver, "cuMemFree_v2"(Device = *value))?;
            }
        }
        Ok(found)
    }

    /// Memory of the GPU with these words.
    fn copy(&self, words: &[u32]) -> Result<Device, Failed> {
        let (mut memory, bytes) = (0, size_of_val(words));
        call!(self.driver, "cuMemAlloc_v2"(*mut Device = &mut memory, usize = bytes))?;
        call!(
            self.driver,
            "cuMemcpyHtoD_v2"(Device = memory, *const c_void = words.as_ptr().cast(), usize = bytes)
        )?;
        Ok(memory)
    }
}
