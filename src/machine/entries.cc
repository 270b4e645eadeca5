#include "machine/entries.h"

#include <array>
#include <vector>

#include "base/format.h"

namespace burin::machine {
namespace {

// One row of the list. The name in the files is the name of the field, so both are written once.
#define FIELD(path) #path, [](Machine& m, std::size_t) -> double& { return m.path; }

struct Row {
  const char* name;
  double& (*field)(Machine&, std::size_t);
  std::string_view unit;
  double least;
  double most;
  const char* meaning;
  MachineEntry::Kind kind = MachineEntry::Kind::kModel;
};

constexpr std::string_view kCycles = "cycles";
constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kBytesPerCycle = "bytes/cycle";
constexpr std::string_view kLines = "lines";
constexpr std::string_view kBitMask = "bits";
constexpr std::string_view kShare = "share";
constexpr std::string_view kCount = "";
constexpr double kMask = 0xffffffff;
constexpr double kMega = 1 << 20;

constexpr Row kBeforeClasses[] = {
    {FIELD(sm.count), kCount, 1, 1024, "number of SMs"},
    {FIELD(sm.schedulers), kCount, 1, 8, "warp schedulers per SM"},
    {FIELD(sm.clock_mhz), "MHz", 200, 5000, "SM clock under load"},
    {FIELD(sm.tensor_clock_mhz), "MHz", 200, 5000, "SM clock of kernels that use tensor cores"},
    {FIELD(sm.full_tensor_clock_mhz), "MHz", 200, 5000,
     "SM clock of kernels that keep tensor cores busy all the time with 16-bit warpgroup MMAs"},
    {FIELD(sm.drift), kShare, 0, 1,
     "skew that builds up between SMs, as a share of the launch's time"},
    {FIELD(sm.max_skew), kCycles, 0, 1e6, "maximum skew between SMs", MachineEntry::Kind::kFixed},

    {FIELD(limit.warps), kCount, 8, 64, "maximum resident warps per SM"},
    {FIELD(limit.blocks), kCount, 1, 128, "maximum resident blocks per SM"},
    {FIELD(limit.threads), kCount, 32, 4096, "maximum threads per block"},
    {FIELD(limit.barriers), kCount, 1, 256, "named barriers per SM"},
    {FIELD(limit.registers), kCount, 1024, kMega, "32-bit registers per SM"},
    {FIELD(limit.registers_per_block), kCount, 1024, kMega, "maximum registers per block"},
    {FIELD(limit.registers_per_thread), kCount, 16, 1024, "maximum registers per thread"},
    {FIELD(limit.register_granule), kCount, 1, 4096, "register allocation granularity per warp"},
    {FIELD(limit.shared), kBytes, 1024, kMega, "maximum shared memory per SM"},
    {FIELD(limit.shared_per_block), kBytes, 1024, kMega,
     "maximum shared memory per block, opt-in above 48 KiB"},
    {FIELD(limit.shared_granule), kBytes, 1, 4096, "shared memory allocation granularity"},
    {FIELD(limit.shared_reserved), kBytes, 0, 16384,
     "shared memory per block reserved by the system"},

    {FIELD(issue.yield), kCycles, 1, 64,
     "minimum time to the next issue of a warp after an instruction that yields",
     MachineEntry::Kind::kFixed},
    {FIELD(issue.branch), kCycles, 1, 200, "from a taken branch to the next issue of the warp"},
    {FIELD(issue.rejoin), kCycles, 1, 500, "from reconvergence to the next issue of the warp"},
    {FIELD(issue.call), kCycles, 1, 500, "from a call or return to the next issue of the warp"},
    {FIELD(issue.indirect), kCycles, 1, 500, "from an indirect call to the next issue of the warp"},
    {FIELD(issue.indirect_gap), kCycles, 0, 500, "between two indirect calls of an SM"},
    {FIELD(issue.wide_slots), kCount, 1, 8,
     "issue slots of a 64-bit integer multiply or its high half"},
    {FIELD(issue.fma_units), kCount, 1, 4,
     "FP32 FMA units per scheduler; only one of them multiplies integers"},
    {FIELD(issue.register_ports), kCount, 1, 8, "operands per cycle from one register bank"},
    {FIELD(issue.register_banks), kCount, 1, kMaxRegisterBanks, "register banks per scheduler"},
    {FIELD(issue.register_slack), kCycles, 0, 64,
     "delay of operands that the scheduler tolerates before it stops issuing",
     MachineEntry::Kind::kFixed},
    {FIELD(issue.release), kCycles, 0, 200,
     "until operands are released, for instructions outside the load/store unit",
     MachineEntry::Kind::kFixed},
};

// Of each class of instructions: `class.NAME.gap`, `class.NAME.latency`.
constexpr double kMaxGap = 1024;
constexpr double kMaxLatency = 4096;

struct ClassMeaning {
  TimingClass in_class;
  const char* what;
};
// The classes memory and bulk are not here: lsu, shared, l1, l2, dram and bulk time them.
constexpr ClassMeaning kClassMeanings[] = {
    {TimingClass::kFma, "FFMA, FADD, FMUL"},
    {TimingClass::kFmaHeavy, "IMAD, IDP, VIADD"},
    {TimingClass::kFmaWide, "IMAD.WIDE"},
    {TimingClass::kFmaHigh, "IMAD.HI"},
    {TimingClass::kHalf, "HFMA2, HADD2, HMUL2: occupies all FP32 units of a scheduler"},
    {TimingClass::kHalfMma, "HFMA2.MMA: packed halves on the tensor unit"},
    {TimingClass::kAlu, "integer adds, logic, shifts, compares, selects, moves"},
    {TimingClass::kAluCarry, "IADD3.X and ISETP.EX: upper half of a 64-bit sum or comparison"},
    {TimingClass::kFp64, "DFMA, DADD, DMUL, DSETP"},
    {TimingClass::kMufu, "MUFU: reciprocal, square root, sine, exponential …"},
    {TimingClass::kConvert, "F2F, F2I, I2F, FRND up to 32 bits"},
    {TimingClass::kConvert64, "F2F, F2I, I2F, FRND to or from 64 bits"},
    {TimingClass::kBits, "POPC, FLO, BREV"},
    {TimingClass::kUniform, "the uniform datapath"},
    {TimingClass::kMove, "R2UR, S2UR and other moves between register files"},
    {TimingClass::kSpecial, "S2R"},
    {TimingClass::kClock, "CS2R"},
    {TimingClass::kBranch, "branches, calls, exits, convergence"},
    {TimingClass::kVote, "VOTE, ELECT"},
    {TimingClass::kRedux, "REDUX, MATCH"},
    {TimingClass::kShuffle, "SHFL"},
    {TimingClass::kConstantLoad, "LDC that hits"},
    {TimingClass::kHmma16, "HMMA.16816 with FP16 accumulators"},
    {TimingClass::kHmma32, "HMMA.16816 with FP32 accumulators"},
    {TimingClass::kHmma32Short, "HMMA.1688"},
    {TimingClass::kTf32, "HMMA.1688 on TF32"},
    {TimingClass::kImma, "IMMA.16832"},
    {TimingClass::kImmaShort, "IMMA.16816 and 8816"},
    {TimingClass::kDmma, "DMMA.884"},
    {TimingClass::kWgmma, "HGMMA and similar, per 8 columns of a 64-row, 16-deep product"},
    {TimingClass::kMatrixLoad, "LDSM, STSM, MOVM, per 8×8 matrix"},
    {TimingClass::kBarrier, "DEPBAR, WARPSYNC and other waits, already satisfied"},
    {TimingClass::kOther, "NOP and all other instructions"},
};

constexpr Row kAfterClasses[] = {
    {FIELD(lsu.queue), kCount, 1, 256, "entries of a scheduler's memory instruction queue"},
    {FIELD(lsu.global_queue), kCount, 1, 1024, "entries of the global and local memory queue"},
    {FIELD(lsu.gap), kCycles, 0.1, 64, "LSU occupancy of one instruction per SM"},
    {FIELD(lsu.issue_gap), kCycles, 0.1, 64, "between two memory instructions sent by a scheduler"},
    {FIELD(lsu.release), kCycles, 1, 200, "until a load releases its address registers"},
    {FIELD(lsu.release_store), kCycles, 1, 200,
     "until a store releases its address and data registers"},
    {FIELD(lsu.writeback), kBytesPerCycle, 4, 4096,
     "bandwidth of load results into registers; limits loads of 8 and 16 bytes per lane",
     MachineEntry::Kind::kFixed},
    {FIELD(lsu.match_latency), kCycles, 0, 1000, "MATCH latency"},
    {FIELD(lsu.match_value), kCycles, 0, 1000, "additional MATCH latency per distinct value"},
    {FIELD(lsu.match_gap), kCycles, 0, 1000,
     "additional MATCH occupancy of the SM per distinct value"},

    {FIELD(shared.latency), kCycles, 5, 200, "shared memory load latency without bank conflicts"},
    {FIELD(shared.bandwidth), kBytesPerCycle, 16, 1024, "shared memory bandwidth per SM, 32 banks"},
    {FIELD(shared.atomic_latency), kCycles, 5, 1000, "shared memory atomic latency"},
    {FIELD(shared.atomic_gap), kCycles, 0.1, 200, "per additional lane at the same address"},
    {FIELD(shared.conflict_latency), kCycles, 0, 200,
     "latency per additional pass, of one warp's access with bank conflicts"},

    {FIELD(l1.size), kBytes, 4096, 4 * kMega, "L1 and shared memory data array per SM"},
    {FIELD(l1.ways), kCount, 1, 2048, "L1 associativity"},
    {FIELD(l1.latency), kCycles, 5, 300, "L1 hit latency, from issue to use"},
    {FIELD(l1.bandwidth), kBytesPerCycle, 8, 1024, "L1 hit bandwidth"},
    {FIELD(l1.tags), "lines/cycle", 0.1, 64, "L1 tag lookup throughput"},
    {FIELD(l1.tag_hash_0), kBitMask, 0, kMask,
     "line-number bits whose parity selects bit 0 of the L1 tag bank"},
    {FIELD(l1.tag_hash_1), kBitMask, 0, kMask,
     "line-number bits whose parity selects bit 1 of the L1 tag bank"},
    {FIELD(l1.misses), kCount, 16, 65536, "maximum outstanding sectors per SM"},
    {FIELD(l1.fill), kBytesPerCycle, 1, 1024, "L2 to SM bandwidth, per SM"},
    {FIELD(l1.drain), kBytesPerCycle, 1, 1024, "SM to L2 bandwidth, per SM"},
    {FIELD(l1.gathers), kCount, 1, 1024, "outgoing lines per SM that later stores can merge into"},
    {FIELD(l1.gathering), kCount, 1, 10000,
     "cycles after a store during which later stores can merge"},
    {FIELD(l1.stores_in_flight), kCycles, 0, 100000,
     "L2 work of stores in flight before the SM's next store stalls", MachineEntry::Kind::kFixed},
    {FIELD(l1.stores_in_sm), kCycles, 0, 10000,
     "time that stores can queue in the SM before the load/store stage stalls",
     MachineEntry::Kind::kFixed},

    {FIELD(l2.size), kBytes, 64 * 1024, 1024 * kMega, "L2 size"},
    {FIELD(l2.ways), kCount, 1, 2048, "L2 associativity"},
    {FIELD(l2.latency), kCycles, 50, 2000, "unloaded L2 hit latency, from issue to use"},
    {FIELD(l2.bandwidth), kBytesPerCycle, 16, 65536, "L2 read hit bandwidth, all SMs"},
    {FIELD(l2.write_bandwidth), kBytesPerCycle, 16, 65536, "L2 write bandwidth, all SMs"},
    {FIELD(l2.requests), "requests/cycle", 1, 4096,
     "L2 request throughput at 64 bytes or less (scattered accesses), all SMs"},
    {FIELD(l2.write_requests), "requests/cycle", 1, 4096,
     "L2 write request throughput at 64 bytes or less, all SMs"},
    {FIELD(l2.atomic_requests), "requests/cycle", 1, 4096,
     "L2 throughput of atomics that return a value, sectors, all SMs"},
    {FIELD(l2.sharing), kCount, 1, 32, "SMs whose simultaneous requests for one line are merged"},
    {FIELD(l2.fetch), kBytes, 32, 1024, "bytes fetched from DRAM per miss"},
    {FIELD(l2.min_write), kBytes, 1, 32,
     "minimum bytes a store must write to a sector to avoid reading it from DRAM first"},
    {FIELD(l2.max_dirty), kShare, 0.01, 1, "maximum share of dirty lines in a set"},
    {FIELD(l2.max_partial), kShare, 0.01, 1,
     "maximum share of lines in a set with partly written sectors"},
    {FIELD(l2.partitions), kCount, 1, 2,
     "L2 partitions; with 2, each serves half of the SMs and half of the memory"},
    {FIELD(l2.far_latency), kCycles, 0, 1000,
     "additional latency if the line is in the other partition"},
    {FIELD(l2.slices), kCount, 1, 1024, "L2 slices that perform atomics, interleaved by address"},
    {FIELD(l2.slice_interleave), kBytes, 128, 65536, "consecutive bytes that map to one slice"},
    {FIELD(l2.slice_stretch), kBytes, 128, kMega,
     "consecutive bytes over which the same two slices alternate"},
    {FIELD(l2.atomic_gap), kCycles, 0.01, 1000,
     "slice occupancy per sector with atomics, and per additional lane at one address"},
    {FIELD(l2.atomic_full), kCycles, 0.01, 1000,
     "slice occupancy if all bytes of the sector are updated"},
    {FIELD(l2.atomic_wide), kCycles, 0.01, 1000,
     "slice occupancy per sector with FP64, or with several compare-and-swaps"},
    {FIELD(l2.atomic_real), kCycles, 0.01, 1000,
     "slice occupancy per FP32 or FP64 update of one address"},
    {FIELD(l2.atomic_bandwidth), "atomics/cycle", 1, 65536,
     "4-byte atomics at distinct addresses, all SMs"},
    {FIELD(l2.atomic_latency), kCycles, 50, 5000, "latency of an atomic that returns a value"},
    {FIELD(l2.fence), kCycles, 1, 5000, "latency of a GPU-scope fence right after another"},
    {FIELD(l2.fence_used), kCycles, 1, 5000,
     "latency of a GPU-scope fence after global memory accesses"},
    {FIELD(l2.fence_gap), kCycles, 0, 500, "between two such fences of an SM"},

    {FIELD(dram.size), kBytes, 64 * kMega, 4096 * 1024 * kMega, "of the GPU's memory",
     MachineEntry::Kind::kDescription},
    {FIELD(dram.latency), kCycles, 100, 5000, "unloaded L2 miss latency, from issue to use"},
    {FIELD(dram.bandwidth), kBytesPerCycle, 4, 65536, "sustained read bandwidth"},
    {FIELD(dram.write_bandwidth), kBytesPerCycle, 4, 65536, "sustained write bandwidth"},
    {FIELD(dram.scattered), kBytesPerCycle, 4, 65536, "bandwidth of scattered 64-byte reads"},
    {FIELD(dram.loaded), kCycles, 0, 5000,
     "additional latency at half of the bandwidth, reads or writes; grows with the load"},
    {FIELD(dram.turnaround), kShare, 0, 0.9,
     "share of the bandwidth lost at an equal mix of reads and writes"},
    {FIELD(dram.burst), kBytes, 32, 1024, "smallest transfer"},
    {FIELD(dram.row), kBytes, 128, kMega, "DRAM row size: latency is constant within a row"},
    {FIELD(dram.row_spread), kShare, 0, 1,
     "standard deviation of latency between rows, as a share of it"},
    {FIELD(dram.load_window), kCycles, 1, 1e6, "time window over which DRAM load is averaged",
     MachineEntry::Kind::kFixed},
    {FIELD(dram.max_load), kShare, 0.1, 1,
     "share of bandwidth beyond which latency no longer grows"},
    {FIELD(dram.mix_decay), kShare, 0, 0.9999,
     "weight that earlier transfers keep in the read/write mix, per request"},

    {FIELD(constant.size), kBytes, 16, kMega, "L1 constant cache size"},
    {FIELD(constant.line), kBytes, 16, 1024, "constant cache line size"},
    {FIELD(constant.miss_latency), kCycles, 1, 2000,
     "additional latency of an L1 constant cache miss"},
    {FIELD(constant.cold_latency), kCycles, 1, 10000, "additional latency of a line in no cache"},
    {FIELD(constant.buffer), kBytes, 16, kMega,
     "constant lines that a scheduler keeps for uniform loads with an index"},
    {FIELD(constant.buffer_gap), kCycles, 0, 1000,
     "cycles between lines that the SM brings to its schedulers' buffers"},
    {FIELD(constant.word_latency), kCycles, 0, 200,
     "latency per additional word that the lanes of a warp index"},

    {FIELD(fetch.l0), kBytes, 256, kMega, "L0 instruction cache per scheduler"},
    {FIELD(fetch.l1), kBytes, 1024, 4 * kMega, "L1 instruction cache per SM"},
    {FIELD(fetch.l1_latency), kCycles, 1, 1000, "additional latency of an L0 miss"},
    {FIELD(fetch.l1_gap), kCycles, 0, 1000,
     "between two lines from the L1 instruction cache, straight-line code"},
    {FIELD(fetch.l2_latency), kCycles, 1, 5000,
     "additional latency of an L1 instruction cache miss"},
    {FIELD(fetch.l2_gap), kCycles, 0, 5000, "between two lines from L2, straight-line code"},
    {FIELD(fetch.line), kBytes, 16, 1024, "instruction cache line size"},
    {FIELD(fetch.l0_ahead), kLines, 0, 1024, "lines that the L0 instruction cache prefetches"},
    {FIELD(fetch.l1_ahead), kLines, 1, 1024,
     "consecutive lines that the L1 instruction cache fetches on a miss"},

    {FIELD(barrier.latency), kCycles, 1, 500, "latency of a barrier after the last warp arrives"},
    {FIELD(barrier.gap), kCycles, 0, 100, "per arriving warp"},
    {FIELD(barrier.any_gap), kCycles, 0, 100,
     "per arriving warp if the barrier number is in a register"},
    {FIELD(barrier.result), kCycles, 1, 500, "latency of a barrier reduction"},

    {FIELD(dispatch.launch), kCycles, 0, 100000, "launch overhead: GPU time of an empty kernel"},
    {FIELD(dispatch.launch_bytes), kBytes, 0, kMega,
     "bytes read from DRAM at each launch, in addition to its code"},
    {FIELD(dispatch.block_gap), kCycles, 0, 10000, "between two block launches, whole GPU"},
    {FIELD(dispatch.sm_gap), kCycles, 0, 10000, "between two block launches on one SM"},
    {FIELD(dispatch.warp_gap), kCycles, 0, 1000, "per warp of a launching block"},
    {FIELD(dispatch.latency), kCycles, 0, 10000,
     "from the end of a block to the first instruction of its successor"},
};

constexpr Row kHopper[] = {
    {FIELD(bulk.tma_latency), kCycles, 50, 5000,
     "latency of a small TMA load that hits L2, from issue to the mbarrier"},
    {FIELD(bulk.tma_gap), kCycles, 0.1, 1000, "between two TMA instructions of an SM"},
    {FIELD(bulk.tma_bandwidth), kBytesPerCycle, 1, 1024, "TMA bandwidth per SM"},
    {FIELD(bulk.mbarrier), kCycles, 1, 1000,
     "from the last mbarrier arrival to the next issue of a waiting warp"},
    {FIELD(bulk.cluster_latency), kCycles, 20, 2000, "latency of a distributed shared memory load"},

    {FIELD(cluster.sms), kCount, 1, 1000, "SMs that can host clusters of more than two blocks"},
    {FIELD(cluster.turn), kCount, 1, 10000,
     "blocks dispatched to SMs that take clusters before the others get one each"},
    {FIELD(cluster.blocks), kCount, 1, 64, "maximum resident cluster blocks per SM"},
    {FIELD(cluster.gap), kCycles, 0, 10000, "between two cluster launches, whole GPU"},
    {FIELD(cluster.barrier), kCycles, 1, 5000,
     "cluster barrier latency, from the last arrival to the next issue"},
    {FIELD(cluster.sector_gap), kCycles, 0.1, 100,
     "per 32 bytes of distributed shared memory traffic"},
};
#undef FIELD

std::vector<MachineEntry> make_entries() {
  std::vector<MachineEntry> entries;
  const auto add = [&](const Row& row, bool required) {
    entries.push_back(
        {row.name, row.unit, row.least, row.most, required, row.meaning, row.field, 0, row.kind});
  };
  for (const Row& row : kBeforeClasses) add(row, true);
  for (const auto& [in_class, what] : kClassMeanings) {
    const auto index = static_cast<std::size_t>(in_class);
    const bool required = in_class != TimingClass::kWgmma;
    const std::string_view word = name(in_class);
    entries.push_back({fmt::format("class.{}.gap", word), kCycles, 0.1, kMaxGap, required,
                       fmt::format("that a unit is taken by {}", what),
                       [](Machine& m, std::size_t i) -> double& { return m.classes[i].gap; }, index,
                       MachineEntry::Kind::kModel});
    entries.push_back({fmt::format("class.{}.latency", word), kCycles, 1, kMaxLatency, required,
                       fmt::format("to a dependent issue, {}", what),
                       [](Machine& m, std::size_t i) -> double& { return m.classes[i].latency; },
                       index, MachineEntry::Kind::kModel});
  }
  for (const Row& row : kAfterClasses) add(row, true);
  for (const Row& row : kHopper) add(row, false);
  return entries;
}

}  // namespace

std::span<const MachineEntry> machine_entries() {
  static const std::vector<MachineEntry> entries = make_entries();
  return entries;
}

}  // namespace burin::machine
