// Rewriting one function body at a time: new blocks at the end of the function, original instructions moved (first time)
// or cloned (later) into them, phis built anew. The old blocks with whatever was left in them move to a graveyard
// function, and are deleted when nobody clones from there.

#include "writer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace {

// Whether an operand is the address of memory that an instruction accesses.
bool isAddress(const Instruction &I, unsigned At) {
  if (isa<StoreInst>(I))
    return At == StoreInst::getPointerOperandIndex();
  return (isa<LoadInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I)) && At == 0;
}

Function *graveyard(RvsdgWriter &W) {
  if (!W.Grave) {
    auto *T = FunctionType::get(Type::getVoidTy(W.C.M.getContext()), false);
    W.Grave = Function::Create(T, GlobalValue::InternalLinkage, "", W.C.M);
  }
  return W.Grave;
}

// Deletes what is in a graveyard.
void clear(Function &Grave) {
  for (BasicBlock &BB : Grave)
    BB.dropAllReferences();
  for (BasicBlock &BB : Grave)
    for (Instruction &I : BB)
      if (!I.use_empty())
        I.replaceAllUsesWith(PoisonValue::get(I.getType()));
  while (!Grave.empty())
    Grave.begin()->eraseFromParent();
}

// Deletes what is left of the function's old blocks.
void deleteOld(RvsdgWriter &W) {
  auto &C = W.C;
  for (auto [Begin, End] : W.OldRange) {
    auto At = llvm::lower_bound(C.SourceBlocks, Begin, [](auto &Entry, uint32_t S) { return Entry.second < S; });
    At->first = nullptr;
    for (uint32_t S = Begin; S != End; ++S)
      if (!W.isEmitted(S)) {
        C.Returns.erase(C.Sources[S]);
        C.Sources[S] = nullptr;
      }
  }
  clear(*W.Grave);
}

// Incoming blocks in the order of the phi this one stands for: not of meaning, but what was not changed stays the same.
void orderLikeOriginal(RvsdgWriter &W, PHINode &New, const PHINode &Old) {
  unsigned N = New.getNumIncomingValues();
  auto Same = [&](unsigned I) { return W.LastOld.lookup(New.getIncomingBlock(I)) == Old.getIncomingBlock(I); };
  if (N < 2 || (N == Old.getNumIncomingValues() && llvm::all_of(llvm::seq(N), Same)))
    return;
  // The n-th edge from a block goes where the n-th edge from that block was.
  DenseMap<const BasicBlock *, SmallVector<unsigned, 2>> Positions;
  for (unsigned I = Old.getNumIncomingValues(); I-- != 0;)
    Positions[Old.getIncomingBlock(I)].push_back(I);
  SmallVector<std::pair<unsigned, unsigned>, 8> Order;
  bool Sorted = true;
  for (unsigned I = 0; I != N; ++I) {
    auto It = Positions.find(W.LastOld.lookup(New.getIncomingBlock(I)));
    unsigned Key = None;
    if (It != Positions.end() && !It->second.empty())
      Key = It->second.pop_back_val();
    Sorted &= Order.empty() || Order.back().first <= Key;
    Order.push_back({Key, I});
  }
  if (Sorted)
    return;
  llvm::stable_sort(Order, llvm::less_first());
  SmallVector<std::pair<Value *, BasicBlock *>, 8> Incoming;
  for (auto [Key, I] : Order)
    Incoming.push_back({New.getIncomingValue(I), New.getIncomingBlock(I)});
  for (unsigned I = 0; I != N; ++I) {
    New.setIncomingValue(I, Incoming[I].first);
    New.setIncomingBlock(I, Incoming[I].second);
  }
}

// The only predecessor of an old block, over one edge; what goes on behind an inlined call is in the middle of its block.
BasicBlock *singlePredecessor(RvsdgWriter &W, BasicBlock &BB) {
  BasicBlock *Only = nullptr;
  for (BasicBlock *Pred : predecessors(&BB)) {
    if (W.C.Returns.contains(Pred->getTerminator()))
      continue;
    if (Only)
      return nullptr;
    Only = Pred;
  }
  return Only;
}

// Notes the function's blocks with the sources First .. First + Count; whether they hold just these.
bool addOldBlocks(RvsdgWriter &W, uint32_t First, uint32_t Count) {
  auto &C = W.C;
  uint32_t Last = First;
  auto At = llvm::lower_bound(C.SourceBlocks, First, [](auto &Entry, uint32_t S) { return Entry.second < S; });
  for (; At != C.SourceBlocks.end() && At->second < First + Count; ++At) {
    auto [BB, Begin] = *At;
    if (!BB || BB->getParent() != W.F)
      continue;
    uint32_t End = Begin + uint32_t(BB->size());
    W.OldBlocks[BB] = uint32_t(W.OldRange.size());
    W.OldRange.push_back({Begin, End});
    W.SinglePred.push_back(W.F->getSubprogram() ? singlePredecessor(W, *BB) : nullptr);
    W.Arcs.push_back(W.F->getSubprogram() ? unsigned(llvm::pred_size(BB)) : 0);
    W.OldTaken.push_back(false);
    W.JumpsOn.push_back(BB->getSingleSuccessor() != nullptr);
    W.OldOrder.push_back(BB);
    Last = End;
  }
  return Last == First + Count;
}

} // namespace

uint32_t RvsdgWriter::oldBlockOf(uint32_t Source) const {
  auto After = llvm::upper_bound(OldRange, Source, [](uint32_t S, auto &Range) { return S < Range.first; });
  if (After == OldRange.begin() || Source >= std::prev(After)->second)
    return None;
  return uint32_t(std::prev(After) - OldRange.begin());
}

Instruction *rvsdgHolder(RvsdgWriter &W) {
  return new FreezeInst(PoisonValue::get(llvm::Type::getInt1Ty(W.C.M.getContext())));
}

uint32_t rvsdgTake(RvsdgWriter &W, uint32_t Block, uint32_t Source, bool Moved) {
  Instruction *I = W.C.Sources[Source];
  BasicBlock *BB = W.Blocks[Block];
  bool Own = I->getFunction() == W.F;
  if (Own && !W.isEmitted(Source)) {
    if (Moved) {
      Instruction *Holder = nullptr;
      if (I->hasDbgRecords()) {
        // What is inserted before an instruction gets its records.
        Holder = rvsdgHolder(W);
        Holder->insertBefore(I->getIterator());
      }
      W.Moved[Source] = Holder;
      I->moveBefore(*BB, BB->end());
    } else {
      W.LastOld[BB] = I->getParent();
      I->moveBeforePreserving(*BB, BB->end());
    }
    W.Emitted[Source] = true;
    return W.slot(I);
  }
  I = I->clone();
  I->insertInto(BB, BB->end());
  // The scopes are those of the original's execution, and say nothing about another copy's.
  I->setMetadata(LLVMContext::MD_alias_scope, nullptr);
  I->setMetadata(LLVMContext::MD_noalias, nullptr);
  if (Own) {
    if (!Moved)
      W.Clones.push_back({Source, I});
  } else {
    I->setDebugLoc(DebugLoc());
    if (isa<CallBase>(I) && W.F->getSubprogram())
      I->setDebugLoc(DILocation::get(W.C.M.getContext(), 0, 0, W.F->getSubprogram()));
  }
  return W.slot(I);
}

extern "C" {

RvsdgWriter *rvsdg_writer_new(RvsdgCarrier *C) { return new RvsdgWriter(*C); }

// Ends all rewriting: deletes the graveyard. Sources that were not emitted are gone afterwards.
void rvsdg_writer_free(RvsdgWriter *W) {
  if (W->Grave)
    W->Kept.push_back(W->Grave);
  for (Function *Grave : W->Kept) {
    clear(*Grave);
    Grave->eraseFromParent();
  }
  delete W;
}

// Starts rewriting the function of this symbol number, whose body was read as sources First .. First + Count. Returns false
// when the numbers do not describe a function body.
bool rvsdg_w_begin(RvsdgWriter *W, uint32_t Symbol, uint32_t First, uint32_t Count) {
  auto &C = W->C;
  if (Symbol >= C.NumSymbols || size_t(First) + Count > C.Sources.size() || Count == 0)
    return false;
  auto *F = dyn_cast<Function>(C.Consts[Symbol]);
  if (!F || F->isDeclaration() || C.Sources[First]->getFunction() != F)
    return false;
  W->F = F;
  W->Slots.clear();
  W->Blocks.clear();
  W->LastOld.clear();
  W->Moved.clear();
  W->OldBlocks.clear();
  W->OldRange.clear();
  W->SinglePred.clear();
  W->Arcs.clear();
  W->OldTaken.clear();
  W->Returning.clear();
  W->JumpsOn.clear();
  W->Held.clear();
  W->OldOrder.clear();
  W->Phis.clear();
  W->Same.clear();
  W->SameParams.clear();
  W->Contents.clear();
  W->Flattened.clear();
  W->Decided.clear();
  W->Reads.clear();
  W->Clones.clear();
  W->Emitted.resize(C.Sources.size());
  for (Argument &A : F->args())
    W->Slots.push_back(&A);
  return addOldBlocks(*W, First, Count);
}

// Says that the blocks read as sources First .. First + Count stand in the function, too, those of them that exist.
void rvsdg_w_extend(RvsdgWriter *W, uint32_t First, uint32_t Count) { addOldBlocks(*W, First, Count); }

// Keeps the address of an old block for a block to come.
void rvsdg_w_reserve(RvsdgWriter *W, uint32_t Label) {
  if (Label < W->OldTaken.size())
    W->OldTaken[Label] = true;
}

// Appends a block. With a Label (~0: none) it has the address of the old block of that number, which was reserved; otherwise
// it takes the name of the old block that source First (~0: none) is in, if that is still free. All blocks are appended
// before anything is taken.
uint32_t rvsdg_w_block(RvsdgWriter *W, uint32_t First, uint32_t Label) {
  bool Reserved = Label != None;
  if (!Reserved && First != None && W->C.Sources[First]) {
    auto It = W->OldBlocks.find(W->C.Sources[First]->getParent());
    if (It != W->OldBlocks.end() && !W->OldTaken[It->second])
      Label = It->second;
  }
  BasicBlock *From = Label < W->OldOrder.size() ? W->OldOrder[Label] : nullptr;
  BasicBlock *BB;
  if (From && Reserved) {
    // The block itself, so that its address stays; its instructions move to one that takes its place.
    BB = From;
    From = BasicBlock::Create(W->C.M.getContext(), "", W->F, BB);
    From->splice(From->end(), BB);
    BB->moveAfter(&W->F->back());
    W->OldOrder[Label] = From;
    W->OldBlocks[From] = Label;
  } else {
    BB = BasicBlock::Create(W->C.M.getContext(), "", W->F);
    if (From && From->hasName())
      BB->takeName(From);
  }
  if (From) {
    W->OldTaken[Label] = true;
    W->LastOld[BB] = From;
  }
  W->Blocks.push_back(BB);
  return uint32_t(W->Blocks.size() - 1);
}

// Appends the source instruction to a block: itself the first time, a clone later. Debug records before one that was Moved
// stay where they are. Returns its slot; ~0, and does nothing, when it is not of this kind.
uint32_t rvsdg_w_take(RvsdgWriter *W, uint32_t Block, uint32_t Source, uint32_t Opcode, uint32_t Type,
                      const uint32_t *Extra, size_t Len, bool Moved) {
  Instruction *I = W->C.Sources[Source];
  return I && rvsdgConforms(*W, *I, Opcode, Type, ArrayRef(Extra, Len)) ? rvsdgTake(*W, Block, Source, Moved) : None;
}

// Appends a terminator that is a source.
uint32_t rvsdg_w_take_terminator(RvsdgWriter *W, uint32_t Block, uint32_t Source) {
  return rvsdgTake(*W, Block, Source, /*Moved=*/false);
}

// An instruction that was taken or built stands elsewhere than its original. Motion: 0 sunk, 1 hoisted, 2 speculated. One
// that is executed earlier has no location there; one that is executed where it was not keeps only what gives poison at
// worst.
void rvsdg_w_moved(RvsdgWriter *W, uint32_t Slot, uint32_t Motion) {
  auto *I = dyn_cast<Instruction>(W->Slots[Slot]);
  if (!I)
    return;
  if (Motion >= 1)
    I->updateLocationAfterHoist();
  if (Motion >= 2)
    I->dropUBImplyingAttrsAndMetadata();
}

// Sets operands in the order the body was read in; a reference of ~0 keeps what is there. Returns false, and sets nothing
// more, when there is no such operand or its type differs. The address of an access may be in another address space.
bool rvsdg_w_operands(RvsdgWriter *W, uint32_t Slot, const uint32_t *Refs, size_t Len) {
  auto *I = dyn_cast<Instruction>(W->Slots[Slot]);
  if (!I)
    return false;
  unsigned At = 0, Size = I->getNumOperands();
  bool Call = isa<CallBase>(I);
  for (size_t K = 0; K != Len; ++K, ++At) {
    // Destinations of an invoke or callbr stand before the callee and were left out on reading.
    while (Call && At < Size && isa<BasicBlock>(I->getOperand(At)))
      ++At;
    if (At >= Size)
      return false;
    if (Refs[K] == None)
      continue;
    Value *V = W->value(Refs[K]), *Now = I->getOperand(At);
    if (Now->getType()->isMetadataTy() && !V->getType()->isMetadataTy())
      V = MetadataAsValue::get(V->getContext(), ValueAsMetadata::get(V));
    if (Now == V)
      continue;
    if (Now->getType() != V->getType() && !(isAddress(*I, At) && V->getType()->isPointerTy()))
      return false;
    I->setOperand(At, V);
  }
  return true;
}

// The condition (~0 for an unconditional branch) of a branch or switch that was taken, and its successors in LLVM's order.
// Returns false when the instruction is not such a terminator.
bool rvsdg_w_branch(RvsdgWriter *W, uint32_t Slot, uint32_t Condition, const uint32_t *Blocks, size_t Len) {
  auto *I = dyn_cast<Instruction>(W->Slots[Slot]);
  if (!I || !I->isTerminator() || I->getNumSuccessors() != Len)
    return false;
  auto *Br = dyn_cast<BranchInst>(I);
  if (Br && Br->isConditional() != (Condition != None))
    return false;
  if (Condition != None) {
    Value *V = W->value(Condition);
    if (Br) {
      if (Br->getCondition() != V)
        Br->setCondition(V);
    } else if (auto *Switch = dyn_cast<SwitchInst>(I)) {
      if (Switch->getCondition() != V)
        Switch->setCondition(V);
    } else {
      return false;
    }
  }
  for (unsigned S = 0; S != Len; ++S)
    I->setSuccessor(S, W->Blocks[Blocks[S]]);
  return true;
}

// The address and the destinations of an indirect branch that was taken.
bool rvsdg_w_indirect(RvsdgWriter *W, uint32_t Slot, uint32_t Address, const uint32_t *Blocks, size_t Len) {
  auto *Br = dyn_cast<IndirectBrInst>(W->Slots[Slot]);
  if (!Br)
    return false;
  Br->setAddress(W->value(Address));
  while (Br->getNumDestinations() != 0)
    Br->removeDestination(Br->getNumDestinations() - 1);
  for (size_t S = 0; S != Len; ++S)
    Br->addDestination(W->Blocks[Blocks[S]]);
  return true;
}

// A phi at the head of a block, standing for the phi that is source Origin (~0: none).
uint32_t rvsdg_w_phi(RvsdgWriter *W, uint32_t Block, uint32_t Type, uint32_t Origin, uint32_t Incoming) {
  BasicBlock *BB = W->Blocks[Block];
  PHINode *Phi = PHINode::Create(W->C.Types[Type], Incoming, "");
  Phi->insertInto(BB, BB->end());
  if (Origin != None) {
    if (auto *Old = dyn_cast_or_null<PHINode>(W->C.Sources[Origin])) {
      Phi->copyMetadata(*Old);
      if (Old->getFunction() == W->F)
        Phi->setDebugLoc(Old->getDebugLoc());
      if (isa<FPMathOperator>(Phi) && isa<FPMathOperator>(Old))
        Phi->copyFastMathFlags(Old);
      if (!W->isEmitted(Origin) && Old->getFunction() == W->F) {
        W->Emitted[Origin] = true;
        if (Old->hasName())
          Phi->takeName(Old);
        if (Old->hasDbgRecords())
          rvsdgAbsorb(BB, Phi->getIterator(), *Old);
        if (Old->getType() == Phi->getType())
          Old->replaceAllUsesWith(Phi);
        W->Phis.push_back({Phi, Old});
        W->C.Sources[Origin] = Phi;
      }
    }
  }
  return W->slot(Phi);
}

bool rvsdg_w_incoming(RvsdgWriter *W, uint32_t Slot, uint32_t Ref, uint32_t Block) {
  auto *Phi = dyn_cast<PHINode>(W->Slots[Slot]);
  Value *V = W->value(Ref);
  if (!Phi || V->getType() != Phi->getType())
    return false;
  Phi->addIncoming(V, W->Blocks[Block]);
  return true;
}

// Opcode of a source, its number of successors from bit 8 on; 0 when it does not exist.
uint32_t rvsdg_w_source_kind(const RvsdgWriter *W, uint32_t Source) {
  const Instruction *I = W->C.Sources[Source];
  if (!I)
    return 0;
  return I->getOpcode() | (I->isTerminator() ? I->getNumSuccessors() : 0) << 8;
}

// The source that is the landing pad of a source that is an invoke; ~0 when it is none.
uint32_t rvsdg_w_landing_pad(const RvsdgWriter *W, uint32_t Source) {
  auto It = W->C.Pads.find(Source);
  return It == W->C.Pads.end() ? None : It->second;
}

// Whether a source is a switch with exactly these cases, by constant number, in order.
bool rvsdg_w_has_cases(const RvsdgWriter *W, uint32_t Source, const uint32_t *Cases, size_t Len) {
  auto *Switch = dyn_cast_or_null<SwitchInst>(W->C.Sources[Source]);
  if (!Switch || Switch->getNumCases() != Len)
    return false;
  for (auto Case : Switch->cases())
    if (Case.getCaseValue() != W->C.Consts[Cases[Case.getCaseIndex()]])
      return false;
  return true;
}

// Makes declarations of those of the functions and variables, given by symbol number, that are definitions.
void rvsdg_declare_symbols(RvsdgCarrier *C, const uint32_t *Symbols, size_t Len) {
  for (size_t K = 0; K != Len; ++K) {
    auto *G = dyn_cast<GlobalObject>(C->Consts[Symbols[K]]);
    if (!G || (G->isDeclaration() && !C->Stored.Bodies.contains(Symbols[K])))
      continue;
    if (auto *F = dyn_cast<Function>(G))
      F->deleteBody();
    else if (auto *V = dyn_cast<GlobalVariable>(G))
      V->setInitializer(nullptr);
    else
      continue;
    G->setLinkage(GlobalValue::ExternalLinkage);
    G->setComdat(nullptr);
  }
}

// Removes definitions that nothing needs any more, given by symbol number. One that is still used (by an untouched body or
// metadata that holds it as a value) stays.
void rvsdg_erase_symbols(RvsdgCarrier *C, const uint32_t *Symbols, size_t Len) {
  SmallVector<GlobalValue *, 32> Dead;
  for (size_t K = 0; K != Len; ++K)
    if (auto *G = dyn_cast<GlobalValue>(C->Consts[Symbols[K]]))
      Dead.push_back(G);
  // What stays is no longer bound to what goes: LLVM wants that metadata to name something.
  SmallPtrSet<const Value *, 32> Gone(Dead.begin(), Dead.end());
  for (GlobalObject &G : C->M.global_objects())
    if (const MDNode *Bond = G.getMetadata(LLVMContext::MD_associated); Bond && Bond->getNumOperands() == 1)
      if (auto *To = dyn_cast_or_null<ValueAsMetadata>(Bond->getOperand(0)); To && Gone.contains(To->getValue()))
        G.setMetadata(LLVMContext::MD_associated, nullptr);
  // They may mention each other: first all definitions go, then the names.
  for (GlobalValue *G : Dead) {
    if (auto *F = dyn_cast<Function>(G))
      F->deleteBody();
    else if (auto *V = dyn_cast<GlobalVariable>(G))
      V->setInitializer(nullptr);
  }
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (GlobalValue *&G : Dead) {
      if (!G)
        continue;
      G->removeDeadConstantUsers();
      if (!G->use_empty())
        continue;
      G->eraseFromParent();
      G = nullptr;
      Changed = true;
    }
  }
  for (GlobalValue *G : Dead)
    if (G && G->isDeclaration()) {
      G->setLinkage(GlobalValue::ExternalLinkage);
      if (auto *O = dyn_cast<GlobalObject>(G))
        O->setComdat(nullptr);
    }
}

// Says that what a source gave that is not in the new body is what Value (~0: none) is, or what source Other (~0: none) gave. The
// first that is said of a source counts.
void rvsdg_w_same(RvsdgWriter *W, uint32_t Source, uint32_t Value, uint32_t Other) {
  llvm::Value *V = Value == None ? nullptr : W->value(Value);
  if (!W->isEmitted(Source) && (V || Other != None))
    W->Same.try_emplace(Source, V, Other);
}

// Says that a value stands for a parameter wherever it is defined.
void rvsdg_w_same_param(RvsdgWriter *W, uint32_t Param, uint32_t Value) {
  if (Param < W->F->arg_size())
    W->SameParams[W->F->getArg(Param)] = W->value(Value);
}

// Says that a value is, where it is defined, what memory holds Offset bytes behind where source Access loads, stores or allocates;
// or that it is an allocation for that.
void rvsdg_w_content(RvsdgWriter *W, uint32_t Value, uint32_t Access, uint64_t Offset) {
  if (auto *I = dyn_cast<Instruction>(W->value(Value)))
    W->Contents.push_back({I, Access, Offset});
}

// Says that the old block that ended with source End is executed in any case now.
void rvsdg_w_flattened(RvsdgWriter *W, uint32_t End) { W->Flattened.insert(End); }

// Says that it is known where source Branch goes.
void rvsdg_w_decided(RvsdgWriter *W, uint32_t Branch) { W->Decided.insert(Branch); }

// Ends the rewriting of the function. What is left of the old body is kept when it is Wanted, since another function has clones of
// it, or when something knows the address of a block.
void rvsdg_w_end(RvsdgWriter *W, bool Wanted) {
  for (auto [New, Old] : W->Phis)
    orderLikeOriginal(*W, *New, *Old);
  rvsdgPlaceRecords(*W);
  Function *Grave = graveyard(*W);
  if (!W->OldOrder.empty()) {
    auto End = W->Blocks.empty() ? W->F->end() : W->Blocks.front()->getIterator();
    Grave->splice(Grave->end(), W->F, W->F->begin(), End);
  }
  rvsdgCheckRecords(*W);
  if (Wanted || llvm::any_of(*Grave, [](BasicBlock &BB) { return BB.hasAddressTaken(); })) {
    W->Kept.push_back(Grave);
    W->Grave = nullptr;
  } else {
    deleteOld(*W);
  }
  W->F = nullptr;
}
}
