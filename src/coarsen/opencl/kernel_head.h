// What stands in front of a kernel's body: qualifiers, attributes, name and parameters.
//
//   // __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(__global int* a, int n) {…}
//   Result<OpenclKernelHead> head = read_kernel_head(outline, source, function, by_four);
//   head->text == "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) "
//                 "void f(__global int* a, int n)"
//   head->parameters == {"a", "n"}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "coarsen/opencl/coarsen_opencl.h"
#include "coarsen/opencl/outline.h"

namespace burin::coarsen {

struct OpenclKernelHead {
  std::size_t first = 0;  // its first token: the qualifier or an attribute
  std::string text{};  // of the coarsened kernel: required and suggested group sizes are rescaled
  std::vector<std::string> parameters{};  // names, in order
};

// Returns an Error with the line if the head cannot be written again: directives in it, macros that
// hide parameters or group sizes, a required group size that is not the launch's.
Result<OpenclKernelHead> read_kernel_head(const OpenclOutline& outline, std::string_view source,
                                          const OpenclFunction& kernel,
                                          const OpenclCoarsening& coarsening);

}  // namespace burin::coarsen
