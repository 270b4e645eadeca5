// The host's call stacks, each told to the spool once. Where Python called, its functions stand in
// place of the interpreter's own and of what is outside of it.
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
    std::vector<std::uintptr_t> native;  // as walk_stack gives them
    std::vector<PythonFrame> python;

    bool empty() const { return native.empty(); }
  };
  static Stack current();

  // The number of that stack, while it stands. Not safe from many threads: the recorder's lock
  // stands around it.
  std::uint32_t number(const Stack& stack);

 private:
  capture::SpoolWriter& out_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by a hash of the stack
};

}  // namespace burin::gpu
