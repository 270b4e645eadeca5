// Which writes of one register reach a use of it: the search that dependences.h describes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "read/program/accesses.h"
#include "read/program/kernel.h"

namespace burin::read {

class ReachingSearch {
 public:
  ReachingSearch(const Kernel& kernel, const Accesses& accesses);

  // Turns to another register; answers for the last one are forgotten.
  void select(std::uint32_t number);

  struct Answer {
    std::span<const std::uint32_t> producers;  // ascending; valid until the next call
    bool complete = true;
  };
  // `use` reads (or waits for) the selected register.
  Answer producers_of(std::uint32_t use);

 private:
  // What a search looks for at some point, going backward. A register: the literals under which the
  // answer is known already, or not wanted. A scoreboard: how many setters are still to be skipped.
  using State = std::uint32_t;

  struct Node {
    std::uint32_t place = 0;  // a block's start; from blocks.size() on: the end of a function
    State state = 0;
    bool inside_call = false;  // came in through a return: must not leave at the function's entry
    bool complete = true;
    std::uint32_t number = 0, low = 0;              // Tarjan's
    std::uint32_t answer = kNoIndex;                // set when its component is done
    std::uint32_t first_local = 0, last_local = 0;  // in locals_
    std::uint32_t first_child = 0, last_child = 0;  // in children_
  };

  struct Scan {
    std::optional<State> above;  // at the block's start; nothing where the search has ended
    bool complete = true;
  };
  Scan scan(std::uint32_t block, std::uint32_t before, State state, Literals passing,
            std::vector<std::uint32_t>& found) const;
  Scan scan_writes(std::uint32_t block, std::uint32_t before, Literals known, Literals passing,
                   std::vector<std::uint32_t>& found) const;
  Scan scan_setters(std::uint32_t block, std::uint32_t before, std::uint32_t skip,
                    std::vector<std::uint32_t>& found) const;
  Literals forget(Literals known, std::uint32_t from, std::uint32_t before) const;

  std::uint32_t node(std::uint32_t place, State state, bool inside_call);
  void expand(std::uint32_t index);
  void step_into(std::uint32_t index, std::uint32_t block, State state, Literals passing);
  void solve(std::uint32_t start);
  void finish_component(std::span<const std::uint32_t> members);
  std::uint32_t store(std::vector<std::uint32_t>& producers, bool complete);

  bool passes_untouched(std::uint32_t function);

  const Kernel& kernel_;
  const Accesses& accesses_;

  // Functions: sets of blocks connected by edges other than calls.
  std::vector<std::uint32_t> function_of_;                // per block
  std::vector<std::vector<std::uint32_t>> returns_;       // per function: blocks that return
  std::vector<std::vector<std::uint32_t>> calls_;         // per block: blocks that call it
  std::vector<std::pair<Literals, Literals>> condition_;  // per block: literals if taken, if not
  std::vector<bool> is_entry_;                            // per block

  // Of the selected register.
  std::uint32_t number_ = 0;
  bool scoreboard_ = false;
  std::span<const std::uint32_t> writes_, clears_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> plain_node_;  // by place and inside_call, for state 0
  std::unordered_map<std::uint64_t, std::uint32_t> other_nodes_;
  std::vector<std::uint32_t> locals_, children_;
  std::vector<std::uint32_t> open_;  // Tarjan's stack
  std::uint32_t visited_ = 0;
  std::vector<signed char> untouched_;  // per function: -1 not asked yet
  std::vector<std::uint32_t> seen_;     // per block, by passes_untouched
  std::uint32_t seen_now_ = 0;

  struct Stored {
    std::uint32_t first = 0, last = 0;  // in pool_
    bool complete = true;
  };
  std::vector<Stored> answers_;  // 0: none
  std::vector<std::uint32_t> pool_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace burin::read
