// Debug records of a body that is rewritten: where they go when the instruction after them is not in the new body, and what they
// say of a value that is not. What becomes of variables whose memory is gone is in variables.cpp.

#include "writer.h"

#include "variables.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

using Place = std::pair<BasicBlock *, BasicBlock::iterator>;

// The first emitted instruction that is executed from source S on: of those before End in its block, then of the only blocks that are
// executed next, of which some were emptied. What was inlined for a call is executed before what comes after it. If there is none, also
// the end of the last of those blocks. Steps is how many blocks may still be looked at.
std::pair<Instruction *, uint32_t> firstEmittedInChain(RvsdgWriter &W, uint32_t S, uint32_t End, unsigned &Steps) {
  while (Steps != 0) {
    --Steps;
    for (; S != End; ++S) {
      if (W.stays(S))
        return {W.C.Sources[S], End};
      if (uint32_t First = W.C.InlinedCalls.lookup(S)) {
        uint32_t Block = W.oldBlockOf(First);
        if (Block == None)
          return {nullptr, None};
        S = First - 1;
        End = W.OldRange[Block].second;
      }
    }
    Instruction *Branch = W.C.Sources[End - 1];
    if (auto Return = W.C.Returns.find(Branch); Return != W.C.Returns.end()) {
      uint32_t Block = W.oldBlockOf(Return->second);
      if (Block == None)
        return {nullptr, None};
      S = Return->second + 1;
      End = W.OldRange[Block].second;
    } else if (BasicBlock *Next = Branch->getNumSuccessors() == 1 ? Branch->getSuccessor(0) : nullptr) {
      auto It = W.OldBlocks.find(Next);
      if (It == W.OldBlocks.end())
        return {nullptr, None};
      if (!W.SinglePred[It->second])
        return {nullptr, End};
      std::tie(S, End) = W.OldRange[It->second];
    } else {
      return {nullptr, End};
    }
  }
  return {nullptr, None};
}

Instruction *firstEmittedFrom(RvsdgWriter &W, uint32_t S, uint32_t End, unsigned &Steps);

// The first emitted instruction of the only block where a branch leads of which it is known where it goes; null if several are left,
// since they are executed for another reason.
Instruction *firstEmittedWhereDecided(RvsdgWriter &W, const Instruction &Branch, unsigned &Steps) {
  Instruction *Only = nullptr;
  for (const BasicBlock *Successor : llvm::successors(&Branch)) {
    auto It = W.OldBlocks.find(Successor);
    if (It == W.OldBlocks.end() || !W.SinglePred[It->second])
      continue;
    auto [Begin, End] = W.OldRange[It->second];
    if (Instruction *First = firstEmittedFrom(W, Begin, End, Steps)) {
      if (Only)
        return nullptr;
      Only = First;
    }
  }
  return Only;
}

// The first emitted instruction where all ways from a branch come together, of which nothing is left before.
Instruction *firstEmittedAfterJoin(RvsdgWriter &W, const Instruction &Branch, unsigned &Steps) {
  Instruction *Join = nullptr;
  SmallVector<const BasicBlock *, 8> Pending(llvm::successors(&Branch));
  // By block to which not all ways have come: how many have.
  DenseMap<const BasicBlock *, unsigned> Waiting;
  while (!Pending.empty()) {
    const BasicBlock *BB = Pending.pop_back_val();
    auto It = W.OldBlocks.find(BB);
    if (It == W.OldBlocks.end())
      return nullptr;
    if (++Waiting[BB] != W.Arcs[It->second])
      continue;
    Waiting.erase(BB);
    auto [Begin, End] = W.OldRange[It->second];
    auto [First, Last] = firstEmittedInChain(W, Begin, End, Steps);
    if (First && Join)
      return nullptr;
    if (First) {
      Join = First;
      continue;
    }
    if (Last == None || W.C.Sources[Last - 1]->getNumSuccessors() == 0)
      return nullptr;
    Pending.append(llvm::succ_begin(W.C.Sources[Last - 1]), llvm::succ_end(W.C.Sources[Last - 1]));
  }
  return Waiting.empty() ? Join : nullptr;
}

// The first emitted instruction that is executed from source S on, as far as that is certain.
Instruction *firstEmittedFrom(RvsdgWriter &W, uint32_t S, uint32_t End, unsigned &Steps) {
  auto [First, Last] = firstEmittedInChain(W, S, End, Steps);
  if (First || Last == None)
    return First;
  const Instruction &Branch = *W.C.Sources[Last - 1];
  if (Branch.getNumSuccessors() < 2)
    return nullptr;
  return W.Decided.contains(Last - 1) ? firstEmittedWhereDecided(W, Branch, Steps) : firstEmittedAfterJoin(W, Branch, Steps);
}

// The same from the end of a block on, where the debug records of a contracted chain continue.
Instruction *firstEmittedAfter(RvsdgWriter &W, uint32_t Last) {
  unsigned Steps = 64;
  return firstEmittedFrom(W, Last + 1, Last + 1, Steps);
}

// The first emitted instruction that is executed of what was inlined for a call.
Instruction *firstInlined(RvsdgWriter &W, uint32_t Call) {
  unsigned Steps = 64;
  return firstEmittedFrom(W, Call, Call + 1, Steps);
}

// Right behind the last emitted instruction of an old block, among its sources before End, or of the only ones that were executed
// before.
std::optional<Place> lastEmittedBefore(RvsdgWriter &W, uint32_t Block, uint32_t End) {
  for (unsigned Steps = 0; Steps != 64; ++Steps) {
    uint32_t Begin = W.OldRange[Block].first, Inlined = None;
    for (uint32_t S = End; S-- != Begin;) {
      if (W.C.InlinedCalls.contains(S)) {
        Inlined = S;
        break;
      }
      if (!W.stays(S))
        continue;
      Instruction *I = W.C.Sources[S];
      BasicBlock *BB = I->getParent();
      if (I->isTerminator())
        return std::nullopt;
      return Place(BB, isa<PHINode>(I) ? BB->getFirstNonPHIIt() : std::next(I->getIterator()));
    }
    if (Inlined != None) {
      // What was inlined for a call is executed after what comes before it.
      auto Last = W.Returning.find(Inlined);
      Block = Last == W.Returning.end() || Last->second == None ? None : W.oldBlockOf(Last->second);
      if (Block == None)
        return std::nullopt;
      End = W.OldRange[Block].second;
      continue;
    }
    if (Block == 0) {
      BasicBlock *Entry = W.Blocks.front();
      return Place(Entry, Entry->getFirstNonPHIOrDbgOrAlloca());
    }
    if (auto Call = W.C.Calls.find(Begin); Call != W.C.Calls.end()) {
      End = Call->second;
      Block = W.oldBlockOf(End);
    } else {
      BasicBlock *Pred = W.SinglePred[Block];
      auto It = Pred ? W.OldBlocks.find(Pred) : W.OldBlocks.end();
      if (It == W.OldBlocks.end() || !W.JumpsOn[It->second])
        return std::nullopt;
      Block = It->second;
      End = W.OldRange[Block].second;
    }
    if (Block == None)
      return std::nullopt;
  }
  return std::nullopt;
}

// Where debug records go that have no emitted instruction behind them in their old block.
std::optional<Place> endOf(RvsdgWriter &W, uint32_t Block) {
  auto [Begin, End] = W.OldRange[Block];
  for (uint32_t S = End; S-- != Begin;)
    if (W.stays(S))
      return lastEmittedBefore(W, Block, End);
  if (Instruction *After = firstEmittedAfter(W, End - 1))
    return Place(After->getParent(), After->getIterator());
  return lastEmittedBefore(W, Block, End);
}

// Whether an instruction cannot have left its place among others: the order of effects, and the ends of blocks, are what tells where
// a block is.
bool isPinned(const Instruction &I) { return I.isTerminator() || I.mayReadOrWriteMemory() || isa<PHINode>(I); }

// Sources of a block that are executed one after the other: a call that is inlined parts its block in two.
struct Segment {
  uint32_t Block, Begin, End;
};

SmallVector<Segment, 32> segments(RvsdgWriter &W) {
  SmallVector<Segment, 32> All;
  for (uint32_t Block = 0; Block != W.OldRange.size(); ++Block) {
    auto [Begin, End] = W.OldRange[Block];
    for (uint32_t S = Begin; S != End; ++S)
      if (W.C.InlinedCalls.contains(S)) {
        All.push_back({Block, Begin, S + 1});
        Begin = S + 1;
      }
    All.push_back({Block, Begin, End});
  }
  return All;
}

// The block that a segment became, as far as those of its instructions tell that cannot have left it; null if there is none.
BasicBlock *homeOf(RvsdgWriter &W, const Segment &Of) {
  for (uint32_t S = Of.End; S-- != Of.Begin;)
    if (W.stays(S) && isPinned(*W.C.Sources[S]))
      return W.C.Sources[S]->getParent();
  return nullptr;
}

// Instructions without effects may stand in another block than the one that theirs became, for all that was said of them: the debug
// records before them stay behind.
void leaveRecordsBehind(RvsdgWriter &W) {
  auto Leave = [&](const Segment &Of, BasicBlock *Home) {
    for (uint32_t S = Of.Begin; S != Of.End; ++S) {
      Instruction *I = W.C.Sources[S];
      if (!W.stays(S) || I->getParent() == Home || isPinned(*I))
        continue;
      Instruction *Holder = nullptr;
      if (I->hasDbgRecords()) {
        Holder = rvsdgHolder(W);
        Holder->insertInto(W.OldOrder[Of.Block], W.OldOrder[Of.Block]->end());
        rvsdgAbsorb(W.OldOrder[Of.Block], Holder->getIterator(), *I);
      }
      W.Moved[S] = Holder;
    }
  };
  SmallVector<Segment, 32> Unknown;
  for (const Segment &Of : segments(W))
    if (BasicBlock *Home = homeOf(W, Of))
      Leave(Of, Home);
    else
      Unknown.push_back(Of);
  // What comes later in a chain of blocks, and what was inlined, has the higher numbers.
  for (const Segment &Of : llvm::reverse(Unknown)) {
    bool Calls = W.C.InlinedCalls.contains(Of.End - 1);
    Instruction *After = Calls ? firstInlined(W, Of.End - 1) : firstEmittedAfter(W, Of.End - 1);
    if (After)
      Leave(Of, After->getParent());
    else if (auto Before = lastEmittedBefore(W, Of.Block, Of.Begin))
      Leave(Of, Before->first);
  }
}

// A phi that is gone because it only ever had one value: its debug records describe that value.
void forwardNeedlessPhis(RvsdgWriter &W) {
  SmallVector<PHINode *, 16> Gone;
  for (auto [Begin, End] : W.OldRange)
    for (uint32_t S = Begin; S != End; ++S) {
      auto *Phi = dyn_cast<PHINode>(W.C.Sources[S]);
      if (!Phi)
        break;
      if (!W.isEmitted(S) && !W.Same.contains(S))
        Gone.push_back(Phi);
    }
  // Such phis can depend on each other in cycles; a round resolves at least one of a chain in order of blocks. More rounds
  // than this are not worth their time for a description.
  for (unsigned Round = 0; Round != 4; ++Round) {
    bool Changed = false;
    for (PHINode *Phi : Gone) {
      Value *V = Phi->use_empty() && !Phi->isUsedByMetadata() ? nullptr : Phi->hasConstantValue();
      if (!V || V == Phi)
        continue;
      Phi->replaceAllUsesWith(V);
      Changed = true;
    }
    if (!Changed)
      break;
  }
}

// Whether a debugger reads from one value what the other was: it takes as many bits of an integer as the variable has.
bool holds(const Value &V, const Value &Was) {
  auto *Wide = dyn_cast<IntegerType>(V.getType()), *Narrow = dyn_cast<IntegerType>(Was.getType());
  return V.getType() == Was.getType() || (Wide && Narrow && Wide->getBitWidth() > Narrow->getBitWidth());
}

// Debug records that describe a value that is not in the new body describe what is the same, else they say how it is computed
// from what is left.
void describeByOthers(RvsdgWriter &W) {
  DenseMap<Instruction *, uint32_t> Gone;
  SmallVector<Instruction *, 32> Pending;
  // Later instructions come first, so that what they leave behind on an earlier one's value is also described.
  for (auto [Begin, End] : W.OldRange)
    for (uint32_t S = Begin; S != End; ++S) {
      Instruction *I = W.C.Sources[S];
      if (W.isEmitted(S) || isa<AllocaInst>(I))
        continue;
      Gone[I] = S;
      if (I->isUsedByMetadata())
        Pending.push_back(I);
    }
  // What stands for another thing may come back to it; so often each is looked at.
  DenseMap<Instruction *, unsigned> Visits;
  while (!Pending.empty()) {
    Instruction *I = Pending.pop_back_val();
    auto At = Gone.find(I);
    if (At == Gone.end() || !I->isUsedByMetadata() || ++Visits[I] > 8)
      continue;
    SmallVector<DbgVariableRecord *, 4> Records;
    findDbgUsers(I, Records);
    Value *Same = nullptr;
    if (auto Known = W.Same.find(At->second); Known != W.Same.end()) {
      auto [V, Other] = Known->second;
      Same = V ? V : W.C.Sources[Other];
    }
    if (Same && Same != I && holds(*Same, *I) && Visits[I] <= 4) {
      for (DbgVariableRecord *Record : Records)
        Record->replaceVariableLocationOp(I, Same, /*AllowEmpty=*/true);
      if (auto *Next = dyn_cast<Instruction>(Same))
        Pending.push_back(Next);
      continue;
    }
    salvageDebugInfo(*I);
    for (Value *Operand : I->operands())
      if (auto *Next = dyn_cast<Instruction>(Operand))
        Pending.push_back(Next);
  }
}

// Variables that are assigned where nothing is left of the block: what they are is not known behind it.
struct Forgotten {
  DILocalVariable *Variable;
  DIExpression *Expression;
  DebugLoc At;
  // The last source of the block.
  uint32_t End;
};

// Debug records before an instruction that is not in the new body, or was moved in it, go to the next instruction of the same old
// block that is, else to the end of that block. Those that come later go first, so that they stay in order at one place.
SmallVector<Forgotten, 4> rescue(RvsdgWriter &W) {
  SmallVector<Forgotten, 4> Lost;
  for (uint32_t Block = uint32_t(W.OldRange.size()); Block-- != 0;) {
    auto [Begin, End] = W.OldRange[Block];
    std::optional<Place> Next;
    bool AtEnd = true;
    for (uint32_t S = End; S-- != Begin;) {
      Instruction *I = W.C.Sources[S];
      if (W.stays(S)) {
        Next = Place(I->getParent(), I->getIterator());
        AtEnd = false;
        continue;
      }
      if (W.C.InlinedCalls.contains(S)) {
        if (Instruction *Inlined = firstInlined(W, S))
          Next = Place(Inlined->getParent(), Inlined->getIterator());
        else if (auto Before = lastEmittedBefore(W, Block, S))
          Next = Before;
        AtEnd &= !Next;
      }
      if (auto Moved = W.Moved.find(S); Moved != W.Moved.end())
        I = Moved->second;
      if (!I || !I->hasDbgRecords())
        continue;
      if (AtEnd) {
        Next = endOf(W, Block);
        AtEnd = false;
      }
      if (Next)
        rvsdgAbsorb(Next->first, Next->second, *I);
      else if (W.Flattened.contains(End - 1))
        for (const DbgVariableRecord &Record : filterDbgVars(I->getDbgRecordRange()))
          if (Record.isDbgValue() && !W.Reads.contains(&Record))
            Lost.push_back({Record.getVariable(), Record.getExpression(), Record.getDebugLoc(), End - 1});
    }
  }
  return Lost;
}

// Says where a block that is executed in any case now was left that what it assigned is not known, unless it is said there what the
// variable is.
void forget(RvsdgWriter &W, ArrayRef<Forgotten> Lost) {
  for (auto [Variable, Expression, At, End] : Lost) {
    auto *Br = dyn_cast<BranchInst>(W.C.Sources[End]);
    auto It = Br && !Br->isConditional() ? W.OldBlocks.find(Br->getSuccessor(0)) : W.OldBlocks.end();
    if (It == W.OldBlocks.end())
      continue;
    auto [Begin, Last] = W.OldRange[It->second];
    for (uint32_t S = Begin; S != Last; ++S) {
      if (!W.stays(S))
        continue;
      Instruction *I = W.C.Sources[S];
      BasicBlock *BB = I->getParent();
      bool IsKnown = llvm::any_of(W.Held, [&](auto &Known) {
        return Known.Variable == Variable && Known.InlinedAt == At->getInlinedAt() && Known.Value->getParent() == BB &&
               Known.Value->comesBefore(I);
      });
      if (!IsKnown) {
        auto *Poison = PoisonValue::get(Type::getInt1Ty(BB->getContext()));
        auto Place = isa<PHINode>(I) ? BB->getFirstNonPHIIt() : I->getIterator();
        // Records that are at that place already come later.
        auto *Record = DbgVariableRecord::createDbgVariableRecord(Poison, Variable, Expression, At);
        BB->createMarker(Place)->insertDbgRecord(Record, /*InsertAtHead=*/true);
      }
      break;
    }
  }
}

bool isDefinedAt(const DominatorTree &Dominators, const Value *V, const Instruction &At) {
  auto *I = dyn_cast<Instruction>(V);
  return !I || (I->getFunction() == At.getFunction() && Dominators.dominates(I, &At));
}

// Whether another record after this one, before an instruction of the same block or right after it, says something of the variable.
bool isOverruled(const DbgVariableRecord &Record, const Instruction &Until) {
  DebugVariable Variable(&Record);
  bool After = false;
  for (const Instruction *I = Record.getInstruction(); I; I = I->getNextNode()) {
    for (const DbgVariableRecord &Other : filterDbgVars(I->getDbgRecordRange())) {
      After |= &Other == &Record;
      if (After && &Other != &Record && Other.getVariable() == Record.getVariable() &&
          Other.getDebugLoc()->getInlinedAt() == Record.getDebugLoc()->getInlinedAt())
        return true;
    }
    if (I == &Until)
      return false;
  }
  return true;
}

// Lets a record describe what stands for a parameter where that is defined.
void describeParams(RvsdgWriter &W, const DominatorTree &Dominators, DbgVariableRecord &Record) {
  SmallVector<Value *, 2> Values(Record.location_ops());
  for (Value *V : Values)
    if (Value *Now = W.SameParams.lookup(V))
      if (Now->getType() == V->getType() && isDefinedAt(Dominators, Now, *Record.getInstruction()))
        Record.replaceVariableLocationOp(V, Now, /*AllowEmpty=*/true);
}

// A record of a value that is only defined later in the block goes there, when nothing else is said of the variable until then.
bool movesToDefinition(DbgVariableRecord &Record) {
  auto *I = Record.getNumVariableLocationOps() == 1 ? dyn_cast<Instruction>(Record.getVariableLocationOp(0)) : nullptr;
  if (!I || I->getParent() != Record.getInstruction()->getParent() || I->isTerminator() || isOverruled(Record, *I))
    return false;
  Record.removeFromParent();
  BasicBlock *BB = I->getParent();
  auto At = isa<PHINode>(I) ? BB->getFirstNonPHIIt() : std::next(I->getIterator());
  BB->createMarker(At)->insertDbgRecord(&Record, /*InsertAtHead=*/true);
  return true;
}

} // namespace

void rvsdgAbsorb(BasicBlock *Into, BasicBlock::iterator At, Instruction &From) {
  DbgMarker *Marker = Into->createMarker(At);
  Marker->absorbDebugValues(*From.DebugMarker, /*InsertAtHead=*/true);
}

void rvsdgPlaceRecords(RvsdgWriter &W) {
  bool Described = W.F->getSubprogram();
  for (auto [Begin, End] : W.OldRange) {
    if (Begin == End)
      continue;
    auto Return = W.C.Returns.find(W.C.Sources[End - 1]);
    if (Return == W.C.Returns.end())
      continue;
    if (auto [At, New] = W.Returning.try_emplace(Return->second, End - 1); !New)
      At->second = None;
  }
  if (Described) {
    forwardNeedlessPhis(W);
    rvsdgDescribeVariables(W);
    rvsdgCopyRecords(W);
    describeByOthers(W);
    if (!W.Same.empty())
      leaveRecordsBehind(W);
  }
  auto Lost = rescue(W);
  if (Described) {
    rvsdgDescribeContents(W);
    forget(W, Lost);
  }
}

void rvsdgCheckRecords(RvsdgWriter &W) {
  if (!W.F->getSubprogram() || (W.Same.empty() && W.SameParams.empty() && W.Contents.empty()))
    return;
  DominatorTree Dominators(*W.F);
  for (BasicBlock &BB : *W.F) {
    bool Any = false;
    for (Instruction &I : BB)
      for (DbgVariableRecord &Record : llvm::make_early_inc_range(filterDbgVars(I.getDbgRecordRange()))) {
        if (Record.isDbgDeclare())
          continue;
        Any = true;
        describeParams(W, Dominators, Record);
        auto IsDefined = [&](const Value *V) { return isDefinedAt(Dominators, V, I); };
        bool Known = !Record.isKillLocation();
        if (Known && (llvm::all_of(Record.location_ops(), IsDefined) || movesToDefinition(Record)))
          continue;
        if (W.Reads.contains(&Record))
          Record.eraseFromParent();
        else if (Known)
          Record.setKillLocation();
      }
    if (Any)
      RemoveRedundantDbgInstrs(&BB);
  }
  rvsdgDropRedundantRecords(*W.F);
}
