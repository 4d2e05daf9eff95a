// The C++ side of the pass plugin: options, the pass, and where pipelines of LLVM run it.

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

extern "C" {
// Receives a message about a function (empty: about the module); the bytes are valid during the call only.
typedef void (*RvsdgMessage)(void *Cx, const char *Function, size_t FunctionLen, const char *Text, size_t TextLen);

struct RvsdgRequest {
  Module *M;
  const char *Pipeline;
  size_t PipelineLen;
  uint32_t Threads;
  bool Structured;
};

enum RvsdgOutcome : uint32_t {
  OutcomeDone = 0,
  // The module is as it was.
  OutcomeDeclined = 1,
  // The module is half-written.
  OutcomeLost = 2,
};

// What is wrong with a pipeline, if anything, goes to Message.
void rvsdg_plugin_check(const char *Pipeline, size_t Len, RvsdgMessage Message, void *Cx);
// Optimizes a module in place; functions that stay as they are, and failures, go to Message.
RvsdgOutcome rvsdg_plugin_run(const RvsdgRequest *Request, RvsdgMessage Message, void *Cx);
// Leaves a note for the driver that started this process, if there is one, and says whether there is.
bool rvsdg_plugin_failed(const char *Text, size_t Len);
}

namespace rvsdg {

enum class Place { None, PipelineStart, OptimizerEarly, OptimizerLast };

static cl::OptionCategory Category("RVSDG optimizer");
static cl::opt<std::string> Passes("rvsdg-passes", cl::cat(Category), cl::value_desc("pipeline"),
                                   cl::desc("What the RVSDG optimizer runs in default pipelines (default: their level)"));
static cl::opt<Place> At("rvsdg-at", cl::cat(Category), cl::init(Place::OptimizerEarly),
                         cl::desc("Where in default pipelines the RVSDG optimizer runs"),
                         cl::values(clEnumValN(Place::None, "none", "nowhere, only where -passes= names it"),
                                    clEnumValN(Place::PipelineStart, "pipeline-start", "before all other passes"),
                                    clEnumValN(Place::OptimizerEarly, "optimizer-early",
                                               "after simplification and inlining, before vectorization (default)"),
                                    clEnumValN(Place::OptimizerLast, "optimizer-last", "after all other passes")));
static cl::opt<bool> Alone("rvsdg-alone", cl::cat(Category),
                           cl::desc("Leave out LLVM's own optimizations; what code generation or an instrumentation "
                                    "needs runs all the same"));
static cl::opt<unsigned> Threads("rvsdg-threads", cl::cat(Category), cl::init(1),
                                 cl::desc("Threads of the RVSDG optimizer; 0 is one per processor"));
static cl::opt<std::string> ControlFlow("rvsdg-control-flow", cl::cat(Category), cl::init("pcfr"),
                                        cl::value_desc("pcfr|scfr"), cl::desc("How control flow is recovered"));

// LLVM's passes that only make code better. What is not among them may be needed: lowerings, instrumentations, attributes that
// a flag asks for.
static const char *const Optimizations[] = {
    "ADCEPass",
    "AggressiveInstCombinePass",
    "AlignmentFromAssumptionsPass",
    "ArgumentPromotionPass",
    // Not better code, but debug records that only LLVM's optimizations keep up.
    "AssignmentTrackingPass",
    "BDCEPass",
    "CallSiteSplittingPass",
    "CalledValuePropagationPass",
    "ConstantMergePass",
    "ConstraintEliminationPass",
    "ControlHeightReductionPass",
    "CorrelatedValuePropagationPass",
    "DSEPass",
    "DeadArgumentEliminationPass",
    "DivRemPairsPass",
    "DropUnnecessaryAssumesPass",
    "EarlyCSEPass",
    "Float2IntPass",
    "GVNPass",
    "GlobalOptPass",
    "IPSCCPPass",
    "IndVarSimplifyPass",
    "InferAlignmentPass",
    "InjectTLIMappings",
    "InlinerPass",
    "InstCombinePass",
    "InstSimplifyPass",
    "JumpThreadingPass",
    "LCSSAPass",
    "LICMPass",
    "LibCallsShrinkWrapPass",
    "LoopDeletionPass",
    "LoopDistributePass",
    "LoopFullUnrollPass",
    "LoopIdiomRecognizePass",
    "LoopInstSimplifyPass",
    "LoopLoadEliminationPass",
    "LoopRotatePass",
    "LoopSimplifyCFGPass",
    "LoopSimplifyPass",
    "LoopSinkPass",
    "LoopUnrollPass",
    "LoopVectorizePass",
    "MemCpyOptPass",
    "MergedLoadStoreMotionPass",
    "MoveAutoInitPass",
    "OpenMPOptCGSCCPass",
    "OpenMPOptPass",
    "PostOrderFunctionAttrsPass",
    "PromotePass",
    "ReassociatePass",
    "RelLookupTableConverterPass",
    "ReversePostOrderFunctionAttrsPass",
    "SCCPPass",
    "SLPVectorizerPass",
    "SROAPass",
    "SimpleLoopUnswitchPass",
    "SimplifyCFGPass",
    "SpeculativeExecutionPass",
    "TailCallElimPass",
    "VectorCombinePass",
    "WarnMissedTransformationsPass",
};

struct Reporter {
  Module &M;
  std::string Failure;

  static void receive(void *Cx, const char *Function, size_t FunctionLen, const char *Text, size_t TextLen) {
    auto &Self = *static_cast<Reporter *>(Cx);
    Self.message(StringRef(Function, FunctionLen), StringRef(Text, TextLen));
  }

  void message(StringRef Function, StringRef Text) {
    llvm::Function *F = Function.empty() ? nullptr : M.getFunction(Function);
    if (!F || F->isDeclaration()) {
      Failure += Text;
      return;
    }
    OptimizationRemarkMissed Remark("rvsdg", "Untouched", F->getSubprogram(), &F->getEntryBlock());
    M.getContext().diagnose(Remark << "function passes through untouched: " << Text);
  }
};

// What is wrong with a pipeline; nothing if it can be run.
static std::string fault(StringRef Pipeline) {
  std::string Text;
  auto Take = [](void *Cx, const char *, size_t, const char *Text, size_t Len) {
    static_cast<std::string *>(Cx)->assign(Text, Len);
  };
  rvsdg_plugin_check(Pipeline.data(), Pipeline.size(), Take, &Text);
  return Text;
}

class RvsdgPass : public PassInfoMixin<RvsdgPass> {
  std::string Pipeline;

public:
  explicit RvsdgPass(StringRef Pipeline) : Pipeline(Pipeline) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (std::string Fault = fault(Pipeline); !Fault.empty()) {
      M.getContext().emitError("rvsdg: " + Fault);
      return PreservedAnalyses::all();
    }
    Reporter Report{M, ""};
    RvsdgRequest Request = {&M, Pipeline.data(), Pipeline.size(), Threads, ControlFlow == "scfr"};
    RvsdgOutcome Outcome = rvsdg_plugin_run(&Request, Reporter::receive, &Report);
    raw_string_ostream OS(Report.Failure);
    if (Outcome == OutcomeDone && verifyModule(M, &OS))
      Outcome = OutcomeLost;
    OS.flush();
    if (Outcome == OutcomeDeclined)
      M.getContext().diagnose(DiagnosticInfoGeneric("rvsdg: the module stays as it was: " + Report.Failure, DS_Remark));
    if (Outcome == OutcomeLost) {
      // A driver that waits compiles without the optimizer; nobody may use what is here.
      if (rvsdg_plugin_failed(Report.Failure.data(), Report.Failure.size()))
        std::_Exit(1);
      report_fatal_error(Twine("the RVSDG optimizer wrote an invalid module: ") + Report.Failure, false);
    }
    return Outcome == OutcomeDone ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

  void printPipeline(raw_ostream &OS, function_ref<StringRef(StringRef)>) {
    OS << "rvsdg(" << Pipeline << ')';
  }
};

// `a,b(c)` again, of what LLVM's parser made of it.
static std::string text(ArrayRef<PassBuilder::PipelineElement> Elements) {
  std::string Text;
  for (const PassBuilder::PipelineElement &Element : Elements) {
    if (!Text.empty())
      Text += ',';
    Text += Element.Name;
    if (!Element.InnerPipeline.empty())
      Text += '(' + text(Element.InnerPipeline) + ')';
  }
  return Text;
}

static void add(ModulePassManager &MPM, OptimizationLevel Level) {
  if (Level == OptimizationLevel::O0)
    return;
  static const char *const Sizes[] = {nullptr, "default<Os>", "default<Oz>"};
  std::string Pipeline = Passes;
  if (!Passes.getNumOccurrences())
    Pipeline = Level.getSizeLevel() ? Sizes[Level.getSizeLevel()] : "default<O" + utostr(Level.getSpeedupLevel()) + ">";
  MPM.addPass(RvsdgPass(Pipeline));
}

// `rvsdg<O2>`, `rvsdg<cne;dne>` or `rvsdg(cne,dne)`.
static bool parse(StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement> Inner) {
  if (!Name.consume_front("rvsdg"))
    return false;
  std::string Pipeline = text(Inner);
  if (Inner.empty()) {
    if (Name.consume_front("<") && Name.consume_back(">"))
      Pipeline = Name.starts_with("O") ? ("default<" + Name + ">").str() : Name.str();
    else if (Name.empty())
      Pipeline = "default<O2>";
    else
      return false;
    llvm::replace(Pipeline, ';', ',');
  } else if (!Name.empty()) {
    return false;
  }
  if (std::string Fault = fault(Pipeline); !Fault.empty()) {
    errs() << "rvsdg: " << Fault << '\n';
    return false;
  }
  MPM.addPass(RvsdgPass(Pipeline));
  return true;
}

static void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(parse);
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (At == Place::PipelineStart)
      add(MPM, Level);
  });
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) {
    if (At == Place::OptimizerEarly)
      add(MPM, Level);
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) {
    if (At == Place::OptimizerLast)
      add(MPM, Level);
  });
  // At link time there is one place: what the linker has made one module is optimized as a whole.
  PB.registerFullLinkTimeOptimizationLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (At != Place::None)
      add(MPM, Level);
  });
  PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks();
  if (!Alone || !Callbacks)
    return;
  static const StringSet<> Known = [] {
    StringSet<> Names;
    for (const char *Name : Optimizations)
      Names.insert(Name);
    return Names;
  }();
  Callbacks->registerShouldRunOptionalPassCallback([](StringRef Pass, Any) { return !Known.contains(Pass); });
}

} // namespace rvsdg

extern "C" void rvsdg_plugin_register(PassBuilder *PB) { rvsdg::registerCallbacks(*PB); }
