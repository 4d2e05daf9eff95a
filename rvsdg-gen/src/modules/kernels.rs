//! Kernels for NVPTX, whose threads compute from their numbers.

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList};
use rvsdg_core::module::{Header, Linkage, SymbolKind};
use rvsdg_core::{Constant, Module, NodeKind, Type, TypeKind};

use super::{Builder, ENTRY, Signature};
use crate::bodies::Known;
use crate::bodies::kernels::{Kernel, REGISTERS, THREADS};
use crate::entropy::Entropy;
use crate::weights::{Size, Weights};

/// LLVM's number of the calling convention of kernels.
const CONVENTION: u32 = 71;
const BARRIER: &str = "llvm.nvvm.barrier.cta.sync.aligned.all";

/// A module with the kernel [`ENTRY`], for blocks of [`THREADS`] threads. Its parameters are an `i32`, an `i64`, a pointer to as many
/// 64-bit words to read as a block has threads, and one to as many words to write as there are threads. The word that a thread writes
/// depends on everything it computed. `weights` are [defined](Weights::defined).
pub fn kernel(entropy: &mut Entropy<'_>, weights: &Weights, size: Size) -> Module {
    let header = Header { triple: "nvptx64-nvidia-cuda".into(), ..Header::default() };
    let mut builder = Builder::new(entropy, weights, size, header);
    let mut symbols = Vec::new();
    for (name, params, result) in
        REGISTERS.iter().map(|&name| (name, &[][..], Type::I32)).chain([(BARRIER, &[Type::I32][..], Type::VOID)])
    {
        let mut data = builder.function_symbol(name, result, params, false);
        if let SymbolKind::Function { attributes, .. } = &mut data.kind {
            let convergent = (name == BARRIER).then_some(AttributeKind::Convergent);
            let function = convergent.into_iter().chain([AttributeKind::NoUnwind]).map(Attribute::Plain).collect();
            *attributes = builder.module.pool.intern_attributes(AttributeList { function, ..AttributeList::default() });
        }
        let symbol = builder.module.add_symbol(data);
        symbols.push(builder.module.add_import(symbol));
    }
    symbols.push(builder.shared());
    for index in 0..builder.entropy.below(2) {
        builder.table(index);
    }
    if builder.entropy.chance(1, 3) {
        // Which thread accesses it first is unspecified.
        builder.memory(0);
    }
    for index in 0..builder.entropy.below(3) {
        if builder.entropy.chance(1, 3) { builder.recursive(index) } else { builder.function(index) }
    }
    let global = builder.module.pool.intern_type(TypeKind::Ptr(1));
    let params = [Type::I32, Type::I64, global, global];
    let mut data = builder.function_symbol(ENTRY, Type::VOID, &params, false);
    if let SymbolKind::Function { convention, attributes, .. } = &mut data.kind {
        *convention = CONVENTION;
        let bounds = builder.entropy.pick(&[None, Some(("nvvm.maxntid", "8,8")), Some(("nvvm.reqntid", "64"))]);
        let function = bounds.into_iter().map(|(key, value)| Attribute::string(key, value)).collect();
        *attributes = builder.module.pool.intern_attributes(AttributeList { function, ..AttributeList::default() });
    }
    let symbol = builder.module.add_symbol(data);
    let root = builder.module.omega.root();
    let known = builder.known.iter().map(|&(_, origin, what)| (origin, what));
    let context: Vec<_> = symbols.iter().map(|&origin| (origin, None::<Known>)).chain(known).collect();
    let signature = Signature { params: params.map(|ty| (ty, None)).into(), result: Type::VOID, returned: None };
    let kernel = Kernel { params: context.len() };
    let output = builder.lambda(root, symbol, &signature, &context, (None, Some(kernel)));
    builder.module.add_export(output);
    builder.module
}

impl Builder<'_, '_> {
    /// An array that the threads of a block share.
    fn shared(&mut self) -> rvsdg_core::Origin {
        let pool = self.module.pool.clone();
        let ty = pool.intern_type(TypeKind::Array { element: Type::I64, len: THREADS });
        let undef = pool.intern_const(Constant::Undef(ty));
        let mut data = self.variable_symbol("shared", ty, Some(undef));
        (data.address_space, data.linkage, data.align) = (3, Linkage::Internal, Some(8));
        let symbol = self.module.add_symbol(data);
        let root = self.module.omega.root();
        let address = pool.intern_type(TypeKind::Ptr(3));
        let node = self.module.omega.add_node(root, NodeKind::Delta(symbol), &[], &[address]);
        self.module.omega.output(node, 0)
    }
}
