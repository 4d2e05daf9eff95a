// The tables that tie dense numbers, the only thing Rust sees, to LLVM's objects. All files of the shim that read or
// write bodies share one Carrier per module. Numbers are given in order of first sight, so they depend on the module only.
#pragma once

#include "shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

#include <unordered_map>
#include <vector>

using Words = std::vector<uint32_t>;

// A value operand in a stream: a number and where to look it up, in the low two bits.
enum RefTag : uint32_t {
  RefLocal = 0,       // parameter or instruction of the current function
  RefConst = 1,       // the table of constants
  RefBlock = 2,       // a basic block of the current function
  RefMetadata = 3,    // metadata of a parameter or instruction of the current function; all ones: what streams cannot express
};

inline constexpr uint32_t None = ~0u;

// What describes a constant begins with its kind and its type.
enum ConstKind : uint32_t {
  KInt = 0,         // limbs as pairs of words
  KFloat = 1,       // four words of bits
  KZero = 2,
  KUndef = 3,
  KPoison = 4,
  KNone = 5,
  KAggregate = 6,   // elements
  KSplat = 7,       // element
  KData = 8,        // number of bytes, bytes packed in words
  KSymbol = 9,
  KExpr = 10,       // opcode | flags << 8, source element type or ~0, in-range flag, start (2), end (2), operands
  KDsoLocal = 11,   // function
  KNoCfi = 12,      // function
  KBlock = 13,      // function, block number
  KPtrAuth = 14,    // operands
  KMetadata = 15,   // string: the metadata as text, ~0 when it has none that stands alone
  KAsm = 16,        // function type, template, constraints, flags
  KUnknown = 17,
};

// Bodies that are not there for now: see materialize.cpp.
struct RvsdgStored {
  struct Body {
    uint32_t FirstSource, FirstBlock;
    std::string Bytes;
  };
  // By symbol.
  llvm::DenseMap<uint32_t, Body> Bodies;
  // An instruction of each kind, without operands, in no block.
  std::vector<llvm::Instruction *> Kinds;
  std::unordered_multimap<size_t, uint32_t> KindsByHash;
  std::vector<llvm::MDNode *> Nodes;
  llvm::DenseMap<const llvm::MDNode *, uint32_t> NodeIds;

  RvsdgStored() = default;
  RvsdgStored(const RvsdgStored &) = delete;
  ~RvsdgStored();
};

struct RvsdgCarrier {
  llvm::Module &M;

  std::vector<llvm::Type *> Types;
  llvm::DenseMap<llvm::Type *, uint32_t> TypeIds;
  // Constants, symbols among them first, and the other values that are not local: inline assembly, metadata.
  std::vector<llvm::Value *> Consts;
  llvm::DenseMap<const llvm::Value *, uint32_t> ConstIds;
  std::vector<llvm::AttributeList> Attrs;
  llvm::DenseMap<void *, uint32_t> AttrIds;
  std::vector<std::string> Strings;
  llvm::StringMap<uint32_t> StringIds;
  // Tags and types of type-based alias analysis.
  std::vector<const llvm::MDNode *> TbaaNodes;
  llvm::DenseMap<const llvm::MDNode *, uint32_t> TbaaIds;
  uint32_t NumSymbols = 0;

  RvsdgStored Stored;

  // Every instruction read so far, in order; its position is its source number. And every block with its first source. Null where
  // a body is not there for now.
  std::vector<llvm::Instruction *> Sources;
  std::vector<std::pair<llvm::BasicBlock *, uint32_t>> SourceBlocks;

  // The landing pads of invokes, by source number.
  llvm::DenseMap<uint32_t, uint32_t> Pads;

  // Calls that are inlined: by the first number of the copies, the number of the call, and the other way round; and by a jump in
  // the place of a return.
  llvm::DenseMap<uint32_t, uint32_t> Calls;
  llvm::DenseMap<uint32_t, uint32_t> InlinedCalls;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> Returns;

  // The addresses of blocks that were described, by function and number of the block when it was read.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, llvm::BlockAddress *> BlockAddresses;

  // The function read last: numbers of its parameters and instructions, and of its blocks.
  llvm::DenseMap<const llvm::Value *, uint32_t> Locals;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Blocks;
  // Filled by the last call that answers in words.
  Words Out;

  explicit RvsdgCarrier(llvm::Module &M) : M(M) {}

  uint32_t type(llvm::Type *T) {
    auto [It, New] = TypeIds.try_emplace(T, uint32_t(Types.size()));
    if (New)
      Types.push_back(T);
    return It->second;
  }
  uint32_t constant(llvm::Value *V) {
    auto [It, New] = ConstIds.try_emplace(V, uint32_t(Consts.size()));
    if (New)
      Consts.push_back(V);
    return It->second;
  }
  uint32_t attributes(llvm::AttributeList A) {
    auto [It, New] = AttrIds.try_emplace(A.getRawPointer(), uint32_t(Attrs.size()));
    if (New)
      Attrs.push_back(A);
    return It->second;
  }
  uint32_t string(llvm::StringRef S) {
    auto [It, New] = StringIds.try_emplace(S, uint32_t(Strings.size()));
    if (New)
      Strings.push_back(S.str());
    return It->second;
  }
  void word(uint32_t W) { Out.push_back(W); }
  void wide(uint64_t W) {
    Out.push_back(uint32_t(W));
    Out.push_back(uint32_t(W >> 32));
  }
};

// The raw flag bits of an operation: wrap, exact, disjoint, non-negative, same-sign, in-bounds, fast-math, by opcode.
inline uint32_t flagsOf(const llvm::Value &V) { return V.getRawSubclassOptionalData(); }

extern "C" {
// Words that stay valid until the next call on the same carrier.
struct RvsdgWords {
  const uint32_t *Data;
  size_t Len;
};
}

// Sets flags, in the bits of the instruction's kind, where they differ.
void rvsdgSetFlags(llvm::Instruction &I, uint32_t Flags);

// Appends the number of attributes, then spelling and type number (~0: none) of each.
void rvsdgAttributeSet(RvsdgCarrier &C, llvm::AttributeSet Set);

// The number of the tag of a load or store for type-based alias analysis; ~0 without one.
uint32_t rvsdgTag(RvsdgCarrier &C, const llvm::Instruction &I);

// What a terminator says of the loop that it repeats: how it is to be unrolled and vectorized, and how it came about.
struct RvsdgLoopHints {
  uint32_t Unroll = 0, Vectorize = 0, Role = 0;

  bool operator==(const RvsdgLoopHints &Other) const {
    return Unroll == Other.Unroll && Vectorize == Other.Vectorize && Role == Other.Role;
  }
};
RvsdgLoopHints rvsdgLoopHints(const llvm::Instruction &I);

// Writes metadata that can stand in place in textual IR; false for other metadata, and for deeper nesting than Depth.
bool rvsdgMetadataText(const llvm::Metadata *MD, llvm::raw_ostream &OS, unsigned Depth);

inline RvsdgWords answer(const RvsdgCarrier &C) { return {C.Out.data(), C.Out.size()}; }
