// Listens to the emulator and writes the traces of the blocks that begin and end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulate/values/event.h"
#include "launch/options.h"
#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::timing {

class TraceBuilder : public emulate::Listener {
 public:
  TraceBuilder(const read::Kernel& kernel, launch::UnknownAccess unknown);

  void block_started(const emulate::Block& block) override;
  void executed(const emulate::Event& event) override;
  void block_ended(const emulate::Block& block) override;

  // Those that have ended since the last call. Of a cluster only the block of rank 0 is kept: what
  // it sends to the barriers of the others stands for what they send to it, at the same time.
  std::vector<BlockTrace> take() { return std::move(done_); }

 private:
  struct Phase {
    std::uint32_t number = 0;  // of the barrier
    std::uint32_t current = 0;
    std::uint32_t arrived = 0;             // in the current phase
    std::uint32_t waited = 0;              // for so many phases, of an mbarrier
    std::vector<std::uint32_t> last_wait;  // per warp: 1 + its last wait in this phase
  };
  struct Building {
    BlockTrace trace;
    std::uint32_t rank = 0;                   // in its cluster
    std::map<std::uint64_t, Phase> barriers;  // by rank and address; BAR: kNamed + its number
  };

  // What an instruction is, as far as it matters here; asked at every step.
  struct Traits {
    bool cluster_arrival = false;
    bool cluster_wait = false;
    bool mbarrier = false;  // SYNCS
    bool barrier = false;   // any of these, or BAR
    bool returns = false;   // of an atomic
    bool counts = false;    // lanes at one address are counted at once
    bool match = false;     // MATCH
    bool fence = false;     // MEMBAR, CCTL
    bool strong = false;    // a load that sees what other SMs have written
    AtomicPasses::Operation operation = AtomicPasses::Operation::kInteger;
  };
  static Traits traits_of(const read::Instruction& instruction);

  void note_use(Building& to, const emulate::Event& event);
  void add_access(Building& to, const emulate::Access& access, Request& request, bool& unknown);
  void add_lines(Building& to, const emulate::Access& access, Request& request, bool& unknown);
  void add_phases(Building& to, const emulate::Event& event, Request& request);
  Phase& phase(Building& to, std::uint64_t key);
  std::uint32_t& phases_over(const emulate::Warp& warp, std::uint32_t rank, std::uint32_t address);
  void arrive(Building& to, Phase& phase, bool waits, std::uint32_t warp);

  const read::Kernel& kernel_;
  launch::UnknownAccess unknown_;
  std::vector<Traits> traits_;                                   // per instruction
  std::map<std::uint64_t, std::unique_ptr<Building>> building_;  // by block
  // By cluster, and rank and address in it: blocks arrive at each other's.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> phases_over_;
  Building* recent_ = nullptr;
  std::uint64_t recent_block_ = ~std::uint64_t{0};
  std::vector<BlockTrace> done_;
};

// Passes over the 32 banks of 4 bytes that the lanes' words need: in each as many as the bank with
// the most different words has. Lanes of 8 bytes go in halves of the warp and lanes of 16 in
// quarters, or twice as many at once where lanes agree in pairs: an H200 was seen to do so.
unsigned bank_passes(const emulate::Access& access);

// Of the lanes whose address is known, the most that have the same: atomics there are done one
// after the other.
unsigned most_at_one_address(const emulate::Access& access);

}  // namespace burin::timing
