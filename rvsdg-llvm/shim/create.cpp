// Types, constants, attribute lists, metadata and assembly that the module does not have yet. The words are those that
// constants.cpp describes such things with; children are numbers, so nothing here recurses on depth.

#include "carrier.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace {

using Arguments = ArrayRef<uint32_t>;

Constant *child(RvsdgCarrier &C, uint32_t Number) {
  return Number < C.Consts.size() ? dyn_cast<Constant>(C.Consts[Number]) : nullptr;
}

bool children(RvsdgCarrier &C, Arguments Words, SmallVectorImpl<Constant *> &Out) {
  for (uint32_t Number : Words) {
    Constant *Child = child(C, Number);
    if (!Child)
      return false;
    Out.push_back(Child);
  }
  return true;
}

Constant *aggregate(Type *T, ArrayRef<Constant *> Elements) {
  if (auto *S = dyn_cast<StructType>(T)) {
    if (S->getNumElements() != Elements.size())
      return nullptr;
    for (unsigned I = 0; I != Elements.size(); ++I)
      if (Elements[I]->getType() != S->getElementType(I))
        return nullptr;
    return ConstantStruct::get(S, Elements);
  }
  Type *Element = nullptr;
  uint64_t Count = 0;
  if (auto *A = dyn_cast<ArrayType>(T)) {
    Element = A->getElementType();
    Count = A->getNumElements();
  } else if (auto *V = dyn_cast<FixedVectorType>(T)) {
    Element = V->getElementType();
    Count = V->getNumElements();
  }
  if (!Element || Count != Elements.size())
    return nullptr;
  for (Constant *E : Elements)
    if (E->getType() != Element)
      return nullptr;
  if (auto *A = dyn_cast<ArrayType>(T))
    return ConstantArray::get(A, Elements);
  return Elements.empty() ? nullptr : ConstantVector::get(Elements);
}

Constant *data(Type *T, Arguments Words) {
  std::string Bytes;
  uint32_t Len = Words.empty() ? 0 : Words[0];
  if (Words.empty() || (Len + 3) / 4 != Words.size() - 1)
    return nullptr;
  for (uint32_t I = 0; I != Len; ++I)
    Bytes.push_back(char(Words[1 + I / 4] >> (8 * (I % 4))));
  Type *Element = T->isArrayTy() ? T->getArrayElementType() : T->isVectorTy() ? T->getScalarType() : nullptr;
  if (!Element || !ConstantDataSequential::isElementTypeCompatible(Element))
    return nullptr;
  uint64_t Size = Element->getPrimitiveSizeInBits().getFixedValue() / 8;
  if (Len % Size != 0)
    return nullptr;
  if (T->isArrayTy())
    return Len == 0 ? Constant::getNullValue(T) : ConstantDataArray::getRaw(Bytes, Len / Size, Element);
  return Len == 0 ? nullptr : ConstantDataVector::getRaw(Bytes, Len / Size, Element);
}

Constant *expression(RvsdgCarrier &C, Type *T, Arguments Words) {
  if (Words.size() < 8)
    return nullptr;
  unsigned Opcode = Words[0] & 0xff, Flags = Words[0] >> 8;
  uint32_t Source = Words[1], Lanes = Words[7];
  if (Words.size() < 8 + size_t(Lanes))
    return nullptr;
  SmallVector<Constant *, 4> V;
  if (!children(C, Words.drop_front(8 + Lanes), V) || V.empty())
    return nullptr;
  if (Instruction::isCast(Opcode) && V.size() == 1) {
    if (!CastInst::castIsValid(Instruction::CastOps(Opcode), V[0]->getType(), T))
      return nullptr;
    return ConstantExpr::getCast(Opcode, V[0], T);
  }
  switch (Opcode) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Xor:
    if (V.size() != 2 || V[0]->getType() != V[1]->getType())
      return nullptr;
    return ConstantExpr::get(Opcode, V[0], V[1], Flags);
  case Instruction::GetElementPtr: {
    if (Source >= C.Types.size())
      return nullptr;
    GEPNoWrapFlags F = GEPNoWrapFlags::none();
    if (Flags & 1)
      F |= GEPNoWrapFlags::inBounds();
    if (Flags & 2)
      F |= GEPNoWrapFlags::noUnsignedSignedWrap();
    if (Flags & 4)
      F |= GEPNoWrapFlags::noUnsignedWrap();
    std::optional<ConstantRange> Range;
    if (Words[2]) {
      unsigned Bits = C.M.getDataLayout().getIndexTypeSizeInBits(V[0]->getType());
      auto Limit = [&](unsigned At) { return APInt(64, uint64_t(Words[At]) | uint64_t(Words[At + 1]) << 32).sextOrTrunc(Bits); };
      Range = ConstantRange::getNonEmpty(Limit(3), Limit(5));
    }
    return ConstantExpr::getGetElementPtr(C.Types[Source], V[0], ArrayRef(V).drop_front(), F, Range);
  }
  case Instruction::ExtractElement:
    return V.size() == 2 ? ConstantExpr::getExtractElement(V[0], V[1]) : nullptr;
  case Instruction::InsertElement:
    return V.size() == 3 ? ConstantExpr::getInsertElement(V[0], V[1], V[2]) : nullptr;
  case Instruction::ShuffleVector: {
    SmallVector<int, 16> Mask(Words.slice(8, Lanes));
    return V.size() == 2 ? ConstantExpr::getShuffleVector(V[0], V[1], Mask) : nullptr;
  }
  default:
    return nullptr;
  }
}

// A symbol that the module does not have: a function, by its name, type and attributes, or a private constant, by its name, type,
// initializer and alignment.
Constant *symbol(RvsdgCarrier &C, Arguments Words) {
  if (Words.size() < 2 || Words[0] >= C.Strings.size() || Words[1] >= C.Types.size())
    return nullptr;
  StringRef Name = C.Strings[Words[0]];
  if (auto *F = dyn_cast<FunctionType>(C.Types[Words[1]])) {
    if (Words.size() != 3 || Words[2] >= C.Attrs.size())
      return nullptr;
    // What LLVM knows of an intrinsic comes with the declaration.
    if (Name.starts_with("llvm.") && Intrinsic::lookupIntrinsicID(Name) != Intrinsic::not_intrinsic)
      return dyn_cast<Constant>(C.M.getOrInsertFunction(Name, F).getCallee());
    if (Name.starts_with("llvm."))
      return nullptr;
    // What had the name is dead, and erased in the end; otherwise it would have a number.
    if (GlobalValue *Old = C.M.getNamedValue(Name))
      Old->setName(Name + ".dead");
    return dyn_cast<Constant>(C.M.getOrInsertFunction(Name, F, C.Attrs[Words[2]]).getCallee());
  }
  Constant *Initializer = Words.size() == 4 ? child(C, Words[2]) : nullptr;
  if (!Initializer || Initializer->getType() != C.Types[Words[1]] || !isPowerOf2_32(Words[3]))
    return nullptr;
  auto *V = new GlobalVariable(C.M, Initializer->getType(), true, GlobalValue::PrivateLinkage, Initializer, Name);
  V->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  V->setAlignment(Align(Words[3]));
  return V;
}

Constant *constant(RvsdgCarrier &C, uint32_t Kind, Type *T, Arguments Words) {
  switch (Kind) {
  case KNone:
    if (T->isTokenTy())
      return ConstantTokenNone::get(T->getContext());
    if (auto *X = dyn_cast<TargetExtType>(T))
      return X->hasProperty(TargetExtType::HasZeroInit) ? ConstantTargetNone::get(X) : nullptr;
    return nullptr;
  case KAggregate: {
    SmallVector<Constant *, 16> Elements;
    return children(C, Words, Elements) ? aggregate(T, Elements) : nullptr;
  }
  case KSplat: {
    Constant *Element = Words.size() == 1 ? child(C, Words[0]) : nullptr;
    auto *V = dyn_cast<VectorType>(T);
    if (!V || !Element || Element->getType() != V->getElementType())
      return nullptr;
    return ConstantVector::getSplat(V->getElementCount(), Element);
  }
  case KData:
    return data(T, Words);
  case KExpr:
    return expression(C, T, Words);
  case KSymbol:
    return symbol(C, Words);
  case KDsoLocal:
  case KNoCfi: {
    auto *G = Words.size() == 1 ? dyn_cast_or_null<GlobalValue>(child(C, Words[0])) : nullptr;
    if (!G)
      return nullptr;
    return Kind == KDsoLocal ? static_cast<Constant *>(DSOLocalEquivalent::get(G)) : NoCFIValue::get(G);
  }
  case KBlock:
    return Words.size() == 2 ? C.BlockAddresses.lookup({Words[0], Words[1]}) : nullptr;
  case KPtrAuth: {
    SmallVector<Constant *, 5> V;
    if (Words.size() != 5 || !children(C, Words, V))
      return nullptr;
    auto *Key = dyn_cast<ConstantInt>(V[1]), *Discriminator = dyn_cast<ConstantInt>(V[2]);
    return Key && Discriminator ? ConstantPtrAuth::get(V[0], Key, Discriminator, V[3], V[4]) : nullptr;
  }
  default:
    return nullptr;
  }
}

bool types(RvsdgCarrier &C, Arguments Words, SmallVectorImpl<Type *> &Out) {
  for (uint32_t Number : Words) {
    if (Number >= C.Types.size())
      return false;
    Out.push_back(C.Types[Number]);
  }
  return true;
}

Type *type(RvsdgCarrier &C, uint32_t Kind, Arguments Words) {
  LLVMContext &Context = C.M.getContext();
  if (Type *Primitive = Type::getPrimitiveType(Context, Type::TypeID(Kind)))
    return Primitive;
  SmallVector<Type *, 8> Parts;
  auto Named = [&](uint32_t Id) { return Id < C.Strings.size() ? StringRef(C.Strings[Id]) : StringRef(); };
  switch (Kind) {
  case Type::IntegerTyID:
    return IntegerType::get(Context, Words[0]);
  case Type::PointerTyID:
    return PointerType::get(Context, Words[0]);
  case Type::FunctionTyID:
    if (!types(C, Words.drop_front(), Parts))
      return nullptr;
    return FunctionType::get(Parts[0], ArrayRef(Parts).drop_front(), Words[0]);
  case Type::StructTyID: {
    if (!types(C, Words.drop_front(2), Parts))
      return nullptr;
    if (Words[0] & 2)
      return StructType::get(Context, Parts, Words[0] & 1);
    if (auto *Known = StructType::getTypeByName(Context, Named(Words[1])))
      return Known;
    if (Words[0] & 4)
      return StructType::create(Context, Named(Words[1]));
    return StructType::create(Context, Parts, Named(Words[1]), Words[0] & 1);
  }
  case Type::ArrayTyID:
    return types(C, Words.take_front(), Parts) ? ArrayType::get(Parts[0], uint64_t(Words[1]) | uint64_t(Words[2]) << 32)
                                               : nullptr;
  case Type::FixedVectorTyID:
  case Type::ScalableVectorTyID:
    return types(C, Words.take_front(), Parts) ? VectorType::get(Parts[0], Words[1], Kind == Type::ScalableVectorTyID)
                                               : nullptr;
  case Type::TargetExtTyID:
    return types(C, Words.slice(2, Words[1]), Parts)
               ? TargetExtType::get(Context, Named(Words[0]), Parts, Words.drop_front(2 + Words[1]))
               : nullptr;
  default:
    return nullptr;
  }
}

// A type of a parameter or result that may have the attribute.
std::string holderOf(StringRef Text) {
  if (Text.consume_front("range("))
    return Text.take_until([](char Char) { return Char == ' '; }).str();
  return Text.starts_with("nofpclass") ? "float" : "ptr";
}

// A module from text. LLVM's parser refuses a context that discards the names of values, as clang's does.
std::unique_ptr<Module> parseText(LLVMContext &Context, const std::string &Source) {
  bool Discards = Context.shouldDiscardValueNames();
  Context.setDiscardValueNames(false);
  SMDiagnostic Error;
  std::unique_ptr<Module> Parsed = parseAssemblyString(Source, Error, Context);
  Context.setDiscardValueNames(Discards);
  return Parsed;
}

// An attribute from its spelling, by LLVM's own parser unless its name says all.
Attribute attribute(RvsdgCarrier &C, StringRef Text, Type *T, bool OfFunction) {
  LLVMContext &Context = C.M.getContext();
  Attribute::AttrKind Kind = Attribute::getAttrKindFromName(Text);
  if (Kind != Attribute::None && Attribute::isTypeAttrKind(Kind))
    return Attribute::get(Context, Kind, T);
  if (Kind != Attribute::None && Attribute::isEnumAttrKind(Kind))
    return Attribute::get(Context, Kind);
  std::string Source = "declare void @f() " + Text.str();
  if (!OfFunction)
    Source = "declare void @f(" + holderOf(Text) + " " + Text.str() + ")";
  std::unique_ptr<Module> Scratch = parseText(Context, Source);
  Function *F = Scratch ? Scratch->getFunction("f") : nullptr;
  if (!F)
    return Attribute();
  AttributeList List = F->getAttributes();
  AttributeSet Set = OfFunction ? List.getFnAttrs() : List.getParamAttrs(0);
  return Set.getNumAttributes() == 1 ? *Set.begin() : Attribute();
}

} // namespace

extern "C" {

// The number of a string.
uint32_t rvsdg_new_string(RvsdgCarrier *C, const char *Bytes, size_t Len) { return C->string(StringRef(Bytes, Len)); }

// The number of a type from what describes it; ~0 when that is none.
uint32_t rvsdg_new_type(RvsdgCarrier *C, const uint32_t *Words, size_t Len) {
  Type *T = Len == 0 ? nullptr : type(*C, Words[0], Arguments(Words + 1, Len - 1));
  return T ? C->type(T) : None;
}

// The number of a constant from what describes it; ~0 when that is none or nothing that can be made.
uint32_t rvsdg_new_constant(RvsdgCarrier *C, const uint32_t *Words, size_t Len) {
  if (Len < 2 || Words[1] >= C->Types.size())
    return None;
  Constant *K = constant(*C, Words[0], C->Types[Words[1]], Arguments(Words + 2, Len - 2));
  return K && K->getType() == C->Types[Words[1]] ? C->constant(K) : None;
}

// The number of assembly as a callee.
uint32_t rvsdg_new_assembly(RvsdgCarrier *C, uint32_t Type, uint32_t Template, uint32_t Constraints, uint32_t Flags) {
  auto *F = Type < C->Types.size() ? dyn_cast<FunctionType>(C->Types[Type]) : nullptr;
  if (!F || Template >= C->Strings.size() || Constraints >= C->Strings.size() ||
      errorToBool(InlineAsm::verify(F, C->Strings[Constraints])))
    return None;
  return C->constant(InlineAsm::get(F, C->Strings[Template], C->Strings[Constraints], Flags & 1, Flags & 2,
                                    Flags & 4 ? InlineAsm::AD_Intel : InlineAsm::AD_ATT, Flags & 8));
}

// The number of metadata as an argument, from text that stands alone.
uint32_t rvsdg_new_metadata(RvsdgCarrier *C, const char *Text, size_t Len) {
  std::string Source = "!rvsdg = !{!0}\n!0 = !{" + StringRef(Text, Len).str() + "}\n";
  std::unique_ptr<Module> Scratch = parseText(C->M.getContext(), Source);
  NamedMDNode *Named = Scratch ? Scratch->getNamedMetadata("rvsdg") : nullptr;
  if (!Named || Named->getNumOperands() != 1 || Named->getOperand(0)->getNumOperands() != 1)
    return None;
  Metadata *MD = Named->getOperand(0)->getOperand(0).get();
  return C->constant(MetadataAsValue::get(C->M.getContext(), MD ? MD : MDTuple::get(C->M.getContext(), {})));
}

// The number of an attribute list: sets as index (~0 function, 0 result, 1 … parameters), count, then spelling and type of
// each. ~0 when one is unknown.
uint32_t rvsdg_new_attributes(RvsdgCarrier *C, const uint32_t *Words, size_t Len) {
  LLVMContext &Context = C->M.getContext();
  AttributeList List;
  for (size_t At = 0; At + 1 < Len;) {
    uint32_t Index = Words[At++], Count = Words[At++];
    AttrBuilder Set(Context);
    for (uint32_t K = 0; K != Count && At + 1 < Len; ++K, At += 2) {
      if (Words[At] >= C->Strings.size())
        return None;
      Type *T = Words[At + 1] < C->Types.size() ? C->Types[Words[At + 1]] : nullptr;
      Attribute A = attribute(*C, C->Strings[Words[At]], T, Index == None);
      if (!A.isValid())
        return None;
      Set.addAttribute(A);
    }
    List = List.addAttributesAtIndex(Context, Index, Set);
  }
  return C->attributes(List);
}

// Adds promises to a function, by symbol number: 1 nounwind, 2 willreturn, 4 memory(none), 8 memory(read).
void rvsdg_promise(RvsdgCarrier *C, uint32_t Symbol, uint32_t Promises) {
  auto *F = Symbol < C->NumSymbols ? dyn_cast<Function>(C->Consts[Symbol]) : nullptr;
  if (!F)
    return;
  if (Promises & 1 && !F->doesNotThrow())
    F->setDoesNotThrow();
  if (Promises & 2 && !F->willReturn())
    F->setWillReturn();
  MemoryEffects Memory = F->getMemoryEffects();
  MemoryEffects Less = Memory;
  if (Promises & 4)
    Less = MemoryEffects::none();
  else if (Promises & 8)
    Less = Memory & MemoryEffects::readOnly();
  if (Less == Memory)
    return;
  F->setMemoryEffects(Less);
  // The verifier takes no parameter that may be written to in a function that does not write to its parameters.
  if (!isModSet(Less.getModRef(IRMemLocation::ArgMem)))
    for (Argument &A : F->args())
      A.removeAttr(Attribute::Writable);
}

// Makes a variable, by symbol number, one that is never written.
void rvsdg_make_constant(RvsdgCarrier *C, uint32_t Symbol) {
  if (auto *V = Symbol < C->NumSymbols ? dyn_cast<GlobalVariable>(C->Consts[Symbol]) : nullptr)
    V->setConstant(true);
}

// Adds promises to a pointer that is passed to a function, by symbol number and position: 1 readnone, 2 readonly, 4 writeonly,
// 8 captures(none), 16 captures(address_is_null). What it says already stays.
void rvsdg_promise_of_parameter(RvsdgCarrier *C, uint32_t Symbol, uint32_t Index, uint32_t Promises) {
  auto *F = Symbol < C->NumSymbols ? dyn_cast<Function>(C->Consts[Symbol]) : nullptr;
  if (!F || Index >= F->arg_size() || !F->getArg(Index)->getType()->isPointerTy())
    return;
  Argument &A = *F->getArg(Index);
  constexpr Attribute::AttrKind Accesses[] = {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly};
  if (none_of(Accesses, [&](Attribute::AttrKind Kind) { return A.hasAttribute(Kind); }))
    for (unsigned Bit = 0; Bit < 3; ++Bit)
      if (Promises >> Bit & 1)
        A.addAttr(Accesses[Bit]);
  if (!(Promises & 24) || A.hasAttribute(Attribute::Captures))
    return;
  auto Captured = Promises & 8 ? CaptureComponents::None : CaptureComponents::AddressIsNull;
  A.addAttr(Attribute::getWithCaptureInfo(F->getContext(), CaptureInfo(Captured)));
}
}
