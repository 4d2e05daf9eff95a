// Debug records of copies of blocks: an unrolled iteration assigns variables as the first one does. Which clones are of one copy is
// told by their order: a run of them with increasing numbers, in one new block.

#include "writer.h"

#include "llvm/IR/DebugProgramInstruction.h"

#include <map>

using namespace llvm;

namespace {

// A copy of an old block.
struct Run {
  BasicBlock *BB;
  uint32_t Old;
  std::vector<std::pair<uint32_t, Instruction *>> Clones;
};

struct Copier {
  RvsdgWriter &W;
  DenseMap<const Value *, uint32_t> Sources;
  DenseMap<uint32_t, SmallVector<Instruction *, 2>> Clones;
  std::vector<bool> Copied;
  std::vector<Run> Runs;

  explicit Copier(RvsdgWriter &W) : W(W), Copied(W.OldRange.size()) {
    for (auto [Begin, End] : W.OldRange)
      for (uint32_t S = Begin; S != End; ++S)
        Sources[W.C.Sources[S]] = S;
  }

  void findRuns() {
    std::map<uint32_t, Run> Open;
    BasicBlock *BB = nullptr;
    auto Close = [&] {
      for (auto &[Old, Run] : Open)
        if (isCopy(Run))
          Runs.push_back(std::move(Run));
      Open.clear();
    };
    for (auto [Source, I] : W.Clones) {
      Clones[Source].push_back(I);
      if (I->getParent() != BB)
        Close();
      BB = I->getParent();
      uint32_t Old = W.oldBlockOf(Source);
      if (Old == None)
        continue;
      auto [At, New] = Open.try_emplace(Old, Run{BB, Old, {}});
      if (!New && At->second.Clones.back().first >= Source) {
        if (isCopy(At->second))
          Runs.push_back(std::move(At->second));
        At->second = Run{BB, Old, {}};
      }
      At->second.Clones.push_back({Source, I});
    }
    Close();
    for (const Run &Run : Runs)
      Copied[Run.Old] = true;
  }

  // Whether a run is one more execution of the block, not an operation that is computed elsewhere again.
  bool isCopy(const Run &Run) const {
    auto [Begin, End] = W.OldRange[Run.Old];
    size_t Left = 0;
    for (uint32_t S = Begin; S != End; ++S)
      Left += W.stays(S);
    return Run.Clones.size() * 2 >= Left && llvm::any_of(Run.Clones, [&](auto &Clone) {
      Instruction *Original = W.C.Sources[Clone.first];
      return Clone.second->isTerminator() || Clone.second->mayReadOrWriteMemory() || Original->getParent() == Run.BB;
    });
  }

  // What a block that was copied defines is not what a block sees that was not: it was in a loop with it, and sees the last copy.
  void forgetCopied(uint32_t Old) {
    auto [Begin, End] = W.OldRange[Old];
    for (uint32_t S = Begin; S != End; ++S) {
      Instruction *I = W.C.Sources[S];
      if (auto Moved = W.Moved.find(S); Moved != W.Moved.end())
        I = Moved->second;
      if (!I || !I->hasDbgRecords())
        continue;
      for (DbgVariableRecord &Record : llvm::make_early_inc_range(filterDbgVars(I->getDbgRecordRange()))) {
        bool IsUnknown = Record.isDbgValue() && llvm::any_of(Record.location_ops(), [&](Value *V) {
                           auto At = Sources.find(V);
                           return At != Sources.end() && Clones.contains(At->second) && Copied[W.oldBlockOf(At->second)];
                         });
        if (!IsUnknown)
          continue;
        if (W.Reads.contains(&Record))
          Record.eraseFromParent();
        else
          Record.setKillLocation();
      }
    }
  }

  // What a value is in a copy; null when that is not known.
  Value *inCopy(const Run &Run, Value *V, const Instruction *Before) const {
    auto At = Sources.find(V);
    if (At == Sources.end())
      return W.SameParams.contains(V) ? nullptr : V;
    for (auto [Source, Clone] : Run.Clones)
      if (Source == At->second)
        return Clone;
    auto Known = Clones.find(At->second);
    if (Known == Clones.end())
      return Copied[W.oldBlockOf(At->second)] ? nullptr : V;
    // The last one before in the block.
    Value *Last = nullptr;
    for (Instruction *Clone : Known->second)
      if (Clone->getParent() == Run.BB && (!Before || Clone->comesBefore(Before)))
        Last = Clone;
    return Last;
  }

  void copy(const Run &Run, DbgVariableRecord &Record, BasicBlock::iterator At) {
    DbgVariableRecord *Copy = Record.clone();
    const Instruction *Before = At == Run.BB->end() ? nullptr : &*At;
    SmallVector<Value *, 2> Values(Copy->location_ops());
    bool Known = !Copy->isKillLocation();
    for (Value *V : Values) {
      Value *Now = inCopy(Run, V, Before);
      Known &= Now != nullptr;
      if (Now && Now != V)
        Copy->replaceVariableLocationOp(V, Now, /*AllowEmpty=*/true);
    }
    if (W.Reads.contains(&Record)) {
      if (!Known) {
        Copy->deleteRecord();
        return;
      }
      W.Reads.insert(Copy);
    } else if (!Known) {
      Copy->setKillLocation();
    }
    Run.BB->createMarker(At)->insertDbgRecord(Copy, /*InsertAtHead=*/false);
  }

  void copyRecords(const Run &Run) {
    auto [Begin, End] = W.OldRange[Run.Old];
    size_t Next = 0;
    for (uint32_t S = Begin; S != End; ++S) {
      Instruction *I = W.C.Sources[S];
      if (auto Moved = W.Moved.find(S); Moved != W.Moved.end())
        I = Moved->second;
      while (Next != Run.Clones.size() && Run.Clones[Next].first < S)
        ++Next;
      if (!I || !I->hasDbgRecords())
        continue;
      auto At = Next != Run.Clones.size() ? Run.Clones[Next].second->getIterator()
                                          : std::next(Run.Clones.back().second->getIterator());
      if (At != Run.BB->end() && isa<PHINode>(*At))
        At = Run.BB->getFirstNonPHIIt();
      SmallVector<DbgVariableRecord *, 4> Records;
      for (DbgVariableRecord &Record : filterDbgVars(I->getDbgRecordRange()))
        if (Record.isDbgValue())
          Records.push_back(&Record);
      for (DbgVariableRecord *Record : Records)
        copy(Run, *Record, At);
    }
  }
};

} // namespace

void rvsdgCopyRecords(RvsdgWriter &W) {
  if (W.Clones.empty())
    return;
  Copier Copier(W);
  Copier.findRuns();
  for (const Run &Run : Copier.Runs)
    Copier.copyRecords(Run);
  for (uint32_t Old = 0; Old != Copier.Copied.size(); ++Old)
    if (!Copier.Copied[Old])
      Copier.forgetCopied(Old);
}
