// LLVM's own passes and options: pipelines of its pass builder over a module, targets, and the command line options that
// its libraries register.

#include "shim.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Remarks/RemarkStreamer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Utils/Debugify.h"

#include <mutex>
#include <optional>
#include <vector>

using namespace llvm;

namespace {

struct Text {
  const char *Data;
  size_t Len;
  StringRef str() const { return StringRef(Data, Len); }
};

void initializeTargets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
  });
}

// The options that describe targets, once they are registered. A program that loads this library as a plugin has its own.
StringSet<> TargetOptionNames;

// The target of a module; null where it names none that this LLVM knows.
std::unique_ptr<TargetMachine> targetOf(const Module &M) {
  const Triple &T = M.getTargetTriple();
  if (!T.getArch())
    return nullptr;
  initializeTargets();
  if (!TargetOptionNames.empty()) {
    Expected<std::unique_ptr<TargetMachine>> TM = codegen::createTargetMachineForTriple(T.str());
    if (TM)
      return std::move(*TM);
    consumeError(TM.takeError());
    return nullptr;
  }
  std::string Error;
  const Target *Found = TargetRegistry::lookupTarget(T, Error);
  if (!Found)
    return nullptr;
  return std::unique_ptr<TargetMachine>(Found->createTargetMachine(T, "", "", TargetOptions(), std::nullopt));
}

// Counts the executions of passes that may be left out, after those that were counted before, and leaves out all beyond a
// limit.
struct Gate final : public OptPassGate {
  mutable uint64_t Last;
  uint64_t Limit;
  Gate(uint64_t Before, uint64_t Limit) : Last(Before), Limit(Limit) {}

  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef Pass, StringRef Place) const override {
    bool Runs = ++Last <= Limit;
    errs() << "BISECT: " << (Runs ? "" : "NOT ") << "running pass (" << Last << ") " << Pass << " on " << Place << '\n';
    return Runs;
  }
};

// Finds the first pass after which the module is not valid.
struct EachVerifier {
  Module &M;
  std::string Failure;

  void after(StringRef Pass, Any IR) {
    if (!Failure.empty() || Pass.contains("PassManager") || Pass.contains("PassAdaptor"))
      return;
    std::string Found;
    raw_string_ostream OS(Found);
    bool Broken;
    if (const auto *F = any_cast<const Function *>(&IR))
      Broken = verifyFunction(**F, &OS);
    else if (const auto *L = any_cast<const Loop *>(&IR))
      Broken = verifyFunction(*(*L)->getHeader()->getParent(), &OS);
    else
      Broken = verifyModule(M, &OS);
    if (Broken)
      Failure = ("LLVM's pass '" + Pass + "' made the module invalid:\n" + OS.str()).str();
  }
};

// A pass builder with all it needs, over a module or, to read pipelines, over none.
struct Builder {
  std::vector<PassPlugin> Plugins;
  PassInstrumentationCallbacks PIC;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  std::optional<PassBuilder> PB;

  // What goes wrong, if anything.
  Error start(TargetMachine *TM, Text PluginPaths) {
    PB.emplace(TM, PipelineTuningOptions(), std::nullopt, &PIC);
    SmallVector<StringRef> Paths;
    PluginPaths.str().split(Paths, '\0', -1, false);
    for (StringRef Path : Paths) {
      Expected<PassPlugin> Plugin = PassPlugin::Load(Path.str());
      if (!Plugin)
        return Plugin.takeError();
      Plugin->registerPassBuilderCallbacks(*PB);
      Plugins.push_back(std::move(*Plugin));
    }
    return Error::success();
  }

  void registerAnalyses() {
    PB->registerModuleAnalyses(MAM);
    PB->registerCGSCCAnalyses(CGAM);
    PB->registerFunctionAnalyses(FAM);
    PB->registerLoopAnalyses(LAM);
    PB->crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
};

// Marks the calls that are made only after an unlikely branch as cold, as LLVM's inliner takes them to be.
void markColdCalls(Function &F) {
  DominatorTree Dominators(F);
  for (BasicBlock &B : F) {
    SmallVector<uint32_t, 4> Weights;
    Instruction *End = B.getTerminator();
    if (!End || !extractBranchWeights(*End, Weights) || Weights.size() != End->getNumSuccessors())
      continue;
    uint64_t Sum = 0;
    for (uint32_t Weight : Weights)
      Sum += Weight;
    for (unsigned K = 0; K != Weights.size(); ++K) {
      BasicBlock *Next = End->getSuccessor(K);
      // LLVM's ColdCallSiteRelFreq: two in a hundred.
      if (uint64_t(Weights[K]) * 50 >= Sum || Next->getSinglePredecessor() != &B)
        continue;
      SmallVector<BasicBlock *, 8> Cold;
      Dominators.getDescendants(Next, Cold);
      for (BasicBlock *C : Cold)
        for (Instruction &I : *C)
          if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() &&
                                                   !Call->hasFnAttr(Attribute::Hot))
            Call->addFnAttr(Attribute::Cold);
    }
  }
}

} // namespace

extern "C" {

struct RvsdgPasses {
  Text Pipeline;
  // Paths, each followed by a zero.
  Text Plugins;
  // Which passes' remarks are written; all if it is empty.
  Text RemarksFilter;
  // How many executions of passes were counted before, and how many are allowed in all.
  uint64_t Before;
  uint64_t Limit;
  bool Bisect;
  bool VerifyEach;
  bool DebugifyEach;
  bool Debug;
  bool Remarks;
};

// Whether a pipeline can be read. Sink receives it in LLVM's canonical form, or what is wrong with it.
bool rvsdg_check_passes(const RvsdgPasses *P, RvsdgSink Sink, void *Cx) {
  Builder B;
  ModulePassManager MPM;
  Error E = B.start(nullptr, P->Plugins);
  if (!E)
    E = B.PB->parsePassPipeline(MPM, P->Pipeline.str());
  if (E) {
    emitText(Sink, Cx, toString(std::move(E)));
    return false;
  }
  std::string Canonical;
  raw_string_ostream OS(Canonical);
  MPM.printPipeline(OS, [&](StringRef Class) {
    StringRef Name = B.PIC.getPassNameForClassName(Class);
    return Name.empty() ? Class : Name;
  });
  emitText(Sink, Cx, OS.str());
  return true;
}

// Runs a pipeline over a module. On failure Sink receives the reason; otherwise the remarks as YAML. Executed says up to which
// number executions are counted afterwards, in bisection.
bool rvsdg_run_passes(Module *M, const RvsdgPasses *P, uint64_t *Executed, RvsdgSink Sink, void *Cx) {
  LLVMContext &Context = M->getContext();
  std::unique_ptr<TargetMachine> TM = targetOf(*M);
  std::string Yaml;
  raw_string_ostream YamlStream(Yaml);
  if (P->Remarks) {
    if (Error E = setupLLVMOptimizationRemarks(Context, YamlStream, P->RemarksFilter.str(), "yaml", false)) {
      emitText(Sink, Cx, toString(std::move(E)));
      return false;
    }
  }
  OptPassGate &Usual = Context.getOptPassGate();
  Gate Counting(P->Before, P->Limit);
  if (P->Bisect)
    Context.setOptPassGate(Counting);
  std::string Failure;
  {
    Builder B;
    StandardInstrumentations Standard(Context, P->Debug);
    EachVerifier Verifier{*M, ""};
    DebugifyEachInstrumentation Debugify;
    Standard.registerCallbacks(B.PIC, &B.MAM);
    if (P->VerifyEach) {
      B.PIC.registerAfterPassCallback(
          [&](StringRef Pass, Any IR, const PreservedAnalyses &) { Verifier.after(Pass, IR); });
      B.PIC.registerAfterPassInvalidatedCallback([&](StringRef Pass, const PreservedAnalyses &) {
        Verifier.after(Pass, Any(static_cast<const Module *>(M)));
      });
      B.PIC.registerShouldRunOptionalPassCallback([&](StringRef, Any) { return Verifier.Failure.empty(); });
    }
    if (P->DebugifyEach) {
      Debugify.setDebugifyMode(DebugifyMode::SyntheticDebugInfo);
      Debugify.registerCallbacks(B.PIC, B.MAM);
    }
    ModulePassManager MPM;
    Error E = B.start(TM.get(), P->Plugins);
    if (!E) {
      TargetLibraryInfoImpl Library(M->getTargetTriple());
      B.FAM.registerPass([&] { return TargetLibraryAnalysis(Library); });
      B.registerAnalyses();
      E = B.PB->parsePassPipeline(MPM, P->Pipeline.str());
    }
    if (E)
      Failure = toString(std::move(E));
    else
      MPM.run(*M, B.MAM);
    Standard.getTimePasses().print();
    if (!Verifier.Failure.empty())
      Failure = Verifier.Failure;
  }
  if (P->Bisect)
    Context.setOptPassGate(Usual);
  *Executed = Counting.Last;
  if (P->Remarks)
    finalizeLLVMOptimizationRemarks(Context);
  emitText(Sink, Cx, Failure.empty() ? YamlStream.str() : Failure);
  return Failure.empty();
}

// Says on standard error what is left of made-up debug information after passes of this name, and removes it.
void rvsdg_check_debugify(Module *M, const char *Name, size_t Len) {
  ModuleAnalysisManager Unused;
  NewPMCheckDebugifyPass(/*Strip=*/true, StringRef(Name, Len), nullptr, DebugifyMode::SyntheticDebugInfo).run(*M, Unused);
}

// Begins to note what LLVM does on this thread, but for what takes less than so many microseconds.
void rvsdg_time_trace_begin(uint32_t Granularity) {
  if (!timeTraceProfilerEnabled())
    timeTraceProfilerInitialize(Granularity, "LLVM");
}

// Ends that. Sink receives what was noted, as JSON.
void rvsdg_time_trace_end(RvsdgSink Sink, void *Cx) {
  if (!timeTraceProfilerEnabled())
    return;
  SmallString<0> Json;
  raw_svector_ostream OS(Json);
  timeTraceProfilerWrite(OS);
  timeTraceProfilerCleanup();
  emitText(Sink, Cx, OS.str());
}

// The names of LLVM's passes, one call of Sink each: also analyses, with `<…>` after those that take parameters.
void rvsdg_pass_names(RvsdgSink Sink, void *Cx) {
  std::string Names;
  raw_string_ostream OS(Names);
  PassBuilder().printPassNames(OS);
  SmallVector<StringRef> Lines;
  StringRef(OS.str()).split(Lines, '\n', -1, false);
  bool IsMachine = false;
  for (StringRef Line : Lines) {
    if (Line.ends_with(":") || Line.ends_with("(WIP):"))
      IsMachine = Line.contains("Machine");
    else if (!IsMachine)
      emitText(Sink, Cx, Line.trim());
  }
}

// Makes weights of branches of what functions expect of values, and marks calls as cold that are not expected.
void rvsdg_lower_expectations(Module *M) {
  SmallPtrSet<Function *, 16> Expecting;
  for (Function &F : *M)
    if (F.getIntrinsicID() == Intrinsic::expect || F.getIntrinsicID() == Intrinsic::expect_with_probability)
      for (User *U : F.users())
        if (auto *I = dyn_cast<Instruction>(U))
          Expecting.insert(I->getFunction());
  FunctionAnalysisManager Unused;
  for (Function &F : *M)
    if (Expecting.contains(&F) && !F.hasOptNone()) {
      LowerExpectIntrinsicPass().run(F, Unused);
      markColdCalls(F);
    }
}

// Registers the options that describe targets (-mcpu, -mattr …), as LLVM's tools do. For programs.
void rvsdg_register_target_options() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    StringSet<> Before;
    for (auto &Entry : cl::getRegisteredOptions())
      Before.insert(Entry.first);
    static codegen::RegisterCodeGenFlags Flags;
    for (auto &Entry : cl::getRegisteredOptions())
      if (!Before.contains(Entry.first))
        TargetOptionNames.insert(Entry.first);
  });
}

// What LLVM's libraries know of an option, as bits: that they know it, that its value stands in the next argument unless it has
// one, that it describes targets. Sink receives what it is for.
uint32_t rvsdg_llvm_option(const char *Name, size_t Len, RvsdgSink Sink, void *Cx) {
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find(StringRef(Name, Len));
  if (Found == Options.end())
    return 0;
  emitText(Sink, Cx, Found->second->HelpStr);
  return 1 | (Found->second->getValueExpectedFlag() == cl::ValueRequired ? 2 : 0) |
         (TargetOptionNames.contains(Found->first) ? 4 : 0);
}

// The names of the options of LLVM's libraries, one call of Sink each, in their order.
void rvsdg_llvm_option_names(RvsdgSink Sink, void *Cx) {
  std::vector<StringRef> Names;
  for (auto &Entry : cl::getRegisteredOptions())
    Names.push_back(Entry.first);
  llvm::sort(Names);
  for (StringRef Name : Names)
    emitText(Sink, Cx, Name);
}

// Sets options, each followed by a zero. Whether they were right; Sink receives LLVM's words otherwise.
bool rvsdg_set_llvm_options(const char *Bytes, size_t Len, RvsdgSink Sink, void *Cx) {
  SmallVector<StringRef> Parts;
  StringRef(Bytes, Len).split(Parts, '\0', -1, false);
  std::vector<std::string> Words = {"LLVM"};
  for (StringRef Part : Parts)
    Words.push_back(Part.str());
  std::vector<const char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(Word.c_str());
  std::string Message;
  raw_string_ostream OS(Message);
  if (cl::ParseCommandLineOptions(int(Arguments.size()), Arguments.data(), "", &OS))
    return true;
  emitText(Sink, Cx, OS.str());
  return false;
}

// Writes what options say of the target to all functions. Whether it was possible; Sink receives the reason otherwise.
bool rvsdg_apply_target_options(Module *M, RvsdgSink Sink, void *Cx) {
  initializeTargets();
  const Triple &T = M->getTargetTriple();
  std::string Cpu, Features;
  if (T.getArch()) {
    Expected<std::unique_ptr<TargetMachine>> TM = codegen::createTargetMachineForTriple(T.str());
    if (!TM) {
      emitText(Sink, Cx, toString(TM.takeError()));
      return false;
    }
    Cpu = codegen::getCPUStr();
    Features = codegen::getFeaturesStr();
  }
  codegen::setFunctionAttributes(Cpu, Features, *M);
  return true;
}
}
