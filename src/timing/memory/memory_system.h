// The memory system as seen by one SM: its own L1, plus the L2 cache and DRAM shared by all SMs.
//
// Only one SM's requests are replayed. Each also represents the same request from every other SM:
// the sectors of all SMs go through the same L2 contents (l2_contents.h), and their bytes through
// the same queues.
//
// Each level is a queue with a throughput, followed by a latency. The completion time is known as
// soon as the request is made.
//
//   MemorySystem memory(machine, strides, {});
//   memory.access(now, {instruction, trace, request, requester}, weight).done
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

namespace burin::timing {

// Memory traffic. Sector counts are weighted like the instructions that requested them. DRAM bytes
// are not weighted: skipped steps also go through the L2 contents, and their bytes are counted
// there.
struct TrafficSum {
  double l1_sectors = 0;
  double l1_hits = 0;
  double l2_sectors = 0;  // sectors requested from L2 by this SM
  double l2_hits = 0;
  double all_l2_sectors = 0;  // sectors requested from L2 by all SMs
  double all_l2_hits = 0;
  double dram_read = 0;  // bytes, all SMs
  double dram_write = 0;
  double all_l2_written = 0;  // sectors written to L2, all SMs
  double atomic_cycles = 0;   // cycles for which L2 slices perform atomics, all SMs
  double bulk = 0;            // bytes that this SM copies by TMA
};

struct MemoryOptions {
  double shared_bytes = 0;  // bytes of the SM's data array used as shared memory
  // Lines that Unknown addresses are spread over.
  std::uint64_t unknown_lines = std::uint64_t{1} << 24;
  L2Options l2{};
};

// A request in a warp's trace, and the warp that makes it.
struct MemoryRequest {
  std::uint32_t instruction = 0;
  const BlockTrace& trace;
  const Request& request;
  const Requester& requester;  // its address identifies the warp
};

// Returns the extra cycles, relative to 4 bytes per lane, until a load of `bytes` per lane has
// written its registers.
double writeback_cycles(unsigned bytes, const machine::Machine& machine);

class MemorySystem {
 public:
  MemorySystem(const MachineOf& machines, const StrideTable& strides, MemoryOptions options);

  struct Answer {
    double taken = 0;     // when the load/store stage accepts the request and frees its queue entry
    double operands = 0;  // when the request's registers may be overwritten
    double sent = 0;      // when the whole request has left the SM
    double done = 0;      // when results are available, or stores are visible to all
  };
  // A load, store or atomic of a warp, issued at `now`. `weight` is the number of instructions it
  // represents.
  Answer access(double now, const MemoryRequest& from, double weight);
  // A shared-memory access, or an instruction that uses the same stage without accessing memory.
  Answer shared(double now, std::uint32_t instruction, unsigned passes, double latency,
                double weight);
  // An access to the shared memory of another block in the cluster.
  Answer remote_shared(double now, std::uint32_t instruction, unsigned sectors, double weight);
  // Returns when an arrival at another block's mbarrier, one per warp, has left the SM.
  double remote_arrival(double now, std::uint32_t instruction, double weight);
  // A constant load whose lanes read `words` different words.
  Answer constant(double now, std::uint32_t instruction, unsigned words, double weight);
  // A bulk copy (TMA).
  Answer bulk(double now, const MemoryRequest& from, double weight);

  // Updates the caches as the request would, but takes no time: the request counts as made at the
  // time of the latest L2 request. Only DRAM traffic is counted.
  void skip(const MemoryRequest& from);

  // Runs `skips`, a function that calls skip(), as blocks that ran earlier on this SM: they change
  // the L2 cache but not L1, nothing of theirs is in flight, and their traffic does not count.
  template <typename Skips>
  void skip_earlier(Skips skips);

  // Whether L2 lookups are taken from a log: skip() then only updates L1.
  bool lookups_known() const { return given_ != nullptr; }

  // Decides whether the lines that skip() brought into L1 for a load stay there.
  void let_pass(const MemoryRequest& from, bool stays);
  std::uint64_t l1_lines() const { return l1_.lines(); }

  void forget_l1() { l1_.clear(); }

  // Returns the traffic since the last call.
  TrafficSum take_traffic() { return std::exchange(traffic_, {}); }
  struct InstructionTraffic {
    double sectors = 0, l1_hits = 0, l2_sectors = 0, l2_hits = 0;
  };
  std::vector<InstructionTraffic> take_by_instruction();
  // Adds the weighted busy cycles of each resource since the last call.
  void take_busy(std::array<double, machine::kResources>& to);
  // Makes these bytes present and clean in the L2 cache before the kernel begins.
  void fill_l2(std::uint64_t address, std::uint64_t bytes);
  // Lets what earlier launches read or wrote pass through the L2 cache.
  void pass_l2(std::uint64_t address, std::uint64_t bytes, bool written) {
    l2_contents_.pass(address, bytes, written);
  }
  // Makes these bytes of memory that the launch does not use present and dirty in the L2 cache.
  void dirty_l2(std::uint64_t first, std::uint64_t bytes) { l2_contents_.mark_dirty(first, bytes); }
  // Restarts the clock at 0 with the current L2 contents and nothing in flight. L2 lookups are
  // written to `record`, or taken from `given`. Either may be null; both must live until the next
  // call. `in_step`: the launch begins here, on all SMs at once.
  void restart(L2LookupLog* record = nullptr, const L2LookupLog* given = nullptr,
               bool in_step = true);

 private:
  enum class Use : std::uint8_t { kRead, kBulkRead, kWrite, kReduce, kAtomic };

  // A request whose lines are being sent, one after another.
  struct Transfer {
    const MemoryRequest& from;
    const machine::Machine& machine;  // machine that times this instruction
    double weight = 1;
    double cycles = 0;     // cycles of the load/store stage
    unsigned written = 0;  // bytes written per sector, for stores
    double at = 0;         // when the next line may leave
    Answer answer{};
  };

  // One line of a request.
  struct LineRequest {
    const Transfer& transfer;
    std::uint32_t position = 0;  // position in BlockTrace::lines
    std::uint64_t line = 0;
    unsigned sectors = 0;
    unsigned fresh = 0xf;     // sectors to send; the remaining sectors join stores in flight
    double slice_cycles = 0;  // cycles of all L2 slices for the atomics of all SMs
    double slices_busy = 0;   // cycles for which the slices of those atomics accept no other

    const MemoryRequest& from() const { return transfer.from; }
    const machine::Machine& machine() const { return transfer.machine; }
    double weight() const { return transfer.weight; }
    double all_sms() const { return static_cast<double>(from().requester.others.size() + 1); }
  };

  void load_line(Transfer& transfer, LineRequest line);
  void store_line(Transfer& transfer, LineRequest line);
  void atomic_line(Transfer& transfer, LineRequest line);
  // Sends a line from the SM to the L2 cache, which occupies the path for at least `gap` cycles.
  void drain(Transfer& transfer, unsigned sectors, double gap);

  L2Request make_request(const LineRequest& line, bool write, double now) const;
  // Returns the logged lookup, if there is one, or looks up the L2 contents.
  L2Lookup look_up(const L2Request& request, const LineRequest& line);
  // Returns when the line's data is back, or its stores have reached the L2 cache.
  double l2(double now, const LineRequest& line, Use use);
  double l2_cycles(const LineRequest& line, const L2Lookup& lookup, Use use) const;
  void count_l2(const LineRequest& line, const L2Lookup& lookup, Use use);
  // Queues the DRAM transfers of a lookup and returns their mean start time.
  double dram(double now, const L2Lookup& lookup, const LineRequest& line);
  double dram_latency(const machine::Machine& machine) const;  // at the current DRAM load
  double read_write_mix() const;            // 0 … 1 over recent traffic; 1: as many bytes read as
                                            // written
  double sm_skew_cycles(double now) const;  // skew between SMs, in cycles
  double& busy(machine::Resource r) { return busy_[static_cast<std::size_t>(r)]; }
  std::uint64_t own_line(const LineUse& use, const MemoryRequest& from) const;

  MachineOf machines_;
  const StrideTable& strides_;
  std::uint64_t unknown_lines_;
  L2LookupLog* record_ = nullptr;
  const L2LookupLog* given_ = nullptr;
  Cache l1_;
  StoreGathering stores_;
  L2Contents l2_contents_;
  TrafficSum traffic_;
  std::array<double, machine::kResources> busy_{};
  std::vector<InstructionTraffic> by_instruction_;
  // When each queue accepts the next request.
  double lsu_free_ = 0, l2_free_ = 0, dram_free_ = 0, fill_free_ = 0, drain_free_ = 0,
         tma_free_ = 0, constant_free_ = 0, remote_free_ = 0;
  std::vector<double> in_flight_;  // ring of arrival times of the sectors in flight to the SM
  std::size_t next_in_flight_ = 0;
  std::uint64_t salt_ = 0;
  AtomicSlices slices_;
  double latest_l2_request_ = 0;  // time of the latest L2 request
  bool in_step_ = true;
  double dram_load_ = 0;       // share of recent DRAM cycles that were busy
  double dram_load_time_ = 0;  // when dram_load_ was last updated
  double recently_read_ = 0;   // bytes
  double recently_written_ = 0;
};

template <typename Skips>
void MemorySystem::skip_earlier(Skips skips) {
  const Cache l1 = l1_;
  const TrafficSum traffic = traffic_;
  const double now = latest_l2_request_;
  const double dram_free = std::exchange(dram_free_, 0);
  latest_l2_request_ = now - machines_.whole().dram.latency;
  const double dirty = l2_contents_.dirty_sectors() + l2_contents_.owe(0);
  l1_.clear();
  skips();
  l1_ = l1;
  traffic_ = traffic;
  l2_contents_.owe(dirty - l2_contents_.dirty_sectors());
  latest_l2_request_ = now;
  dram_free_ = dram_free;
}

}  // namespace burin::timing
