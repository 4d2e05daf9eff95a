//! Declarations of the C++ shim, `shim/*.cpp`; each function's contract is documented there.

use std::ffi::{c_char, c_void};

use inkwell::llvm_sys::LLVMModule;

/// The context with its diagnostics.
#[repr(C)]
pub(crate) struct Context {
    opaque: [u8; 0],
}

/// The tables of numbers of one module.
#[repr(C)]
pub(crate) struct Carrier {
    opaque: [u8; 0],
}

/// The state of rewriting bodies.
#[repr(C)]
pub(crate) struct Writer {
    opaque: [u8; 0],
}

/// Words that stay valid until the next call on the same carrier.
#[repr(C)]
pub(crate) struct Words {
    pub data: *const u32,
    pub len: usize,
}

/// Bytes that are owned elsewhere.
#[repr(C)]
pub(crate) struct Text {
    pub data: *const c_char,
    pub len: usize,
}

impl Text {
    /// The bytes of a string, which must live as long as the result is used.
    pub fn of(text: &str) -> Text {
        Text { data: text.as_ptr().cast(), len: text.len() }
    }
}

/// Passes of LLVM's and how to run them.
#[repr(C)]
pub(crate) struct Passes {
    pub pipeline: Text,
    pub plugins: Text,
    pub remarks_filter: Text,
    pub before: u64,
    pub limit: u64,
    pub bisect: bool,
    pub verify_each: bool,
    pub debugify_each: bool,
    pub debug: bool,
    pub remarks: bool,
}

/// Receives bytes that are valid during the call only.
pub(crate) type Sink = unsafe extern "C" fn(cx: *mut c_void, bytes: *const c_char, len: usize);

#[rustfmt::skip]
unsafe extern "C" {
    pub fn rvsdg_exit_on_fatal_error();
    pub fn rvsdg_release_memory();
    pub fn rvsdg_return_large_blocks();
    pub fn rvsdg_context_new() -> *mut Context;
    pub fn rvsdg_context_free(context: *mut Context);
    pub fn rvsdg_take_diagnostics(context: *mut Context, sink: Sink, cx: *mut c_void);
    pub fn rvsdg_parse(
        context: *mut Context, bytes: *const c_char, len: usize, name: *const c_char, name_len: usize,
        triple: *const c_char, triple_len: usize, layout: *const c_char, layout_len: usize, line: *mut u32,
        column: *mut u32, sink: Sink, cx: *mut c_void,
    ) -> *mut LLVMModule;
    pub fn rvsdg_module_free(module: *mut LLVMModule);
    pub fn rvsdg_verify(module: *mut LLVMModule, strip: bool, sink: Sink, cx: *mut c_void) -> bool;
    pub fn rvsdg_discard_names(module: *mut LLVMModule);
    pub fn rvsdg_write(module: *mut LLVMModule, flags: u32, sink: Sink, cx: *mut c_void);
    pub fn rvsdg_has_debug_info(module: *const LLVMModule) -> bool;
    pub fn rvsdg_strip_debug(module: *mut LLVMModule) -> bool;

    pub fn rvsdg_check_passes(passes: *const Passes, sink: Sink, cx: *mut c_void) -> bool;
    pub fn rvsdg_run_passes(
        module: *mut LLVMModule, passes: *const Passes, executed: *mut u64, sink: Sink, cx: *mut c_void,
    ) -> bool;
    pub fn rvsdg_lower_expectations(module: *mut LLVMModule);
    pub fn rvsdg_check_debugify(module: *mut LLVMModule, passes: *const c_char, len: usize);
    pub fn rvsdg_time_trace_begin(granularity: u32);
    pub fn rvsdg_time_trace_end(sink: Sink, cx: *mut c_void);
    pub fn rvsdg_pass_names(sink: Sink, cx: *mut c_void);
    pub fn rvsdg_register_target_options();
    pub fn rvsdg_llvm_option(name: *const c_char, len: usize, sink: Sink, cx: *mut c_void) -> u32;
    pub fn rvsdg_llvm_option_names(sink: Sink, cx: *mut c_void);
    pub fn rvsdg_set_llvm_options(bytes: *const c_char, len: usize, sink: Sink, cx: *mut c_void) -> bool;
    pub fn rvsdg_apply_target_options(module: *mut LLVMModule, sink: Sink, cx: *mut c_void) -> bool;

    pub fn rvsdg_carrier_new(module: *mut LLVMModule) -> *mut Carrier;
    pub fn rvsdg_carrier_free(carrier: *mut Carrier);
    pub fn rvsdg_num_symbols(carrier: *const Carrier) -> u32;
    pub fn rvsdg_counts(
        carrier: *const Carrier, types: *mut u32, consts: *mut u32, attributes: *mut u32, strings: *mut u32,
        sources: *mut u32,
    );
    pub fn rvsdg_read_body(carrier: *mut Carrier, symbol: u32) -> Words;
    pub fn rvsdg_dematerialize(carrier: *mut Carrier, symbol: u32);
    pub fn rvsdg_materialize(carrier: *mut Carrier, symbol: u32);
    pub fn rvsdg_string(carrier: *const Carrier, id: u32, sink: Sink, cx: *mut c_void);
    pub fn rvsdg_describe_type(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_constant(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_attributes(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_tag(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_tbaa_type(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_symbol(carrier: *mut Carrier, id: u32) -> Words;
    pub fn rvsdg_describe_module(carrier: *const Carrier, sink: Sink, cx: *mut c_void);
    pub fn rvsdg_promise(carrier: *mut Carrier, symbol: u32, promises: u32);
    pub fn rvsdg_make_constant(carrier: *mut Carrier, symbol: u32);
    pub fn rvsdg_promise_of_parameter(carrier: *mut Carrier, symbol: u32, index: u32, promises: u32);
    pub fn rvsdg_location(carrier: *mut Carrier, source: u32) -> Words;
    pub fn rvsdg_function_location(carrier: *mut Carrier, symbol: u32) -> Words;
    pub fn rvsdg_describe_comdats(carrier: *mut Carrier) -> Words;
    pub fn rvsdg_describe_flags(carrier: *mut Carrier) -> Words;

    pub fn rvsdg_int_type(carrier: *mut Carrier, bits: u32) -> u32;
    pub fn rvsdg_const_int(carrier: *mut Carrier, ty: u32, limbs: *const u64, len: usize) -> u32;
    pub fn rvsdg_const_float(carrier: *mut Carrier, ty: u32, low: u64, high: u64) -> u32;
    pub fn rvsdg_const_special(carrier: *mut Carrier, ty: u32, what: u32) -> u32;

    pub fn rvsdg_inline(
        carrier: *mut Carrier, caller: u32, call: u32, callee: u32, first: u32, extents: *const u32, len: usize,
        changed: *const u32, count: usize,
    );
    pub fn rvsdg_writer_new(carrier: *mut Carrier) -> *mut Writer;
    pub fn rvsdg_writer_free(writer: *mut Writer);
    pub fn rvsdg_w_begin(writer: *mut Writer, symbol: u32, first: u32, count: u32) -> bool;
    pub fn rvsdg_w_extend(writer: *mut Writer, first: u32, count: u32);
    pub fn rvsdg_w_reserve(writer: *mut Writer, label: u32);
    pub fn rvsdg_w_block(writer: *mut Writer, first: u32, label: u32) -> u32;
    pub fn rvsdg_w_indirect(writer: *mut Writer, slot: u32, address: u32, blocks: *const u32, len: usize) -> bool;
    pub fn rvsdg_w_source_kind(writer: *const Writer, source: u32) -> u32;
    pub fn rvsdg_w_landing_pad(writer: *const Writer, source: u32) -> u32;
    pub fn rvsdg_w_has_cases(writer: *const Writer, source: u32, cases: *const u32, len: usize) -> bool;
    pub fn rvsdg_declare_symbols(carrier: *mut Carrier, symbols: *const u32, len: usize);
    pub fn rvsdg_erase_symbols(carrier: *mut Carrier, symbols: *const u32, len: usize);
    pub fn rvsdg_w_take(
        writer: *mut Writer, block: u32, source: u32, opcode: u32, ty: u32, extra: *const u32, len: usize,
        moved: bool,
    ) -> u32;
    pub fn rvsdg_w_moved(writer: *mut Writer, slot: u32, motion: u32);
    pub fn rvsdg_w_take_terminator(writer: *mut Writer, block: u32, source: u32) -> u32;
    pub fn rvsdg_w_loop(
        writer: *mut Writer,
        block: u32,
        source: u32,
        unroll: u32,
        vectorize: u32,
        role: u32,
    );
    pub fn rvsdg_w_call(writer: *mut Writer, slot: u32, extra: *const u32, len: usize);
    pub fn rvsdg_w_operands(writer: *mut Writer, slot: u32, refs: *const u32, len: usize) -> bool;
    pub fn rvsdg_w_branch(writer: *mut Writer, slot: u32, condition: u32, blocks: *const u32, len: usize) -> bool;
    pub fn rvsdg_w_phi(writer: *mut Writer, block: u32, ty: u32, origin: u32, incoming: u32) -> u32;
    pub fn rvsdg_w_incoming(writer: *mut Writer, slot: u32, value: u32, block: u32) -> bool;
    pub fn rvsdg_w_same_param(writer: *mut Writer, param: u32, value: u32);
    pub fn rvsdg_w_same(writer: *mut Writer, source: u32, value: u32, other: u32);
    pub fn rvsdg_w_content(writer: *mut Writer, value: u32, access: u32, offset: u64);
    pub fn rvsdg_w_flattened(writer: *mut Writer, end: u32);
    pub fn rvsdg_w_decided(writer: *mut Writer, branch: u32);
    pub fn rvsdg_w_end(writer: *mut Writer, wanted: bool);
    pub fn rvsdg_w_flags(writer: *mut Writer, slot: u32, flags: u32);
    pub fn rvsdg_w_merge(writer: *mut Writer, slot: u32, merged: u32);
    pub fn rvsdg_w_jump(writer: *mut Writer, block: u32, target: u32, like: u32);
    pub fn rvsdg_w_cond_jump(writer: *mut Writer, block: u32, condition: u32, then: u32, otherwise: u32, like: u32);
    pub fn rvsdg_w_switch(
        writer: *mut Writer, block: u32, condition: u32, default: u32, cases: *const u32, len: usize, like: u32,
    ) -> bool;
    pub fn rvsdg_w_return(writer: *mut Writer, block: u32, value: u32);
    pub fn rvsdg_w_unreachable(writer: *mut Writer, block: u32);
    pub fn rvsdg_w_build(
        writer: *mut Writer, block: u32, opcode: u32, ty: u32, flags: u32, extra: *const u32, extra_len: usize,
        refs: *const u32, len: usize, like: u32,
    ) -> u32;

    pub fn rvsdg_new_string(carrier: *mut Carrier, bytes: *const c_char, len: usize) -> u32;
    pub fn rvsdg_new_type(carrier: *mut Carrier, words: *const u32, len: usize) -> u32;
    pub fn rvsdg_new_constant(carrier: *mut Carrier, words: *const u32, len: usize) -> u32;
    pub fn rvsdg_new_assembly(carrier: *mut Carrier, ty: u32, template: u32, constraints: u32, flags: u32) -> u32;
    pub fn rvsdg_new_metadata(carrier: *mut Carrier, text: *const c_char, len: usize) -> u32;
    pub fn rvsdg_new_attributes(carrier: *mut Carrier, words: *const u32, len: usize) -> u32;
}

/// Calls `f` with a sink, and returns what the sink received: one piece per call.
pub(crate) fn collect(f: impl FnOnce(Sink, *mut c_void)) -> Vec<Vec<u8>> {
    unsafe extern "C" fn push(cx: *mut c_void, bytes: *const c_char, len: usize) {
        // SAFETY: `cx` is the vector below, which outlives the call of `f` and is not touched while it runs.
        let pieces = unsafe { &mut *cx.cast::<Vec<Vec<u8>>>() };
        let piece = if len == 0 {
            Vec::new()
        } else {
            // SAFETY: the shim passes `len` bytes that are valid during this call.
            unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) }.to_vec()
        };
        pieces.push(piece);
    }
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    f(push, (&raw mut pieces).cast());
    pieces
}
