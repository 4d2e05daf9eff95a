//! Things that the module does not have yet, in the words that describe them.

use rvsdg_core::op::InlineAsm;

use crate::carrier::{Carrier, NONE};
use crate::ffi;

impl Carrier {
    /// The number of a string.
    pub fn new_string(&mut self, text: &str) -> u32 {
        self.new_bytes(text.as_bytes())
    }

    fn new_bytes(&mut self, bytes: &[u8]) -> u32 {
        // SAFETY: the carrier is live, and the bytes are read during the call only.
        unsafe { ffi::rvsdg_new_string(self.as_raw(), bytes.as_ptr().cast(), bytes.len()) }
    }

    /// The number of a type; `None` when the words describe none.
    pub fn new_type(&mut self, words: &[u32]) -> Option<u32> {
        // SAFETY: the carrier is live; the shim checks the numbers.
        let number = unsafe { ffi::rvsdg_new_type(self.as_raw(), words.as_ptr(), words.len()) };
        self.made(number)
    }

    /// The number of a constant; `None` when the words describe none.
    pub fn new_constant(&mut self, words: &[u32]) -> Option<u32> {
        // SAFETY: the carrier is live; the shim checks the numbers.
        let number = unsafe { ffi::rvsdg_new_constant(self.as_raw(), words.as_ptr(), words.len()) };
        self.made(number)
    }

    /// Adds promises to a function: the bits of `rvsdg_promise`.
    pub fn promise(&mut self, symbol: u32, promises: u32) {
        // SAFETY: the carrier is live; the shim checks the number.
        unsafe { ffi::rvsdg_promise(self.as_raw(), symbol, promises) }
    }

    /// Makes a variable one that is never written.
    pub fn make_constant(&mut self, symbol: u32) {
        // SAFETY: the carrier is live; the shim checks the number.
        unsafe { ffi::rvsdg_make_constant(self.as_raw(), symbol) }
    }

    /// Adds promises to a parameter of a function: the bits of `rvsdg_promise_of_parameter`.
    pub fn promise_of_parameter(&mut self, symbol: u32, index: u32, promises: u32) {
        // SAFETY: the carrier is live; the shim checks the numbers.
        unsafe { ffi::rvsdg_promise_of_parameter(self.as_raw(), symbol, index, promises) }
    }

    /// The number of a list of attributes; `None` when one is unknown.
    pub fn new_attributes(&mut self, words: &[u32]) -> Option<u32> {
        // SAFETY: the carrier is live; the shim checks the numbers.
        let number = unsafe { ffi::rvsdg_new_attributes(self.as_raw(), words.as_ptr(), words.len()) };
        self.made(number)
    }

    /// The number of assembly that is called as a function of type `ty`.
    pub fn new_assembly(&mut self, ty: u32, asm: &InlineAsm) -> Option<u32> {
        let (template, constraints) = (self.new_bytes(&asm.template), self.new_string(&asm.constraints));
        let bits = [asm.side_effect, asm.align_stack, asm.intel, asm.can_unwind];
        let flags = bits.iter().enumerate().map(|(position, &set)| u32::from(set) << position).sum();
        // SAFETY: the carrier is live; the shim checks the numbers.
        let number = unsafe { ffi::rvsdg_new_assembly(self.as_raw(), ty, template, constraints, flags) };
        self.made(number)
    }

    /// The number of metadata that is an argument, from its text.
    pub fn new_metadata(&mut self, text: &str) -> Option<u32> {
        // SAFETY: the carrier is live, and the bytes are read during the call only.
        let number = unsafe { ffi::rvsdg_new_metadata(self.as_raw(), text.as_ptr().cast(), text.len()) };
        self.made(number)
    }

    fn made(&mut self, number: u32) -> Option<u32> {
        self.count();
        (number != NONE).then_some(number)
    }
}
