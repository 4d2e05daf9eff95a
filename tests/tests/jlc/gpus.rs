//! Kernels for NVIDIA's GPUs: OpenCL, C and CUDA to PTX, with nothing of CUDA installed.

use super::Place;

const OPENCL: &str = r#"
kernel void saxpy(global float *x, global const float *restrict y, float a, int n) {
  int i = get_global_id(0);
  if (i < n) x[i] += a * y[i];
}
"#;

/// What a library of device functions defines.
const LIBRARY: &str = r#"
__attribute__((noinline)) static unsigned long product(int a, int b) { return (unsigned long)a * b; }
unsigned long _Z13get_global_idj(unsigned dimension) {
  return product(__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ntid_x()) + __nvvm_read_ptx_sreg_tid_x();
}
"#;

const C: &str = r#"
static float twice(float x) { return x + x; }
__attribute__((nvptx_kernel)) void twices(__attribute__((address_space(1))) float *x, int n) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  if (i < n) x[i] = twice(x[i]);
}
"#;

const CUDA: &str = r#"
__attribute__((device)) static float twice(float x) { return x + x; }
extern "C" __attribute__((global)) void twices(float *x, int n) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  if (i < n) x[i] = twice(x[i]);
}
"#;

#[test]
fn opencl_becomes_ptx() {
    let place = Place::new(&[("kernel.cl", OPENCL), ("library.c", LIBRARY)]);
    place.jlc("library.c --target=nvptx64 -march=sm_90 -O2 -emit-llvm -c -o library.bc");
    place.jlc("-x cl kernel.cl --target=nvptx64 -march=sm_90 --gpu-lib=library.bc -o kernel.ptx");
    let ptx = place.text("kernel.ptx");
    let kernel = ptx.split(".entry saxpy(").nth(1).expect("it is an entry").split("\n}").next().unwrap_or_default();
    assert!(ptx.contains(".target sm_90") && kernel.contains("ld.global"), "{ptx}");
    // The body is in the kernel, and so is what it calls of the library, but for what the library keeps apart.
    assert!(!kernel.contains("__clang_ocl_kern_imp") && !kernel.contains("_Z13get_global_idj"), "{ptx}");
    assert!(kernel.contains("product"), "{ptx}");
}

/// Where a kernel says with which blocks it is launched, code generation is told, and the block's size is a constant.
#[test]
fn blocks_that_opencl_demands_are_known() {
    const KERNEL: &str = "unsigned long _Z14get_local_sizej(unsigned dimension) { return __nvvm_read_ptx_sreg_ntid_y(); }
        __attribute__((reqd_work_group_size(16, 8, 1))) kernel void sizes(global long *x) { *x = _Z14get_local_sizej(1); }";
    let place = Place::new(&[("kernel.cl", KERNEL)]);
    place.jlc("-x cl -Xclang -cl-no-stdinc kernel.cl --target=nvptx64 -march=sm_90 -O2 -o kernel.ptx");
    let ptx = place.text("kernel.ptx");
    assert!(ptx.contains(".reqntid 16, 8, 1") && !ptx.contains("%ntid.y"), "{ptx}");
}

#[test]
fn c_becomes_ptx() {
    let place = Place::new(&[("kernel.c", C)]);
    for (processor, version) in [("sm_70", "8.0"), ("sm_90", "8.0"), ("sm_120", "8.8")] {
        place.jlc(&format!("-O2 kernel.c --target=nvptx64 -march={processor} -o kernel.ptx"));
        let ptx = place.text("kernel.ptx");
        assert!(ptx.contains(".entry twices(") && ptx.contains(&format!(".version {version}")), "{ptx}");
        assert!(!ptx.contains("call"), "{ptx}");
    }
}

#[test]
fn cuda_becomes_ptx() {
    let place = Place::new(&[("kernel.cu", CUDA)]);
    place.jlc("-O2 kernel.cu --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -o kernel.ptx");
    let ptx = place.text("kernel.ptx");
    assert!(ptx.contains(".entry twices(") && !ptx.contains("call"), "{ptx}");
}
