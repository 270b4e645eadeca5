// A GPU described by numbers. Every number that differs between GPUs is an entry of a machine file
// (data/machines/NAME.json) and names its source. entries.h lists all entries; docs/machines.md
// explains each.
//
//   Result<Machine> h200 = load_machine("h200");          // load.h
//   h200->sm.count                                        // 132
//   h200->of(TimingClass::kFma).gap                       // 2: cycles the unit is occupied
//   h200->seconds(cycles)
//
// Times are in SM clock cycles, sizes in bytes, bandwidths in bytes per cycle.
//
// Not included: properties that all GPUs from sm_75 to sm_120 share and that traces depend on.
// Cache lines are 128 bytes of four 32-byte sectors, shared memory has 32 banks of 4 bytes, a warp
// has 32 lanes and 6 scoreboards, and an instruction is 16 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/timing_class.h"
#include "read/architecture.h"

namespace burin::machine {

enum class IssuePolicy : std::uint8_t {
  kGreedyOldestBlock,  // same warp while it can issue, then any warp of the oldest block
  kGreedyAny,          // same warp while it can issue, then any warp without preference
  kGreedyYoungest,     // same warp while it can issue, then the youngest
  kGreedyOldest,       // same warp while it can issue, then the oldest (GTO)
  kRoundRobin,         // loose round-robin
};
std::string_view name(IssuePolicy policy);  // "greedy_oldest_block", as in machine files
std::optional<IssuePolicy> parse_issue_policy(std::string_view text);

// How long a class of instructions occupies a unit, and when its result can be used.
struct ClassTiming {
  double gap = 0;      // cycles before the unit accepts the next warp instruction
  double latency = 0;  // cycles from issue to a dependent issue
};

// Maximum number of register banks of a scheduler.
inline constexpr std::size_t kMaxRegisterBanks = 4;

struct Machine {
  std::string name;   // "h200"
  std::string title;  // "NVIDIA H200 SXM"
  std::string base;   // of a variant: the machine that it was made from; else empty
  read::Architecture arch;

  struct {
    double count = 0;
    double schedulers = 0;        // per SM; warp w belongs to scheduler w % schedulers
    double clock_mhz = 0;         // SM clock under load
    double tensor_clock_mhz = 0;  // SM clock of a kernel that uses the tensor cores
    // SM clock of a kernel that keeps them busy all the time with warpgroups' products of 16 bits
    // or fewer: it reaches the limit of the GPU's power.
    double full_tensor_clock_mhz = 0;
    double drift = 0;     // skew that builds up between SMs, as a share of the launch's
                          // time so far
    double max_skew = 0;  // maximum skew between SMs, in cycles
  } sm;

  struct {
    double warps = 0;                 // maximum per SM
    double blocks = 0;                // maximum per SM
    double threads = 0;               // maximum per block
    double barriers = 0;              // named barriers per SM
    double registers = 0;             // 32-bit registers per SM
    double registers_per_block = 0;   // maximum
    double registers_per_thread = 0;  // maximum
    double register_granule = 0;      // registers of a warp are allocated in multiples of this
    double shared = 0;                // bytes per SM
    double shared_per_block = 0;      // maximum bytes, with the opt-in
    double shared_granule = 0;
    double shared_reserved = 0;      // bytes per block, reserved by the system
    std::vector<double> carve_outs;  // possible sizes of shared memory within the L1 data array
  } limit;

  struct {
    IssuePolicy policy = IssuePolicy::kGreedyAny;
    double yield = 0;           // minimum cycles to the next issue of the warp after a yield
    double branch = 0;          // cycles from a taken branch to the next issue of the warp
    double rejoin = 0;          // cycles from reconvergence to the next issue of the warp
    double call = 0;            // cycles from a call or return to the next issue of the warp
    double indirect = 0;        // cycles from a call by register to the next issue of the warp
    double indirect_gap = 0;    // cycles between two calls by register, per SM
    double wide_slots = 0;      // issue slots of a 64-bit integer multiply or its high half
    double fma_units = 0;       // 2: FP32 has a second unit in addition to the one that multiplies
                                // integers
    double register_ports = 0;  // operands per cycle from one bank
    double register_banks = 0;  // banks per scheduler, at most kMaxRegisterBanks
    double register_slack = 0;  // cycles that operands may be late before issue stalls
    double release = 0;         // cycles until a fixed-latency instruction has read its operands
  } issue;

  std::array<ClassTiming, kTimingClasses> classes;
  const ClassTiming& of(TimingClass c) const { return classes[static_cast<std::size_t>(c)]; }

  struct {
    double queue = 0;          // entries of a scheduler's memory instruction queue
    double global_queue = 0;   // entries for global and local memory instructions
    double gap = 0;            // cycles that one instruction occupies the SM's shared stage
    double issue_gap = 0;      // cycles before a scheduler can send the next instruction to its
                               // queue
    double release = 0;        // cycles until a load's address registers may be overwritten
    double release_store = 0;  // cycles until a store's address and data registers may be
                               // overwritten
    double writeback = 0;      // bytes per cycle of load results into registers
    double match_latency = 0;  // MATCH latency
    double match_value = 0;    // additional MATCH latency per distinct value
    double match_gap = 0;      // cycles that MATCH occupies the SM per distinct value
  } lsu;

  struct {
    double latency = 0;         // load latency without bank conflicts
    double bandwidth = 0;       // bytes per cycle, all 32 banks
    double atomic_latency = 0;  // ATOMS latency
    double atomic_gap = 0;      // cycles per additional lane at the same address
    // Cycles until a warp has the next pass of an access with bank conflicts. Passes of other warps
    // come in between.
    double conflict_latency = 0;
  } shared;

  struct {
    double size = 0;  // bytes, including the shared memory part
    double ways = 0;
    double latency = 0;     // hit latency
    double bandwidth = 0;   // data bytes per cycle
    double tags = 0;        // line lookups per cycle
    double tag_hash_0 = 0;  // line-number bits whose parity is bit 0 of the tag bank number
    double tag_hash_1 = 0;  // line-number bits whose parity is bit 1 of the tag bank number
    double misses = 0;      // maximum sectors in flight
    double fill = 0;        // bytes per cycle from the L2 cache to one SM
    double drain = 0;       // bytes per cycle from one SM to the L2 cache (stores)
    double gathers = 0;     // most recently stored lines that further stores can join
    double gathering = 0;   // cycles after a store during which further stores to its line can join
    double stores_in_flight = 0;  // maximum cycles of L2 work that an SM's stores may be waiting
                                  // for
    double stores_in_sm = 0;      // cycles of stores_in_flight that do not stall the load/store
                                  // stage
  } l1;

  struct {
    double size = 0;
    double ways = 0;
    double latency = 0;           // unloaded hit latency, from issue to use
    double bandwidth = 0;         // bytes per cycle, all SMs, reads that hit
    double write_bandwidth = 0;   // bytes per cycle, all SMs, writes
    double requests = 0;          // requests of 64 bytes or less per cycle, all SMs
    double write_requests = 0;    // write requests of 64 bytes or less per cycle, all SMs
    double atomic_requests = 0;   // sectors with value-returning atomics per cycle, all SMs
    double sharing = 0;           // SMs whose simultaneous requests for one line are merged
    double fetch = 0;             // bytes read from DRAM per miss
    double min_write = 0;         // bytes of a sector; a smaller store reads the sector first
    double max_dirty = 0;         // maximum share of dirty lines in a set
    double max_partial = 0;       // maximum share of lines in a set with partly written sectors
    double partitions = 0;        // 2: each serves half of the SMs, and accesses half of the memory
                                  // through the other
    double far_latency = 0;       // additional cycles for memory of the other partition
    double slices = 0;            // slices that perform atomics, each for its own part of memory
    double slice_interleave = 0;  // consecutive bytes that map to one slice of a pair
    double slice_stretch = 0;     // bytes over which a pair of slices alternates
    double atomic_gap = 0;        // slice cycles per sector, and per lane at one address
    double atomic_full = 0;       // slice cycles per sector if all its bytes are updated
    double atomic_wide = 0;  // slice cycles per sector for compare-and-swap by several lanes, and
                             // for FP64
    double atomic_real = 0;  // slice cycles per FP32 or FP64 update of one address
    double atomic_bandwidth = 0;  // 4-byte atomics per cycle at different addresses, all SMs
    double atomic_latency = 0;    // latency of an atomic whose result is used
    double fence = 0;             // cycles of a GPU-scope fence right after another
    double fence_used = 0;        // cycles of a GPU-scope fence if the warp has used global memory
                                  // since the last
    double fence_gap = 0;         // cycles between two GPU-scope fences of an SM
  } l2;

  struct {
    double size = 0;
    double latency = 0;    // unloaded L2 miss latency, from issue to use
    double bandwidth = 0;  // bytes per cycle, all SMs, as sustained by a long read
    double write_bandwidth = 0;
    double scattered = 0;    // bytes per cycle of scattered 64-byte reads
    double loaded = 0;       // additional cycles of latency at half of the bandwidth
    double turnaround = 0;   // share of bandwidth lost at an equal mix of reads and writes
    double burst = 0;        // bytes of the smallest transfer
    double row = 0;          // bytes within which latency is constant
    double row_spread = 0;   // standard deviation of latency between rows, as a share of it
    double load_window = 0;  // cycles over which the load is averaged
    double max_load = 0;     // share of bandwidth beyond which latency no longer grows
    double mix_decay = 0;    // weight that earlier reads and writes keep in the mix, per request
  } dram;

  struct {
    double size = 0;  // bytes of the first level
    double line = 0;
    double miss_latency = 0;  // additional cycles for a line that only the next level holds
    double cold_latency = 0;  // additional cycles for a line that no level holds yet
    double buffer = 0;      // bytes that a scheduler keeps of what uniform loads with an index read
    double buffer_gap = 0;  // cycles between lines that the SM brings to its schedulers' buffers
    double word_latency = 0;  // cycles until a warp has the next of the words that its lanes index
  } constant;

  struct {
    double l0 = 0;          // L0 bytes per scheduler
    double l1 = 0;          // L1 bytes per SM
    double l1_latency = 0;  // additional cycles of an L0 miss
    double l1_gap = 0;      // cycles between two lines from L1, in straight-line code
    double l2_latency = 0;  // additional cycles of an L1 miss
    double l2_gap = 0;
    double line = 0;
    double l0_ahead = 0;  // lines that a scheduler's L0 prefetches
    double l1_ahead = 0;  // lines that the SM's L1 fetches on a miss
  } fetch;

  struct {
    double latency = 0;  // latency of a barrier after all warps have arrived
    double gap = 0;      // cycles per arriving warp
    double any_gap = 0;  // cycles per arriving warp if the barrier number is in a register
    double result = 0;   // cycles until a barrier reduction can be read
  } barrier;

  struct {
    double launch = 0;        // cycles of an empty kernel, by the GPU's time stamps
    double launch_bytes = 0;  // bytes read from DRAM at each launch, in addition to its code
    double block_gap = 0;     // cycles between two block launches, whole GPU
    double sm_gap = 0;        // cycles between two block launches on one SM
    double warp_gap = 0;      // cycles to start each warp of a block
    double latency = 0;       // cycles from a block's end to its successor's first instruction
  } dispatch;

  // TMA and clusters; 0 if the architecture lacks them.
  struct {
    double tma_latency = 0;      // latency of a small tensor load that hits L2, from issue to the
                                 // mbarrier
    double tma_gap = 0;          // cycles between two tensor instructions of an SM
    double tma_bandwidth = 0;    // bytes per cycle per SM
    double mbarrier = 0;         // cycles from the last arrival to a waiting warp's next issue
    double cluster_latency = 0;  // latency of a load from another block's shared memory
  } bulk;

  // How clusters are placed; 0 if the architecture lacks clusters.
  struct {
    double sms = 0;      // SMs that can host clusters of more than two blocks, in whole groups only
    double turn = 0;     // blocks dispatched to those SMs before the other SMs get one each
    double blocks = 0;   // maximum resident cluster blocks per SM
    double gap = 0;      // cycles between two cluster launches, whole GPU
    double barrier = 0;  // cycles from the last arrival at the cluster barrier to the next issue
    double sector_gap = 0;  // cycles per sector to or from another block's shared memory
  } cluster;

  // The provenance of each entry, keyed by entry name: its source and, if measured, its spread.
  struct Origin {
    std::string source;  // a key of `sources`
    double spread = 0;   // spread of the measured values, as a share of their median
  };
  std::map<std::string, Origin, std::less<>> origins;
  std::map<std::string, std::string, std::less<>> sources;  // key to full sentence

  // Whether a key of `sources` is the base's: a variant has those as "base:key".
  bool is_inherited(std::string_view source) const;

  double seconds(double cycles) const { return cycles / (sm.clock_mhz * 1e6); }
  // Returns the same GPU at another SM clock. The memory beyond the L2 cache keeps its own clock.
  Machine at_clock(double mhz) const;
};

}  // namespace burin::machine
