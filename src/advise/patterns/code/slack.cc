#include "advise/patterns/code/slack.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/trust.h"
#include "advise/patterns/code/loop_values.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool synchronises(const read::Instruction& i) {
  const read::Sync sync = read::sync_of(i);
  return sync == read::Sync::kBlockBarrier || sync == read::Sync::kWarp ||
         sync == read::Sync::kMbarrier;
}

// Weight of waits for memory and other warps that a load is moved across: the move may shorten them
// too, and of two overlapping waits only one is saved.
constexpr double kOverlapFactor = 0.5;

// Trip count from which samples hardly ever hit the code before the loop.
constexpr double kUncountedTrips = 1000;

// How often each instruction was issued, in the unit of the profile. Few samples hit an issuing
// warp; if the launch was also emulated and the times agree, the emulated counts are exact.
std::vector<double> executions(const Case& c) {
  const bool sampled = c.blamed.source == BlamedProfile::Source::kSamples;
  if (!sampled || c.study == nullptr || !c.time_us || !emulation_trust(c).yes) {
    return c.blamed.issued;
  }
  const timing::Prediction& p = c.study->base();
  const double warp_cycles = p.warp_cycles * *c.time_us / p.time_us;  // as measured
  std::vector<double> issued;
  for (const timing::InstructionCost& cost : p.costs) {
    issued.push_back(cost.issued * c.blamed.total / warp_cycles);
  }
  return issued;
}

// The instructions that may be copies of one another. Two arrays that a line accesses are no
// copies, although their loads look alike.
std::vector<std::uint32_t> kinds_of(const Case& c) {
  const Origins origins(c.kernel);
  const std::vector<std::uint32_t> alike = analyze::copy_kinds(c.kernel);
  std::map<std::pair<std::uint32_t, std::set<std::uint32_t>>, std::uint32_t> numbers;
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    std::set<std::uint32_t> arrays;
    if (touches_global(c.at(i))) arrays = origins.address_parameters(i);
    const auto next = static_cast<std::uint32_t>(numbers.size());
    kinds.push_back(numbers.emplace(std::pair(alike[i], std::move(arrays)), next).first->second);
  }
  return kinds;
}

// Fraction of an iteration: if at least this much of it precedes the load, the load is hoisted
// within the iteration, and not into the previous one.
constexpr double kMinHoistedPart = 0.5;

}  // namespace

Slack::Slack(const Case& c)
    : c_(c),
      consumers_(consumers_of(c.kernel)),
      spent_(c.blamed.issued),
      awaited_(c.size()),
      kinds_(kinds_of(c)) {
  for (const BlamedStall& s : c.blamed.stalls) {
    const bool may_go =
        s.stall == launch::Stall::kLongScoreboard || s.stall == launch::Stall::kBarrier;
    const double cycles = s.cycles.sum() * (may_go ? kOverlapFactor : 1);
    spent_[s.waits] += cycles;
    if (s.has_cause()) awaited_[s.cause] += cycles;
  }
  const std::vector<double> issued = executions(c);
  for (const read::BasicBlock& b : c.kernel.blocks) {
    double sum = 0;
    for (std::uint32_t i = b.first; i <= b.last; ++i) sum += issued[i];
    issued_.push_back(sum / (b.last - b.first + 1));
  }
  for (const read::Loop& loop : c.kernel.loops) loops_.push_back(facts_of(loop));
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    for (std::uint32_t loop = c.places.loop_of(i); loop != read::kNoIndex;
         loop = c.kernel.loops[loop].parent) {
      Copies& copies = copies_[{kinds_[i], loop}];
      ++copies.count;
      copies.awaited += awaited_[i];
    }
  }
  limit_copies();
}

// A line may access memory several times per iteration. The number of copies of an iteration is
// therefore at most the smallest number of copies of any access or barrier of the loop.
void Slack::limit_copies() {
  std::vector<unsigned> fewest(c_.kernel.loops.size(), std::numeric_limits<unsigned>::max());
  for (std::uint32_t i = 0; i < c_.size(); ++i) {
    const std::uint32_t loop = c_.places.loop_of(i);
    const bool once =
        synchronises(c_.at(i)) || touches_global(c_.at(i)) || touches_shared(c_.at(i));
    if (loop == read::kNoIndex || !once || analyze::line_of(c_.kernel, i).line == 0) continue;
    fewest[loop] = std::min(fewest[loop], copies_.at({kinds_[i], loop}).count);
  }
  for (auto& [key, copies] : copies_) copies.count = std::min(copies.count, fewest[key.second]);
}

Slack::LoopFacts Slack::facts_of(const read::Loop& loop) const {
  LoopFacts facts;
  for (const std::uint32_t b : loop.blocks) {
    const read::BasicBlock& block = c_.kernel.blocks[b];
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      facts.spent += spent_[i];
      facts.barrier |= synchronises(c_.at(i));
      facts.block_barrier |= synchronises(c_.at(i)) && read::sync_of(c_.at(i)) != read::Sync::kWarp;
      facts.stores |= touches_global(c_.at(i)) && c_.at(i).opcode->stores;
    }
  }
  return facts;
}

double Slack::wait(const BlamedStall& stall) const {
  const double times = issued(c_.kernel.block_of[stall.waits]);
  return times > 0 ? stall.cycles.latency / times : 0;
}

double Slack::cycles_of(std::uint32_t instruction) const {
  const double times = issued(c_.kernel.block_of[instruction]);
  return times > 0 ? spent_[instruction] / times : 0;
}

// The cycles of a loop per execution of the cause; nothing if the loop computes a needed value.
std::optional<double> Slack::cycles_of_loop(std::uint32_t loop, double times,
                                            const std::set<std::uint32_t>& needed) const {
  double cycles = 0;
  for (const std::uint32_t b : c_.kernel.loops[loop].blocks) {
    const read::BasicBlock& block = c_.kernel.blocks[b];
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      if (feeds(i, needed)) return std::nullopt;
      cycles += spent_[i];
    }
  }
  return times > 0 ? cycles / times : 0;
}

bool Slack::feeds(std::uint32_t instruction, const std::set<std::uint32_t>& needed) const {
  return std::ranges::any_of(consumers_[instruction], [&](std::uint32_t k) {
    return k > instruction && needed.contains(k);
  });
}

// Whether the cause is a load that no store can alias: none of the kernel, or none of the loop that
// it is moved within. The compiler cannot know the latter of pointers without __restrict__, and
// moves no such load across a barrier.
bool Slack::moves_freely(std::uint32_t cause) const {
  const read::Instruction& load = c_.at(cause);
  if (read::is_read_only_load(load)) return true;
  const std::uint32_t loop = c_.places.loop_of(cause);
  const bool weak = load.modifier("order").empty();  // no volatile or atomic load
  return loop != read::kNoIndex && touches_global(load) && read::is_plain_load(load) && weak &&
         !loops_[loop].stores;
}

double Slack::cycles_before(std::uint32_t cause) const {
  const bool free = moves_freely(cause);
  const std::uint32_t loop = c_.places.loop_of(cause);
  const double times = issued(c_.kernel.block_of[cause]);
  std::set<std::uint32_t> needed{cause};
  double cycles = 0;
  std::uint32_t end = cause;
  for (std::uint32_t b = c_.kernel.block_of[cause]; b != read::kNoIndex;) {
    const double part = times > 0 ? std::min(1.0, issued(b) / times) : 0;
    for (std::uint32_t i = end; i-- > c_.kernel.blocks[b].first;) {
      if (synchronises(c_.at(i)) && !free) return cycles;
      if (feeds(i, needed)) {
        needed.insert(i);
      } else {
        cycles += part * cycles_of(i);
      }
    }
    b = free ? c_.kernel.blocks[b].immediate_dominator : read::kNoIndex;
    if (b == read::kNoIndex) break;
    // A load that is not always executed stays after what decides on it.
    if (!c_.kernel.post_dominates(c_.kernel.block_of[cause], b)) {
      needed.insert(c_.kernel.blocks[b].last);
    }
    // Loops on the way are crossed as a whole.
    std::uint32_t inner = c_.kernel.blocks[b].loop;
    if (inner != loop) {
      while (inner != read::kNoIndex && c_.kernel.loops[inner].parent != loop) {
        inner = c_.kernel.loops[inner].parent;
      }
      if (inner == read::kNoIndex) break;
      const std::optional<double> whole = cycles_of_loop(inner, times, needed);
      if (!whole) break;
      cycles += *whole;
      b = c_.kernel.blocks[c_.kernel.loops[inner].header].immediate_dominator;
      if (b == read::kNoIndex || c_.kernel.blocks[b].loop != loop) break;
      if (!c_.kernel.post_dominates(c_.kernel.block_of[cause], b)) {
        needed.insert(c_.kernel.blocks[b].last);
      }
    }
    end = c_.kernel.blocks[b].last + 1;
  }
  return cycles;
}

double Slack::cycles_after(std::uint32_t waits, std::uint32_t cause) const {
  const std::uint32_t last = c_.kernel.blocks[c_.kernel.block_of[waits]].last;
  std::set<std::uint32_t> tainted{cause, waits};
  for (const std::uint32_t first : {cause, waits}) {
    for (const std::uint32_t k : consumers_[first]) tainted.insert(k);
  }
  double cycles = 0;
  for (std::uint32_t i = waits + 1; i <= last && !synchronises(c_.at(i)); ++i) {
    if (!tainted.contains(i)) {
      if (c_.at(i).known() && c_.at(i).opcode->flow == read::Opcode::kNext) {
        cycles += cycles_of(i);
      }
      continue;
    }
    for (const std::uint32_t k : consumers_[i]) tainted.insert(k);
  }
  return cycles;
}

// The instructions of the same kind on its line, including itself; only itself if the line is
// unknown.
Slack::Copies Slack::copies_of(std::uint32_t instruction, std::uint32_t loop) const {
  const auto found = copies_.find({kinds_[instruction], loop});
  if (found == copies_.end() || analyze::line_of(c_.kernel, instruction).line == 0) {
    return {1, awaited_[instruction]};
  }
  return found->second;
}

double Slack::filler(const BlamedStall& stall) const {
  const double near = cycles_before(stall.cause) + cycles_after(stall.waits, stall.cause);
  const std::uint32_t loop = c_.places.common_loop(stall.cause, stall.waits);
  const bool load = c_.at(stall.cause).known() && c_.at(stall.cause).opcode->loads;
  // The exit test is decided too late: shared memory responds earlier.
  if (touches_shared(c_.at(stall.cause)) && loop != read::kNoIndex && ends(stall.cause, loop))
    return near;
  // A value used further up in the code was already requested in the previous iteration.
  const bool ahead = stall.waits <= stall.cause;
  if (!load || ahead || loop == read::kNoIndex || recurrent(stall.cause, loop)) return near;
  // An inner loop loads many values per iteration.
  if (c_.places.loop_of(stall.cause) != loop) return near;
  if (has_barrier(loop) && !moves_freely(stall.cause)) return near;
  const double body = body_cycles(stall, loop);
  // Hoisting across the compiler's other copies of an iteration belongs to loop unrolling, unless
  // stores prevent it.
  if (copies(stall.cause, loop) > 1 && !blocked_by_stores(stall.cause, loop))
    return std::min(near, body);
  return near >= kMinHoistedPart * body ? near : std::max(near, body - cycles_between(stall));
}

// The cycles from the cause to the waiting instruction in the unchanged code.
double Slack::cycles_between(const BlamedStall& stall) const {
  const double times = issued(c_.kernel.block_of[stall.waits]);
  const std::uint32_t first = std::min(stall.cause + 1, stall.waits);
  const double between = std::accumulate(spent_.begin() + first, spent_.begin() + stall.waits, 0.0);
  return times > 0 ? between / times : 0;
}

// The cycles of one iteration of the source loop, without the waits for this cause. In an unrolled
// loop, one of the copies. Other results awaited at the same instruction arrive no earlier.
double Slack::body_cycles(const BlamedStall& stall, std::uint32_t loop) const {
  const double times = issued(c_.kernel.block_of[stall.waits]);
  if (times <= 0) return 0;
  const double own = spent_[stall.waits] - c_.blamed.issued[stall.waits];
  const Copies all = copies_of(stall.cause, loop);
  const double body = loops_[loop].spent - own - (all.awaited - awaited_[stall.cause]);
  return std::max(0.0, body) / times / all.count;
}

double Slack::iteration_without(std::uint32_t loop, const read::InstructionSet& causes) const {
  const double times = issued(c_.kernel.loops[loop].header);
  double spent = loops_[loop].spent;
  for (const BlamedStall& s : c_.blamed.stalls) {
    if (causes[s.cause] == 0 || s.stall != launch::Stall::kLongScoreboard) continue;
    if (c_.places.in_loop(s.waits, loop)) spent -= kOverlapFactor * s.cycles.sum();
  }
  return times > 0 ? std::max(0.0, spent) / times : 0;
}

bool Slack::ends(std::uint32_t instruction, std::uint32_t loop) const {
  std::vector<std::uint32_t> open{instruction};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const read::BasicBlock& block = c_.kernel.blocks[c_.kernel.block_of[at]];
    const bool leaves = at == block.last && c_.places.in_loop(at, loop) &&
                        std::ranges::any_of(block.successors, [&](const read::Edge& e) {
                          return !c_.places.in_loop(c_.kernel.blocks[e.block].first, loop);
                        });
    if (leaves) return true;
    for (const std::uint32_t next : consumers_[at]) {
      if (c_.places.in_loop(next, loop) && seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

bool Slack::recurrent(std::uint32_t instruction, std::uint32_t loop) const {
  std::vector<std::uint32_t> open{instruction};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : consumers_[at]) {
      if (next == instruction) return true;
      if (c_.places.in_loop(next, loop) && seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

double Slack::entries(std::uint32_t loop) const {
  const std::uint32_t header = c_.kernel.loops[loop].header;
  double from_outside = 0;
  for (const read::Edge& edge : c_.kernel.blocks[header].predecessors) {
    if (!c_.places.in_loop(c_.kernel.blocks[edge.block].first, loop)) {
      from_outside += issued(edge.block);
    }
  }
  return std::min(from_outside, issued(header));
}

double Slack::trips(std::uint32_t loop) const {
  const double rounds = issued(c_.kernel.loops[loop].header);
  if (rounds <= 0) return 1;
  const double times = entries(loop);
  return times * kUncountedTrips > rounds ? rounds / times : kUncountedTrips;
}

bool Slack::blocked_by_stores(std::uint32_t load, std::uint32_t loop) const {
  return touches_global(c_.at(load)) && !moves_freely(load) && loops_[loop].stores;
}

unsigned Slack::copies(std::uint32_t instruction, std::uint32_t loop) const {
  return copies_of(instruction, loop).count;
}

bool Slack::innermost(std::uint32_t loop) const {
  return std::ranges::none_of(c_.kernel.loops,
                              [&](const read::Loop& l) { return l.parent == loop; });
}

}  // namespace burin::advise
