// The configurations of a spec, compiled for one device as they are asked for. Used by whoever
// looks at configurations: to measure, predict or count them.
//
//   SpecCompiler compiler(spec, {.build = {.arch = "sm_90"}, .burin = path_of_burin(request)});
//   Result<tune::Builder*> builder = compiler.begin(0);   // the first problem size
//   builder->finish(compiler.space().at(17))
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "model/coarsener.h"
#include "toolchain/pool.h"
#include "tune/spec_builder.h"

namespace burin::jobs {

struct TuneDevice;
struct TuneRequest;

struct SpecCompilerOptions {
  tune::BuildOptions build{};  // the code changer is added
  std::string burin{};         // the executable of which compiler processes are started
  unsigned processes = 0;      // 0: one per core
};

// What a request asks for, on the device that it names.
SpecCompilerOptions compiler_options(const TuneRequest& request, const TuneDevice& device);

// The valid configurations of a problem size. The Error names the spec.
Result<tune::Space> space_of(const tune::Spec& spec, std::size_t size);

class SpecCompiler {
 public:
  // The spec must outlive it.
  SpecCompiler(const tune::Spec& spec, SpecCompilerOptions options);

  // Compiles configurations of a problem size from now on; what an earlier call returned is gone.
  Result<tune::Builder*> begin(std::size_t size);
  const tune::Space& space() const { return space_; }

  // Points that it makes use of at once: one that is looked at, and those being compiled. OpenCL
  // compiles on the device, one configuration after the other.
  std::size_t width() const { return pool_ == nullptr ? 1 : options_.processes + 1; }

 private:
  const tune::Spec& spec_;
  SpecCompilerOptions options_;
  model::Coarsener coarsener_;
  std::unique_ptr<toolchain::CompilePool> pool_;
  tune::Space space_;
  std::unique_ptr<tune::SpecBuilder> builder_;
};

}  // namespace burin::jobs
