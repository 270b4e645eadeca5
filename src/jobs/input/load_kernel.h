// From the FILE of a command line to the one kernel it means, ready to be launched. FILE may be
// CUDA source or PTX, which is compiled first, or any binary that holds machine code.
//
//   Result<std::unique_ptr<ChosenKernel>> loaded = load_kernel({.file = "a.out", .kernel =
//   "saxpy"}, progress);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "capture/capture.h"
#include "jobs/input/progress.h"
#include "read/binary/container.h"
#include "read/program/kernel.h"

namespace burin::jobs {

struct KernelSource {
  std::string file;
  std::optional<std::string> kernel{};  // none: the file must hold only one
  std::string arch{};                   // empty: the newest that burin executes
  std::vector<std::string> flags{};     // for nvcc or ptxas
  // The GPU that the kernel is to run on: where `arch` says nothing, source is compiled for it and
  // code that runs on it is preferred.
  std::optional<read::Architecture> gpu{};
};

// Stays where it was made: its parts point into one another.
struct ChosenKernel {
  std::optional<MappedFile> file;
  std::vector<std::uint8_t> made;  // by a compiler, in place of the file, or unpacked
  Bytes cubin;                     // the image that holds the kernel
  read::Image image;
  read::Kernel kernel;

  const read::Function& function() const { return *kernel.function; }
};

Result<std::unique_ptr<ChosenKernel>> load_kernel(const KernelSource& source,
                                                  const Progress& progress);

// All images of the file, compiled first where it is source; `loaded` holds the bytes they lie in.
Result<read::Container> open_source(const KernelSource& source, ChosenKernel& loaded);

// Whether burin executes code for it.
bool is_executed(read::Architecture arch);

// A kernel that a captured program launched, from the module that is in the capture.
Result<std::unique_ptr<ChosenKernel>> load_kernel(const capture::Capture& capture,
                                                  const capture::CapturedKernel& kernel);

}  // namespace burin::jobs
