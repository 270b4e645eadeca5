// Edits that reduce atomics in global memory: the lanes of a warp are combined, or each block's
// updates are collected in shared memory (Edit::kCombined, Edit::kPrivate).
//
//   PrivateAtomics atomics(trace);
//   for (Request& request : …) atomics.make_private(request, 0.01);   // one in a hundred is left
#pragma once

#include "timing/trace/trace.h"

namespace burin::analyze {

class PrivateAtomics {
 public:
  explicit PrivateAtomics(timing::BlockTrace& trace) : trace_(trace) {}  // must outlive this object

  // One lane updates for all lanes at its address, if these are all lanes of the request.
  static void combine(timing::Request& request);
  // The request goes to shared memory, or is one of the block's final additions to global memory.
  // Must be called in trace order: the final additions are spread evenly.
  void make_private(timing::Request& request, double final_additions);

 private:
  void add_finally(timing::Request& request);

  timing::BlockTrace& trace_;
  double due_ = 0.5;  // final additions that are due, in requests
};

}  // namespace burin::analyze
