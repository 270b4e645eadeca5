// Internal state of Sm (warps, blocks, schedulers), shared by sm.cc and sm_execute.cc.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "timing/sm/block_places.h"
#include "timing/sm/fetch.h"
#include "timing/sm/sm.h"

namespace burin::timing {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr unsigned kScoreboards = 6;
// Number of most recent setters of a scoreboard, or wgmma groups, that are tracked individually.
inline constexpr unsigned kHistory = 16;

// Maximum cycles of a run: days of GPU time. Exceeding it is a defect of the model.
inline constexpr double kMaxCycle = 1e15;

inline std::int64_t cycle_of(double time) {
  return static_cast<std::int64_t>(std::ceil(std::min(2 * kMaxCycle, time)));  // NaN: the former
}

struct BlockState;

// An interval in which a warp waits, whose end was known when it began.
struct Stretch {
  std::int64_t until = 0;
  launch::Stall stall = launch::Stall::kWait;
  std::uint32_t cause = Account::kNobody;
  std::uint32_t step = PathStep::kNone;  // path step that causes the wait
};

struct alignas(64) TimedWarp {
  // The fields a scheduler reads for each of its warps on every pass; they fit one cache line of
  // the host.
  const TraceStep* steps = nullptr;
  std::int64_t ready = 0;  // earliest cycle at which the warp's own dependencies allow it to issue
  std::uint64_t age = 0;   // start order
  std::uint32_t at = 0;    // current position in `steps`
  bool parked = false;     // waiting for other warps to arrive
  // While the warp is ready but does not issue: the reason, the cycle since which it applies, and
  // (in `sums`) the totals of earlier reasons.
  bool marked = false;
  launch::Stall mark_stall = launch::Stall::kNotSelected;
  std::uint32_t mark_cause = Account::kNobody;
  std::int64_t mark = 0;

  BlockState* block = nullptr;
  unsigned scheduler = 0;
  std::size_t place = 0;  // among its scheduler's warps
  const std::vector<Section>* sections = nullptr;
  std::size_t section = 0;
  double weight = 1;
  std::uint32_t previous = Account::kNobody;  // last issued instruction
  std::uint32_t line = 0xffffffff;            // instruction cache line of the last issued
                                              // instruction
  std::uint32_t after = 0;                    // instruction after the last issued one in the trace,
                                              // replayed or not
  std::uint32_t step = PathStep::kNone;       // the warp's last path step; initially the step that
                                              // started the warp

  std::int64_t since = 0;  // cycle since which the current weight applies
  std::int64_t from = 0;   // cycle up to which the warp's cycles are attributed
  double exact = 0;        // `ready` before rounding up to a whole cycle
  double late = 0;    // delay of the last issue after `exact`, less than one cycle; later times
                      // count from the unrounded issue, so that fractions of cycles add up
  double behind = 0;  // cycles by which the register reads of the last instruction were late
  launch::Stall parked_stall = launch::Stall::kBarrier;
  std::array<Stretch, 16> stretches{};  // prepare() can add 12, a barrier one more
  unsigned stretch_count = 0;

  struct Sum {
    double cycles = 0;
    double active = 0;
    std::uint32_t cause = Account::kNobody;
  };
  std::array<Sum, launch::kStalls> sums{};
  std::uint32_t sums_used = 0;  // bit mask of stall reasons in `sums`

  struct Scoreboard {
    double release = 0;
    std::uint32_t cause = Account::kNobody;
    std::uint32_t step = PathStep::kNone;
    bool is_long = false;
    std::uint32_t setters = 0;
    std::array<double, kHistory> upto{};  // when all setters up to this one are released
    std::array<std::uint32_t, kHistory> upto_cause{};  // the last setter of `upto` to be released
  };
  std::array<Scoreboard, kScoreboards> scoreboards{};
  double copies_done = 0;
  double stores_done = 0;
  double stores_sent = 0;
  std::uint32_t stores_sent_by = Account::kNobody;  // the store or atomic that was sent last
  double shared_free = 0;  // until then, its accesses to shared memory take passes over the banks
  bool touched = false;    // accessed global memory since its last fence
  double products_done = 0;
  double released = 0;  // when a barrier that was already complete released the warp; `released_by`
                        // is the arrival that completed it
  std::uint32_t released_by = PathStep::kNone;
  std::uint32_t groups = 0;
  std::array<double, kHistory> group_done{};
  std::array<std::uint32_t, kHistory> group_end{};  // last instruction of each group
  Requester requester;

  // Makes the warp wait until `until`. `due` is the path step it waits for; if none is given, the
  // warp's own last step.
  void wait(double until, launch::Stall stall, std::uint32_t cause,
            std::uint32_t due = PathStep::kNone) {
    exact = std::max(exact, until);
    const std::int64_t cycle = cycle_of(until);
    if (cycle <= ready) return;
    ready = cycle;
    stretches[stretch_count++] = {cycle, stall, cause, due != PathStep::kNone ? due : step};
  }
};

struct PhaseState {
  std::uint32_t arrived = 0;
  double when = 0;
  std::uint32_t last = Account::kNobody;  // instruction that arrived last
  std::uint32_t step = PathStep::kNone;   // path step of the last arrival
  std::vector<TimedWarp*> waiting;
};

struct BlockState {
  const BlockJob* job = nullptr;
  std::size_t number = 0;
  std::vector<TimedWarp> warps;
  std::size_t alive = 0;
  std::vector<std::vector<PhaseState>> phases;
  double stores_done = 0;
  double part = 1;  // share of its steps that are replayed; gaps between blocks are scaled by it
  std::size_t first_scheduler = 0;  // scheduler of its first warp
  BlockTimes times;
};

// The entries of a queue in front of a unit, freed in order.
struct Queue {
  std::vector<double> taken;
  std::size_t next = 0;

  explicit Queue(double places)
      : taken(std::max<std::size_t>(1, static_cast<std::size_t>(places))) {}
  double free() const { return taken[next]; }
  // Returns when the entry put `count` places before the next one was taken.
  double before(double count) const {
    return taken[(next + taken.size() - static_cast<std::size_t>(count)) % taken.size()];
  }
  void put(double when) {
    taken[next] = when;
    next = (next + 1) % taken.size();
  }
};

// A unit of the SM that processes one instruction at a time.
class Turns {
 public:
  // Returns when the instruction is accepted. The next one is accepted `cycles` later at the
  // earliest.
  double take(double now, double cycles) {
    const double begin = std::max(now, free_);
    free_ = begin + cycles;
    return begin;
  }

 private:
  double free_ = 0;
};

// What a scheduler issues to: a unit, or a queue in front of one. Global memory's queue is the
// last.
inline constexpr std::size_t kGlobalQueue = kUnits;
inline constexpr std::size_t kPorts = kUnits + 1;
inline std::size_t port_of(const TimedOp& op) {
  return op.unit == Unit::kLsu && op.queue_global ? kGlobalQueue
                                                  : static_cast<std::size_t>(op.unit);
}

// What a scheduler reads of each of its warps, side by side: to visit the warps themselves would be
// most of a replay's work.
struct WarpView {
  TimedWarp* warp = nullptr;
  std::int64_t ready = kNever;  // TimedWarp::ready, or kNever if it is parked
  std::uint64_t age = 0;
  std::uint32_t block = 0;  // its number
  std::uint8_t port = 0;    // of its next instruction
};

// Some of 64 warps, a bit for each.
using WarpBits = std::uint64_t;
inline constexpr std::size_t kWarpBits = 64;
inline std::size_t first_of(WarpBits warps) {
  return static_cast<std::size_t>(std::countr_zero(warps));
}

// 64 adjacent places of Scheduler::warps. A scheduler of a real SM has fewer warps; replays of
// edited launches may have more blocks on an SM than fit (ReplayChange::resident).
struct WarpGroup {
  WarpBits ready = 0;                      // ready at the last look
  WarpBits waiting = 0;                    // ready later; the others are parked
  WarpBits able = 0;                       // those of `ready` that could issue
  std::array<WarpBits, kPorts> at_port{};  // by the port of their next instruction
};

struct Scheduler {
  std::vector<WarpView> warps;
  std::vector<WarpGroup> groups{1};  // of `warps`, in order
  std::int64_t next_ready = kNever;  // when the first of the waiting ones is ready
  std::int64_t looked = 0;           // cycle of the last look at its warps, …
  std::int64_t next = kNever;        // … and of the next one
  std::int64_t last_issue = -1;
  double slot = 0;                             // when the scheduler can issue again
  TimedWarp* last = nullptr;                   // warp that a greedy policy stays with
  const TimedWarp* warp = nullptr;             // warp of the last issue
  std::array<double, kPorts> free{};           // when each unit or queue takes an instruction
  double fma_lite = 0;                         // when the second FP32 unit takes an instruction
  std::array<std::uint32_t, kUnits> holder{};  // instruction that used each unit last
  std::array<std::uint32_t, kUnits> holder_step{};  // path step that used each unit last
  std::uint32_t step = PathStep::kNone;             // path step of the last issue
  std::uint32_t holds_slots = Account::kNobody;     // instruction that blocks the issue slots
                                                    // longest
  std::uint32_t reader = Account::kNobody;          // last instruction to read more than one
                                                    // register of a bank
  std::array<double, machine::kMaxRegisterBanks>
      reading{};  // when each bank has delivered its registers
  double agu = 0;
  Queue mio;
  Queue global;
  IssueRecord record;

  Scheduler(double places, double global_places) : mio(places), global(global_places) {}

  void add(TimedWarp& added) {
    added.place = warps.size();
    warps.push_back({.warp = &added,
                     .age = added.age,
                     .block = static_cast<std::uint32_t>(added.block->number)});
    if (warps.size() > groups.size() * kWarpBits) groups.emplace_back();
  }
  void remove(const TimedWarp& ended) {
    warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(ended.place));
    for (std::size_t k = ended.place; k < warps.size(); ++k) warps[k].warp->place = k;
    close_gap(ended.place, [](WarpGroup& group) -> WarpBits& { return group.ready; });
    close_gap(ended.place, [](WarpGroup& group) -> WarpBits& { return group.waiting; });
    for (std::size_t port = 0; port < kPorts; ++port) {
      close_gap(ended.place, [port](WarpGroup& group) -> WarpBits& { return group.at_port[port]; });
    }
  }
  // The warp at this place may issue to the port from `cycle` on.
  void note(std::size_t place, std::int64_t cycle, std::size_t port) {
    WarpGroup& group = groups[place / kWarpBits];
    const WarpBits one = WarpBits{1} << place % kWarpBits;
    WarpView& view = warps[place];
    group.at_port[view.port] &= ~one;
    group.at_port[port] |= one;
    view.port = static_cast<std::uint8_t>(port);
    view.ready = cycle;
    group.ready &= ~one;
    group.waiting = cycle == kNever ? group.waiting & ~one : group.waiting | one;
    next_ready = std::min(next_ready, cycle);
  }
  // Brings `ready` and `waiting` up to this cycle.
  void find_ready(std::int64_t now) {
    const bool again = now < looked;
    const bool any = now >= next_ready || again;
    if (any) next_ready = kNever;
    for (std::size_t g = 0; any && g < groups.size(); ++g) {
      WarpGroup& group = groups[g];
      if (again) group.waiting |= std::exchange(group.ready, 0);
      for (WarpBits left = group.waiting; left != 0; left &= left - 1) {
        const std::int64_t cycle = warps[g * kWarpBits + first_of(left)].ready;
        const WarpBits one = left & -left;
        if (cycle <= now) {
          group.ready |= one;
          group.waiting &= ~one;
        } else {
          next_ready = std::min(next_ready, cycle);
        }
      }
    }
    looked = now;
  }
  // One FP32 unit or both may have been taken. `both`: there are two.
  void settle_fma(bool both) {
    const double heavy = free[static_cast<std::size_t>(Unit::kFmaHeavy)];
    free[static_cast<std::size_t>(Unit::kFma)] = both ? std::min(heavy, fma_lite) : heavy;
    free[static_cast<std::size_t>(Unit::kFmaBoth)] = std::max(heavy, fma_lite);
  }

 private:
  // Removes the bit of this place: those of later places move down by one.
  template <typename BitsOf>
  void close_gap(std::size_t place, BitsOf bits_of) {
    WarpBits before = (WarpBits{1} << place % kWarpBits) - 1;
    for (std::size_t g = place / kWarpBits; g < groups.size(); ++g) {
      WarpBits& bits = bits_of(groups[g]);
      const WarpBits moved = g + 1 < groups.size() ? bits_of(groups[g + 1]) : 0;
      bits = (bits & before) | (bits >> 1 & ~before) | moved << (kWarpBits - 1);
      before = 0;
    }
  }
};

// An instruction that a warp issues at time `t`.
struct Issued {
  Scheduler& scheduler;
  TimedWarp& warp;
  const TraceStep& step;
  const TimedOp& op;
  const machine::Machine& own;  // machine that times this instruction
  const BlockTrace& trace;
  const Request* request;  // null: none
  double t;
};

// Returns the unit under which the holder of the FP32 units is recorded.
inline Unit shared_unit(Unit unit) {
  return unit == Unit::kFma || unit == Unit::kFmaBoth ? Unit::kFmaHeavy : unit;
}

// Returns whether a warp's step is excluded from the replay. The replayed steps are spread evenly
// over the steps of a warp and over the warps, so that an instruction executed once per warp is
// still replayed for some warps.
inline bool left_out(const TimedOp& op, const TimedWarp& warp, std::uint32_t step) {
  if (op.share >= 1) return false;
  if (op.share <= 0) return true;
  const double place =
      step * 0.6180339887498949 + static_cast<double>(warp.age) * 0.41421356237309503;
  return place - std::floor(place) >= op.share;
}

// Returns the number of instruction cache lines that the code spans. Machines may have lines of
// different sizes, so the last instruction need not be in the last line.
inline std::size_t fetch_lines(const std::vector<TimedOp>& code) {
  std::size_t lines = 1;
  for (const TimedOp& op : code) lines = std::max<std::size_t>(lines, op.fetch_line + 1u);
  return lines;
}

struct Sm::State {
  MachineOf machines;
  const machine::Machine& machine;  // machine for everything that belongs to no instruction
  const std::vector<TimedOp>& code;
  MemorySystem& memory;
  Account& account;
  SmOptions options;
  Fetch fetch;
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<BlockState>> blocks;  // resident blocks
  std::span<const BlockJob> jobs;
  std::size_t next_job = 0;
  double next_dispatch = 0;
  double next_count = 0;  // when the next block completion can be registered
  BlockPlaces places;
  std::queue<double> free_places;  // when the slots of ended blocks become free
  Turns barriers;                  // block barriers register one warp at a time
  Turns indirect_calls;            // calls whose target is in a register
  Turns fences;
  Turns matches;
  std::uint64_t started = 0;
  double unweighted = 0;                     // warp-cycles
  std::uint32_t path_now = PathStep::kNone;  // path step of the current issue
  SmRun result;
  struct Bin {
    double issued = 0;
    double weight = 0;
  };
  std::vector<Bin> bins;  // bins of kBin cycles
  static constexpr std::int64_t kBin = 512;

  State(const MachineOf& m, const std::vector<TimedOp>& c, MemorySystem& mem, Account& a,
        SmOptions o)
      : machines(m),
        machine(m.whole()),
        code(c),
        memory(mem),
        account(a),
        options(o),
        fetch(machine, fetch_lines(c), o.cold && !o.code_cached, o.fresh_parameters) {
    for (unsigned s = 0; s < static_cast<unsigned>(machine.sm.schedulers); ++s) {
      schedulers.emplace_back(machine.lsu.queue + 1, machine.lsu.global_queue + 1);
    }
  }

  void start_block(double now);
  void start_warp(BlockState& block, std::size_t w, double begin);
  void end_block(BlockState& block, double now);
  void fill_places(double now);
  bool advance(TimedWarp& warp);
  bool step_on(TimedWarp& warp);
  bool leave_out(TimedWarp& warp);
  void skip(TimedWarp& warp, std::uint32_t from, std::uint32_t to, double now);
  void arrive_at(TimedWarp& warp, std::uint32_t step, double now);
  double branch_end(const TimedOp& op, double issued, const machine::Machine& own);
  void prepare(TimedWarp& warp, std::int64_t now, const TimedOp* before, bool branched);
  void note_next(const TimedWarp& warp);
  inline static void mark(const Scheduler& s, TimedWarp& w, std::int64_t now, launch::Stall stall,
                          std::uint32_t cause);
  launch::Stall throttle(const TimedOp& op) const;
  std::uint32_t holder(const Scheduler& s, const TimedOp& op) const;
  inline bool is_better(const Scheduler& s, const WarpView& one, const WarpView& other,
                        std::int64_t now) const;
  inline void mark_ready(Scheduler& s, std::int64_t now);
  void look(Scheduler& s);
  void issue(Scheduler& s, TimedWarp& warp, std::int64_t now);
  void record_interval(const TimedWarp& warp, std::int64_t from, std::int64_t until,
                       launch::Stall stall, std::uint32_t cause, bool is_issue = false);
  void book(Scheduler& s, TimedWarp& warp, std::int64_t now);
  double execute(Scheduler& s, TimedWarp& warp, const TraceStep& step, const TimedOp& op, double t,
                 double& operands);
  // The inline functions are on the path of every instruction; each is used only in the file that
  // defines it.
  inline void busy(machine::Resource resource, double cycles, double weight);
  inline void take_fma(const Issued& i);
  inline double take_unit(const Issued& i);
  double use_lsu(const Issued& i, double& operands);
  MemorySystem::Answer ask_memory(const Issued& i, double sent);
  double match(const Issued& i, double& operands);
  double fence(const Issued& i);
  inline void read_registers(const Issued& i);
  void use_phases(TimedWarp& warp, const Request& request, double when, std::uint32_t instruction,
                  bool named);
  void sleep(TimedWarp& warp, const Request& request, double t) const;
  void arrive(BlockState& block, const PhaseUse& use, double when, std::uint32_t instruction);
  void wake(TimedWarp& warp, double when, std::uint32_t cause, std::uint32_t due);
  void record_step(Scheduler& s, TimedWarp& warp, const TimedOp& op, std::int64_t now);
  bool release_one_warp();
  [[noreturn]] void fail(const Scheduler& s) const;
};

// Updates the scheduler's view of the warp: when it may issue, and on which port.
inline void Sm::State::note_next(const TimedWarp& warp) {
  schedulers[warp.scheduler].note(warp.place, warp.parked ? kNever : warp.ready,
                                  port_of(code[warp.steps[warp.at].instruction]));
}

}  // namespace burin::timing
