#include "timing/code/fixed_latency.h"

#include <algorithm>
#include <optional>

namespace burin::timing {

namespace {

// A stall count above this is assumed to cover a dependence. Smaller counts only separate
// instructions of one unit.
constexpr double kMinDependenceStall = 1;
// It covers the dependence only if the result would be ready at most this many cycles earlier.
// Results reach another unit slightly later, and predicates reach a guard much later.
constexpr double kMaxUnitSlack = 2;
constexpr double kMaxGuardSlack = 10;

bool is_predicate(read::RegisterFile file) {
  return file == read::RegisterFile::kPredicate || file == read::RegisterFile::kUniformPredicate;
}

class Following {
 public:
  Following(const read::Kernel& kernel, const machine::Machine& compiled_for,
            std::vector<TimedOp>& code)
      : kernel_(kernel), compiled_for_(compiled_for), code_(code) {}

  void run(const read::BasicBlock& block) {
    before_.assign(1, 0);
    after_.assign(1, 0);
    kept_ = block.first;
    for (std::uint32_t j = block.first; j <= block.last; ++j) {
      const bool left_out = code_[j].share <= 0;
      if (j > block.first && !left_out) visit(block.first, j);
      before_.push_back(before_.back() + code_[j].stall);
      after_.push_back(after_.back() + (left_out ? 0 : code_[j].stall));
      if (!left_out) kept_ = j;
    }
    // The next instruction after a block may need the last result.
    TimedOp& last = code_[kept_];
    if (kept_ < block.last)
      last.stall = std::min(last.stall, std::max(kMinDependenceStall, last.latency));
  }

 private:
  // The dependence of a consumer on one producer.
  struct Need {
    double distance = 0;  // cycles between their issues, as compiled
    double now = 0;       // cycles between their issues, as adjusted so far
    double latency = 0;   // as compiled, of the producer's class
    double factor = 1;    // of its latency
    bool predicate = false;

    double slack() const { return distance - latency; }
  };

  std::optional<Need> need(std::uint32_t first, const read::Dependence& d, std::uint32_t j) const {
    if (d.kind != read::Dependence::Kind::kRegister || d.producer < first || d.producer >= j)
      return {};
    const TimedOp& op = code_[d.producer];
    const machine::TimingClass compiled = machine::timing_class(kernel_.instructions[d.producer]);
    const double latency = compiled_for_.of(compiled).latency;
    if (op.share <= 0 || op.write_barrier < 6 || op.unit == Unit::kNone || latency <= 0) return {};
    const std::size_t i = d.producer - first;
    return Need{
        .distance = before_.back() - before_[i],
        .now = after_.back() - after_[i],
        .latency = latency,
        .factor = op.hidden ? 0 : std::max(0.0, op.latency - op.earlier) / latency,
        .predicate = is_predicate(d.file),
    };
  }

  // The last stall count covered an instruction that is left out. Other consumers lengthen it again
  // if they need to.
  void forget_left_out() {
    const double shorter = std::max(0.0, code_[kept_].stall - kMinDependenceStall);
    code_[kept_].stall -= shorter;
    after_.back() -= shorter;
  }

  // Sets the stall count before instruction j in the block that begins at `first`.
  void visit(std::uint32_t first, std::uint32_t j) {
    if (kept_ + 1 < j) forget_left_out();
    needs_.clear();
    for (const read::Dependence& d : kernel_.dependences_of(j)) {
      if (const std::optional<Need> n = need(first, d, j)) needs_.push_back(*n);
    }
    if (needs_.empty()) return;
    const auto tightest = std::ranges::min_element(needs_, {}, &Need::slack);
    const double stall = before_.back() - before_[before_.size() - 2];
    const double most = tightest->predicate ? kMaxGuardSlack : kMaxUnitSlack;
    const bool tight = stall > kMinDependenceStall && tightest->slack() <= most;
    // Cycles that the stall count must grow by; below 0 where it may shrink.
    double more = -1e9;
    for (const Need& n : needs_) {
      const bool all = tight && &n == &*tightest;
      const double wanted = (all ? n.distance : std::min(n.distance, n.latency)) * n.factor;
      more = std::max(more, wanted - n.now);
    }
    if (more < 0) {
      const double changed = after_.back() - after_[after_.size() - 2];
      more = tight && tightest->factor < 1 ? std::max(more, std::min(0.0, 1 - changed)) : 0;
    }
    if (more == 0) return;
    code_[kept_].stall += more;
    after_.back() += more;
  }

  const read::Kernel& kernel_;
  const machine::Machine& compiled_for_;
  std::vector<TimedOp>& code_;
  std::vector<double> before_;  // sums of the stall counts as compiled, from the start of the block
  std::vector<double> after_;   // sums of the adjusted stall counts
  std::vector<Need> needs_;
  std::uint32_t kept_ = 0;  // the last instruction that is not left out
};

}  // namespace

void follow_latencies(const read::Kernel& dependences, const machine::Machine& compiled_for,
                      std::vector<TimedOp>& code) {
  Following following(dependences, compiled_for, code);
  for (const read::BasicBlock& block : dependences.blocks) following.run(block);
}

}  // namespace burin::timing
