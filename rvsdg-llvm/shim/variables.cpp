// Variables of the source whose memory is not in the new body. What LLVM does when it makes values of memory is done here for all of
// a body at once: a variable is what was stored, or found, from there on; where a part of it was, a fragment of it is. Nothing is
// said of memory that is still there: its declaration stays.

#include "variables.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// A part of an allocation, in bytes.
struct Spot {
  AllocaInst *Alloca;
  uint64_t Offset;
};

struct Variables {
  RvsdgWriter &W;
  const DataLayout &DL;
  // The source of each instruction that is not in the new body.
  DenseMap<const Instruction *, uint32_t> Gone;
  // Allocations that are gone, with the records that declare a variable to be there.
  DenseMap<AllocaInst *, TinyPtrVector<DbgVariableRecord *>> Declares;
  // What is accessed as a whole of each, in order of first access: offset and type.
  DenseMap<AllocaInst *, SmallVector<std::pair<uint64_t, Type *>, 2>> Pieces;
  // Bytes of each that have an allocation of their own: where they begin and end.
  DenseMap<AllocaInst *, SmallVector<std::pair<uint64_t, uint64_t>, 2>> InMemory;

  explicit Variables(RvsdgWriter &W) : W(W), DL(W.C.M.getDataLayout()) {
    for (auto [Begin, End] : W.OldRange)
      for (uint32_t S = Begin; S != End; ++S) {
        Instruction *I = W.C.Sources[S];
        if (W.isEmitted(S))
          continue;
        Gone[I] = S;
        if (auto *Alloca = dyn_cast<AllocaInst>(I))
          if (auto Records = findDVRDeclares(Alloca); !Records.empty())
            Declares[Alloca] = Records;
      }
    for (auto [V, Access, Offset] : W.Contents)
      if (auto *Own = dyn_cast<AllocaInst>(V))
        if (auto Found = access(Access))
          InMemory[Found->first.Alloca].push_back({Offset, Offset + bytes(*Own)});
  }

  uint64_t bytes(const AllocaInst &Alloca) const { return DL.getTypeAllocSize(Alloca.getAllocatedType()).getFixedValue(); }

  // The allocation that an address leads into, through what stands for loads that are gone.
  std::optional<Spot> spot(Value *Address) const {
    int64_t Total = 0;
    for (unsigned Steps = 0; Steps != 64; ++Steps) {
      if (!Address->getType()->isPointerTy())
        return std::nullopt;
      APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
      Address = Address->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
      if (Offset.getSignificantBits() > 48)
        return std::nullopt;
      Total += Offset.getSExtValue();
      if (auto *Alloca = dyn_cast<AllocaInst>(Address)) {
        if (Total < 0 || !Declares.contains(Alloca))
          return std::nullopt;
        return Spot{Alloca, uint64_t(Total)};
      }
      auto *I = dyn_cast<Instruction>(Address);
      auto At = I ? Gone.find(I) : Gone.end();
      auto Same = At == Gone.end() ? W.Same.end() : W.Same.find(At->second);
      if (Same == W.Same.end())
        return std::nullopt;
      auto [V, Other] = Same->second;
      Address = V ? V : W.C.Sources[Other];
      if (!Address || Address == I)
        return std::nullopt;
    }
    return std::nullopt;
  }

  static bool isScalar(const Type *T) { return T->isSingleValueType() && !isa<ScalableVectorType>(T); }

  // The place and type of what a load or store that is gone accesses.
  std::optional<std::pair<Spot, Type *>> access(uint32_t Source) const {
    Instruction *I = W.C.Sources[Source];
    if (auto *Alloca = dyn_cast<AllocaInst>(I); Alloca && Declares.contains(Alloca))
      return std::pair(Spot{Alloca, 0}, Alloca->getAllocatedType());
    Value *Address = getLoadStorePointerOperand(I);
    if (!Address)
      return std::nullopt;
    auto At = spot(Address);
    if (!At)
      return std::nullopt;
    return std::pair(*At, getLoadStoreType(I));
  }

  // The expression for Size bits of a declared variable from a byte on; null where that cannot be said.
  static DIExpression *part(const DbgVariableRecord &Declare, uint64_t Offset, uint64_t Size) {
    DIExpression *Expression = Declare.getExpression();
    if (Expression->isDeref()) {
      if (Offset != 0)
        return nullptr;
    } else {
      auto Fragment = Expression->getFragmentInfo();
      if (Expression->getNumElements() != (Fragment ? 3 : 0))
        return nullptr;
      std::optional<uint64_t> Whole = Declare.getFragmentSizeInBits();
      if (Offset != 0 || (Whole && Size < *Whole)) {
        if (!Whole || Offset * 8 + Size > *Whole)
          return nullptr;
        auto Part = DIExpression::createFragmentExpression(Expression, unsigned(Offset * 8), unsigned(Size));
        if (!Part)
          return nullptr;
        Expression = *Part;
      }
    }
    return Expression;
  }

  // A record of what a declared variable is at Size bits from a byte on; null where that cannot be said.
  static DbgVariableRecord *record(const DbgVariableRecord &Declare, uint64_t Offset, uint64_t Size, Value *V) {
    DIExpression *Expression = part(Declare, Offset, Size);
    if (!Expression)
      return nullptr;
    const DILocation *At = Declare.getDebugLoc();
    auto *Place = DILocation::get(At->getContext(), 0, 0, At->getScope(), At->getInlinedAt());
    return DbgVariableRecord::createDbgVariableRecord(V, Declare.getVariable(), Expression, Place);
  }

  // Whether a part of a variable is in memory of its own now.
  bool isInMemory(Spot At, uint64_t Size) const {
    return llvm::any_of(InMemory.lookup(At.Alloca), [&](auto Range) {
      return Range.first < At.Offset + divideCeil(Size, 8) && At.Offset < Range.second;
    });
  }

  void describe(Spot At, uint64_t Size, Value *V, Instruction *Before, bool IsRead) {
    if (isInMemory(At, Size))
      return;
    for (DbgVariableRecord *Declare : Declares.find(At.Alloca)->second)
      if (DbgVariableRecord *Record = record(*Declare, At.Offset, Size, V)) {
        Before->getParent()->insertDbgRecordBefore(Record, Before->getIterator());
        if (IsRead)
          W.Reads.insert(Record);
      }
  }

  uint64_t bits(Type *T) const { return DL.getTypeStoreSizeInBits(T).getFixedValue(); }

  void findPieces() {
    for (auto [Begin, End] : W.OldRange)
      for (uint32_t S = Begin; S != End; ++S) {
        if (W.isEmitted(S))
          continue;
        auto Found = access(S);
        if (!Found || !isScalar(Found->second))
          continue;
        auto &Known = Pieces[Found->first.Alloca];
        std::pair<uint64_t, Type *> Piece(Found->first.Offset, Found->second);
        // More are not told apart; objects of many pieces stay in memory.
        if (Known.size() < 128 && !llvm::is_contained(Known, Piece))
          Known.push_back(Piece);
      }
  }

  // What a copy from constant memory or a fill puts where a piece is; poison when that is not known.
  Value *copied(const AnyMemIntrinsic &Copy, uint64_t Offset, Type *T) const {
    if (auto *Set = dyn_cast<AnyMemSetInst>(&Copy)) {
      auto *Byte = dyn_cast<ConstantInt>(Set->getValue());
      if (Byte && Byte->isZero())
        return Constant::getNullValue(T);
      if (Byte && T->isIntegerTy() && T->getIntegerBitWidth() % 8 == 0)
        return ConstantInt::get(T, APInt::getSplat(T->getIntegerBitWidth(), Byte->getValue()));
    } else if (auto *Transfer = dyn_cast<AnyMemTransferInst>(&Copy)) {
      APInt Start(DL.getIndexTypeSizeInBits(Transfer->getRawSource()->getType()), 0);
      auto *From = dyn_cast<GlobalVariable>(Transfer->getRawSource()->stripAndAccumulateConstantOffsets(DL, Start, true));
      if (From && From->isConstant() && From->hasDefinitiveInitializer())
        if (Constant *Found = ConstantFoldLoadFromConst(From->getInitializer(), T, Start + Offset, DL))
          return Found;
    }
    return PoisonValue::get(T);
  }

  void copy(AnyMemIntrinsic &Copy) {
    auto At = spot(Copy.getRawDest());
    auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
    if (!At || !Length || Length->getValue().getActiveBits() > 32)
      return;
    uint64_t Size = Length->getZExtValue();
    for (auto [Offset, T] : Pieces.lookup(At->Alloca))
      if (Offset >= At->Offset && Offset + bits(T) / 8 <= At->Offset + Size)
        describe({At->Alloca, Offset}, bits(T), copied(Copy, Offset - At->Offset, T), &Copy, /*IsRead=*/false);
  }

  void describeAccesses() {
    for (auto [Begin, End] : W.OldRange)
      for (uint32_t S = Begin; S != End; ++S) {
        if (W.isEmitted(S))
          continue;
        Instruction *I = W.C.Sources[S];
        if (auto *Copy = dyn_cast<AnyMemIntrinsic>(I)) {
          copy(*Copy);
          continue;
        }
        auto Found = access(S);
        if (!Found || !isScalar(Found->second))
          continue;
        if (auto *Store = dyn_cast<StoreInst>(I))
          describe(Found->first, bits(Found->second), Store->getValueOperand(), I, /*IsRead=*/false);
        else if (W.Same.contains(S))
          describe(Found->first, bits(Found->second), I, I, /*IsRead=*/true);
      }
  }
};

} // namespace

void rvsdgDescribeVariables(RvsdgWriter &W) {
  Variables V(W);
  if (V.Declares.empty())
    return;
  V.findPieces();
  V.describeAccesses();
  for (auto &[Alloca, Records] : V.Declares)
    if (V.Pieces.contains(Alloca) || V.InMemory.contains(Alloca))
      W.Undeclared.insert(W.Undeclared.end(), Records.begin(), Records.end());
}

void rvsdgDescribeContents(RvsdgWriter &W) {
  if (!W.Contents.empty()) {
    Variables V(W);
    // What is at the same place keeps the order in which it is given.
    for (auto [I, Access, Offset] : llvm::reverse(W.Contents)) {
      auto Found = V.access(Access);
      if (!Found || I->isTerminator() || I->getParent() == nullptr)
        continue;
      Spot At = Found->first;
      At.Offset += Offset;
      BasicBlock *BB = I->getParent();
      DbgMarker *Marker = BB->createMarker(isa<PHINode>(I) ? BB->getFirstNonPHIIt() : std::next(I->getIterator()));
      auto *Own = dyn_cast<AllocaInst>(I);
      // Of a value that is wider than the memory, the low bits are what it holds.
      uint64_t Size = Own ? V.bytes(*Own) * 8 : std::min(V.bits(I->getType()), V.bits(Found->second));
      if (!Own && V.isInMemory(At, Size))
        continue;
      for (DbgVariableRecord *Declare : V.Declares.find(At.Alloca)->second) {
        DbgVariableRecord *Record;
        if (Own) {
          DIExpression *Part = V.part(*Declare, At.Offset, Size);
          Record = Part ? DbgVariableRecord::createDVRDeclare(I, Declare->getVariable(), Part, Declare->getDebugLoc()) : nullptr;
        } else {
          Record = V.record(*Declare, At.Offset, Size, I);
        }
        if (!Record)
          continue;
        Marker->insertDbgRecord(Record, /*InsertAtHead=*/true);
        W.Held.push_back({I, Record->getVariable(), Record->getDebugLoc()->getInlinedAt()});
      }
    }
  }
  for (DbgVariableRecord *Declare : W.Undeclared)
    Declare->eraseFromParent();
  W.Undeclared.clear();
}
