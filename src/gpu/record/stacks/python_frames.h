// The Python call stack of a launch, if the program runs in Python. It is read directly from the
// interpreter's data structures: PyTorch releases the interpreter lock (GIL) before a launch, and
// the launch must not wait for it. The frames of the calling thread do not change meanwhile,
// because the thread is inside a call made from them.
//
//   python_frames()        // CPython 3.11 to 3.13, innermost first; otherwise empty
//   describe(frames[0])    // {"/home/me/train.py:41", 0, "step"}
#pragma once

#include <cstdint>
#include <vector>

#include "capture/spool/spool.h"

namespace burin::gpu {

struct PythonFrame {
  std::uintptr_t code = 0;         // the function's code object
  std::uintptr_t instruction = 0;  // address in the code object

  bool operator==(const PythonFrame&) const = default;
};

std::vector<PythonFrame> python_frames();

// Describes a frame, which must still exist. The source location takes the place of a library's
// path.
capture::SpoolFrame describe(const PythonFrame& frame);

// True if the address is inside the Python interpreter.
bool is_python(std::uintptr_t address);

}  // namespace burin::gpu
