// The program model of a function: instructions, control flow, loops, dependences and source lines,
// all keyed by the byte offset of the instruction.
//
//   Result<Kernel> kernel = build_kernel(image, image.functions[0]);
//   for (const Loop& loop : kernel->loops) …
//   for (const Dependence& d : kernel->dependences_of(i)) kernel->instructions[d.producer] …
//
// Indices: an *instruction* index is a position in `instructions` (offset / 16). A *block* index is
// a position in `blocks`, in code order; block 0 is the entry.
//
// Local functions: ptxas places functions that it does not inline (a division, a recursive
// function) after the kernel, in the same code, and calls them. Each local function has its own
// graph: the block of a call continues at the instruction after the call (Edge::Kind::kReturn) and
// names the entry of the called function (BasicBlock::callee). Dominance, post-dominance and loops
// refer to the function that contains the block; dependences follow values into and out of calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "read/binary/image.h"
#include "read/dominator_tree.h"
#include "read/isa/traits.h"

namespace burin::read {

struct Edge {
  enum class Kind : std::uint8_t {
    kFallThrough,
    kBranch,    // a taken BRA or similar branch
    kIndirect,  // one of the possible targets of a BRX
    kReturn,    // from a call to the next block of the caller, after the return
  };
  std::uint32_t block = 0;
  Kind kind = Kind::kFallThrough;
};

// A block ends at a branch, call, return or exit, or before a branch target or a reconvergence
// point (BSSY's target). A trap does not end a block: ptxas continues the code after it.
struct BasicBlock {
  std::uint32_t first = 0;  // instructions [first, last]
  std::uint32_t last = 0;
  std::vector<Edge> successors;     // a branch to the next instruction gives two edges to one block
  std::vector<Edge> predecessors;   // Edge::block is the source of the edge
  bool exits = false;               // some lane may exit here (EXIT, possibly predicated)
  bool returns = false;             // some lane may return to a caller here (RET)
  bool unresolved = false;          // may continue at an unknown place: an indirect branch without
                                    // a table, a target outside the code, the end of the code
  bool reachable = false;           // from some entry; padding after the last EXIT is not
  std::uint32_t callee = kNoIndex;  // entry block of the local function that it calls
  std::uint32_t immediate_dominator = kNoIndex;  // kNoIndex: an entry, or unreachable
  std::uint32_t immediate_post_dominator =
      kNoIndex;                   // kNoIndex: leaves the function, or unreachable
  std::uint32_t loop = kNoIndex;  // innermost loop
};

// A loop is a set of blocks that all reach one another. In a reducible program these are the
// natural loops, one per header. If a loop can be entered at several blocks, its header is the
// first entry block in code order and the loop is marked irreducible. Loops nested deeper than
// kDeepestLoop are not split further.
inline constexpr std::uint32_t kDeepestLoop = 100;

struct Loop {
  std::uint32_t header = 0;            // block
  std::vector<std::uint32_t> blocks;   // sorted; includes the header and the blocks of inner loops
  std::vector<std::uint32_t> latches;  // blocks with an edge back to the header
  std::vector<std::uint32_t> exits;    // blocks outside the loop with an edge from inside
  std::uint32_t parent = kNoIndex;     // enclosing loop
  std::uint32_t depth = 1;             // 1: outermost
  bool irreducible = false;            // can be entered at a block other than the header
};

// `consumer` depends on `producer`. Through a register: it reads the value (read-after-write).
// Through a scoreboard: it waits (wait mask or DEPBAR) for a scoreboard that the producer set,
// either for the producer's result or for the release of the producer's operands
// (write-after-read).
//
// Predicates are taken into account. A guarded write does not hide earlier writes, unless the
// consumer has the same guard or a write under the opposite guard comes before it. A write under
// the opposite of the consumer's guard is not a producer. All of this holds only while the
// predicate keeps its value between the two instructions. A branch fixes the value of its predicate
// on each of its two sides, for the writes in its block.
//
// A scoreboard is a counter, so setting it does not hide earlier setters; waiting for zero hides
// all of them. `DEPBAR.LE SB0, 0x1` depends on all setters except the last one on each path, and
// hides nothing.
struct Dependence {
  enum class Kind : std::uint8_t { kRegister, kScoreboardWrite, kScoreboardRead };
  std::uint32_t producer = 0;  // instruction
  std::uint32_t consumer = 0;
  Kind kind = Kind::kRegister;
  RegisterFile file = RegisterFile::kGeneral;  // kRegister
  std::uint16_t index = 0;                     // register number or scoreboard number
};

// True if the consumer of the dependence uses the value as part of an address.
inline bool feeds_address(const Instruction& consumer, const Dependence& d) {
  return d.kind == Dependence::Kind::kRegister && feeds_address(consumer, d.file, d.index);
}

// For one consumer and register, the maximum number of earlier writes examined within a block, and
// the maximum number taken from other blocks (the last in code order). See Kernel::partial.
inline constexpr std::uint32_t kMaxProducers = 64;

// Larger functions are refused: their instructions alone would need over a gigabyte. The largest
// function in the CUDA and PyTorch libraries has a tenth of this number of instructions.
inline constexpr std::uint32_t kMaxInstructions = 1 << 20;

struct Kernel {
  const Image* image = nullptr;        // must outlive the kernel
  const Function* function = nullptr;  // likewise
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of;         // per instruction
  std::vector<std::uint32_t> entries;          // entry blocks: 0, then those of local functions
  std::vector<TreeSpan> dominator_spans;       // per block, for dominates()
  std::vector<TreeSpan> post_dominator_spans;  // per block, for post_dominates()
  std::vector<Loop> loops;                     // outer loops before inner loops, in code order
  std::vector<Dependence> dependences;         // sorted by consumer
  std::vector<std::uint32_t> partial;          // consumers with more than kMaxProducers producers

  std::span<const Dependence> dependences_of(std::uint32_t instruction) const;

  // dominates: true if every path from the entry to `b` passes `a`. post_dominates: true if every
  // path from `b` out of the function passes `a`. A block dominates itself; an unreachable block
  // dominates no other block. An infinite loop is treated as leaving from its last block. Constant
  // time.
  bool dominates(std::uint32_t a, std::uint32_t b) const;
  bool post_dominates(std::uint32_t a, std::uint32_t b) const;

  // The source location of the instruction at `offset`, as an index into Image::locations, or -1.
  std::int32_t location_at(std::uint32_t offset) const;
};

struct KernelOptions {
  bool dependences = true;  // the most expensive part; not needed for a plain listing
};

// Builds the program model of a function. Returns an Error if the architecture has no decoder or
// the code size is not a whole number of instructions. Words that the decoder does not know are
// kept and treated as falling through. Time and memory are near-linear in the code size: a few
// microseconds per instruction.
Result<Kernel> build_kernel(const Image& image, const Function& function,
                            KernelOptions options = {});

// Like build_kernel(), from decoded instructions; instruction i must be the one at offset 16 i.
Kernel build_from(std::vector<Instruction> instructions, const Image& image,
                  const Function& function, KernelOptions options = {});

}  // namespace burin::read
