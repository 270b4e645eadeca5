#include "read/program/reaching.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "read/program/control_flow.h"

namespace burin::read {
namespace {

// More literals than this are not carried from block to block: leaving them out only makes the
// search look further than it must, and it keeps the number of different questions small.
constexpr int kCarriedLiterals = 2;

}  // namespace

ReachingSearch::ReachingSearch(const Kernel& kernel, const Accesses& accesses)
    : kernel_(kernel), accesses_(accesses) {
  const auto count = static_cast<std::uint32_t>(kernel.blocks.size());
  function_of_.resize(count);
  std::iota(function_of_.begin(), function_of_.end(), 0u);
  const auto root = [&](std::uint32_t b) {
    while (function_of_[b] != b) b = function_of_[b] = function_of_[function_of_[b]];
    return b;
  };
  for (std::uint32_t b = 0; b < count; ++b)
    for (const Edge& edge : kernel.blocks[b].successors) function_of_[root(edge.block)] = root(b);
  for (std::uint32_t b = 0; b < count; ++b) function_of_[b] = root(b);

  returns_.resize(count);
  calls_.resize(count);
  condition_.resize(count);
  is_entry_.resize(count, false);
  seen_.resize(count, 0);
  for (std::uint32_t entry : kernel.entries) is_entry_[entry] = true;
  for (std::uint32_t b = 0; b < count; ++b) {
    const BasicBlock& block = kernel.blocks[b];
    if (block.returns) returns_[function_of_[b]].push_back(b);
    if (block.callee != kNoIndex) calls_[block.callee].push_back(b);
    const Instruction& last = kernel.instructions[block.last];
    if (ends_block(last)) {
      const Condition condition = condition_of(last);
      condition_[b] = {condition.if_taken, condition.if_not_taken};
    }
  }
  plain_node_.assign(4 * std::size_t{count}, kNoIndex);
}

void ReachingSearch::select(std::uint32_t number) {
  for (const Node& n : nodes_) plain_node_[2 * std::size_t{n.place} + n.inside_call] = kNoIndex;
  nodes_.clear();
  other_nodes_.clear();
  locals_.clear();
  children_.clear();
  visited_ = 0;
  untouched_.assign(kernel_.blocks.size(), -1);
  answers_.assign(1, {});
  pool_.clear();

  number_ = number;
  scoreboard_ = RegisterNumbers::is_scoreboard(number);
  writes_ = accesses_.writes.of(number);
  clears_ = accesses_.clears.of(number);
}

ReachingSearch::Answer ReachingSearch::producers_of(std::uint32_t use) {
  State state = 0;
  if (scoreboard_) {
    state = accesses_.wait_count(number_, use);
  } else {
    // The guard's own predicate is read in any case, other operands only where the guard holds.
    const Literals guard = accesses_.guards[use];
    const bool is_guard =
        guard != 0 &&
        number_ == RegisterNumbers::predicate(static_cast<unsigned>(std::countr_zero(guard)) / 2);
    if (!is_guard) state = opposite(guard);
  }
  scratch_.clear();
  const std::uint32_t block = kernel_.block_of[use];
  const Scan own = scan(block, use, state, 0, scratch_);
  Answer answer;
  answer.complete = own.complete;
  if (own.above) {
    const std::uint32_t start = node(block, *own.above, false);
    solve(start);
    const Stored& inherited = answers_[nodes_[start].answer];
    answer.complete = answer.complete && inherited.complete;
    scratch_.insert(scratch_.end(), pool_.begin() + inherited.first,
                    pool_.begin() + inherited.last);
  }
  std::sort(scratch_.begin(), scratch_.end());
  scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
  answer.producers = scratch_;
  return answer;
}

// ---- inside a block

ReachingSearch::Scan ReachingSearch::scan(std::uint32_t block, std::uint32_t before, State state,
                                          Literals passing,
                                          std::vector<std::uint32_t>& found) const {
  return scoreboard_ ? scan_setters(block, before, state, found)
                     : scan_writes(block, before, state, passing, found);
}

// Literals speak of the predicates' values at one point. Going backward over instructions
// [from, before), those on a predicate that is written there lose their meaning.
Literals ReachingSearch::forget(Literals known, std::uint32_t from, std::uint32_t before) const {
  for (Literals rest = known; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(rest));
    const auto writes = accesses_.writes.of(RegisterNumbers::predicate(bit / 2));
    const auto next = std::lower_bound(writes.begin(), writes.end(), from);
    if (next != writes.end() && *next < before) known &= ~(Literals{1} << bit);
  }
  return known;
}

ReachingSearch::Scan ReachingSearch::scan_writes(std::uint32_t block, std::uint32_t before,
                                                 Literals known, Literals passing,
                                                 std::vector<std::uint32_t>& found) const {
  const std::uint32_t first = kernel_.blocks[block].first;
  auto write = std::lower_bound(writes_.begin(), writes_.end(), before);
  for (std::uint32_t looked = 0; write != writes_.begin() && *(write - 1) >= first; ++looked) {
    if (looked == kMaxProducers) return {std::nullopt, false};
    --write;
    known = forget(known, *write, before);
    passing = forget(passing, *write, before);
    before = *write;
    const Literals guard = accesses_.guards[*write];
    if (((known | passing) & guard) != 0) continue;
    found.push_back(*write);
    known |= guard;
    if (guard == 0 || covers_all(known | passing)) return {};
  }
  return {forget(known, first, before), true};
}

// An instruction that waits and sets does so in this order.
ReachingSearch::Scan ReachingSearch::scan_setters(std::uint32_t block, std::uint32_t before,
                                                  std::uint32_t skip,
                                                  std::vector<std::uint32_t>& found) const {
  const std::uint32_t first = kernel_.blocks[block].first;
  const auto clear = std::lower_bound(clears_.begin(), clears_.end(), before);
  const bool cleared = clear != clears_.begin() && *(clear - 1) >= first;
  const std::uint32_t from = cleared ? *(clear - 1) : first;
  auto setter = std::lower_bound(writes_.begin(), writes_.end(), before);
  for (std::uint32_t looked = 0; setter != writes_.begin() && *(setter - 1) >= from; ++looked) {
    if (looked == kMaxProducers) return {std::nullopt, false};
    --setter;
    if (skip > 0) {
      --skip;  // under a guard, too: where it was not set, the wait only reaches further back
    } else {
      found.push_back(*setter);
    }
  }
  if (cleared) return {};
  return {skip, true};
}

// ---- between blocks

std::uint32_t ReachingSearch::node(std::uint32_t place, State state, bool inside_call) {
  const std::size_t plain = 2 * std::size_t{place} + inside_call;
  std::uint32_t* slot = &plain_node_[plain];
  if (state != 0) {
    slot = &other_nodes_.try_emplace(std::uint64_t{plain} << 32 | state, kNoIndex).first->second;
  }
  if (*slot == kNoIndex) {
    *slot = static_cast<std::uint32_t>(nodes_.size());
    Node& n = nodes_.emplace_back();
    n.place = place;
    n.state = state;
    n.inside_call = inside_call;
  }
  return *slot;
}

// Finds what the node's answer is made of: writes in the blocks before it, and further nodes.
void ReachingSearch::expand(std::uint32_t index) {
  const Node start = nodes_[index];
  const auto count = static_cast<std::uint32_t>(kernel_.blocks.size());
  nodes_[index].first_local = static_cast<std::uint32_t>(locals_.size());
  nodes_[index].first_child = static_cast<std::uint32_t>(children_.size());
  if (start.place >= count) {
    for (std::uint32_t b : returns_[start.place - count]) step_into(index, b, 0, 0);
  } else {
    for (const Edge& edge : kernel_.blocks[start.place].predecessors) {
      const std::uint32_t callee = kernel_.blocks[edge.block].callee;
      if (edge.kind == Edge::Kind::kReturn) {
        // What the callee does to predicates and scoreboards is not followed: state starts afresh.
        if (callee != kNoIndex) {
          const std::uint32_t function = function_of_[callee];
          children_.push_back(node(count + function, 0, true));
          if (!passes_untouched(function)) continue;
        }
        step_into(index, edge.block, 0, 0);
      } else if (scoreboard_) {
        step_into(index, edge.block, start.state, 0);
      } else {
        const auto& [if_taken, if_not_taken] = condition_[edge.block];
        const Literals holds = edge.kind == Edge::Kind::kFallThrough ? if_not_taken : if_taken;
        step_into(index, edge.block, start.state, opposite(holds));
      }
    }
    if (!start.inside_call)
      for (std::uint32_t caller : calls_[start.place]) step_into(index, caller, 0, 0);
  }
  nodes_[index].last_local = static_cast<std::uint32_t>(locals_.size());
  nodes_[index].last_child = static_cast<std::uint32_t>(children_.size());
}

// Searches `block` from its end. `passing` are literals that only the edge taken out of it tells;
// they serve in this block and are not carried further.
void ReachingSearch::step_into(std::uint32_t index, std::uint32_t block, State state,
                               Literals passing) {
  if (!scoreboard_ && covers_all(state | passing)) return;
  const Scan own = scan(block, kernel_.blocks[block].last + 1, state, passing, locals_);
  nodes_[index].complete = nodes_[index].complete && own.complete;
  if (!own.above) return;
  State above = *own.above;
  if (!scoreboard_ && std::popcount(above) > kCarriedLiterals) above = 0;
  children_.push_back(node(block, above, nodes_[index].inside_call));
}

// Tarjan's components from `start` on, each answered when it is complete.
void ReachingSearch::solve(std::uint32_t start) {
  if (nodes_[start].answer != kNoIndex) return;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // node, next child
  const auto visit = [&](std::uint32_t n) {
    nodes_[n].number = nodes_[n].low = ++visited_;
    expand(n);
    open_.push_back(n);
    stack.emplace_back(n, nodes_[n].first_child);
  };
  visit(start);
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    if (next < nodes_[n].last_child) {
      const std::uint32_t child = children_[next++];
      if (nodes_[child].number == 0) {
        visit(child);
      } else if (nodes_[child].answer == kNoIndex) {
        nodes_[n].low = std::min(nodes_[n].low, nodes_[child].number);
      }
      continue;
    }
    const std::uint32_t done = n;
    stack.pop_back();
    if (!stack.empty()) {
      Node& parent = nodes_[stack.back().first];
      parent.low = std::min(parent.low, nodes_[done].low);
    }
    if (nodes_[done].low != nodes_[done].number) continue;
    auto first = open_.end() - 1;
    while (*first != done) --first;
    finish_component({first, open_.end()});
    open_.erase(first, open_.end());
  }
}

void ReachingSearch::finish_component(std::span<const std::uint32_t> members) {
  // Most components only hand on one answer: a block that the register lives through, a loop that
  // does not write it.
  std::uint32_t answer = 0;
  bool shared = true, complete = true;
  for (std::uint32_t m : members) {
    const Node& n = nodes_[m];
    complete = complete && n.complete;
    if (n.first_local != n.last_local) shared = false;
    for (std::uint32_t c = n.first_child; c < n.last_child; ++c) {
      const std::uint32_t child = nodes_[children_[c]].answer;
      if (child == kNoIndex || child == 0 || child == answer) continue;
      if (answer != 0) shared = false;
      answer = child;
    }
  }
  if (!shared || !complete) {
    std::vector<std::uint32_t> producers, merged;
    for (std::uint32_t m : members) {
      const Node& n = nodes_[m];
      producers.insert(producers.end(), locals_.begin() + n.first_local,
                       locals_.begin() + n.last_local);
      for (std::uint32_t c = n.first_child; c < n.last_child; ++c) {
        const std::uint32_t child = nodes_[children_[c]].answer;
        if (child != kNoIndex && child != 0) merged.push_back(child);
      }
    }
    std::sort(merged.begin(), merged.end());
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    for (std::uint32_t a : merged) {
      const Stored& stored = answers_[a];
      complete = complete && stored.complete;
      producers.insert(producers.end(), pool_.begin() + stored.first, pool_.begin() + stored.last);
    }
    answer = store(producers, complete);
  }
  for (std::uint32_t m : members) nodes_[m].answer = answer;
}

std::uint32_t ReachingSearch::store(std::vector<std::uint32_t>& producers, bool complete) {
  std::sort(producers.begin(), producers.end());
  producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
  if (producers.size() > kMaxProducers) {
    producers.erase(producers.begin(), producers.end() - kMaxProducers);
    complete = false;
  }
  Stored& stored = answers_.emplace_back();
  stored.first = static_cast<std::uint32_t>(pool_.size());
  pool_.insert(pool_.end(), producers.begin(), producers.end());
  stored.last = static_cast<std::uint32_t>(pool_.size());
  stored.complete = complete;
  return static_cast<std::uint32_t>(answers_.size() - 1);
}

// True where some path through the function does not touch the register for certain, also where it
// is not seen to return at all. Calls inside it are taken to leave the register alone.
bool ReachingSearch::passes_untouched(std::uint32_t function) {
  signed char& known = untouched_[function];
  if (known >= 0) return known == 1;
  known = returns_[function].empty() ? 1 : 0;
  std::vector<std::uint32_t> work = returns_[function];
  ++seen_now_;
  for (std::uint32_t b : work) seen_[b] = seen_now_;
  const auto touched = [&](std::uint32_t b) {
    const BasicBlock& block = kernel_.blocks[b];
    const auto& certain = scoreboard_ ? clears_ : writes_;
    for (auto i = std::lower_bound(certain.begin(), certain.end(), block.first);
         i != certain.end() && *i <= block.last; ++i) {
      if (scoreboard_ || accesses_.guards[*i] == 0) return true;
    }
    return false;
  };
  while (!work.empty() && known == 0) {
    const std::uint32_t b = work.back();
    work.pop_back();
    if (touched(b)) continue;
    if (is_entry_[b]) known = 1;
    for (const Edge& edge : kernel_.blocks[b].predecessors) {
      if (seen_[edge.block] == seen_now_) continue;
      seen_[edge.block] = seen_now_;
      work.push_back(edge.block);
    }
  }
  return known == 1;
}

}  // namespace burin::read
