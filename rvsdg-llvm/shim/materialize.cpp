// Bodies that nobody needs for a while, as a few bytes for each instruction instead of LLVM's objects: those that were read, while
// graphs are made of them and passes work on those.
//
// What instructions have in common beside operands, name and metadata (opcode, type, flags, attributes, alignment and so on) is
// kept as an instruction of its own, once, of which LLVM makes copies. A body is then: number of blocks; name and number of
// instructions of each; and of each instruction: kind, with bits for name and metadata; these; operands.

#include "carrier.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// Numbers of kinds that are no instruction to copy.
enum : uint32_t { PhiKind = 0, SwitchKind = 1, FirstKind = 2 };

// Whether all that an instruction is can be said by copies of another one; those that are none of these are rare.
bool hasKind(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Ret:
  case Instruction::Br:
  case Instruction::Switch:
  case Instruction::Invoke:
  case Instruction::Resume:
  case Instruction::Unreachable:
  case Instruction::Alloca:
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::GetElementPtr:
  case Instruction::Fence:
  case Instruction::AtomicCmpXchg:
  case Instruction::AtomicRMW:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::PHI:
  case Instruction::Call:
  case Instruction::Select:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::LandingPad:
  case Instruction::Freeze:
    return true;
  default:
    return I.isBinaryOp() || I.isUnaryOp() || I.isCast();
  }
}

// Whether nothing but the function itself refers to what is in its body, and nobody describes that to a debugger.
bool standsAlone(const Function &F) {
  if (F.getSubprogram() || llvm::any_of(F.args(), [](auto &A) { return A.isUsedByMetadata(); }))
    return false;
  for (const BasicBlock &BB : F) {
    if (BB.hasAddressTaken() || const_cast<BasicBlock &>(BB).getTrailingDbgRecords())
      return false;
    for (const Instruction &I : BB)
      if (!hasKind(I) || I.hasDbgRecords() || I.getDebugLoc() || I.isUsedByMetadata())
        return false;
  }
  return true;
}

// Whether an instruction is of a kind. LLVM's comparison leaves some out.
bool isOfKind(const Instruction &I, const Instruction &Kind) {
  if (I.getOpcode() != Kind.getOpcode() || I.getType() != Kind.getType() || flagsOf(I) != flagsOf(Kind) ||
      I.getNumOperands() != Kind.getNumOperands() || !I.hasSameSpecialState(&Kind))
    return false;
  for (auto [Now, Known] : llvm::zip(I.operands(), Kind.operands()))
    if (Known.get() && Now->getType() != Known->getType())
      return false;
  // What a constant index leads to is known of one without its indices.
  if (auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    return GEP->getResultElementType() == cast<GetElementPtrInst>(Kind).getResultElementType();
  if (auto *A = dyn_cast<AllocaInst>(&I)) {
    auto &B = cast<AllocaInst>(Kind);
    return A->isUsedWithInAlloca() == B.isUsedWithInAlloca() && A->isSwiftError() == B.isSwiftError();
  }
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Plain = dyn_cast<CallInst>(&I);
    return Call->getFunctionType() == cast<CallBase>(Kind).getFunctionType() &&
           (!Plain || Plain->getTailCallKind() == cast<CallInst>(Kind).getTailCallKind());
  }
  if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
    return X->getAlign() == cast<AtomicCmpXchgInst>(Kind).getAlign();
  if (auto *X = dyn_cast<AtomicRMWInst>(&I))
    return X->getAlign() == cast<AtomicRMWInst>(Kind).getAlign();
  if (auto *Pad = dyn_cast<LandingPadInst>(&I))
    return Pad->isCleanup() == cast<LandingPadInst>(Kind).isCleanup();
  return true;
}

size_t hashOf(const Instruction &I) {
  size_t Hash = hash_combine(I.getOpcode(), I.getType(), flagsOf(I), I.getNumOperands());
  if (auto *Call = dyn_cast<CallBase>(&I))
    return hash_combine(Hash, Call->getFunctionType(), Call->getAttributes().getRawPointer());
  if (auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    return hash_combine(Hash, GEP->getSourceElementType(), GEP->getResultElementType());
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return hash_combine(Hash, A->getAllocatedType());
  if (auto *Cmp = dyn_cast<CmpInst>(&I))
    return hash_combine(Hash, Cmp->getPredicate(), Cmp->getOperand(0)->getType());
  return hash_combine(Hash, I.getNumOperands() == 0 ? nullptr : I.getOperand(0)->getType());
}

// Writes what is kept of a body. What was numbered when it was read still is.
struct Encoder {
  RvsdgCarrier &C;
  std::string Bytes;

  void number(uint32_t N) {
    for (; N >= 0x80; N >>= 7)
      Bytes.push_back(char(N | 0x80));
    Bytes.push_back(char(N));
  }

  void name(const Value &V) {
    number(uint32_t(V.getName().size()));
    Bytes += V.getName();
  }

  void ref(Value *V) {
    if (isa<Instruction>(V) || isa<Argument>(V))
      number(C.Locals.lookup(V) << 2 | RefLocal);
    else if (auto *BB = dyn_cast<BasicBlock>(V))
      number(C.Blocks.lookup(BB) << 2 | RefBlock);
    else
      number(C.constant(V) << 2 | RefConst);
  }

  uint32_t kindOf(const Instruction &I) {
    auto &Stored = C.Stored;
    size_t Hash = hashOf(I);
    auto [At, End] = Stored.KindsByHash.equal_range(Hash);
    for (; At != End; ++At)
      if (isOfKind(I, *Stored.Kinds[At->second]))
        return At->second;
    Instruction *Kind = I.clone();
    Kind->eraseMetadataIf([](unsigned, MDNode *) { return true; });
    for (Use &U : Kind->operands()) {
      Type *T = U->getType();
      // Of most others LLVM takes the type from their operands when it copies them.
      bool Poison = !isa<CallBase>(I) && !T->isLabelTy();
      U.set(Poison ? PoisonValue::get(T) : nullptr);
    }
    uint32_t Number = uint32_t(Stored.Kinds.size());
    Stored.Kinds.push_back(Kind);
    Stored.KindsByHash.emplace(Hash, Number);
    return Number;
  }

  void instruction(Instruction &I) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> Metadata;
    I.getAllMetadataOtherThanDebugLoc(Metadata);
    uint32_t Bits = uint32_t(I.hasName()) | uint32_t(!Metadata.empty()) << 1;
    auto *Phi = dyn_cast<PHINode>(&I);
    auto *Switch = dyn_cast<SwitchInst>(&I);
    number((Phi ? PhiKind : Switch ? SwitchKind : FirstKind + kindOf(I)) << 2 | Bits);
    if (I.hasName())
      name(I);
    if (!Metadata.empty())
      number(uint32_t(Metadata.size()));
    for (auto [Kind, Node] : Metadata) {
      auto [It, New] = C.Stored.NodeIds.try_emplace(Node, uint32_t(C.Stored.Nodes.size()));
      if (New)
        C.Stored.Nodes.push_back(Node);
      number(Kind);
      number(It->second);
    }
    if (Phi) {
      number(C.type(Phi->getType()));
      number(flagsOf(*Phi));
      number(Phi->getNumIncomingValues());
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K) {
        ref(Phi->getIncomingValue(K));
        ref(Phi->getIncomingBlock(K));
      }
    } else if (Switch) {
      number(C.type(Switch->getCondition()->getType()));
      number(Switch->getNumCases());
      ref(Switch->getCondition());
      ref(Switch->getDefaultDest());
      for (auto Case : Switch->cases()) {
        ref(Case.getCaseValue());
        ref(Case.getCaseSuccessor());
      }
    } else {
      for (Value *Operand : I.operand_values())
        ref(Operand);
    }
  }

  void body(Function &F) {
    number(uint32_t(F.size()));
    for (BasicBlock &BB : F) {
      name(BB);
      number(uint32_t(BB.size()));
    }
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        instruction(I);
  }
};

// Makes a body of what was kept of it.
struct Decoder {
  RvsdgCarrier &C;
  Function &F;
  const char *At;
  SmallVector<Value *, 64> Locals = {};
  SmallVector<BasicBlock *, 16> Blocks = {};

  uint32_t number() {
    uint32_t N = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      auto Byte = uint8_t(*At++);
      N |= uint32_t(Byte & 0x7f) << Shift;
      if (Byte < 0x80)
        return N;
    }
  }

  StringRef name() {
    uint32_t Size = number();
    At += Size;
    return StringRef(At - Size, Size);
  }

  Value *ref() {
    uint32_t Ref = number(), Index = Ref >> 2;
    switch (Ref & 3) {
    case RefLocal: return Locals[Index];
    case RefBlock: return Blocks[Index];
    default: return C.Consts[Index];
    }
  }

  // An instruction of the kind that comes next, without operands; they come when all are there.
  Instruction *place(BasicBlock &BB) {
    uint32_t Word = number(), Kind = Word >> 2, Operands = 0;
    StringRef Name = Word & 1 ? name() : StringRef();
    SmallVector<std::pair<unsigned, MDNode *>, 4> Metadata;
    if (Word & 2)
      for (uint32_t N = number(); N != 0; --N) {
        uint32_t Which = number();
        Metadata.push_back({Which, C.Stored.Nodes[number()]});
      }
    Instruction *I;
    if (Kind == PhiKind) {
      Type *T = C.Types[number()];
      uint32_t Flags = number(), Incoming = number();
      I = PHINode::Create(T, Incoming);
      rvsdgSetFlags(*I, Flags);
      Operands = 2 * Incoming;
    } else if (Kind == SwitchKind) {
      Type *T = C.Types[number()];
      uint32_t Cases = number();
      I = SwitchInst::Create(PoisonValue::get(T), &BB, Cases);
      Operands = 2 * Cases + 2;
    } else {
      I = C.Stored.Kinds[Kind - FirstKind]->clone();
      Operands = I->getNumOperands();
    }
    I->insertInto(&BB, BB.end());
    I->setName(Name);
    for (auto [Which, Node] : Metadata)
      I->setMetadata(Which, Node);
    for (; Operands != 0; --Operands)
      number();
    return I;
  }

  void connect(Instruction &I) {
    uint32_t Word = number(), Kind = Word >> 2;
    if (Word & 1)
      name();
    if (Word & 2)
      for (uint32_t N = 2 * number(); N != 0; --N)
        number();
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Kind == PhiKind) {
      number();
      number();
      for (uint32_t N = number(); N != 0; --N) {
        Value *V = ref();
        Phi->addIncoming(V, cast<BasicBlock>(ref()));
      }
    } else if (auto *Switch = dyn_cast<SwitchInst>(&I)) {
      number();
      uint32_t Cases = number();
      Switch->setCondition(ref());
      Switch->setDefaultDest(cast<BasicBlock>(ref()));
      for (; Cases != 0; --Cases) {
        auto *Case = cast<ConstantInt>(ref());
        Switch->addCase(Case, cast<BasicBlock>(ref()));
      }
    } else {
      for (Use &U : I.operands())
        U.set(ref());
    }
  }

  void body(uint32_t FirstSource, uint32_t FirstBlock) {
    for (Argument &A : F.args())
      Locals.push_back(&A);
    SmallVector<uint32_t, 16> Sizes;
    for (uint32_t N = number(); N != 0; --N) {
      auto *BB = BasicBlock::Create(F.getContext(), name(), &F);
      Blocks.push_back(BB);
      C.SourceBlocks[FirstBlock++].first = BB;
      Sizes.push_back(number());
    }
    const char *Instructions = At;
    for (auto [BB, Size] : llvm::zip(Blocks, Sizes))
      for (; Size != 0; --Size)
        Locals.push_back(C.Sources[FirstSource++] = place(*BB));
    At = Instructions;
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *BB)
        connect(I);
  }
};

} // namespace

RvsdgStored::~RvsdgStored() {
  for (Instruction *Kind : Kinds)
    Kind->deleteValue();
}

extern "C" {

// Takes away the body of the function with this symbol number, which is the one that was read last, until rvsdg_materialize makes it
// again. Does nothing where something else refers to it.
void rvsdg_dematerialize(RvsdgCarrier *C, uint32_t Symbol) {
  auto *F = Symbol < C->NumSymbols ? dyn_cast<Function>(C->Consts[Symbol]) : nullptr;
  if (!F || F->isDeclaration() || C->Sources.empty() || C->Sources.back()->getFunction() != F || !standsAlone(*F))
    return;
  Encoder Into{*C, {}};
  Into.body(*F);
  auto FirstBlock = uint32_t(C->SourceBlocks.size() - F->size());
  uint32_t FirstSource = C->SourceBlocks[FirstBlock].second;
  Into.Bytes.shrink_to_fit();
  C->Stored.Bodies[Symbol] = {FirstSource, FirstBlock, std::move(Into.Bytes)};
  for (uint32_t S = FirstSource; S != C->Sources.size(); ++S)
    C->Sources[S] = nullptr;
  for (uint32_t B = FirstBlock; B != C->SourceBlocks.size(); ++B)
    C->SourceBlocks[B].first = nullptr;
  // Unlike Function::deleteBody this leaves all else of the function as it is.
  for (BasicBlock &BB : *F)
    BB.dropAllReferences();
  while (!F->empty())
    F->begin()->eraseFromParent();
}

// Makes the body of the function with this symbol number again if it was taken away.
void rvsdg_materialize(RvsdgCarrier *C, uint32_t Symbol) {
  auto Found = C->Stored.Bodies.find(Symbol);
  if (Found == C->Stored.Bodies.end())
    return;
  auto &[FirstSource, FirstBlock, Bytes] = Found->second;
  Decoder{*C, *cast<Function>(C->Consts[Symbol]), Bytes.data()}.body(FirstSource, FirstBlock);
  C->Stored.Bodies.erase(Found);
}
}
