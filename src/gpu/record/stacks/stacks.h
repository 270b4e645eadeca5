// Records host call stacks, writing each distinct stack to the spool once. In a Python program,
// Python functions replace the interpreter's frames and all frames outside of them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool_writer.h"
#include "gpu/record/stacks/python_frames.h"

namespace burin::gpu {

class Stacks {
 public:
  explicit Stacks(capture::SpoolWriter& out) : out_(out) {}

  struct Stack {
    std::vector<std::uintptr_t> native;  // from walk_stack()
    std::vector<PythonFrame> python;

    bool empty() const { return native.empty(); }
  };
  static Stack current();

  // The number of the stack, whose frames must still exist. Not thread-safe: callers must hold the
  // recorder's lock.
  std::uint32_t number(const Stack& stack);

 private:
  capture::SpoolWriter& out_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by hash of the stack
};

}  // namespace burin::gpu
