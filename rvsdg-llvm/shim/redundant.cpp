// Debug records that say of a variable what has been said of it already on every way to them. A record is a statement about the place
// where it stands: where the value it names is not in a register any more, the back end takes it as the end of what it knew.
//
// A value of a loop is another one in each iteration. No record of it is known where it is defined, though: the way there from outside
// of the loop has none.

#include "variables.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace {

using Variable = std::pair<const DILocalVariable *, const DILocation *>;
// The value and the expression of the last record.
using Said = std::pair<Metadata *, DIExpression *>;
using State = DenseMap<Variable, Said>;

// More entries of all blocks' states are not worth it.
constexpr uint64_t MaxEntries = uint64_t(1) << 22;

struct Redundant {
  DenseMap<const BasicBlock *, State> Out;
  SmallVector<DbgVariableRecord *, 16> Found;

  static Variable variable(const DbgVariableRecord &Record) {
    return {Record.getVariable(), Record.getDebugLoc()->getInlinedAt()};
  }

  // The one value of a record; null when it has several.
  static ValueAsMetadata *value(const DbgVariableRecord &Record) {
    return dyn_cast<ValueAsMetadata>(Record.getRawLocation());
  }

  // What all predecessors that were seen say.
  State entry(const BasicBlock &BB) const {
    State In;
    bool IsFirst = true;
    for (const BasicBlock *Pred : predecessors(&BB)) {
      auto Known = Out.find(Pred);
      if (Known == Out.end())
        continue;
      if (IsFirst) {
        In = Known->second;
        IsFirst = false;
        continue;
      }
      State Both;
      for (auto &[Of, What] : In)
        if (auto Other = Known->second.find(Of); Other != Known->second.end() && Other->second == What)
          Both.try_emplace(Of, What);
      In = std::move(Both);
    }
    return In;
  }

  void run(BasicBlock &BB, State &Now, bool Collect) {
    for (Instruction &I : BB) {
      for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange())) {
        if (Record.isDbgDeclare())
          continue;
        ValueAsMetadata *V = value(Record);
        // A fragment leaves the rest of the variable as it was.
        if (!V || !Record.isDbgValue() || Record.getExpression()->isFragment()) {
          Now.erase(variable(Record));
          continue;
        }
        Said What(V, Record.getExpression());
        auto [Known, IsNew] = Now.try_emplace(variable(Record), What);
        if (!IsNew && Known->second == What) {
          if (Collect)
            Found.push_back(&Record);
        } else {
          Known->second = What;
        }
      }
    }
  }
};

} // namespace

void rvsdgDropRedundantRecords(Function &F) {
  DenseSet<Variable> Variables;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      Variables.insert(Redundant::variable(Record));
  if (uint64_t(Variables.size()) * F.size() > MaxEntries)
    return;
  Redundant R;
  ReversePostOrderTraversal<Function *> Order(&F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *BB : Order) {
      State Now = R.entry(*BB);
      R.run(*BB, Now, /*Collect=*/false);
      auto [Known, IsNew] = R.Out.try_emplace(BB, Now);
      if (IsNew || Known->second != Now) {
        Known->second = std::move(Now);
        Changed = true;
      }
    }
  }
  for (BasicBlock *BB : Order) {
    State Now = R.entry(*BB);
    R.run(*BB, Now, /*Collect=*/true);
  }
  for (DbgVariableRecord *Record : R.Found)
    Record->eraseFromParent();
}
