// What the numbers of types, constants and attribute lists stand for. Children are numbers again, so that no recursion on
// the depth of a constant happens here.

#include "carrier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace {

// Splits an integer into pairs of words.
void limbs(RvsdgCarrier &C, const APInt &V) {
  for (unsigned I = 0; I != V.getNumWords(); ++I)
    C.wide(V.getRawData()[I]);
}

void floatBits(RvsdgCarrier &C, const APFloat &V) {
  APInt Bits = V.bitcastToAPInt().zext(128);
  limbs(C, Bits);
}

void children(RvsdgCarrier &C, const User &U) {
  for (const Use &Operand : U.operands())
    C.word(C.constant(Operand.get()));
}

void expression(RvsdgCarrier &C, const ConstantExpr &E) {
  C.word(KExpr);
  C.word(C.type(E.getType()));
  C.word(E.getOpcode() | flagsOf(E) << 8);
  std::optional<ConstantRange> Range;
  if (auto *GEP = dyn_cast<GEPOperator>(&E)) {
    C.word(C.type(GEP->getSourceElementType()));
    Range = GEP->getInRange();
  } else {
    C.word(None);
  }
  C.word(Range.has_value());
  C.wide(Range ? uint64_t(Range->getLower().getSExtValue()) : 0);
  C.wide(Range ? uint64_t(Range->getUpper().getSExtValue()) : 0);
  if (E.getOpcode() == Instruction::ShuffleVector) {
    ArrayRef<int> Mask = E.getShuffleMask();
    C.word(uint32_t(Mask.size()));
    for (int Lane : Mask)
      C.word(uint32_t(Lane));
  } else {
    C.word(0);
  }
  children(C, E);
}

void data(RvsdgCarrier &C, const ConstantDataSequential &D) {
  StringRef Bytes = D.getRawDataValues();
  C.word(KData);
  C.word(C.type(D.getType()));
  C.word(uint32_t(Bytes.size()));
  for (size_t I = 0; I < Bytes.size(); I += 4) {
    uint32_t W = 0;
    for (size_t K = 0; K != 4 && I + K < Bytes.size(); ++K)
      W |= uint32_t(uint8_t(Bytes[I + K])) << (8 * K);
    C.word(W);
  }
}

void simple(RvsdgCarrier &C, ConstKind Kind, const Value *V) {
  C.word(Kind);
  C.word(C.type(V->getType()));
}

void constant(RvsdgCarrier &C, const Value *V) {
  Type *T = V->getType();
  if (isa<GlobalValue>(V))
    return simple(C, KSymbol, V);
  if (auto *I = dyn_cast<ConstantInt>(V)) {
    if (T->isVectorTy()) {
      simple(C, KSplat, V);
      return C.word(C.constant(ConstantInt::get(T->getContext(), I->getValue())));
    }
    simple(C, KInt, V);
    return limbs(C, I->getValue());
  }
  if (auto *F = dyn_cast<ConstantFP>(V)) {
    if (T->isVectorTy()) {
      simple(C, KSplat, V);
      return C.word(C.constant(ConstantFP::get(T->getContext(), F->getValueAPF())));
    }
    simple(C, KFloat, V);
    return floatBits(C, F->getValueAPF());
  }
  if (isa<PoisonValue>(V))
    return simple(C, KPoison, V);
  if (isa<UndefValue>(V))
    return simple(C, KUndef, V);
  if (isa<ConstantAggregateZero>(V) || isa<ConstantPointerNull>(V))
    return simple(C, KZero, V);
  if (isa<ConstantTokenNone>(V) || isa<ConstantTargetNone>(V))
    return simple(C, KNone, V);
  if (auto *D = dyn_cast<ConstantDataSequential>(V))
    return data(C, *D);
  if (auto *A = dyn_cast<ConstantAggregate>(V)) {
    simple(C, KAggregate, V);
    return children(C, *A);
  }
  if (auto *E = dyn_cast<ConstantExpr>(V))
    return expression(C, *E);
  if (auto *D = dyn_cast<DSOLocalEquivalent>(V)) {
    simple(C, KDsoLocal, V);
    return C.word(C.constant(D->getGlobalValue()));
  }
  if (auto *N = dyn_cast<NoCFIValue>(V)) {
    simple(C, KNoCfi, V);
    return C.word(C.constant(N->getGlobalValue()));
  }
  if (auto *B = dyn_cast<BlockAddress>(V)) {
    simple(C, KBlock, V);
    C.word(C.constant(B->getFunction()));
    uint32_t Number = 0;
    for (const BasicBlock &BB : *B->getFunction()) {
      if (&BB == B->getBasicBlock())
        break;
      ++Number;
    }
    C.BlockAddresses[{C.constant(B->getFunction()), Number}] = const_cast<BlockAddress *>(B);
    return C.word(Number);
  }
  if (auto *P = dyn_cast<ConstantPtrAuth>(V)) {
    simple(C, KPtrAuth, V);
    return children(C, *P);
  }
  if (auto *MD = dyn_cast<MetadataAsValue>(V)) {
    simple(C, KMetadata, V);
    std::string Text;
    raw_string_ostream OS(Text);
    bool Known = rvsdgMetadataText(MD->getMetadata(), OS, 8);
    return C.word(Known ? C.string(Text) : None);
  }
  if (auto *A = dyn_cast<InlineAsm>(V)) {
    simple(C, KAsm, V);
    C.word(C.type(A->getFunctionType()));
    C.word(C.string(A->getAsmString()));
    C.word(C.string(A->getConstraintString()));
    C.word(uint32_t(A->hasSideEffects()) | uint32_t(A->isAlignStack()) << 1 |
           uint32_t(A->getDialect() == InlineAsm::AD_Intel) << 2 | uint32_t(A->canThrow()) << 3);
    return;
  }
  simple(C, KUnknown, V);
}

void type(RvsdgCarrier &C, Type *T) {
  C.word(uint32_t(T->getTypeID()));
  switch (T->getTypeID()) {
  case Type::IntegerTyID:
    C.word(T->getIntegerBitWidth());
    break;
  case Type::PointerTyID:
    C.word(T->getPointerAddressSpace());
    break;
  case Type::FunctionTyID: {
    auto *F = cast<FunctionType>(T);
    C.word(F->isVarArg());
    C.word(C.type(F->getReturnType()));
    for (Type *P : F->params())
      C.word(C.type(P));
    break;
  }
  case Type::StructTyID: {
    auto *S = cast<StructType>(T);
    C.word(uint32_t(S->isPacked()) | uint32_t(S->isLiteral()) << 1 | uint32_t(S->isOpaque()) << 2);
    C.word(S->isLiteral() || !S->hasName() ? None : C.string(S->getName()));
    for (Type *E : S->elements())
      C.word(C.type(E));
    break;
  }
  case Type::ArrayTyID:
    C.word(C.type(T->getArrayElementType()));
    C.wide(T->getArrayNumElements());
    break;
  case Type::FixedVectorTyID:
  case Type::ScalableVectorTyID: {
    auto *V = cast<VectorType>(T);
    C.word(C.type(V->getElementType()));
    C.word(V->getElementCount().getKnownMinValue());
    break;
  }
  case Type::TargetExtTyID: {
    auto *X = cast<TargetExtType>(T);
    C.word(C.string(X->getName()));
    C.word(X->getNumTypeParameters());
    for (Type *P : X->type_params())
      C.word(C.type(P));
    for (unsigned P : X->int_params())
      C.word(P);
    break;
  }
  default:
    break;
  }
}

void attribute(RvsdgCarrier &C, Attribute A) {
  if (A.isTypeAttribute()) {
    C.word(C.string(Attribute::getNameFromAttrKind(A.getKindAsEnum())));
    C.word(A.getValueAsType() ? C.type(A.getValueAsType()) : None);
    return;
  }
  C.word(C.string(A.getAsString()));
  C.word(None);
}

} // namespace

// Strings, null, constants without symbols and tuples of those: what can be written in place in textual IR.
// Depth is bounded: deeper metadata is not written.
bool rvsdgMetadataText(const Metadata *MD, raw_ostream &OS, unsigned Depth) {
  if (!MD) {
    OS << "null";
    return true;
  }
  if (auto *S = dyn_cast<MDString>(MD)) {
    OS << "!\"";
    printEscapedString(S->getString(), OS);
    OS << '"';
    return true;
  }
  if (auto *V = dyn_cast<ConstantAsMetadata>(MD)) {
    if (!isa<ConstantInt>(V->getValue()) && !isa<ConstantFP>(V->getValue()))
      return false;
    V->getValue()->printAsOperand(OS, /*PrintType=*/true);
    return true;
  }
  if (auto *Tuple = dyn_cast<MDTuple>(MD)) {
    if (Depth == 0 || Tuple->isDistinct())
      return false;
    OS << "!{";
    bool First = true;
    for (const MDOperand &Operand : Tuple->operands()) {
      if (!First)
        OS << ", ";
      First = false;
      if (!rvsdgMetadataText(Operand.get(), OS, Depth - 1))
        return false;
    }
    OS << '}';
    return true;
  }
  return false;
}

void rvsdgAttributeSet(RvsdgCarrier &C, AttributeSet Set) {
  C.word(Set.getNumAttributes());
  for (Attribute A : Set)
    attribute(C, A);
}

extern "C" {

// Type kind (LLVM's TypeID) and what that kind needs.
RvsdgWords rvsdg_describe_type(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id < C->Types.size())
    type(*C, C->Types[Id]);
  return answer(*C);
}

// Constant kind, type, and what that kind needs.
RvsdgWords rvsdg_describe_constant(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id < C->Consts.size())
    constant(*C, C->Consts[Id]);
  return answer(*C);
}

// Sets with attributes: index (~0 function, 0 result, 1 … parameters), count, then spelling and type of each.
RvsdgWords rvsdg_describe_attributes(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id < C->Attrs.size()) {
    AttributeList List = C->Attrs[Id];
    for (unsigned Index : List.indexes()) {
      AttributeSet Set = List.getAttributes(Index);
      if (!Set.hasAttributes())
        continue;
      C->word(Index);
      rvsdgAttributeSet(*C, Set);
    }
  }
  return answer(*C);
}
}
