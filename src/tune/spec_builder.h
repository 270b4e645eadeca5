// Compiles the configurations of a spec: CUDA C++ to cubins, several at once; OpenCL C is left to
// the device's own compiler.
//
//   SpecBuilder builder(spec, size, space, pool, {.arch = "sm_90"});
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "measure/scratch_folder.h"
#include "read/binary/image.h"
#include "toolchain/pool.h"
#include "tune/builder.h"
#include "tune/code_change.h"
#include "tune/configuration.h"
#include "tune/spec.h"

namespace burin::tune {

struct BuildOptions {
  Language language = Language::kCuda;
  std::string arch{};  // "sm_90", of the device
  toolchain::Compiler compiler = toolchain::Compiler::kAuto;
  double limit_seconds = 120;                   // for one compilation
  std::uint64_t max_spill_bytes = UINT64_MAX;   // of a thread: more is not worth measuring
  std::uint64_t max_shared_bytes = UINT64_MAX;  // of a block, static and dynamic, on the device
  const CodeChanger* changer = nullptr;         // for configurations that want a change of the code
};

// How a configuration is compiled.
toolchain::CompileRequest compile_request(const Spec& spec, const Configuration& configuration,
                                          const BuildOptions& options);

class SpecBuilder : public Builder {
 public:
  // All references must outlive the builder. `pool` may be null for OpenCL.
  static Result<std::unique_ptr<SpecBuilder>> make(const Spec& spec, const formula::Names& size,
                                                   const Space& space, toolchain::CompilePool* pool,
                                                   BuildOptions options);

  void start(const Point& point) override;
  Result<Built> finish(const Point& point) override;
  Result<std::optional<Built>> reference(const Point& point) override;
  std::vector<measure::ExpectedOutput> outputs(
      const measure::DeviceRequest& request) const override;
  bool verifies() const override { return !spec_.reference.skip; }
  Result<double> objective(const Built& built, double time_us) const override;

 private:
  SpecBuilder(const Spec& spec, const formula::Names& size, const Space& space,
              toolchain::CompilePool* pool, BuildOptions options)
      : spec_(spec), size_(size), space_(space), pool_(pool), options_(std::move(options)) {}

  struct Started {
    Result<Configuration> configuration = Error{};
    std::optional<toolchain::CompilePool::Ticket> ticket{};
    bool changed = false;  // compiled to PTX, which is changed before it is assembled
    std::string stem{};    // of its files in the folder; nobody else writes those
  };
  enum class Code { kOfPoint, kOfReference };

  Started begin(const Point& point, Code code) const;
  // Compiles a copy of the source with the pragmas of the configuration instead.
  Result<void> unroll(const Started& started, toolchain::CompileRequest& request) const;
  Result<Built> built(Started& started) const;
  Result<Built> built_cuda(Started& started) const;
  Result<Built> built_opencl(Started& started) const;
  // Changes the PTX and assembles it, in place of what was compiled.
  Result<void> change(Started& started, toolchain::Compiled& compiled, Built& built) const;
  // Finds the kernels in the cubin, checks limits, and fills in the request.
  void inspect(const toolchain::Compiled& compiled, const Configuration& configuration,
               Built& built) const;

  const Spec& spec_;
  const formula::Names& size_;
  const Space& space_;
  toolchain::CompilePool* pool_;
  BuildOptions options_;
  std::map<Point, Started> started_;
  std::shared_ptr<measure::ScratchFolder> folder_;
};

}  // namespace burin::tune
