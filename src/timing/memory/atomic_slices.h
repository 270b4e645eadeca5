// Models the L2 slices, which perform the atomics of all SMs. Each slice owns a part of memory and
// processes one pass at a time, so atomics from different blocks to the same address serialise.
//
//   AtomicSlices slices(machine, strides);
//   AtomicSlices::Turn turn = slices.take(now, {instruction, line, request, requester}, machine);
//   turn.begin                        // when the slice starts this SM's part of the request
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
  // One cache line of an atomic request. The other SMs make the corresponding request at the same
  // time.
  struct AtomicRequest {
    std::uint32_t instruction = 0;
    std::uint64_t line = 0;
    const Request& request;
    const Requester& requester;
  };
  struct Turn {
    double begin = 0;
    double cycles = 0;  // share of the whole L2 cache's time, in cycles with all slices busy
    double busy = 0;    // cycles for which the slices that the atomics fall on accept no other
  };

  // `strides` must outlive this object.
  AtomicSlices(const machine::Machine& machine, const StrideTable& strides);

  Turn take(double now, const AtomicRequest& atomic, const machine::Machine& machine);
  void restart();  // clears all history; no atomics are in flight

 private:
  std::size_t slice_of(std::uint64_t line) const;
  void count(std::uint64_t line, double passes);
  double concurrent_slices(const AtomicRequest& atomic, double passes,
                           const machine::Machine& machine);

  const StrideTable& strides_;
  std::vector<double> passes_;   // cycles each slice has spent on passes
  std::uint64_t slice_lines_;    // consecutive lines that map to one slice of a pair
  std::uint64_t stretch_lines_;  // lines over which a pair of slices alternates
  double all_passes_ = 0;
  double most_passes_ = 0;  // largest entry of passes_
  double all_free_ = 0;     // when the slices together accept the next request
};

}  // namespace burin::timing
