//! Additional arguments for clang when it compiles for NVIDIA GPUs.

use std::ffi::{OsStr, OsString};

/// The library of `--gpu-lib=FILE`: LLVM IR or bitcode, whose called functions become part of the module.
pub fn library(argument: &OsStr) -> Option<OsString> {
    argument.to_str()?.strip_prefix("--gpu-lib=").map(OsString::from)
}

/// What to add to arguments. Without a CUDA installation clang takes a version of PTX that most processors do not have any more.
pub fn additions(arguments: &[OsString]) -> Vec<OsString> {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let values = |name: &str| -> Vec<&str> {
        let joined = words.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let apart = words.windows(2).filter(|pair| pair[0] == name).map(|pair| pair[1]);
        joined.chain(apart).collect()
    };
    let targets = [values("--target"), values("-target")].concat();
    let is_cuda = words.contains(&"--cuda-device-only");
    if !(is_cuda || targets.iter().any(|target| target.starts_with("nvptx"))) || words.contains(&"-cc1") {
        return Vec::new();
    }
    let mut added: Vec<OsString> = Vec::new();
    if !words.iter().any(|word| word.starts_with("--cuda-feature") || word.starts_with("+ptx")) {
        let processors = [values("-march"), values("--cuda-gpu-arch"), values("--offload-arch")].concat();
        let version = processors.last().map_or(SINCE_SM_50, |processor| ptx_version(processor));
        added.push(format!("--cuda-feature=+{version}").into());
    }
    let writes_ptx = values("-o").iter().any(|output| output.ends_with(".ptx"));
    if writes_ptx && !["-S", "-c", "-E", "-emit-llvm", "-fsyntax-only"].iter().any(|step| words.contains(step)) {
        added.push("-S".into());
    }
    added
}

/// The version of PTX for processors from `sm_50` to `sm_90a`.
const SINCE_SM_50: &str = "ptx80";

/// A version of PTX that has a processor and that drivers have had for as long as the processor.
fn ptx_version(processor: &str) -> &str {
    let digits: String = processor.chars().filter(char::is_ascii_digit).collect();
    if digits.parse().is_ok_and(|number: u32| number >= 100) { "ptx88" } else { SINCE_SM_50 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(line: &str) -> String {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let added: Vec<String> =
            additions(&arguments).into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        added.join(" ")
    }

    #[test]
    fn gpus_get_a_version_of_ptx() {
        assert_eq!(added("-x cl k.cl --target=nvptx64 -march=sm_90 -o k.ptx"), "--cuda-feature=+ptx80 -S");
        assert_eq!(added("k.c -target nvptx64-nvidia-cuda -march=sm_120 -S"), "--cuda-feature=+ptx88");
        assert_eq!(added("k.cu --cuda-device-only --cuda-gpu-arch=sm_70 -c"), "--cuda-feature=+ptx80");
        assert_eq!(added("k.c --target=nvptx64 -Xclang -target-feature -Xclang +ptx83 -S"), "");
        assert_eq!(added("k.c --target=nvptx64 --cuda-feature=+ptx83 -o k.s"), "");
        assert_eq!(added("k.c --target=nvptx64 -emit-llvm -S -o k.ptx"), "--cuda-feature=+ptx80");
    }

    #[test]
    fn others_get_nothing() {
        assert_eq!(added("-O2 k.c -o k.ptx"), "");
        assert_eq!(added("--target=x86_64-linux-gnu -march=native -c k.c"), "");
        assert_eq!(added("-cc1 -triple nvptx64 --target=nvptx64"), "");
    }
}
