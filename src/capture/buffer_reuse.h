// Estimates what the L2 cache holds when a captured launch begins: the buffers that the launches
// before it used, as far as they fit, last used first.
//
//   const std::vector<Reuse> reuse = find_reuse(capture, arguments, wanted);
//   reuse[k].share                          // of the bytes of launch k's buffers that L2 may hold
//   reuse[k].recent                         // {{address, bytes, launch}, …}, oldest first
//
// A capture does not record how much of a buffer a launch uses. It counts as used from the pointer
// argument up to the next pointer that this launch or one of those around it was given, or to the
// end of the allocation: programs that manage GPU memory themselves (PyTorch) have many buffers in
// one allocation, and use the same memory for other buffers later. No launch uses more bytes than
// the L2 cache delivers in its time.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/capture.h"
#include "launch/recent_use.h"

namespace burin::capture {

struct Reuse {
  // Of the launch's bytes: those with less than a cache full of other data since their last use.
  // Data that SMs of both halves of the GPU read is in the L2 cache twice, so that half of its size
  // counts as full.
  double share = 0;
  bool is_warm() const { return share > 0.5; }
  std::vector<launch::RecentUse> recent;  // if wanted
};

// The ranges of memory that were used last, on one GPU.
class RecentMemory {
 public:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t launch = 0;
  };
  explicit RecentMemory(std::uint64_t l2_bytes);  // 0: not recorded, as large as usual

  // Returns the share of these bytes that half of the L2 cache still has.
  double share_of(const std::vector<Range>& ranges) const;
  // These are used now.
  void use(const std::vector<Range>& ranges);
  // Returns what was used last, about twice as much as fits; oldest first.
  std::vector<launch::RecentUse> recent() const;

 private:
  void forget();

  std::uint64_t l2_bytes_;
  std::vector<Range> ranges_;  // oldest first; none overlap
};

// Returns an entry for each launch of the capture, in order. `arguments`: those of all launches, in
// the same order. `wanted`: launches for which `recent` is wanted, by position; empty: none.
std::vector<Reuse> find_reuse(const Capture& capture,
                              const std::vector<CapturedArguments>& arguments,
                              const std::vector<bool>& wanted = {});
std::vector<Reuse> find_reuse(const std::vector<CapturedGpu>& gpus,
                              const std::vector<CapturedLaunch>& launches,
                              const std::vector<CapturedArguments>& arguments,
                              const std::vector<bool>& wanted = {});

// Reads the arguments of all launches of the capture, in order.
Result<std::vector<CapturedArguments>> all_arguments(const Capture& capture);

}  // namespace burin::capture
