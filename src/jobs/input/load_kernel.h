// Loads the one kernel that the FILE of a command line refers to, ready to launch. FILE may be CUDA
// source or PTX, which is compiled first, or any binary that contains machine code. Code for an
// architecture that burin does not execute is refused; open_images.h only reads code.
//
//   Result<std::unique_ptr<ChosenKernel>> loaded =
//       load_kernel({.file = "a.out", .kernel = "saxpy"}, progress);
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
  std::optional<std::string> kernel{};  // empty: the file must contain only one kernel
  std::string arch{};                   // empty: the newest architecture that burin executes
  std::vector<std::string> flags{};     // for nvcc or ptxas
  // The GPU that the kernel is to run on. If `arch` is empty, source is compiled for this GPU, and
  // code that runs on it is preferred.
  std::optional<read::Architecture> gpu{};
};

// A loaded kernel. Not movable: its members point to each other.
struct ChosenKernel {
  std::vector<std::shared_ptr<const void>> storage{};  // owns the bytes of the file
  std::vector<std::uint8_t> made{};  // compiled or unpacked code, used instead of the file
  std::string path{};                // the file with the image, if FILE is a folder or file of one
  Bytes cubin;                       // the image that contains the kernel
  read::Image image;
  read::Kernel kernel;

  const read::Function& function() const { return *kernel.function; }
};

// The architecture that --arch names; empty text: none.
Result<std::optional<read::Architecture>> parse_arch_option(const std::string& text);

Result<std::unique_ptr<ChosenKernel>> load_kernel(const KernelSource& source,
                                                  const Progress& progress);

// Returns whether the file is CUDA source, by its name.
inline bool is_cuda_source(const std::string& file) {
  return file.ends_with(".cu");
}

// Returns all images of the file, compiled first if it is source; `loaded` owns the bytes of the
// images.
Result<read::Container> open_source(const KernelSource& source, ChosenKernel& loaded);

// Returns whether burin executes code for the architecture.
bool is_executed(read::Architecture arch);

// Loads a kernel that a captured program launched, from the module in the capture.
Result<std::unique_ptr<ChosenKernel>> load_kernel(const capture::Capture& capture,
                                                  const capture::CapturedKernel& kernel);

}  // namespace burin::jobs
