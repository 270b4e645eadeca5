// Thread coarsening of OpenCL C, source to source: fewer work-items, each of which does the work of
// several.
//
//   const std::string source =
//       "__kernel void scale(__global float* out, int n) {\n"
//       "  int i = get_global_id(0);\n"
//       "  if (i < n) out[i] *= 2;\n"
//       "}\n";
//   Result<CoarsenedOpencl> coarsened = coarsen_opencl(source, "scale",
//       {.thread_factor = {4, 1, 1}, .thread_stride = {32, 1, 1},
//        .local_size = {256, 1, 1}, .groups = {10, 1, 1}});
//   coarsened->local_size == {64, 1, 1}, coarsened->groups == {10, 1, 1}
//
// The text then holds, after the definitions that it starts with:
//
//   #line 1
//   void burin_body_scale(const __private burin_ids* burin, __global float* out, int n) {
//     int i = get_global_id(0);                   // now a macro: burin_get_global_id(burin, 0)
//     if (i < n) out[i] *= 2;
//   }
//   __kernel void scale(__global float* out, int n) {
//     const burin_ids burin_own = burin_own_ids();
//     burin_ids burin_copy = burin_own;
//     burin_copy.burin_local_size[0] *= 4;
//   #pragma unroll
//     for (uint burin_thread_0 = 0; burin_thread_0 < 4; ++burin_thread_0) {
//       burin_copy.burin_local_id[0] = burin_own.burin_local_id[0] / 32 * 128 +
//           burin_own.burin_local_id[0] % 32 + burin_thread_0 * 32;
//       burin_body_scale(&burin_copy, out, n);
//     }
//   }
//   #line 4
//
// OpenCL C has no variable that belongs to a work-item and is seen by all functions, so the ids of
// a copy are passed on: every function that uses ids, itself or through others, gets them as its
// first parameter, and every call of it passes them. Other kernels of the source work as before.
// Everything else stays as written, and #line keeps the compiler's messages at the lines of the
// original. Names that the source has already are avoided ("burin2" instead of "burin").
//
// What needs the work-items of a group side by side is refused, with its line: barriers, local
// memory, functions of work-groups and sub-groups, in the kernel or in what it uses (allowed.h).
// All branches of #if count, other than those of `#if 0`. Macros are followed; what they build
// with ## is not.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace burin::coarsen {

struct OpenclCoarsening {
  // Work-items of one work-group that become one, along x, y and z. Copy k of work-item t is the
  // original work-item t/stride * factor*stride + t%stride + k*stride: with stride 1, neighbours
  // become one; with the new local size, neighbours stay neighbours. The stride has to divide the
  // new local size.
  std::array<std::uint32_t, 3> thread_factor{1, 1, 1};
  std::array<std::uint32_t, 3> thread_stride{1, 1, 1};
  // Work-groups that become one: copy k of group g is the original group g*factor + k.
  std::array<std::uint32_t, 3> block_factor{1, 1, 1};

  // The original launch. The local size must be a multiple of the thread factor. The number of
  // work-groups becomes a constant of the text where the block factor is not 1; it need not be a
  // multiple of it, as copies beyond it do nothing.
  std::array<std::uint32_t, 3> local_size{1, 1, 1};
  std::array<std::uint32_t, 3> groups{1, 1, 1};

  std::string options{};  // of the OpenCL compiler, for the macros that -D defines
};

struct CoarsenedOpencl {
  std::string text{};  // OpenCL C 1.1 or later, like the source
  // The launch that does the same as the original one.
  std::array<std::uint32_t, 3> local_size{1, 1, 1};
  std::array<std::uint32_t, 3> groups{1, 1, 1};
};

inline constexpr std::uint64_t kMaxOpenclCopies = 256;  // work-items that become one, at most

// Returns an Error if there is no such kernel, if it must not be coarsened, or if the factors do
// not fit the launch. A reqd_work_group_size that differs from `local_size` is an Error, too.
Result<CoarsenedOpencl> coarsen_opencl(const std::string& source, const std::string& kernel,
                                       const OpenclCoarsening& coarsening);

}  // namespace burin::coarsen
