// Simple constants, flags, metadata and terminators that have no original in the module.

#include "writer.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

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
    rvsdgSetFlags(*I, Flags);
}

// The instruction, which stays where it is, now also stands for source Merged: keeps only metadata that holds for both.
void rvsdg_w_merge(RvsdgWriter *W, uint32_t Slot, uint32_t Merged) {
  auto *I = dyn_cast<Instruction>(W->Slots[Slot]);
  if (I && W->C.Sources[Merged])
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
      rvsdgTake(*W, Block, Last, /*Moved=*/false);
      Br->setSuccessor(0, W->Blocks[Target]);
      return;
    }
  }
  rvsdgInsert(*W, Block, BranchInst::Create(W->Blocks[Target]), Like);
}

void rvsdg_w_cond_jump(RvsdgWriter *W, uint32_t Block, uint32_t Condition, uint32_t Then, uint32_t Else, uint32_t Like) {
  rvsdgInsert(*W, Block, BranchInst::Create(W->Blocks[Then], W->Blocks[Else], W->value(Condition)), Like);
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
  rvsdgInsert(*W, Block, I, Like);
  return true;
}

// Ref ~0 returns nothing.
void rvsdg_w_return(RvsdgWriter *W, uint32_t Block, uint32_t Ref) {
  rvsdgInsert(*W, Block, ReturnInst::Create(W->C.M.getContext(), Ref == None ? nullptr : W->value(Ref)), None);
}

void rvsdg_w_unreachable(RvsdgWriter *W, uint32_t Block) {
  rvsdgInsert(*W, Block, new UnreachableInst(W->C.M.getContext()), None);
}

}
