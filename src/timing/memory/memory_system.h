// The memory system as one SM sees it: its own L1, and the L2 cache and DRAM that all SMs share.
//
// Only one SM's requests are replayed. Each stands for the same request of every other SM: their
// sectors go through the same L2 contents (l2_contents.h), their bytes through the same queues.
//
// Each level is a queue with a throughput, followed by a latency. The time of an answer is known
// when the request is made.
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

// Sectors are weighted as the instructions that requested them. DRAM bytes are not: skipped steps
// go through the L2 contents too, and their bytes are counted there.
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

// A request of a warp's trace, and who makes it.
struct MemoryRequest {
  std::uint32_t instruction = 0;
  const BlockTrace& trace;
  const Request& request;
  const Requester& requester;  // its address tells warps apart
};

// Cycles beyond those of 4 bytes a lane until a load of `bytes` a lane is in its registers.
double writeback_cycles(unsigned bytes, const machine::Machine& machine);

class MemorySystem {
 public:
  MemorySystem(const MachineOf& machines, const StrideTable& strides, MemoryOptions options);

  struct Answer {
    double taken = 0;     // the load/store stage has accepted it: its queue entry is free
    double operands = 0;  // its registers may be overwritten
    double sent = 0;      // all of it has left the SM
    double done = 0;      // its results are available, or its stores visible to all
  };
  // A load, store or atomic of a warp, issued at `now`. `weight`: instructions that it stands for.
  Answer access(double now, const MemoryRequest& from, double weight);
  // Shared memory, and instructions that pass the same stage without using memory.
  Answer shared(double now, std::uint32_t instruction, unsigned passes, double latency,
                double weight);
  // The shared memory of another block of the cluster.
  Answer remote_shared(double now, std::uint32_t instruction, unsigned sectors, double weight);
  // An arrival at another block's mbarrier, one for the whole warp: when it has left the SM.
  double remote_arrival(double now, std::uint32_t instruction, double weight);
  // A constant load whose lanes read so many different words.
  Answer constant(double now, std::uint32_t instruction, unsigned words, double weight);
  // A bulk copy (TMA).
  Answer bulk(double now, const MemoryRequest& from, double weight);

  // Updates the caches as the request would, but takes no time: it counts as made at the time of
  // the latest L2 request. Of the traffic only DRAM's is counted.
  void skip(const MemoryRequest& from);

  // Whether the lines that skip() has brought into L1 for a load stay there.
  void let_pass(const MemoryRequest& from, bool stays);
  std::uint64_t l1_lines() const { return l1_.lines(); }

  void forget_l1() { l1_.clear(); }

  // The traffic since the last call.
  TrafficSum take_traffic() { return std::exchange(traffic_, {}); }
  struct InstructionTraffic {
    double sectors = 0, l1_hits = 0, l2_sectors = 0, l2_hits = 0;
  };
  std::vector<InstructionTraffic> take_by_instruction();
  // Adds the cycles that each resource was busy, weighted, since the last call.
  void take_busy(std::array<double, machine::kResources>& to);
  // The L2 cache holds these bytes, clean, when the kernel begins.
  void fill_l2(std::uint64_t address, std::uint64_t bytes);
  // Restarts the clock at 0 with the L2 contents as they are and nothing in flight. L2 lookups are
  // written to `record`, or taken from `given`. Either may be null; both must live until the next
  // call. `in_step`: the launch begins here, on all SMs at once.
  void restart(L2LookupLog* record = nullptr, const L2LookupLog* given = nullptr,
               bool in_step = true);

 private:
  enum class Use : std::uint8_t { kRead, kBulkRead, kWrite, kReduce, kAtomic };

  // A request while its lines are sent, one after the other.
  struct Transfer {
    const MemoryRequest& from;
    const machine::Machine& machine;  // the instruction's
    double weight = 1;
    double cycles = 0;     // of the load/store stage
    unsigned written = 0;  // bytes of each sector, where it writes
    double at = 0;         // when the next line may leave
    Answer answer{};
  };

  // One line of a request.
  struct LineRequest {
    const Transfer& transfer;
    std::uint32_t position = 0;  // in the lines of the trace
    std::uint64_t line = 0;
    unsigned sectors = 0;
    unsigned fresh = 0xf;     // of the sectors, those to send: the others join stores in flight
    double slice_cycles = 0;  // of all L2 slices, for the atomics of all SMs

    const MemoryRequest& from() const { return transfer.from; }
    const machine::Machine& machine() const { return transfer.machine; }
    double weight() const { return transfer.weight; }
    double all_sms() const { return static_cast<double>(from().requester.others.size() + 1); }
  };

  void load_line(Transfer& transfer, LineRequest line);
  void store_line(Transfer& transfer, LineRequest line);
  void atomic_line(Transfer& transfer, LineRequest line);
  // The way from the SM to the L2 cache: a line takes it for at least `gap` cycles.
  void drain(Transfer& transfer, unsigned sectors, double gap);

  L2Request make_request(const LineRequest& line, bool write, double now) const;
  // The lookup as logged, or by looking into the L2 contents.
  L2Lookup look_up(const L2Request& request, const LineRequest& line);
  // When the line's data is back, or its stores are in the L2 cache.
  double l2(double now, const LineRequest& line, Use use);
  double l2_cycles(const LineRequest& line, const L2Lookup& lookup, Use use) const;
  void count_l2(const LineRequest& line, const L2Lookup& lookup, Use use);
  // Queues the DRAM transfers of a lookup: when they begin, on average.
  double dram(double now, const L2Lookup& lookup, const LineRequest& line);
  double dram_latency(const machine::Machine& machine) const;  // at the present load
  double read_write_mix() const;            // recently: 1 where they are equal, 0 … 1
  double sm_skew_cycles(double now) const;  // how far the SMs have drifted apart
  double& busy(machine::Resource r) { return busy_[static_cast<std::size_t>(r)]; }
  std::uint64_t own_line(const LineUse& use, const MemoryRequest& from) const;

  MachineOf machines_;
  const StrideTable& strides_;
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
  std::vector<double> in_flight_;  // when each sector under way to the SM arrives, a ring
  std::size_t next_in_flight_ = 0;
  std::uint64_t salt_ = 0;
  AtomicSlices slices_;
  double latest_l2_request_ = 0;  // its time
  bool in_step_ = true;
  double dram_load_ = 0;       // recent share of DRAM's cycles that were busy,
  double dram_load_time_ = 0;  // … as of then
  double recently_read_ = 0;   // bytes
  double recently_written_ = 0;
};

}  // namespace burin::timing
