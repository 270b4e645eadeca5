// From a point of the space to something that a device can run.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "measure/device.h"
#include "tune/trial.h"

namespace burin::tune {

// A configuration that is ready to run, or the reason why it never will be.
struct Built {
  Status status = Status::kOk;
  std::string reason{};              // unless kOk
  measure::DeviceRequest request{};  // program, options, steps, settings; the lab adds the rest
  formula::Names names{};            // for the objective
  std::map<std::string, double> figures{};  // registers, shared_bytes, spill_bytes
  double compile_seconds = 0;
};

class Builder {
 public:
  virtual ~Builder() = default;

  // Returns at once; several points may be started.
  virtual void start(const Point& point) = 0;

  // Waits for a point that was started, or builds it. An Error means that nothing can be built at
  // all: there is no compiler, or no source.
  virtual Result<Built> finish(const Point& point) = 0;

  // What produces the expected outputs, built like the configuration of `point`; none: the first
  // configuration that works does.
  virtual Result<std::optional<Built>> reference(const Point& point) = 0;

  // The outputs to verify, of a configuration or of the reference; empty: every buffer that it
  // changes.
  virtual std::vector<measure::ExpectedOutput> outputs(
      const measure::DeviceRequest& request) const = 0;
  virtual bool verifies() const = 0;  // false: results are not looked at

  // The objective of a time; negated if it is to be maximised.
  virtual Result<double> objective(const Built& built, double time_us) const = 0;
};

// An output of a request, with the element type of its fill, or, for a buffer that starts as zeros
// or garbage, that of the other buffers. Floating-point outputs get a tolerance of 1e-4.
measure::ExpectedOutput expected_output(const measure::DeviceRequest& request, std::size_t step,
                                        std::size_t argument);

}  // namespace burin::tune
