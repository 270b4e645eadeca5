// The Python functions that led to a launch, where the program is one of Python's. They are read
// from the interpreter's own structures: PyTorch gives up the interpreter's lock before it
// launches, and a launch must not wait for it. The frames of the calling thread stand still
// meanwhile, as it is in a call of theirs.
//
//   python_frames()        // of CPython 3.11 to 3.13, the innermost first; else none
//   describe(frames[0])    // {"/home/me/train.py:41", 0, "step"}
#pragma once

#include <cstdint>
#include <vector>

#include "capture/spool/spool.h"

namespace burin::gpu {

struct PythonFrame {
  std::uintptr_t code = 0;         // the function's code object
  std::uintptr_t instruction = 0;  // in it

  bool operator==(const PythonFrame&) const = default;
};

std::vector<PythonFrame> python_frames();

// While the frame is there. The place stands in front, where a library has its path.
capture::SpoolFrame describe(const PythonFrame& frame);

// Whether the address is in the interpreter itself.
bool is_python(std::uintptr_t address);

}  // namespace burin::gpu
