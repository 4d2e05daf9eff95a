// Function bodies as streams of words.
//
// A body is: number of parameters, blocks, instructions, source number of the first instruction, whether the address of a
// block is taken to which no indirect branch leads, whether the function is described to a debugger; then each block: number of instructions; then each instruction:
//   opcode | flags << 8 | loop progress << 16 | loop hints << 17, type, the three hints of the loop if there are any, number of operands, operands, number of extra words, extra words.
// Operands are RefTag numbers. Blocks among an instruction's operands are left out where the extra words name them.

#include "carrier.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

uint32_t syncScope(RvsdgCarrier &C, SyncScope::ID Scope) {
  SmallVector<StringRef, 8> Names;
  C.M.getContext().getSyncScopeNames(Names);
  return C.string(Names[Scope]);
}

struct BodyReader {
  RvsdgCarrier &C;

  uint32_t ref(const Value *V) {
    if (isa<Instruction>(V) || isa<Argument>(V)) {
      auto It = C.Locals.find(V);
      return It == C.Locals.end() ? uint32_t(None) : It->second << 2 | RefLocal;
    }
    if (auto *BB = dyn_cast<BasicBlock>(V))
      return block(BB) << 2 | RefBlock;
    if (auto *MD = dyn_cast<MetadataAsValue>(V)) {
      if (auto *Local = dyn_cast<LocalAsMetadata>(MD->getMetadata())) {
        auto It = C.Locals.find(Local->getValue());
        return It == C.Locals.end() ? uint32_t(None) : It->second << 2 | RefMetadata;
      }
      if (isa<DIArgList>(MD->getMetadata()))
        return None;
    }
    return C.constant(const_cast<Value *>(V)) << 2 | RefConst;
  }

  uint32_t block(const BasicBlock *BB) {
    auto It = C.Blocks.find(BB);
    return It == C.Blocks.end() ? None >> 2 : It->second;
  }

  template <typename Range> void operands(const Range &Operands) {
    size_t At = C.Out.size();
    C.word(0);
    uint32_t N = 0;
    for (const Use &U : Operands) {
      C.word(ref(U.get()));
      ++N;
    }
    C.Out[At] = N;
  }

  // Which states a call takes, from the attributes of call and callee: 1 memory, 2 io; 4: it may be speculated; 8: a return
  // must follow it.
  // What may not return also takes memory, so that no access moves before it.
  static uint32_t effects(const CallBase &Call) {
    MemoryEffects Memory = Call.getMemoryEffects();
    // What must make progress and writes nothing can only return.
    bool Ends = Call.hasFnAttr(Attribute::WillReturn) ||
                (Call.hasFnAttr(Attribute::MustProgress) && Memory.onlyReadsMemory());
    bool Returns = Call.doesNotThrow() && Ends;
    bool Io = !Returns || Call.isConvergent() || isModSet(Memory.getModRef(IRMemLocation::InaccessibleMem));
    if (auto *Intrinsic = dyn_cast<AnyMemIntrinsic>(&Call))
      Io |= Intrinsic->isVolatile();
    // Before it is split, a coroutine may go on in another thread: what a call without effects gives may differ behind it.
    bool Suspends = Call.getFunction()->isPresplitCoroutine();
    bool Mem = Io || Suspends || !Memory.doesNotAccessMemory();
    bool Speculatable = !Mem && Call.hasFnAttr(Attribute::Speculatable) && !Call.hasUBImplyingAttrs();
    bool Returning = Call.getIntrinsicID() == Intrinsic::experimental_deoptimize;
    return uint32_t(Mem) | uint32_t(Io) << 1 | uint32_t(Speculatable) << 2 | uint32_t(Returning) << 3;
  }

  void call(const CallBase &Call) {
    // Arguments, bundle operands, callee: destinations of invoke and callbr are among the extra words.
    size_t At = C.Out.size();
    C.word(0);
    uint32_t N = 0;
    for (const Use &U : Call.operands()) {
      if (isa<BasicBlock>(U.get()))
        continue;
      C.word(ref(U.get()));
      ++N;
    }
    C.Out[At] = N;
    At = C.Out.size();
    C.word(0);
    C.word(C.type(Call.getFunctionType()));
    C.word(Call.getCallingConv());
    C.word(C.attributes(Call.getAttributes()));
    auto *Plain = dyn_cast<CallInst>(&Call);
    C.word(Plain ? uint32_t(Plain->getTailCallKind()) : 0);
    C.word(Call.arg_size());
    C.word(effects(Call));
    C.word(Call.getNumOperandBundles());
    for (unsigned I = 0, E = Call.getNumOperandBundles(); I != E; ++I) {
      OperandBundleUse Bundle = Call.getOperandBundleAt(I);
      C.word(C.string(Bundle.getTagName()));
      C.word(uint32_t(Bundle.Inputs.size()));
    }
    if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
      C.word(block(Invoke->getNormalDest()));
      C.word(block(Invoke->getUnwindDest()));
    } else if (auto *Br = dyn_cast<CallBrInst>(&Call)) {
      C.word(block(Br->getDefaultDest()));
      for (BasicBlock *BB : Br->getIndirectDests())
        C.word(block(BB));
    }
    C.Out[At] = uint32_t(C.Out.size() - At - 1);
  }

  void extra(const Instruction &I) {
    switch (I.getOpcode()) {
    case Instruction::Br: {
      auto &Br = cast<BranchInst>(I);
      for (unsigned S = 0; S != Br.getNumSuccessors(); ++S)
        C.word(block(Br.getSuccessor(S)));
      break;
    }
    case Instruction::Switch: {
      auto &Switch = cast<SwitchInst>(I);
      C.word(block(Switch.getDefaultDest()));
      for (auto Case : Switch.cases()) {
        C.word(C.constant(const_cast<ConstantInt *>(Case.getCaseValue())));
        C.word(block(Case.getCaseSuccessor()));
      }
      break;
    }
    case Instruction::CatchSwitch: {
      auto &Switch = cast<CatchSwitchInst>(I);
      C.word(Switch.hasUnwindDest());
      for (const BasicBlock *Handler : Switch.handlers())
        C.word(block(Handler));
      if (Switch.hasUnwindDest())
        C.word(block(Switch.getUnwindDest()));
      break;
    }
    case Instruction::CatchRet:
    case Instruction::CleanupRet:
    case Instruction::IndirectBr:
      for (const BasicBlock *Successor : successors(&I))
        C.word(block(Successor));
      break;
    case Instruction::PHI: {
      auto &Phi = cast<PHINode>(I);
      for (unsigned S = 0; S != Phi.getNumIncomingValues(); ++S)
        C.word(block(Phi.getIncomingBlock(S)));
      break;
    }
    case Instruction::Alloca: {
      auto &A = cast<AllocaInst>(I);
      C.word(C.type(A.getAllocatedType()));
      C.word(Log2(A.getAlign()));
      C.word(A.getAddressSpace());
      C.word(uint32_t(A.isUsedWithInAlloca()) | uint32_t(A.isSwiftError()) << 1);
      break;
    }
    case Instruction::Load: {
      auto &L = cast<LoadInst>(I);
      C.word(Log2(L.getAlign()));
      C.word(uint32_t(L.isVolatile()) | uint32_t(L.hasMetadata(LLVMContext::MD_nonnull)) << 1);
      C.word(uint32_t(L.getOrdering()));
      C.word(L.isAtomic() ? syncScope(C, L.getSyncScopeID()) : None);
      C.word(rvsdgTag(C, I));
      break;
    }
    case Instruction::Store: {
      auto &S = cast<StoreInst>(I);
      C.word(Log2(S.getAlign()));
      C.word(S.isVolatile());
      C.word(uint32_t(S.getOrdering()));
      C.word(S.isAtomic() ? syncScope(C, S.getSyncScopeID()) : None);
      C.word(C.type(S.getValueOperand()->getType()));
      C.word(rvsdgTag(C, I));
      break;
    }
    case Instruction::Fence: {
      auto &F = cast<FenceInst>(I);
      C.word(uint32_t(F.getOrdering()));
      C.word(syncScope(C, F.getSyncScopeID()));
      break;
    }
    case Instruction::AtomicCmpXchg: {
      auto &X = cast<AtomicCmpXchgInst>(I);
      C.word(Log2(X.getAlign()));
      C.word(uint32_t(X.isVolatile()) | uint32_t(X.isWeak()) << 1);
      C.word(uint32_t(X.getSuccessOrdering()));
      C.word(uint32_t(X.getFailureOrdering()));
      C.word(syncScope(C, X.getSyncScopeID()));
      break;
    }
    case Instruction::AtomicRMW: {
      auto &X = cast<AtomicRMWInst>(I);
      C.word(Log2(X.getAlign()));
      C.word(X.isVolatile());
      C.word(uint32_t(X.getOrdering()));
      C.word(syncScope(C, X.getSyncScopeID()));
      C.word(uint32_t(X.getOperation()));
      break;
    }
    case Instruction::GetElementPtr:
      C.word(C.type(cast<GetElementPtrInst>(I).getSourceElementType()));
      break;
    case Instruction::ICmp:
    case Instruction::FCmp:
      C.word(uint32_t(cast<CmpInst>(I).getPredicate()));
      break;
    case Instruction::ExtractValue:
      for (unsigned Index : cast<ExtractValueInst>(I).indices())
        C.word(Index);
      break;
    case Instruction::InsertValue:
      for (unsigned Index : cast<InsertValueInst>(I).indices())
        C.word(Index);
      break;
    case Instruction::ShuffleVector:
      for (int Lane : cast<ShuffleVectorInst>(I).getShuffleMask())
        C.word(uint32_t(Lane));
      break;
    case Instruction::LandingPad: {
      auto &Pad = cast<LandingPadInst>(I);
      C.word(Pad.isCleanup());
      for (unsigned K = 0; K != Pad.getNumClauses(); ++K)
        C.word(Pad.isCatch(K));
      break;
    }
    default:
      break;
    }
  }

  // Whether the loop metadata of a terminator has llvm.loop.mustprogress.
  static bool promisesProgress(const Instruction &I) {
    MDNode *Loop = I.isTerminator() ? I.getMetadata(LLVMContext::MD_loop) : nullptr;
    if (!Loop)
      return false;
    for (const MDOperand &Operand : llvm::drop_begin(Loop->operands()))
      if (auto *Property = dyn_cast_or_null<MDNode>(Operand.get()))
        if (Property->getNumOperands() != 0)
          if (auto *Name = dyn_cast_or_null<MDString>(Property->getOperand(0)))
            if (Name->getString() == "llvm.loop.mustprogress")
              return true;
    return false;
  }

  void instruction(const Instruction &I) {
    RvsdgLoopHints Hints = rvsdgLoopHints(I);
    bool Hinted = !(Hints == RvsdgLoopHints());
    C.word(I.getOpcode() | flagsOf(I) << 8 | uint32_t(promisesProgress(I)) << 16 | uint32_t(Hinted) << 17);
    C.word(C.type(I.getType()));
    if (Hinted) {
      C.word(Hints.Unroll);
      C.word(Hints.Vectorize);
      C.word(Hints.Role);
    }
    if (auto *Call = dyn_cast<CallBase>(&I))
      return call(*Call);
    switch (I.getOpcode()) {
    case Instruction::Br: {
      auto &Br = cast<BranchInst>(I);
      C.word(Br.isConditional());
      if (Br.isConditional())
        C.word(ref(Br.getCondition()));
      break;
    }
    case Instruction::Switch:
      C.word(1);
      C.word(ref(cast<SwitchInst>(I).getCondition()));
      break;
    case Instruction::IndirectBr:
      C.word(1);
      C.word(ref(cast<IndirectBrInst>(I).getAddress()));
      break;
    case Instruction::CatchSwitch:
    case Instruction::CatchRet:
    case Instruction::CleanupRet:
      C.word(1);
      C.word(ref(I.getOperand(0)));
      break;
    case Instruction::CatchPad:
    case Instruction::CleanupPad: {
      // The outer funclet comes last in LLVM and first here.
      auto &Pad = cast<FuncletPadInst>(I);
      C.word(Pad.arg_size() + 1);
      C.word(ref(Pad.getParentPad()));
      for (const Use &U : Pad.arg_operands())
        C.word(ref(U.get()));
      break;
    }
    default:
      operands(I.operands());
    }
    size_t At = C.Out.size();
    C.word(0);
    extra(I);
    C.Out[At] = uint32_t(C.Out.size() - At - 1);
  }

  void body(const Function &F) {
    C.Locals.clear();
    C.Blocks.clear();
    uint32_t Next = 0;
    for (const Argument &A : F.args())
      C.Locals[&A] = Next++;
    uint32_t First = uint32_t(C.Sources.size());
    uint32_t NumBlocks = 0;
    for (const BasicBlock &BB : F) {
      C.Blocks[&BB] = NumBlocks++;
      C.SourceBlocks.push_back({const_cast<BasicBlock *>(&BB), uint32_t(C.Sources.size())});
      for (const Instruction &I : BB) {
        if (!I.getType()->isVoidTy())
          C.Locals[&I] = Next;
        ++Next;
        C.Sources.push_back(const_cast<Instruction *>(&I));
      }
    }
    for (uint32_t S = First; S != C.Sources.size(); ++S)
      if (auto *Invoke = dyn_cast<InvokeInst>(C.Sources[S]))
        if (auto *Pad = dyn_cast<LandingPadInst>(Invoke->getUnwindDest()->getFirstNonPHIIt()))
          C.Pads[S] = First + C.Locals[Pad] - uint32_t(F.arg_size());
    C.word(uint32_t(F.arg_size()));
    C.word(NumBlocks);
    C.word(uint32_t(C.Sources.size()) - First);
    C.word(First);
    C.word(llvm::any_of(F, [](const BasicBlock &BB) {
      auto Leads = [](const BasicBlock *From) { return isa<IndirectBrInst>(From->getTerminator()); };
      return BB.hasAddressTaken() && llvm::none_of(predecessors(&BB), Leads);
    }));
    C.word(F.getSubprogram() != nullptr);
    for (const BasicBlock &BB : F) {
      size_t At = C.Out.size();
      C.word(0);
      uint32_t N = 0;
      for (const Instruction &I : BB) {
        instruction(I);
        ++N;
      }
      C.Out[At] = N;
    }
  }
};

// Adds to a kernel the attribute that tells code generation for NVPTX with which blocks it is launched, where OpenCL demands them: it does
// not read the metadata that says so.
void stateBlocks(Function &F) {
  const MDNode *Extents = F.getMetadata("reqd_work_group_size");
  if (!Extents || Extents->getNumOperands() != 3 || F.getCallingConv() != CallingConv::PTX_Kernel || F.hasFnAttribute("nvvm.reqntid"))
    return;
  std::string Text;
  for (const MDOperand &Operand : Extents->operands()) {
    auto *Extent = mdconst::dyn_extract_or_null<ConstantInt>(Operand);
    if (!Extent || !Extent->getValue().isStrictlyPositive() || Extent->getValue().ugt(1024))
      return;
    Text += (Text.empty() ? "" : ",") + std::to_string(Extent->getZExtValue());
  }
  F.addFnAttr("nvvm.reqntid", Text);
}

} // namespace

extern "C" {

// The number of symbols is the number of constants known at the start; symbol numbers are constant numbers.
RvsdgCarrier *rvsdg_carrier_new(Module *M) {
  auto *C = new RvsdgCarrier(*M);
  for (GlobalVariable &G : M->globals())
    C->constant(&G);
  for (Function &F : *M) {
    stateBlocks(F);
    C->constant(&F);
  }
  for (GlobalAlias &A : M->aliases())
    C->constant(&A);
  for (GlobalIFunc &I : M->ifuncs())
    C->constant(&I);
  C->NumSymbols = uint32_t(C->Consts.size());
  return C;
}

void rvsdg_carrier_free(RvsdgCarrier *C) { delete C; }

uint32_t rvsdg_num_symbols(const RvsdgCarrier *C) { return C->NumSymbols; }

// How many numbers of each kind have been given.
void rvsdg_counts(const RvsdgCarrier *C, uint32_t *Types, uint32_t *Consts, uint32_t *Attributes, uint32_t *Strings,
                  uint32_t *Sources) {
  *Types = uint32_t(C->Types.size());
  *Consts = uint32_t(C->Consts.size());
  *Attributes = uint32_t(C->Attrs.size());
  *Strings = uint32_t(C->Strings.size());
  *Sources = uint32_t(C->Sources.size());
}

// The body of the function with this symbol number; no words when it is not a function with a body.
RvsdgWords rvsdg_read_body(RvsdgCarrier *C, uint32_t Symbol) {
  C->Out.clear();
  if (Symbol < C->NumSymbols)
    if (auto *F = dyn_cast<Function>(C->Consts[Symbol]); F && !F->isDeclaration())
      BodyReader{*C}.body(*F);
  return answer(*C);
}

// An interned string.
void rvsdg_string(const RvsdgCarrier *C, uint32_t Id, RvsdgSink Sink, void *Cx) {
  if (Id < C->Strings.size())
    emitText(Sink, Cx, C->Strings[Id]);
}
}
