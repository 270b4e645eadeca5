#include <optional>

#include "base/text.h"
#include "jobs/tune/target.h"
#include "tune/formats/recorded_space.h"
#include "tune/replay_lab.h"

namespace burin::jobs {
namespace {

class ReplayTarget : public TuneTarget {
 public:
  ReplayTarget(tune::RecordedSpace recorded, const TuneRequest& request)
      : recorded_(std::move(recorded)), request_(request) {}

  std::size_t runs() const override { return request_.seeds; }

  Result<TunedRun> begin(std::size_t run) override {
    TunedRun begun{.seed = request_.seed + run, .space = recorded_.space, .device = model()};
    begun.space_size = recorded_.space_size.value_or(0);
    if (const auto best = recorded_.best(); best && recorded_.fully_recorded) {
      begun.optimum_us = recorded_.points[*best].time_us;
    }
    return begun;
  }

  Result<void> open(const std::string&) override { return {}; }

  Result<tune::Lab*> lab(std::size_t, const std::vector<tune::Trial>&, std::size_t) override {
    lab_.emplace(recorded_);
    return &*lab_;
  }

  std::size_t width() const override { return 1; }
  bool is_noisy() const override { return false; }
  bool weighs_cost() const override { return true; }
  std::string model() const override {
    return recorded_.device.empty() ? request_.device : recorded_.device;
  }
  std::string bus_id() const override { return ""; }

 private:
  tune::RecordedSpace recorded_;
  const TuneRequest& request_;
  std::optional<tune::ReplayLab> lab_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_replay_target(const TuneRequest& request,
                                                       std::string& kernel) {
  const std::string path = request.device.substr(kReplayDevice.size());
  Result<tune::RecordedSpace> recorded = tune::read_recorded_space(path);
  if (!recorded) return recorded.error();
  kernel = recorded->kernel.empty() ? std::string(file_name(path)) : recorded->kernel;
  return std::unique_ptr<TuneTarget>(new ReplayTarget(std::move(*recorded), request));
}

}  // namespace burin::jobs
