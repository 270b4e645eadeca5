#include <memory>
#include <optional>

#include "jobs/tune/device.h"
#include "jobs/tune/guided.h"
#include "jobs/tune/spec_compiler.h"
#include "jobs/tune/target.h"

namespace burin::jobs {
namespace {

class SpecTarget : public TuneTarget {
 public:
  SpecTarget(const TuneRequest& request, const tune::Spec& spec) : request_(request), spec_(spec) {}

  std::size_t runs() const override { return spec_.sizes.size(); }

  Result<TunedRun> begin(std::size_t run) override {
    Result<tune::Space> space = space_of(spec_, run);
    if (!space) return space.error();
    if (!request_.only.empty()) {
      space = tune::Space::of_points({space->parameters().begin(), space->parameters().end()},
                                     request_.only[run]);
    }
    return TunedRun{.size = spec_.sizes[run],
                    .seed = request_.seed,
                    .space = std::move(*space),
                    .device = device_ ? device_->name : request_.device};
  }

  Result<void> open(const std::string& name) override {
    Result<TuneDevice> device = open_tune_device(name, &spec_, path_of_burin(request_));
    if (!device) return device.error();
    device_.emplace(std::move(*device));
    compiler_ = std::make_unique<SpecCompiler>(spec_, compiler_options(request_, *device_));
    return {};
  }

  Result<tune::Lab*> lab(std::size_t run, const std::vector<tune::Trial>& known,
                         std::size_t ahead) override {
    lab_.reset();
    const Result<tune::Builder*> builder = compiler_->begin(run);
    if (!builder) return builder.error();
    lab_.emplace(**builder, *device_->device, lab_options(request_, *device_, known, ahead));
    return &*lab_;
  }

  Result<Guide> guide(std::size_t run) override {
    if (!device_) return guide_elsewhere(run);
    lab_.reset();
    const Result<tune::Builder*> builder = compiler_->begin(run);
    if (!builder) return builder.error();
    Result<Guide> guide = make_guide(request_, *device_, **builder);
    if (guide) guide->block_sizes = block_sizes_of(spec_);
    return guide;
  }
  double guided_seconds_per_trial() const override {
    const bool exact = device_ ? device_->is_exact() : elsewhere_.starts_with(kEmulatorDevice);
    return exact || (!device_ && elsewhere_.empty()) ? 0 : kGuidedSecondsPerTrial;
  }
  void measured_elsewhere(const std::string& model) override { elsewhere_ = model; }

  std::size_t width() const override { return compiler_ ? compiler_->width() : 1; }
  bool is_noisy() const override { return !device_ || !device_->is_exact(); }
  std::string model() const override { return device_ ? device_->model : request_.device; }
  std::string bus_id() const override { return device_ ? device_->bus_id : ""; }
  bool is_cpu() const override { return device_ && device_->is_cpu; }
  std::string note() const override { return device_ ? device_->note : ""; }

 private:
  // At rank 0, which compiles and predicts for the GPU of the other ranks.
  Result<Guide> guide_elsewhere(std::size_t run) {
    if (elsewhere_.empty()) {
      return Error{"the ranks measure on devices of different models", Exit::kUsage};
    }
    const bool is_opencl = request_.device.starts_with("opencl");
    if (is_opencl || !spec_.sources.contains(tune::Language::kCuda)) return opencl_is_not_guided();
    const Result<TuneDevice> device = describe_device(elsewhere_);
    if (!device) return device.error();
    compiler_ = std::make_unique<SpecCompiler>(spec_, compiler_options(request_, *device));
    const Result<tune::Builder*> builder = compiler_->begin(run);
    if (!builder) return builder.error();
    Result<Guide> guide = make_guide(request_, *device, **builder);
    if (guide) guide->block_sizes = block_sizes_of(spec_);
    return guide;
  }

  const TuneRequest& request_;
  const tune::Spec& spec_;
  std::optional<TuneDevice> device_;
  std::string elsewhere_;
  std::unique_ptr<SpecCompiler> compiler_;
  std::optional<tune::DeviceLab> lab_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_spec_target(const TuneRequest& request,
                                                     const tune::Spec& spec) {
  return std::unique_ptr<TuneTarget>(new SpecTarget(request, spec));
}

}  // namespace burin::jobs
