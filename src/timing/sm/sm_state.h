// The inside of an Sm: warps, blocks, schedulers. For sm.cc and sm_execute.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "timing/sm/block_places.h"
#include "timing/sm/fetch.h"
#include "timing/sm/sm.h"

namespace burin::timing {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
inline constexpr unsigned kScoreboards = 6;
// Setters of a scoreboard, or product groups, that are told apart.
inline constexpr unsigned kHistory = 16;

inline std::int64_t cycle_of(double time) {
  return static_cast<std::int64_t>(std::ceil(time));
}

struct BlockState;

// A stretch of a warp's waiting, whose end was known when it began.
struct Stretch {
  std::int64_t until = 0;
  launch::Stall stall = launch::Stall::kWait;
  std::uint32_t cause = Account::kNobody;
  std::uint32_t step = PathStep::kNone;  // of the path, that it is due to
};

struct alignas(64) TimedWarp {
  // What a scheduler looks at in each of its warps, every time: in one line of the host's cache.
  const TraceStep* steps = nullptr;
  std::int64_t ready = 0;  // nothing of its own keeps it from issuing then
  std::uint64_t age = 0;   // order of start
  std::uint32_t at = 0;    // of the steps
  bool parked = false;     // it waits for others, until they come
  // While it is ready and does not issue: why, since when, and what has come together (`sums`).
  bool marked = false;
  launch::Stall mark_stall = launch::Stall::kNotSelected;
  std::uint32_t mark_cause = Account::kNobody;
  std::int64_t mark = 0;

  BlockState* block = nullptr;
  unsigned scheduler = 0;
  const std::vector<Section>* sections = nullptr;
  std::size_t section = 0;
  double weight = 1;
  std::uint32_t previous = Account::kNobody;  // instruction issued last
  std::uint32_t line = 0xffffffff;            // of the instruction cache, likewise
  std::uint32_t after = 0;                    // instruction that follows it, left out or not
  std::uint32_t step = PathStep::kNone;       // of the path: its last, at first what started it

  std::int64_t since = 0;  // it has had its weight from here on
  std::int64_t from = 0;   // its cycles are booked up to here
  double exact = 0;        // `ready` before it was rounded up to a cycle
  double late = 0;    // how far behind that its last issue was, less than a cycle: what follows
                      // counts from there, so that fractions of cycles add up
  double behind = 0;  // cycles that the registers of its last instruction came late
  launch::Stall parked_stall = launch::Stall::kBarrier;
  std::array<Stretch, 16> stretches{};  // prepare() can add 12, a barrier one more
  unsigned stretch_count = 0;

  struct Sum {
    double cycles = 0;
    double active = 0;
    std::uint32_t cause = Account::kNobody;
  };
  std::array<Sum, launch::kStalls> sums{};
  std::uint32_t sums_used = 0;  // bits

  struct Scoreboard {
    double release = 0;
    std::uint32_t cause = Account::kNobody;
    std::uint32_t step = PathStep::kNone;
    bool is_long = false;
    std::uint32_t setters = 0;
    std::array<double, kHistory> upto{};  // when all setters up to this one are released
    std::array<std::uint32_t, kHistory> upto_cause{};  // … and the last of them to be
  };
  std::array<Scoreboard, kScoreboards> scoreboards{};
  double copies_done = 0;
  double stores_done = 0;
  double stores_sent = 0;
  bool touched = false;  // global memory, since its last fence
  double products_done = 0;
  double released = 0;  // by a barrier that was complete, and whose arrival completed it
  std::uint32_t released_by = PathStep::kNone;
  std::uint32_t groups = 0;
  std::array<double, kHistory> group_done{};
  std::array<std::uint32_t, kHistory> group_end{};  // the last instruction of each
  Requester requester;

  // `due`: the step of the path that it waits for; its own last where none is named.
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
  std::uint32_t last = Account::kNobody;  // the instruction that came last
  std::uint32_t step = PathStep::kNone;   // … and its step
  std::vector<TimedWarp*> waiting;
};

struct BlockState {
  const BlockJob* job = nullptr;
  std::size_t number = 0;
  std::vector<TimedWarp> warps;
  std::size_t alive = 0;
  std::vector<std::vector<PhaseState>> phases;
  double stores_done = 0;
  double part = 1;  // of its steps that are replayed: what lies between blocks is shortened alike
  std::size_t first_scheduler = 0;  // of its first warp
  BlockTimes times;
};

// The places of a queue in front of a unit, given back in order.
struct Queue {
  std::vector<double> taken;
  std::size_t next = 0;

  explicit Queue(double places)
      : taken(std::max<std::size_t>(1, static_cast<std::size_t>(places))) {}
  double free() const { return taken[next]; }
  // When the one that went in so many before the next was taken.
  double before(double count) const {
    return taken[(next + taken.size() - static_cast<std::size_t>(count)) % taken.size()];
  }
  void put(double when) {
    taken[next] = when;
    next = (next + 1) % taken.size();
  }
};

// Something of the SM that takes one instruction after the other.
class Turns {
 public:
  // The next one comes `cycles` later. When this one is taken.
  double take(double now, double cycles) {
    const double begin = std::max(now, free_);
    free_ = begin + cycles;
    return begin;
  }

 private:
  double free_ = 0;
};

struct Scheduler {
  std::vector<TimedWarp*> warps;
  std::int64_t next = kNever;  // when to look again
  std::int64_t last_issue = -1;
  double slot = 0;                    // when it can issue again
  TimedWarp* last = nullptr;          // that it stays with
  const TimedWarp* warp = nullptr;    // of the last issue
  std::array<double, kUnits> unit{};  // when each is free
  double fma_lite = 0;
  std::array<std::uint32_t, kUnits> holder{};       // the instruction that took it last
  std::array<std::uint32_t, kUnits> holder_step{};  // … and its step of the path
  std::uint32_t step = PathStep::kNone;             // of the last issue
  std::uint32_t holds_slots = Account::kNobody;     // keeps it from issuing longest;
  std::uint32_t reader = Account::kNobody;          // … more than one register of a bank
  std::array<double, machine::kMaxRegisterBanks>
      reading{};  // until when each bank delivers registers
  double agu = 0;
  Queue mio;
  Queue global;
  IssueRecord record;

  Scheduler(double places, double global_places) : mio(places), global(global_places) {}
};

// An instruction that a warp issues, at time `t`.
struct Issued {
  Scheduler& scheduler;
  TimedWarp& warp;
  const TraceStep& step;
  const TimedOp& op;
  const machine::Machine& own;  // the instruction's
  const BlockTrace& trace;
  const Request* request;  // null: none
  double t;
};

// Under which unit it is written down who holds the FP32 units.
inline Unit shared_unit(Unit unit) {
  return unit == Unit::kFma || unit == Unit::kFmaBoth ? Unit::kFmaHeavy : unit;
}

// Whether the step of a warp is one of those that are not replayed: the others are spread evenly,
// over the warp's steps and over the warps, for what each warp does once some of them do still.
inline bool left_out(const TimedOp& op, const TimedWarp& warp, std::uint32_t step) {
  if (op.share >= 1) return false;
  if (op.share <= 0) return true;
  const double place =
      step * 0.6180339887498949 + static_cast<double>(warp.age) * 0.41421356237309503;
  return place - std::floor(place) >= op.share;
}

struct Sm::State {
  MachineOf machines;
  const machine::Machine& machine;  // the whole's
  const std::vector<TimedOp>& code;
  MemorySystem& memory;
  Account& account;
  SmOptions options;
  Fetch fetch;
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<BlockState>> blocks;  // resident
  std::span<const BlockJob> jobs;
  std::size_t next_job = 0;
  double next_dispatch = 0;
  double next_count = 0;  // of a block that has ended
  BlockPlaces places;
  std::queue<double> free_places;  // when blocks that have ended left theirs
  Turns barriers;                  // block barriers take note of one warp after the other
  Turns indirect_calls;            // calls by a register
  Turns fences;
  Turns matches;
  std::uint64_t started = 0;
  double unweighted = 0;                     // warp-cycles
  std::uint32_t path_now = PathStep::kNone;  // the step of the issue that is under way
  SmRun result;
  struct Bin {
    double issued = 0;
    double weight = 0;
  };
  std::vector<Bin> bins;  // of kBin cycles
  static constexpr std::int64_t kBin = 512;

  State(const MachineOf& m, const std::vector<TimedOp>& c, MemorySystem& mem, Account& a,
        SmOptions o)
      : machines(m),
        machine(m.whole()),
        code(c),
        memory(mem),
        account(a),
        options(o),
        fetch(machine, c.empty() ? 1 : c.back().fetch_line + 1, o.cold) {
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
  double branch_end(const TimedOp& op, double issued, const machine::Machine& own);
  void prepare(TimedWarp& warp, std::int64_t now, const TimedOp* before, bool branched);
  double unit_free(const Scheduler& s, const TimedOp& op) const;
  inline static void mark(const Scheduler& s, TimedWarp& w, std::int64_t now, launch::Stall stall,
                          std::uint32_t cause);
  launch::Stall throttle(const TimedOp& op) const;
  std::uint32_t holder(const Scheduler& s, const TimedOp& op) const;
  void look(Scheduler& s);
  void issue(Scheduler& s, TimedWarp& warp, std::int64_t now);
  void book(Scheduler& s, TimedWarp& warp, std::int64_t now);
  double execute(Scheduler& s, TimedWarp& warp, const TraceStep& step, const TimedOp& op, double t,
                 double& operands);
  // Inline are those that every instruction passes; each is used where it is defined alone.
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
  void arrive(BlockState& block, const PhaseUse& use, double when, std::uint32_t instruction);
  void wake(TimedWarp& warp, double when, std::uint32_t cause, std::uint32_t due);
  void record_step(Scheduler& s, TimedWarp& warp, const TimedOp& op, std::int64_t now);
  bool release_somebody();
};

}  // namespace burin::timing
