//! The program ends well with and without a GPU, and its PTX has all kernels.

#![forbid(unsafe_code)]

use std::process::Command;

#[test]
fn kernels_compute_what_they_should() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let file = format!("{folder}/kernels.ptx");
    let output = Command::new(env!("CARGO_BIN_EXE_example-gpu")).arg(&file).output().expect("the program starts");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{errors}");
    for kernel in ["saxpy", "sum", "search"] {
        assert!(said.contains(&format!("{kernel}: right when simulated")), "{said}");
    }
    let ptx = std::fs::read_to_string(file).expect("PTX was written");
    for expected in [".entry saxpy", ".entry sum", ".entry search", "bar.sync", ".shared"] {
        assert!(ptx.contains(expected), "{expected}:\n{ptx}");
    }
}
