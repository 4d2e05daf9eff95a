//! Dense numbers for LLVM's objects, and the questions and edits that use them: a safe face of the shim.
//!
//! [`Carrier`] owns the module and answers in words; [`Writer`] rewrites bodies. Numbers are checked here, so that no
//! number from elsewhere can make the shim read outside its tables.

use std::ptr::NonNull;

use rvsdg_core::Motion;
use rvsdg_core::hints::LoopHints;
use smallvec::SmallVec;

use crate::ffi::{self, collect};
use crate::module_io::LlvmModule;
use crate::opcode::Opcode;
use crate::stream::hint_words;

/// "No such thing" in streams and arguments.
pub(crate) const NONE: u32 = u32::MAX;

/// A value as operand: a slot of the [`Writer`] or a constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Ref(u32);

impl Ref {
    /// Leaves an operand unchanged.
    pub const KEEP: Ref = Ref(NONE);

    /// The value in a slot.
    pub fn slot(slot: u32) -> Ref {
        Ref(slot << 2)
    }

    /// A constant by number.
    pub fn constant(id: u32) -> Ref {
        Ref(id << 2 | 1)
    }
}

/// The properties of an instruction other than its flags and operands.
pub(crate) struct Description {
    pub opcode: Opcode,
    /// The number of its type.
    pub ty: u32,
    /// As in `shim/reader.cpp` and, for calls, `shim/instructions.cpp`.
    pub extra: SmallVec<[u32; 8]>,
}

/// A module with the tables of numbers for its objects.
pub(crate) struct Carrier {
    // Freed before the module.
    raw: NonNull<ffi::Carrier>,
    module: LlvmModule,
    symbols: u32,
    sources: u32,
    consts: u32,
    types: u32,
}

impl Carrier {
    /// Numbers the module's symbols.
    pub fn new(module: LlvmModule) -> Carrier {
        // SAFETY: the module is live, and owned by the result from here on.
        let raw = NonNull::new(unsafe { ffi::rvsdg_carrier_new(module.as_raw()) }).expect("never null");
        // SAFETY: the carrier is live.
        let symbols = unsafe { ffi::rvsdg_num_symbols(raw.as_ptr()) };
        let mut carrier = Carrier { raw, module, symbols, sources: 0, consts: 0, types: 0 };
        carrier.count();
        carrier
    }

    pub(crate) fn as_raw(&mut self) -> *mut ffi::Carrier {
        self.raw.as_ptr()
    }

    /// Learns how many things of each kind there are now.
    pub(crate) fn count(&mut self) {
        let (mut attributes, mut strings) = (0, 0);
        // SAFETY: the carrier is live and every pointer is to a local or a field.
        unsafe {
            ffi::rvsdg_counts(
                self.raw.as_ptr(),
                &mut self.types,
                &mut self.consts,
                &mut attributes,
                &mut strings,
                &mut self.sources,
            )
        }
    }

    /// Gives the module back.
    pub fn into_module(self) -> LlvmModule {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, so the carrier is freed once and the module is moved out once.
        unsafe {
            ffi::rvsdg_carrier_free(this.raw.as_ptr());
            std::ptr::read(&this.module)
        }
    }

    /// How many symbols there are; they are numbered from 0, and their numbers are constants' numbers too.
    pub fn symbols(&self) -> u32 {
        self.symbols
    }

    /// Replaces `out` by the words of an answer.
    fn answer(out: &mut Vec<u32>, words: ffi::Words) {
        out.clear();
        if words.len > 0 {
            // SAFETY: the shim's words are valid until its next call, which cannot come before this copy is made.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(words.data, words.len) });
        }
    }

    /// The body of a function as `shim/reader.cpp` describes it; empty for a symbol without body.
    pub fn read_body(&mut self, symbol: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_read_body(self.raw.as_ptr(), symbol) });
        self.count();
    }

    /// Removes the body that was read last, until it is rebuilt. A body of a borrowed module stays: its owner may hold references into
    /// it.
    pub fn dematerialize(&mut self, symbol: u32) {
        if self.module.is_owned() {
            // SAFETY: the carrier is live; the shim checks the number.
            unsafe { ffi::rvsdg_dematerialize(self.raw.as_ptr(), symbol) }
        }
    }

    /// Makes a body again that was taken away.
    pub fn materialize(&mut self, symbol: u32) {
        // SAFETY: the carrier is live; the shim checks the number, and a body that is being written is there.
        unsafe { ffi::rvsdg_materialize(self.raw.as_ptr(), symbol) }
    }

    /// See `rvsdg_describe_type`.
    pub fn describe_type(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_type(self.raw.as_ptr(), id) });
    }

    /// See `rvsdg_describe_constant`.
    pub fn describe_constant(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_constant(self.raw.as_ptr(), id) });
    }

    /// See `rvsdg_describe_attributes`.
    pub fn describe_attributes(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_attributes(self.raw.as_ptr(), id) });
    }

    /// See `rvsdg_describe_tag`.
    pub fn describe_tag(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_tag(self.raw.as_ptr(), id) });
    }

    /// See `rvsdg_describe_tbaa_type`.
    pub fn describe_tbaa_type(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_tbaa_type(self.raw.as_ptr(), id) });
    }

    /// See `rvsdg_describe_symbol`.
    pub fn describe_symbol(&mut self, id: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_describe_symbol(self.raw.as_ptr(), id) });
    }

    /// File (by string number), line and column of a source; empty when it has none.
    pub fn location(&mut self, source: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_location(self.raw.as_ptr(), source) });
    }

    /// The same of a function.
    pub fn function_location(&mut self, symbol: u32, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live; the shim checks the number.
        Self::answer(out, unsafe { ffi::rvsdg_function_location(self.raw.as_ptr(), symbol) });
    }

    /// See `rvsdg_describe_comdats`.
    pub fn describe_comdats(&mut self, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live.
        Self::answer(out, unsafe { ffi::rvsdg_describe_comdats(self.raw.as_ptr()) });
    }

    /// See `rvsdg_describe_flags`.
    pub fn describe_flags(&mut self, out: &mut Vec<u32>) {
        // SAFETY: the carrier is live.
        Self::answer(out, unsafe { ffi::rvsdg_describe_flags(self.raw.as_ptr()) });
    }

    /// Identifier, source file, data layout, triple and assembly of the module.
    pub fn describe_module(&self) -> Vec<String> {
        // SAFETY: the carrier is live.
        collect(|sink, cx| unsafe { ffi::rvsdg_describe_module(self.raw.as_ptr(), sink, cx) })
            .into_iter()
            .map(|piece| String::from_utf8_lossy(&piece).into_owned())
            .collect()
    }

    /// An interned string as bytes; empty for an unknown number.
    pub fn string(&self, id: u32) -> Vec<u8> {
        // SAFETY: the carrier is live; the shim checks the number.
        collect(|sink, cx| unsafe { ffi::rvsdg_string(self.raw.as_ptr(), id, sink, cx) })
            .into_iter()
            .next()
            .unwrap_or_default()
    }

    /// Makes declarations of those symbols that are functions or variables with a definition.
    pub fn declare_symbols(&mut self, symbols: &[u32]) {
        assert!(symbols.iter().all(|&symbol| symbol < self.symbols));
        // SAFETY: numbers are in range; no writer is live, since it would borrow the carrier.
        unsafe { ffi::rvsdg_declare_symbols(self.raw.as_ptr(), symbols.as_ptr(), symbols.len()) }
    }

    /// Removes definitions without uses outside of them. Their numbers, and those of what only they used, must not be used again.
    pub fn erase_symbols(&mut self, symbols: &[u32]) {
        assert!(symbols.iter().all(|&symbol| symbol < self.symbols));
        // SAFETY: numbers are in range; no writer is live, since it would borrow the carrier.
        unsafe { ffi::rvsdg_erase_symbols(self.raw.as_ptr(), symbols.as_ptr(), symbols.len()) }
    }

    /// Copies the instructions of the function `callee` with numbers in `extents` to the function `caller`, as the sources from `first`
    /// on, for the call with source `call`. The values of the `changed` parameters are unknown in the copies. All copies are made before
    /// a writer exists.
    pub fn inline(&mut self, caller: u32, call: u32, callee: u32, first: u32, extents: &[[u32; 2]], changed: &[u32]) {
        // SAFETY: the carrier is live; the shim checks the numbers.
        unsafe {
            let words = extents.as_flattened();
            let (words, len) = (words.as_ptr(), words.len());
            let (changed, count) = (changed.as_ptr(), changed.len());
            ffi::rvsdg_inline(self.raw.as_ptr(), caller, call, callee, first, words, len, changed, count);
        }
        self.count();
    }

    /// The number of the integer type of `bits` bits.
    pub fn int_type(&mut self, bits: u32) -> u32 {
        assert!((1..=1 << 23).contains(&bits), "an integer has 1 to 2^23 bits");
        // SAFETY: the carrier is live and the width is one LLVM accepts.
        let id = unsafe { ffi::rvsdg_int_type(self.raw.as_ptr(), bits) };
        self.count();
        id
    }

    /// The number of an integer constant.
    ///
    /// # Panics
    /// When `ty` is not an integer type.
    pub fn const_int(&mut self, ty: u32, limbs: &[u64]) -> u32 {
        assert!(ty < self.types);
        // SAFETY: the type is in the table, and the shim checks its kind.
        let id = unsafe { ffi::rvsdg_const_int(self.raw.as_ptr(), ty, limbs.as_ptr(), limbs.len()) };
        self.built(id)
    }

    /// The number of a floating-point constant.
    ///
    /// # Panics
    /// When `ty` is not a floating-point scalar type.
    pub fn const_float(&mut self, ty: u32, bits: u128) -> u32 {
        assert!(ty < self.types);
        // SAFETY: the type is in the table, and the shim checks its kind.
        let id = unsafe { ffi::rvsdg_const_float(self.raw.as_ptr(), ty, bits as u64, (bits >> 64) as u64) };
        self.built(id)
    }

    /// The number of the zero (0), undef (1) or poison (2) of a type.
    pub fn const_special(&mut self, ty: u32, what: u32) -> u32 {
        assert!(ty < self.types);
        // SAFETY: the type is in the table, and the shim checks its kind.
        let id = unsafe { ffi::rvsdg_const_special(self.raw.as_ptr(), ty, what) };
        self.built(id)
    }

    /// The number of a constant that was just requested.
    fn built(&mut self, id: u32) -> u32 {
        assert!(id != NONE, "a constant has a type that has such constants");
        self.count();
        id
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        // SAFETY: owned, and the module, to which it refers, is dropped afterwards.
        unsafe { ffi::rvsdg_carrier_free(self.raw.as_ptr()) }
    }
}

/// Rewrites bodies, one after the other.
pub(crate) struct Writer<'a> {
    raw: NonNull<ffi::Writer>,
    carrier: &'a mut Carrier,
    slots: u32,
    blocks: u32,
}

impl<'a> Writer<'a> {
    /// A writer for bodies that `carrier` has read.
    pub fn new(carrier: &'a mut Carrier) -> Self {
        // Describing assigns numbers, too.
        carrier.count();
        // SAFETY: the carrier is live and borrowed for as long as the writer.
        let raw = NonNull::new(unsafe { ffi::rvsdg_writer_new(carrier.raw.as_ptr()) }).expect("never null");
        Writer { raw, carrier, slots: 0, blocks: 0 }
    }

    /// The tables.
    pub fn carrier(&mut self) -> &mut Carrier {
        self.carrier
    }

    fn value(&self, value: Ref) -> u32 {
        let index = value.0 >> 2;
        assert!(value == Ref::KEEP || index < if value.0 & 3 == 1 { self.carrier.consts } else { self.slots });
        value.0
    }

    fn block_number(&self, block: u32) -> u32 {
        assert!(block < self.blocks);
        block
    }

    fn source_number(&self, source: u32) -> u32 {
        assert!(source < self.carrier.sources);
        source
    }

    /// Starts a function; `params` slots hold its parameters.
    pub fn begin(&mut self, symbol: u32, first: u32, count: u32, params: u32) {
        // SAFETY: the writer is live; the shim checks the numbers.
        let begun = unsafe { ffi::rvsdg_w_begin(self.raw.as_ptr(), symbol, first, count) };
        assert!(begun, "a function is rewritten once, from what was read of it");
        self.slots = params;
        self.blocks = 0;
    }

    /// Adds sources to the function: those that were inlined.
    pub fn extend(&mut self, first: u32, count: u32) {
        // SAFETY: the writer is live and has begun a function; the shim checks the numbers.
        unsafe { ffi::rvsdg_w_extend(self.raw.as_ptr(), first, count) }
    }

    /// Keeps the address of an old block, by number, for a block that names it as its label.
    pub fn reserve(&mut self, label: u32) {
        // SAFETY: the writer is live; the shim checks the number.
        unsafe { ffi::rvsdg_w_reserve(self.raw.as_ptr(), label) }
    }

    /// Appends a block that takes over the name of the old block that source `first` (or [`NONE`]) is in, or the address of
    /// the old block of number `label` (or [`NONE`]), which was reserved. All blocks are appended before anything is taken.
    pub fn block(&mut self, first: u32, label: u32) -> u32 {
        assert!(first == NONE || first < self.carrier.sources);
        self.blocks += 1;
        // SAFETY: the writer is live and has begun a function; the number is in range.
        unsafe { ffi::rvsdg_w_block(self.raw.as_ptr(), first, label) }
    }

    /// A source's opcode and number of successors.
    pub fn source_kind(&self, source: u32) -> (Opcode, u32) {
        // SAFETY: the number is in range.
        let kind = unsafe { ffi::rvsdg_w_source_kind(self.raw.as_ptr(), self.source_number(source)) };
        (Opcode::of(kind & 0xff), kind >> 8)
    }

    /// The source that is the landing pad of a source that is an invoke.
    pub fn landing_pad(&self, invoke: u32) -> Option<u32> {
        // SAFETY: the number is in range.
        let pad = unsafe { ffi::rvsdg_w_landing_pad(self.raw.as_ptr(), self.source_number(invoke)) };
        (pad != NONE).then_some(pad)
    }

    /// Appends a source instruction to a block; its value is in the slot returned. `None`, and nothing happens, when the
    /// source says something else. Debug records before one that was `moved` stay where they are.
    pub fn take(&mut self, block: u32, source: u32, says: &Description, moved: bool) -> Option<u32> {
        let (block, source) = (self.block_number(block), self.source_number(source));
        let extra = &says.extra;
        assert!(says.ty < self.carrier.types);
        // SAFETY: all numbers are in range, and sources are live until the writer is dropped.
        let slot = unsafe {
            ffi::rvsdg_w_take(
                self.raw.as_ptr(),
                block,
                source,
                says.opcode.number(),
                says.ty,
                extra.as_ptr(),
                extra.len(),
                moved,
            )
        };
        (slot != NONE).then(|| {
            self.slots += 1;
            slot
        })
    }

    /// Appends a source that is a terminator to a block.
    pub fn take_terminator(&mut self, block: u32, source: u32) -> u32 {
        let (block, source) = (self.block_number(block), self.source_number(source));
        self.slots += 1;
        // SAFETY: all numbers are in range, and sources are live until the writer is dropped.
        unsafe { ffi::rvsdg_w_take_terminator(self.raw.as_ptr(), block, source) }
    }

    /// Says what is said of the loop that a block's terminator repeats; the rest is what a source says.
    pub fn loop_hints(&mut self, block: u32, source: Option<u32>, hints: LoopHints) {
        let block = self.block_number(block);
        let source = source.map_or(NONE, |source| self.source_number(source));
        let [unroll, vectorize, role] = hint_words(hints);
        // SAFETY: all numbers are in range.
        unsafe { ffi::rvsdg_w_loop(self.raw.as_ptr(), block, source, unroll, vectorize, role) }
    }

    /// Sets what of a call that was taken can differ from the original.
    pub fn call(&mut self, slot: u32, says: &Description) {
        assert!(slot < self.slots);
        // SAFETY: the slot is in range, and the words describe a call.
        unsafe { ffi::rvsdg_w_call(self.raw.as_ptr(), slot, says.extra.as_ptr(), says.extra.len()) }
    }

    /// Records how an instruction was moved away from the position of its original: its location and promises that hold only there are
    /// dropped.
    pub fn moved(&mut self, slot: u32, motion: Motion) {
        assert!(slot < self.slots);
        let motion = match motion {
            Motion::Sunk => 0,
            Motion::Hoisted => 1,
            Motion::Speculated => 2,
        };
        // SAFETY: the slot is in range.
        unsafe { ffi::rvsdg_w_moved(self.raw.as_ptr(), slot, motion) }
    }

    /// Whether a source is a switch with exactly these cases, given as numbers of constants.
    pub fn has_cases(&self, source: u32, cases: &[u32]) -> bool {
        assert!(cases.iter().all(|&case| case < self.carrier.consts));
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_has_cases(self.raw.as_ptr(), self.source_number(source), cases.as_ptr(), cases.len()) }
    }

    /// Sets the operands of a taken instruction, in the order in which they were read.
    pub fn operands(&mut self, slot: u32, refs: &[Ref]) {
        assert!(slot < self.slots);
        for &value in refs {
            self.value(value);
        }
        // SAFETY: numbers are in range; `Ref` is a transparent `u32`.
        let set = unsafe { ffi::rvsdg_w_operands(self.raw.as_ptr(), slot, refs.as_ptr().cast(), refs.len()) };
        assert!(set, "operands match those of the source instruction in number and type");
    }

    /// Sets the condition ([`Ref::KEEP`] for an unconditional branch) and all successors of a terminator taken.
    pub fn branch(&mut self, slot: u32, condition: Ref, blocks: &[u32]) {
        assert!(slot < self.slots && blocks.iter().all(|&block| block < self.blocks));
        let condition = self.value(condition);
        // SAFETY: numbers are in range.
        let set = unsafe { ffi::rvsdg_w_branch(self.raw.as_ptr(), slot, condition, blocks.as_ptr(), blocks.len()) };
        assert!(set, "the terminator taken has these successors");
    }

    /// Sets address and destinations of an indirect branch that was taken.
    pub fn indirect(&mut self, slot: u32, address: Ref, blocks: &[u32]) {
        assert!(slot < self.slots && address != Ref::KEEP && blocks.iter().all(|&block| block < self.blocks));
        let address = self.value(address);
        // SAFETY: numbers are in range.
        let set = unsafe { ffi::rvsdg_w_indirect(self.raw.as_ptr(), slot, address, blocks.as_ptr(), blocks.len()) };
        assert!(set, "the terminator taken is an indirect branch");
    }

    /// A phi at the end of a block so far, standing for the phi that is source `origin` (or [`NONE`]).
    pub fn phi(&mut self, block: u32, ty: u32, origin: u32, incoming: u32) -> u32 {
        assert!(ty < self.carrier.types && (origin == NONE || origin < self.carrier.sources));
        self.slots += 1;
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_phi(self.raw.as_ptr(), self.block_number(block), ty, origin, incoming) }
    }

    /// Adds an incoming value.
    pub fn incoming(&mut self, slot: u32, value: Ref, block: u32) {
        assert!(slot < self.slots);
        // SAFETY: numbers are in range.
        let added =
            unsafe { ffi::rvsdg_w_incoming(self.raw.as_ptr(), slot, self.value(value), self.block_number(block)) };
        assert!(added, "an incoming value has the type of its phi");
    }

    /// Records that the result of source `source` is now `value` ([`Ref::KEEP`] for none), or the result of source `other` (or [`NONE`]),
    /// unless the source itself is in the new body. The first record counts.
    pub fn same(&mut self, source: u32, value: Ref, other: u32) {
        let source = self.source_number(source);
        assert!(other == NONE || other < self.carrier.sources);
        let value = self.value(value);
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_same(self.raw.as_ptr(), source, value, other) }
    }

    /// Records that `value` ([`Ref::KEEP`] for none) replaces a parameter wherever it is defined.
    pub fn same_param(&mut self, param: u32, value: Ref) {
        if value != Ref::KEEP {
            // SAFETY: the value's number is in range, and the shim checks the parameter's.
            unsafe { ffi::rvsdg_w_same_param(self.raw.as_ptr(), param, self.value(value)) }
        }
    }

    /// Records that `value` is, where it is defined, the contents of memory `offset` bytes after the address of the load, store or
    /// allocation with source `access`; or that it is an allocation for that memory.
    pub fn content(&mut self, value: Ref, access: u32, offset: u64) {
        let access = self.source_number(access);
        if value != Ref::KEEP {
            // SAFETY: numbers are in range.
            unsafe { ffi::rvsdg_w_content(self.raw.as_ptr(), self.value(value), access, offset) }
        }
    }

    /// Says that the block that ended with source `end` is executed in any case now.
    pub fn flattened(&mut self, end: u32) {
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_flattened(self.raw.as_ptr(), self.source_number(end)) }
    }

    /// Says that it is known where a branch goes.
    pub fn decided(&mut self, branch: u32) {
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_decided(self.raw.as_ptr(), self.source_number(branch)) }
    }

    /// Ends the function. Its sources that are not in the new body are deleted, unless another body has clones of some (`is_wanted`).
    pub fn end(&mut self, is_wanted: bool) {
        // SAFETY: the writer is live and has begun a function.
        unsafe { ffi::rvsdg_w_end(self.raw.as_ptr(), is_wanted) }
        self.slots = 0;
        self.blocks = 0;
    }

    /// Sets an instruction's flags, in LLVM's bits for its opcode.
    pub fn flags(&mut self, slot: u32, flags: u32) {
        assert!(slot < self.slots);
        // SAFETY: the slot is in range.
        unsafe { ffi::rvsdg_w_flags(self.raw.as_ptr(), slot, flags) }
    }

    /// Keeps only metadata that holds for source `merged` too.
    pub fn merge(&mut self, slot: u32, merged: u32) {
        assert!(slot < self.slots);
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_merge(self.raw.as_ptr(), slot, self.source_number(merged)) }
    }

    /// An unconditional branch at the location of source `like` (or [`NONE`]).
    pub fn jump(&mut self, block: u32, target: u32, like: u32) {
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_jump(self.raw.as_ptr(), self.block_number(block), self.block_number(target), like) }
        self.slots += 1;
    }

    /// A conditional branch.
    pub fn cond_jump(&mut self, block: u32, condition: Ref, then: u32, otherwise: u32, like: u32) {
        assert!(condition != Ref::KEEP);
        let (then, otherwise) = (self.block_number(then), self.block_number(otherwise));
        let condition = self.value(condition);
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_cond_jump(self.raw.as_ptr(), self.block_number(block), condition, then, otherwise, like) }
        self.slots += 1;
    }

    /// A switch; `cases` are pairs of an integer constant's number and a block.
    pub fn switch(&mut self, block: u32, condition: Ref, default: u32, cases: &[u32], like: u32) {
        assert!(condition != Ref::KEEP && cases.len().is_multiple_of(2));
        assert!(cases.chunks_exact(2).all(|case| case[0] < self.carrier.consts && case[1] < self.blocks));
        let (default, condition) = (self.block_number(default), self.value(condition));
        // SAFETY: numbers are in range.
        let built = unsafe {
            ffi::rvsdg_w_switch(
                self.raw.as_ptr(),
                self.block_number(block),
                condition,
                default,
                cases.as_ptr(),
                cases.len(),
                like,
            )
        };
        assert!(built, "the cases of a match table are integers");
        self.slots += 1;
    }

    /// A return; [`Ref::KEEP`] returns nothing.
    pub fn ret(&mut self, block: u32, value: Ref) {
        // SAFETY: numbers are in range.
        unsafe { ffi::rvsdg_w_return(self.raw.as_ptr(), self.block_number(block), self.value(value)) }
        self.slots += 1;
    }

    /// An `unreachable`.
    pub fn unreachable(&mut self, block: u32) {
        // SAFETY: the block is in range.
        unsafe { ffi::rvsdg_w_unreachable(self.raw.as_ptr(), self.block_number(block)) }
        self.slots += 1;
    }

    /// An instruction at the location of source `like` (or [`NONE`]); `None` when operands and opcode do not fit.
    pub fn build(&mut self, block: u32, says: &Description, flags: u32, refs: &[Ref], like: u32) -> Option<u32> {
        assert!(says.ty < self.carrier.types && !refs.contains(&Ref::KEEP));
        for &value in refs {
            self.value(value);
        }
        // SAFETY: numbers are in range; `Ref` is a transparent `u32`.
        let slot = unsafe {
            ffi::rvsdg_w_build(
                self.raw.as_ptr(),
                self.block_number(block),
                says.opcode.number(),
                says.ty,
                flags,
                says.extra.as_ptr(),
                says.extra.len(),
                refs.as_ptr().cast(),
                refs.len(),
                like,
            )
        };
        (slot != NONE).then(|| {
            self.slots += 1;
            slot
        })
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { ffi::rvsdg_writer_free(self.raw.as_ptr()) }
    }
}

#[cfg(test)]
mod tests;
