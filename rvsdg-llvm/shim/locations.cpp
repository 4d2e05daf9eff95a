// Where code stands in source files.

#include "carrier.h"

#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

extern "C" {

// File (a string's number), line and column of a source; no words when it has no location.
RvsdgWords rvsdg_location(RvsdgCarrier *C, uint32_t Source) {
  C->Out.clear();
  const Instruction *I = Source < C->Sources.size() ? C->Sources[Source] : nullptr;
  if (const DebugLoc &L = I ? I->getDebugLoc() : DebugLoc()) {
    C->word(C->string(L->getFilename()));
    C->word(L.getLine());
    C->word(L.getCol());
  }
  return answer(*C);
}

// The same of a function's definition, by symbol number.
RvsdgWords rvsdg_function_location(RvsdgCarrier *C, uint32_t Symbol) {
  C->Out.clear();
  auto *F = Symbol < C->NumSymbols ? dyn_cast<Function>(C->Consts[Symbol]) : nullptr;
  if (const DISubprogram *P = F ? F->getSubprogram() : nullptr) {
    C->word(C->string(P->getFilename()));
    C->word(P->getLine());
    C->word(0);
  }
  return answer(*C);
}
}
