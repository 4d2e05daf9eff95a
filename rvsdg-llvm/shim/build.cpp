// Instructions and constants that have no original in the module.

#include "writer.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

void setFlags(Instruction &I, uint32_t Flags) {
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

uint32_t insert(RvsdgWriter &W, uint32_t Block, Instruction *I, uint32_t Like) {
  BasicBlock *BB = W.Blocks[Block];
  I->insertInto(BB, BB->end());
  if (Like < W.C.Sources.size() && W.C.Sources[Like]->getFunction() == W.F)
    I->setDebugLoc(W.C.Sources[Like]->getDebugLoc());
  return W.slot(I);
}

} // namespace

extern "C" {

// Number of the integer type of so many bits.
uint32_t rvsdg_int_type(RvsdgCarrier *C, uint32_t Bits) { return C->type(IntegerType::get(C->M.getContext(), Bits)); }

// Integer constants from little-endian limbs, floats from their bits; ~0 when the type is another.
uint32_t rvsdg_const_int(RvsdgCarrier *C, uint32_t Type, const uint64_t *Limbs, size_t Len) {
  auto *T = dyn_cast<IntegerType>(C->Types[Type]);
  if (!T || Len == 0)
    return None;
  return C->constant(ConstantInt::get(T->getContext(), APInt(T->getBitWidth(), ArrayRef(Limbs, Len))));
}

uint32_t rvsdg_const_float(RvsdgCarrier *C, uint32_t Type, uint64_t Low, uint64_t High) {
  llvm::Type *T = C->Types[Type];
  if (!T->isFloatingPointTy())
    return None;
  uint64_t Limbs[2] = {Low, High};
  APInt Bits(unsigned(T->getPrimitiveSizeInBits().getFixedValue()), ArrayRef(Limbs, 2));
  return C->constant(ConstantFP::get(T->getContext(), APFloat(T->getFltSemantics(), Bits)));
}

// What: 0 zero, 1 undef, 2 poison; ~0 when the type has no such value.
uint32_t rvsdg_const_special(RvsdgCarrier *C, uint32_t Type, uint32_t What) {
  llvm::Type *T = C->Types[Type];
  if (!T->isFirstClassType() || T->isLabelTy() || T->isMetadataTy() || T->isTokenTy())
    return None;
  switch (What) {
  case 0: return C->constant(Constant::getNullValue(T));
  case 1: return C->constant(UndefValue::get(T));
  default: return C->constant(PoisonValue::get(T));
  }
}

// Sets the flags of an instruction when they differ.
void rvsdg_w_flags(RvsdgWriter *W, uint32_t Slot, uint32_t Flags) {
  if (auto *I = dyn_cast<Instruction>(W->Slots[Slot]))
    setFlags(*I, Flags);
}

// The instruction, which stays where it is, now also stands for source Merged: keeps only metadata that holds for both.
void rvsdg_w_merge(RvsdgWriter *W, uint32_t Slot, uint32_t Merged) {
  if (auto *I = dyn_cast<Instruction>(W->Slots[Slot]))
    combineMetadataForCSE(I, W->C.Sources[Merged], /*DoesKMove=*/false);
}

// Terminators without an original. Like is the source whose debug location they take, or ~0.
//
// A jump where the old block of what stands before it also ended in one is that one.
void rvsdg_w_jump(RvsdgWriter *W, uint32_t Block, uint32_t Target, uint32_t Like) {
  auto Old = W->OldBlocks.find(W->LastOld.lookup(W->Blocks[Block]));
  if (Like == None && Old != W->OldBlocks.end()) {
    uint32_t Last = W->OldRange[Old->second].second - 1;
    auto *Br = dyn_cast<BranchInst>(W->C.Sources[Last]);
    if (Br && Br->isUnconditional() && !W->isEmitted(Last)) {
      rvsdg_w_take(W, Block, Last);
      Br->setSuccessor(0, W->Blocks[Target]);
      return;
    }
  }
  insert(*W, Block, BranchInst::Create(W->Blocks[Target]), Like);
}

void rvsdg_w_cond_jump(RvsdgWriter *W, uint32_t Block, uint32_t Condition, uint32_t Then, uint32_t Else, uint32_t Like) {
  insert(*W, Block, BranchInst::Create(W->Blocks[Then], W->Blocks[Else], W->value(Condition)), Like);
}

// Cases are pairs of constant number and block. Returns false when a case is no integer.
bool rvsdg_w_switch(RvsdgWriter *W, uint32_t Block, uint32_t Condition, uint32_t Default, const uint32_t *Cases, size_t Len,
                    uint32_t Like) {
  for (size_t K = 0; K + 1 < Len; K += 2)
    if (!isa<ConstantInt>(W->C.Consts[Cases[K]]))
      return false;
  auto *I = SwitchInst::Create(W->value(Condition), W->Blocks[Default], unsigned(Len / 2));
  for (size_t K = 0; K + 1 < Len; K += 2)
    I->addCase(cast<ConstantInt>(W->C.Consts[Cases[K]]), W->Blocks[Cases[K + 1]]);
  insert(*W, Block, I, Like);
  return true;
}

// Ref ~0 returns nothing.
void rvsdg_w_return(RvsdgWriter *W, uint32_t Block, uint32_t Ref) {
  insert(*W, Block, ReturnInst::Create(W->C.M.getContext(), Ref == None ? nullptr : W->value(Ref)), None);
}

void rvsdg_w_unreachable(RvsdgWriter *W, uint32_t Block) {
  insert(*W, Block, new UnreachableInst(W->C.M.getContext()), None);
}

// Operations of fixed arity without payload beyond Extra (predicate of a comparison); ~0 when the opcode is not one.
uint32_t rvsdg_w_build(RvsdgWriter *W, uint32_t Block, uint32_t Opcode, uint32_t Type, uint32_t Flags, uint32_t Extra,
                       const uint32_t *Refs, size_t Len, uint32_t Like) {
  SmallVector<Value *, 3> V;
  for (size_t K = 0; K != Len; ++K)
    V.push_back(W->value(Refs[K]));
  Instruction *I = nullptr;
  if (Instruction::isBinaryOp(Opcode) && Len == 2)
    I = BinaryOperator::Create(Instruction::BinaryOps(Opcode), V[0], V[1]);
  else if (Instruction::isUnaryOp(Opcode) && Len == 1)
    I = UnaryOperator::Create(Instruction::UnaryOps(Opcode), V[0]);
  else if (Instruction::isCast(Opcode) && Len == 1)
    I = CastInst::Create(Instruction::CastOps(Opcode), V[0], W->C.Types[Type]);
  else if ((Opcode == Instruction::ICmp || Opcode == Instruction::FCmp) && Len == 2)
    I = CmpInst::Create(Instruction::OtherOps(Opcode), CmpInst::Predicate(Extra), V[0], V[1]);
  else if (Opcode == Instruction::Select && Len == 3)
    I = SelectInst::Create(V[0], V[1], V[2]);
  else if (Opcode == Instruction::Freeze && Len == 1)
    I = new FreezeInst(V[0]);
  else if (Opcode == Instruction::ExtractElement && Len == 2)
    I = ExtractElementInst::Create(V[0], V[1]);
  else if (Opcode == Instruction::InsertElement && Len == 3)
    I = InsertElementInst::Create(V[0], V[1], V[2]);
  else
    return None;
  setFlags(*I, Flags);
  return insert(*W, Block, I, Like);
}
}
