// OpenCL C is coarsened in its source.
#include "jobs/coarsen/opencl_file.h"

#include <algorithm>
#include <string>

#include "base/file.h"
#include "coarsen/opencl/coarsen_opencl.h"

namespace burin::jobs {

Result<CoarsenedKernel> coarsen_opencl_file(const CoarsenRequest& request,
                                            const coarsen::LaunchShape& launch) {
  const std::string& path = request.launch.source.file;
  if (!request.launch.source.kernel) {
    return Error{path + ": name the kernel with --kernel", Exit::kUsage};
  }
  if (request.check || request.best) {
    return Error{std::string(request.check ? "--check" : "--best") +
                     " executes PTX; for OpenCL C use burin tune, which verifies on the device",
                 Exit::kUsage};
  }
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  coarsen::OpenclCoarsening asked{.local_size = launch.block, .groups = launch.grid};
  for (const std::string& flag : request.launch.source.flags) {
    asked.options += (asked.options.empty() ? "" : " ") + flag;
  }
  for (const coarsen::Coarsening& how : request.coarsenings) {
    if (how.level == coarsen::Level::kBlock) {
      asked.block_factor[how.axis] = how.factor;
      continue;
    }
    asked.thread_factor[how.axis] = how.factor;
    const std::uint32_t left = std::max(1u, launch.block[how.axis] / how.factor);
    asked.thread_stride[how.axis] = how.stride == 0 ? left : how.stride;
  }
  const std::string& kernel = *request.launch.source.kernel;
  Result<coarsen::CoarsenedOpencl> coarsened =
      coarsen::coarsen_opencl(std::string(bytes.begin(), bytes.end()), kernel, asked);
  if (!coarsened) return coarsened.error().within(path);
  CoarsenedKernel made{.kernel = kernel, .machine = "OpenCL", .coarsenings = request.coarsenings};
  made.before.launch = launch;
  made.after.launch = {.grid = coarsened->groups, .block = coarsened->local_size};
  for (const std::uint32_t factor : asked.block_factor) {
    made.specialised_grid = made.specialised_grid || factor > 1;
  }
  made.is_opencl = true;
  made.text = std::move(coarsened->text);
  return made;
}

}  // namespace burin::jobs
