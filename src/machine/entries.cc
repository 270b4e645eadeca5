#include "machine/entries.h"

#include <array>
#include <vector>

#include "base/format.h"

namespace burin {
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
    {FIELD(sm.count), kCount, 1, 1024, "streaming multiprocessors (SMs)"},
    {FIELD(sm.schedulers), kCount, 1, 8, "warp schedulers of an SM"},
    {FIELD(sm.clock_mhz), "MHz", 200, 5000, "clock of the SMs under load"},
    {FIELD(sm.tensor_clock_mhz), "MHz", 200, 5000, "… of a kernel that uses the tensor cores"},
    {FIELD(sm.drift), kShare, 0, 1,
     "of a launch's time by which SMs that began together drift apart"},
    {FIELD(sm.max_skew), kCycles, 0, 1e6, "that SMs drift apart at most, as far as queues notice"},

    {FIELD(limit.warps), kCount, 8, 128, "warps resident on an SM, at most"},
    {FIELD(limit.blocks), kCount, 1, 128, "blocks resident on an SM, at most"},
    {FIELD(limit.threads), kCount, 32, 4096, "threads of a block, at most"},
    {FIELD(limit.barriers), kCount, 1, 256, "named barriers of an SM"},
    {FIELD(limit.registers), kCount, 1024, kMega, "32-bit registers of an SM"},
    {FIELD(limit.registers_per_block), kCount, 1024, kMega, "registers of a block, at most"},
    {FIELD(limit.registers_per_thread), kCount, 16, 1024, "registers of a thread, at most"},
    {FIELD(limit.register_granule), kCount, 1, 4096,
     "registers of a warp are given out in multiples of this"},
    {FIELD(limit.shared), kBytes, 1024, kMega, "shared memory of an SM, at most"},
    {FIELD(limit.shared_per_block), kBytes, 1024, kMega,
     "shared memory of a block, at most, where the program asks for more than 48 KiB"},
    {FIELD(limit.shared_granule), kBytes, 1, 4096,
     "shared memory is given out in multiples of this"},
    {FIELD(limit.shared_reserved), kBytes, 0, 16384,
     "shared memory of a block that the system takes"},

    {FIELD(issue.branch), kCycles, 1, 200, "from a taken branch to the warp's next issue"},
    {FIELD(issue.rejoin), kCycles, 1, 500,
     "… where it goes on with lanes that the others have waited for"},
    {FIELD(issue.call), kCycles, 1, 500, "from a call or a return to the warp's next issue"},
    {FIELD(issue.indirect), kCycles, 1, 500, "… from a call whose target is in a register"},
    {FIELD(issue.indirect_gap), kCycles, 0, 500, "between two of those, of an SM"},
    {FIELD(issue.wide_slots), kCount, 1, 8,
     "issue slots that an integer product of 64 bits, or its upper half, takes"},
    {FIELD(issue.fma_units), kCount, 1, 4,
     "units of a scheduler that multiply FP32; only one of them multiplies integers"},
    {FIELD(issue.register_ports), kCount, 1, 8,
     "operands that one bank of a scheduler's registers delivers in a cycle"},
    {FIELD(issue.register_banks), kCount, 1, kMaxRegisterBanks, "banks of a scheduler's registers"},
    {FIELD(issue.register_slack), kCycles, 0, 64,
     "that operands may be late before the scheduler stops issuing"},
    {FIELD(issue.release), kCycles, 0, 200,
     "until the operands of an instruction outside the load/store unit may be overwritten"},
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
    {TimingClass::kHalf, "HFMA2, HADD2, HMUL2: all FP32 units of a scheduler at once"},
    {TimingClass::kHalfMma, "HFMA2.MMA, packed halves on the tensor unit"},
    {TimingClass::kAlu, "integer adds, logic, shifts, compares, selects, moves"},
    {TimingClass::kAluCarry, "IADD3.X and ISETP.EX, the upper half of a 64-bit sum or comparison"},
    {TimingClass::kFp64, "DFMA, DADD, DMUL, DSETP"},
    {TimingClass::kMufu, "MUFU: reciprocal, root, sine, exponential …"},
    {TimingClass::kConvert, "F2F, F2I, I2F, FRND of at most 32 bits"},
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
    {TimingClass::kHmma16, "HMMA.16816 with FP16 sums"},
    {TimingClass::kHmma32, "HMMA.16816 with FP32 sums"},
    {TimingClass::kHmma32Short, "HMMA.1688"},
    {TimingClass::kTf32, "HMMA.1688 on TF32"},
    {TimingClass::kImma, "IMMA.16832"},
    {TimingClass::kImmaShort, "IMMA.16816 and 8816"},
    {TimingClass::kDmma, "DMMA.884"},
    {TimingClass::kWgmma, "HGMMA and its like, for each 8 columns of a 64-row, 16-deep product"},
    {TimingClass::kMatrixLoad, "LDSM, STSM, MOVM, for each 8×8 matrix"},
    {TimingClass::kBarrier, "DEPBAR, WARPSYNC and other waits, nothing to wait for"},
    {TimingClass::kOther, "NOP and what has no class of its own"},
};

constexpr Row kAfterClasses[] = {
    {FIELD(lsu.queue), kCount, 1, 256, "memory instructions that a scheduler's queue holds"},
    {FIELD(lsu.global_queue), kCount, 1, 1024,
     "instructions for global and local memory that wait for it"},
    {FIELD(lsu.gap), kCycles, 0.1, 64, "that the SM's shared stage takes for one instruction"},
    {FIELD(lsu.issue_gap), kCycles, 0.1, 64,
     "before a scheduler can send the next memory instruction to its queue"},
    {FIELD(lsu.release), kCycles, 1, 200,
     "until the address registers of a load may be overwritten"},
    {FIELD(lsu.release_store), kCycles, 1, 200,
     "until the address and data registers of a store may be overwritten"},
    {FIELD(lsu.writeback), kBytesPerCycle, 4, 4096,
     "of load results into registers: loads of 8 and 16 bytes a lane take longer"},
    {FIELD(lsu.match_latency), kCycles, 0, 1000, "of MATCH"},
    {FIELD(lsu.match_value), kCycles, 0, 1000, "more, for each different value that it finds"},
    {FIELD(lsu.match_gap), kCycles, 0, 1000, "of the SM, likewise"},

    {FIELD(shared.latency), kCycles, 5, 200, "of a load from shared memory without conflicts"},
    {FIELD(shared.bandwidth), kBytesPerCycle, 16, 1024, "of an SM's 32 banks together"},
    {FIELD(shared.atomic_latency), kCycles, 5, 1000, "of an atomic in shared memory"},
    {FIELD(shared.atomic_gap), kCycles, 0.1, 200, "for each further lane at the same address"},

    {FIELD(l1.size), kBytes, 4096, 4 * kMega, "data array of an SM: L1 and shared memory together"},
    {FIELD(l1.ways), kCount, 1, 2048, "lines that may stand in a set"},
    {FIELD(l1.latency), kCycles, 5, 300, "of a hit, from issue to use"},
    {FIELD(l1.bandwidth), kBytesPerCycle, 8, 1024, "data that hits delivers"},
    {FIELD(l1.tags), "lines/cycle", 0.1, 64, "looked up"},
    {FIELD(l1.tag_hash_0), kBitMask, 0, kMask,
     "of a line's number whose parity is bit 0 of its tag bank; the four banks look up one line "
     "each"},
    {FIELD(l1.tag_hash_1), kBitMask, 0, kMask, "… bit 1"},
    {FIELD(l1.misses), kCount, 16, 65536, "sectors on their way to an SM, at most"},
    {FIELD(l1.fill), kBytesPerCycle, 1, 1024, "from the L2 cache into one SM"},
    {FIELD(l1.drain), kBytesPerCycle, 1, 1024, "from one SM to the L2 cache"},
    {FIELD(l1.gathers), kCount, 1, 1024,
     "lines on their way to the L2 cache that further stores may join"},
    {FIELD(l1.gathering), kCount, 1, 10000, "… for so many cycles after the store before"},
    {FIELD(l1.stores_in_flight), kCycles, 0, 100000,
     "of L2 work that may be outstanding before an SM's next store stalls"},
    {FIELD(l1.stores_in_sm), kCycles, 0, 10000,
     "that stores may wait inside the SM before the load/store stage stalls"},

    {FIELD(l2.size), kBytes, 64 * 1024, 1024 * kMega, "of the L2 cache"},
    {FIELD(l2.ways), kCount, 1, 2048, "lines that may stand in a set"},
    {FIELD(l2.latency), kCycles, 50, 2000, "of a hit, from issue to use, nothing else under way"},
    {FIELD(l2.bandwidth), kBytesPerCycle, 16, 65536, "reads that hit, all SMs together"},
    {FIELD(l2.write_bandwidth), kBytesPerCycle, 16, 65536, "writes, all SMs together"},
    {FIELD(l2.requests), "requests/cycle", 1, 4096,
     "of 64 bytes or less, all SMs together: what scattered accesses reach"},
    {FIELD(l2.write_requests), "requests/cycle", 1, 4096,
     "of 64 bytes or less that write, all SMs together"},
    {FIELD(l2.atomic_requests), "requests/cycle", 1, 4096,
     "atomics on a sector whose result is used, all SMs together"},
    {FIELD(l2.sharing), kCount, 1, 32,
     "SMs whose requests for one line at one time become one request"},
    {FIELD(l2.fetch), kBytes, 32, 1024, "that a miss reads from DRAM"},
    {FIELD(l2.min_write), kBytes, 1, 32,
     "of a sector that a store must write, or the sector is read from DRAM first"},
    {FIELD(l2.max_dirty), kShare, 0.01, 1, "of a set's lines that may be dirty"},
    {FIELD(l2.max_partial), kShare, 0.01, 1,
     "of a set's lines that may hold partly written sectors"},
    {FIELD(l2.partitions), kCount, 1, 2,
     "2: each serves half of the SMs, and asks the other for half of the memory"},
    {FIELD(l2.far_latency), kCycles, 0, 1000, "more, where the other partition has the line"},
    {FIELD(l2.slices), kCount, 1, 1024, "that do atomics, each for its own part of the memory"},
    {FIELD(l2.slice_interleave), kBytes, 128, 65536,
     "in a row that belong to one slice; then another takes its turn"},
    {FIELD(l2.slice_stretch), kBytes, 128, kMega, "in which the same two slices take turns"},
    {FIELD(l2.atomic_gap), kCycles, 0.01, 1000,
     "of a slice for a sector with atomics, and for each further lane at one address"},
    {FIELD(l2.atomic_full), kCycles, 0.01, 1000, "where all bytes of the sector take part"},
    {FIELD(l2.atomic_wide), kCycles, 0.01, 1000,
     "for a sector with FP64, or where several lanes compare and swap"},
    {FIELD(l2.atomic_real), kCycles, 0.01, 1000, "for each FP32 or FP64 at one address"},
    {FIELD(l2.atomic_bandwidth), "atomics/cycle", 1, 65536,
     "of 4 bytes at different addresses, all SMs together"},
    {FIELD(l2.atomic_latency), kCycles, 50, 5000, "of an atomic whose result is used"},
    {FIELD(l2.fence), kCycles, 1, 5000, "of a fence for the GPU, right behind another"},
    {FIELD(l2.fence_used), kCycles, 1, 5000, "where the warp has used global memory since"},
    {FIELD(l2.fence_gap), kCycles, 0, 500, "between two of those, of an SM"},

    {FIELD(dram.size), kBytes, 64 * kMega, 4096 * 1024 * kMega, "of the GPU's memory",
     MachineEntry::Kind::kDescription},
    {FIELD(dram.latency), kCycles, 100, 5000,
     "of an L2 miss, from issue to use, nothing else under way"},
    {FIELD(dram.bandwidth), kBytesPerCycle, 4, 65536, "that a long read reaches"},
    {FIELD(dram.write_bandwidth), kBytesPerCycle, 4, 65536, "that a long write reaches"},
    {FIELD(dram.scattered), kBytesPerCycle, 4, 65536,
     "that reads of 64 bytes reach that lie here and there"},
    {FIELD(dram.loaded), kCycles, 0, 5000,
     "more latency when half of the bandwidth is used, by reads and writes alike; it grows with "
     "the share that is"},
    {FIELD(dram.turnaround), kShare, 0, 0.9,
     "of the bandwidth lost when reads and writes mix half and half"},
    {FIELD(dram.burst), kBytes, 32, 1024, "of the smallest transfer"},
    {FIELD(dram.row), kBytes, 128, kMega, "of a row, which all come with the same latency"},
    {FIELD(dram.row_spread), kShare, 0, 1,
     "of the latency by which rows differ: one standard deviation"},
    {FIELD(dram.load_window), kCycles, 1, 1e6, "over which the load of DRAM is averaged"},
    {FIELD(dram.max_load), kShare, 0.1, 1, "of the bandwidth beyond which latency grows no more"},
    {FIELD(dram.mix_decay), kShare, 0, 0.9999,
     "that earlier transfers count in the mix of reads and writes, for each further request"},

    {FIELD(constant.size), kBytes, 16, kMega,
     "of the first level of the constant cache, where operands of c[bank][offset] come from"},
    {FIELD(constant.line), kBytes, 16, 1024, "of its line"},
    {FIELD(constant.miss_latency), kCycles, 1, 2000,
     "more for a line that the first level held and lost"},
    {FIELD(constant.cold_latency), kCycles, 1, 10000, "more for a line that no level holds yet"},

    {FIELD(fetch.l0), kBytes, 256, kMega, "instruction cache of a scheduler"},
    {FIELD(fetch.l1), kBytes, 1024, 4 * kMega, "instruction cache of an SM"},
    {FIELD(fetch.l1_latency), kCycles, 1, 1000, "more when the scheduler's cache misses"},
    {FIELD(fetch.l1_gap), kCycles, 0, 1000, "between two lines from the SM's cache, straight code"},
    {FIELD(fetch.l2_latency), kCycles, 1, 5000, "more when the SM's cache misses too"},
    {FIELD(fetch.l2_gap), kCycles, 0, 5000, "between two lines from the L2 cache, straight code"},
    {FIELD(fetch.line), kBytes, 16, 1024, "of a line of instructions"},
    {FIELD(fetch.l0_ahead), kLines, 0, 1024, "that a scheduler's cache fetches ahead"},
    {FIELD(fetch.l1_ahead), kLines, 1, 1024, "that the SM's cache fetches at a miss, in a row"},

    {FIELD(barrier.latency), kCycles, 1, 500, "of a barrier that all other warps have reached"},
    {FIELD(barrier.gap), kCycles, 0, 100, "for each warp that arrives"},
    {FIELD(barrier.any_gap), kCycles, 0, 100, "… where the barrier's number is in a register"},
    {FIELD(barrier.result), kCycles, 1, 500, "until a reduction over it can be read"},

    {FIELD(dispatch.launch), kCycles, 0, 100000, "of an empty kernel, as the GPU's clock shows it"},
    {FIELD(dispatch.launch_bytes), kBytes, 0, kMega,
     "read from DRAM at each launch, besides its code"},
    {FIELD(dispatch.block_gap), kCycles, 0, 10000, "between two blocks started, whole GPU"},
    {FIELD(dispatch.sm_gap), kCycles, 0, 10000, "between two blocks started on one SM"},
    {FIELD(dispatch.warp_gap), kCycles, 0, 1000, "for each warp of a block to start"},
    {FIELD(dispatch.latency), kCycles, 0, 10000,
     "from a block's end to its successor's first instruction"},
};

constexpr Row kHopper[] = {
    {FIELD(bulk.tma_latency), kCycles, 50, 5000,
     "of a small tensor load that hits the L2 cache, from issue to the barrier"},
    {FIELD(bulk.tma_gap), kCycles, 0.1, 1000, "between two tensor instructions of one SM"},
    {FIELD(bulk.tma_bandwidth), kBytesPerCycle, 1, 1024, "of one SM"},
    {FIELD(bulk.mbarrier), kCycles, 1, 1000,
     "from the last arrival to the next issue of a warp that waits"},
    {FIELD(bulk.cluster_latency), kCycles, 20, 2000,
     "of a load from the shared memory of another block of the cluster"},

    {FIELD(cluster.sms), kCount, 1, 1000, "SMs that take clusters of more than two blocks"},
    {FIELD(cluster.turn), kCount, 1, 10000,
     "blocks to the SMs that take clusters before the others get one each"},
    {FIELD(cluster.blocks), kCount, 1, 64, "blocks of clusters on one SM at a time, at most"},
    {FIELD(cluster.gap), kCycles, 0, 10000, "between two clusters started, whole GPU"},
    {FIELD(cluster.barrier), kCycles, 1, 5000,
     "of the cluster's barrier, from the last arrival to the next issue"},
    {FIELD(cluster.sector_gap), kCycles, 0.1, 100,
     "for each 32 bytes to or from another block's shared memory"},
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

}  // namespace burin
