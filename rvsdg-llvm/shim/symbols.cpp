// The module level: symbols with every property textual IR can express, and the module's own.

#include "carrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Comdat.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

uint32_t optional(RvsdgCarrier &C, StringRef S) { return S.empty() ? None : C.string(S); }

uint32_t operand(RvsdgCarrier &C, bool Has, Constant *V) { return Has ? C.constant(V) : None; }

uint32_t alignment(MaybeAlign A) { return A ? Log2(*A) : None; }

// Sixteen words every symbol has.
void common(RvsdgCarrier &C, const GlobalValue &G, uint32_t Kind) {
  C.word(Kind);
  C.word(C.string(G.getName()));
  C.word(C.type(G.getValueType()));
  C.word(G.getAddressSpace());
  C.word(uint32_t(G.getLinkage()));
  C.word(uint32_t(G.getVisibility()));
  C.word(uint32_t(G.getDLLStorageClass()));
  C.word(uint32_t(G.getThreadLocalMode()));
  C.word(uint32_t(G.getUnnamedAddr()));
  C.word(G.isDSOLocal());
  C.word(optional(C, G.getPartition()));
  auto *Object = dyn_cast<GlobalObject>(&G);
  C.word(Object ? optional(C, Object->getSection()) : None);
  const Comdat *Group = Object ? Object->getComdat() : nullptr;
  C.word(Group ? C.string(Group->getName()) : None);
  C.word(Group ? uint32_t(Group->getSelectionKind()) : 0);
  uint32_t Sanitizer = 0;
  if (G.hasSanitizerMetadata()) {
    GlobalValue::SanitizerMetadata S = G.getSanitizerMetadata();
    Sanitizer = uint32_t(S.NoAddress) | uint32_t(S.NoHWAddress) << 1 | uint32_t(S.Memtag) << 2 | uint32_t(S.IsDynInit) << 3;
  }
  C.word(Sanitizer);
  C.word(G.isDeclaration());
}

void variable(RvsdgCarrier &C, const GlobalVariable &G) {
  common(C, G, 0);
  C.word(uint32_t(G.isConstant()) | uint32_t(G.isExternallyInitialized()) << 1);
  C.word(alignment(G.getAlign()));
  C.word(operand(C, G.hasInitializer(), G.hasInitializer() ? const_cast<Constant *>(G.getInitializer()) : nullptr));
  C.word(G.getCodeModel() ? uint32_t(*G.getCodeModel()) : None);
  rvsdgAttributeSet(C, G.getAttributes());
}

void function(RvsdgCarrier &C, Function &F) {
  common(C, F, 1);
  C.word(F.getCallingConv());
  C.word(C.attributes(F.getAttributes()));
  C.word(alignment(F.getAlign()));
  C.word(F.hasGC() ? C.string(F.getGC()) : None);
  C.word(operand(C, F.hasPersonalityFn(), F.hasPersonalityFn() ? F.getPersonalityFn() : nullptr));
  C.word(operand(C, F.hasPrefixData(), F.hasPrefixData() ? F.getPrefixData() : nullptr));
  C.word(operand(C, F.hasPrologueData(), F.hasPrologueData() ? F.getPrologueData() : nullptr));
  C.word(F.isIntrinsic());
}

} // namespace

extern "C" {

// Kind (0 variable, 1 function, 2 alias, 3 ifunc), common properties, properties of that kind.
RvsdgWords rvsdg_describe_symbol(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id < C->NumSymbols) {
    Value *V = C->Consts[Id];
    if (auto *G = dyn_cast<GlobalVariable>(V)) {
      variable(*C, *G);
    } else if (auto *F = dyn_cast<Function>(V)) {
      function(*C, *F);
    } else if (auto *A = dyn_cast<GlobalAlias>(V)) {
      common(*C, *A, 2);
      C->word(C->constant(A->getAliasee()));
    } else if (auto *I = dyn_cast<GlobalIFunc>(V)) {
      common(*C, *I, 3);
      C->word(C->constant(I->getResolver()));
    }
  }
  return answer(*C);
}

// The module's identifier, source file name, data layout, triple and inline assembly, one call of Sink each.
void rvsdg_describe_module(const RvsdgCarrier *C, RvsdgSink Sink, void *Cx) {
  emitText(Sink, Cx, C->M.getModuleIdentifier());
  emitText(Sink, Cx, C->M.getSourceFileName());
  emitText(Sink, Cx, C->M.getDataLayoutStr());
  emitText(Sink, Cx, C->M.getTargetTriple().str());
  emitText(Sink, Cx, C->M.getModuleInlineAsm());
}

// The comdats in the order of the symbols that use them, then those without one: name, selection kind.
RvsdgWords rvsdg_describe_comdats(RvsdgCarrier *C) {
  C->Out.clear();
  SmallPtrSet<const Comdat *, 16> Seen;
  auto Add = [&](const Comdat &Group) {
    if (Seen.insert(&Group).second) {
      C->word(C->string(Group.getName()));
      C->word(uint32_t(Group.getSelectionKind()));
    }
  };
  for (const GlobalObject &G : C->M.global_objects())
    if (const Comdat *Group = G.getComdat())
      Add(*Group);
  SmallVector<const Comdat *, 8> Unused;
  for (auto &Entry : C->M.getComdatSymbolTable())
    if (!Seen.contains(&Entry.second))
      Unused.push_back(&Entry.second);
  llvm::sort(Unused, [](const Comdat *A, const Comdat *B) { return A->getName() < B->getName(); });
  for (const Comdat *Group : Unused)
    Add(*Group);
  return answer(*C);
}

// Module flags: behaviour, name, text of the value (~0 when it cannot stand alone).
RvsdgWords rvsdg_describe_flags(RvsdgCarrier *C) {
  C->Out.clear();
  SmallVector<Module::ModuleFlagEntry, 8> Flags;
  C->M.getModuleFlagsMetadata(Flags);
  for (const Module::ModuleFlagEntry &Flag : Flags) {
    std::string Text;
    raw_string_ostream OS(Text);
    C->word(uint32_t(Flag.Behavior));
    C->word(C->string(Flag.Key->getString()));
    C->word(rvsdgMetadataText(Flag.Val, OS, 8) ? C->string(Text) : None);
  }
  return answer(*C);
}
}
