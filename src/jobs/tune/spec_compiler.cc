#include "jobs/tune/spec_compiler.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "jobs/tune/device.h"
#include "tune/space/build_space.h"

namespace burin::jobs {

// Field by field: GCC 12 warns of uninitialised members if the aggregate is a temporary.
SpecCompilerOptions compiler_options(const TuneRequest& request, const TuneDevice& device) {
  SpecCompilerOptions options;
  options.build.language = device.language();
  options.build.arch = device.arch;
  options.build.compiler = compiler_of(request);
  options.build.limit_seconds = request.compile_limit_seconds;
  options.build.max_spill_bytes = request.max_spill_bytes;
  options.build.max_shared_bytes = device.max_shared_bytes;
  options.burin = path_of_burin(request);
  options.processes = request.compilers;
  return options;
}

Result<tune::Space> space_of(const tune::Spec& spec, std::size_t size) {
  Result<tune::Space> space = tune::build_space(spec.tunables, tune::space_restrictions(spec),
                                                spec.sizes[size], spec.derived);
  if (!space) return space.error().within(spec.path);
  return space;
}

SpecCompiler::SpecCompiler(const tune::Spec& spec, SpecCompilerOptions options)
    : spec_(spec), options_(std::move(options)) {
  if (options_.processes == 0) {
    options_.processes = std::max(1u, std::thread::hardware_concurrency());
  }
  options_.build.changer = &coarsener_;
  if (options_.build.language == tune::Language::kCuda) {
    pool_ = std::make_unique<toolchain::CompilePool>(
        options_.burin, options_.processes,
        toolchain::CompileCache(toolchain::CompileCache::default_folder()));
  }
}

Result<tune::Builder*> SpecCompiler::begin(std::size_t size) {
  builder_.reset();
  Result<tune::Space> space = space_of(spec_, size);
  if (!space) return space.error();
  space_ = std::move(*space);
  Result<std::unique_ptr<tune::SpecBuilder>> builder =
      tune::SpecBuilder::make(spec_, spec_.sizes[size], space_, pool_.get(), options_.build);
  if (!builder) return builder.error();
  builder_ = std::move(*builder);
  return builder_.get();
}

}  // namespace burin::jobs
