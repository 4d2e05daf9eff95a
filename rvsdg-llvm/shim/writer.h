// The state of rewriting bodies, shared by writer.cpp and build.cpp.
#pragma once

#include "carrier.h"

#include "llvm/IR/DebugProgramInstruction.h"

struct RvsdgWriter {
  RvsdgCarrier &C;
  // Holds the old blocks of the function that is written; and those that hold what is deleted when all are.
  llvm::Function *Grave = nullptr;
  std::vector<llvm::Function *> Kept;
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
  // By old block: its sources, its predecessor when that was the only one (known where there is debug info only), whether a new
  // block took its name.
  std::vector<std::pair<uint32_t, uint32_t>> OldRange;
  std::vector<llvm::BasicBlock *> SinglePred;
  // By old block: how many edges led to it.
  std::vector<unsigned> Arcs;
  std::vector<bool> OldTaken;
  // By call that was inlined: the last source of its only block that returns; none where several do.
  llvm::DenseMap<uint32_t, uint32_t> Returning;
  // By old block: whether it ended with a jump.
  std::vector<bool> JumpsOn;
  std::vector<std::pair<llvm::PHINode *, llvm::PHINode *>> Phis;
  // By source that may not be in the new body: the value that is the same, or the source that gave the same.
  llvm::DenseMap<uint32_t, std::pair<llvm::Value *, uint32_t>> Same;
  // By argument: what stands for it wherever that is defined.
  llvm::DenseMap<const llvm::Value *, llvm::Value *> SameParams;
  // Instructions that are what memory holds at their place, or allocations for what was memory, with a source that accesses it
  // or was that allocation.
  struct Content {
    llvm::Instruction *Value;
    uint32_t Access;
    uint64_t Offset;
  };
  std::vector<Content> Contents;
  // The last sources of old blocks that are executed in any case now.
  llvm::DenseSet<uint32_t> Flattened;
  // Branches of which it is known where they go.
  llvm::DenseSet<uint32_t> Decided;
  // Variables that are said to be what memory held, from the definition of a value on.
  struct Holding {
    const llvm::Instruction *Value;
    const llvm::DILocalVariable *Variable;
    const llvm::DILocation *InlinedAt;
  };
  std::vector<Holding> Held;
  // Declarations of variables that are described by values.
  std::vector<llvm::DbgVariableRecord *> Undeclared;
  // Clones of sources that are executed where their block is, in the order in which they were made.
  std::vector<std::pair<uint32_t, llvm::Instruction *>> Clones;
  // Debug records that say again what is known without them.
  llvm::DenseSet<const llvm::DbgVariableRecord *> Reads;

  explicit RvsdgWriter(RvsdgCarrier &C) : C(C) {}

  bool isEmitted(uint32_t Source) const { return Source < Emitted.size() && Emitted[Source]; }

  // Whether a source is in the new body where it was.
  bool stays(uint32_t Source) const { return isEmitted(Source) && !Moved.contains(Source); }

  // The old block that a source is in; ~0: none.
  uint32_t oldBlockOf(uint32_t Source) const;

  uint32_t slot(llvm::Value *V) {
    Slots.push_back(V);
    return uint32_t(Slots.size() - 1);
  }

  llvm::Value *value(uint32_t Ref) const {
    uint32_t Index = Ref >> 2;
    return (Ref & 3) == RefConst ? C.Consts[Index] : Slots[Index];
  }
};

// Puts the debug records of an instruction at the head of those at another place.
void rvsdgAbsorb(llvm::BasicBlock *Into, llvm::BasicBlock::iterator At, llvm::Instruction &From);

// What stands where an instruction was and keeps its debug records.
llvm::Instruction *rvsdgHolder(RvsdgWriter &W);

// Gives copies of blocks the debug records of the block that they are copies of. Before records move.
void rvsdgCopyRecords(RvsdgWriter &W);

// Gives debug records whose instruction or value is not in the new body another place and value; what variables in memory hold
// is described by values where that memory is gone. Before the old blocks go.
void rvsdgPlaceRecords(RvsdgWriter &W);

// Takes back what debug records say where that is not defined. After the old blocks went.
void rvsdgCheckRecords(RvsdgWriter &W);

// Appends an instruction at the debug location of source Like, ~0 for none, and gives it a slot.
uint32_t rvsdgInsert(RvsdgWriter &W, uint32_t Block, llvm::Instruction *I, uint32_t Like);

bool rvsdgConforms(RvsdgWriter &W, llvm::Instruction &I, uint32_t Opcode, uint32_t Type, llvm::ArrayRef<uint32_t> X);

// Appends a source instruction to a block: itself the first time, a clone later. Debug records before it come with it unless
// it was Moved.
uint32_t rvsdgTake(RvsdgWriter &W, uint32_t Block, uint32_t Source, bool Moved);
