// The kernel of a spec, for `burin fit`: its sizes and shapes, what the spec and the compiled code
// say about it, and its time at any size and shape, on a GPU or on the emulator.
//
//   Result<std::unique_ptr<SpecKernel>> kernel = SpecKernel::open(tune_request, spec);
//   (*kernel)->time_us({4096, 4096}, {32, 8, 1})
//   (*kernel)->facts()           kernel name, parameters, sizes as arguments, registers, proof …
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/rational/rational_program.h"
#include "jobs/saturate/measured_sizes.h"
#include "jobs/tune/tune_kernel.h"
#include "model/carve/launch_counts.h"
#include "model/fit/shape_times.h"
#include "tune/spec.h"

namespace burin::jobs {

class SpecKernel {
 public:
  // An Error for a spec with several launches, or with tunables that are no sides of the block.
  static Result<std::unique_ptr<SpecKernel>> open(const TuneRequest& request, tune::Spec spec);

  const std::vector<std::string>& names() const { return names_; }   // of the sizes
  const std::vector<model::Sizes>& sizes() const { return given_; }  // the spec's, by work
  // Valid at one of the spec's sizes at least.
  const std::vector<formula::Shape>& shapes() const { return shapes_; }
  const std::vector<std::string>& grid() const { return grid_; }  // over sizes and bx, by, bz
  const std::vector<std::string>& constraints() const { return constraints_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const MeasuredSizes& device() const { return *measured_; }

  // Whether the buffers of a size fit the device.
  bool fits(const model::Sizes& sizes);
  // An Error says why the shape does not run at the size.
  Result<double> time_us(const model::Sizes& sizes, const formula::Shape& shape);

  // What a few blocks of the launch do, executed on `machine` without time.
  Result<model::LaunchCounts> counts(const model::Sizes& sizes, const formula::Shape& shape,
                                     const machine::Machine& machine);

  // Compiles the kernel. `declared`: the user's words for why the shape may change; "": proved, or
  // not at all.
  Result<formula::RationalProgram> facts(const std::string& declared);

 private:
  SpecKernel(const TuneRequest& request, tune::Spec spec)
      : request_(request), spec_(std::move(spec)) {}

  Result<void> read();
  Result<std::string> over_shape(const formula::Expression& expression) const;
  // The configurations at a size, by shape.
  struct AtSize {
    std::size_t index = 0;  // of spec_.sizes
    std::map<formula::Shape, tune::Point> points{};
  };
  Result<const AtSize*> at(const model::Sizes& sizes);
  model::Sizes values_of(const formula::Names& size) const;

  TuneRequest request_;
  tune::Spec spec_;
  std::map<std::string, std::string> sides_;  // tunable: bx, by or bz
  std::vector<std::string> names_;
  std::vector<model::Sizes> given_;
  std::vector<formula::Shape> shapes_;
  std::vector<std::string> grid_;
  std::vector<std::string> constraints_;
  std::vector<std::string> notes_;
  std::unique_ptr<MeasuredSizes> measured_;
  std::map<model::Sizes, AtSize> known_;
};

}  // namespace burin::jobs
