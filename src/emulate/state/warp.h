// A warp: 32 lanes' registers and predicates, where each lane is, and what it waits for.
//
// Lanes that are at the same place and run together are a *split*. A branch on which lanes differ
// makes two of one; they meet again at a BSYNC, a WARPSYNC, or never. One split runs at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulate/memory/shared.h"
#include "emulate/state/lower.h"
#include "emulate/state/op.h"
#include "emulate/values/event.h"
#include "emulate/values/fault.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

struct Block;
struct UnknownCount;

// A branch on an Unknown condition: the same lanes run one side up to where the sides meet, then
// the other; what either side wrote is Unknown from there on.
struct Snapshot;
struct Fork {
  std::uint32_t other = 0;              // instruction at which the second side starts
  std::uint32_t join = read::kNoIndex;  // where the sides meet; kNoIndex: they end apart
  bool second = false;                  // the second side is running
  bool first_joined = false;            // the first side came to `join`, it did not end before
  std::bitset<kSlots> slots{};          // written by either side
  std::bitset<kPredicateSlots> predicates{};
  std::shared_ptr<const Snapshot> before{};  // registers at the branch, for the second side
};

// The warp's one set of uniform registers as a split left it (split.h: give_way).
struct UniformRegisters;

struct Split {
  enum class State : std::uint8_t {
    kReady,
    kConverging,  // at a BSYNC, for the lanes of barrier `target`
    kGathering,   // at a WARPSYNC, for the lanes of `mask`
    kBarrier,     // at a BAR, number `target`
    kRetry,       // at an instruction that could not complete yet; it runs again later
  };
  std::uint32_t pc = 0;  // index of the next instruction
  Mask lanes = 0;
  State state = State::kReady;
  std::uint8_t target = 0;
  Mask mask = 0;              // kGathering: the lanes it waits for, those alive when it came
  bool missed = false;        // some of them ended instead of coming
  std::vector<Fork> forks{};  // outermost first
  // Loops under way whose end is Unknown: the branch, and how often it went around.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> trips{};
  std::shared_ptr<const UniformRegisters> uniform{};  // to be put back before it goes on
};

inline constexpr unsigned kConvergenceBarriers = 16;

struct Warp {
  // Registers.
  std::array<Lanes, kSlots> slots;
  std::array<Mask, kSlots> unknown;
  std::array<Mask, kPredicateSlots> predicates;
  std::array<Mask, kPredicateSlots> predicate_unknown;
  std::array<Lanes, kConvergenceBarriers> convergence;  // B0 … B15: whom each lane will meet

  // Where its lanes are. splits[current] runs; exited lanes are in none.
  std::vector<Split> splits;
  std::uint32_t current = 0;
  Mask live = 0;
  Mask kept = 0;  // lanes that may have ended: they came to an EXIT whose guard was Unknown

  const Program* program = nullptr;
  Block* block = nullptr;
  UnknownCount* unknown_count = nullptr;  // of the worker that runs it
  std::uint32_t index = 0;                // in its block; thread 32 index + lane
  Clock clock{};                          // of accesses to shared memory

  std::uint64_t cluster_arrivals = 0;  // at the cluster's barrier (UCGABAR)
  std::uint64_t product_groups = 0;    // of the warpgroup's products that the warp has ended
  std::uint64_t group_arrivals = 0;    // at the barrier of its warpgroup

  // What BAR.RED gave it, for B2R.
  std::uint32_t barrier_result = 0;
  bool barrier_result_unknown = false;

  // Local memory, made when first touched: the threads' 32-bit words, and of each word's four bytes
  // the lanes that have written it and those in which it is known.
  struct LocalBytes {
    std::array<Mask, 4> written{};
    std::array<Mask, 4> known{};
  };
  std::vector<Lanes> local;
  std::vector<LocalBytes> local_known;

  // Of the instruction that runs now.
  std::uint32_t pc = 0;
  std::uint32_t next_pc = 0;  // where it goes on; a function may change it
  Mask active = 0;            // lanes at the instruction
  Mask exec = 0;              // those whose guard holds or is Unknown
  Mask doubtful = 0;          // those whose guard is Unknown: what they write is Unknown
  Mask forked = 0;            // those on one side of an Unknown branch: what they store is Unknown
  Mask taken = 0;
  bool yielded = false;  // set by a function after which another split should run
  bool retry = false;    // set by a function that must run again: nothing of it happened
  bool moved = false;    // set by a function that changed `splits` itself
  std::uint8_t access_count = 0;
  std::array<Access, 2> accesses;
  std::vector<CopiedRow> copied{};     // by a bulk copy; kept only while somebody listens
  std::vector<PhaseChange> changed{};  // mbarriers; likewise
  std::uint8_t matched = 0;            // different values that the last MATCH found

  // A source's lanes, its k-th register for a pair or quadruple. `scratch` is used where the
  // source is changed on the way.
  BURIN_INLINE const Lanes& plain(const Source& s, unsigned k = 0) const {
    return s.pooled ? program->pool[s.slot + k] : slots[slot_after(s.slot, k)];
  }
  BURIN_INLINE const Lanes& get(const Source& s, Lanes& scratch) const {
    const Lanes& v = plain(s);
    if (s.change == Source::Change::kNone) return v;
    change(s.change, v, scratch);
    return scratch;
  }
  BURIN_INLINE Mask unknown_of(const Source& s, unsigned k = 0) const {
    return s.pooled ? program->pool_unknown[s.slot + k] : unknown[slot_after(s.slot, k)];
  }
  // A predicate source as a mask of lanes.
  BURIN_INLINE Mask get(PredicateSource p) const {
    return predicates[p.slot] ^ (p.negated ? kAllLanes : 0);
  }
  BURIN_INLINE Mask unknown_of(PredicateSource p) const { return predicate_unknown[p.slot]; }

  // Writes a register or a predicate in the lanes of `exec`. `unknown_lanes` need not be limited to
  // them; doubtful lanes become Unknown of themselves.
  BURIN_INLINE void set(std::uint16_t slot, const Lanes& value, Mask unknown_lanes) {
    blend(slots[slot], value, exec);
    unknown[slot] = (unknown[slot] & ~exec) | ((unknown_lanes | doubtful) & exec);
    if (forked != 0) note_write(slot);
  }
  BURIN_INLINE void set_predicate(std::uint8_t slot, Mask value, Mask unknown_lanes) {
    predicates[slot] = (predicates[slot] & ~exec) | (value & exec);
    predicate_unknown[slot] =
        (predicate_unknown[slot] & ~exec) | ((unknown_lanes | doubtful) & exec);
    if (forked != 0) note_predicate_write(slot);
  }

  // Where the instruction that runs now is: "offset 0x80, scan.cu:30".
  std::string place() const;

  // Ends the run with an Error that names the instruction and its line: "cannot execute …".
  void refuse(std::string_view why);

  // A fault of the instruction that runs now, in one of its lanes; `count`: in so many like it.
  void fault(Fault::Kind kind, unsigned lane, std::uint64_t address, std::uint8_t bytes,
             std::string detail, std::uint64_t count = 1);

  void note_write(std::uint16_t slot);
  void note_predicate_write(std::uint8_t slot);
  static void change(Source::Change how, const Lanes& from, Lanes& to);
};

// "scan.cu:30", or "offset 0x80" where the kernel has no lines.
std::string named_place(const read::Kernel& kernel, std::uint32_t instruction);

}  // namespace burin::emulate
