// A warp: the registers and predicates of its 32 lanes, the position of each lane, and what each
// lane waits for.
//
// Lanes that execute together at the same instruction form a *split*. A divergent branch makes two
// splits out of one; they reconverge at a BSYNC or a WARPSYNC, or never. Only one split runs at a
// time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
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

// A branch on an Unknown condition. The same lanes run one side up to the join, then the other
// side; every register that either side wrote is Unknown after the join.
struct Snapshot;
struct Fork {
  std::uint32_t other = 0;              // first instruction of the second side
  std::uint32_t join = read::kNoIndex;  // where the sides join; kNoIndex: they never do
  bool second = false;                  // the second side is running
  bool first_joined = false;            // the first side reached `join` instead of exiting
  std::bitset<kSlots> slots{};          // written by either side
  std::bitset<kPredicateSlots> predicates{};
  std::shared_ptr<const Snapshot> before{};  // registers at the branch, for the second side
};

// The warp's uniform registers as saved for a split that yielded (split.h: give_way).
struct UniformRegisters;

struct Split {
  enum class State : std::uint8_t {
    kReady,
    kConverging,  // at a BSYNC, waiting for the lanes of barrier `target`
    kGathering,   // at a WARPSYNC, waiting for the lanes of `mask`
    kBarrier,     // at a BAR, waiting for barrier number `target`
    kRetry,       // at an instruction that cannot complete yet and will be retried
  };
  std::uint32_t pc = 0;  // index of the next instruction
  Mask lanes = 0;
  State state = State::kReady;
  std::uint8_t target = 0;
  Mask mask = 0;              // kGathering: lanes it waits for, those alive on arrival
  bool missed = false;        // kGathering: some lane of `mask` exited instead of arriving
  std::vector<Fork> forks{};  // outermost first
  // Loops in progress whose exit condition is Unknown: the branch, and its iterations so far.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> trips{};
  std::shared_ptr<const UniformRegisters> uniform{};  // to restore before it resumes
};

inline constexpr unsigned kConvergenceBarriers = 16;

struct Warp {
  // Registers.
  std::array<Lanes, kSlots> slots;
  std::array<Mask, kSlots> unknown;
  std::array<Mask, kPredicateSlots> predicates;
  std::array<Mask, kPredicateSlots> predicate_unknown;
  std::array<Lanes, kConvergenceBarriers> convergence;  // B0 … B15, lane masks per lane

  // The positions of the lanes. splits[current] is running; exited lanes are in no split.
  std::vector<Split> splits;
  std::uint32_t current = 0;
  Mask live = 0;
  Mask kept = 0;  // lanes that passed an EXIT with an Unknown guard

  const Program* program = nullptr;
  Block* block = nullptr;
  UnknownCount* unknown_count = nullptr;  // counters of the worker that runs this warp
  std::uint32_t index = 0;                // in the block; its threads are 32 index + lane
  Clock clock{};                          // vector clock for shared memory race detection

  std::uint64_t cluster_arrivals = 0;  // arrivals at the cluster barrier (UCGABAR)
  std::uint64_t product_groups = 0;    // warpgroup product groups that this warp has closed
  std::uint64_t group_arrivals = 0;    // arrivals at the barrier of its warpgroup

  // The result of the last BAR.RED, read by B2R.
  std::uint32_t barrier_result = 0;
  bool barrier_result_unknown = false;

  // Local memory, allocated on first use: the 32-bit words of all threads and, for each of the four
  // bytes of a word, the mask of lanes that have written the byte and the mask of lanes where it is
  // known.
  struct LocalBytes {
    std::array<Mask, 4> written{};
    std::array<Mask, 4> known{};
  };
  std::vector<Lanes> local;
  std::vector<LocalBytes> local_known;

  // Its clock; see clock_wait.h.
  std::uint64_t cycles = 0;
  std::optional<std::uint64_t> wait_began;  // `cycles` when it began to wait for the clock

  // State of the instruction being executed.
  std::uint32_t pc = 0;
  std::uint32_t next_pc = 0;  // next instruction; the execute function may change it
  Mask active = 0;            // lanes at the instruction
  Mask exec = 0;              // active lanes whose guard is true or Unknown
  Mask doubtful = 0;          // lanes whose guard is Unknown: their results are Unknown
  Mask forked = 0;            // lanes on a side of an Unknown branch: their stores are Unknown
  Mask taken = 0;
  bool yielded = false;  // set by the execute function: another split should run next
  bool retry = false;    // set by the execute function: no effect yet, run it again later
  bool moved = false;    // set by the execute function: it changed `splits` itself
  std::uint8_t access_count = 0;
  std::array<Access, 2> accesses;
  std::vector<CopiedRow> copied{};     // rows of a bulk copy; kept only with a Listener
  std::vector<PhaseChange> changed{};  // barrier arrivals; kept only with a Listener
  bool changed_by_atomic = false;      // an atomic may have changed memory since this was cleared
  std::uint64_t reduced = 0;           // elements that bulk reductions updated since it was cleared
  std::uint8_t matched = 0;            // distinct values found by the last MATCH
  std::uint64_t slept = 0;             // cycles of its clock for which the instruction lets it wait

  // Returns the lanes of a source; plain(): of its k-th register, for a pair or quadruple, without
  // the source's change. `scratch` holds the result if the source has a change.
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
  // Returns a predicate source as a lane mask.
  BURIN_INLINE Mask get(PredicateSource p) const {
    return predicates[p.slot] ^ (p.negated ? kAllLanes : 0);
  }
  BURIN_INLINE Mask unknown_of(PredicateSource p) const { return predicate_unknown[p.slot]; }

  // Writes a register or a predicate in the lanes of `exec`. `unknown_lanes` may contain lanes
  // outside `exec`. Lanes in `doubtful` always become Unknown.
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

  // Returns the location of the instruction being executed: "offset 0x80, scan.cu:30".
  std::string place() const;

  // Stops the run with an Error that names the instruction and its line: "cannot execute …".
  void refuse(std::string_view why);

  // Reports a fault of the instruction being executed, in one of its lanes. `count` is the number
  // of occurrences that this report stands for.
  void fault(Fault::Kind kind, unsigned lane, std::uint64_t address, std::uint8_t bytes,
             std::string detail, std::uint64_t count = 1);

  // Whether nothing more is to be said of such a fault: it was counted, or is only possible.
  bool fault_again(Fault::Kind kind, unsigned lane, std::uint64_t count);

  void note_write(std::uint16_t slot);
  void note_predicate_write(std::uint8_t slot);
  static void change(Source::Change how, const Lanes& from, Lanes& to);
};

// Returns "scan.cu:30", or "offset 0x80" if the kernel has no line information.
std::string named_place(const read::Kernel& kernel, std::uint32_t instruction);

}  // namespace burin::emulate
