// When instructions and constants are at hand: each scheduler's instruction cache, the SM's behind
// it, and the constant cache. Straight code is fetched ahead.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/machine.h"

namespace burin {

class Fetch {
 public:
  // `cold`: neither instructions nor constants are in any cache of the SM.
  Fetch(const Machine& machine, std::size_t lines, bool cold);

  // When a warp of the scheduler that needs the line at `now` has it; `machine` has the latencies.
  double instruction(unsigned scheduler, std::uint32_t line, double now, const Machine& machine);
  double constant(std::uint32_t line, double now, const Machine& machine);

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
  double from_sm(std::uint32_t line, double now, const Machine& machine);

  std::vector<Level> l0_;
  Level l1_;
  bool cold_;
  std::unordered_map<std::uint32_t, double> constants_;
};

}  // namespace burin
