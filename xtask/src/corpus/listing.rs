//! Generated code that cannot be run here, summed up as text: what a wrong treatment would change is in it, and what `llc` may do
//! one way or another is not.

use super::assembly;
use super::languages::Language;
use super::ptx;

/// Lines that must be the same with and without the optimizer.
pub struct Listing {
    /// The lines.
    pub text: String,
    /// How many functions, or entries of kernels, they describe.
    pub functions: usize,
}

impl Listing {
    /// The listing of generated code; nothing if programs in the language are run instead. Where code may have been copied on purpose,
    /// it does not say how often anything occurs.
    pub fn of(language: Language, code: &[u8], may_copy: bool) -> Option<Self> {
        let code = String::from_utf8_lossy(code);
        match language {
            Language::C | Language::Cxx | Language::Rust => None,
            Language::Kernels => {
                let summary = ptx::Summary::of(&code);
                let functions = summary.entries();
                let text = if may_copy { summary.without_counts() } else { summary }.to_string();
                Some(Self { text, functions })
            }
            Language::Windows | Language::Wasm => {
                let summary = assembly::Summary::of(&code);
                let functions = summary.functions();
                let text = if may_copy { summary.without_counts() } else { summary }.to_string();
                Some(Self { text, functions })
            }
        }
    }
}
