// A GPU as numbers. Every number that differs between GPUs is an entry of a machine file
// (data/machines/NAME.json) and names its source. entries.h lists all entries; docs/machines.md
// explains each.
//
//   Result<Machine> h200 = load_machine("h200");          // load.h
//   h200->sm.count                                        // 132
//   h200->of(TimingClass::kFma).gap                       // 2: cycles a unit is taken
//   h200->seconds(cycles)
//
// Times are cycles of the SMs' clock, sizes are bytes, bandwidths are bytes per cycle.
//
// Not here: what all GPUs from sm_75 to sm_120 have in common and the traces are built on. Cache
// lines are 128 bytes of four 32-byte sectors, shared memory has 32 banks of 4 bytes, a warp has 32
// lanes and 6 scoreboards, an instruction is 16 bytes.
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
  kGreedyOldestBlock,  // stays with a warp while it can issue, then takes any of the oldest block
  kGreedyAny,          // … any, none before others
  kGreedyYoungest,     // … the youngest
  kGreedyOldest,       // … the oldest (GTO)
  kRoundRobin,         // loose round-robin
};
std::string_view name(IssuePolicy policy);  // "greedy_oldest_block", as machine files have it
std::optional<IssuePolicy> parse_issue_policy(std::string_view text);

// How long a class of instructions takes a unit, and until its result can be used.
struct ClassTiming {
  double gap = 0;      // cycles before the unit takes the next warp instruction
  double latency = 0;  // cycles from issue to a dependent issue
};

// Registers of a scheduler lie in so many banks at most.
inline constexpr std::size_t kMaxRegisterBanks = 4;

struct Machine {
  std::string name;   // "h200"
  std::string title;  // "NVIDIA H200 SXM"
  read::Architecture arch;

  struct {
    double count = 0;
    double schedulers = 0;        // per SM; a warp belongs to the one of its number modulo these
    double clock_mhz = 0;         // under load
    double tensor_clock_mhz = 0;  // … of a kernel that uses the tensor cores
    double drift = 0;             // SMs drift apart by this share of the launch's time so far,
    double max_skew = 0;          // … up to so many cycles
  } sm;

  struct {
    double warps = 0;                 // per SM
    double blocks = 0;                // per SM
    double threads = 0;               // per block
    double barriers = 0;              // named barriers per SM
    double registers = 0;             // 32-bit, per SM
    double registers_per_block = 0;   // at most
    double registers_per_thread = 0;  // at most
    double register_granule = 0;      // registers of a warp are given out in multiples of this
    double shared = 0;                // bytes per SM
    double shared_per_block = 0;      // at most, with the opt-in
    double shared_granule = 0;
    double shared_reserved = 0;      // per block, by the system
    std::vector<double> carve_outs;  // the sizes shared memory can be given, of the L1's data array
  } limit;

  struct {
    IssuePolicy policy = IssuePolicy::kGreedyAny;
    double yield = 0;           // minimum cycles to the next issue of the warp after a yield
    double branch = 0;          // cycles from a taken branch to the next issue of the warp
    double rejoin = 0;          // … where it goes on with lanes that others have waited for
    double call = 0;            // … from a call or a return
    double indirect = 0;        // … from a call whose target is in a register
    double indirect_gap = 0;    // cycles between two of those, of an SM
    double wide_slots = 0;      // issue slots that an integer product of 64 bits takes, or its
                                // upper half
    double fma_units = 0;       // 2: FP32 has a second unit beside the one that multiplies integers
    double register_ports = 0;  // operands a bank delivers per cycle
    double register_banks = 0;  // of a scheduler, at most kMaxRegisterBanks
    double register_slack = 0;  // cycles that operands may be late before issue stalls
    double release = 0;         // cycles until a fixed-latency instruction has read its operands
  } issue;

  std::array<ClassTiming, kTimingClasses> classes;
  const ClassTiming& of(TimingClass c) const { return classes[static_cast<std::size_t>(c)]; }

  struct {
    double queue = 0;          // memory instructions a scheduler's queue holds
    double global_queue = 0;   // … those to global and local memory
    double gap = 0;            // cycles the SM's shared stage takes for one instruction
    double issue_gap = 0;      // cycles before a scheduler can send the next one to its queue
    double release = 0;        // cycles until a load's address registers may be overwritten
    double release_store = 0;  // … and a store's, with the data
    double writeback = 0;      // bytes per cycle of load results into registers
    double match_latency = 0;  // of MATCH
    double match_value = 0;    // … more, for each different value
    double match_gap = 0;      // cycles of the SM, likewise
  } lsu;

  struct {
    double latency = 0;         // of a load without conflicts
    double bandwidth = 0;       // bytes per cycle, the 32 banks together
    double atomic_latency = 0;  // of ATOMS
    double atomic_gap = 0;      // cycles for each further lane at the same address
  } shared;

  struct {
    double size = 0;  // bytes, shared memory's part included
    double ways = 0;
    double latency = 0;     // of a hit
    double bandwidth = 0;   // data bytes per cycle
    double tags = 0;        // lines looked up per cycle
    double tag_hash_0 = 0;  // a tag bank's number: bit 0 is the parity of these bits of the line's
    double tag_hash_1 = 0;  // … number, bit 1 of these
    double misses = 0;      // sectors in flight at most
    double fill = 0;        // bytes per cycle from the L2 cache into one SM
    double drain = 0;       // bytes per cycle from one SM to the L2 cache (stores)
    double gathers = 0;     // lines that were stored to last: further stores to them join
    double gathering = 0;   // … within so many cycles
    double stores_in_flight = 0;  // cycles of L2 work that an SM's stores may wait for
    double stores_in_sm = 0;      // … of which so many do not stall the load/store stage
  } l1;

  struct {
    double size = 0;
    double ways = 0;
    double latency = 0;           // of a hit, from issue to use, nothing else under way
    double bandwidth = 0;         // bytes per cycle, all SMs together, reads that hit
    double write_bandwidth = 0;   // … writes
    double requests = 0;          // 64 bytes or less each, per cycle, all SMs together
    double write_requests = 0;    // … of writes
    double atomic_requests = 0;   // sectors with atomics whose result is used, per cycle, all SMs
    double sharing = 0;           // SMs whose requests for one line at one time become one
    double fetch = 0;             // bytes that a miss reads from DRAM
    double min_write = 0;         // bytes of a sector; a smaller store reads the sector first
    double max_dirty = 0;         // share of a set's lines that may be dirty
    double max_partial = 0;       // … that may hold partly written sectors
    double partitions = 0;        // 2: each serves half of the SMs, and asks the other for half of
    double far_latency = 0;       // the memory: cycles more then
    double slices = 0;            // that do atomics, each for its own part of the memory
    double slice_interleave = 0;  // bytes in a row that belong to one of two slices,
    double slice_stretch = 0;     // … which take turns for so many bytes
    double atomic_gap = 0;   // cycles of a slice for a sector, and for each lane at one address
    double atomic_full = 0;  // … where all bytes of the sector take part
    double atomic_wide = 0;  // … of compare-and-swap by several lanes, and of FP64
    double atomic_real = 0;  // … of each FP32 or FP64 at one address
    double atomic_bandwidth = 0;  // 4-byte atomics per cycle at different addresses, all SMs
    double atomic_latency = 0;    // of one whose result is used
    double fence = 0;             // cycles of a fence for the GPU behind another
    double fence_used = 0;        // … where the warp has used global memory since
    double fence_gap = 0;         // cycles between two, of an SM
  } l2;

  struct {
    double size = 0;
    double latency = 0;    // of an L2 miss, from issue to use, nothing else under way
    double bandwidth = 0;  // bytes per cycle, all SMs together, as a long read reaches it
    double write_bandwidth = 0;
    double scattered = 0;    // bytes per cycle of reads of 64 bytes here and there
    double loaded = 0;       // cycles more of latency when half of the bandwidth is used
    double turnaround = 0;   // share of bandwidth lost when reads and writes mix half and half
    double burst = 0;        // bytes of the smallest transfer
    double row = 0;          // bytes whose latency is alike
    double row_spread = 0;   // standard deviation of latency between rows, as a share of it
    double load_window = 0;  // cycles over which the load is averaged
    double max_load = 0;     // share of bandwidth beyond which latency grows no more
    double mix_decay = 0;    // weight of earlier reads and writes in their mix, per request
  } dram;

  struct {
    double size = 0;  // of the first level
    double line = 0;
    double miss_latency = 0;  // cycles more for a line that only the next level holds
    double cold_latency = 0;  // … a line that no level holds yet
  } constant;

  struct {
    double l0 = 0;          // bytes per scheduler
    double l1 = 0;          // bytes per SM
    double l1_latency = 0;  // cycles more when L0 misses
    double l1_gap = 0;      // cycles between two lines from it, in straight code
    double l2_latency = 0;  // … when that misses too
    double l2_gap = 0;
    double line = 0;
    double l0_ahead = 0;  // lines that a scheduler's cache fetches ahead
    double l1_ahead = 0;  // lines that the SM's cache fetches at a miss
  } fetch;

  struct {
    double latency = 0;  // of a barrier at which all warps are already
    double gap = 0;      // cycles for each warp that arrives
    double any_gap = 0;  // … where the barrier's number is in a register
    double result = 0;   // until a reduction over it can be read
  } barrier;

  struct {
    double launch = 0;        // cycles of an empty kernel as the GPU's time stamps show it
    double launch_bytes = 0;  // read from DRAM at each launch, besides its code
    double block_gap = 0;     // cycles between two blocks started, whole GPU
    double sm_gap = 0;        // … on one SM
    double warp_gap = 0;      // cycles for each warp of a block to start
    double latency = 0;       // from a block's end to its successor's first instruction
  } dispatch;

  // TMA and clusters; 0 where the architecture has none.
  struct {
    double tma_latency = 0;      // of a small tensor load that hits L2, from issue to the barrier
    double tma_gap = 0;          // cycles between two tensor instructions of one SM
    double tma_bandwidth = 0;    // bytes per cycle of one SM
    double mbarrier = 0;         // cycles from the last arrival to a waiting warp's next issue
    double cluster_latency = 0;  // of a load from another block's shared memory
  } bulk;

  // How clusters are placed; likewise.
  struct {
    double sms = 0;     // SMs that take clusters of more than two blocks: whole groups of them only
    double turn = 0;    // blocks to those SMs before the other SMs get one each
    double blocks = 0;  // blocks of clusters on one SM at a time, at most
    double gap = 0;     // cycles between two clusters started, whole GPU
    double barrier = 0;     // cycles from the last arrival at its barrier to the next issue
    double sector_gap = 0;  // cycles for each sector to or from another block's shared memory
  } cluster;

  // What each entry rests on: name of the entry to source, and, where measured, its spread.
  struct Origin {
    std::string source;  // a key of `sources`
    double spread = 0;   // of the measured values, as a share of their median
  };
  std::map<std::string, Origin, std::less<>> origins;
  std::map<std::string, std::string, std::less<>> sources;  // key to the full sentence

  double seconds(double cycles) const { return cycles / (sm.clock_mhz * 1e6); }
  // The same GPU at another clock of its SMs: the memory behind the L2 cache keeps its own.
  Machine at_clock(double mhz) const;
};

}  // namespace burin::machine
