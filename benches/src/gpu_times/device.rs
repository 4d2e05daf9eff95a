//! The first GPU, through CUDA's driver, which is loaded when the program runs.

use std::ffi::{CString, c_void};
use std::ptr::from_mut;

use anyhow::{Context, Result, anyhow, ensure};
use cudarc::driver::result::{self, DriverError, event, function, module};
use cudarc::driver::sys;

/// A GPU.
pub struct Device {
    pub name: String,
    /// The version of CUDA that the driver has.
    pub version: String,
    start: sys::CUevent,
    end: sys::CUevent,
}

/// An address in its memory.
pub type Address = sys::CUdeviceptr;

/// Code on it.
pub struct Module(sys::CUmodule);

/// A kernel on it.
#[derive(Clone, Copy)]
pub struct Function(sys::CUfunction);

/// How a kernel is launched.
pub struct Launch<'a> {
    pub blocks: [u32; 3],
    pub threads: [u32; 3],
    /// Bytes of memory that a block shares, beside those that the kernel has itself.
    pub shared: u32,
    /// The bits of its arguments, each as wide as the widest.
    pub arguments: &'a [u64],
}

fn failed(what: &'static str) -> impl Fn(DriverError) -> anyhow::Error {
    move |error| {
        let name =
            error.error_name().map_or_else(|_| format!("{:?}", error.0), |name| name.to_string_lossy().into_owned());
        anyhow!("{what}: {name}")
    }
}

impl Device {
    /// The GPU; nothing where there is no driver, or no GPU that it knows.
    pub fn open() -> Result<Option<Device>> {
        // SAFETY: the driver's library may be loaded by anyone; it has no initializer that needs anything of the program.
        if !unsafe { sys::is_culib_present() } || result::init().is_err() {
            return Ok(None);
        }
        let device = result::device::get(0).map_err(failed("no GPU"))?;
        // SAFETY: the device is the driver's, and the context lives as long as the process.
        unsafe {
            let context = result::primary_ctx::retain(device).map_err(failed("no context"))?;
            result::ctx::set_current(context).map_err(failed("no context"))?;
        }
        let mut version = 0;
        // SAFETY: the number lives as long as the call.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(failed("no version"))?;
        let event = || event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map_err(failed("no event"));
        Ok(Some(Device {
            name: result::device::get_name(device).map_err(failed("no name"))?,
            version: format!("{}.{}", version / 1000, version % 1000 / 10),
            start: event()?,
            end: event()?,
        }))
    }

    /// Compiles PTX.
    pub fn load(&self, ptx: &str) -> Result<Module> {
        let ptx = CString::new(ptx).context("PTX has no zero")?;
        // SAFETY: the text lives as long as the call, and a zero ends it.
        unsafe { module::load_data(ptx.as_ptr().cast()) }.map(Module).map_err(failed("it is not compiled"))
    }

    /// A kernel of a module.
    pub fn function(&self, module: &Module, name: &str) -> Result<Function> {
        let name = CString::new(name).context("a name has no zero")?;
        // SAFETY: modules are never unloaded.
        unsafe { module::get_function(module.0, name) }.map(Function).map_err(failed("no such kernel"))
    }

    /// How many bytes of the memory of a block a kernel has itself.
    pub fn shared(&self, function: Function) -> Result<u32> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        // SAFETY: functions are those of modules, which are never unloaded.
        let bytes =
            unsafe { function::get_function_attribute(function.0, attribute) }.map_err(failed("no attribute"))?;
        Ok(bytes.try_into()?)
    }

    /// Memory that is kept until the process ends.
    pub fn memory(&self, bytes: usize) -> Result<Address> {
        // SAFETY: nothing reads it before it is written.
        unsafe { result::malloc_sync(bytes) }.map_err(failed("no memory"))
    }

    /// Fills memory with bytes again and again.
    pub fn fill(&self, to: Address, bytes: &[u8], length: usize) -> Result<()> {
        ensure!(length >= bytes.len(), "there is too little memory");
        // SAFETY: `length` bytes are there, and copies do not overlap.
        unsafe {
            result::memcpy_htod_sync(to, bytes).map_err(failed("no copy"))?;
            let mut done = bytes.len();
            while done < length {
                let next = done.min(length - done);
                sys::cuMemcpyDtoD_v2(to + done as Address, to, next).result().map_err(failed("no copy"))?;
                done += next;
            }
        }
        Ok(())
    }

    /// Copies bytes on the device.
    pub fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()> {
        // SAFETY: the caller's addresses are those of memory of that size, which do not overlap.
        unsafe { sys::cuMemcpyDtoD_v2(to, from, bytes) }.result().map_err(failed("no copy"))
    }

    /// Bytes from the device.
    pub fn read(&self, from: Address, bytes: usize) -> Result<Vec<u8>> {
        let mut found = vec![0; bytes];
        // SAFETY: as many bytes are there and here.
        unsafe { result::memcpy_dtoh_sync(&mut found, from) }.map_err(failed("no copy"))?;
        Ok(found)
    }

    /// Launches a kernel and waits for its end: how long the GPU took, in microseconds.
    pub fn time(&self, function: Function, launch: &Launch<'_>) -> Result<f64> {
        let mut values = launch.arguments.to_vec();
        let mut arguments: Vec<*mut c_void> = values.iter_mut().map(|value| from_mut(value).cast()).collect();
        let of = |[x, y, z]: [u32; 3]| (x, y, z);
        let stream = result::stream::null();
        // SAFETY: the driver reads as many bytes of each argument as the kernel's parameter has, at most eight, before it returns.
        // What the kernel itself does to memory of the device is no concern of this process.
        unsafe {
            event::record(self.start, stream).map_err(failed("no event"))?;
            let shape = (of(launch.blocks), of(launch.threads));
            result::launch_kernel(function.0, shape.0, shape.1, launch.shared, stream, &mut arguments)
                .map_err(failed("it cannot be launched"))?;
            event::record(self.end, stream).map_err(failed("no event"))?;
            event::synchronize(self.end).map_err(failed("it fails"))?;
            let milliseconds = event::elapsed(self.start, self.end).map_err(failed("no time"))?;
            Ok(f64::from(milliseconds) * 1000.0)
        }
    }
}
