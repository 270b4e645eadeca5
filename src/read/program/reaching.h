// Finds the writes of a register that reach a use of it, by the search that dependences.h
// describes.
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

  // Selects another register and discards the answers for the previous one.
  void select(std::uint32_t number);

  struct Answer {
    std::span<const std::uint32_t> producers;  // ascending; valid until the next call
    bool complete = true;
  };
  // The producers for instruction `use`, which must read (or wait for) the selected register.
  Answer producers_of(std::uint32_t use);

 private:
  // What a backward search still looks for. For a register: the literals under which the answer is
  // already known, or not wanted. For a scoreboard: the number of setters still to be skipped.
  using State = std::uint32_t;

  struct Node {
    std::uint32_t place = 0;  // the start of a block; from blocks.size() on: the end of a function
    State state = 0;
    bool inside_call = false;  // entered through a return: must not leave at the function's entry
    bool complete = true;
    std::uint32_t number = 0, low = 0;              // of Tarjan's algorithm
    std::uint32_t answer = kNoIndex;                // set when its component is solved
    std::uint32_t first_local = 0, last_local = 0;  // in locals_
    std::uint32_t first_child = 0, last_child = 0;  // in children_
  };

  struct Scan {
    std::optional<State> above;  // state at the start of the block; nullopt: the search ended
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

  // A function is a set of blocks connected by edges other than calls.
  std::vector<std::uint32_t> function_of_;           // per block
  std::vector<std::vector<std::uint32_t>> returns_;  // per function: blocks that return
  std::vector<std::vector<std::uint32_t>> calls_;    // per block: blocks that call it
  std::vector<std::pair<Literals, Literals>>
      condition_;               // per block: literals if taken, if not taken
  std::vector<bool> is_entry_;  // per block

  // State for the selected register.
  std::uint32_t number_ = 0;
  bool scoreboard_ = false;
  std::span<const std::uint32_t> writes_, clears_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> plain_node_;  // by place and inside_call, for state 0
  std::unordered_map<std::uint64_t, std::uint32_t> other_nodes_;
  std::vector<std::uint32_t> locals_, children_;
  std::vector<std::uint32_t> open_;  // stack of Tarjan's algorithm
  std::uint32_t visited_ = 0;
  std::vector<signed char> untouched_;  // per function; -1: not computed yet
  std::vector<std::uint32_t> seen_;     // per block, used by passes_untouched
  std::uint32_t seen_now_ = 0;

  struct Stored {
    std::uint32_t first = 0, last = 0;  // in pool_
    bool complete = true;
  };
  std::vector<Stored> answers_;  // index 0: no answer
  std::vector<std::uint32_t> pool_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace burin::read
