// The state of rewriting bodies, shared by writer.cpp and build.cpp.
#pragma once

#include "carrier.h"

struct RvsdgWriter {
  RvsdgCarrier &C;
  // Holds old blocks until everything is written.
  llvm::Function *Grave = nullptr;
  // Per source: whether the instruction itself is in a new body.
  std::vector<bool> Emitted;

  // Of the function being rewritten:
  llvm::Function *F = nullptr;
  // Values by slot: parameters first, then whatever was taken or built, in order.
  std::vector<llvm::Value *> Slots;
  std::vector<llvm::BasicBlock *> Blocks;
  // The old block that the last moved instruction of a new block came from.
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> LastOld;
  // Sources that were taken to another place, each with what holds the debug records that were before it, or null.
  llvm::DenseMap<uint32_t, llvm::Instruction *> Moved;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> OldBlocks;
  std::vector<llvm::BasicBlock *> OldOrder;
  // By old block: its sources, whether it had one predecessor (known where there is debug info only), whether a new block
  // took its name.
  std::vector<std::pair<uint32_t, uint32_t>> OldRange;
  std::vector<bool> SinglePred;
  std::vector<bool> OldTaken;
  std::vector<std::pair<llvm::PHINode *, llvm::PHINode *>> Phis;

  explicit RvsdgWriter(RvsdgCarrier &C) : C(C) {}

  bool isEmitted(uint32_t Source) const { return Source < Emitted.size() && Emitted[Source]; }

  uint32_t slot(llvm::Value *V) {
    Slots.push_back(V);
    return uint32_t(Slots.size() - 1);
  }

  llvm::Value *value(uint32_t Ref) const {
    uint32_t Index = Ref >> 2;
    return (Ref & 3) == RefConst ? C.Consts[Index] : Slots[Index];
  }
};

// Sets flags, in the bits of the instruction's kind, where they differ.
void rvsdgSetFlags(llvm::Instruction &I, uint32_t Flags);

// Appends an instruction at the debug location of source Like, ~0 for none, and gives it a slot.
uint32_t rvsdgInsert(RvsdgWriter &W, uint32_t Block, llvm::Instruction *I, uint32_t Like);

bool rvsdgConforms(RvsdgWriter &W, llvm::Instruction &I, uint32_t Opcode, uint32_t Type, llvm::ArrayRef<uint32_t> X);

// Appends a source instruction to a block: itself the first time, a clone later. Debug records before it come with it unless
// it was Moved.
uint32_t rvsdgTake(RvsdgWriter &W, uint32_t Block, uint32_t Source, bool Moved);
