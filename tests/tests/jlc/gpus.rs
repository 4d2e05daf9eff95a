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

/// Where a kernel says with which blocks it is launched, code generation is told.
#[test]
fn blocks_that_opencl_demands_are_stated() {
    const KERNEL: &str = "__attribute__((reqd_work_group_size(16, 8, 1))) kernel void one(global long *x) { *x = 1; }
        __attribute__((work_group_size_hint(16, 8, 1))) kernel void two(global long *x) { *x = 2; }";
    let place = Place::new(&[("kernel.cl", KERNEL)]);
    place.jlc("-x cl kernel.cl --target=nvptx64 -march=sm_90 -O2 -o kernel.ptx");
    let ptx = place.text("kernel.ptx");
    assert_eq!(ptx.matches(".reqntid 16, 8, 1").count(), 1, "{ptx}");
}

/// Stores to consecutive parts of an aligned object are one.
#[test]
fn accesses_of_neighbours_become_one() {
    const KERNEL: &str = "struct parts { float x, y, z, w; } __attribute__((aligned(16)));
        kernel void scale(global struct parts *restrict to, global const struct parts *restrict from, float by) {
          to->x = by * from->x; to->y = by * from->y; to->z = by * from->z; to->w = by * from->w;
        }";
    let place = Place::new(&[("kernel.cl", KERNEL)]);
    place.jlc("-x cl kernel.cl --target=nvptx64 -march=sm_90 -O2 -o kernel.ptx");
    let ptx = place.text("kernel.ptx");
    assert!(ptx.contains("st.global.v4.b32") && ptx.contains("ld.global.nc.v4.b32"), "{ptx}");
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
