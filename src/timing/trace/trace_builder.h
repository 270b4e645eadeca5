// Listens to the emulator and builds the traces of the blocks it executes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/values/event.h"
#include "launch/options.h"
#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::timing {

class TraceBuilder : public emulate::Listener {
 public:
  // A trace that grows beyond `most_bytes` stops the run; 0: no limit. `allocations`: all of global
  // memory, by address.
  TraceBuilder(const read::Kernel& kernel, launch::UnknownAccess unknown,
               std::uint64_t most_bytes = 0,
               std::vector<emulate::GlobalMemory::Extent> allocations = {});

  void block_started(const emulate::Block& block) override;
  void executed(const emulate::Event& event) override;
  void block_ended(const emulate::Block& block) override;

  // Returns the traces of the blocks that have ended since the last call. Of a cluster, only the
  // block of rank 0 is kept: its arrivals at the barriers of the other blocks represent their
  // simultaneous arrivals at its own.
  std::vector<BlockTrace> take() { return std::move(done_); }
  std::uint64_t bytes() const { return bytes_; }  // of all traces so far

 private:
  struct Phase {
    std::uint32_t number = 0;  // number of the barrier
    std::uint32_t current = 0;
    std::uint32_t arrived = 0;             // arrivals in the current phase
    std::uint32_t waited = 0;              // mbarriers: number of phases waited for
    std::vector<std::uint32_t> last_wait;  // per warp: 1 + the index of its last wait in this phase
  };
  struct Building {
    BlockTrace trace;
    std::uint32_t rank = 0;                   // rank in its cluster
    std::map<std::uint64_t, Phase> barriers;  // keyed by rank and address; BAR: kNamed + its number
  };

  // The properties of an instruction that matter here, computed once because they are read at every
  // step.
  struct Traits {
    bool cluster_arrival = false;
    bool cluster_wait = false;
    bool mbarrier = false;  // SYNCS
    bool barrier = false;   // BAR, or any of the above
    bool returns = false;   // atomics: the result is used
    bool counts = false;    // lanes at one address are counted in one operation
    bool match = false;     // MATCH
    bool fence = false;     // MEMBAR, CCTL
    bool cycles = false;    // reads the SM's clock
    bool strong = false;    // a load that must see other SMs' writes
    AtomicPasses::Operation operation = AtomicPasses::Operation::kInteger;
  };
  static Traits traits_of(const read::Instruction& instruction);

  void note_bytes(const BlockTrace& to, const emulate::Event& event, const Request* request);
  void note_use(Building& to, const emulate::Event& event);
  void add_access(Building& to, const emulate::Access& access, Request& request, bool& unknown);
  void add_lines(Building& to, const emulate::Access& access, Request& request, bool& unknown);
  bool are_anywhere(const emulate::Access& access, const Request& request) const;
  static void put_elsewhere(Building& to, Request& request);
  static void set_sleep(Request& request, const Traits& traits, std::uint64_t cycles);
  void add_phases(Building& to, const emulate::Event& event, Request& request);
  Phase& phase(Building& to, std::uint64_t key);
  std::uint32_t& phases_over(const emulate::Warp& warp, std::uint32_t rank, std::uint32_t address);
  void arrive(Building& to, Phase& phase, bool waits, std::uint32_t warp);

  const read::Kernel& kernel_;
  launch::UnknownAccess unknown_;
  std::vector<emulate::GlobalMemory::Extent> allocations_;
  std::uint64_t most_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<Traits> traits_;                                   // one per instruction
  std::map<std::uint64_t, std::unique_ptr<Building>> building_;  // keyed by block
  // Keyed by cluster, and by rank and address within it, because blocks arrive at each other's
  // barriers.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> phases_over_;
  Building* recent_ = nullptr;
  std::uint64_t recent_block_ = ~std::uint64_t{0};
  std::vector<BlockTrace> done_;
};

}  // namespace burin::timing
