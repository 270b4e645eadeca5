// Any text is coarsened or refused. What is made of it has matching brackets and the same kernels,
// and the kernel is not coarsened twice.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "coarsen/opencl/coarsen_opencl.h"
#include "coarsen/opencl/outline.h"

using namespace burin;

namespace {

std::set<std::string> kernels_of(const coarsen::OpenclOutline& outline) {
  std::set<std::string> names;
  for (const coarsen::OpenclFunction& function : outline.functions) {
    if (function.is_kernel && function.is_defined) names.insert(function.name);
  }
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  const Result<coarsen::OpenclOutline> outline = coarsen::outline_opencl(source, "-DN=4");
  if (!outline) {
    if (outline.error().message.empty()) std::abort();
    return 0;
  }
  const std::set<std::string> kernels = kernels_of(*outline);
  for (const std::string& kernel : kernels) {
    const coarsen::OpenclCoarsening coarsening{.thread_factor = {2, 2, 1},
                                               .thread_stride = {4, 1, 1},
                                               .block_factor = {2, 1, 1},
                                               .local_size = {8, 2, 1},
                                               .groups = {3, 1, 1},
                                               .options = "-DN=4"};
    const Result<coarsen::CoarsenedOpencl> made =
        coarsen::coarsen_opencl(source, kernel, coarsening);
    if (!made) continue;
    const Result<coarsen::OpenclOutline> again = coarsen::outline_opencl(made->text, "-DN=4");
    if (!again || kernels_of(*again) != kernels) std::abort();
    if (coarsen::coarsen_opencl(made->text, kernel, coarsening)) std::abort();
  }
  return 0;
}
