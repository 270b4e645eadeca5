// Tunables that change the code itself instead of being macros of its source:
//
//   coarsen_thread_x   threads along x that become one (1: none); likewise y and z
//   coarsen_stride_x   how far these are apart (0, or no such tunable: the new block size along x)
//   coarsen_block_x    blocks along x that become one
//
// The spec's grid and block are those of the original kernel; the launch follows from them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tune/configuration.h"

namespace burin::tune {

bool changes_code(std::string_view tunable);

// Whether the configuration asks for any change.
bool wants_change(const Configuration& configuration);

// Changes code between compiler and assembler, and the launches of the kernel with it. An Error
// says why the configuration cannot be.
class CodeChanger {
 public:
  virtual ~CodeChanger() = default;

  // `kernel` is its name in the PTX, or as people write it.
  virtual Result<std::string> change_ptx(std::string ptx, const std::string& kernel,
                                         Configuration& configuration) const = 0;
  // OpenCL C. `options` are for its compiler.
  virtual Result<std::string> change_opencl(const std::string& source, const std::string& options,
                                            Configuration& configuration) const = 0;
};

}  // namespace burin::tune
