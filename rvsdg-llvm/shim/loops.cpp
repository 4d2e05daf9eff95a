// What the metadata of loops says to passes.

#include "writer.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

// A hint: 0 nothing, 1 never, 2 by a factor that a pass chooses, 3 wholly, 3 + n by the factor n.
namespace {
constexpr uint32_t Unsaid = 0, Never = 1, Wanted = 2, Wholly = 3;

// The properties that say how a loop came about, by role; 0 is none of them.
constexpr StringRef Roles[] = {
    "",
    "rvsdg.loop.main",
    "rvsdg.loop.remainder",
    "rvsdg.loop.overlapping",
    "rvsdg.loop.version",
    "rvsdg.loop.fallback",
};

uint32_t role(StringRef Name) {
  for (uint32_t Role = 1; Role < std::size(Roles); ++Role)
    if (Roles[Role] == Name)
      return Role;
  return 0;
}

// Zero is no factor, and one that no pass could follow is none either: nothing is said.
uint32_t times(uint64_t Factor) {
  if (Factor == 0 || Factor >= 1u << 16)
    return Unsaid;
  return Factor == 1 ? Never : Wholly + uint32_t(Factor);
}

// The name of a property, and its number where it has one.
std::pair<StringRef, std::optional<uint64_t>> property(const MDOperand &Operand) {
  auto *Node = dyn_cast_or_null<MDNode>(Operand.get());
  if (!Node || Node->getNumOperands() == 0)
    return {};
  auto *Name = dyn_cast_or_null<MDString>(Node->getOperand(0));
  if (!Name)
    return {};
  std::optional<uint64_t> Number;
  if (Node->getNumOperands() > 1)
    if (auto *Constant = mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(1)))
      Number = Constant->getLimitedValue();
  return {Name->getString(), Number};
}

bool isUnroll(StringRef Name) { return Name.starts_with("llvm.loop.unroll."); }

bool isVectorize(StringRef Name) {
  return Name.starts_with("llvm.loop.vectorize.") || Name.starts_with("llvm.loop.interleave.") ||
         Name == "llvm.loop.isvectorized";
}

// What stays true of a loop whatever becomes of its body. What is said of its accesses does not, nor an estimate of its iterations, which
// LLVM believes before it looks at the weights of branches.
bool stays(StringRef Name) {
  return Name == "llvm.loop.mustprogress" || Name == "llvm.loop.disable_nonforced" ||
         Name.starts_with("llvm.loop.distribute.") || Name.starts_with("llvm.loop.licm_versioning.");
}
} // namespace

RvsdgLoopHints rvsdgLoopHints(const Instruction &I) {
  uint32_t Unroll = Unsaid, Vectorize = Unsaid, Width = Unsaid, Role = 0;
  bool OnlyForced = false;
  MDNode *Loop = I.isTerminator() ? I.getMetadata(LLVMContext::MD_loop) : nullptr;
  if (!Loop || Loop->getNumOperands() == 0)
    return {};
  for (const MDOperand &Operand : drop_begin(Loop->operands())) {
    auto [Name, Number] = property(Operand);
    if (Name == "llvm.loop.unroll.disable")
      Unroll = Never;
    else if (Name == "llvm.loop.unroll.count" && Number && times(*Number) != Unsaid && Unroll != Never)
      Unroll = times(*Number);
    else if (Name == "llvm.loop.unroll.full" && Unroll == Unsaid)
      Unroll = Wholly;
    else if (Name == "llvm.loop.unroll.enable" && Unroll == Unsaid)
      Unroll = Wanted;
    else if (Name == "llvm.loop.vectorize.enable" && Number && Vectorize != Never)
      Vectorize = *Number ? Wanted : Never;
    else if (Name == "llvm.loop.vectorize.width" && Number)
      Width = times(*Number);
    else if (Name == "llvm.loop.isvectorized" && Number && *Number)
      Vectorize = Never;
    else if (Name == "llvm.loop.disable_nonforced")
      OnlyForced = true;
    else if (uint32_t Said = role(Name))
      Role = Said;
  }
  if (Vectorize != Never && Width != Unsaid)
    Vectorize = Width;
  if (OnlyForced) {
    Unroll = Unroll == Unsaid ? Never : Unroll;
    Vectorize = Vectorize == Unsaid ? Never : Vectorize;
  }
  return {Unroll, Vectorize, Role};
}

namespace {
MDNode *node(LLVMContext &Context, StringRef Name, Type *Ty = nullptr, uint64_t Number = 0) {
  Metadata *Text = MDString::get(Context, Name);
  if (!Ty)
    return MDNode::get(Context, Text);
  return MDNode::get(Context, {Text, ConstantAsMetadata::get(ConstantInt::get(Ty, Number))});
}

MDNode *unrollNode(LLVMContext &Context, uint32_t Hint) {
  switch (Hint) {
  case Never:
    return node(Context, "llvm.loop.unroll.disable");
  case Wanted:
    return node(Context, "llvm.loop.unroll.enable");
  case Wholly:
    return node(Context, "llvm.loop.unroll.full");
  default:
    return node(Context, "llvm.loop.unroll.count", Type::getInt32Ty(Context), Hint - Wholly);
  }
}

MDNode *vectorizeNode(LLVMContext &Context, uint32_t Hint) {
  switch (Hint) {
  case Never:
    return node(Context, "llvm.loop.isvectorized", Type::getInt32Ty(Context), 1);
  case Wanted:
  case Wholly:
    return node(Context, "llvm.loop.vectorize.enable", Type::getInt1Ty(Context), 1);
  default:
    return node(Context, "llvm.loop.vectorize.width", Type::getInt32Ty(Context), Hint - Wholly);
  }
}
} // namespace

extern "C" {

// Says of the loop that a block's terminator repeats how it is to be unrolled and vectorized, how it came about, and what else the loop
// metadata of a source says (~0: none). Loops that come from one are loops of their own. A terminator that says so already stays.
void rvsdg_w_loop(RvsdgWriter *W, uint32_t Block, uint32_t Source, uint32_t Unroll, uint32_t Vectorize, uint32_t Role) {
  Instruction *I = W->Blocks[Block]->getTerminator();
  if (!I || (I->getMetadata(LLVMContext::MD_loop) && rvsdgLoopHints(*I) == RvsdgLoopHints{Unroll, Vectorize, Role}))
    return;
  LLVMContext &Context = I->getContext();
  SmallVector<Metadata *, 4> Operands = {nullptr};
  bool OtherUnroll = Unroll != Unsaid, OtherVectorize = Vectorize != Unsaid, OtherRole = Role != 0;
  Instruction *Old = Source == ~0u ? nullptr : W->C.Sources[Source];
  MDNode *Loop = Old ? Old->getMetadata(LLVMContext::MD_loop) : nullptr;
  if (Loop && Loop->getNumOperands() != 0) {
    RvsdgLoopHints Said = rvsdgLoopHints(*Old);
    OtherUnroll &= Said.Unroll != Unroll;
    OtherVectorize &= Said.Vectorize != Vectorize;
    OtherRole &= Said.Role != Role;
    for (const MDOperand &Operand : drop_begin(Loop->operands())) {
      StringRef Name = property(Operand).first;
      bool Kept = isUnroll(Name)      ? Said.Unroll == Unroll
                  : isVectorize(Name) ? Said.Vectorize == Vectorize
                  : role(Name)        ? Said.Role == Role
                                      : stays(Name);
      if (Kept || isa_and_nonnull<DILocation>(Operand.get()))
        Operands.push_back(Operand.get());
    }
  }
  if (OtherUnroll)
    Operands.push_back(unrollNode(Context, Unroll));
  if (OtherVectorize)
    Operands.push_back(vectorizeNode(Context, Vectorize));
  if (OtherRole)
    Operands.push_back(node(Context, Roles[Role]));
  MDNode *New = MDNode::getDistinct(Context, Operands);
  New->replaceOperandWith(0, New);
  I->setMetadata(LLVMContext::MD_loop, New);
}

} // extern "C"
