// The memory behind one SM: its L1, and the L2 cache and DRAM that it shares with all others.
//
// The emulated SM's requests are real. Each stands for those of the other SMs: their sectors go
// through the contents of the same L2 cache (l2_contents.h), their bytes through the same queues.
//
// A level is a queue that takes so many bytes per cycle, and a latency behind it. When an answer
// comes is known when the request is made.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "machine/machine.h"
#include "timing/code/machine_of.h"
#include "timing/code/timed_code.h"
#include "timing/memory/atomic_slices.h"
#include "timing/memory/cache.h"
#include "timing/memory/l2_contents.h"
#include "timing/memory/l2_lookup_log.h"
#include "timing/memory/store_gathering.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin {

// Sectors, weighted as the instructions that asked for them. Bytes of DRAM are not: what lies
// between the replayed steps goes through the L2 cache too, and is counted itself.
struct TrafficSum {
  double l1_sectors = 0;
  double l1_hits = 0;
  double l2_sectors = 0;  // of this SM
  double l2_hits = 0;
  double all_l2_sectors = 0;  // of all SMs
  double all_l2_hits = 0;
  double dram_read = 0;  // bytes, all SMs
  double dram_write = 0;
  double all_l2_written = 0;  // sectors, all SMs
};

struct MemoryOptions {
  double shared_bytes = 0;  // of the SM's data array, taken by shared memory
  L2Options l2{};
};

class MemorySystem {
 public:
  MemorySystem(const MachineOf& machines, const StrideTable& strides, MemoryOptions options);

  struct Answer {
    double taken = 0;     // the memory stage has it: its place in the queue is free
    double operands = 0;  // its registers may be overwritten
    double sent = 0;      // all of it has left the SM
    double done = 0;      // its results are there, or its stores are seen by all
  };
  // A request of lanes, issued at `now`. `weight`: how many instructions it stands for.
  Answer access(double now, std::uint32_t instruction, const BlockTrace& trace,
                const Request& request, const Asker& asker, double weight);
  // Shared memory and what passes the same stage without memory.
  Answer shared(double now, std::uint32_t instruction, unsigned passes, double latency,
                double weight);
  // … of another block of the cluster, in so many sectors.
  Answer remote_shared(double now, std::uint32_t instruction, unsigned sectors, double weight);
  // The arrival of a warp's lanes, as one, at another block's mbarrier: when it has left.
  double remote_arrival(double now, std::uint32_t instruction, double weight);
  // A constant load whose lanes name so many different words.
  Answer constant(double now, std::uint32_t instruction, unsigned words, double weight);
  Answer bulk(double now, std::uint32_t instruction, const BlockTrace& trace,
              const Request& request, const Asker& asker, double weight);

  // What it leaves in the caches, without time. Of the traffic only DRAM's is counted.
  void skip(std::uint32_t instruction, const BlockTrace& trace, const Request& request,
            const Asker& asker);

  // Whether what skip() has brought into L1 for a load stays there.
  void let_pass(std::uint32_t instruction, const BlockTrace& trace, const Request& request,
                const Asker& asker, bool stays);
  std::uint64_t l1_lines() const { return l1_.lines(); }

  // L1 is empty from here on.
  void forget_l1() { l1_.clear(); }

  // What has come together since the last call.
  TrafficSum take_traffic() { return std::exchange(traffic_, {}); }
  struct InstructionTraffic {
    double sectors = 0, l1_hits = 0, l2_sectors = 0, l2_hits = 0;
  };
  std::vector<InstructionTraffic> take_by_instruction();
  void take_busy(
      std::array<double, kResources>& to);  // cycles that each was taken, weighted; added
  // The L2 cache holds these bytes, unwritten, when the kernel begins.
  void fill_l2(std::uint64_t address, std::uint64_t bytes);
  // A new stretch of time begins at 0, with the L2 cache as it is and nothing else under way. What
  // requests find there is written into `record`, or taken from `given`. Either may be null; both
  // must live until the next call. `in_step`: the launch begins with it, on all SMs at once.
  void restart(FoundLines* record = nullptr, const FoundLines* given = nullptr,
               bool in_step = true);

 private:
  // What the request for the line at `position` of its trace finds: as recorded, or by looking.
  Found find(const L2Request& request, const Asker& asker, std::uint32_t position);
  L2Request asked(std::uint32_t instruction, std::uint64_t line, unsigned sectors,
                  bool write) const;
  enum class Use : std::uint8_t { kRead, kBulkRead, kWrite, kReduce, kAtomic };
  // Of the sectors, those in `fresh` have to be sent: the others join what was.
  double l2(double now, std::uint32_t instruction, std::uint64_t line, unsigned sectors, Use use,
            const Asker& asker, std::uint32_t position, double weight, unsigned fresh = 0xf);
  // Sends this to DRAM: when it begins.
  double dram(double now, const Found& found, double weight);
  double dram_latency() const;     // as much as DRAM has to do now
  double mix() const;              // of reads and writes lately: 1 where they are equal
  double apart(double now) const;  // cycles between what the SMs do
  double& busy(Resource r) { return busy_[static_cast<std::size_t>(r)]; }
  std::uint64_t own_line(const LineUse& use, std::uint32_t instruction, const Request& request,
                         const Asker& asker) const;

  MachineOf machines_;
  const Machine* machine_;  // of the instruction that asks
  const StrideTable& strides_;
  FoundLines* record_ = nullptr;
  const FoundLines* given_ = nullptr;
  Cache l1_;
  StoreGathering stores_;
  L2Contents l2_contents_;
  TrafficSum traffic_;
  std::array<double, kResources> busy_{};
  std::vector<InstructionTraffic> by_instruction_;
  // When each takes the next.
  double lsu_free_ = 0, l2_free_ = 0, dram_free_ = 0, fill_free_ = 0, drain_free_ = 0,
         tma_free_ = 0, constant_free_ = 0, remote_free_ = 0;
  std::vector<double> in_flight_;
  std::size_t next_in_flight_ = 0;
  std::uint64_t salt_ = 0;
  AtomicSlices slices_;
  double now_ = 0;
  bool in_step_ = true;
  bool sparse_ = false;     // the request's lines lie here and there
  double held_ = 0;         // cycles of all slices that its atomics take, a line, all SMs
  unsigned written_ = 0;    // bytes that it writes of each sector
  double load_ = 0;         // of DRAM, lately: share of its cycles that are taken
  double load_time_ = 0;    // … as of then
  double lately_read_ = 0;  // bytes
  double lately_written_ = 0;
};

}  // namespace burin
