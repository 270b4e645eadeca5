// The slices of the L2 cache perform the atomics of all SMs, each for its own part of the memory. A
// slice works on one pass at a time, so blocks that add to the same address serialise.
//
//   AtomicSlices slices(machine, strides);
//   AtomicSlices::Turn turn = slices.take(now, {instruction, line, request, requester}, machine);
//   turn.begin                        // when its slice takes this SM's part of the request
#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "timing/memory/l2_contents.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

class AtomicSlices {
 public:
  // One line of an atomic request; the other SMs make theirs at the same time.
  struct AtomicRequest {
    std::uint32_t instruction = 0;
    std::uint64_t line = 0;
    const Request& request;
    const Requester& requester;
  };
  struct Turn {
    double begin = 0;
    double cycles = 0;  // of the whole cache's time, with all slices at work
  };

  // The strides must outlive it.
  AtomicSlices(const machine::Machine& machine, const StrideTable& strides);

  Turn take(double now, const AtomicRequest& atomic, const machine::Machine& machine);
  void restart();  // nothing is under way, nothing was done

 private:
  std::size_t slice_of(std::uint64_t line) const;
  void count(std::uint64_t line, double passes);
  double working(const AtomicRequest& atomic, double passes, const machine::Machine& machine);

  const StrideTable& strides_;
  std::vector<double> passes_;   // cycles that each has spent
  std::uint64_t slice_lines_;    // in a row that belong to one of two slices,
  std::uint64_t stretch_lines_;  // … which take turns for so many lines
  double all_passes_ = 0;
  double most_passes_ = 0;  // of one slice
  double all_free_ = 0;     // what all slices together are limited by
};

}  // namespace burin::timing
