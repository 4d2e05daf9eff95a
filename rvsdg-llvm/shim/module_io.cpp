// Modules from bytes and back: parsing, verification, printing. Everything LLVM would print or die of is handed to the
// caller as text.

#include "shim.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Bitcode/BitcodeWriterPass.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/ThinLTOBitcodeWriter.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace llvm;

namespace {

// Appends every diagnostic of its context to the owner's list: severity letter, then the message.
struct Collector final : public DiagnosticHandler {
  std::vector<std::string> &Messages;
  explicit Collector(std::vector<std::string> &Messages) : Messages(Messages) {}

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    raw_string_ostream OS(Messages.emplace_back());
    switch (DI.getSeverity()) {
    case DS_Error: OS << 'E'; break;
    case DS_Warning: OS << 'W'; break;
    case DS_Remark: OS << 'R'; break;
    case DS_Note: OS << 'N'; break;
    }
    DiagnosticPrinterRawOStream Printer(OS);
    DI.print(Printer);
    return true;
  }
};

// The parsers call UpgradeDebugInfo, which aborts the process on a module with debug info that fails the verifier.
// rvsdg_verify does the same work with errors returned, so the parsers' own call is switched off once per process.
void disableAbortingUpgrade() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    auto &Options = cl::getRegisteredOptions();
    auto It = Options.find("disable-auto-upgrade-debug-info");
    if (It != Options.end())
      static_cast<cl::opt<bool> *>(It->second)->setValue(true);
  });
}

[[noreturn]] void exitOnFatal(void *, const char *Reason, bool) {
  std::fprintf(stderr, "error: LLVM cannot continue: %s\n", Reason);
  std::fflush(stderr);
  std::_Exit(1);
}

} // namespace

extern "C" {

struct RvsdgContext {
  std::vector<std::string> Diagnostics;
  LLVMContext Context;
};

void rvsdg_exit_on_fatal_error() {
  static std::once_flag Once;
  std::call_once(Once, [] { install_fatal_error_handler(exitOnFatal, nullptr); });
}

// Memory that was freed but kept for later goes back to the system.
void rvsdg_release_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Blocks of this size and more come from the system and go back there at once. Otherwise glibc raises the limit to the size of
// what was freed last.
void rvsdg_return_large_blocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
#endif
}

RvsdgContext *rvsdg_context_new() {
  disableAbortingUpgrade();
  auto *C = new RvsdgContext;
  C->Context.setDiagnosticHandler(std::make_unique<Collector>(C->Diagnostics), /*RespectFilters=*/false);
  // Types of one C++ class in several translation units become one node, as in opt.
  C->Context.enableDebugTypeODRUniquing();
  return C;
}

void rvsdg_context_free(RvsdgContext *C) { delete C; }

// The diagnostics collected since the last call, one call of Sink each.
void rvsdg_take_diagnostics(RvsdgContext *C, RvsdgSink Sink, void *Cx) {
  for (const std::string &Message : C->Diagnostics)
    emitText(Sink, Cx, Message);
  C->Diagnostics.clear();
}

// Parses text or bitcode. A target triple and a data layout, where they are given, take the place of the module's. On failure returns null; Line and Column are 1-based (0: unknown) and Sink receives the message,
// then (if there is one) the offending source line.
Module *rvsdg_parse(RvsdgContext *C, const char *Bytes, size_t Len, const char *Name, size_t NameLen,
                    const char *TripleBytes, size_t TripleLen, const char *LayoutBytes, size_t LayoutLen, unsigned *Line,
                    unsigned *Column, RvsdgSink Sink, void *Cx) {
  *Line = *Column = 0;
  StringRef Data(Bytes, Len), GivenTriple(TripleBytes, TripleLen), GivenLayout(LayoutBytes, LayoutLen);
  // The text lexer needs a terminating zero; bitcode must be aligned to four bytes. A copy gives both.
  auto Buffer = MemoryBuffer::getMemBufferCopy(Data, StringRef(Name, NameLen));
  if (!Buffer) {
    emitText(Sink, Cx, "out of memory");
    return nullptr;
  }
  SMDiagnostic Err;
  ParserCallbacks Callbacks([&](StringRef TripleText, StringRef Layout) -> std::optional<std::string> {
    if (!GivenLayout.empty())
      return GivenLayout.str();
    if (!GivenTriple.empty())
      TripleText = GivenTriple;
    if (!Layout.empty() || TripleText.empty())
      return std::nullopt;
    std::string Default = Triple(TripleText).computeDataLayout();
    if (Default.empty())
      return std::nullopt;
    return Default;
  });
  std::unique_ptr<Module> M = parseIR(Buffer->getMemBufferRef(), Err, C->Context, Callbacks);
  if (!M) {
    if (Err.getLineNo() > 0) {
      *Line = unsigned(Err.getLineNo());
      *Column = Err.getColumnNo() >= 0 ? unsigned(Err.getColumnNo()) + 1 : 0;
    }
    emitText(Sink, Cx, Err.getMessage());
    emitText(Sink, Cx, Err.getLineContents());
    return nullptr;
  }
  if (!GivenTriple.empty())
    M->setTargetTriple(Triple(Triple::normalize(GivenTriple)));
  return M.release();
}

// Drops the names of all values in functions.
void rvsdg_discard_names(Module *M) {
  for (Function &F : *M) {
    for (Argument &A : F.args())
      A.setName("");
    for (BasicBlock &B : F) {
      B.setName("");
      for (Instruction &I : B)
        I.setName("");
    }
  }
}

void rvsdg_module_free(Module *M) { delete M; }

// Runs the verifier. Returns true if the module is valid. Otherwise Sink receives the verifier's text and then the name
// of the first function with an error (empty: the error is outside of functions). Debug info that is malformed or of an
// old version is stripped with a diagnostic when Strip is set, as the parsers do.
bool rvsdg_verify(Module *M, bool Strip, RvsdgSink Sink, void *Cx) {
  std::string Text;
  raw_string_ostream OS(Text);
  bool BrokenDebugInfo = false;
  if (verifyModule(*M, &OS, &BrokenDebugInfo)) {
    emitText(Sink, Cx, Text);
    StringRef Culprit;
    for (const Function &F : *M) {
      if (!F.isDeclaration() && verifyFunction(F)) {
        Culprit = F.getName();
        break;
      }
    }
    emitText(Sink, Cx, Culprit);
    return false;
  }
  if (Strip) {
    unsigned Version = getDebugMetadataVersionFromModule(*M);
    if (Version != DEBUG_METADATA_VERSION || BrokenDebugInfo) {
      if (Version == DEBUG_METADATA_VERSION) {
        DiagnosticInfoIgnoringInvalidDebugMetadata Diag(*M);
        M->getContext().diagnose(Diag);
      }
      bool Modified = StripDebugInfo(*M);
      if (Modified && Version != DEBUG_METADATA_VERSION) {
        DiagnosticInfoDebugMetadataVersion Diag(*M, Version);
        M->getContext().diagnose(Diag);
      }
    }
  }
  return true;
}

// The module in one piece: as text, or as bitcode with what flags ask for.
void rvsdg_write(Module *M, uint32_t Flags, RvsdgSink Sink, void *Cx) {
  enum : uint32_t { Bitcode = 1, Summary = 2, Hash = 4, ThinLto = 8, UseListOrder = 16 };
  if (Flags & Bitcode) {
    SmallVector<char, 0> Bytes;
    raw_svector_ostream OS(Bytes);
    if (Flags & (Summary | ThinLto)) {
      LoopAnalysisManager LAM;
      FunctionAnalysisManager FAM;
      CGSCCAnalysisManager CGAM;
      ModuleAnalysisManager MAM;
      PassBuilder PB;
      PB.registerModuleAnalyses(MAM);
      PB.registerCGSCCAnalyses(CGAM);
      PB.registerFunctionAnalyses(FAM);
      PB.registerLoopAnalyses(LAM);
      PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
      ModulePassManager MPM;
      if (Flags & ThinLto)
        MPM.addPass(ThinLTOBitcodeWriterPass(OS, nullptr, bool(Flags & UseListOrder)));
      else
        MPM.addPass(BitcodeWriterPass(OS, bool(Flags & UseListOrder), true, bool(Flags & Hash)));
      MPM.run(*M, MAM);
    } else {
      WriteBitcodeToFile(*M, OS, bool(Flags & UseListOrder), nullptr, bool(Flags & Hash));
    }
    emitText(Sink, Cx, StringRef(Bytes.data(), Bytes.size()));
    return;
  }
  std::string Text;
  raw_string_ostream OS(Text);
  M->print(OS, nullptr, bool(Flags & UseListOrder));
  OS.flush();
  emitText(Sink, Cx, Text);
}

bool rvsdg_has_debug_info(const Module *M) { return M->getNamedMetadata("llvm.dbg.cu") != nullptr; }

// Removes all debug info; returns whether there was any.
bool rvsdg_strip_debug(Module *M) { return StripDebugInfo(*M); }
}
