// A function's code as a program: instructions, control flow, loops, dependences and source lines,
// all keyed by the instruction's byte offset.
//
//   Result<Kernel> kernel = build_kernel(image, image.functions[0]);
//   for (const Loop& loop : kernel->loops) …
//   for (const Dependence& d : kernel->dependences_of(i)) kernel->instructions[d.producer] …
//
// Indices: an *instruction* is its position in `instructions` (offset / 16); a *block* is its
// position in `blocks`, in code order; block 0 is the entry.
//
// Local functions. ptxas puts functions that it does not inline (a division, a recursive function)
// behind the kernel, in the same code, and calls them. Each stays a graph of its own: a call's
// block goes on to the instruction behind it (Edge::Kind::kReturn) and names the entry it visits
// meanwhile (BasicBlock::callee). Dominance, post-dominance and loops are those of the function a
// block lies in; dependences follow values into and out of the calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "read/binary/image.h"
#include "read/isa/traits.h"

namespace burin::read {

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

struct Edge {
  enum class Kind : std::uint8_t {
    kFallThrough,
    kBranch,    // a taken BRA or its like
    kIndirect,  // one of the targets of a BRX
    kReturn,    // from a call back to its caller's next block
  };
  std::uint32_t block = 0;
  Kind kind = Kind::kFallThrough;
};

// A block ends at a branch, call, return or exit, or before a place that is gone to or where lanes
// meet again (BSSY's target). A trap does not end it: ptxas lets the code behind it go on.
struct BasicBlock {
  std::uint32_t first = 0;  // instructions [first, last]
  std::uint32_t last = 0;
  std::vector<Edge> successors;     // a branch to the next instruction gives two edges to one block
  std::vector<Edge> predecessors;   // Edge::block is where the edge comes from
  bool exits = false;               // some lane may end here (EXIT, or its predicated form)
  bool returns = false;             // … or go back to a caller (RET)
  bool unresolved = false;          // may go where we cannot follow: an indirect branch without a
                                    // table, a target outside the code, the end of the code
  bool reachable = false;           // from some entry; padding behind the last EXIT is not
  std::uint32_t callee = kNoIndex;  // entry of the local function that its call visits
  std::uint32_t immediate_dominator = kNoIndex;  // kNoIndex: an entry, or unreachable
  std::uint32_t immediate_post_dominator =
      kNoIndex;                   // kNoIndex: leaves the function, or unreachable
  std::uint32_t loop = kNoIndex;  // innermost loop
};

// A loop is a set of blocks that all reach one another. The natural loops of a reducible program,
// one per header; where a set is entered at several blocks, the first of them in code order is
// called the header and the loop is marked. Nests deeper than kDeepestLoop are not taken apart
// further.
inline constexpr std::uint32_t kDeepestLoop = 100;

struct Loop {
  std::uint32_t header = 0;            // block
  std::vector<std::uint32_t> blocks;   // sorted, header among them, inner loops' blocks too
  std::vector<std::uint32_t> latches;  // blocks with an edge back to the header
  std::vector<std::uint32_t> exits;    // blocks outside that are reached from inside
  std::uint32_t parent = kNoIndex;     // enclosing loop
  std::uint32_t depth = 1;             // 1: outermost
  bool irreducible = false;            // entered elsewhere than at the header
};

// `consumer` needs what `producer` made. Through a register: the value (read-after-write). Through
// a scoreboard: the consumer waits (wait mask or DEPBAR) for one that the producer set, be it for
// its result or for the release of its operands (write-after-read).
//
// Predicates count. A write under a guard leaves earlier writes in sight, unless the consumer has
// the same guard or a write under the opposite guard comes before; a write under the opposite of
// the consumer's own guard is out of sight. All this as long as the predicate keeps its value
// between the two. A branch tells on each of its sides what its predicate was, for the writes in
// its block.
//
// A scoreboard counts, so setting it hides nothing; waiting for zero hides all that was before.
// `DEPBAR.LE SB0, 0x1` needs all but the last setter on each path, and hides nothing.
struct Dependence {
  enum class Kind : std::uint8_t { kRegister, kScoreboardWrite, kScoreboardRead };
  std::uint32_t producer = 0;  // instruction
  std::uint32_t consumer = 0;
  Kind kind = Kind::kRegister;
  RegisterFile file = RegisterFile::kGeneral;  // kRegister
  std::uint16_t index = 0;                     // register number or scoreboard number
};

// Whether the consumer of the dependence has a part of an address from it.
inline bool feeds_address(const Instruction& consumer, const Dependence& d) {
  return d.kind == Dependence::Kind::kRegister && feeds_address(consumer, d.file, d.index);
}

// For one consumer and register, at most this many earlier writes are looked at in a block, and at
// most this many inherited from other blocks (the last in code order); see Kernel::partial.
inline constexpr std::uint32_t kMaxProducers = 64;

// A larger function is not taken apart: its instructions alone would need over a gigabyte. The
// largest of the CUDA and PyTorch libraries has a tenth of this.
inline constexpr std::uint32_t kMaxInstructions = 1 << 20;

// A place in a dominator tree: `count` blocks from position `first` on are below this one.
struct TreeSpan {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  // 0: not in the tree
};

struct Kernel {
  const Image* image = nullptr;        // must outlive the kernel
  const Function* function = nullptr;  // likewise
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of;         // per instruction
  std::vector<std::uint32_t> entries;          // blocks: 0, then those of local functions
  std::vector<TreeSpan> dominator_spans;       // per block, for dominates()
  std::vector<TreeSpan> post_dominator_spans;  // per block, for post_dominates()
  std::vector<Loop> loops;                     // outer before inner, in code order
  std::vector<Dependence> dependences;         // sorted by consumer
  std::vector<std::uint32_t> partial;  // consumers with more producers than kMaxProducers lists

  std::span<const Dependence> dependences_of(std::uint32_t instruction) const;

  // True where every path from the entry to `b` passes `a`, or every path from `b` out of the
  // function does (a block dominates itself; an unreachable one nothing else). An endless loop
  // counts as leaving from its last block. Constant time.
  bool dominates(std::uint32_t a, std::uint32_t b) const;
  bool post_dominates(std::uint32_t a, std::uint32_t b) const;

  // The source location of the instruction at `offset` (an index in Image::locations), or -1.
  std::int32_t location_at(std::uint32_t offset) const;
};

struct KernelOptions {
  bool dependences = true;  // they cost the most; leave them out for a plain listing
};

// An Error where the architecture has no decoder or the code is not whole instructions. Words the
// decoder does not know are kept and treated as falling through.
// Time and memory are near-linear in the code: a few microseconds per instruction.
Result<Kernel> build_kernel(const Image& image, const Function& function,
                            KernelOptions options = {});

// The same from instructions at hand; instruction i must be the one at offset 16 i.
Kernel build_from(std::vector<Instruction> instructions, const Image& image,
                  const Function& function, KernelOptions options = {});

}  // namespace burin::read
