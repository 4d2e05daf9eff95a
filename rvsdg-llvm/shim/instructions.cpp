// Instructions that have no original in the module, or whose original says something else. What an instruction says beside
// type, flags and operands are the extra words of reader.cpp, but for calls: function type, calling convention, attributes,
// tail-call kind, number of bundles, tag and number of operands of each, for callbr the number of its other destinations;
// for catchswitch whether it unwinds to a block and the number of its successors, for cleanupret whether it does.

#include "writer.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

using Arguments = ArrayRef<uint32_t>;

SyncScope::ID scope(RvsdgWriter &W, uint32_t Name) {
  return Name < W.C.Strings.size() ? W.C.M.getContext().getOrInsertSyncScopeID(W.C.Strings[Name]) : SyncScope::System;
}

template <typename Access> bool sameAccess(RvsdgWriter &W, const Access &A, Arguments X, uint32_t Scope) {
  return Log2(A.getAlign()) == X[0] && A.isVolatile() == bool(X[1] & 1) && (!A.isAtomic() || A.getSyncScopeID() == scope(W, Scope));
}

bool sameCall(RvsdgWriter &W, const CallBase &Call, Arguments X) {
  if (Call.getFunctionType() != W.C.Types[X[0]] || Call.getNumOperandBundles() != X[4])
    return false;
  for (unsigned I = 0; I != X[4]; ++I) {
    OperandBundleUse Bundle = Call.getOperandBundleAt(I);
    if (Bundle.getTagName() != W.C.Strings[X[5 + 2 * I]] || Bundle.Inputs.size() != X[6 + 2 * I])
      return false;
  }
  return true;
}

// What of a call can differ without another instruction.
void setCall(RvsdgWriter &W, CallBase &Call, Arguments X) {
  if (Call.getCallingConv() != X[1])
    Call.setCallingConv(X[1]);
  if (X[2] != None && Call.getAttributes() != W.C.Attrs[X[2]])
    Call.setAttributes(W.C.Attrs[X[2]]);
  if (auto *Plain = dyn_cast<CallInst>(&Call))
    if (X[3] != None && Plain->getTailCallKind() != CallInst::TailCallKind(X[3]))
      Plain->setTailCallKind(CallInst::TailCallKind(X[3]));
}

CallBase *call(RvsdgWriter &W, uint32_t Block, uint32_t Opcode, Arguments X, ArrayRef<Value *> V) {
  auto *F = cast<FunctionType>(W.C.Types[X[0]]);
  size_t Bundled = 0;
  for (unsigned I = 0; I != X[4]; ++I)
    Bundled += X[6 + 2 * I];
  if (V.size() < 1 + Bundled)
    return nullptr;
  Value *Callee = V.back();
  ArrayRef<Value *> All = V.drop_back();
  size_t Count = All.size() - Bundled;
  if (Count < F->getNumParams() || (Count > F->getNumParams() && !F->isVarArg()))
    return nullptr;
  SmallVector<Value *, 8> Args(All.take_front(Count));
  for (unsigned I = 0; I != F->getNumParams(); ++I) {
    if (F->getParamType(I)->isMetadataTy() && !Args[I]->getType()->isMetadataTy())
      Args[I] = MetadataAsValue::get(Args[I]->getContext(), ValueAsMetadata::get(Args[I]));
    if (Args[I]->getType() != F->getParamType(I))
      return nullptr;
  }
  SmallVector<OperandBundleDef, 1> Bundles;
  ArrayRef<Value *> Rest = All.drop_front(Count);
  for (unsigned I = 0; I != X[4]; ++I) {
    Bundles.emplace_back(W.C.Strings[X[5 + 2 * I]], Rest.take_front(X[6 + 2 * I]));
    Rest = Rest.drop_front(X[6 + 2 * I]);
  }
  // Destinations are set when all blocks are known.
  BasicBlock *Here = W.Blocks[Block];
  CallBase *Call;
  if (Opcode == Instruction::Invoke)
    Call = InvokeInst::Create(F, Callee, Here, Here, Args, Bundles);
  else if (Opcode == Instruction::CallBr)
    Call = CallBrInst::Create(F, Callee, Here, SmallVector<BasicBlock *, 4>(X.back(), Here), Args, Bundles);
  else
    Call = CallInst::Create(F, Callee, Args, Bundles);
  setCall(W, *Call, X);
  return Call;
}

bool samePad(const LandingPadInst &Pad, Arguments X) {
  if (Pad.isCleanup() != bool(X[0]) || Pad.getNumClauses() + 1 != X.size())
    return false;
  for (unsigned K = 0; K != Pad.getNumClauses(); ++K)
    if (Pad.isCatch(K) != bool(X[1 + K]))
      return false;
  return true;
}

// An invoke stands for a call: it has what is attached to that.
void standFor(RvsdgWriter &W, InvokeInst &Invoke, uint32_t Source) {
  auto *Call = Source < W.C.Sources.size() ? dyn_cast_or_null<CallInst>(W.C.Sources[Source]) : nullptr;
  if (!Call || Call->getFunction() != W.F || Call->getType() != Invoke.getType())
    return;
  Invoke.copyMetadata(*Call);
  if (W.isEmitted(Source)) {
    // The scopes are those of the original's execution, and say nothing about another copy's.
    Invoke.setMetadata(LLVMContext::MD_alias_scope, nullptr);
    Invoke.setMetadata(LLVMContext::MD_noalias, nullptr);
    return;
  }
  Invoke.cloneDebugInfoFrom(Call);
  Invoke.takeName(Call);
  Call->replaceAllUsesWith(&Invoke);
  W.Emitted[Source] = true;
  W.C.Sources[Source] = &Invoke;
}

} // namespace

uint32_t rvsdgInsert(RvsdgWriter &W, uint32_t Block, Instruction *I, uint32_t Like) {
  BasicBlock *BB = W.Blocks[Block];
  I->insertInto(BB, BB->end());
  if (Like < W.C.Sources.size() && W.C.Sources[Like] && W.C.Sources[Like]->getFunction() == W.F)
    I->setDebugLoc(W.C.Sources[Like]->getDebugLoc());
  return W.slot(I);
}

void rvsdgSetFlags(Instruction &I, uint32_t Flags) {
  if (flagsOf(I) == Flags)
    return;
  if (isa<FPMathOperator>(I)) {
    FastMathFlags F;
    F.setAllowReassoc(Flags & 1);
    F.setNoNaNs(Flags & 2);
    F.setNoInfs(Flags & 4);
    F.setNoSignedZeros(Flags & 8);
    F.setAllowReciprocal(Flags & 16);
    F.setAllowContract(Flags & 32);
    F.setApproxFunc(Flags & 64);
    I.copyFastMathFlags(F);
  } else if (isa<OverflowingBinaryOperator>(I) || isa<TruncInst>(I)) {
    I.setHasNoUnsignedWrap(Flags & 1);
    I.setHasNoSignedWrap(Flags & 2);
  } else if (isa<PossiblyExactOperator>(I)) {
    I.setIsExact(Flags & 1);
  } else if (auto *D = dyn_cast<PossiblyDisjointInst>(&I)) {
    D->setIsDisjoint(Flags & 1);
  } else if (isa<PossiblyNonNegInst>(I)) {
    I.setNonNeg(Flags & 1);
  } else if (auto *Cmp = dyn_cast<ICmpInst>(&I)) {
    Cmp->setSameSign(Flags & 1);
  } else if (auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
    GEPNoWrapFlags F = GEPNoWrapFlags::none();
    if (Flags & 1)
      F |= GEPNoWrapFlags::inBounds();
    if (Flags & 2)
      F |= GEPNoWrapFlags::noUnsignedSignedWrap();
    if (Flags & 4)
      F |= GEPNoWrapFlags::noUnsignedWrap();
    GEP->setNoWrapFlags(F);
  }
}

// Whether an instruction says this, up to what can be set without another instruction, which is set then.
bool rvsdgConforms(RvsdgWriter &W, Instruction &I, uint32_t Opcode, uint32_t Type, Arguments X) {
  if (I.getOpcode() != Opcode || I.getType() != W.C.Types[Type])
    return false;
  switch (Opcode) {
  case Instruction::Alloca: {
    auto &A = cast<AllocaInst>(I);
    return A.getAllocatedType() == W.C.Types[X[0]] && Log2(A.getAlign()) == X[1] &&
           A.isUsedWithInAlloca() == bool(X[3] & 1) && A.isSwiftError() == bool(X[3] & 2);
  }
  case Instruction::Load:
    return sameAccess(W, cast<LoadInst>(I), X, X[3]) && uint32_t(cast<LoadInst>(I).getOrdering()) == X[2];
  case Instruction::Store:
    return sameAccess(W, cast<StoreInst>(I), X, X[3]) && uint32_t(cast<StoreInst>(I).getOrdering()) == X[2] &&
           cast<StoreInst>(I).getValueOperand()->getType() == W.C.Types[X[4]];
  case Instruction::Fence:
    return uint32_t(cast<FenceInst>(I).getOrdering()) == X[0] && cast<FenceInst>(I).getSyncScopeID() == scope(W, X[1]);
  case Instruction::AtomicCmpXchg: {
    auto &A = cast<AtomicCmpXchgInst>(I);
    return Log2(A.getAlign()) == X[0] && A.isVolatile() == bool(X[1] & 1) && A.isWeak() == bool(X[1] & 2) &&
           uint32_t(A.getSuccessOrdering()) == X[2] && uint32_t(A.getFailureOrdering()) == X[3] &&
           A.getSyncScopeID() == scope(W, X[4]);
  }
  case Instruction::AtomicRMW: {
    auto &A = cast<AtomicRMWInst>(I);
    return Log2(A.getAlign()) == X[0] && A.isVolatile() == bool(X[1]) && uint32_t(A.getOrdering()) == X[2] &&
           A.getSyncScopeID() == scope(W, X[3]) && uint32_t(A.getOperation()) == X[4];
  }
  case Instruction::GetElementPtr:
    return cast<GetElementPtrInst>(I).getSourceElementType() == W.C.Types[X[0]] &&
           llvm::equal(I.operands(), X.drop_front(),
                       [&](const Use &Operand, uint32_t T) { return Operand->getType() == W.C.Types[T]; });
  case Instruction::ICmp:
  case Instruction::FCmp:
    return uint32_t(cast<CmpInst>(I).getPredicate()) == X[0] && I.getOperand(0)->getType() == W.C.Types[X[1]];
  case Instruction::ExtractElement:
    return I.getOperand(0)->getType() == W.C.Types[X[0]];
  case Instruction::ExtractValue:
    return cast<ExtractValueInst>(I).getIndices() == X;
  case Instruction::InsertValue:
    return cast<InsertValueInst>(I).getIndices() == X;
  case Instruction::ShuffleVector:
    return llvm::equal(cast<ShuffleVectorInst>(I).getShuffleMask(), X, [](int A, uint32_t B) { return uint32_t(A) == B; });
  case Instruction::CatchSwitch:
    return cast<CatchSwitchInst>(I).hasUnwindDest() == bool(X[0]) && I.getNumSuccessors() == X[1];
  case Instruction::CleanupRet:
    return cast<CleanupReturnInst>(I).hasUnwindDest() == bool(X[0]);
  case Instruction::LandingPad:
    return samePad(cast<LandingPadInst>(I), X);
  case Instruction::Call:
  case Instruction::Invoke:
  case Instruction::CallBr:
    return sameCall(W, cast<CallBase>(I), X);
  default:
    return !I.isCast() || I.getOperand(0)->getType() == W.C.Types[X[0]];
  }
}

extern "C" {

// Sets what of a call that was taken can differ from the original.
void rvsdg_w_call(RvsdgWriter *W, uint32_t Slot, const uint32_t *Extra, size_t Len) {
  if (auto *Call = dyn_cast<CallBase>(W->Slots[Slot]); Call && Len >= 5)
    setCall(*W, *Call, Arguments(Extra, Len));
}

// Builds an instruction at the end of a block; ~0 when operands and opcode do not fit.
uint32_t rvsdg_w_build(RvsdgWriter *W, uint32_t Block, uint32_t Opcode, uint32_t Type, uint32_t Flags,
                       const uint32_t *Extra, size_t ExtraLen, const uint32_t *Refs, size_t Len, uint32_t Like) {
  Arguments X(Extra, ExtraLen);
  SmallVector<Value *, 8> V;
  for (size_t K = 0; K != Len; ++K)
    V.push_back(W->value(Refs[K]));
  llvm::Type *T = W->C.Types[Type];
  auto Ordering = [&](unsigned At) { return AtomicOrdering(X[At]); };
  Instruction *I = nullptr;
  if (Instruction::isBinaryOp(Opcode) && Len == 2)
    I = BinaryOperator::Create(Instruction::BinaryOps(Opcode), V[0], V[1]);
  else if (Instruction::isUnaryOp(Opcode) && Len == 1)
    I = UnaryOperator::Create(Instruction::UnaryOps(Opcode), V[0]);
  else if (Instruction::isCast(Opcode) && Len == 1)
    I = CastInst::Create(Instruction::CastOps(Opcode), V[0], T);
  else if ((Opcode == Instruction::ICmp || Opcode == Instruction::FCmp) && Len == 2)
    I = CmpInst::Create(Instruction::OtherOps(Opcode), CmpInst::Predicate(X[0]), V[0], V[1]);
  else if (Opcode == Instruction::Select && Len == 3)
    I = SelectInst::Create(V[0], V[1], V[2]);
  else if (Opcode == Instruction::Freeze && Len == 1)
    I = new FreezeInst(V[0]);
  else if (Opcode == Instruction::ExtractElement && Len == 2)
    I = ExtractElementInst::Create(V[0], V[1]);
  else if (Opcode == Instruction::InsertElement && Len == 3)
    I = InsertElementInst::Create(V[0], V[1], V[2]);
  else if (Opcode == Instruction::ShuffleVector && Len == 2)
    I = new ShuffleVectorInst(V[0], V[1], SmallVector<int, 16>(X));
  else if (Opcode == Instruction::ExtractValue && Len == 1)
    I = ExtractValueInst::Create(V[0], X);
  else if (Opcode == Instruction::InsertValue && Len == 2)
    I = InsertValueInst::Create(V[0], V[1], X);
  else if (Opcode == Instruction::GetElementPtr && Len >= 1)
    I = GetElementPtrInst::Create(W->C.Types[X[0]], V[0], ArrayRef(V).drop_front());
  else if (Opcode == Instruction::VAArg && Len == 1)
    I = new VAArgInst(V[0], T);
  else if (Opcode == Instruction::Resume && Len == 1)
    I = ResumeInst::Create(V[0]);
  else if (Opcode == Instruction::IndirectBr && Len == 1)
    I = IndirectBrInst::Create(V[0], 0);
  else if (Opcode == Instruction::Alloca && Len == 1) {
    auto *A = new AllocaInst(W->C.Types[X[0]], cast<PointerType>(T)->getAddressSpace(), V[0], Align(1ull << X[1]));
    A->setUsedWithInAlloca(X[3] & 1);
    A->setSwiftError(X[3] & 2);
    I = A;
  } else if (Opcode == Instruction::Load && Len == 1)
    I = new LoadInst(T, V[0], "", X[1], Align(1ull << X[0]), Ordering(2), scope(*W, X[3]));
  else if (Opcode == Instruction::Store && Len == 2)
    I = new StoreInst(V[0], V[1], X[1], Align(1ull << X[0]), Ordering(2), scope(*W, X[3]));
  else if (Opcode == Instruction::Fence)
    I = new FenceInst(W->C.M.getContext(), Ordering(0), scope(*W, X[1]));
  else if (Opcode == Instruction::AtomicCmpXchg && Len == 3) {
    auto *A = new AtomicCmpXchgInst(V[0], V[1], V[2], Align(1ull << X[0]), Ordering(2), Ordering(3), scope(*W, X[4]));
    A->setVolatile(X[1] & 1);
    A->setWeak(X[1] & 2);
    I = A;
  } else if (Opcode == Instruction::AtomicRMW && Len == 2) {
    auto *A = new AtomicRMWInst(AtomicRMWInst::BinOp(X[4]), V[0], V[1], Align(1ull << X[0]), Ordering(2), scope(*W, X[3]));
    A->setVolatile(X[1]);
    I = A;
  } else if (Opcode == Instruction::LandingPad && Len + 1 == X.size()) {
    auto *Pad = LandingPadInst::Create(T, unsigned(Len));
    Pad->setCleanup(X[0]);
    for (Value *Clause : V)
      Pad->addClause(cast<Constant>(Clause));
    I = Pad;
  } else if (Opcode == Instruction::CatchSwitch && Len == 1) {
    BasicBlock *Here = W->Blocks[Block];
    uint32_t Handlers = X[1] - (X[0] ? 1 : 0);
    auto *Switch = CatchSwitchInst::Create(V[0], X[0] ? Here : nullptr, Handlers);
    for (uint32_t K = 0; K != Handlers; ++K)
      Switch->addHandler(Here);
    I = Switch;
  } else if (Opcode == Instruction::CatchPad && Len >= 1)
    I = CatchPadInst::Create(V.back(), ArrayRef(V).drop_back());
  else if (Opcode == Instruction::CleanupPad && Len >= 1)
    I = CleanupPadInst::Create(V.back(), ArrayRef(V).drop_back());
  else if (Opcode == Instruction::CatchRet && Len == 1)
    I = CatchReturnInst::Create(V[0], W->Blocks[Block]);
  else if (Opcode == Instruction::CleanupRet && Len == 1)
    I = CleanupReturnInst::Create(V[0], X[0] ? W->Blocks[Block] : nullptr);
  else if (Opcode == Instruction::Call || Opcode == Instruction::Invoke || Opcode == Instruction::CallBr)
    I = call(*W, Block, Opcode, X, V);
  if (!I)
    return None;
  rvsdgSetFlags(*I, Flags);
  uint32_t Slot = rvsdgInsert(*W, Block, I, Like);
  if (auto *Invoke = dyn_cast<InvokeInst>(I))
    standFor(*W, *Invoke, Like);
  return Slot;
}
}
