// Tags of loads and stores for type-based alias analysis, in the format that front ends write by default: struct-path aware, without
// sizes. What does not have that form counts as no tag.

#include "carrier.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {

const MDNode *node(const MDNode &N, unsigned Operand) {
  return Operand < N.getNumOperands() ? dyn_cast_or_null<MDNode>(N.getOperand(Operand).get()) : nullptr;
}

const ConstantInt *integer(const MDNode &N, unsigned Operand) {
  if (Operand >= N.getNumOperands())
    return nullptr;
  auto *C = mdconst::dyn_extract_or_null<ConstantInt>(N.getOperand(Operand));
  return C && C->getBitWidth() <= 64 ? C : nullptr;
}

// Whether both types are there, and how far the one is in the other; the fourth operand says that the memory is constant.
bool isUnderstood(const MDNode &Tag) {
  return node(Tag, 0) && node(Tag, 1) && integer(Tag, 2) &&
         (Tag.getNumOperands() == 3 || (Tag.getNumOperands() == 4 && integer(Tag, 3)));
}

uint32_t number(RvsdgCarrier &C, const MDNode *N) {
  auto [It, New] = C.TbaaIds.try_emplace(N, uint32_t(C.TbaaNodes.size()));
  if (New)
    C.TbaaNodes.push_back(N);
  return It->second;
}

} // namespace

uint32_t rvsdgTag(RvsdgCarrier &C, const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  return Tag && isUnderstood(*Tag) ? number(C, Tag) : None;
}

extern "C" {

// A tag: numbers of the types of object and access, offset (2).
RvsdgWords rvsdg_describe_tag(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id < C->TbaaNodes.size() && isUnderstood(*C->TbaaNodes[Id])) {
    const MDNode &Tag = *C->TbaaNodes[Id];
    C->word(number(*C, node(Tag, 0)));
    C->word(number(*C, node(Tag, 1)));
    C->wide(integer(Tag, 2)->getZExtValue());
  }
  return answer(*C);
}

// A type: its name, then number and offset (2) of each member. No words for what is not a type in this format, such as a node that is
// like no other.
RvsdgWords rvsdg_describe_tbaa_type(RvsdgCarrier *C, uint32_t Id) {
  C->Out.clear();
  if (Id >= C->TbaaNodes.size())
    return answer(*C);
  const MDNode &Type = *C->TbaaNodes[Id];
  unsigned Count = Type.getNumOperands();
  auto *Name = Count ? dyn_cast_or_null<MDString>(Type.getOperand(0).get()) : nullptr;
  if (!Name || Type.isDistinct())
    return answer(*C);
  C->word(C->string(Name->getString()));
  uint64_t Before = 0;
  for (unsigned Operand = 1; Operand < Count; Operand += 2) {
    // The parent of a scalar type may have no offset.
    const ConstantInt *Offset = integer(Type, Operand + 1);
    uint64_t At = Offset ? Offset->getZExtValue() : 0;
    if (!node(Type, Operand) || (!Offset && Count != 2) || At < Before) {
      C->Out.clear();
      break;
    }
    C->word(number(*C, node(Type, Operand)));
    C->wide(At);
    Before = At;
  }
  return answer(*C);
}
}
