// Copies of a callee's instructions at a call of it, made before any body is rewritten: the copies stand at the end of the
// caller as if they had been read there, so that rewriting the caller moves them to their places with all that is attached.

#include "carrier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

// Alias scopes hold for one execution of the function they were made for: each copy gets its own.
struct ScopeCloner {
  LLVMContext &Context;
  DenseMap<const MDNode *, MDNode *> Domains, Scopes, Lists;

  explicit ScopeCloner(LLVMContext &Context) : Context(Context) {}

  MDNode *scope(MDNode *Old) {
    MDNode *&New = Scopes[Old];
    if (New)
      return New;
    AliasScopeNode Node(Old);
    auto *OldDomain = const_cast<MDNode *>(Node.getDomain());
    MDBuilder Builder(Context);
    MDNode *Domain = nullptr;
    if (OldDomain) {
      MDNode *&Known = Domains[OldDomain];
      if (!Known)
        Known = Builder.createAnonymousAliasScopeDomain();
      Domain = Known;
    }
    return New = Domain ? Builder.createAnonymousAliasScope(Domain, Node.getName()) : Old;
  }

  MDNode *list(MDNode *Old) {
    MDNode *&New = Lists[Old];
    if (New)
      return New;
    SmallVector<Metadata *, 4> Members;
    for (const MDOperand &Operand : Old->operands())
      if (auto *Member = dyn_cast_or_null<MDNode>(Operand.get()))
        Members.push_back(scope(Member));
    return New = MDNode::get(Context, Members);
  }

  void apply(Instruction &I) {
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *Old = I.getMetadata(Kind))
        I.setMetadata(Kind, list(Old));
    if (auto *Decl = dyn_cast<NoAliasScopeDeclInst>(&I))
      Decl->setScopeList(list(Decl->getScopeList()));
  }
};

// Where copied instructions come from, for debuggers.
struct Relocation {
  Function &Caller;
  LLVMContext &Context;
  DebugLoc Call;
  DILocation *At = nullptr;
  bool CalleeHasInfo, LinesOfCall;
  DenseMap<const MDNode *, MDNode *> Cache, Loops;

  Relocation(Function &Caller, const Function &Callee, const CallBase &CB)
      : Caller(Caller), Context(Caller.getContext()), Call(CB.getDebugLoc()), CalleeHasInfo(Callee.getSubprogram()),
        LinesOfCall(Caller.hasFnAttribute("no-inline-line-tables")) {
    if (Call && Caller.getSubprogram())
      At = DILocation::getDistinct(Context, Call.getLine(), Call.getCol(), Call.getScope(), Call.getInlinedAt());
  }

  DebugLoc inlined(const DebugLoc &Old) {
    DebugLoc Outer = DebugLoc::appendInlinedAt(Old, At, Context, Cache);
    return DILocation::get(Context, Old.getLine(), Old.getCol(), Old.getScope(), Outer, Old.isImplicitCode());
  }

  // Each copy of a loop is a loop of its own, whether its name tells where it is or not.
  MDNode *loop(MDNode *Old) {
    if (Old->getNumOperands() == 0 || Old->getOperand(0) != Old)
      return Old;
    MDNode *&New = Loops[Old];
    if (New)
      return New;
    SmallVector<Metadata *, 4> Operands = {nullptr};
    for (const MDOperand &Operand : llvm::drop_begin(Old->operands())) {
      auto *Location = dyn_cast_or_null<DILocation>(Operand.get());
      if (!Location)
        Operands.push_back(Operand.get());
      else if (At && !LinesOfCall)
        Operands.push_back(inlined(Location).get());
    }
    New = MDNode::getDistinct(Context, Operands);
    New->replaceOperandWith(0, New);
    return New;
  }

  void apply(Instruction &I) {
    if (MDNode *Old = I.getMetadata(LLVMContext::MD_loop))
      I.setMetadata(LLVMContext::MD_loop, loop(Old));
    if (!At || LinesOfCall) {
      // What has no place in the caller's description, or is described as the call.
      I.dropDbgRecords();
      DebugLoc Place = At ? Call : DebugLoc();
      if (!Place && Caller.getSubprogram() && isa<CallBase>(I))
        Place = DILocation::get(Context, 0, 0, Caller.getSubprogram());
      I.setDebugLoc(Place);
      return;
    }
    if (DebugLoc Old = I.getDebugLoc())
      I.setDebugLoc(inlined(Old));
    else if (!CalleeHasInfo && !isa<AllocaInst>(I))
      I.setDebugLoc(Call);
    for (DbgRecord &Record : I.getDbgRecordRange())
      Record.setDebugLoc(inlined(Record.getDebugLoc()));
  }
};

// A return goes on behind the call.
Instruction *replaceReturn(ReturnInst &Return, BasicBlock *Behind) {
  BasicBlock *BB = Return.getParent();
  auto *Br = BranchInst::Create(Behind);
  Br->insertInto(BB, BB->end());
  Br->setDebugLoc(Return.getDebugLoc());
  if (Return.hasDbgRecords())
    BB->createMarker(Br->getIterator())->absorbDebugValues(*Return.DebugMarker, /*InsertAtHead=*/true);
  Return.eraseFromParent();
  return Br;
}

} // namespace

extern "C" {

// Copies the instructions of the function with symbol number Callee, whose sources are the Extents (pairs of first source and
// count), to the end of Caller, as the sources from First on: what stands for source Call, a call of that function in the
// caller. The caller's attributes are those that allow it to hold them. When the numbers do not describe that, the copies do not
// exist. The Changed parameters are not what is passed for all of the callee. No body may have been rewritten.
void rvsdg_inline(RvsdgCarrier *C, uint32_t Caller, uint32_t Call, uint32_t Callee, uint32_t First, const uint32_t *Extents,
                  size_t Len, const uint32_t *Changed, size_t NumChanged) {
  size_t Used = C->Sources.size(), Copies = First;
  for (size_t K = 0; K + 1 < Len; K += 2)
    Copies += Extents[K + 1];
  // Sources left out belong to copies that nothing needs.
  C->Sources.resize(std::max(Used, Copies));
  if (Caller >= C->NumSymbols || Callee >= C->NumSymbols || Call >= Used || First < Used)
    return;
  auto *F = dyn_cast<Function>(C->Consts[Caller]);
  auto *G = dyn_cast<Function>(C->Consts[Callee]);
  auto *CB = dyn_cast_or_null<CallBase>(C->Sources[Call]);
  if (!F || !G || !CB || F == G || CB->getFunction() != F || CB->arg_size() != G->arg_size())
    return;

  ValueToValueMapTy VMap;
  for (auto [Argument, Operand] : llvm::zip(G->args(), CB->args()))
    VMap[&Argument] = Operand.get();
  // What a debugger finds of them in the copies is not known.
  for (uint32_t Param : ArrayRef(Changed, NumChanged))
    if (Param < G->arg_size())
      VMap[G->getArg(Param)] = PoisonValue::get(G->getArg(Param)->getType());
  // Each block with the numbers of its first instruction and of that one's copy.
  SmallVector<std::tuple<BasicBlock *, uint32_t, uint32_t>, 16> Old;
  uint32_t Copied = First;
  for (size_t K = 0; K + 1 < Len; K += 2) {
    uint32_t Begin = Extents[K], End = Begin + Extents[K + 1];
    auto At = llvm::lower_bound(C->SourceBlocks, Begin, [](auto &Entry, uint32_t S) { return Entry.second < S; });
    for (; At != C->SourceBlocks.end() && At->second < End; ++At)
      Old.push_back({At->first, At->second, Copied + (At->second - Begin)});
    Copied += End - Begin;
  }

  Relocation Place(*F, *G, *CB);
  ScopeCloner Scopes(F->getContext());
  auto *Plain = dyn_cast<CallInst>(CB);
  CallInst::TailCallKind Tail = Plain ? Plain->getTailCallKind() : CallInst::TCK_None;
  SmallVector<BasicBlock *, 16> New;
  for (auto [BB, Begin, Number] : Old) {
    auto *Copy = CloneBasicBlock(BB, VMap, "", F);
    VMap[BB] = Copy;
    New.push_back(Copy);
  }
  // What was inlined into the callee and is not copied gave values that nothing needs.
  for (auto [BB, Begin, Number] : Old)
    for (Instruction &I : *BB)
      for (Value *Operand : I.operands())
        if (isa<Instruction>(Operand) && !VMap.count(Operand))
          VMap[Operand] = Operand->getType()->isTokenTy() ? (Value *)ConstantTokenNone::get(F->getContext())
                                                          : PoisonValue::get(Operand->getType());
  remapInstructionsInBlocks(New, VMap);

  C->Calls[First] = Call;
  C->InlinedCalls[Call] = First;
  DenseMap<DIAssignID *, DIAssignID *> AssignIds;
  DenseMap<uint32_t, uint32_t> Numbers;
  Value *Returned = nullptr;
  unsigned Returns = 0;
  for (auto [Block, Copy] : llvm::zip(Old, New)) {
    auto [BB, Original, Number] = Block;
    C->SourceBlocks.push_back({Copy, Number});
    for (Instruction &I : llvm::make_early_inc_range(*Copy)) {
      Numbers[Original++] = Number;
      Place.apply(I);
      Scopes.apply(I);
      at::remapAssignID(AssignIds, I);
      if (auto *Inner = dyn_cast<CallInst>(&I); Inner && Inner->getTailCallKind() != CallInst::TCK_NoTail)
        Inner->setTailCallKind(std::min(Tail, Inner->getTailCallKind()));
      if (auto *Return = dyn_cast<ReturnInst>(&I)) {
        ++Returns;
        Returned = Return->getReturnValue();
        C->Sources[Number] = replaceReturn(*Return, CB->getParent());
        C->Returns[C->Sources[Number]] = Call;
        break;
      }
      C->Sources[Number++] = &I;
    }
  }
  // What was inlined into the callee is inlined into the caller.
  for (auto [From, To] : Numbers) {
    if (auto At = C->Calls.find(From); At != C->Calls.end())
      if (auto Inner = Numbers.find(At->second); Inner != Numbers.end())
        C->InlinedCalls[C->Calls[To] = Inner->second] = To;
    if (auto At = C->Returns.find(C->Sources[From]); At != C->Returns.end())
      if (auto Inner = Numbers.find(At->second); Inner != Numbers.end())
        C->Returns[C->Sources[To]] = Inner->second;
  }
  for (auto [From, To] : Numbers) {
    auto Pad = C->Pads.find(From);
    if (Pad == C->Pads.end())
      continue;
    auto Landing = Numbers.find(Pad->second);
    if (Landing != Numbers.end())
      C->Pads[To] = Landing->second;
  }
  // What describes the call's value describes what the callee returns.
  if (Returns == 1 && Returned && Returned != CB)
    CB->replaceAllUsesWith(Returned);

  AttributeFuncs::mergeAttributesForInlining(*F, *G);
  if (G->hasPersonalityFn() && !F->hasPersonalityFn())
    F->setPersonalityFn(G->getPersonalityFn());
  if (G->hasGC() && !F->hasGC())
    F->setGC(G->getGC());
}
}
