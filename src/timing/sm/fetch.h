// When instructions and constant operands are available: each scheduler's instruction cache (L0),
// the SM's (L1), and the first level of the constant cache. Straight code is prefetched.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "machine/machine.h"

namespace burin::timing {

class Fetch {
 public:
  // `cold`: no cache holds any instruction or constant yet. Else the next level holds them all.
  Fetch(const machine::Machine& machine, std::size_t lines, bool cold);

  // When a warp of the scheduler that needs the line at `now` has it; `machine` has the latencies.
  double instruction(unsigned scheduler, std::uint32_t line, double now,
                     const machine::Machine& machine);
  double constant(std::uint32_t line, double now, const machine::Machine& machine);

 private:
  // Lines that are there or under way, the one that came first leaves first.
  struct Level {
    std::size_t most = 0;
    std::vector<double> ready;  // per line; negative: not there
    std::vector<std::uint32_t> order;
    std::size_t oldest = 0;
    double free = 0;  // when it takes the next line

    void put(std::uint32_t line, double when);
    // Brings a line that comes no sooner than `from`: one each `gap` cycles, `latency` later.
    void bring(std::uint32_t line, double from, double gap, double latency);
  };
  double from_sm(std::uint32_t line, double now, const machine::Machine& machine);

  std::vector<Level> l0_;
  Level l1_;
  // A line of constants that was fetched before.
  struct ConstantLine {
    double ready = 0;
    bool held = true;  // in the first level; else only beyond
  };
  void hold_constant(std::uint32_t line);

  bool cold_;
  std::unordered_map<std::uint32_t, ConstantLine> constants_;
  std::deque<std::uint32_t> held_constants_;  // in the order in which they came
  std::size_t max_constants_;
};

}  // namespace burin::timing
