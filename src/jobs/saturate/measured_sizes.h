// Measures configurations of a spec at several problem sizes, on a device or on the emulator.
//
//   Result<std::unique_ptr<MeasuredSizes>> sizes = MeasuredSizes::open(request, spec);
//   (*sizes)->measure(3, point)      SizeSample of the fourth size
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "jobs/saturate/saturate_kernel.h"
#include "jobs/tune/device.h"
#include "jobs/tune/spec_compiler.h"
#include "machine/machine.h"
#include "model/saturate/fit.h"

namespace burin::jobs {

class MeasuredSizes {
 public:
  // `spec` must outlive it; its sizes may change between calls.
  static Result<std::unique_ptr<MeasuredSizes>> open(const TuneRequest& request,
                                                     const tune::Spec& spec);

  // Time, waves, working set and, on the emulator, L2 hit rate; the work is left to the caller. An
  // Error if the configuration does not run at this size.
  Result<model::SizeSample> measure(std::size_t size, const tune::Point& point);

  // The configuration, compiled; an Error if it cannot be.
  Result<tune::Built> built(std::size_t size, const tune::Point& point);

  // Bytes of all buffers.
  Result<double> working_set(std::size_t size, const tune::Point& point) const;

  // Blocks that the GPU holds at a time; 0: not known. Compiles the configuration.
  Result<std::uint64_t> wave_of(std::size_t size, const tune::Point& point);

  // What the emulator says about the configuration; none without a known machine.
  Result<std::optional<SaturationLimit>> limit_of(std::size_t size, const tune::Point& point);

  // An Error if the buffers need more memory than the device has, as far as that is known.
  Result<void> check_memory(std::size_t size, const tune::Point& point) const;

  const TuneDevice& device() const { return device_; }
  const std::string& model() const { return model_; }  // "NVIDIA H200", known after the first run
  double l2_bytes() const { return machine_ ? machine_->l2.size : 0; }

 private:
  MeasuredSizes(const TuneRequest& request, const tune::Spec& spec, TuneDevice device);

  Result<void> predict(const tune::Built& built, model::SizeSample& sample);

  const TuneRequest& request_;
  const tune::Spec& spec_;
  TuneDevice device_;
  std::string model_;
  std::optional<machine::Machine> machine_;  // of the emulator, or of the GPU if it is known
  SpecCompiler compiler_;
  std::optional<SaturationLimit> limit_;  // of the last prediction
};

}  // namespace burin::jobs
