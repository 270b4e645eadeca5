#include "jobs/reshape_launch.h"

#include <utility>

namespace burin::jobs {

Result<std::unique_ptr<ReshapedLaunch>> reshape_launch(const LaunchRequest& request,
                                                       const Progress& progress) {
  if (Result<void> all = complete(request, "run"); !all) return all.error();
  Result<LoadedLaunch> loaded = load_launch(request, progress);
  if (!loaded) return loaded.error();
  auto shaped = std::make_unique<ReshapedLaunch>();
  shaped->launch = std::move(*loaded);
  const read::Kernel& listed = shaped->launch.loaded->kernel;
  const Result<read::Kernel> kernel = read::build_kernel(*listed.image, *listed.function);
  if (!kernel) return kernel.error();
  shaped->reshape = analyze::reshape_proof(*kernel, shaped->launch.launch);
  return shaped;
}

}  // namespace burin::jobs
