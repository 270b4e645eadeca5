// Measures configurations on one device, while the next ones are being compiled.
//
//   DeviceLab lab(builder, device, {.device = "cuda:0"});
//   Result<Tuned> tuned = tune(strategy, lab, options);
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/device.h"
#include "tune/builder.h"
#include "tune/lab.h"

namespace burin::tune {

struct LabOptions {
  std::string device = "cuda:0";  // as measure::DeviceRequest names it
  double limit_seconds = 20;      // for measuring one configuration
  bool verify = true;             // compare outputs, unless the builder asks for no verification
  // Samples of a configuration: at most 30, fewer once the median is known to half a percent.
  measure::Stopping stopping{.least = 5, .most = 30, .target_spread = 0.005, .max_seconds = 2};
  measure::Caches caches = measure::Caches::kCold;  // when a timed launch starts
  // A configuration this many times slower than the best is given up after the first samples.
  double give_up = 2;
  unsigned final_samples = 5;  // of a finalist in each round
  // A point whose outputs are the expected ones, from an earlier part of the session.
  std::optional<Point> trusted{};
  std::size_t ahead = 1;  // configurations that are compiled or measured at once
};

class DeviceLab : public Lab {
 public:
  DeviceLab(Builder& builder, measure::Device& device, LabOptions options);

  std::size_t width() const override { return options_.ahead; }
  void submit(const Point& point, const TrialLimits& limits) override;
  Result<Trial> wait() override;
  Result<std::vector<double>> measure_again(const Point& point) override;

  const std::string& device_name() const { return device_name_; }  // known after the first trial

 private:
  struct Queued {
    Point point;
    TrialLimits limits;
  };

  Result<Trial> run(const Queued& queued);
  Result<void> measure(const Built& built, const TrialLimits& limits, Trial& trial);
  // What `request` needs in addition to be run by this lab.
  measure::DeviceRequest with_options(measure::DeviceRequest request) const;
  // Makes sure that the device holds the expected outputs, and says what is to be done with those
  // of this configuration: they are compared, or are the expected ones, or are not looked at.
  Result<measure::Check> expect_outputs(const Built& built, const Point& point);
  Result<void> keep_reference();
  Result<void> find_outputs(const measure::DeviceRequest& request);
  measure::DeviceAnswer ask(const measure::DeviceRequest& request);

  Builder& builder_;
  measure::Device& device_;
  LabOptions options_;
  std::deque<Queued> queue_;
  std::optional<measure::DeviceRequest> reference_;  // what produces the expected outputs
  bool reference_kept_ = false;                      // the device holds them
  bool reference_proven_ = false;                    // it has run at least once
  std::vector<measure::ExpectedOutput> expected_;
  std::map<Point, Built> finalists_;
  std::string device_name_;
};

}  // namespace burin::tune
