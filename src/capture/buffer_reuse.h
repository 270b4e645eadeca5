// Estimates whether a captured launch finds its data in the L2 cache: it does if most of the bytes
// that it may use were used by launches shortly before it, with less than a cache full of other
// data in between.
//
//   BufferReuse reuse(capture.gpus());
//   for (const CapturedLaunch& launch : capture.launches()) reuse.expect(launch, arguments);
//   for (const CapturedLaunch& launch : capture.launches())
//     if (reuse.meets(launch, arguments)) …
//
// A capture does not record how much of a buffer a launch uses. It counts as used from the pointer
// argument up to the next pointer that any launch of the capture was given, or to the end of the
// allocation: programs that manage GPU memory themselves (PyTorch) have many buffers in one
// allocation.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture/capture.h"

namespace burin::capture {

class BufferReuse {
 public:
  explicit BufferReuse(const std::vector<CapturedGpu>& gpus);
  // Makes the launch's pointers known. Call it for all launches before the first meets().
  void expect(const CapturedLaunch& launch, const CapturedArguments& arguments);
  // Returns whether most of the launch's bytes are in L2. Call it once per launch, in the order of
  // the capture.
  bool meets(const CapturedLaunch& launch, const CapturedArguments& arguments);

 private:
  struct Buffer {
    std::uint64_t end = 0;   // of the allocation
    std::uint64_t used = 0;  // Cache::filled when a launch last used it
    bool is_used = false;
  };
  struct Cache {
    std::uint64_t capacity = 0;
    std::uint64_t filled = 0;                 // bytes that were brought in so far
    std::map<std::uint64_t, Buffer> buffers;  // by address
  };

  std::map<std::uint64_t, Cache> caches_;  // by GPU
};

// Returns for each launch of the capture, in order, whether it meets its data in L2. `arguments`:
// those of all launches, in the same order.
std::vector<bool> find_reuse(const Capture& capture,
                             const std::vector<CapturedArguments>& arguments);

// Reads the arguments of all launches of the capture, in order.
Result<std::vector<CapturedArguments>> all_arguments(const Capture& capture);

}  // namespace burin::capture
